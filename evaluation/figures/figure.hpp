// What the evaluation finds: points with their repetitions beside what closed forms say, as CSV and drawings,
// and the judgement whether the two agree.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <iosfwd>
#include <mutex>
#include <string>
#include <vector>

namespace evaluation {

struct Point {
    double x;
    std::vector<double> found;     ///< one for each repetition
    std::vector<double> expected;  ///< by the closed form, for each repetition or one for all; may be empty
    double allowance = 0.01;       ///< share of `expected` that the form leaves out, being for many people

    [[nodiscard]] double mean() const;
    /// The q-quantile of the repetitions.
    [[nodiscard]] double quantile(double q) const;
    /// Of the mean.
    [[nodiscard]] double standard_error() const;
    /// The mean of what is expected; NaN if nothing is.
    [[nodiscard]] double formula() const;
    /// Repetitions' mean distance from what is expected of each, and its standard error.
    struct Distance {
        double mean, standard_error;
    };
    [[nodiscard]] Distance distance() const;
};

struct Curve {
    std::string name;
    std::vector<Point> points;
};

/// Curves over one x.
struct Panel {
    std::string title, x, y;
    std::vector<Curve> curves;
    std::vector<double> marks;  ///< of x
};

/// Panels that stand in one drawing and one CSV file.
struct Figure {
    std::string name;  ///< of the files
    std::vector<Panel> panels;
};

/// Writes NAME.csv and NAME.svg into a folder. Both axes are logarithmic. Where there is a closed form, it is
/// a thin line, and the means stand on it with two standard errors to either side; elsewhere medians are
/// joined, with their quartiles. Throws std::runtime_error.
void write(const Figure& figure, const std::string& folder);
/// The medians, as Markdown tables.
void print(const Figure& figure, std::ostream& out);

/// Prints every point outside the tolerance of its closed form, and every curve whose mean ratio to it is
/// not 1; returns their number. The tolerance is Student's for the point's repetitions, plus the point's
/// allowance. If the forms hold, all points together exceed it with probability 1e-6.
std::size_t judge(const std::vector<Figure>& figures, std::ostream& out);

/// Prints the progress of a part and its remaining time on standard error.
class Progress {
  public:
    Progress(std::string part, std::size_t steps) : part_(std::move(part)), steps_(steps) {}
    void step();

  private:
    std::string part_;
    std::size_t steps_, done_ = 0;
    std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now(), told_ = began_;
    std::mutex speaking_;
};

}  // namespace evaluation
