#include "core/spec/spec.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/text.hpp"
#include "core/channel/epsilon_odds.hpp"
#include "core/mechanism/capability.hpp"
#include "core/mechanism/mechanism.hpp"
#include "core/mechanism/record/record_parts.hpp"
#include "core/mechanism/spent_signal.hpp"
#include "core/spec/attributes.hpp"
#include "core/spec/canonical.hpp"
#include "core/spec/evolving_choice.hpp"
#include "core/spec/json_object.hpp"
#include "core/spec/keys.hpp"
#include "core/spec/mechanism_options.hpp"
#include "core/spec/response_count.hpp"
#include "core/spec/together.hpp"

namespace ldp {

namespace {

constexpr std::size_t max_reason = 1000;

/// `ordered`: whether a distribution is wanted.
Limits read_limits(JsonObject& reader, bool ordered) {
    Option bytes = keys::report_bytes;
    if (ordered) bytes.fallback = ordered_report_bytes;
    return {reader.whole(bytes), reader.whole(keys::decode_cost)};
}

constexpr const char* why_no_limits =
    "The spec asks for views, for which the more accurate mechanism is taken.";

void refuse_limits(const Json& document, const std::string& why) {
    for (const char* limit : {keys::report_bytes.name, keys::decode_cost.name})
        if (document.contains(limit))
            invalid("\"" + std::string(limit) + "\" is for the mechanism \"auto\" without views only", why,
                    "Remove it.");
}

Choice read_choice(const Json& found, bool together) {
    JsonObject reader(found, "\"chosen\"");
    const std::string allowed =
        "a sentence of at most " + std::to_string(max_reason) + " bytes without control characters";
    std::optional<Limits> limits;
    if (!together) {
        for (const Option& limit : {keys::report_bytes, keys::decode_cost})
            static_cast<void>(reader.need(limit.name, "the limit that the choice kept to"));
        limits = read_limits(reader, false);
    }
    Choice choice{limits, reader.word("reason", allowed)};
    if (choice.reason.size() > max_reason || has_control(choice.reason))
        JsonObject::wrong("reason", Json(choice.reason), allowed);
    reader.finish();
    return choice;
}

Evolving read_evolving(const Json& found, bool moving) {
    JsonObject reader(found, "\"evolving\"");
    if (!moving && !found.empty())
        invalid("\"evolving\" says how to round, but no attribute is evolving", "Found " + shown(found) + ".",
                "Give an attribute \"evolving\": true, or leave the object empty: values are then remembered "
                "as they are.");
    Evolving evolving;
    evolving.window = reader.whole(keys::window);
    evolving.volatility = reader.real("volatility", evolving.volatility, 0, 1);
    evolving.flip_probability = reader.real("flip_probability", evolving.flip_probability, 0.001, 1);
    evolving.base_levels = reader.whole(keys::base_levels);
    reader.finish();
    return evolving;
}

/// What a spec asks of whichever mechanism. The limits are for "auto".
SelectionRequest read_demand(JsonObject& top) {
    if (const Json* version = top.find("version"); version != nullptr && *version != keys::version)
        JsonObject::wrong("version", *version, "1, the only version there is");
    const std::string bounds = "a number from " + shown(min_epsilon) + " to " + shown(max_epsilon);
    const double epsilon = top.real("epsilon", bounds);
    if (!(epsilon >= min_epsilon && epsilon <= max_epsilon))
        JsonObject::wrong("epsilon", Json(epsilon), bounds);
    return {epsilon, read_attributes(top), {}};
}

/// Whether the mechanism estimates the distribution of an attribute, not only its mean.
bool answers_distribution(const Mechanism& mechanism, std::size_t attribute) {
    const auto* record = find_capability<Record>(mechanism);
    return (record == nullptr ? mechanism : record->reporter(attribute)).can_estimate(Quantity::distribution);
}

void check_evolving(const Spec& spec) {
    if (spec.evolving().has_value() != spec.budget().has_value())
        invalid("\"evolving\" and \"budget\" go together",
                spec.budget()
                    ? "Reports that are not remembered cost their epsilon each time; nothing bounds them."
                    : "Each value that is not remembered yet costs epsilon again.",
                spec.budget() ? "Add \"evolving\": {} to have values remembered, or remove \"budget\"."
                              : "Add \"budget\": {\"epsilon\": …}: what a person may spend over all time.");
    if (!spec.evolving()) return;
    if (spec.budget()->answers(spec.epsilon()) == 0)
        invalid("the budget does not pay for one answer", "It has epsilon " + shown(spec.budget()->epsilon) +
                                                              "; an answer costs " + shown(spec.epsilon()) +
                                                              ".");
    if (spec.mechanism().series)
        invalid(
            "a series needs no \"evolving\" and no \"budget\"",
            "Under " + std::string(spec.mechanism().name) + " a person's whole series costs epsilon, once.",
            "Remove both.");
    if (spec.delta() != 0)
        invalid("responses with a delta cannot be memoized",
                std::string(spec.mechanism().name) +
                    " satisfies epsilon except with probability delta, and a budget supports epsilon only.",
                "Remove both \"evolving\" and \"budget\", or choose a mechanism without \"delta\".");
    const auto mechanism = make_mechanism(spec);
    if (spec.budget()->report_spent == true && spec.budget()->answers(spec.epsilon()) > 0 &&
        possible_responses(spec, *mechanism) > spec.budget()->answers(spec.epsilon()) &&
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
                    "Rounding keeps the mean and nothing else.");
        if (answers_distribution(*mechanism, j))
            invalid("\"" + attribute.name + "\" cannot be rounded as it moves under " +
                        std::string(spec.mechanism().name),
                    "Rounding keeps the mean of a number and not its distribution. Shares of ranges and "
                    "quantiles of rounded numbers would be wrong by far more than their errors.",
                    "Leave \"evolving\": true out of the attribute and write \"evolving\": {} beside "
                    "\"attributes\". Under the mechanism dithered, a small movement of a number then rarely "
                    "costs epsilon; under others, each new number does. For the mean alone, take a mechanism "
                    "for means, such as optimal or onebit.");
        if (spec.evolving()->base_levels >= cells[j])
            invalid("\"base_levels\" is more than the grid has steps",
                    "Found " + std::to_string(spec.evolving()->base_levels) + "; the grid of \"" +
                        attribute.name + "\" has " + std::to_string(cells[j] - 1) + ".");
    }
}

/// Whether the attributes are the elements of one vector.
bool is_vector(const std::vector<Attribute>& attributes) {
    const std::string& name = attributes[0].vector;
    return !name.empty() &&
           std::ranges::all_of(attributes, [&](const Attribute& one) { return one.vector == name; });
}

/// Settles "auto" for a vector that is reported alone.
SelectedWithin choose_vector(SelectionRequest& demand, const ResponseLimit* responses) {
    const MechanismEntry& chosen =
        choose_vector_mechanism(demand.attributes, demand.epsilon, demand.limits, responses);
    const bool ranges = demand.attributes[0].want == "ranges";
    for (Attribute& attribute : demand.attributes) attribute.want.clear();
    return {&chosen, ranges ? "the mechanism for means of ranges of a vector"
                            : "least expected variance of the means of a vector"};
}

/// The mechanism that "auto" chooses. `responses` is null if responses are not memoized.
SelectedWithin choose_mechanism(const Json& document, SelectionRequest& demand,
                                const std::optional<OrderedUse>& use, const ResponseLimit* responses) {
    if (asks_together(document)) {
        Selected found = choose_together(document, responses);
        return {found.mechanism, std::move(found.reason)};
    }
    if (is_vector(demand.attributes)) return choose_vector(demand, responses);
    if (use) {
        const OrderedRequest request = ordered_request(document, demand, *use);
        if (responses != nullptr) return choose_ordered_within(request, *responses);
        Selected found = choose_ordered(request);
        return {found.mechanism, std::move(found.reason)};
    }
    if (responses != nullptr) return choose_within(demand, *responses);
    Selected found = choose(demand);
    return {found.mechanism, std::move(found.reason)};
}

/// The needs of memoized responses, which a choice regards. Nothing if responses are fresh draws.
std::optional<StreamNeeds> read_needs(JsonObject& top, const std::vector<Attribute>& attributes,
                                      const std::optional<Evolving>& evolving,
                                      const std::optional<Budget>& budget) {
    const Json* stream = top.find("stream");
    if (stream != nullptr && !evolving)
        invalid("\"stream\" describes values that change", "The spec has no \"evolving\".",
                "Add \"evolving\": {} and a \"budget\", or remove \"stream\".");
    if (!evolving) return {};
    std::optional<DeclaredStream> declared;
    if (stream != nullptr) declared = DeclaredStream::from_json(*stream, attributes);
    return std::optional<StreamNeeds>(std::in_place, attributes, *evolving, budget, std::move(declared));
}

/// Throws unless "derived" says what follows from the rest.
void check_derived(const Json& derived, const Json& truth) {
    const auto agrees = [&](const std::string& key, const Json& value) {
        const auto found = derived.find(key);
        return found != derived.end() && found->is_number() &&
               std::abs(found->get<double>() - value.get<double>()) <= 1e-9 * std::abs(value.get<double>());
    };
    bool equal = derived.is_object() && derived.size() == truth.size();
    if (equal)
        for (const auto& [key, value] : truth.items()) equal = equal && agrees(key, value);
    if (!equal)
        invalid("\"derived\" does not follow from the rest of the spec",
                "Found " + shown(derived) + "; expected " + json_text(truth) + ".",
                "Remove \"derived\": it is computed, not chosen.");
}

}  // namespace

