#include "core/contract/labels.hpp"

#include <array>
#include <string>

#include "core/base/error.hpp"
#include "core/contract/attributes.hpp"
#include "support.hpp"

namespace ldp::test {

namespace {

bool refused(const std::function<void()>& action, const std::string& detail, const std::string& hint = "") {
    try {
        action();
    } catch (const Error& error) {
        BOOST_TEST(error.detail() == detail);
        BOOST_TEST(error.hint() == hint);
        return error.code() == ErrorCode::invalid_value;
    }
    return false;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(labels)

// The labels of "other" and "missing_label" are no prefixes. A text denotes the value that is shown with it.
BOOST_AUTO_TEST_CASE(labels_of_prefixes_are_distinct) {
    const std::vector<Attribute> attributes = read_attributes(R"j([
        {"name": "word", "prefix": 5, "other": "rest", "missing_label": "none",
         "domain": ["apple", "b\u0003", "\u0003", "rest", "none"]},
        {"name": "same", "prefix": 5, "other": "rest", "missing_label": "apple...",
         "domain": ["rest\u0003", "plums", "apple...", "rest", "apple"]},
        {"name": "search", "prefix": 2, "other": "\u0003other", "domain": ["ab", "\u0003other"]}])j");
    const Labels labels(attributes);
    const std::vector<std::vector<std::string>> shown = {
        {"apple...", "b", "", "rest", "none"},
        {"rest", "plums...", "(apple...)", "(rest)", "apple..."},
        {"ab...", "other"}};
    for (std::size_t j = 0; j < shown.size(); ++j)
        for (std::size_t value = 0; value < shown[j].size(); ++value) {
            BOOST_TEST(labels.label(j, value) == shown[j][value]);
            BOOST_TEST(labels.value_called(j, shown[j][value]) == value);
        }
    // Labels of the spec denote values, too. Synthetic records contain them.
    BOOST_TEST(labels.value_called(0, "apple") == 0U);
    BOOST_TEST(labels.value_called(0, "b\x03") == 1U);
    BOOST_TEST(labels.value_called(2, "\x03other") == 1U);
    BOOST_TEST(labels.json_label(0, 0) == R"("apple")");
    const std::array<std::uint64_t, 3> sizes = {5, 5, 2};
    BOOST_TEST((labels.conditions(R"({"word": ["apple...", "rest"]})", sizes).box.at(0) ==
                std::vector<bool>{true, false, false, true, false}));
    BOOST_TEST(refused([&] { (void)labels.value_called(2, "cd"); }, "There are ab..., other."));
}

BOOST_AUTO_TEST_CASE(names_and_numbers_lead_to_each_other) {
    const std::vector<Attribute> attributes = read_attributes(R"j([
        {"name": "1", "domain": ["f", "m"]}, {"name": "a\"b", "min": 0, "max": 1},
        {"name": "rank", "domain": 3}, {"name": "age", "min": 0, "max": 10, "edges": [1, 4]}])j");
    const Labels labels(attributes);
    BOOST_TEST(labels.known());
    BOOST_TEST(labels.name(1) == "a\"b");
    BOOST_TEST(labels.json_name(1) == R"("a\"b")");
    BOOST_TEST(labels.name(4) == "4");
    BOOST_TEST(labels.label(0, 1) == "m");
    BOOST_TEST(labels.label(0, 2) == "2");
    BOOST_TEST(labels.label(2, 2) == "2");
    BOOST_TEST(labels.label(3, 2) == "[4, 10]");
    BOOST_TEST(labels.label(4, 7) == "7");
    BOOST_TEST(labels.json_label(0, 1) == R"("m")");
    BOOST_TEST(labels.json_label(2, 2) == "2");
    BOOST_TEST(labels.ends(3) == (std::vector<double>{0, 1, 4, 10}));
    BOOST_TEST(labels.ends(1).empty());
    BOOST_TEST(!labels.find_label(2, 0).has_value());
    // A name comes before a number.
    BOOST_TEST(labels.attribute_called("1", 4) == 0U);
    BOOST_TEST(labels.attribute_called("2", 4) == 2U);
    BOOST_TEST(labels.attribute_called("age", 4) == 3U);
    BOOST_TEST(labels.value_called(0, "m") == 1U);
    BOOST_TEST(labels.value_called(2, "2") == 2U);
    BOOST_TEST(labels.value_called(3, "[1, 4)") == 1U);
    BOOST_TEST((find_attribute_or_number(attributes, "1") == std::optional<std::size_t>(0)));
    BOOST_TEST((find_attribute_or_number(attributes, "3") == std::optional<std::size_t>(3)));
    BOOST_TEST(!find_attribute_or_number(attributes, "4").has_value());
    BOOST_TEST(!find_attribute_or_number(attributes, "town").has_value());
    const std::string all = "There are 1, a\"b, rank, age.";
    BOOST_TEST(refused([&] { (void)labels.attribute_called("town", 4); }, all));
    BOOST_TEST(refused([&] { (void)labels.attribute_called("", 4); }, all));
    BOOST_TEST(refused([&] { (void)labels.attribute_called("-1", 4); }, all));
    BOOST_TEST(
        refused([&] { (void)labels.attribute_called("4", 4); }, "Attributes are numbered from 0 to 3."));
    BOOST_TEST(refused([&] { (void)labels.value_called(0, "x", "more"); }, "There are f, m."));
    // The number of a value with a label could be a label that was mistyped.
    BOOST_TEST(refused([&] { (void)labels.value_called(0, "1"); }, "There are f, m."));
}

BOOST_AUTO_TEST_CASE(numbers_stand_for_names_that_are_not_known) {
    const Labels labels;
    BOOST_TEST(!labels.known());
    BOOST_TEST(labels.name(3) == "3");
    BOOST_TEST(labels.label(3, 5) == "5");
    BOOST_TEST(labels.json_label(3, 5) == "5");
    BOOST_TEST(labels.attribute_called("3") == 3U);
    BOOST_TEST(labels.value_called(0, "5") == 5U);
    BOOST_TEST(refused([&] { (void)labels.attribute_called("town", 4); },
                       "No collection has the summary's spec.", "Use the number of the attribute, from 0."));
    BOOST_TEST(
        refused([&] { (void)labels.attribute_called("4", 4); }, "Attributes are numbered from 0 to 3."));
}

BOOST_AUTO_TEST_CASE(each_of_many_labels_has_its_number) {
    Attribute many;
    many.name = "many";
    // All end alike, and some are the beginnings of others.
    for (std::size_t i = 0; i < 100000; ++i) many.labels.push_back(std::to_string(i * 10));
    many.domain = many.labels.size();
    const std::vector<Attribute> attributes{many};
    const Labels labels(attributes);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < many.labels.size(); ++i) {
        wrong += labels.find_value(0, many.labels[i]) != std::optional<std::size_t>(i);
        wrong += labels.find_value(0, many.labels[i] + "x").has_value();
        wrong += labels.find_value(0, std::to_string(i * 10 + 1)).has_value();
    }
    BOOST_TEST(wrong == 0U);
    BOOST_TEST(!labels.find_value(1, "0").has_value());
    BOOST_TEST(refused([&] { (void)labels.value_called(0, "1", "All are listed elsewhere."); },
                       "There are 0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120, 130, 140, 150, 160, "
                       "170, 180, 190, ….",
                       "All are listed elsewhere."));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
