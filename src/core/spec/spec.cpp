#include "core/spec/spec.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/channel/odds.hpp"
#include "core/mechanism/mechanism.hpp"
#include "core/mechanism/selection.hpp"
#include "core/mechanism/series.hpp"
#include "core/summary/summary.hpp"

namespace ldp {

using Json = nlohmann::json;

namespace {

constexpr std::size_t max_text = std::size_t{1} << 20;
constexpr int max_depth = 8;
constexpr std::size_t max_name = 63;
constexpr std::size_t max_label = 200;
constexpr std::size_t max_reason = 1000;
constexpr std::uint64_t spec_version = 1;
constexpr const char* automatic = "auto";
constexpr Option report_bytes{"max_report_bytes", Limits{}.report_bytes, 26, 100000};
constexpr Option decode_cost{"max_decode_cost", Limits{}.decode_cost, 1, 1000000000};
constexpr Option share{.name = "share", .fallback = 0, .least = 1, .most = 1000};
constexpr Option prefix{"prefix", 0, 1, Attribute::max_string};
constexpr Option window{"window", Evolving{}.window, 1, 10000};
constexpr Option base_levels{"base_levels", Evolving{}.base_levels, 1, std::uint64_t{1} << 20};
constexpr double max_budget = 1e6;
constexpr const char* when_spent[] = {"repeat", "refuse"};  // as Budget::Spent

[[noreturn]] void invalid(const std::string& message, const std::string& detail,
                          const std::string& hint = {}) {
    throw Error(ErrorCode::invalid_spec, message, detail, hint);
}

/// What was found, short enough for an error message.
std::string shown(const Json& value) {
    return shortened(value.dump(-1, ' ', false, Json::error_handler_t::replace), 60);
}

std::string number(double value) {
    return shown(Json(value));
}

bool has_control(std::string_view text) {
    return std::ranges::any_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7F; });
}

/// JSON text to a document. The library keeps the last of two equal keys; here they are an error, as is
/// nesting deeper than any spec needs.
Json parse(std::string_view text) {
    if (text.size() > max_text)
        throw Error(
            ErrorCode::malformed, "the spec is too long",
            "Found " + std::to_string(text.size()) + " bytes; allowed are " + std::to_string(max_text) + ".");
    std::vector<std::set<std::string>> seen;
    const auto watch = [&](int depth, Json::parse_event_t event, const Json& parsed) {
        if (depth > max_depth)
            throw Error(ErrorCode::malformed, "the spec is nested too deeply",
                        "A spec has at most " + std::to_string(max_depth) + " levels.");
        if (event == Json::parse_event_t::object_start) seen.emplace_back();
        if (event == Json::parse_event_t::object_end) seen.pop_back();
        if (event == Json::parse_event_t::key && !seen.back().insert(parsed.get<std::string>()).second)
            invalid("the key " + shown(parsed) + " stands twice", "Each key may stand once in an object.");
        return true;
    };
    try {
        return Json::parse(text, watch);
    } catch (const Json::exception& error) {
        throw Error(
            ErrorCode::malformed, "the spec is no valid JSON", error.what(),
            "A spec is one JSON object, such as {\"mechanism\": \"grr\", \"epsilon\": 1, \"domain\": 4}.");
    }
}

/// The mechanisms that a spec may name.
std::string mechanism_names() {
    std::vector<std::string> names{automatic};
    for (const MechanismEntry* entry : registry()) names.emplace_back(entry->name);
    return "one of " + joined(names);
}

/// Whether a spec of these attributes has the option.
bool applies(const Option& option, const std::vector<Attribute>& attributes) {
    return !option.of_numbers || attributes[0].numeric();
}

/// Throws if the mechanism does not take as many values.
void check_domain(const MechanismEntry& mechanism, const Attribute& attribute) {
    if (attribute.domain > mechanism.max_size)
        invalid(
            std::string(mechanism.name) + " takes at most " + std::to_string(mechanism.max_size) + " values",
            "The domain of \"" + attribute.name + "\" has " + std::to_string(attribute.domain) + ".");
}

}  // namespace

