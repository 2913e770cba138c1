#include "mechfit/export/shells.h"

namespace mechfit {

const char* const kMexShell = R"mex(
/* For MATLAB (mex $.c) and Octave (mkoctfile --mex $.c). x = (q, v) [2n x K] and u [m x K] hold K
   points side by side; without inputs u is [] or left out.
     [xdot, A, B] = $(x, u)      xdot = f(x, u), A = df/dx [2n x 2n x K], B = df/du [2n x m x K]
     M = $('mass', q)            [n x n x K]
     E = $('energy', x)          [1 x K]
     tau = $('inverse_dynamics', x, a)
     x = $('rk4_step', x, u, h)  the state h seconds later, u held
     y = $('inside', x, u)       1 where the data of the fit covered the point   [1 x K] */
#include <mex.h>

#define $_STATES (2 * $_JOINTS)

static void $_wants(int right, const char* what) {
  if (!right) mexErrMsgIdAndTxt("$:arguments", "expected %s", what);
}

/* A real matrix of the given rows; its columns in *columns. */
static const double* $_matrix(const mxArray* array, mwSize rows, mwSize* columns,
                              const char* what) {
  $_wants(mxIsDouble(array) && !mxIsComplex(array) && !mxIsSparse(array) && mxGetM(array) == rows,
          what);
  *columns = mxGetN(array);
  return mxGetPr(array);
}

static double* $_output(mxArray** out, mwSize rows, mwSize columns, mwSize pages) {
  const mwSize size[3] = {rows, columns, pages};
  *out = mxCreateNumericArray(3, size, mxDOUBLE_CLASS, mxREAL);
  return mxGetPr(*out);
}

/* u of K points, or null where the model has no inputs. */
static const double* $_inputs(int count, const mxArray* const* arguments, int at, mwSize points) {
  mwSize columns = points;
  const double* u = NULL;
  if ($_INPUTS > 0) {
    $_wants(count > at, "inputs u");
    u = $_matrix(arguments[at], $_INPUTS, &columns, "u with one row for each input");
    $_wants(columns == points, "as many columns of u as of x");
  }
  return u;
}

static void $_refuse(void) {
  mexErrMsgIdAndTxt("$:mass", "the mass matrix is not positive definite at a point");
}

static void $_dynamics(int outputs, mxArray** out, const double* x, const double* u,
                       mwSize points) {
  const double none[1] = {0};
  double* f = $_output(&out[0], $_STATES, points, 1);
  double* A = outputs > 1 ? $_output(&out[1], $_STATES, $_STATES, points) : NULL;
  double* B = outputs > 2 ? $_output(&out[2], $_STATES, $_INPUTS, points) : NULL;
  for (mwSize k = 0; k < points; ++k, x += $_STATES, f += $_STATES) {
    const double* w = u ? u + k * $_INPUTS : none;
    double a_q[$_JOINTS * $_JOINTS], a_v[$_JOINTS * $_JOINTS];
    double a_u[$_JOINTS * ($_INPUTS + 1)];
    if (outputs > 1
            ? $_acceleration_jacobians(x, x + $_JOINTS, w, f + $_JOINTS, a_q, a_v, a_u)
            : $_acceleration(x, x + $_JOINTS, w, f + $_JOINTS))
      $_refuse();
    for (int i = 0; i < $_JOINTS; ++i) f[i] = x[$_JOINTS + i];
    for (int i = 0; A && i < $_JOINTS; ++i) {
      A[($_JOINTS + i) * $_STATES + i] = 1;
      for (int j = 0; j < $_JOINTS; ++j) {
        A[j * $_STATES + $_JOINTS + i] = a_q[i * $_JOINTS + j];
        A[($_JOINTS + j) * $_STATES + $_JOINTS + i] = a_v[i * $_JOINTS + j];
      }
      for (int j = 0; B && j < $_INPUTS; ++j)
        B[j * $_STATES + $_JOINTS + i] = a_u[i * $_INPUTS + j];
    }
    if (A) A += $_STATES * $_STATES;
    if (B) B += $_STATES * $_INPUTS;
  }
}

static void $_call(const char* what, mxArray** out, int count, const mxArray* const* arguments) {
  const double none[1] = {0};
  mwSize points, other;
  $_wants(count > 1, "arguments behind the function's name");
  if (strcmp(what, "mass") == 0) {
    const double* q = $_matrix(arguments[1], $_JOINTS, &points, "q with one row for each joint");
    double* M = $_output(out, $_JOINTS, $_JOINTS, points);
    for (mwSize k = 0; k < points; ++k)
      $_mass(q + k * $_JOINTS, M + k * $_JOINTS * $_JOINTS);
    return;
  }
  const double* x =
      $_matrix(arguments[1], $_STATES, &points, "x with two rows for each joint, q above v");
  if (strcmp(what, "energy") == 0) {
    double* E = $_output(out, 1, points, 1);
    for (mwSize k = 0; k < points; ++k, x += $_STATES) E[k] = $_energy(x, x + $_JOINTS);
  } else if (strcmp(what, "inverse_dynamics") == 0) {
    $_wants(count > 2, "accelerations a");
    const double* a = $_matrix(arguments[2], $_JOINTS, &other, "a with one row for each joint");
    $_wants(other == points, "as many columns of a as of x");
    double* tau = $_output(out, $_JOINTS, points, 1);
    for (mwSize k = 0; k < points; ++k, x += $_STATES)
      $_inverse_dynamics(x, x + $_JOINTS, a + k * $_JOINTS, tau + k * $_JOINTS);
  } else if (strcmp(what, "rk4_step") == 0) {
    const double* u = $_inputs(count, arguments, 2, points);
    $_wants(count > 3, "x, u and the step h");
    const double h = mxGetScalar(arguments[3]);
    double* y = $_output(out, $_STATES, points, 1);
    memcpy(y, x, sizeof(double) * $_STATES * points);
    for (mwSize k = 0; k < points; ++k, y += $_STATES)
      if ($_rk4_step(h, u ? u + k * $_INPUTS : none, y, y + $_JOINTS)) $_refuse();
  } else if (strcmp(what, "inside") == 0) {
    const double* u = $_inputs(count, arguments, 2, points);
    double* y = $_output(out, 1, points, 1);
    for (mwSize k = 0; k < points; ++k, x += $_STATES)
      y[k] = $_inside(x, x + $_JOINTS, u ? u + k * $_INPUTS : none);
  } else {
    $_wants(0, "mass, energy, inverse_dynamics, rk4_step or inside");
  }
}

void mexFunction(int outputs, mxArray** out, int count, const mxArray** arguments) {
  $_wants(count > 0 && outputs <= 3, "[xdot, A, B] = $(x, u)");
if (mxIsChar(arguments[0])) {
  char what[32];
  $_wants(mxGetString(arguments[0], what, sizeof what) == 0, "the name of a function");
  $_call(what, out, count, arguments);
} else {
  mwSize points;
  const double* x =
      $_matrix(arguments[0], $_STATES, &points, "x with two rows for each joint, q above v");
  $_dynamics(outputs, out, x, $_inputs(count, arguments, 1, points), points);
}
}
)mex";

}  // namespace mechfit
