// The choice of a mechanism for the distribution of one ordered attribute: by the exact errors before anybody
// reports, and by a first look at the people.

#include <cmath>
#include <numeric>

#include "core/base/error.hpp"
#include "core/choice/first_look.hpp"
#include "core/choice/ordered_choice.hpp"
#include "core/contract/spec.hpp"
#include "core/mechanism/ordered/ordered.hpp"
#include "repeated_draws.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(ordered_choice)

namespace {

std::unique_ptr<const Mechanism> numbers_to(const char* name, double epsilon, std::uint64_t top) {
    return mechanism(name, epsilon,
                     "\"min\": 0, \"max\": " + std::to_string(top) + ", \"grid\": " + std::to_string(top));
}

std::string wanting(const std::string& rest) {
    return R"({"mechanism": "auto", "epsilon": 1, )" + rest + "}";
}

std::string chosen(const std::string& rest) {
    return resolve(wanting(rest)).mechanism().name;
}

/// The mean n·Var of all ranges, one by one.
double of_all_ranges(const Mechanism& m) {
    const auto& ordered = dynamic_cast<const Ordered&>(m);
    const std::size_t points = ordered.points();
    std::vector<double> even(points, 1 / static_cast<double>(points - 1));
    even.front() = even.back() = even.front() / 2;
    const auto noise = ordered.expected_noise(even);
    double sum = 0, ranges = 0;
    for (std::size_t first = 0; first < points; ++first)
        for (std::size_t end = first + 1; end <= points; ++end, ++ranges)
            if (first != 0 || end != points) sum += noise->between(first, end);
    return sum / ranges;
}

/// Half of the people each, of a first round through `tree`.
FirstLook looked(const std::vector<double>& shares, double epsilon, std::size_t n, std::uint64_t people,
                 std::uint64_t seed) {
    const auto m = numbers_to("tree", epsilon, shares.size() - 1);
    SeededBits bits(seed);
    const std::vector<Cell> held = people_of(shares, n);
    const OwnedSummary one = reported(*m, held, bits), other = reported(*m, held, bits);
    return first_look(one.view(), other.view(), people);
}

/// Shares of k points by a density, or of every 8th point alone.
std::vector<double> smooth(std::size_t k) {
    std::vector<double> shares;
    for (std::size_t i = 0; i < k; ++i) {
        const double x = static_cast<double>(i) / static_cast<double>(k - 1);
        shares.push_back(std::pow(x, 4) * (1 - x));
    }
    const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
    for (double& share : shares) share /= sum;
    return shares;
}
std::vector<double> spiky(std::size_t k) {
    std::vector<double> shares(k);
    shares[k / 8] = 0.5;
    shares[k / 2 + 3] = 0.3;
    shares[k - 5] = 0.2;
    return shares;
}

}  // namespace

// 1024 ranges stand for all of them, and few points are enumerated.
BOOST_AUTO_TEST_CASE(the_predicted_error_is_the_mean_over_all_ranges) {
    for (const char* name : {"tree", "haar_ordered"})
        for (const double epsilon : {0.5, 2.0}) {
            const auto few = numbers_to(name, epsilon, 31), many = numbers_to(name, epsilon, 255);
            BOOST_CHECK_CLOSE_FRACTION(mean_variance(*few, OrderedUse::ranges, 100000), of_all_ranges(*few),
                                       1e-9);
            BOOST_CHECK_CLOSE_FRACTION(mean_variance(*many, OrderedUse::ranges, 100000), of_all_ranges(*many),
                                       0.03);
        }
}

