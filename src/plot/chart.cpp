#include "plot/chart.hpp"

#include <algorithm>

#include "plot/sheet.hpp"

namespace ldp::plot {

namespace {

/// Of the plane, in per cent and pixels.
constexpr double left = 13, right = 98, plane_height = 210;
/// Of a name beside the last point.
constexpr std::size_t beside_characters = 15;
constexpr double beside_line = 14;
/// A line of a key, and of a title.
constexpr double line_height = 19;
/// What a narrow screen has room for across a chart, and in half of it.
constexpr std::size_t characters = 44, half_characters = 16;
/// A series of more points is a line without markers; of more than `most_bars`, one without error bars.
constexpr std::size_t most_markers = 16, most_bars = 40;

class Plane {
  public:
    explicit Plane(const Chart& chart)
        : chart_(chart),
          direct_(chart.direct && chart.series.size() > 1),
          right_(right - (direct_ ? beside_width() : 0)),
          x_(Scale::empty(left + 2, right_ - 2, chart.logarithmic)),
          y_(Scale::empty(0, 0, chart.logarithmic)) {
        for (const Series& series : chart.series) {
            for (const Point& point : series.points) {
                include(point.x, point.y);
                if (!x_.holds(point.x) || !y_.holds(point.y)) continue;
                for (const double end : {point.low, point.high})
                    if (!chart.logarithmic) y_.include(end);
                any_interval_ |= std::isfinite(point.low);
            }
            for (const auto& [x, y] : series.formula) include(x, y);
        }
        if (chart.from_zero && !chart.logarithmic) y_.include(0);
        if (!chart.logarithmic) y_.include(chart.end);
        x_.close();
        y_.close();
        room();
    }

    Drawing draw() {
        double y = 0;
        if (!chart_.title.empty())
            for (const std::string& line : wrapped(chart_.title, characters))
                canvas_.text(0, y += line_height, "t b", line);
        if (!chart_.y.empty()) {
            y += 4;
            for (const std::string& line : wrapped("↑ " + chart_.y, characters + 4))
                canvas_.text(0, y += line_height - 2, "m", line);
        }
        top_ = y + 12;
        bottom_ = top_ + plane_height;
        y_.first = bottom_;
        y_.last = top_;
        axes();
        for (std::size_t i = 0; i < chart_.series.size(); ++i) series(i);
        if (direct_) names_beside();
        return canvas_.drawing(key());
    }

  private:
    void include(double x, double y) {
        if (!x_.holds(x) || !y_.holds(y)) return;
        x_.include(x);
        y_.include(y);
    }
    /// The ends of a linear axis are round; nothing touches those of a logarithmic one.
    void room() {
        if (chart_.logarithmic) {
            y_.low /= 1.2;
            y_.high *= 1.2;
        } else if (const auto ticks = y_.ticks(); ticks.size() > 1) {
            const double step = ticks[1] - ticks[0];
            // An interval that ends just below zero needs no whole step.
            const double end = y_.low < 0 && y_.low > -step / 2 ? step / 5 : step;
            y_.low = std::min(y_.low, end * std::floor(y_.low / end));
            y_.high = std::max(y_.high, step * std::ceil(y_.high / step));
        }
    }

    void axes() {
        for (const double tick : y_.ticks()) {
            canvas_.line(left, y_.at(tick), right_, y_.at(tick), tick == 0 ? "g z" : "g");
            canvas_.text(left - 1.5, y_.at(tick) + 4, "m e", chart_.label(tick));
        }
        std::vector<double> marks = chart_.marks.empty() ? x_.ticks() : chart_.marks;
        if (!chart_.names.empty()) {
            marks.clear();
            for (std::size_t i = 0; i < chart_.names.size(); ++i) marks.push_back(static_cast<double>(i));
        }
        std::ranges::sort(marks);
        double free = 0;  // no mark has been written from here on
        for (const double mark : marks) {
            const std::string label =
                chart_.names.empty() ? chart_.mark(mark) : chart_.names[static_cast<std::size_t>(mark)];
            const double half = label_width(label) / 2;
            if (!x_.holds(mark) || mark < x_.low || mark > x_.high || x_.at(mark) - half < free) continue;
            free = x_.at(mark) + half + 1;
            canvas_.line(x_.at(mark), bottom_, x_.at(mark), bottom_ + 4, "g z");
            canvas_.text(x_.at(mark), bottom_ + 19, "m c", label);
        }
        canvas_.line(left, bottom_, right_, bottom_, "g z");
        canvas_.text((left + right_) / 2, bottom_ + 38, "m c", chart_.x);
    }

    /// The first series are drawn first and larger, so that those that coincide all show.
    [[nodiscard]] double radius(std::size_t series) const {
        return 5 - 2 * static_cast<double>(series) / static_cast<double>(chart_.series.size());
    }

    [[nodiscard]] double thick(std::size_t series) const { return radius(series) - 1.8; }

    /// The series whose colour and sign this one has.
    [[nodiscard]] std::size_t shown_as(std::size_t number) const {
        return chart_.groups ? series_of_group(number) : number;
    }

