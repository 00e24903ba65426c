// The tree of sets over an ordered domain: its channel, the least squares that its levels are put together
// by, and what the errors of all that are worth.
//
// Length: all cases use the same trees and their least squares in dense matrices.

#include <Eigen/Dense>
#include <cmath>
#include <numeric>

#include "core/base/error.hpp"
#include "core/channel/subset_channel.hpp"
#include "core/mechanism/ordered/level_tree.hpp"
#include "core/summary/queries/distribution.hpp"
#include "proof.hpp"
#include "repeated_draws.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(tree)

namespace {

std::unique_ptr<const Mechanism> categories(double epsilon, std::uint64_t k) {
    return mechanism("tree", epsilon, "\"domain\": " + std::to_string(k));
}
/// Numbers 0 to k − 1.
std::unique_ptr<const Mechanism> numbers(double epsilon, std::uint64_t k) {
    return mechanism(
        "tree", epsilon,
        "\"min\": 0, \"max\": " + std::to_string(k - 1) + ", \"grid\": " + std::to_string(k - 1));
}
const Ordered& ordered(const Mechanism& m) {
    return dynamic_cast<const Ordered&>(m);
}

/// All payloads of each level.
std::vector<std::vector<std::vector<std::byte>>> payloads_by_level(const Mechanism& m) {
    std::vector<std::vector<std::vector<std::byte>>> levels;
    for_each_permanent(m, {}, [&](Bytes payload) {
        const auto level = std::to_integer<std::size_t>(payload[0]);
        levels.resize(std::max(levels.size(), level + 1));
        levels[level].emplace_back(payload.begin(), payload.end());
    });
    return levels;
}
double probability(const Mechanism& m, Cell cell, Bytes payload) {
    return static_cast<double>(m.probability(std::vector<Cell>{cell}, {}, payload));
}

/// The levels in a parameter block.
struct Planned {
    unsigned depth;
    double weight;
    std::uint64_t set_size;
};
std::vector<Planned> planned(const Mechanism& m) {
    Reader reader(m.block().subspan(header_size));
    static_cast<void>(reader.take<std::uint32_t>());
    static_cast<void>(reader.take<std::uint8_t>());
    std::vector<Planned> all(reader.take<std::uint8_t>());
    for (auto& [depth, weight, set_size] : all) {
        depth = reader.take<std::uint8_t>();
        weight = reader.take<std::uint16_t>();
        set_size = reader.take<std::uint32_t>();
    }
    double sum = 0;
    for (const Planned& level : all) sum += level.weight;
    for (Planned& level : all) level.weight /= sum;
    return all;
}

double mean(std::span<const double> function, std::span<const double> below) {
    double sum = 0;
    for (std::size_t s = 0; s < function.size(); ++s)
        sum += function[s] * (below[s] - (s == 0 ? 0 : below[s - 1]));
    return sum;
}
std::vector<double> random_shares(std::size_t k, SeededBits& bits) {
    std::vector<double> all(k);
    for (double& share : all) share = static_cast<double>(1 + bits.below(1000) * bits.below(1000));
    const double sum = std::accumulate(all.begin(), all.end(), 0.0);
    for (double& share : all) share /= sum;
    return all;
}

struct Vector {
    std::span<const double> values;
    [[nodiscard]] bool flat(std::uint64_t first, std::uint64_t end) const { return end - first == 1; }
    [[nodiscard]] double value(std::uint64_t point) const { return values[point]; }
};

}  // namespace

BOOST_AUTO_TEST_CASE(it_keeps_epsilon) {
    for (const double epsilon : epsilons)
        for (const std::uint64_t k : {2, 3, 5, 8}) prove(*categories(epsilon, k));
    prove(*numbers(1, 5));
    for (const double epsilon : epsilons) {
        check_worst_ratio(*categories(epsilon, 1 << 14));
        check_worst_ratio(*numbers(epsilon, 1000));
    }
}

