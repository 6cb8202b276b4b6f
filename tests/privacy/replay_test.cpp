// Neighbouring tables through the whole program: the questions that a run asked of one table are put to its neighbour, with the
// same randomness. Answers then differ by the integers that entered the mechanisms, which the declared sensitivity must cover;
// their order, number and kind must be the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "sotto/measurement/batch_gradient.hpp"
#include "sotto/measurement/batch_ratio.hpp"
#include "sotto/measurement/gradient.hpp"
#include "sotto/measurement/secret_batches.hpp"
#include "sotto/measurement/variance_completed_ratio.hpp"
#include "sotto/model/glm/glm.hpp"
#include "sotto/model/per_array.hpp"
#include "sotto/model/per_row.hpp"
#include "sotto/posterior/once_release.hpp"
#include "sotto/run/categorical_once.hpp"
#include "sotto/run/fit_config.hpp"
#include "sotto/run/location_once.hpp"
#include "sotto/run/method_choice.hpp"
#include "sotto/run/once.hpp"
#include "sotto/run/own_model.hpp"
#include "sotto/run/problem.hpp"
#include "sotto/run/run_length.hpp"
#include "sotto/run/run_plan.hpp"
#include "support/exact_sum_for_tests.hpp"
#include "support/recording_ledger.hpp"
#include "support/searched_models.hpp"
#include "support/test_entropy.hpp"

namespace sotto {
namespace {

struct Exchange {
  std::vector<Query> queries;
  std::vector<Answer> answers;
};

/// Noise that a test can repeat; from one exchange to the next it goes on, or, `anew`, begins again: noise of another scale in one
/// then leaves that of the next as it is.
class ExchangeEntropy final : public EntropySource {
 public:
  explicit ExchangeEntropy(bool anew) : anew_(anew), entropy_(11) {}
  void begin(std::size_t exchange) {
    if (anew_) entropy_ = TestEntropy(exchange);
  }
  std::uint64_t bits() override { return entropy_.bits(); }
  [[nodiscard]] std::string name() const override { return entropy_.name(); }

 private:
  bool anew_;
  TestEntropy entropy_;
};

/// Passes everything on, and keeps it.
class Recorder final : public QueryInterface {
 public:
  Recorder(QueryInterface& owner, ExchangeEntropy& entropy) : owner_(&owner), entropy_(&entropy) {}
  std::vector<Answer> answer(std::span<const Query> queries) override {
    entropy_->begin(log.size());
    log.push_back({{queries.begin(), queries.end()}, owner_->answer(queries)});
    return log.back().answers;
  }
  Rho left() const override { return owner_->left(); }
  std::vector<Exchange> log;