    void series(std::size_t number) {
        const Series& series = chart_.series[number];
        const std::string colour = colour_of(shown_as(number));
        // Intervals at the same x stand side by side.
        const double aside =
            any_interval_ && !chart_.logarithmic
                ? 0.5 * (static_cast<double>(number) - static_cast<double>(chart_.series.size() - 1) / 2)
                : 0;
        const auto across = [&](double x) { return x_.at(x) + aside; };
        Canvas::Points path, formula, band, back;
        for (const Point& point : series.points) {
            if (!x_.holds(point.x) || !y_.holds(point.y)) continue;
            path.emplace_back(across(point.x), y_.at(point.y));
            if (!std::isfinite(point.low) || !std::isfinite(point.high)) continue;
            band.emplace_back(across(point.x), y_.at(point.low));
            back.emplace_back(across(point.x), y_.at(point.high));
        }
        for (const auto& [x, y] : series.formula)
            if (x_.holds(x) && y_.holds(y)) formula.emplace_back(x_.at(x), y_.at(y));
        const bool bars = series.points.size() <= most_bars;
        if (!bars && !band.empty()) {
            band.insert(band.end(), back.rbegin(), back.rend());
            canvas_.area(band, bottom_, "w " + colour);
        }
        if (series.formula.empty())
            canvas_.path(path, bottom_, "p " + colour, any_interval_ ? 1.8 : thick(number));
        else
            canvas_.path(formula, bottom_, "p " + colour, 1);
        if (!bars) return;
        const bool marked = series.points.size() <= most_markers || any_interval_;
        for (const Point& point : series.points) {
            if (!x_.holds(point.x) || !y_.holds(point.y)) continue;
            if (!point.title.empty()) canvas_.begin(point.title);
            if (std::isfinite(point.low) && std::isfinite(point.high))
                canvas_.line(across(point.x), y_.holds(point.low) ? y_.at(point.low) : bottom_,
                             across(point.x), y_.at(point.high), "s " + colour);
            if (marked) canvas_.marker(across(point.x), y_.at(point.y), radius(number), shown_as(number));
            if (!point.sign.empty())
                canvas_.text(across(point.x), y_.at(y_.holds(point.high) ? point.high : point.y) - 5, "m c",
                             point.sign);
            if (!point.title.empty()) canvas_.end();
        }
    }

    [[nodiscard]] double beside_width() const {
        double width = 0;
        for (const Series& series : chart_.series)
            for (const std::string& line : wrapped(series.name, beside_characters))
                width = std::max(width, label_width(line));
        return std::min(1.1 * width, 42.0) + 6;
    }

    /// The names at the heights of the last points, or as near to them as there is room.
    void names_beside() {
        struct Beside {
            double y;
            std::size_t series;
            std::vector<std::string> lines;
            [[nodiscard]] double height() const {
                return beside_line * static_cast<double>(lines.size()) + 3;
            }
        };
        std::vector<Beside> all;
        for (std::size_t i = 0; i < chart_.series.size(); ++i) {
            const Point* last = nullptr;
            for (const Point& point : chart_.series[i].points)
                if (x_.holds(point.x) && y_.holds(point.y)) last = &point;
            if (last == nullptr) continue;
            all.push_back({y_.at(last->y), i, wrapped(chart_.series[i].name, beside_characters)});
            all.back().y -= all.back().height() / 2;
        }
        std::ranges::stable_sort(all, {}, &Beside::y);
        double free = top_ - 8;
        for (Beside& one : all) {
            one.y = std::max(one.y, free);
            free = one.y + one.height();
        }
        double least = std::max(bottom_ + 4, free - 200);
        for (std::size_t i = all.size(); i-- > 0;) {
            all[i].y = std::min(all[i].y, least - all[i].height());
            least = all[i].y;
        }
        for (const Beside& one : all) {
            canvas_.marker(right_ + 2.6, one.y + 8, std::min(4.0, radius(one.series)), shown_as(one.series));
            for (std::size_t line = 0; line < one.lines.size(); ++line)
                canvas_.text(right_ + 4.6, one.y + 12 + beside_line * static_cast<double>(line), "t",
                             one.lines[line]);
        }
    }

    /// Below the plane; a single series needs none unless it has a name. Returns where it ends.
    double key() {
        double y = bottom_ + (chart_.x.empty() ? 26 : 44);
        std::size_t longest = 0;
        for (const Series& series : chart_.series) longest = std::max(longest, series.name.size());
        if (longest == 0 || direct_) return y;
        const std::size_t columns = longest <= half_characters && chart_.series.size() > 1 ? 2 : 1;
        for (std::size_t i = 0; i < chart_.series.size(); ++i) {
            if (i % columns == 0) y += line_height;
            const double x = left + (right - left) / 2 * static_cast<double>(i % columns);
            canvas_.line(x, y - 4, x + 5, y - 4, "s " + colour_of(shown_as(i)));
            canvas_.marker(x + 2.5, y - 4, std::min(4.0, radius(i)), shown_as(i));
            const auto lines =
                wrapped(chart_.series[i].name, columns == 2 ? 2 * half_characters : characters);
            for (std::size_t line = 0; line < lines.size(); ++line)
                canvas_.text(x + 7, line == 0 ? y : y += line_height - 4, "t", lines[line]);
        }
        return y + 10;
    }

    const Chart& chart_;
    bool direct_;
    double right_;
    Scale x_, y_;
    bool any_interval_ = false;
    double top_ = 0, bottom_ = 0;
    Canvas canvas_;
};

}  // namespace

Drawing drawn(const Chart& chart) {
    return Plane(chart).draw();
}

std::string charts(std::span<const Chart> charts, std::size_t columns, const std::string& note) {
    ChartLayout sheet(std::min(columns, charts.size()));
    for (std::size_t first = 0; first < charts.size(); first += columns) {
        std::vector<Drawing> row;
        for (const Chart& chart : charts.subspan(first, std::min(columns, charts.size() - first)))
            row.push_back(drawn(chart));
        sheet.row(row);
        sheet.gap(24);
    }
    if (!note.empty()) sheet.text(note, "m i", 12);
    return sheet.svg();
}

}  // namespace ldp::plot
