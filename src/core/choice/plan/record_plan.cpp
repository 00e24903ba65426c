#include "core/choice/plan/record_plan.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "core/base/error.hpp"
#include "core/base/json.hpp"
#include "core/choice/plan/plan.hpp"
#include "core/choice/resolve.hpp"
#include "core/contract/attributes.hpp"
#include "core/mechanism/joint/joint.hpp"
#include "core/mechanism/ordered/ordered.hpp"
#include "core/mechanism/record/record_parts.hpp"

namespace ldp {

namespace {

constexpr const char* common_keys[] = {"target", "confidence", "response_rate"};

/// A planning target for one estimate, and the text that describes it.
struct Wanted {
    std::size_t attribute;
    std::string estimate;
    double chance;  ///< the probability that a report of the part is about the attribute, or the pair
    Json target;
};

/// Returns the estimates that are planned for a part: the mean of a number or of an element of a vector, the
/// shares of a category, and the cells of pairs. For a distribution, they are its median and the share of
/// half the range. If the elements of a vector have different ranges, each has a mean of its own.
std::vector<Wanted> estimates_of(const RecordPart& part, const std::vector<Attribute>& attributes) {
    const std::size_t count = part.count;
    std::vector<Wanted> all;
    const auto* joint = find_capability<JointViews>(*part.mechanism);
    const auto add = [&](std::size_t attribute, const std::string& estimate, Json target = Json::object(),
                         std::optional<double> chance = {}) {
        target["attribute"] = attributes[attribute].name;
        if (!chance) chance = joint == nullptr ? 1 : joint->attribute_chance(attribute - part.first);
        all.push_back({attribute, estimate, *chance, std::move(target)});
    };
    if (!attributes[part.first].vector.empty()) {
        const auto elements = std::span(attributes).subspan(part.first, count);
        const bool same = std::ranges::all_of(elements, [&](const Attribute& one) {
            return one.min == elements[0].min && one.max == elements[0].max;
        });
        if (same) add(part.first, "mean of an element");
        for (std::size_t j = part.first; !same && j < part.first + count; ++j)
            add(j, "mean of " + element_label(attributes[j]));
        return all;
    }
    for (std::size_t j = part.first; j < part.first + count; ++j) {
        const Attribute& attribute = attributes[j];
        if (find_capability<Ordered>(*part.mechanism) != nullptr) {
            add(j, "median", {{"quantile", 0.5}});
            if (attribute.numeric())
                add(j, "share of half the range",
                    {{"low", attribute.min}, {"high", attribute.min / 2 + attribute.max / 2}});
        } else {
            add(j, attribute.numeric() ? "mean" : "share of a value");
        }
    }
    if (joint == nullptr) return all;
    const auto views = joint->views();
    for (std::size_t v = 0; v < views.size(); ++v)
        if (views[v].size() == 2)
            add(part.first + views[v][0], "cell with " + attributes[part.first + views[v][1]].name,
                {{"joint_with", attributes[part.first + views[v][1]].name}}, joint->view_chance(v));
    return all;
}

/// The name under which the spec lists an attribute.
const std::string& listed_name(const Attribute& attribute) {
    return attribute.vector.empty() ? attribute.name : attribute.vector;
}

void need(bool fulfilled, const char* message, const char* detail, const char* hint) {
    if (!fulfilled) throw Error(ErrorCode::invalid_spec, message, detail, hint);
}

}  // namespace

bool plans_record(const std::string& spec, const std::string& target) {
    const Json document = json_of(spec, Unsound::allowed), asked = json_of(target, Unsound::allowed);
    if (!document.is_object() || !document.contains("epsilon") || !asked.is_object()) return false;
    for (const auto& [key, value] : asked.items())
        if (std::ranges::find(common_keys, key) == std::end(common_keys)) return false;
    const Json* attributes = document.contains("attributes") ? &document["attributes"] : nullptr;
    if (attributes == nullptr || !attributes->is_array() || attributes->size() < 2) return false;
    return is_record_of_parts(resolve(spec).mechanism());
}

RecordPlan plan_record(const std::string& spec, const std::string& target,
                       std::optional<std::int64_t> people) {
    Json document = json_of(spec, Unsound::refused);
    if (people) {
        for (const char* key : {"derived", "chosen"}) document.erase(key);
        document["people"] = *people;
    }
    const std::string text = json_text(document);
    const Spec settled = resolve(text);
    const std::unique_ptr<const Mechanism> mechanism = make_mechanism(settled);
    const Json margins = document.value("max_margin_of_error", Json::object()),
               common = json_of(target, Unsound::refused);

    struct Planned {
        RecordPart part;
        Wanted wanted;
        Planning planning;
        std::optional<std::uint64_t> needed;
    };
    std::vector<Planned> all;
    for (const RecordPart& part : parts_of(*mechanism))
        for (Wanted& wanted : estimates_of(part, settled.attributes())) {
            wanted.target.update(common);
            const Attribute& one = settled.attributes()[wanted.attribute];
            const std::string& name = margins.contains(one.name) ? one.name : listed_name(one);
            // A margin is one of shares or of means, not of quantiles and cells of tables.
            const bool of_margin = margins.contains(name) && !wanted.target.contains("quantile") &&
                                   !wanted.target.contains("joint_with");
            if (of_margin) wanted.target["margin"] = margins[name];
            Planning planning(text, json_text(wanted.target));
            const auto needed =
                of_margin ? std::optional(planning.required_people()) : std::optional<std::uint64_t>();
            all.push_back({part, std::move(wanted), std::move(planning), needed});
        }
    RecordPlan plan{settled, 0, {}};
    if (people)
        plan.people = static_cast<std::uint64_t>(*people);
    else if (document.contains("people"))
        plan.people = settled.number("people");
    else
        for (const Planned& one : all) plan.people = std::max(plan.people, one.needed.value_or(0));
    need(plan.people > 0, "the number of people is missing",
         "The spec has neither \"people\" nor \"max_margin_of_error\".",
         "Add one of them, or state the number of people.");
    for (const Planned& one : all) {
        const double error = one.planning.plan(static_cast<std::int64_t>(plan.people)).prediction.error();
        plan.estimates.push_back({listed_name(settled.attributes()[one.wanted.attribute]),
                                  one.wanted.estimate,
                                  find_mechanism(one.part.mechanism->header().mechanism)->name,
                                  static_cast<double>(plan.people) * one.part.chance * one.wanted.chance *
                                      one.planning.question().answering,
                                  error, one.planning.margin(error), one.needed});
    }
    return plan;
}

}  // namespace ldp
