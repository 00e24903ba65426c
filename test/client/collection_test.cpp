// Records to cells: labels, numbers, the grid, and what is refused.

#include <cmath>
#include <limits>

#include "../support/seeded_words.hpp"
#include "client/memory_store.hpp"
#include "client_support.hpp"
#include "core/summary/summary.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(collection_encoding)

BOOST_AUTO_TEST_CASE(labels_become_their_index) {
    const Collection c = collection(colours);
    SeededBits bits(1);
    const std::string green = "green";
    BOOST_TEST(c.encode(std::vector<Value>{"red"}, bits).cells[0] == 0u);
    BOOST_TEST(c.encode(std::vector<Value>{green}, bits).cells[0] == 1u);
    BOOST_TEST(c.encode(std::vector<Value>{std::string_view("blue!").substr(0, 4)}, bits).cells[0] == 2u);
    const auto refused = error_with(ErrorCode::invalid_value, "\"red\", \"green\", \"blue\"");
    for (const Value& value : {Value("Red"), Value(" red"), Value(""), Value(0), Value("purple")})
        BOOST_CHECK_EXCEPTION((void)c.encode({&value, 1}, bits), Error, refused);
}

BOOST_AUTO_TEST_CASE(a_long_list_of_labels_is_shortened) {
    std::string labels;
    for (int i = 0; i < 200; ++i) labels += (i == 0 ? "\"v" : ", \"v") + std::to_string(i) + "\"";
    const Collection c(resolve(R"({"mechanism": "oue", "epsilon": 1, "domain": [)" + labels + "]}"));
    SeededBits bits(1);
    BOOST_TEST(c.encode(std::vector<Value>{"v199"}, bits).cells[0] == 199u);
    BOOST_CHECK_EXCEPTION((void)c.encode(std::vector<Value>{"w"}, bits), Error,
                          error_with(ErrorCode::invalid_value, "\"v9\" and 190 more"));
    const std::string hostile = "\x1b[2J" + std::string(1000, 'x');
    BOOST_CHECK_EXCEPTION(
        (void)c.encode(std::vector<Value>{hostile}, bits), Error,
        error_with(ErrorCode::invalid_value, "\"\\x1b[2Jxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...\""));
}

BOOST_AUTO_TEST_CASE(labels_outside_the_domain_are_moved_and_counted) {
    const Collection c(resolve(
        R"({"mechanism": "grr", "epsilon": 1, "domain": ["red", "green", "rest"], "other": "rest"})"));
    SeededBits bits(1);
    const auto green = c.encode(std::vector<Value>{"green"}, bits);
    BOOST_TEST((green.cells[0] == 1u && !green.clamped.any()));
    const auto pink = c.encode(std::vector<Value>{"pink"}, bits);
    BOOST_TEST((pink.cells[0] == 2u && pink.clamped.attributes == std::vector<std::size_t>{0}));
    const auto rest = c.encode(std::vector<Value>{"rest"}, bits);
    BOOST_TEST((rest.cells[0] == 2u && !rest.clamped.any()));
    BOOST_CHECK_THROW((void)c.encode(std::vector<Value>{7}, bits), Error);

    Client client(c, MemoryStore());
    for (const char* colour : {"red", "pink", "blue", "rest"}) client.report({colour});
    BOOST_TEST(client.clamped().attributes[0] == 2u);
}

BOOST_AUTO_TEST_CASE(a_set_has_no_empty_label) {
    const std::string begin = R"({"mechanism": "label_sets", "epsilon": 2, "attributes": [
        {"name": "used", "domain": ["mail", "chat", "else"], "several": true, "most": 2)";
    for (const char* end : {"}]}", R"(, "other": "else"}]})"}) {
        const Collection c(resolve(begin + end));
        SeededBits bits(1);
        const auto cell = [&](const char* text) { return c.encode(std::vector<Value>{text}, bits).cells[0]; };
        for (const char* text : {"mail;;chat", ";mail", ";", "mail;;"})
            BOOST_CHECK_EXCEPTION(
                (void)cell(text), Error,
                error_with(ErrorCode::invalid_value, "an empty label in the set of \"used\""));
        BOOST_TEST(cell("mail;chat;") == cell("mail;chat"));  // as survey tools write it
        BOOST_TEST(cell("") != cell("mail"));
    }
}

