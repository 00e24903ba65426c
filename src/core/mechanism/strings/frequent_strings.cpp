// The search extends prefixes (PEM; Wang, Li, Jha 2021). Each level has separate reports, so the selection at
// one level does not bias the tests at the next. A string that ends within the prefixes of a level is whole
// at this level and all later ones; their estimates are pooled.

#include "core/mechanism/strings/frequent_strings.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/interrupt.hpp"
#include "core/base/square.hpp"
#include "core/base/text.hpp"
#include "core/math/statistics.hpp"

namespace ldp {

namespace {

/// A share is subtracted before others are estimated if it has at least this many standard errors, and if
/// the probability that any prefix without holders has such a share is at most `false_clear`.
constexpr double clear = 4, false_clear = 0.05;

double inside(double share) noexcept {
    return std::clamp(share, 0.0, 1.0);
}

/// The estimates of one string at several levels.
struct PooledShare {
    double reports = 0, sum = 0, collisions = 0;

    void add(double n, double share, double collision_variance) noexcept {
        reports += n;
        sum += n * share;
        collisions += n * n * collision_variance;
    }
    [[nodiscard]] double value() const noexcept { return sum / reports; }
    [[nodiscard]] double collision_variance() const noexcept { return collisions / (reports * reports); }
};

/// The reports of some levels are a random sample of all reports. For the target sample, the sampling
/// variance is multiplied by the share of the reports at other levels.
TruthCurve curve_of(const PureProtocol& protocol, double reports, double all, Target target) {
    const auto [p, q] = protocol;
    const double counted = (1 - q) / (p - q), other = -q / (p - q);
    const auto moments = [&](double chance) {
        const auto moment = [&](int power) {
            return chance * std::pow(counted, power) + (1 - chance) * std::pow(other, power);
        };
        return TruthCurve::TermMoments{moment(2), moment(3)};
    };
    TruthCurve population = TruthCurve::of_terms(reports, moments(p), moments(q), Target::population);
    if (target == Target::population) return population;
    const TruthCurve sample = TruthCurve::of_terms(reports, moments(p), moments(q), Target::sample);
    const double drawn = reports / all;
    for (std::size_t i = 0; i < population.variance.size(); ++i) {
        population.variance[i] = std::lerp(population.variance[i], sample.variance[i], drawn);
        population.third[i] = std::lerp(population.third[i], sample.third[i], drawn);
    }
    return population;
}

/// Returns the number of independent reports with the precision of these reports, of which people send up to
/// `repetition` equal ones.
double independent(double reports, double repetition) noexcept {
    return std::max(1.0, std::floor(reports / repetition));
}

/// The count of a string that no person holds is binomial. Collisions increase its variance, so the distance
/// from the mean is scaled to the binomial variance before the comparison.
double p_value_of(const PureProtocol& protocol, const PooledShare& pool, double repetition) {
    const double n = independent(pool.reports, repetition);
    const double noise = protocol.n_variance(0) / n;
    const double reduced = pool.value() * std::sqrt(noise / (noise + pool.collision_variance()));
    const double count = std::round(n * (protocol.q + reduced * (protocol.p - protocol.q)));
    return binomial_at_least(static_cast<std::uint64_t>(n), protocol.q,
                             static_cast<std::uint64_t>(std::max(count, 0.0)));
}

StringShare share_of_pool(const StringDesign& design, const PooledShare& pool, std::uint64_t n,
                          const StringQuery& query) {
    if (!(pool.reports > 0)) return {{unknown, unknown}, law_of_share(), 0, 1};
    const auto all = static_cast<double>(query.people == 0 ? n : query.people);
    const TruthCurve curve =
        curve_of(design.protocol, pool.reports / query.repetition, all / query.repetition, query.target);
    // Collisions depend on the strings and their holders, not on the number of equal reports.
    const double collisions = pool.collision_variance();
    const double variance = curve.variance_at(inside(pool.value())) / curve.n + collisions;
    return {{pool.value(), std::sqrt(variance)},
            {.truths = possible_shares, .curve = curve, .unseen_error = std::sqrt(collisions)},
            static_cast<std::uint64_t>(pool.reports),
            p_value_of(design.protocol, pool, query.repetition)};
}

/// A prefix with its share at one level.
struct Prefix {
    std::uint64_t code;
    double share;
    bool clear = false;                     ///< its share was subtracted from the counts
    std::vector<std::uint32_t> cells = {};  ///< of its level's counts
};

/// Returns the smallest share that counts as clear without collisions: with the probability 1 − false_clear,
/// none of `tested` prefixes without holders has such a share. With few reports the counts of such prefixes
/// are far from normal.
double least_clear_share(const PureProtocol& protocol, double n, double tested) {
    const double noise = std::sqrt(protocol.n_variance(0) / n);
    const auto [p, q] = protocol;
    const auto reports = static_cast<std::uint64_t>(n);
    std::uint64_t low = 0, high = reports + 1;  // the smallest sufficient count is in (low, high]
    while (high - low > 1) {
        const std::uint64_t middle = low + (high - low) / 2;
        (binomial_at_least(reports, q, middle) * tested <= false_clear ? high : low) = middle;
    }
    return std::max(clear * noise, (static_cast<double>(high) / n - q) / (p - q));
}

/// Estimates the shares of prefixes together. Clearly positive shares are subtracted in descending order, so
/// that they add no collisions to other shares. Returns the variance of the remaining collisions.
double refine(const StringDesign& design, LevelCounts& counts, double repetition, double tested,
              std::vector<Prefix>& all) {
    const double n = independent(counts.reports(), repetition);
    const double noise = design.protocol.n_variance(0) / n;
    const double clear_share = least_clear_share(design.protocol, n, tested);
    double collisions = design.collisions(counts.sum_of_squares());
    const auto threshold = [&] { return clear_share * std::sqrt(1 + collisions / noise); };
    constexpr int most_rounds = 24, sweeps = 2;
    for (int round = 0; round < most_rounds; ++round) {
        double largest = threshold();
        bool found = false;
        for (const Prefix& one : all)
            if (!one.clear && one.share > largest) largest = one.share, found = true;
        if (!found) break;
        const double least = std::max(largest / 2, threshold());
        for (Prefix& one : all)
            if (!one.clear && one.share >= least) {
                one.clear = true;
                counts.subtract(one.cells, one.share);
            }
        for (int sweep = 0; sweep < sweeps; ++sweep)
            for (Prefix& one : all)
                if (one.clear) {
                    const double change = counts.share(one.cells);
                    one.share += change;
                    counts.subtract(one.cells, change);
                }
        double squares = counts.sum_of_squares(), others = 1;
        for (Prefix& one : all) {
            check_interrupt();
            if (!one.clear) {
                one.share = counts.share(one.cells);
                continue;
            }
            squares -= square(one.share) - design.protocol.n_variance(inside(one.share)) / n;
            others -= one.share;
        }
        squares = inside(squares);
        // Equal reports of one person agree, so the sum of squares is too large if reports repeat. The
        // remaining shares are below the threshold, which bounds their sum of squares.
        if (repetition > 1) squares = std::min(squares, inside(others) * inside(threshold()));
        collisions = design.collisions(squares);
    }
    return collisions;
}

/// Returns the indices of the `wanted` largest numbers, or of all, in ascending order.
std::vector<std::size_t> largest_of(const std::vector<float>& numbers, std::size_t wanted) {
    wanted = std::min(wanted, numbers.size());
    if (wanted == 0) return {};
    std::vector<float> sorted = numbers;
    const auto last = sorted.begin() + static_cast<std::ptrdiff_t>(wanted) - 1;
    Work work;
    std::nth_element(sorted.begin(), last, sorted.end(), [&](float a, float b) {
        work.done();
        return a > b;
    });
    const float least = *last;
    // Of equal numbers, those with the smallest indices.
    std::size_t equal = static_cast<std::size_t>(std::count(sorted.begin(), last + 1, least));
    std::vector<std::size_t> indices;
    for_each_index(numbers.size(), [&](std::size_t i) {
        if (numbers[i] > least || (numbers[i] == least && equal > 0)) {
            equal -= numbers[i] == least ? 1 : 0;
            indices.push_back(i);
        }
    });
    return indices;
}

/// A whole string with its pooled estimate.
struct Whole {
    Cell code;
    double tested;  ///< candidates of the level that found it
    PooledShare pool;
};

class LevelSearch {
  public:
    LevelSearch(const StringDesign& design, const Counts& counts, const StringQuery& query)
        : design_(design), counts_(counts), query_(query) {}

