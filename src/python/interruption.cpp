#include "python/interruption.hpp"

#include <utility>

namespace nb = nanobind;

namespace sotto::python {

bool Interruption::came() {
  const Clock::time_point now = Clock::now();
  if (raised_ || now - last_ < std::chrono::milliseconds(50)) return raised_.has_value();
  last_ = now;
  const nb::gil_scoped_acquire lock;
  if (PyErr_CheckSignals() != 0) raised_.emplace();
  return raised_.has_value();
}

void Interruption::take(nb::python_error&& raised) {
  if (!raised_) raised_.emplace(std::move(raised));
}

void Interruption::pass_on() {
  const nb::gil_scoped_acquire lock;
  if (raised_ && !raised_->matches(PyExc_KeyboardInterrupt)) throw nb::python_error(*raised_);
  raised_.reset();
}

}  // namespace sotto::python
