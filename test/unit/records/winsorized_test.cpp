// Winsorized means in two rounds.

#include "core/choice/winsorized.hpp"
#include "../../support/draws.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/base/error.hpp"
#include "core/channel/numeric.hpp"
#include "core/contract/labels.hpp"
#include "core/mechanism/role/error_law.hpp"
#include "core/mechanism/role/fields.hpp"
#include "core/summary/errors.hpp"
#include "support.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(winsorized)

namespace {

std::string refusal(const std::string& json) {
    try {
        (void)resolve(json);
        return {};
    } catch (const Error& error) {
        return error.what();
    }
}

/// The two rounds of one winsorized mean.
class Protocol {
  public:
    explicit Protocol(const std::string& json)
        : first_(resolve(json)),
          histogram_(make_mechanism(first_)),
          pilot_(*histogram_),
          ends_(Labels(first_.attributes()).ends(0)) {}

    [[nodiscard]] const std::vector<double>& ends() const { return ends_; }
    [[nodiscard]] const OwnedSummary& pilot() const { return pilot_; }
    void report_bin(double value, BitSource& bits) {
        const auto inner = first_.attributes()[0].edges;
        const auto bin = std::ranges::upper_bound(inner, value) - inner.begin();
        pilot_.draw(static_cast<Cell>(bin), bits);
    }
    void open_second() {
        mean_ = mechanism(winsorized_second_round(first_, pilot_.view()));
        clamped_.emplace(*mean_);
    }
    [[nodiscard]] const Range& range() const { return *mean_->range_of_number(); }
    void report(double value, BitSource& bits) {
        const auto [low, high] = std::pair(range().min, range().max);
        const std::uint64_t steps = mean_->cells()[0] - 1;
        const double unit = (std::clamp(value, low, high) - low) / (high - low);
        clamped_->draw(grid_point(unit * static_cast<double>(steps), steps).draw(bits), bits);
    }
    [[nodiscard]] Estimate mean() const { return clamped_->estimate(Quantity::means, Target::population)[0]; }
    [[nodiscard]] Interval interval() const {
        return ldp::interval(mean(), critical_value(0.95),
                             error_law(clamped_->view(), 0, Target::population));
    }
    [[nodiscard]] WinsorWindow window() const {
        return winsor_window(pilot_.view(), ends_, range().min, range().max, 0.95);
    }

  private:
    Spec first_;
    std::unique_ptr<const Mechanism> histogram_;
    OwnedSummary pilot_;
    std::vector<double> ends_;
    std::unique_ptr<const Mechanism> mean_;
    std::optional<OwnedSummary> clamped_;
};

/// Number of people of the first round, as the canonical spec states it.
std::size_t people_in(const std::string& reason) {
    const std::size_t at = reason.find("of which ") + 9;
    std::string digits;
    for (const char c : reason.substr(at, reason.find(' ', at) - at))
        if (c != ',') digits += c;
    return std::stoul(digits);
}

struct Figures {
    double squared_error = 0, covered = 0;
    std::size_t pilots = 0;
};

/// Values around a mean that is unknown within [−50, 50], with standard deviation 1; each value is the mean of a person's
/// `own` values, which share a level.
Figures simulated(double epsilon, std::size_t people, int runs, std::uint64_t seed) {
    SeededBits bits(seed);
    const std::string json = R"({"mechanism": "winsorized", "epsilon": )" + text(epsilon) +
                             R"(, "min": -50, "max": 50, "concentration": {"tau": 4.5, "gamma": 0.02}})";
    Figures figures;
    figures.pilots = people_in(resolve(json).chosen()->reason);
    for (int run = 0; run < runs; ++run) {
        Protocol protocol(json);
        const double mean = 80 * inner_uniform(bits) - 40;
        for (std::size_t i = 0; i < people; ++i) {
            if (i == figures.pilots) protocol.open_second();
            const double value = mean + normal(bits);
            i < figures.pilots ? protocol.report_bin(value, bits) : protocol.report(value, bits);
        }
        const double error = protocol.mean().value - mean;
        figures.squared_error += error * error / runs;
        const Interval range = protocol.interval();
        figures.covered += (range.lower <= mean && mean <= range.upper ? 1.0 : 0.0) / runs;
    }
    return figures;
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_first_round_follows_from_the_declared_concentration) {
    const Spec spec = resolve(
        R"({"mechanism": "winsorized", "epsilon": 1, "attributes": [{"name": "wage", "min": 0, "max": 100, "unit": "€"}],
            "concentration": {"tau": 2.4, "gamma": 0.01}, "min_group": 20})");
    BOOST_TEST(spec.attributes()[0].domain == 20);  // 100/4.8, rounded down
    BOOST_TEST(spec.attributes()[0].name == "wage");
    BOOST_TEST(spec.min_group() == 20);
    BOOST_TEST(spec.chosen()->reason.find("20 bins") != std::string::npos);
    BOOST_TEST(spec.chosen()->reason.find("probability 0.97") != std::string::npos);
    // The canonical form contains no open choice and no trace of the request.
    BOOST_CHECK(Spec::from_json(spec.to_json()).fingerprint() == spec.fingerprint());
}

