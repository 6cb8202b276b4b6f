// Whatever is written after `sotto account`: an answer, or one line that says what to change. Never a crash, a hang, an
// internal error, or a lower bound above the upper one.
#include <gtest/gtest.h>

#include <random>

#include "cli/account_in_process.hpp"

namespace sotto {
namespace {

class Writer {
 public:
  explicit Writer(std::uint64_t seed) : rng_(seed) {}

  std::vector<std::string> arguments() {
    std::vector<std::string> list{"--json"};
    const std::size_t question = below(8);
    const std::size_t mechanisms = question < 7 && below(4) == 0 ? 2 + below(2) : 1;
    for (std::size_t i = 0; i < mechanisms; ++i) {
      list.emplace_back("--mechanism");
      list.push_back(below(3) == 0 ? mangled(spec()) : spec());
    }
    if (question < 4 || question == 7) add(list, "--delta", delta());
    if (question >= 4 && question != 7) add(list, "--epsilon", pick(values_));
    if (question == 7) {
      add(list, "--epsilon", pick({"0.5", "3", "100"}));
      add(list, "--solve", pick({"sigma", "count"}));
    }
    if (below(2) == 0) add(list, "--adjacency", pick({"substitute", "add-remove"}));
    if (below(3) == 0) add(list, "--bound", pick({"tight", "rdp", "zcdp", "advanced"}));
    return list;
  }

 private:
  std::size_t below(std::size_t n) { return rng_() % n; }
  std::string pick(const std::vector<std::string>& list) { return list[below(list.size())]; }
  static void add(std::vector<std::string>& list, const char* key, std::string value) {
    list.emplace_back(key);
    list.push_back(std::move(value));
  }

  std::string real(double least, double most) {
    const double u = std::uniform_real_distribution(std::log(least), std::log(most))(rng_);
    char text[32];
    std::snprintf(text, sizeof text, "%.3g", std::exp(u));
    return text;
  }
  std::string value(double least, double most) { return below(6) == 0 ? pick(values_) : real(least, most); }
  std::string count() {
    return below(5) == 0 ? pick(values_) : std::to_string(1 + below(below(4) == 0 ? 100000 : 50));
  }
  std::string delta() { return below(5) == 0 ? pick(values_) : real(1e-30, 1); }

  std::string spec() {
    std::string text;
    switch (below(9)) {
      case 0:
        text = "gaussian:sigma=" + value(0.1, 100);
        break;
      case 1:
        text = "discrete-gaussian:sigma=" + value(0.1, 30) + ",grid=" + count() + ",dim=" + count();
        break;
      case 2:
      case 3:
        text = "subsampled-gaussian:sigma=" + value(0.3, 30) + ",rate=" + value(1e-6, 1) +
               pick({"", "", ",sampling=poisson", ",sampling=without-replacement"});
        break;
      case 4:
        text = "laplace:scale=" + value(0.1, 100);
        break;
      case 5:
        text = "subsampled-laplace:scale=" + value(0.1, 100) + ",rate=" + value(1e-6, 1);
        break;
      case 6:
        text = "randomized-response:probability=" + value(1e-3, 1) + ",levels=" + count();
        break;
      case 7:
        text = "pure:epsilon=" + value(1e-3, 10);
        break;
      default:
        switch (below(3)) {
          case 0:
            text = "dp-barker:rows=" + count() + ",batch=" + count();
            break;
          case 1:
            text = "variance-completed-barker:rows=" + count() + ",batch=" + count() +
                   ",bound=" + value(1e-6, 1);
            break;
          default:
            text = "subsampled-penalty:tau=" + value(0.1, 10) + ",rate=" + value(1e-3, 1);
        }
    }
    if (below(2) == 0) text += ",count=" + count();
    return text;
  }

  std::string mangled(std::string text) {
    for (std::size_t edits = 1 + below(3); edits > 0 && !text.empty(); --edits) {
      const std::size_t at = below(text.size());
      switch (below(4)) {
        case 0:
          text.erase(at, 1 + below(4));
          break;
        case 1:
          text.insert(at, std::string(1, static_cast<char>(1 + below(255))));
          break;
        case 2:
          text[at] = pick({",", "=", ":", "e", "-", "9", "0", "\n", "\x7f"})[0];
          break;
        default:
          text.insert(at, text.substr(at / 2, 12));
      }
    }
    return text;
  }

  const std::vector<std::string> values_{"0",
                                         "-0",
                                         "1",
                                         "2",
                                         "0.5",
                                         "1e18",
                                         "1e300",
                                         "1e-300",
                                         "1e-18",
                                         "1e9",
                                         "5e-324",
                                         "1e400",
                                         "nan",
                                         "inf",
                                         "-1",
                                         "",
                                         "1e15",
                                         "9007199254740991",
                                         "0.999999999999",
                                         "1000000",
                                         "18446744073709551615",
                                         "1e100",
                                         "1e-100",
                                         "0x10",
                                         "1,5",
                                         "700"};
  std::mt19937_64 rng_;
};

/// Forty-two seeds, so that no test is long.
class AccountFuzz : public testing::TestWithParam<std::uint64_t> {};

TEST_P(AccountFuzz, answers_or_says_what_to_change) {
#ifdef NDEBUG
  constexpr int cases = 60;
  constexpr int least = 10;  // answered: 11 to 23 with these seeds
#else
  constexpr int cases = 15;  // sanitizers are slow
  constexpr int least = 1;
#endif
  constexpr double longest = 120;  // seconds of processor time: nothing may hang
  Writer writer(20250117 + GetParam());
  int answered = 0;
  for (int i = 0; i < cases; ++i) {
    const std::vector<std::string> arguments = writer.arguments();
    std::string line;
    for (const std::string& a : arguments) line += a + " ";
    SCOPED_TRACE(line);
    const Said said = run_account(arguments);
    EXPECT_EQ(problem(said), "");
    EXPECT_LE(said.seconds, longest);
    answered += said.status == 0 ? 1 : 0;
    if (std::getenv("SOTTO_FUZZ_TIMES") != nullptr && said.seconds > 1) {
      std::fprintf(stderr, "%.1f s: %s\n", said.seconds, line.c_str());
    }
    if (HasFailure()) break;
  }
  EXPECT_TRUE(HasFailure() || answered >= least);
}

INSTANTIATE_TEST_SUITE_P(Seeds, AccountFuzz, testing::Range<std::uint64_t>(0, 42));

}  // namespace
}  // namespace sotto
