// Owners elsewhere, without a network between: what they answer, what they refuse, and what that costs.
#include "sotto/run/served_table.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/base/error.hpp"
#include "sotto/owner/data_owner.hpp"
#include "sotto/run/owners.hpp"
#include "sotto_rpc/served_owners.hpp"

namespace sotto {
namespace {

/// What an Error says, and its code; "none" without one.
template <class Act>
std::pair<ErrorCode, std::string> error_in(const Act& act) {
  try {
    act();
  } catch (const Error& error) {
    return {error.code(), error.what()};
  }
  return {ErrorCode::internal, "none"};
}

const std::vector<std::string> kShortPenalty = {"method.name=penalty", "method.chains=2", "method.warmup=30",
                                                "method.draws=30"};

TEST(ServedTable, an_owner_elsewhere_answers_as_one_here) {
  for (const std::vector<std::string>& settings :
       {std::vector<std::string>{"method.name=release-once", "method.draws=50"}, kShortPenalty,
        std::vector<std::string>{"method.name=hmc", "method.chains=2", "method.warmup=10",
                                 "method.draws=10"}}) {
    const RunRecord here = fit_in_one_process(settings);
    // All elsewhere; and the first at hand, the others elsewhere.
    for (const std::size_t local : {0, 1}) {
      const FitConfig config = served_config(settings, local);
      TestEntropy entropy(3);
      std::vector<std::unique_ptr<ServedOwner>> owners;
      std::vector<OwnerElsewhere> elsewhere;
      for (std::size_t o = local; o < 3; ++o) {
        owners.push_back(std::make_unique<ServedOwner>(o, entropy));
        elsewhere.push_back(session_with(owners.back()->carrier(), owners.back()->signer.key(), config));
      }
      std::vector<Table> tables;
      if (local > 0) tables.push_back(served_rows(0, served_schema()));
      std::size_t booked = 0;
      const RunRecord there = fit(config, make_problem(config, served_schema(), tables, elsewhere), entropy,
                                  {}, [&](const Booking&) { ++booked; });
      EXPECT_TRUE(same_draws(here.draws, there.draws)) << settings[0] << local;
      EXPECT_EQ(here.privacy.rho, there.privacy.rho);
      EXPECT_EQ(here.privacy.spent_epsilon, there.privacy.spent_epsilon);
      EXPECT_EQ(here.privacy.privacy_unit, there.privacy.privacy_unit);
      EXPECT_EQ(there.privacy.owners.size(), 3 - local);
      EXPECT_FALSE(there.privacy.is_private);  // noise of a test
      std::size_t stated = 0;
      for (const ReleaseLine& line : there.privacy.releases) stated += line.count;
      EXPECT_EQ(booked, stated);
      for (const auto& owner : owners) {
        EXPECT_EQ(owner->books.spent(), Rho(there.privacy.rho));
        EXPECT_EQ(owner->reads, 1);
      }
    }
  }
}

TEST(ServedTable, a_single_owner_elsewhere_is_enough) {
  const FitConfig config = served_config({"method.draws=50"});
  TestEntropy entropy(3);
  ServedOwner owner(0, entropy);
  const std::vector<OwnerElsewhere> elsewhere{session_with(owner.carrier(), owner.signer.key(), config)};
  const RunRecord there = fit(config, make_problem(config, served_schema(), {}, elsewhere), entropy);
  TestEntropy same(3);
  const Table table = served_rows(0, served_schema());
  const FitConfig alone = served_config({"method.draws=50", "data.file=x"});
  const RunRecord here = fit(alone, make_problem(alone, table), same);
  EXPECT_TRUE(same_draws(here.draws, there.draws));
  EXPECT_EQ(there.privacy.privacy_unit, "one row");
}

TEST(ServedTable, under_add_remove_tells_no_number_of_rows) {
  const FitConfig config = served_config({});
  TestEntropy entropy(3);
  ServedOwner owner(0, entropy, 1, {}, served_schema(Adjacency::add_remove));
  const RemoteOwner session(owner.carrier(), owner.signer.key(),
                            served_declaration(config, served_schema(Adjacency::add_remove)));
  EXPECT_FALSE(session.terms().rows);
  ServedOwner other(0, entropy);
  EXPECT_EQ(RemoteOwner(other.carrier(), other.signer.key(), served_declaration(config)).terms().rows, 60.0);
}

/// Sixty times at risk, up to 6.
Table served_lives(const Schema& columns) {
  Table table(columns);
  for (std::size_t i = 0; i < 60; ++i) {
    ChainRng rng(75, i);
    const std::map<std::string, std::string> cells{{"t", fmt::format("{}", 6 * rng.uniform())},
                                                   {"died", rng.uniform() < 0.5 ? "0" : "1"},
                                                   {"x", fmt::format("{}", 2 * rng.uniform() - 1)}};
    std::vector<std::optional<std::string_view>> row;
    for (const SchemaColumn& column : columns.columns) row.emplace_back(cells.at(column.name));
    table.append(row, std::to_string(i));
  }
  return table;
}

// A person of up to two rows, or a life of three pieces, whose rows move a gradient by so many times what one does.
TEST(ServedTable, prices_all_rows_that_a_unit_has) {
  Schema persons = served_schema();
  persons.unit = {"who", 2};
  Schema lives;
  lives.columns = {{.name = "t", .bounds = {0, 6}},
                   {.name = "died", .kind = ColumnKind::binary},
                   {.name = "x", .bounds = {-1, 1}}};
  const FitConfig survival =
      served_config({"model.family=survival", "model.formula=\"Surv(t, died) ~ x\"", "model.cuts=[1, 3]"});
  struct Served {
    FitConfig config;
    Schema schema;
    TableReader read;
    double rows;
  };
  for (const Served& one :
       {Served{served_config({}), persons, [](const Schema& c) { return served_rows(0, c); }, 2},
        Served{survival, lives, served_lives, 3}}) {
    TestEntropy entropy(3);
    AnswerSigner signer;
    Budget books(Epsilon(1), Delta(1e-6));
    ServedTable served({.name = "n", .schema = one.schema}, one.read, signer, books, entropy);
    RemoteOwner session(
        [&](OwnerCall call, const Bytes& question) { return served.reply(call, question, "ada"); },
        signer.key(), served_declaration(one.config, one.schema));
    const Table table = one.read(one.schema);
    const Problem problem = make_problem(one.config, table);
    const Query question = GradientQuery{Position::Zero(problem.model.dim()), Rho(0.001)};
    const auto answered = [&](QueryInterface&& owner) {
      return std::get<Released<NoisyGradient>>(owner.answer({&question, 1})[0]).value();
    };
    const auto here = [&](const PrivacyUnit& unit) {
      TestEntropy same(3);
      Budget its(Epsilon(1), Delta(1e-6));
      return answered(DataOwner(problem.rows(), problem.model, unit, {}, its, same));
    };
    const NoisyGradient elsewhere = answered(std::move(session));
    EXPECT_EQ(elsewhere.value, here(problem.unit).value) << one.config.model.family;
    EXPECT_EQ(elsewhere.variance, here(problem.unit).variance) << one.config.model.family;
    const double of_one_row = here({one.schema.adjacency, 1}).variance[0];
    EXPECT_NEAR(elsewhere.variance[0] / of_one_row, one.rows * one.rows, 0.01) << one.config.model.family;
  }
}

Schema served_persons() {
  Schema persons = served_schema();
  persons.unit = {"who", 2};
  return persons;
}

// Of a ratio whose noise is fixed the unit decides what it costs.
TEST(ServedTable, the_books_of_who_asks_price_the_unit_that_is_served) {
  const FitConfig config = served_config({});
  TestEntropy entropy(3);
  ServedOwner owner(0, entropy, 1, {}, served_persons());
  const std::vector<OwnerElsewhere> elsewhere{
      {.name = "owner-0",
       .address = "here:1",
       .interface = std::make_shared<RemoteOwner>(owner.carrier(), owner.signer.key(),
                                                  served_declaration(config, served_persons())),
       .rows = std::nullopt}};
  const Problem problem = make_problem(config, served_persons(), {}, elsewhere);
  Budget books(Epsilon(1), Delta(1e-6));
  Owners owners(problem, {}, books, entropy);
  const Query question = RatioQuery{Position::Zero(2), Position::Constant(2, 0.01), Rho(0), 1.0};
  ASSERT_TRUE(std::holds_alternative<Released<NoisyRatio>>(owners.answer({&question, 1})[0]));
  EXPECT_GT(books.spent().value(), 0);
  EXPECT_EQ(books.spent(), owner.books.spent());
}

/// Noise of a test, whatever it says of itself.
class NoiseThatSays final : public EntropySource {
 public:
  explicit NoiseThatSays(bool is_private) : is_private_(is_private) {}
  std::uint64_t bits() override { return noise_.bits(); }
  [[nodiscard]] std::string name() const override { return noise_.name(); }
  [[nodiscard]] bool is_private() const override { return is_private_; }

