#include "core/summary/pooling.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "core/base/square.hpp"
#include "core/base/text.hpp"
#include "core/mechanism/frequency/frequency_oracle.hpp"

namespace ldp {

MemoizedNoise::MemoizedNoise(const Mechanism& mechanism, Bound bound) {
    if (mechanism.report_epsilon() == mechanism.epsilon()) return;
    if (const auto combined = mechanism.memoized_share()) {
        part_ = bound == Bound::no_more ? combined->lower : combined->upper;
        return;
    }
    if (mechanism.can_estimate(Quantity::means)) {
        // For one bit, the maximum is in the middle of the range and the minimum at its ends; other
        // mechanisms hardly differ.
        constexpr int places = 32;
        part_ = mechanism.n_covariance(0) / mechanism.n_variance(0);
        for (int i = 1; i <= places; ++i) {
            const double at = static_cast<double>(i) / places;
            const double part = mechanism.n_covariance(at) / mechanism.n_variance(at);
            part_ = bound == Bound::no_more ? std::min(part_, part) : std::max(part_, part);
        }
        return;
    }
    if (bound == Bound::no_less && find_capability<FrequencyOracle>(mechanism) == nullptr) return;
    none_ = mechanism.n_variance(0) - mechanism.n_covariance(0);
    all_ = mechanism.n_variance(1) - mechanism.n_covariance(1);
}

double MemoizedNoise::of(double n_variance, double estimate, double unit) const noexcept {
    const double drawn_anew = std::lerp(none_, all_, std::clamp(estimate, 0.0, 1.0));
    return std::max(0.0, part_ * n_variance - drawn_anew / unit / unit);
}

// The number of reports is also a bound.
double most_of_one(const SummaryView& view) noexcept {
    if (!view.mechanism->header().kept || view.n == 0) return 1;
    return static_cast<double>(std::min(view.rounds.most(), view.n));
}

double repetition(const SummaryView& view) {
    const double each = most_of_one(view);
    if (view.mechanism->report_epsilon() == view.mechanism->epsilon()) return each;
    const auto combined = view.mechanism->memoized_share();
    return combined ? 1 + (each - 1) * combined->upper : each;
}

bool repeats(const SummaryView& view) noexcept {
    return most_of_one(view) > 1;
}

std::uint64_t fewest_people(const SummaryView& view) noexcept {
    if (!view.rounds.recorded() || view.rounds == ignored_rounds || view.n == 0) return 0;
    return (view.n - 1) / std::max<std::uint64_t>(view.rounds.most(), 1) + 1;
}

double told_by(const SummaryView& view) noexcept {
    return static_cast<double>(view.n) / most_of_one(view);
}

bool enough(const SummaryView& view) noexcept {
    return told_by(view) >= view.mechanism->header().min_group;
}

void need_rounds(const SummaryView& view) {
    if (!view.mechanism->header().kept || view.rounds.recorded()) return;
    raise(ErrorCode::unsupported, "these reports were counted without their rounds",
          "Responses are memoized and repeated from round to round. The standard error depends on the number "
          "of rounds.",
          std::vector{Remedy::count_rounds});
}

SummaryView for_point_estimates(SummaryView view) noexcept {
    if (view.mechanism->header().kept && !view.rounds.recorded()) view.rounds = ignored_rounds;
    return view;
}

void need_one_round(const SummaryView& view, const char* what) {
    need_rounds(view);
    if (!repeats(view)) return;
    raise(ErrorCode::unsupported, std::string(what) + " is supported for one round at a time",
          "Responses are memoized and repeated from round to round; these reports are from rounds " +
              std::to_string(view.rounds.first) + " to " + std::to_string(view.rounds.last) + ".",
          std::vector{Remedy::ask_one_round});
}

Inflation::Inflation(const SummaryView& view)
    : each_(most_of_one(view)),
      n_(static_cast<double>(view.n)),
      kept_(*view.mechanism, MemoizedNoise::Bound::no_less) {}

Estimate Inflation::inflated(const Estimate& estimate, const Estimate& noisy) const noexcept {
    const double unit = std::max(estimate.standard_error, noisy.standard_error);
    if (unit == 0) return estimate;
    const double noise = square(noisy.standard_error / unit);
    const double sampling = std::max(0.0, square(estimate.standard_error / unit) - noise);
    const double repeated = kept_.of(n_ * noise, estimate.value, unit) / n_;
    return {estimate.value, unit * std::sqrt(noise + (each_ - 1) * repeated + each_ * sampling)};
}

double repetition_of_nothing(const SummaryView& view) {
    const double each = most_of_one(view);
    if (each == 1) return 1;
    return 1 + (each - 1) * view.mechanism->n_covariance(0) / view.mechanism->n_variance(0);
}

std::string note(const SummaryView& view) {
    const double each = most_of_one(view);
    const bool pointwise = view.rounds == ignored_rounds, kept = view.mechanism->header().kept && !pointwise;
    if (!enough(view))
        return "fewer than " + std::to_string(view.mechanism->header().min_group) +
               (kept ? " people" : " reports") + ": nothing is shown (min_group)";
    if (pointwise) return "counted without rounds: no error, because people repeat their reports";
    if (each == 1) return {};
    return "up to " + shortest(each) + " reports of one person: errors are inflated";
}

}  // namespace ldp
