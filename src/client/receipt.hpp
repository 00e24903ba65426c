// Receipts: the origin of a report and the clamped values of its record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ldp {

/// The clamped values of a record.
struct Clamped {
    /// Indexes of attributes with a clamped value, ascending: a number moved to the nearer end of its range,
    /// or a label replaced by "other".
    std::vector<std::size_t> attributes;
    /// Number of clamped values that are derived from the record: Haar coefficients outside their range, or
    /// the components of a vector that is longer than the norm of ball or gaussian. They are clamped also under
    /// Outside::refuse, because these ranges are chosen narrower than the possible values.
    std::size_t coefficients = 0;

    /// Returns whether any value was clamped.
    [[nodiscard]] bool any() const noexcept { return !attributes.empty() || coefficients != 0; }
};

/// Numbers of clamped values in many records.
struct ClampedCount {
    std::vector<std::uint64_t> attributes;  ///< clamped values by attribute
    std::uint64_t coefficients = 0;         ///< clamped coefficients or vector components

    /// Adds a record.
    void add(const Clamped& clamped) noexcept {
        for (const std::size_t j : clamped.attributes) ++attributes[j];
        coefficients += clamped.coefficients;
    }
};

/// The origin of the response in a report.
enum class Origin {
    drawn,     ///< The response was drawn for this record, at a cost.
    memoized,  ///< It is the memoized response of the same value, at no cost.
    nearest,   ///< It is the memoized response of the nearest value, because the budget is spent.
    silent,    ///< No report: the series has no response due in this round, or the person stops reporting.
    ignored,   ///< No response: the round has a record already (Client::set_once_per_round).
};

/// The result of reporting a record.
struct Receipt {
    Clamped clamped;  ///< values that were clamped
    /// The origin of the response, which determines the cost. Without "evolving" every response is drawn. All
    /// reports of a series together cost ε once, and its rounds may be silent.
    Origin origin;
};

}  // namespace ldp
