// Products of a record's attributes, and what follows from their means: covariance, correlation, regression.
//
// Length: from the device to the interval, on the same town.

#include <cmath>
#include <cstdio>
#include <random>

#include "client/client.hpp"
#include "client/collection.hpp"
#include "client/fleet/user_means.hpp"
#include "client/memory_store.hpp"
#include "core/base/error.hpp"
#include "core/base/exact.hpp"
#include "core/base/square.hpp"
#include "core/contract/products.hpp"
#include "core/mechanism/frequency/frequency_oracle.hpp"
#include "core/regression/product_regression.hpp"
#include "repeated_draws.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(joint_numbers)

namespace {

std::string record(double epsilon, const std::string& attributes, const std::string& rest = {}) {
    return R"({"mechanism": "sampled", "epsilon": )" + text(epsilon) + R"(, "attributes": [)" + attributes +
           "]" + rest + "}";
}

const std::string school = R"({"name": "school", "domain": ["north", "south", "west"]})";
const std::string hours = R"({"name": "hours", "min": 0, "max": 10})";
const std::string sleep_ = R"({"name": "sleep", "min": 4, "max": 12})";
const std::string score = R"({"name": "score", "min": 0, "max": 100})";

Error refusal(const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        return error;
    }
    return Error(ErrorCode::environment, "not refused");
}

constexpr double usual = 1.959963984540054;

std::string why(const std::string& json) {
    return refusal([&] { static_cast<void>(resolve(json)); }).what();
}

/// What least squares of columns on the last one make of rows, with a column of ones before the columns or
/// one for each group; and R².
struct Truth {
    std::vector<double> coefficients;
    double r_squared;
};
Truth fitted(const std::vector<std::vector<double>>& design, const std::vector<double>& y) {
    const std::size_t k = design[0].size(), n = y.size();
    std::vector<std::vector<double>> a(k, std::vector<double>(k + 1));
    double sum = 0, squares = 0, rest = 0;
    for (std::size_t r = 0; r < n; ++r) {
        sum += y[r], squares += y[r] * y[r];
        for (std::size_t i = 0; i < k; ++i) {
            for (std::size_t j = 0; j < k; ++j) a[i][j] += design[r][i] * design[r][j];
            a[i][k] += design[r][i] * y[r];
        }
    }
    for (std::size_t i = 0; i < k; ++i)  // Gauss and Jordan
        for (std::size_t r = 0; r < k; ++r) {
            if (r == i) continue;
            const double factor = a[r][i] / a[i][i];
            for (std::size_t j = 0; j <= k; ++j) a[r][j] -= factor * a[i][j];
        }
    Truth truth{{}, 0};
    for (std::size_t i = 0; i < k; ++i) truth.coefficients.push_back(a[i][k] / a[i][i]);
    for (std::size_t r = 0; r < n; ++r) {
        double off = y[r];
        for (std::size_t i = 0; i < k; ++i) off -= truth.coefficients[i] * design[r][i];
        rest += off * off;
    }
    truth.r_squared = 1 - rest / (squares - sum * sum / static_cast<double>(n));
    return truth;
}

/// A town of pupils, as their devices place them on the grid once.
struct Town {
    Town(const std::string& json, std::size_t people, std::uint64_t seed)
        : collection(resolve(json)), mechanism(collection.mechanism()) {
        SeededBits bits(seed);
        std::mt19937_64 random(seed);
        std::normal_distribution<double> noise(0, 8);
        std::uniform_real_distribution<double> even(0, 1);
        const char* const schools[] = {"north", "south", "west"};
        for (std::size_t i = 0; i < people; ++i) {
            const double u = even(random);
            const std::size_t s = u < 0.45 ? 0 : u < 0.75 ? 1 : 2;
            const double h = (10 - static_cast<double>(s)) * even(random), z = 4 + 0.1 * h + 7 * even(random),
                         y = std::clamp(
                             8 * h + z + 4 * static_cast<double>(s) + noise(random) * (0.5 + h / 10), 0.0,
                             100.0);
            group.push_back(s);
            x.push_back({h, z});
            score.push_back(y);
            std::vector<Value> values;
            for (const std::size_t j : given(collection.spec().attributes())) {
                const std::string& name = collection.spec().attributes()[j].name;
                if (name == "school")
                    values.emplace_back(schools[s]);
                else
                    values.emplace_back(name == "hours" ? h : name == "sleep" ? z : y);
            }
            cells.push_back(collection.encode(values, bits).cells);
        }
    }
    /// Reports of this number of people drawn from it, or of all people once.
    [[nodiscard]] OwnedSummary asked(std::size_t drawn, BitSource& bits) const {
        OwnedSummary summary(mechanism);
        for (std::size_t i = 0; i < drawn; ++i) summary.draw(cells[bits.below(cells.size())], bits);
        return summary;
    }
    [[nodiscard]] OwnedSummary asked(BitSource& bits) const {
        OwnedSummary summary(mechanism);
        for (const std::vector<Cell>& person : cells) summary.draw(person, bits);
        return summary;
    }
    [[nodiscard]] const std::vector<Attribute>& attributes() const { return collection.spec().attributes(); }
    [[nodiscard]] Truth truth(bool grouped, std::size_t predictors) const {
        std::vector<std::vector<double>> design;
        for (std::size_t i = 0; i < x.size(); ++i) {
            std::vector<double>& row = design.emplace_back(grouped ? 3 : 1);
            row[grouped ? group[i] : 0] = 1;
            row.insert(row.end(), x[i].begin(), x[i].begin() + static_cast<std::ptrdiff_t>(predictors));
        }
        return fitted(design, score);
    }

