// Length: the choices of the parts share their terms, and the shares follow from the chosen mechanisms.

#include "core/choice/record_choice.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/base/unknown.hpp"
#include "core/channel/epsilon_odds.hpp"
#include "core/choice/ordered_choice.hpp"
#include "core/contract/keys.hpp"
#include "core/mechanism/record/record_parts.hpp"
#include "core/mechanism/role/fields.hpp"
#include "core/mechanism/role/mechanism.hpp"
#include "core/mechanism/vector/vector_length.hpp"

namespace ldp {

namespace {

constexpr std::uint64_t most_share = 1000;
constexpr std::uint64_t usual_grid = 32768;
/// Default of "max_report_bytes" for a distribution: reports about sets of ranges are long.
constexpr std::uint64_t distribution_report_bytes = 512;

/// The terms of parts whose mechanism is chosen.
struct OpenTerms : PartTerms {
    const Limits& limits;  ///< of the mechanisms that are chosen
    /// For memoized responses: the limit of those of one part that a person reports. Null otherwise.
    const ResponseLimit* responses = nullptr;
};

/// A chosen mechanism of a part, and the options that its choice includes.
struct PartChoice {
    const MechanismEntry* mechanism = nullptr;
    OptionValues options = {};
    double n_variance = unknown;  ///< if the mechanism is the one with the least
};
/// Choices that depend on the size of the domain alone (0 for a number).
using ChosenBySize = std::map<std::uint64_t, PartChoice>;

[[noreturn]] void refuse(const std::string& message, const std::string& detail,
                         const std::string& hint = {}) {
    raise(ErrorCode::invalid_spec, message, detail, hint);
}

/// Whether the mechanism is for vectors whose length is bounded. Others bound each number.
bool takes_norm(const MechanismEntry& entry) {
    const auto named = [](const Option& option) { return option.name == std::string_view(keys::norm.name); };
    return std::ranges::any_of(entry.options, named);
}
/// Removes the bound from the options of a mechanism that does not use it.
void use_norm(const MechanismEntry& entry, OptionValues& options) {
    if (!takes_norm(entry)) options.erase(keys::norm.name);
}

std::unique_ptr<const Mechanism> build(const MechanismEntry& entry, const std::vector<Attribute>& attributes,
                                       const PartAttributes& part, const OpenTerms& terms) {
    return make_mechanism(settings_through(entry, attributes, part, terms));
}

/// The largest expected n·Var of the attributes of a part, in the units of Planner::expected_variance.
double largest_variance(const Mechanism& mechanism) {
    double largest = 0;
    for (std::size_t j = 0; j < mechanism.cells().size(); ++j)
        largest = std::max(largest, mechanism.expected_variance(j));
    return largest;
}

/// The limit of a part's responses; null if responses are not memoized.
std::optional<ResponseLimit> limit_of(const PartAttributes& part, const OpenTerms& terms) {
    if (terms.responses == nullptr) return {};
    return ResponseLimit{terms.responses->most, terms.responses->needs, part.first};
}

/// The mechanism of least expected variance among those that suit, the first of them if several are equal.
PartChoice least_variance(const std::vector<Attribute>& attributes, const PartAttributes& part,
                          const OpenTerms& terms) {
    const Attribute& attribute = attributes[part.first];
    const std::optional<ResponseLimit> limit = limit_of(part, terms);
    PartChoice best;
    double least = std::numeric_limits<double>::infinity();
    std::string obstacles;
    const auto consider = [&](const MechanismEntry& entry, const OptionValues& options) {
        std::string unpaid;
        const Candidate found = measured_candidate(entry, [&](Candidate& measured) {
            std::vector<Attribute> with = attributes;
            with[part.first].options.insert(options.begin(), options.end());
            use_norm(entry, with[part.first].options);
            auto mechanism = build(entry, with, part, terms);
            measured.n_variance = largest_variance(*mechanism);
            if (limit) unpaid = limit->obstacle(*mechanism);
            return mechanism;
        });
        const std::string& obstacle = found.obstacle.empty() ? unpaid : found.obstacle;
        if (!obstacle.empty()) {
            if (options.empty())
                obstacles += (obstacles.empty() ? "" : " ") + std::string(entry.name) + ": " + obstacle + ".";
            return;
        }
        if (static_cast<float>(found.n_variance) >= static_cast<float>(least)) return;
        least = found.n_variance;
        best = {&entry, options, least};
    };
    if (const auto norm = attribute.options.find(keys::norm.name); norm != attribute.options.end())
        check_norm(std::get<double>(norm->second), part.count);
    for (const MechanismEntry* entry : registry()) {
        const bool candidate =
            !entry->literature && (attribute.vector.empty() ? entry->shape != Shape::one_ordered
                                                            : entry->shape == Shape::numeric_vector);
        const bool bounded = !takes_norm(*entry) || attribute.options.contains(keys::norm.name);
        if (candidate && bounded && suits(*entry, attribute, terms)) consider(*entry, {});
    }
    const Shape shape = attribute.numeric()   ? Shape::one_numeric
                        : attribute.several() ? Shape::one_set
                                              : Shape::one_categorical;
    const bool few_possible = limit && attribute.vector.empty() && !attribute.strings && !attribute.evolving;
    for (const MechanismEntry* few : registry())
        if (few_possible && has_few_responses(*few, shape) && suits(*few, attribute, terms))
            for (const OptionValues& options : response_options(*few, limit->most)) consider(*few, options);
    if (best.mechanism == nullptr)
        refuse("no mechanism suits the " + kind_of_part(attribute) + " \"" + name_of_part(attribute) +
                   "\" in a record",
               obstacles.empty() ? no_mechanism_for(attribute, terms) : obstacles,
               limit && !obstacles.empty() ? advice_within(*limit)
               : terms.report_epsilon != 0
                   ? "Omit \"report_epsilon\", or collect the attribute alone in one layer."
                   : "");
    return best;
}

PartChoice chosen_mechanism(const std::vector<Attribute>& attributes, const PartAttributes& part,
                            const OpenTerms& terms) {
    const Attribute& attribute = attributes[part.first];
    const std::optional<ResponseLimit> limit = limit_of(part, terms);
    const bool distribution = !attribute.want.empty() && attribute.want != "mean" &&
                              attribute.want != "means" && attribute.want != "ranges";
    if (!attribute.vector.empty()) {
        if (attribute.want != "ranges") return least_variance(attributes, part, terms);
        const MechanismEntry& ranges = mechanism_for(Purpose::vector_ranges);
        if (!limit) return {&ranges};
        const std::string obstacle = limit->obstacle(*build(ranges, attributes, part, terms));
        if (!obstacle.empty())
            refuse("the budget might not suffice for \"" + attribute.vector + "\"",
                   std::string(ranges.name) + ": " + obstacle + ".", advice_within(*limit));
        return {&ranges};
    }
    const Attribute one = reported_alone(attributes, part)[0];
    const auto within = [](SelectedWithin found) {
        return PartChoice{found.mechanism, std::move(found.options)};
    };
    if (terms.report_epsilon != 0) {
        if (distribution && attribute.want == "shape")
            refuse("a smooth fit cannot be reported in two layers",
                   "\"" + attribute.name + "\" has \"estimate\": \"shape\".",
                   "Omit \"report_epsilon\", or use \"estimate\": \"distribution\".");
        if (!distribution) return least_variance(attributes, part, terms);
        const MechanismEntry& few = few_ordered_responses();
        if (!limit) return {&few};
        const auto own = build(few, attributes, part, terms);
        if (limit->obstacle(*own).empty()) return {&few};
        if (limit->most < 2)
            refuse("the budget might not suffice for \"" + attribute.name + "\"",
                   std::string(few.name) + ": " + limit->obstacle(*own) + ".", advice_within(*limit));
        return {&few, {{few.responses.name, limit->most - few.responses.more}}};
    }
    if (!distribution) {
        const SelectionRequest demand{terms.epsilon, {one}, terms.limits};
        const auto suitable = [&](const MechanismEntry& entry) { return suits(entry, attribute, terms); };
        return limit ? within(choose_within(demand, *limit, suitable)) : PartChoice{choose(demand).mechanism};
    }
    const OrderedUse use = attribute.want == "quantiles" ? OrderedUse::quantiles
                           : attribute.want == "shape"   ? OrderedUse::shape
                                                         : OrderedUse::ranges;
    std::optional<std::uint64_t> grid;
    if (const auto given = attribute.options.find("grid"); given != attribute.options.end())
        grid = std::get<std::uint64_t>(given->second);
    Limits limits = terms.limits;
    limits.report_bytes = std::max(limits.report_bytes, distribution_report_bytes);
    const OrderedRequest request{terms.epsilon, one, grid, limits, use};
    if (limit) return within(choose_ordered_within(request, *limit));
    const MechanismEntry* const found = choose_ordered(request).mechanism;
    return {found, options_for_order(*found)};
}

/// Chooses the mechanism of a part, if its attributes leave it open, and completes the attributes.
void choose_part(std::vector<Attribute>& attributes, const PartAttributes& part, const OpenTerms& terms,
                 ChosenBySize& chosen) {
    Attribute& first = attributes[part.first];
    if (!part.joint && is_open(first)) {
        const bool by_size = first.vector.empty() && !first.strings && !first.several() &&
                             !may_be_missing(first) && !first.circular && first.want.empty() &&
                             first.options.empty() && terms.responses == nullptr;
        PartChoice choice;
        PartChoice& known = by_size ? chosen[first.domain] : choice;
        if (known.mechanism == nullptr) known = chosen_mechanism(attributes, part, terms);
        first.mechanism = known.mechanism->name;
        first.options.insert(known.options.begin(), known.options.end());
        use_norm(*known.mechanism, first.options);
    }
    settle_part(attributes, part, terms);
}

/// The noise of an estimate of one attribute of a part, and the variance between people of a typical
/// attribute. Both are in squares of half the range for means, and of shares otherwise.
struct EstimateVariance {
    double noise, between;
    bool mean;