    std::vector<FrequentString> operator()() {
        for (std::size_t level = 0; level < design_.levels.count(); ++level) {
            LevelCounts counts = design_.counts(counts_.state, level);
            if (!(counts.reports() > 0)) break;
            search(level, counts);
        }
        return found();
    }

  private:
    /// Throws Error if a level has too many candidates.
    void check_work(std::size_t level) const {
        const StringLevels& levels = design_.levels;
        const double expected =
            level == 0 ? static_cast<double>(levels.sound_code_count(levels.length(0)))
                       : static_cast<double>(open_.size()) *
                             static_cast<double>(levels.sound_code_count(levels.tail_length(level)));
        if (expected > static_cast<double>(StringQuery::most_candidates) ||
            expected * static_cast<double>(design_.cohorts) > static_cast<double>(StringQuery::most_work))
            raise(ErrorCode::invalid_value, "the search would examine too many candidates",
                  "Level " + std::to_string(level + 1) + " has " + shortest(expected) + ", each in " +
                      std::to_string(design_.cohorts) + " cohorts.",
                  "Keep fewer prefixes.");
    }

    /// Returns the buckets of the tails of a level. Most levels have the same tails.
    TailBuckets& tails_of(std::size_t level, const TailBuckets::Cohorts& cohorts) {
        const std::uint64_t length = design_.levels.tail_length(level);
        if (!tails_ || tail_length_ != length || tails_->cohorts() != cohorts) {
            tails_.emplace(design_.levels.sound_codes(length), cohorts, design_.buckets);
            tail_length_ = length;
        }
        return *tails_;
    }

