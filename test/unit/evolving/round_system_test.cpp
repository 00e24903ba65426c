// Least squares over the nodes of a difference tree: the solution of the dense normal equations, and the
// variances of the rounds in closed form.

#include <cmath>
#include <numeric>

#include "core/base/square.hpp"
#include "core/mechanism/longitudinal/round_system.hpp"
#include "core/mechanism/longitudinal/series.hpp"
#include "support.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(round_system)

namespace {

/// The precisions of a system, and its observations as differences of two vertices.
struct DenseSystem {
    struct Observation {
        std::uint32_t before, end;
        double precision;
    };
    std::uint32_t length;
    std::vector<double> nodes, rounds;

    std::vector<Observation> observations() const {
        std::vector<Observation> all;
        std::size_t node = 0;
        for (std::size_t height = 0; length >> height != 0; ++height)
            for (std::uint32_t i = 0; i < length >> height; ++i)
                all.push_back({i << height, (i + 1) << height, nodes[node++]});
        for (std::uint32_t t = 1; t <= rounds.size(); ++t) all.push_back({0, t, rounds[t - 1]});
        return all;
    }
    /// The inverse of the matrix of the normal equations; vertex 0 is left out. A vertex that nothing
    /// determines gets a variance of about 10^12.
    std::vector<std::vector<double>> inverse() const {
        std::vector<std::vector<double>> m(length, std::vector<double>(2 * std::size_t{length}));
        for (const auto& [before, end, precision] : observations()) {
            m[end - 1][end - 1] += precision;
            if (before == 0) continue;
            m[before - 1][before - 1] += precision;
            m[end - 1][before - 1] -= precision;
            m[before - 1][end - 1] -= precision;
        }
        for (std::size_t i = 0; i < length; ++i) {
            m[i][i] += 1e-12;
            m[i][length + i] = 1;
        }
        for (std::size_t i = 0; i < length; ++i) {  // Gauss and Jordan
            const double pivot = m[i][i];
            for (double& each : m[i]) each /= pivot;
            for (std::size_t j = 0; j < length; ++j) {
                const double factor = m[j][i];
                if (j == i || factor == 0) continue;
                for (std::size_t c = 0; c < 2 * std::size_t{length}; ++c) m[j][c] -= factor * m[i][c];
            }
        }
        for (auto& row : m) row.erase(row.begin(), row.begin() + length);
        return m;
    }
};

DenseSystem random_system(std::uint32_t length, bool rounds, SeededBits& bits) {
    DenseSystem all{length, {}, {}};
    const auto precision = [&] {
        return bits.below(4) == 0 ? 0.0 : std::exp(static_cast<double>(bits.below(1000)) / 200 - 2.5);
    };
    for (std::size_t height = 0; length >> height != 0; ++height)
        for (std::uint32_t i = 0; i < length >> height; ++i) all.nodes.push_back(precision());
    if (rounds)
        for (std::uint32_t t = 0; t < length; ++t) all.rounds.push_back(bits.below(2) == 0 ? 0 : precision());
    return all;
}

}  // namespace

// Random precisions, a quarter of the nodes without reports.
BOOST_AUTO_TEST_CASE(dense_equations_have_the_same_solution) {
    SeededBits bits(301);
    std::size_t unknown_rounds = 0;
    for (const std::uint32_t length : {2u, 3u, 4u, 5u, 7u, 8u, 11u, 13u, 16u, 21u, 31u})
        for (int trial = 0; trial < 40; ++trial) {
            const DenseSystem dense = random_system(length, trial % 2 != 0, bits);
            const RoundSystem system(length, dense.nodes, dense.rounds);
            const auto inverse = dense.inverse();
            std::vector<RoundWeight> weights;
            std::vector<double> expected(length + 1);
            for (std::uint32_t t = 1; t <= length; ++t) {
                BOOST_REQUIRE_EQUAL(system.known(t), inverse[t - 1][t - 1] < 1e6);
                if (!system.known(t)) {
                    ++unknown_rounds;
                    continue;
                }
                weights.push_back({t, static_cast<double>(bits.below(200)) / 100 - 1});
                for (std::uint32_t u = 1; u <= length; ++u)
                    if (inverse[u - 1][u - 1] < 1e6)
                        expected[u] += weights.back().weight * inverse[t - 1][u - 1];
            }
            const std::vector<double> found = system.covariances(weights);
            for (std::uint32_t t = 0; t <= length; ++t)
                BOOST_REQUIRE_SMALL(found[t] - expected[t], 1e-6 * (1 + std::abs(expected[t])));
        }
    BOOST_TEST(unknown_rounds > 100u);
    BOOST_TEST(unknown_rounds < 3000u);
}