 private:
  bool is_private_;
  TestEntropy noise_{3};
};

// Of a table here and two elsewhere: everybody's, or all but one's.
TEST(ServedTable, a_run_is_private_where_everybodys_noise_is) {
  const FitConfig config =
      served_config({"method.name=hmc", "method.chains=2", "method.warmup=4", "method.draws=4"}, 1);
  const std::vector<Table> tables{served_rows(0, served_schema())};
  for (const int but : {-1, 0, 1, 2}) {
    NoiseThatSays here(but != 0);
    NoiseThatSays first(but != 1);
    NoiseThatSays second(but != 2);
    ServedOwner one(1, first);
    ServedOwner other(2, second);
    const std::vector<OwnerElsewhere> elsewhere{session_with(one.carrier(), one.signer.key(), config),
                                                session_with(other.carrier(), other.signer.key(), config)};
    const RunRecord record = fit(config, make_problem(config, served_schema(), tables, elsewhere), here);
    EXPECT_EQ(record.privacy.is_private, but < 0) << but;
  }
}

Query gradient_question(double cost = 0.001, Eigen::Index dim = 2) {
  return GradientQuery{Position::Zero(dim), Rho(cost)};
}

TEST(ServedTable, an_answer_to_another_question_is_none) {
  const FitConfig config = served_config({});
  TestEntropy entropy(3);
  ServedOwner owner(0, entropy);
  std::optional<OwnerReply> first;
  const OwnerCarrier repeats = [&](OwnerCall call, const Bytes& question) {
    OwnerReply reply = owner.table.reply(call, question, "ada");
    if (call != OwnerCall::answer) return reply;
    if (!first) first = reply;
    return *first;
  };
  RemoteOwner session(repeats, owner.signer.key(), served_declaration(config));
  const Query question = gradient_question();
  EXPECT_TRUE(std::holds_alternative<Released<NoisyGradient>>(session.answer({&question, 1})[0]));
  // The same question again: the old answer does not stand for a new one.
  EXPECT_EQ(error_in([&] { static_cast<void>(session.answer({&question, 1})); }).first, ErrorCode::data);
}

TEST(ServedTable, a_reply_of_another_key_is_none) {
  const FitConfig config = served_config({});
  TestEntropy entropy(3);
  ServedOwner owner(0, entropy);
  const AnswerSigner other;
  EXPECT_EQ(error_in([&] { RemoteOwner(owner.carrier(), other.key(), served_declaration(config)); }).first,
            ErrorCode::data);
  // Nor one that was signed as answers where words were asked for, or the other way round.
  const OwnerCarrier mixes = [&](OwnerCall call, const Bytes& question) {
    if (call == OwnerCall::open || call == OwnerCall::refusals)
      return owner.table.reply(call, question, "ada");
    if (call == OwnerCall::answer) return owner.signer.sign_words(nlohmann::json::array({{0, 1}}), question);
    SignedAnswers answers = owner.signer.sign({}, question);
    return OwnerReply{answers.answers, answers.signature};
  };
  RemoteOwner session(mixes, owner.signer.key(), served_declaration(config));
  const Query question = gradient_question();
  EXPECT_EQ(error_in([&] { static_cast<void>(session.answer({&question, 1})); }).first, ErrorCode::data);
  EXPECT_EQ(error_in([&] { static_cast<void>(session.left()); }).first, ErrorCode::data);
}

// Whatever an owner signs: an analyst reads no entry that is not there.
TEST(ServedTable, an_answer_of_another_shape_is_none) {
  const FitConfig config = served_config({});
  TestEntropy entropy(3);
  ServedOwner owner(0, entropy);
  const BoundedWeighting weighting{Position::Zero(2), Matrix::Identity(2, 2), 1, 1, 1};
  const std::vector<Query> questions{
      RatioQuery{Position::Zero(2), Position::Ones(2), Rho(0.001)},
      GradientQuery{Position::Zero(2), Rho(0.001)},
      JointQuery{{Position::Zero(2), Rho(0.001)}, {Position::Zero(2), Position::Ones(2), Rho(0.001)}},
      BoundedScoreQuery{weighting, Rho(0.001)},
      BoundedInformationQuery{weighting, Rho(0.001)},
      ScoreSquaresQuery{weighting, Rho(0.001)},
      LightRowsQuery{weighting, Rho(0.001)},
      MomentsQuery{Matrix::Identity(2, 2), 1, Rho(0.001)},
      CurvesQuery{Position::Zero(2), 1, 0, {{.column = 1}}, 1, Rho(0.001)},
      ColumnHistogramsQuery{{0, 1}, {{0, 1}, {-1, 1}}, 3, Rho(0.001)},
      HistogramQuery{HistogramOf::residual, Position::Zero(2), Position::LinSpaced(4, -1, 1), Rho(0.001),
                     0.0},
      TotalQuery{TotalOf::rows, Rho(0.001)}};
  const std::vector<std::string> shapes{"ratio", "gradient of 2", "joint of 2", "2",  "2 by 2", "2 by 2",
                                        "3",     "2 by 2",        "1",          "10", "6",      "1"};
  RemoteOwner honest(owner.carrier(), owner.signer.key(), served_declaration(config));
  for (std::size_t other = 0; other < questions.size(); ++other) {
    const std::vector<Answer> given = honest.answer({&questions[other], 1});
    ASSERT_FALSE(std::holds_alternative<QueryStatus>(given[0])) << other;
    // The same words, to every other question.
    const OwnerCarrier lies = [&](OwnerCall call, const Bytes& question) {
      if (call != OwnerCall::answer) return owner.table.reply(call, question, "ada");
      SignedAnswers answers = owner.signer.sign(given, question);
      return OwnerReply{answers.answers, answers.signature};
    };
    RemoteOwner session(lies, owner.signer.key(), served_declaration(config));
    for (std::size_t q = 0; q < questions.size(); ++q) {
      const bool alike = shapes[q] == shapes[other];
      EXPECT_EQ(error_in([&] {
                  static_cast<void>(session.answer({&questions[q], 1}));
                }).second == "none",
                alike)
          << q << " " << other;
    }
  }
}

TEST(ServedTable, a_question_is_asked_once) {
  const FitConfig config = served_config({});
  TestEntropy entropy(3);
  ServedOwner owner(0, entropy);
  Bytes asked;
  const OwnerCarrier listens = [&](OwnerCall call, const Bytes& question) {
    if (call == OwnerCall::answer) asked = question;
    return owner.table.reply(call, question, "ada");
  };
  RemoteOwner session(listens, owner.signer.key(), served_declaration(config));
  const Query question = gradient_question();
  static_cast<void>(session.answer({&question, 1}));
  const Rho spent = owner.books.spent();
  EXPECT_GT(spent.value(), 0);
  EXPECT_EQ(error_in([&] { static_cast<void>(owner.table.reply(OwnerCall::answer, asked, "ada")); }).first,
            ErrorCode::data);
  EXPECT_EQ(owner.books.spent(), spent);
  static_cast<void>(session.answer({&question, 1}));  // the session goes on
  EXPECT_GT(owner.books.spent().value(), spent.value());
}

TEST(ServedTable, what_cannot_be_answered_costs_nothing) {
  const FitConfig config = served_config({});
  TestEntropy entropy(3);
  ServedOwner owner(0, entropy);
  const auto refused = [&](const Query& question) {
    RemoteOwner session(owner.carrier(), owner.signer.key(), served_declaration(config));
    return error_in([&] { static_cast<void>(session.answer({&question, 1})); }).first;
  };
  EXPECT_EQ(refused(gradient_question(0.001, 3)), ErrorCode::configuration);  // of another model
  EXPECT_EQ(refused(gradient_question(0)), ErrorCode::configuration);
  EXPECT_EQ(refused(StatisticQuery{Rho(0.01)}), ErrorCode::configuration);
  EXPECT_EQ(refused(BatchGradientQuery{Position::Zero(2), 0.1, 2}), ErrorCode::configuration);
  EXPECT_EQ(refused(RatioQuery{Position::Zero(2), Position::Zero(1), Rho(0.1)}), ErrorCode::configuration);
  // Out of range, and beyond the budget: answers, which say so.
  RemoteOwner session(owner.carrier(), owner.signer.key(), served_declaration(config));
  const std::vector<Query> questions{
      GradientQuery{Position::Constant(2, kInfinity), Rho(0.001)},
      RatioQuery{Position::Zero(2), Position::Constant(2, std::nan("")), Rho(0.001)},
      HistogramQuery{HistogramOf::residual, Position::Zero(7), Position{{0, 1}}, Rho(0.001)},
      HistogramQuery{HistogramOf::response, Position{}, Position::LinSpaced((1 << 20) - 9, 0, 1), Rho(0.001),
                     0.5},
      gradient_question(1000)};
  const std::vector<QueryStatus> expected{QueryStatus::out_of_range, QueryStatus::out_of_range,
                                          QueryStatus::out_of_range, QueryStatus::out_of_range,
                                          QueryStatus::budget};
  const std::vector<Answer> answers = session.answer(questions);
  const auto refusals = session.refusals(questions);
  for (std::size_t q = 0; q < questions.size(); ++q) {
    ASSERT_TRUE(std::holds_alternative<QueryStatus>(answers[q])) << q;
    EXPECT_EQ(std::get<QueryStatus>(answers[q]), expected[q]) << q;
    EXPECT_EQ(refusals[q], expected[q]) << q;
  }
  // Bytes that are no question, in a session and without one.
  const std::string id = session.terms().session;
  const Bytes fine = ask_in_session(OwnerCall::answer, id, 2, {});
  const auto reply_to = [&](OwnerCall call, const Bytes& question, const std::string& analyst) {
    return error_in([&] { static_cast<void>(owner.table.reply(call, question, analyst)); }).first;
  };
  for (std::size_t cut = 0; cut < fine.size(); ++cut) {
    EXPECT_EQ(
        reply_to(OwnerCall::answer, {fine.begin(), fine.begin() + static_cast<std::ptrdiff_t>(cut)}, "ada"),
        ErrorCode::data);
  }
  EXPECT_EQ(reply_to(OwnerCall::answer, Bytes(1 << 20, '['), "ada"), ErrorCode::data);
  EXPECT_EQ(reply_to(OwnerCall::left, fine, "ada"), ErrorCode::data);    // asked for another call
  EXPECT_EQ(reply_to(OwnerCall::open, fine, "ada"), ErrorCode::data);    //
  EXPECT_EQ(reply_to(OwnerCall::answer, fine, "bob"), ErrorCode::data);  // whose session it is not
  EXPECT_EQ(owner.books.spent(), Rho(0));
}

TEST(ServedTable, another_declaration_is_refused_free_of_charge) {
  TestEntropy entropy(3);
  ServedOwner owner(0, entropy);
  const auto why = [&](const FitConfig& config, const Schema& schema) {
    return error_in(
        [&] { RemoteOwner(owner.carrier(), owner.signer.key(), served_declaration(config, schema)); });
  };
  const FitConfig config = served_config({});
  EXPECT_EQ(why(config, served_schema()).second, "none");
  const int reads = owner.reads;
  Schema other = served_schema();
  other.columns[1].bounds = {-1, 1.0000001};
  EXPECT_THAT(why(config, other).second, testing::HasSubstr("declares other columns, bounds"));
  EXPECT_THAT(why(config, served_schema(Adjacency::add_remove)).second, testing::HasSubstr("adjacency"));
  other = served_schema();
  other.unit = {"who", 2};
  EXPECT_THAT(why(config, other).second, testing::HasSubstr("unit"));
  other = served_schema();
  other.columns[1].missing = MissingPolicy::impute;
  EXPECT_EQ(why(config, other).first, ErrorCode::configuration);
  other = served_schema();
  other.columns.push_back({.name = "z", .bounds = {0, 1}});
  EXPECT_EQ(why(served_config({"model.formula=\"y ~ z\""}), other).first, ErrorCode::configuration);
  EXPECT_EQ(why(config, other).second, "none");  // a column that the model does not read
  EXPECT_EQ(owner.reads, reads);
  EXPECT_EQ(owner.books.spent(), Rho(0));
}

// Whatever of it a price or a row's legal values follow from.
TEST(ServedTable, every_part_of_a_declaration_is_compared) {
  TestEntropy entropy(3);
  ServedOwner owner(0, entropy, 1, {}, served_persons());
  const auto why = [&](const Schema& schema) {
    return error_in([&] {
             RemoteOwner(owner.carrier(), owner.signer.key(), served_declaration(served_config({}), schema));
           })
        .second;
  };
  EXPECT_EQ(why(served_persons()), "none");
  std::vector<Schema> others(6, served_persons());
  others[0].unit.maximum_rows = 3;
  others[1].unit.person = "id";
  others[2].columns[1].out_of_range = OutOfRangePolicy::missing;
  others[3].columns[1].missing = MissingPolicy::impute;
  others[4].columns[1].bounds.lower = -0.5;
  others[5].adjacency = Adjacency::add_remove;
  for (std::size_t i = 0; i < others.size(); ++i)
    EXPECT_THAT(why(others[i]), testing::HasSubstr("declares other columns, bounds")) << i;
  EXPECT_EQ(owner.books.spent(), Rho(0));
}

// Nothing of what stands in it, nor of why it cannot be read.
TEST(ServedTable, a_table_that_cannot_be_read_is_told_by_one_sentence) {
  TestEntropy entropy(3);
  AnswerSigner signer;
  Budget books(Epsilon(1), Delta(1e-6));
  ServedTable table(
      {.name = "n", .schema = served_schema()},
      [](const Schema&) -> Table { throw Error(ErrorCode::data, "cell 17 is 4.25"); }, signer, books,
      entropy);
  const auto [code, said] = error_in([&] {
    RemoteOwner([&](OwnerCall call, const Bytes& question) { return table.reply(call, question, "ada"); },
                signer.key(), served_declaration(served_config({})));
  });
  EXPECT_EQ(code, ErrorCode::io);
  EXPECT_EQ(said, "the owner n cannot read its table: ask its keeper");
}

TEST(ServedTable, answers_what_its_owner_allows) {
  TestEntropy entropy(3);
  AnswerSigner signer;
  Budget books(Epsilon(1), Delta(1e-6));
  ServedTable table(
      {.name = "n", .schema = served_schema(), .families = {"bernoulli"}, .formulas = {"y ~ x"}},
      [](const Schema& columns) { return served_rows(0, columns); }, signer, books, entropy);
  const OwnerCarrier carrier = [&](OwnerCall call, const Bytes& question) {
    return table.reply(call, question, "ada");
  };
  const auto code = [&](const std::vector<std::string>& settings) {
    return error_in([&] { RemoteOwner(carrier, signer.key(), served_declaration(served_config(settings))); })
        .first;
  };
  EXPECT_EQ(code({}), ErrorCode::internal);  // none
  EXPECT_EQ(code({"model.formula=\"y ~ x + x:x\""}), ErrorCode::configuration);
  EXPECT_EQ(code({"model.family=normal"}), ErrorCode::configuration);
}

TEST(ServedTable, what_is_no_declaration_is_refused) {
  const nlohmann::json fine = served_declaration(served_config({}));
  EXPECT_EQ(to_json(declaration_from_json(fine)), fine);
  std::vector<nlohmann::json> hostile{7, nlohmann::json::object(), {{"model", fine["model"]}}};
  const auto with = [&](const char* field, const nlohmann::json& value) {
    nlohmann::json changed = fine;
    changed["model"][field] = value;
    hostile.push_back(changed);
  };
  with("more", 1);
  with("formula", 1);
  with("formula", std::string(20'000, 'x'));
  with("cuts", "1");
  with("sd", {"1"});
  with("sigma", "1");
  with("covariance", {1.0});
  with("likelihood_power", nullptr);
  nlohmann::json missing = fine;
  missing["model"].erase("sigma");
  hostile.push_back(missing);
  for (const nlohmann::json& one : hostile)
    EXPECT_EQ(error_in([&] { static_cast<void>(declaration_from_json(one)); }).first, ErrorCode::data) << one;
  // Fields that can be read, of models that there are not.
  TestEntropy entropy(3);
  ServedOwner owner(0, entropy);
  for (const auto& [field, value] :
       std::vector<std::pair<std::string, nlohmann::json>>{{"family", "none"},
                                                           {"formula", "y ~ ((x"},
                                                           {"formula", ""},
                                                           {"sd", {-1.0}},
                                                           {"likelihood_power", 0.0}}) {
    nlohmann::json changed = fine;
    changed["model"][field] = value;
    EXPECT_EQ(error_in([&] { RemoteOwner(owner.carrier(), owner.signer.key(), changed); }).first,
              ErrorCode::configuration)
        << changed;
  }
  EXPECT_EQ(owner.reads, 0);
}

TEST(ServedTable, all_analysts_share_its_books) {
  TestEntropy entropy(3);
  ServedOwner owner(0, entropy);
  const FitConfig config = served_config({});
  RemoteOwner ada(owner.carrier("ada"), owner.signer.key(), served_declaration(config));
  RemoteOwner bob(owner.carrier("bob"), owner.signer.key(),
                  served_declaration(served_config({"model.formula=\"y ~ 1\""})));
  const double all = owner.books.left().value();
  const Query most = gradient_question(all * 0.9);
  EXPECT_TRUE(std::holds_alternative<Released<NoisyGradient>>(ada.answer({&most, 1})[0]));
  const Query more = gradient_question(all * 0.2, 1);
  EXPECT_EQ(std::get<QueryStatus>(bob.answer({&more, 1})[0]), QueryStatus::budget);
  EXPECT_EQ(bob.left(), owner.books.left());
  EXPECT_LT(bob.left().value(), all * 0.1 + 1e-12);
}

TEST(ServedTable, says_nothing_of_what_went_wrong_once_rows_were_read) {
  const FitConfig config = served_config({});
  TestEntropy entropy(3);
  ServedOwner owner(0, entropy, 1, [](const Booking&) { throw Error(ErrorCode::io, "cell 17 is 4.25"); });
  RemoteOwner session(owner.carrier(), owner.signer.key(), served_declaration(config));
  const Query question = gradient_question();
  const auto [code, said] = error_in([&] { static_cast<void>(session.answer({&question, 1})); });
  EXPECT_EQ(code, ErrorCode::io);
  EXPECT_THAT(said, testing::HasSubstr("could not answer"));
  EXPECT_THAT(said, testing::Not(testing::HasSubstr("17")));
}

TEST(ServedTable, an_owner_that_goes_away_leaves_what_was_paid) {
  const FitConfig config = served_config(kShortPenalty);
  TestEntropy entropy(3);
  ServedOwner owner(0, entropy);
  int answered = 0;
  const OwnerCarrier goes_away = [&](OwnerCall call, const Bytes& question) {
    if (call == OwnerCall::answer && ++answered > 5) throw Error(ErrorCode::unavailable, "owner-0 has gone");
    return owner.table.reply(call, question, "ada");
  };
  const std::vector<OwnerElsewhere> elsewhere{session_with(goes_away, owner.signer.key(), config)};
  const Problem problem = make_problem(config, served_schema(), {}, elsewhere);
  try {
    static_cast<void>(fit(config, problem, entropy));
    FAIL();
  } catch (const PaidError& error) {
    EXPECT_EQ(error.code(), ErrorCode::unavailable);
    EXPECT_STREQ(error.what(), "owner-0 has gone");
    EXPECT_GT(error.privacy().spent_epsilon, 0);
    EXPECT_GE(error.privacy().rho,
              owner.books.spent().value());  // the last question was booked before it was sent
  }
}

// The log tells of questions and charges: it is the same for other rows.
TEST(ServedTable, its_log_is_the_same_for_any_rows) {
  const auto log_of = [](std::size_t o) {
    const FitConfig config = served_config({});
    TestEntropy entropy(3);
    AnswerSigner signer;
    Budget books(Epsilon(1), Delta(1e-6));
    std::vector<std::string> log;
    ServedTable table(
        {.name = "n", .schema = served_schema(Adjacency::add_remove)},
        [o](const Schema& columns) { return served_rows(o, columns); }, signer, books, entropy,
        [&](const std::string& line) { log.push_back(line); });
    RemoteOwner session(
        [&](OwnerCall call, const Bytes& question) { return table.reply(call, question, "ada"); },
        signer.key(), served_declaration(config, served_schema(Adjacency::add_remove)));
    const std::vector<Query> questions(3, gradient_question());
    static_cast<void>(session.answer(questions));
    return log;
  };
  EXPECT_EQ(log_of(0), log_of(2));
  ASSERT_EQ(log_of(0).size(), 2u);
  EXPECT_THAT(log_of(0)[1], testing::StartsWith("ada asked 3 questions; rho 0.003"));
}

TEST(ServedTable, an_old_session_makes_room_where_one_analyst_has_most) {
  const FitConfig config = served_config({});
  TestEntropy entropy(3);
  ServedOwner owner(0, entropy);
  const auto begin = [&](const std::string& analyst) {
    return RemoteOwner(owner.carrier(analyst), owner.signer.key(), served_declaration(config));
  };
  const auto ended = [](const RemoteOwner& session) {
    return error_in([&] { static_cast<void>(session.left()); }).second.find("no such session") !=
           std::string::npos;
  };
  const RemoteOwner first = begin("ada");
  const RemoteOwner second = begin("ada");
  // One who begins again and again ends sessions of one's own.
  for (std::size_t s = 0; s < 3 * ServedTable::kMostSessions; ++s) static_cast<void>(begin("bob"));
  EXPECT_FALSE(ended(first));
  EXPECT_FALSE(ended(second));
  // Others take the places of who has most.
  const RemoteOwner cleo = begin("cleo");
  for (const char* one : {"dan", "eve", "fay", "gus"}) static_cast<void>(begin(one));
  EXPECT_FALSE(ended(first));
  EXPECT_FALSE(ended(cleo));
  for (std::size_t s = 0; s < ServedTable::kMostOfOne; ++s) static_cast<void>(begin("ada"));
  EXPECT_TRUE(ended(first));
}

// Lists within lists take a stack to read, and many answers a memory to make.
TEST(ServedTable, what_would_break_its_process_is_refused_free_of_charge) {
  const FitConfig config = served_config({});
  TestEntropy entropy(3);
  ServedOwner owner(0, entropy);
  const std::string deep = std::string(200000, '[') + std::string(200000, ']');
  for (const std::string& text :
       {R"({"protocol":1,"call":"open","nonce":"n","declaration":)" + deep + "}", deep,
        R"({"protocol":1,"call":"open","nonce":"[[","declaration":{"a":")" + std::string(100, '[') +
            "\"}}"}) {
    const auto error = error_in([&] {
      static_cast<void>(owner.table.reply(OwnerCall::open, Bytes(text.begin(), text.end()), "ada"));
    });
    EXPECT_EQ(error.first, ErrorCode::data);
  }
  RemoteOwner session(owner.carrier(), owner.signer.key(), served_declaration(config));
  const Query histograms = ColumnHistogramsQuery{{0, 1}, {{0, 1}, {-1, 1}}, 4096, Rho(1e-9)};
  const std::vector<Query> many(300, histograms);
  const Rho all = owner.books.left();
  const auto error = error_in([&] { static_cast<void>(session.answer(many)); });
  EXPECT_THAT(error.second, testing::HasSubstr("too much is asked at once"));
  EXPECT_EQ(owner.books.left(), all);
}

TEST(ServedTable, a_log_that_cannot_be_written_loses_no_answer) {
  const FitConfig config = served_config({});
  TestEntropy entropy(3);
  AnswerSigner signer;
  Budget books(Epsilon(1), Delta(1e-6));
  ServedTable table(
      {.name = "n", .schema = served_schema()}, [](const Schema& columns) { return served_rows(0, columns); },
      signer, books, entropy, [](const std::string&) { throw std::runtime_error("full"); });
  RemoteOwner session(
      [&](OwnerCall call, const Bytes& question) { return table.reply(call, question, "ada"); }, signer.key(),
      served_declaration(config));
  const Query question = gradient_question();
  EXPECT_FALSE(std::holds_alternative<QueryStatus>(session.answer({&question, 1})[0]));
}

}  // namespace
}  // namespace sotto