/// Reads one JSON object, key by key; what is left at the end is unknown.
class SpecReader {
  public:
    SpecReader(const Json& object, std::string where) : object_(object), where_(std::move(where)) {
        if (!object.is_object()) invalid(where_ + " must be an object", "Found " + shown(object) + ".");
    }

    [[nodiscard]] const Json* find(const std::string& key) {
        known_.insert(key);
        const auto found = object_.find(key);
        return found == object_.end() ? nullptr : &*found;
    }
    [[nodiscard]] const Json& need(const std::string& key, const std::string& allowed) {
        const Json* found = find(key);
        if (found == nullptr)
            invalid("the key \"" + key + "\" is missing in " + where_, "Expected " + allowed + ".");
        return *found;
    }
    [[nodiscard]] double real(const std::string& key, const std::string& allowed) {
        const Json& found = need(key, allowed);
        if (!found.is_number()) wrong(key, found, allowed);
        const auto value = found.get<double>();
        if (!std::isfinite(value)) wrong(key, found, allowed);
        return value;
    }
    /// A number within bounds; the fallback if the key is not there.
    [[nodiscard]] double real(const std::string& key, double fallback, double least, double most) {
        if (find(key) == nullptr) return fallback;
        const std::string allowed = "a number from " + number(least) + " to " + number(most);
        const double value = real(key, allowed);
        if (!(value >= least && value <= most)) wrong(key, Json(value), allowed);
        return value;
    }
    [[nodiscard]] std::string word(const std::string& key, const std::string& allowed) {
        const Json& found = need(key, allowed);
        if (!found.is_string()) wrong(key, found, allowed);
        return found.get<std::string>();
    }
    /// A whole number within the option's bounds; its default if the key is not there.
    [[nodiscard]] std::uint64_t whole(const Option& option) {
        const Json* found = find(option.name);
        if (found == nullptr) return option.fallback;
        if (!found->is_number_unsigned() || found->get<std::uint64_t>() < option.least ||
            found->get<std::uint64_t>() > option.most)
            wrong(
                option.name, *found,
                "a whole number from " + std::to_string(option.least) + " to " + std::to_string(option.most));
        return found->get<std::uint64_t>();
    }
    /// Throws for the first key that nothing asked for.
    void finish() const {
        for (const auto& [key, value] : object_.items())
            if (!known_.contains(key))
                invalid("unknown key " + shown(Json(key)) + " in " + where_,
                        "Known here: " + joined(known_) + ".");
    }
    [[noreturn]] static void wrong(const std::string& key, const Json& found, const std::string& allowed) {
        invalid("\"" + key + "\" must be " + allowed, "Found " + shown(found) + ".");
    }

    static Spec spec(const Json& document);
    static Demand demand(const Json& document);
    /// Throws unless the mechanism takes the attributes.
    static void check_shape(const Spec& spec);
    /// Throws unless what a spec says of values that change can be honoured.
    static void check_evolving(const Spec& spec);

  private:
    static Demand demand(SpecReader& top);
    static Limits limits(SpecReader& reader);
    static Choice choice(const Json& found);
    static void option(SpecReader& top, const Option& option, std::size_t attributes, OptionValues& values);
    static UnitRange unit_range(const std::string& key, const Json& found);
    static Attribute attribute(SpecReader& reader, std::string name);
    static void reporting(SpecReader& reader, Attribute& attribute);
    static void domain(const Json& found, Attribute& attribute);
    static void outsiders(SpecReader& reader, Attribute& attribute);
    static void movement(SpecReader& reader, Attribute& attribute);
    static Evolving evolving(const Json& found, bool moving);
    static Budget budget(const Json& found);

    const Json& object_;
    std::string where_;
    std::set<std::string> known_;
};

/// Writes the canonical form.
class SpecWriter {
  public:
    static Json canonical(const Spec& spec);
    static Json derived(const Spec& spec);
};

