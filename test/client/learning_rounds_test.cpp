// Two rounds from records to estimates: ranges learnt from some people, and wrongly learnt ones.

#include "../support/draws.hpp"
#include "core/summary/queries/learn.hpp"

#include <algorithm>
#include <cmath>

#include "../support/seeded_words.hpp"
#include "client/fleet/user_means.hpp"
#include "client_support.hpp"
#include "core/summary/summary.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(two_rounds)

namespace {

/// A collection's reports.
class Reports {
  public:
    explicit Reports(const Collection& collection)
        : collection_(collection), summary_(summary_size(collection.mechanism())) {
        start_summary(collection.mechanism(), summary_);
    }
    Encoded add(std::span<const Value> record, BitSource& bits) {
        Encoded encoded = collection_.encode(record, bits);
        const Report report = collection_.mechanism().perturb(encoded.cells, bits);
        BOOST_REQUIRE(accumulate(collection_.mechanism(), summary_, report) == Outcome::ok);
        return encoded;
    }
    [[nodiscard]] Estimate mean() const {
        return estimate(view_of(collection_.mechanism(), summary_), {Quantity::means, Target::population})[0];
    }
    [[nodiscard]] LearntRange range(double coverage) const {
        return learn_ranges(view_of(collection_.mechanism(), summary_), coverage)[0];
    }

  private:
    const Collection& collection_;
    std::vector<std::byte> summary_;
};

Collection on_range(const std::string& mechanism, double epsilon, double min, double max) {
    return Collection(
        Spec::from_json("{\"mechanism\": \"" + mechanism + "\", \"epsilon\": " + std::to_string(epsilon) +
                        ", \"min\": " + std::to_string(min) + ", \"max\": " + std::to_string(max) + "}"));
}

/// How often of all a central interval of 95 % holds the truth.
class Coverage {
  public:
    void add(const Estimate& estimate, double truth) {
        ++all_;
        covered_ += std::abs(estimate.value - truth) <= critical_value(0.95) * estimate.standard_error;
    }
    void test() const {
        BOOST_TEST(covered_ > 0.93 * all_);
        BOOST_TEST(covered_ < 0.97 * all_);
    }

  private:
    double all_ = 0, covered_ = 0;
};

}  // namespace

// Each person's values depend on each other; the person's mean is what both rounds protect.
BOOST_AUTO_TEST_CASE(a_range_for_means_of_people) {
    SeededBits bits(81);
    const Collection first = on_range("square_wave", 2, 0, 1000);
    const auto means_of = [&](const Collection& collection, int users) {
        UserMeans means(collection.spec());
        for (int user = 0; user < users; ++user) {
            const double level = 400 + 60 * uniform(bits);
            for (int i = 0; i < 8; ++i)
                means.add(std::to_string(user), std::vector<Value>{level + 200 * (uniform(bits) - 0.5)});
        }
        return means;
    };
    Reports pilot(first);
    const UserMeans asked = means_of(first, 20000);
    for (std::size_t user = 0; user < asked.size(); ++user) pilot.add(asked.record(user), bits);
    const LearntRange range = pilot.range(0.9);
    BOOST_TEST(range.low > 200);
    BOOST_TEST(range.high < 660);

    const Collection second = on_range("pdp", 2, range.low, range.high);
    Coverage coverage;
    std::size_t clamped = 0, reported = 0;
    for (int repetition = 0; repetition < 5000; ++repetition) {
        Reports reports(second);
        const UserMeans means = means_of(second, 50);
        for (std::size_t user = 0; user < means.size(); ++user, ++reported)
            clamped += reports.add(means.record(user), bits).clamped.attributes.size();
        coverage.add(reports.mean(), 430);  // clamped alike on either side
    }
    coverage.test();
    BOOST_TEST(clamped < reported / 10);
}

// The error bar is then about the mean of what was clamped, and who was is counted.
BOOST_AUTO_TEST_CASE(a_range_learnt_wrongly) {
    SeededBits bits(82);
    const Collection narrow = on_range("duchi", 2, 0, 10);
    Coverage about_the_clamped;
    for (int repetition = 0; repetition < 5000; ++repetition) {
        Reports reports(narrow);
        std::size_t outside = 0, counted = 0;
        for (int i = 0; i < 60; ++i) {
            const double value = 20 * uniform(bits);  // clamped: 7.5 on average
            outside += value > 10;
            counted += reports.add(std::vector<Value>{value}, bits).clamped.attributes.size();
        }
        BOOST_REQUIRE_EQUAL(counted, outside);
        about_the_clamped.add(reports.mean(), 7.5);
    }
    about_the_clamped.test();
}

BOOST_AUTO_TEST_CASE(coefficients_learnt_wrongly) {
    SeededBits bits(83);
    const Collection narrow = collection(R"({"mechanism": "haar", "epsilon": 2,
        "coefficients": [[-0.5, 0.5], [-0.125, 0.125]],
        "attributes": [{"name": "a", "min": -1, "max": 1}, {"name": "b", "min": -1, "max": 1}]})");
    Reports reports(narrow);
    for (int i = 0; i < 20000; ++i)  // mean 0.1, detail 0.8
        BOOST_REQUIRE_EQUAL(reports.add(std::vector<Value>{0.9, -0.7}, bits).clamped.coefficients, 1u);
    const auto [value, error] = reports.mean();
    BOOST_TEST(error < 0.02);
    BOOST_TEST(std::abs(value - (0.1 + 16 / 127.0)) < 6 * error);  // a range is widened to whole steps
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
