// Whether an answer is one to that question: an owner elsewhere may say anything.
#pragma once

#include "sotto/release/query.hpp"

namespace sotto {

/// A refusal, or a release of the question's kind with as many entries as were asked for. Who reads an answer takes that for granted.
/// Checked by tests/sotto_rpc/served_table_test.cpp: an_answer_of_another_shape_is_none
[[nodiscard]] bool answers_to(const Answer& answer, const Query& question);

}  // namespace sotto
