// What the interactions of all pairs have in common: found where it is there, and nothing where it is not.

#include "core/tables/common_parts.hpp"

#include <Eigen/Eigenvalues>
#include <boost/test/unit_test.hpp>

#include "core/tables/table_fit.hpp"
#include "tables.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(traits)

namespace {

/// Bits that follow one trait, of two kinds of people.
Table followers(std::size_t attributes, double strength) {
    return population(std::vector<std::uint64_t>(attributes, 2), [=](const std::vector<std::size_t>& v) {
        double both = 0;
        for (const double likely : {0.5 - strength / 2, 0.5 + strength / 2}) {
            double weight = 0.5;
            for (const std::size_t bit : v) weight *= bit == 1 ? likely : 1 - likely;
            both += weight;
        }
        return both;
    });
}

/// The interactions of attributes of this number of values: from one trait with these weights, plus
/// noise.
std::vector<Interaction> made_up(std::size_t attributes, Eigen::Index values, double weight, double variance,
                                 BitSource& bits) {
    Eigen::VectorXd trait = Eigen::VectorXd::LinSpaced(values, -1, 1);
    trait *= weight / trait.norm();
    std::vector<Interaction> all;
    for (const auto& pair : all_pairs(attributes)) {
        const double row = variance * static_cast<double>(values - 1);
        Interaction one{pair[0], pair[1], trait * trait.transpose(), row, row};
        Eigen::MatrixXd noise = Eigen::MatrixXd::NullaryExpr(values, values, [&] {
            // Of variance 1, evenly on an interval.
            return std::sqrt(12.0) * (std::ldexp(static_cast<double>(bits.word() >> 11), -53) - 0.5);
        });
        noise.colwise() -= Eigen::VectorXd(noise.rowwise().mean());
        noise.rowwise() -= Eigen::RowVectorXd(noise.colwise().mean());
        one.shares += std::sqrt(variance) * noise;
        all.push_back(std::move(one));
    }
    return all;
}

double squares(const std::vector<Eigen::MatrixXd>& parts, const std::vector<Interaction>& truth) {
    double sum = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) sum += (parts[i] - truth[i].shares).squaredNorm();
    return sum;
}

}  // namespace

BOOST_AUTO_TEST_CASE(without_noise_a_trait_is_all_there) {
    SeededBits bits(1);
    const auto truth = made_up(5, 3, 1, 0, bits);
    BOOST_CHECK_SMALL(squares(common_parts(truth), truth), 1e-3);
    // Also of pairs that are not all measured.
    const std::span<const Interaction> some(truth.data(), 8);
    BOOST_CHECK_SMALL(squares(common_parts(some), {some.begin(), some.end()}), 1e-3);
}

BOOST_AUTO_TEST_CASE(noise_has_no_traits) {
    SeededBits bits(2);
    std::size_t found = 0;
    for (int run = 0; run < 200; ++run)
        for (const Eigen::MatrixXd& part : common_parts(made_up(12, 2 + run % 4, 0, 1e-3, bits)))
            found += part.norm() > 0;
    // One of a hundred times, in which no pair is 0: more than 8 of 200 runs come once in 10^4 times.
    BOOST_CHECK_LE(found, 8 * 66);
}

// Without noise of randomizers a sample has noise of its own, most of it where most people are.
BOOST_AUTO_TEST_CASE(samples_have_no_traits) {
    SeededBits bits(6);
    const Table all = population(std::vector<std::uint64_t>(5, 6), [](const std::vector<std::size_t>& v) {
        double weight = 1;
        for (const std::size_t value : v) weight /= std::pow(1 + static_cast<double>(value), 3);
        return weight;
    });
    const auto pairs = all_pairs(5);
    int found = 0;
    for (int run = 0; run < 40; ++run) {
        const Fit fit(measured(all, pairs, 500, 1e-9, bits));
        double apart = 0;
        for (const auto& pair : pairs) {
            const auto p = fit.table({pair.data(), 1}).shares, q = fit.table({pair.data() + 1, 1}).shares;
            const auto both = fit.table(pair).shares;
            for (std::size_t cell = 0; cell < both.size(); ++cell)
                apart += std::abs(both[cell] - p[cell / 6] * q[cell % 6]);
        }
        found += apart > 0.3;
    }
    BOOST_CHECK_LE(found, 1);
}

BOOST_AUTO_TEST_CASE(a_trait_is_clearer_in_all_pairs_than_in_each) {
    SeededBits bits(3);
    const auto truth = made_up(16, 2, 1, 0, bits);
    double raw = 0, left = 0;
    for (int run = 0; run < 40; ++run) {
        const auto noisy = made_up(16, 2, 1, 2, bits);
        for (std::size_t i = 0; i < truth.size(); ++i)
            raw += (noisy[i].shares - truth[i].shares).squaredNorm();
        left += squares(common_parts(noisy), truth);
    }
    BOOST_CHECK_LT(left, 0.135 * raw);
}

BOOST_AUTO_TEST_CASE(what_there_is_no_time_for_is_left_out) {
    SeededBits bits(4);
    for (const Eigen::MatrixXd& part : common_parts(made_up(3, 180, 1, 0, bits)))
        BOOST_CHECK_EQUAL(part.norm(), 0);
}

BOOST_AUTO_TEST_CASE(fitted_tables_of_followers_are_near) {
    SeededBits bits(5);
    const Table all = followers(10, 0.8);
    const auto pairs = all_pairs(10);
    double fitted = 0, raw = 0;
    for (int run = 0; run < 5; ++run) {
        const auto tables = measured(all, pairs, 1000, 1e-2, bits);
        const Fit fit(tables);
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            const auto truth = summed(all, pairs[i]).shares;
            fitted += variation(fit.table(pairs[i]).shares, truth);
            raw += variation(tables[i].shares, truth);
        }
    }
    BOOST_CHECK_LT(fitted, 0.4 * raw);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
