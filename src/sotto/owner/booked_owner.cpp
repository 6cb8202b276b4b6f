#include "sotto/owner/booked_owner.hpp"

#include <algorithm>

namespace sotto {
namespace {

std::vector<Charge> charges_of(const Measurements& measurements) {
  std::vector<Charge> charges;
  for (const Measurement& part : measurements.parts) charges.push_back(part.charge);
  return charges;
}

}  // namespace

/// All parts or none.
std::optional<QueryStatus> BookedOwner::book(const Query& query) const {
  const auto measurements = measure_(query);
  if (!measurements) return QueryStatus::out_of_range;
  const std::vector<Charge> charges = charges_of(*measurements);
  const std::vector<bool> granted = ledger_->grants(charges);
  if (std::find(granted.begin(), granted.end(), false) != granted.end()) return QueryStatus::budget;
  for (const Charge& charge : charges) {
    if (!ledger_->spend(charge)) return QueryStatus::budget;
  }
  return std::nullopt;
}

std::vector<Answer> BookedOwner::answer(std::span<const Query> queries) {
  std::vector<Answer> answers(queries.size(), QueryStatus::budget);
  std::vector<Query> paid;
  std::vector<std::size_t> places;
  for (std::size_t q = 0; q < queries.size(); ++q) {
    if (const auto refused = book(queries[q])) {
      answers[q] = *refused;
    } else {
      paid.push_back(queries[q]);
      places.push_back(q);
    }
  }
  if (paid.empty()) return answers;
  std::vector<Answer> given = owner_->answer(paid);
  for (std::size_t i = 0; i < given.size(); ++i) answers[places[i]] = std::move(given[i]);
  return answers;
}

std::vector<std::optional<QueryStatus>> BookedOwner::refusals(std::span<const Query> queries) const {
  std::vector<std::optional<QueryStatus>> refusals = owner_->refusals(queries);
  std::vector<Charge> charges;
  std::vector<std::size_t> of;
  for (std::size_t q = 0; q < queries.size(); ++q) {
    const auto measurements = measure_(queries[q]);
    if (!measurements) {
      refusals[q] = QueryStatus::out_of_range;
      continue;
    }
    for (Charge& charge : charges_of(*measurements)) {
      charges.push_back(std::move(charge));
      of.push_back(q);
    }
  }
  const std::vector<bool> granted = ledger_->grants(charges);
  for (std::size_t i = 0; i < granted.size(); ++i) {
    if (!granted[i] && !refusals[of[i]]) refusals[of[i]] = QueryStatus::budget;
  }
  return refusals;
}

Rho BookedOwner::left() const { return std::min(ledger_->left(), owner_->left()); }

}  // namespace sotto
