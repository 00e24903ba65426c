// Estimates of one number from several collections.

#include "core/mechanism/estimate.hpp"

#include <cmath>

#include "core/base/text.hpp"
#include "repeated_draws.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(combine)

namespace {}  // namespace

BOOST_AUTO_TEST_CASE(it_is_the_mean_of_least_variance) {
    const Estimate all[] = {{3, 0.5}, {4, 2}, {2.5, 0.25}};
    double weights = 0, sum = 0;
    for (const auto& [value, error] : all) {
        weights += 1 / (error * error);
        sum += value / (error * error);
    }
    const int orders[][3] = {{0, 1, 2}, {2, 0, 1}, {1, 2, 0}};
    for (const auto& [i, j, k] : orders) {
        const Estimate found = combined(combined(all[i], all[j]), all[k]);
        BOOST_TEST(found.value == sum / weights, boost::test_tools::tolerance(1e-14));
        BOOST_TEST(found.standard_error == std::sqrt(1 / weights), boost::test_tools::tolerance(1e-14));
    }
    const Estimate tiny = combined({1e-200, 3e-200}, {2e-200, 4e-200}),
                   huge = combined({1e200, 3e200}, {2e200, 4e200});
    BOOST_TEST(tiny.standard_error == 2.4e-200, boost::test_tools::tolerance(1e-14));
    BOOST_TEST(huge.standard_error == 2.4e200, boost::test_tools::tolerance(1e-14));
    const Estimate far = combined({1, 1}, {7, 1e300});
    BOOST_TEST(far.value == 1);
    BOOST_TEST(far.standard_error == 1);
}

// People choose their ε: the weighted mean holds, also of shares, whose errors are smaller where they are,
// and is as good as with the errors that the truth has.
BOOST_AUTO_TEST_CASE(people_who_choose_their_epsilon_are_combined, *boost::unit_test::label("slow")) {
    struct CombinationCase {
        std::string rest;
        Quantity quantity;
        std::vector<Cell> people;
        double truth;
    };
    std::vector<Cell> wages;
    for (std::size_t i = 0; i < 400; ++i) wages.push_back(i * i % 101);
    double mean = 0;
    for (const Cell wage : wages) mean += static_cast<double>(wage) / 400;
    const CombinationCase cases[] = {
        {R"("domain": 4, "mechanism": "grr")", Quantity::frequencies, people_of({0.1, 0.2, 0.3, 0.4}, 400),
         0.1},
        {R"("min": 0, "max": 100, "grid": 100, "mechanism": "pdp")", Quantity::means, wages, mean}};
    for (const CombinationCase& one : cases) {
        std::vector<std::unique_ptr<const Mechanism>> all;
        for (const double epsilon : {0.5, 1.0, 3.0})
            all.push_back(mechanism("{\"epsilon\": " + shortest(epsilon) + ", " + one.rest + "}"));
        SeededBits bits(77);
        Simulation simulation;
        std::vector<double> squares(all.size());
        constexpr std::size_t repetitions = 5000;
        for (std::size_t r = 0; r < repetitions; ++r) {
            Estimate whole{};
            for (std::size_t i = 0; i < all.size(); ++i) {
                const Estimate each = reported(*all[i], one.people, bits).estimate(one.quantity)[0];
                squares[i] += std::pow(each.value - one.truth, 2) / repetitions;
                whole = i == 0 ? each : combined(whole, each);
            }
            simulation.add({whole}, {one.truth});
        }
        simulation.check_coverage();
        BOOST_TEST(std::abs(simulation.bias(0)) < 0.1 * std::sqrt(simulation.variance(0)));
        double precision = 0;
        for (const double square : squares) precision += 1 / square;
        BOOST_TEST(simulation.variance(0) * precision < 1 + 6 * std::sqrt(2.0 / repetitions));
    }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