BOOST_AUTO_TEST_CASE(reports_come_as_often_as_the_proof_says) {
    for (const double epsilon : {0.5, 4.0})
        for (const Cell cell : {0, 4, 7})
            check_frequencies_of_reports(*categories(epsilon, 8), {{cell}}, 2801);
}

BOOST_AUTO_TEST_CASE(draws_do_not_depend_on_the_value) {
    const auto m = categories(1, 100);
    std::vector<std::vector<std::uint64_t>> asked;
    for (Cell cell = 0; cell < 100; ++cell) {
        RecordedBounds bits(2802);
        static_cast<void>(m->perturb(std::vector<Cell>{cell}, bits));
        asked.push_back(bits.asked);
    }
    for (const auto& each : asked) BOOST_CHECK(each == asked[0]);
}

// Against the normal equations with root 1, on complete trees; with missing depths, and with depths that
// cannot be estimated.
BOOST_AUTO_TEST_CASE(shares_are_those_of_least_squares) {
    SeededBits bits(2803);
    for (const unsigned depth : {1u, 2u, 3u, 4u})
        for (int round = 0; round < 20; ++round) {
            const std::size_t k = std::size_t{1} << depth;
            std::vector<double> precisions(depth);
            for (double& precision : precisions)
                precision = bits.below(3) == 0 ? 0 : 1 + static_cast<double>(bits.below(100));
            precisions.back() += 1;
            std::vector<std::vector<double>> estimates;
            // Minimise Σ precision·(estimate − Σ shares below)² under Σ shares = 1.
            Eigen::MatrixXd normal = Eigen::MatrixXd::Zero(k + 1, k + 1);
            Eigen::VectorXd right = Eigen::VectorXd::Zero(k + 1);
            for (unsigned d = 1; d <= depth; ++d) {
                auto& level = estimates.emplace_back(std::size_t{1} << d);
                const std::size_t width = k >> d;
                for (std::size_t node = 0; node < level.size(); ++node) {
                    level[node] = static_cast<double>(bits.below(2001)) / 1000 - 1;
                    for (std::size_t i = node * width; i < (node + 1) * width; ++i) {
                        right(i) += precisions[d - 1] * level[node];
                        for (std::size_t j = node * width; j < (node + 1) * width; ++j)
                            normal(i, j) += precisions[d - 1];
                    }
                }
            }
            for (std::size_t i = 0; i < k; ++i) normal(i, k) = normal(k, i) = 1;
            right(k) = 1;
            const Eigen::VectorXd solved = normal.fullPivLu().solve(right);
            const LevelTree tree(k, precisions);
            const auto shares = tree.shares(estimates);
            for (std::size_t i = 0; i < k; ++i) BOOST_CHECK_SMALL(shares[i] - solved(i), 1e-9);
        }
}

// The weights are those of the estimates in what shares() gives, also where the tree is not complete.
BOOST_AUTO_TEST_CASE(means_are_made_of_the_estimates) {
    SeededBits bits(2804);
    for (const std::uint64_t k : {2, 3, 5, 6, 7, 8, 11, 13, 16, 21})
        for (int round = 0; round < 10; ++round) {
            const unsigned depth = LevelTree::depth_of(k);
            std::vector<double> precisions(depth), function(k);
            for (double& precision : precisions)
                precision = bits.below(3) == 0 ? 0 : 1 + static_cast<double>(bits.below(100));
            std::vector<std::vector<double>> estimates;
            for (unsigned d = 1; d <= depth; ++d)
                for (auto& one : estimates.emplace_back(LevelTree::nodes_of(k, d)))
                    one = static_cast<double>(bits.below(2001)) / 1000 - 1;
            for (double& value : function) value = static_cast<double>(bits.below(2001)) / 1000 - 1;
            const LevelTree tree(k, precisions);
            double sum = 0, expected = 0;
            const auto found = tree.mean_of(
                Vector{function}, [&](unsigned d, std::uint64_t first, std::uint64_t end, double weight) {
                    for (std::uint64_t node = first; node < end; ++node)
                        sum += weight * estimates[d - 1][node];
                });
            const auto shares = tree.shares(estimates);
            for (std::size_t s = 0; s < k; ++s) expected += shares[s] * function[s];
            BOOST_CHECK_SMALL(found.constant + sum - expected, 1e-9);
            if (precisions.back() != 0) BOOST_CHECK_EQUAL(found.blind, 0);
        }
}

