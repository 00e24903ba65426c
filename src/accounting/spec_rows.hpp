// Rows that do not depend on a summary: errors of specs before there are reports, effects of forged reports,
// and privacy costs. They are in this folder because lower bounds and composition are in a layer above
// core/results.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "core/results/result_table.hpp"

namespace ldp {

/// The mechanisms that support a spec, best first, with their errors for this number of users and their costs.
[[nodiscard]] std::unique_ptr<Results> advice_rows(std::string_view spec, std::int64_t users);
/// The predicted error of a planning target, followed by its sources.
[[nodiscard]] std::unique_ptr<Results> plan_rows(std::string_view spec, std::string_view target,
                                                 std::optional<std::int64_t> people);
/// A row per attribute: bounds on the effect of forged reports, if this share of all reports is forged.
[[nodiscard]] std::unique_ptr<Results> influence_rows(std::string_view spec, double share);
/// A row per attribute, in its own unit, and one for all numbers together: standard error and lower bounds. `advice` is the
/// hint of the error if the mechanism has no lower bounds.
[[nodiscard]] std::unique_ptr<Results> bound_rows(std::string_view spec, std::int64_t users,
                                                  const char* advice);
/// A row per composition theorem, for reports with these ε. There is one δ for each report, or one for all
/// reports.
[[nodiscard]] std::unique_ptr<Results> composition_rows(std::span<const double> epsilons,
                                                        std::span<const double> deltas, double delta);
/// One row: the ε of a report among n shuffled reports.
[[nodiscard]] std::unique_ptr<Results> shuffled_rows(double epsilon, std::int64_t n, double delta);
/// One row: the ε of a report of this spec among n shuffled reports.
[[nodiscard]] std::unique_ptr<Results> shuffled_rows(std::string_view spec, std::int64_t n, double delta);
/// A row per divergence between the reports of two inputs, for this number of independent reports. In two layers, rows of
/// the permanent response come first.
[[nodiscard]] std::unique_ptr<Results> divergence_rows(std::string_view spec, std::int64_t rounds);
/// The privacy statement of a spec, a row for each bound.
[[nodiscard]] std::unique_ptr<Results> privacy_rows(std::string_view spec);
/// One row: the posterior odds after reports of this number of people.
[[nodiscard]] std::unique_ptr<Results> odds_rows(double epsilon, double prior, std::int32_t people);

}  // namespace ldp
