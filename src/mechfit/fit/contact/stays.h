#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "mechfit/fit/contact/cut.h"
#include "mechfit/fit/contact/part_motion.h"
#include "mechfit/mechanics/contact.h"

// Stretches of a log at the stop of a joint: a visit ends with one impact, many, or none, which
// positions alone do not tell before there is a model; or the joint lies there for a while.
namespace mechfit {

// Samples [begin, end) within reach of a contact, and those [rest, rest_end) among them that lie on
// it: the observations are constant but for their noise. rest == rest_end: none do.
struct Stay {
  int run = 0, contact = 0;
  int begin = 0, end = 0;
  int rest = 0, rest_end = 0;
};

// How far a joint moves in a log.
double joint_range(const Log& log, int joint);

// Of all stops of joints. `sigma` [n]: deviations of the observations.
std::vector<Stay> find_stays(const Log& log, const Contacts& contacts,
                             std::span<const double> sigma);

// Before there is a model: every stay is one impact, which takes all its samples, whether anything
// was seen in it or not. Impacts stay in order.
void widen_to_stays(const Log& log, const Contacts& contacts, std::span<const double> sigma,
                    std::vector<Impact>& impacts);

// With a model: stays that rest, where the stop holds the joint against the model's acceleration (a
// motion that turns just before a stop is accelerated away from it). Such a stay is one impact, the
// last one before the rest, and takes the samples up to the stay's end.
void find_rests(const Model& model, const Log& log, const Contacts& contacts,
                std::span<const double> sigma, std::vector<Impact>& impacts);

// The state at both ends of a rest: the joint at the mean of its observations with velocity 0; of
// the others next to nothing is said. Bounces too low to be seen leave the velocity unsure: one of
// speed v rises v^2 / (2 a) and lasts 2 v / a, a the acceleration that the stop holds against; it
// is lost in noise where v^2 / (3 a), the mean of its height, is below sigma / sqrt(2 v / (a h)),
//
//   v_s = (3 sigma a^1.5 sqrt(h / 2))^(2/5),   and at least a h.
PartMotion resting_motion(const Model& model, const MotionNoise& noise, const Trajectory& rest,
                          int joint);

// The rests of impacts as parts behind the others, ahead of their impacts, with their motions.
void add_rests(const Model& model, const MotionNoise& noise, const Log& log,
               const Contacts& contacts, const std::vector<Impact>& impacts, CutLog& cut,
               std::vector<PartMotion>& motions);

}  // namespace mechfit
