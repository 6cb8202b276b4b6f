// sotto keys: certificates and signing keys of a consortium, for trying things out.
#include <fmt/core.h>

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cli/verbs.hpp"
#include "sotto/base/error.hpp"
#include "sotto_io/atomic_file.hpp"
#include "sotto_io/result_files.hpp"
#include "sotto_io/run_directory.hpp"
#include "sotto_io/signing_key.hpp"
#include "sotto_rpc/certificates.hpp"

namespace sotto::cli {
namespace {

struct KeysOptions {
  std::string directory;
  std::vector<std::string> owners{"owner"};
  std::vector<std::string> analysts{"analyst"};
};

void write_pair(const std::filesystem::path& folder, const std::string& name, const CertifiedKey& pair) {
  write_secret_file(folder / (name + ".pem"), pair.certificate);
  write_secret_file(folder / (name + ".key"), pair.key);
}

void make_keys(const KeysOptions& options) {
  std::set<std::string> names{"authority"};
  for (const auto* list : {&options.owners, &options.analysts}) {
    for (const std::string& name : *list) {
      if (!names.insert(name).second)
        refuse(fmt::format("two would be called {}: give each a name of its own", name));
    }
  }
  const std::filesystem::path folder = options.directory;
  if (std::filesystem::exists(folder / "authority.pem") ||
      std::filesystem::exists(folder / "authority.key")) {
    throw Error(ErrorCode::cannot_create,
                fmt::format("{} has an authority already: choose another directory", folder.string()));
  }
  if (std::filesystem::exists(charges_file(folder)) || holds_results(folder)) {
    throw Error(
        ErrorCode::cannot_create,
        fmt::format("{} holds results, which are passed on, and keys are not: choose another directory",
                    folder.string()));
  }
  const CertifiedKey authority = make_authority();
  std::vector<std::pair<std::string, CertifiedKey>> made;
  for (const std::string& name : options.owners)
    made.emplace_back(name, make_certificate(authority, name, CertifiedRole::owner));
  for (const std::string& name : options.analysts)
    made.emplace_back(name, make_certificate(authority, name, CertifiedRole::analyst));
  make_directory(folder);
  write_pair(folder, "authority", authority);
  for (const auto& [name, pair] : made) write_pair(folder, name, pair);
  for (const std::string& name : options.owners)
    make_signing_key(folder / (name + ".signing"), folder / (name + ".public"));
  fmt::print(
      "{}: authority.pem for all; .pem and .key for each; .signing for the owner alone; .public for "
      "analysts\n",
      folder.string());
}

}  // namespace

void add_keys(CLI::App& program, int&) {
  auto options = std::make_shared<KeysOptions>();
  CLI::App* verb =
      program.add_subcommand("keys", "Make certificates and signing keys for owners and analysts");
  verb->add_option("DIR", options->directory, "directory to make them in")->required();
  verb->add_option("--owners", options->owners, "their names, with commas between them (default owner)")
      ->delimiter(',')
      ->take_all()
      ->allow_extra_args(false);
  verb->add_option("--analysts", options->analysts, "likewise (default analyst)")
      ->delimiter(',')
      ->take_all()
      ->allow_extra_args(false);
  verb->footer(
      "Example:\n  sotto keys keys --owners north,south --analysts ada\n\nAll of it is made in one place, "
      "and "
      "authority.key there can make more: this is for trying things out. Where owners do not\ntrust whoever "
      "runs it, each "
      "makes a key of its own and has a certificate from an authority that all accept.");
  verb->callback([options] { make_keys(*options); });
}

}  // namespace sotto::cli
