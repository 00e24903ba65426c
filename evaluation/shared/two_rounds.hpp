// A record in two rounds. A tenth of the people report where one of their values lies, roughly; from that
// follow range, numeric randomizer and share of each attribute for the others. All of it is post-processing
// of reports, or public.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/mechanism/role/estimate.hpp"
#include "experiment.hpp"

namespace evaluation {

/// How an attribute is reported in the second round.
struct Plan {
    double low = -1, high = 1;  ///< the range that values are moved into
    const NumericCandidate* candidate = nullptr;
    double share = 1;   ///< in proportion to `chance`
    double chance = 0;  ///< of being drawn
    double spread = 1;  ///< n·Var of the mean, if every report is about the attribute, as predicted
};

class FirstRound {
  public:
    /// One person in this number takes part, chosen at random.
    static constexpr unsigned one_in = 10;

    FirstRound(double epsilon, std::size_t attributes, std::size_t people);

    /// Whether the error of a point's share is at most a tenth. This depends on ε and on public
    /// numbers. If not, the people of the first round are more useful in the second one.
    [[nodiscard]] bool worthwhile() const noexcept { return worthwhile_; }
    void ask(std::span<const double> person, ldp::BitSource& bits);

    /// For the second round. If there was no first one, all attributes are alike.
    [[nodiscard]] std::vector<Plan> plans() const;
    /// The unbiased estimate of an attribute's mean from this round.
    [[nodiscard]] ldp::Estimate mean(std::size_t attribute) const;

  private:
    /// The shares of the points, as they are and made consistent, and each one's variance.
    struct Shares {
        std::vector<double> raw, consistent, variances;
    };
    [[nodiscard]] Shares shares(std::size_t attribute) const;
    [[nodiscard]] Plan best(const Shares& shares, double reports) const;

    Experiment experiment_;
    double people_;
    bool worthwhile_;
    double per_report_;
    std::vector<NumericCandidate> candidates_;
};

/// "attributes" for a spec of the second round.
[[nodiscard]] std::string attributes(const std::vector<Plan>& plans);

}  // namespace evaluation
