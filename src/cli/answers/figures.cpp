// What the reports tell, asked by capability.

#include <algorithm>
#include <map>

#include "cli/answers/answer_sections.hpp"
#include "cli/answers/formatting.hpp"
#include "core/base/text.hpp"
#include "core/mechanism/joint/joint.hpp"
#include "core/mechanism/longitudinal/series.hpp"
#include "core/mechanism/mechanism.hpp"
#include "core/mechanism/ordered/ordered.hpp"
#include "core/mechanism/vector/range_learning.hpp"
#include "core/spec/products.hpp"

namespace ldp::cli {

namespace {

/// Values more than these are told by the largest; more numbers than these are drawn along a line; more cells
/// or columns of a table than these are a list; so many lines are told apart.
constexpr std::size_t most_values = 30, most_marks = 12, most_cells = 64, most_columns = 6, most_lines = 6;
/// Of a distribution; of pairs that are drawn as tables; of numbers whose correlations are asked.
constexpr std::size_t bins = 12, most_tables = 4, most_pairs = 30;

constexpr const char* unbiased =
    "Shares are estimated without bias, so that of a value which hardly anybody holds one may lie below "
    "zero.";

/// Values that might be held by nobody with a greater probability are not taken to be held.
constexpr double significant = 0.05;

class Asking {
  public:
    explicit Asking(Source& source) : source_(source) {}

    Section all() {
        if (source_.spec().mechanism().series) {
            series();
        } else {
            means();
            for (std::size_t j = 0; j < attributes().size(); ++j) {
                if (!attributes()[j].numeric()) shares(j);
                if (find_capability<Ordered>(source_.reporter(j))) distribution(j);
            }
            if (find_capability<JointViews>(source_.mechanism())) together();
            correlations();
            ranges();
            rounds();
        }
        return std::move(section_);
    }

  private:
    [[nodiscard]] const std::vector<Attribute>& attributes() const { return source_.spec().attributes(); }
    [[nodiscard]] std::string argument(std::size_t attribute) const {
        return ", attribute => " + constant(attributes()[attribute].name);
    }
    [[nodiscard]] std::string called(std::size_t attribute) const {
        return name(attributes()[attribute].name, 60);
    }

    void keep(Figure figure) {
        if (figure.rows.empty() && figure.refused.empty()) return;
        if (figure.shares && section_.paragraphs.empty()) section_.paragraphs.emplace_back(unbiased);
        section_.figures.push_back(std::move(figure));
    }

    /// The means of all numbers that people gave.
    void means() {
        if (!source_.mechanism().can_estimate(Quantity::means)) return;
        Figure figure{.title = "Means"};
        source_.ask(figure, "SELECT * FROM ldp_means({summary}" + source_.options() + ")",
                    [&](const pq::Row& row) {
                        const auto j = static_cast<std::size_t>(number(row, "attribute_number"));
                        if (attributes()[j].derived()) return;
                        Row one = row_of(row);
                        one.label = attributes()[j].name;
                        one.attribute = j;
                        one.at = static_cast<double>(j);
                        one.scale = Interval{attributes()[j].min, attributes()[j].max};
                        figure.rows.push_back(std::move(one));
                    });
        const auto same = [&](const Row& row) {
            return row.scale->lower == figure.rows[0].scale->lower &&
                   row.scale->upper == figure.rows[0].scale->upper;
        };
        if (figure.rows.size() == 1) {
            figure.title = "Mean of " + name(figure.rows[0].label, 60);
            figure.about = "Drawn on the whole of the declared range.";
        } else if (!std::ranges::all_of(figure.rows, same)) {
            figure.about = "Each in its own unit, drawn on the whole of its declared range.";
        } else {
            if (figure.rows.size() > most_marks) {
                figure.kind = Figure::Kind::lines;
                figure.title = "Means of " + grouped(figure.rows.size()) + " attributes";
                figure.axis = "attribute, by number";
                figure.about = "In order, the first one numbered 0.";
            }
            for (Row& row : figure.rows) row.scale.reset();
        }
        keep(std::move(figure));
    }

    /// The share of each value of a category, or of the most frequent ones.
    void shares(std::size_t j) {
        const std::size_t values = source_.mechanism().cells()[j];
        const bool few = values <= most_values;
        Figure figure{.title = "Shares of " + called(j), .shares = true};
        if (!few)
            figure.about = "The " + std::to_string(most_values) + " largest estimates of " + grouped(values) +
                           " values. The largest of many tend to be too large.";
        const std::string question =
            (few ? "SELECT * FROM ldp_frequencies({summary}"
                 : "SELECT * FROM ldp_top({summary}, " + std::to_string(most_values)) +
            argument(j) + source_.options() + ")";
        source_.ask(figure, question, [&](const pq::Row& row) {
            Row one = row_of(row);
            if (few) one.attribute = j;
            if (one.note.empty() && number(row, "p_value") > significant) one.note = "perhaps held by nobody";
            figure.rows.push_back(std::move(one));
        });
        if (!few && !figure.rows.empty() && std::isnan(figure.rows[0].estimate)) {
            figure.refused = figure.rows[0].note;
            figure.rows.clear();
        }
        keep(std::move(figure));
    }

