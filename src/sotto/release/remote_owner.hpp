// An owner in another process, as whoever asks sees it.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <vector>

#include "sotto/release/owner_protocol.hpp"

namespace sotto {

/// A session with an owner elsewhere. Every question names the session and its turn, and every reply counts only under the owner's
/// signature for that very question: an answer to another analyst, or to an earlier question, is none to this one.
/// Errors: of all of its functions, those of the carrier; data where a reply is not that owner's, or does not fit the question.
/// Checked by tests/sotto_rpc/served_table_test.cpp: an_owner_elsewhere_answers_as_one_here, an_answer_to_another_question_is_none,
/// an_answer_of_another_shape_is_none
class RemoteOwner final : public QueryInterface {
 public:
  /// Begins a session about `declaration`. Errors: also the owner's reason to refuse it.
  RemoteOwner(OwnerCarrier carry, const OwnerKey& key, const nlohmann::json& declaration);

  [[nodiscard]] std::vector<Answer> answer(std::span<const Query> queries) override;
  [[nodiscard]] std::vector<std::optional<QueryStatus>> refusals(
      std::span<const Query> queries) const override;
  [[nodiscard]] Rho left() const override;

  /// What it said when the session began.
  [[nodiscard]] const OwnerTerms& terms() const { return terms_; }
  [[nodiscard]] const OwnerKey& key() const { return key_; }

 private:
  [[nodiscard]] Bytes next_question(OwnerCall call, std::span<const Query> queries) const;

  OwnerCarrier carry_;
  OwnerKey key_;
  OwnerTerms terms_;
  mutable std::uint64_t turn_ = 0;  // of whatever is asked, answers or not
};

}  // namespace sotto
