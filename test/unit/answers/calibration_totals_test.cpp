// Known totals as JSON: which group belongs to which total, and what is refused.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/groups/calibration_totals.hpp"
#include "support.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(totals_of_calibrations)

namespace {

using Values = std::vector<std::optional<std::string>>;
using Texts = std::vector<std::string>;

/// The columns of groups with these names, in the order of `by`.
GroupColumns columns_of(const Values& names, const Texts& by = {},
                        std::optional<std::string_view> weight_column = {}) {
    const std::vector<std::string_view> order(by.begin(), by.end());
    std::vector<std::optional<std::string_view>> all;
    for (const auto& name : names)
        all.push_back(name ? std::optional<std::string_view>(*name) : std::nullopt);
    return {all, order, weight_column};
}

/// Groups with 10, 20, 30, … reports.
struct Groups {
    Texts columns;
    Values values;
    std::vector<double> weights = {};
    std::optional<std::uint64_t> fewest = {};

    [[nodiscard]] CalibrationPlan plan(std::optional<std::string_view> totals) const {
        const std::size_t count = columns.empty() ? weights.size() : values.size() / columns.size();
        std::vector<std::uint64_t> reports;
        Values names;
        for (std::size_t g = 0; g < count; ++g) {
            reports.push_back(10 * (g + 1));
            nlohmann::json name = nlohmann::json::object();
            for (std::size_t c = 0; c < columns.size(); ++c) {
                const auto& value = values[g * columns.size() + c];
                name[columns[c]] = value ? nlohmann::json(*value) : nlohmann::json();
            }
            if (!weights.empty()) name["weight"] = weights[g];
            names.emplace_back(name.dump());
        }
        std::optional<std::string_view> weight_column;
        if (!weights.empty()) weight_column = "weight";
        const GroupColumns of = columns_of(names, columns, weight_column);
        return plan_calibration({of, reports, weight_column, fewest}, totals);
    }
    void refuses(std::optional<std::string_view> totals, const char* text) const {
        BOOST_CHECK_EXCEPTION(static_cast<void>(plan(totals)), Error, [&](const Error& error) {
            BOOST_TEST(std::string(error.what()).find(text) != std::string::npos, error.what()
                                                                                      << " has no " << text);
            return error.code() == ErrorCode::invalid_value;
        });
    }
};

using Cells = std::vector<std::int32_t>;
using Numbers = std::vector<double>;
using Places = std::vector<std::size_t>;

}  // namespace