BOOST_AUTO_TEST_CASE(several_right_hand_sides_are_solved_at_once) {
    SeededBits bits(302);
    const DenseSystem dense = random_system(13, true, bits);
    const RoundSystem system(13, dense.nodes, dense.rounds);
    std::vector<double> both(28), one(14), two(14);
    for (std::size_t t = 0; t < 14; ++t) {
        both[2 * t] = one[t] = static_cast<double>(bits.below(100));
        both[2 * t + 1] = two[t] = static_cast<double>(bits.below(100));
    }
    system.solve(both, 2);
    system.solve(one);
    system.solve(two);
    for (std::size_t t = 0; t < 14; ++t) {
        BOOST_TEST(both[2 * t] == one[t]);
        BOOST_TEST(both[2 * t + 1] == two[t]);
    }
}

BOOST_AUTO_TEST_CASE(variances_and_their_derivatives_are_those_of_the_inverse) {
    SeededBits bits(303);
    for (const std::uint32_t length : {2u, 3u, 6u, 8u, 13u, 16u, 27u}) {
        DenseSystem dense = random_system(length, true, bits);
        for (double& each : dense.nodes) each = std::max(each, 0.1);
        const RoundSystem::Variances found = RoundSystem(length, dense.nodes, dense.rounds).variances();
        const auto inverse = dense.inverse();
        for (std::uint32_t t = 1; t <= length; ++t)
            BOOST_TEST(found.of_rounds[t] == inverse[t - 1][t - 1], boost::test_tools::tolerance(1e-6));
        // The decrease per unit of precision is the sum of the squared covariances with the observation.
        const auto gain = [&](std::uint32_t before, std::uint32_t end) {
            double sum = 0;
            for (const std::vector<double>& row : inverse)
                sum += square(row[end - 1] - (before == 0 ? 0 : row[before - 1]));
            return sum;
        };
        const auto observations = dense.observations();
        for (std::size_t i = 0; i < dense.nodes.size(); ++i)
            BOOST_TEST(found.gains_of_nodes[i] == gain(observations[i].before, observations[i].end),
                       boost::test_tools::tolerance(1e-6));
        for (std::uint32_t t = 1; t <= length; ++t)
            BOOST_TEST(found.gains_of_rounds[t] == gain(0, t), boost::test_tools::tolerance(1e-6));
    }
}

// The variance of signs at ε = 1 with two changes, on average over the rounds and in the worst one. Levels are
// drawn as is best for sums of nodes alone. If each node is combined with its halves only, the averages are 513,
// 1216 and 1678, and the worst variances 1205, 2700 and 3668.
BOOST_AUTO_TEST_CASE(least_squares_halve_the_variance) {
    for (const auto& [length, mean, worst] :
         {std::tuple<std::uint32_t, double, double>{16, 259, 448}, {64, 573, 946}, {128, 774, 1267}}) {
        std::vector<double> weights, tilts;
        double all = 0;
        for (std::size_t height = 0; length >> height != 0; ++height) {
            double squares = 0;
            for (std::uint32_t t = 1; t <= length; ++t)
                if ((t >> height) % 2 != 0) squares += t >> height == 1 ? 1 : 4;
            tilts.push_back(std::tanh(0.5 / std::min(3u, length >> height)));
            weights.push_back(std::sqrt(squares) / tilts.back());
            all += weights.back();
        }
        std::vector<double> nodes;
        for (std::size_t height = 0; height < weights.size(); ++height)
            for (std::uint32_t node = 0; node < length >> height; ++node)
                nodes.push_back(weights[height] / all * square(tilts[height] / (node == 0 ? 1 : 2)));
        const auto variances = RoundSystem(length, nodes, {}).variances().of_rounds;
        const double sum = std::accumulate(variances.begin(), variances.end(), 0.0);
        BOOST_TEST(std::abs(sum / length - mean) < 0.6);
        BOOST_TEST(std::abs(*std::ranges::max_element(variances) - worst) < 0.6);
    }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
