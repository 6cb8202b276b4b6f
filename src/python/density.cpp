#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "python/bindings.hpp"
#include "python/interruption.hpp"
#include "python/progress.hpp"
#include "python/records.hpp"
#include "sotto/base/error.hpp"
#include "sotto_io/density_directory.hpp"
#include "sotto_io/density_run.hpp"
#include "sotto_io/run_directory.hpp"

namespace nb = nanobind;

namespace sotto::python {
namespace {

/// The value of `name`, if it was given.
template <class T>
void take(const nb::dict& given, const char* name, T& member) {
  if (!given.contains(name)) return;
  if (!nb::try_cast(given[name], member))
    throw Error(ErrorCode::usage, std::string(name) + " has a wrong type, or is out of range");
}

/// By the names of its members.
DensitySettings settings_from(const nb::dict& given) {
  DensitySettings settings;
  take(given, "kernel", settings.kernel);
  take(given, "algorithm", settings.algorithm);
  take(given, "mixing", settings.mixing);
  take(given, "concentration", settings.concentration);
  std::pair<double, double> prior;
  take(given, "concentration_prior", prior);
  if (given.contains("concentration_prior"))
    settings.concentration_prior = mixture::ConcentrationPrior{prior.first, prior.second};
  take(given, "base", settings.base);
  take(given, "imputations", settings.imputations);
  take(given, "discount", settings.discount);
  take(given, "components", settings.components);
  take(given, "chains", settings.chains);
  take(given, "warmup", settings.warmup);
  take(given, "draws", settings.draws);
  take(given, "thin", settings.thin);
  take(given, "threads", settings.threads);
  take(given, "seed", settings.seed);
  take(given, "grid_points", settings.grid_points);
  take(given, "level", settings.level);
  take(given, "quantities", settings.quantities);
  if (!given.contains("warmup") && !given.contains("draws") && !given.contains("thin"))
    settings.lengthenings = kLengthenings;
  return settings;
}

/// What is estimated, and where the results go.
struct DensityCall {
  RecordReader records;
  std::optional<ChannelFile> channel;  ///< none: of confidential data
  std::vector<std::string> columns;
  Interval bounds{0, 0};
  DensitySettings settings;

  [[nodiscard]] DensityReport estimate(const SweepProgress& progress) const {
    return channel ? density_of_release(records, *channel, columns, settings, progress)
                   : density_of_confidential(records, columns, bounds, settings, progress);
  }
};

/// On a thread of its own: Python's signal handlers run on the caller's alone.
DensityReport estimate_interruptibly(const DensityCall& call, Interruption& interruption) {
  std::atomic<bool> stopped{false};
  std::atomic<double> fraction{0};
  ShownProgress line(interruption);
  std::future<DensityReport> report = std::async(std::launch::async, [&] {
    return call.estimate([&](std::size_t done, std::size_t total) {
      fraction = static_cast<double>(done) / static_cast<double>(total);
      return !stopped;
    });
  });
  while (report.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) {
    line.update("density", fraction);
    if (interruption.came()) stopped = true;
  }
  return report.get();
}

void density_to_directory(const nb::object& data, const std::optional<std::string>& channel_file,
                          std::vector<std::string> columns, double lower, double upper,
                          const nb::dict& settings, const std::vector<std::string>& inputs,
                          const std::optional<std::string>& compare,
                          const std::optional<std::string>& against, const std::string& out) {
  std::vector<std::filesystem::path> kept(inputs.begin(), inputs.end());
  if (channel_file) kept.emplace_back(*channel_file);
  if (compare) kept.push_back(partition_file(*compare));
  const DensitySettings asked = settings_from(settings);
  if (against) kept.push_back(check_other_group(asked, *against));
  check_run_directory(out, kept, false);
  const DensityCall call{records_of(data),
                         channel_file ? std::optional(read_channel_file(*channel_file)) : std::nullopt,
                         std::move(columns),
                         {lower, upper},
                         asked};
  if (compare && call.channel) check_compared(*call.channel, *compare);
  const nb::gil_scoped_release others_run;
  Interruption interruption;
  try {
    DensityReport report = estimate_interruptibly(call, interruption);
    if (compare) compare_partitions(report, *compare);
    if (against) compare_quantities(report, *against);
    write_density(out, report);
  } catch (const Error&) {
    interruption.pass_on();
    throw;
  }
  interruption.pass_on();
}

}  // namespace

void add_density(nb::module_& module) { module.def("density", &density_to_directory); }

}  // namespace sotto::python
