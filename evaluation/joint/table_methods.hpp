// The methods for several attributes that `evaluate-joint` compares: those of ldp, and independence. Published
// methods are in ../competitors/table_competitors.hpp.
#pragma once

#include "benchmark.hpp"

namespace evaluation {

/// The cross tables among which people are divided: all pairs, or the choice of the spec for this number
/// of people.
enum class Views { pairs, chosen };
/// `joint` with all pairs as views, and its consistent answers, which are unbiased. Triples have none.
[[nodiscard]] Learnt joint_consistent(const Records& records, double epsilon, ldp::BitSource& bits);
/// `joint`, its tables fitted together.
[[nodiscard]] Learnt joint_fit(const Records& records, double epsilon, Views views, ldp::BitSource& bits);
/// The same, a model made of the tables, and rows that are spread as it says.
[[nodiscard]] Learnt joint_rows(const Records& records, double epsilon, Views views, ldp::BitSource& bits);

/// `joint` of numbers in bins of this width: supports boxes that begin and end with bins.
enum class Numbers { consistent, fit };
[[nodiscard]] Learnt joint_bins(const Records& records, double epsilon, std::size_t by, Numbers how,
                                ldp::BitSource& bits);

/// `joint_haar` of the same numbers: consistent for all boxes, fitted for this number of people.
[[nodiscard]] Learnt haar_bins(const Records& records, double epsilon, std::size_t by, Numbers how,
                               ldp::BitSource& bits);

/// The product of the attributes' own shares, which `sampled` estimates from one report per person
/// (norm_sub). A joint method must have a smaller error than this baseline.
[[nodiscard]] Learnt independence(const Records& records, double epsilon, ldp::BitSource& bits);
/// The same of the true shares: not an estimate, but what is lost by taking attributes for independent.
[[nodiscard]] Learnt true_independence(const Records& records);

}  // namespace evaluation
