// The result of a figure in one sentence, and the order in which its rows are shown.
#pragma once

#include <string>
#include <vector>

#include "cli/answers/document.hpp"

namespace ldp::cli {

/// The rows of a figure in the order of drawings and tables: categories without an order by size, the values
/// of a comparison by their largest estimate, other rows in their own order.
[[nodiscard]] std::vector<const Row*> display_order(const Figure& figure);

/// Returns the factor by which a histogram multiplies the share of each bin, so that evenly distributed
/// values have bars of one height. The bins have equal width over a grid of this number of points, and may
/// have different numbers of points: the factor is the average number over the bin's own.
[[nodiscard]] std::vector<double> bin_heights(std::size_t points, std::size_t bins);

/// The result in one sentence; empty if the figure has none.
[[nodiscard]] std::string result_of(const Figure& figure);

/// Sets the results of a section and its figures. The result of the section is that of its quantiles, if it
/// has any, else of its first figure.
void conclude(Section& section);

/// The clear changes since the round before the last one, or else since the first round, and the clear differences
/// between the groups of this column, in one sentence each. Empty if nothing was compared.
[[nodiscard]] std::string news_of(const std::vector<Section>& sections, const std::string& by);

/// Gives the drawings of shares of a question one axis that fits them, and its histograms another one.
void align_axes(std::vector<Section>& sections);
/// Whether the axis of an estimate begins at zero: that of shares, and that of numbers at most twice apart does not.
[[nodiscard]] bool axis_from_zero(const Figure& figure);

/// "95 % confidence interval".
[[nodiscard]] std::string interval_title(double confidence);

/// The meaning of the clear changes and differences that a page may have.
[[nodiscard]] std::string meaning_of_clear(const Document& document);

/// Explanations of terms that the document uses: margins of error, clear differences, and shares below zero.
[[nodiscard]] std::vector<std::string> explanations(const Document& document);

}  // namespace ldp::cli
