// The steps by which published methods make separately measured tables consistent.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/tables/table.hpp"

namespace evaluation {

/// Makes tables consistent distributions (Qardaji, Yang, Li 2014; Zhang et al. 2018; Yang et al. 2020).
/// Two steps alternate, at most 100 times, until nothing changes. First, the slices of every attribute
/// get the precision-weighted mean over all tables, and the difference is spread evenly over the slice.
/// Second, every table is replaced by the nearest distribution. slices[a] divides the number of values of
/// attribute a in each table.
void make_agree(std::vector<ldp::Table>& tables, std::span<const std::size_t> slices);

/// The table of maximum entropy over the attributes of these tables that has them as its marginals, by
/// iterative proportional fitting; the attributes ascend and have these sizes. If the
/// tables are inconsistent, the result is near all of them.
[[nodiscard]] std::vector<double> maximum_entropy(std::span<const std::size_t> attributes,
                                                  std::span<const std::size_t> sizes,
                                                  const std::vector<const ldp::Table*>& tables);

}  // namespace evaluation
