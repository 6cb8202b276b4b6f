// A model whose type the owner does not know: erased once per run of tiles, never inside the loop over rows.
#pragma once

#include <memory>
#include <span>
#include <utility>

#include "sotto/model/model.hpp"

namespace sotto {

/// Holds any Model by value; copies share it. `as<M>()` finds out whether it is an M, for queries that only
/// some models answer.
class AnyModel {
 public:
  template <Model M>
  AnyModel(M model) : held_(std::make_shared<Held<M>>(std::move(model))) {}  // NOLINT: converts on purpose

  [[nodiscard]] Eigen::Index dim() const { return held_->dim(); }
  [[nodiscard]] Interval ratio_range(const Position& from, const Position& to) const {
    return held_->ratio_range(from, to);
  }
  [[nodiscard]] VectorBound gradient_bound(const Position& at, const Position& scale) const {
    return held_->gradient_bound(at, scale);
  }
  void add_ratios(const Rows& rows, std::size_t first, std::size_t count, std::span<const RatioTask> tasks,
                  double scale, std::span<std::int64_t> sums) const {
    held_->add_ratios(rows, first, count, tasks, scale, sums);
  }
  void add_gradients(const Rows& rows, std::size_t first, std::size_t count,
                     std::span<const GradientTask> tasks, std::span<std::int64_t> sums) const {
    held_->add_gradients(rows, first, count, tasks, sums);
  }

  /// Whether a row's numbers may follow from its place among the others, last bits for instance: a batch then leaves it there.
  [[nodiscard]] bool keeps_places() const { return held_->keeps_places(); }

  /// The model if it is an M, else null.
  template <class M>
  [[nodiscard]] const M* as() const {
    const auto* held = dynamic_cast<const Held<M>*>(held_.get());
    return held != nullptr ? &held->model : nullptr;
  }

 private:
  struct Interface {
    virtual ~Interface() = default;
    [[nodiscard]] virtual Eigen::Index dim() const = 0;
    [[nodiscard]] virtual Interval ratio_range(const Position& from, const Position& to) const = 0;
    [[nodiscard]] virtual VectorBound gradient_bound(const Position& at, const Position& scale) const = 0;
    virtual void add_ratios(const Rows& rows, std::size_t first, std::size_t count,
                            std::span<const RatioTask> tasks, double scale,
                            std::span<std::int64_t> sums) const = 0;
    virtual void add_gradients(const Rows& rows, std::size_t first, std::size_t count,
                               std::span<const GradientTask> tasks, std::span<std::int64_t> sums) const = 0;
    [[nodiscard]] virtual bool keeps_places() const = 0;
  };
  template <class M>
  struct Held final : Interface {
    explicit Held(M m) : model(std::move(m)) {}
    [[nodiscard]] Eigen::Index dim() const override { return model.dim(); }
    [[nodiscard]] Interval ratio_range(const Position& from, const Position& to) const override {
      return model.ratio_range(from, to);
    }
    [[nodiscard]] VectorBound gradient_bound(const Position& at, const Position& scale) const override {
      return model.gradient_bound(at, scale);
    }
    void add_ratios(const Rows& rows, std::size_t first, std::size_t count, std::span<const RatioTask> tasks,
                    double scale, std::span<std::int64_t> sums) const override {
      model.add_ratios(rows, first, count, tasks, scale, sums);
    }
    void add_gradients(const Rows& rows, std::size_t first, std::size_t count,
                       std::span<const GradientTask> tasks, std::span<std::int64_t> sums) const override {
      model.add_gradients(rows, first, count, tasks, sums);
    }
    [[nodiscard]] bool keeps_places() const override {
      if constexpr (requires { model.keeps_places(); }) return model.keeps_places();
      return false;
    }
    M model;
  };

  std::shared_ptr<const Interface> held_;
};

static_assert(Model<AnyModel>);

}  // namespace sotto
