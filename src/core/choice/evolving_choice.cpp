// Length: the protocols share the search of their parameters.

#include "core/choice/evolving_choice.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/interrupt.hpp"
#include "core/base/text.hpp"
#include "core/channel/epsilon_odds.hpp"
#include "core/choice/resolve.hpp"
#include "core/contract/attributes.hpp"
#include "core/contract/canonical.hpp"
#include "core/contract/json_object.hpp"
#include "core/contract/keys.hpp"
#include "core/contract/response_count.hpp"
#include "core/contract/spec_reader.hpp"
#include "core/mechanism/role/fields.hpp"
#include "core/mechanism/role/registry.hpp"
#include "core/mechanism/role/spent_signal.hpp"

namespace ldp {

namespace {

enum class ProtocolKind { fresh, one_round, memoized, rounded, series };

/// A protocol. A new one is a row of the table below.
struct ProtocolEntry {
    const char* name;
    ProtocolKind kind;
    bool numeric;
    const char* mechanism;
    bool generic = false;          ///< whether another mechanism that the request names may replace it
    bool two_layers = false;       ///< whether a second layer perturbs each report
    const char* option = nullptr;  ///< an option that is searched
    std::span<const std::uint64_t> options = {};  ///< its values
    bool all_keys = false;                        ///< whether the budget must pay for every key
};

constexpr std::uint64_t bucket_counts[] = {2, 3, 4, 5, 6, 8, 12, 16};
constexpr std::uint64_t bit_counts[] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024};

constexpr ProtocolEntry protocols[] = {
    {"fresh reports", ProtocolKind::fresh, true, keys::automatic, true},
    {"one round a person", ProtocolKind::one_round, true, keys::automatic, true},
    {"memoized", ProtocolKind::memoized, true, "optimal", true},
    {"rounded", ProtocolKind::rounded, true, "optimal", true},
    {"rounded", ProtocolKind::rounded, true, "duchi"},
    {"rounded in two layers", ProtocolKind::rounded, true, "optimal", false, true},
    {"rounded in two layers", ProtocolKind::rounded, true, "onebit", false, true},
    {"memoized buckets", ProtocolKind::memoized, true, "dithered", false, false, "buckets", bucket_counts},
    {"two layers", ProtocolKind::memoized, true, "dithered", false, true, "buckets", bucket_counts},
    {"series", ProtocolKind::series, true, "threshold_series"},
    {"fresh reports", ProtocolKind::fresh, false, keys::automatic, true},
    {"one round a person", ProtocolKind::one_round, false, keys::automatic, true},
    {"memoized", ProtocolKind::memoized, false, keys::automatic, true},
    {"memoized buckets", ProtocolKind::memoized, false, "dbitflip", false, false, "bits_per_report",
     bit_counts},
    {"two layers", ProtocolKind::memoized, false, "loloha", false, true, "hash_buckets", bucket_counts, true},
    {"two layers", ProtocolKind::memoized, false, "l_grr", false, true},
    {"two layers", ProtocolKind::memoized, false, "l_osue", false, true},
    {"two layers", ProtocolKind::memoized, false, "l_sue", false, true},
    {"series", ProtocolKind::series, false, "ddrm"},
};

/// Numbers of responses of a person among which the search moves.
constexpr std::uint64_t answer_counts[] = {2,  3,  4,  5,   6,   7,   8,   9,   10,  12,  14,
                                           16, 18, 20, 23,  26,  30,  35,  40,  45,  50,  60,
                                           70, 80, 90, 100, 120, 140, 160, 180, 200, 250, 300};
constexpr std::uint64_t level_counts[] = {1,  2,  3,  4,  5,  6,   8,   10,  12,  16,
                                          20, 24, 32, 48, 64, 100, 200, 400, 1000};
constexpr std::uint64_t change_counts[] = {1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64, 96, 128, 256};

constexpr std::uint64_t most_chosen_rounds = 500;
/// Rounds times values of a series that a choice within a spec predicts.
constexpr std::uint64_t most_chosen_series = 16384;

/// The search for the parameters of one stream and request.
class ProtocolSearch {
  public:
    ProtocolSearch(const ProtocolRequest& request, const ValueStream& stream)
        : request_(request),
          stream_(stream),
          attribute_(only_attribute_of(request.spec)),
          rounds_(some_rounds(stream.rounds, 32)) {}