    /// Returns the candidates of a level with the largest estimates, more than are kept: their order changes
    /// when collisions are subtracted. Candidates are the continuations of the prefixes that were kept; on the
    /// first level, all sound codes. Sets the number of all candidates.
    [[nodiscard]] std::vector<Prefix> largest(std::size_t level, const LevelCounts& counts,
                                              std::size_t& tested) {
        const StringLevels& levels = design_.levels;
        std::vector<std::uint64_t> heads = open_, ended;
        if (level == 0) {
            heads = levels.sound_codes(levels.length(0) - levels.tail_length(0));
            // A string that ends within its head has the tail 0.
            if (levels.length(0) > levels.tail_length(0)) {
                const auto end = std::stable_partition(heads.begin(), heads.end(), [&](std::uint64_t head) {
                    return head % levels.base() != 0;
                });
                ended.assign(end, heads.end());
                heads.erase(end, heads.end());
            }
        }
        const TailBuckets::Cohorts cohorts = counts.reporting_cohorts();
        TailBuckets& tails = tails_of(level, cohorts);
        std::vector<float> sums = counts.sums(heads, tails);
        if (!ended.empty()) {
            TailBuckets end({0}, cohorts, design_.buckets);
            const std::vector<float> of_ended = counts.sums(ended, end);
            sums.insert(sums.end(), of_ended.begin(), of_ended.end());
        }
        tested = sums.size();
        const std::size_t wanted = 4 * static_cast<std::size_t>(query_.keep), count = tails.tails().size();
        std::vector<Prefix> all;
        for (const std::size_t i : largest_of(sums, wanted))
            all.push_back({i < heads.size() * count
                               ? levels.joined({heads[i / count], tails.tails()[i % count]}, level)
                               : levels.joined({ended[i - heads.size() * count], 0}, level),
                           0,
                           false,
                           {}});
        for (Prefix& one : all) {
            one.cells = counts.cells(one.code);
            one.share = counts.share(one.cells);
        }
        return all;
    }

