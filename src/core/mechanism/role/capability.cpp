#include "core/mechanism/role/capability.hpp"

#include "core/mechanism/role/error_law.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/error.hpp"
#include "core/math/statistics.hpp"
#include "core/mechanism/role/registry.hpp"

namespace ldp {

namespace {

struct QuantityWords {
    const char* name;
    Remedy remedy;
};

constexpr QuantityWords words_of(Quantity quantity) noexcept {
    switch (quantity) {
        case Quantity::frequencies:
            return {"frequencies", Remedy::ask_frequencies};
        case Quantity::means:
            return {"means", Remedy::ask_means};
        case Quantity::coefficients:
            return {"Haar coefficients", Remedy::ask_coefficients};
        case Quantity::distribution:
            return {"the distribution", Remedy::ask_distribution};
        case Quantity::strings:
            return {"shares of strings", Remedy::ask_strings};
    }
    return {};
}

/// Hints at supported queries. A series has the frequencies of each round.
std::vector<Remedy> remedies(const Mechanism& mechanism) {
    const MechanismEntry* entry = find_mechanism(mechanism.header().mechanism);
    if (entry != nullptr && entry->series) return {Remedy::ask_series};
    std::vector<Remedy> all;
    for (const Quantity quantity : mechanism.answers()) all.push_back(words_of(quantity).remedy);
    if (find_capability<Record>(mechanism) == nullptr) return all;
    if (std::ranges::any_of(parts_of(mechanism), [](const RecordPart& part) {
            return find_mechanism(part.mechanism->header().mechanism)->series;
        }))
        all.push_back(Remedy::ask_series);
    all.push_back(Remedy::take_attribute);
    return all;
}

}  // namespace

void refuse(const Mechanism& mechanism, const char* what) {
    const MechanismEntry* entry = find_mechanism(mechanism.header().mechanism);
    raise(ErrorCode::unsupported,
          std::string("mechanism ") + (entry == nullptr ? "unknown" : entry->name) + " does not support " +
              what,
          {}, remedies(mechanism));
}

double Significance::p_value(std::uint64_t, const Estimate& estimate) const {
    const double errors = estimate.value / estimate.standard_error;
    return std::isnan(errors) ? 1 : one_sided(errors);
}

void check_can_estimate(const Mechanism& mechanism, Quantity quantity) {
    if (!mechanism.can_estimate(quantity)) refuse(mechanism, words_of(quantity).name);
}

ErrorLaw GroupMean::group_law(const Counts&, std::size_t, std::size_t, Target) const {
    return {};
}

void check_attribute(std::size_t attribute, std::size_t attributes) {
    if (attribute >= attributes)
        raise(ErrorCode::invalid_value, "there is no attribute " + std::to_string(attribute),
              "Attributes are numbered from 0 to " + std::to_string(attributes - 1) + ".");
}

// The randomizers are independent, but their inputs are not: a report contains s values of one person, who
// may be above the mean in all of them, or below. The variance of a sum of means has two upper bounds, each
// of which is attained for some populations. V are the variances against a population, and P their sampling
// parts.
//
//   Σ V + (s−1)·Σ P   A person contributes to at most s of the means, and 2ab ≤ a² + b². With s = 1, each
//   person
//                     contributes to one mean. The bound is then exact, except for the people's own variance
//                     if they are the target.
//   Σ (V−P) + (Σ √P)² Cauchy and Schwarz. If the target is the people who reported, P applies only to the
//   share
//                     of people who did not draw the attribute. If all drew it, the sampling error is 0.
double variance_of_sum(std::span<const Addend> addends, std::uint64_t per_report) noexcept {
    double all = 0, sampled = 0, noise = 0, deviation = 0;
    for (const Addend& one : addends) {
        all += one.variance;
        sampled += one.sampled;
        noise += one.noise;
        deviation += std::sqrt(one.sampled * one.left);
    }
    return std::min(all + static_cast<double>(per_report - 1) * sampled, noise + deviation * deviation);
}

RecordPart part_of(const Mechanism& mechanism, std::size_t attribute) {
    if (const auto* record = find_capability<Record>(mechanism)) return record->part_of(attribute);
    const std::size_t attributes = mechanism.cells().size();
    check_attribute(attribute, attributes);
    return {&mechanism, 0, 0, attributes, 1};
}

std::vector<RecordPart> parts_of(const Mechanism& mechanism) {
    const auto* record = find_capability<Record>(mechanism);
    if (record == nullptr) return {{&mechanism, 0, 0, mechanism.cells().size(), 1}};
    std::vector<RecordPart> parts;
    for (std::size_t j = 0; j < record->attributes(); j += parts.back().count)
        parts.push_back(record->part_of(j));
    return parts;
}

SummaryView part(const SummaryView& view, std::size_t attribute) {
    if (const auto* record = find_capability<Record>(*view.mechanism)) {
        SummaryView one = record->part(view, attribute);
        one.rounds = view.rounds;
        // Of a record with series, the share of people is given.
        if (one.drawn < 1)
            one.drawn *= view.drawn;
        else if (view.n > 0)
            one.drawn = view.drawn * static_cast<double>(one.n) / static_cast<double>(view.n);
        return one;
    }
    check_attribute(attribute, view.mechanism->cells().size());
    return view;
}

}  // namespace ldp
