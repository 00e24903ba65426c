// Levels of prefixes of strings, and the counters of their hash values.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/bytes.hpp"
#include "core/base/input_code.hpp"

namespace ldp {

/// A prefix in two parts: `tail` has the lowest digits, `head` the other digits.
struct SplitPrefix {
    std::uint64_t head, tail;
};

/// Levels of prefixes. The first level has `first` digits, each later level has `step` more, and the last
/// level has all digits.
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
    /// Returns the number of digits of the tails of a level: the digits that a later level adds; at most
    /// `step` on the first level.
    [[nodiscard]] std::uint64_t tail_length(std::size_t level) const noexcept {
        return level == 0 ? std::min(step_, lengths_[0]) : lengths_[level] - lengths_[level - 1];
    }
    [[nodiscard]] SplitPrefix split(std::uint64_t prefix, std::size_t level) const noexcept {
        return {prefix / tails_[level], prefix % tails_[level]};
    }
    [[nodiscard]] std::uint64_t joined(SplitPrefix prefix, std::size_t level) const noexcept {
        return prefix.head * tails_[level] + prefix.tail;
    }
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
    std::uint64_t base_, step_;
    std::vector<std::uint64_t> lengths_, divisors_;
    std::vector<std::uint64_t> tails_;  ///< number of tails, sound or not, of each level
};

/// The hash functions of a level, one for each cohort. A bucket is the sum modulo g of a random bucket of the
/// head and a random bucket of the tail (simple tabulation; Patrascu, Thorup 2012,
/// doi:10.1145/2220357.2220361). Any three prefixes have independent buckets, as the variance of collisions
/// requires. A search combines the buckets of few heads and few tails instead of hashing every candidate.
/// The hash functions of tails are the same on all levels. Two strings with different tails and equal heads
/// on one level have different heads on later levels, so their collisions on several levels are independent.
class CohortHash {
  public:
    CohortHash(std::uint64_t level, std::uint64_t cohort, std::uint64_t buckets) noexcept
        : head_key_(key(level, cohort)), tail_key_(key(tails, cohort)), buckets_(buckets) {}

    /// Returns a bucket. A part of the format: client and server must agree on it.
    [[nodiscard]] std::uint64_t operator()(SplitPrefix prefix) const noexcept {
        const std::uint64_t sum = of_head(prefix.head) + of_tail(prefix.tail);
        return sum < buckets_ ? sum : sum - buckets_;
    }
    [[nodiscard]] std::uint64_t of_head(std::uint64_t head) const noexcept { return bucket(head, head_key_); }
    [[nodiscard]] std::uint64_t of_tail(std::uint64_t tail) const noexcept { return bucket(tail, tail_key_); }

  private:
    /// Takes the place of a level in the keys of tails.
    static constexpr std::uint64_t tails = 255;
    static constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;

    /// The finalizer of SplitMix64 (Steele, Lea, Flood 2014).
    [[nodiscard]] static std::uint64_t mixed(std::uint64_t z) noexcept {
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
        z = (z ^ z >> 27) * 0x94d049bb133111eb;
        return z ^ z >> 31;
    }
    [[nodiscard]] static std::uint64_t key(std::uint64_t level, std::uint64_t cohort) noexcept {
        return mixed((level << 32 | cohort) + odd);
    }
    [[nodiscard]] std::uint64_t bucket(std::uint64_t part, std::uint64_t key) const noexcept {
        return static_cast<std::uint64_t>(Uint128{mixed(part * odd ^ key)} * buckets_ >> 64);
    }

    std::uint64_t head_key_, tail_key_, buckets_;
};

/// The buckets of tails under the hash functions of some cohorts. Cohorts with few buckets are grouped, so that one
/// number selects the buckets of a whole group: bucket b of its cohort k contributes b·(2g)^k. The numbers of a
/// head and of a tail add up to the number of the sums of their buckets, which are below 2g.
class TailBuckets {
  public:
    using Cohorts = std::vector<std::uint32_t>;
    /// Number of groups of a block.
    static constexpr std::size_t block = 8;
    /// For each tail, the numbers of the groups of a block.
    using Numbers = std::span<const std::uint16_t>;