    Collection collection;
    const Mechanism& mechanism;
    std::vector<std::vector<Cell>> cells;
    std::vector<std::size_t> group;
    std::vector<std::vector<double>> x;
    std::vector<double> score;
};

const std::string plain = record(5.9, hours + "," + sleep_ + "," + score,
                                 R"(, "regression": {"of": "score", "on": ["hours", "sleep"]})");
const std::string grouped = record(5.9, school + "," + hours + "," + score,
                                   R"(, "regression": {"of": "score", "on": ["hours"], "group": "school"})");

}  // namespace

// Products -------------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(products_have_names_and_ranges_of_their_own) {
    const Spec spec = resolve(
        record(1, hours + "," + score + "," + school +
                      R"(, {"product": ["hours", "score"]}, {"product": ["hours", "hours"], "name": "square"},
                 {"product": [{"school": "south"}, "score"]}, {"product": ["score", "score"], "max": 900, "min": 0})"));
    const auto& all = spec.attributes();
    BOOST_TEST(all.size() == 7);
    BOOST_TEST(all[3].name == "hours*score");
    BOOST_TEST(all[3].min == -250);
    BOOST_TEST(all[3].max == 250);
    BOOST_TEST(all[4].name == "square");
    BOOST_TEST(all[4].min == 0);
    BOOST_TEST(all[4].max == 25);
    BOOST_TEST(all[5].name == "school=south*score");
    BOOST_TEST(all[5].min == -50);
    BOOST_TEST(all[5].max == 50);
    BOOST_TEST(all[6].max == 900);
    const Spec again = Spec::from_json(spec.to_json());
    BOOST_TEST(again.to_json() == spec.to_json());
    BOOST_CHECK(again.attributes() == spec.attributes());
    BOOST_TEST(given(all).size() == 3);
}

BOOST_AUTO_TEST_CASE(a_regression_adds_the_products_that_are_missing) {
    const Spec spec = resolve(
        record(1, hours + "," + sleep_ + "," + score + "," + school + R"(, {"product": ["hours", "score"]})",
               R"(, "regression": {"of": "score", "on": ["hours", "sleep"], "group": "school"})"));
    // 4 given, 3·4/2 of numbers, 3·3 with a school.
    BOOST_TEST(spec.attributes().size() == 4 + 6 + 9);
    BOOST_TEST(spec.to_json().find("regression") == std::string::npos);
    BOOST_CHECK(Spec::from_json(spec.to_json()).fingerprint() == spec.fingerprint());
    BOOST_TEST(why(record(1, hours + "," + score, R"(, "regression": {"of": "score", "on": ["score"]})")) ==
               "a number is repeated in \"regression\"");
    BOOST_TEST(why(record(1, hours + "," + score, R"(, "regression": {"of": "score", "on": []})")) ==
               "\"on\" must be an array of names of numbers, one or more without a group");
    const std::string streets = R"({"name": "street", "domain": 1000000})";
    BOOST_TEST(why(record(1, hours + "," + score + "," + streets,
                          R"(, "regression": {"of": "score", "on": ["hours"], "group": "street"})")) ==
               "the regression needs too many products");
}

BOOST_AUTO_TEST_CASE(wrong_products_are_refused) {
    const auto with = [](const std::string& product) {
        return why(record(1, hours + "," + score + "," + school + ", {\"product\": " + product + "}"));
    };
    BOOST_TEST(with(R"(["hours", "age"])") == "there is no attribute \"age\"");
    BOOST_TEST(with(R"(["hours", "school"])") == "a category is not a factor");
    BOOST_TEST(with(R"(["hours", {"score": 1}])") == "a number does not define groups");
    BOOST_TEST(with(R"(["hours", {"school": "east"}])") ==
               "\"school\" must be one of the labels of its domain");
    BOOST_TEST(
        why(record(1, hours + R"(, {"name": "town", "domain": 3}, {"product": ["hours", {"town": 3}]})")) ==
        "\"town\" must be a value of its domain, from 0 to 2");
    BOOST_TEST(with(R"(["hours"])").starts_with("\"product\" must be two names of numbers"));
    BOOST_TEST(with(R"([{"school": "south"}, {"school": "west"}])").starts_with("\"product\" must be two"));
    BOOST_TEST(with(R"(["hours", "hours*hours"]}, {"product": ["hours", "hours"], "name": "hours*hours")") ==
               "a factor must not be a product");
    BOOST_TEST(with(R"(["hours", "score"]}, {"product": ["score", "hours"], "name": "again")") ==
               "two attributes are the same product");
    BOOST_TEST(with(R"(["hours", "score"], "name": "hours")") == "two attributes have the same name");
    BOOST_TEST(why(record(1, R"({"name": "x", "min": 0, "max": 1e-300}, {"product": ["x", "x"]})")) ==
               "the product of x and x has no range");
    BOOST_TEST(why(record(1, R"({"name": "x", "min": 0, "max": 1e200}, {"product": ["x", "x"]})")) ==
               "the product of x and x has no range");
    BOOST_TEST(why(R"({"mechanism": "duchi_vector", "epsilon": 1, "attributes": [)" + hours + "," + score +
                   R"(, {"product": ["hours", "score"]}]})") ==
               "\"mechanism\", \"weight\" and \"product\" of an attribute are for records only");
}

