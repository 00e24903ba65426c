// The contract of a client with the owner of a collection: the terms that were accepted at the first use, and the rule for
// changes that a server may make later.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"
#include "core/contract/spec.hpp"
#include "core/delivery/address.hpp"
#include "core/delivery/public_values.hpp"

namespace ldp {

class Mechanism;

/// The current statement of a server about a collection. Unknown texts are empty.
struct Offer {
    Spec spec;                               ///< spec of the collection
    std::vector<PublicColumn> columns = {};  ///< public columns of the collection's table
    std::string endpoint = {};               ///< address of the server
    std::string collection = {};             ///< name of the collection
    std::string created = {};                ///< time of its creation, for display only
};

/// The limits of the caller, which no server can change. A missing limit sets no bound.
struct ContractTerms {
    /// Digest of the contract, from another source than the server: 16 to 64 hexadecimal digits; spaces are
    /// ignored.
    std::optional<std::string> digest = {};
    /// Largest ε of one report.
    std::optional<double> report_epsilon = {};
    /// Largest ε of all reports of a store. Fresh draws are counted.
    std::optional<double> life_epsilon = {};
    /// Largest number of reports of a store, if each one is a fresh draw.
    std::optional<std::uint64_t> reports = {};
    /// ε of the spec's group in the person's ledger.
    std::optional<double> group_epsilon = {};
    /// The only attributes that may be asked for: names of attributes and vectors.
    std::optional<std::set<std::string>> attributes = {};
    /// The only public columns that the caller fills. Without this set, the caller's calls decide.
    std::optional<std::set<std::string>> in_clear = {};

    friend bool operator==(const ContractTerms&, const ContractTerms&) = default;
    /// Reads a JSON object with the names of these members as keys. Throws Error (invalid_value) for any other key or
    /// value.
    [[nodiscard]] static ContractTerms from_json(std::string_view json);
};

/// The contract between a client and the owner of a collection. A store keeps it from the first use on.
struct Contract {
    Fingerprint fingerprint = {};  ///< of the spec
    /// The spec in canonical form with its texts, without "derived", "chosen" and "people_asked".
    std::string spec = {};
    std::string meaning =
        {};  ///< SHA-256 of the texts that give an answer its meaning, in hexadecimal digits
    double report_epsilon = 0;  ///< ε of one report, with the signal of a spent budget
    double life_epsilon =
        std::numeric_limits<double>::infinity();  ///< ε of all reports; infinite without a bound
    bool remembers = false;  ///< whether the store has permanent responses or a series; if not, each report
                             ///< is a fresh draw
    std::string mechanism = {};             ///< its name
    std::set<std::string> attributes = {};  ///< names of attributes and vectors that people answer
    std::optional<std::set<std::string>> in_clear = {};  ///< public columns that the caller fills, if stated
    std::string group = {};                              ///< name of the group that pays; empty without one
    double group_epsilon = 0;                            ///< its ε
    std::string endpoint = {};                           ///< address of the server, in its normal form
    std::string collection = {};                         ///< name of the collection in the offer
    std::string created = {};                            ///< time of the collection's creation in the offer
    std::uint32_t revision = 1;                          ///< 1, and 1 more for each accepted change
    /// Digest of the offer that was compared last, so that an equal one need not be compared again.
    std::string offered = {};

