#include "core/summary/change.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "core/base/interrupt.hpp"
#include "core/base/square.hpp"
#include "core/base/text.hpp"
#include "core/mechanism/vector/range_learning.hpp"
#include "core/summary/pooling.hpp"
#include "core/summary/summary.hpp"

namespace ldp {

namespace {

/// Estimates of one summary by attribute.
class Round {
  public:
    Round(const SummaryView& view, Target target) : view_(view), target_(target) {
        if (!view.mechanism->can_estimate(Quantity::means)) return;
        means_ = estimate(view, {Quantity::means, target});
        noisy_means_ = estimate(view, {Quantity::means, Target::sample});
    }

    /// Returns the reports about the attribute.
    [[nodiscard]] SummaryView part(std::size_t attribute) const { return ldp::part(view_, attribute); }
    /// Returns whether the attribute is numeric, so that its mean is estimated.
    [[nodiscard]] bool numeric(std::size_t attribute) const {
        return part(attribute).mechanism->can_estimate(Quantity::means);
    }

    struct Item {
        Estimate estimate;
        double noise;  ///< standard error with the target sample
    };
    /// Empty for strings of an open domain.
    [[nodiscard]] std::vector<Item> items(std::size_t attribute) const {
        if (find_capability<Record>(*view_.mechanism) != nullptr &&
            part(attribute).mechanism->can_estimate(Quantity::strings))
            return {};
        if (numeric(attribute)) return {item(means_[attribute], noisy_means_[attribute])};
        const auto estimates = frequencies(attribute, target_);
        const auto noisy =
            target_ == Target::sample ? std::vector<Estimate>{} : frequencies(attribute, Target::sample);
        std::vector<Item> items;
        items.reserve(estimates.size());
        for_each_index(estimates.size(), [&](std::size_t v) {
            items.push_back(item(estimates[v], noisy.empty() ? estimates[v] : noisy[v]));
        });
        return items;
    }

  private:
    [[nodiscard]] static Item item(const Estimate& estimate, const Estimate& noisy) noexcept {
        return {estimate, noisy.standard_error};
    }
    [[nodiscard]] std::vector<Estimate> frequencies(std::size_t attribute, Target target) const {
        return estimate(view_, {Quantity::frequencies, target, attribute});
    }

    SummaryView view_;
    Target target_;
    std::vector<Estimate> means_, noisy_means_;
};

}  // namespace

// An estimate is a mean over reports, so that two estimates have the covariance Σ Cov(reports of one
// user)/(nₐ·n_b). Condition on the public randomness. If the second response has another key, it was drawn
// independently, and the covariance of the user's reports is 0. Otherwise it is the variance of a report's
// mean given its permanent response: the variance of a report minus the part that a second layer renews. It
// is never negative. With m = kept·min(nₐ, n_b) such users, m/(nₐ·n_b) = kept/max(nₐ, n_b).
//
// The code uses the smaller common noise of the two rounds. It uses the noise of the sample target for the
// population as well, where the variance between users counts in full in both rounds. Both choices
// overestimate the error unless values of users move against each other.
//
// If a numeric randomizer cannot separate the variance between users from the noise, both count as common.
// The result stays conservative: the excess is added 1/nₐ + 1/n_b times and subtracted at most 2·kept/max(nₐ,
// n_b) times.
std::vector<Change> change(const SummaryView& before, const SummaryView& after, double kept, Target target) {
    if (!std::ranges::equal(before.mechanism->block(), after.mechanism->block()))
        raise_incompatible(before.mechanism->block(), after.mechanism->block());
    if (!(kept >= 0 && kept <= 1))
        raise(ErrorCode::invalid_value, "the share of people who kept their answer must be 0 to 1",
              "Found " + shortest(kept) + ".", "If it is not known, give 0.");
    check_no_ranges(*before.mechanism);
    if (kept > 0)
        for (const SummaryView& one : {before, after}) need_one_round(one, "a count of memoized responses");

    const Round from(before, target), to(after, target);
    std::vector<Change> changes;
    const std::size_t attributes = before.mechanism->cells().size();
    Work work;
    for (std::uint32_t j = 0; j < attributes; ++j, work.done()) {
        const bool number = from.numeric(j);
        const auto old_items = from.items(j), new_items = to.items(j);
        const MemoizedNoise memoized_part(*from.part(j).mechanism, MemoizedNoise::Bound::no_more);
        const auto n_old = static_cast<double>(from.part(j).n), n_new = static_cast<double>(to.part(j).n);
        const auto common = [&](const Round::Item& item, double n, double unit) {
            return memoized_part.of(n * square(item.noise / unit), item.estimate.value, unit) /
                   std::max(n_old, n_new);
        };
        if (attributes == 1) changes.reserve(old_items.size());
        for (std::uint32_t v = 0; v < old_items.size(); ++v, work.done()) {
            const Round::Item &a = old_items[v], &b = new_items[v];
            const double old_error = a.estimate.standard_error, new_error = b.estimate.standard_error;
            const double unit = old_error == 0 && new_error == 0 ? 1 : std::max(old_error, new_error);
            const double covariance = kept * std::min(common(a, n_old, unit), common(b, n_new, unit));
            // This order of operations gives exactly 0 for equal reports.
            const double variance =
                square(old_error / unit) - covariance + (square(new_error / unit) - covariance);
            changes.push_back(
                {j,
                 number ? std::nullopt : std::optional(v),
                 {b.estimate.value - a.estimate.value, unit * std::sqrt(variance < 0 ? 0 : variance)}});
        }
    }
    return changes;
}

}  // namespace ldp
