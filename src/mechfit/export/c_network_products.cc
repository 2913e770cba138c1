#include "mechfit/export/c_parts.h"

namespace mechfit {

const char* const kFusedProduct = R"(
/* a b + c, by one instruction where the processor has it */
static inline $_real $_fma($_real a, $_real b, $_real c) {
#if defined(FP_FAST_FMA) && defined(FP_FAST_FMAF)
  return fma~(a, b, c);
#else
  return a * b + c;
#endif
}
)";

// Within 3 ulp.
const char* const kTanh = R"(
/* tanh x by the addition theorem: with |x| = k ln(2)/2 + r, s = 2^k and tanh r = B / A, a continued
   fraction, it is ((s - 1) A + (s + 1) B) / ((s + 1) A + (s - 1) B). Without branches, so that loops
   of it are vectorised. */
static inline double $_tanh(double x) {
  const double round = 6755399441055744.0; /* 1.5 2^52: its last bits are the nearest integer */
  const double size = fabs(x), y = size > 20 ? 20 : size;
  const double shifted = $_fma(y, 2.8853900817779268, round), k = shifted - round;
  const double high = $_fma(k, -0.34657359024276957, y), r = $_fma(k, -3.7203085550061984e-11, high);
  const double z = r * r;
  const double A = $_fma($_fma($_fma(28, z, 3150), z, 62370), z, 135135);
  const double B = $_fma($_fma($_fma(1, z, 378), z, 17325), z, 135135) * r;
  double s;
  uint64_t bits;
  memcpy(&bits, &shifted, sizeof bits);
  bits = (bits + 1023) << 52;
  memcpy(&s, &bits, sizeof s);
  return copysign($_fma(s + 1, B, (s - 1) * A) / $_fma(s - 1, B, (s + 1) * A), x);
}
)";

const char* const kTanhSingle = R"(
/* tanh x by the addition theorem: with |x| = k ln(2)/2 + r, s = 2^k and tanh r = B / A, a continued
   fraction, it is ((s - 1) A + (s + 1) B) / ((s + 1) A + (s - 1) B). Without branches, so that loops
   of it are vectorised. */
static inline float $_tanh(float x) {
  const float round = 12582912.0f; /* 1.5 2^23: its last bits are the nearest integer */
  const float size = fabsf(x), y = size > 10 ? 10 : size;
  const float shifted = $_fma(y, 2.88539008f, round), k = shifted - round;
  const float high = $_fma(k, -0.346557617f, y), r = $_fma(k, -1.59732e-05f, high);
  const float z = r * r;
  const float A = $_fma($_fma(15, z, 420), z, 945), B = $_fma($_fma(1, z, 105), z, 945) * r;
  float s;
  uint32_t bits;
  memcpy(&bits, &shifted, sizeof bits);
  bits = (bits + 127) << 23;
  memcpy(&s, &bits, sizeof s);
  return copysignf($_fma(s + 1, B, (s - 1) * A) / $_fma(s - 1, B, (s + 1) * A), x);
}
)";

const char* const kNetworkProducts = R"(
/* Sums that are made at a time: as many as registers hold, so that they need no memory meanwhile */
#if defined(__AVX512F__)
#define $_SUMS (256 / (int)sizeof($_real))
#else
#define $_SUMS (128 / (int)sizeof($_real))
#endif

/* The first `width` rows of y = W x + b, W [inputs][outputs]; b 0: none. Those of even and of odd
   inputs apart, since each sum waits for the one before. */
static inline void $_rows(int width, int outputs, int inputs, const $_real* W, const $_real* b,
                          const $_real* x, $_real* restrict y) {
  $_real even[$_SUMS], odd[$_SUMS];
  int j = 0;
  for (int i = 0; i < width; ++i) even[i] = b ? b[i] : 0;
  for (int i = 0; i < width; ++i) odd[i] = 0;
  for (; j + 2 <= inputs; j += 2) {
    const $_real *w = W + j * outputs, *next = w + outputs;
    for (int i = 0; i < width; ++i) {
      even[i] = $_fma(w[i], x[j], even[i]);
      odd[i] = $_fma(next[i], x[j + 1], odd[i]);
    }
  }
  if (j < inputs)
    for (int i = 0; i < width; ++i) even[i] = $_fma(W[j * outputs + i], x[j], even[i]);
  for (int i = 0; i < width; ++i) y[i] = even[i] + odd[i];
}

