// Sets of labels: people have up to `most` of k labels, and the share of people who have each label is estimated.
#pragma once

#include <cstdint>

#include "core/mechanism/frequency/label_codes.hpp"
#include "core/mechanism/role/error_law.hpp"

namespace ldp {

/// Capability of mechanisms for sets of labels. Shares of labels do not add up to 1.
class LabelSets : public Capability {
  public:
    static constexpr const char* offers = "the mean number of labels of a person";

    /// Returns the largest number of labels of a person.
    [[nodiscard]] virtual std::uint64_t most() const noexcept = 0;
    /// Returns the estimated mean number of labels of a person; n ≥ 1.
    [[nodiscard]] virtual Estimate set_size(const Counts& counts, Target target) const = 0;
    /// Returns the law of this estimate.
    [[nodiscard]] virtual ErrorLaw size_law(const Counts& counts, Target target) const = 0;
};

/// Throws Error (unsupported) if an attribute has sets of labels. `what` is a function that needs one value of each
/// person.
void refuse_label_sets(const Mechanism& part, const char* what);

}  // namespace ldp
