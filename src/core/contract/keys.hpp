// The keys of a spec: one table, from which readers take ranges and defaults, and the command the JSON Schema of specs. The tables
// of doc/spec.md follow from the schema (tools/spec-keys). A new key is one line of the table, and its reader.
//
// Options of mechanisms stand in the registry, with their ranges and defaults. This table has their sentences, and the bounds of real
// numbers, which the mechanisms check.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include "core/base/limits.hpp"
#include "core/contract/spec.hpp"
#include "core/format/header.hpp"
#include "core/mechanism/role/settings.hpp"

namespace ldp::keys {

inline constexpr const char* automatic = "auto";
/// The mean of a number in two rounds; see choice/winsorized.hpp.
inline constexpr const char* winsorized = "winsorized";
inline constexpr const char* when_spent[] = {"repeat", "stop"};  // as Budget::WhenSpent
inline constexpr const char* scales[] = {"ordered"};
inline constexpr const char* uses[] = {"mean", "means", "distribution", "quantiles", "shape", "ranges"};
/// Maximum length of a label and of a display text, in bytes.
inline constexpr std::size_t max_label = 200;

/// The object of a spec that has a key.
enum class Object : std::uint8_t {
    spec,
    attribute,
    option,  ///< the spec or an attribute, for an option of a mechanism
    strings,
    regression,
    evolving,
    budget,
    stream,
    change,  ///< in "attributes" of "stream"
    concentration,
    chosen,
};

/// The form of a value. Bounds of a key limit a number, the bytes of a text, or the number of elements.
enum class ValueForm : std::uint8_t {
    whole,
    real,
    above,  ///< a number above the lower bound
    flag,
    text,
    word,  ///< one of the words of the key
    mechanism,
    object,          ///< an object of the table; the key has its name
    object_or_auto,  ///< or the word "auto"
    any_object,
    attributes,
    values,   ///< a number of values, or their labels
    ends,     ///< a number, or one for each element of a vector
    numbers,  ///< an array of numbers
    names,    ///< an array of names of attributes
    factors,  ///< the two factors of a product
    texts,    ///< maps labels to texts
    counts,   ///< a whole number, or maps rounds to whole numbers
    margins,  ///< maps names of attributes to numbers above 0
    change,   ///< an object with the keys of a change
    changes,  ///< maps names of attributes to such objects
    option,   ///< as the registry states
};

inline constexpr double unbounded = std::numeric_limits<double>::infinity();
inline constexpr double no_default = std::numeric_limits<double>::quiet_NaN();

/// The properties of a key that readers use.
struct Key {
    Object object;
    const char* name;
    ValueForm form;
    double least = -unbounded;
    double most = unbounded;
    double fallback = no_default;  ///< default of a number, a flag (0 or 1) or a word (its index)
    std::span<const char* const> words = {};
    bool required = false;
    Object also = object;  ///< a second object that has the key

