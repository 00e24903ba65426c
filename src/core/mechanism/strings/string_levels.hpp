// Levels of prefixes of strings, and the counters of their hash values.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/bytes.hpp"
#include "core/base/input_code.hpp"

namespace ldp {

/// Levels of prefixes. The first has `first` digits, each later one `step` more, the last all digits.
class StringLevels {
  public:
    /// base ≥ 2, 1 ≤ first, 1 ≤ step, base^longest ≤ 2^63.
    StringLevels(std::uint64_t base, std::uint64_t longest, std::uint64_t first, std::uint64_t step);

    /// Returns the default lengths. The first level has at most 2^16 codes and a prefix at most 2^15
    /// continuations, unless the length is one digit.
    [[nodiscard]] static std::uint64_t usual_first(std::uint64_t base) noexcept;
    [[nodiscard]] static std::uint64_t usual_step(std::uint64_t base) noexcept;

    [[nodiscard]] std::uint64_t base() const noexcept { return base_; }
    [[nodiscard]] std::uint64_t longest() const noexcept { return lengths_.back(); }
    [[nodiscard]] std::size_t count() const noexcept { return lengths_.size(); }
    [[nodiscard]] std::uint64_t length(std::size_t level) const noexcept { return lengths_[level]; }
    /// Returns the number of codes of a level.
    [[nodiscard]] std::uint64_t codes(std::size_t level) const noexcept;
    /// Returns a string's prefix at a level.
    [[nodiscard]] std::uint64_t prefix(Cell code, std::size_t level) const noexcept {
        return code / divisors_[level];
    }
    /// Returns the code of the string that ends with this prefix.
    [[nodiscard]] Cell whole(std::uint64_t prefix, std::size_t level) const noexcept {
        return prefix * divisors_[level];
    }
    /// Returns the first level whose prefix contains the whole string and its end.
    [[nodiscard]] std::size_t first_whole(Cell code) const noexcept;
    /// Returns all numbers of this number of digits in which only zeros follow a zero.
    [[nodiscard]] std::vector<std::uint64_t> sound_codes(std::uint64_t digits) const;
    /// Returns their number, or a number above 2^40.
    [[nodiscard]] std::uint64_t sound_code_count(std::uint64_t digits) const noexcept;

  private:
    std::uint64_t base_;
    std::vector<std::uint64_t> lengths_, divisors_;
};

/// The hash functions of a level, one for each cohort.
class CohortHash {
  public:
    CohortHash(std::uint64_t level, std::uint64_t cohort, std::uint64_t buckets) noexcept
        : key_(mixed((level << 32 | cohort) + 0x9e3779b97f4a7c15)), buckets_(buckets) {}

    /// Returns a bucket. A part of the format: client and server must agree on it.
    [[nodiscard]] std::uint64_t operator()(std::uint64_t prefix) const noexcept {
        return static_cast<std::uint64_t>(Uint128{mixed(prefix * 0x9e3779b97f4a7c15 ^ key_)} * buckets_ >>
                                          64);
    }

  private:
    /// The finalizer of SplitMix64 (Steele, Lea, Flood 2014).
    [[nodiscard]] static std::uint64_t mixed(std::uint64_t z) noexcept {
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
        z = (z ^ z >> 27) * 0x94d049bb133111eb;
        return z ^ z >> 31;
    }

    std::uint64_t key_, buckets_;
};

/// Shares from the counters of one level. The unbiased estimate of a prefix's share is the mean of the cells
/// of its hash values. Subtracting the known share of a prefix removes its collisions from the estimates of
/// other prefixes.
class LevelCounts {
  public:
    /// Reads the counters of a level: cohorts × buckets of 8 bytes. The slope is p − q of the channel.
    LevelCounts(Bytes counters, std::uint64_t level, std::uint64_t cohorts, std::uint64_t buckets,
                double slope);

    [[nodiscard]] double reports() const noexcept { return reports_; }
    /// Returns the estimated shares of prefixes. Precondition: reports() > 0.
    [[nodiscard]] std::vector<double> shares(const std::vector<std::uint64_t>& prefixes) const;
    [[nodiscard]] double share(std::uint64_t prefix) const { return shares({prefix})[0]; }
    /// Subtracts the share of a prefix.
    void subtract(std::uint64_t prefix, double share);
    /// Returns an estimate of the sum of the squares of all shares, between 0 and 1. It is computed from the
    /// pairs of reports of a cohort that agree, and is unbiased except for the bounds. Subtracted shares
    /// count.
    [[nodiscard]] double sum_of_squares() const noexcept { return sum_of_squares_; }

  private:
    std::uint64_t level_, cohorts_, buckets_;
    double slope_, reports_ = 0, sum_of_squares_ = 0;
    double offset_ = 0;          ///< sum over cohorts of what subtractions add to every cell of a cohort
    std::vector<double> sizes_;  ///< of the cohorts
    std::vector<double> cells_;  ///< counts minus the mean of their cohort
};

}  // namespace ldp