// A device makes products of values inside their ranges, and no product but one that the spec narrows is
// moved.
BOOST_AUTO_TEST_CASE(a_device_makes_the_products) {
    const Collection collection(resolve(record(
        1,
        R"({"product": ["score", {"school": "south"}]},)" + hours + "," + score + "," + school +
            R"(, {"product": ["hours", "score"]}, {"product": ["hours", "hours"], "min": 0, "max": 4})",
        R"(, "grid": 1000)")));
    const auto value = [&](const GridRecord& placed, std::size_t j) {
        const Attribute& attribute = collection.spec().attributes()[j];
        return attribute.min + (attribute.max - attribute.min) * placed.positions[j] / 1000;
    };
    const Value south[] = {7, 80, "south"}, north[] = {-3, 200, "north"};
    const GridRecord one = collection.to_grid(south), other = collection.to_grid(north);
    BOOST_TEST(value(one, 0) == 30, boost::test_tools::tolerance(1e-12));
    BOOST_TEST(value(one, 4) == 60, boost::test_tools::tolerance(1e-12));
    BOOST_TEST(value(one, 5) == 4, boost::test_tools::tolerance(1e-12));
    BOOST_TEST(one.clamped.attributes.empty());
    BOOST_TEST(std::abs(value(other, 0)) < 1e-12);
    BOOST_TEST(value(other, 4) == -250, boost::test_tools::tolerance(1e-12));
    BOOST_TEST(other.clamped.attributes == (std::vector<std::size_t>{1, 2, 5}),
               boost::test_tools::per_element());
    const Value short_[] = {7, 80};
    BOOST_TEST(refusal([&] { static_cast<void>(collection.to_grid(short_)); }).detail() ==
               "Found 2; the spec has 3 attributes, not counting products.");
    // Awkward ranges: the ends' product is the range's end, to the last bit.
    const Collection odd(
        resolve(record(1, R"({"name": "x", "min": 0.1, "max": 0.7}, {"name": "y", "min": -3.3, "max": 1e5},
                     {"product": ["x", "y"]}, {"product": ["y", "y"]})")),
        Outside::refuse);
    for (const double x : {0.1, 0.7})
        for (const double y : {-3.3, 1e5}) {
            const Value ends[] = {x, y};
            BOOST_CHECK_NO_THROW(static_cast<void>(odd.to_grid(ends)));
        }
}

// What is proven of a record is proven of one with products: to the mechanism they are numbers.
BOOST_AUTO_TEST_CASE(a_product_is_one_more_number_to_the_mechanism) {
    const auto with = mechanism(record(1, hours + "," + score + R"(, {"product": ["hours", "score"]})"));
    const auto same =
        mechanism(record(1, hours + "," + score + R"(, {"name": "hours*score", "min": -250, "max": 250})"));
    BOOST_TEST(std::ranges::equal(with->block().subspan(header_size), same->block().subspan(header_size)));
    BOOST_CHECK(with->worst_ratio() == same->worst_ratio());
}

BOOST_AUTO_TEST_CASE(products_of_averages_are_of_peoples_own_means) {
    const Spec spec = resolve(record(1, hours + "," + score + R"(, {"product": ["hours", "score"]})"));
    UserMeans means(spec);
    const Value first[] = {2, 10}, second[] = {6, 30};
    means.add("ann", first);
    means.add("ann", second);
    const GridRecord placed = Collection(spec).to_grid(means.record(0));
    const double share = placed.positions[2] / static_cast<double>(make_mechanism(spec)->cells()[2] - 1);
    BOOST_TEST(-250 + 500 * share == (4 - 5) * (20 - 50), boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(a_client_that_remembers_makes_products) {
    const std::string attributes = R"({"name": "hours", "min": 0, "max": 10, "mechanism": "optimal"},
        {"name": "score", "min": 0, "max": 100, "mechanism": "optimal"},
        {"product": ["hours", "score"], "mechanism": "optimal", "evolving": true})";
    Client client(Collection(resolve(record(
                      1, attributes, R"(, "per_report": 3, "evolving": {}, "budget": {"epsilon": 3})"))),
                  MemoryStore{});
    BOOST_CHECK(client.report({4, 30}).origin == Origin::drawn);
    BOOST_CHECK(client.report({4, 30}).origin == Origin::memoized);
    BOOST_CHECK(client.report({400, 30}).clamped.attributes == std::vector<std::size_t>{0});
    BOOST_TEST(client.clamped().attributes.size() == 3);
}

// Moments --------------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(solutions_move_with_the_moments_as_their_gradients_say) {
    std::vector<double> moments{0, 1, 0.3, -0.2, 0.9, 0.25, 0.7, 0.4, -0.15, 0.5};
    const std::vector<std::size_t> gram{1, 2, 3, 2, 4, 5, 3, 5, 6}, right{7, 8, 9};
    const auto all = [&] {
        const NormalEquations equations(moments, gram, right);
        std::vector<MomentFunction> functions = equations.solve();
        functions.push_back(equations.explained());
        for (std::size_t j = 0; j < 3; ++j) functions.push_back(equations.left_open(j, 3));
        functions.push_back(equations.left_open(1, 2));
        return functions;
    };
    const std::vector<MomentFunction> at = all();
    for (std::size_t m = 1; m < moments.size(); ++m) {
        const double step = 1e-6, before = moments[m];
        moments[m] = before + step;
        const std::vector<MomentFunction> up = all();
        moments[m] = before - step;
        const std::vector<MomentFunction> down = all();
        moments[m] = before;
        for (std::size_t f = 0; f < at.size(); ++f)
            BOOST_TEST(std::abs((up[f].value - down[f].value) / (2 * step) - at[f].gradient[m]) < 1e-6,
                       "function " << f << " moment " << m);
    }
    // 1/(G⁻¹)_jj, and the solution of the equations.
    BOOST_TEST(0.3 * at[0].value + 0.9 * at[1].value + 0.25 * at[2].value == -0.15,
               boost::test_tools::tolerance(1e-12));
    BOOST_TEST(at[7].value == 0.9 - 0.3 * 0.3, boost::test_tools::tolerance(1e-12));
}

// Of every sum of shares, by enumeration of what people report.
BOOST_AUTO_TEST_CASE(errors_of_sums_of_shares_are_exact_under_grr) {
    const auto m = mechanism(R"({"mechanism": "grr", "epsilon": 1, "domain": 3})");
    const auto* oracle = find_capability<FrequencyOracle>(*m);
    const auto [p, q] = oracle->protocol();
    const std::vector<double> weights{2, -1, 0.5}, shares{0.5, 0.2, 0.3};
    double variance = 0;
    for (std::size_t t = 0; t < 3; ++t) {
        double mean = 0, squares = 0;
        for (std::size_t out = 0; out < 3; ++out) {
            const double chance = out == t ? p : q;
            double estimate = 0;
            for (std::size_t v = 0; v < 3; ++v) estimate += weights[v] * ((v == out ? 1 : 0) - q) / (p - q);
            mean += chance * estimate;
            squares += chance * estimate * estimate;
        }
        variance += shares[t] * (squares - mean * mean);
    }
    BOOST_TEST(oracle->n_variance_of_sum(weights, shares).value() == variance,
               boost::test_tools::tolerance(1e-12));
    BOOST_TEST(
        !find_capability<FrequencyOracle>(*mechanism(R"({"mechanism": "olh", "epsilon": 1, "domain": 3})"))
             ->n_variance_of_sum(weights, shares));
}

// Refusals -------------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(what_the_reports_do_not_tell_is_said) {
    const Town town(
        record(4, hours + "," + sleep_ + "," + score + "," + school + R"(, {"product": ["hours", "score"]})"),
        2000, 3);
    SeededBits bits(1);
    const OwnedSummary summary = town.asked(bits);
    const SummaryView view = summary.view();
    const Joint joint{view, town.attributes()};
    const Error missing = refusal([&] {
        static_cast<void>(regression(joint, {"score", {"hours"}, {}}, usual));
    });
    BOOST_TEST(missing.what() == "the reports do not contain the product of hours and hours");
    BOOST_TEST(missing.detail() == "No attribute of the record is {\"product\": [\"hours\", \"hours\"]}.");
    BOOST_TEST(refusal([&] {
                   static_cast<void>(regression(joint, {"score", {"hours"}, "school"}, usual));
               }).detail() ==
               "No attribute of the record is {\"product\": [\"score\", {\"school\":\"north\"}]}.");
    BOOST_TEST(refusal([&] { static_cast<void>(covariance(joint, "hours", "age", 2)); }).what() ==
               "the record has no attribute \"age\"");
    BOOST_TEST(refusal([&] { static_cast<void>(covariance(joint, "hours", "hours*score", 2)); }).what() ==
               "the record has no attribute \"hours*score\"");
    BOOST_TEST(refusal([&] { static_cast<void>(covariance(joint, "hours", "school", 2)); }).what() ==
               "\"school\" is a category");
    BOOST_TEST(refusal([&] {
                   static_cast<void>(regression(joint, {"score", {"hours"}, "sleep"}, usual));
               }).what() == "\"sleep\" is a number");
    BOOST_TEST(refusal([&] {
                   static_cast<void>(regression(joint, {"score", {"score"}, {}}, usual));
               }).what() == "\"score\" is named twice in the regression");
    BOOST_TEST(refusal([&] {
                   static_cast<void>(regression(joint, {"score", {}, {}}, usual));
               }).what() == "a regression needs a predictor or a group");
    const auto vector = mechanism(R"({"mechanism": "duchi_vector", "epsilon": 1, "attributes": [)" + hours +
                                  "," + score + "]}");
    OwnedSummary together(*vector);
    const Cell cells[] = {0, 1};
    together.draw(cells, bits);
    const SummaryView other = together.view();
    BOOST_TEST(refusal([&] {
                   static_cast<void>(covariance({other, town.attributes()}, "hours", "score", 2));
               }).what() == "mechanism duchi_vector does not support single attributes of a record");
    // A summary whose fingerprint is forged: the spec found has other attributes.
    BOOST_TEST(refusal([&] {
                   const std::vector<Attribute> fewer(town.attributes().begin(), town.attributes().end() - 1);
                   static_cast<void>(covariance({view, fewer}, "hours", "score", 2));
               }).what() == "the attributes of these reports are unknown");
}