// The shares before each point take a way of their own through the tree. The sums of the weights are those of any function.
BOOST_AUTO_TEST_CASE(shares_before_a_point_have_the_weights_of_any_function) {
    struct Before {
        std::uint64_t limit;
        [[nodiscard]] bool flat(std::uint64_t first, std::uint64_t end) const {
            return end <= limit || first >= limit;
        }
        [[nodiscard]] double value(std::uint64_t point) const { return point < limit ? 1 : 0; }
    };
    SeededBits bits(2809);
    for (const std::uint64_t k : {2, 3, 5, 8, 13, 64, 100})
        for (int round = 0; round < 4; ++round) {
            const unsigned depth = LevelTree::depth_of(k);
            std::vector<double> precisions(depth);
            for (double& one : precisions)
                one = round > 0 && bits.below(3) == 0 ? 0 : static_cast<double>(1 + bits.below(100));
            const LevelTree tree(k, precisions);
            std::vector<double> below{0};
            for (const double share : random_shares(k, bits)) below.push_back(below.back() + share);
            for (std::uint64_t end = 1; end < k; ++end) {
                using Weights = LevelTree::DepthWeights<double>;
                std::vector<Weights> general(depth + 1), prefix(depth + 1);
                std::vector<std::uint64_t> visited(depth + 1);
                const auto found = tree.mean_of(
                    Before{end}, [&](unsigned at, std::uint64_t first, std::uint64_t last, double weight) {
                        general[at].add(
                            static_cast<double>(last - first),
                            below[tree.first_point(at, last)] - below[tree.first_point(at, first)], weight);
                        visited[at] += last - first;
                    });
                LevelTree::WeightsBefore<double> before(tree, end, below.data());
                BOOST_CHECK_EQUAL(found.constant, before.constant());
                BOOST_CHECK_EQUAL(found.blind, before.blind());
                while (before.next()) prefix[before.depth()] = before.weights();
                for (unsigned at = 1; at <= depth; ++at) {
                    if (tree.own(at) == 0) continue;
                    // Nodes that are not visited have the weight 0.
                    if (visited[at] < tree.nodes(at)) general[at].add(0, 0, 0);
                    prefix[at].scale(tree.own(at), 1);
                    for (const auto member : {&Weights::all, &Weights::all_squares, &Weights::own,
                                              &Weights::own_squares, &Weights::least, &Weights::most})
                        BOOST_CHECK_SMALL(general[at].*member - prefix[at].*member, 1e-12);
                }
            }
            if (depth < 3) continue;
            for (const bool haar : {false, true}) {
                const auto m = haar ? mechanism("haar_ordered", 1, "\"domain\": " + std::to_string(k))
                                    : categories(1, k);
                std::vector<std::byte> state(m->state_size()), payload(m->payload_size());
                for (int i = 0; i < 9; ++i) {
                    m->permanent_response(std::vector<Cell>{bits.below(k)}, {}, bits, payload);
                    BOOST_REQUIRE(m->accumulate(state, payload));
                }
                const auto noise = ordered(*m).noise({9, state}, random_shares(k, bits));
                const auto all = noise->before_each(k);
                for (std::size_t end = 1; end <= k; ++end) {
                    const double one = noise->between(0, end);
                    BOOST_CHECK_LE(std::abs(all[end - 1] - one), haar ? 0 : 1e-12 * (1 + one));
                }
            }
        }
}