 private:
  QueryInterface* owner_;
  ExchangeEntropy* entropy_;
};

constexpr std::size_t kRows = 100;
constexpr std::size_t kPersonRows = 3;

struct Design {
  std::string method, family, formula;
  std::string unit;  // "substitute", "add-remove", "person", "fewer rows"
  std::size_t owners = 1;
  bool underpaid = false;  // the budget ends before the chains would
};

// Without it a test's name ends with bytes of memory, others at every run.
void PrintTo(const Design& design, std::ostream* out) { *out << design.formula; }

bool of_persons(const Design& design) { return design.unit == "person" || design.unit == "fewer rows"; }

Schema schema_of(const Design& design) {
  Schema schema;
  schema.columns = {{.name = "x", .kind = ColumnKind::real, .bounds = {-1, 1}},
                    {.name = "w", .kind = ColumnKind::real, .bounds = {0, 10}},
                    {.name = "y", .kind = ColumnKind::real, .bounds = {-5, 5}},
                    {.name = "n", .kind = ColumnKind::count, .bounds = {0, 20}},
                    {.name = "b", .kind = ColumnKind::binary},
                    {.name = "t", .kind = ColumnKind::real, .bounds = {0, 4}},
                    {.name = "g", .kind = ColumnKind::real, .bounds = {0.5, 8}},
                    {.name = "s", .kind = ColumnKind::category, .levels = {"low", "mid", "high", "top"}}};
  schema.adjacency = design.unit == "add-remove" ? Adjacency::add_remove : Adjacency::substitute;
  if (of_persons(design)) schema.unit = {"who", kPersonRows};
  return schema;
}

/// The tables of all owners. The first three rows are one person's; in the neighbour all of them (for units of one row: the last row of all) stand at the other
/// end of what the schema allows, or are left out; or all but the first are, and all other rows stand elsewhere.
std::vector<Table> tables_of(const Design& design, bool neighbour) {
  std::vector<Table> tables;
  for (std::size_t o = 0; o < design.owners; ++o) tables.emplace_back(schema_of(design));
  ChainRng rng(5);
  for (std::size_t i = 0; i < kRows; ++i) {
    const bool moved = of_persons(design) ? i < kPersonRows : i + 1 == kRows;
    const double u = rng.uniform();
    std::vector<std::string> cells = {std::to_string(2 * u - 1),
                                      std::to_string(10 * rng.uniform()),
                                      std::to_string(2 * u - 1 + rng.normal()),
                                      std::to_string(rng.below(5)),
                                      u < 0.5 ? "0" : "1",
                                      std::to_string(4 * u),
                                      std::to_string(1 + u),
                                      u < 0.2   ? "low"
                                      : u < 0.6 ? "mid"
                                      : u < 0.8 ? "high"
                                                : "top"};
    if (moved) cells = {"-1", "0", "-5", "0", "0", "4", "0.5", "low"};
    if (moved && neighbour && design.unit != "add-remove")
      cells = {"1", "10", "5", "20", "1", "3.9", "8", "top"};
    if (moved && neighbour && design.unit == "add-remove") cells[0] = cells[6] = cells[7] = "NA";
    if (design.unit == "fewer rows" && neighbour && moved && i > 0) continue;
    const std::string who = i < kPersonRows ? "first" : std::to_string(i / 2);
    std::vector<std::optional<std::string_view>> views(cells.begin(), cells.end());
    tables[i * design.owners / kRows].append(views, who);
  }
  return tables;
}

/// Batches' own variance is completed by noise, whose scale then depends on the batch.
bool completes_variance(const Design& design) { return design.method == "barker-subsampled"; }
bool of_own_model(const Design& design) { return design.family.starts_with("own"); }

FitConfig config_of(const Design& design) {
  std::string text;
  for (std::size_t o = 0; design.owners > 1 && o < design.owners; ++o)
    text += "[[owner]]\nfile = \"" + std::to_string(o) + ".csv\"\n";
  text += "[data]\nschema = \"s.toml\"\n";
  if (design.owners == 1) text += "file = \"t.csv\"\n";
  text += "[model]\n";
  if (!of_own_model(design)) text += "family = \"" + design.family + "\"\n";
  if (!design.formula.empty()) text += "formula = \"" + design.formula + "\"\n";
  if (design.family == "survival") text += "cuts = [1, 2.5]\n";
  if (design.family == "normal-mean") text += "columns = [\"x\", \"y\"]\nsd = [1.0, 2.0]\n";
  text += "[privacy]\nepsilon = 30\ndelta = 1e-6\n[method]\nname = \"" + design.method +
          "\"\nchains = 2\nwarmup = 4\ndraws = 6\n";
  // Steps of which most are within the plan's bound, and some near it.
  const bool linear = !design.formula.empty();
  if (completes_variance(design)) text += linear ? "step_size = 0.03\n" : "step_size = 0.1\n";
  if (completes_variance(design)) text += "batch = 50\n";
  return parse_fit_config(text, {});
}

/// The tables outlive it. Of a model of one's own: x and y with long tails, row by row or by arrays.
Problem problem_of(const Design& design, const FitConfig& config, const std::vector<Table>& tables) {
  if (design.owners > 1) return make_problem(config, tables);
  if (!of_own_model(design)) return make_problem(config, tables.front());
  const LongTails model{Position{{0.3, 2}}};
  OwnModel own{.title = "long tails",
               .model = PerRow(model),
               .rows = {},
               .parameters = {"x", "y"},
               .priors = {{.scale = 2}, {.scale = 5}}};
  if (design.family == "own by arrays")
    own.model = PerArray(LongTailedArrays{model}, Position::Zero(2), unit_of(tables.front().schema()));
  return own_problem(config, tables.front(), {"x", "y"}, own);
}

template <class Asked, class... Queries>
concept OneOf = (std::same_as<Asked, Queries> || ...);

/// The integers by which two answers differ, and the declared bound on their norm.
struct Difference {
  double moved, declared;
};

/// One batch from either table, as a variance-completed ratio takes it.
class CompletedBatches {
 public:
  CompletedBatches(const Problem& here, const Problem& there, OwnerContext context,
                   const VarianceCompletedPlan& plan)
      : plan_(plan),
        here_(measure_variance_completed_ratios(here.rows(), context, plan, 1, ledger_)),
        there_(measure_variance_completed_ratios(there.rows(), context, plan, 1, other_ledger_)) {}