// Sleep equals hours up to a shift: the matrix is singular, and its estimates are nearly singular.
BOOST_AUTO_TEST_CASE(a_regression_has_a_hundred_coefficients_at_most) {
    const auto asked = [](int towns) {
        const Collection collection(resolve(record(
            4, hours + "," + score + R"(, {"name": "town", "domain": )" + std::to_string(towns) + "}")));
        SeededBits bits(1);
        OwnedSummary summary(collection.mechanism());
        const std::vector<Value> person{5.0, 50.0, 1.0};
        for (int i = 0; i < 100; ++i) summary.draw(collection.encode(person, bits).cells, bits);
        const SummaryView view = summary.view();
        const Joint joint{view, collection.spec().attributes()};
        return refusal([&] { static_cast<void>(regression(joint, {"score", {"hours"}, "town"}, usual)); });
    };
    BOOST_TEST(asked(101).what() == "a regression has too many groups");
    BOOST_TEST(asked(101).detail() == "\"town\" has 101 values; allowed are 100 coefficients in all.");
    BOOST_TEST(asked(100).what() == "a regression has too many coefficients");
    BOOST_TEST(asked(100).detail() == "Found 101; allowed are 100.");
}

BOOST_AUTO_TEST_CASE(a_singular_design_has_unbounded_intervals) {
    const Collection collection(resolve(plain));
    SeededBits bits(5);
    std::size_t unbounded = 0;
    for (int repetition = 0; repetition < 20; ++repetition) {
        OwnedSummary summary(collection.mechanism());
        for (int i = 0; i < 3000; ++i) {
            const double h = static_cast<double>(bits.below(1001)) / 100;
            const Value pupil[] = {h, 4 + 0.8 * h, 9 * h};
            summary.draw(collection.encode(pupil, bits).cells, bits);
        }
        const SummaryView view = summary.view();
        const Joint joint{view, collection.spec().attributes()};
        const Regression both = regression(joint, {"score", {"hours", "sleep"}, {}}, usual);
        const Coefficient& sleep = both.slopes[1];
        if (std::isinf(sleep.interval.lower) && std::isinf(sleep.interval.upper)) {
            ++unbounded;
            BOOST_TEST(std::isnan(sleep.estimate.value));
            BOOST_TEST(
                sleep.note.starts_with("the residual variance of \"sleep\" given the other terms is not "
                                       "significantly greater than 0: collect "),
                sleep.note);
        }
        BOOST_TEST(std::isnan(both.r_squared.value));
        // Each of the two alone has an estimate.
        BOOST_TEST(
            std::isfinite(regression(joint, {"score", {"hours"}, {}}, usual).slopes[0].interval.upper));
    }
    BOOST_TEST(unbounded >= 15);
}