// The work of a function is proportional to the number of nodes on which it is not constant.
BOOST_AUTO_TEST_CASE(the_mean_of_a_node_is_computed_once) {
    struct Counted {
        std::uint64_t from, to;
        mutable std::size_t asked = 0;
        [[nodiscard]] bool flat(std::uint64_t first, std::uint64_t end) const {
            ++asked;
            return end <= from || first >= to || end - first == 1;
        }
        [[nodiscard]] double value(std::uint64_t point) const {
            return point < from ? 1 : point < to ? 1 / static_cast<double>(1 + point) : 0;
        }
    };
    const unsigned depth = 14;
    const std::uint64_t k = std::uint64_t{1} << depth;
    const LevelTree tree(k, std::vector<double>(depth, 1.0));
    for (const std::uint64_t wide : {1, 30, 1000}) {
        const Counted function{8000, 8000 + wide};
        tree.mean_of(function, [](unsigned, std::uint64_t, std::uint64_t, double) {});
        // Fewer than 2·wide + 2·depth nodes are not constant. Each asks itself and two children while means are computed, and
        // twice as many times while weights are.
        BOOST_CHECK_LT(function.asked, 6 * (2 * wide + 2 * depth));
    }
}

BOOST_AUTO_TEST_CASE(the_draws_are_the_best) {
    SeededBits bits(2805);
    for (const double epsilon : {0.1, 1.0, 3.0, 6.0}) {
        std::vector<double> variances;
        for (unsigned depth = 1; depth <= 10; ++depth) {
            const std::uint64_t nodes = std::uint64_t{1} << depth;
            variances.push_back(
                SubsetChannel(nodes, SubsetChannel::best_size(epsilon, nodes), epsilon).contrast());
        }
        const auto variance = [&](std::vector<double> draws) {
            const double sum = std::accumulate(draws.begin(), draws.end(), 0.0);
            for (std::size_t i = 0; i < draws.size(); ++i) draws[i] /= sum * variances[i];
            return LevelTree::mean_range_variance(draws);
        };
        const auto best = LevelTree::best_draws(variances);
        BOOST_CHECK_CLOSE_FRACTION(std::accumulate(best.begin(), best.end(), 0.0), 1, 1e-12);
        for (int round = 0; round < 200; ++round) {
            std::vector<double> other = best;
            for (double& draw : other)
                draw = std::max(draw + (static_cast<double>(bits.below(2001)) / 1000 - 1) * 0.02, 0.0);
            other.back() = std::max(other.back(), 0.01);
            BOOST_CHECK_LE(variance(best), variance(other) * (1 + 1e-3));  // small draws are left out
        }
    }
}

// n·Var of a range, on average over all of 1024 points, by a program of its own; then of fan-out 4 at equal
// draws (Cormode, Kulkarni, Srivastava 2019), and of haar_ordered.
BOOST_AUTO_TEST_CASE(ranges_are_better_than_what_is_published) {
    const double people = 1.0 / 6;  // the mean of f(1 − f), about
    for (const auto& [epsilon, expected, published, haar] :
         std::initializer_list<std::array<double, 4>>{{0.5, 231.8, 297, 249},
                                                      {1, 54.26, 69.6, 69.8},
                                                      {2, 10.66, 13.7, 19.2},
                                                      {3, 3.323, 4.11, 7.05},
                                                      {4, 1.220, 1.58, 3.23}}) {
        std::vector<double> precisions(10);
        for (const auto& [depth, weight, set_size] : planned(*categories(epsilon, 1024)))
            precisions[depth - 1] = weight / SubsetChannel(1 << depth, set_size, epsilon).contrast();
        const double found = LevelTree::mean_range_variance(precisions) - people;
        BOOST_CHECK_CLOSE_FRACTION(found, expected, 0.003);
        BOOST_CHECK_LT(found, published);
        BOOST_CHECK_LT(found, haar);
    }
}
// That this is what the errors of answers say.
BOOST_AUTO_TEST_CASE(errors_of_ranges_are_the_planned_ones) {
    constexpr std::size_t k = 64;
    for (const double epsilon : {1.0, 4.0}) {
        const auto m = categories(epsilon, k);
        SeededBits bits(2806);
        constexpr std::size_t n = 100000;
        OwnedSummary summary(*m);
        for (std::size_t i = 0; i < n; ++i) summary.draw(i % k, bits);
        const auto noise = ordered(*m).noise({n, summary.state()}, std::vector<double>(k, 1.0 / k));
        std::vector<double> precisions(6);
        for (const auto& [depth, weight, set_size] : planned(*m))
            precisions[depth - 1] = weight / SubsetChannel(1 << depth, set_size, epsilon).contrast();
        double all = 0, ranges = 0, people = 0;
        for (std::size_t first = 0; first < k; ++first)
            for (std::size_t end = first + 1; end <= k; ++end, ++ranges) {
                const double share = static_cast<double>(end - first) / k;
                all += noise->between(first, end);
                people += share * (1 - share);
            }
        BOOST_CHECK_CLOSE_FRACTION((all + people) / ranges, LevelTree::mean_range_variance(precisions), 0.03);
    }
}

