// Dithered buckets: the exact ε of both layers, estimates and errors against enumerated reports, the bound on
// a person's responses, and coverage by round, over rounds and of changes.
//
// Length: all cases use the same collections and the same people.

#include <cmath>
#include <numeric>

#include "core/base/error.hpp"
#include "core/contract/evolving_options.hpp"
#include "core/groups/change.hpp"
#include "core/mechanism/ordered/public_cuts.hpp"
#include "core/summary/queries/distribution.hpp"
#include "proof.hpp"
#include "repeated_draws.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(dithered)

namespace {

const std::string circle = R"(, "order": "circle")";
const std::string kept = R"(, "evolving": {}, "budget": {"epsilon": 1000, "report_spent": false})";

std::unique_ptr<const Mechanism> categories(double epsilon, std::uint64_t k, std::uint64_t buckets,
                                            const std::string& rest = {}) {
    return mechanism("dithered", epsilon,
                     "\"domain\": " + std::to_string(k) + ", \"buckets\": " + std::to_string(buckets) + rest);
}
/// Numbers 0 to k − 1.
std::unique_ptr<const Mechanism> numbers(double epsilon, std::uint64_t k, std::uint64_t buckets,
                                         const std::string& rest = {}) {
    const std::string last = std::to_string(k - 1);
    return mechanism("dithered", epsilon,
                     "\"min\": 0, \"max\": " + last + ", \"grid\": " + last +
                         ", \"buckets\": " + std::to_string(buckets) + rest);
}
const Ordered& ordered(const Mechanism& m) {
    return dynamic_cast<const Ordered&>(m);
}
std::vector<double> random_shares(std::size_t k, SeededBits& bits) {
    std::vector<double> all(k);
    for (double& share : all) share = static_cast<double>(1 + bits.below(1000) * bits.below(1000));
    const double sum = std::accumulate(all.begin(), all.end(), 0.0);
    for (double& share : all) share /= sum;
    return all;
}
double mean(std::span<const double> function, std::span<const double> below) {
    double sum = 0;
    for (std::size_t s = 0; s < function.size(); ++s)
        sum += function[s] * (below[s] - (s == 0 ? 0 : below[s - 1]));
    return sum;
}

/// The partitions and payloads of a small mechanism: payload [partition][bucket].
struct Enumeration {
    explicit Enumeration(const Mechanism& m, std::uint64_t buckets) {
        for (std::uint64_t partition = 0;; ++partition) {
            std::vector<std::vector<std::byte>> all;
            for (std::uint64_t bucket = 0; bucket < buckets; ++bucket) {
                std::vector<std::byte> payload(m.payload_size());
                store_cell(payload.data(), m.public_size(), partition);
                store_cell(payload.data() + m.public_size(), m.permanent_size(), bucket);
                if (!m.valid_payload(payload)) break;
                all.push_back(payload);
            }
            if (all.empty()) break;
            payloads.push_back(std::move(all));
        }
    }
    std::vector<std::vector<std::vector<std::byte>>> payloads;
};

/// The probability of a reported bucket, of both layers.
double probability(const Mechanism& m, Cell cell, Bytes payload, std::uint64_t buckets) {
    const Bytes partition = payload.first(m.public_size());
    double sum = 0;
    std::vector<std::byte> permanent(m.permanent_size());
    for (std::uint64_t bucket = 0; bucket < buckets; ++bucket) {
        store_cell(permanent.data(), permanent.size(), bucket);
        sum += static_cast<double>(m.probability(std::vector<Cell>{cell}, partition, permanent) *
                                   m.instantaneous_probability(partition, permanent, payload));
    }
    return sum;
}

}  // namespace

BOOST_AUTO_TEST_CASE(both_layers_keep_epsilon) {
    for (const double epsilon : epsilons)
        for (const std::uint64_t k : {3, 5, 8})
            for (const std::uint64_t buckets : {2, 3}) {
                prove(*categories(epsilon, k, buckets));
                prove(*categories(epsilon, k, buckets, circle));
                prove(*numbers(epsilon, k, buckets));
                const std::string first = R"(, "report_epsilon": )" + text(epsilon * 0.6);
                prove_two_layers(*categories(epsilon, k, buckets, first));
                prove_two_layers(*categories(epsilon, k, buckets, first + circle));
            }
    for (const double epsilon : epsilons) {
        check_worst_ratio(*numbers(epsilon, 1 << 14, 1024));
        check_worst_ratio(*categories(epsilon, 1 << 14, 2));
    }
}

