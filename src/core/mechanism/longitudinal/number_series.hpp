// Capability of series of numbers: the mean and the distribution in each round.
#pragma once

#include <memory>

#include "core/mechanism/longitudinal/series.hpp"
#include "core/mechanism/ordered/ordered.hpp"

namespace ldp {

class NumberSeries : public Capability {
  public:
    static constexpr const char* offers = "the distribution in each round of a series";

    /// Returns the means of all rounds. NaN if the reports do not reach a round. Requires n ≥ 1.
    [[nodiscard]] virtual std::vector<RoundEstimate> round_means(const Counts& counts,
                                                                 Target target) const = 0;

    /// The distribution in one round, and the state from which it is estimated, with the number of users who
    /// reported it. n is 0 if the reports do not reach the round. The mechanism and the counts must outlive
    /// it.
    struct InRound {
        std::unique_ptr<const Ordered> ordered;
        Counts counts;
    };
    /// The estimates of all rounds, which their distributions share.
    struct Solution {
        virtual ~Solution() = default;
    };
    [[nodiscard]] virtual std::shared_ptr<const Solution> solution(const Counts& counts) const = 0;
    /// Rounds are numbered from 1. Throws Error (invalid_value) if the series does not have the round. The
    /// solution must belong to the same counts.
    [[nodiscard]] virtual InRound in_round(std::size_t round, const Counts& counts,
                                           std::shared_ptr<const Solution> solution) const = 0;
    [[nodiscard]] InRound in_round(std::size_t round, const Counts& counts) const {
        return in_round(round, counts, solution(counts));
    }
    /// Returns the distribution before there are reports: only expected_noise() and blur() have a meaning.
    [[nodiscard]] virtual std::unique_ptr<const Ordered> expected_in(std::size_t round) const = 0;
};

}  // namespace ldp