    [[nodiscard]] const Attribute& attribute() const noexcept { return attribute_; }

    /// The spec of least error of a protocol, as JSON. Throws Error (invalid_spec) if it cannot be used.
    Json best(const ProtocolEntry& entry) {
        best_ = {};
        best_error_ = std::numeric_limits<double>::infinity();
        obstacle_ = {};
        if (entry.options.empty() || request_.spec.contains(entry.option)) {
            best_of(entry, nullptr);
        } else {
            for (const std::uint64_t& option : entry.options) {
                if (entry.kind == ProtocolKind::memoized && attribute_.domain > 0 &&
                    &option != entry.options.data() && option > attribute_.domain)
                    break;
                best_of(entry, &option);
            }
        }
        if (best_.is_null()) invalid(obstacle_.empty() ? "the budget is too small" : obstacle_, {});
        return best_;
    }

  private:
    void best_of(const ProtocolEntry& entry, const std::uint64_t* option) try {
        switch (entry.kind) {
            case ProtocolKind::fresh:
            case ProtocolKind::one_round: {
                const double reports =
                    entry.kind == ProtocolKind::fresh ? static_cast<double>(stream_.rounds) : 1;
                const double epsilon =
                    request_.epsilon.value_or(rounded_down(capped(entry, request_.budget.epsilon / reports)));
                if (epsilon < min_epsilon || epsilon * reports > request_.budget.epsilon * (1 + 1e-12))
                    invalid("the budget does not pay for a report in every round",
                            "A report costs " + shortest(epsilon) + ".");
                Json document = document_of(entry, epsilon, option);
                const Participation participation =
                    entry.kind == ProtocolKind::fresh ? Participation::every_round : Participation::one_round;
                const Spec spec = resolve(json_text(document));
                check_limits(spec);
                keep(predict_protocol(spec, stream_, participation, rounds_).error, document);
                break;
            }
            case ProtocolKind::memoized:
                best_answers(entry, option, Json::object());
                break;
            case ProtocolKind::rounded:
                best_rounding(entry, option);
                break;
            case ProtocolKind::series:
                best_changes(entry);
                break;
        }
    } catch (const Error& error) {
        if (error.code() != ErrorCode::invalid_spec && error.code() != ErrorCode::unsupported) throw;
        if (obstacle_.empty()) obstacle_ = error.what();
    }

    /// ε within the bounds of a mechanism and of the request.
    double capped(const ProtocolEntry& entry, double epsilon) const {
        const double most = entry.two_layers ? max_epsilon : request_.report_epsilon.value_or(max_epsilon);
        return std::min({epsilon, most, max_epsilon});
    }

    Json document_of(const ProtocolEntry& entry, double epsilon, const std::uint64_t* option) const {
        Json document = request_.spec;
        document["mechanism"] =
            entry.generic && !request_.mechanism.empty() ? request_.mechanism : std::string(entry.mechanism);
        document["epsilon"] = epsilon;
        if (option != nullptr) document[entry.option] = *option;
        if (entry.two_layers) {
            const bool limited = request_.report_epsilon && *request_.report_epsilon < epsilon;
            document["report_epsilon"] = limited ? *request_.report_epsilon : rounded_down(epsilon / 2);
        }
        return document;
    }

    /// A spec of memoized responses. `rounding` has the keys of "evolving"; empty if values are not rounded.
    Json memoized_document(const ProtocolEntry& entry, double epsilon, const std::uint64_t* option,
                           const Json& rounding) const {
        Json document = document_of(entry, epsilon, option);
        // The search itself limits the share of people whose budget ends.
        if (document["mechanism"] == keys::automatic)
            document["mechanism"] = resolve(json_text(document)).mechanism().name;
        document["evolving"] = rounding;
        document["budget"] = budget_json(request_.budget);
        if (rounding.empty()) return document;
        if (document.contains("attributes")) {
            document["attributes"][0]["evolving"] = true;
        } else {
            Json attribute{{"name", "value"}, {"evolving", true}};
            for (const char* end : {"min", "max"}) {
                attribute[end] = document[end];
                document.erase(end);
            }
            document["attributes"] = Json::array({std::move(attribute)});
        }
        return document;
    }

