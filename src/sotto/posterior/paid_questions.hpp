// Asks queries against one cost, share by share.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "sotto/base/numbers.hpp"
#include "sotto/release/query.hpp"

namespace sotto {

class PaidQuestions {
 public:
  /// `go_on` is asked before every question. Errors: budget if the interface does not cover the cost: nothing has been spent then.
  PaidQuestions(QueryInterface& interface, Rho cost, std::function<bool()> go_on = {});

  [[nodiscard]] double left() const { return 1 - spent_; }
  [[nodiscard]] double rho() const { return cost_.value(); }
  /// Standard deviation of the noise of a query of this sensitivity for this share of the cost.
  [[nodiscard]] double noise_sd(double sensitivity, double share) const;
  /// The cost of a share, which counts as spent from now on.
  [[nodiscard]] Rho pay(double share);

  /// Asks whether to go on. Errors: interrupted.
  void wanted() const;

  /// One pass over the rows for all queries. Errors: budget, configuration; interrupted if it is not to go on.
  [[nodiscard]] std::vector<Answer> ask(std::span<const Query> queries);

  template <class Noisy>
  [[nodiscard]] Noisy ask(Query query) {
    std::vector<Answer> answers = ask(std::span<const Query>(&query, 1));
    return take<Noisy>(answers[0]);
  }
  /// Without an answer where noise or position is too large for the grid of releases. Errors: budget; interrupted.
  template <class Noisy>
  [[nodiscard]] std::optional<Noisy> ask_if_on_grid(Query query) {
    std::vector<Answer> answers = answer(std::span<const Query>(&query, 1));
    if (std::holds_alternative<QueryStatus>(answers[0])) return std::nullopt;
    return take<Noisy>(answers[0]);
  }
  /// The sum over rows that answers a question about means over units' rows, where `rows` are an average unit's; of one row it is the
  /// answer itself.
  template <class Noisy>
  [[nodiscard]] Noisy ask_of_rows(Query query, double rows) {
    return over_rows(ask<Noisy>(std::move(query)), rows);
  }
  template <class Noisy>
  [[nodiscard]] static Noisy over_rows(Noisy mean, double rows) {
    mean.value *= rows;
    mean.variance *= rows * rows;
    return mean;
  }
  template <class Noisy>
  [[nodiscard]] static Noisy take(Answer& answer) {
    return std::get<Released<Noisy>>(std::move(answer)).value();
  }

 private:
  /// Errors: budget; interrupted.
  [[nodiscard]] std::vector<Answer> answer(std::span<const Query> queries);

  QueryInterface* interface_;
  Rho cost_;
  std::function<bool()> go_on_;
  double spent_ = 0;
};

}  // namespace sotto
