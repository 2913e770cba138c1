"""Loads an .npz file with numpy and saves it again in every way numpy can.

numpy_again.py IN.npz FOLDER
"""
import sys

import numpy as np

with np.load(sys.argv[1], allow_pickle=False) as archive:
    arrays = {name: archive[name] for name in archive.files}
folder = sys.argv[2]
assert arrays["t"].dtype == np.float64 and arrays["q"].ndim == 2, arrays
assert list(arrays["joints"]) == [f"q{i + 1}" for i in range(arrays["q"].shape[1])]

np.savez(f"{folder}/stored.npz", **arrays)
np.savez_compressed(f"{folder}/deflated.npz", **arrays)
fortran = {name: np.asfortranarray(a) for name, a in arrays.items()}
np.savez(f"{folder}/fortran.npz", **fortran)
big = {name: a.astype(a.dtype.newbyteorder(">")) for name, a in arrays.items()}
np.savez_compressed(f"{folder}/big_endian.npz", **big)
small = {**arrays, "run": arrays["run"].astype(np.uint8), "joints": arrays["joints"].astype("S")}
np.savez(f"{folder}/small.npz", **small)
np.savez(f"{folder}/plain.npz", t=arrays["t"][:3], q=np.array([1.5, -2.0, 3.25], dtype=np.float32))
