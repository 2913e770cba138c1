// Inverse dynamics of a model: which inputs move the machine with a wanted acceleration?
//   03_inverse_dynamics [model.safetensors]
// Without a model file the example makes one: a cart-pole, as a fit would have left it.
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "mechfit/mechfit.h"

int main(int argc, char** argv) {
  using namespace mechfit;
  std::string path = "cart_pole.safetensors";
  if (argc > 1) {
    path = argv[1];
  } else {
    const AnalyticSystem cart_pole = make_system("cart-pole");
    const Channels channels{
        cart_pole.joint_names(), cart_pole.joint_types(), {"m", "rad"}, cart_pole.input_names()};
    save_model(path, {Model(cart_pole), channels, {{"method", "by hand"}}}, /*overwrite=*/true);
  }

  const ModelRecord record = load_model(path);
  PointDynamics dynamics(record.model);
  const std::size_t n = record.model.joints(), m = record.model.inputs();
  const std::vector<double> q(n, 0.3), v(n, -0.5), u(m, 2.0);

  // Forward: the acceleration that the inputs u cause here.
  std::vector<double> a(n), tau(n), tau_free(n), a_free(n);
  if (!dynamics.acceleration(q, v, u, a) || !dynamics.acceleration(q, v, {}, a_free)) {
    std::fprintf(stderr, "the mass matrix is not positive definite here\n");
    return 1;
  }
  // Back: the generalized forces that this acceleration needs, tau = B u; none without inputs.
  dynamics.inverse_dynamics(q, v, a, tau);
  dynamics.inverse_dynamics(q, v, a_free, tau_free);
  double left = 0;
  for (std::size_t i = 0; i < n; ++i) {
    std::printf("%-8s a = %10.5f   needs tau = %10.5f\n", record.channels.joints[i].c_str(), a[i],
                tau[i]);
    left = std::fmax(left, std::fabs(tau_free[i]));
  }
  std::printf("free motion needs %.1e\n", left);
  return left < 1e-9 ? 0 : 1;
}
