#include "mechfit/mechanics/families/families.h"

#include "mechfit/base/error.h"
#include "mechfit/mechanics/families/analytic/analytic.h"
#include "mechfit/mechanics/families/arm/arm.h"
#include "mechfit/mechanics/families/residual/residual.h"
#include "mechfit/mechanics/families/smm/smm.h"
#include "mechfit/mechanics/families/trig/trig.h"

namespace mechfit {
namespace {

std::vector<Family>& list() {
  static std::vector<Family> families = {
      family_of<AnalyticSystem>(), family_of<Arm>(), family_of<Trig>(), family_of<Smm>(),
      family_of<Residual>(),
  };
  return families;
}

}  // namespace

const std::vector<Family>& families() { return list(); }

void add_family(Family family) {
  for (const Family& known : list())
    MECHFIT_CHECK(known.name != family.name, "there is a family of this name already");
  list().push_back(std::move(family));
}

const Family& find_family(const std::string& option) {
  std::string valid = "auto";
  for (const Family& family : list()) {
    if (family.known_as(option)) return family;
    if (family.known_as(family.name)) valid += ", " + family.name;
  }
  for (const SystemInfo& system : list_systems()) valid += ", " + system.name;
  throw InputError("unknown family '" + option + "', expected one of " + valid);
}

}  // namespace mechfit