    void check_limits(const Spec& spec) const {
        if (!request_.limits) return;
        const auto mechanism = make_mechanism(spec);
        const std::size_t bytes = mechanism->block().size() + sent_size(*mechanism);
        if (bytes > request_.limits->report_bytes)
            invalid("a report has more bytes than \"max_report_bytes\"", std::to_string(bytes));
        if (mechanism->cost().decode() > static_cast<double>(request_.limits->decode_cost))
            invalid("a report costs more steps than \"max_decode_cost\"", {});
    }

    /// Mechanisms of the search, by their settings without the rounding.
    const Mechanism& mechanism_of(const ProtocolEntry& entry, double epsilon, const std::uint64_t* option) {
        const Json plain = memoized_document(entry, epsilon, option, Json::object());
        auto& found = mechanisms_[json_text(plain)];
        if (found == nullptr) {
            const Spec spec = resolve(json_text(plain));
            found = make_mechanism(spec);
            check_predictable(spec, *found);
            check_limits(spec);
        }
        return *found;
    }

    /// The best number of responses that the budget pays for.
    void best_answers(const ProtocolEntry& entry, const std::uint64_t* option, const Json& rounding) {
        const double total = request_.budget.epsilon;
        const double first = request_.epsilon.value_or(rounded_down(capped(entry, total)));
        if (first > total) invalid("the budget does not pay for one response", {});
        const Spec spec = resolve(json_text(memoized_document(entry, first, option, rounding)));
        const Mechanism& some = mechanism_of(entry, first, option);
        // Without public randomness the keys are those of the values.
        const std::string of_keys = some.public_size() == 0
                                        ? std::to_string(some.cells()[0]) + json_text(rounding)
                                        : json_text(memoized_document(entry, 1, option, rounding));
        auto& paths = paths_[of_keys];
        if (paths == nullptr) paths = std::make_unique<KeyPaths>(spec, some, stream_);
        const auto error_of = [&](double epsilon) {
            check_interrupt();
            const Mechanism& mechanism = mechanism_of(entry, epsilon, option);
            const double error = predict_memoized(mechanism, spec, *paths, stream_, rounds_).error;
            keep(error, memoized_document(entry, epsilon, option, rounding));
            return error;
        };
        if (request_.epsilon) {
            static_cast<void>(error_of(*request_.epsilon));
            return;
        }
        // Most people must get by with their responses. Fewer responses have a larger ε each; more of them
        // only reduce the bias of the others.
        const std::vector<std::uint64_t>& counts = paths->counts();
        const auto within = static_cast<std::size_t>(
            std::ceil((1 - request_.most_ended) * static_cast<double>(counts.size()) - 1e-9));
        const std::uint64_t needed = counts[std::max<std::size_t>(within, 1) - 1];
        double least = std::numeric_limits<double>::infinity(), last = 0;
        const auto improves = [&](std::uint64_t answers) {
            double epsilon = rounded_down(capped(entry, total / static_cast<double>(answers)));
            if (epsilon < min_epsilon) return false;
            // If the budget can end, it pays for the signal first.
            const Mechanism& mechanism = mechanism_of(entry, epsilon, option);
            if (affordable_responses(request_.budget, possible_responses(spec, mechanism), mechanism) <
                answers)
                epsilon = rounded_down(capped(entry, total / static_cast<double>(answers + 1)));
            if (epsilon < min_epsilon) return false;
            if (epsilon == last) return true;
            last = epsilon;
            const double error = error_of(epsilon);
            return error < std::exchange(least, std::min(least, error));
        };
        if (!improves(entry.all_keys ? some.most_keys() : needed))
            invalid("the budget pays for too few responses", {});
        if (entry.all_keys) return;
        for (const std::uint64_t answers : answer_counts)
            if (answers > needed && (answers > counts.back() || !improves(answers))) break;
    }