// A standard error falls with the root of the reports: the note has n·(5·error/estimate)², or 25n of an estimate below its
// own error.
BOOST_AUTO_TEST_CASE(an_unbounded_interval_says_how_many_reports_it_takes) {
    const Collection collection(resolve(plain));
    SeededBits bits(6);
    int estimated = 0, bounded = 0;
    for (int repetition = 0; repetition < 40; ++repetition) {
        constexpr double n = 600;
        OwnedSummary summary(collection.mechanism());
        for (int i = 0; i < n; ++i) {
            const double h = 4 + static_cast<double>(bits.below(201)) / 100;
            const Value pupil[] = {h, 8.0, 9 * h};
            summary.draw(collection.encode(pupil, bits).cells, bits);
        }
        const SummaryView view = summary.view();
        const Coefficient slope =
            regression({view, collection.spec().attributes()}, {"score", {"hours"}, {}}, usual).slopes[0];
        if (slope.note.empty()) {
            BOOST_TEST(std::isfinite(slope.interval.lower));
            continue;
        }
        const std::string hint = slope.note.substr(slope.note.find(':'));
        double reports = 0;
        if (std::sscanf(hint.c_str(), ": collect about %lf instead of 600 reports", &reports) == 1) {
            // The denominator is between one and 1.96 of its errors.
            BOOST_TEST(reports >= n * 25 / 3.85);
            BOOST_TEST(reports <= n * 25 * 1.1);
            ++estimated;
        } else {
            BOOST_CHECK_EQUAL(hint, ": collect more than 15000 instead of 600 reports");
            ++bounded;
        }
    }
    BOOST_CHECK(estimated > 0 && bounded > 0);
}

// Two predictors with a correlation of 0.92. The intervals hold in all runs, not only in those whose reports show that the
// predictors differ. Coverage below 93 % in 1,000 runs at 95 % has a probability of 0.3 %; the seed is fixed.
BOOST_AUTO_TEST_CASE(intervals_hold_for_correlated_predictors, *boost::unit_test::label("slow")) {
    const Collection collection(resolve(plain));
    SeededBits bits(71);
    constexpr int runs = 1000, people = 4000;
    // y = 5·hours + 2·(sleep − 4) with sleep − 4 = 0.8·(0.7·hours + 0.3·other).
    int covered = 0, finite = 0;
    for (int run = 0; run < runs; ++run) {
        OwnedSummary summary(collection.mechanism());
        for (int i = 0; i < people; ++i) {
            const double h = static_cast<double>(bits.below(1001)) / 100,
                         other = static_cast<double>(bits.below(1001)) / 100,
                         z = 0.8 * (0.7 * h + 0.3 * other);
            const Value pupil[] = {h, 4 + z, 5 * h + 2 * z};
            summary.draw(collection.encode(pupil, bits).cells, bits);
        }
        const SummaryView view = summary.view();
        const Coefficient slope = regression({view, collection.spec().attributes(), Target::population},
                                             {"score", {"hours", "sleep"}, {}}, usual)
                                      .slopes[0];
        covered += slope.interval.lower <= 5 && 5 <= slope.interval.upper ? 1 : 0;
        finite += std::isfinite(slope.interval.lower) && std::isfinite(slope.interval.upper) ? 1 : 0;
    }
    BOOST_TEST_MESSAGE("covered " << covered << ", bounded " << finite << " of " << runs);
    BOOST_TEST(covered >= 0.93 * runs);
    BOOST_TEST(finite > 0);
}

