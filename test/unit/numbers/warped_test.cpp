// The warped window: its places and readings are exact, its ε is the window's, and its variance the least.

#include <cmath>
#include <limits>

#include "core/base/error.hpp"
#include "core/base/exact.hpp"
#include "core/channel/warp_design.hpp"
#include "core/choice/selection.hpp"
#include "core/mechanism/mean/numeric_randomizer.hpp"
#include "proof.hpp"
#include "repeated_draws.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(warped_window)

namespace {

constexpr WarpAim aims[] = {WarpAim::worst, WarpAim::average};
constexpr double some_epsilons[] = {0.001, 0.05, 0.5, 0.77, 0.95, 1, 1.3, 2, 2.6, 3, 4, 5, 6.5, 8};

std::unique_ptr<const Mechanism> optimal(double epsilon, WarpAim aim, std::uint64_t grid) {
    return mechanism("optimal", epsilon,
                     R"("min": -1, "max": 1, "criterion": ")" +
                         std::string(aim == WarpAim::worst ? "worst" : "average") +
                         "\", \"grid\": " + std::to_string(grid));
}

double worst(const NumericChannel& channel) {
    return channel.noise_at(channel.noisiest());
}

/// n·Var where it is largest, or on average, on [−1,1].
double cost(const Warp& warp, double epsilon, WarpAim aim) {
    const WarpedChannel channel(2, warp, epsilon);
    return aim == WarpAim::worst ? worst(channel) : channel.average_noise();
}

/// The expected number of each output at these shares of positions, of 2^40 in total up to rounding.
std::vector<std::byte> expected_tally(const WarpedChannel& channel, const std::vector<double>& shares) {
    std::vector<std::byte> tally(channel.tally_size());
    for (std::uint64_t out = 0; out < channel.outputs(); ++out) {
        double weight = 0;
        for (std::size_t place = 0; place < shares.size(); ++place)
            weight += shares[place] * static_cast<double>(channel.weight(place, out));
        store(tally.data() + 8 * out,
              static_cast<std::uint64_t>(std::ldexp(weight / static_cast<double>(channel.total()), 40)));
    }
    return tally;
}

std::uint64_t total_of(const std::vector<std::byte>& tally) {
    std::uint64_t n = 0;
    for (std::size_t at = 0; at < tally.size(); at += 8) n += load<std::uint64_t>(tally.data() + at);
    return n;
}

}  // namespace

// ε --------------------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(warped_windows_keep_epsilon) {
    for (const double epsilon : epsilons)
        for (const WarpAim aim : aims)
            for (const std::uint64_t grid : {2, 7}) prove(*optimal(epsilon, aim, grid));
    for (const double epsilon : epsilons) check_worst_ratio(*optimal(epsilon, WarpAim::worst, max_grid));
}

BOOST_AUTO_TEST_CASE(epsilon_depends_on_no_reading) {
    // Readings that no program chose.
    for (const unsigned width : {1u, 9u, 30u, 47u}) {
        Warp warp{static_cast<std::uint8_t>(width), {}};
        const auto knots = Warp::knots(width);
        for (std::size_t i = 0; i < knots.size(); ++i)
            warp.decoded_values[i] = static_cast<std::uint8_t>(20 * i + 1);
        BOOST_REQUIRE(warp.valid());
        const WarpedChannel channel(9, warp, 1.5);
        Exact ratio = exact(1, 1);
        for (std::uint64_t out = 0; out < channel.outputs(); ++out)
            for (std::uint64_t a = 0; a <= 9; ++a)
                for (std::uint64_t b = 0; b <= 9; ++b)
                    ratio = std::max(ratio, channel.probability(a, out) / channel.probability(b, out));
        BOOST_CHECK(ratio == channel.worst_ratio());
        BOOST_CHECK_GE(margin(1.5, ratio), 0);
    }
}

std::unique_ptr<const Mechanism> layered(double epsilon, double first, std::uint64_t grid) {
    return mechanism(
        "optimal", epsilon,
        R"("min": -1, "max": 1, "report_epsilon": )" + text(first) + ", \"grid\": " + std::to_string(grid));
}

BOOST_AUTO_TEST_CASE(two_layers_keep_both_epsilons, *boost::unit_test::label("slow")) {
    for (const double epsilon : {0.01, 1.0, 4.0, 20.0})
        for (const double share : {0.5, 0.99}) prove_two_layers(*layered(epsilon, share * epsilon, 2));
}

