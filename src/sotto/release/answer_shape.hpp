// How long an answer is, and whether it is one to that question: who is elsewhere may ask and say anything.
#pragma once

#include "sotto/release/query.hpp"

namespace sotto {

/// A refusal, or a release of the question's kind with as many entries as were asked for. Who reads an answer takes that for granted.
/// Checked by tests/sotto_rpc/served_table_test.cpp: an_answer_of_another_shape_is_none
[[nodiscard]] bool answers_to(const Answer& answer, const Query& question);

/// Numbers in the answer; of a statistic, whose size is the model's to know, none are counted.
/// Checked by tests/release/answer_shape_test.cpp: numbers_are_those_of_the_answer
[[nodiscard]] std::size_t numbers_in_answer(const Query& question);

}  // namespace sotto
