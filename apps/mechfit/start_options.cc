#include "start_options.h"

#include "choice.h"

namespace mechfit {

void add_start_options(CLI::App& app, StartKind& start, int& window) {
  app.add_option(
         "--start", start,
         "States that rollouts start from; estimated: by smoothing the samples up to the start "
         "with the model, none after it; logged: the log's q and qd" +
             by_default(start))
      ->transform(choice<StartKind>())
      ->type_name(choices<StartKind>());
  app.add_option("--window", window,
                 "Samples that an estimated start rests on; a run shorter than two windows gives "
                 "its first half")
      ->check(CLI::Range(5, 1000000))
      ->capture_default_str()
      ->type_name("N");
}

}  // namespace mechfit
