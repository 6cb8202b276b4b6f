// Certificates of a consortium, for trying things out: an authority, and one for each who speaks.
#pragma once

#include <string>

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

}  // namespace sotto