    /// Returns the bounds and the default of a whole number.
    [[nodiscard]] constexpr Option whole() const noexcept {
        constexpr double all = 9007199254740992;  // 2^53: every whole number up to here is a double
        return {.name = name,
                .fallback = fallback > 0 ? static_cast<std::uint64_t>(fallback) : 0,
                .least = least > 0 ? static_cast<std::uint64_t>(least) : 0,
                .most = static_cast<std::uint64_t>(most < all ? most : all)};
    }
};

/// A row of the table.
struct Declaration {
    Key key;
    const char* sentence;         ///< without a full stop
    const char* mechanisms = "";  ///< empty: all
};

[[nodiscard]] consteval Key whole(Object object, const char* name, double least, double most,
                                  double fallback = no_default) {
    return {object, name, ValueForm::whole, least, most, fallback};
}
[[nodiscard]] consteval Key real(Object object, const char* name, double least, double most,
                                 double fallback = no_default) {
    return {object, name, ValueForm::real, least, most, fallback};
}
[[nodiscard]] consteval Key text(Object object, const char* name, double most) {
    return {object, name, ValueForm::text, 1, most};
}
[[nodiscard]] consteval Key flag(Object object, const char* name, double fallback = 0) {
    return {object, name, ValueForm::flag, 0, 1, fallback};
}
[[nodiscard]] consteval Key word(Object object, const char* name, std::span<const char* const> words,
                                 double fallback = no_default) {
    return {object, name, ValueForm::word, -unbounded, unbounded, fallback, words};
}
/// Returns a key of an attribute that may also stand in the spec, if the spec has one attribute without a list.
[[nodiscard]] consteval Key short_form(Key key) {
    key.also = Object::spec;
    return key;
}
/// Returns a key of a stream that describes a change, and also stands in the changes of a record.
[[nodiscard]] consteval Key change(Key key) {
    key.also = Object::change;
    return key;
}
[[nodiscard]] consteval Key option(const char* name) {
    return {Object::option, name, ValueForm::option};
}
[[nodiscard]] consteval Key required(Key key) {
    key.required = true;
    return key;
}
/// Returns the key as a key without a default in another object.
[[nodiscard]] consteval Key in(Object object, Key key) {
    key.object = key.also = object;
    key.fallback = no_default;
    return key;
}

inline constexpr Key report_bytes =
    whole(Object::spec, "max_report_bytes", 26, 100000, Limits{}.report_bytes);
inline constexpr Key decode_cost =
    whole(Object::spec, "max_decode_cost", 1, 1000000000, Limits{}.decode_cost);

/// All keys, in the order of the manual.
inline constexpr Declaration table[] = {
    {required({Object::spec, "mechanism", ValueForm::mechanism}),
     "Mechanism that randomizes the values, or `auto`"},
    {real(Object::spec, "epsilon", min_epsilon, max_epsilon),
     "Privacy loss ε of a report, or of all reports of a person in a series; required unless `evolving` is `auto`"},
    {{Object::spec, "attributes", ValueForm::attributes, 1},
     "Attributes that people report; a single attribute may also be given by its keys"},
    {{Object::spec, "evolving", ValueForm::object_or_auto},
     "Responses are memoized and repeated; without this key, each report is a fresh draw"},
    {{Object::spec, "stream", ValueForm::object},
     "Values over time, for predictions and choices; required if `evolving` is `auto`"},
    {{Object::spec, "budget", ValueForm::object}, "Total ε of a person; required with `evolving`"},
    {whole(Object::spec, "min_group", 1, 65535, usual_min_group),
     "Smallest number of reports for an estimate"},
    {report_bytes, "Maximum size of a report of the chosen mechanism in bytes", automatic},
    {decode_cost, "Maximum number of steps for a report in an estimate of the chosen mechanism", automatic},
    {{Object::spec, "max_margin_of_error", ValueForm::margins},
     "Largest margins of error at 95 % by attribute or vector, from which the weights follow",
     "sampled"},
    {{Object::spec, "regression", ValueForm::object},
     "Regression, whose products are added to the attributes",
     "sampled"},
    {whole(Object::spec, "people", 2, 0x1p40), "Number of people in both rounds", winsorized},
    {{Object::spec, "concentration", ValueForm::object},
     "Concentration of the values around one point",
     winsorized},
    {text(Object::spec, "title", 200), "Heading of the collection"},
    {text(Object::spec, "description", 4000), "Content and purpose of the collection"},
    {{Object::spec, "people_asked", ValueForm::counts, 1, 0x1p40},
     "Number of people who were asked in each round, or an object that maps rounds to such numbers"},
    {{Object::spec, "chosen", ValueForm::object}, "Record of the choice by `auto`; written by `auto`"},
    {{Object::spec, "derived", ValueForm::any_object},
     "Values that follow from the other keys; omit this key"},
    {whole(Object::spec, "version", 1, 1, 1), "Version of the format"},

    {text(Object::attribute, "name", 63), "Name of the attribute, without control characters"},
    {short_form({Object::attribute, "domain", ValueForm::values, 2}),
     "Number of values of a category, or their labels"},
    {short_form({Object::attribute, "other", ValueForm::text}),
     "Label that is reported for labels outside the domain"},
    {short_form({Object::attribute, "missing_label", ValueForm::text}),
     "Label that people without an answer report"},
    {short_form(whole(Object::attribute, "prefix", 1, Attribute::max_string)),
     "Number of characters of the labels, which are the first characters of strings; requires `other`"},
    {short_form(flag(Object::attribute, "several")),
     "Whether a person may have any number of labels, including none"},
    {short_form(whole(Object::attribute, "most", 1, unbounded)),
     "Largest number of labels of a person; requires `several`"},
    {short_form({Object::attribute, "strings", ValueForm::object}),
     "Open domain of strings, instead of `domain`"},
    {short_form({Object::attribute, "min", ValueForm::ends}), "Lower end of the range of a number"},
    {short_form({Object::attribute, "max", ValueForm::ends}), "Upper end of the range of a number"},
    {short_form(whole(Object::attribute, "bins", 2, 4096)),
     "Number of bins of equal width in which a number is reported"},
    {short_form({Object::attribute, "edges", ValueForm::numbers, 1, 4095}),
     "Inner boundaries of the bins in which a number is reported, in ascending order"},
    {short_form(flag(Object::attribute, "circular")),
     "Whether both ends of the range are the same value, such as the hours 0 and 24"},
    {short_form(flag(Object::attribute, "missing")), "Whether people may have no value of the number"},
    {{Object::attribute, "vector", ValueForm::values, 2, 4096},
     "Number of elements of a vector of numbers, or their labels"},
    {{Object::attribute, "product", ValueForm::factors},
     "Two factors, whose product the device computes instead of reading a value",
     "sampled"},
    {{Object::attribute, "mechanism", ValueForm::mechanism},
     "Mechanism of the attribute; its options may be further keys of the attribute",
     "sampled"},
    {short_form(word(Object::attribute, "estimate", uses)), "Estimates for which the mechanism is chosen",
     automatic},
    {whole(Object::attribute, "grid", 1, 0x1p20), "Number of steps between the ends of the range", automatic},
    {{Object::attribute, "norm", ValueForm::above, 0, 64},
     "Maximum length of a person's vector, with each element scaled to [−1, 1]",
     automatic},
    {whole(Object::attribute, "weight", 1, 1000), "Sampling probability relative to the other attributes",
     "sampled"},
    {flag(Object::attribute, "evolving"),
     "Whether the number is rounded in steps that depend on its changes"},
    {{Object::attribute, "stream", ValueForm::change},
     "Changes of the values, instead of an entry in `attributes` of `stream`"},
    {text(Object::attribute, "title", 200), "Short heading of the attribute in results"},
    {short_form(text(Object::attribute, "question", 1000)), "Question as people read it"},
    {short_form(text(Object::attribute, "unit", 40)), "Unit of a number or a vector, shown after values"},
    {text(Object::attribute, "description", 4000), "Explanation of the attribute for readers"},
    {short_form(word(Object::attribute, "scale", scales)),
     "Whether the values of a category have an order, which drawings keep"},
    {short_form({Object::attribute, "display", ValueForm::texts, 1, max_label}),
     "Texts that readers see instead of labels, by label, number or element"},

    {option("grid"), "Number of steps between the ends of the range of a number"},
    {option("randomizer"), "Numeric randomizer of a coefficient"},
    {option("details"), "Whether a report contains one Haar coefficient or all"},
    {option("coefficients"), "Range of each Haar coefficient, if attributes are scaled to [−1, 1]"},
    {real(Object::option, "mean_epsilon", min_epsilon, max_epsilon),
     "Part of ε for the coefficient that is the mean"},
    {option("criterion"), "Variance that is minimized, over the range or on average"},
    {option("marginals"), "Sets of attributes that are reported together"},
    {option("queries"), "Sets of attributes for whose tables the marginals are optimized"},
    {real(Object::option, "one_way_share", 0, 0.9), "Proportion of people who report a single attribute"},
    {option("optimize_for"), "Queries whose error is minimized"},
    {option("people"), "Expected number of reports"},
    {option("per_report"), "Number of parts of the record in each report"},
    {option("joint_tables"),
     "Sets of two or three categories whose joint table is reported, or of a category and a number"},
    {real(Object::option, "delta", 1e-15, 0.001), "Probability with which ε may fail"},
    {{Object::option, "norm", ValueForm::above, 0, 64},
     "Maximum length of a person's vector, with each attribute scaled to [−1, 1]"},
    {real(Object::option, "report_epsilon", min_epsilon / 2, max_epsilon),
     "Privacy loss ε of a single report, in two layers"},
    {option("hash_buckets"), "Number of buckets of a hash function"},
    {option("cohorts"), "Number of groups of people with different hash functions"},
    {option("filter_bits"), "Number of bits of a Bloom filter"},
    {option("hashes"), "Number of hash functions of a Bloom filter"},
    {option("buckets"), "Number of intervals of values"},
    {option("bits_per_report"), "Number of buckets about which a person reports"},
    {option("order"), "Whether the last category is next to the first one"},
    {option("rounds"), "Number of rounds of the series that ε covers"},
    {option("changes"), "Number of changes of a person that are reported truthfully"},
    {option("thresholds"), "Finest resolution of ranges, a divisor of `grid`"},
    {real(Object::option, "response_rate", 0, 1),
     "Expected share of people who have a value, or 0 if it is unknown"},
    {option("response"), "Content of a report about a set of labels"},
    {option("first_level_length"), "Number of characters of the first level"},
    {option("level_step"), "Number of characters that each later level adds"},
    {option("columns"), "Number of tiles in a row of a map"},
    {option("coordinates"), "Position [x, y] of each value, in the order of the domain"},
    {option("utilities"), "Utility of each reported value, a row for each true value"},
    {option("max_distance"), "Distance from which on all distances are equal"},

    {required({Object::strings, "alphabet", ValueForm::text}),
     "Characters and ascending ranges of characters"},
    {required(whole(Object::strings, "max_length", 1, 63)), "Number of leading characters that are reported"},
    {flag(Object::strings, "lowercase"), "Whether the letters A to Z are reported as a to z"},
    {{Object::strings, "other", ValueForm::text},
     "Character of the alphabet that replaces all other characters"},

    {required({Object::regression, "of", ValueForm::text}), "Name of the dependent variable, a number"},
    {required({Object::regression, "on", ValueForm::names, 0}), "Names of the predictors, which are numbers"},
    {{Object::regression, "group", ValueForm::text},
     "Name of a category whose values have intercepts of their own"},

    {whole(Object::evolving, "window", 1, 10000, Evolving{}.window),
     "Number of reports after which the rounding step is chosen again"},
    {real(Object::evolving, "volatility", 0, 1, Evolving{}.volatility),
     "Mean change between reports, as a share of the range, above which the rounding step grows"},
    {real(Object::evolving, "flip_probability", 0.001, 1, Evolving{}.flip_probability),
     "Probability that a usual change of the value changes the rounded value"},
    {whole(Object::evolving, "base_levels", 1, 0x1p20, Evolving{}.base_levels),
     "Number of rounding steps of the range if the value hardly changes"},

    {required(real(Object::budget, "epsilon", min_epsilon, 1e6)), "Total ε of a person"},
    {text(Object::budget, "group", 63), "Name of the collections that share one budget of each person"},
    {real(Object::budget, "at_most", min_epsilon, 1e6),
     "Part of the budget of the group that this collection may spend"},
    {word(Object::budget, "when_spent", when_spent, 0),
     "Behaviour if the remaining budget is too small for a new response"},
    {flag(Object::budget, "report_spent", no_default),
     "Whether each report contains a randomized bit that states whether the budget is spent"},

    {required(whole(Object::stream, "rounds", 1, 100000)), "Number of rounds in which people report"},
    {required(whole(Object::stream, "people", 1, 0x1p40)), "Expected number of people"},
    {{Object::stream, "attributes", ValueForm::changes}, "Changes of the attributes of a record, by name"},
    {change(real(Object::stream, "change_rate", 0, 1, 0)),
     "Probability in each round that a value is replaced by a new value"},
    {change(real(Object::stream, "jitter", 0, unbounded, 0)),
     "Largest distance of a number from its base value, in the unit of the attribute"},
    {change(real(Object::stream, "drift", -unbounded, unbounded, 0)), "Change of every number in each round"},
    {change(real(Object::stream, "season", 0, unbounded, 0)),
     "Amplitude of a sine wave that moves all numbers alike"},
    {change(whole(Object::stream, "period", 1, 100000)), "Number of rounds of one wave; requires `season`"},

    {required({Object::concentration, "tau", ValueForm::above, 0}),
     "Distance from one point within which the values of all people are with probability 1 − `gamma`"},
    {real(Object::concentration, "gamma", 0, 0.5, 0.01),
     "Probability that a value is farther away than `tau`"},

    {required(text(Object::chosen, "reason", 1000)), "Reason of the choice"},
    {in(Object::chosen, report_bytes), "Limit of the choice; absent with `marginals`"},
    {in(Object::chosen, decode_cost), "Limit of the choice; absent with `marginals`"},
};

/// Returns the declaration of a key. A key that the table lacks does not compile.
[[nodiscard]] consteval Key key(Object object, std::string_view name) {
    for (const Declaration& one : table)
        if (one.key.object == object && one.key.name == name) return one.key;
    throw "the table has no such key";
}

inline constexpr Key epsilon = key(Object::spec, "epsilon");
inline constexpr Key version = key(Object::spec, "version");
inline constexpr Key min_group = key(Object::spec, "min_group");
/// The grid of a number or a vector whose mechanism is chosen automatically.
inline constexpr Key grid = key(Object::attribute, "grid");
/// The bound of the length of a vector whose mechanism is chosen automatically. Mechanisms that bound each number need none.
inline constexpr Key norm = key(Object::attribute, "norm");
inline constexpr Key bins = key(Object::attribute, "bins");

}  // namespace ldp::keys