BOOST_AUTO_TEST_CASE(two_layers_use_all_of_both_epsilons) {
    for (const double epsilon : epsilons) {
        const auto m = layered(epsilon, 0.7 * epsilon, max_grid);
        check_worst_ratio(*m);
        const double left = margin(0.7 * epsilon, m->first_report_ratio());
        BOOST_CHECK_GE(left, 0);
        BOOST_CHECK_LT(left, 1e-6);
    }
}

// One report is a window at ε₁, so that it errs as one that was made in one layer.
BOOST_AUTO_TEST_CASE(one_report_of_two_layers_errs_as_its_epsilon) {
    for (const double first : {0.3, 1.0, 3.0}) {
        const auto two = layered(2 * first, first, 1000), one = optimal(first, WarpAim::worst, 1000);
        for (const double x : {-1.0, -0.3, 0.0, 0.8})
            BOOST_CHECK_CLOSE_FRACTION(two->n_variance(x), one->n_variance(x), 1e-6);
        BOOST_CHECK_LT(two->n_covariance(0), two->n_variance(0));
        BOOST_CHECK_LT(
            two->expected_variance(0),
            mechanism("onebit", 2 * first, R"("min": 0, "max": 2, "report_epsilon": )" + text(first))
                ->expected_variance(0));
    }
}

BOOST_AUTO_TEST_CASE(two_layers_are_estimated_without_bias, *boost::unit_test::label("slow")) {
    std::vector<std::vector<Cell>> people;
    for (Cell i = 0; i < 300; ++i) people.push_back({i * i * 1000 / (299 * 299)});
    double sum = 0, noise = 0;
    const auto m = layered(4, 1.5, 1000);
    for (const auto& person : people) {
        const double x = static_cast<double>(person[0]) / 500 - 1;
        sum += x / 300;
        noise += m->n_variance(x) / 300;
    }
    const auto simulation = simulate(*m, people, {sum}, Quantity::means, 5000, 913);
    simulation.check_unbiased();
    simulation.check_variance(0, noise / 300);
    simulation.check_coverage();
}

// Places and readings --------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(inputs_are_placed_without_bias) {
    // In exact fractions: the mean reading is the input's, of the two ends', to 2^-64 of a step between
    // places.
    for (const double epsilon : {0.5, 2.0, 6.0})
        for (const WarpAim aim : aims)
            for (const std::uint64_t grid :
                 {std::uint64_t{2}, std::uint64_t{5}, std::uint64_t{32768}, max_grid}) {
                const Warp warp = design_warp(epsilon, aim);
                const Warp::Table table = warp.table();
                const WarpedChannel channel(grid, warp, epsilon);
                const auto mean = [&](std::uint64_t in) {
                    Exact sum = exact(0, 1);
                    for (unsigned out = Warp::outputs / 2 + 1; out < Warp::outputs; ++out)
                        sum = sum + exact(static_cast<std::uint64_t>(table[out]), 1) *
                                        (channel.probability(in, out) -
                                         channel.probability(in, Warp::outputs - 1 - out));
                    return sum;
                };
                const Exact top = mean(grid);
                BOOST_CHECK(mean(0) + top == exact(0, 1));
                for (const std::uint64_t in :
                     {std::uint64_t{0}, std::uint64_t{1}, grid / 3, grid / 2, grid - 1}) {
                    const Exact wanted = top * (exact(2 * in, grid) - exact(1, 1));
                    const Exact off = mean(in) - wanted;
                    BOOST_CHECK(off <= exact(0, 1));
                    BOOST_CHECK(exact(0, 1) - off <= top * exact_dyadic(1, 64));
                }
            }
}