    void search(std::size_t level, LevelCounts& counts) {
        const StringLevels& levels = design_.levels;
        const bool last = level + 1 == levels.count();
        check_work(level);
        std::size_t tested = 0;
        std::vector<Prefix> all = largest(level, counts, tested);
        const std::size_t fresh = all.size();
        for (const Whole& whole : wholes_) {
            const std::uint64_t code = levels.prefix(whole.code, level);
            std::vector<std::uint32_t> cells = counts.cells(code);
            const double share = counts.share(cells);
            all.push_back({code, share, false, std::move(cells)});
        }
        const double collisions =
            refine(design_, counts, query_.repetition, static_cast<double>(tested + wholes_.size()), all);
        for (std::size_t i = fresh; i < all.size(); ++i)
            wholes_[i - fresh].pool.add(counts.reports(), all[i].share, collisions);
        all.resize(fresh);
        std::ranges::sort(all, larger);
        open_.clear();
        std::uint64_t kept = 0;
        for (const Prefix& one : all) {
            if (!(one.share > 0)) break;
            if (!last && one.code % levels.base() != 0) {
                if (open_.size() < query_.keep) open_.push_back(one.code);
            } else if (kept++ < query_.keep) {
                Whole whole{levels.whole(one.code, level), static_cast<double>(tested), {}};
                whole.pool.add(counts.reports(), one.share, collisions);
                wholes_.push_back(whole);
            }
        }
    }

    static bool larger(const Prefix& a, const Prefix& b) {
        return a.share != b.share ? a.share > b.share : a.code < b.code;
    }

    [[nodiscard]] std::vector<FrequentString> found() const {
        const auto levels = static_cast<double>(design_.levels.count());
        std::vector<FrequentString> strings;
        for (const Whole& whole : wholes_) {
            check_interrupt();
            StringShare share = share_of_pool(design_, whole.pool, counts_.n, query_);
            // Bonferroni's correction for the candidates of a level, which depend on earlier levels only, and
            // for the number of levels.
            share.p_value = std::min(1.0, share.p_value * whole.tested * levels);
            strings.push_back({whole.code, share, whole.code % design_.levels.base() == 0});
        }
        std::ranges::sort(strings, [](const FrequentString& a, const FrequentString& b) {
            const double one = a.share.estimate.value, other = b.share.estimate.value;
            return one != other ? one > other : a.code < b.code;
        });
        return strings;
    }

    const StringDesign& design_;
    const Counts& counts_;
    const StringQuery& query_;
    std::vector<std::uint64_t> open_;  ///< prefixes that the last level kept
    std::vector<Whole> wholes_;
    std::optional<TailBuckets> tails_;  ///< of the last level that had other tails than the one before
    std::uint64_t tail_length_ = 0;
};

}  // namespace

LevelCounts StringDesign::counts(Bytes state, std::size_t level) const {
    const std::size_t size = cohorts * buckets * sizeof(std::uint64_t);
    return {state.subspan(level * size, size), levels, level, cohorts, buckets, slope};
}

std::vector<StringShare> shares_of_strings(const StringDesign& design, const Counts& counts,
                                           std::span<const Cell> codes, const StringQuery& query) {
    std::vector<PooledShare> pools(codes.size());
    for (std::size_t level = 0; level < design.levels.count(); ++level) {
        const LevelCounts one = design.counts(counts.state, level);
        if (!(one.reports() > 0)) continue;
        for (std::size_t i = 0; i < codes.size(); ++i) {
            if (level < design.levels.first_whole(codes[i])) continue;
            const double share = one.share(one.cells(design.levels.prefix(codes[i], level)));
            const double others = std::max(0.0, one.sum_of_squares() - square(inside(share)));
            pools[i].add(one.reports(), share, design.collisions(others));
            check_interrupt();
        }
    }
    std::vector<StringShare> shares;
    for (const PooledShare& pool : pools) shares.push_back(share_of_pool(design, pool, counts.n, query));
    return shares;
}

std::vector<FrequentString> frequent_strings(const StringDesign& design, const Counts& counts,
                                             const StringQuery& query) {
    if (query.keep < 1 || query.keep > StringQuery::most_kept)
        raise(ErrorCode::invalid_value,
              "a search must keep 1 to " + std::to_string(StringQuery::most_kept) + " prefixes",
              "Found " + std::to_string(query.keep) + ".");
    return LevelSearch(design, counts, query)();
}

}  // namespace ldp
