#include "core/contract/spec.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/text.hpp"
#include "core/channel/epsilon_odds.hpp"
#include "core/contract/attributes.hpp"
#include "core/contract/canonical.hpp"
#include "core/contract/mechanism_options.hpp"
#include "core/contract/response_count.hpp"
#include "core/contract/spec_reader.hpp"
#include "core/mechanism/longitudinal/series.hpp"
#include "core/mechanism/mean/rounded_numbers.hpp"
#include "core/mechanism/record/record_parts.hpp"
#include "core/mechanism/role/capability.hpp"
#include "core/mechanism/role/fields.hpp"
#include "core/mechanism/role/mechanism.hpp"
#include "core/mechanism/role/spent_signal.hpp"

namespace ldp {

using keys::Object;

void refuse_limits(const Json& document, const std::string& why) {
    for (const char* limit : {keys::report_bytes.name, keys::decode_cost.name})
        if (document.contains(limit))
            invalid("\"" + std::string(limit) + "\" requires the mechanism \"auto\" without marginals", why,
                    "Remove it.");
}

void refuse_want(const std::string& mechanism) {
    invalid("\"estimate\" is for the mechanism \"auto\" only",
            "The spec names the mechanism " + mechanism + ".",
            "Remove \"estimate\", or let \"auto\" choose the mechanism.");
}

Choice read_choice(const Json& found, bool joint) {
    JsonObject reader(found, "\"chosen\"");
    std::optional<Limits> limits;
    if (!joint)
        limits = {reader.whole(required(key(Object::chosen, "max_report_bytes"))),
                  reader.whole(required(key(Object::chosen, "max_decode_cost")))};
    Choice choice{limits, reader.text(key(Object::chosen, "reason"))};
    reader.finish();
    return choice;
}

Budget read_budget(const Json& found) {
    JsonObject reader(found, "\"budget\"");
    Budget budget{reader.real(key(Object::budget, "epsilon"))};
    constexpr keys::Key group = key(Object::budget, "group"), at_most = key(Object::budget, "at_most");
    if (reader.find(group.name) != nullptr) {
        budget.group = {reader.text(group), budget.epsilon};
        budget.epsilon = reader.real(at_most.name, budget.epsilon, at_most.least, budget.group->epsilon);
    } else if (reader.contains(at_most.name)) {
        invalid("\"at_most\" is for a budget of a group",
                "It limits the part of the group's budget that this collection may spend.",
                "Write the limit of this collection as \"epsilon\", or name the \"group\".");
    }
    budget.when_spent = static_cast<Budget::WhenSpent>(reader.word(key(Object::budget, "when_spent")));
    constexpr keys::Key report_spent = key(Object::budget, "report_spent");
    if (reader.find(report_spent.name) != nullptr) {
        budget.report_spent = reader.flag(report_spent);
        if (budget.when_spent == Budget::WhenSpent::stop)
            invalid("\"report_spent\" is for \"when_spent\": \"repeat\" only",
                    "A person with a spent budget sends no report that could show it.", "Remove it.");
    }
    reader.finish();
    return budget;
}

namespace {

Evolving read_evolving(const Json& found, bool moving) {
    JsonObject reader(found, "\"evolving\"");
    if (!moving && !found.empty())
        invalid("\"evolving\" has rounding options, but no attribute is evolving",
                "Found " + shown(found) + ".",
                "Set \"evolving\": true for an attribute, or use an empty object to memoize values without "
                "rounding.");
    Evolving evolving;
    evolving.window = reader.whole(key(Object::evolving, "window"));
    evolving.volatility = reader.real(key(Object::evolving, "volatility"));
    evolving.flip_probability = reader.real(key(Object::evolving, "flip_probability"));
    evolving.base_levels = reader.whole(key(Object::evolving, "base_levels"));
    reader.finish();
    return evolving;
}

/// Whether the mechanism estimates the distribution of an attribute, not only its mean.
bool answers_distribution(const Mechanism& mechanism, std::size_t attribute) {
    const auto* record = find_capability<Record>(mechanism);
    return (record == nullptr ? mechanism : record->reporter(attribute)).can_estimate(Quantity::distribution);
}

/// Checks a record that has series among its parts.
void check_series_parts(const Spec& spec, const Mechanism& mechanism) {
    const SeriesParts* parts = series_parts(mechanism);
    if (parts == nullptr) return;
    if (!spec.evolving() && !parts->only_series())
        invalid("a record of series and other attributes needs \"evolving\" and \"budget\"",
                "People report in each of " + std::to_string(parts->rounds()) +
                    " rounds. A series costs epsilon once; each report of another attribute would cost "
                    "epsilon again.",
                "Add \"evolving\": {} and \"budget\": {\"epsilon\": …}: the other attributes are then "
                "reported from memoized responses.");
    for (std::size_t j = 0; j < spec.attributes().size(); ++j)
        if (spec.attributes()[j].evolving && is_series(mechanism, j))
            invalid("the series \"" + spec.attributes()[j].name + "\" cannot be evolving",
                    "A series reports changes at a fixed cost.",
                    "Remove \"evolving\": true from the attribute.");
}

/// Checks the budget of a group under a spec whose responses are not memoized.
void check_fresh_budget(const Budget& budget) {
    if (budget.report_spent)
        invalid("\"report_spent\" is for memoized responses only",
                "Without \"evolving\", a person with a spent budget sends no report that could show it.",
                "Remove it.");
}

/// Checks what every budget must pay for.
void check_budget(const Spec& spec) {
    if (spec.budget()->responses(spec.epsilon()) == 0)
        invalid("the budget does not pay for one response",
                "It has epsilon " + shown(spec.budget()->epsilon) + "; a response costs " +
                    shown(spec.epsilon()) + ".");
    if (spec.delta() != 0 && !spec.evolving())
        invalid("a budget of a group cannot pay for reports with a delta",
                std::string(spec.mechanism().name) +
                    " satisfies epsilon except with probability delta, and a budget supports epsilon only.",
                "Remove \"budget\", or choose a mechanism without \"delta\".");
}

void check_evolving(const Spec& spec) {
    const bool in_group = spec.budget() && spec.budget()->group;
    if (spec.evolving().has_value() != spec.budget().has_value() && !in_group)
        invalid("\"evolving\" and \"budget\" must be used together",
                spec.budget() ? "Without memoization, each report costs epsilon again, without a bound."
                              : "Each new value costs epsilon.",
                spec.budget() ? "Add \"evolving\": {} to memoize responses, name a \"group\" of "
                                "collections that share the budget, or remove \"budget\"."
                              : "Add \"budget\": {\"epsilon\": …}: the total epsilon of a person.");
    if (has_series(spec.attributes())) check_series_parts(spec, *make_mechanism(spec));
    if (spec.budget()) check_budget(spec);
    if (!spec.evolving() && in_group) check_fresh_budget(*spec.budget());
    if (!spec.evolving()) return;
    const auto mechanism = make_mechanism(spec);
    const SeriesParts* parts = series_parts(*mechanism);
    if (spec.mechanism().series || (parts != nullptr && parts->only_series()))
        invalid(
            "a series needs no \"evolving\" and no \"budget\"",
            (parts != nullptr ? "All attributes are series, and a person's whole series costs epsilon, once."
                              : "Under " + std::string(spec.mechanism().name) +
                                    " a person's whole series costs epsilon, once."),
            "Remove both.");
    if (spec.delta() != 0)
        invalid("responses with a delta cannot be memoized",
                std::string(spec.mechanism().name) +
                    " satisfies epsilon except with probability delta, and a budget supports epsilon only.",
                "Remove both \"evolving\" and \"budget\", or choose a mechanism without \"delta\".");
    if (spec.budget()->report_spent == true && spec.budget()->responses(spec.epsilon()) > 0 &&
        possible_responses(spec, *mechanism) > spec.budget()->responses(spec.epsilon()) &&
        !has_signal(*mechanism))
        invalid("the budget does not pay for a response and the signal of a spent budget",
                "It has epsilon " + shown(spec.budget()->epsilon) + "; a response costs " +
                    shown(spec.epsilon()) + ", and the signal " + shown(signal_epsilon(*mechanism)) + ".",
                "Increase the budget, or write \"report_spent\": false.");
    const std::vector<std::uint64_t> cells = mechanism->cells();
    for (std::size_t j = 0; j < cells.size(); ++j) {
        const Attribute& attribute = spec.attributes()[j];
        if (!attribute.evolving) continue;
        if (!mechanism->can_estimate(Quantity::means))
            invalid("an evolving attribute needs a mechanism for means",
                    std::string(spec.mechanism().name) + " does not estimate means.",
                    "Use a mechanism for means; rounding preserves the mean only.");
        if (answers_distribution(*mechanism, j))
            invalid(
                "\"" + attribute.name + "\" cannot be evolving under " + std::string(spec.mechanism().name),
                "Rounding preserves the mean of a number, but not its distribution. The bias of ranges "
                "and quantiles would exceed their errors.",
                "Remove \"evolving\": true from the attribute, and add \"evolving\": {} next to "
                "\"attributes\". Under the mechanism dithered, a small movement of a number then rarely "
                "costs epsilon; under others, each new number does. For the mean only, use a mechanism "
                "for means, such as optimal or onebit.");
        if (spec.evolving()->base_levels > grid_steps(attribute, cells[j]))
            invalid("\"base_levels\" is more than the grid has steps",
                    "Found " + std::to_string(spec.evolving()->base_levels) + "; the grid of \"" +
                        attribute.name + "\" has " + std::to_string(grid_steps(attribute, cells[j])) + ".");
    }
}

/// Throws unless "derived" says what follows from the rest.
void check_derived(const Json& derived, const Json& truth) {
    const auto agrees = [&](const std::string& key, const Json& value) {
        const auto found = derived.find(key);
        if (found == derived.end() || !value.is_number()) return found != derived.end() && *found == value;
        return found->is_number() &&
               std::abs(found->get<double>() - value.get<double>()) <= 1e-9 * std::abs(value.get<double>());
    };
    bool equal = derived.is_object() && derived.size() == truth.size();
    if (equal)
        for (const auto& [key, value] : truth.items()) equal = equal && agrees(key, value);
    if (!equal)
        invalid("\"derived\" does not match the rest of the spec",
                "Found " + shown(derived) + "; expected " + json_text(truth) + ".",
                "Remove \"derived\": it is computed, not chosen.");
}

}  // namespace

double read_epsilon(JsonObject& top) {
    if (const Json* version = top.find("version"); version != nullptr && *version != keys::version.fallback)
        JsonObject::wrong("version", *version, "1, the only version");
    return top.real(required(keys::epsilon));
}

SpecReader::SpecReader(const Json& of) : document(of), top(of, "the spec") {
    const std::string name = top.word("mechanism", mechanism_names());
    mechanism = find_mechanism(name);
    if (mechanism == nullptr && name != keys::automatic) refuse_mechanism_name(name);
    epsilon = read_epsilon(top);
    attributes = read_attributes(top);
    if (!document.contains("attributes")) top.ignore("estimate");
    const bool moving = std::ranges::any_of(attributes, &Attribute::evolving);
    if (const Json* found = top.find("evolving"))
        evolving = read_evolving(*found, moving);
    else if (moving)
        evolving.emplace();
    if (const Json* found = top.find("budget")) budget = read_budget(*found);
}

void SpecReader::read_record_of_choice() {
    refuse_limits(document, "The spec names the mechanism " + std::string(mechanism->name) + ".");
    if (const Json* found = top.find("chosen")) chosen = read_choice(*found, mechanism->joint());
}

void SpecReader::read_options(const MechanismEntry& of, bool all) {
    for (const Option& option : of.options)
        if ((all || option.name == std::string_view(keys::grid.name) ||
             option.name == std::string_view(keys::norm.name)) &&
            option.applies(attributes))
            read_option(top, option, attributes, options);
}

namespace {

/// Refuses "report_epsilon" for a mechanism in one layer, or a choice that has one layer.
[[noreturn]] void refuse_layers(const MechanismEntry& of, const std::vector<Attribute>& attributes,
                                bool automatic) {
    const auto named = [](const Option& option) { return option.name == std::string_view("report_epsilon"); };
    std::vector<const char*> suitable;
    const IntegerRows no_tables;
    const PartTerms two_layers{2 * min_epsilon, min_epsilon, 2, no_tables};
    for (const MechanismEntry* entry : registry()) {
        if (std::ranges::none_of(entry->options, named)) continue;
        const bool alike = entry->shape == of.shape && entry->joint() == of.joint();
        if (attributes.size() == 1 ? suits(*entry, attributes[0], two_layers)
                                   : alike || (is_record_of_parts(*entry) && !of.joint()))
            suitable.push_back(entry->name);
    }
    invalid("\"report_epsilon\" requires a mechanism with two layers",
            automatic ? "For this spec, \"auto\" chooses among mechanisms with one layer."
                      : std::string(of.name) + " reports in one layer.",
            "Leave it out" + (suitable.empty() ? "." : ", or name the mechanism: " + joined(suitable) + "."));
}

}  // namespace

Spec SpecReader::finish(const MechanismEntry& of) {
    if (document.contains("report_epsilon") && !options.contains("report_epsilon"))
        refuse_layers(of, attributes, mechanism == nullptr);
    // No score is above a volatility of 1, so that the step is constant.
    const std::uint64_t cells = evolving && evolving->volatility >= 1 ? evolving->base_levels : 1;
    const bool record = of.shape == Shape::record;
    for (Attribute& attribute : attributes)
        if (attribute.evolving) (record ? attribute.options : options)[rounding_cells_option] = cells;
    Spec spec(Settings(of, epsilon, std::move(attributes), std::move(options)));
    spec.chosen_ = std::move(chosen);
    spec.evolving_ = std::move(evolving);
    spec.budget_ = std::move(budget);
    spec.min_group_ = static_cast<std::uint16_t>(top.whole(keys::min_group));
    check_evolving(spec);
    // Of a budget that cannot end the key says nothing, and equal specs have equal fingerprints.
    if (spec.evolving_ && spec.budget_->report_spent &&
        !budget_terms(make_mechanism(spec)->block()).can_end())
        spec.budget_->report_spent.reset();

    spec.texts_ = read_texts(document, spec.attributes());

    const Json* derived = top.find("derived");
    top.finish();
    const Json truth = derived_json(spec);  // also makes sure that the mechanism can be built
    if (derived != nullptr) check_derived(*derived, truth);
    return spec;
}

namespace {

/// Throws Error (invalid_spec) for keys and words that ask for a choice, other than in attributes and options.
void refuse_open_keys(const Json& document) {
    if (!document.is_object()) return;
    for (const char* key : {"mechanism", "evolving"})
        if (document.value(key, Json()) == keys::automatic)
            refuse_open_choice("\"" + std::string(key) + "\" is \"auto\".");
    if (document.value("mechanism", Json()) == keys::winsorized)
        refuse_open_choice("\"mechanism\" is \"winsorized\", whose first round is a histogram.");
    if (document.contains("stream")) refuse_open_choice("\"stream\" describes values for a choice.");
}

/// Whether a spec of one attribute has "estimate".
bool has_want(const Json& document) {
    if (!document.contains("attributes")) return document.contains("estimate");
    const Json& attributes = document["attributes"];
    return attributes.size() == 1 && attributes[0].contains("estimate");
}

}  // namespace

Spec Spec::from_json(std::string_view text) {
    const Json document = parse_json(text);
    refuse_open_keys(document);
    SpecReader reader(document);
    if (has_want(document)) refuse_want(reader.mechanism->name);
    reader.read_record_of_choice();
    reader.read_options(*reader.mechanism, true);
    return reader.finish(*reader.mechanism);
}

Spec Spec::chosen_for(Choice choice) const {
    Spec copy = *this;
    copy.chosen_ = std::move(choice);
    return copy;
}

Spec Spec::with_texts(SpecTexts texts) const {
    Spec copy = *this;
    copy.texts_ = std::move(texts);
    return copy;
}

std::unique_ptr<const Mechanism> make_mechanism(const Spec& spec) {
    auto mechanism =
        make_mechanism(static_cast<const Settings&>(spec),
                       Terms{spec.fingerprint().in_block(), spec.evolving().has_value(), spec.min_group()});
    if (!spec.evolving() || !spec.budget()) return mechanism;
    const BudgetTerms terms = budget_terms(spec, *mechanism);
    if (!terms.can_end()) return mechanism;
    std::vector<std::byte> block(mechanism->block().begin(), mechanism->block().end());
    set_budget_terms(block, terms);
    return load_mechanism(block, Kind::report);
}

}  // namespace ldp