    EstimateVariance(const Mechanism& mechanism, std::size_t attribute) {
        constexpr double even_spread = 1.0 / 3, share_spread = 0.25;
        constexpr std::uint64_t many = 100000;
        const bool distribution = is_ordered(*find_mechanism(mechanism.header().mechanism));
        mean = mechanism.can_estimate(Quantity::means) && !distribution;
        noise = distribution ? mean_variance(mechanism, OrderedUse::ranges, many)
                             : mechanism.expected_variance(attribute);
        between = mean ? even_spread : share_spread;
    }
};

/// The number of reports that a part needs for its margins, divided by the square of the critical value, and
/// whether one of its attributes has a margin in the spec.
struct Needed {
    double reports;
    bool asked;
};

/// With n reports, an estimate has a variance of about (V + σ²)/n, with the noise V and the variance σ²
/// between people.
Needed reports_needed(const std::vector<Attribute>& attributes, const PartAttributes& part,
                      const PartTerms& terms) {
    constexpr double usual_margin = 0.05;
    const auto each = std::span(attributes).subspan(part.first, part.count);
    const bool asked = std::ranges::any_of(each, [](const Attribute& one) { return one.margin > 0; });
    const auto mechanism = make_mechanism(settings_of_part(attributes, part, terms));
    double most = 0;
    for (std::size_t j = 0; j < part.count; ++j) {
        if (asked && each[j].margin == 0) continue;
        const EstimateVariance variance(*mechanism, j);
        const double unit = variance.mean ? (each[j].max - each[j].min) / 2 : 1;
        const double margin = asked ? each[j].margin : usual_margin * (variance.mean ? 2 * unit : 1);
        const double scale = unit / margin;
        most = std::max(most, (variance.noise + variance.between) * scale * scale);
    }
    return {most, asked};
}

/// Returns a number of people, rounded up to three digits.
std::string people_text(double people) {
    const double scale = std::pow(10.0, std::max(0.0, std::floor(std::log10(people)) - 2));
    return std::to_string(static_cast<std::uint64_t>(std::min(std::ceil(people / scale) * scale, 1e18)));
}

/// Returns the proportions in which parts are drawn. They are those of the needs. If this number of people (0
/// if unknown) then misses a margin that the spec asks for, such parts get what they need and the others the
/// rest. Throws Error (invalid_spec) if the rest is less than a tenth.
std::vector<double> proportions(const std::vector<Needed>& needed, std::uint64_t people,
                                std::uint64_t per_report) {
    constexpr double least_rest = 0.1;
    constexpr double critical = 1.959963984540054;  // at 95 %; devices have no normal quantiles
    double all = 0, asked = 0;
    for (const Needed& one : needed) {
        all += one.reports;
        asked += one.asked ? one.reports : 0;
    }
    std::vector<double> found;
    for (const Needed& one : needed) found.push_back(one.reports / all);
    if (people == 0) return found;
    const double reports = static_cast<double>(people) * static_cast<double>(per_report);
    const double needs = critical * critical * asked / reports;
    const double most = asked < all ? 1 - least_rest : 1;
    if (needs > most) {
        const double enough = static_cast<double>(people) * needs / most;
        refuse("the margins cannot be reached with this number of people",
               "\"people\" is " + std::to_string(people) + "; the margins need about " + people_text(enough) +
                   ".",
               "Collect from more people, allow margins that are " +
                   rounded(std::sqrt(needs / most) + 0.005, 3) + " times as large, or raise \"epsilon\".");
    }
    if (needs <= asked / all) return found;
    for (std::size_t i = 0; i < needed.size(); ++i)
        found[i] = needed[i].asked ? critical * critical * needed[i].reports / reports
                                   : (1 - needs) * needed[i].reports / (all - asked);
    return found;
}

/// Returns the mean logarithm of n·Var over the parts, if each person reports a part with this chance.
double log_variance(std::vector<Attribute> attributes, const std::vector<PartAttributes>& parts,
                    const OpenTerms& terms, double chance) {
    ChosenBySize chosen;
    std::map<std::pair<std::string, std::uint64_t>, double> known;  // of parts without options
    double sum = 0;
    for (const PartAttributes& part : parts) {
        choose_part(attributes, part, terms, chosen);
        const Attribute& first = attributes[part.first];
        const bool plain = part.count == 1 && !first.strings && !first.several() && first.options.empty();
        double unknown_yet = 0;
        double& log = plain ? known[{first.mechanism, first.domain}] : unknown_yet;
        if (log == 0) {
            const auto mechanism = make_mechanism(settings_of_part(attributes, part, terms));
            for (std::size_t j = 0; j < part.count; ++j) {
                const EstimateVariance variance(*mechanism, j);
                log += std::log((variance.noise + variance.between) / chance - variance.between) /
                       static_cast<double>(part.count);
            }
        }
        sum += log;
    }
    return sum / static_cast<double>(parts.size());
}

/// The number of parts in a report with the least geometric mean of the parts' variances. With V(ε) the noise
/// of the randomizer and σ² the variance between people, an estimate has (V(ε/s) + σ²)·d/s − σ². More parts
/// are tried while they improve it; two parts need twice an ε of 2 at least.
std::uint64_t best_per_report(const SettingsDraft& draft, const RecordLayout& layout, const Limits& limits) {
    constexpr double least_epsilon = 2;
    if (has_series(draft.attributes)) return 1;
    const std::uint64_t most = std::min<std::uint64_t>(
        static_cast<std::uint64_t>(draft.epsilon / least_epsilon), layout.parts.size());
    std::uint64_t best = 1;
    double least = HUGE_VAL;
    for (std::uint64_t s = 1; most > 1 && s <= most; ++s) {
        const OpenTerms terms{layout.terms(draft.epsilon, draft.options, s), limits};
        const double chance = static_cast<double>(s) / static_cast<double>(layout.parts.size());
        const double variance = log_variance(draft.attributes, layout.parts, terms, chance);
        if (variance >= least) break;
        least = variance;
        best = s;
    }
    return best;
}

/// If an attribute has a margin, replaces all shares by the smallest integers that divide people between the
/// parts in the proportions that reach the margins. An attribute without a margin has one of 5 % of its
/// range, or of 0.05 for shares, if the number of people suffices. Throws Error (invalid_spec) if `people` (0
/// if unknown) do not suffice for the margins of the spec. The weight of a joint part is a sum over its
/// attributes and sets, whose shares are therefore equal parts of it.
void settle_margins(std::vector<Attribute>& attributes, const std::vector<PartAttributes>& parts,
                    const PartTerms& terms, std::uint64_t people, std::uint64_t per_report) {
    if (std::ranges::none_of(attributes, [](const Attribute& one) { return one.margin > 0; })) return;
    std::vector<Needed> needed;
    for (const PartAttributes& part : parts) needed.push_back(reports_needed(attributes, part, terms));
    std::vector<double> shares = proportions(needed, people, per_report);
    for (std::size_t i = 0; i < parts.size(); ++i)
        shares[i] /= static_cast<double>(shares_in_part(attributes, parts[i], terms.together));
    const double most = std::ranges::max(shares);
    std::uint64_t common = 0;
    std::vector<std::uint64_t> whole;
    for (const double share : shares) {
        whole.push_back(static_cast<std::uint64_t>(
            std::max(1.0, std::round(static_cast<double>(most_share) * share / most))));
        common = std::gcd(common, whole.back());
    }
    for (std::size_t i = 0; i < parts.size(); ++i)
        for (Attribute& attribute : std::span(attributes).subspan(parts[i].first, parts[i].count)) {
            attribute.share = whole[i] / common;
            attribute.margin = 0;
        }
}

/// The largest number whose s-th power is at most `responses`.
std::uint64_t root_of(std::uint64_t responses, std::uint64_t s) {
    if (s == 1) return responses;
    auto root =
        static_cast<std::uint64_t>(std::pow(static_cast<double>(responses), 1 / static_cast<double>(s)));
    const auto fits = [&](std::uint64_t each) {
        return std::pow(static_cast<double>(each), static_cast<double>(s)) <= static_cast<double>(responses);
    };
    while (fits(root + 1)) ++root;
    while (root > 1 && !fits(root)) --root;
    return root;
}

/// Chooses the mechanisms that a record of memoized responses leaves open. Without "per_report", a person
/// reports one part, because a response for several parts is lost if any of them changes.
void choose_parts_within(SettingsDraft& draft, const Limits& limits, const ResponseLimit& responses) {
    auto& reported = std::get<std::uint64_t>(draft.options.at("per_report"));
    if (reported == 0) reported = 1;
    const RecordLayout layout = layout_of_record(draft);
    const ResponseLimit of_part{root_of(responses.most, reported), responses.needs};
    const OpenTerms terms{layout.terms(draft.epsilon, draft.options, reported), limits, &of_part};
    ChosenBySize chosen;
    for (const PartAttributes& part : layout.parts)
        if (!part.joint && is_open(draft.attributes[part.first]))
            choose_part(draft.attributes, part, terms, chosen);
}

}  // namespace

void choose_record(SettingsDraft& draft, const Limits& limits, const ResponseLimit* responses) {
    if (responses != nullptr) choose_parts_within(draft, limits, *responses);
    RecordLayout layout = layout_of_record(draft);
    if (layout.per_report == 0) layout.per_report = best_per_report(draft, layout, limits);
    check_layout(draft, layout);
    draft.options.at("per_report") = layout.per_report;
    const OpenTerms terms{layout.terms(draft.epsilon, draft.options, layout.per_report), limits};
    ChosenBySize chosen;
    for (const PartAttributes& part : layout.parts) choose_part(draft.attributes, part, terms, chosen);
    settle_margins(draft.attributes, layout.parts, terms, std::get<std::uint64_t>(draft.options.at("people")),
                   layout.per_report);
}

VectorChoice choose_vector_mechanism(const std::vector<Attribute>& attributes, double epsilon,
                                     const Limits& limits, const ResponseLimit* responses) {
    const IntegerRows none;
    const PartChoice found = chosen_mechanism(attributes, {0, attributes.size(), false},
                                              {{epsilon, 0, usual_grid, none}, limits, responses});
    return {found.mechanism, found.n_variance};
}

}  // namespace ldp
