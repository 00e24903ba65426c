// What published methods do to tables that were measured each for itself.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/tables/table.hpp"

namespace bench {

/// Makes tables agree on what they share and be distributions: by turns, every attribute's slices get the
/// mean of what the tables say of them, weighted by its precision, the difference spread evenly over the
/// slice; and every table is replaced by the nearest distribution, until that changes nothing, 100 times at
/// most (Qardaji, Yang, Li 2014; Zhang et al. 2018; Yang et al. 2020). slices[a] divides the number of values
/// that any table has of attribute a.
void make_agree(std::vector<ldp::Table>& tables, std::span<const std::size_t> slices);

/// The table of maximum entropy over the attributes of these tables that has them as its marginals, by
/// iterative proportional fitting; the attributes ascend and have these sizes. Tables that do not agree leave
/// it near all of them.
[[nodiscard]] std::vector<double> maximum_entropy(std::span<const std::size_t> attributes,
                                                  std::span<const std::size_t> sizes,
                                                  const std::vector<const ldp::Table*>& tables);

}  // namespace bench