    void best_rounding(const ProtocolEntry& entry, const std::uint64_t* option) {
        const auto rounding = [](std::uint64_t levels, double volatility, double flip, std::uint64_t window) {
            return Json{{"window", window},
                        {"volatility", volatility},
                        {"flip_probability", flip},
                        {"base_levels", levels}};
        };
        const Evolving usual;
        std::uint64_t best_levels = 1;
        const double cells = static_cast<double>(
            mechanism_of(entry,
                         request_.epsilon.value_or(rounded_down(capped(entry, request_.budget.epsilon))),
                         option)
                .cells()[0]);
        // A volatility of 1 is never exceeded: the step is constant.
        for (const std::uint64_t levels : level_counts) {
            if (static_cast<double>(levels) >= cells) break;
            const double before = best_error_;
            best_answers(entry, option, rounding(levels, 1, usual.flip_probability, usual.window));
            if (best_error_ < before) best_levels = levels;
        }
        // Steps that follow each person's movement, varied key by key.
        std::uint64_t levels = usual.base_levels,
                      window = std::min<std::uint64_t>(usual.window, stream_.rounds / 4);
        double flip = usual.flip_probability, volatility = usual.volatility;
        if (window == 0) return;
        const double fixed = best_error_;
        const auto improves = [&](std::uint64_t l, double v, double f, std::uint64_t w) {
            if (static_cast<double>(l) >= cells) return false;
            const double before = best_error_;
            // A small gain is not worth a second step.
            best_error_ = std::min(best_error_, 0.99 * fixed);
            const Json kept = best_;
            best_answers(entry, option, rounding(l, v, f, w));
            const bool better = best_ != kept;
            if (!better) best_error_ = before;
            return better;
        };
        for (const std::uint64_t l : {usual.base_levels, 2 * best_levels, 4 * best_levels})
            if (improves(l, volatility, flip, window)) levels = l;
        for (const double f : {0.03, 0.05, 0.2, 0.35, 0.5, 1.0})
            if (improves(levels, volatility, f, window)) flip = f;
        for (const std::uint64_t w : {std::uint64_t{5}, std::uint64_t{10}, std::uint64_t{stream_.rounds} / 2})
            if (w > 0 && w != window && improves(levels, volatility, flip, w)) window = w;
        for (const double v : {0.003, 0.03, 0.1})
            if (improves(levels, v, flip, window)) volatility = v;
    }

    /// The best number of changes. With more changes fewer people exceed them, and the noise is larger.
    void best_changes(const ProtocolEntry& entry) {
        if (request_.kept_by_clients && stream_.rounds * attribute_.domain > most_chosen_series)
            invalid("the series is too long for a choice within a spec", {});
        const double epsilon =
            request_.epsilon.value_or(rounded_down(capped(entry, request_.budget.epsilon)));
        if (epsilon > request_.budget.epsilon) invalid("the budget does not pay for the series", {});
        std::vector<std::uint64_t> counts(std::begin(change_counts), std::end(change_counts));
        const auto given = request_.spec.find("changes");
        if (given != request_.spec.end() && given->is_number_unsigned())
            counts = {given->get<std::uint64_t>()};
        double least = std::numeric_limits<double>::infinity();
        unsigned worse = 0;
        for (const std::uint64_t changes : counts) {
            Json document = document_of(entry, epsilon, nullptr);
            document["rounds"] = stream_.rounds;
            document["changes"] = changes;
            const Spec spec = resolve(json_text(document));
            check_limits(spec);
            const ProtocolPrediction found =
                predict_protocol(spec, stream_, Participation::every_round, rounds_);
            if (found.ended > request_.most_ended && counts.size() > 1) {
                obstacle_ = "values change too often for a series";
                continue;
            }
            keep(found.error, document);
            worse = found.error < least ? 0 : worse + 1;
            least = std::min(least, found.error);
            if (worse == 2) break;
        }
    }

    void keep(double error, const Json& document) {
        if (!(error < best_error_)) return;
        best_error_ = error;
        best_ = document;
    }

