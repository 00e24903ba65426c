// Standard errors if one person sends reports in several rounds. If each report is drawn afresh, the noise of
// all reports is independent. If people keep memoized responses (see spec/evolving.hpp), a person's reports
// repeat the noise. An estimate over several rounds is then less precise than one from the same number of
// independent reports. A summary stores its rounds. With at most one report per person and round,
//
//     R = last round − first round + 1
//
// bounds the number of reports of one person. Let the r ≤ R reports of a person have noise variances Vₜ. Let
// Cₜ be the part that permanent responses and public randomness contribute, which other reports may share. By
// the Cauchy-Schwarz inequality,
//
//     Var Σ ≤ Σ(Vₜ − Cₜ) + (Σ√Cₜ)² ≤ ΣVₜ + (R−1)·ΣCₜ
//
// Equality holds if the value never changes and all people have R reports. The noise variance of independent
// reports is therefore inflated by 1 + (R−1)·C/V. This factor is R if a report is its permanent response, and
// less with a second layer. The sampling variance is inflated by R.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "core/mechanism/role/capability.hpp"

namespace ldp {

/// C as a function of n·Var: the noise variance without the part that a second layer draws anew for each
/// report. For a share under a pure protocol, that part is linear in the share. In other cases it is bounded.
/// For a mean, the remaining part is largest in the middle of the range and smallest at its ends. For rappor,
/// the part of the second layer is nearly equal for all values and differs by their overlapping bits.
/// Depending on the bound, the largest such part or none is subtracted.
class MemoizedNoise {
  public:
    /// Whether of() returns a lower bound of C (no_more), for uses that reduce errors, or an upper bound
    /// (no_less), for uses that increase them.
    enum class Bound { no_more, no_less };

    MemoizedNoise(const Mechanism& mechanism, Bound bound);
    /// Returns C for an estimate with this n·Var. Both are in squares of `unit`, since squared errors of
    /// numbers on a wide range may overflow.
    [[nodiscard]] double of(double n_variance, double estimate, double unit) const noexcept;

  private:
    double part_ = 1, none_ = 0, all_ = 0;
};

/// Returns whether people repeat memoized responses and more than one report of a person may be in the
/// summary.
[[nodiscard]] bool repeats(const SummaryView& view) noexcept;
/// Returns R for memoized responses; 1 if each report counts as the report of a different person.
[[nodiscard]] double most_of_one(const SummaryView& view) noexcept;
/// Returns the number of reports of one person that add as much information as one of another person: R, or
/// less in two layers.
[[nodiscard]] double repetition(const SummaryView& view);
/// Returns a lower bound of the number of people who sent the reports; 0 if the rounds are unknown.
[[nodiscard]] std::uint64_t fewest_people(const SummaryView& view) noexcept;
/// Returns the count that is compared with min_group: a number of people for memoized responses, a number of
/// reports otherwise.
[[nodiscard]] double told_by(const SummaryView& view) noexcept;
/// Returns whether that count reaches the min_group of the spec.
[[nodiscard]] bool enough(const SummaryView& view) noexcept;

/// Throws Error (unsupported), with a hint on counting, if responses are memoized and the rounds are unknown.
/// In this case no standard error can be computed.
void need_rounds(const SummaryView& view);
/// The rounds of a view for estimates without errors: one round, whose number no report has.
inline constexpr Rounds ignored_rounds = Rounds::only(std::numeric_limits<std::int32_t>::min());
/// Returns the view for point estimates, which do not depend on rounds: if responses are memoized and the
/// rounds are unknown, all reports count as reports of one round. The errors of such a view are meaningless.
[[nodiscard]] SummaryView for_point_estimates(SummaryView view) noexcept;
/// Throws Error (unsupported) if people's reports repeat, for functions that require reports of different
/// people.
void need_one_round(const SummaryView& view, const char* what);

/// Inflates the standard errors of estimates from a summary.
class Inflation {
  public:
    explicit Inflation(const SummaryView& view);

    /// Returns whether inflation has an effect.
    [[nodiscard]] bool needed() const noexcept { return each_ > 1; }
    /// Returns the inflated estimate for any target; `noisy` is the same estimate with the target sample.
    [[nodiscard]] Estimate inflated(const Estimate& estimate, const Estimate& noisy) const noexcept;

  private:
    double each_, n_;
    MemoizedNoise kept_;
};
/// Returns the divisor of n for p-values of the hypothesis that no person holds a value.
[[nodiscard]] double repetition_of_nothing(const SummaryView& view);

/// Returns a sentence for display if estimates are hidden (too few reports) or standard errors are inflated;
/// empty otherwise.
[[nodiscard]] std::string note(const SummaryView& view);

}  // namespace ldp
