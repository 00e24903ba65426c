// What can be said before anybody reports: how large errors will be, and what answers cost.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ldp {

/// What a server spends, in elementary steps (each of about a nanosecond): for choosing a mechanism.
struct Cost {
    double per_report;  ///< to count a report
    double per_answer;  ///< to answer once, however many reports there are

    /// Steps a report, if a million are counted for each answer: the unit of Limits.
    [[nodiscard]] double decode() const noexcept { return per_report + per_answer / 1e6; }
};

class Planner {
  public:
    virtual ~Planner() = default;

    /// Parameters by name, given and derived, for people to read.
    [[nodiscard]] virtual std::vector<std::pair<std::string, double>> parameters() const = 0;
    /// n·Var (sample target) of one item of the natural answer when each item's true value is `truth`: a
    /// frequency, or a mean on [−1,1]. Exact; where items differ, the largest.
    [[nodiscard]] virtual double n_variance(double truth) const = 0;
    /// The same of one item of one attribute, if people are spread like this over its values, as shares that
    /// add up to 1: over a category's values, where the item is one of them; over equidistant points from −1
    /// to 1 of a number, two or more, of its mean, where the item does not matter. Mechanisms over points
    /// want as many as they have. The attribute of a series is a round.
    [[nodiscard]] virtual double n_variance_of(std::size_t attribute, std::size_t item,
                                               std::span<const double> shares) const = 0;
    /// n·Var that an attribute may be promised before anything is known of it: of its mean on [−1,1] for the
    /// people of whom it is largest, alike or not, or a bound of it; of a frequency averaged over the values,
    /// which hardly depends on the data, or a bound of it.
    [[nodiscard]] virtual double promised_variance(std::size_t attribute) const = 0;
    /// The same of the only attribute if this part of the people report it, drawn by lot, times the part.
    /// They are a sample of the others, so that it matters how people differ.
    [[nodiscard]] virtual double promised_variance_of_part(double part) const = 0;
    /// n·Cov (sample target) of one item's estimates in two rounds, to which the same n users report the same
    /// values from the permanent responses they kept; otherwise as n_variance. All of the noise is common
    /// unless a second layer renews a part of it. A user whose permanent response key has changed adds no
    /// covariance, except through the public randomness that both keys share; where only m users report both
    /// times and keep their values, the covariance is m/(nₐ·n_b) times this.
    [[nodiscard]] virtual double n_covariance(double truth) const { return n_variance(truth); }
    [[nodiscard]] virtual Cost cost() const noexcept = 0;
};

}  // namespace ldp
