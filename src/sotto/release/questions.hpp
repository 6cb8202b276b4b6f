// Questions as bytes: how whoever asks from another process says what it wants to know.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "sotto/release/query.hpp"

namespace sotto {

/// An array of ["name", {field: value, ...}], one per question. Numbers keep every bit; what JSON has no number for is one of the
/// strings "inf", "-inf" and "nan", so that an owner elsewhere refuses what one in this process would refuse.
/// Checked by tests/release/questions_test.cpp: arrive_with_every_bit
[[nodiscard]] nlohmann::json encode_questions(std::span<const Query> questions);

/// What `encode_questions` wrote. Every field must be there, and no other: a question from elsewhere is one that this program could have
/// asked, or none. Whether its numbers make sense for a model is the measurements' to say.
/// Errors: data, in a constant sentence, for anything else; whoever refuses a question so has read no row for it.
/// Checked by tests/release/questions_test.cpp: that_are_none_are_refused
[[nodiscard]] std::vector<Query> decode_questions(const nlohmann::json& json);

}  // namespace sotto