BOOST_AUTO_TEST_CASE(reports_come_as_often_as_the_proof_says) {
    for (const double epsilon : {0.5, 4.0})
        for (const Cell cell : {0, 3, 6}) {
            check_frequencies_of_reports(*categories(epsilon, 7, 3, circle), {{cell}}, 3601);
            check_frequencies_of_responses(*categories(epsilon, 7, 3, R"(, "report_epsilon": 0.3)"), {{cell}},
                                           3602);
        }
}

BOOST_AUTO_TEST_CASE(draws_do_not_depend_on_the_value) {
    const auto m = categories(1, 100, 7, R"(, "report_epsilon": 0.3)");
    std::vector<std::vector<std::uint64_t>> asked;
    for (Cell cell = 0; cell < 100; ++cell) {
        RecordedBounds bits(3603);
        static_cast<void>(m->perturb(std::vector<Cell>{cell}, bits));
        asked.push_back(bits.asked);
    }
    for (const auto& each : asked) BOOST_CHECK(each == asked[0]);
}

// Each cut belongs to one partition, a partition has at most buckets − 1 cuts, and buckets are runs. On a
// circle, the same holds for the partitions that begin at either point, and no two neighbours are separated
// by all partitions.
BOOST_AUTO_TEST_CASE(partitions_are_runs_and_share_the_cuts) {
    for (std::uint64_t k = 3; k <= 30; ++k)
        for (std::uint64_t buckets = 2; buckets <= k; ++buckets)
            for (const bool round : {false, true}) {
                const PublicCuts cuts(k, buckets, round);
                std::vector<std::size_t> separated(k);  // the number of partitions that separate i − 1 and i
                for (std::uint64_t partition = 0; partition < cuts.partitions(); ++partition) {
                    std::vector<std::uint64_t> all;
                    for (std::uint64_t point = 0; point < k; ++point) {
                        all.push_back(cuts.bucket(partition, point));
                        BOOST_REQUIRE_LT(all.back(), buckets);
                    }
                    std::size_t changes = 0;
                    for (std::uint64_t point = 0; point < k; ++point)
                        if (all[point] != all[(point + k - 1) % k]) ++separated[point], ++changes;
                    const std::uint64_t own = cuts.cuts(partition % cuts.offsets());
                    BOOST_CHECK_EQUAL(changes, own + 1);
                    BOOST_CHECK_GE(own, 1u);
                    BOOST_CHECK_LE(own, buckets - 1);
                }
                for (std::uint64_t point = 0; point < k; ++point) {
                    if (!round)
                        BOOST_CHECK_EQUAL(separated[point], point == 0 ? cuts.partitions() : 1);
                    else if (cuts.offsets() > 1)
                        BOOST_CHECK_LT(separated[point], cuts.partitions());
                }
            }
}

