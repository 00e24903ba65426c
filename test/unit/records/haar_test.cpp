#include "core/math/haar_tree.hpp"

#include <cmath>
#include <numeric>

#include "support.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(haar_transform)

namespace {

std::vector<double> random_vector(std::size_t d, std::uint64_t seed) {
    test::SeededBits bits(seed);
    std::vector<double> leaves(d);
    for (double& leaf : leaves) leaf = std::ldexp(static_cast<double>(bits.word() >> 11), -52) - 1;
    return leaves;
}

void check_inverse(std::size_t d) {
    const HaarTree tree(d);
    const auto leaves = random_vector(d, d);
    std::vector<double> coefficients(d), back(d);
    tree.forward(leaves, coefficients);
    tree.inverse(coefficients, back);
    for (std::size_t j = 0; j < d; ++j) BOOST_REQUIRE_SMALL(back[j] - leaves[j], 1e-14);
    for (const double c : coefficients) BOOST_REQUIRE_LE(std::abs(c), 1.0);
}

}  // namespace

BOOST_AUTO_TEST_CASE(worked_example) {
    const std::vector<double> leaves{9, 7, 3, 5, 8, 4, 5, 7}, expected{6, 0, 2, 0, 1, -1, 2, -1};
    std::vector<double> coefficients(8), back(8);
    const HaarTree tree(8);
    tree.forward(leaves, coefficients);
    BOOST_CHECK_EQUAL_COLLECTIONS(coefficients.begin(), coefficients.end(), expected.begin(), expected.end());
    tree.inverse(coefficients, back);
    BOOST_CHECK_EQUAL_COLLECTIONS(back.begin(), back.end(), leaves.begin(), leaves.end());
}

BOOST_AUTO_TEST_CASE(inverse_of_every_power_of_two) {
    for (std::size_t d = 1; d <= 4096; d *= 2) check_inverse(d);
}

BOOST_AUTO_TEST_CASE(inverse_of_every_length) {
    for (std::size_t d = 1; d <= 300; ++d) check_inverse(d);
    for (const std::size_t d : {1000u, 2049u, 3001u, 4095u}) check_inverse(d);
}

BOOST_AUTO_TEST_CASE(padding_adds_no_coefficient) {
    // Five leaves: the tree over eight has the inner nodes 1, 2, 4, 5; nodes 3, 6 and 7 hold padding on their
    // right.
    const HaarTree tree(5);
    const std::vector<std::size_t> reach{tree.reach(0), tree.reach(1), tree.reach(2), tree.reach(3),
                                         tree.reach(4)};
    const std::vector<std::size_t> expected{5, 5, 4, 2, 2};
    BOOST_CHECK_EQUAL_COLLECTIONS(reach.begin(), reach.end(), expected.begin(), expected.end());
}

BOOST_AUTO_TEST_CASE(paths_are_the_columns_of_the_inverse) {
    for (const std::size_t d : {2u, 5u, 8u, 13u}) {
        const HaarTree tree(d);
        std::vector<double> squares(d, 0.0);
        for (std::size_t c = 0; c < d; ++c) {
            std::vector<double> unit(d, 0.0), column(d);
            unit[c] = 1;
            tree.inverse(unit, column);
            double reached = 0;
            for (std::size_t j = 0; j < d; ++j) {
                squares[j] += column[j] * column[j] * static_cast<double>(c + 1);
                reached += std::abs(column[j]);
            }
            BOOST_CHECK_EQUAL(reached, static_cast<double>(tree.reach(c)));
        }
        std::vector<double> terms(d), sums(d);
        std::iota(terms.begin(), terms.end(), 1.0);
        tree.accumulate_paths(terms, sums);
        BOOST_CHECK_EQUAL_COLLECTIONS(sums.begin(), sums.end(), squares.begin(), squares.end());
    }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