void SpecReader::domain(const Json& found, Attribute& attribute) {
    const std::string allowed = "a number of values (2 or more) or an array of 2 or more labels";
    if (found.is_number_unsigned()) {
        attribute.domain = found.get<std::uint64_t>();
        if (attribute.domain < 2) wrong("domain", found, allowed);
        return;
    }
    if (!found.is_array() || found.size() < 2) wrong("domain", found, allowed);
    std::set<std::string> seen;
    for (const Json& label : found) {
        if (!label.is_string() || label.get_ref<const std::string&>().empty() ||
            label.get_ref<const std::string&>().size() > max_label)
            invalid("a label must be a string of 1 to " + std::to_string(max_label) + " bytes",
                    "Found " + shown(label) + ".");
        if (!seen.insert(label.get<std::string>()).second)
            invalid("a label stands twice in \"domain\"", "Found " + shown(label) + " again.",
                    "Each value of the domain needs its own label.");
        attribute.labels.push_back(label.get<std::string>());
    }
    attribute.domain = attribute.labels.size();
}

/// What becomes of labels outside the domain, and of strings.
void SpecReader::outsiders(SpecReader& reader, Attribute& attribute) {
    attribute.prefix = reader.whole(prefix);
    if (reader.find("other") != nullptr) {
        attribute.other = reader.word("other", "one of the labels");
        if (std::ranges::find(attribute.labels, attribute.other) == attribute.labels.end())
            wrong("other", Json(attribute.other), "one of the labels in \"domain\"");
    }
    if (attribute.prefix == 0) return;
    if (attribute.other.empty())
        invalid("\"prefix\" needs \"other\"", "Most strings begin with none of the labels.",
                "Add a label to \"domain\" and name it in \"other\": it stands for the rest.");
    for (const std::string& label : attribute.labels) {
        const bool whole_string = label.back() == Attribute::terminator;
        const auto string = std::string_view(label).substr(0, label.size() - (whole_string ? 1 : 0));
        if (label != attribute.other && attribute.label_of(string) != label)
            invalid("no string begins like a label",
                    "Found " + shown(Json(label)) + "; allowed are " + std::to_string(attribute.prefix) +
                        " characters, or fewer with U+0003 at the end, which stand for the whole string.",
                    "Only the label in \"other\" may be different.");
    }
}

Attribute SpecReader::attribute(SpecReader& reader, std::string name) {
    Attribute attribute;
    attribute.name = std::move(name);
    if (attribute.name.empty() || attribute.name.size() > max_name || has_control(attribute.name))
        invalid("an attribute's name must have 1 to " + std::to_string(max_name) +
                    " bytes and no control characters",
                "Found " + shown(Json(attribute.name)) + ".");
    if (const Json* found = reader.find("domain")) {
        if (reader.find("min") != nullptr || reader.find("max") != nullptr)
            invalid("attribute \"" + attribute.name + "\" has both a domain and a range",
                    "A categorical attribute has \"domain\"; a numeric one has \"min\" and \"max\".");
        domain(*found, attribute);
        outsiders(reader, attribute);
        return attribute;
    }
    attribute.min = reader.real("min", "a finite number, the least value");
    attribute.max = reader.real("max", "a finite number, the greatest value");
    if (!(attribute.min < attribute.max) || attribute.max - attribute.min > 1e300)
        invalid("\"min\" must be less than \"max\", by at most 1e300",
                "Attribute \"" + attribute.name + "\" has min " + number(attribute.min) + " and max " +
                    number(attribute.max) + ".");
    return attribute;
}

/// How an attribute of a record is reported.
void SpecReader::reporting(SpecReader& reader, Attribute& attribute) {
    if (reader.find("mechanism") != nullptr) {
        attribute.mechanism = reader.word("mechanism", mechanism_names());
        if (attribute.mechanism != automatic && find_mechanism(attribute.mechanism) == nullptr)
            wrong("mechanism", Json(attribute.mechanism), mechanism_names());
    }
    attribute.share = reader.whole(share);
}

