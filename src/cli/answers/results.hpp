// The result of a figure in one sentence.
#pragma once

#include <string>
#include <vector>

#include "cli/answers/document.hpp"

namespace ldp::cli {

/// Returns the factor by which a histogram multiplies the share of each bin, so that evenly distributed
/// values have bars of one height. The bins have equal width over a grid of this number of points, and may
/// have different numbers of points: the factor is the average number over the bin's own.
[[nodiscard]] std::vector<double> bin_heights(std::size_t points, std::size_t bins);

/// The result in one sentence; empty if the figure has none.
[[nodiscard]] std::string result_of(const Figure& figure);

/// Sets the results of a section and its figures. The result of the section is the result of its quantiles if
/// it has any, otherwise the result of its first figure.
void conclude(Section& section);

/// The clear changes since the round before the last one, or else since the first round, and the clear differences
/// between the groups of this column, in one sentence each. Empty if nothing was compared.
[[nodiscard]] std::string news_of(const std::vector<Section>& sections, const std::string& by);

/// Sets one common axis for all drawings of a question's shares, and another one for its histograms.
void align_axes(std::vector<Section>& sections);

/// "95 % confidence interval".
[[nodiscard]] std::string interval_title(double confidence);

/// The meaning of the clear changes and differences that a page may have.
[[nodiscard]] std::string meaning_of_clear(const Document& document);

/// Explanations of terms that the document uses: margins of error, clear differences, and shares below zero.
[[nodiscard]] std::vector<std::string> explanations(const Document& document);

}  // namespace ldp::cli
