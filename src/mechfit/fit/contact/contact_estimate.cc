#include "mechfit/fit/contact/contact_estimate.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <map>

#include "mechfit/base/constants.h"
#include "mechfit/base/error.h"
#include "mechfit/base/median.h"
#include "mechfit/fit/contact/contact_friction.h"
#include "mechfit/fit/contact/impact_residual.h"
#include "mechfit/fit/contact/stays.h"

namespace mechfit {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int kIterations = 30;
// Times, in steps, positions and restitutions have settled.
constexpr double kSettled = 1e-9;
// Of a chi-squared number of as many degrees of freedom as an impact has equations: what chance
// exceeds once in some 10^3 impacts.
double most_misfit(int equations) { return equations + 5 * std::sqrt(2.0 * equations); }
// Impacts of a chain whose ends are taken as one vector: dense algebra of five numbers each.
constexpr int kChain = 40;
// Rounds in which impacts are left out, and which of them: those with so much of the worst misfit.
constexpr int kRounds = 15;
constexpr double kWorst = 0.3;

struct Event {
  int impact, contact;
  int behind, ahead;  // parts
  double time = 0, sd = kNan;
  bool fits = true;
  MatrixXd by_doubt;  // dc/deta where the states stay [2n+1][eta]; empty: to be made
};

// Impacts that follow each other without a part missing between them.
struct Chain {
  std::vector<Event*> events;
  std::vector<int> parts;  // one more than events
  VectorXd z, shift;       // their ends' states as estimated, and the change from there [parts][4n]
  MatrixXd P;              // covariance
  MatrixXd by_doubt;       // dz/deta
  MatrixXd whitened_time;  // of the last round
};

class Estimator {
 public:
  Estimator(const Model& model, const Log& log, const Contacts& contacts,
            const std::vector<Impact>& impacts, const CutLog& cut,
            const std::vector<PartMotion>& motions, const ModelDoubt& doubt)
      : log_(log),
        impacts_(impacts),
        cut_(cut),
        motions_(motions),
        dynamics_(model),
        n_(model.joints()),
        contacts_(contacts),
        eta_(VectorXd::Zero(doubt.size())) {
    for (const Model& along : doubt.along) doubted_.emplace_back(along);
    for (std::size_t i = 0; i < impacts.size(); ++i) {
      const int behind = cut.behind[i], ahead = cut.ahead[i];
      if (behind < 0 || ahead < 0 || !motions[behind].ok || !motions[ahead].ok) continue;
      events_.push_back({static_cast<int>(i),
                         impacts[i].contact,
                         behind,
                         ahead,
                         impacts[i].time,
                         kNan,
                         true,
                         {}});
    }
  }

  ContactEstimate run() {
    // Impacts that do not fit are left out, the worst first: what is none moves the contact, and
    // then those that are do not fit either.
    for (int round = 0; round < kRounds; ++round) {
      make_chains();
      settle();
      std::vector<double> misfits;
      for (const Event& event : events_)
        if (event.fits) misfits.push_back(misfit_of(event));
      if (misfits.empty()) break;
      // Where the model is not exact all fit less well.
      const double most = most_misfit(2 * n_ + 1) * std::max(1.0, median(misfits) / (2 * n_));
      const double worst = *std::max_element(misfits.begin(), misfits.end());
      if (!(worst > most)) break;
      for (Event& event : events_)
        if (misfit_of(event) > std::max(most, kWorst * worst)) event.fits = false;
    }
    return result();
  }

 private:
  void make_chains() {
    chains_.clear();
    for (Event& event : events_) {
      if (!event.fits) continue;
      if (chains_.empty() || chains_.back().parts.back() != event.behind ||
          static_cast<int>(chains_.back().events.size()) == kChain)
        chains_.push_back({{}, {event.behind}, {}, {}, {}, {}, {}});
      chains_.back().events.push_back(&event);
      chains_.back().parts.push_back(event.ahead);
    }
    const int width = 4 * n_;
    for (Chain& chain : chains_) {
      const int size = static_cast<int>(chain.parts.size()) * width;
      chain.z.resize(size);
      chain.shift = VectorXd::Zero(size);
      chain.P = MatrixXd::Zero(size, size);
      chain.by_doubt.resize(size, eta_.size());
      for (std::size_t k = 0; k < chain.parts.size(); ++k) {
        const PartMotion& motion = motions_[chain.parts[k]];
        chain.z.segment(static_cast<int>(k) * width, width) = motion.ends;
        chain.P.block(static_cast<int>(k) * width, static_cast<int>(k) * width, width, width) =
            motion.covariance;
        chain.by_doubt.middleRows(static_cast<int>(k) * width, width) = motion.by_doubt;
      }
    }
  }

