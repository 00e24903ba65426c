// The record of parts: estimates, diagnostics, prediction and proof.

#include <algorithm>
#include <cmath>
#include <set>

#include "core/base/error.hpp"
#include "core/base/exact.hpp"
#include "core/base/interrupt.hpp"
#include "core/math/channel_law.hpp"
#include "core/math/spread.hpp"
#include "core/mechanism/mean/response_rate.hpp"
#include "core/mechanism/record/sampled.hpp"

namespace ldp {

// Estimates ------------------------------------------------------------------------------------------------

SummaryView SampledRecord::part(const Counts& counts, std::size_t attribute) const {
    check_attribute(attribute, attributes_);
    return counted(counts, place_of(attribute));
}

std::vector<Estimate> SampledRecord::estimate_part(std::uint64_t n, const SummaryView& part,
                                                   const Question& question) const {
    check_interrupt();
    if (part.n == 0) {
        const std::vector<std::uint64_t> cells = part.mechanism->cells();
        const bool means = question.quantity == Quantity::means;
        return std::vector<Estimate>(means ? cells.size() : cells[question.attribute], {unknown, unknown});
    }
    const auto ask = [&](Target target) {
        return part.mechanism->estimate(part, {question.quantity, target, question.attribute});
    };
    std::vector<Estimate> estimates = ask(Target::population);
    if (question.target == Target::population) return estimates;
    // The reports about the part are themselves a sample of all reports. Against all who reported, the
    // sampling error counts for the share of people who did not report the part.
    const double drawn = rounds_ > 0 ? part.drawn : static_cast<double>(part.n) / static_cast<double>(n);
    const std::vector<Estimate> noise = ask(Target::sample);
    for_each_index(estimates.size(),
                   [&](std::size_t v) { estimates[v] = mixed(noise[v], estimates[v], drawn); });
    return estimates;
}

std::vector<Estimate> SampledRecord::estimate(const Counts& counts, const Question& question) const {
    if (question.quantity == Quantity::frequencies) {
        check_attribute(question.attribute, attributes_);
        const Place place = place_of(question.attribute);
        check_no_series(*this, question.attribute);
        if (place.run->inner->can_estimate(Quantity::strings))
            check_can_estimate(*place.run->inner, Quantity::frequencies);
        if (!place.run->inner->can_estimate(Quantity::frequencies))
            raise(ErrorCode::unsupported, "attribute " + std::to_string(question.attribute) + " is a number",
                  "Its mechanism estimates means, not shares.",
                  "For shares of ranges, add \"estimate\": \"distribution\" to the attribute.");
        return estimate_part(counts.n, counted(counts, place),
                             {question.quantity, question.target, question.attribute - place.attribute()});
    }
    std::vector<Estimate> means;
    means.reserve(attributes_);
    for_each([&](const Place& place) {
        if (place.run->mean) {
            const auto own = estimate_part(counts.n, counted(counts, place), question);
            means.insert(means.end(), own.begin(), own.end());
        } else {
            means.insert(means.end(), place.run->width, {unknown, unknown});
        }
    });
    return means;
}

namespace {

/// The range of the number that a part reports alone. Throws Error (unsupported) if it is not one.
const Range& range_of(const Mechanism& inner, std::size_t attribute) {
    if (find_capability<ResponseRate>(inner) != nullptr)
        raise(ErrorCode::unsupported, "attribute " + std::to_string(attribute) + " has missing values",
              "Different people may omit different attributes, so their means have no common weight.",
              std::vector{Remedy::take_attribute});
    if (const Range* range = inner.range_of_number()) return *range;
    raise(ErrorCode::unsupported,
          "attribute " + std::to_string(attribute) + " is not reported as a single mean",
          "The mean of several attributes is computed from numbers that are reported one by one.",
          std::vector{Remedy::take_attribute});
}

}  // namespace

// A numeric randomizer that cannot separate P, the people's own part of the variance, from the noise has all
// of it in the noise, and P is at most half the range squared.
Estimate SampledRecord::group_mean(const Counts& counts, std::size_t first, std::size_t last,
                                   Target target) const {
    const auto half_of = [&](std::size_t j) { return range_of(*place_of(j).run->inner, j).half(); };
    double unit = 0;
    for (std::size_t j = first; j <= last; ++j) unit = std::max(unit, half_of(j));
    double sum = 0;
    std::vector<Addend> addends;
    for (std::size_t j = first; j <= last; ++j) {
        const SummaryView one = part(counts, j);
        const double drawn =
            rounds_ > 0 ? one.drawn : static_cast<double>(one.n) / static_cast<double>(counts.n);
        const Question question{Quantity::means, Target::population};
        const Estimate mean = estimate_part(counts.n, one, question)[0];
        const double error = mean.standard_error / unit;
        const double noise =
            one.n == 0 ? error : one.mechanism->estimate(one, {Quantity::means})[0].standard_error / unit;
        const double own = error * error - noise * noise;
        const double half = half_of(j) / unit;
        const double left = target == Target::population ? 1 : 1 - drawn;
        sum += mean.value;
        addends.push_back(
            {error * error, noise * noise, own > 0 ? own : half * half / static_cast<double>(one.n), left});
    }
    const auto attributes = static_cast<double>(last - first + 1);
    return {sum / attributes, unit * std::sqrt(variance_of_sum(addends, s_)) / attributes};
}

// The variance of each mean is estimated from the reports about it, with an allowance for what few reports
// may not show. The degrees of freedom of the sum follow from those of its parts (Welch 1947; Satterthwaite
// 1946).
ErrorLaw SampledRecord::group_law(const Counts& counts, std::size_t first, std::size_t last, Target) const {
    double unit = 0, sum = 0, squares = 0, unseen = 0;
    for (std::size_t j = first; j <= last; ++j) {
        const Range* range = place_of(j).run->inner->range_of_number();
        if (range == nullptr) return {};  // group_mean() refuses a part that is not a number
        unit = std::max(unit, range->half());
    }
    for (std::size_t j = first; j <= last; ++j) {
        const SummaryView one = part(counts, j);
        const auto* known = find_capability<KnownErrors>(*one.mechanism);
        if (known == nullptr || one.n == 0) return {};
        const Question question{Quantity::means, Target::population};
        const double error = one.mechanism->estimate(one, question)[0].standard_error / unit;
        const ErrorLaw law = known->error_law(one.n, Target::population);
        sum += error * error;
        unseen += law.unseen_error / unit * (law.unseen_error / unit);
        if (law.n == 0) squares += error * error * error * error / std::max(law.degrees_of_freedom, 0.5);
    }
    const double size = static_cast<double>(last - first + 1) / unit;
    return {.degrees_of_freedom = squares > 0 ? sum * sum / squares : 0,
            .unseen_error = std::sqrt(unseen) / size};
}

// The number of reports about a part is binomial: the least probable one is shown. Then follows the worst of
// each of the mechanisms' own statistics. The number of reports about a series depends on the rounds. Parts
// that are not series are therefore compared among each other.
std::vector<Check> SampledRecord::health(const Counts& counts) const {
    const auto any_of = [](double tested, double p_value) { return std::min(1.0, tested * p_value); };
    struct Worst {
        Check check;
        double tested = 0;
    };
    Worst drawn{{"attributes drawn", 1, 1, 1}};
    std::vector<Worst> worst;
    const auto take = [](Worst& at, const Check& check) {
        if (check.p_value <= at.check.p_value) at.check = check;
        ++at.tested;
    };
    std::uint64_t n = 0;
    double chances = 0;
    for_each([&](const Place& place) {
        if (place.run->series != nullptr) return;
        n += counted(counts, place).n;
        chances += chance(*place.run);
    });
    if (rounds_ == 0) n = counts.n, chances = 1;
    for_each([&](const Place& place) {
        const SummaryView one = counted(counts, place);
        const double share = std::min(1.0, chance(*place.run) / chances);
        if (place.run->series == nullptr && share < 1 && n > 0)
            take(drawn, {"attributes drawn", static_cast<double>(one.n) / static_cast<double>(n), share,
                         binomial_between(n, share, share, one.n)});
        check_interrupt();
        if (one.n == 0) return;
        for (const Check& check : one.mechanism->health(one)) {
            const auto found =
                std::ranges::find(worst, check.name, [](const Worst& at) { return at.check.name; });
            take(found == worst.end() ? worst.emplace_back(Worst{check}) : *found, check);
        }
    });
    std::vector<Check> checks{drawn.check};
    // If every report is about every part, there is nothing to test.
    checks[0].p_value = any_of(std::max(1.0, drawn.tested), checks[0].p_value);
    for (const Worst& at : worst) {
        checks.push_back(at.check);
        checks.back().p_value = any_of(at.tested, at.check.p_value);
    }
    return checks;
}

// Forgers choose the part, too: fewer reports draw it honestly.
std::vector<Contribution> SampledRecord::contributions(const Question& question) const {
    const std::size_t attribute = question.attribute == only_attribute ? 0 : question.attribute;
    const Place place = place_of(attribute);
    const Mechanism& inner = *place.run->inner;
    auto contributions = inner.contributions({inner.answers()[0], Target::sample, own(place, attribute)});
    for (Contribution& contribution : contributions) contribution.chance *= report_chance(*place.run);
    return contributions;
}

std::vector<std::vector<Contribution>> SampledRecord::promised_contributions(std::size_t attribute) const {
    const Place place = place_of(attribute);
    auto all = place.run->inner->promised_contributions(own(place, attribute));
    const double chance = report_chance(*place.run);
    for (auto& contributions : all)
        for (Contribution& contribution : contributions) contribution.chance *= chance;
    return all;
}

double SampledRecord::reports_each(const PartRun& run) const {
    if (run.series != nullptr) return run.series->reports_per_user();
    return std::max<std::uint32_t>(1, rounds_);
}

double SampledRecord::report_chance(const PartRun& run) const {
    if (rounds_ == 0) return chance(run);
    double all = 0;
    for (const PartRun& each : runs_)
        all += static_cast<double>(each.length) * chance(each) * reports_each(each);
    return chance(run) * reports_each(run) / all;
}

// Parts are drawn together at most as often as the first of them. The share of the reports of a round that
// are about a series is not known here; 1 is a bound.
double SampledRecord::max_probability(Bytes payload) const {
    double all = rounds_ > 0 ? 1 : chance(*part_numbered(number_in(payload)).run);
    for (std::size_t i = 0; i < s_; ++i) {
        const Bytes slot = nth(payload, i, payload_);
        const PartRun& run = *part_numbered(number_in(slot)).run;
        all *= run.inner->max_probability(payload_in(slot, run));
    }
    return all;
}

// Prediction -----------------------------------------------------------------------------------------------

// The noise is spread over fewer reports. The people who report a category are a sample of all; if all have
// the same number, its mean has no sampling error.
double SampledRecord::variance(const PartRun& run, double truth) const {
    if (run.inner->can_estimate(Quantity::means)) return run.inner->n_variance(truth) / chance(run);
    const double f = std::clamp(truth, 0.0, 1.0);
    return (run.inner->n_variance(f) + f * (1 - f) * (1 - chance(run))) / chance(run);
}

double SampledRecord::n_variance(double truth) const {
    double largest = 0;
    for (const PartRun& run : runs_) largest = std::max(largest, variance(run, truth));
    return largest;
}

double SampledRecord::n_variance_of(std::size_t attribute, std::size_t item,
                                    std::span<const double> shares) const {
    const Place place = place_of(attribute);
    const double drawn = chance(*place.run);
    double noise = place.run->inner->n_variance_of(attribute - place.attribute(), item, shares);
    for (std::uint32_t round = 1; place.run->series != nullptr && round < rounds_; ++round) {
        check_interrupt();
        noise = std::max(noise, place.run->inner->n_variance_of(round, item, shares));
    }
    const bool mean = place.run->inner->can_estimate(Quantity::means);
    const double spread = mean ? moments_of(shares).second : shares[item] * (1 - shares[item]);
    return (noise + spread * (1 - drawn)) / drawn;
}

double SampledRecord::expected_variance(std::size_t attribute) const {
    const Place place = place_of(attribute);
    const double drawn = chance(*place.run);
    return place.run->inner->expected_variance_of_part(attribute - place.attribute(), drawn) / drawn;
}

// A query evaluates the errors of every part twice, against the sample and the population.
Cost SampledRecord::cost() const noexcept {
    Cost all{static_cast<double>(s_), 0};
    for (const PartRun& run : runs_) {
        const Cost each = run.inner->cost();
        all.per_report += static_cast<double>(run.length) * chance(run) * each.per_report;
        all.per_answer += static_cast<double>(run.length) * 2 * each.per_answer;
    }
    return all;
}

// Proof ----------------------------------------------------------------------------------------------------

Exact SampledRecord::probability(Input input, Bytes public_randomness, Bytes permanent) const {
    Exact product = exact(1, 1);
    for_each_drawn(public_randomness, [&](const Place& place, Bytes own, std::size_t i) {
        const Mechanism& inner = *place.run->inner;
        product = product * inner.probability(input_of(input, place), own,
                                              nth(permanent, i, permanent_).first(inner.permanent_size()));
    });
    return product;
}

Exact SampledRecord::instantaneous_probability(Bytes public_randomness, Bytes permanent,
                                               Bytes payload) const {
    Exact product = exact(1, 1);
    for_each_drawn(public_randomness, [&](const Place& place, Bytes own, std::size_t i) {
        const Mechanism& inner = *place.run->inner;
        const Bytes slot = nth(payload, i, payload_);
        if (number_in(slot) != place.run->first + place.number ||
            !all_zero(slot.subspan(index_ + place.run->answer)))
            product = exact(0, 1);
        else
            product = product * inner.instantaneous_probability(
                                    own, nth(permanent, i, permanent_).first(inner.permanent_size()),
                                    payload_in(slot, *place.run));
    });
    return product;
}

std::optional<Exact> SampledRecord::shown_probability(Input input, Bytes payload) const {
    Exact product = exact(1, 1);
    for (std::size_t i = 0; i < s_; ++i) {
        const Bytes slot = nth(payload, i, payload_);
        const Place place = part_numbered(number_in(slot));
        const auto part =
            place.run->inner->shown_probability(input_of(input, place), payload_in(slot, *place.run));
        if (!part) return {};
        product = product * *part;
    }
    return product;
}

// As u grows, the number of parts drawn of a kind changes only where an end of a run lies in some turn: one u
// for each of these places covers every combination.
std::set<std::vector<unsigned>> SampledRecord::combinations() const {
    std::set<std::vector<unsigned>> combinations;
    for (const PartRun& start : runs_) {
        const std::uint64_t u = start.begin % turn_;
        const auto points_below = [&](std::uint64_t end) {
            return end <= u ? 0 : static_cast<unsigned>((end - u - 1) / turn_ + 1);
        };
        std::vector<unsigned> drawn(kinds_.size());
        for (const PartRun& run : runs_)
            drawn[run.kind] += points_below(run.begin + run.length * run.weight) - points_below(run.begin);
        combinations.insert(std::move(drawn));
    }
    return combinations;
}

// The draw is independent of the values, so its probability cancels. The parts drawn are randomized
// independently and their values may differ in all of them at once, so their worst ratios multiply, and the
// product is attained.
template <class Ratio>
Exact SampledRecord::worst_product(Ratio ratio) const {
    std::vector<Exact> ratios;
    for (const Mechanism* inner : kinds_) ratios.push_back(ratio(*inner));
    Exact worst = exact(0, 1);
    for (const std::vector<unsigned>& drawn : combinations()) {
        Exact product = exact(1, 1);
        for (std::size_t k = 0; k < drawn.size(); ++k) product = product * power(ratios[k], drawn[k]);
        worst = std::max(worst, product);
    }
    return worst;
}

Exact SampledRecord::worst_ratio() const {
    return worst_product([](const Mechanism& inner) { return inner.worst_ratio(); });
}

ChannelLaw SampledRecord::channel_law() const {
    std::vector<ChannelLaw> products;
    for (const std::vector<unsigned>& drawn : combinations()) {
        ProductLaw product;
        for (std::size_t k = 0; k < drawn.size(); ++k)
            if (drawn[k] != 0) product.parts.push_back({kinds_[k]->channel_law(), drawn[k]});
        products.push_back({std::move(product)});
    }
    return choice_law(std::move(products));
}

Exact SampledRecord::first_report_ratio() const {
    return worst_product([](const Mechanism& inner) { return inner.first_report_ratio(); });
}

}  // namespace ldp