BOOST_AUTO_TEST_CASE(margins_have_a_cell_for_each_column) {
    const Groups groups{{"region", "age"}, {"north", "1", "north", "2", "south", "1", "south", "2"}};
    const auto plan = groups.plan(R"({"age": {"1": 4, "2": 6}, "region": {"north": 3, "south": 7}})");
    BOOST_TEST(plan.groups == (Places{0, 1, 2, 3}), boost::test_tools::per_element());
    BOOST_TEST(plan.start == (Numbers{10, 20, 30, 40}), boost::test_tools::per_element());
    BOOST_TEST(plan.totals == (Numbers{3, 7, 4, 6}), boost::test_tools::per_element());
    BOOST_TEST(plan.cells == (Cells{0, 2, 0, 3, 1, 2, 1, 3}), boost::test_tools::per_element());
    BOOST_TEST(plan.note.empty());
    // A total of 0 leaves groups out.
    const auto north = groups.plan(R"({"age": {"1": 4, "2": 6}, "region": {"north": 10, "south": 0}})");
    BOOST_TEST(north.groups == (Places{0, 1}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(combinations_compare_numbers_by_value_and_know_null) {
    const Groups groups{{"share", "side"}, {"1.50", "a", "2", "a", std::nullopt, "a"}};
    const auto plan =
        groups.plan(R"([{"share": 2.0, "side": "a", "total": 5}, {"share": null, "side": "a", "total": 7},
                                      {"share": 1.5, "side": "a", "total": 3}])");
    BOOST_TEST(plan.cells == (Cells{2, 0, 1}), boost::test_tools::per_element());
    // Texts are compared as they are.
    const Groups words{{"size"}, {"1.50", "1.5"}};
    const auto apart = words.plan(R"({"size": {"1.5": 1, "1.50": 2}})");
    BOOST_TEST(apart.cells == (Cells{1, 0}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(design_weights_multiply_the_reports) {
    const Groups alone{{}, {}, {2, 0, 0.5}};
    const auto plan = alone.plan({});
    BOOST_TEST(plan.groups == (Places{0, 2}), boost::test_tools::per_element());
    BOOST_TEST(plan.start == (Numbers{20, 15}), boost::test_tools::per_element());
    BOOST_TEST(plan.cells.empty());
    Groups{{}, {}, {1, -1}}.refuses({}, "not a weight");
    Groups{{}, {}, {1, std::nan("")}}.refuses({}, "not a weight");
    Groups{{}, {}, {0, 0}}.refuses({}, "no group has enough reports");
}

// Totals without reports go to the combinations that have the most first columns in common with them.
BOOST_AUTO_TEST_CASE(collapsing_adds_totals_to_neighbours) {
    Groups groups{{"region", "age"}, {"north", "1", "north", "2", "south", "1"}, {}, 15};
    const auto plan = groups.plan(
        R"([{"region": "north", "age": "1", "total": 2}, {"region": "north", "age": "2", "total": 6},
        {"region": "south", "age": "1", "total": 1}, {"region": "west", "age": "1", "total": 7}])");
    BOOST_TEST(plan.groups == (Places{1, 2}), boost::test_tools::per_element());  // the first has too few
    // 2 of (north, 1) go to (north, 2); 7 of (west, 1) to all others, in proportion.
    BOOST_TEST(plan.totals == (Numbers{0, 8 * (1 + 7.0 / 9), 1 * (1 + 7.0 / 9), 0}),
               boost::test_tools::per_element());
    BOOST_TEST(plan.note == "2 of 3 groups are used, and 2 totals were added to other groups (collapse)");
    groups.fewest = 1000;
    groups.refuses(
        R"([{"region": "north", "age": "1", "total": 2}, {"region": "north", "age": "2", "total": 6},
        {"region": "south", "age": "1", "total": 1}])",
        "no group has enough reports");
}

BOOST_AUTO_TEST_CASE(wrong_totals_are_refused) {
    const Groups groups{{"region"}, {"north", "south", std::nullopt}};
    groups.refuses({}, "neither totals nor weights");
    groups.refuses("1", "an object or an array");
    groups.refuses("{", "an object or an array");
    groups.refuses(R"({"age": {"1": 1}})", "same columns: \"age\"");
    groups.refuses("{}", "same columns: \"region\"");
    groups.refuses(R"({"region": 1})", "are not an object");
    groups.refuses(R"({"region": {"north": -1}})", "invalid total of [\"north\"]");
    groups.refuses(R"({"region": {"north": "many"}})", "invalid total of [\"north\"]");
    groups.refuses(R"({"region": {"north": 1e999}})", "an object or an array");
    groups.refuses(R"({"region": {"north": 1}})", "reports with [\"south\"] have no total");
    groups.refuses(R"({"region": {"north": 1, "south": 1}})", "reports with [null] have no total");
    groups.refuses(R"([{"region": "north", "total": 1}, {"region": "north", "total": 1}])",
                   "[\"north\"] has two totals");
    groups.refuses(R"([{"region": "north", "total": 1}, {"region": "north"}])",
                   "has keys other than the grouping columns");
    groups.refuses(R"([{"region": "north", "total": 1, "age": 3}])",
                   "has keys other than the grouping columns");
    groups.refuses(
        R"([{"region": "north", "total": 1}, {"region": "south", "total": 1}, {"region": null, "total": 0},
        {"region": "west", "total": 1}])",
        "no reports with [\"west\"]");
    Groups{{"total"}, {"1"}}.refuses("[]", "cannot have the name \"total\"");
    Groups{{}, {}, {1, 1}}.refuses("{}", "totals need grouping columns");
}

