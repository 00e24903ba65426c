#include "core/choice/resolve.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "core/choice/evolving_choice.hpp"
#include "core/choice/record_choice.hpp"
#include "core/choice/record_protocol.hpp"
#include "core/choice/response_needs.hpp"
#include "core/choice/together.hpp"
#include "core/choice/view_choice.hpp"
#include "core/choice/wanted_use.hpp"
#include "core/choice/winsorized.hpp"
#include "core/contract/attributes.hpp"
#include "core/contract/keys.hpp"
#include "core/contract/response_count.hpp"
#include "core/contract/spec_reader.hpp"
#include "core/mechanism/record/record_parts.hpp"
#include "core/mechanism/role/capability.hpp"
#include "core/mechanism/role/fields.hpp"

namespace ldp {

namespace {

/// `ordered`: whether a distribution is wanted.
Limits read_limits(JsonObject& reader, bool ordered) {
    keys::Key bytes = keys::report_bytes;
    if (ordered) bytes.fallback = ordered_report_bytes;
    return {reader.whole(bytes), reader.whole(keys::decode_cost)};
}

constexpr const char* why_no_limits =
    "The spec has marginals, for which the more accurate mechanism is chosen.";

/// Whether the attributes are the elements of one vector.
bool is_vector(const std::vector<Attribute>& attributes) {
    const std::string& name = attributes[0].vector;
    return !name.empty() &&
           std::ranges::all_of(attributes, [&](const Attribute& one) { return one.vector == name; });
}

/// Settles "auto" for a vector that is reported alone, or for numbers with a bound of their length. Numbers can be reported
/// one by one instead.
SelectedWithin choose_vector(SelectionRequest& demand, std::optional<double> norm,
                             const ResponseLimit* responses) {
    std::vector<Attribute> elements = demand.attributes;
    if (norm) elements[0].options[keys::norm.name] = *norm;
    for (Attribute& element : elements)
        if (element.vector.empty()) element.vector = "numbers";
    const auto [mechanism, n_variance] =
        choose_vector_mechanism(elements, demand.epsilon, demand.limits, responses);
    if (!is_vector(demand.attributes) && responses == nullptr) {
        const Candidate record = rank(demand).front();
        if (record.obstacle.empty() && record.n_variance < n_variance)
            return {record.mechanism,
                    "smallest expected variance of the means, although the length of vectors is bounded"};
    }
    const bool ranges = demand.attributes[0].want == "ranges";
    for (Attribute& attribute : demand.attributes) {
        attribute.want.clear();
        attribute.options.erase(keys::norm.name);
    }
    OptionValues bound = elements[0].options;
    std::erase_if(bound, [&](const auto& one) {
        const auto named = [&](const Option& option) { return one.first == option.name; };
        return one.first != keys::norm.name || std::ranges::none_of(mechanism->options, named);
    });
    return {mechanism,
            ranges ? "the mechanism for means of ranges of a vector"
                   : "smallest expected variance of the means of a vector",
            std::move(bound)};
}

/// The bound "norm" at the top of a spec with numbers; nothing if it is not given.
std::optional<double> norm_of(const Json& document, const std::vector<Attribute>& attributes) {
    const auto found = document.find(keys::norm.name);
    if (found == document.end()) return {};
    if (attributes.size() < 2 || !std::ranges::all_of(attributes, [](const Attribute& one) {
            return one.numeric() && !may_be_missing(one) && !one.of_record() && !one.derived();
        }))
        invalid("\"norm\" requires a vector of numbers",
                "It bounds the length of all numbers of a person together.",
                "In a record, give it to an attribute that is a vector.");
    if (!found->is_number()) JsonObject::wrong(keys::norm.name, *found, "a finite number");
    return found->get<double>();
}

/// The mechanism that "auto" chooses. `responses` is null if responses are not memoized.
SelectedWithin choose_mechanism(const Json& document, SelectionRequest& demand,
                                const std::optional<OrderedUse>& use, const ResponseLimit* responses) {
    if (asks_together(document)) {
        Selected found = choose_together(document, responses);
        return {found.mechanism, std::move(found.reason)};
    }
    const std::optional<double> norm = norm_of(document, demand.attributes);
    if (norm || is_vector(demand.attributes)) return choose_vector(demand, norm, responses);
    if (use) {
        const OrderedRequest request = ordered_request(document, demand, *use);
        if (responses != nullptr) return choose_ordered_within(request, *responses);
        Selected found = choose_ordered(request);
        return {found.mechanism, std::move(found.reason), options_for_order(*found.mechanism)};
    }
    if (responses != nullptr) return choose_within(demand, *responses);
    Selected found = choose(demand);
    return {found.mechanism, std::move(found.reason)};
}

/// The needs of memoized responses, which a choice regards. Nothing if responses are fresh draws.
std::optional<StreamNeeds> read_needs(SpecReader& spec) {
    const Json* stream = spec.top.find("stream");
    if (stream != nullptr && !spec.evolving)
        invalid("\"stream\" requires \"evolving\"", "The spec has no \"evolving\".",
                "Add \"evolving\": {} and a \"budget\", or remove \"stream\".");
    if (!spec.evolving) return {};
    std::optional<DeclaredStream> declared;
    if (stream != nullptr) declared = DeclaredStream::from_json(*stream, spec.attributes);
    return std::optional<StreamNeeds>(std::in_place, spec.attributes, *spec.evolving, spec.budget,
                                      std::move(declared));
}

/// Chooses the mechanism of a spec, whose own one is "auto".
SelectedWithin choose_for(SpecReader& spec, const std::optional<OrderedUse>& use, Limits& limits,
                          const ResponseLimit* responses) {
    if (spec.top.find("chosen") != nullptr)
        invalid("\"chosen\" and \"auto\" cannot be combined",
                "\"chosen\" records an earlier choice; \"auto\" requests a choice.",
                "Remove \"chosen\" to choose again.");
    std::optional<Limits> kept;
    if (asks_together(spec.document))
        refuse_limits(spec.document, why_no_limits);
    else
        kept = limits = read_limits(spec.top, use.has_value());
    SelectionRequest demand{spec.epsilon, std::move(spec.attributes), limits};
    SelectedWithin verdict = choose_mechanism(spec.document, demand, use, responses);
    spec.attributes = std::move(demand.attributes);
    spec.chosen = {kept, verdict.reason};
    return verdict;
}

/// Returns the spec without open choices. `most` is an upper bound of the responses that the budget pays for.
Spec resolve_within(const Json& document, std::uint64_t most) {
    const std::optional<OrderedUse> use = ordered_use(document);
    SpecReader spec(document);
    if (spec.mechanism != nullptr && use) refuse_want(spec.mechanism->name);
    const std::optional<StreamNeeds> needs = read_needs(spec);
    // A budget without "evolving", and one that pays for no response, are refused below.
    std::optional<ResponseLimit> responses;
    if (needs && spec.budget && spec.budget->responses(spec.epsilon) > 0)
        responses.emplace(ResponseLimit{std::min(most, spec.budget->responses(spec.epsilon)), *needs});
    const ResponseLimit* const limit = responses ? &*responses : nullptr;

    Limits limits;
    const MechanismEntry* mechanism = spec.mechanism;
    if (mechanism != nullptr) {
        spec.read_record_of_choice();
        spec.read_options(*mechanism, true);
    } else {
        SelectedWithin verdict = choose_for(spec, use, limits, limit);
        mechanism = verdict.mechanism;
        // The grid of a number is independent of the mechanism. Other options belong to one mechanism.
        spec.read_options(*mechanism, asks_together(document) || use || mechanism->shape == Shape::record);
        if (!asks_together(document)) spec.top.ignore(keys::norm.name);
        for (auto& [option, value] : verdict.options)
            if (!document.contains(option)) spec.options[option] = std::move(value);
    }
    const std::size_t count = spec.attributes.size();
    if (mechanism->shape == Shape::record && count >= 2 && count <= mechanism->max_size) {
        spec.options = with_defaults(*mechanism, spec.attributes, std::move(spec.options));
        SettingsDraft draft{spec.epsilon, spec.attributes, spec.options};
        if (is_record_of_parts(*mechanism)) choose_record(draft, limits, limit);
        if (mechanism->purpose == Purpose::joint_tables) joint::choose_views(draft);
    }
    return spec.finish(*mechanism);
}

/// The responses that are left for each part of a record, if a part was chosen that can need more of them; 0
/// otherwise. The budget of another part can end. Its signal costs the person one of the responses.
std::uint64_t responses_beside_signal(const Spec& spec, const Json& document) {
    if (!spec.evolving() || !spec.budget() || !is_record_of_parts(spec.mechanism())) return 0;
    const auto record = make_mechanism(spec);
    const std::uint64_t all = spec.budget()->responses(spec.epsilon()),
                        left = affordable_responses(spec, *record);
    if (left == 0 || left >= all) return 0;
    std::optional<DeclaredStream> declared;
    if (const auto stream = document.find("stream"); stream != document.end())
        declared = DeclaredStream::from_json(*stream, spec.attributes());
    const StreamNeeds needs(spec.attributes(), *spec.evolving(), spec.budget(), std::move(declared));
    const bool exceeded = std::ranges::any_of(parts_of(*record), [&](const RecordPart& part) {
        const std::uint64_t possible = needs.most(part.first, *part.mechanism);
        return possible > left && possible <= all &&
               needs.exceeding(part.first, *part.mechanism, left).value_or(1) > ResponseLimit::most_ended;
    });
    return exceeded ? left : 0;
}

}  // namespace

Spec resolve(std::string_view json) {
    if (const std::optional<WinsorizedPlan> winsorized = winsorized_plan(json)) {
        const Spec histogram = resolve(winsorized->histogram);
        return histogram.chosen_for({histogram.chosen()->limits, winsorized->reason});
    }
    const Json document = with_collected_streams(parse_json(json));
    if (asks_for_protocol(document)) {
        if (asks_for_record_protocol(document)) return plan_record_protocol(document).spec;
        const ChosenProtocol found = choose_protocol(document);
        return found.spec.chosen_for({found.limits, found.reason});
    }
    Spec found = resolve_within(document, std::numeric_limits<std::uint64_t>::max());
    const std::uint64_t left = responses_beside_signal(found, document);
    return left == 0 ? found : resolve_within(document, left);
}

Ranking advise(std::string_view json) {
    const Json document = parse_json(json);
    JsonObject top(document, "the spec");
    const std::optional<OrderedUse> use = advised_use(document);
    SelectionRequest demand{read_epsilon(top), {}, {}};
    demand.attributes = read_attributes(top);
    const bool together = asks_together(document);
    if (together) refuse_limits(document, why_no_limits);
    if (document.contains("report_epsilon"))
        invalid("mechanisms with two layers cannot be ranked",
                "The spec has \"report_epsilon\", which changes the error of a report.",
                "Omit it to rank mechanisms with one layer.");
    const Json* found = top.find("chosen");
    std::optional<Choice> chosen;
    if (found != nullptr) chosen = read_choice(*found, together);
    const bool limited =
        top.find(keys::report_bytes.name) != nullptr || top.find(keys::decode_cost.name) != nullptr;
    demand.limits =
        !limited && chosen && chosen->limits ? *chosen->limits : read_limits(top, use.has_value());
    for (const char* name :
         {"mechanism", "derived", "evolving", "stream", "budget", "estimate", keys::min_group.name})
        top.ignore(name);
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
            if (each.obstacle.empty()) each.obstacle = "it does not estimate joint tables";
        const std::vector<Candidate> first = rank_together(document);
        candidates.insert(candidates.begin(), first.begin(), first.end());
    }
    return {std::move(demand), std::move(candidates)};
}

}  // namespace ldp