  /// By how far the centre of the release, and the variance of its noise, are apart. One row's change alone is another.
  [[nodiscard]] std::vector<Difference> differences(const RatioQuery& ratio) {
    const Query query = ratio;
    const std::vector<std::int64_t> left = changes(here_(query)->parts[0]);
    const std::vector<std::int64_t> right = changes(there_(query)->parts[0]);
    ++drawn_;
    std::size_t others = 0;
    for (std::size_t i = 0; i < left.size(); ++i) {
      EXPECT_LE(std::max(std::abs(left[i]), std::abs(right[i])), plan_.bound);
      others += left[i] != right[i] ? 1 : 0;
    }
    EXPECT_LE(others, 1u);
    const GaussianNoise::Integer variance = variance_completed_variance(plan_, left);
    const double reach =
        static_cast<double>(plan_.bound) * static_cast<double>(plan_.rows) / static_cast<double>(plan_.batch);
    return {{std::abs(static_cast<double>(variance_completed_center(plan_, left) -
                                          variance_completed_center(plan_, right))),
             plan_.noise(variance).sensitivity},
            {std::abs(static_cast<double>(variance - variance_completed_variance(plan_, right))),
             4 * reach * reach + 1}};
  }

 private:
  [[nodiscard]] std::vector<std::int64_t> changes(const Measurement& part) const {
    TestEntropy entropy(drawn_);
    const ExactSum sum = std::get<OwnPass>(part.pass)(Rows(0, 0), entropy);
    std::vector<std::int64_t> all;
    for (std::size_t i = 0; i < sum.size(); ++i)
      all.push_back(static_cast<std::int64_t>(ExactSumForTests::entry(sum, i)));
    return all;
  }

  VarianceCompletedPlan plan_;
  RecordingLedger ledger_{Epsilon(1e3)}, other_ledger_{Epsilon(1e3)};
  Measure here_, there_;
  std::uint64_t drawn_ = 0;
};

struct Comparison {
  const Problem& problem;
  const FitConfig& config;
  std::vector<Charge>::const_iterator charge;  // of the next part that the ledger booked one by one
  std::optional<CompletedBatches> completed{};

  [[nodiscard]] OwnerContext context() const {
    return {problem.model, problem.unit, config.model.likelihood_power};
  }
  Difference ratio(const NoisyRatio& a, const NoisyRatio& b, const Charge& declared) {
    EXPECT_EQ(a.variance, b.variance);
    return {std::abs(a.value - b.value) / declared.grid, declared.sensitivity};
  }
  Difference gradient(const NoisyGradient& a, const NoisyGradient& b, const Position& scale, double rate,
                      const Charge& declared) {
    EXPECT_EQ(a.variance, b.variance);
    const Position ones = Position::Ones(a.value.size());
    const Position s = scale.size() == 0 ? ones : scale;
    // In grid steps before their squares are taken: a step of a chain that ran away may be longer than 1e154.
    return {((a.value - b.value).cwiseProduct(s) * (rate / declared.grid)).norm(), declared.sensitivity};
  }