/// Whether an attribute's values change.
void SpecReader::movement(SpecReader& reader, Attribute& attribute) {
    const Json* found = reader.find("evolving");
    if (found == nullptr) return;
    if (!found->is_boolean()) wrong("evolving", *found, "true or false, in an attribute");
    attribute.evolving = found->get<bool>();
    if (attribute.evolving && !attribute.numeric())
        invalid("an evolving attribute must be numeric", "\"" + attribute.name + "\" is categorical.",
                "Categories are remembered as they are, with \"evolving\": {} beside \"attributes\".");
}

Evolving SpecReader::evolving(const Json& found, bool moving) {
    SpecReader reader(found, "\"evolving\"");
    if (!moving && !found.empty())
        invalid("\"evolving\" says how to round, but no attribute is evolving", "Found " + shown(found) + ".",
                "Give an attribute \"evolving\": true, or leave the object empty: values are then remembered "
                "as they are.");
    Evolving evolving;
    evolving.window = reader.whole(window);
    evolving.volatility = reader.real("volatility", evolving.volatility, 0, 1);
    evolving.flip_probability = reader.real("flip_probability", evolving.flip_probability, 0.001, 1);
    evolving.base_levels = reader.whole(base_levels);
    reader.finish();
    return evolving;
}

Budget SpecReader::budget(const Json& found) {
    SpecReader reader(found, "\"budget\"");
    static_cast<void>(reader.need("epsilon", "what a person may spend over all time"));
    Budget budget{reader.real("epsilon", 0, min_epsilon, max_budget)};
    if (reader.find("when_spent") != nullptr) {
        const std::string allowed = "one of " + joined(when_spent);
        const std::string found_word = reader.word("when_spent", allowed);
        const auto* at = std::ranges::find(when_spent, found_word);
        if (at == std::end(when_spent)) wrong("when_spent", Json(found_word), allowed);
        budget.when_spent = static_cast<Budget::Spent>(at - when_spent);
    }
    reader.finish();
    return budget;
}

void SpecReader::check_evolving(const Spec& spec) {
    if (spec.evolving_.has_value() != spec.budget_.has_value())
        invalid("\"evolving\" and \"budget\" go together",
                spec.budget_
                    ? "Reports that are not remembered cost their epsilon each time; nothing bounds them."
                    : "Each value that is not remembered yet costs epsilon again.",
                spec.budget_ ? "Add \"evolving\": {} to have values remembered, or remove \"budget\"."
                             : "Add \"budget\": {\"epsilon\": …}: what a person may spend over all time.");
    if (!spec.evolving_) return;
    if (spec.budget_->answers(spec.epsilon_) == 0)
        invalid("the budget does not pay for one answer", "It has epsilon " + number(spec.budget_->epsilon) +
                                                              "; an answer costs " + number(spec.epsilon_) +
                                                              ".");
    const auto mechanism = make_mechanism(spec);
    if (as_series(*mechanism) != nullptr)
        invalid(
            "a series needs no \"evolving\" and no \"budget\"",
            "Under " + std::string(spec.mechanism_->name) + " a person's whole series costs epsilon, once.",
            "Remove both.");
    const std::vector<std::uint64_t> cells = mechanism->cells();
    for (std::size_t j = 0; j < cells.size(); ++j) {
        const Attribute& attribute = spec.attributes_[j];
        if (!attribute.evolving) continue;
        if (mechanism->answers()[0] != Quantity::means)
            invalid("an evolving attribute needs a mechanism for means",
                    std::string(spec.mechanism_->name) + " tells no means.",
                    "Rounding keeps the mean and nothing else.");
        if (spec.evolving_->base_levels >= cells[j])
            invalid("\"base_levels\" is more than the grid has steps",
                    "Found " + std::to_string(spec.evolving_->base_levels) + "; the grid of \"" +
                        attribute.name + "\" has " + std::to_string(cells[j] - 1) + ".");
    }
}