  std::optional<ImpactResidual> residual(PointDynamics& dynamics, const Event& event,
                                         const VectorXd& before, const VectorXd& behind) {
    const CutLog::Part &a = cut_.parts[event.behind], &b = cut_.parts[event.ahead];
    const Trajectory& run = log_.runs[a.run];
    const std::size_t m = log_.m();
    ImpactStates states{
        before, behind, run.t[a.end - 1], run.t[b.begin], {}, {}, impacts_[event.impact].rests()};
    if (m > 0) {
      states.u_before = std::span(run.u).subspan((a.end - 1) * m, m);
      states.u_behind = std::span(run.u).subspan(std::max(0, b.begin - 1) * m, m);
    }
    const double step = run.t[a.end - 1] - run.t[a.end - 2];
    return impact_residual(dynamics, contacts_[event.contact], states, event.time, step);
  }

  double near(const Event& event, double time) const {
    const CutLog::Part &a = cut_.parts[event.behind], &b = cut_.parts[event.ahead];
    const Trajectory& run = log_.runs[a.run];
    return std::clamp(time, run.t[std::max(0, a.end - kShortestPiece)],
                      run.t[std::min(run.size(), b.begin + kShortestPiece) - 1]);
  }

  // dc/deta where the states stay.
  MatrixXd change_of(const Event& event, const VectorXd& before, const VectorXd& behind,
                     const VectorXd& c) {
    MatrixXd out = MatrixXd::Zero(c.size(), eta_.size());
    for (int k = 0; k < eta_.size(); ++k)
      if (const auto moved = residual(doubted_[k], event, before, behind))
        out.col(k) = (moved->c - c) / ModelDoubt::step;
    return out;
  }

