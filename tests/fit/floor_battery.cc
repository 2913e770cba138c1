// Machines that hit floors, fitted from positions alone. One line a case:
//   floor_battery [--seeds N] [--first SEED] [--noise X] [--restitution E] [--friction MU]
//     [--notes] ball | thrown | chain
// ball: CD-Lagrange's, dropped from 10 m, one run of 500 steps of 0.02 s, noise 0.2 m.
// thrown: 12 balls thrown over a floor with friction, 3 s at 100 Hz.
// chain: DiffCoSim's CP3, three masses on rods above a floor that the last one reaches, 40 runs of
// 1 s at 100 Hz; states of rollouts from 100 true starts against the truth, 1 s, as it scores them.

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "mechfit/base/random.h"
#include "mechfit/fit/contact/contact_fit.h"
#include "mechfit/integrate/simulate.h"
#include "mechfit/mechanics/families/analytic/analytic.h"

namespace mechfit {
namespace {

constexpr int kFine = 10;  // inner steps of the truth

struct Options {
  std::string scene = "ball", family;
  int seeds = 1, first = 0;
  double noise = -1, restitution = -1, friction = -1;
  bool notes = false;
};

struct Scene {
  AnalyticSystem system;
  Contacts contacts;
  SimulateOptions options;
  FitOptions fit;
};

double or_else(double asked, double usual) { return asked < 0 ? usual : asked; }

Scene ball(const Options& o, bool thrown) {
  Scene scene{make_system("ball"), {}, {}, {}};
  scene.system.set_constant("g", 9.81);
  scene.contacts = {half_plane("floor", scene.system.planar_points()[0], 0, 1, thrown ? 0 : 0.01,
                               or_else(o.restitution, thrown ? 0.8 : 1),
                               or_else(o.friction, thrown ? 0.2 : 0))};
  scene.options.runs = thrown ? 12 : 1;
  scene.options.steps = thrown ? 300 : 500;
  scene.options.h = thrown ? 0.01 : 0.02;
  scene.options.q0 = {{0, 0}, {10, 10}};
  scene.options.v0 = {{0, 0}, {0, 0}};
  if (thrown) {
    scene.options.q0 = {{-0.5, 0.5}, {0.5, 1.5}};
    scene.options.v0 = {{-3, 3}, {-1, 2}};
  }
  scene.options.noise.assign(2, or_else(o.noise, thrown ? 0.01 : 0.2));
  scene.fit.family = "ball";
  return scene;
}

// Masses, lengths, radii and heights of the example CP3_ground_homo_cor1_mu0.
Scene chain(const Options& o) {
  Scene scene{make_system("chain-points", 3), {}, {}, {}};
  const double m[] = {0.2, 0.13, 0.15}, l[] = {0.35, 0.4, 0.35}, radius[] = {0.15, 0.08, 0.1};
  scene.fit.family = "chain-points";
  for (int i = 0; i < 3; ++i) {
    const std::string number = std::to_string(i + 1);
    scene.system.set_constant("m" + number, m[i]);
    scene.system.set_constant("l" + number, l[i]);
    scene.fit.fix["l" + number] = l[i];
  }
  scene.system.set_constant("g", 9.81);
  scene.fit.fix["m1"] = m[0];  // no input fixes the scale: ratios mean something
  const auto points = scene.system.planar_points();
  for (int i = 0; i < 3; ++i)
    scene.contacts.push_back(half_plane("floor", points[i + 1], 0, 1, -1 + radius[i],
                                        or_else(o.restitution, 1), or_else(o.friction, 0)));
  scene.options.runs = 40;
  scene.options.steps = 100;
  scene.options.h = 0.01;
  scene.options.noise.assign(3, or_else(o.noise, 0.001));
  return scene;
}

// The chain's starts: angles uniform up to 3.14, speeds normal, all masses above the floor.
std::vector<double> chain_start(const Scene& scene, Random& random) {
  for (;;) {
    std::vector<double> x(6);
    for (int j = 0; j < 3; ++j) x[j] = random.uniform(0, 3.14);
    for (int j = 3; j < 6; ++j) x[j] = random.normal();
    bool free = true;
    for (const Contact& contact : scene.contacts)
      free = free && contact.gap(std::span(x).first(3)) >= 0;
    if (free) return x;
  }
}

// Runs of one simulation each, where their starts are not uniform.
Simulation make_log(const Scene& scene, std::uint64_t seed, int runs, bool noise,
                    ThreadPool& pool) {
  SimulateOptions options = scene.options;
  options.substeps = kFine;
  options.integrator = Integrator::rk4;
  options.contacts = scene.contacts;
  options.seed = seed;
  if (!noise) options.noise.clear();
  const Channels channels = system_channels(scene.system);
  if (scene.system.name() != "chain-points") {
    options.runs = runs;
    return simulate(Model(scene.system), channels, options, pool);
  }
  Random random(seed);
  Simulation all;
  options.runs = 1;
  for (int r = 0; r < runs; ++r) {
    const std::vector<double> x = chain_start(scene, random);
    options.q0.clear();
    options.v0.clear();
    for (int j = 0; j < 3; ++j) options.q0.push_back({x[j], x[j]});
    for (int j = 3; j < 6; ++j) options.v0.push_back({x[j], x[j]});
    options.seed = 1000 * (seed + 1) + r;
    Simulation one = simulate(Model(scene.system), channels, options, pool);
    all.observed.channels = all.truth.channels = one.observed.channels;
    one.observed.runs[0].name = one.truth.runs[0].name = "run " + std::to_string(r);
    all.observed.runs.push_back(one.observed.runs[0]);
    all.truth.runs.push_back(one.truth.runs[0]);
    all.events.push_back(one.events[0]);
  }
  return all;
}

// x, y of each mass and their velocities.
std::vector<double> cartesian(const std::vector<PlanarPoint>& points, std::span<const double> q,
                              std::span<const double> v) {
  std::vector<double> out, gradient(q.size());
  for (std::size_t p = 1; p < points.size(); ++p)
    for (const std::array<double, 2> d : {std::array{1.0, 0.0}, std::array{0.0, 1.0}}) {
      out.push_back(position_along(points[p], d, q, gradient));
      double speed = 0;
      for (std::size_t j = 0; j < q.size(); ++j) speed += gradient[j] * v[j];
      out.push_back(speed);
    }
  return out;
}

// Mean over steps and runs of |x' - x| / sqrt(|x'|^2 + |x|^2), x the Cartesian state.
double relative_error(const Scene& scene, const Model& model, const Contacts& contacts,
                      const Simulation& fresh, ThreadPool& pool) {
  const auto points = scene.system.planar_points();
  const std::size_t n = model.joints();
  double sum = 0;
  int count = 0;
  for (const Trajectory& run : fresh.truth.runs) {
    RolloutRequest request;
    request.trajectories = 1;
    request.steps = run.size() - 1;
    request.q0 = std::span(run.q).first(n);
    request.v0 = std::span(run.qd).first(n);
    request.h = std::span(&scene.options.h, 1);
    request.substeps = kFine;
    request.contacts = contacts;
    const Rollout out = roll_out(model, request, Integrator::rk4, pool);
    for (int k = 0; k < run.size(); ++k, ++count) {
      const auto row = [&](const auto& x) { return std::span<const double>(x).subspan(k * n, n); };
      const auto truth = cartesian(points, row(run.q), row(run.qd));
      const auto ours = cartesian(points, row(out.q), row(out.v));
      double miss = 0, size = 0;
      for (std::size_t i = 0; i < truth.size(); ++i) {
        miss += std::pow(ours[i] - truth[i], 2);
        size += std::pow(ours[i], 2) + std::pow(truth[i], 2);
      }
      sum += std::isfinite(miss) ? std::sqrt(miss / size) : 1;
    }
  }
  return sum / count;
}

std::string contact_line(const Contact& own, const Contact& truth) {
  const auto miss = [](double x, double true_x, double error) {
    return fmt::format("{:+.5f} ({:+.1f} se)", x - true_x, (x - true_x) / std::max(error, 1e-12));
  };
  std::string line = fmt::format(" {}: psi {} e {}", own.name,
                                 miss(own.position, truth.position, own.position_error),
                                 miss(own.restitution, truth.restitution, own.restitution_error));
  if (own.friction > 0 || truth.friction > 0)
    line += fmt::format(" mu {}", miss(own.friction, truth.friction, own.friction_error));
  return line;
}

void run_case(const Options& o, int seed, ThreadPool& pool) {
  const bool is_chain = o.scene == "chain";
  const Scene scene = is_chain ? chain(o) : ball(o, o.scene == "thrown");
  const Simulation log = make_log(scene, seed, scene.options.runs, true, pool);
  FitOptions options = scene.fit;
  if (!o.family.empty()) {
    options.family = o.family;
    options.fix.clear();
  }
  options.quick = true;
  options.contacts = ContactOption::automatic;
  const FitResult found = fit(log.observed, std::nullopt, options, pool);
  std::size_t impacts = 0;
  for (const auto& own : log.events) impacts += own.size();
  std::string line =
      fmt::format("{} seed {}: impacts {} of {}", o.scene, seed, found.impacts.size(), impacts);
  for (const Contact& contact : found.contacts)
    line += contact_line(contact, is_chain ? scene.contacts[2] : scene.contacts[0]);
  if (found.contacts.size() != 1) line += fmt::format(" {} CONTACTS", found.contacts.size());
  if (is_chain) {
    if (const auto* system = found.model.as<AnalyticSystem>())
      line += fmt::format(" | m2/m1 {:.4f} m3/m1 {:.4f} g {:.4f}",
                          system->constant("m2") / system->constant("m1"),
                          system->constant("m3") / system->constant("m1"), system->constant("g"));
    const Simulation fresh = make_log(scene, 5000 + seed, 100, false, pool);
    line += fmt::format(" | relative error {:.2e}",
                        relative_error(scene, found.model, found.contacts, fresh, pool));
  }
  fmt::print("{}\n", line);
  if (o.notes)
    for (const auto& note : found.notes) fmt::print("  {}\n", note);
  std::fflush(stdout);
}

}  // namespace
}  // namespace mechfit

int main(int argc, char** argv) {
  using namespace mechfit;
  Options o;
  for (int k = 1; k < argc; ++k) {
    const std::string word = argv[k];
    const auto value = [&] { return std::string(k + 1 < argc ? argv[++k] : ""); };
    if (word == "--family")
      o.family = value();
    else if (word == "--seeds")
      o.seeds = std::atoi(value().c_str());
    else if (word == "--first")
      o.first = std::atoi(value().c_str());
    else if (word == "--notes")
      o.notes = true;
    else if (word == "--noise")
      o.noise = std::atof(value().c_str());
    else if (word == "--restitution")
      o.restitution = std::atof(value().c_str());
    else if (word == "--friction")
      o.friction = std::atof(value().c_str());
    else
      o.scene = word;
  }
  ThreadPool pool(1);
  for (int seed = o.first; seed < o.first + o.seeds; ++seed) run_case(o, seed, pool);
  return 0;
}
