#include "sotto/math/fourier.hpp"

#include <fftw3.h>

#include <cmath>
#include <limits>
#include <mutex>

#include "sotto/base/error.hpp"

namespace sotto {
namespace {

// Planning is the one part of FFTW that is not safe under threads.
std::mutex planner;

class Plan {
 public:
  explicit Plan(fftw_plan plan) : plan_(plan) {
    if (plan_ == nullptr) throw Error(ErrorCode::internal, "no plan for a Fourier transform of this size");
  }
  ~Plan() {
    const std::lock_guard lock(planner);
    fftw_destroy_plan(plan_);
  }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
  void run() const { fftw_execute(plan_); }

 private:
  fftw_plan plan_;
};

fftw_complex* as_fftw(std::vector<std::complex<double>>& v) {
  return reinterpret_cast<fftw_complex*>(v.data());
}

}  // namespace

std::vector<std::complex<double>> real_to_complex(std::span<const double> data) {
  std::vector<std::complex<double>> half(data.size() / 2 + 1);
  const auto make = [&] {
    const std::lock_guard lock(planner);
    return fftw_plan_dft_r2c_1d(static_cast<int>(data.size()), const_cast<double*>(data.data()),
                                as_fftw(half), FFTW_ESTIMATE | FFTW_PRESERVE_INPUT);
  };
  const Plan plan(make());
  plan.run();
  return half;
}

std::vector<double> complex_to_real(std::vector<std::complex<double>>& half, std::size_t n) {
  std::vector<double> data(n);
  const auto make = [&] {
    const std::lock_guard lock(planner);
    return fftw_plan_dft_c2r_1d(static_cast<int>(n), as_fftw(half), data.data(),
                                FFTW_ESTIMATE | FFTW_DESTROY_INPUT);
  };
  const Plan plan(make());
  plan.run();
  const double scale = 1 / static_cast<double>(n);
  for (double& x : data) x *= scale;
  return data;
}

double fourier_error(std::size_t n) {
  return 12 * std::numeric_limits<double>::epsilon() / 2 * std::log2(static_cast<double>(n));
}

}  // namespace sotto