  // One round over all chains; the largest change, relative to what matters. False: no numbers.
  bool iterate(double& change) {
    const int width = 4 * n_, rows = 2 * n_ + 1, places = 3 * static_cast<int>(contacts_.size());
    const int doubts = static_cast<int>(eta_.size()), unknowns = places + doubts;
    MatrixXd S = MatrixXd::Zero(unknowns, unknowns);
    VectorXd g = VectorXd::Zero(unknowns);
    S.diagonal().tail(doubts).setOnes();
    std::vector<MatrixXd> G_of, C_of;
    std::vector<VectorXd> R_of;
    std::vector<MatrixXd> D_of, E_of;
    for (Chain& chain : chains_) {
      const int count = static_cast<int>(chain.events.size()), size = count * rows;
      MatrixXd G = MatrixXd::Zero(size, chain.z.size()), D = MatrixXd::Zero(size, count);
      MatrixXd E = MatrixXd::Zero(size, unknowns);
      VectorXd R(size);
      const VectorXd moved = chain.shift + chain.by_doubt * eta_, z = chain.z + moved;
      for (int k = 0; k < count; ++k) {
        Event& event = *chain.events[k];
        // A part's ends: its first state, then its last one.
        const int end = k * width + 2 * n_, begin = (k + 1) * width;
        const VectorXd before = z.segment(end, 2 * n_), behind = z.segment(begin, 2 * n_);
        const auto c = residual(dynamics_, event, before, behind);
        if (!c) return false;
        if (event.by_doubt.rows() != rows || event.by_doubt.cols() != doubts)
          event.by_doubt = change_of(event, before, behind, c->c);
        R.segment(k * rows, rows) = c->c;
        G.block(k * rows, end, rows, 2 * n_) = c->before;
        G.block(k * rows, begin, rows, 2 * n_) = c->behind;
        D.block(k * rows, k, rows, 1) = c->time;
        E.block(k * rows, 2 * event.contact, rows, 1) = c->position;
        E.block(k * rows, 2 * event.contact + 1, rows, 1) = c->restitution;
        E.block(k * rows, friction_at(event.contact), rows, 1) = c->friction;
        E.block(k * rows, places, rows, doubts) = event.by_doubt;
      }
      R -= G * moved;
      E.rightCols(doubts) += G * chain.by_doubt;
      MatrixXd C = G * chain.P * G.transpose();
      C.diagonal() += VectorXd::Constant(size, 1e-18);
      const Eigen::LLT<MatrixXd> factor(C);
      if (factor.info() != Eigen::Success) return false;
      const MatrixXd WD = factor.matrixL().solve(D), WE = factor.matrixL().solve(E);
      const VectorXd WR = factor.matrixL().solve(R);
      const Eigen::LLT<MatrixXd> times(WD.transpose() * WD);
      const MatrixXd between = WD.transpose() * WE;
      S += WE.transpose() * WE - between.transpose() * times.solve(between);
      g += WE.transpose() * WR - between.transpose() * times.solve(WD.transpose() * WR);
      chain.whitened_time = WD;
      G_of.push_back(G);
      C_of.push_back(C);
      R_of.push_back(R);
      D_of.push_back(D);
      E_of.push_back(E);
    }
    // Contacts without impacts stay as they are.
    for (int k = 0; k < places; ++k)
      if (!(S(k, k) > 0)) S(k, k) = 1;
    const Eigen::LDLT<MatrixXd> solver(S);
    const VectorXd step = -solver.solve(g);
    if (!step.allFinite()) return false;
    information_ = S;
    eta_ = step.tail(doubts);
    change = 0;
    misfit_ = eta_.squaredNorm();
    for (std::size_t c = 0; c < chains_.size(); ++c) {
      Chain& chain = chains_[c];
      const Eigen::LLT<MatrixXd> factor(C_of[c]);
      const MatrixXd& WD = chain.whitened_time;
      const Eigen::LLT<MatrixXd> times(WD.transpose() * WD);
      const VectorXd left = R_of[c] + E_of[c] * step;
      const VectorXd tau = -times.solve(WD.transpose() * factor.matrixL().solve(left));
      const VectorXd rest = left + D_of[c] * tau;
      chain.shift = -chain.P * (G_of[c].transpose() * factor.solve(rest));
      misfit_ += rest.dot(factor.solve(rest));
      const MatrixXd lever = times.solve(WD.transpose() * factor.matrixL().solve(E_of[c]));
      const MatrixXd spread = times.solve(MatrixXd::Identity(WD.cols(), WD.cols())) +
                              lever * solver.solve(lever.transpose());
      for (std::size_t k = 0; k < chain.events.size(); ++k) {
        Event& event = *chain.events[k];
        // Far from where it was looked for it is another one, or none.
        const double time = event.time, wanted = time + tau[static_cast<int>(k)];
        event.time = near(event, wanted);
        event.sd = std::sqrt(spread(static_cast<int>(k), static_cast<int>(k)));
        const int from = static_cast<int>(k) * rows;
        const MatrixXd own = C_of[c].block(from, from, rows, rows);
        const VectorXd miss = rest.segment(from, rows);
        own_misfit_[&event] = event.time == wanted ? miss.dot(own.llt().solve(miss)) : kInfinity;
        change = std::max(change, std::fabs(event.time - time) / kTimeUnit);
      }
    }
    for (std::size_t k = 0; k < contacts_.size(); ++k) {
      const int at = static_cast<int>(2 * k);
      contacts_[k].position += step[at];
      // Restitution is kept near its range, so that the map stays one of impacts.
      contacts_[k].restitution = std::clamp(contacts_[k].restitution + step[at + 1], -0.5, 1.5);
      change = std::max({change, std::fabs(step[at]), std::fabs(step[at + 1])});
      // Friction that is looked for stays above 0, however wrong it was at first.
      double& mu = contacts_[k].friction;
      const double next = std::max(mu / 4, mu + step[friction_at(static_cast<int>(k))]);
      if (mu > 0) change = std::max(change, std::fabs(next - mu));
      if (mu > 0) mu = next;
    }
    return true;
  }

