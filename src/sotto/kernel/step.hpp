// One Markov step as a conversation: it runs until it needs an answer, and goes on when it has one.
#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

#include "sotto/release/query.hpp"

namespace sotto {

/// What a step tells about itself. Everything in it comes from releases and the chain's own randomness.
struct StepInfo {
  bool accepted = false;
  double acceptance = 0;   ///< the probability with which the proposal was accepted
  bool divergent = false;  ///< the proposal left the range in which bounds and densities are finite
  double step_size = 0;    ///< of the proposal
  double shares =
      0;  ///< of an even split of the budget that the proposal costs, where its length decides that
};

/// A coroutine that performs one step. Kernels write `const RatioQuery query{...}; const auto ratio =
/// co_await query;` and get an optional: empty when the positions are out of range. Who drives it
/// (chain/lockstep.hpp) sees the pending query, hands in the answer and resumes; when the budget is spent it
/// simply drops the step, so no kernel handles that case. A temporary cannot be awaited: GCC 12 destroys
/// temporaries of a co_await expression twice.
class Step {
 public:
  struct promise_type;
  using Handle = std::coroutine_handle<promise_type>;

  template <class Noisy>
  struct Awaiting {
    promise_type* promise;
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(Handle) const noexcept {}
    [[nodiscard]] std::optional<Noisy> await_resume() const {
      const auto* released = std::get_if<Released<Noisy>>(&*promise->answer);
      return released != nullptr ? std::optional<Noisy>(released->value()) : std::nullopt;
    }
  };

  struct promise_type {
    std::optional<Query> pending;
    std::optional<Answer> answer;
    StepInfo info;
    std::exception_ptr error;

    Step get_return_object() { return Step(Handle::from_promise(*this)); }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void unhandled_exception() { error = std::current_exception(); }
    void return_value(StepInfo value) { info = value; }
    template <class Noisy, class Asked>
    Awaiting<Noisy> ask(const Asked& query) {
      pending = query;
      return {this};
    }
    auto await_transform(const RatioQuery& query) { return ask<NoisyRatio>(query); }
    auto await_transform(const GradientQuery& query) { return ask<NoisyGradient>(query); }
    auto await_transform(const JointQuery& query) { return ask<NoisyJoint>(query); }
    auto await_transform(const BatchGradientQuery& query) { return ask<NoisyGradient>(query); }
    auto await_transform(const StatisticQuery& query) { return ask<NoisyStatistic>(query); }
    template <class Temporary>
    void await_transform(const Temporary&&) = delete;
  };

  Step(Step&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  Step& operator=(Step&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Step() {
    if (handle_) handle_.destroy();
  }

  /// Whether the step has ended; rethrows what it threw.
  [[nodiscard]] bool done() const {
    if (handle_.promise().error) std::rethrow_exception(handle_.promise().error);
    return handle_.done();
  }
  /// The query it waits for; only while not done.
  [[nodiscard]] const Query& pending() const { return *handle_.promise().pending; }
  /// Goes on with an answer, which must not be Refusal::budget.
  void resume(Answer answer) {
    handle_.promise().answer = std::move(answer);
    handle_.resume();
  }
  [[nodiscard]] const StepInfo& info() const { return handle_.promise().info; }

 private:
  explicit Step(Handle handle) : handle_(handle) {}
  Handle handle_;
};

}  // namespace sotto