void SpecReader::check_shape(const Spec& spec) {
    const MechanismEntry& mechanism = spec.mechanism();
    const auto& attributes = spec.attributes();
    const auto want = [&](bool met, const std::string& wanted) {
        if (!met)
            invalid(
                std::string(mechanism.name) + " takes " + wanted,
                "Found " + std::to_string(attributes.size()) +
                    (attributes.size() == 1 ? " attribute, " : " attributes, ") +
                    (std::ranges::all_of(attributes, &Attribute::numeric)    ? "numeric."
                     : std::ranges::none_of(attributes, &Attribute::numeric) ? "categorical."
                                                                             : "numeric and categorical."));
    };
    switch (mechanism.shape) {
        case Shape::one_categorical:
            want(attributes.size() == 1 && !attributes[0].numeric(), "one categorical attribute");
            check_domain(mechanism, attributes[0]);
            break;
        case Shape::one_numeric:
            want(attributes.size() == 1 && attributes[0].numeric(), "one numeric attribute");
            break;
        case Shape::one_ordered:
            want(attributes.size() == 1, "one attribute");
            check_domain(mechanism, attributes[0]);
            break;
        case Shape::numeric_vector:
            want(attributes.size() >= 2 && attributes.size() <= mechanism.max_size &&
                     std::ranges::all_of(attributes, &Attribute::numeric),
                 "2 to " + std::to_string(mechanism.max_size) + " numeric attributes");
            break;
        case Shape::record:
            want(attributes.size() >= 2 && attributes.size() <= mechanism.max_size,
                 "2 to " + std::to_string(mechanism.max_size) + " attributes");
            return;
    }
    for (const Attribute& attribute : attributes)
        if (!attribute.mechanism.empty() || attribute.share != 0)
            invalid("an attribute has a \"mechanism\" or a \"share\" in records only",
                    std::string(mechanism.name) + " reports all attributes in one way.",
                    "The mechanism sampled collects records.");
}

Demand SpecReader::demand(SpecReader& top) {
    if (const Json* version = top.find("version"); version != nullptr && *version != spec_version)
        wrong("version", *version, "1, the only version there is");

    const std::string bounds = "a number from " + number(min_epsilon) + " to " + number(max_epsilon);
    Demand demand{top.real("epsilon", bounds), {}, {}};
    if (!(demand.epsilon >= min_epsilon && demand.epsilon <= max_epsilon))
        wrong("epsilon", Json(demand.epsilon), bounds);

    // One attribute may be written without the array: {"domain": …} or {"min": …, "max": …} at the top.
    if (const Json* attributes = top.find("attributes")) {
        if (!attributes->is_array() || attributes->empty())
            wrong("attributes", *attributes, "a non-empty array");
        std::set<std::string> seen;
        for (const Json& found : *attributes) {
            SpecReader reader(found, "attribute " + std::to_string(demand.attributes.size()));
            demand.attributes.push_back(attribute(reader, reader.word("name", "the attribute's name")));
            reporting(reader, demand.attributes.back());
            movement(reader, demand.attributes.back());
            reader.finish();
            if (!seen.insert(demand.attributes.back().name).second)
                invalid("two attributes have the same name",
                        "Found " + shown(Json(demand.attributes.back().name)) + " twice.");
        }
    } else if (top.object_.contains("domain") || top.object_.contains("min") || top.object_.contains("max")) {
        demand.attributes.push_back(attribute(top, "value"));
    } else {
        invalid("the spec has no attributes",
                "Expected \"attributes\", or for a single one \"domain\", or \"min\" and \"max\".");
    }
    return demand;
}

Demand SpecReader::demand(const Json& document) {
    SpecReader top(document, "the spec");
    Demand demand = SpecReader::demand(top);
    const Json* chosen = top.find("chosen");
    const bool limited = top.find(report_bytes.name) != nullptr || top.find(decode_cost.name) != nullptr;
    demand.limits = limited || chosen == nullptr ? limits(top) : choice(*chosen).limits;
    for (const char* key : {"mechanism", "derived", "evolving", "budget"}) top.known_.insert(key);
    for (const MechanismEntry* entry : registry())
        for (const Option& option : entry->options) top.known_.insert(option.name);
    top.finish();
    return demand;
}

