/* Calls every function of an exported model along a motion, with arrays that are exactly as long as
   they have to be, so that the sanitizers see what reads or writes beside them. */
#include "model.h"

#define N model_JOINTS

int main(void) {
  model_real q[N], v[N], p[N], a[N], tau[N], M[N * N], a_q[N * N], a_v[N * N];
  model_real u[model_INPUTS + 1], a_u[N * model_INPUTS + 1], size = 0;
  for (int i = 0; i < N; ++i) q[i] = (model_real)(i + 1) / 3, v[i] = (model_real)(1 - i) / 2;
  for (int i = 0; i <= model_INPUTS; ++i) u[i] = (model_real)1 / 10;
  for (int k = 0; k < 20; ++k) {
    model_mass(q, M);
    if (model_acceleration(q, v, u, a)) return 1;
    if (model_acceleration_jacobians(q, v, u, a, a_q, a_v, a_u)) return 2;
    model_inverse_dynamics(q, v, a, tau);
    if (model_rk4_step((model_real)0.01, u, q, v)) return 3;
#ifdef model_CONTACTS
    if (model_contact_step((model_real)0.01, u, q, v)) return 6;
#endif
    model_momentum(q, v, p);
    if (model_variational_step((model_real)0.01, u, q, p, v)) return 4;
    size += model_potential(q) + model_energy(q, v) + (model_real)model_inside(q, v, u);
  }
  return size == size ? 0 : 5;
}