    /// Returns the contract that an offer makes under these terms.
    [[nodiscard]] static Contract of(const Offer& offer, const ContractTerms& terms = {});
    /// Returns this contract for callers that already have the mechanism of the spec.
    [[nodiscard]] static Contract of(const Offer& offer, const ContractTerms& terms,
                                     const Mechanism& mechanism);
    /// Reads to_json(). Throws Error (malformed, invalid_spec).
    [[nodiscard]] static Contract from_json(std::string_view json);
    /// Returns a JSON object on one line, with the digest.
    [[nodiscard]] std::string to_json() const;
    /// Returns the digest: SHA-256 of the canonical JSON of the spec with its texts and of the columns in clear, in 64
    /// hexadecimal digits. Runs of spaces in texts count as one. Endpoint, name and time of creation are not
    /// part of it, so that it can be printed before a collection has an address.
    [[nodiscard]] std::string digest() const;
    /// Returns the first 16 digits of the digest in groups of four, for people.
    [[nodiscard]] std::string short_digest() const;
    /// Returns whether the text is this contract's digest, or at least its first 16 digits.
    [[nodiscard]] bool has_digest(std::string_view text) const;
    /// Throws Error (invalid_value) unless has_digest().
    void require_digest(std::string_view text) const;
    /// Returns the digest of this contract as an offer with these public columns; see `offered`.
    [[nodiscard]] std::string mark(const std::vector<PublicColumn>& columns) const;
    /// Returns the columns in clear of the text that to_json() wrote; nothing if they are not stated.
    [[nodiscard]] static std::optional<std::set<std::string>> in_clear_of(std::string_view json);
    /// Returns four readable lines: collection, mechanism and ε; attributes; columns that are sent unchanged; digest.
    [[nodiscard]] std::string summary() const;
};

/// A difference between the offer and the accepted contract or the terms.
struct ContractChange {
    /// The action of the client, from the mildest to the strictest.
    enum class Kind {
        same,    ///< nothing
        shown,   ///< continues, and reports the change
        ask,     ///< neither draws nor sends until the digest of the new contract is accepted
        refuse,  ///< never continues under this offer
    };
    Kind kind;           ///< what the client does
    std::string field;   ///< a path, such as "epsilon" or "attributes.mood.question"
    std::string before;  ///< agreed value as JSON, empty if absent; long values are shortened
    std::string now;     ///< value of the offer, in the same form

    friend bool operator==(const ContractChange&, const ContractChange&) = default;
};
/// Returns the name of the kind: "same", "shown", "ask" or "refuse".
[[nodiscard]] const char* word_of(ContractChange::Kind kind) noexcept;

/// The result of compare().
struct Verdict {
    std::vector<ContractChange> changes;  ///< without those of the kind `same`
    Contract contract;                    ///< contract of the offer

    /// Returns the strictest kind of the changes; `same` without a change.
    [[nodiscard]] ContractChange::Kind kind() const noexcept;
    /// Returns the changes of a kind, one per line: "epsilon: before 1, now 20".
    [[nodiscard]] std::string lines(ContractChange::Kind of) const;
    /// Returns the changes as a JSON array of objects with the keys kind, field, before and now.
    [[nodiscard]] std::string to_json() const;
    /// Throws Error (incompatible) if a change is refused.
    void require_possible() const;
    /// Throws Error (changed) if a change waits for an acceptance, and as require_possible() does.
    void require_agreed() const;
};

/// Compares an offer with the accepted contract (null before the first use) and with the caller's terms. No
/// other code implements this rule:
///
///   difference                                  remembers     fresh draws
///   spec (fingerprint)                          refuse        ask
///   meaning of an answer                        ask           shown
///   another column in clear                     ask           ask
///   a column in clear less                      shown         shown
///   endpoint, name of the collection            ask           ask
///   group or its ε is not the person's          refuse        refuse
///   ε, attributes, columns, digest: not in terms refuse       refuse
///   a required column that is not in clear      refuse        refuse
///   title, description of the spec              shown         shown
///   other offered columns, creation time,
///   people_asked, chosen                        same          same
///
/// Terms with the digest of the offered contract accept another meaning, as a call of accept() does. Does not throw
/// for any contract or terms.
[[nodiscard]] Verdict compare(const Contract* agreed, const ContractTerms& terms, const Offer& offer);
/// Compares with the result of Contract::of(offer, terms), which programs with many clients compute once, and with the offered
/// columns.
[[nodiscard]] Verdict compare(const Contract* agreed, const ContractTerms& terms, const Contract& now,
                              const std::vector<PublicColumn>& columns);

}  // namespace ldp
