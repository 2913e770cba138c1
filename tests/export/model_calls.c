/* The functions of an exported model as symbols of a shared library. */
#include "model.h"

void call_mass(const model_real* q, model_real* M) { model_mass(q, M); }
model_real call_potential(const model_real* q) { return model_potential(q); }
model_real call_energy(const model_real* q, const model_real* v) { return model_energy(q, v); }
void call_momentum(const model_real* q, const model_real* v, model_real* p) {
  model_momentum(q, v, p);
}
int call_acceleration(const model_real* q, const model_real* v, const model_real* u,
                      model_real* a) {
  return model_acceleration(q, v, u, a);
}
void call_inverse_dynamics(const model_real* q, const model_real* v, const model_real* a,
                           model_real* tau) {
  model_inverse_dynamics(q, v, a, tau);
}
int call_acceleration_jacobians(const model_real* q, const model_real* v, const model_real* u,
                                model_real* a, model_real* a_q, model_real* a_v,
                                model_real* a_u) {
  return model_acceleration_jacobians(q, v, u, a, a_q, a_v, a_u);
}
int call_rk4_step(model_real h, const model_real* u, model_real* q, model_real* v) {
  return model_rk4_step(h, u, q, v);
}
int call_variational_step(model_real h, const model_real* u, model_real* q, model_real* p,
                          model_real* v) {
  return model_variational_step(h, u, q, p, v);
}
int call_inside(const model_real* q, const model_real* v, const model_real* u) {
  return model_inside(q, v, u);
}
#ifdef model_CONTACTS
model_real call_gap(int contact, const model_real* q, model_real* J) {
  return model_gap(contact, q, J);
}
int call_impact(int contact, model_real e, const model_real* q, model_real* v) {
  return model_impact(contact, e, q, v);
}
int call_contact_step(model_real h, const model_real* u, model_real* q, model_real* v) {
  return model_contact_step(h, u, q, v);
}
#endif