    const ProtocolRequest& request_;
    const ValueStream& stream_;
    Attribute attribute_;
    std::vector<std::size_t> rounds_;
    std::map<std::string, std::unique_ptr<const Mechanism>> mechanisms_;
    std::map<std::string, std::unique_ptr<const KeyPaths>> paths_;
    Json best_;
    double best_error_ = 0;
    std::string obstacle_;
};

bool possible(const ProtocolEntry& entry, const ProtocolRequest& request, bool numeric) {
    if (entry.numeric != numeric) return false;
    if (!request.mechanism.empty() && !entry.generic && request.mechanism != entry.mechanism) return false;
    // A series has its own protocol.
    if (entry.generic && !request.mechanism.empty() && find_mechanism(request.mechanism)->series)
        return false;
    if (!request.kept_by_clients) return true;
    const MechanismEntry* named = find_mechanism(entry.mechanism);
    if (named != nullptr && named->literature && request.mechanism != entry.mechanism) return false;
    // A second layer adds noise, so that it is only used for a limit of a single report.
    return entry.kind != ProtocolKind::fresh && entry.kind != ProtocolKind::one_round &&
           (!entry.two_layers || request.report_epsilon || request.mechanism == entry.mechanism);
}

/// The keys of a spec with "evolving": "auto" that the request has otherwise, or that the choice makes.
constexpr const char* request_keys[] = {"mechanism",
                                        "epsilon",
                                        "evolving",
                                        "stream",
                                        "budget",
                                        "report_epsilon",
                                        keys::report_bytes.name,
                                        keys::decode_cost.name};

/// A number of the spec, if it is there.
std::optional<double> optional_number(JsonObject& top, const keys::Key& key) {
    if (!top.contains(key.name)) return {};
    return top.real(key);
}

/// The movements of numbers in a sentence.
std::string movements_text(const StreamParameters& stream) {
    std::string text;
    if (stream.jitter > 0) text += " and a jitter of " + shortest(stream.jitter);
    if (stream.drift != 0) text += " and a drift of " + shortest(stream.drift);
    if (stream.season > 0) text += " and a season of " + shortest(stream.season);
    return text;
}

}  // namespace

double rounded_down(double number) {
    int exponent = 0;
    double scaled = number;
    constexpr double slack = 1 + 1e-12;  // so that a number of four digits stays
    for (; scaled * slack < 1000; scaled *= 10) --exponent;
    for (; scaled * slack >= 10000; scaled /= 10) ++exponent;
    const auto digits = static_cast<std::uint64_t>(scaled * slack);
    const std::string text = std::to_string(digits) + "e" + std::to_string(exponent);
    return parse_json(text).get<double>();
}

Attribute only_attribute_of(const Json& spec) {
    JsonObject top(spec, "the spec");
    std::vector<Attribute> attributes = read_attributes(top);
    if (attributes.size() != 1)
        invalid("a protocol for changing values can be planned for one attribute only",
                "The spec has " + std::to_string(attributes.size()) + ".",
                "Declare the changes of each attribute in \"stream\", with \"evolving\": \"auto\". "
                "Alternatively, plan the attributes one by one.");
    if (attributes[0].evolving)
        invalid("the rounding of \"" + attributes[0].name + "\" cannot be both given and chosen",
                "Found \"evolving\": true.", "Remove \"evolving\" from the attribute.");
    return std::move(attributes[0]);
}

ProtocolPlan plan_protocols(const ProtocolRequest& request, const ValueStream& coarse,
                            const ValueStream& fine, const PlanProgress& progress) {
    ProtocolSearch search(request, coarse);
    const bool numeric = search.attribute().numeric();
    const auto wanted = [&](const ProtocolEntry& entry) { return possible(entry, request, numeric); };
    const auto all = static_cast<std::size_t>(std::ranges::count_if(protocols, wanted));
    ProtocolPlan plan;
    std::size_t done = 0;
    for (const ProtocolEntry& entry : protocols) {
        if (!wanted(entry)) continue;
        const bool replaced = entry.generic && !request.mechanism.empty();
        const std::string name =
            std::string(entry.name) + " (" + (replaced ? request.mechanism : entry.mechanism) + ")";
        try {
            const Spec spec = resolve(json_text(search.best(entry)));
            const Participation participation =
                entry.kind == ProtocolKind::one_round ? Participation::one_round : Participation::every_round;
            plan.protocols.push_back(
                {entry.name, participation, spec, predict_protocol(spec, fine, participation)});
        } catch (const Error& error) {
            if (error.code() != ErrorCode::invalid_spec && error.code() != ErrorCode::unsupported) throw;
            plan.obstacles.push_back({name, error.what()});
        }
        if (progress) progress(++done, all);
    }
    std::ranges::stable_sort(plan.protocols, {},
                             [](const PlannedProtocol& one) { return one.prediction.error; });
    return plan;
}