BOOST_AUTO_TEST_CASE(errors_are_those_of_the_enumerated_reports) {
    // With one report of each level, what another one in its stead changes is what it adds: its mean over all
    // is what the person adds, and its variance is the answer's.
    SeededBits bits(2807);
    for (const double epsilon : {0.5, 2.0, 4.0})
        for (const std::uint64_t k : {2, 3, 5, 6, 7, 8}) {
            const auto m = categories(epsilon, k);
            const auto levels = payloads_by_level(*m);
            std::vector<std::byte> state(m->state_size());
            std::uint64_t n = 0;
            std::vector<double> drew;
            for (const auto& payloads : levels) {
                drew.push_back(static_cast<double>(1 + bits.below(20)));
                for (double i = 0; i < drew.back(); ++i, ++n)
                    BOOST_REQUIRE(m->accumulate(state, payloads[bits.below(payloads.size())]));
            }
            const auto shares = random_shares(k, bits);
            const auto noise = ordered(*m).noise({n, state}, shares);
            const auto enumerated = [&](std::span<const double> function) {
                double variance = 0, constant = 0;
                std::vector<double> told(k);
                for (std::size_t level = 0; level < levels.size(); ++level) {
                    const auto read = [&](Bytes payload) {
                        std::vector<std::byte> one(m->state_size());
                        for (std::size_t other = 0; other < levels.size(); ++other)
                            BOOST_REQUIRE(
                                m->accumulate(one, other == level ? payload : Bytes(levels[other][0])));
                        return mean(function, ordered(*m).cumulative({levels.size(), one}));
                    };
                    double drawn = 0;
                    for (const auto& payload : levels[level]) drawn += probability(*m, 0, payload);
                    std::vector<double> first(k), second(k);
                    for (const auto& payload : levels[level]) {
                        const double added = read(payload) - read(levels[level][0]);
                        for (Cell x = 0; x < k; ++x) {
                            const double chance = probability(*m, x, payload) / drawn;
                            first[x] += chance * added;
                            second[x] += chance * added * added;
                        }
                    }
                    if (level == 0) constant = read(levels[level][0]);
                    for (Cell x = 0; x < k; ++x) told[x] += first[x];
                    const auto [least, most] = std::ranges::minmax_element(first);
                    const auto all = [&](const std::vector<double>& moment) {
                        double sum = moment[static_cast<std::size_t>(least - first.begin())] / 2 +
                                     moment[static_cast<std::size_t>(most - first.begin())] / 2;
                        for (Cell x = 0; x < k; ++x) sum += static_cast<double>(n) * shares[x] * moment[x];
                        return sum / static_cast<double>(n + 1);
                    };
                    variance +=
                        static_cast<double>(n) / drew[level] * (all(second) - all(first) * all(first));
                }
                double first = 0, second = 0;
                for (Cell x = 0; x < k; ++x) {
                    BOOST_CHECK_SMALL(constant + told[x] - function[x], 1e-9);  // unbiased for every person
                    first += shares[x] * function[x];
                    second += shares[x] * function[x] * function[x];
                }
                return std::max(variance - (second - first * first), 0.0);
            };
            for (int round = 0; round < 3; ++round) {
                std::vector<double> function(k);
                for (double& value : function) value = static_cast<double>(bits.below(2001)) / 1000 - 1;
                BOOST_CHECK_CLOSE_FRACTION(noise->of(function), enumerated(function), 1e-8);
            }
            for (std::size_t first = 0; first < k; ++first)
                for (std::size_t end = first + 1; end <= k && end - first < k; ++end) {
                    std::vector<double> inside(k);
                    std::fill(inside.begin() + static_cast<std::ptrdiff_t>(first),
                              inside.begin() + static_cast<std::ptrdiff_t>(end), 1);
                    BOOST_CHECK_CLOSE_FRACTION(noise->between(first, end), enumerated(inside), 1e-8);
                }
        }
}

