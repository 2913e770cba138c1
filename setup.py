"""Builds mechfit._core with CMake. MECHFIT_BUILD_DIR names a build folder that is ready to use (the tests have one)."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

source = pathlib.Path(__file__).resolve().parent


class CMakeBuild(build_ext):
    def build_extension(self, extension):
        ready = os.environ.get("MECHFIT_BUILD_DIR")
        build = pathlib.Path(ready or source / "build" / "wheel")
        if not ready:
            self.configure(build)
        subprocess.run(["cmake", "--build", build, "--target", "mechfit_python"], check=True)
        (module,) = (build / "python" / "mechfit").glob("_core*.so")
        if not ready and os.fsencode(source) in module.read_bytes():
            raise SystemExit(f"{module} carries the path of this machine's sources")
        target = pathlib.Path(self.get_ext_fullpath(extension.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(module, target)

    def configure(self, build):
        options = {
            "CMAKE_BUILD_TYPE": "Release",
            "CMAKE_CXX_FLAGS": f"-ffile-prefix-map={source}/=",  # messages name files without this machine's folders
            "Python3_EXECUTABLE": sys.executable,
            "MECHFIT_BUILD_PYTHON": "ON",
            "MECHFIT_BUILD_TESTS": "OFF",
            "MECHFIT_BUILD_EXAMPLES": "OFF",
        }
        flags = [f"-D{name}={value}" for name, value in options.items()]
        subprocess.run(["cmake", "-S", source, "-B", build, "-G", "Ninja", *flags], check=True)


setup(
    version=re.search(r"project\(mechfit VERSION ([0-9.]+)", (source / "CMakeLists.txt").read_text())[1],
    ext_modules=[Extension("mechfit._core", sources=[])],
    cmdclass={"build_ext": CMakeBuild},
)
