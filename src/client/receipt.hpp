// What became of a record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ldp {

/// What of a record was moved into what the spec declares.
struct Clamped {
    /// Which attributes, ascending: a number to the nearer end of its range, a label to "other".
    std::vector<std::size_t> attributes;
    /// How many of the numbers that the record leads to lay outside the ranges that the spec gives them: the
    /// coefficients of haar, or the numbers of a vector that is longer than the norm of gaussian. They are
    /// moved whatever Outside says: such ranges are chosen narrower than what people hold.
    std::size_t coefficients = 0;

    /// Whether anything was.
    [[nodiscard]] bool any() const noexcept { return !attributes.empty() || coefficients != 0; }
};

/// The same of many records.
struct ClampedCount {
    std::vector<std::uint64_t> attributes;  ///< for each attribute, how many values
    std::uint64_t coefficients = 0;         ///< how many coefficients of haar

    /// One record more.
    void add(const Clamped& clamped) noexcept {
        for (const std::size_t j : clamped.attributes) ++attributes[j];
        coefficients += clamped.coefficients;
    }
};

/// Where a report's answer comes from.
enum class Origin {
    drawn,    ///< drawn for it, at a cost
    kept,     ///< kept from an earlier report
    nearest,  ///< kept of the nearest value that has one, because the budget is spent
    silent,   ///< none: nothing was due yet, the value is kept for what will be
};

/// What became of a record.
struct Receipt {
    Clamped clamped;  ///< into what the spec declares
    /// Whether the report cost anything. Without "evolving" it always did; but of a series all reports cost ε
    /// once, together, and rounds may be silent.
    Origin origin;
};

}  // namespace ldp
