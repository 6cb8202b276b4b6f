#include "sotto_rpc/certificates.hpp"

#include <fmt/format.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

#include "sotto/base/error.hpp"

namespace sotto {
namespace {

template <auto release>
struct FreedBy {
  template <class T>
  void operator()(T* owned) const {
    release(owned);
  }
};
using PrivateKey = std::unique_ptr<EVP_PKEY, FreedBy<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, FreedBy<X509_free>>;
using TextBuffer = std::unique_ptr<BIO, FreedBy<BIO_free_all>>;

constexpr long kTenYears = 10L * 365 * 24 * 3600;
constexpr std::size_t kLongestCertifiedName = 63;

void must(bool done) {
  if (done) return;
  ERR_clear_error();
  throw Error(ErrorCode::internal, "OpenSSL makes no certificate");
}

std::string text_of(BIO* buffer) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(buffer, &data);
  return {data, static_cast<std::size_t>(size)};
}

std::string pem_of(X509* certificate) {
  const TextBuffer buffer(BIO_new(BIO_s_mem()));
  must(buffer && PEM_write_bio_X509(buffer.get(), certificate) == 1);
  return text_of(buffer.get());
}

std::string pem_of(EVP_PKEY* key) {
  const TextBuffer buffer(BIO_new(BIO_s_secmem()));
  must(buffer &&
       PEM_write_bio_PKCS8PrivateKey(buffer.get(), key, nullptr, nullptr, 0, nullptr, nullptr) == 1);
  return text_of(buffer.get());
}

PrivateKey new_key() {
  PrivateKey key(EVP_EC_gen("P-256"));
  must(key != nullptr);
  return key;
}

void extend(X509* certificate, X509* issuer, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const std::unique_ptr<X509_EXTENSION, FreedBy<X509_EXTENSION_free>> extension(
      X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()));
  must(extension && X509_add_ext(certificate, extension.get(), -1) == 1);
}

/// Unsigned, of a name; `issuer` null: itself.
Certificate begin_certificate(const std::string& name, EVP_PKEY* key, X509* issuer) {
  Certificate certificate(X509_new());
  must(certificate && X509_set_version(certificate.get(), X509_VERSION_3) == 1);
  std::array<std::uint8_t, 16> serial{};
  must(RAND_bytes(serial.data(), static_cast<int>(serial.size())) == 1);
  serial[0] = static_cast<std::uint8_t>((serial[0] & 0x3f) | 0x40);  // positive, and of full length
  const std::unique_ptr<BIGNUM, FreedBy<BN_free>> number(
      BN_bin2bn(serial.data(), static_cast<int>(serial.size()), nullptr));
  must(number && BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate.get())) != nullptr);
  constexpr long kAnHour = 3600;  // clocks differ
  must(X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -kAnHour) != nullptr);
  must(X509_gmtime_adj(X509_getm_notAfter(certificate.get()), kTenYears) != nullptr);
  X509_NAME* subject = X509_get_subject_name(certificate.get());
  must(X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
                                  reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0) == 1);
  must(X509_set_issuer_name(certificate.get(),
                            X509_get_subject_name(issuer == nullptr ? certificate.get() : issuer)) == 1);
  must(X509_set_pubkey(certificate.get(), key) == 1);
  return certificate;
}

void check_name(const std::string& name) {
  const bool letters = name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos;
  if (name.empty() || name.size() > kLongestCertifiedName || !letters) {
    refuse(fmt::format(
        "a name in a certificate is of small letters, digits and hyphens, at most {}: choose such a one",
        kLongestCertifiedName));
  }
}

template <class Read>
auto from_pem(const std::string& text, const Read& read) {
  const TextBuffer buffer(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
  must(buffer != nullptr);
  auto* found = read(buffer.get());
  ERR_clear_error();
  if (found == nullptr) throw Error(ErrorCode::data, "the authority's certificate or key is none");
  return found;
}

}  // namespace

CertifiedKey make_authority() {
  const PrivateKey key = new_key();
  const Certificate certificate = begin_certificate("sotto test authority", key.get(), nullptr);
  X509* itself = certificate.get();
  extend(itself, itself, NID_basic_constraints, "critical,CA:TRUE,pathlen:0");
  extend(itself, itself, NID_key_usage, "critical,keyCertSign,cRLSign");
  extend(itself, itself, NID_subject_key_identifier, "hash");
  must(X509_sign(itself, key.get(), EVP_sha256()) > 0);
  return {pem_of(itself), pem_of(key.get())};
}

CertifiedKey make_certificate(const CertifiedKey& authority, const std::string& name, CertifiedRole role) {
  check_name(name);
  const Certificate issuer(from_pem(authority.certificate,
                                    [](BIO* b) { return PEM_read_bio_X509(b, nullptr, nullptr, nullptr); }));
  const PrivateKey issuer_key(
      from_pem(authority.key, [](BIO* b) { return PEM_read_bio_PrivateKey(b, nullptr, nullptr, nullptr); }));
  const PrivateKey key = new_key();
  const Certificate certificate = begin_certificate(name, key.get(), issuer.get());
  X509* made = certificate.get();
  extend(made, issuer.get(), NID_basic_constraints, "critical,CA:FALSE");
  extend(made, issuer.get(), NID_key_usage, "critical,digitalSignature");
  extend(made, issuer.get(), NID_ext_key_usage, role == CertifiedRole::owner ? "serverAuth" : "clientAuth");
  extend(made, issuer.get(), NID_subject_alt_name, "DNS:" + name);
  extend(made, issuer.get(), NID_authority_key_identifier, "keyid");
  must(X509_sign(made, issuer_key.get(), EVP_sha256()) > 0);
  return {pem_of(made), pem_of(key.get())};
}

std::string certified_name(std::string_view certificate) {
  const TextBuffer buffer(BIO_new_mem_buf(certificate.data(), static_cast<int>(certificate.size())));
  must(buffer != nullptr);
  const Certificate found(PEM_read_bio_X509(buffer.get(), nullptr, nullptr, nullptr));
  ERR_clear_error();
  if (!found) return {};
  const X509_NAME* subject = X509_get_subject_name(found.get());
  const int first = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
  if (first < 0 || X509_NAME_get_index_by_NID(subject, NID_commonName, first) >= 0) return {};
  const ASN1_STRING* name = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, first));
  const std::string text(reinterpret_cast<const char*>(ASN1_STRING_get0_data(name)),
                         static_cast<std::size_t>(ASN1_STRING_length(name)));
  const auto printable = [](char letter) { return letter >= ' ' && letter <= '~'; };
  return std::all_of(text.begin(), text.end(), printable) ? text : std::string();
}

}  // namespace sotto
