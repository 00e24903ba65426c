#include "core/regression/record_moments.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.hpp"
#include "core/mechanism/circular/mean_direction.hpp"
#include "core/mechanism/frequency/frequency_oracle.hpp"
#include "core/mechanism/mean/numeric_mean.hpp"
#include "core/summary/part_means.hpp"
#include "core/summary/pooling.hpp"
#include "core/summary/summary.hpp"

namespace ldp {

void refuse_direction(const std::string& attribute) {
    raise(ErrorCode::unsupported, "a regression does not support numbers on a circle",
          attribute + " has values on a circle.",
          "Use the shares of arcs, or collect a category in the next spec.");
}

MomentEstimator::MomentEstimator(const SummaryView& view, Target target)
    : view_(view), target_(target), per_report_(capability<Record>(*view.mechanism).per_report()) {
    need_reports(view);
}

bool MomentEstimator::enough() const {
    return sources_.empty() || ldp::enough(part(view_, scarcest_));
}

std::size_t MomentEstimator::source(std::size_t attribute, Quantity quantity, double unit) {
    const auto known = std::ranges::find(sources_, attribute, &AttributeReports::attribute);
    if (known != sources_.end()) return static_cast<std::size_t>(known - sources_.begin());
    const SummaryView one = part(view_, attribute);
    if (find_direction(*one.mechanism) != nullptr) refuse_direction("Attribute " + std::to_string(attribute));
    check_can_estimate(*one.mechanism, quantity);
    const bool alone = quantity == Quantity::means ? one.mechanism->range_of_number() != nullptr
                                                   : one.mechanism->cells().size() == 1;
    if (!alone)
        raise(ErrorCode::unsupported,
              "attribute " + std::to_string(attribute) + " is not reported alone as a mean or a category",
              "Regressions require reports about one attribute each, as a mean or a category.",
              "In the next spec, remove \"estimate\", \"vector\" or \"joint_tables\" for the attribute.");
    AttributeReports source{attribute, one, 1, unit, {}, {}};
    if (target_ == Target::sample) source.left -= one.drawn;
    if (one.n == 0) {
        const bool mean = quantity == Quantity::means;
        source.estimates.assign(mean ? 1 : one.mechanism->cells()[0], {unknown, unknown});
        source.noise = source.estimates;
    } else {
        source.estimates = ldp::estimate(one, {quantity, Target::population});
        source.noise = estimate_without_rounding(one, {quantity, Target::sample});
    }
    if (sources_.empty() || told_by(one) < told_by(part(view_, scarcest_))) scarcest_ = attribute;
    sources_.push_back(std::move(source));
    return sources_.size() - 1;
}

std::size_t MomentEstimator::add(const MomentIndex& place, double value) {
    places_.push_back(place);
    values_.push_back(value);
    return values_.size() - 1;
}

std::size_t MomentEstimator::constant(double value) {
    return add({none, 0}, value);
}

std::size_t MomentEstimator::mean(std::size_t attribute, double middle, double unit) {
    const std::size_t at = source(attribute, Quantity::means, unit);
    return add({at, 0}, (sources_[at].estimates[0].value - middle) / unit);
}

std::size_t MomentEstimator::share(std::size_t attribute, std::size_t value) {
    const std::size_t at = source(attribute, Quantity::frequencies, 1);
    if (value >= sources_[at].estimates.size())
        raise(ErrorCode::invalid_value, "there is no value " + std::to_string(value),
              "Values are numbered from 0 to " + std::to_string(sources_[at].estimates.size() - 1) + ".");
    return add({at, value}, sources_[at].estimates[value].value);
}

// If the randomizer of a number cannot separate the sampling error, all of it is in the noise. It is at most
// the square of half the range.
Addend MomentEstimator::of_number(const AttributeReports& source, double weight) {
    const double whole = weight * source.estimates[0].standard_error / source.unit;
    const double noise = weight * source.noise[0].standard_error / source.unit;
    double sampled = whole * whole - noise * noise;
    if (sampled <= 0) {
        const double half = weight * source.part.mechanism->range_of_number()->half() / source.unit;
        sampled = half * half * most_of_one(source.part) / static_cast<double>(source.part.n);
    }
    return {whole * whole, noise * noise, sampled, source.left};
}

// People with one value each are a multinomial sample.
Addend MomentEstimator::of_shares(const AttributeReports& source, std::span<const double> weights) {
    double whole = 0, noise = 0, sampled = 0;
    for (std::size_t v = 0; v < weights.size(); ++v) {
        const double all = source.estimates[v].standard_error, apart = source.noise[v].standard_error;
        whole += std::abs(weights[v]) * all;
        noise += std::abs(weights[v]) * apart;
        sampled += std::abs(weights[v]) * std::sqrt(std::max(0.0, all * all - apart * apart));
    }
    Addend bound{whole * whole, noise * noise, sampled * sampled, source.left};
    std::vector<double> shares;
    double sum = 0, mean = 0, variance = 0;
    for (const Estimate& share : source.estimates) sum += shares.emplace_back(std::max(0.0, share.value));
    if (repeats(source.part) || sum == 0) return bound;
    for (double& share : shares) share /= sum;
    for (std::size_t v = 0; v < weights.size(); ++v) mean += shares[v] * weights[v];
    for (std::size_t v = 0; v < weights.size(); ++v)
        variance += shares[v] * (weights[v] - mean) * (weights[v] - mean);
    const auto n = static_cast<double>(source.part.n);
    bound.sampled = variance / n;
    if (const auto* oracle = find_capability<ValueOracle>(*source.part.mechanism))
        if (const auto known = oracle->n_variance_of_sum(weights, shares))
            bound.noise = std::max(0.0, *known) / n;
    bound.variance = bound.noise + bound.sampled;
    return bound;
}

double MomentEstimator::standard_error(std::span<const double> gradient) const {
    std::vector<std::vector<double>> weights;  // of each source, by value
    for (const AttributeReports& source : sources_) weights.emplace_back(source.estimates.size());
    for (std::size_t i = 0; i < places_.size(); ++i)
        if (places_[i].source != none) weights[places_[i].source][places_[i].value] += gradient[i];
    std::vector<Addend> addends;
    for (std::size_t s = 0; s < sources_.size(); ++s) {
        if (std::ranges::all_of(weights[s], [](double weight) { return weight == 0; })) continue;
        const bool number = sources_[s].part.mechanism->range_of_number() != nullptr;
        addends.push_back(number ? of_number(sources_[s], weights[s][0])
                                 : of_shares(sources_[s], weights[s]));
    }
    return std::sqrt(variance_of_sum(addends, per_report_));
}

}  // namespace ldp