Limits SpecReader::limits(SpecReader& reader) {
    return {reader.whole(report_bytes), reader.whole(decode_cost)};
}

Choice SpecReader::choice(const Json& found) {
    SpecReader reader(found, "\"chosen\"");
    const std::string allowed =
        "a sentence of at most " + std::to_string(max_reason) + " bytes without control characters";
    for (const Option& limit : {report_bytes, decode_cost})
        static_cast<void>(reader.need(limit.name, "the limit that the choice kept to"));
    Choice choice{limits(reader), reader.word("reason", allowed)};
    if (choice.reason.size() > max_reason || has_control(choice.reason))
        wrong("reason", Json(choice.reason), allowed);
    reader.finish();
    return choice;
}

void SpecReader::option(SpecReader& top, const Option& option, std::size_t attributes, OptionValues& values) {
    if (option.ranges) {
        const Json* found = top.find(option.name);
        if (found == nullptr) return;
        if (!found->is_array() || found->size() != attributes)
            wrong(option.name, *found,
                  "an array of " + std::to_string(attributes) + " ranges, one each attribute");
        std::vector<UnitRange> ranges;
        for (const Json& pair : *found) ranges.push_back(unit_range(option.name, pair));
        values[option.name] = std::move(ranges);
    } else if (option.real) {
        if (top.find(option.name) != nullptr) values[option.name] = top.real(option.name, "a finite number");
    } else if (option.choices.empty()) {
        values[option.name] = top.whole(option);
    } else if (const Json* found = top.find(option.name)) {
        if (std::ranges::find(option.choices, *found) == option.choices.end())
            wrong(option.name, *found, "one of " + joined(option.choices));
        values[option.name] = found->get<std::string>();
    }
}

// Outward to whole steps, and as a step reads back: the canonical form of a range is itself.
UnitRange SpecReader::unit_range(const std::string& key, const Json& found) {
    const auto number = [&](std::size_t i) {
        return found.is_array() && found.size() == 2 && found[i].is_number() ? found[i].get<double>() : NAN;
    };
    const auto up = [](double value) {
        const double step = std::floor(value * UnitRange::steps);
        return static_cast<std::int8_t>(step / UnitRange::steps < value ? step + 1 : step);
    };
    const double low = number(0), high = number(1);
    if (low >= -1 && low <= high && high <= 1) {
        const UnitRange range{static_cast<std::int8_t>(-up(-low)), up(high)};
        if (range.lo < range.hi) return range;
    }
    wrong(key, found, "pairs [least, greatest] within -1 and 1, the first less than the second");
}

