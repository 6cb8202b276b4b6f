#include "sotto_io/owner_toml.hpp"

#include <fmt/format.h>

#include <toml++/toml.h>
#include <set>

#include "sotto/base/error.hpp"
#include "sotto/base/numbers.hpp"
#include "sotto/base/text_fault.hpp"
#include "sotto/run/settings_section.hpp"
#include "sotto_io/atomic_file.hpp"

namespace sotto {
namespace {

toml::table parse_owner_file(const std::filesystem::path& path) {
  const std::string text = read_whole_file(path);
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    refuse(fmt::format("{}: {}", path.string(), toml_fault(text, error.source().begin.line)));
  }
}

/// A path that must be given, relative to `beside`.
std::filesystem::path path_of(Section& section, const char* key, const std::filesystem::path& beside) {
  std::string path;
  section.read(key, path);
  if (path.empty()) refuse(fmt::format("{} needs {}, a path", beside.string(), section.path(key)));
  return beside.parent_path() / path;
}

std::string word_of(Section& section, const char* key, const std::filesystem::path& beside) {
  std::string word;
  section.read(key, word);
  if (word.empty()) refuse(fmt::format("{} needs {}", beside.string(), section.path(key)));
  return word;
}

TransportFiles transport_of(Section& section, const std::filesystem::path& beside) {
  return {path_of(section, "authority", beside), path_of(section, "certificate", beside),
          path_of(section, "key", beside)};
}

}  // namespace

OwnerSettings read_owner_toml(const std::filesystem::path& path) {
  const toml::table table = parse_owner_file(path);
  Section root(table, "");
  OwnerSettings owner;
  owner.name = word_of(root, "name", path);
  owner.listen = word_of(root, "listen", path);
  owner.file = path_of(root, "file", path);
  owner.schema = path_of(root, "schema", path);
  owner.books = path_of(root, "books", path);
  owner.signing = path_of(root, "signing", path);
  owner.transport = transport_of(root, path);
  root.read("threads", owner.threads);
  std::optional<double> epsilon, delta;
  root.section("privacy", [&](Section& s) {
    s.read("epsilon", epsilon);
    s.read("delta", delta);
  });
  root.section("allow", [&](Section& s) {
    s.read("analysts", owner.analysts);
    s.read("families", owner.families);
    s.read("formulas", owner.formulas);
    const auto list = [&](const char* key, const std::vector<std::string>& named) {
      if (s.find(key) != nullptr && named.empty())
        refuse(fmt::format("{}: {} names nobody: name some, or leave it out, which allows all", path.string(),
                           s.path(key)));
    };
    list("analysts", owner.analysts);
    list("families", owner.families);
    list("formulas", owner.formulas);
  });
  root.finish();
  if (!epsilon || !delta) {
    refuse(fmt::format("{}: how much may all who ask learn together? give privacy.epsilon and privacy.delta",
                       path.string()));
  }
  if (!(*epsilon > 0) || !std::isfinite(*epsilon))
    refuse(fmt::format("{}: privacy.epsilon must lie above 0", path.string()));
  if (!(*delta > 0 && *delta < 1))
    refuse(fmt::format("{}: privacy.delta must lie above 0 and below 1", path.string()));
  owner.epsilon = *epsilon;
  owner.delta = *delta;
  return owner;
}

OwnersSettings read_owners_toml(const std::filesystem::path& path) {
  const toml::table table = parse_owner_file(path);
  Section root(table, "");
  OwnersSettings owners;
  std::set<std::string> seen;
  const auto once = [&](const std::string& what) {
    if (!seen.insert(what).second)
      refuse(fmt::format("{} names {} twice: its rows would count twice", path.string(), what));
  };
  root.tables("owner", [&](Section& s) {
    std::string file;
    s.read("file", file);
    if (!file.empty()) {
      owners.files.push_back(file);
      return once(owners.files.back());
    }
    if (s.find("address") == nullptr) {
      for (const char* known : {"name", "public_key"}) s.find(known);
      s.finish();
      refuse(fmt::format("{}: every [[owner]] needs an address, or a file, its table", path.string()));
    }
    OwnerAddress owner{.name = word_of(s, "name", path), .address = word_of(s, "address", path), .key = {}};
    owner.key = path_of(s, "public_key", path).string();
    once(owner.address);
    once(owner.name);
    once(owner.key);
    owners.elsewhere.push_back(std::move(owner));
  });
  if (owners.elsewhere.empty() && owners.files.empty())
    refuse(
        fmt::format("{} names nobody: give an [[owner]] for each, with an address or a file", path.string()));
  if (!owners.elsewhere.empty()) owners.transport = transport_of(root, path);
  for (const char* key : {"authority", "certificate", "key"}) root.find(key);
  root.finish();
  return owners;
}

}  // namespace sotto