BOOST_AUTO_TEST_CASE(people_without_an_answer_have_a_label) {
    const std::string town =
        R"({"name": "town", "domain": ["A", "B", "no answer"], "missing_label": "no answer"})";
    const Collection c(resolve(R"({"mechanism": "sampled", "epsilon": 1, "attributes": [)" + town +
                               R"(, {"name": "age", "min": 0, "max": 100}]})"));
    SeededBits bits(1);
    const auto blank = c.encode(std::vector<Value>{"", 50}, bits);
    BOOST_TEST((blank.cells[0] == 2u && !blank.clamped.any()));
    BOOST_TEST(c.encode(std::vector<Value>{"B", 50}, bits).cells[0] == 1u);
    BOOST_TEST(c.spec().to_json().find(R"("missing_label":"no answer")") != std::string::npos);
    BOOST_CHECK(resolve(c.spec().to_json()).fingerprint() == c.spec().fingerprint());
    // A number whose attribute does not allow it has no way to say so, and the error names two.
    const auto asks_for_classes = [](const Error& error) {
        return error.code() == ErrorCode::invalid_value &&
               error.hint().find("\"missing_label\"") != std::string::npos;
    };
    BOOST_CHECK_EXCEPTION((void)c.encode(std::vector<Value>{"A", std::nan("")}, bits), Error,
                          asks_for_classes);
    // So does that of a category without such a label; one for all others takes blanks, too.
    const Collection plain(resolve(R"({"mechanism": "grr", "epsilon": 1, "domain": ["A", "B"]})"));
    BOOST_CHECK_EXCEPTION((void)plain.encode(std::vector<Value>{""}, bits), Error, asks_for_classes);
    const Collection other(
        resolve(R"({"mechanism": "grr", "epsilon": 1, "domain": ["A", "B"], "other": "B"})"));
    BOOST_TEST(other.encode(std::vector<Value>{""}, bits).clamped.any());
    BOOST_CHECK_THROW(
        (void)resolve(R"({"mechanism": "grr", "epsilon": 1, "domain": ["A", "B"], "missing_label": "C"})"),
        Error);
    BOOST_CHECK_THROW(
        (void)resolve(R"({"mechanism": "pdp", "epsilon": 1, "min": 0, "max": 1, "missing_label": "C"})"),
        Error);
}

BOOST_AUTO_TEST_CASE(numbers_may_be_missing) {
    const Collection c(
        resolve(R"({"mechanism": "sampled", "epsilon": 4, "per_report": 2, "grid": 100, "attributes": [
        {"name": "town", "domain": ["A", "B"]}, {"name": "age", "min": 0, "max": 100, "missing": true}]})"));
    SeededBits bits(1);
    for (const Value& missing : {Value(""), Value(std::nan(""))}) {
        const Encoded blank = c.encode(std::vector<Value>{"B", missing}, bits);
        BOOST_TEST(blank.cells == (std::vector<Cell>{1, 101}), boost::test_tools::per_element());
        BOOST_TEST(!blank.clamped.any());
        BOOST_TEST(std::isnan(c.to_grid(std::vector<Value>{"B", missing}).positions[1]));
    }
    BOOST_TEST(c.encode(std::vector<Value>{"A", 100}, bits).cells[1] == 100u);
    BOOST_TEST(c.encode(std::vector<Value>{"A", 1e9}, bits).clamped.any());
    BOOST_CHECK_THROW((void)c.encode(std::vector<Value>{"A", HUGE_VAL}, bits), Error);
    BOOST_CHECK_THROW((void)c.encode(std::vector<Value>{"A", "none"}, bits), Error);
    BOOST_CHECK_THROW((void)c.encode(std::vector<Value>{"", 50}, bits), Error);
    BOOST_TEST(c.perturb(std::vector<Value>{"A", ""}, bits).report.size() ==
               c.perturb(std::vector<Value>{"A", 50}, bits).report.size());
}

