// The record of an approval: a file that states which contract, certificate and documents a person has approved, so that a
// collection, or a later version of this program, can be compared with it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "client/contract.hpp"
#include "core/base/json.hpp"

namespace ldp::cli::disclosure {

struct Approval {
    std::string approved;     ///< date in UTC, such as "2026-11-30"
    std::string version;      ///< version of the program that wrote the certificate and the documents
    Contract contract;        ///< with the spec, its texts and the public columns
    Json privacy;             ///< bounds of the privacy loss, by the scopes of ldp_privacy
    std::string certificate;  ///< SHA-256 digest of the certificate
    std::map<std::string, std::string> documents;  ///< SHA-256 digest of each document, by part
    std::vector<std::uint64_t> people;             ///< numbers of respondents in the summary
    std::vector<std::string> others;               ///< fingerprints of the other collections of the group

    /// Returns the record as JSON text that ends with a line feed.
    [[nodiscard]] std::string to_json() const;
    /// Reads to_json() from a text that `name` names in errors. Throws Error (malformed, invalid_spec).
    [[nodiscard]] static Approval from_json(const std::string& text, const std::string& name);
};

/// Returns the differences, one line each: "epsilon: before 1, now 2". Dates and versions are not compared.
[[nodiscard]] std::vector<std::string> differences(const Approval& approved, const Approval& now);

/// Returns the current date in UTC.
[[nodiscard]] std::string today();

/// Writes a record to a new file. Throws Error (environment), also if the file exists.
void write_record(const std::string& name, const Approval& approval);

}  // namespace ldp::cli::disclosure
