// An owner's table as analysts in other processes may ask it: it decides what about, and its books last for all of them.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "sotto/data/schema.hpp"
#include "sotto/data/table.hpp"
#include "sotto/entropy/entropy_source.hpp"
#include "sotto/ledger/ledger.hpp"
#include "sotto/owner/answer_signer.hpp"
#include "sotto/owner/data_owner.hpp"
#include "sotto/owner/owner_session.hpp"
#include "sotto/run/declaration.hpp"

namespace sotto {

/// What an owner allows.
struct ServedTerms {
  std::string name;  ///< the owner's, for analysts
  Schema schema;     ///< of its table: a declaration must say the same of the columns that it reads
  std::vector<std::string> families{};  ///< of models; empty: any
  std::vector<std::string> formulas{};  ///< likewise
  int threads = 1;                      ///< for passes over the rows
};

/// Reads the table, decoding these columns alone.
using TableReader = std::function<Table(const Schema&)>;
/// Is told, in a line, of every session and every charge: nothing in it follows from rows.
using ServedLog = std::function<void(const std::string& line)>;

/// Query        whatever DataOwner answers, within a session
/// Adjacency    as the owner's schema declares
/// Sensitivity  from the owner's own schema and the declared model: what an analyst says of bounds is compared, never used
/// Noise        of `entropy`
/// Charge       on `ledger`, of which there is one for all sessions; each is booked before its noise is drawn
/// Source       adaptive composition over all analysts, who may be one: ledger/budget.hpp
/// Calls may come from several threads; they are answered one at a time.
/// Checked by tests/sotto_rpc/served_table_test.cpp: an_owner_elsewhere_answers_as_one_here, another_declaration_is_refused_free_of_charge
class ServedTable {
 public:
  /// Who is called here outlives this.
  ServedTable(ServedTerms terms, TableReader read, const AnswerSigner& signer, Ledger& ledger,
              EntropySource& entropy, ServedLog log = {});

  /// `analyst`: who asks, as its certificate says. A session is of the analyst who began it.
  /// Errors: data, configuration: for nothing, in words that follow from what was asked and declared; io, in a constant sentence.
  [[nodiscard]] OwnerReply reply(OwnerCall call, const Bytes& question, const std::string& analyst);

  /// Each holds a copy of the columns that it asks about. One more ends the one that was not asked for longest: of the same analyst
  /// where it has its own number of them, else of the analyst who has most.
  static constexpr std::size_t kMostSessions = 8;
  static constexpr std::size_t kMostOfOne = 4;

 private:
  /// Rows as one declaration reads them.
  struct Declared {
    std::string declaration;
    std::optional<double> rows;  ///< their number, where it is public
    std::unique_ptr<DataOwner> owner;
  };
  struct Session {
    std::string analyst;
    std::shared_ptr<Declared> declared;
    OwnerSession asked;
  };
  [[nodiscard]] OwnerReply open(const Bytes& question, const std::string& analyst);
  [[nodiscard]] std::shared_ptr<Declared> declared(const Declaration& asked);
  [[nodiscard]] std::shared_ptr<Declared> read_as(const Declaration& asked, const std::string& text) const;
  void make_place(const std::string& analyst);
  [[nodiscard]] Session& find(const std::string& id, const std::string& analyst);
  void say(const std::string& line) const;

  ServedTerms terms_;
  TableReader read_;
  const AnswerSigner* signer_;
  Ledger* ledger_;
  EntropySource* entropy_;
  ServedLog log_;
  std::mutex one_at_a_time_;
  std::deque<Session> sessions_;  // the one that was asked last comes last
};

/// A table that cannot be served is refused before anybody asks. Reads all of it, once.
/// Errors: those of `read`; data where it has no rows and their number is public; configuration for a delta above one over their number.
void check_served_table(const ServedTerms& terms, const TableReader& read, Delta delta);

}  // namespace sotto
