// sotto serve: an owner of a table, which answers analysts in other processes.
#include <fmt/core.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "cli/confidential.hpp"
#include "cli/interruption.hpp"
#include "cli/remark.hpp"
#include "cli/transport_identity.hpp"
#include "cli/verbs.hpp"
#include "sotto/base/error.hpp"
#include "sotto/entropy/entropy.hpp"
#include "sotto/owner/answer_signer.hpp"
#include "sotto/report/run_json.hpp"
#include "sotto/run/problem.hpp"
#include "sotto/run/served_table.hpp"
#include "sotto_io/owner_books.hpp"
#include "sotto_io/owner_toml.hpp"
#include "sotto_io/schema_toml.hpp"
#include "sotto_io/signing_key.hpp"
#include "sotto_io/table_file.hpp"

namespace sotto::cli {
namespace {

struct ServeOptions {
  std::string owner;
  bool new_books = false;
  bool json = false;
};

void log_line(const std::string& line) { remark(stderr, "sotto: {}\n", line); }

/// Every connection is an open file, also of those who never say who they are.
void allow_many_connections() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  static_cast<void>(::setrlimit(RLIMIT_NOFILE, &limit));
}

/// The first line of the books: whose rows, and how much of them.
nlohmann::ordered_json promise_to_all(const OwnerSettings& owner, const Schema& schema) {
  nlohmann::ordered_json promise{{"started", utc_now()},
                                 {"epsilon", owner.epsilon},
                                 {"delta", owner.delta},
                                 {"adjacency", adjacency_name(schema.adjacency)},
                                 {"privacy_unit", in_words(unit_of(schema), schema.unit.person)}};
  if (!schema.unit.is_row()) {
    promise["person"] = schema.unit.person;
    promise["maximum_rows"] = schema.unit.maximum_rows;
  }
  promise["data"] = owner.file.filename().string();
  promise["title"] = owner.name;
  return promise;
}

void say_where(const OwnerSettings& owner, const AnswerSigner& signer, int port, const OwnerBooks& books,
               bool json) {
  const std::string host = owner.listen.substr(0, owner.listen.rfind(':'));
  const std::string address = fmt::format("{}:{}", host, port);
  if (json) {
    fmt::print("{}\n", nlohmann::ordered_json({{"name", owner.name},
                                               {"address", address},
                                               {"public_key", to_text(signer.key())},
                                               {"epsilon", owner.epsilon},
                                               {"delta", owner.delta},
                                               {"rho_left", books.left().value()}})
                           .dump());
  } else {
    fmt::print(
        "{} answers at {}\nits public key is {}\n(epsilon, delta) = ({:g}, {:g}) over all who ask; rho "
        "{:.4g} is "
        "left\n",
        owner.name, address, to_text(signer.key()), owner.epsilon, owner.delta, books.left().value());
  }
  std::fflush(stdout);
}

void serve(const ServeOptions& options) {
  const OwnerSettings owner = read_owner_toml(options.owner);
  const Schema schema = read_schema(owner.schema);
  hold_rows();
  const TransportIdentity identity = read_identity(owner.transport);
  const AnswerSigner signer(read_signing_seed(owner.signing));
  const ServedTerms terms{
      .name = owner.name,
      .schema = schema,
      .families = owner.families,
      .formulas = owner.formulas,
      .threads = owner.threads > 0 ? owner.threads
                                   : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()))};
  const TableReader read = [file = owner.file](const Schema& columns) { return read_table(file, columns); };
  check_served_table(terms, read, Delta(owner.delta));
  std::signal(SIGPIPE, SIG_IGN);
  allow_many_connections();
  OwnerBooks books(owner.books, options.new_books ? OwnerBooks::Begin::anew : OwnerBooks::Begin::again,
                   Epsilon(owner.epsilon), Delta(owner.delta), promise_to_all(owner, schema));
  SystemEntropy entropy;
  ServedTable table(terms, read, signer, books, entropy,
                    [](const std::string& line) { log_line(fmt::format("{} {}", utc_now(), line)); });
  note_signals();
  {
    const OwnerServer server(
        identity, owner.listen, [&](OwnerCall call, const Bytes& question, const std::string& analyst) {
          const auto& allowed = owner.analysts;
          if (!allowed.empty() && std::find(allowed.begin(), allowed.end(), analyst) == allowed.end())
            refuse(fmt::format("the owner {} does not answer you", owner.name));
          return table.reply(call, question, analyst);
        });
    say_where(owner, signer, server.port(), books, options.json);
    while (!interrupted()) std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  books.close();
  log_line(fmt::format("{} answers no more; rho {:.4g} is left", owner.name, books.left().value()));
}

}  // namespace

void add_serve(CLI::App& program, int&) {
  auto options = std::make_shared<ServeOptions>();
  CLI::App* verb = program.add_subcommand("serve", "Answer questions about a table, from other processes");
  verb->add_option(
          "OWNER", options->owner,
          "configuration of the owner (TOML): name, file, schema, listen, books, authority, certificate, "
          "key, signing, [privacy] epsilon and delta, [allow] analysts, families, formulas")
      ->required();
  verb->add_flag("--new-books", options->new_books,
                 "begin the books: for rows that nobody was answered from before, from no books at all");
  verb->add_flag("--json", options->json, "print one JSON object: where it listens, and its public key");
  verb->footer(
      "Example:\n  sotto keys keys --owners north --analysts ada\n  cat > north.toml <<END\n  name = "
      "\"north\"\n"
      "  file = \"north.csv\"\n  schema = \"visits.schema.toml\"\n  listen = \"0.0.0.0:7443\"\n  books = "
      "\"books\"\n"
      "  authority = \"keys/authority.pem\"\n  certificate = \"keys/north.pem\"\n  key = \"keys/north.key\"\n"
      "  signing = \"keys/north.signing\"\n  [privacy]\n  epsilon = 1.0\n  delta = 1e-6\n  END\n"
      "  sotto serve --new-books north.toml   # later without --new-books\n\nIt answers until it is "
      "interrupted. What all analysts spend, over all "
      "restarts, stands in "
      "the directory of\nbooks and stays within epsilon and delta.");
  verb->callback([options] { serve(*options); });
}

}  // namespace sotto::cli
