#include "core/mechanism/mean/group_channel.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/exact.hpp"
#include "core/base/square.hpp"
#include "core/math/channel_law.hpp"
#include "core/math/fixed_steps.hpp"

namespace ldp {

namespace {

constexpr std::size_t between_entry = 6, missing_entry = 7;

/// The weight, in units of the low weight, of all outputs that favour a person at an end of the range.
std::uint64_t favoured(const GroupDesign& design) noexcept {
    return design.ends.weight * design.ends.named + design.halves.weight * design.halves.named;
}

/// The same of all outputs that do not.
std::uint64_t not_favoured(const GroupDesign& design) noexcept {
    const std::uint64_t without = design.missing ? design.halves.weight * design.halves.named : 0;
    const std::uint64_t naming = 2 * design.groups * (design.ends.weight + design.halves.weight);
    return naming - favoured(design) + design.ends.weight * design.ends.named + without;
}

}  // namespace

// Designs -------------------------------------------------------------------------------------------------

bool GroupDesign::valid() const noexcept {
    const auto fits = [](const OutputKind& kind, std::uint64_t most) {
        return kind.named >= 1 && kind.named <= std::min(most, most_named) && kind.weight >= 1 &&
               kind.weight <= most_weight;
    };
    return groups >= 2 && groups <= most_groups && fits(ends, groups) && fits(halves, groups - 1);
}

// The mean of a group is the ratio of a sum and a count. To first order, n times its variance is the mean square of the
// sum term minus the mean times the count term, divided by the square of the group's share. The assumed mean is a third
// of the half range off the middle, and 0.8 of the people are at inner points.
GroupDesign GroupDesign::best(double epsilon, std::uint64_t groups, bool missing) {
    constexpr double inner = 0.8, mean_square = 1.0 / 9, tie = 1 - 1e-9;
    constexpr std::array<std::pair<std::uint64_t, std::uint64_t>, 5> weights{
        {{1, 1}, {1, 2}, {2, 1}, {1, 4}, {4, 1}}};
    const std::uint64_t most_ends = std::min(groups, most_named),
                        most_halves = std::min(groups - 1, most_named);
    GroupDesign best{groups, missing, {1, 1}, {1, 1}};
    double least = HUGE_VAL;
    for (std::uint64_t ends = 1; ends <= most_ends; ++ends)
        for (std::uint64_t halves = 1; halves <= std::min(ends, most_halves); ++halves)
            for (const auto& [of_ends, of_halves] : weights) {
                const GroupDesign design{groups, missing, {ends, of_ends}, {halves, of_halves}};
                const GroupChannel channel(design, 1, epsilon, epsilon);
                const auto [own, other, without] = channel.squares_of_counts();
                const double share = 1 / static_cast<double>(groups);
                const double variance =
                    channel.square_of_sums(inner, false) + mean_square * (share * own + (1 - share) * other);
                if (!(variance < least * tie)) continue;
                least = variance;
                best = design;
            }
    return best;
}

// The channel ---------------------------------------------------------------------------------------------

GroupChannel::GroupChannel(const GroupDesign& design, std::uint64_t steps, double epsilon,
                           double report_epsilon)
    : design_(design), steps_(steps), odds_(odds(epsilon, favoured(design), not_favoured(design))) {
    for (std::size_t point = 0; point <= points; ++point) {
        std::uint64_t sum = 0, base = 0;
        for (std::size_t entry = 0; entry < entries; ++entry) {
            sums_[point][entry] = sum += weight(entry, point);
            base_sums_[entry] = base += base_weight(entry);
        }
    }
    if (report_epsilon < epsilon) {
        stay_heads_ = stay_heads(odds_, favoured(design), not_favoured(design), report_epsilon);
        const double stay = std::ldexp(static_cast<double>(*stay_heads_), -64);
        sent_ = {stay, 1 - stay};
    }
    set_terms();
}

std::size_t GroupChannel::named(GroupOutput output) const noexcept {
    if (output == GroupOutput::ends) return design_.ends.named;
    return output == GroupOutput::halves ? design_.halves.named : 0;
}

bool GroupChannel::favours(std::size_t entry, std::size_t point) const noexcept {
    switch (entry) {
        case 1:
            return point == 0;
        case 2:
            return point == points - 1;
        case 4:
            return point < points / 2;
        case 5:
            return point >= points / 2 && point < points;
        case between_entry:
            return point != 0 && point != points - 1;
        case missing_entry:
            return point == missing_point;
        default:
            return false;
    }
}

// All outputs of a kind together have the weight 2·groups·weight. A named group has either end with probability 1/2.
std::uint64_t GroupChannel::base_weight(std::size_t entry) const noexcept {
    if (entry == between_entry) return design_.ends.weight * design_.ends.named;
    if (entry == missing_entry) return design_.missing ? design_.halves.weight * design_.halves.named : 0;
    const GroupDesign::OutputKind& of = kind(entry >= own_states);
    return of.weight * (entry % own_states == 0 ? 2 * (design_.groups - of.named) : of.named);
}

std::uint64_t GroupChannel::weight(std::size_t entry, std::size_t point) const noexcept {
    return base_weight(entry) * (favours(entry, point) ? odds_.high : odds_.low);
}

double GroupChannel::share(const Mixture& of, std::size_t point, std::size_t first,
                           std::size_t last) const noexcept {
    const auto within = [&](const EntrySums& sums) {
        const std::uint64_t sum = sums[last] - (first == 0 ? 0 : sums[first - 1]);
        return static_cast<double>(sum) / static_cast<double>(sums.back());
    };
    return of.memoized * within(sums_[point]) + of.even * within(base_sums_);
}

GroupReport GroupChannel::sample(Cell group, Cell number, BitSource& bits) const {
    const bool missing = number > steps_;
    const std::uint64_t thirds = (missing ? 0 : number) * (points - 1);
    const std::uint64_t below = thirds / steps_;
    const bool up = bits.chance(thirds % steps_, steps_);
    return draw(group, sums_[chosen(missing, missing_point, below + (up ? 1 : 0))], bits);
}

bool GroupChannel::stays(BitSource& bits) const {
    return bits.lands(*stay_heads_, 64);
}

// With the base weights, an output names each group with the same probability.
GroupReport GroupChannel::sample_even(BitSource& bits) const {
    return draw(0, base_sums_, bits);
}

// The other named groups are the first of a random order of all other groups. Each draw is made for every output.
GroupReport GroupChannel::draw(Cell group, const EntrySums& sums, BitSource& bits) const {
    const std::uint64_t entry = bits.pick(sums);
    const auto output =
        static_cast<GroupOutput>(entry < between_entry ? entry / own_states : entry - between_entry + 2);
    const std::uint64_t state = entry < between_entry ? entry % own_states : 0;

    std::vector<std::uint64_t> others(design_.groups - 1);
    for (std::uint64_t i = 0; i < others.size(); ++i) others[i] = i + (i >= group ? 1 : 0);
    const std::size_t most = std::min(most_named(), others.size());
    for (std::size_t i = 0; i < most; ++i) std::swap(others[i], others[i + bits.below(others.size() - i)]);
    const std::uint64_t ends = bits.fair(static_cast<unsigned>(most));

    GroupReport drawn{output, {}};
    if (state != 0) drawn.codes.push_back(2 * group + state - 1);
    for (std::size_t i = 0; drawn.codes.size() < named(output); ++i)
        drawn.codes.push_back(2 * others[i] + (ends >> i & 1));
    std::ranges::sort(drawn.codes);
    return drawn;
}

// Given the state of a person's own group, all outputs are equally probable.
std::pair<Exact, std::size_t> GroupChannel::outputs_like(Cell group, const GroupReport& report) const {
    if (named(report.output) == 0)
        return {exact(1, 1), report.output == GroupOutput::between ? between_entry : missing_entry};
    const bool halves = report.output == GroupOutput::halves;
    const auto own = std::ranges::find(report.codes, group, [](std::uint64_t code) { return code / 2; });
    const std::size_t state = own == report.codes.end() ? 0 : 1 + *own % 2;
    const std::uint64_t others = kind(halves).named - (state == 0 ? 0 : 1);
    return {subsets(design_.groups - 1, others) * power(exact(2, 1), static_cast<unsigned>(others)),
            (halves ? own_states : 0) + state};
}

Exact GroupChannel::probability(Cell group, Cell number, const GroupReport& report) const {
    const std::pair<Exact, std::size_t> like = outputs_like(group, report);
    const auto at = [&](std::size_t point) {
        return exact(weight(like.second, point), total()) / like.first;
    };
    if (number > steps_) return at(missing_point);
    const std::uint64_t thirds = number * (points - 1), below = thirds / steps_, heads = thirds % steps_;
    const Exact lower = exact(steps_ - heads, steps_) * at(below);
    return heads == 0 ? lower : lower + exact(heads, steps_) * at(below + 1);
}

Exact GroupChannel::even_probability(const GroupReport& report) const {
    const auto [outputs, entry] = outputs_like(0, report);
    return exact(base_weight(entry), units()) / outputs;
}

Exact GroupChannel::worst_ratio() const {
    return exact(odds_.high, odds_.low);
}

Exact GroupChannel::exact_stay() const {
    return stay_heads_ ? exact_dyadic(*stay_heads_, 64) : exact(1, 1);
}

Exact GroupChannel::unit(std::uint64_t odds) const {
    return exact_stay() * exact(odds, total()) + exact_stay().complement() * exact(1, units());
}

Exact GroupChannel::report_ratio() const {
    return unit(odds_.high) / unit(odds_.low);
}

// Every input favours outputs of the same base weight. Outputs can be divided into parts of equal base weight, over which
// the second layer is symmetric. The ratios of these parts are those of the outputs.
ChannelLaw GroupChannel::channel_law() const {
    ChannelLaw law = levels_law(odds_, favoured(design_), not_favoured(design_));
    if (two_layers()) {
        const Exact other = exact_stay().complement() * exact(1, units());
        law.second = SecondLayer{exact_stay() + other, other};
    }
    return law;
}

double GroupChannel::max_probability(GroupOutput output) const {
    const double unit = sent_.memoized * (static_cast<double>(odds_.high) / static_cast<double>(total())) +
                        sent_.even / static_cast<double>(units());
    if (output == GroupOutput::between || output == GroupOutput::no_number)
        return unit * static_cast<double>(
                          base_weight(output == GroupOutput::between ? between_entry : missing_entry));
    const GroupDesign::OutputKind& of = kind(output == GroupOutput::halves);
    const auto k = static_cast<double>(design_.groups), d = static_cast<double>(of.named);
    const double outputs = std::lgamma(k + 1) - std::lgamma(d + 1) - std::lgamma(k - d + 1) + d * std::log(2);
    return std::exp(std::log(unit * 2 * k * static_cast<double>(of.weight)) - outputs);
}

GroupChannel::ShareBounds GroupChannel::share_of(GroupOutput output) const noexcept {
    const bool naming = output == GroupOutput::ends || output == GroupOutput::halves;
    const std::size_t first = naming ? (output == GroupOutput::ends ? 0 : own_states)
                                     : (output == GroupOutput::between ? between_entry : missing_entry);
    const auto within = [&](std::size_t point) {
        return share(sent_, point, first, first + (naming ? own_states - 1 : 0));
    };
    ShareBounds found{within(0), within(0)};
    for (std::size_t point = 1; point < points + (design_.missing ? 1 : 0); ++point)
        found = {std::min(found.least, within(point)), std::max(found.most, within(point))};
    return found;
}

// Estimates -----------------------------------------------------------------------------------------------

namespace {

/// Probability that an output of a kind names a group to which the person does not belong. `own` and `absent` are the
/// probabilities that it names the person's own group, or does not.
double names_other(const GroupDesign& design, const GroupDesign::OutputKind& kind, double own,
                   double absent) {
    const double others = static_cast<double>(design.groups - 1), named = static_cast<double>(kind.named);
    return (own * (named - 1) + absent * named) / others;
}

}  // namespace

std::array<double, 3> ReportTerms::squares(const GroupRates& rates) const noexcept {
    return {square(end) * rates.ends + square(half) * rates.named,
            half * rates.halves_excess * named + end * rates.ends_excess * otherwise,
            square(named) * rates.named + square(rest) * std::max(0.0, rates.halves - rates.named) +
                rates.no_number * no_number * no_number +
                std::max(0.0, 1 - rates.halves - rates.no_number) * square(otherwise)};
}

// Outputs "ends" have the tilt A towards the end of a person at an end, and "halves" the tilt B towards the half of every
// person. The terms ±2/(3A) and ±1/(3B) have the mean ±1 at the ends, ±1/3 at the inner points, and 0 for other groups.
//
// The number of outputs "halves" does not depend on the number, and they name the own group more often than another
// one. The count terms of people of other groups, and of people without a number, have the mean 0.
//
// Reports with the same memoized output repeat it with the probability `stay`. Otherwise their sum term has the mean 0,
// and their count term the mean of outputs with base weights.
void GroupChannel::set_terms() noexcept {
    ReportTerms& terms = terms_;
    terms.end = 2 / (3 * (share(3, 2) - share(0, 2)));
    terms.half = 1 / (3 * (share(3, 5) - share(0, 5)));
    const double own = share(0, 4) + share(0, 5), absent = share(0, 3);
    const double other = names_other(design_, design_.halves, own, absent);
    const double contrast = 1 / (own - other);
    double usual = other / (own + absent);  // the share of these outputs that name another group
    if (design_.missing) {
        const double halves = own + absent;
        const double without = share(sent_, missing_point, 3, 5);
        const double rare = share(0, missing_entry), common = share(missing_point, missing_entry);
        const double even = static_cast<double>(design_.halves.named) / static_cast<double>(design_.groups);
        const double level = without * (usual - even) / (common - rare * without / halves);
        usual = (other + level * rare) / halves;
        terms.no_number = contrast * level;
    }
    terms.named = contrast * (1 - usual);
    terms.rest = -contrast * usual;
    least_ends_ = share(sent_, design_.missing ? missing_point : 1, 1, 2);
    least_halves_ = design_.missing ? share(sent_, missing_point, 4, 5) : other;

    const double named = share(even_only, 0, 4, 5), halves = share(even_only, 0, 3, 5);
    const double replaced = sent_.even * (named * terms.named + (halves - named) * terms.rest +
                                          share(even_only, 0, missing_entry) * terms.no_number);
    memoized_terms_ = {stay() * terms.end,
                       stay() * terms.half,
                       stay() * terms.named + replaced,
                       stay() * terms.rest + replaced,
                       stay() * terms.no_number + replaced,
                       replaced};
}

GroupRates GroupChannel::memoized_rates(const GroupRates& reports) const noexcept {
    const auto memoized = [&](double rate, std::size_t first, std::size_t last) {
        return (rate - sent_.even * share(even_only, 0, first, last)) / stay();
    };
    return {memoized(reports.ends, 1, 2),   reports.ends_excess / stay(),
            memoized(reports.named, 4, 5),  reports.halves_excess / stay(),
            memoized(reports.halves, 3, 5), memoized(reports.no_number, missing_entry, missing_entry)};
}

double GroupChannel::square_of_sums(double inner, bool all_groups) const noexcept {
    const auto k = static_cast<double>(design_.groups);
    const auto mean = [&](bool halves, std::size_t point) {
        const std::size_t first = halves ? own_states : 0;
        const double own = share(point, first + 1) + share(point, first + 2), absent = share(point, first);
        const double other = names_other(design_, kind(halves), own, absent);
        return all_groups ? own + (k - 1) * other : own / k + (1 - 1 / k) * other;
    };
    const double ends = (1 - inner) * mean(false, 0) + inner * mean(false, 1);
    return square(terms_.end) * ends + square(terms_.half) * mean(true, 0);
}

GroupChannel::CountSquares GroupChannel::squares_of_counts(bool memoized) const noexcept {
    const ReportTerms& terms = memoized ? memoized_terms_ : terms_;
    const Mixture& law = memoized ? memoized_only : sent_;
    const auto at = [&](double named, double halves, double no_number) {
        return terms.squares({0, 0, named, 0, halves, no_number})[2];
    };
    const double own = share(law, 0, 4) + share(law, 0, 5), absent = share(law, 0, 3);
    const double halves = own + absent, no_number = share(law, 0, missing_entry);
    return {at(own, halves, no_number),
            at(names_other(design_, design_.halves, own, absent), halves, no_number),
            at(share(law, missing_point, 4, 5), share(law, missing_point, 3, 5),
               share(law, missing_point, missing_entry))};
}

}  // namespace ldp
