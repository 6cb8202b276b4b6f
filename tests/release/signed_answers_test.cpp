#include "sotto/release/signed_answers.hpp"

#include <gtest/gtest.h>
#include <sodium.h>

#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>

#include "sotto/base/error.hpp"
#include "sotto/owner/answer_signer.hpp"
#include "support/released_for_tests.hpp"

namespace sotto {
namespace {

Bytes bytes(std::string_view text) { return {text.begin(), text.end()}; }

Position position(std::initializer_list<double> values) {
  Position p(static_cast<Eigen::Index>(values.size()));
  std::copy(values.begin(), values.end(), p.begin());
  return p;
}

/// One of each kind, with numbers whose bits are easily lost.
std::vector<Answer> one_of_each() {
  const double tiny = std::numeric_limits<double>::denorm_min();
  const NoisyGradient gradient{position({0.1, -1e300}), position({1.0 / 3, 2})};
  const NoisyRatio ratio{-0.0, 0x1.fffffffffffffp-41};
  std::vector<Answer> answers{
      QueryStatus::out_of_range,
      ReleasedForTests::make(ratio),
      ReleasedForTests::make(gradient),
      ReleasedForTests::make(NoisyStatistic{position({tiny}), position({3}), position({0.25})}),
      ReleasedForTests::make(NoisyJoint{gradient, ratio}),
      ReleasedForTests::make(NoisyVector{position({}), 5}),
      ReleasedForTests::make(NoisyMatrix{Matrix{{1, 0.3}, {0.3, -7}}, 0.7})};
  EXPECT_EQ(answers.size(), std::variant_size_v<Answer>);
  return answers;
}

template <class Noisy>
const Noisy& value(const Answer& answer) {
  return std::get<Released<Noisy>>(answer).value();
}

ErrorCode error_of(const SignedAnswers& message, const Bytes& question, const OwnerKey& key) {
  try {
    (void)VerifiedAnswers::open(message, question, key);
  } catch (const Error& e) {
    return e.code();
  }
  return ErrorCode::usage;
}

TEST(SignedAnswers, arrive_with_every_bit) {
  const AnswerSigner owner;
  const std::vector<Answer> sent = one_of_each();
  const auto opened =
      VerifiedAnswers::open(owner.sign(sent, bytes("question 1")), bytes("question 1"), owner.key());
  ASSERT_EQ(opened.size(), sent.size());
  for (std::size_t i = 0; i < sent.size(); ++i) EXPECT_EQ(opened[i].index(), sent[i].index());
  EXPECT_EQ(encode_answers(opened), encode_answers(sent));
  EXPECT_EQ(std::get<QueryStatus>(opened[0]), QueryStatus::out_of_range);
  EXPECT_TRUE(std::signbit(value<NoisyRatio>(opened[1]).value));
  EXPECT_EQ(value<NoisyRatio>(opened[1]).variance, 0x1.fffffffffffffp-41);
  EXPECT_EQ(value<NoisyGradient>(opened[2]).value, position({0.1, -1e300}));
  EXPECT_EQ(value<NoisyGradient>(opened[2]).variance, position({1.0 / 3, 2}));
  EXPECT_EQ(value<NoisyStatistic>(opened[3]).value[0], std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(value<NoisyStatistic>(opened[3]).quantum[0], 0.25);
  EXPECT_EQ(value<NoisyJoint>(opened[4]).gradient.value, position({0.1, -1e300}));
  EXPECT_EQ(value<NoisyVector>(opened[5]).value.size(), 0);
  EXPECT_EQ(value<NoisyMatrix>(opened[6]).value, (Matrix{{1, 0.3}, {0.3, -7}}));
  EXPECT_EQ(value<NoisyMatrix>(opened[6]).variance, 0.7);
}

// Every byte of the message is held by the signature, and so is the question.
TEST(SignedAnswers, of_others_or_changed_on_the_way_are_no_releases) {
  const AnswerSigner owner;
  const AnswerSigner other;
  const Bytes question = bytes("question 2");
  const SignedAnswers message = owner.sign(one_of_each(), question);
  EXPECT_EQ(error_of(message, question, owner.key()), ErrorCode::usage);  // none
  EXPECT_EQ(error_of(message, question, other.key()), ErrorCode::data);
  EXPECT_EQ(error_of(message, question, OwnerKey{}), ErrorCode::data);
  EXPECT_EQ(error_of(message, bytes("question 3"), owner.key()), ErrorCode::data);
  EXPECT_EQ(error_of(message, bytes(""), owner.key()), ErrorCode::data);
  for (std::size_t i = 0; i < message.answers.size(); ++i) {
    SignedAnswers changed = message;
    changed.answers[i] ^= 1;
    EXPECT_EQ(error_of(changed, question, owner.key()), ErrorCode::data) << i;
  }
  for (std::size_t i = 0; i < message.signature.size(); ++i) {
    SignedAnswers changed = message;
    changed.signature[i] ^= 1;
    EXPECT_EQ(error_of(changed, question, owner.key()), ErrorCode::data) << i;
  }
  SignedAnswers shorter = message;
  shorter.answers.pop_back();
  EXPECT_EQ(error_of(shorter, question, owner.key()), ErrorCode::data);
}

// The border between question and answers cannot be moved: "ab" + "c" is not "a" + "bc".
TEST(SignedAnswers, hold_where_the_question_ends) {
  EXPECT_NE(signed_bytes(bytes("ab"), bytes("c")), signed_bytes(bytes("a"), bytes("bc")));
}

// Nor by a length that is written with too few bytes.
TEST(SignedAnswers, hold_where_a_long_question_ends) {
  for (const std::size_t moved : {1, 1 << 8, 1 << 16, 1 << 24}) {
    const Bytes text(moved + 2, 'a');
    const std::span<const std::uint8_t> all(text);
    EXPECT_TRUE(signed_bytes(all.first(1), all.subspan(1)) !=
                signed_bytes(all.first(1 + moved), all.subspan(1 + moved)))
        << moved;
  }
}

// All that is signed starts alike, with words that name what it is for; the rest alone, signed with the same key, is something
// else.
TEST(SignedAnswers, signed_for_another_purpose_are_refused) {
  ASSERT_GE(sodium_init(), 0);
  OwnerKey key;
  std::array<std::uint8_t, crypto_sign_SECRETKEYBYTES> secret{};
  crypto_sign_keypair(key.bytes.data(), secret.data());
  const Bytes answers = encode_answers(one_of_each());
  const Bytes question = bytes("question 4");
  const Bytes whole = signed_bytes(question, answers);
  std::size_t purpose = whole.size();
  for (const char* other : {"", "?", "another question, and a longer one", "question 5"}) {
    const Bytes start = signed_bytes(bytes(other), bytes(other));
    const auto differ = std::mismatch(whole.begin(), whole.end(), start.begin(), start.end()).first;
    purpose = std::min(purpose, static_cast<std::size_t>(differ - whole.begin()));
  }
  const auto opens_without = [&](std::size_t cut) {
    SignedAnswers message{answers, {}};
    crypto_sign_detached(message.signature.data(), nullptr, whole.data() + cut, whole.size() - cut,
                         secret.data());
    return error_of(message, question, key) == ErrorCode::usage;
  };
  EXPECT_TRUE(opens_without(0));
  EXPECT_FALSE(opens_without(purpose));
  EXPECT_GE(purpose, 8U);
}

// An owner may be hostile to whoever asks: what it signs is still read with care.
TEST(SignedAnswers, that_are_none_are_refused_whoever_signed_them) {
  using nlohmann::json;
  ASSERT_GE(sodium_init(), 0);
  OwnerKey key;
  std::array<std::uint8_t, crypto_sign_SECRETKEYBYTES> secret{};
  crypto_sign_keypair(key.bytes.data(), secret.data());
  const auto as_text = [](const json& answers) { return bytes(answers.dump()); };
  const auto opens = [&](const Bytes& answers) {
    SignedAnswers message{answers, {}};
    const Bytes all = signed_bytes(bytes("q"), answers);
    crypto_sign_detached(message.signature.data(), nullptr, all.data(), all.size(), secret.data());
    return error_of(message, bytes("q"), key) == ErrorCode::usage;
  };
  const json vector = {{5, {{1.0, 2.0}, 3.0}}};
  EXPECT_TRUE(opens(as_text(vector)));
  const std::vector<json> hostile = {
      7,
      {{7, {1.0, 2.0}}},                                        // no such kind
      {{-1, {1.0, 2.0}}},                                       //
      {{0, 2}},                                                 // no such refusal
      {{1, {1.0}}},                                             // no variance
      {{1, {1.0, -1.0}}},                                       // a negative one
      {{1, {1.0, std::numeric_limits<double>::quiet_NaN()}}},   //
      {{2, {{1.0, 2.0}, {1.0}}}},                               // a value without a variance
      {{3, {{1.0}, {1.0}, {1.0, 1.0}}}},                        //
      {{4, {{{1.0}, {1.0}}, {1.0, -1.0}}}},                     //
      {{5, {"x", 1.0}}},                                        //
      {{6, {{2, 2, {1.0, 2.0, 3.0}}, 1.0}}},                    // three entries of four
      {{6, {{-1, -3, {1.0, 2.0, 3.0}}, 1.0}}},                  //
      {{6, {{std::int64_t{1} << 62, 4, json::array()}, 1.0}}},  // a product that overflows to nothing
      {{6, {{2, 2, {1.0, 2.0, 3.0, 4.0}}}}},                    //
  };
  for (const json& answers : hostile) EXPECT_FALSE(opens(as_text(answers))) << answers;
  EXPECT_FALSE(opens({}));
  EXPECT_FALSE(opens(bytes("not JSON")));
  Bytes longer = as_text(vector);
  longer.push_back(']');
  EXPECT_FALSE(opens(longer));
  EXPECT_FALSE(opens(Bytes(1 << 20, '[')));  // arrays in arrays in arrays
}

}  // namespace
}  // namespace sotto