BOOST_AUTO_TEST_CASE(auto_chooses_by_what_is_wanted) {
    const std::string number = R"("min": 0, "max": 255, "grid": 255)";
    BOOST_CHECK_EQUAL(chosen(number + R"(, "estimate": "distribution")"), "tree");
    BOOST_CHECK_EQUAL(chosen(number + R"(, "estimate": "quantiles")"), "tree");
    BOOST_CHECK_EQUAL(chosen(number + R"(, "estimate": "shape")"), "square_wave");
    BOOST_CHECK_EQUAL(chosen(R"("min": 0, "max": 255, "estimate": "mean")"),
                      chosen(R"("min": 0, "max": 255)"));
    BOOST_CHECK_EQUAL(chosen(R"("domain": 12, "estimate": "distribution")"), "tree");
    BOOST_CHECK_EQUAL(
        chosen(R"("attributes": [{"name": "wage", "min": 0, "max": 9000, "estimate": "distribution"}])"),
        "tree");
    // Reports of a tree are long, and it has at most 2^14 points.
    BOOST_CHECK_EQUAL(chosen(number + R"(, "estimate": "distribution", "max_report_bytes": 64)"),
                      "haar_ordered");
    BOOST_CHECK_EQUAL(chosen(R"("min": 0, "max": 1, "grid": 65535, "estimate": "distribution")"),
                      "haar_ordered");

    const Spec spec = resolve(wanting(number + R"(, "estimate": "distribution")"));
    BOOST_CHECK_EQUAL(spec.number("grid"), 255u);
    BOOST_REQUIRE(spec.chosen());
    BOOST_CHECK_NE(spec.chosen()->reason.find("mean variance of a range"), std::string::npos);
    BOOST_CHECK_NE(spec.chosen()->reason.find("haar_ordered would have"), std::string::npos);
    const Spec again = Spec::from_json(spec.to_json());
    BOOST_CHECK_EQUAL(again.to_json(), spec.to_json());
    BOOST_CHECK(again.fingerprint() == spec.fingerprint());
}

BOOST_AUTO_TEST_CASE(what_is_wanted_is_checked) {
    const auto refuses = [](const std::string& text, const char* message) {
        BOOST_CHECK_EXCEPTION(static_cast<void>(resolve(text)), Error, [&](const Error& error) {
            BOOST_TEST_MESSAGE(error.what());
            return error.code() == ErrorCode::invalid_spec &&
                   std::string(error.what()).find(message) != std::string::npos &&
                   !(error.detail() + error.hint()).empty();
        });
    };
    refuses(wanting(R"("min": 0, "max": 1, "estimate": "median")"), "estimate");
    refuses(wanting(R"("min": 0, "max": 1, "estimate": 1)"), "estimate");
    refuses(wanting(R"("domain": 4, "estimate": "mean")"), "estimate");
    refuses(wanting(R"("domain": 4, "estimate": "shape")"),
            "no mechanism suits the distribution of \"value\"");
    refuses(wanting(R"("min": 0, "max": 1, "grid": 3000000, "estimate": "distribution")"),
            "no mechanism suits the distribution of \"value\"");
    refuses(wanting(R"("min": 0, "max": 1, "grid": 0, "estimate": "distribution")"), "grid");
    BOOST_CHECK_EQUAL(resolve(wanting(R"("min": 0, "max": 1, "grid": 9)")).number("grid"), 9u);
    refuses(wanting(R"("estimate": "distribution", "attributes": [{"name": "a", "min": 0, "max": 1}])"),
            "is a key of an attribute");
    refuses(wanting(R"("attributes": [{"name": "a", "min": 0, "max": 1, "estimate": "median"},
                                      {"name": "b", "domain": 2}])"),
            "estimate");
    refuses(R"({"mechanism": "tree", "epsilon": 1, "min": 0, "max": 1, "estimate": "distribution"})",
            "\"auto\" only");
}

BOOST_AUTO_TEST_CASE(advice_ranks_ordered_mechanisms_by_ranges) {
    for (const char* mechanism : {R"("mechanism": "auto", "estimate": "distribution", )",
                                  R"("mechanism": "tree", )", R"("mechanism": "haar_ordered", )"}) {
        const Ranking ranking =
            advise("{" + std::string(mechanism) + R"("epsilon": 1, "min": 0, "max": 255, "grid": 255})");
        BOOST_REQUIRE_EQUAL(ranking.candidates.size(), 3u);
        BOOST_CHECK_EQUAL(ranking.candidates[0].mechanism->name, "tree");
        BOOST_CHECK_EQUAL(ranking.candidates[1].mechanism->name, "haar_ordered");
        BOOST_CHECK_EQUAL(ranking.candidates[2].mechanism->name, "square_wave");
        BOOST_CHECK(ranking.candidates[0].obstacle.empty() && ranking.candidates[1].obstacle.empty());
        BOOST_CHECK_NE(ranking.candidates[2].obstacle.find("smoothed"), std::string::npos);
        BOOST_CHECK_LT(ranking.candidates[0].n_variance, ranking.candidates[1].n_variance);
        BOOST_CHECK_CLOSE_FRACTION(ranking.candidates[0].n_variance,
                                   of_all_ranges(*numbers_to("tree", 1, 255)), 0.03);
    }
}