Spec Spec::from_json(std::string_view text) {
    const Json document = parse_json(text);
    if (asks_for_protocol(document)) {
        ChosenProtocol found = choose_protocol(document);
        found.spec.chosen_ = Choice{found.limits, std::move(found.reason)};
        return std::move(found.spec);
    }
    JsonObject top(document, "the spec");
    const std::string name = top.word("mechanism", mechanism_names());
    const MechanismEntry* mechanism = find_mechanism(name);
    if (mechanism == nullptr && name != keys::automatic)
        JsonObject::wrong("mechanism", Json(name), mechanism_names());

    const std::optional<OrderedUse> use = ordered_use(document);
    SelectionRequest demand = read_demand(top);
    const bool together = asks_together(document);
    if (!document.contains("attributes")) top.ignore("want");
    if (mechanism != nullptr && use)
        invalid("\"want\" is for the mechanism \"auto\" only", "The spec names the mechanism " + name + ".",
                "Remove \"want\", or let \"auto\" choose the mechanism.");
    const bool moving = std::ranges::any_of(demand.attributes, &Attribute::evolving);
    std::optional<Evolving> evolving;
    if (const Json* found = top.find("evolving"))
        evolving = read_evolving(*found, moving);
    else if (moving)
        evolving.emplace();
    std::optional<Budget> budget;
    if (const Json* found = top.find("budget")) budget = read_budget(*found);
    const std::optional<StreamNeeds> needs = read_needs(top, demand.attributes, evolving, budget);
    // A budget without "evolving", and one that pays for no response, are refused below.
    std::optional<ResponseLimit> responses;
    if (needs && budget && budget->answers(demand.epsilon) > 0)
        responses.emplace(ResponseLimit{budget->answers(demand.epsilon), *needs});
    const ResponseLimit* const limit = responses ? &*responses : nullptr;

    const Json* chosen = top.find("chosen");
    std::optional<Choice> choice;
    OptionValues options, required;  // by the choice
    if (mechanism == nullptr) {
        if (chosen != nullptr)
            invalid("\"chosen\" and \"auto\" cannot be combined",
                    "\"chosen\" records an earlier choice; \"auto\" requests a choice.",
                    "Remove \"chosen\" to choose again.");
        std::optional<Limits> limits;
        if (together)
            refuse_limits(document, why_no_limits);
        else
            limits = demand.limits = read_limits(top, use.has_value());
        SelectedWithin verdict = choose_mechanism(document, demand, use, limit);
        mechanism = verdict.mechanism;
        choice = {limits, std::move(verdict.reason)};
        required = std::move(verdict.options);
    } else {
        refuse_limits(document, "The spec names the mechanism " + name + ".");
        if (chosen != nullptr) choice = read_choice(*chosen, together);
    }
    // The grid of a number is independent of the mechanism. Other options belong to one mechanism.
    const bool all_options = name != keys::automatic || together || use || mechanism->shape == Shape::record;
    for (const Option& option : mechanism->options)
        if ((all_options || option.name == std::string_view(keys::grid.name)) &&
            option.applies(demand.attributes))
            read_option(top, option, demand.attributes, options);
    for (auto& [option, value] : required)
        if (!document.contains(option)) options[option] = std::move(value);
    if (limit != nullptr && mechanism->shape == Shape::record && !together)
        choose_parts_within(demand.attributes, options, demand.epsilon, demand.limits, *limit);
    Spec spec(Settings(*mechanism, demand.epsilon, std::move(demand.attributes), std::move(options),
                       demand.limits));
    spec.chosen_ = std::move(choice);
    spec.evolving_ = std::move(evolving);
    spec.budget_ = std::move(budget);
    spec.min_group_ = static_cast<std::uint16_t>(top.whole(keys::min_group));
    check_evolving(spec);
    // Of a budget that cannot end the key says nothing, and equal specs have equal fingerprints.
    if (spec.budget_ && spec.budget_->report_spent && !budget_terms(make_mechanism(spec)->block()).can_end())
        spec.budget_->report_spent.reset();

    const Json* derived = top.find("derived");
    top.finish();
    const Json truth = derived_json(spec);  // also makes sure that the mechanism can be built
    if (derived != nullptr) check_derived(*derived, truth);
    return spec;
}

