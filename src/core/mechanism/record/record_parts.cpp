// Length: the choice, the settings and the weights of a part share its kinds and its limits.

#include "core/mechanism/record/record_parts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <set>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/choice/ordered_choice.hpp"
#include "core/choice/selection.hpp"
#include "core/mechanism/capability.hpp"
#include "core/mechanism/entries.hpp"

namespace ldp {

namespace {

constexpr std::uint64_t most_share = 1000;
constexpr const char* first_epsilon_key = "first_epsilon";
constexpr std::uint64_t usual_grid = 32768;
/// Default of "max_report_bytes" for a distribution: reports about sets of ranges are long.
constexpr std::uint64_t distribution_report_bytes = 512;

[[noreturn]] void refuse(const std::string& message, const std::string& detail,
                         const std::string& hint = {}) {
    raise(ErrorCode::invalid_spec, message, detail, hint);
}

const Option* find_option(const MechanismEntry& entry, std::string_view name) noexcept {
    const auto found = std::ranges::find_if(entry.options, [&](const Option& o) { return o.name == name; });
    return found == entry.options.end() ? nullptr : &*found;
}

/// Whether it is the grid of a mechanism for means, which a record has for all its numbers.
bool is_usual_grid(const Option& option) noexcept {
    return option.name == std::string_view("grid") && option.most == std::uint64_t{1} << 20;
}

/// Whether the mechanism can report in one layer, or in two.
bool in_layers(const MechanismEntry& entry, bool two) noexcept {
    const Option* first = find_option(entry, first_epsilon_key);
    return two ? first != nullptr : first == nullptr || first->optional;
}

bool takes(const MechanismEntry& entry, const Attribute& attribute) noexcept {
    if (!attribute.vector.empty()) return entry.shape == Shape::numeric_vector;
    if (attribute.strings) return entry.shape == Shape::one_string;
    return entry.shape == Shape::one_ordered ||
           entry.shape == (attribute.numeric() ? Shape::one_numeric : Shape::one_categorical);
}

bool suits(const MechanismEntry& entry, const Attribute& attribute, const PartTerms& terms) noexcept {
    return reports_parts(entry) && takes(entry, attribute) && in_layers(entry, terms.first_epsilon != 0);
}

std::string kind_of(const Attribute& attribute) {
    return !attribute.vector.empty() ? "vector"
           : attribute.strings       ? "text"
           : attribute.numeric()     ? "number"
                                     : "category";
}

const std::string& name_of(const Attribute& attribute) {
    return attribute.vector.empty() ? attribute.name : attribute.vector;
}

/// The reason why no mechanism suits an attribute at all.
std::string no_mechanism(const Attribute& attribute, const PartTerms& terms) {
    if (terms.first_epsilon != 0)
        return std::string("No mechanism reports a ") + kind_of(attribute) + " of a record in two layers.";
    return "None of the mechanisms takes it.";
}

/// Refuses the mechanism that an attribute names.
[[noreturn]] void refuse_mechanism(const Attribute& attribute, const PartTerms& terms) {
    std::vector<const char*> suitable;
    for (const MechanismEntry* other : registry())
        if (suits(*other, attribute, terms)) suitable.push_back(other->name);
    const MechanismEntry* named = find_mechanism(attribute.mechanism);
    std::string detail, hint;
    if (named != nullptr && named->series) {
        detail = "Under " + attribute.mechanism +
                 ", a person's whole series costs epsilon once; a record has no such parts.";
        hint = "Collect \"" + name_of(attribute) + "\" in a collection of its own.";
    } else if (suitable.empty()) {
        detail = no_mechanism(attribute, terms);
        hint = terms.first_epsilon != 0 ? "Leave \"first_epsilon\" out, or collect \"" + name_of(attribute) +
                                              "\" in a collection of its own."
                                        : "";
    } else {
        suitable.insert(suitable.begin(), "auto");
        detail = std::string("Suitable for a ") + kind_of(attribute) +
                 (terms.first_epsilon != 0 ? " in two layers are " : " are ") + joined(suitable) + ".";
    }
    refuse(attribute.mechanism + " cannot report \"" + name_of(attribute) + "\" in a record", detail, hint);
}

/// The attributes as if they were reported alone.
std::vector<Attribute> alone(const std::vector<Attribute>& attributes, const PartAttributes& part) {
    std::vector<Attribute> all(attributes.begin() + static_cast<std::ptrdiff_t>(part.first),
                               attributes.begin() + static_cast<std::ptrdiff_t>(part.first + part.count));
    for (Attribute& attribute : all) {
        attribute.mechanism.clear();
        attribute.share = 0;
        attribute.product.clear();
        attribute.vector.clear();
        attribute.options.clear();
        attribute.want.clear();
        attribute.margin = 0;
    }
    return all;
}

/// The views of joint tables: every attribute alone, then the sets, with numbers within the part.
IntegerRows views_of_part(const PartAttributes& part, const IntegerRows& together) {
    IntegerRows views;
    for (std::size_t j = 0; j < part.count; ++j) views.push_back({static_cast<std::int64_t>(j)});
    for (const auto& set : together) {
        auto& view = views.emplace_back();
        for (const std::int64_t j : set) view.push_back(j - static_cast<std::int64_t>(part.first));
    }
    return views;
}

/// The mechanism's options: the attribute's own, the grid of the record, and the layers.
OptionValues options_for(const MechanismEntry& entry, const Attribute& attribute, const PartTerms& terms) {
    OptionValues options = attribute.options;
    for (const Option& option : entry.options)
        if (is_usual_grid(option)) options.try_emplace(option.name, terms.grid);
    if (terms.first_epsilon != 0 && find_option(entry, first_epsilon_key) != nullptr)
        options[first_epsilon_key] = terms.first_epsilon;
    return options;
}

Settings settings_through(const MechanismEntry& entry, const std::vector<Attribute>& attributes,
                          const PartAttributes& part, const PartTerms& terms) {
    OptionValues options = part.joint ? OptionValues{{"views", views_of_part(part, terms.together)}}
                                      : options_for(entry, attributes[part.first], terms);
    return {entry, terms.epsilon, alone(attributes, part), std::move(options), terms.limits};
}

std::unique_ptr<const Mechanism> build(const MechanismEntry& entry, const std::vector<Attribute>& attributes,
                                       const PartAttributes& part, const PartTerms& terms) {
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
std::optional<ResponseLimit> limit_of(const PartAttributes& part, const PartTerms& terms) {
    if (terms.responses == nullptr) return {};
    return ResponseLimit{terms.responses->most, terms.responses->needs, part.first};
}

/// The mechanism of least expected variance among those that suit, the first of them if several are equal.
PartChoice least_variance(const std::vector<Attribute>& attributes, const PartAttributes& part,
                          const PartTerms& terms) {
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
        best = {&entry, options};
    };
    for (const MechanismEntry* entry : registry()) {
        const bool candidate = attribute.vector.empty() ? entry->shape != Shape::one_ordered
                                                        : entry->shape == Shape::numeric_vector;
        if (candidate && suits(*entry, attribute, terms)) consider(*entry, {});
    }
    const Shape shape = attribute.numeric() ? Shape::one_numeric : Shape::one_categorical;
    const bool few_possible = limit && attribute.vector.empty() && !attribute.strings && !attribute.evolving;
    for (const FewResponses& few : mechanisms_of_few_responses())
        if (few_possible && few.shape == shape && suits(*few.mechanism, attribute, terms))
            for (const OptionValues& options : few.options(limit->most)) consider(*few.mechanism, options);
    if (best.mechanism == nullptr)
        refuse("no mechanism suits the " + kind_of(attribute) + " \"" + name_of(attribute) + "\" in a record",
               obstacles.empty() ? no_mechanism(attribute, terms) : obstacles,
               limit                      ? advice_within(*limit)
               : terms.first_epsilon != 0 ? "Leave \"first_epsilon\" out, or collect the attribute by itself."
                                          : "");
    return best;
}

PartChoice chosen_mechanism(const std::vector<Attribute>& attributes, const PartAttributes& part,
                            const PartTerms& terms) {
    const Attribute& attribute = attributes[part.first];
    const std::optional<ResponseLimit> limit = limit_of(part, terms);
    const bool distribution = !attribute.want.empty() && attribute.want != "mean" &&
                              attribute.want != "means" && attribute.want != "ranges";
    if (!attribute.vector.empty()) {
        if (attribute.want != "ranges") return least_variance(attributes, part, terms);
        if (terms.first_epsilon != 0)
            refuse("means of ranges of a vector cannot be reported in two layers",
                   "\"" + attribute.vector + "\" asks for \"want\": \"ranges\".",
                   "Leave \"first_epsilon\" out, or collect the vector in a collection of its own.");
        if (!limit) return {&haar::entry};
        const std::string obstacle = limit->obstacle(*build(haar::entry, attributes, part, terms));
        if (!obstacle.empty())
            refuse("the budget for \"" + attribute.vector + "\" may end", "haar: " + obstacle + ".",
                   advice_within(*limit));
        return {&haar::entry};
    }
    const Attribute one = alone(attributes, part)[0];
    const auto within = [](SelectedWithin found) {
        return PartChoice{found.mechanism, std::move(found.options)};
    };
    if (terms.first_epsilon != 0) {
        if (distribution && attribute.want == "shape")
            refuse("a smooth fit cannot be reported in two layers",
                   "\"" + attribute.name + "\" asks for \"want\": \"shape\".",
                   "Leave \"first_epsilon\" out, or ask for \"want\": \"distribution\".");
        if (!distribution) return least_variance(attributes, part, terms);
        if (!limit) return {&dithered::entry};
        const auto few =
            std::ranges::find(mechanisms_of_few_responses(), &dithered::entry, &FewResponses::mechanism);
        const auto own = build(dithered::entry, attributes, part, terms);
        if (limit->obstacle(*own).empty()) return {&dithered::entry};
        if (limit->most < 2)
            refuse("the budget for \"" + attribute.name + "\" may end",
                   "dithered: " + limit->obstacle(*own) + ".", advice_within(*limit));
        return {&dithered::entry, {{few->option, limit->most - few->more}}};
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
    return limit ? within(choose_ordered_within(request, *limit))
                 : PartChoice{choose_ordered(request).mechanism};
}

}  // namespace

bool reports_parts(const MechanismEntry& entry) noexcept {
    return !entry.series && &entry != &haar_ranges::entry && find_option(entry, "delta") == nullptr &&
           (entry.shape != Shape::record || &entry == &joint::entry);
}

std::vector<PartAttributes> parts_of(const std::vector<Attribute>& attributes, const IntegerRows& together) {
    std::set<std::size_t> joint;
    for (const auto& set : together) {
        const std::set<std::int64_t> different(set.begin(), set.end());
        if (set.size() < 2 || set.size() > 3 || different.size() != set.size())
            refuse("a set of \"together\" has two or three different attributes",
                   "Found one of " + std::to_string(set.size()) + ".");
        for (const std::int64_t j : set) joint.insert(static_cast<std::size_t>(j));
    }
    if (!joint.empty() && *joint.rbegin() - *joint.begin() + 1 != joint.size()) {
        std::string names;
        for (const std::size_t j : joint) names += (names.empty() ? "" : ", ") + attributes[j].name;
        refuse("the attributes of \"together\" are not next to each other", "They are " + names + ".",
               "List them one after another in \"attributes\".");
    }
    for (const std::size_t j : joint)
        if (attributes[j].strings)
            refuse("joint tables need categories, and \"" + attributes[j].name + "\" is a text",
                   "\"together\" names it.", "List its values as its \"domain\".");
        else if (attributes[j].numeric() || !attributes[j].vector.empty())
            refuse("joint tables need categories, and \"" + attributes[j].name + "\" is a number",
                   "\"together\" names it.", "Divide its range: add \"bins\": 16, or \"edges\".");
    std::vector<PartAttributes> parts;
    for (std::size_t j = 0; j < attributes.size();) {
        std::size_t end = j + 1;
        const bool together_here = joint.contains(j);
        while (end < attributes.size() &&
               (together_here
                    ? joint.contains(end)
                    : !attributes[j].vector.empty() && attributes[end].vector == attributes[j].vector))
            ++end;
        parts.push_back({j, end - j, together_here});
        j = end;
    }
    return parts;
}

Settings settings_of_part(const std::vector<Attribute>& attributes, const PartAttributes& part,
                          const PartTerms& terms) {
    const MechanismEntry* entry =
        part.joint ? &joint::entry : find_mechanism(attributes[part.first].mechanism);
    return settings_through(*entry, attributes, part, terms);
}

const MechanismEntry& choose_vector_mechanism(const std::vector<Attribute>& attributes, double epsilon,
                                              const Limits& limits, const ResponseLimit* responses) {
    const IntegerRows none;
    return *chosen_mechanism(attributes, {0, attributes.size(), false},
                             {epsilon, 0, usual_grid, none, limits, responses})
                .mechanism;
}

void settle_part(std::vector<Attribute>& attributes, const PartAttributes& part, const PartTerms& terms,
                 ChosenBySize& chosen) {
    const auto each = std::span(attributes).subspan(part.first, part.count);
    for (Attribute& attribute : each) attribute.share = std::max<std::uint64_t>(attribute.share, 1);
    if (part.joint) {
        if (terms.first_epsilon != 0)
            refuse("joint tables cannot be reported in two layers", "The spec has \"first_epsilon\".",
                   "Leave out \"together\", or \"first_epsilon\".");
        for (const Attribute& attribute : each)
            if (!attribute.mechanism.empty() || !attribute.want.empty() || !attribute.options.empty())
                refuse("an attribute of \"together\" has no mechanism of its own",
                       "\"" + attribute.name + "\" is reported in joint tables.",
                       "Remove its \"mechanism\", \"want\" and options.");
        (void)settings_of_part(attributes, part, terms);  // refuses tables that are too large
        return;
    }
    Attribute& first = each[0];
    if (first.mechanism.empty() || first.mechanism == "auto") {
        const bool by_size = first.vector.empty() && !first.strings && first.want.empty() &&
                             first.options.empty() && terms.responses == nullptr;
        PartChoice choice;
        PartChoice& known = by_size ? chosen[first.domain] : choice;
        if (known.mechanism == nullptr) known = chosen_mechanism(attributes, part, terms);
        first.mechanism = known.mechanism->name;
        first.options.insert(known.options.begin(), known.options.end());
    }
    const MechanismEntry* entry = find_mechanism(first.mechanism);
    if (entry == nullptr || !suits(*entry, first, terms)) refuse_mechanism(first, terms);
    const Settings settled = settings_of_part(attributes, part, terms);
    OptionValues options;
    for (const Option& option : entry->options) {
        if (!option.applies(settled.attributes()) || option.name == std::string_view(first_epsilon_key))
            continue;
        const OptionValue& value = settled.option(option.name);
        const bool usual = is_usual_grid(option) && value == OptionValue(terms.grid);
        if (usual || (option.optional && value == option.fallback_for(part.count))) continue;
        options[option.name] = value;
    }
    for (Attribute& attribute : each) {
        attribute.mechanism = entry->name;
        attribute.want.clear();
        attribute.options = options;
        attribute.share = first.share;
    }
}

std::uint64_t share_of_part(const std::vector<Attribute>& attributes, const PartAttributes& part,
                            const IntegerRows& together) {
    if (!part.joint) return attributes[part.first].share;
    std::uint64_t sum = 0;
    for (std::size_t j = part.first; j < part.first + part.count; ++j) sum += attributes[j].share;
    for (const auto& set : together) {
        std::uint64_t most = 0;
        for (const std::int64_t j : set) most = std::max(most, attributes[static_cast<std::size_t>(j)].share);
        sum += most;
    }
    return sum;
}

namespace {

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
        refuse("the margins cannot be reached with so few people",
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

}  // namespace

double log_variance(std::vector<Attribute> attributes, const std::vector<PartAttributes>& parts,
                    const PartTerms& terms, double chance) {
    ChosenBySize chosen;
    std::map<std::pair<std::string, std::uint64_t>, double> known;  // of parts without options
    double sum = 0;
    for (const PartAttributes& part : parts) {
        settle_part(attributes, part, terms, chosen);
        const Attribute& first = attributes[part.first];
        const bool plain = part.count == 1 && !first.strings && first.options.empty();
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

// The weight of a joint part is a sum over its attributes and sets, whose shares are therefore equal parts of
// it.
void settle_margins(std::vector<Attribute>& attributes, const std::vector<PartAttributes>& parts,
                    const PartTerms& terms, std::uint64_t people, std::uint64_t per_report) {
    if (std::ranges::none_of(attributes, [](const Attribute& one) { return one.margin > 0; })) return;
    std::vector<Needed> needed;
    for (const PartAttributes& part : parts) needed.push_back(reports_needed(attributes, part, terms));
    std::vector<double> shares = proportions(needed, people, per_report);
    for (std::size_t i = 0; i < parts.size(); ++i)
        if (parts[i].joint) shares[i] /= static_cast<double>(parts[i].count + terms.together.size());
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

}  // namespace ldp
