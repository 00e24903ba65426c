#include "cases.hpp"

#include <algorithm>
#include <functional>
#include <random>

#include "core/choice/resolve.hpp"
#include "core/mechanism/role/fields.hpp"
#include "core/mechanism/role/registry.hpp"

namespace ldp::test {

namespace {

/// The records before each record of a case without memoized responses: enough for the allocator to be in a steady state.
constexpr std::size_t warm_up = 3;

std::string quoted(const std::string& text) {
    return '"' + text + '"';
}

/// Returns `count` attributes a0, a1, … with these keys, as the list of a spec.
std::string attributes(int count, const std::string& keys) {
    std::string list;
    for (int j = 0; j < count; ++j)
        list += (j == 0 ? "" : ", ") + ("{\"name\": \"a" + std::to_string(j)) + "\", " + keys + "}";
    return "\"attributes\": [" + list + "]";
}

/// Returns the attributes of a mechanism, as keys of a spec.
std::string attributes_of(const MechanismEntry& entry) {
    if (entry.joint()) return attributes(4, R"("domain": 8)");
    if (entry.purpose == Purpose::means_by_group)
        return R"("attributes": [{"name": "g", "domain": 16}, {"name": "x", "min": -1, "max": 1}])";
    switch (entry.shape) {
        case Shape::one_numeric:
            return std::string(R"("min": 0, "max": 1)") +
                   (takes_missing_numbers(entry)    ? R"(, "missing": true)"
                    : takes_circular_numbers(entry) ? R"(, "circular": true)"
                                                    : "");
        case Shape::one_string:
            return attributes(1, R"("strings": {"alphabet": "a-z", "max_length": 8})");
        case Shape::one_set:
            return R"("domain": 64, "several": true, "most": 4)";
        case Shape::numeric_vector:
        case Shape::record:
            return attributes(16, R"("min": -1, "max": 1)");
        default:
            return R"("domain": 64)";
    }
}

std::string spec_of(const MechanismEntry& entry) {
    const bool approximate = std::ranges::any_of(
        entry.options, [](const Option& option) { return option.name == std::string_view("delta"); });
    return R"({"mechanism": ")" + std::string(entry.name) + R"(", "epsilon": 1, )" +
           (approximate ? R"("delta": 1e-9, "norm": 1, )" : "") +
           (entry.series ? R"("rounds": 8, "changes": 2, )" : "") + attributes_of(entry) + "}";
}

/// Returns the value at a part of an attribute's range, 0 ≤ part ≤ 1.
std::variant<double, std::string> value_at(const Attribute& attribute, double part) {
    if (attribute.of_numbers()) return attribute.min + part * (attribute.max - attribute.min);
    const auto steps = static_cast<double>(attribute.domain - 1);
    if (attribute.several()) {
        std::string set;
        const auto labels = static_cast<std::uint64_t>(part * static_cast<double>(attribute.most) + 0.5);
        for (std::uint64_t i = 0; i < labels; ++i)
            set += (i == 0 ? "" : ";") +
                   std::to_string((i * 7 + static_cast<std::uint64_t>(part * 1000)) % attribute.domain);
        return set;
    }
    if (attribute.strings) {
        const auto letter = static_cast<char>('a' + static_cast<int>(part * 25));
        return std::string(attribute.strings->longest, letter);
    }
    const auto value = static_cast<std::uint64_t>(part * steps + 0.5);
    if (!attribute.labels.empty()) return attribute.labels[value];
    return static_cast<double>(value);
}

/// Returns records at the lowest, the middle, the highest and at random values of every attribute.
std::vector<TimedRecord> spread_records(const std::string& spec) {
    const Spec resolved = resolve(spec);
    std::mt19937_64 words(2026);
    const auto record_of = [&](const std::function<double()>& part) {
        OwnedRecord record;
        for (const Attribute& attribute : resolved.attributes())
            if (!attribute.derived()) record.push_back(value_at(attribute, part()));
        return record;
    };
    std::vector<TimedRecord> records{{"middle", record_of([] { return 0.5; }), {}},
                                     {"lowest", record_of([] { return 0.0; }), {}},
                                     {"highest", record_of([] { return 1.0; }), {}}};
    for (int i = 1; i <= 3; ++i)
        records.push_back({"random " + std::to_string(i),
                           record_of([&] { return static_cast<double>(words() >> 11) * 0x1p-53; }),
                           {}});
    if (std::ranges::all_of(resolved.attributes(), may_be_missing))
        records.push_back({"missing", OwnedRecord(records[0].record.size(), std::string()), {}});
    return records;
}

/// Lets the client report the first record of the case before each of its records.
TimedCase warmed(TimedCase all) {
    for (TimedRecord& one : all.records)
        if (one.before.empty()) one.before.assign(warm_up, all.records[0].record);
    return all;
}

/// Returns a case of one value for each record.
TimedCase single_values(
    std::string name, std::string spec,
    const std::vector<std::pair<std::string, std::variant<double, std::string>>>& values) {
    TimedCase all{std::move(name), std::move(spec), {}};
    for (const auto& [value_name, value] : values) all.records.push_back({value_name, {value}, {}});
    return warmed(std::move(all));
}

/// Returns labels with 1 to 20 bytes.
std::vector<std::string> mixed_labels(std::size_t count) {
    std::vector<std::string> labels;
    for (std::size_t i = 0; i < count; ++i)
        labels.push_back((i + 10 < 36 ? std::string(1, static_cast<char>('a' + i)) : std::to_string(i)) +
                         std::string(i % 19, 'x'));
    return labels;
}

std::string domain_of(const std::vector<std::string>& labels) {
    std::string list;
    for (const std::string& label : labels) list += (list.empty() ? "" : ", ") + quoted(label);
    return "\"domain\": [" + list + "]";
}

/// Returns a set of `count` of these labels, every `step`-th from `first` on.
std::string set_of(const std::vector<std::string>& labels, std::size_t count, std::size_t first,
                   std::size_t step) {
    std::string set;
    for (std::size_t i = 0; i < count; ++i)
        set += (i == 0 ? "" : ";") + labels[(first + i * step) % labels.size()];
    return set;
}

TimedCase label_case(const char* name, std::size_t count) {
    const std::vector<std::string> labels = mixed_labels(count);
    return single_values(name,
                         R"({"mechanism": "grr", "epsilon": 1, "other": ")" + labels[3] +
                             R"(", "missing_label": ")" + labels[2] + "\", " + domain_of(labels) + "}",
                         {{"first", labels[0]},
                          {"second", labels[1]},
                          {"middle", labels[count / 2]},
                          {"longest", *std::ranges::max_element(labels, {}, &std::string::size)},
                          {"last", labels.back()},
                          {"missing", std::string()},
                          {"outside", std::string("elsewhere")},
                          {"outside, short", std::string("?")},
                          {"outside, long", std::string(60, 'z')}});
}

TimedCase set_case(const std::string& name, const std::string& response, std::size_t domain, std::size_t most,
                   bool labelled) {
    std::vector<std::string> labels = mixed_labels(domain);
    if (!labelled)
        for (std::size_t i = 0; i < domain; ++i) labels[i] = std::to_string(i);
    std::vector<std::pair<std::string, std::variant<double, std::string>>> sets;
    for (std::size_t size = 0; size <= most; size += 1 + size / 4)
        for (const std::size_t step : {1u, 3u})
            sets.emplace_back(std::to_string(size) + " by " + std::to_string(step),
                              set_of(labels, size, 5 * step, step));
    sets.emplace_back("last ones", set_of(labels, most, domain - most, 1));
    return single_values(name,
                         R"({"mechanism": "label_sets", "response": ")" + response +
                             R"(", "epsilon": 1, "attributes": [{"name": "s", "several": true, "most": )" +
                             std::to_string(most) + ", " +
                             (labelled ? domain_of(labels) : "\"domain\": " + std::to_string(domain)) + "}]}",
                         sets);
}

constexpr const char* small_sets =
    R"({"mechanism": "label_sets", "response": "subset", "epsilon": 1, "attributes": [{"name": "s", "several": true, "most": 4, "other": ")";