std::unique_ptr<const Mechanism> make_mechanism(const Spec& spec) {
    auto mechanism = make_mechanism(static_cast<const Settings&>(spec),
                                    Terms{spec.fingerprint(), spec.evolving().has_value(), spec.min_group()});
    if (!spec.evolving() || !spec.budget()) return mechanism;
    const BudgetTerms terms = budget_terms(spec, *mechanism);
    if (!terms.can_end()) return mechanism;
    std::vector<std::byte> block(mechanism->block().begin(), mechanism->block().end());
    set_budget_terms(block, terms);
    return load_mechanism(block, Kind::report);
}

Ranking advise(std::string_view json) {
    const Json document = parse_json(json);
    JsonObject top(document, "the spec");
    const std::optional<OrderedUse> use = advised_use(document);
    SelectionRequest demand = read_demand(top);
    const bool together = asks_together(document);
    if (together) refuse_limits(document, why_no_limits);
    const Json* found = top.find("chosen");
    std::optional<Choice> chosen;
    if (found != nullptr) chosen = read_choice(*found, together);
    const bool limited =
        top.find(keys::report_bytes.name) != nullptr || top.find(keys::decode_cost.name) != nullptr;
    demand.limits =
        !limited && chosen && chosen->limits ? *chosen->limits : read_limits(top, use.has_value());
    for (const char* key :
         {"mechanism", "derived", "evolving", "stream", "budget", "want", keys::min_group.name})
        top.ignore(key);
    for (const MechanismEntry* entry : registry())
        for (const Option& option : entry->options) top.ignore(option.name);
    top.finish();
    if (use) {
        std::vector<Candidate> candidates = rank_ordered(ordered_request(document, demand, *use));
        return {std::move(demand), std::move(candidates)};
    }
    std::vector<Candidate> candidates = rank(demand);
    if (together) {
        for (Candidate& each : candidates)
            if (each.obstacle.empty()) each.obstacle = "it does not estimate cross tables";
        const std::vector<Candidate> first = rank_together(document);
        candidates.insert(candidates.begin(), first.begin(), first.end());
    }
    return {std::move(demand), std::move(candidates)};
}

}  // namespace ldp
