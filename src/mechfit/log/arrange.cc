#include "mechfit/log/arrange.h"

#include <algorithm>

namespace mechfit {
namespace {

using Order = std::vector<std::size_t>;

// Where each wanted name stands; empty where nothing is to be done, or nothing can be.
Order order_of(const std::vector<std::string>& wanted, const std::vector<std::string>& found) {
  if (wanted == found || wanted.size() != found.size()) return {};
  Order order;
  for (const auto& name : wanted) {
    const auto at = std::find(found.begin(), found.end(), name);
    if (at == found.end()) return {};
    order.push_back(static_cast<std::size_t>(at - found.begin()));
  }
  return std::is_permutation(wanted.begin(), wanted.end(), found.begin()) ? order : Order();
}

template <class T>
void arrange(std::vector<T>& values, const Order& order) {
  const std::vector<T> before = values;
  const std::size_t n = order.size();
  for (std::size_t k = 0; k + n <= values.size(); k += n)
    for (std::size_t i = 0; i < n; ++i) values[k + i] = before[k + order[i]];
}

}  // namespace

void arrange_as(const Channels& channels, Log& log) {
  Channels& own = log.channels;
  if (const Order order = order_of(channels.joints, own.joints); !order.empty()) {
    arrange(own.joints, order);
    arrange(own.joint_types, order);
    arrange(own.units, order);
    for (Trajectory& run : log.runs)
      for (auto* values : {&run.q, &run.qd, &run.qdd, &run.q_sd, &run.qd_sd, &run.qdd_sd})
        arrange(*values, order);
  }
  if (const Order order = order_of(channels.inputs, own.inputs); !order.empty()) {
    arrange(own.inputs, order);
    for (Trajectory& run : log.runs) arrange(run.u, order);
  }
}

}  // namespace mechfit