BOOST_AUTO_TEST_CASE(a_missing_number_is_memoized_like_others) {
    const Spec spec = resolve(R"({"mechanism": "optional_mean", "epsilon": 1, "budget": {"epsilon": 10},
        "evolving": {"base_levels": 4}, "attributes": [
        {"name": "a", "min": 0, "max": 1, "missing": true, "evolving": true}]})");
    const Collection collection(spec);
    Client client(collection, MemoryStore());
    const auto origin = [&](const Value& value) { return client.report({value}).origin; };
    BOOST_TEST((origin("") == Origin::drawn));
    BOOST_TEST((origin("") == Origin::memoized));
    BOOST_TEST((origin(0) == Origin::drawn));
    BOOST_TEST((origin("") == Origin::memoized));
    BOOST_TEST((origin(1) == Origin::drawn));
    BOOST_TEST((origin(0) == Origin::memoized));
    BOOST_TEST(client.ledger().size() == 3u);
}

BOOST_AUTO_TEST_CASE(a_missing_number_of_a_distribution_is_memoized_like_others) {
    for (const char* name : {"tree", "haar_ordered"}) {
        const Collection collection(
            resolve(R"({"mechanism": ")" + std::string(name) +
                    R"(", "epsilon": 1, "grid": 9, "budget": {"epsilon": 10}, "evolving": {}, "attributes": [
                {"name": "a", "min": 0, "max": 9, "missing": true}]})"));
        SeededBits bits(2);
        BOOST_TEST(collection.encode(std::vector<Value>{""}, bits).cells[0] == 10u);
        BOOST_TEST(collection.encode(std::vector<Value>{std::nan("")}, bits).cells[0] == 10u);
        BOOST_TEST(collection.encode(std::vector<Value>{9}, bits).cells[0] == 9u);
        Client client(collection, MemoryStore());
        const auto origin = [&](const Value& value) { return client.report({value}).origin; };
        BOOST_TEST((origin("") == Origin::drawn));
        BOOST_TEST((origin(0) == Origin::drawn));
        BOOST_TEST((origin("") == Origin::memoized));
        BOOST_TEST((origin(9) == Origin::drawn));
        BOOST_TEST(client.ledger().size() == 3u);
    }
}

BOOST_AUTO_TEST_CASE(numbers_in_bins_are_categories) {
    SeededBits bits(1);
    const Collection c(resolve(R"({"mechanism": "joint", "epsilon": 1, "attributes": [
        {"name": "age", "min": 0, "max": 100, "edges": [18, 65]}, {"name": "wage", "min": -1, "max": 1, "bins": 4}]})"));
    const auto cells = [&](double age, double wage) { return c.encode(std::vector<Value>{age, wage}, bits); };
    BOOST_TEST(cells(17.999, -1).cells == (std::vector<Cell>{0, 0}), boost::test_tools::per_element());
    BOOST_TEST(cells(18, -0.5).cells == (std::vector<Cell>{1, 1}), boost::test_tools::per_element());
    BOOST_TEST(cells(100, 1).cells == (std::vector<Cell>{2, 3}), boost::test_tools::per_element());
    BOOST_TEST(!cells(100, 1).clamped.any());
    const Encoded outside = cells(101, 7);
    BOOST_TEST(outside.cells == (std::vector<Cell>{2, 3}), boost::test_tools::per_element());
    BOOST_TEST(outside.clamped.attributes == (std::vector<std::size_t>{0, 1}),
               boost::test_tools::per_element());
    BOOST_CHECK_THROW((void)Collection(c.spec(), Outside::refuse).encode(std::vector<Value>{101, 0}, bits),
                      Error);
    BOOST_CHECK_THROW((void)c.encode(std::vector<Value>{"[0, 18)", 0}, bits), Error);
    BOOST_CHECK_THROW((void)c.encode(std::vector<Value>{std::nan(""), 0}, bits), Error);
    BOOST_TEST(c.spec().attributes()[1].labels[3] == "[0.5, 1]");
    BOOST_CHECK(resolve(c.spec().to_json()).fingerprint() == c.spec().fingerprint());
}