// There is one report of each partition. The change by another one in its place is the term of a report. Its
// mean over all reports is the function at the person's point, and its variance is that of the estimate.
BOOST_AUTO_TEST_CASE(errors_are_those_of_the_enumerated_reports) {
    SeededBits bits(3604);
    for (const double epsilon : {0.5, 2.0, 4.0})
        for (const std::uint64_t k : {2, 3, 5, 6, 7, 8})
            for (const std::uint64_t buckets : {2, 3, 5})
                for (const char* rest : {"", R"(, "order": "circle")", R"(, "report_epsilon": 0.4)"}) {
                    if (buckets > k || (k < 3 && rest[0] == ',' && rest[3] == 'o')) continue;
                    const auto m = categories(epsilon, k, buckets, rest);
                    const auto payloads = Enumeration(*m, buckets).payloads;
                    std::vector<std::byte> state(m->state_size());
                    std::uint64_t n = 0;
                    std::vector<double> drew;
                    for (const auto& own : payloads) {
                        drew.push_back(static_cast<double>(1 + bits.below(20)));
                        for (double i = 0; i < drew.back(); ++i, ++n)
                            BOOST_REQUIRE(m->accumulate(state, own[bits.below(own.size())]));
                    }
                    const auto shares = random_shares(k, bits);
                    const auto noise = ordered(*m).noise({n, state}, shares);
                    const auto enumerated = [&](std::span<const double> function) {
                        struct TermMoments {
                            std::vector<double> first, second;  ///< for a person at each point
                        };
                        std::vector<TermMoments> terms;
                        double variance = 0, constant = 0, used = 0;
                        std::vector<double> mean_terms(k);
                        for (std::size_t own = 0; own < payloads.size(); ++own) {
                            const auto read = [&](Bytes payload) {
                                std::vector<std::byte> one(m->state_size());
                                for (std::size_t other = 0; other < payloads.size(); ++other)
                                    BOOST_REQUIRE(m->accumulate(
                                        one, other == own ? payload : Bytes(payloads[other][0])));
                                return mean(function, ordered(*m).cumulative({payloads.size(), one}));
                            };
                            auto& [first, second] = terms.emplace_back(
                                TermMoments{std::vector<double>(k), std::vector<double>(k)});
                            for (const auto& payload : payloads[own]) {
                                const double added = read(payload) - read(payloads[own][0]);
                                for (Cell x = 0; x < k; ++x) {
                                    const double chance = probability(*m, x, payload, buckets);
                                    first[x] += chance * added;
                                    second[x] += chance * added * added;
                                }
                            }
                            if (own == 0) constant = read(payloads[own][0]);
                            for (Cell x = 0; x < k; ++x) mean_terms[x] += first[x];
                            const auto [least, most] = std::ranges::minmax(first);
                            if (most > least + 1e-9) used += drew[own];
                        }
                        for (std::size_t own = 0; own < payloads.size(); ++own) {
                            const auto& [first, second] = terms[own];
                            const auto [least, most] = std::ranges::minmax_element(first);
                            const auto all = [&, low = least - first.begin(), high = most - first.begin()](
                                                 const std::vector<double>& moment) {
                                double sum = moment[static_cast<std::size_t>(low)] / 2 +
                                             moment[static_cast<std::size_t>(high)] / 2;
                                for (Cell x = 0; x < k; ++x) sum += used * shares[x] * moment[x];
                                return sum / (used + 1);
                            };
                            variance +=
                                static_cast<double>(n) / drew[own] * (all(second) - all(first) * all(first));
                        }
                        double first = 0, second = 0;
                        for (Cell x = 0; x < k; ++x) {
                            BOOST_CHECK_SMALL(constant + mean_terms[x] - function[x], 1e-8);  // unbiased
                            first += shares[x] * function[x];
                            second += shares[x] * function[x] * function[x];
                        }
                        return std::max(variance - (second - first * first), 0.0);
                    };
                    std::vector<double> function(k);
                    for (double& value : function) value = static_cast<double>(bits.below(2001)) / 1000 - 1;
                    BOOST_CHECK_CLOSE_FRACTION(noise->of(function), enumerated(function), 1e-7);
                    for (std::size_t first = 0; first < k; ++first)
                        for (std::size_t end = first + 1; end <= k && end - first < k; ++end) {
                            std::vector<double> inside(k);
                            std::fill(inside.begin() + static_cast<std::ptrdiff_t>(first),
                                      inside.begin() + static_cast<std::ptrdiff_t>(end), 1);
                            BOOST_CHECK_CLOSE_FRACTION(noise->between(first, end), enumerated(inside), 1e-7);
                            std::vector<double> falls(function.begin() + static_cast<std::ptrdiff_t>(first),
                                                      function.begin() + static_cast<std::ptrdiff_t>(end));
                            std::vector<double> whole(k);
                            std::fill_n(whole.begin(), first, 1);
                            std::ranges::copy(falls, whole.begin() + static_cast<std::ptrdiff_t>(first));
                            BOOST_CHECK_CLOSE_FRACTION(noise->falling(first, falls), noise->of(whole), 1e-7);
                        }
                }
}

// The law of a share at its estimated value has the variance of the estimate, without the person who is added
// to estimates of few reports.
BOOST_AUTO_TEST_CASE(the_curve_passes_through_the_variance) {
    constexpr std::size_t k = 12;
    constexpr double many = 1e9;
    SeededBits bits(3605);
    for (const char* rest : {"", R"(, "order": "circle")", R"(, "report_epsilon": 0.8)"}) {
        const auto m = categories(2, k, 4, rest);
        const auto shares = random_shares(k, bits);
        const auto noise = ordered(*m).expected_noise(shares);
        for (std::size_t first = 0; first < k; ++first)
            for (std::size_t end = first + 1; end <= k && end - first < k; ++end) {
                double share = 0;
                for (std::size_t s = first; s < end; ++s) share += shares[s];
                for (const Target target : {Target::sample, Target::population}) {
                    const double sampling = target == Target::population ? share * (1 - share) : 0;
                    const TruthCurve curve = noise->curve(first, end, target);
                    BOOST_REQUIRE_GT(curve.n, many);
                    BOOST_CHECK_CLOSE_FRACTION(curve.variance_at(share),
                                               noise->between(first, end) + sampling, 1e-6);
                }
            }
    }
}