Spec SpecReader::spec(const Json& document) {
    SpecReader top(document, "the spec");
    const std::string name = top.word("mechanism", mechanism_names());
    const MechanismEntry* mechanism = find_mechanism(name);
    if (mechanism == nullptr && name != automatic) wrong("mechanism", Json(name), mechanism_names());

    Demand demand = SpecReader::demand(top);
    const Json* chosen = top.find("chosen");
    std::optional<Choice> choice;
    if (mechanism == nullptr) {
        if (chosen != nullptr)
            invalid("\"chosen\" and \"auto\" cannot stand together",
                    "\"chosen\" tells of a choice that was made; \"auto\" asks for one.",
                    "Remove \"chosen\" to choose again.");
        demand.limits = limits(top);
        Verdict verdict = choose(demand);
        mechanism = verdict.mechanism;
        choice = {demand.limits, std::move(verdict.reason)};
    } else {
        for (const char* limit : {report_bytes.name, decode_cost.name})
            if (document.contains(limit))
                invalid("\"" + std::string(limit) + "\" is for the mechanism \"auto\" only",
                        "The spec names the mechanism " + name + ".");
        if (chosen != nullptr) choice = SpecReader::choice(*chosen);
    }
    OptionValues options;
    if (name != automatic)
        for (const Option& option : mechanism->options)
            if (applies(option, demand.attributes))
                SpecReader::option(top, option, demand.attributes.size(), options);
    Spec spec = Spec::with_defaults(*mechanism, demand.epsilon, std::move(demand.attributes),
                                    std::move(options), demand.limits);
    spec.chosen_ = std::move(choice);
    const bool moving = std::ranges::any_of(spec.attributes_, &Attribute::evolving);
    if (const Json* found = top.find("evolving"))
        spec.evolving_ = evolving(*found, moving);
    else if (moving)
        spec.evolving_.emplace();
    if (const Json* found = top.find("budget")) spec.budget_ = budget(*found);
    check_evolving(spec);

    const Json* derived = top.find("derived");
    top.finish();
    const Json truth = SpecWriter::derived(spec);  // also makes sure that the mechanism can be built
    const auto agrees = [&](const std::string& key, const Json& value) {
        const auto found = derived->find(key);
        return found != derived->end() && found->is_number() &&
               std::abs(found->get<double>() - value.get<double>()) <= 1e-9 * std::abs(value.get<double>());
    };
    if (derived != nullptr) {
        bool equal = derived->is_object() && derived->size() == truth.size();
        if (equal)
            for (const auto& [key, value] : truth.items()) equal = equal && agrees(key, value);
        if (!equal)
            invalid("\"derived\" does not follow from the rest of the spec",
                    "Found " + shown(*derived) + "; expected " + truth.dump() + ".",
                    "Remove \"derived\": it is computed, not chosen.");
    }
    return spec;
}

Json SpecWriter::canonical(const Spec& spec) {
    Json document{{"version", spec_version},
                  {"mechanism", spec.mechanism().name},
                  {"epsilon", spec.epsilon()},
                  {"attributes", Json::array()}};
    for (const Attribute& attribute : spec.attributes()) {
        Json entry{{"name", attribute.name}};
        if (attribute.numeric()) {
            entry["min"] = attribute.min;
            entry["max"] = attribute.max;
        } else if (attribute.labels.empty()) {
            entry["domain"] = attribute.domain;
        } else {
            entry["domain"] = attribute.labels;
        }
        if (!attribute.other.empty()) entry["other"] = attribute.other;
        if (attribute.prefix != 0) entry["prefix"] = attribute.prefix;
        if (!attribute.mechanism.empty()) entry["mechanism"] = attribute.mechanism;
        if (attribute.share != 0) entry["share"] = attribute.share;
        if (attribute.evolving) entry["evolving"] = true;
        document["attributes"].push_back(std::move(entry));
    }
    for (const Option& option : spec.mechanism().options) {
        if (!applies(option, spec.attributes())) continue;
        const auto& value = spec.options_.at(option.name);
        if (option.later && value == Spec::fallback(option, spec.attributes().size())) continue;
        if (option.ranges) {
            for (const UnitRange& range : std::get<std::vector<UnitRange>>(value))
                document[option.name].push_back({range.low(), range.high()});
        } else if (option.real) {
            document[option.name] = std::get<double>(value);
        } else if (option.choices.empty()) {
            document[option.name] = std::get<std::uint64_t>(value);
        } else {
            document[option.name] = std::get<std::string>(value);
        }
    }
    if (spec.evolving_) {
        Json& evolving = document["evolving"] = Json::object();
        if (std::ranges::any_of(spec.attributes_, &Attribute::evolving))
            evolving = {{window.name, spec.evolving_->window},
                        {"volatility", spec.evolving_->volatility},
                        {"flip_probability", spec.evolving_->flip_probability},
                        {base_levels.name, spec.evolving_->base_levels}};
        document["budget"] = {{"epsilon", spec.budget_->epsilon},
                              {"when_spent", when_spent[static_cast<std::size_t>(spec.budget_->when_spent)]}};
    }
    return document;
}

