#include "figure.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <sstream>
#include <stdexcept>

#include "plot/chart.hpp"

namespace evaluation {

namespace {

double mean_of(const std::vector<double>& numbers) {
    return std::accumulate(numbers.begin(), numbers.end(), 0.0) / static_cast<double>(numbers.size());
}

/// A curve as one point: each repetition's ratio to what is expected, averaged over the points.
Point ratios(const Curve& curve) {
    Point all{0, std::vector<double>(curve.points[0].found.size()), {1}, 0};
    for (const Point& point : curve.points) {
        for (std::size_t i = 0; i < all.found.size(); ++i)
            all.found[i] += point.found[i] / point.expected[point.expected.size() == 1 ? 0 : i] /
                            static_cast<double>(curve.points.size());
        all.allowance = std::max(all.allowance, point.allowance);
    }
    return all;
}

double standard_error_of(const std::vector<double>& numbers) {
    const double mean = mean_of(numbers), n = static_cast<double>(numbers.size());
    double squares = 0;
    for (const double number : numbers) squares += (number - mean) * (number - mean);
    return std::sqrt(squares / (n - 1) / n);
}

/// To three digits, large ones without a power of ten.
std::string rounded(double number) {
    std::ostringstream text;
    if (std::abs(number) >= 1000) {
        const double unit = std::pow(10, std::floor(std::log10(std::abs(number))) - 2);
        text << std::setprecision(15) << unit * std::round(number / unit);
    } else {
        text << std::setprecision(3) << number;
    }
    return text.str();
}

}  // namespace

double Point::mean() const {
    return mean_of(found);
}

double Point::quantile(double q) const {
    std::vector<double> sorted = found;
    std::ranges::sort(sorted);
    const double place = q * static_cast<double>(sorted.size() - 1), below = std::floor(place);
    const auto i = static_cast<std::size_t>(below);
    const double next = sorted[std::min(i + 1, sorted.size() - 1)];
    return sorted[i] + (place - below) * (next - sorted[i]);
}

double Point::standard_error() const {
    return standard_error_of(found);
}

double Point::formula() const {
    return expected.empty() ? std::numeric_limits<double>::quiet_NaN() : mean_of(expected);
}

Point::Distance Point::distance() const {
    std::vector<double> off = found;
    for (std::size_t i = 0; i < off.size(); ++i) off[i] -= expected[expected.size() == 1 ? 0 : i];
    return {mean_of(off), standard_error_of(off)};
}

void write(const Figure& figure, const std::string& folder) {
    std::ofstream csv(folder + "/" + figure.name + ".csv"), svg(folder + "/" + figure.name + ".svg");
    csv << "panel,curve,x,repetitions,median,low95,high95,mean,standard_error,closed_form\n";
    std::vector<ldp::plot::Chart> charts;
    for (const Panel& panel : figure.panels) {
        charts.push_back(
            {.title = panel.title, .x = panel.x, .y = panel.y, .logarithmic = true, .marks = panel.marks});
        for (const Curve& curve : panel.curves) {
            ldp::plot::Series series{curve.name, {}};
            for (const Point& point : curve.points) {
                const double mean = point.mean(), error = point.standard_error();
                csv << '"' << panel.title << "\",\"" << curve.name << "\"," << point.x << ","
                    << point.found.size() << "," << point.quantile(0.5) << "," << point.quantile(0.025) << ","
                    << point.quantile(0.975) << "," << mean << "," << error << ",";
                if (!point.expected.empty()) csv << point.formula();
                csv << "\n";
                if (point.expected.empty()) {
                    series.points.push_back(
                        {point.x, point.quantile(0.5), point.quantile(0.25), point.quantile(0.75)});
                } else {
                    series.points.push_back({point.x, mean, mean - 2 * error, mean + 2 * error});
                    series.formula.emplace_back(point.x, point.formula());
                }
            }
            charts.back().series.push_back(std::move(series));
        }
    }
    svg << ldp::plot::charts(charts, 3,
                             "Thin lines: closed forms, with means of repetitions and two standard errors "
                             "to either side. Thick lines: medians, with quartiles.");
    if (!csv.flush() || !svg.flush())
        throw std::runtime_error("cannot write " + figure.name + ".csv and .svg in " + folder);
}

void print(const Figure& figure, std::ostream& out) {
    for (const Panel& panel : figure.panels) {
        std::set<double> all;
        for (const Curve& curve : panel.curves)
            for (const Point& point : curve.points) all.insert(point.x);
        out << "\n" << panel.title << ": " << panel.y << ", by " << panel.x << "\n\n| |";
        for (const double x : all) out << " " << x << " |";
        out << "\n|---|";
        for (std::size_t i = 0; i < all.size(); ++i) out << "---:|";
        for (const Curve& curve : panel.curves) {
            std::map<double, double> medians;
            for (const Point& point : curve.points) medians[point.x] = point.quantile(0.5);
            out << "\n| " << curve.name << " |";
            for (const double x : all) {
                out << " ";
                if (medians.contains(x)) out << rounded(medians[x]);
                out << " |";
            }
        }
        out << "\n";
    }
}

std::size_t judge(const std::vector<Figure>& figures, std::ostream& out) {
    constexpr double false_alarm = 1e-6;
    struct Judged {
        std::string where;
        Point point;
    };
    std::vector<Judged> all;
    for (const Figure& figure : figures)
        for (const Panel& panel : figure.panels)
            for (const Curve& curve : panel.curves) {
                if (curve.points[0].expected.empty()) continue;
                const std::string where = figure.name + ", " + panel.title + ", " + curve.name;
                all.push_back({where + ", ratio over all points", ratios(curve)});
                for (const Point& point : curve.points)
                    all.push_back({where + " at " + std::to_string(point.x), point});
            }
    std::size_t off = 0;
    double farthest = 0;
    for (const auto& [where, point] : all) {
        const boost::math::students_t law(static_cast<double>(point.found.size() - 1));
        const double critical_value = quantile(
            complement(law, false_alarm / 2 / static_cast<double>(std::max<std::size_t>(all.size(), 1))));
        const auto [distance, error] = point.distance();
        const double allowed = critical_value * error + point.allowance * point.formula();
        farthest = std::max(farthest, std::abs(distance) / allowed);
        if (std::abs(distance) <= allowed) continue;
        ++off;
        out << "OFF ITS CLOSED FORM: " << where << ": " << point.mean() << " where " << point.formula()
            << " is expected; " << allowed << " are allowed\n";
    }
    out << all.size() << " points and curves have a closed form, " << off << " lie off it; the farthest uses "
        << std::setprecision(2) << 100 * farthest << " % of what chance may explain\n";
    return off;
}

void Progress::step() {
    const std::lock_guard lock(speaking_);
    const auto now = std::chrono::steady_clock::now();
    ++done_;
    if (done_ < steps_ && now - told_ < std::chrono::seconds(5)) return;
    told_ = now;
    const double spent = std::chrono::duration<double>(now - began_).count();
    std::cerr << part_ << ": " << 100 * done_ / steps_ << " %, about "
              << std::lround(spent * static_cast<double>(steps_ - done_) / static_cast<double>(done_))
              << " s left\n";
}

}  // namespace evaluation
