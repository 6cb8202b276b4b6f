#include "sotto/run/served_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include "sotto/base/error.hpp"
#include "sotto/base/one_line.hpp"
#include "sotto/report/privacy_statement.hpp"
#include "sotto/run/declaration.hpp"
#include "sotto/run/fit_config.hpp"
#include "sotto/run/problem.hpp"

namespace sotto {
namespace {

constexpr std::size_t kLongestOfLine = 200;

bool allows(const std::vector<std::string>& allowed, const std::string& asked) {
  return allowed.empty() || std::find(allowed.begin(), allowed.end(), asked) != allowed.end();
}

const char* name_of(OwnerCall call) {
  return call == OwnerCall::answer ? "asked" : "asked whether it may ask";
}

}  // namespace

ServedTable::ServedTable(ServedTerms terms, TableReader read, const AnswerSigner& signer, Ledger& ledger,
                         EntropySource& entropy, ServedLog log)
    : terms_(std::move(terms)),
      read_(std::move(read)),
      signer_(&signer),
      ledger_(&ledger),
      entropy_(&entropy),
      log_(std::move(log)) {}

/// A line that cannot be written is no reason to lose an answer that was paid for.
void ServedTable::say(const std::string& line) const {
  try {
    if (log_) log_(one_line(line, kLongestOfLine));
  } catch (const std::exception&) {
  }
}

OwnerReply ServedTable::reply(OwnerCall call, const Bytes& question, const std::string& analyst) {
  const std::lock_guard<std::mutex> alone(one_at_a_time_);
  if (call == OwnerCall::open) return open(question, analyst);
  const AskedInSession asked = read_asked_in_session(call, question);
  Session& session = find(asked.session, analyst);
  const double before = ledger_->left().value();
  // Also when it fails: what was charged is said.
  const auto say_charge = [&] {
    const double left = ledger_->left().value();
    if (call != OwnerCall::answer) return;
    say(fmt::format("{} {} {} question{}; rho {:.4g} charged, {:.4g} left", analyst, name_of(call),
                    asked.questions.size(), asked.questions.size() == 1 ? "" : "s", before - left, left));
  };
  try {
    OwnerReply reply = session.asked.reply(call, question, asked);
    say_charge();
    return reply;
  } catch (const Error&) {
    say_charge();
    throw;
  }
}

ServedTable::Session& ServedTable::find(const std::string& id, const std::string& analyst) {
  const auto found = std::find_if(sessions_.begin(), sessions_.end(), [&](const Session& session) {
    return session.asked.id() == id && session.analyst == analyst;
  });
  if (found == sessions_.end())
    throw Error(ErrorCode::data,
                "the owner knows no such session of yours: it was restarted, or others began meanwhile");
  std::rotate(found, std::next(found), sessions_.end());
  return sessions_.back();
}

OwnerReply ServedTable::open(const Bytes& question, const std::string& analyst) {
  const Declaration declaration = declaration_from_json(read_asked_to_open(question).declaration);
  std::shared_ptr<Declared> about = declared(declaration);
  make_place(analyst);
  DataOwner& owner = *about->owner;
  const OwnerTerms terms{.name = terms_.name,
                         .session = draw_name(),
                         .epsilon = ledger_->epsilon().value(),
                         .delta = ledger_->delta().value(),
                         .left = ledger_->left().value(),
                         .rows = about->rows,
                         .noise_source = entropy_->name(),
                         .noise_is_private = entropy_->is_private()};
  sessions_.push_back({analyst, std::move(about), OwnerSession(owner, *signer_, terms.session)});
  say(fmt::format("{} begins: {}, {}", analyst, declaration.model.family, declaration.model.formula));
  return signer_->sign_words(to_json(terms), question);
}

/// Nobody's sessions end for one who has many.
void ServedTable::make_place(const std::string& analyst) {
  const auto held_by = [this](const std::string& one) {
    return std::ranges::count(sessions_, one, &Session::analyst);
  };
  const auto drop_first_of = [this](const std::string& one) {
    sessions_.erase(std::ranges::find(sessions_, one, &Session::analyst));
  };
  if (held_by(analyst) >= static_cast<std::ptrdiff_t>(kMostOfOne)) return drop_first_of(analyst);
  if (sessions_.size() < kMostSessions) return;
  const std::string most = std::ranges::max_element(sessions_, {}, [&](const Session& session) {
                             return held_by(session.analyst);
                           })->analyst;
  drop_first_of(most);
}

/// Sessions about the same thing share the rows.
std::shared_ptr<ServedTable::Declared> ServedTable::declared(const Declaration& asked) {
  const std::string text = to_json(asked).dump();
  for (const Session& session : sessions_) {
    if (session.declared->declaration == text) return session.declared;
  }
  return read_as(asked, text);
}

std::shared_ptr<ServedTable::Declared> ServedTable::read_as(const Declaration& asked,
                                                            const std::string& text) const {
  if (!allows(terms_.families, asked.model.family))
    refuse(fmt::format("the owner {} answers no model of this family", terms_.name));
  if (!allows(terms_.formulas, asked.model.formula))
    refuse(fmt::format("the owner {} does not answer this formula", terms_.name));
  if (!(asked.model.likelihood_power > 0 && asked.model.likelihood_power <= 1))
    refuse("model.likelihood_power must lie in (0, 1]");
  FitConfig config;
  config.model = asked.model;
  // Before a row is read: whatever is wrong with model and schema.
  const Problem without_rows = make_problem_without_rows(config, terms_.schema, std::nullopt);
  if (without_rows.public_info.declaration != asked.schema) {
    refuse(fmt::format(
        "the owner {} declares other columns, bounds, unit or adjacency than yours: take the schema "
        "that it gave out",
        terms_.name));
  }
  std::optional<Table> table;
  try {
    table = read_(terms_.schema.select(columns_read(config.model)));
  } catch (const std::exception&) {
    throw Error(ErrorCode::io,
                fmt::format("the owner {} cannot read its table: ask its keeper", terms_.name));
  }
  const Problem problem = make_problem(config, *table);
  return std::make_shared<Declared>(
      Declared{text, problem.public_info.rows,
               std::make_unique<DataOwner>(problem.rows(), problem.model, problem.unit,
                                           ExecutionOptions{config.model.likelihood_power, terms_.threads},
                                           *ledger_, *entropy_)});
}

void check_served_table(const ServedTerms& terms, const TableReader& read, Delta delta) {
  const Table table = read(terms.schema);
  refuse_no_rows(table);
  check_promise(delta.value(), public_rows(table));
}

}  // namespace sotto