    /// How an ordered attribute is distributed, if there is more to it than its values' shares.
    void distribution(std::size_t j) {
        if (!attributes()[j].numeric()) return;
        const std::size_t points = find_capability<Ordered>(source_.reporter(j))->points();
        Figure histogram{.title = "Distribution of " + called(j), .shares = true};
        source_.ask(histogram,
                    "SELECT * FROM ldp_histogram({summary}, " + std::to_string(std::min(bins, points)) +
                        source_.options() + argument(j) + ")",
                    [&](const pq::Row& row) {
                        Row one = row_of(row);
                        one.label = rounded(number(row, "low")) + " to " + rounded(number(row, "high"));
                        histogram.rows.push_back(std::move(one));
                    });
        keep(std::move(histogram));
        Figure quantiles{
            .title = "Quantiles of " + called(j),
            .about = "The value that so many people lie below; half of all lie below the median, 50\u00A0%."};
        source_.ask(quantiles,
                    "SELECT * FROM ldp_quantiles({summary}" + source_.options() + argument(j) + ")",
                    [&](const pq::Row& row) {
                        Row one = row_of(row);
                        one.label = rounded(100 * number(row, "share")) + " %";
                        quantiles.rows.push_back(std::move(one));
                    });
        keep(std::move(quantiles));
    }

    /// How strongly attributes hang together, and the tables of those that do most.
    void together() {
        Figure pairs{
            .title = "How strongly attributes hang together",
            .about =
                "Cram\u00E9r\u2019s V: 0 if one attribute tells nothing of the other, 1 if it tells "
                "all. Noise alone can make an estimate larger than 0: look at where its interval begins."};
        std::vector<std::tuple<double, std::size_t, std::size_t>> strongest;
        source_.ask(pairs, "SELECT * FROM ldp_association({summary}" + source_.options(false) + ")",
                    [&](const pq::Row& row) {
                        Row one = row_of(row);
                        const auto first = static_cast<std::size_t>(number(row, "attribute_number"));
                        const auto second = static_cast<std::size_t>(number(row, "other_attribute_number"));
                        one.label = attributes()[first].name;
                        one.group = attributes()[second].name;
                        one.scale = Interval{0, 1};
                        if (std::isfinite(one.estimate))
                            strongest.emplace_back(number(row, "p_value"), first, second);
                        pairs.rows.push_back(std::move(one));
                    });
        if (pairs.rows.size() > most_pairs) {
            std::ranges::stable_sort(pairs.rows, std::ranges::greater{}, &Row::estimate);
            pairs.rows.resize(most_pairs);
            pairs.title += ": the " + std::to_string(most_pairs) + " strongest pairs";
        }
        keep(std::move(pairs));
        std::ranges::stable_sort(strongest);
        strongest.resize(std::min(strongest.size(), most_tables));
        for (const auto& [p, first, second] : strongest) crosstab(first, second);
    }

    void crosstab(std::size_t first, std::size_t second) {
        const auto cells = source_.mechanism().cells();
        // Across stands what has fewer values.
        if (cells[second] > cells[first]) std::swap(first, second);
        if (cells[first] * cells[second] > most_cells || cells[second] > most_columns) return;
        Figure table{.title = called(first) + " and " + called(second),
                     .about = "The share of all people who hold both.",
                     .shares = true,
                     .kind = Figure::Kind::grid};
        source_.ask(table,
                    "SELECT * FROM ldp_crosstab({summary}, " + constant(attributes()[first].name) + ", " +
                        constant(attributes()[second].name) + source_.options() + ")",
                    [&](const pq::Row& row) {
                        Row one = row_of(row);
                        one.label = text(row, "row_label");
                        one.group = text(row, "column_label");
                        table.rows.push_back(std::move(one));
                    });
        keep(std::move(table));
    }

