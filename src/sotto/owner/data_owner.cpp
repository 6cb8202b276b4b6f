#include "sotto/owner/data_owner.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "sotto/measurement/all_rows.hpp"

namespace sotto {

DataOwner::DataOwner(Rows rows, AnyModel model, PrivacyUnit unit, ExecutionOptions options, Ledger& ledger,
                     EntropySource& entropy)
    : DataOwner(std::move(rows), measure_all_rows({std::move(model), unit, options.likelihood_power}),
                options.threads, ledger, entropy, std::make_unique<DiscreteGaussianMechanism>(entropy)) {}

DataOwner::DataOwner(Measure measure, Ledger& ledger, EntropySource& entropy)
    : DataOwner(Rows(0, 1), std::move(measure), 1, ledger, entropy,
                std::make_unique<DiscreteGaussianMechanism>(entropy)) {}

DataOwner::DataOwner(Rows rows, Measure measure, int threads, Ledger& ledger, EntropySource& entropy,
                     std::unique_ptr<NoiseMechanism> mechanism)
    : rows_(std::move(rows)),
      measure_(std::move(measure)),
      threads_(threads),
      ledger_(&ledger),
      entropy_(&entropy),
      mechanism_(std::move(mechanism)) {}

std::vector<Answer> DataOwner::answer(std::span<const Query> queries) {
  // Price: from the questions and public bounds.
  std::vector<Asked> asked(queries.size());
  std::vector<Answer> answers(queries.size(), QueryStatus::out_of_range);
  for (std::size_t q = 0; q < queries.size(); ++q) asked[q].measurements = measure_(queries[q]);

  // Book: every charge is on the ledger before a row is read.
  for (std::size_t q = 0; q < queries.size(); ++q) {
    if (asked[q].measurements && !pay(asked[q])) {
      asked[q].measurements.reset();
      answers[q] = QueryStatus::budget;
    }
  }

  // Read, add noise, release.
  read_rows_once(asked);
  read_in_own_ways(asked);
  for (std::size_t q = 0; q < queries.size(); ++q) {
    if (asked[q].measurements) answers[q] = asked[q].measurements->join(std::move(asked[q].answers));
  }
  return answers;
}

/// Which of these questions could be paid for now, in this order.
std::vector<bool> DataOwner::affordable(const std::vector<std::optional<Measurements>>& asked) const {
  std::vector<Charge> charges;
  std::vector<std::size_t> of;
  std::map<PrecomposedBudget*, std::size_t> taken;
  std::vector<bool> granted(asked.size(), true);
  for (std::size_t q = 0; q < asked.size(); ++q) {
    if (!asked[q]) continue;
    for (const Measurement& part : asked[q]->parts) {
      if (part.precomposed == nullptr) {
        charges.push_back(part.charge);
        of.push_back(q);
      } else if (taken[part.precomposed] < part.precomposed->left()) {
        ++taken[part.precomposed];
      } else {
        granted[q] = false;
      }
    }
  }
  const std::vector<bool> booked = ledger_->grants(charges);
  for (std::size_t i = 0; i < booked.size(); ++i) {
    if (!booked[i]) granted[of[i]] = false;
  }
  return granted;
}

/// All parts or none. Should the ledger, shared with another run, grant only the first, that charge is lost.
bool DataOwner::pay(Asked& asked) const {
  if (asked.measurements->parts.size() > 1 && !affordable({asked.measurements})[0]) return false;
  for (const Measurement& part : asked.measurements->parts) {
    auto receipt = part.precomposed != nullptr ? part.precomposed->take() : ledger_->spend(part.charge);
    if (!receipt) return false;
    asked.receipts.push_back(std::move(*receipt));
  }
  asked.answers.resize(asked.receipts.size());
  return true;
}

/// One pass over the rows for everything that is a sum over them. Noise is drawn for the first parts of all
/// questions, then for the second ones.
void DataOwner::read_rows_once(std::vector<Asked>& asked) {
  struct Summand {
    Asked* question;
    std::size_t part, from;
    const RowPass* pass;
  };
  std::vector<Summand> summands;
  std::size_t entries = 0;
  std::size_t most_parts = 0;
  for (const Asked& question : asked) {
    if (question.measurements) most_parts = std::max(most_parts, question.measurements->parts.size());
  }
  for (std::size_t part = 0; part < most_parts; ++part) {
    for (Asked& question : asked) {
      if (!question.measurements || part >= question.measurements->parts.size()) continue;
      const auto* pass = std::get_if<RowPass>(&question.measurements->parts[part].pass);
      if (pass == nullptr) continue;
      summands.push_back({&question, part, entries, pass});
      entries += pass->entries;
    }
  }
  if (summands.empty()) return;
  const ExactSum sum = sum_tiles(rows_.tiles(), kLongestRun, entries, threads_,
                                 [&](std::size_t first, std::size_t count, std::span<std::int64_t> sums) {
                                   for (const Summand& s : summands) {
                                     for (std::size_t done = 0; done < count; done += s.pass->run) {
                                       s.pass->add(rows_, first + done, std::min(s.pass->run, count - done),
                                                   sums.subspan(s.from, s.pass->entries));
                                     }
                                   }
                                 });
  for (const Summand& s : summands) {
    s.question->answers[s.part] = s.question->measurements->parts[s.part].release(
        *mechanism_, std::move(s.question->receipts[s.part]), sum.part(s.from, s.pass->entries));
  }
}

void DataOwner::read_in_own_ways(std::vector<Asked>& asked) {
  for (Asked& question : asked) {
    if (!question.measurements) continue;
    for (std::size_t part = 0; part < question.measurements->parts.size(); ++part) {
      const Measurement& measurement = question.measurements->parts[part];
      if (const auto* pass = std::get_if<OwnPass>(&measurement.pass)) {
        question.answers[part] =
            measurement.release(*mechanism_, std::move(question.receipts[part]), (*pass)(rows_, *entropy_));
      }
    }
  }
}

std::vector<std::optional<QueryStatus>> DataOwner::refusals(std::span<const Query> queries) const {
  std::vector<std::optional<Measurements>> asked;
  for (const Query& query : queries) asked.push_back(measure_(query));
  const std::vector<bool> granted = affordable(asked);
  std::vector<std::optional<QueryStatus>> refusals(queries.size());
  for (std::size_t q = 0; q < queries.size(); ++q) {
    if (!asked[q])
      refusals[q] = QueryStatus::out_of_range;
    else if (!granted[q])
      refusals[q] = QueryStatus::budget;
  }
  return refusals;
}

}  // namespace sotto