  std::vector<Difference> operator()(const RatioQuery& query, const Answer& a, const Answer& b) {
    const auto& left = std::get<Released<NoisyRatio>>(a).value();
    const auto& right = std::get<Released<NoisyRatio>>(b).value();
    if (config.method.name == "penalty-subsampled") {
      const auto range = contribution_range(query, context());
      const auto noise = batch_ratio_noise(*range, size_of_batch(config, kRows), kRows, problem.unit,
                                           query.cost, kLeastPrecomposedSensitivity);
      return {ratio(left, right, noise->charge("ratio"))};
    }
    if (completed) {  // answers differ by more than integers, as their noise does
      EXPECT_EQ(left.variance, right.variance);
      return completed->differences(query);
    }
    return {ratio(left, right, *charge++)};
  }
  std::vector<Difference> operator()(const GradientQuery& query, const Answer& a, const Answer& b) {
    return {gradient(std::get<Released<NoisyGradient>>(a).value(),
                     std::get<Released<NoisyGradient>>(b).value(), query.scale, 1, *charge++)};
  }
  std::vector<Difference> operator()(const JointQuery& query, const Answer& a, const Answer& b) {
    const NoisyJoint left = std::get<Released<NoisyJoint>>(a).value();
    const NoisyJoint right = std::get<Released<NoisyJoint>>(b).value();
    const Charge& first = *charge++;
    const Charge& second = *charge++;
    return {gradient(left.gradient, right.gradient, query.gradient.scale, 1, first),
            ratio(left.ratio, right.ratio, second)};
  }
  std::vector<Difference> operator()(const BatchGradientQuery& query, const Answer& a, const Answer& b) {
    const OwnerContext own = context();
    const auto noise =
        batch_noise(gradient_bound(query.at, scale_of(query.scale, own), own),
                    static_cast<std::size_t>(own.model.dim()), own.unit, query.noise_multiplier);
    return {gradient(std::get<Released<NoisyGradient>>(a).value(),
                     std::get<Released<NoisyGradient>>(b).value(), query.scale, query.rate,
                     noise->charge("batch gradient"))};
  }
  /// What release-once asks for, vectors and matrices that are as long as the vectors behind them, and statistics.
  template <class Noisy>
  std::vector<Difference> sum(const Answer& a, const Answer& b) {
    const Noisy left = std::get<Released<Noisy>>(a).value();
    const Noisy right = std::get<Released<Noisy>>(b).value();
    EXPECT_EQ(left.variance, right.variance);
    const Charge& declared = *charge++;
    return {{(left.value - right.value).norm() / declared.grid, declared.sensitivity}};
  }
  template <OneOf<BoundedInformationQuery, ScoreSquaresQuery, MomentsQuery> Asked>
  std::vector<Difference> operator()(const Asked&, const Answer& a, const Answer& b) {
    return sum<NoisyMatrix>(a, b);
  }
  template <OneOf<BoundedScoreQuery, ResidualSquaresQuery, HistogramQuery, ColumnHistogramsQuery,
                  GroupedResidualsQuery, CurvesQuery, ThresholdEffectsQuery, RemainderQuery, LightRowsQuery,
                  TotalQuery, ClippedDeviationsQuery, DeviationLengthsQuery>
                Asked>
  std::vector<Difference> operator()(const Asked&, const Answer& a, const Answer& b) {
    return sum<NoisyVector>(a, b);
  }
  std::vector<Difference> operator()(const StatisticQuery&, const Answer& a, const Answer& b) {
    return sum<NoisyStatistic>(a, b);
  }
  template <class Other>
  std::vector<Difference> operator()(const Other&, const Answer&, const Answer&) {
    ADD_FAILURE() << "a chain asked a question that this test does not know";
    return {};
  }
};

/// All that a run asks.
void run_on(QueryInterface& owner, const Design& design, const FitConfig& config, const Problem& problem,
            const Method& method, const ChainSettings& settings, const RunPlan& plan) {
  const Progress silent;
  if (method.run != nullptr) {
    std::optional<Pilot> pilot;
    if (plan.look_cost.value() > 0) pilot = look(config, problem, owner, plan.look_cost);
    (void)method.run({config.method, problem.public_info, settings, plan.step_budget, owner, silent,
                      pilot ? &*pilot : nullptr});
  } else if (design.family == "normal-mean") {
    (void)release_location(location_facts(problem), owner, Rho(1));
  } else if (design.family == "categorical") {
    RunRecord record;
    run_categorical_once(
        config, problem, 10, owner, Rho(1), [](std::size_t, std::size_t) { return true; }, record);
  } else {
    (void)release_once(
        once_settings(config, problem.public_info, *problem.model.as<Glm>(), problem.unit, Rho(1)), owner);
  }
}

void expect_same_charges(const std::vector<Charge>& charges, const std::vector<Charge>& others) {
  ASSERT_EQ(others.size(), charges.size());
  for (std::size_t i = 0; i < charges.size(); ++i) {
    EXPECT_EQ(others[i].query, charges[i].query);
    EXPECT_EQ(others[i].rho, charges[i].rho);
    EXPECT_EQ(others[i].sensitivity, charges[i].sensitivity);
  }
}

/// Where the batch of an exchange's first answer does not hold the row that is another, nothing at all is. Returns whether it held it.
bool expect_batch_of_others_alike(std::size_t exchange, std::size_t batch, const std::vector<Answer>& here,
                                  const std::vector<Answer>& there) {
  TestEntropy entropy(exchange);
  const std::vector<std::size_t> rows = sample_without_replacement(kRows, batch, entropy);
  if (std::find(rows.begin(), rows.end(), kRows - 1) != rows.end()) return true;
  for (std::size_t q = 0; q < here.size(); ++q) {
    const auto* ratio = std::get_if<Released<NoisyRatio>>(&here[q]);
    if (ratio == nullptr) continue;
    EXPECT_EQ(ratio->value().value, std::get<Released<NoisyRatio>>(there[q]).value().value);
    break;
  }
  return false;
}

bool was_refused_at_last(const Exchange& last) {
  return std::ranges::any_of(last.answers, [](const Answer& answer) {
    const auto* refusal = std::get_if<QueryStatus>(&answer);
    return refusal != nullptr && *refusal == QueryStatus::budget;
  });
}

class Replay : public testing::TestWithParam<Design> {};

TEST_P(Replay, a_neighbour_moves_every_release_by_no_more_than_declared) {
  const Design& design = GetParam();
  const FitConfig config = config_of(design);
  const std::vector<Table> here = tables_of(design, false);
  const std::vector<Table> there = tables_of(design, true);
  const Problem problem = problem_of(design, config, here);
  const Problem other = problem_of(design, config, there);
  const Method& method = resolve_method(config, problem);
  const ChainSettings settings = run_length(method, config, problem, nullptr, Rho(0));
  const std::size_t steps = steps_in_all(settings, config.method.chains) / (design.underpaid ? 5 : 1);
  const QueryRegime regime = regime_of(method, problem);

  RecordingLedger ledger{Epsilon(30)};
  ExchangeEntropy entropy(completes_variance(design));
  const RunPlan plan = make_run_plan(regime, config, problem, steps, ledger, entropy, method.looks);
  Recorder recorder(*plan.interface, entropy);
  run_on(recorder, design, config, problem, method, settings, plan);
  ASSERT_FALSE(recorder.log.empty());

  RecordingLedger other_ledger{Epsilon(30)};
  ExchangeEntropy same(completes_variance(design));
  const RunPlan other_plan = make_run_plan(regime, config, other, steps, other_ledger, same, method.looks);
  EXPECT_EQ(other_plan.step_budget.step_cost, plan.step_budget.step_cost);
  EXPECT_EQ(other_plan.step_budget.noise_multiplier, plan.step_budget.noise_multiplier);
  EXPECT_EQ(other_plan.step_budget.ratio_bound, plan.step_budget.ratio_bound);

  Comparison compare{problem, config, ledger.charges.cbegin()};
  if (completes_variance(design)) {
    const auto bound = static_cast<std::int64_t>(plan.step_budget.ratio_bound / kLogDensityGrid);
    compare.completed.emplace(problem, other, compare.context(),
                              VarianceCompletedPlan{kRows, size_of_batch(config, kRows), bound});
  }
  double largest_share = 0;
  std::size_t batches_with_it = 0;
  for (std::size_t e = 0; e < recorder.log.size(); ++e) {
    const Exchange& exchange = recorder.log[e];
    same.begin(e);
    const std::vector<Answer> answers = other_plan.interface->answer(exchange.queries);
    ASSERT_EQ(answers.size(), exchange.answers.size());
    for (std::size_t q = 0; q < answers.size(); ++q) {
      ASSERT_EQ(answers[q].index(), exchange.answers[q].index());
      if (const auto* refusal = std::get_if<QueryStatus>(&answers[q])) {
        EXPECT_EQ(*refusal, std::get<QueryStatus>(exchange.answers[q]));
        continue;
      }
      const auto differences =
          std::visit([&](const auto& query) { return compare(query, exchange.answers[q], answers[q]); },
                     exchange.queries[q]);
      for (const Difference& d : differences) {
        // Sums and noise are read back from doubles: a few steps.
        EXPECT_LE(d.moved, d.declared * (1 + 1e-12) + 8);
        largest_share = std::max(largest_share, d.moved / d.declared);
      }
    }
    if (completes_variance(design) &&
        expect_batch_of_others_alike(e, size_of_batch(config, kRows), exchange.answers, answers))
      ++batches_with_it;
  }
  EXPECT_TRUE(!completes_variance(design) || batches_with_it < recorder.log.size());
  EXPECT_TRUE(!design.underpaid || was_refused_at_last(recorder.log.back()));
  expect_same_charges(ledger.charges, other_ledger.charges);
  RecordProperty("largest_share_of_the_sensitivity", std::to_string(largest_share));
}

std::vector<Design> designs() {
  std::vector<Design> all;
  for (const char* unit : {"substitute", "add-remove", "person", "fewer rows"}) {
    const bool rows_only = std::string(unit) == "person" || std::string(unit) == "fewer rows";
    const bool substitute = std::string(unit) == "substitute";
    for (const char* method : {"penalty", "hmc", "release-once"})
      all.push_back({method, "survival", "Surv(t, b) ~ x + w", unit});
    all.push_back({"release-once", "ordinal", "s ~ x + w", unit});
    all.push_back({"release-once", "gamma", "w ~ x", unit});
    all.push_back({"release-once", "categorical", "s ~ 1", unit});
    for (const auto& [family, formula] : std::vector<std::pair<std::string, std::string>>{
             {"categorical", "s ~ 1"}, {"gamma", "g ~ 1"}, {"bernoulli", "b ~ 1"}, {"poisson", "n ~ 1"}})
      all.push_back({"penalty-exponential-family", family, formula, unit});
    for (const char* method : {"penalty", "guided-walk", "barker", "hmc"}) {
      all.push_back({method, "categorical", "s ~ 1", unit});
      all.push_back({method, "gamma", "g ~ 1", unit});
    }
    for (const auto& [family, formula] :
         std::vector<std::pair<std::string, std::string>>{{"bernoulli", "b ~ x + w"},
                                                          {"poisson", "n ~ x"},
                                                          {"normal", "y ~ x + w"},
                                                          {"normal-mean", ""}}) {
      for (const char* method :
           {"penalty", "penalty-one-at-a-time", "guided-walk", "barker", "hmc", "hmc-friction"})
        all.push_back({method, family, formula, unit});
      all.push_back({"release-once", family, formula, unit});
      if (!rows_only && (substitute || family != "normal-mean")) {
        all.push_back({"sgld", family, formula, unit});
        all.push_back({"sgnht", family, formula, unit});
      }
      if (substitute) {
        all.push_back({"penalty-subsampled", family, formula, unit});
        all.push_back({"barker-subsampled", family, formula, unit});
      }
      if (family == "normal" || family == "normal-mean")
        all.push_back({"penalty-exponential-family", family, formula, unit});
    }
  }
  for (const char* unit : {"substitute", "add-remove", "person", "fewer rows"}) {
    for (const char* family : {"own", "own by arrays"}) {
      for (const char* method : {"penalty", "guided-walk", "barker", "hmc"})
        all.push_back({method, family, "", unit});
    }
  }
  for (const char* method : {"sgld", "penalty-subsampled", "barker-subsampled"}) {
    for (const char* family : {"own", "own by arrays"}) all.push_back({method, family, "", "substitute"});
  }
  for (const char* unit : {"substitute", "add-remove"}) {
    for (const char* method : {"penalty", "barker", "hmc", "release-once"}) {
      all.push_back({method, "bernoulli", "b ~ x + w", unit, 3});
      all.push_back({method, "normal-mean", "", unit, 3});
    }
  }
  for (const char* unit : {"substitute", "add-remove", "person", "fewer rows"}) {
    for (const char* method : {"penalty", "barker", "hmc"})
      all.push_back({method, "bernoulli", "b ~ x + w", unit, 1, true});
    for (const char* method : {"penalty", "hmc"}) all.push_back({method, "normal-mean", "", unit, 1, true});
  }
  return all;
}

std::string name_of(const testing::TestParamInfo<Design>& info) {
  std::string name = info.param.method + "_" + info.param.family + "_" + info.param.unit;
  if (info.param.underpaid) name += "_until_nothing_is_left";
  if (info.param.owners > 1) name += "_of_" + std::to_string(info.param.owners) + "_owners";
  for (char& c : name) c = c == '-' || c == ' ' ? '_' : c;
  return name;
}

INSTANTIATE_TEST_SUITE_P(Methods, Replay, testing::ValuesIn(designs()), name_of);

}  // namespace
}  // namespace sotto
