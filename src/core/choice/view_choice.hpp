// Choice of views before any report exists, by the expected error of the fitted tables of the announced
// queries.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "core/mechanism/joint/view_weights.hpp"

namespace ldp::joint {

/// Expected errors of fitted tables if people are divided among given views.
class ExpectedErrors {
  public:
    ExpectedErrors(std::vector<std::uint64_t> sizes, const ViewEpsilon& epsilon, bool ranges,
                   const std::vector<ViewAttributes>& views, double people);

    /// Returns the expected error of the table of a set of attributes, as a total variation distance. Each
    /// effect of the analysis of variance has the noise of its views. The fit shrinks an interaction
    /// according to its assumed size, and drops it if no view contains it. Infinite if no view contains an
    /// interaction of two attributes of the set.
    [[nodiscard]] double of(const ViewAttributes& asked) const;
    /// Returns the average over sets.
    [[nodiscard]] double of(const std::vector<ViewAttributes>& asked) const;

  private:
    std::vector<std::uint64_t> sizes_;
    std::map<ViewAttributes, double> precision_;  // of the marginal's cells, by effect
};

/// Returns the non-empty subsets of a set of attributes.
[[nodiscard]] std::vector<ViewAttributes> subsets_of(const ViewAttributes& set);

/// Returns the named views, and a single view for each of d attributes that is in none of them.
[[nodiscard]] std::vector<ViewAttributes> with_the_others(std::vector<ViewAttributes> named, std::uint64_t d);

/// Replaces the word "auto" in the option "marginals" of joint. Options are complete with their defaults. Error
/// (invalid_spec) if the spec does not state the number of people who will report.
void choose_views(SettingsDraft& draft);

}  // namespace ldp::joint