// From 50 people on, and for predictors with little or no variance: every interval has limits in order, at least 93 % of the
// intervals hold, and no query is refused. A coverage below 93 % at 95 % has a probability of 0.3 % in 1,000 runs; seeds are fixed.
BOOST_AUTO_TEST_CASE(few_reports_and_singular_designs_have_wide_intervals, *boost::unit_test::label("slow")) {
    struct Design {
        const char* what;
        double middle, spread, truth;  // of hours; the share of the variance of the score is truth²
    };
    const Design designs[] = {{"spread over the range", 5, 10, 0.9},
                              {"a third of the range", 4, 3, 0.5},
                              {"a tenth of the range", 5, 1, 0.7},
                              {"constant", 5, 0, 0}};
    for (const double epsilon : {1.0, 6.0}) {
        const Collection collection(
            resolve(record(epsilon, hours + "," + score,
                           R"(, "min_group": 1, "regression": {"of": "score", "on": ["hours"]})")));
        for (const Design& design : designs)
            for (const int people : {50, 200, 2000}) {
                SeededBits bits(static_cast<std::uint64_t>(people) + 7);
                constexpr int runs = 1000;
                int slopes = 0, correlations = 0, known = 0, unbounded = 0;
                // Both parts of the score are uniform; with the spread of hours, its slope is `truth`·scale.
                const double slope = design.spread > 0 ? 60 * design.truth / design.spread : 3,
                             other = 60 * std::sqrt(1 - square(design.truth));
                for (int run = 0; run < runs; ++run) {
                    OwnedSummary summary(collection.mechanism());
                    for (int i = 0; i < people; ++i) {
                        const double u = static_cast<double>(bits.below(2001)) / 2000 - 0.5,
                                     w = static_cast<double>(bits.below(2001)) / 2000 - 0.5,
                                     h = design.middle + design.spread * u;
                        const Value pupil[] = {h, 45 + slope * (h - design.middle) + other * w};
                        summary.draw(collection.encode(pupil, bits).cells, bits);
                    }
                    const SummaryView view = summary.view();
                    const Joint joint{view, collection.spec().attributes(), Target::population};
                    const Interval line =
                        regression(joint, {"score", {"hours"}, {}}, usual).slopes[0].interval;
                    const MomentEstimate both = correlation(joint, "hours", "score", usual);
                    if (std::isnan(line.lower)) continue;  // a moment has no report
                    ++known;
                    unbounded += std::isinf(line.lower) && std::isinf(line.upper) ? 1 : 0;
                    slopes += line.lower <= slope && slope <= line.upper ? 1 : 0;
                    correlations +=
                        both.interval.lower <= design.truth && design.truth <= both.interval.upper ? 1 : 0;
                    BOOST_REQUIRE(line.lower < line.upper);
                    BOOST_REQUIRE(-1 <= both.interval.lower && both.interval.upper <= 1);
                    if (std::isnan(both.estimate.value)) {
                        BOOST_REQUIRE(both.note.find(" is not significantly greater than 0: collect ") !=
                                      std::string::npos);
                        BOOST_REQUIRE(both.interval.lower == -1 && both.interval.upper == 1);
                    }
                }
                BOOST_TEST_MESSAGE("ε " << epsilon << ", " << people << " people, hours " << design.what
                                        << ": slopes " << slopes / double(known) << ", unbounded "
                                        << unbounded / double(known) << ", correlations "
                                        << correlations / double(known));
                BOOST_TEST(known >= 0.9 * runs);
                BOOST_TEST(slopes >= 0.93 * known);
                BOOST_TEST(correlations >= 0.93 * known);
            }
    }
}

// With few people, noise may leave no value of a category with a share above 0; the precision is still
// estimated.
BOOST_AUTO_TEST_CASE(groups_that_nobody_seems_to_be_in_have_unbounded_intervals) {
    const Spec spec =
        resolve(record(0.2, R"({"name": "school", "domain": 2, "mechanism": "oue"}, )" + score,
                       R"(, "min_group": 1, "regression": {"of": "score", "on": [], "group": "school"})"));
    const auto m = make_mechanism(spec);
    SeededBits bits(8);
    int nobody = 0, unknowns = 0;
    for (int repetition = 0; repetition < 300; ++repetition) {
        OwnedSummary summary(*m);
        for (Cell person = 0; person < 30; ++person) {
            const Cell cells[] = {person % 2, 0, 0, 0, 0};
            summary.draw(cells, bits);
        }
        const SummaryView view = summary.view();
        bool none = true;
        for (const Estimate& share : summary.estimate(Quantity::frequencies, Target::sample, 0))
            none = none && share.value <= 0;
        nobody += none;
        for (const Coefficient& mean :
             regression({view, spec.attributes()}, {"score", {}, "school"}, usual).intercepts) {
            if (std::isnan(mean.interval.lower)) {  // a moment without a report
                ++unknowns;
                continue;
            }
            BOOST_TEST(std::isnan(mean.estimate.value) == std::isinf(mean.interval.upper));
            BOOST_TEST(mean.note.find("nan") == std::string::npos, mean.note);
        }
    }
    BOOST_TEST(nobody > 10);
    BOOST_TEST(unknowns < 20);
}