// Whatever the people hold, the mean of the estimate is at most `blind` from the truth, which is less than
// its standard error.
BOOST_AUTO_TEST_CASE(partitions_without_reports_are_an_error) {
    SeededBits bits(3606);
    constexpr std::size_t k = 13;
    for (const char* rest : {"", R"(, "order": "circle")"})
        for (int round = 0; round < 200; ++round) {
            const auto m = categories(20, k, 3, rest);
            std::vector<Cell> people(30);
            for (Cell& cell : people) cell = bits.below(1 + bits.below(k));
            const auto truth = shares_among(people, k);
            const std::size_t hundred = 100;
            // All people report in the partitions that a coin chose.
            const auto payloads = Enumeration(*m, 3).payloads;
            std::vector<std::byte> state(m->state_size());
            std::uint64_t n = 0;
            const PublicCuts cuts(k, 3, rest[0] != 0);
            const std::uint64_t sure = bits.below(payloads.size());
            for (std::size_t partition = 0; partition < payloads.size(); ++partition) {
                if (partition != sure && bits.below(2) == 0) continue;
                for (const Cell cell : people)
                    for (std::size_t i = 0; i < hundred; ++i, ++n)
                        BOOST_REQUIRE(
                            m->accumulate(state, payloads[partition][cuts.bucket(partition, cell)]));
            }
            OrderedEstimator estimator(ordered(*m), {n, state});
            for (std::size_t first = 0; first < k; ++first)
                for (std::size_t end = first + 1; end <= k && end - first < k; ++end) {
                    const Estimate found = estimator.between(first, end, Target::sample);
                    const double share =
                        std::accumulate(truth.begin() + static_cast<std::ptrdiff_t>(first),
                                        truth.begin() + static_cast<std::ptrdiff_t>(end), 0.0);
                    BOOST_CHECK_LE(std::abs(found.value - share), found.standard_error + 1e-3);
                }
        }
}

BOOST_AUTO_TEST_CASE(a_person_has_at_most_one_response_for_each_bucket) {
    SeededBits bits(3607);
    const auto m = numbers(1, 101, 6, kept);
    BOOST_CHECK_EQUAL(m->most_keys(), 6u);
    double moved = 0;
    constexpr int people = 2000;
    for (int i = 0; i < people; ++i) {
        Device still(*m, bits), wild(*m, bits);
        std::vector<std::byte> payload(m->payload_size());
        for (int t = 0; t < 50; ++t) {
            still.report(std::vector<Cell>{40 + bits.below(6)}, payload);  // within a twentieth of the range
            wild.report(std::vector<Cell>{bits.below(101)}, payload);
        }
        BOOST_REQUIRE_LE(wild.keys(), 6u);
        BOOST_REQUIRE_LE(still.keys(), 2u);
        moved += static_cast<double>(still.keys()) / people;
    }
    // Each of the five cuts between the points is one of every twenty.
    BOOST_CHECK_CLOSE_FRACTION(moved, 1 + 5.0 / 20, 6 * std::sqrt(0.1875 / people));
}