BOOST_AUTO_TEST_CASE(the_number_of_people_determines_the_bins) {
    const auto bins = [](const char* people) {
        return resolve(std::string(
                           R"({"mechanism": "winsorized", "epsilon": 1, "min": 0, "max": 1, "people": )") +
                       people + "}")
            .attributes()[0]
            .domain;
    };
    BOOST_TEST(bins("1000000") == 64);
    BOOST_TEST(bins("8000") < bins("60000"));
    BOOST_TEST(bins("8000") >= 4);
}

BOOST_AUTO_TEST_CASE(specs_that_cannot_work_are_refused) {
    const auto spec = [](const std::string& rest) {
        return R"({"mechanism": "winsorized", "epsilon": 1, "min": 0, "max": 100)" + rest + "}";
    };
    BOOST_TEST(refusal(spec("")) == "a winsorized mean needs \"concentration\" or \"people\"");
    BOOST_TEST(refusal(spec(R"(, "people": 100)")) == "too few people for a winsorized mean");
    BOOST_TEST(refusal(spec(R"(, "concentration": {"tau": 20})")) ==
               "a winsorized mean would not reduce the error");
    BOOST_TEST(refusal(spec(R"(, "concentration": {"tau": 1, "delta": 1})")) != "");
    BOOST_TEST(refusal(spec(R"(, "concentration": {"tau": -1})")) != "");
    BOOST_TEST(refusal(spec(R"(, "people": 100000, "evolving": {})")) != "");
    BOOST_TEST(refusal(R"({"mechanism": "winsorized", "epsilon": 1, "domain": 4, "people": 100000})") ==
               "a winsorized mean needs one number with \"min\" and \"max\"");
    BOOST_CHECK_THROW((void)Spec::from_json(spec(R"(, "people": 100000)")), Error);
}

// The source's local mechanism: randomized response for the histogram, then Laplace noise with the scale (width of the
// window)/ε. The comparison ignores the runs in which its histogram errs, and lets half of the people report in each part.
// The mean squared error of 1000 runs has a relative standard deviation of 4.5 %, and 0.8 is more than six of them above the
// expected ratio. A coverage of 1000 intervals at 95 % is outside 90 to 99.5 % with probability below 1e-8.
BOOST_AUTO_TEST_CASE(errors_are_below_those_of_the_source_and_intervals_cover,
                     *boost::unit_test::label("slow")) {
    struct Setting {
        double epsilon;
        std::size_t people;
    };
    for (const auto& [epsilon, people] : {Setting{1, 2000}, Setting{2, 600}, Setting{4, 160}}) {
        const Figures found = simulated(epsilon, people, 1000, 901);
        const double half = static_cast<double>(people) / 2, width = 3 * 100.0 / 11;
        const double of_source = (2 * width * width / (epsilon * epsilon) + 1) / half;
        BOOST_TEST_MESSAGE("epsilon " << epsilon << ", n " << people << ", first round " << found.pilots
                                      << ": error " << std::sqrt(found.squared_error) << ", source "
                                      << std::sqrt(of_source) << ", coverage " << found.covered);
        BOOST_TEST(found.pilots <= people / 2 + 20);
        BOOST_TEST(found.squared_error < 0.8 * of_source);
        BOOST_TEST(found.covered > 0.9);
        BOOST_TEST(found.covered < 0.995);
    }
}

