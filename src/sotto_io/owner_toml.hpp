// What an owner and an analyst of owners write down before either runs: OWNER.toml and OWNERS.toml.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sotto/run/fit_config.hpp"

namespace sotto {

/// Of whoever speaks over the network: PEM files.
struct TransportFiles {
  std::filesystem::path authority;    ///< whoever signs the certificates of the others
  std::filesystem::path certificate;  ///< one's own
  std::filesystem::path key;          ///< its secret
};

/// Paths are relative to the file:
///
///   name = "north"                       # in its certificate
///   file = "north.csv"
///   schema = "north.schema.toml"
///   listen = "0.0.0.0:7443"              # port 0: any that is free
///   books = "books"                      # the directory that keeps what was spent
///   authority = "keys/authority.pem"
///   certificate = "keys/north.pem"
///   key = "keys/north.key"
///   signing = "keys/north.signing"       # the seed of its signing key
///   threads = 2                          # without it all cores
///   [privacy]                            # over all who ask, and for as long as the books last
///   epsilon = 1.0
///   delta = 1e-6
///   [allow]                              # without it whoever has a certificate, and any model
///   analysts = ["ada"]
///   families = ["bernoulli"]
///   formulas = ["y ~ x"]
struct OwnerSettings {
  std::string name;
  std::filesystem::path file, schema, books, signing;
  std::string listen;
  TransportFiles transport;
  int threads = 0;
  double epsilon = 0, delta = 0;
  std::vector<std::string> analysts{}, families{}, formulas{};
};

/// Errors: no_input; configuration, naming the key that is unknown, missing or of the wrong type.
[[nodiscard]] OwnerSettings read_owner_toml(const std::filesystem::path& path);

/// Paths are relative to the file:
///
///   authority = "keys/authority.pem"
///   certificate = "keys/ada.pem"
///   key = "keys/ada.key"
///   [[owner]]
///   name = "north"                       # in its certificate
///   address = "north.example.org:7443"
///   public_key = "keys/north.public"     # of its signing key, from the owner itself
///   [[owner]]
///   file = "here.csv"                    # a table at hand
struct OwnersSettings {
  TransportFiles transport;
  std::vector<OwnerAddress> elsewhere;
  std::vector<std::string> files;  ///< as they stand there
};

/// Errors: as of read_owner_toml; also configuration where nobody is named, or somebody twice.
[[nodiscard]] OwnersSettings read_owners_toml(const std::filesystem::path& path);

}  // namespace sotto