// 900 people at 135 ± 10, who move by up to ten from round to round and are rounded by no one: the share of
// 125 to 145 is 1. Rounded as they move, it was reported as 0.04.
BOOST_AUTO_TEST_CASE(a_share_of_people_in_a_range_is_found) {
    const auto m = mechanism("dithered", 4, R"("min": 0, "max": 360)" + kept);
    BOOST_REQUIRE_EQUAL(m->cells()[0], 73u);  // steps of 5
    constexpr int people = 900, rounds = 8;
    SeededBits bits(3608);
    std::vector<OwnedSummary> by_round;
    for (int t = 0; t < rounds; ++t) by_round.emplace_back(*m);
    OwnedSummary pooled(*m);
    std::vector<std::byte> report(m->block().begin(), m->block().end());
    report.resize(m->block().size() + m->payload_size());
    double drawn = 0;
    for (int i = 0; i < people; ++i) {
        Device device(*m, bits);
        const std::uint64_t alpha = bits.word();
        for (int t = 0; t < rounds; ++t) {
            const double value = 125 + static_cast<double>(bits.below(20001)) / 1000;
            const Cell cell = RoundingLevels(72, 72).round(value / 5, 0, alpha);
            device.report(std::vector<Cell>{cell}, std::span(report).subspan(m->block().size()));
            by_round[static_cast<std::size_t>(t)].add(report, Rounds::only(t));
        }
        drawn += static_cast<double>(device.keys()) / people;
    }
    for (const OwnedSummary& one : by_round) pooled.merge(one.bytes());
    for (const SummaryView& view : {by_round[7].view(), pooled.view()}) {
        const ShareOfRange inside = share_between(view, 125, 145, Target::sample);
        BOOST_TEST_MESSAGE(inside.value << " +- " << inside.standard_error);
        BOOST_CHECK_LT(inside.standard_error, 0.1);
        // A false alarm has probability 1e-9.
        BOOST_CHECK_LT(std::abs(inside.value - 1), 6 * inside.standard_error);
        const Interval likely = interval(inside, critical_value(0.95), inside.law);
        BOOST_CHECK_GT(likely.lower, 0.8);
        BOOST_CHECK_EQUAL(likely.upper >= 1, true);
        for (const double share : {0.25, 0.5, 0.75}) {
            const Quantile found = quantile(view, share, 0.95, Target::sample);
            BOOST_CHECK_GE(found.value, 120);
            BOOST_CHECK_LE(found.value, 150);
        }
        BOOST_CHECK_GT(share_between(view, 100, 120, Target::sample).standard_error, 0);
        BOOST_CHECK_LT(share_between(view, 160, 300, Target::sample).value, 0.3);
    }
    // The values move over four of 72 cuts, of which a person has one in six.
    BOOST_CHECK_LT(drawn, 2);
    const Estimate mean = estimate(by_round[7].view(), {Quantity::means})[0];
    BOOST_CHECK_LT(std::abs(mean.value - 135), 6 * mean.standard_error + 1);
}

namespace {

constexpr int rounds = 6;

/// A value in a round, or none. Kinds of people: 0 keep theirs, 1 change midway, 2 alternate, 3 change daily,
/// 4 join late, 5 leave, 6 are all of these.
std::optional<Cell> held(int kind, std::size_t person, int round, std::size_t k) {
    const Cell one = person * 8 % k, other = (person * 5 + 3) % k;
    switch (kind == 6 ? static_cast<int>(person % 6) : kind) {
        case 1:
            return round < rounds / 2 ? one : other;
        case 2:
            return round % 2 == 0 ? one : other;
        case 3:
            return (person * 8 + static_cast<std::size_t>(round) * 11) % k;
        case 4:
            return round < static_cast<int>(person % 4) ? std::nullopt : std::optional(one);
        case 5:
            return round >= rounds - static_cast<int>(person % 2) ? std::nullopt : std::optional(one);
        default:
            return one;
    }
}

struct HeldShares {
    std::vector<double> shares;
    double n = 0;
    explicit HeldShares(std::size_t k) : shares(k) {}
    void add(Cell cell) { ++shares[cell], ++n; }
    [[nodiscard]] double between(std::size_t first, std::size_t last) const {
        return std::accumulate(shares.begin() + static_cast<std::ptrdiff_t>(first),
                               shares.begin() + static_cast<std::ptrdiff_t>(last) + 1, 0.0) /
               n;
    }
    [[nodiscard]] double mean() const {
        double sum = 0;
        for (std::size_t s = 0; s < shares.size(); ++s) sum += static_cast<double>(s) * shares[s];
        return sum / n;
    }
    [[nodiscard]] double quantile(double share) const {
        std::size_t s = 0;
        while (between(0, s) < share - 1e-9) ++s;
        return static_cast<double>(s);
    }
};

bool holds(const Interval& interval, double truth) {
    return truth >= interval.lower - 1e-9 && truth <= interval.upper + 1e-9;
}

}  // namespace

