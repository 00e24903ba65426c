// Figures of the same estimates in several groups of reports: by round, and by a public column.
#pragma once

#include <string>
#include <vector>

#include "cli/answers/source.hpp"

namespace ldp::cli {

/// Of a category with more values, the largest shares are shown, and no groups.
constexpr std::size_t most_values = 30;

/// Figures are empty if the collection has one round, or no groups were requested.
class GroupFigures {
  public:
    explicit GroupFigures(Source& source) : source_(source) {}

    [[nodiscard]] Figure shares_by_round(std::size_t attribute, bool ordered);
    [[nodiscard]] Figure shares_by_group(std::size_t attribute, bool ordered);
    [[nodiscard]] Figure means_by_round(const std::vector<std::size_t>& attributes);
    [[nodiscard]] Figure means_by_group(const std::vector<std::size_t>& attributes);
    [[nodiscard]] Figure median_by_round(std::size_t attribute);
    [[nodiscard]] Figure median_by_group(std::size_t attribute);
    /// The shares, or the mean of a number, in every round of a series under one epsilon.
    [[nodiscard]] Figure series(std::size_t attribute);
    /// The median of a number in every round of a series.
    [[nodiscard]] Figure series_median(std::size_t attribute);
    /// The means of these numbers as smooth functions of a public column, which the server computes. If the
    /// column has too few or too many values, one figure states this. Throws Error (invalid_value) unless the
    /// column has numbers, dates or times.
    [[nodiscard]] std::vector<Figure> curves(const std::vector<std::size_t>& attributes);

  private:
    /// Whether the spec has several attributes.
    [[nodiscard]] bool of_record() const;
    /// The arguments of a function of a series, after its other arguments.
    [[nodiscard]] std::string series_argument(std::size_t attribute) const;
    /// The axis of curves: how SQL converts a value of the column to a number, and the texts of the numbers.
    struct CurveAxis {
        std::string sql;
        std::string name;                 ///< of the column, with its unit
        const char* unit;                 ///< of the bandwidth
        std::string (*position)(double);  ///< null for numbers
    };
    [[nodiscard]] CurveAxis curve_axis();
    [[nodiscard]] Figure curve(std::size_t attribute, const CurveAxis& axis);
    [[nodiscard]] std::string called(std::size_t attribute) const;
    /// Whether the means of these attributes are shown in per cent.
    [[nodiscard]] bool in_per_cent(const std::vector<std::size_t>& attributes) const;
    [[nodiscard]] std::string means_title(const std::vector<std::size_t>& attributes) const;
    /// A function of the summary of each group: in SQL, where the summary is g.summary, and here.
    using GroupAccessor = Source::Statistics;
    [[nodiscard]] GroupAccessor frequencies(std::size_t attribute) const;
    [[nodiscard]] GroupAccessor means() const;
    [[nodiscard]] GroupAccessor median(std::size_t attribute) const;
    /// Queries an accessor for each round. Rows with a label are one line for each label.
    [[nodiscard]] Figure by_round(Figure figure, const GroupAccessor& accessor,
                                  const std::vector<std::size_t>& which);
    /// Queries an accessor for each of the largest groups, and compares the groups.
    [[nodiscard]] Figure by_group(Figure figure, const GroupAccessor& accessor,
                                  const std::vector<std::size_t>& which);

    /// Sets the changes of lines about these attributes.
    void compare(Figure& figure, const std::vector<std::size_t>& which);
    /// Sets the changes between the rounds of a series.
    void compare_series(Figure& figure, std::size_t attribute);
    /// Sets the differences between groups in these attributes.
    void contrast(Figure& figure, const std::vector<std::size_t>& which);

    Source& source_;
};

}  // namespace ldp::cli
