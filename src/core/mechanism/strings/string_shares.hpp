// Shares of strings of an open domain, and the search for frequent strings.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/mechanism/role/capability.hpp"
#include "core/mechanism/role/error_law.hpp"

namespace ldp {

/// The estimated share of one string.
struct StringShare {
    Estimate estimate;    ///< unknown if no report is about the whole string
    ErrorLaw law;         ///< error law of the estimate
    std::uint64_t n = 0;  ///< number of reports about the whole string
    double p_value = 1;   ///< of this string alone, one-sided: no person holds it
};

/// A string that a search found.
struct FrequentString {
    Cell code;
    StringShare share;  ///< with a p-value that is adjusted for all candidates of the search
    bool whole;         ///< false if longer strings with this prefix have the same code
};

/// A query about strings.
struct StringQuery {
    Target target = Target::sample;
    /// Number of people of the sample if the reports are a part of it; 0 if all of them reported.
    std::uint64_t people = 0;
    /// Maximum number of equal reports of one person. Errors and p-values are computed for the number of
    /// reports divided by this number.
    double repetition = 1;
    /// In a search: maximum number of prefixes that a level continues, and of whole strings that it keeps.
    std::uint64_t keep = usual_keep;

    static constexpr std::uint64_t usual_keep = 32, most_kept = 10000;
    /// Maximum number of candidates of one level of a search, and of their look-ups in all cohorts.
    static constexpr std::uint64_t most_candidates = std::uint64_t{1} << 22,
                                   most_work = std::uint64_t{1} << 31;
};

class StringShares : public Capability {
  public:
    static constexpr const char* offers = "shares of strings";

    /// Returns the base of the codes' digits. A code whose last digit is 0 has one string; any other code may
    /// have several strings with the same prefix.
    [[nodiscard]] virtual std::uint64_t base() const noexcept = 0;
    /// Returns the estimated shares of the strings with these codes. Preconditions: each code < cells()[0],
    /// n ≥ 1. The estimates are unbiased over the randomizers and the choice of the hash functions; the
    /// standard errors include both.
    [[nodiscard]] virtual std::vector<StringShare> shares(const Counts& counts, std::span<const Cell> codes,
                                                          const StringQuery& query) const = 0;
    /// Returns the strings with the largest estimates among the candidates of a search by prefixes, in
    /// descending order. Precondition: n ≥ 1. Throws Error (invalid_value) if `keep` is out of range, if a
    /// level has more than 2^22 candidates, or if they take more than 2^31 steps.
    [[nodiscard]] virtual std::vector<FrequentString> search(const Counts& counts,
                                                             const StringQuery& query) const = 0;
};

}  // namespace ldp
