// Which views people are best divided among, before anybody has reported: by the error that fitted tables of
// what is asked are expected to have.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "core/mechanism/joint/joint_views.hpp"

namespace ldp::joint {

inline constexpr std::uint64_t max_cells = 8192;  ///< of a view

/// How many cells a view has, and of how many attributes: all that its subsets and its weight depend on.
using ViewKind = std::pair<std::uint64_t, std::uint8_t>;

[[nodiscard]] ViewKind kind_of_view(const ViewAttributes& view, const std::vector<std::uint64_t>& sizes);
/// n·Var of a cell's share through the best subset selection, if cells are equally frequent.
[[nodiscard]] double promised_cell(std::uint64_t cells, double epsilon);
/// How likely a view of this kind is drawn, beside others: so that the variance of what is asked, added up
/// over the views, is least. That is a cell, or a box half as wide as each attribute.
[[nodiscard]] double assignment_weight(const ViewKind& kind, double epsilon, bool ranges);

/// What fitted tables are expected to be off by, if people are divided among some views.
class ExpectedErrors {
  public:
    ExpectedErrors(std::vector<std::uint64_t> sizes, double epsilon, bool ranges,
                   const std::vector<ViewAttributes>& views, double people);

    /// Of the table of a set of attributes, as a distance in variation. Each effect of the analysis of
    /// variance that a view tells has its noise; of an interaction a fit keeps the part that its size
    /// deserves, and loses it whole where no view tells it. Infinite if a view tells no effect of two
    /// attributes of the set.
    [[nodiscard]] double of(const ViewAttributes& asked) const;
    /// On average over sets.
    [[nodiscard]] double of(const std::vector<ViewAttributes>& asked) const;

  private:
    std::vector<std::uint64_t> sizes_;
    std::map<ViewAttributes, double> precision_;  // of the marginal's cells, by the effect
};

/// The sets within these attributes of a view or a question that are not empty.
[[nodiscard]] std::vector<ViewAttributes> subsets_of(const ViewAttributes& set);

/// Views as sets that were named, and by itself each of d attributes that is in none of them.
[[nodiscard]] std::vector<ViewAttributes> with_the_others(std::vector<ViewAttributes> named, std::uint64_t d);

}  // namespace ldp::joint
