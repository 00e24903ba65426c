#include "core/mechanism/strings/string_levels.hpp"

#include <algorithm>

#include "core/base/interrupt.hpp"

namespace ldp {

namespace {

std::uint64_t power_of(std::uint64_t base, std::uint64_t exponent) noexcept {
    std::uint64_t power = 1;
    for (; exponent > 0; --exponent) power *= base;
    return power;
}

/// Returns the largest length of at least 1 whose number of codes is at most `most`.
std::uint64_t digits_within(std::uint64_t base, std::uint64_t most) noexcept {
    std::uint64_t digits = 1;
    for (std::uint64_t codes = base; codes <= most / base; codes *= base) ++digits;
    return digits;
}

}  // namespace

// People are divided among levels, so estimates with fewer levels have smaller errors. With fewer levels,
// each one examines more continuations.
StringLevels::StringLevels(std::uint64_t base, std::uint64_t longest, std::uint64_t first, std::uint64_t step)
    : base_(base) {
    for (std::uint64_t length = first; length < longest; length += step) lengths_.push_back(length);
    lengths_.push_back(longest);
    for (const std::uint64_t length : lengths_) divisors_.push_back(power_of(base, longest - length));
}

std::uint64_t StringLevels::usual_first(std::uint64_t base) noexcept {
    return digits_within(base, std::uint64_t{1} << 16);
}

std::uint64_t StringLevels::usual_step(std::uint64_t base) noexcept {
    return digits_within(base, std::uint64_t{1} << 15);
}

std::uint64_t StringLevels::codes(std::size_t level) const noexcept {
    return power_of(base_, lengths_[level]);
}

std::size_t StringLevels::first_whole(Cell code) const noexcept {
    std::size_t level = 0;
    while (level + 1 < count() && prefix(code, level) % base_ != 0) ++level;
    return level;
}

std::vector<std::uint64_t> StringLevels::sound_codes(std::uint64_t digits) const {
    std::vector<std::uint64_t> codes{0};
    codes.reserve(sound_code_count(digits));
    // Codes that end with digit i extend the codes that end with digit i − 1.
    std::size_t from = 0;
    Work work;
    for (std::uint64_t i = 1, unit = power_of(base_, digits - 1); i <= digits; ++i, unit /= base_) {
        const std::size_t to = codes.size();
        for (std::size_t at = from; at < to; ++at)
            for (std::uint64_t digit = 1; digit < base_; ++digit, work.done())
                codes.push_back(codes[at] + digit * unit);
        from = to;
    }
    return codes;
}

std::uint64_t StringLevels::sound_code_count(std::uint64_t digits) const noexcept {
    constexpr std::uint64_t many = std::uint64_t{1} << 40;
    std::uint64_t all = 1, last = 1;
    for (; digits > 0 && all <= many; --digits) {
        last *= base_ - 1;
        all += last;
    }
    return all;
}

// With shares f, a channel of p = q + d and g buckets, a pair of reports of one cohort agrees with
// probability 1/g + d²(1 − 1/g)·Σf², over the choice of the hash functions.
LevelCounts::LevelCounts(Bytes counters, std::uint64_t level, std::uint64_t cohorts, std::uint64_t buckets,
                         double slope)
    : level_(level), cohorts_(cohorts), buckets_(buckets), slope_(slope) {
    sizes_.reserve(cohorts);
    cells_.reserve(cohorts * buckets);
    const auto g = static_cast<double>(buckets);
    double pairs = 0, agreeing = 0;
    Work work;
    for (std::uint64_t c = 0; c < cohorts; ++c) {
        double size = 0;
        for (std::uint64_t b = 0; b < buckets; ++b, work.done()) {
            const auto count = static_cast<double>(
                load<std::uint64_t>(counters.data() + (c * buckets + b) * sizeof(std::uint64_t)));
            cells_.push_back(count);
            size += count;
            agreeing += count * (count - 1);
        }
        for (std::uint64_t b = 0; b < buckets; ++b) cells_[c * buckets + b] -= size / g;
        sizes_.push_back(size);
        reports_ += size;
        pairs += size * (size - 1);
    }
    if (pairs > 0)
        sum_of_squares_ = std::clamp((agreeing / pairs - 1 / g) / (slope * slope * (1 - 1 / g)), 0.0, 1.0);
}

std::vector<double> LevelCounts::shares(const std::vector<std::uint64_t>& prefixes) const {
    std::vector<double> sums(prefixes.size());
    // A cohort's cells remain in the cache while all prefixes are looked up.
    for (std::uint64_t c = 0; c < cohorts_; ++c) {
        const CohortHash hash(level_, c, buckets_);
        const double* cells = cells_.data() + c * buckets_;
        for_each_index(prefixes.size(), [&](std::size_t i) { sums[i] += cells[hash(prefixes[i])]; });
    }
    const double unit = reports_ * slope_ * (1 - 1 / static_cast<double>(buckets_));
    for (double& sum : sums) sum = (sum + offset_) / unit;
    return sums;
}

// Reports about the prefix add to the cell of its bucket and, through the mean of the cohort, take the same
// amount from all cells. A share is a sum over all cohorts, so the second part is one number.
void LevelCounts::subtract(std::uint64_t prefix, double share) {
    for (std::uint64_t c = 0; c < cohorts_; ++c)
        cells_[c * buckets_ + CohortHash(level_, c, buckets_)(prefix)] -= sizes_[c] * slope_ * share;
    offset_ += reports_ * slope_ * share / static_cast<double>(buckets_);
}

}  // namespace ldp
