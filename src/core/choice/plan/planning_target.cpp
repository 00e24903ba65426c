#include "core/choice/plan/planning_target.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/text.hpp"
#include "core/contract/json_object.hpp"
#include "core/contract/labels.hpp"
#include "core/math/statistics.hpp"
#include "core/mechanism/role/registry.hpp"
#include "core/mechanism/strings/string_codes.hpp"

namespace ldp {

namespace {

using Asked = PlanningTarget::Asked;

constexpr double huge = 1e300, far_out = 1e301, share_least = 1e-9;

std::optional<double> number(JsonObject& object, const char* key, double least, double most) {
    if (!object.contains(key)) return {};
    return object.real(key, 0, least, most);
}

std::size_t attribute_called(const std::string& name, const Spec& spec) {
    const auto& all = spec.attributes();
    if (const auto found = find_attribute(all, name)) return *found;
    std::vector<std::string> names;
    for (const Attribute& each : all) names.push_back(each.name);
    invalid("the spec has no attribute \"" + name + "\"", "It has " + shortened(joined(names), 200) + ".");
}

/// The number of rounds of an attribute that is reported as a series; 0 for others.
std::uint64_t rounds_of(const Spec& spec, const Attribute& attribute) {
    if (spec.mechanism().series) return spec.number("rounds");
    const MechanismEntry* entry = find_mechanism(attribute.mechanism);
    return entry != nullptr && entry->series ? std::get<std::uint64_t>(attribute.options.at("rounds")) : 0;
}

std::size_t value_of(JsonObject& object, const Attribute& attribute) {
    const Json* found = object.find("value");
    if (found == nullptr) return 0;
    if (found->is_string()) {
        const auto text = found->get<std::string>();
        if (const auto label = find_label(attribute, text)) return *label;
        // The error is that of the string of the largest error, whichever is named.
        if (attribute.strings && code_of(*attribute.strings, text)) return 0;
        for (std::size_t v = 0; attribute.labels.empty() && !attribute.strings && v < attribute.domain; ++v)
            if (std::to_string(v) == text) return v;
    } else if (!attribute.strings && found->is_number_unsigned() &&
               found->get<std::uint64_t>() < attribute.domain) {
        return found->get<std::size_t>();
    }
    if (attribute.strings) JsonObject::wrong("value", *found, "a string of \"" + attribute.name + "\"");
    JsonObject::wrong("value", *found,
                      "a label of \"" + attribute.name + "\", or a whole number from 0 to " +
                          std::to_string(attribute.domain - 1));
}

template <class Choice>
Choice chosen(JsonObject& object, const char* key, const char* allowed,
              std::initializer_list<std::pair<const char*, Choice>> words) {
    const Json* found = object.find(key);
    if (found == nullptr) return words.begin()->second;
    for (const auto& [word, choice] : words)
        if (*found == word) return choice;
    JsonObject::wrong(key, *found, allowed);
}

/// Reads the keys of the target. By default it is the mean of a number, or a share of a category.
void read_asked(JsonObject& object, const Spec& spec, PlanningTarget& question) {
    if (object.contains("attribute"))
        question.attribute = attribute_called(object.word("attribute", "the name of an attribute"), spec);
    const Attribute& attribute = spec.attributes()[question.attribute];
    question.asked = attribute.numeric() ? Asked::mean : Asked::share;
    const bool range = object.contains("low") || object.contains("high");
    if (const auto share = number(object, "quantile", share_least, 1 - share_least)) {
        if (range) invalid("a planning target cannot have both a \"quantile\" and a range", "Found both.");
        question.asked = Asked::quantile;
        question.quantile = *share;
    }
    if (range) {
        const double most =
            attribute.of_numbers() ? attribute.max : static_cast<double>(attribute.domain) - 1;
        question.asked = Asked::range;
        question.range = {object.real("low", attribute.min, -huge, huge),
                          object.real("high", most, -huge, huge)};
        if (question.range.upper < question.range.lower)
            invalid("\"low\" must not be above \"high\"",
                    "Found " + shown(question.range.lower) + " and " + shown(question.range.upper) + ".");
    }
    if (question.asked != Asked::share) return;
    question.value = value_of(object, attribute);
    if (!object.contains("joint_with")) return;
    question.with = attribute_called(object.word("joint_with", "the name of another attribute"), spec);
    if (*question.with == question.attribute)
        invalid("\"joint_with\" must name another attribute", "Found \"" + attribute.name + "\" twice.");
}

void read_assumed(JsonObject& object, const Spec& spec, PlanningTarget& question) {
    if (question.asked == Asked::share) question.share = number(object, "proportion", 0, 1);
    if (!object.contains("mean") && !object.contains("sd")) return;
    const Attribute& attribute = spec.attributes()[question.attribute];
    if (!attribute.of_numbers())
        invalid("\"mean\" and \"sd\" are for numbers only", "\"" + attribute.name + "\" is a category.");
    (void)object.need("mean", "the mean of people's numbers");
    (void)object.need("sd", "the standard deviation of people's numbers");
    question.normal = {object.real("mean", 0, -far_out, far_out), object.real("sd", 0, 1e-300, far_out)};
}

}  // namespace

PlanningTarget PlanningTarget::from_json(std::string_view text, const Spec& spec) {
    const Json document = parse_json(text, {"planning target", R"({"error": 0.01})"});
    JsonObject object(document, "the planning target");
    PlanningTarget question;
    read_asked(object, spec, question);
    read_assumed(object, spec, question);
    question.target = chosen<Target>(object, "target", "\"population\" or \"sample\"",
                                     {{"population", Target::population}, {"sample", Target::sample}});
    question.compared = chosen<Compared>(
        object, "compare", "\"nothing\", \"groups\" or \"days\"",
        {{"nothing", Compared::nothing}, {"groups", Compared::groups}, {"days", Compared::days}});
    if (question.compared == Compared::groups)
        question.part = object.real("part", question.part, 0.001, 0.999);
    if (question.compared == Compared::days) question.kept = object.real("repeat_rate", 0, 0, 1);
    question.rounds = object.whole({"rounds", 1, 1, 1000000});
    const std::uint64_t series_rounds = rounds_of(spec, spec.attributes()[question.attribute]);
    if (series_rounds > 0 && object.contains("round"))
        question.round = object.whole({"round", 1, 1, series_rounds}) - 1;
    question.answering = object.real("response_rate", 1, 0.001, 1);
    question.error = number(object, "error", 1e-300, huge);
    question.margin = number(object, "margin", 1e-300, huge);
    question.effect = number(object, "effect", 1e-300, huge);
    if (int{question.error.has_value()} + question.margin.has_value() + question.effect.has_value() > 1)
        invalid("a planning target has only one of \"error\", \"margin\" and \"effect\"", "Found several.");
    if ((question.asked == Asked::share || question.asked == Asked::range) && question.margin &&
        *question.margin >= 1)
        invalid("\"margin\" of a share must be below 1", "Found " + shown(*question.margin) + ".",
                "A share is a proportion: 0.02 stands for two percentage points.");
    question.confidence = object.real("confidence", question.confidence, 0.5, 1 - 1e-12);
    question.power = object.real("power", question.power, 0.5, 1 - 1e-9);
    object.finish();
    return question;
}

std::optional<double> PlanningTarget::wanted() const {
    if (error) return error;
    if (margin) return *margin / interval({0, 1}, confidence).upper;
    if (effect) return *effect / least_effect(power, confidence);
    return {};
}

double power_of(double effect, double confidence) {
    const double far = critical_value(confidence);
    return one_sided(far - effect) + one_sided(far + effect);
}

// The power rises with the effect.
double least_effect(double power, double confidence) {
    double low = 0, high = critical_value(confidence) + 10;
    for (double middle = high / 2; low < middle && middle < high; middle = (low + high) / 2)
        (power_of(middle, confidence) < power ? low : high) = middle;
    return high;
}

}  // namespace ldp