BOOST_AUTO_TEST_CASE(n_variance_is_that_of_the_worst_value) {
    const auto noise = [](const Mechanism& m, const std::vector<double>& shares) {
        return ordered(m).expected_noise(shares);
    };
    for (const std::uint64_t k : {2, 3, 6, 8, 13})
        for (const double truth : {0.0, 0.2, 1.0}) {
            const auto m = categories(2, k), number = numbers(2, k);
            double most = 0;
            for (std::size_t x = 0; x < k; ++x) {
                std::vector<double> held(k, (1 - truth) / static_cast<double>(k - 1));
                held[x] = truth;
                most = std::max(most, noise(*m, held)->between(x, x + 1));
            }
            BOOST_CHECK_CLOSE_FRACTION(m->n_variance(truth), most, 1e-9);
            // A number between two points is rounded to one of them.
            std::vector<double> values(k), held(k);
            for (std::size_t x = 0; x < k; ++x)
                values[x] = 2 * static_cast<double>(x) / static_cast<double>(k - 1) - 1;
            const double place = (truth + 1) / 2 * static_cast<double>(k - 1),
                         part = place - std::floor(place);
            const auto lower = static_cast<std::size_t>(place);
            held[lower] = 1 - part;
            if (part > 0) held[lower + 1] = part;
            BOOST_CHECK_CLOSE_FRACTION(number->n_variance(truth), noise(*number, held)->of(values), 1e-7);
        }
}

BOOST_AUTO_TEST_CASE(estimates_are_unbiased_and_covered, *boost::unit_test::label("slow")) {
    const auto m = numbers(2, 21);
    SeededBits bits(2808);
    const auto shares = random_shares(21, bits);
    const auto people = people_of(shares, 300);
    const auto held = shares_among(people, 21);
    Simulation simulation{0, std::vector<double>(23), std::vector<double>(23), std::vector<double>(23)};
    std::vector<double> truth(held.begin(), held.end());
    double all = 0;
    for (std::size_t s = 0; s < 21; ++s) all += held[s] * static_cast<double>(s);
    truth.push_back(std::accumulate(held.begin() + 3, held.begin() + 14, 0.0));
    truth.push_back(all);
    for (int r = 0; r < 6000; ++r) {
        const auto summary = reported(*m, people, bits);
        std::vector<Estimate> estimates;
        for (std::size_t s = 0; s < 21; ++s)
            estimates.push_back(share_between(summary.view(), static_cast<double>(s), static_cast<double>(s),
                                              Target::sample));
        estimates.push_back(share_between(summary.view(), 3, 13, Target::sample));
        estimates.push_back(summary.estimate(Quantity::means)[0]);
        simulation.add(estimates, truth);
    }
    simulation.check_unbiased();
    simulation.check_coverage();
}