/// Sets that the client changes: repeated labels, and labels outside the domain.
TimedCase changed_sets() {
    const std::vector<std::string> labels = mixed_labels(64);
    return single_values("set, changed by the client",
                         small_sets + labels[3] + "\", " + domain_of(labels) + "}]}",
                         {{"4 labels", set_of(labels, 4, 5, 3)},
                          {"repeated", labels[5] + ";" + labels[6] + ";" + labels[5] + ";" + labels[6]},
                          {"separator at the end", labels[5] + ";"},
                          {"outside", labels[5] + ";elsewhere;" + labels[6]}});
}

/// Sets with more labels than are reported.
TimedCase large_sets() {
    const std::vector<std::string> labels = mixed_labels(64);
    return single_values("set with up to 64 labels, 4 of which are reported",
                         small_sets + labels[3] + "\", " + domain_of(labels) + "}]}",
                         {{"4 labels", set_of(labels, 4, 5, 3)},
                          {"5 labels", set_of(labels, 5, 5, 3)},
                          {"16 labels", set_of(labels, 16, 5, 3)},
                          {"64 labels", set_of(labels, 64, 0, 1)}});
}

constexpr const char* brand =
    R"({"mechanism": "strings", "epsilon": 2, "attributes": [{"name": "brand", "strings": {"alphabet": "a-z0-9 ", "max_length": 12, "lowercase": true, "other": " "}}]})";