ProtocolRequest read_protocol_request(const Json& spec) {
    JsonObject top(spec, "the spec");
    const std::string mechanism = top.word("mechanism", mechanism_names());
    if (mechanism != keys::automatic && find_mechanism(mechanism) == nullptr)
        JsonObject::wrong("mechanism", Json(mechanism), mechanism_names());
    for (const char* key : {"chosen", "derived"})
        if (spec.contains(key))
            invalid("\"" + std::string(key) + "\" and \"evolving\": \"auto\" cannot be combined",
                    "The choice includes this setting.", "Remove it.");
    const auto wants = [](const Json& object) { return object.is_object() && object.contains("estimate"); };
    const auto attributes = spec.find("attributes");
    const bool in_list = attributes != spec.end() && attributes->is_array();
    if (wants(spec) || (in_list && std::any_of(attributes->begin(), attributes->end(), wants)))
        invalid(
            "\"estimate\" and \"evolving\": \"auto\" cannot be combined",
            "This choice supports the mean of a number and the shares of a category.",
            "With \"evolving\": \"auto\" and a \"stream\" in the spec, \"auto\" chooses a mechanism for the "
            "distribution.");
    ProtocolRequest request{spec, read_budget(top.need("budget", "the total epsilon of a person"))};
    if (mechanism != keys::automatic) request.mechanism = mechanism;
    request.epsilon = optional_number(top, keys::epsilon);
    request.report_epsilon = optional_number(top, key(keys::Object::option, "report_epsilon"));
    const Limits limits{top.whole(keys::report_bytes), top.whole(keys::decode_cost)};
    if (mechanism == keys::automatic) request.limits = limits;
    for (const char* key : request_keys) request.spec.erase(key);
    return request;
}

bool asks_for_protocol(const Json& spec) {
    return spec.is_object() && spec.contains("evolving") && spec["evolving"] == keys::automatic;
}

ChosenProtocol choose_protocol(const Json& spec) {
    ProtocolRequest request = read_protocol_request(spec);
    request.kept_by_clients = true;
    const Attribute attribute = only_attribute_of(request.spec);
    if (may_be_missing(attribute))
        invalid(
            "\"evolving\": \"auto\" does not support missing numbers",
            "\"" + attribute.name + "\" has \"missing\": true; predictions do not support missing answers.",
            "Write \"evolving\": {} and a \"budget\", or remove \"missing\".");
    JsonObject top(spec, "the spec");
    const StreamParameters stream = StreamParameters::from_json(
        top.need("stream", R"({"rounds": …, "people": …, "change_rate": …, "jitter": …})"), attribute);
    if (stream.rounds > most_chosen_rounds)
        invalid("\"rounds\" of a stream may be at most " + std::to_string(most_chosen_rounds),
                "Found " + std::to_string(stream.rounds) + ".",
                "Plan longer streams before the collection, and write the result into the spec.");
    ProtocolPlan plan = plan_protocols(request, ValueStream::generated(stream, attribute, search_values),
                                       ValueStream::generated(stream, attribute, predicted_values));
    if (plan.protocols.empty()) {
        std::string reasons;
        for (const auto& [protocol, reason] : plan.obstacles)
            reasons += (reasons.empty() ? "" : "; ") + protocol + ": " + reason;
        invalid("no protocol is possible for these values and this budget", shortened(reasons, 600) + ".",
                "Check the other keys of the spec, or allow a larger budget.");
    }
    const auto& [protocol, participation, chosen, prediction] = plan.protocols[0];
    return {chosen, request.limits.value_or(Limits{}),
            std::string(protocol) + ": smallest predicted error of a round, " + rounded(prediction.error, 3) +
                ", for " + std::to_string(stream.rounds) + " rounds of " + std::to_string(stream.people) +
                " people with a change rate of " + shortest(stream.change_rate) + movements_text(stream)};
}

}  // namespace ldp