BOOST_AUTO_TEST_CASE(readings_are_lines_between_knots) {
    for (unsigned width = 1; width <= Warp::outputs / 2; ++width) {
        const auto knots = Warp::knots(width);
        BOOST_REQUIRE_LE(knots.size(), Warp::most_knots);
        Warp warp{static_cast<std::uint8_t>(width), {}};
        for (std::size_t i = 0; i < knots.size(); ++i)
            warp.decoded_values[i] = static_cast<std::uint8_t>(1 + (i * i * 37 + width) % 255);
        const Warp::Table table = warp.table();
        std::vector<bool> read(Warp::outputs);
        for (std::size_t i = 0; i < knots.size(); ++i) {
            const unsigned from = knots[i].output, to = knots[i].joined ? knots[i + 1].output : from;
            for (unsigned j = from; j <= to; ++j) {
                read[j] = true;
                const double part = to == from ? 0 : static_cast<double>(j - from) / (to - from);
                const double reading =
                    warp.decoded_values[i] +
                    part * (part == 0 ? 0 : warp.decoded_values[i + 1] - warp.decoded_values[i]);
                BOOST_CHECK_SMALL(static_cast<double>(table[j]) / 65536 - reading, 2.0 / 65536);
                BOOST_CHECK_EQUAL(table[Warp::outputs - 1 - j], -table[j]);
            }
        }
        BOOST_CHECK_EQUAL(table[Warp::outputs / 2], 0);
        for (unsigned j = Warp::outputs / 2 + 1; j < Warp::outputs; ++j) BOOST_CHECK(read[j]);
    }
}

BOOST_AUTO_TEST_CASE(what_no_window_could_move_is_refused) {
    const auto refused = [](const ChannelSize& size) {
        return malformed([&] { static_cast<void>(make_channel(Response::optimal, size, 1)); });
    };
    const ChannelSize good = channel_size(optimal_randomizer, 1, 100);
    BOOST_CHECK(!refused(good));
    const auto with = [&](auto change) {
        ChannelSize size = good;
        change(size);
        return refused(size);
    };
    BOOST_CHECK(with([](ChannelSize& size) { size.steps = 1; }));
    BOOST_CHECK(with([](ChannelSize& size) { size.steps = (1u << 20) + 1; }));
    BOOST_CHECK(with([](ChannelSize& size) { size.width = 0; }));
    BOOST_CHECK(with([](ChannelSize& size) { size.width = 48; }));
    BOOST_CHECK(with([](ChannelSize& size) { size.width += 256; }));
    BOOST_CHECK(with([](ChannelSize& size) { size.decoded_values[8] = 1; }));  // no such knot
    BOOST_CHECK(with([](ChannelSize& size) { size.decoded_values = {}; }));    // never upwards
    BOOST_CHECK(
        with([](ChannelSize& size) { size.decoded_values = {255, 1, 1, 1, 1, 1}; }));  // once downwards
}

// Variance -------------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(the_variance_is_near_the_limit) {
    // Golden constants: least worst n·Var of an independent program with 95 outputs whose readings are free,
    // and what a third one had for tables of other sizes.
    for (const char* epsilon : {"0.5", "1.0", "1.5", "2.0", "3.0", "4.0", "5.0"})
        for (const auto& [aim, quantity] :
             {std::pair{WarpAim::worst, "worst"}, {WarpAim::average, "average"}}) {
            const double best = golden("optimal", std::string("epsilon=") + epsilon, quantity);
            const double e = std::stod(epsilon), found = cost(design_warp(e, aim), e, aim);
            BOOST_CHECK_GT(found, best * (1 - 2e-3));
            BOOST_CHECK_LT(found, best * 1.007);
        }
    // And the limit, of a linear program over all channels on 33 inputs (evaluation/figures/limit.cpp).
    for (const char* epsilon : {"0.5", "1.0", "1.5", "2.0", "2.5", "3.0", "3.5", "4.0", "4.5", "5.0"}) {
        const double limit = golden("optimal", std::string("epsilon=") + epsilon, "limit");
        const double found = optimal(std::stod(epsilon), WarpAim::worst, 32768)->expected_variance(0);
        BOOST_CHECK_GT(found, limit);
        BOOST_CHECK_LT(found, limit * 1.01);
    }
    for (const auto& [epsilon, other] : {std::pair{1.0, 3.993}, {2.0, 0.867}, {4.0, 0.1274}})
        BOOST_CHECK_CLOSE_FRACTION(optimal(epsilon, WarpAim::worst, 32768)->expected_variance(0), other,
                                   4e-3);
}

BOOST_AUTO_TEST_CASE(no_neighbour_is_better) {
    for (const double epsilon : some_epsilons)
        for (const WarpAim aim : aims) {
            const Warp best = design_warp(epsilon, aim);
            BOOST_REQUIRE(best.valid());
            const double least = cost(best, epsilon, aim);
            for (std::size_t i = 0; i < Warp::knots(best.width).size(); ++i)
                for (const int change : {-3, 3}) {
                    Warp other = best;
                    const int reading = other.decoded_values[i] + change;
                    if (reading < 0 || reading > 255) continue;
                    other.decoded_values[i] = static_cast<std::uint8_t>(reading);
                    if (other.valid()) BOOST_CHECK_GT(cost(other, epsilon, aim), least * (1 - 4e-3));
                }
        }
}

