#include "core/choice/record_protocol.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/base/error.hpp"
#include "core/base/interrupt.hpp"
#include "core/base/square.hpp"
#include "core/base/text.hpp"
#include "core/choice/ordered_choice.hpp"
#include "core/choice/resolve.hpp"
#include "core/contract/attributes.hpp"
#include "core/contract/json_object.hpp"
#include "core/contract/keys.hpp"
#include "core/contract/response_count.hpp"
#include "core/contract/spec_reader.hpp"
#include "core/mechanism/longitudinal/series.hpp"
#include "core/mechanism/record/record_parts.hpp"

namespace ldp {

namespace {

constexpr std::uint64_t most_stream_rounds = 500;
/// Numbers of responses that the budget pays for, among which ε is searched.
constexpr std::uint64_t response_counts[] = {1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64, 100};

bool wants(const Json& object) {
    return object.is_object() && (object.contains("estimate") || object.contains("vector"));
}

/// The entry of a part's attribute in a canonical spec, as a spec of its own; null for parts of several attributes.
Json alone(const Spec& spec, const RecordPart& part, std::uint64_t responses, const Json& canonical) {
    const Attribute& attribute = spec.attributes()[part.first];
    if (part.count != 1 || attribute.derived() || !attribute.vector.empty()) return {};
    Json document = canonical;
    for (const char* key : {"derived", "chosen", "per_report", "joint_tables", "people", "budget"})
        document.erase(key);
    // The budget pays for this number of responses, and not for one more.
    if (responses > 0 && !is_series(*part.mechanism)) {
        Json& budget = document["budget"] = canonical["budget"];
        budget.erase("group");
        budget.erase("at_most");
        budget["epsilon"] = part.mechanism->epsilon() * (static_cast<double>(responses) + 0.5);
        if (spec.budget()->when_spent == Budget::WhenSpent::repeat) budget["report_spent"] = false;
    }
    if (spec.attributes().size() == 1) return document;
    const MechanismEntry& entry = *find_mechanism(attribute.mechanism);
    Json own;
    for (const Json& listed : canonical["attributes"])
        if (listed.value("name", "") == attribute.name) own = listed;
    if (!document.contains("grid") || own.contains("grid") ||
        std::ranges::none_of(entry.options,
                             [](const Option& o) { return o.name == std::string_view("grid"); }))
        document.erase("grid");
    document["mechanism"] = entry.name;
    document["epsilon"] = part.mechanism->epsilon();
    for (const Option& option : entry.options)
        if (own.contains(option.name)) {
            document[option.name] = own[option.name];
            own.erase(option.name);
        }
    if (!attribute.evolving) document["evolving"] = Json::object();
    if (entry.series) document.erase("evolving");
    for (const char* key : {"mechanism", "weight"}) own.erase(key);
    document["attributes"] = Json::array({std::move(own)});
    return document;
}

/// The prediction of a part that is reported alone by people of its own; nothing if it cannot be predicted.
std::optional<ProtocolPrediction> prediction_alone(const Spec& spec, const RecordPart& part,
                                                   std::uint64_t responses, const Json& canonical,
                                                   const DeclaredStream& stream,
                                                   std::size_t most_values) try {
    const Json document = alone(spec, part, responses, canonical);
    if (document.is_null()) return {};
    const Spec own = resolve(json_text(document));
    const auto mechanism = make_mechanism(own);
    check_predictable(own, *mechanism);
    const Attribute& attribute = own.attributes()[0];
    const auto found = stream.changing.find(attribute.name);
    StreamParameters parameters;
    if (found != stream.changing.end()) parameters = found->second;
    parameters.rounds = stream.rounds;
    parameters.people = std::max<std::uint64_t>(
        1, static_cast<std::uint64_t>(std::llround(static_cast<double>(stream.people) * part.chance)));
    const ValueStream values = ValueStream::generated(parameters, attribute, most_values);
    return predict_protocol(own, values, Participation::every_round, some_rounds(values.rounds, 32));
} catch (const Error& error) {
    if (error.code() != ErrorCode::unsupported) throw;
    return {};
}

/// n·Var of a part whose estimates are a distribution, several elements, or tables, averaged over them.
double variance_in_closed_form(const RecordPart& part, std::uint64_t people) {
    if (is_ordered(*find_mechanism(part.mechanism->header().mechanism)))
        return mean_variance(*part.mechanism, OrderedUse::ranges, people);
    double sum = 0;
    for (std::size_t j = 0; j < part.count; ++j) sum += part.mechanism->expected_variance(j);
    return sum / static_cast<double>(part.count);
}

/// The variance between people of a typical estimate: of the mean of a number, or of a share.
double variance_between(const Attribute& attribute, bool mean) {
    if (mean) return square(attribute.max / 2 - attribute.min / 2) / 3;
    const auto values = static_cast<double>(std::max<std::uint64_t>(2, attribute.domain));
    return 1 / values * (1 - 1 / values);
}

/// The least geometric mean of the errors.
double criterion(const std::vector<PlannedPart>& parts) {
    double sum = 0;
    for (const PlannedPart& part : parts) sum += std::log(part.error);
    return sum / static_cast<double>(parts.size());
}

}  // namespace

bool asks_for_record_protocol(const Json& spec) {
    if (!asks_for_protocol(spec)) return false;
    const auto list = spec.find("attributes");
    return wants(spec) || (list != spec.end() && list->is_array() &&
                           (list->size() > 1 || std::any_of(list->begin(), list->end(), wants)));
}

Json with_collected_streams(Json spec) {
    const auto list = spec.is_object() ? spec.find("attributes") : spec.end();
    if (list == spec.end() || !list->is_array() || list->size() < 2) return spec;
    for (Json& attribute : *list) {
        if (!attribute.is_object() || !attribute.contains("stream")) continue;
        const std::string name =
            attribute.contains("name") && attribute["name"].is_string() ? attribute["name"] : Json("");
        Json& stream = spec["stream"];
        if (stream.is_null()) stream = Json::object();
        if (!stream.is_object() || (stream.contains("attributes") && !stream["attributes"].is_object()) ||
            (stream.contains("attributes") && stream["attributes"].contains(name)))
            invalid("the changes of \"" + name + "\" are declared twice", "Found two \"stream\" objects.",
                    "Keep only one of them.");
        stream["attributes"][name] = attribute["stream"];
        attribute.erase("stream");
    }
    return spec;
}

std::vector<PlannedPart> predict_parts(const Spec& spec, const DeclaredStream& stream,
                                       std::size_t most_values) {
    const auto mechanism = make_mechanism(spec);
    const Json canonical = parse_json(spec.to_json());
    const auto people = static_cast<double>(stream.people);
    const std::uint64_t responses = spec.evolving() ? affordable_responses(spec, *mechanism) : 0;
    const StreamNeeds needs(spec.attributes(), spec.evolving().value_or(Evolving{}),
                            spec.evolving() ? spec.budget() : std::nullopt, stream);
    std::vector<PlannedPart> parts;
    for (const RecordPart& part : parts_of(*mechanism)) {
        check_interrupt();
        const Attribute& attribute = spec.attributes()[part.first];
        const MechanismEntry& entry = *find_mechanism(part.mechanism->header().mechanism);
        PlannedPart planned{name_of_part(attribute), entry.name, part.chance, 0, 0};
        const double reports = std::max(1.0, people * part.chance);
        const auto found = prediction_alone(spec, part, responses, canonical, stream, most_values);
        const bool mean = attribute.numeric() && part.count == 1 && (found || !is_ordered(entry));
        double variance = 0;
        if (found) {
            variance = square(found->error);
            planned.ended = found->ended;
        } else {
            const double unit = mean ? attribute.max / 2 - attribute.min / 2 : 1;
            variance = square(unit) *
                       variance_in_closed_form(part, static_cast<std::uint64_t>(std::ceil(reports))) /
                       reports;
            if (responses > 0 && !is_series(*part.mechanism))
                planned.ended = needs.exceeding(part.first, *part.mechanism, responses).value_or(0);
        }
        variance += (1 - part.chance) * variance_between(attribute, mean) / reports;
        planned.error = std::sqrt(variance);
        parts.push_back(std::move(planned));
    }
    return parts;
}

PlannedRecord plan_record_protocol(const Json& spec) {
    JsonObject top(spec, "the spec");
    const std::string mechanism = top.word("mechanism", mechanism_names());
    const bool record = spec.contains("attributes") && spec["attributes"].size() > 1;
    if (mechanism != keys::automatic &&
        (!record || find_mechanism(mechanism) == nullptr || !is_record_of_parts(*find_mechanism(mechanism))))
        invalid("\"mechanism\" must not be fixed for this choice", "Found \"" + mechanism + "\".",
                "Set \"mechanism\" to \"auto\". Attributes of a record may name mechanisms.");
    for (const char* key : {"chosen", "derived"})
        if (spec.contains(key))
            invalid("\"" + std::string(key) + "\" and \"evolving\": \"auto\" cannot be combined",
                    "The choice includes this setting.", "Remove it.");
    const Budget budget = read_budget(top.need("budget", "the total epsilon of a person"));
    const std::vector<Attribute> attributes = read_attributes(top);
    const DeclaredStream stream = DeclaredStream::from_json(
        top.need("stream", R"({"rounds": …, "people": …, "attributes": {…}})"), attributes);
    if (stream.rounds > most_stream_rounds)
        invalid("\"rounds\" of a stream may be at most " + std::to_string(most_stream_rounds),
                "Found " + std::to_string(stream.rounds) + ".", "Predict fewer rounds.");
    Json document = spec;
    document["evolving"] = Json::object();
    std::optional<Spec> best;
    double least = HUGE_VAL;
    unsigned worse = 0;
    std::string obstacle;
    const auto consider = [&](double epsilon) {
        document["epsilon"] = epsilon;
        try {
            Spec candidate = resolve(json_text(document));
            const std::vector<PlannedPart> parts = predict_parts(candidate, stream, search_values);
            for (const PlannedPart& part : parts)
                if (!find_mechanism(part.mechanism)->series && part.ended > ResponseLimit::most_ended)
                    invalid("the budget of \"" + part.name + "\" ends",
                            rounded(100 * part.ended, 3) + " % of its people need more responses");
            const double found = criterion(parts);
            worse = found < least ? 0 : worse + 1;
            if (found >= least) return;
            least = found;
            best.emplace(std::move(candidate));
        } catch (const Error& error) {
            if (error.code() != ErrorCode::invalid_spec && error.code() != ErrorCode::unsupported) throw;
            obstacle = std::string(error.what()) + (error.detail().empty() ? "" : ". " + error.detail());
        }
    };
    if (spec.contains("epsilon")) {
        consider(top.real(keys::epsilon));
    } else {
        double last = 0;
        for (const std::uint64_t count : response_counts) {
            const double epsilon =
                rounded_down(std::min(budget.epsilon / static_cast<double>(count), max_epsilon));
            if (epsilon < min_epsilon || worse == 3) break;
            if (epsilon != last) consider(epsilon);
            last = epsilon;
        }
    }
    if (!best)
        invalid("no protocol is possible for these values and this budget", shortened(obstacle, 600),
                "Check the other keys of the spec, or allow a larger budget.");
    std::vector<PlannedPart> parts = predict_parts(*best, stream, predicted_values);
    const Limits limits = best->chosen() && best->chosen()->limits ? *best->chosen()->limits : Limits{};
    std::string reason = "epsilon of a response with the smallest predicted errors of a round: ";
    for (const PlannedPart& part : parts)
        reason += (&part == parts.data() ? "" : ", ") + part.name + " " + rounded(part.error, 3);
    reason +=
        "; for " + std::to_string(stream.rounds) + " rounds of " + std::to_string(stream.people) + " people";
    return {best->chosen_for({limits, shortened(reason, key(keys::Object::chosen, "reason").whole().most)}),
            std::move(parts), stream};
}

}  // namespace ldp