Json SpecWriter::derived(const Spec& spec) {
    const auto mechanism = make_mechanism(spec);
    Json derived{{"report_bytes", mechanism->block().size() + mechanism->payload_size()},
                 {"summary_bytes", summary_size(*mechanism)}};
    const Json given = canonical(spec);
    for (const auto& [key, value] : mechanism->parameters())
        if (!given.contains(key) && !given["attributes"][0].contains(key)) derived[key] = value;
    if (spec.budget_) {
        const std::uint64_t answers = std::min(mechanism->most_keys(), spec.budget_->answers(spec.epsilon()));
        derived["most_answers"] = answers;
        derived["most_epsilon"] =
            std::min(spec.budget_->epsilon, static_cast<double>(answers) * spec.epsilon());
    }
    return derived;
}

std::uint64_t Budget::answers(double each) const noexcept {
    const double count = std::floor(epsilon / each);
    const bool another = (count + 1) * each <= epsilon * (1 + 1e-15);
    return static_cast<std::uint64_t>(another ? count + 1 : count);
}

std::optional<std::string> Attribute::label_of(std::string_view text) const {
    std::string label(text);
    if (prefix == 0) return label;
    if (text.size() > max_string || text.find(terminator) != text.npos ||
        characters(text, max_string).size() != text.size())
        return {};
    label += terminator;
    label.resize(characters(label, prefix).size());
    return label;
}

Demand Demand::from_json(std::string_view text) {
    return SpecReader::demand(parse(text));
}

Spec Spec::from_json(std::string_view text) {
    return SpecReader::spec(parse(text));
}

Spec Spec::with_defaults(const MechanismEntry& mechanism, double epsilon, std::vector<Attribute> attributes,
                         OptionValues given, const Limits& limits) {
    Spec spec;
    spec.mechanism_ = &mechanism;
    spec.epsilon_ = epsilon;
    spec.attributes_ = std::move(attributes);
    SpecReader::check_shape(spec);
    spec.options_ = std::move(given);
    for (const Option& option : mechanism.options)
        if (applies(option, spec.attributes_))
            spec.options_.try_emplace(option.name, fallback(option, spec.attributes_.size()));
    if (mechanism.settle != nullptr) {
        Draft draft{epsilon, limits, spec.attributes_, spec.options_};
        mechanism.settle(draft);
    }
    return spec;
}

OptionValue Spec::fallback(const Option& option, std::size_t attributes) {
    if (option.ranges) return std::vector<UnitRange>(attributes);
    if (option.real) return 0.0;
    if (option.choices.empty()) return option.fallback;
    return std::string(option.choices[0]);
}

std::string Spec::to_json() const {
    Json document = SpecWriter::canonical(*this);
    if (chosen_)
        document["chosen"] = {{report_bytes.name, chosen_->limits.report_bytes},
                              {decode_cost.name, chosen_->limits.decode_cost},
                              {"reason", chosen_->reason}};
    document["derived"] = SpecWriter::derived(*this);
    return document.dump();
}

std::uint64_t Spec::fingerprint() const {
    ContentHash hash;
    hash.add(SpecWriter::canonical(*this).dump());
    return hash.value();
}

std::uint64_t Spec::number(const std::string& option) const {
    return std::get<std::uint64_t>(options_.at(option));
}
const std::string& Spec::word(const std::string& option) const {
    return std::get<std::string>(options_.at(option));
}

double Spec::real(const std::string& option) const {
    return std::get<double>(options_.at(option));
}

const std::vector<UnitRange>& Spec::ranges(const std::string& option) const {
    return std::get<std::vector<UnitRange>>(options_.at(option));
}

std::string fingerprint_text(std::uint64_t fingerprint) {
    constexpr char digits[] = "0123456789abcdef";
    std::string text(16, '0');
    for (std::size_t i = 16; i-- > 0; fingerprint >>= 4) text[i] = digits[fingerprint & 15];
    return text;
}

}  // namespace ldp
