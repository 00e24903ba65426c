// The numbers of a figure as text, all with one precision.
#pragma once

#include <string>

#include "figures/estimate_figure.hpp"

namespace ldp::figures {

/// Two precisions follow from the median margin of error: text shows one significant digit of it, tables show
/// two. If rows have different units, each row has its own precision.
class FigureNumbers {
  public:
    explicit FigureNumbers(const Figure& figure);

    /// "48 %". Text limits shares to 0 to 100 %; "none" without an estimate.
    [[nodiscard]] std::string estimate(const Row& row) const;
    /// "46–49", or "−3 to 8" if an end is negative; empty without an interval.
    [[nodiscard]] std::string interval(const Row& row) const;
    /// "48 % (46–49)"; without an estimate the reason.
    [[nodiscard]] std::string estimate_and_interval(const Row& row) const;
    /// A number of a row, as tables show it: shares below 0 are not changed.
    [[nodiscard]] std::string exact(double value, const Row& row) const;
    /// "+4.1", with the precision of exact(); shares in percentage points.
    [[nodiscard]] std::string signed_exact(double difference, const Row& row) const;
    /// "± 1.5": the greater distance from the estimate to an end of its interval.
    [[nodiscard]] std::string margin(const Row& row) const;
    /// "5.8 points (3.2 to 8.4)" for a difference of shares, else the numbers, with the precision of exact(). A
    /// negative difference is shown by its size.
    [[nodiscard]] std::string size_and_interval(double difference, const Interval& ends,
                                                const Row& row) const;

  private:
    [[nodiscard]] bool in_per_cent(const Row& row) const noexcept { return shares_ || row.proportion; }
    [[nodiscard]] double in_units(double value, const Row& row, bool limited) const noexcept;
    [[nodiscard]] std::string text(double value, const Row& row, int more) const;
    [[nodiscard]] std::string size_and_interval_of(double difference, const Interval& ends,
                                                   const Row& row) const;
    /// The unit behind a number, or the sign of per cent.
    [[nodiscard]] std::string suffix(const Row& row) const;

    bool shares_;
    bool own_ = false;
    double margin_ = NAN;
};

/// A triangle at a row that is clearly above or below others. Two groups have one difference, and so one triangle.
[[nodiscard]] std::string sign_of(const Figure& figure, const Row& row);

/// The greater distance from the estimate to an end of its interval; NaN without one.
[[nodiscard]] double margin_of(const Row& row) noexcept;
/// The unit of all rows; empty if they differ.
[[nodiscard]] std::string common_unit(const Figure& figure);

}  // namespace ldp::figures