// Of a round, the intervals hold in 93 to 97 % of the cases, or more where they cannot be narrower; over all
// rounds and of changes in at least 93 %. A false alarm has probability 1e-8.
BOOST_AUTO_TEST_CASE(intervals_of_rounds_and_changes_hold, *boost::unit_test::label("slow")) {
    struct RoundsCase {
        double epsilon;
        std::size_t n;
        const char* rest;
    };
    SeededBits bits(3609);
    constexpr int repetitions = 400;
    constexpr std::size_t k = 21;
    for (const RoundsCase& one : {RoundsCase{4, 50, ""}, RoundsCase{3, 80, R"(, "report_epsilon": 1.5)"}}) {
        const auto m = numbers(one.epsilon, k, 5, one.rest + kept);
        std::array<double, 7> covered{};
        for (int kind = 0; kind < 7; ++kind)
            for (int r = 0; r < repetitions; ++r) {
                std::vector<OwnedSummary> by_round;
                for (int t = 0; t < rounds; ++t) by_round.emplace_back(*m);
                std::vector<HeldShares> truth(rounds, HeldShares(k));
                HeldShares all(k);
                OwnedSummary pooled(*m);
                std::vector<std::byte> report(m->block().begin(), m->block().end());
                report.resize(m->block().size() + m->payload_size());
                double both = 0;
                for (std::size_t i = 0; i < one.n; ++i) {
                    Device device(*m, bits);
                    for (int t = 0; t < rounds; ++t) {
                        const std::optional<Cell> cell = held(kind, i, t, k);
                        if (!cell) continue;
                        device.report({&*cell, 1}, std::span(report).subspan(m->block().size()));
                        by_round[static_cast<std::size_t>(t)].add(report, Rounds::only(t));
                        truth[static_cast<std::size_t>(t)].add(*cell);
                        all.add(*cell);
                    }
                    both += held(kind, i, 1, k) && held(kind, i, 1, k) == held(kind, i, 4, k) ? 1 : 0;
                }
                for (const OwnedSummary& each : by_round) pooled.merge(each.bytes());
                const auto hit = [&](std::size_t at, const Interval& found, double value) {
                    covered[at] += holds(found, value) ? 1.0 / (7 * repetitions) : 0;
                };
                const auto check = [&](std::size_t at, const SummaryView& view, const HeldShares& shares) {
                    const ShareOfRange range = share_between(view, 5, 12, Target::sample);
                    hit(at, interval(range, critical_value(0.95), range.law), shares.between(5, 12));
                    hit(at + 1, quantile(view, 0.37, 0.95, Target::sample).interval, shares.quantile(0.37));
                    hit(at + 2, interval(estimate(view, {Quantity::means})[0], 0.95), shares.mean());
                };
                check(0, by_round[4].view(), truth[4]);
                check(3, pooled.view(), all);
                const auto changed = change(by_round[1].view(), by_round[4].view(),
                                            both / std::min(truth[1].n, truth[4].n), critical_value(0.95));
                hit(6, changed[0].interval, truth[4].mean() - truth[1].mean());
            }
        const char* const names[] = {
            "range", "quantile", "mean", "range, all rounds", "quantile, all rounds", "mean, all rounds",
            "change"};
        const double room = 5.7 * std::sqrt(0.93 * 0.07 / (7 * repetitions));
        for (std::size_t i = 0; i < covered.size(); ++i) {
            BOOST_TEST_MESSAGE(one.n << " people, " << names[i] << ": " << covered[i]);
            BOOST_TEST(covered[i] >= 0.95 - room, one.n << " people, " << names[i] << ": " << covered[i]);
            if (i == 0 || i == 2)
                BOOST_TEST(covered[i] <= 0.97 + room, one.n << " people, " << names[i] << ": " << covered[i]);
        }
    }
}

