#include "mechfit/export/shells.h"

namespace mechfit {

// CasADi's interface of external functions: sizes and names of inputs and outputs, patterns of
// nonzeros {rows, columns, 1: dense}, work sizes, the function. jac_$ has the outputs of $ as
// further inputs, which it does not look at.
const char* const kCasadiShell = R"(
/* For CasADi:
     cc -std=c99 -O3 -shared -fPIC $.c -o $.so -lm
     f = casadi.external("$", "./$.so")
   f(x, u) is xdot, with x = (q, v) and xdot = (v, a); without inputs f(x). Its Jacobian is exact.
   Where M(q) is not positive definite the evaluation fails. */
#ifndef casadi_int
#define casadi_int long long
#endif

#define $_STATES (2 * $_JOINTS)
static const casadi_int $_of_state[3] = {$_STATES, 1, 1};
static const casadi_int $_of_input[3] = {$_INPUTS, 1, 1};
static const casadi_int $_unused[4] = {$_STATES, 1, 0, 0};
static const casadi_int $_by_state[3] = {$_STATES, $_STATES, 1};
static const casadi_int $_by_input[3] = {$_STATES, $_INPUTS, 1};
static const double $_zero[$_STATES + $_INPUTS] = {0};

casadi_int $_n_in(void);
casadi_int $_n_out(void);
const char* $_name_in(casadi_int i);
const char* $_name_out(casadi_int i);
const casadi_int* $_sparsity_in(casadi_int i);
const casadi_int* $_sparsity_out(casadi_int i);
int $_work(casadi_int* arg, casadi_int* res, casadi_int* iw, casadi_int* w);
int $(const double** arg, double** res, casadi_int* iw, double* w, int memory);
casadi_int jac_$_n_in(void);
casadi_int jac_$_n_out(void);
const char* jac_$_name_in(casadi_int i);
const char* jac_$_name_out(casadi_int i);
const casadi_int* jac_$_sparsity_in(casadi_int i);
const casadi_int* jac_$_sparsity_out(casadi_int i);
int jac_$_work(casadi_int* arg, casadi_int* res, casadi_int* iw, casadi_int* w);
int jac_$(const double** arg, double** res, casadi_int* iw, double* w, int memory);

casadi_int $_n_in(void) { return $_INPUTS > 0 ? 2 : 1; }
casadi_int $_n_out(void) { return 1; }
const char* $_name_in(casadi_int i) { return i == 0 ? "x" : "u"; }
const char* $_name_out(casadi_int i) {
  (void)i;
  return "xdot";
}
const casadi_int* $_sparsity_in(casadi_int i) { return i == 0 ? $_of_state : $_of_input; }
const casadi_int* $_sparsity_out(casadi_int i) {
  (void)i;
  return $_of_state;
}
int $_work(casadi_int* arg, casadi_int* res, casadi_int* iw, casadi_int* w) {
  *arg = $_n_in();
  *res = 1;
  *iw = 0;
  *w = 0;
  return 0;
}
int $(const double** arg, double** res, casadi_int* iw, double* w, int memory) {
  const double* x = arg[0] ? arg[0] : $_zero;
  const double* u = $_INPUTS > 0 && arg[$_n_in() - 1] ? arg[$_n_in() - 1] : $_zero;
  double a[$_JOINTS];
  (void)iw;
  (void)w;
  (void)memory;
  if ($_acceleration(x, x + $_JOINTS, u, a)) return 1;
  if (res[0])
    for (int i = 0; i < $_JOINTS; ++i) {
      res[0][i] = x[$_JOINTS + i];
      res[0][$_JOINTS + i] = a[i];
    }
  return 0;
}

casadi_int jac_$_n_in(void) { return $_n_in() + 1; }
casadi_int jac_$_n_out(void) { return $_n_in(); }
const char* jac_$_name_in(casadi_int i) { return i < $_n_in() ? $_name_in(i) : "out_xdot"; }
const char* jac_$_name_out(casadi_int i) { return i == 0 ? "jac_xdot_x" : "jac_xdot_u"; }
const casadi_int* jac_$_sparsity_in(casadi_int i) {
  return i < $_n_in() ? $_sparsity_in(i) : $_unused;
}
const casadi_int* jac_$_sparsity_out(casadi_int i) { return i == 0 ? $_by_state : $_by_input; }
int jac_$_work(casadi_int* arg, casadi_int* res, casadi_int* iw, casadi_int* w) {
  *arg = jac_$_n_in();
  *res = jac_$_n_out();
  *iw = 0;
  *w = 0;
  return 0;
}
int jac_$(const double** arg, double** res, casadi_int* iw, double* w, int memory) {
  const double* x = arg[0] ? arg[0] : $_zero;
  const double* u = $_INPUTS > 0 && arg[$_n_in() - 1] ? arg[$_n_in() - 1] : $_zero;
  double a[$_JOINTS], a_q[$_JOINTS * $_JOINTS], a_v[$_JOINTS * $_JOINTS];
  double a_u[$_JOINTS * ($_INPUTS + 1)];
  (void)iw;
  (void)w;
  (void)memory;
  if ($_acceleration_jacobians(x, x + $_JOINTS, u, a, a_q, a_v, a_u)) return 1;
  /* CasADi has matrices by columns. */
  if (res[0])
    for (int k = 0; k < $_JOINTS; ++k)
      for (int i = 0; i < $_JOINTS; ++i) {
        double* by_q = res[0] + k * $_STATES;
        double* by_v = res[0] + ($_JOINTS + k) * $_STATES;
        by_q[i] = 0;
        by_v[i] = i == k;
        by_q[$_JOINTS + i] = a_q[i * $_JOINTS + k];
        by_v[$_JOINTS + i] = a_v[i * $_JOINTS + k];
      }
  if ($_INPUTS > 0 && res[jac_$_n_out() - 1])
    for (int k = 0; k < $_INPUTS; ++k)
      for (int i = 0; i < $_JOINTS; ++i) {
        double* by_u = res[jac_$_n_out() - 1] + k * $_STATES;
        by_u[i] = 0;
        by_u[$_JOINTS + i] = a_u[i * $_INPUTS + k];
      }
  return 0;
}
)";

}  // namespace mechfit