BOOST_AUTO_TEST_CASE(a_first_look_tells_smooth_people_from_heaped_ones) {
    const FirstLook at_density = looked(smooth(64), 2, 20000, 30000, 1);
    BOOST_CHECK_EQUAL(at_density.chosen->name, "square_wave");
    BOOST_CHECK_LT(at_density.smooth_error, at_density.sharp_error);
    const FirstLook at_spikes = looked(spiky(64), 2, 20000, 30000, 2);
    BOOST_CHECK_EQUAL(at_spikes.chosen->name, "tree");
    BOOST_CHECK(at_spikes.clear);
    BOOST_CHECK_GT(at_spikes.smooth_error, 2 * at_spikes.sharp_error);
    // The noise falls with the people, the bias of the smooth fit does not.
    const FirstLook many = looked(spiky(64), 2, 20000, 3000000, 2);
    BOOST_CHECK_LT(many.sharp_error, at_spikes.sharp_error / 9);
    BOOST_CHECK_GT(many.smooth_error, 0.5 * at_spikes.smooth_error);
}

// The two halves' noise is independent: the estimate of the squared bias is not shifted by it, and its
// standard error holds.
BOOST_AUTO_TEST_CASE(the_bias_of_a_smooth_fit_is_estimated_without_bias, *boost::unit_test::label("slow")) {
    const std::vector<double> shares = spiky(32);
    const double exact = looked(shares, 2, 400000, 20000, 3).bias_square;  // hardly any noise
    constexpr std::size_t repetitions = 60;
    double sum = 0, squares = 0, promised = 0;
    for (std::size_t r = 0; r < repetitions; ++r) {
        const FirstLook look = looked(shares, 2, 4000, 20000, 100 + r);
        sum += look.bias_square / repetitions;
        squares += look.bias_square * look.bias_square / repetitions;
        promised += look.bias_square_error * look.bias_square_error / repetitions;
    }
    const double spread = std::sqrt(squares - sum * sum);
    BOOST_TEST_MESSAGE("bias " << exact << ", mean " << sum << ", spread " << spread << ", promised "
                               << std::sqrt(promised));
    BOOST_CHECK_SMALL(sum - exact, 6 * spread / std::sqrt(repetitions) + 0.1 * exact);
    BOOST_CHECK(std::sqrt(promised) > 0.5 * spread && std::sqrt(promised) < 2 * spread);
}

BOOST_AUTO_TEST_CASE(a_first_look_refuses_what_it_cannot_answer) {
    SeededBits bits(4);
    const auto tree = numbers_to("tree", 1, 31), finer = numbers_to("tree", 1, 63),
               wave = numbers_to("square_wave", 1, 31);
    const auto category = mechanism("tree", 1, "\"domain\": 8");
    const auto of = [&](const Mechanism& m) { return reported(m, std::vector<Cell>(100, 3), bits); };
    const OwnedSummary one = of(*tree), other = of(*finer), smeared = of(*wave), words = of(*category);
    const OwnedSummary none = reported(*tree, {}, bits);
    const auto code = [](const OwnedSummary& a, const OwnedSummary& b, std::uint64_t people) {
        try {
            static_cast<void>(first_look(a.view(), b.view(), people));
        } catch (const Error& error) {
            return error.code();
        }
        return ErrorCode::environment;
    };
    BOOST_CHECK(code(one, other, 10) == ErrorCode::incompatible);
    BOOST_CHECK(code(smeared, smeared, 10) == ErrorCode::unsupported);
    BOOST_CHECK(code(words, words, 10) == ErrorCode::unsupported);
    BOOST_CHECK(code(one, none, 10) == ErrorCode::invalid_value);
    BOOST_CHECK(code(one, one, 0) == ErrorCode::invalid_value);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