BOOST_AUTO_TEST_CASE(strings_are_looked_up_by_their_beginning) {
    const Collection c(resolve(R"({"mechanism": "grr", "epsilon": 1, "prefix": 2, "other": "rest",
        "domain": ["ab", "a\u0003", "\u00e4b", "rest"]})"));
    SeededBits bits(1);
    const auto cell = [&](const char* text) { return c.encode(std::vector<Value>{text}, bits).cells[0]; };
    BOOST_TEST(cell("ab") == 0u);
    BOOST_TEST(cell("abacus") == 0u);
    BOOST_TEST(cell("a") == 1u);
    BOOST_TEST(cell("äbc") == 2u);
    BOOST_TEST(cell("ba") == 3u);
    BOOST_TEST(cell("") == 3u);
    const auto refused = error_with(ErrorCode::invalid_value, "at most 64 bytes of UTF-8");
    for (const std::string& text : {std::string("a\x03"), std::string("\xff"), std::string(65, 'a')})
        BOOST_CHECK_EXCEPTION((void)c.encode(std::vector<Value>{text}, bits), Error, refused);
}

BOOST_AUTO_TEST_CASE(numbered_categories) {
    const Collection c = collection(numbered);
    SeededBits bits(1);
    BOOST_TEST(c.encode(std::vector<Value>{0}, bits).cells[0] == 0u);
    BOOST_TEST(c.encode(std::vector<Value>{99u}, bits).cells[0] == 99u);
    BOOST_TEST(c.encode(std::vector<Value>{7.0}, bits).cells[0] == 7u);
    const auto refused = error_with(ErrorCode::invalid_value, "whole numbers from 0 to 99");
    for (const Value& value : {Value(100), Value(-1), Value(1.5), Value(std::nan("")), Value("7"),
                               Value(std::numeric_limits<double>::infinity()), Value(1e300)})
        BOOST_CHECK_EXCEPTION((void)c.encode({&value, 1}, bits), Error, refused);
}

BOOST_AUTO_TEST_CASE(numbers_are_placed_on_the_grid_without_bias) {
    const Collection c = collection(wages);
    const auto grid = static_cast<double>(c.mechanism().cells()[0] - 1);
    SeededBits bits(7);
    BOOST_TEST(c.encode(std::vector<Value>{-100}, bits).cells[0] == 0u);
    BOOST_TEST(c.encode(std::vector<Value>{300}, bits).cells[0] == static_cast<Cell>(grid));
    constexpr int n = 40000;
    for (const double x : {-99.9973, 0.001, 17.3, 299.9999}) {
        const double position = (x + 100) / 400 * grid;
        double sum = 0;
        for (int i = 0; i < n; ++i) {
            const auto cell = static_cast<double>(c.encode(std::vector<Value>{x}, bits).cells[0]);
            BOOST_REQUIRE(std::abs(cell - position) <= 1);
            sum += cell - position;
        }
        BOOST_TEST(std::abs(sum / n) < 6 * 0.5 / std::sqrt(n));
    }
}

BOOST_AUTO_TEST_CASE(numbers_outside_are_clamped_and_told) {
    const Collection c = collection(people);
    SeededBits bits(1);
    const Encoded inside = c.encode(std::vector<Value>{0, 90, 30}, bits);
    BOOST_TEST(!inside.clamped.any());
    const Encoded outside = c.encode(std::vector<Value>{-0.001, 50, 1e308}, bits);
    BOOST_TEST(outside.clamped.attributes == (std::vector<std::size_t>{0, 2}),
               boost::test_tools::per_element());
    BOOST_TEST(outside.cells[0] == 0u);
    BOOST_TEST(outside.cells[2] == c.mechanism().cells()[2] - 1);
}