// With 20 people some levels have a single report, and some have none.
BOOST_AUTO_TEST_CASE(few_reports_are_covered, *boost::unit_test::label("slow")) {
    SeededBits bits(2809);
    constexpr std::size_t k = 256, repetitions = 2000;
    for (const double epsilon : {0.5, 8.0}) {
        const auto m = numbers(epsilon, k);
        std::array<std::size_t, 3> covered{};
        for (std::size_t r = 0; r < repetitions; ++r) {
            std::vector<Cell> people;
            double mean = 0, low = 0, narrow = 0;
            for (std::size_t i = 0; i < 20; ++i) {
                people.push_back(bits.below(k / 2) + bits.below(k / 4));
                mean += static_cast<double>(people.back()) / 20;
                low += people.back() < 80 ? 0.05 : 0;
                narrow += people.back() >= 60 && people.back() < 70 ? 0.05 : 0;
            }
            const auto summary = reported(*m, people, bits);
            const auto covers = [](const Estimate& estimate, double truth) {
                return std::abs(estimate.value - truth) <= 1.96 * estimate.standard_error ? 1U : 0U;
            };
            covered[0] += covers(summary.estimate(Quantity::means)[0], mean);
            covered[1] += covers(cdf(summary.view(), 79, Target::sample), low);
            covered[2] += covers(share_between(summary.view(), 60, 69, Target::sample), narrow);
        }
        for (const std::size_t each : covered) BOOST_CHECK_GT(static_cast<double>(each), 0.91 * repetitions);
    }
}

// Of 20 people often nobody holds what one in twenty of the population do, and no report would speak of it.
BOOST_AUTO_TEST_CASE(rare_values_of_few_reports_are_covered) {
    constexpr int repetitions = 2000;
    SeededBits bits(2811);
    const auto m = categories(4, 2);
    int covered = 0;
    for (int r = 0; r < repetitions; ++r) {
        std::vector<Cell> people(20);
        for (Cell& cell : people) cell = bits.below(20) == 0 ? 1 : 0;
        const Estimate rare =
            reported(*m, people, bits).estimate(Quantity::frequencies, Target::population)[1];
        covered += std::abs(rare.value - 0.05) <= 1.96 * rare.standard_error ? 1 : 0;
    }
    BOOST_TEST_MESSAGE(covered / 2000.0);
    BOOST_CHECK_GT(covered, 0.9 * repetitions);
}

BOOST_AUTO_TEST_CASE(what_nobody_drew_is_an_error) {
    // Only the first level is estimated, at an ε without noise: halves are known, and nothing within
    // them.
    const auto m = categories(1, 16);
    const auto first = [&] {
        std::vector<std::byte> payload(m->payload_size());
        payload[1] = std::byte{1};
        return payload;
    }();
    BOOST_REQUIRE_GT(planned(*m)[0].depth, 0u);
    std::vector<std::byte> state(m->state_size());
    for (int i = 0; i < 1000; ++i) BOOST_REQUIRE(m->accumulate(state, first));
    const std::size_t node = 16 >> planned(*m)[0].depth;
    OrderedEstimator estimator(ordered(*m), {1000, state});
    BOOST_CHECK_LT(estimator.between(0, node, Target::sample).standard_error, 0.3);
    // A point of the node may have all of it, or none.
    BOOST_CHECK_GE(estimator.between(0, 1, Target::sample).standard_error,
                   0.99 * (1 - 1 / static_cast<double>(node)));
}

BOOST_AUTO_TEST_CASE(levels_at_the_top_are_left_out_where_epsilon_is_large) {
    BOOST_CHECK_EQUAL(planned(*categories(0.5, 1024))[0].depth, 1u);
    BOOST_CHECK_EQUAL(planned(*categories(4, 1024))[0].depth, 3u);
    BOOST_CHECK_EQUAL(planned(*categories(6, 1024))[0].depth, 4u);
    for (const Planned& level : planned(*categories(6, 64))) BOOST_CHECK_EQUAL(level.set_size, 1u);
}