  void settle() {
    double change = 0;
    for (int k = 0; k < kIterations; ++k) {
      if (!iterate(change)) {
        for (Event& event : events_) event.fits = false;
        information_.resize(0, 0);
        return;
      }
      if (change < kSettled) return;
    }
  }

  int friction_at(int contact) const { return 2 * static_cast<int>(contacts_.size()) + contact; }

  double misfit_of(const Event& event) const {
    const auto found = own_misfit_.find(&event);
    return found == own_misfit_.end() ? kInfinity : found->second;
  }

  ContactEstimate result() {
    ContactEstimate out;
    const int places = 3 * static_cast<int>(contacts_.size());
    out.contacts = contacts_;
    out.times.assign(impacts_.size(), kNan);
    out.time_sd = out.times;
    out.fits.assign(impacts_.size(), 0);
    out.used.assign(contacts_.size(), 0);
    int equations = 0;
    for (const Event& event : events_) {
      out.times[event.impact] = event.time;
      out.time_sd[event.impact] = event.sd;
      out.fits[event.impact] = event.fits;
      out.used[event.contact] += event.fits;
      // Of a rest the joint's own, less its time.
      equations += event.fits ? (impacts_[event.impact].rests() ? 2 : 2 * n_) : 0;
      const double most = most_misfit(2 * n_ + 1);
      out.total += event.fits ? std::min(misfit_of(event), most) : most;
    }
    const auto rough = std::count_if(contacts_.begin(), contacts_.end(),
                                     [](const Contact& contact) { return contact.friction > 0; });
    const int freedom =
        equations - 2 * static_cast<int>(contacts_.size()) - static_cast<int>(rough);
    out.misfit = freedom > 0 ? misfit_ / freedom : kNan;
    const double growth = std::sqrt(std::max(1.0, std::isfinite(out.misfit) ? out.misfit : 1.0));
    MatrixXd covariance = MatrixXd::Zero(places, places);
    if (const auto all = information_.rows(); all >= places)
      covariance = information_.ldlt().solve(MatrixXd::Identity(all, all));
    for (std::size_t k = 0; k < contacts_.size(); ++k) {
      const int at = static_cast<int>(2 * k);
      Contact& contact = out.contacts[k];
      contact.restitution = std::clamp(contact.restitution, 0.0, 1.0);
      contact.position_error = growth * std::sqrt(std::max(0.0, covariance(at, at)));
      contact.restitution_error = growth * std::sqrt(std::max(0.0, covariance(at + 1, at + 1)));
      const int mu = friction_at(static_cast<int>(k));
      contact.friction_error =
          contact.friction > 0 ? growth * std::sqrt(std::max(0.0, covariance(mu, mu))) : 0;
    }
    return out;
  }

  static constexpr double kTimeUnit = 1e-2;  // [s], of the typical step

  const Log& log_;
  const std::vector<Impact>& impacts_;
  const CutLog& cut_;
  const std::vector<PartMotion>& motions_;
  PointDynamics dynamics_;
  int n_;
  Contacts contacts_;
  std::vector<PointDynamics> doubted_;  // along each eta
  VectorXd eta_;
  std::vector<Event> events_;
  std::vector<Chain> chains_;
  std::map<const Event*, double> own_misfit_;
  MatrixXd information_;
  double misfit_ = 0;
};

}  // namespace

ContactEstimate estimate_contacts(const Model& model, const MotionNoise& noise, const Log& log,
                                  const Contacts& contacts, const std::vector<Impact>& impacts,
                                  const CutLog& cut, ThreadPool& pool,
                                  std::span<const double> covariance) {
  const ModelDoubt doubt = model_doubt(model, covariance);
  std::vector<PartMotion> motions = part_motions(model, noise, cut.log, pool, doubt);
  CutLog all = cut;
  add_rests(model, noise, log, contacts, impacts, all, motions);
  for (PartMotion& motion : motions)
    if (motion.by_doubt.size() == 0)
      motion.by_doubt = MatrixXd::Zero(motion.ends.size(), doubt.size());
  const auto estimate = [&](const Contacts& start) {
    return Estimator(model, log, start, impacts, all, motions, doubt).run();
  };
  return estimate_friction(model, contacts, impacts, all, motions, estimate);
}

}  // namespace mechfit
