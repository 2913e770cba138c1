// The only file that sees MPI.
#include "spread.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "commands.h"

#ifdef MECHFIT_WITH_MPI
#include <mpi.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>
#endif

namespace mechfit {
namespace {

int number_in(const char* variable) {
  const char* text = std::getenv(variable);
  return text ? std::atoi(text) : 0;
}

// How many processes the launcher of this one says it started.
int launched_processes() {
  int count = 1;
  for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"})
    count = std::max(count, number_in(variable));
  return count;
}

}  // namespace

#ifdef MECHFIT_WITH_MPI

namespace {

constexpr int kDeliver = 1, kHandOut = 2;  // tags

// Waiting in MPI burns a core; a cell takes seconds, so a nap does no harm.
void nap() { std::this_thread::sleep_for(std::chrono::milliseconds(2)); }

std::string pack(const Delivery& delivery) {
  std::string bytes(sizeof(int) * 2 + sizeof(double), '\0');
  const int numbers[2] = {delivery.cell, delivery.failed ? 1 : 0};
  std::memcpy(bytes.data(), numbers, sizeof numbers);
  std::memcpy(bytes.data() + sizeof numbers, &delivery.seconds, sizeof(double));
  return bytes + delivery.text;
}

Delivery unpack(const std::string& bytes) {
  int numbers[2];
  Delivery delivery;
  std::memcpy(numbers, bytes.data(), sizeof numbers);
  std::memcpy(&delivery.seconds, bytes.data() + sizeof numbers, sizeof(double));
  delivery.cell = numbers[0];
  delivery.failed = numbers[1] != 0;
  delivery.text = bytes.substr(sizeof numbers + sizeof(double));
  return delivery;
}

// One worker elsewhere asks: takes what it brings, answers with its next cell. False when nobody
// was waiting.
bool serve_one(CellQueue& queue, int& workers) {
  int waiting = 0, size = 0, cell = 0;
  MPI_Status status;
  MPI_Iprobe(MPI_ANY_SOURCE, kDeliver, MPI_COMM_WORLD, &waiting, &status);
  if (!waiting) return false;
  MPI_Get_count(&status, MPI_BYTE, &size);
  std::string bytes(static_cast<std::size_t>(size), '\0');
  MPI_Recv(bytes.data(), size, MPI_BYTE, status.MPI_SOURCE, kDeliver, MPI_COMM_WORLD,
           MPI_STATUS_IGNORE);
  cell = queue.exchange(unpack(bytes));
  MPI_Send(&cell, 1, MPI_INT, status.MPI_SOURCE, kHandOut, MPI_COMM_WORLD);
  if (cell < 0) --workers;
  return true;
}

int ask_leader(const Delivery& delivery) {
  const std::string bytes = pack(delivery);
  int cell = -1, answered = 0;
  MPI_Request request;
  MPI_Irecv(&cell, 1, MPI_INT, 0, kHandOut, MPI_COMM_WORLD, &request);
  MPI_Send(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, 0, kDeliver, MPI_COMM_WORLD);
  for (;;) {
    MPI_Test(&request, &answered, MPI_STATUS_IGNORE);
    if (answered) return cell;
    nap();
  }
}

}  // namespace

Processes::Processes() {
  const int expected = launched_processes();
  if (expected == 1 && std::getenv("PMIX_RANK") == nullptr) return;
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
  if (provided < MPI_THREAD_SERIALIZED)
    throw UsageError("this MPI does not allow threads (MPI_THREAD_SERIALIZED)");
  if (size_ != expected && expected > 1)
    throw UsageError("the launcher started " + std::to_string(expected) + " processes, MPI sees " +
                     std::to_string(size_) + "; with Slurm try srun --mpi=pmix");
}

Processes::~Processes() {
  int initialised = 0;
  MPI_Initialized(&initialised);
  if (initialised) MPI_Finalize();
}

void Processes::guard(const std::function<void()>& f) const {
  if (size_ == 1) return f();
  try {
    f();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "mechfit: %s\n", e.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

// By broadcasts where there is more than the ints of one call can count.
void Processes::exchange(std::span<double> values, std::span<const long> begins) {
  constexpr long kMost = 1L << 28;
  if (begins[size_] < kMost) {
    std::vector<int> counts, places;
    for (int rank = 0; rank < size_; ++rank) {
      counts.push_back(static_cast<int>(begins[rank + 1] - begins[rank]));
      places.push_back(static_cast<int>(begins[rank]));
    }
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DOUBLE, values.data(), counts.data(), places.data(),
                   MPI_DOUBLE, MPI_COMM_WORLD);
    return;
  }
  for (int rank = 0; rank < size_; ++rank)
    for (long first = begins[rank]; first < begins[rank + 1]; first += kMost)
      MPI_Bcast(values.data() + first, static_cast<int>(std::min(kMost, begins[rank + 1] - first)),
                MPI_DOUBLE, rank, MPI_COMM_WORLD);
}

bool Processes::any(bool mine) {
  if (size_ == 1) return mine;
  int own = mine ? 1 : 0, all = 0;
  MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return all != 0;
}

void Processes::lead(const Study& study, CellQueue& queue, int jobs) const {
  std::atomic<bool> working = true;
  std::thread own([&] {
    guard([&] {
      run_workers(study, jobs, [&](const Delivery& delivery) { return queue.exchange(delivery); });
    });
    working = false;
  });
  guard([&] {
    int workers = (size_ - 1) * jobs;
    while (working || workers > 0)
      if (workers == 0 || !serve_one(queue, workers)) nap();
  });
  own.join();
}

void Processes::follow(const Study& study, int jobs) const {
  std::mutex mutex;
  run_workers(study, jobs, [&](const Delivery& delivery) {
    const std::lock_guard lock(mutex);
    return ask_leader(delivery);
  });
}

#else

Processes::Processes() {
  if (launched_processes() > 1)
    throw UsageError("started as one of " + std::to_string(launched_processes()) +
                     " processes, but this mechfit was built without MPI (build it with "
                     "-DMECHFIT_WITH_MPI=ON)");
}

Processes::~Processes() = default;

void Processes::guard(const std::function<void()>& f) const { f(); }

void Processes::exchange(std::span<double>, std::span<const long>) {}

bool Processes::any(bool mine) { return mine; }

void Processes::lead(const Study& study, CellQueue& queue, int jobs) const {
  run_workers(study, jobs, [&](const Delivery& delivery) { return queue.exchange(delivery); });
}

void Processes::follow(const Study&, int) const {}

#endif

}  // namespace mechfit