BOOST_AUTO_TEST_CASE(names_have_the_values_of_columns) {
    const Values two{R"({"side": "a", "age": 1.50, "old": true})",
                     R"({"old": false, "age": 2, "side": null})"};
    // The columns of the first group, in the order of their names.
    const GroupColumns sorted = columns_of(two);
    BOOST_TEST(sorted.columns == (Texts{"age", "old", "side"}), boost::test_tools::per_element());
    BOOST_TEST((sorted.values == Values{"1.5", "true", "a", "2", "false", std::nullopt}));
    BOOST_TEST((sorted.numeric == std::vector<bool>{true, false, false}));
    BOOST_TEST(sorted.names == (Texts{"1.5, true, a", "2, false, NULL"}), boost::test_tools::per_element());
    BOOST_TEST(sorted.weights.empty());
    // Named columns keep their order, and the weight is no column.
    const GroupColumns named = columns_of(two, {"side", "age"}, "age");
    BOOST_TEST((named.values == Values{"a", "1.5", std::nullopt, "2"}));
    BOOST_TEST((named.weights == std::vector<double>{1.5, 2}));
    const GroupColumns weighted = columns_of({R"({"w": 3})", R"({"w": "3"})"}, {}, "w");
    BOOST_TEST(weighted.columns.empty());
    BOOST_TEST((weighted.weights[0] == 3 && std::isnan(weighted.weights[1])));
    BOOST_TEST(weighted.names == (Texts{"3", "3"}), boost::test_tools::per_element());
    // Other names are the values of one column. A group without a name has no value.
    const GroupColumns plain = columns_of({std::nullopt, "north", "{north", "[1]"});
    BOOST_TEST(plain.columns == (Texts{"group"}), boost::test_tools::per_element());
    BOOST_TEST((plain.values == Values{std::nullopt, "north", "{north", "[1]"}));
    BOOST_TEST(columns_of({std::nullopt}).columns.empty());
    const auto refuses = [](const Values& names, const char* text) {
        BOOST_CHECK_EXCEPTION(static_cast<void>(columns_of(names)), Error, [&](const Error& error) {
            BOOST_TEST(std::string(error.what()).find(text) != std::string::npos, error.what());
            return error.code() == ErrorCode::invalid_value;
        });
    };
    refuses({R"({"a": {"b": 1}})"}, "is an object or an array");
    refuses({R"({"a": [1]})"}, "is an object or an array");
    refuses({"{\"a\": " + std::string(100000, '[')}, "is an object or an array");
    refuses({R"({"a": 1})", R"({"b": 1})"}, "no column \"a\"");
}

// The numbers of groups are compared by value with totals of both forms. Integers of 64 bits keep all digits.
BOOST_AUTO_TEST_CASE(numbers_of_groups_are_compared_by_value) {
    const GroupColumns of =
        columns_of({R"({"x": 1.50})", R"({"x": 9007199254740993})", R"({"x": 9007199254740992})"});
    const std::vector<std::uint64_t> reports{10, 20, 30};
    for (
        const char* totals :
        {R"({"x": {"1.5": 1, "9007199254740992": 2, "9007199254740993": 3}})",
         R"({"x": {"1.500": 1, "9007199254740992": 2, "9007199254740993": 3}})",
         R"([{"x": 1.50, "total": 1}, {"x": 9007199254740993, "total": 3}, {"x": "9007199254740992", "total": 2}])"}) {
        const CalibrationPlan plan = plan_calibration({of, reports}, totals);
        BOOST_TEST(plan.totals[static_cast<std::size_t>(plan.cells[0])] == 1);
        BOOST_TEST(plan.totals[static_cast<std::size_t>(plan.cells[1])] == 3);
        BOOST_TEST(plan.totals[static_cast<std::size_t>(plan.cells[2])] == 2);
    }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