    TailBuckets(std::vector<std::uint64_t> tails, Cohorts cohorts, std::uint64_t buckets);

    [[nodiscard]] const std::vector<std::uint64_t>& tails() const noexcept { return tails_; }
    [[nodiscard]] const Cohorts& cohorts() const noexcept { return cohorts_; }
    [[nodiscard]] std::size_t blocks() const noexcept { return blocks_; }
    /// Returns the cohorts of a group of a block. The last groups may have fewer cohorts than others, or no
    /// cohort.
    [[nodiscard]] std::span<const std::uint32_t> group(std::size_t of_block,
                                                       std::size_t number) const noexcept {
        const std::size_t begin = std::min((of_block * block + number) * group_size_, cohorts_.size());
        return std::span(cohorts_).subspan(begin, std::min(group_size_, cohorts_.size() - begin));
    }
    /// Returns the numbers of a block. They are valid until the next call. Groups without cohorts have the
    /// number 0.
    [[nodiscard]] Numbers numbers(std::size_t of_block);

  private:
    void fill(std::size_t of_block, std::span<std::uint16_t> numbers) const;

    std::vector<std::uint64_t> tails_;
    Cohorts cohorts_;
    std::uint64_t buckets_;
    std::size_t group_size_ = 1, blocks_ = 0;
    std::vector<std::uint16_t> numbers_;  ///< of all blocks, or of one if they would be too many
    bool all_ = false;
};

/// Shares from the counters of one level. The unbiased estimate of a prefix's share is the mean of the cells
/// of its hash values. Subtracting the known share of a prefix removes its collisions from the estimates of
/// other prefixes.
class LevelCounts {
  public:
    /// Reads the counters of a level: cohorts × buckets of 8 bytes. The slope is p − q of the channel. The
    /// levels must outlive it.
    LevelCounts(Bytes counters, const StringLevels& levels, std::size_t level, std::uint64_t cohorts,
                std::uint64_t buckets, double slope);

    [[nodiscard]] double reports() const noexcept { return reports_; }
    /// Returns the indices of a prefix's cells, one for each cohort.
    [[nodiscard]] std::vector<std::uint32_t> cells(std::uint64_t prefix) const;
    /// Returns the estimated share of the prefix with these cells. Precondition: reports() > 0.
    [[nodiscard]] double share(std::span<const std::uint32_t> cells) const;
    /// Subtracts the share of the prefix with these cells.
    void subtract(std::span<const std::uint32_t> cells, double share);
    /// Returns cohorts that include all with reports: these, or all cohorts if these are most of them.
    [[nodiscard]] TailBuckets::Cohorts reporting_cohorts() const;
    /// Returns the sums of the cells of all prefixes with these heads and tails, head by head. The sums are
    /// in the same order as the shares, up to rounding. Precondition: the tails' cohorts include all with
    /// reports.
    [[nodiscard]] std::vector<float> sums(std::span<const std::uint64_t> heads, TailBuckets& tails) const;
    /// Returns an estimate of the sum of the squares of all shares, between 0 and 1. It is computed from the
    /// pairs of reports of a cohort that agree, and is unbiased except for the bounds. Subtracted shares
    /// count.
    [[nodiscard]] double sum_of_squares() const noexcept { return sum_of_squares_; }

  private:
    /// Returns the sums of one cell of each cohort of a group, by number (see TailBuckets).
    [[nodiscard]] std::vector<float> group_sums(std::span<const std::uint32_t> cohorts) const;
    /// Returns the estimated share for a sum of cells.
    [[nodiscard]] double share_of(double sum) const noexcept {
        return (sum + offset_) / (reports_ * slope_ * (1 - 1 / static_cast<double>(buckets_)));
    }

    const StringLevels& levels_;
    std::size_t level_;
    std::uint64_t cohorts_, buckets_;
    double slope_, reports_ = 0, sum_of_squares_ = 0;
    double offset_ = 0;          ///< sum over cohorts of what subtractions add to every cell of a cohort
    std::vector<double> sizes_;  ///< of the cohorts
    std::vector<double> cells_;  ///< counts minus the mean of their cohort
};

}  // namespace ldp
