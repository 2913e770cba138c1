#pragma once

#include <string>
#include <vector>

#include "mechfit/log/log.h"

namespace mechfit {

// A clock that ticks evenly, for samples that were taken evenly and stamped late and unevenly:
// sample k is that of tick m_k, at phase + period m_k. Whole numbers m_k and the steps between them
// are those of least cost (Viterbi), which
//
//   |t_k - phase - period m_k| / jitter       keeps close to the stamps,
//   |q_k - q_{k-1} - v period (m_k - m_{k-1})|^2 / 2 sigma^2      fits the motion, joint by joint,
//
// and has a price for each step that is not one tick: m_k = m_{k-1} is a value that was read again,
// larger steps are ticks that were missed.
struct EvenClock {
  double period = 0, phase = 0;  // [s]
  double jitter = 0;             // median distance of the stamps from their ticks [s]
  std::vector<long> ticks;       // [T], never falling
  long repeated = 0, missed = 0;
};
EvenClock find_even_clock(const Trajectory& run, int n);

// The samples of a run at the ticks of an even clock; of those at one tick the first.
Trajectory on_clock(const Trajectory& run, const EvenClock& clock);

// All runs on even clocks of their own; `notes` tell how far the stamps were off and what became of
// the noise. InputError where stamps go back farther than jitter explains.
void reclock(Log& log, std::vector<std::string>& notes);

// Whether stamps jitter: on an even clock the motion of some joint is less noisy by half, and that
// of none is noisier. Long runs are judged by their middle.
struct JitterCheck {
  bool found = false;
  int joint = 0;                         // that gains most
  double period = 0, jitter = 0;         // [s], of the first run
  double noise = 0, noise_on_clock = 0;  // of that joint
};
JitterCheck check_jitter(const Log& log);

}  // namespace mechfit
