// Reports of one person in several rounds. Where people draw each report afresh, its noise is independent of
// every other's, whoever sent it. Where they keep their answers (see spec/evolving.hpp), reports of one
// person repeat the noise, and an estimate of several rounds is less sure than so many reports of different
// people would make it. A summary knows its rounds, and with one report a person and round at most,
//
//     R = last round − first round + 1
//
// bounds how many reports a person has in it. Of a person's r ≤ R reports, with variances Vₜ of their noise
// and of these Cₜ for what a permanent response or public randomness brings in, which other reports may
// share,
//
//     Var Σ ≤ Σ(Vₜ − Cₜ) + (Σ√Cₜ)² ≤ ΣVₜ + (R−1)·ΣCₜ
//
// by Cauchy and Schwarz, with equality if the person's value never changes and all have R reports. So what
// the noise of independent reports amounts to is widened by 1 + (R−1)·C/V, which is R where a report is its
// permanent response, and less under a second layer. What a sample of people leaves open is widened by R: a
// person who says the same R times tells of one.
#pragma once

#include <string>

#include "core/mechanism/capability.hpp"

namespace ldp {

/// What n·Var of the noise is without the part that a second layer draws anew for each report of a permanent
/// response: C. For a share under a pure protocol that part is linear in it, as what it is the difference of.
/// Else it is not known, but bounded. Of a mean the part that is left is greatest in the middle of the range
/// and least at its ends. For rappor what the second layer adds is nearly the same for all values, but for
/// how their bits overlap: the most of it is taken off, or nothing.
class MemoizedNoise {
  public:
    /// Whether no more than C is wanted, which is for what makes errors smaller, or no less, for what makes
    /// them larger.
    enum class Bound { no_more, no_less };

    MemoizedNoise(const Mechanism& mechanism, Bound bound);
    /// Of an estimate with this n·Var, in squares of a unit, as the answer is: errors of numbers on a wide
    /// range have no squares of their own.
    [[nodiscard]] double of(double n_variance, double estimate, double unit) const noexcept;

  private:
    double part_ = 1, none_ = 0, all_ = 0;
};

/// Whether one person's reports repeat answers, and more than one of theirs may be among these.
[[nodiscard]] bool repeats(const SummaryView& view) noexcept;
/// R where answers are kept; 1 where each report counts as that of another person.
[[nodiscard]] double most_of_one(const SummaryView& view) noexcept;
/// The fewest people whose reports these can be; 0 if their rounds were not told.
[[nodiscard]] std::uint64_t fewest_people(const SummaryView& view) noexcept;
/// How many reports count towards min_group: where answers are kept, so many people.
[[nodiscard]] double told_by(const SummaryView& view) noexcept;
/// Whether these are as many as the spec wants.
[[nodiscard]] bool enough(const SummaryView& view) noexcept;

/// Throws Error (unsupported), which says how to count, if answers are kept and the rounds were not told:
/// nobody knows then how sure an estimate is.
void need_rounds(const SummaryView& view);
/// The same for a question that holds for reports of different people alone, if people's reports repeat.
void need_one_round(const SummaryView& view, const char* what);

/// Widens the standard errors of estimates from a summary.
class Inflation {
  public:
    explicit Inflation(const SummaryView& view);

    /// Whether there is anything to widen.
    [[nodiscard]] bool needed() const noexcept { return each_ > 1; }
    /// Of an estimate, against whomever it is; `noisy` is the same against the sample.
    [[nodiscard]] Estimate inflated(const Estimate& estimate, const Estimate& noisy) const noexcept;

  private:
    double each_, n_;
    MemoizedNoise kept_;
};
/// What n reports have to be divided by for their p-values to hold, of a value that nobody holds.
[[nodiscard]] double repetition_of_nothing(const SummaryView& view);

/// Why a row says less than its reader may expect, in a sentence: too few reports to show estimates of, or
/// errors that were widened. Empty otherwise.
[[nodiscard]] std::string note(const SummaryView& view);

}  // namespace ldp