BOOST_AUTO_TEST_CASE(every_epsilon_has_its_warp) {
    // Where one width gives way to the next, more ε may be worth a little less.
    for (const WarpAim aim : aims) {
        double before = std::numeric_limits<double>::infinity();
        for (double epsilon = 0.001; epsilon <= 20; epsilon *= 1.03) {
            const Warp warp = design_warp(epsilon, aim);
            BOOST_REQUIRE(warp.valid());
            const double now = cost(warp, epsilon, aim);
            BOOST_CHECK_LT(now, before * 1.02);
            before = now;
        }
    }
}

BOOST_AUTO_TEST_CASE(each_aim_is_reached_by_its_own_readings) {
    for (const double epsilon : some_epsilons) {
        const Warp low = design_warp(epsilon, WarpAim::worst), even = design_warp(epsilon, WarpAim::average);
        BOOST_CHECK_LE(cost(low, epsilon, WarpAim::worst), cost(even, epsilon, WarpAim::worst));
        BOOST_CHECK_LE(cost(even, epsilon, WarpAim::average), cost(low, epsilon, WarpAim::average));
    }
}

BOOST_AUTO_TEST_CASE(no_published_mechanism_has_less_at_its_worst) {
    // Below, one bit is as good as anything, and smaller.
    for (const double epsilon : {0.25, 0.5, 0.61, 0.8, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0}) {
        const double ours = optimal(epsilon, WarpAim::worst, 32768)->expected_variance(0);
        for (const char* name : {"piecewise", "pdp", "laplace", "duchi", "hybrid"})
            BOOST_TEST_CONTEXT(name << " at " << epsilon)
        BOOST_CHECK_LT(ours, mechanism(name, epsilon, R"("min": -1, "max": 1)")->expected_variance(0));
        Attribute number;
        number.name = "x";
        number.max = 1;
        BOOST_CHECK_EQUAL(choose({epsilon, {number}, {}}).mechanism->name, "optimal");
    }
}

BOOST_AUTO_TEST_CASE(it_is_noisiest_where_it_says) {
    for (const double epsilon : {0.5, 1.0, 3.0, 8.0})
        for (const WarpAim aim : aims) {
            const WarpedChannel channel(100000, design_warp(epsilon, aim), epsilon);
            double most = 0, sum = 0;
            for (int s = 0; s <= 100000; ++s) {
                most = std::max(most, channel.noise_at(s));
                sum += channel.noise_at(s) / 100001;
            }
            BOOST_CHECK_CLOSE_FRACTION(worst(channel), most, 1e-6);
            BOOST_CHECK_GE(worst(channel), most);
            BOOST_CHECK_CLOSE_FRACTION(channel.average_noise(), sum, 1e-4);
        }
}

BOOST_AUTO_TEST_CASE(a_tally_tells_mean_and_spread) {
    // Of people at two places, in shares of a quarter: what is expected of them, fed to invert().
    for (const double epsilon : {0.5, 2.0, 5.0}) {
        const WarpedChannel channel(1000, design_warp(epsilon, WarpAim::worst), epsilon);
        for (const auto& [a, b] : {std::pair<std::size_t, std::size_t>{0, 0}, {0, 7}, {3, 30}, {20, 25}}) {
            std::vector<double> shares(channel.places());
            shares[a] += 0.25;
            shares[b] += 0.75;
            const auto tally = expected_tally(channel, shares);
            const auto moments = channel.invert(total_of(tally), tally.data());
            const double x = channel.position(a), y = channel.position(b), half = 500;
            const double mean = 0.25 * x + 0.75 * y;
            BOOST_CHECK_SMALL(moments.mean / half - 1 - mean, 1e-7);
            BOOST_CHECK_SMALL(moments.sampling / (half * half) - (0.1875 * (x - y) * (x - y)), 1e-6);
            const double noise =
                0.25 * channel.noise_at(half * (1 + x)) + 0.75 * channel.noise_at(half * (1 + y));
            BOOST_CHECK_GE(moments.noise, noise * (1 - 1e-6));
            BOOST_CHECK_LT(moments.noise, noise * 1.01);  // rounding, as if all were half way
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
