#include "core/mechanism/strings/string_levels.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <utility>

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

/// Returns the cohorts in reverse order. Clang 14 does not compile views of the standard library.
std::vector<std::uint32_t> reversed(std::span<const std::uint32_t> cohorts) {
    return {cohorts.rbegin(), cohorts.rend()};
}

/// Returns the sum of one number of each table.
template <std::size_t... Table>
float sum_at(const std::array<const float*, TailBuckets::block>& tables, const std::uint16_t* numbers,
             std::index_sequence<Table...>) noexcept {
    return (tables[Table][numbers[Table]] + ...);
}

}  // namespace

// People are divided among levels, so estimates with fewer levels have smaller errors. With fewer levels,
// each one examines more continuations.
StringLevels::StringLevels(std::uint64_t base, std::uint64_t longest, std::uint64_t first, std::uint64_t step)
    : base_(base), step_(step) {
    for (std::uint64_t length = first; length < longest; length += step) lengths_.push_back(length);
    lengths_.push_back(longest);
    for (const std::uint64_t length : lengths_) divisors_.push_back(power_of(base, longest - length));
    for (std::size_t level = 0; level < count(); ++level)
        tails_.push_back(power_of(base, tail_length(level)));
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
    if (digits == 0) return codes;
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

TailBuckets::TailBuckets(std::vector<std::uint64_t> tails, Cohorts cohorts, std::uint64_t buckets)
    : tails_(std::move(tails)), cohorts_(std::move(cohorts)), buckets_(buckets) {
    // The sums of a block's cells should remain in the cache, and the numbers of all blocks in memory.
    constexpr std::uint64_t most_sums = std::uint64_t{1} << 10, most_numbers = std::uint64_t{1} << 22;
    for (std::uint64_t sums = 4 * buckets * buckets; sums <= most_sums; sums *= 2 * buckets) ++group_size_;
    const std::size_t cohorts_of_block = block * group_size_, size = block * tails_.size();
    blocks_ = (cohorts_.size() + cohorts_of_block - 1) / cohorts_of_block;
    all_ = blocks_ * size <= most_numbers;
    numbers_.resize((all_ ? blocks_ : 1) * size);
    for (std::size_t i = 0; all_ && i < blocks_; ++i) fill(i, std::span(numbers_).subspan(i * size, size));
}

TailBuckets::Numbers TailBuckets::numbers(std::size_t of_block) {
    const std::size_t size = block * tails_.size();
    if (all_) return std::span(numbers_).subspan(of_block * size, size);
    fill(of_block, numbers_);
    return numbers_;
}

void TailBuckets::fill(std::size_t of_block, std::span<std::uint16_t> numbers) const {
    std::ranges::fill(numbers, std::uint16_t{0});
    for (std::size_t number = 0; number < block; ++number)
        for (const std::uint32_t cohort : reversed(group(of_block, number))) {
            const CohortHash hash(0, cohort, buckets_);
            for_each_index(tails_.size(), [&](std::size_t i) {
                std::uint16_t& all = numbers[i * block + number];
                all = static_cast<std::uint16_t>(all * 2 * buckets_ + hash.of_tail(tails_[i]));
            });
        }
}

// With shares f, a channel of p = q + d and g buckets, a pair of reports of one cohort agrees with
// probability 1/g + d²(1 − 1/g)·Σf², over the choice of the hash functions.
LevelCounts::LevelCounts(Bytes counters, const StringLevels& levels, std::size_t level, std::uint64_t cohorts,
                         std::uint64_t buckets, double slope)
    : levels_(levels), level_(level), cohorts_(cohorts), buckets_(buckets), slope_(slope) {
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

std::vector<std::uint32_t> LevelCounts::cells(std::uint64_t prefix) const {
    const SplitPrefix split = levels_.split(prefix, level_);
    std::vector<std::uint32_t> cells(cohorts_);
    for_each_index(cohorts_, [&](std::size_t c) {
        cells[c] = static_cast<std::uint32_t>(c * buckets_ + CohortHash(level_, c, buckets_)(split));
    });
    return cells;
}

double LevelCounts::share(std::span<const std::uint32_t> cells) const {
    double sum = 0;
    for (const std::uint32_t cell : cells) sum += cells_[cell];
    return share_of(sum);
}

// Reports about the prefix add to the cell of its bucket and, through the mean of the cohort, take the same
// amount from all cells. A share is a sum over all cohorts, so the second part is one number.
void LevelCounts::subtract(std::span<const std::uint32_t> cells, double share) {
    for (std::size_t c = 0; c < cells.size(); ++c) cells_[cells[c]] -= sizes_[c] * slope_ * share;
    offset_ += reports_ * slope_ * share / static_cast<double>(buckets_);
}

TailBuckets::Cohorts LevelCounts::reporting_cohorts() const {
    TailBuckets::Cohorts all(cohorts_), reporting;
    std::iota(all.begin(), all.end(), 0u);
    std::ranges::copy_if(all, std::back_inserter(reporting), [&](std::uint32_t c) { return sizes_[c] > 0; });
    return reporting.size() > all.size() / 2 ? all : reporting;
}

std::vector<float> LevelCounts::group_sums(std::span<const std::uint32_t> cohorts) const {
    std::vector<float> sums{0};
    for (const std::uint32_t cohort : reversed(cohorts)) {
        const double* cells = cells_.data() + cohort * buckets_;
        std::vector<float> more;
        more.reserve(sums.size() * 2 * buckets_);
        for (const float rest : sums)
            for (int time = 0; time < 2; ++time)
                for (std::uint64_t b = 0; b < buckets_; ++b)
                    more.push_back(rest + static_cast<float>(cells[b]));
        sums = std::move(more);
    }
    return sums;
}

std::vector<float> LevelCounts::sums(std::span<const std::uint64_t> heads, TailBuckets& tails) const {
    const std::size_t count = tails.tails().size();
    std::vector<float> sums(heads.size() * count);
    std::array<std::vector<float>, TailBuckets::block> tables;
    std::array<std::vector<CohortHash>, TailBuckets::block> hashes;
    for (std::size_t block = 0; block < tails.blocks(); ++block) {
        const TailBuckets::Numbers numbers = tails.numbers(block);
        for (std::size_t group = 0; group < tables.size(); ++group) {
            tables[group] = group_sums(tails.group(block, group));
            hashes[group].clear();
            for (const std::uint32_t cohort : reversed(tails.group(block, group)))
                hashes[group].emplace_back(level_, cohort, buckets_);
        }
        for (std::size_t h = 0; h < heads.size(); ++h) {
            std::array<const float*, TailBuckets::block> of_head{};
            for (std::size_t group = 0; group < tables.size(); ++group) {
                std::size_t number = 0;
                for (const CohortHash& hash : hashes[group])
                    number = number * 2 * buckets_ + hash.of_head(heads[h]);
                of_head[group] = tables[group].data() + number;
            }
            float* sum = sums.data() + h * count;
            for_each_index(count, [&](std::size_t i) {
                sum[i] += sum_at(of_head, numbers.data() + i * TailBuckets::block,
                                 std::make_index_sequence<TailBuckets::block>());
            });
        }
    }
    return sums;
}

}  // namespace ldp
