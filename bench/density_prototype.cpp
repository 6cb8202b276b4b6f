// A plain private Neal 5 with one imputed value, as one would write it from [BFR24, algorithm 1] in an afternoon: what `sotto density`
// has to be as fast as. Same model as its normal kernel: normals truncated to the domain, N(middle, 10 variance) x IG(3, 2 (width / 16)^2),
// concentration 1, Laplace noise. Prints the number of clusters after every kept draw, and the processor time on standard error.
//     density_prototype z.csv lower upper epsilon warmup draws thin seed
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <random>
#include <string>
#include <vector>

namespace {

std::mt19937_64 rng;
double lower, upper;

double uniform() { return std::uniform_real_distribution<double>()(rng); }
double normal() { return std::normal_distribution<double>()(rng); }

struct Atom {
  double mean, sd;
  double inside() const {
    const auto below = [&](double y) { return std::erfc((mean - y) / sd / std::sqrt(2.0)) / 2; };
    return below(upper) - below(lower);
  }
  double draw() const {  // by rejection; uniform proposals where the normal is hardly ever inside
    for (int attempt = 0; attempt < 1000; ++attempt) {
      const double y = mean + sd * normal();
      if (y >= lower && y <= upper) return y;
    }
    return mean < lower ? lower : upper;
  }
};

Atom draw_atom(double mean, double precision, double shape, double rate) {
  const double variance = rate / std::gamma_distribution<double>(shape)(rng);
  return {mean + std::sqrt(variance / precision) * normal(), std::sqrt(variance)};
}

struct Chain {
  std::vector<double> z, y;
  std::vector<int> cluster;  // of each datum
  std::vector<int> size;     // of each cluster; 0: free
  std::vector<Atom> atom;
  double scale;

  double middle() const { return (lower + upper) / 2; }
  double rate() const { return 2 * std::pow((upper - lower) / 16, 2); }
  Atom from_base() const { return draw_atom(middle(), 0.1, 3, rate()); }

  void update_datum(std::size_t i) {
    // A cluster from the Chinese restaurant without i, with concentration 1.
    double at = uniform() * static_cast<double>(z.size());
    std::size_t slot = 0;
    for (; slot < size.size(); ++slot)
      if ((at -= size[slot] - (cluster[i] == static_cast<int>(slot))) < 0) break;
    const bool is_new = slot == size.size();
    const Atom candidate = is_new ? from_base() : atom[slot];
    const double value = candidate.draw();
    if (std::log(uniform()) * scale >= std::abs(z[i] - y[i]) - std::abs(z[i] - value)) return;
    y[i] = value;
    --size[static_cast<std::size_t>(cluster[i])];
    if (is_new) {
      for (slot = 0; slot < size.size() && size[slot] > 0;) ++slot;
      if (slot == size.size()) {
        size.push_back(0);
        atom.push_back(candidate);
      }
      atom[slot] = candidate;
    }
    ++size[slot];
    cluster[i] = static_cast<int>(slot);
  }

  void update_atoms() {
    std::vector<double> sum(size.size()), squares(size.size());
    for (std::size_t i = 0; i < y.size(); ++i) {
      const auto c = static_cast<std::size_t>(cluster[i]);
      sum[c] += y[i] - middle();
      squares[c] += (y[i] - middle()) * (y[i] - middle());
    }
    for (std::size_t c = 0; c < size.size(); ++c) {
      if (size[c] == 0) continue;
      const double n = size[c];
      const double b = rate() + (squares[c] - sum[c] * sum[c] / (n + 0.1)) / 2;
      const Atom fresh = draw_atom(middle() + sum[c] / (n + 0.1), n + 0.1, 3 + n / 2, b);
      if (std::log(uniform()) < n * std::log(atom[c].inside() / fresh.inside())) atom[c] = fresh;
    }
  }

  void sweep() {
    for (std::size_t i = 0; i < z.size(); ++i) update_datum(i);
    update_atoms();
  }
};

}  // namespace

int main(int count, char** words) {
  if (count != 9) return 64;
  Chain chain;
  std::ifstream file(words[1]);
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) chain.z.push_back(std::stod(line));
  lower = std::stod(words[2]);
  upper = std::stod(words[3]);
  chain.scale = (upper - lower) / std::stod(words[4]);
  const int warmup = std::atoi(words[5]), draws = std::atoi(words[6]), thin = std::atoi(words[7]);
  rng.seed(std::stoul(words[8]));
  for (const double z : chain.z) chain.y.push_back(std::fmin(std::fmax(z, lower), upper));
  chain.cluster.assign(chain.z.size(), 0);
  chain.size = {static_cast<int>(chain.z.size())};
  chain.atom = {chain.from_base()};
  chain.update_atoms();
  const std::clock_t start = std::clock();
  for (int s = 0; s < warmup; ++s) chain.sweep();
  for (int d = 0; d < draws; ++d) {
    for (int s = 0; s < thin; ++s) chain.sweep();
    int clusters = 0;
    for (const int n : chain.size) clusters += n > 0;
    std::printf("%d\n", clusters);
  }
  std::fprintf(stderr, "%.3f\n", static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
}
