// Computes the correction of the Barker test: the mixture of symmetric atoms which, with normal noise added,
// comes closest to the logistic distribution. Prints src/sotto/kernel/correction_table.cpp.
//
// Computes   min over weights w >= 0, sum w = 1, of the sup over x of
//            |sum_k w_k (Phi((x - a_k) / s) + Phi((x + a_k) / s)) / 2 - F(x)|
//            over atoms a_k and points x on a grid, as a linear program; F is the logistic distribution function
// Source     [SPCC17] has the test, [HJDH19] a fitted normal mixture; the program is ours
// Checked by tests/kernel/barker_test.cpp: table_has_the_errors_it_states
#include <algorithm>
#include <boost/math/special_functions/erf.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <cstdio>
#include <vector>

namespace {

using Real = boost::multiprecision::cpp_bin_float_quad;
constexpr double kReach = 32;  // 1 - F is below 1.3e-14 there
constexpr double kAtomStep = 0.1;
constexpr double kPointStep = 0.1;

// min c y subject to A y <= b, y >= 0, with c >= 0, by the dual simplex method on a dense tableau.
class DualSimplex {
 public:
  DualSimplex(std::vector<std::vector<Real>> a, std::vector<Real> b, std::vector<Real> c)
      : a_(std::move(a)), b_(std::move(b)), c_(std::move(c)), basic_(b_.size()), free_(c_.size()) {
    for (std::size_t j = 0; j < free_.size(); ++j) free_[j] = j;
    for (std::size_t i = 0; i < basic_.size(); ++i) basic_[i] = free_.size() + i;
  }

  // The solution y, without the slacks.
  std::vector<Real> solve() {
    while (true) {
      const auto row = static_cast<std::size_t>(std::min_element(b_.begin(), b_.end()) - b_.begin());
      if (b_[row] > Real(-1e-24)) break;
      std::size_t column = c_.size();
      Real least = 0;
      for (std::size_t j = 0; j < c_.size(); ++j) {
        if (a_[row][j] > Real(-1e-24)) continue;
        const Real ratio = c_[j] / -a_[row][j];
        if (column == c_.size() || ratio < least) {
          least = ratio;
          column = j;
        }
      }
      if (column == c_.size()) break;  // infeasible: cannot happen here
      pivot(row, column);
    }
    std::vector<Real> y(c_.size(), 0);
    for (std::size_t i = 0; i < basic_.size(); ++i) {
      if (basic_[i] < y.size()) y[basic_[i]] = b_[i];
    }
    return y;
  }

 private:
  void pivot(std::size_t row, std::size_t column) {
    const Real inverse = 1 / a_[row][column];
    for (Real& entry : a_[row]) entry *= inverse;
    b_[row] *= inverse;
    a_[row][column] = inverse;
    for (std::size_t i = 0; i < a_.size(); ++i) {
      if (i == row || a_[i][column] == 0) continue;
      const Real factor = a_[i][column];
      for (std::size_t j = 0; j < c_.size(); ++j) a_[i][j] -= factor * a_[row][j];
      a_[i][column] = -factor * inverse;
      b_[i] -= factor * b_[row];
    }
    const Real factor = c_[column];
    for (std::size_t j = 0; j < c_.size(); ++j) c_[j] -= factor * a_[row][j];
    c_[column] = -factor * inverse;
    std::swap(basic_[row], free_[column]);
  }

  std::vector<std::vector<Real>> a_;
  std::vector<Real> b_, c_;
  std::vector<std::size_t> basic_, free_;
};

// (Phi((x - a) / s) + Phi((x + a) / s)) / 2 - 1/2: odd in x.
Real smoothed_atom(const Real& x, const Real& atom, const Real& spread) {
  const Real scale = spread * sqrt(Real(2));
  return (boost::math::erf(Real((x - atom) / scale)) + boost::math::erf(Real((x + atom) / scale))) / 4;
}

// Largest difference of the distribution functions over [0, 60] in steps of 0.001, three digits, rounded up.
double sup_error(double variance, const std::vector<Real>& weights) {
  const double scale = std::sqrt(2 * variance);
  double worst = 0;
  for (int i = 0; i <= 60000; ++i) {
    const double x = i * 1e-3;
    double tail = 0;
    for (std::size_t k = 0; k < weights.size(); ++k) {
      const double atom = kAtomStep * static_cast<double>(k);
      tail += static_cast<double>(weights[k]) *
              (std::erfc((x - atom) / scale) + std::erfc((x + atom) / scale)) / 4;
    }
    worst = std::max(worst, std::abs(tail - 1 / (1 + std::exp(x))));
  }
  const double digit = std::pow(10, std::floor(std::log10(worst)) - 2);
  return std::ceil(worst * 1.003 / digit) * digit;
}

void solve_for(double variance) {
  const Real spread = sqrt(Real(variance));
  const auto atoms = static_cast<std::size_t>(kReach / kAtomStep);
  const auto points = static_cast<std::size_t>(kReach / kPointStep);
  // Unknowns: weights of atoms 1 .. atoms, and the error. Atom 0, at zero, takes the rest of the mass.
  std::vector<std::vector<Real>> a;
  std::vector<Real> b;
  for (std::size_t i = 1; i <= points; ++i) {
    const Real x = Real(kPointStep) * i;
    const Real at_zero = smoothed_atom(x, 0, spread);
    const Real wanted = 1 / (1 + exp(-x)) - Real(0.5) - at_zero;
    std::vector<Real> above(atoms + 1);
    for (std::size_t k = 1; k <= atoms; ++k)
      above[k - 1] = smoothed_atom(x, Real(kAtomStep) * k, spread) - at_zero;
    std::vector<Real> below = above;
    for (Real& entry : below) entry = -entry;
    above[atoms] = below[atoms] = -1;
    a.push_back(above);
    b.push_back(wanted);
    a.push_back(below);
    b.push_back(-wanted);
  }
  a.emplace_back(atoms + 1, 1);
  a.back()[atoms] = 0;
  b.emplace_back(1);
  std::vector<Real> c(atoms + 1, 0);
  for (std::size_t k = 0; k < atoms; ++k) c[k] = Real(1e-22) * ((k * 7919) % 101 + 1);  // breaks ties
  c[atoms] = 1;
  const std::vector<Real> y = DualSimplex(a, b, c).solve();
  std::vector<Real> weights(atoms + 1, 1);
  for (std::size_t k = 1; k <= atoms; ++k) {
    weights[k] = y[k - 1];
    weights[0] -= weights[k];
  }
  std::printf("    {%.17g, %.3g, {{0, %.17g}", variance, sup_error(variance, weights),
              static_cast<double>(weights[0]));
  for (std::size_t k = 1; k <= atoms; ++k) {
    if (weights[k] > Real(1e-18))
      std::printf(", {%.17g, %.17g}", kAtomStep * static_cast<double>(k), static_cast<double>(weights[k]));
  }
  std::printf("}},\n");
  std::fflush(stdout);
}

}  // namespace

int main() {
  std::puts("// Made by tools/correction_table.cpp: do not edit.");
  std::puts("#include \"sotto/kernel/correction.hpp\"\n\nnamespace sotto {\n");
  std::puts(
      "// {noise variance, sup-error, rounded up, {{atom, weight}, ...}}: half of a weight sits at minus the "
      "atom.");
  std::puts("const std::vector<Correction::Entry>& Correction::table() {");
  std::puts("  static const std::vector<Entry> entries = {");
  for (const double variance : {0.5, 1.0, 1.5, 1.75, 2.0, 2.5}) solve_for(variance);
  std::puts("  };\n  return entries;\n}\n\n}  // namespace sotto");
}