BOOST_AUTO_TEST_CASE(specs_say_which_domain_is_meant) {
    const auto json = [](const std::string& rest) {
        return Spec::from_json(R"({"mechanism": "tree", "epsilon": 2, )" + rest + "}").to_json();
    };
    const std::string category = json(R"("domain": ["low", "middle", "high"])");
    BOOST_CHECK(category.find("grid") == std::string::npos);
    BOOST_CHECK_EQUAL(Spec::from_json(category).to_json(), category);
    const std::string number = json(R"("min": 0, "max": 120)");
    BOOST_CHECK(number.find("\"grid\":1023") != std::string::npos);
    BOOST_CHECK_EQUAL(Spec::from_json(number).to_json(), number);
    for (const char* bad : {R"("domain": 10, "grid": 9)", R"("domain": 16385)",
                            R"("min": 0, "max": 1, "grid": 0)", R"("min": 0, "max": 1, "grid": 16384)"})
        BOOST_CHECK_THROW(json(bad), Error);
}

BOOST_AUTO_TEST_CASE(forged_blocks_and_states_are_refused_or_harmless) {
    const auto m = categories(2, 41);
    const auto levels = planned(*m);
    const auto with = [&](std::size_t at, std::uint64_t value, std::size_t bytes) {
        std::vector<std::byte> block(m->block().begin(), m->block().end());
        store_cell(block.data() + header_size + at, bytes, value);
        return malformed([&] { static_cast<void>(load_mechanism(block, Kind::report)); });
    };
    BOOST_CHECK(!with(0, 41, 4));
    BOOST_CHECK(!with(0, 64, 4));
    BOOST_CHECK(with(0, 65, 4));  // one level more than there are
    BOOST_CHECK(with(0, 1, 4));
    BOOST_CHECK(with(0, (1 << 14) + 1, 4));
    BOOST_CHECK(with(4, 2, 1));
    BOOST_CHECK(with(4, 1, 1));  // without a range
    BOOST_CHECK(with(5, levels.size() - 1, 1));
    BOOST_CHECK(with(5, levels.size() + 1, 1));
    BOOST_CHECK(with(5, 0, 1));
    BOOST_CHECK(with(6, 0, 1));   // depth
    BOOST_CHECK(with(6, 7, 1));   // deeper than the next
    BOOST_CHECK(with(7, 0, 2));   // never drawn
    BOOST_CHECK(with(9, 0, 4));   // empty sets
    BOOST_CHECK(with(9, 64, 4));  // of more nodes than there are

    SeededBits bits(2810);
    const Report report = m->perturb(std::vector<Cell>{5}, bits);
    std::vector<std::byte> payload(report.end() - static_cast<std::ptrdiff_t>(m->payload_size()),
                                   report.end());
    BOOST_CHECK(m->valid_payload(payload));
    const std::byte level = payload[0];
    payload[0] = static_cast<std::byte>(levels.size());
    BOOST_CHECK(!m->valid_payload(payload));
    payload[0] = level;
    for (std::size_t at = 1; at < payload.size(); ++at) {
        payload[at] ^= std::byte{1};  // a set of another size, or something behind it
        BOOST_CHECK(!m->valid_payload(payload));
        payload[at] ^= std::byte{1};
    }

    const auto number = numbers(2, 41);
    for (int round = 0; round < 20; ++round) {
        std::vector<std::byte> bytes(summary_size(*number));
        start_summary(*number, bytes);
        for (std::size_t at = number->block().size(); at < bytes.size(); ++at)
            bytes[at] = round == 0 ? std::byte{0} : static_cast<std::byte>(bits.word());
        store<std::uint64_t>(bytes.data() + number->block().size(), 1 + bits.below(max_count));
        const SummaryView view = view_of(*number, bytes);
        static_cast<void>(decode(view, Smoothing::binomial));
        static_cast<void>(share_between(view, 3, 7, Target::population));
        static_cast<void>(quantile(view, 0.3, 0.9, Target::sample));
        static_cast<void>(histogram(view, 7, Target::sample));
        static_cast<void>(estimate(view, {Quantity::means}));
        static_cast<void>(health(view));
    }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