// Estimates scale with the ranges: equal cells in other units represent the same people.
BOOST_AUTO_TEST_CASE(answers_go_by_the_units_of_the_ranges) {
    const auto of = [](double x_from, double x_unit, double y_from, double y_unit) {
        return resolve(record(5,
                              R"({"name": "x", "min": )" + text(x_from) + R"(, "max": )" +
                                  text(x_from + x_unit) + R"(}, {"name": "y", "min": )" + text(y_from) +
                                  R"(, "max": )" + text(y_from + y_unit) + "}",
                              R"(, "regression": {"of": "y", "on": ["x"]})"));
    };
    struct Answers {
        Regression line;
        MomentEstimate covariance, correlation;
    };
    const auto ask = [](const Spec& spec) {
        const auto m = make_mechanism(spec);
        SeededBits bits(9);
        OwnedSummary summary(*m);
        const auto steps = static_cast<double>(m->cells()[0] - 1);
        for (int i = 0; i < 4000; ++i) {
            const double x = static_cast<double>(bits.below(1001)) / 1000,
                         y = 0.7 * x + static_cast<double>(bits.below(301)) / 1000, a = x - 0.5, b = y - 0.5;
            const double places[] = {x, y, 4 * b * b, 0.5 + 2 * a * b, 4 * a * a};
            std::vector<Cell> cells;
            for (const double place : places) cells.push_back(static_cast<Cell>(place * steps));
            summary.draw(cells, bits);
        }
        const SummaryView view = summary.view();
        const Joint joint{view, spec.attributes(), Target::population};
        return Answers{regression(joint, {"y", {"x"}, {}}, usual), covariance(joint, "x", "y", 2),
                       correlation(joint, "x", "y", 2)};
    };
    const Answers unit = ask(of(0, 1, 0, 1));
    const boost::test_tools::fpc::close_at_tolerance<double> close(1e-7, boost::test_tools::fpc::FPC_STRONG);
    const double scales[][4] = {{0, 1e-100, 0, 1e140}, {-3e5, 1e6, 7, 1e-3}, {0, 1e149, -1e-140, 1e-140}};
    for (const auto& [x_from, x_unit, y_from, y_unit] : scales) {
        const Answers other = ask(of(x_from, x_unit, y_from, y_unit));
        const double slope = y_unit / x_unit;
        BOOST_CHECK(close(other.line.slopes[0].estimate.value, slope * unit.line.slopes[0].estimate.value));
        BOOST_CHECK(close(other.line.slopes[0].estimate.standard_error,
                          slope * unit.line.slopes[0].estimate.standard_error));
        BOOST_CHECK(close(other.line.r_squared.value, unit.line.r_squared.value));
        BOOST_CHECK(close(other.line.r_squared.standard_error, unit.line.r_squared.standard_error));
        BOOST_CHECK(close(other.line.intercepts[0].estimate.value,
                          y_from + y_unit * unit.line.intercepts[0].estimate.value -
                              slope * x_from * unit.line.slopes[0].estimate.value));
        BOOST_CHECK(close(other.covariance.estimate.value, x_unit * y_unit * unit.covariance.estimate.value));
        BOOST_CHECK(close(other.covariance.estimate.standard_error,
                          x_unit * y_unit * unit.covariance.estimate.standard_error));
        BOOST_CHECK(close(other.correlation.interval.lower, unit.correlation.interval.lower));
    }
}

BOOST_AUTO_TEST_CASE(rounds_of_kept_answers_must_be_told) {
    const Town town(
        record(
            5, hours + "," + score,
            R"(, "regression": {"of": "score", "on": ["hours"]}, "evolving": {}, "budget": {"epsilon": 1000000})"),
        300, 4);
    SeededBits bits(3);
    const OwnedSummary summary = town.asked(bits);
    const SummaryView view = summary.view();
    BOOST_TEST(refusal([&] {
                   static_cast<void>(covariance({view, town.attributes()}, "hours", "score", 2));
               }).what() == "these reports were counted without their rounds");
}

BOOST_AUTO_TEST_CASE(too_few_reports_of_a_moment_show_nothing) {
    const Town town(plain, 60, 8);
    SeededBits bits(2);
    const OwnedSummary summary = town.asked(bits);
    const SummaryView view = summary.view();
    const Regression found = regression({view, town.attributes()}, {"score", {"hours", "sleep"}, {}}, usual);
    BOOST_TEST(std::isnan(found.slopes[0].estimate.value));
    BOOST_TEST(part(view, found.scarcest).n < 20);
    const MomentEstimate both = correlation({view, town.attributes()}, "score", "hours", 2);
    BOOST_TEST(std::isnan(both.estimate.value));
    BOOST_TEST(std::isnan(both.interval.lower));
}

// Coverage -------------------------------------------------------------------------------------------------

namespace {

/// Slopes, intercepts and R² of people drawn from a town, over and over.
Simulation regressed(const Town& town, const RegressionDesign& design, Target target, std::size_t people,
                     std::size_t times, std::uint64_t seed) {
    const Truth truth = town.truth(design.group.has_value(), design.on.size());
    std::vector<double> truths = truth.coefficients;
    truths.push_back(truth.r_squared);
    SeededBits bits(seed);
    Simulation simulation;
    for (std::size_t r = 0; r < times; ++r) {
        const OwnedSummary summary = target == Target::sample ? town.asked(bits) : town.asked(people, bits);
        const SummaryView view = summary.view();
        const Regression found = regression({view, town.attributes(), target}, design, usual);
        std::vector<Estimate> all;
        std::vector<Interval> intervals;
        for (const std::vector<Coefficient>& some : {found.intercepts, found.slopes})
            for (const Coefficient& one : some) {
                all.push_back(one.estimate);
                intervals.push_back(one.interval);
            }
        all.push_back(found.r_squared);
        intervals.push_back(interval(found.r_squared, 0.95));
        simulation.add(all, intervals, truths);
    }
    return simulation;
}

constexpr std::size_t repetitions = 1000;
/// Six standard deviations of a share of this number of trials around 95 %.
constexpr double least = 0.95 - 6 * 0.0069, most = 0.95 + 6 * 0.0069;

void check_coverage(const Simulation& simulation) {
    for (const double hits : simulation.covered) {
        BOOST_TEST(hits >= least * static_cast<double>(repetitions));
        BOOST_TEST(hits <= most * static_cast<double>(repetitions));
    }
}

void tell(const char* what, const Simulation& simulation) {
    for (std::size_t i = 0; i < simulation.covered.size(); ++i)
        BOOST_TEST_MESSAGE(what << " " << i << ": covered "
                                << simulation.covered[i] / static_cast<double>(simulation.repetitions)
                                << ", bias " << simulation.bias(i) / std::sqrt(simulation.variance(i))
                                << " standard deviations");
}

}  // namespace

BOOST_AUTO_TEST_CASE(slopes_lie_in_their_intervals, *boost::unit_test::label("slow")) {
    const Town town(plain, 3000, 11);
    for (const Target target : {Target::population, Target::sample}) {
        const Simulation simulation =
            regressed(town, {"score", {"hours", "sleep"}, {}}, target, 3000, repetitions, 12);
        tell("slopes", simulation);
        check_coverage(simulation);
    }
}

