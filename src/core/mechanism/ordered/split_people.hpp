// Division of the people of a distribution into two parts: the people at the points of a range, and all
// others. Mixtures of the two parts are the distributions that differ in the range's share only.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "core/mechanism/role/error_law.hpp"

namespace ldp {

class SplitPeople {
  public:
    /// `below` are the shares below each point and after the last one; the range consists of the points from
    /// `first` to before `end`. Each part gets one additional person of n, spread evenly over its points, so
    /// that an empty part also has a distribution.
    SplitPeople(std::span<const double> below, std::size_t first, std::size_t end, double n) noexcept
        : below_(below),
          first_(first),
          end_(end),
          one_(1 / n),
          share_(below[end] - below[first]),
          inside_points_(static_cast<double>(end - first)),
          outside_points_(static_cast<double>(below.size() - 1) - inside_points_) {}

    [[nodiscard]] double share() const noexcept { return share_; }
    /// Return whether the part has a single point, so that its distribution is known.
    [[nodiscard]] bool inside_is_known() const noexcept { return inside_points_ == 1; }
    [[nodiscard]] bool outside_is_known() const noexcept { return outside_points_ == 1; }
    /// Returns the shares of each part at the points `from` to before `to`.
    struct SplitShares {
        double inside, outside;
    };
    [[nodiscard]] SplitShares between(std::size_t from, std::size_t to) const noexcept {
        const std::size_t last = below_.size() - 1;
        from = std::min(from, last), to = std::min(to, last);
        const std::size_t low = std::clamp(from, first_, end_), high = std::clamp(to, first_, end_);
        return normalized({below_[high] - below_[low], static_cast<double>(high - low)},
                          {below_[to] - below_[from], static_cast<double>(to - from)});
    }
    /// Points, and the share of all people who are at them.
    struct PeopleAtPoints {
        double people, points;
    };
    /// Returns the shares of each part at some points, of which `inside` are in the range.
    [[nodiscard]] SplitShares normalized(const PeopleAtPoints& inside,
                                         const PeopleAtPoints& all) const noexcept {
        return {(inside.people + one_ * inside.points / inside_points_) / (share_ + one_),
                (all.people - inside.people +
                 (outside_points_ > 0 ? one_ * (all.points - inside.points) / outside_points_ : 0)) /
                    (1 - share_ + one_)};
    }
    /// Returns the mean over all people if the range has the share `truth`, from the means of the two parts.
    [[nodiscard]] static double at(double truth, const SplitShares& parts) noexcept {
        return (1 - truth) * parts.outside + truth * parts.inside;
    }

  private:
    std::span<const double> below_;
    std::size_t first_, end_;
    double one_, share_, inside_points_, outside_points_;
};

/// Second and third cumulants of an estimate at the true values 0, 1/3, 2/3 and 1, summed over the
/// components.
class CumulantsAtTruths {
  public:
    static constexpr double truths[] = {0, 1.0 / 3, 2.0 / 3, 1};

    explicit CumulantsAtTruths(double n) noexcept : n_(n) {}

    /// Adds an n·variance that does not depend on the true value.
    void add(double variance) noexcept {
        for (double& one : variances_) one += variance;
    }
    /// Adds the mean of `reports` terms with the moments moments(truth). The mean is discrete with this step;
    /// half a step counts as an additional error.
    struct StepMoments {
        double first, second, third;
    };
    template <class MomentsAt>
    void add(double reports, double step, MomentsAt moments) noexcept {
        const double factor = n_ / reports;
        add(n_ * step * step / 4);
        add_third_of_known_reports(factor, moments(0), moments(1));
        for (std::size_t i = 0; i < std::size(truths); ++i) {
            const auto [first, second, third] = moments(truths[i]);
            variances_[i] += factor * (second - first * first);
            thirds_[i] += factor * factor * (third - 3 * first * second + 2 * first * first * first);
            seconds_[i] += factor * second;
            cubes_[i] += factor * factor * third;
        }
    }
    /// Returns the curve of the sum of the components and a constant, which is the share. For the target
    /// sample, the sampling error of the share is removed: the drawn part and the term are random, but not
    /// the users. The variance is then the sum of the variances about the mean of a holder and of a
    /// non-holder.
    [[nodiscard]] TruthCurve curve(Target target, double constant) const noexcept {
        TruthCurve::Cubic variances = variances_, thirds = thirds_;
        for (std::size_t i = 0; i < std::size(truths) && target == Target::sample; ++i) {
            const double sampling = truths[i] * (1 - truths[i]);
            variances[i] = std::max(variances[i] - sampling, 0.0);
            const auto about = [&](std::size_t at) {
                const double mean = truths[at] - constant;
                return mean * (2 * mean * mean - 3 * seconds_[at]);
            };
            thirds[i] = cubes_[i] + std::lerp(about(0), about(3), truths[i]);
        }
        return TruthCurve::through(n_, variances, thirds);
    }

    /// Returns the same curve for components whose numbers of reports are known: the people who report a
    /// component are a random sample without replacement. curve() treats these numbers as random for the
    /// target sample. The difference counts if the means of terms are large.
    [[nodiscard]] TruthCurve curve_of_known_reports(Target target) const noexcept {
        if (target == Target::population) return TruthCurve::through(n_, variances_, thirds_);
        TruthCurve::Cubic variances = variances_;
        for (std::size_t i = 0; i < std::size(truths); ++i)
            variances[i] = std::max(variances[i] - truths[i] * (1 - truths[i]), 0.0);
        return TruthCurve::through(n_, variances, thirds_of_sample_);
    }

  private:
    /// Adds the third moment of a mean over a sample without replacement of two kinds of people. It follows
    /// from the moments of the terms of each kind by the law of total cumulance. The number of holders in the
    /// sample is hypergeometric.
    void add_third_of_known_reports(double factor, const StepMoments& others,
                                    const StepMoments& holders) noexcept {
        const auto central = [](const StepMoments& of) {
            return StepMoments{of.first, of.second - of.first * of.first,
                               of.third - 3 * of.first * of.second + 2 * of.first * of.first * of.first};
        };
        const StepMoments low = central(others), high = central(holders);
        const double apart = high.first - low.first, missing = 1 - 1 / factor;
        for (std::size_t i = 0; i < std::size(truths); ++i) {
            const double truth = truths[i], spread = truth * (1 - truth) * missing;
            thirds_of_sample_[i] +=
                factor * factor *
                (std::lerp(low.third, high.third, truth) + 3 * (high.second - low.second) * apart * spread +
                 apart * apart * apart * spread * (1 - 2 / factor) * (1 - 2 * truth));
        }
    }

    double n_;
    TruthCurve::Cubic variances_{}, thirds_{}, thirds_of_sample_{};
    TruthCurve::Cubic seconds_{}, cubes_{};  // raw moments, weighted as in the estimate
};

}  // namespace ldp