TimedCase string_case() {
    std::vector<std::pair<std::string, std::variant<double, std::string>>> texts;
    for (std::size_t length = 0; length <= 12; ++length)
        texts.emplace_back(std::to_string(length) + " characters",
                           std::string("k3mz0aqwertya").substr(0, length));
    texts.emplace_back("lowest letters", std::string(12, 'a'));
    texts.emplace_back("highest letters", std::string(12, 'z'));
    texts.emplace_back("upper case", "ABCDEFGHIJKL");
    texts.emplace_back("replaced", "........");
    return single_values("text of an open domain", brand, texts);
}

TimedCase long_texts() {
    return single_values("text of up to 60 characters, 12 of which are reported", brand,
                         {{"12 characters", std::string(12, 'k')},
                          {"13 characters", std::string(13, 'k')},
                          {"60 characters", std::string(60, 'k')}});
}

TimedCase wide_texts() {
    return single_values(
        "text with characters of several bytes",
        R"({"mechanism": "strings", "epsilon": 2, "attributes": [{"name": "t", "strings": {"alphabet": "a-zäöüß", "max_length": 8}}]})",
        {{"one byte", "abcdefgh"}, {"two bytes", "äöüßäöüß"}, {"mixed", "straße"}});
}

TimedCase prefix_case() {
    return single_values(
        "text reported as a prefix",
        R"({"mechanism": "grr", "epsilon": 1, "attributes": [{"name": "t", "prefix": 2, "other": "other", "domain": ["ab", "cd", "ef", "a\u0003", "other"]}]})",
        {{"in the domain", "abcdefgh"},
         {"short", "ab"},
         {"ends", "a"},
         {"outside", "xyzabcde"},
         {"long", std::string(60, 'a')}});
}

const char* const yes_no = R"({"mechanism": "grr", "epsilon": 1, "evolving": {}, "domain": 64)";

/// A client that has memoized responses of the values 0 to 3, which are all that the budget allows.
TimedCase memoized_values() {
    TimedCase all{
        "value with a memoized response", std::string(yes_no) + R"(, "budget": {"epsilon": 16}})", {}};
    std::vector<OwnedRecord> before;
    for (const double value : {3., 60., 7., 31., 8., 9., 10., 11., 3., 3.}) before.push_back({value});
    for (const double value : {3., 60., 7., 31., 8., 9., 10., 11.})
        all.records.push_back({std::to_string(value), {value}, before});
    return all;
}

TimedCase new_response() {
    TimedCase all{
        "value without a memoized response", std::string(yes_no) + R"(, "budget": {"epsilon": 16}})", {}};
    const std::vector<OwnedRecord> before{{3.}, {60.}, {7.}, {3.}, {3.}};
    all.records = {{"memoized", {3.}, before}, {"new", {31.}, before}, {"new, low", {0.}, before}};
    return all;
}

TimedCase spent_budget(const char* name, const char* end) {
    TimedCase all{
        name, std::string(yes_no) + R"(, "budget": {"epsilon": 3, "when_spent": ")" + end + "\"}}", {}};
    const std::vector<OwnedRecord> before{{3.}, {60.}, {7.}, {3.}, {3.}};
    std::vector<OwnedRecord> ended = before;
    for (const double value : {20., 3.}) ended.push_back({value});
    all.records = {{"memoized", {3.}, before},
                   {"the first beyond the budget", {31.}, before},
                   {"after the end", {3.}, ended}};
    return all;
}

/// A series in which the value stays, or changes in the last round.
TimedCase series_case(const char* mechanism, const std::string& keys, double other) {
    TimedCase all{std::string("series of ") + mechanism,
                  std::string(R"({"mechanism": ")") + mechanism +
                      R"(", "epsilon": 2, "rounds": 8, "changes": 2, )" + keys + "}",
                  {}};
    const std::vector<OwnedRecord> before{{1.}, {1.}, {1.}};
    all.records = {{"unchanged", {1.}, before},
                   {"changed", {other}, before},
                   {"changed again", {1.}, {{1.}, {other}, {other}}},
                   {"changed twice before", {1.}, {{1.}, {other}, {1.}}}};
    return all;
}

}  // namespace