// Of the people, 2 % have values far outside the window. Their true shares give the bias of the window. The bound has confidence
// 0.95 for each side; of 60 runs, ten or more fail with probability 1e-8.
BOOST_AUTO_TEST_CASE(the_bias_of_clamping_is_bounded) {
    SeededBits bits(902);
    int too_small = 0, too_much_coverage = 0, wide = 0;
    for (int run = 0; run < 60; ++run) {
        Protocol protocol(
            R"({"mechanism": "winsorized", "epsilon": 2, "min": 0, "max": 4000, "people": 30000})");
        for (int i = 0; i < 3000; ++i) {
            const double usual = 10 + 40 * inner_uniform(bits);
            protocol.report_bin(inner_uniform(bits) < 0.02 ? 50 * usual : usual, bits);
        }
        protocol.open_second();
        const WinsorWindow window = protocol.window();
        // Means of the outlying values above the window.
        double bias = 0, outside = 0;
        for (int step = 0; step < 1000; ++step) {
            const double value = 50 * (10 + 40 * (step + 0.5) / 1000);
            bias += std::max(0.0, value - window.high) * 0.02 / 1000;
            outside += value > window.high ? 0.02 / 1000 : 0;
        }
        too_small += window.bias < bias;
        too_much_coverage += window.smallest_coverage > 1 - outside;
        wide += window.high > 500;
        BOOST_TEST(window.low == 0);
        BOOST_TEST(window.high >= 50);
    }
    BOOST_TEST(too_small < 10);
    BOOST_TEST(too_much_coverage < 10);
    BOOST_TEST(wide < 10);
}

BOOST_AUTO_TEST_CASE(the_window_covers_values_that_are_spread_over_many_bins) {
    SeededBits bits(903);
    Protocol protocol(R"({"mechanism": "winsorized", "epsilon": 2, "min": 0, "max": 100, "people": 200000})");
    for (int i = 0; i < 20000; ++i) protocol.report_bin(30 + 20 * inner_uniform(bits), bits);
    const WinsorWindow window = winsor_window(protocol.pilot().view(), protocol.ends());
    BOOST_TEST(window.low <= 30);
    BOOST_TEST(window.high >= 50);
    BOOST_TEST(window.high - window.low < 30);
    BOOST_TEST(window.coverage.value > 0.9);
}

BOOST_AUTO_TEST_CASE(windows_need_bins_and_reports) {
    SeededBits bits(904);
    Protocol protocol(R"({"mechanism": "winsorized", "epsilon": 1, "min": 0, "max": 100, "people": 200000})");
    const auto code = [&](const std::function<void()>& action) {
        try {
            action();
        } catch (const Error& error) {
            return error.code();
        }
        return ErrorCode::malformed;
    };
    const auto window = [&] { (void)winsor_window(protocol.pilot().view(), protocol.ends()); };
    BOOST_TEST((code(window) == ErrorCode::invalid_value));
    for (int i = 0; i < 16; ++i) protocol.report_bin(6 * i, bits);  // no bin has a significant share
    BOOST_TEST((code(window) == ErrorCode::invalid_value));
    for (int i = 0; i < 5000; ++i) protocol.report_bin(5, bits);
    BOOST_CHECK_NO_THROW(window());
    BOOST_TEST((code([&] { (void)winsor_window(protocol.pilot().view(), protocol.ends(), 1, 2, 0.95); }) ==
                ErrorCode::incompatible));
    BOOST_TEST((code([&] { (void)winsor_window(protocol.pilot().view(), {}); }) == ErrorCode::unsupported));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
