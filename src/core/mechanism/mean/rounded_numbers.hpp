// Numbers that clients round while they change (spec/evolving_options.hpp). The rounding of a person's number
// is drawn once for each step, and contributes to the error of a mean of the people who reported.
#pragma once

#include "core/mechanism/role/mechanism.hpp"
#include "core/mechanism/role/settings.hpp"

namespace ldp {

/// The option that a spec derives from its rounding: the least number of equal cells of the range to whose ends
/// numbers are rounded. It is 1 if the steps follow each person's movements. No spec has it as a key.
inline constexpr const char* rounding_cells_option = "rounding_cells";

/// Grid steps and rounding cells, which a block has in the same 4 bytes.
struct RoundedSteps {
    std::uint32_t steps;
    std::uint32_t cells;  ///< 0 without rounding

    /// A larger number of cells is written as this one.
    static constexpr std::uint32_t most_cells = 2047;
    [[nodiscard]] std::uint32_t word() const noexcept { return steps | cells << shift; }
    [[nodiscard]] static RoundedSteps of_word(std::uint32_t word) noexcept {
        return {word & ((std::uint32_t{1} << shift) - 1), word >> shift};
    }
    /// Throws Error (malformed) if no spec has this rounding.
    void check(const Header& header) const;
    /// Returns an upper bound of the standard deviation of the rounding on a range, and infinity if the steps
    /// follow each person's movements. The rounding of x in a cell
    /// [L, R) has the variance (R − x)(x − L), which is at most (R − L)²/4.
    [[nodiscard]] double deviation(double half_range) const noexcept;

  private:
    static constexpr unsigned shift = 21;  // grid steps are at most 2^20
};
/// Returns the rounding cells of the settings, at most RoundedSteps::most_cells.
[[nodiscard]] std::uint32_t rounding_cells(const Settings& settings);

/// Returns Aggregator::rounding_deviation() of an attribute of a mechanism or of a record.
[[nodiscard]] double rounding_deviation(const Mechanism& mechanism, std::size_t attribute);
/// Returns whether numbers of the mechanism, or of a part of a record, are rounded.
[[nodiscard]] bool rounds_numbers(const Mechanism& mechanism);

}  // namespace ldp
