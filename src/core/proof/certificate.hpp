// Privacy certificates: the channel of a spec as integers, which a program can check without this library.
// doc/audit.md describes the format, and conformance/check-certificate is such a program.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "core/contract/spec.hpp"
#include "core/mechanism/role/mechanism.hpp"
#include "core/proof/audit.hpp"

namespace ldp {

/// The largest size of the enumerated tables of a certificate, in bytes. If they are larger, the certificate
/// contains only the structure of the channel.
inline constexpr std::size_t most_table_bytes = 800'000;

/// Audits the mechanism of a spec for a certificate, and keeps the laws. The sample of public randomness follows from the
/// fingerprint, so that every run of the same version gives the same certificate.
[[nodiscard]] Audit audit_for_certificate(
    const Spec& spec, const Mechanism& mechanism,
    const std::function<void(std::uint64_t, std::uint64_t)>& progress = {});

/// Returns the certificate of an audited spec as JSON text that ends with a line feed. `found` is the result of
/// audit_for_certificate(). `version` is the version of the program.
[[nodiscard]] std::string certificate(const Spec& spec, const Mechanism& mechanism, const Audit& found,
                                      std::string_view version);

/// Returns the SHA-256 digest of a certificate as 64 hexadecimal digits, by which documents name it.
[[nodiscard]] std::string certificate_digest(std::string_view certificate);

/// Returns this digest of a certificate of a given spec. Throws Error (malformed) if the text is no certificate, and Error
/// (invalid_value) if it is the certificate of another spec. The bounds in it are not verified.
[[nodiscard]] std::string certificate_digest_for(const Spec& spec, std::string_view certificate);

}  // namespace ldp