    /// Of numbers whose products were reported, too.
    void correlations() {
        const auto all = std::span(attributes());
        Figure figure{.title = "How numbers hang together",
                      .about =
                          "Correlations: 1 if one grows exactly as the other does, \u22121 if it falls, 0 if "
                          "they go their own ways."};
        std::string pairs;
        for (std::size_t x = 0, found = 0; x < all.size(); ++x)
            for (std::size_t y = x + 1; y < all.size() && found < most_pairs; ++y) {
                const auto known = [&](std::size_t first, std::size_t second) {
                    return find_product(all, {first, {}}, {second, {}}) < all.size();
                };
                if (!known(x, y) || !known(x, x) || !known(y, y)) continue;
                pairs +=
                    (found++ == 0 ? "(" : ", (") + constant(all[x].name) + ", " + constant(all[y].name) + ")";
            }
        if (pairs.empty()) return;
        source_.ask(figure,
                    "SELECT x, y, c.* FROM (SELECT {summary} AS summary) AS s, (VALUES " + pairs +
                        ") AS pairs (x, y), ldp_correlation(summary, x, y" + source_.options() + ") AS c",
                    [&](const pq::Row& row) {
                        Row one = row_of(row);
                        one.label = text(row, "x");
                        one.group = text(row, "y");
                        one.scale = Interval{-1, 1};
                        figure.rows.push_back(std::move(one));
                    });
        keep(std::move(figure));
    }

    /// Of a first round, which tells nothing else: what a second one should ask within.
    void ranges() {
        if (!section_.figures.empty() || !find_capability<RangeLearner>(source_.mechanism())) return;
        Table table{.title = "Ranges for a second round",
                    .about = "Nine in ten people lie within.",
                    .header = {{"attribute", true}, {"coefficient", true}, {"from"}, {"to"}}};
        source_.ask(table, "SELECT * FROM ldp_learn_range({summary})", [&](const pq::Row& row) {
            const double low = number(row, "low"), high = number(row, "high");
            const std::string attribute = text(row, "attribute");
            table.rows.push_back({{attribute.empty() ? "all" : name(attribute)},
                                  {text(row, "coefficient")},
                                  {rounded(low), low},
                                  {rounded(high), high}});
        });
        section_.tables.push_back(std::move(table));
    }

    /// A series under one epsilon: the shares in every round.
    void series() {
        Figure figure{.title = "Shares of " + called(0) + ", round by round",
                      .shares = true,
                      .kind = Figure::Kind::lines,
                      .axis = "round"};
        source_.ask(figure, "SELECT * FROM ldp_series({summary}" + source_.options() + ")",
                    [&](const pq::Row& row) {
                        Row one = row_of(row);
                        one.at = number(row, "round");
                        one.attribute = static_cast<std::size_t>(one.at) - 1;
                        one.group = std::exchange(one.label, {});
                        figure.rows.push_back(std::move(one));
                    });
        fewer_lines(figure);
        keep(std::move(figure));
    }

    /// Leaves the lines that are largest on average.
    static void fewer_lines(Figure& figure) {
        std::map<std::string, double> sums;
        for (const Row& row : figure.rows) sums[row.group] += std::isfinite(row.estimate) ? row.estimate : 0;
        if (sums.size() <= most_lines) return;
        std::vector<std::pair<double, std::string>> order;
        for (const auto& [group, sum] : sums) order.emplace_back(-sum, group);
        std::ranges::sort(order);
        order.resize(most_lines);
        std::erase_if(figure.rows, [&](const Row& row) {
            return std::ranges::none_of(order, [&](const auto& kept) { return kept.second == row.group; });
        });
        figure.about = "The " + std::to_string(most_lines) + " largest of " + std::to_string(sums.size()) +
                       " values. " + figure.about;
    }

    /// What was collected in several rounds, round by round.
    void rounds() {
        const auto view = source_.view();
        if (source_.asked().round || !view || !view->rounds.recorded() || view->rounds.most() < 2) return;
        for (std::size_t j = 0; j < attributes().size(); ++j)
            if (!attributes()[j].numeric() && source_.mechanism().cells()[j] > most_values) return;
        std::map<std::size_t, Figure> found;
        Figure all;
        source_.ask(all,
                    "SELECT (\"group\" ->> 'round')::integer AS round, a.* FROM ldp_summaries_of({name}, "
                    "ARRAY['round']), "
                    "ldp_estimate(summary" +
                        source_.options() + ") AS a",
                    [&](const pq::Row& row) {
                        const auto j = static_cast<std::size_t>(number(row, "attribute_number"));
                        const bool share = !text(row, "value").empty();
                        if (attributes()[j].derived() || (!share && attributes().size() > most_marks)) return;
                        auto& figure = found[j];
                        figure.shares = share;
                        Row one = row_of(row);
                        one.at = number(row, "round");
                        one.group = std::exchange(one.label, {});
                        figure.rows.push_back(std::move(one));
                    });
        for (auto& [j, figure] : found) {
            figure.title = (figure.shares ? "Shares of " : "Mean of ") + called(j) + ", round by round";
            figure.kind = Figure::Kind::lines;
            figure.axis = "round";
            figure.sql = all.sql;
            std::ranges::stable_sort(figure.rows, {}, &Row::at);
            fewer_lines(figure);
            keep(std::move(figure));
        }
    }

    Source& source_;
    Section section_{.title = "Answers"};
};

}  // namespace

Section figures_of(Source& source) {
    return Asking(source).all();
}

}  // namespace ldp::cli