std::vector<TimedCase> mechanism_cases() {
    std::vector<TimedCase> all;
    for (const MechanismEntry* entry : registry()) {
        const std::string spec = spec_of(*entry);
        all.push_back(warmed({entry->name, spec, spread_records(spec)}));
    }
    return all;
}

std::vector<TimedCase> input_cases() {
    const std::string number = R"({"mechanism": "optimal", "epsilon": 1, "min": -1, "max": 3})";
    const std::vector<std::string> labels = mixed_labels(64);
    const std::string record =
        R"({"mechanism": "sampled", "epsilon": 1, "attributes": [{"name": "x", "min": 0, "max": 10, "missing": true}, {"name": "y", "min": 0, "max": 10, "edges": [1, 4, 7]}, {"name": "c", )" +
        domain_of(labels) +
        R"(}, {"name": "s", "domain": 16, "several": true, "most": 3}, {"name": "z", "min": -1, "max": 1}]})";
    TimedCase mixed{"record", record, {}};
    mixed.records = {{"middle", {5., 5., labels[30], "3;4", 0.}, {}},
                     {"lowest", {0., 0., labels[0], "", -1.}, {}},
                     {"highest", {10., 10., labels[63], "13;14;15", 1.}, {}},
                     {"missing", {"", 2., labels[9], "1", 0.25}, {}}};
    return {
        single_values("number", number,
                      {{"middle", 1.},
                       {"lowest", -1.},
                       {"highest", 3.},
                       {"zero", 0.},
                       {"small", 1e-300},
                       {"between", 0.7312345}}),
        single_values("number outside its range", number,
                      {{"inside", 1.}, {"below", -2.}, {"above", 7.5}, {"far above", 1e300}}),
        single_values("number that may be missing",
                      R"({"mechanism": "optional_mean", "epsilon": 1, "min": -1, "max": 3, "missing": true})",
                      {{"present", 1.}, {"lowest", -1.}, {"missing", std::string()}, {"above", 7.}}),
        single_values(
            "number in bins",
            R"({"mechanism": "grr", "epsilon": 1, "attributes": [{"name": "x", "min": 0, "max": 10, "edges": [1, 2, 3, 4, 5, 7, 9]}]})",
            {{"middle", 4.5}, {"lowest", 0.}, {"an edge", 4.}, {"highest", 10.}, {"above", 11.}}),
        label_case("label of a few", 8),
        label_case("label of many", 64),
        string_case(),
        long_texts(),
        wide_texts(),
        prefix_case(),
        set_case("set of numbers", "subset", 64, 12, false),
        set_case("set of labels", "subset", 64, 12, true),
        set_case("set of labels, one of which is drawn", "one_label", 64, 12, true),
        changed_sets(),
        large_sets(),
        warmed(std::move(mixed)),
        memoized_values(),
        new_response(),
        spent_budget("end of a budget: repeat", "repeat"),
        spent_budget("end of a budget: stop", "stop"),
        series_case("ddrm", R"("domain": 5)", 4),
        series_case("threshold_series", R"("min": 0, "max": 100)", 90)};
}

std::vector<TimedCase> refused_cases() {
    const std::string
        label = R"({"mechanism": "grr", "epsilon": 1, "domain": ["one", "two"]})",
        number = R"({"mechanism": "optimal", "epsilon": 1, "min": 0, "max": 1})",
        set = R"({"mechanism": "label_sets", "epsilon": 1, "domain": 16, "several": true, "most": 2})",
        text =
            R"({"mechanism": "strings", "epsilon": 1, "attributes": [{"name": "t", "strings": {"alphabet": "a-z", "max_length": 8}}]})";
    const auto refused = [](const char* name, const std::string& spec, OwnedRecord good,
                            std::vector<OwnedRecord> bad) {
        TimedCase all{name, spec, {}};
        for (OwnedRecord& each : bad) all.records.push_back({"", std::move(each), {good}});
        return all;
    };
    return {refused("label", label, {"one"}, {{"three"}, {""}, {1.}, {"one", "two"}, {}}),
            refused("number", number, {0.5},
                    {{std::string()}, {"0.5"}, {std::numeric_limits<double>::infinity()}}),
            refused("set", set, {"1;2"}, {{"1;16"}, {";"}, {"1;;2"}, {"one"}, {-1.}, {0.5}}),
            refused("text", text, {"abc"}, {{"ABC"}, {"\xff"}, {1.}})};
}

}  // namespace ldp::test
