// The winsorized mean of a number in two rounds, each with different people (Roth, Avella-Medina 2025, algorithm 8).
//
// The first round estimates a histogram of the declared range. The heaviest bin with its two neighbours becomes the
// window, unless the histogram shows that a wider window has a smaller error. In the second round, people report their
// values clamped to the window. Noise is proportional to the width of the window instead of that of the range.
//
// Each person takes part in one round and spends ε once. The window is computed from reports of the first round, so it
// costs no privacy.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/mechanism/role/estimate.hpp"
#include "core/mechanism/role/summary_view.hpp"

namespace ldp {

class Spec;

/// The first round of a winsorized mean.
struct WinsorizedPlan {
    std::string histogram;  ///< a spec of the histogram, whose mechanism is "auto"
    std::string reason;  ///< one sentence: the number of bins, and the number of people that find the window
};

/// Returns the first round that a spec with the mechanism "winsorized" describes; nothing for other specs. With
/// "concentration", bins are at least 2τ wide, so that the values of all people lie in two adjacent bins. Otherwise the
/// number of bins follows from "people". Throws Error (invalid_spec), also if the people do not suffice to find the
/// window.
[[nodiscard]] std::optional<WinsorizedPlan> winsorized_plan(std::string_view json);

/// A window, and what the first round shows about it.
struct WinsorWindow {
    double low, high;          ///< its ends
    Estimate coverage;         ///< the share of people with values inside
    double smallest_coverage;  ///< the lower confidence bound of that share
    double
        bias;  ///< an upper confidence bound of the distance between the mean of all values and the mean of clamped values
};

/// Returns the window of the second round from the histogram of the first one. `ends` are the ends of its
/// bins, ascending, including the ends of the range. Error: invalid_value if no bin has a share that is
/// significantly above 0.
[[nodiscard]] WinsorWindow winsor_window(const SummaryView& histogram, std::span<const double> ends);

/// Returns what the histogram shows about this window. Error (incompatible) unless the window consists of bins. The bound
/// of the bias, and the bound of the coverage, hold with this confidence each.
[[nodiscard]] WinsorWindow winsor_window(const SummaryView& histogram, std::span<const double> ends,
                                         double low, double high, double confidence);

/// Returns the spec of the second round, whose mechanism is "auto". Throws as winsor_window(), and Error (unsupported) if
/// the first spec is not one number in bins.
[[nodiscard]] std::string winsorized_second_round(const Spec& first, const SummaryView& histogram);

}  // namespace ldp
