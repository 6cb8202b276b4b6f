// Whom a certificate names; and, for trying things out, those of a consortium: an authority, and one for each who speaks.
#pragma once

#include <string>
#include <string_view>

namespace sotto {

/// PEM texts.
struct CertifiedKey {
  std::string certificate;
  std::string key;  ///< secret
};

/// What a certificate is good for.
enum class CertifiedRole { owner, analyst };

/// A new authority. Keys are of the curve P-256, by OpenSSL; certificates last ten years.
[[nodiscard]] CertifiedKey make_authority();

/// A certificate of `name` by the authority, good for that role alone: an analyst cannot pass for an owner.
/// Errors: configuration for a name that is not of small letters, digits and hyphens; data where `authority` is none.
/// Checked by tests/sotto_rpc/owner_server_test.cpp: an_analysts_certificate_is_no_owners
[[nodiscard]] CertifiedKey make_certificate(const CertifiedKey& authority, const std::string& name,
                                            CertifiedRole role);

/// Whom a certificate, PEM text, names: its one common name. Empty where it has none, several, or is no certificate; and where
/// the name is not of printable ASCII, so that no two analysts are written alike.
/// Checked by tests/sotto_rpc/owner_server_test.cpp: name_one_analyst_or_nobody
[[nodiscard]] std::string certified_name(std::string_view certificate);

}  // namespace sotto
