#include "mechfit/report/mechanism.h"

#include "mechfit/base/error.h"

namespace mechfit {

using Json = nlohmann::json;

std::optional<Json> animate(const Model& model, std::span<const double> t,
                            const std::vector<Motion>& motions) {
  const std::optional<Sketch> sketch = model.sketch();
  if (!sketch) return {};
  Json animation = {{"links", Json::array()}, {"bodies", Json::array()}, {"trail", sketch->trail}};
  for (const Sketch::Link& link : sketch->links)
    animation["links"].push_back({{"from", link.from}, {"to", link.to}, {"kind", link.kind}});
  for (const Sketch::Body& body : sketch->bodies)
    animation["bodies"].push_back({{"point", body.point}, {"kind", body.kind}});
  if (sketch->rail) animation["rail"] = 0.0;
  animation["t"] = std::vector<double>(t.begin(), t.end());
  animation["actors"] = Json::array();
  const std::size_t n = static_cast<std::size_t>(model.joints());
  for (const Motion& motion : motions) {
    MECHFIT_CHECK(motion.q.size() == t.size() * n);
    Json frames = Json::array();
    for (std::size_t k = 0; k < t.size(); ++k)
      frames.push_back(model.sketch_points(std::span(motion.q).subspan(k * n, n)));
    animation["actors"].push_back({{"name", motion.name}, {"points", std::move(frames)}});
  }
  return animation;
}

}  // namespace mechfit