BOOST_AUTO_TEST_CASE(slopes_beside_private_groups_lie_in_theirs, *boost::unit_test::label("slow")) {
    const Town town(grouped, 4000, 21);
    for (const Target target : {Target::population, Target::sample}) {
        const Simulation simulation =
            regressed(town, {"score", {"hours"}, "school"}, target, 4000, repetitions, 22);
        tell("groups", simulation);
        check_coverage(simulation);
    }
    Simulation means = regressed(town, {"score", {}, "school"}, Target::population, 4000, repetitions, 23);
    tell("means by group", means);
    means.covered.pop_back();  // R² near 0, where its interval is too wide
    check_coverage(means);
}

BOOST_AUTO_TEST_CASE(covariances_and_correlations_lie_in_theirs, *boost::unit_test::label("slow")) {
    const Town town(record(5, hours + "," + score, R"(, "regression": {"of": "score", "on": ["hours"]})"),
                    2000, 31);
    const double n = static_cast<double>(town.x.size());
    double x = 0, y = 0, xx = 0, yy = 0, xy = 0;
    for (std::size_t i = 0; i < town.x.size(); ++i) {
        const double a = town.x[i][0], b = town.score[i];
        x += a / n, y += b / n, xx += a * a / n, yy += b * b / n, xy += a * b / n;
    }
    const double both = xy - x * y, correlated = both / std::sqrt((xx - x * x) * (yy - y * y));
    SeededBits bits(32);
    for (const Target target : {Target::population, Target::sample}) {
        Simulation covariances;
        int covered = 0, outside = 0;
        for (std::size_t r = 0; r < repetitions; ++r) {
            const OwnedSummary summary = target == Target::sample ? town.asked(bits) : town.asked(2000, bits);
            const SummaryView view = summary.view();
            const Joint joint{view, town.attributes(), target};
            covariances.add({covariance(joint, "hours", "score", 2).estimate}, {both});
            const MomentEstimate found = correlation(joint, "hours", "score", critical_value(0.95));
            covered += found.interval.lower <= correlated && correlated <= found.interval.upper ? 1 : 0;
            outside += std::abs(found.estimate.value) > 1 ? 1 : 0;
            BOOST_REQUIRE(found.interval.lower >= -1 && found.interval.upper <= 1);
        }
        tell("covariance", covariances);
        BOOST_TEST_MESSAGE("correlation " << correlated << ": covered " << covered / double{repetitions}
                                          << ", outside " << outside / double{repetitions});
        check_coverage(covariances);
        BOOST_TEST(covered >= least * repetitions);
        BOOST_TEST(covered <= most * repetitions);
    }
}

// People who report several attributes, memoized responses over rounds, or groups from an oracle with
// bounded errors: the stated errors are at least the true ones.
BOOST_AUTO_TEST_CASE(what_is_bounded_is_covered_at_least, *boost::unit_test::label("slow")) {
    const std::string on_hours = R"(, "regression": {"of": "score", "on": ["hours"])";
    const std::string by_oue =
        R"({"name": "school", "domain": ["north", "south", "west"], "mechanism": "oue", "weight": 3})";
    const struct {
        std::string json;
        RegressionDesign design;
        std::int32_t rounds;
        Target target;
    } cases[] = {
        {record(12, hours + "," + score, on_hours + R"(}, "per_report": 4)"),
         {"score", {"hours"}, {}},
         1,
         Target::population},
        {record(8, hours + "," + score, on_hours + R"(}, "per_report": 5)"),
         {"score", {"hours"}, {}},
         1,
         Target::sample},
        {record(6, by_oue + "," + hours + "," + score, on_hours + R"(, "group": "school"}, "per_report": 1)"),
         {"score", {"hours"}, "school"},
         1,
         Target::population},
        {record(5, hours + "," + score, on_hours + R"(}, "evolving": {}, "budget": {"epsilon": 1000000})"),
         {"score", {"hours"}, {}},
         3,
         Target::population}};
    for (const auto& [json, design, rounds, target] : cases) {
        const Town town(json, 2500, 41);
        const Truth truth = town.truth(design.group.has_value(), 1);
        std::vector<std::byte> report(town.mechanism.block().begin(), town.mechanism.block().end());
        report.resize(report.size() + town.mechanism.payload_size());
        const auto payload = std::span(report).subspan(town.mechanism.block().size());
        SeededBits bits(42);
        constexpr int times = 300;
        int covered = 0;
        double claimed = 0, squares = 0;
        for (int r = 0; r < times; ++r) {
            OwnedSummary summary(town.mechanism);
            for (std::size_t i = 0; i < 2500; ++i) {
                const std::size_t person = target == Target::sample ? i : bits.below(2500);
                Device device(town.mechanism, bits);
                for (std::int32_t t = 0; t < rounds; ++t) {
                    device.report(town.cells[person], payload);
                    summary.add(report, rounds == 1 ? Rounds::unrecorded() : Rounds::only(t));
                }
            }
            const SummaryView view = summary.view();
            const Estimate slope =
                regression({view, town.attributes(), target}, design, usual).slopes[0].estimate;
            const double off = slope.value - truth.coefficients.back();
            covered += std::abs(off) <= critical_value(0.95) * slope.standard_error ? 1 : 0;
            claimed += slope.standard_error * slope.standard_error / times;
            squares += off * off / times;
        }
        BOOST_TEST_MESSAGE(json << ": covered " << covered << " of " << times << ", claimed "
                                << std::sqrt(claimed / squares) << " times the error");
        // Six standard deviations below 95 %, and of the mean square.
        BOOST_TEST(covered >= 0.875 * times);
        BOOST_TEST(claimed > squares * (1 - 6 * std::sqrt(2.0 / times)));
        BOOST_TEST(claimed < 4 * squares);
    }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
