// Shares of strings, computed from the counters of the mechanism `strings`.
#pragma once

#include <cstdint>
#include <vector>

#include "core/mechanism/frequency/pure_protocol.hpp"
#include "core/mechanism/strings/string_levels.hpp"
#include "core/mechanism/strings/string_shares.hpp"

namespace ldp {

/// Parameters of the estimates.
struct StringDesign {
    StringLevels levels;
    std::uint64_t cohorts, buckets;
    PureProtocol protocol;  ///< at one level, averaged over the hash functions
    double slope;           ///< p − q of the channel

    /// Returns the variance that collisions with other strings add to an estimate, from the sum of the
    /// squares of their shares.
    [[nodiscard]] double collisions(double sum_of_squares) const noexcept {
        return sum_of_squares / (static_cast<double>(cohorts) * (static_cast<double>(buckets) - 1));
    }
    [[nodiscard]] LevelCounts counts(Bytes state, std::size_t level) const;
};

/// See StringShares.
[[nodiscard]] std::vector<StringShare> shares_of_strings(const StringDesign& design, const Counts& counts,
                                                         std::span<const Cell> codes,
                                                         const StringQuery& query);
[[nodiscard]] std::vector<FrequentString> frequent_strings(const StringDesign& design, const Counts& counts,
                                                           const StringQuery& query);

}  // namespace ldp
