// The digest of a contract. The owner of a collection publishes it, and clients compare it with the digest of
// the offer. Clients, documents and the extension use these functions.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <string_view>

#include "core/contract/spec.hpp"

namespace ldp {

using Json = nlohmann::json;

/// The version of contracts.
inline constexpr std::uint64_t contract_version = 1;
/// Number of digits of a digest that people compare.
inline constexpr std::size_t digits_for_people = 16;

/// Returns the spec in canonical form with its texts, as in contracts: without "derived", "chosen" and
/// "people_asked".
[[nodiscard]] Json contract_document(const Spec& spec);
/// Replaces runs of spaces by one space in the texts of a document. Labels and names stay as they are.
[[nodiscard]] Json with_single_spaces(Json document);
/// Whether this key of an attribute has a text that gives an answer its meaning.
[[nodiscard]] bool gives_meaning(std::string_view key) noexcept;
/// Whether this key of a spec has a text without influence on the meaning of answers.
[[nodiscard]] bool is_heading(std::string_view key) noexcept;

/// Returns SHA-256 of a value's canonical JSON, in 64 hexadecimal digits.
[[nodiscard]] std::string digest_of(const Json& value);
/// Returns the digest of the contract of a document, whose clients send these public columns in clear.
[[nodiscard]] std::string contract_digest(const Json& document, const std::set<std::string>& in_clear);
/// Returns the digest of the contract of a spec, whose clients send the public columns of this JSON array in clear.
/// Throws Error (invalid_value) if it is no array of texts.
[[nodiscard]] std::string contract_digest(const Spec& spec, std::string_view in_clear);
/// Returns the digits of a digest that people compare, in groups of four.
[[nodiscard]] std::string short_digest(std::string_view digest);

}  // namespace ldp
