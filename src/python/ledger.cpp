#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "python/bindings.hpp"
#include "sotto_io/charge_journal.hpp"

namespace nb = nanobind;

namespace sotto::python {
namespace {

/// The runs of these records of charges, one file after the other, and what they promise together to the unit of the last;
/// null: no figure.
std::string ledger(const std::vector<std::string>& files) {
  std::vector<RecordedRun> runs;
  for (const std::string& file : files) {
    for (RecordedRun& run : read_charge_record(file)) runs.push_back(std::move(run));
  }
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const RecordedRun& run : runs)
    all.push_back({{"opened", run.opened}, {"booked", run.booked}, {"closed", run.closed}});
  const EarlierRuns together = promised_together(runs);
  return nlohmann::ordered_json({{"runs", all}, {"epsilon", together.epsilon}, {"delta", together.delta}})
      .dump();
}

}  // namespace

void add_ledger(nb::module_& module) { module.def("ledger", &ledger); }

}  // namespace sotto::python