BOOST_AUTO_TEST_CASE(numbers_outside_are_refused_if_asked) {
    const Collection c = collection(people, Outside::refuse);
    SeededBits bits(1);
    BOOST_CHECK_EXCEPTION((void)c.encode(std::vector<Value>{5, 90.5, 3}, bits), Error,
                          error_with(ErrorCode::invalid_value, "90.5 is outside the range of \"age\""));
    BOOST_TEST(c.encode(std::vector<Value>{1000, 90, 60}, bits).cells.size() == 3u);
}

BOOST_AUTO_TEST_CASE(what_is_no_number_is_refused) {
    const Collection c = collection(wages);
    SeededBits bits(1);
    const auto refused = error_with(ErrorCode::invalid_value, "not a value of \"wage\"");
    for (const Value& value : {Value(std::nan("")), Value(std::numeric_limits<double>::infinity()),
                               Value(-std::numeric_limits<double>::infinity()), Value("12")})
        BOOST_CHECK_EXCEPTION((void)c.encode({&value, 1}, bits), Error, refused);
}

BOOST_AUTO_TEST_CASE(numbers_and_labels_in_one_record) {
    const Collection c(resolve(R"({"mechanism": "sampled", "epsilon": 20, "per_report": 2, "grid": 1000,
        "attributes": [{"name": "age", "min": 0, "max": 100},
                       {"name": "town", "domain": ["Basel", "Chur", "elsewhere"], "other": "elsewhere"}]})"));
    SeededBits bits(1);
    const Encoded known = c.encode(std::vector<Value>{40, "Chur"}, bits);
    BOOST_TEST((known.cells == std::vector<Cell>{400, 1} && !known.clamped.any()));
    const Encoded clamped = c.encode(std::vector<Value>{140, "Bern"}, bits);
    BOOST_TEST((clamped.cells == std::vector<Cell>{1000, 2} &&
                clamped.clamped.attributes == std::vector<std::size_t>{0, 1}));
    BOOST_CHECK_THROW((void)c.encode(std::vector<Value>{"Chur", 40}, bits), Error);

    Client client(c, MemoryStore());
    std::vector<std::byte> summary(summary_size(c.mechanism()));
    start_summary(c.mechanism(), summary);
    for (int i = 0; i < 500; ++i) {
        const Encoded encoded =
            c.encode(std::vector<Value>{i % 2 == 0 ? 25 : 75, i % 5 == 0 ? "Chur" : "Bern"}, bits);
        BOOST_REQUIRE(accumulate(c.mechanism(), summary, c.mechanism().perturb(encoded.cells, bits)) ==
                      Outcome::ok);
        client.report({i % 2 == 0 ? 25 : 75, i % 5 == 0 ? "Chur" : "Bern"});
    }
    BOOST_TEST((client.clamped().attributes == std::vector<std::uint64_t>{0, 400}));
    BOOST_CHECK_SMALL(estimate(view_of(c.mechanism(), summary), {Quantity::means})[0].value - 50, 1.0);
    const auto towns = estimate(view_of(c.mechanism(), summary), {Quantity::frequencies, Target::sample, 1});
    BOOST_CHECK_SMALL(towns[1].value - 0.2, 0.01);
    BOOST_CHECK_SMALL(towns[2].value - 0.8, 0.01);
}

BOOST_AUTO_TEST_CASE(a_record_must_have_a_value_for_each_attribute) {
    const Collection c = collection(people);
    SeededBits bits(1);
    const auto refused = error_with(ErrorCode::invalid_value, "wrong number of values");
    BOOST_CHECK_EXCEPTION((void)c.encode(std::vector<Value>{1, 2}, bits), Error, refused);
    BOOST_CHECK_EXCEPTION((void)c.encode(std::vector<Value>{1, 2, 3, 4}, bits), Error, refused);
    BOOST_CHECK_EXCEPTION((void)c.encode({}, bits), Error, refused);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