// Of the target population, for people who are spread and people who are alike, of lines and circles.
BOOST_AUTO_TEST_CASE(intervals_of_few_reports_hold, *boost::unit_test::label("slow")) {
    SeededBits bits(3610);
    constexpr int repetitions = 1500;
    constexpr std::size_t k = 20;
    for (const char* rest : {"", R"(, "order": "circle")"})
        for (const bool alike : {false, true})
            for (const Target target : {Target::sample, Target::population}) {
                const auto m = categories(4, k, 5, rest);
                std::vector<double> shares(k, alike ? 0 : 1);
                shares[7] = shares[8] = 6;
                for (double& share : shares) share /= alike ? 12 : 30;
                const std::vector<Cell> thirty = people_of(shares, 60);
                std::array<double, 4> covered{};
                for (int r = 0; r < repetitions; ++r) {
                    std::vector<Cell> people = thirty;
                    if (target == Target::population)
                        for (Cell& cell : people) cell = thirty[bits.below(60)];
                    const auto summary = reported(*m, people, bits);
                    const auto hit = [&](std::size_t at, double low, double high, double truth) {
                        const ShareOfRange found = share_between(summary.view(), low, high, target);
                        covered[at] += holds(interval(found, critical_value(0.95), found.law), truth)
                                           ? 1.0 / repetitions
                                           : 0;
                    };
                    const auto truth = [&](std::size_t low, std::size_t high) {
                        return std::accumulate(shares.begin() + static_cast<std::ptrdiff_t>(low),
                                               shares.begin() + static_cast<std::ptrdiff_t>(high) + 1, 0.0);
                    };
                    hit(0, 0, 9, truth(0, 9));
                    hit(1, 7, 8, truth(7, 8));
                    hit(2, 10, 15, truth(10, 15));
                    hit(3, 8, 12, truth(8, 12));
                }
                for (const double each : covered) {
                    BOOST_TEST_MESSAGE(rest << (alike ? " alike " : " spread ") << each);
                    BOOST_CHECK_GE(each, 0.94 - 5.7 * std::sqrt(0.94 * 0.06 / repetitions));
                }
            }
}

// Exact, from the closed forms: with one cut in each partition, a share before a cut has the variance of a
// randomized response by one of `offsets` people.
BOOST_AUTO_TEST_CASE(variances_are_the_closed_forms) {
    for (const double epsilon : {1.0, 4.0})
        for (const std::uint64_t buckets : {2, 5}) {
            constexpr std::size_t k = 21;
            const auto m = categories(epsilon, k, buckets);
            const PublicCuts cuts(k, buckets, false);
            const double all = std::exp(epsilon) + static_cast<double>(buckets) - 1,
                         p = std::exp(epsilon) / all, q = 1 / all;
            const auto noise = ordered(*m).expected_noise(std::vector<double>(k, 1.0 / k));
            for (std::size_t end = 1; end < k; ++end) {
                const double share = static_cast<double>(end) / k;
                const double named = q * static_cast<double>(cuts.cut(end).bucket + 1) + (p - q) * share;
                const double expected =
                    static_cast<double>(cuts.offsets()) * named * (1 - named) / ((p - q) * (p - q)) -
                    share * (1 - share);
                BOOST_CHECK_CLOSE_FRACTION(noise->between(0, end), expected, 1e-9);
            }
        }
}

