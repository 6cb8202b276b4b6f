// A session of an owner with one analyst in another process: questions in bytes, replies that are signed.
#pragma once

#include <cstdint>
#include <string>

#include "sotto/base/curator_side.hpp"
#include "sotto/owner/answer_signer.hpp"
#include "sotto/release/owner_protocol.hpp"

namespace sotto {

/// What is asked may be hostile. What cannot be read, is asked out of turn or has no answer from this model is refused before a row
/// is read, for nothing, in words that follow from the question and from public things. Where anything fails once rows may have been
/// read, the reply is one constant sentence.
/// Checked by tests/sotto_rpc/served_table_test.cpp: what_cannot_be_answered_costs_nothing, a_question_is_asked_once
class OwnerSession {
 public:
  /// Who is called here outlives this. `id`: as in the terms that the analyst was told.
  OwnerSession(QueryInterface& owner, const AnswerSigner& signer, std::string id)
      : owner_(&owner), signer_(&signer), id_(std::move(id)) {}

  /// To any call but `open`; `asked`: what the bytes of `question` say.
  /// Errors: data, configuration: nothing was charged. io: something may have been.
  [[nodiscard]] OwnerReply reply(OwnerCall call, const Bytes& question, const AskedInSession& asked);

  [[nodiscard]] const std::string& id() const { return id_; }

 private:
  QueryInterface* owner_;
  const AnswerSigner* signer_;
  std::string id_;
  std::uint64_t turn_ = 0;
};

}  // namespace sotto