/* The same with yd = W xd, so that W is read once for both */
static inline void $_rows_along(int width, int outputs, int inputs, const $_real* W,
                                const $_real* b, const $_real* x, const $_real* xd,
                                $_real* restrict y, $_real* restrict yd) {
  $_real value[$_SUMS], slope[$_SUMS];
  for (int i = 0; i < width; ++i) value[i] = b ? b[i] : 0;
  for (int i = 0; i < width; ++i) slope[i] = 0;
  for (int j = 0; j < inputs; ++j) {
    const $_real* w = W + j * outputs;
    for (int i = 0; i < width; ++i) {
      value[i] = $_fma(w[i], x[j], value[i]);
      slope[i] = $_fma(w[i], xd[j], slope[i]);
    }
  }
  for (int i = 0; i < width; ++i) y[i] = value[i];
  for (int i = 0; i < width; ++i) yd[i] = slope[i];
}

/* y = W x + b; the widths are numbers that compilers know */
static inline void $_product(int outputs, int inputs, const $_real* W, const $_real* b,
                             const $_real* x, $_real* y) {
  int i = 0;
  for (; i + $_SUMS <= outputs; i += $_SUMS)
    $_rows($_SUMS, outputs, inputs, W + i, b ? b + i : 0, x, y + i);
  for (; i + 16 <= outputs; i += 16) $_rows(16, outputs, inputs, W + i, b ? b + i : 0, x, y + i);
  for (; i + 8 <= outputs; i += 8) $_rows(8, outputs, inputs, W + i, b ? b + i : 0, x, y + i);
  for (; i < outputs; ++i) $_rows(1, outputs, inputs, W + i, b ? b + i : 0, x, y + i);
}

static inline void $_product_along(int outputs, int inputs, const $_real* W, const $_real* b,
                                   const $_real* x, const $_real* xd, $_real* y, $_real* yd) {
  int i = 0;
  for (; i + $_SUMS <= outputs; i += $_SUMS)
    $_rows_along($_SUMS, outputs, inputs, W + i, b ? b + i : 0, x, xd, y + i, yd + i);
  for (; i + 16 <= outputs; i += 16)
    $_rows_along(16, outputs, inputs, W + i, b ? b + i : 0, x, xd, y + i, yd + i);
  for (; i + 8 <= outputs; i += 8)
    $_rows_along(8, outputs, inputs, W + i, b ? b + i : 0, x, xd, y + i, yd + i);
  for (; i < outputs; ++i)
    $_rows_along(1, outputs, inputs, W + i, b ? b + i : 0, x, xd, y + i, yd + i);
}

/* y_k = W x_k for `count` rows of x and y */
static inline void $_products(int count, int outputs, int inputs, const $_real* W, const $_real* x,
                              $_real* y) {
  int k = 0;
  for (; k + 2 <= count; k += 2)
    $_product_along(outputs, inputs, W, 0, x + k * inputs, x + (k + 1) * inputs, y + k * outputs,
                    y + (k + 1) * outputs);
  if (k < count) $_product(outputs, inputs, W, 0, x + k * inputs, y + k * outputs);
}

/* y = W x + b for few outputs; W [outputs][inputs] */
static inline void $_thin_product(int outputs, int inputs, const $_real* W, const $_real* b,
                                  const $_real* x, $_real* y) {
  for (int i = 0; i < outputs; ++i) {
    $_real s[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    const $_real* w = W + i * inputs;
    int j = 0;
    for (; j + 8 <= inputs; j += 8)
      for (int k = 0; k < 8; ++k) s[k] = $_fma(w[j + k], x[j + k], s[k]);
    for (; j < inputs; ++j) s[0] = $_fma(w[j], x[j], s[0]);
    y[i] = (b ? b[i] : 0) + (((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7])));
  }
}
)";

}  // namespace mechfit