BOOST_AUTO_TEST_CASE(specs_choose_steps_and_buckets) {
    const auto canonical = [](const std::string& rest) {
        return resolve(R"({"mechanism": "dithered", "epsilon": 4, )" + rest + "}").to_json();
    };
    const auto has = [](const std::string& json, const char* part) {
        return json.find(part) != std::string::npos;
    };
    for (const auto& [range, grid] : std::initializer_list<std::pair<const char*, const char*>>{
             {R"("min": 0, "max": 360)", R"("grid":72)"},
             {R"("min": 18, "max": 97)", R"("grid":79)"},
             {R"("min": 0, "max": 2500)", R"("grid":50)"},
             {R"("min": 0, "max": 1)", R"("grid":50)"},
             {R"("min": -10, "max": 10)", R"("grid":100)"},
             {R"("min": 0, "max": 1e300)", R"("grid":50)"},
             {R"("min": 0.3, "max": 1.004)", R"("grid":64)"},
             {R"("min": 1, "max": 3601)", R"("grid":64)"}}) {
        const std::string json = canonical(range);
        BOOST_CHECK_MESSAGE(has(json, grid), json);
        BOOST_CHECK_EQUAL(resolve(json).to_json(), json);
        BOOST_CHECK(!has(json, "order"));
    }
    const std::string hours = canonical(R"("domain": 24, "order": "circle")");
    BOOST_CHECK(has(hours, R"("order":"circle")"));
    BOOST_CHECK_EQUAL(resolve(hours).to_json(), hours);
    BOOST_CHECK_EQUAL(canonical(R"("domain": 24, "order": "line")"), canonical(R"("domain": 24)"));
    // Lower epsilon, fewer buckets; and those of report_epsilon count.
    const auto buckets = [](double epsilon, const std::string& rest) {
        const Spec spec = resolve(R"({"mechanism": "dithered", "epsilon": )" + text(epsilon) +
                                  R"(, "min": 0, "max": 72, "grid": 72)" + rest + "}");
        return spec.number("buckets");
    };
    BOOST_CHECK_EQUAL(buckets(0.5, ""), 3u);
    BOOST_CHECK_LT(buckets(1, ""), buckets(3, ""));
    BOOST_CHECK_EQUAL(buckets(4, R"(, "report_epsilon": 2)"), buckets(2, ""));
    for (const char* bad :
         {R"("domain": 10, "buckets": 1)", R"("domain": 10, "buckets": 11)", R"("domain": 10, "grid": 9)",
          R"("domain": 16385)", R"("min": 0, "max": 1, "grid": 16384)", R"("domain": 2, "order": "circle")",
          R"("min": 0, "max": 1, "order": "circle")", R"("domain": 10, "order": "round")",
          R"("domain": 10, "report_epsilon": 4)", R"("min": 0, "max": 9, "grid": 9, "buckets": 11)"})
        BOOST_CHECK_THROW(canonical(bad), Error);
    // Parts of records, also in two layers, and memoized.
    for (const char* layers : {"", R"(, "report_epsilon": 1)"}) {
        const Spec record = resolve(
            R"({"mechanism": "sampled", "epsilon": 4, "evolving": {}, "budget": {"epsilon": 80}, "attributes":
                [{"name": "a", "domain": 5}, {"name": "b", "min": 0, "max": 360, )" +
            std::string(layers[0] == 0 ? R"("mechanism": "dithered")" : R"("estimate": "distribution")") +
            "}]" + layers + "}");
        BOOST_CHECK_EQUAL(record.attributes()[1].mechanism, "dithered");
        BOOST_CHECK_EQUAL(Spec::from_json(record.to_json()).to_json(), record.to_json());
    }
}

BOOST_AUTO_TEST_CASE(forged_blocks_payloads_and_states_are_refused_or_harmless) {
    const auto m = categories(2, 41, 5);
    const auto with = [&](std::size_t at, std::uint64_t value, std::size_t bytes) {
        std::vector<std::byte> block(m->block().begin(), m->block().end());
        store_cell(block.data() + header_size + at, bytes, value);
        return malformed([&] { static_cast<void>(load_mechanism(block, Kind::report)); });
    };
    BOOST_CHECK(!with(0, 41, 4));
    BOOST_CHECK(with(0, 4, 4));  // fewer points than buckets
    BOOST_CHECK(with(0, 1, 4));
    BOOST_CHECK(with(0, (1 << 14) + 1, 4));
    BOOST_CHECK(with(4, 1, 1));   // numbers without a range
    BOOST_CHECK(!with(4, 2, 1));  // a circle
    BOOST_CHECK(with(4, 3, 1));
    BOOST_CHECK(with(5, 1, 4));
    BOOST_CHECK(with(5, 42, 4));
    SeededBits bits(3611);
    const Report report = m->perturb(std::vector<Cell>{5}, bits);
    std::vector<std::byte> payload(report.end() - static_cast<std::ptrdiff_t>(m->payload_size()),
                                   report.end());
    BOOST_CHECK(m->valid_payload(payload));
    BOOST_REQUIRE_EQUAL(payload.size(), 2u);
    payload[0] = std::byte{10};  // of ten partitions
    BOOST_CHECK(!m->valid_payload(payload));
    payload[0] = std::byte{9}, payload[1] = std::byte{5};
    BOOST_CHECK(!m->valid_payload(payload));
    const auto number = numbers(2, 41, 5, R"(, "report_epsilon": 1)");
    for (int round = 0; round < 20; ++round) {
        std::vector<std::byte> bytes(summary_size(*number));
        start_summary(*number, bytes);
        for (std::size_t at = number->block().size() + 16; at < bytes.size(); at += 8)
            bytes[at] = static_cast<std::byte>(round == 0 ? 0 : bits.below(3));
        std::uint64_t n = 0;
        for (std::size_t at = number->block().size() + 16; at < bytes.size(); at += 8)
            n += std::to_integer<std::uint64_t>(bytes[at]);
        store<std::uint64_t>(bytes.data() + number->block().size(), std::max<std::uint64_t>(n, 1));
        const SummaryView view = view_of(*number, bytes);
        static_cast<void>(decode(view, Smoothing::binomial));
        static_cast<void>(share_between(view, 3, 7, Target::population));
        static_cast<void>(quantile(view, 0.3, 0.9, Target::sample));
        static_cast<void>(histogram(view, 7, Target::sample));
        static_cast<void>(health(view));
    }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
