// The questions of a collection: its parts with their figures, which follow from the capabilities of the
// mechanism.
// Length: one class, whose questions share their source.

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "cli/answers/answer_sections.hpp"
#include "cli/answers/group_figures.hpp"
#include "cli/answers/results.hpp"
#include "core/base/text.hpp"
#include "core/contract/attributes.hpp"
#include "core/contract/products.hpp"
#include "core/mechanism/joint/joint.hpp"
#include "core/mechanism/longitudinal/series.hpp"
#include "core/mechanism/ordered/ordered.hpp"
#include "core/mechanism/role/fields.hpp"
#include "core/mechanism/role/mechanism.hpp"
#include "core/mechanism/vector/range_learning.hpp"
#include "core/results/row_functions.hpp"
#include "core/summary/queries/distribution.hpp"
#include "core/summary/summary.hpp"
#include "figures/formatting.hpp"

namespace ldp::cli {

namespace {

/// Of a category with more values, the largest shares are shown. More single means than `most_means` are one
/// figure. A cross table has at most this number of cells and columns.
constexpr std::size_t most_means = 12, most_cells = 64, most_columns = 6;
/// Intervals of a histogram, cross tables, and correlations of pairs.
constexpr std::size_t bins = 12, most_tables = 4, most_pairs = 30;
/// A number with at most this number of grid points has a bar for each point.
constexpr std::size_t most_points = 24;
/// Fewer numbers without the name of a vector are single means.
constexpr std::size_t least_vector = 3;

/// A value with a larger p-value may have no holders.
constexpr double significant_value = 0.05;

/// Twelve bins or a similar number of bins with a round width, if there is one.
std::size_t round_bins(const Interval& ends, std::size_t points) {
    std::size_t best = std::min(bins, points);
    const auto distance = [](std::size_t count) { return count > bins ? count - bins : bins - count; };
    bool found = false;
    for (std::size_t count = bins / 2; count <= bins + bins / 3 && count <= points; ++count) {
        const double width = (ends.upper - ends.lower) / static_cast<double>(count);
        const double digit = width / std::pow(10, std::floor(std::log10(width) + 1e-9));
        const bool round = std::ranges::any_of(std::initializer_list<double>{1, 2, 2.5, 5},
                                               [&](double one) { return std::abs(digit - one) < 1e-9; });
        if (!round || (found && distance(count) >= distance(best))) continue;
        best = count;
        found = true;
    }
    return best;
}

class Questions {
  public:
    explicit Questions(Source& source) : source_(source), repeated_(source) {}

    std::vector<Section> all() {
        if (source_.spec().mechanism().series) {
            series(0);
            curves();
            return std::move(sections_);
        }
        const auto parts = source_.parts();
        const auto single = [&](const QuestionPart& part) {
            return part.count == 1 && is_mean(part.first) && !is_series(*part.mechanism);
        };
        const bool many = static_cast<std::size_t>(std::ranges::count_if(parts, single)) > most_means;
        if (many) means_of_all();
        for (const QuestionPart& part : parts)
            if (!many || !single(part)) questions_of(part);
        for (const QuestionPart& part : parts)
            if (find_capability<JointViews>(*part.mechanism)) together(part, parts.size() > 1);
        correlations();
        curves();
        ranges();
        return std::move(sections_);
    }

  private:
    [[nodiscard]] const std::vector<Attribute>& attributes() const { return source_.spec().attributes(); }
    [[nodiscard]] std::string argument(std::size_t attribute) const {
        return ", attribute => " + constant(attributes()[attribute].name);
    }
    [[nodiscard]] std::string called(std::size_t attribute) const { return source_.called(attribute); }
    [[nodiscard]] bool is_ordered(std::size_t j) const {
        return find_capability<Ordered>(source_.reporter(j)) != nullptr;
    }
    [[nodiscard]] bool is_mean(std::size_t j) const { return attributes()[j].numeric() && !is_ordered(j); }

    void begin(std::string title) { section_ = {.title = std::move(title)}; }
    /// Begins the section of an attribute or of a vector, with its question and its description.
    void begin_about(std::size_t attribute) {
        begin(source_.called_whole(attribute));
        const AttributeTexts& texts = source_.texts(attribute);
        if (!texts.question.empty()) section_.question = name(texts.question, 1000);
        if (!texts.description.empty()) section_.paragraphs.push_back(name(texts.description, 4000));
    }
    void keep(Figure figure) {
        if (figure.rows.empty() && figure.refused.empty()) return;
        // Repeated responses in all rounds leave one point, which is that of the question's first figure.
        if (figure.kind == Figure::Kind::change &&
            std::ranges::all_of(figure.rows, [&](const Row& row) { return row.at == figure.rows[0].at; }) &&
            !figure.about.empty()) {
            section_.paragraphs.push_back(figure.about);
            section_.repeated = true;
            return;
        }
        section_.figures.push_back(std::move(figure));
    }
    /// Ends the section of a question, unless nothing was asked.
    void end() {
        if (section_.figures.empty() && section_.tables.empty()) return;
        if (section_.figures.size() > 1 && section_.figures[0].heading.empty())
            section_.figures[0].heading =
                source_.round() ? "Round " + std::to_string(*source_.round()) : "All reports";
        sections_.push_back(std::move(section_));
    }

    /// The estimates of all rounds of a series.
    void series(std::size_t j) {
        begin_about(j);
        keep(repeated_.series(j));
        if (attributes()[j].numeric()) keep(repeated_.series_median(j));
        end();
    }

    /// One question for each attribute of the part; numbers of one mechanism are one question.
    void questions_of(const QuestionPart& part) {
        if (is_series(*part.mechanism)) {
            series(part.first);
            return;
        }
        const std::size_t last = part.first + part.count;
        std::vector<std::size_t> numbers;
        for (std::size_t j = part.first; j < last; ++j)
            if (is_mean(j)) numbers.push_back(j);
        if (!numbers.empty() && source_.mechanism().can_estimate(Quantity::means)) {
            if (const std::string title = title_of(numbers); title == source_.called_whole(numbers[0]))
                begin_about(numbers[0]);
            else
                begin(title);
            Figure figure = means(numbers);
            const bool vector = figure.kind == Figure::Kind::vector;
            keep(std::move(figure));
            if (numbers.size() == 1 && may_be_missing(attributes()[numbers[0]]))
                keep(response_rate(numbers[0]));
            if (numbers.size() == 1 || vector) {
                keep(repeated_.means_by_round(numbers));
                keep(repeated_.means_by_group(numbers));
            }
            end();
        }
        for (std::size_t j = part.first; j < last; ++j) {
            if (is_mean(j)) continue;
            begin_about(j);
            if (attributes()[j].strings) {
                strings(j);
            } else if (!attributes()[j].numeric()) {
                shares(j);
                if (attributes()[j].several()) keep(set_size(j));
                if (source_.mechanism().cells()[j] <= most_values) {
                    keep(repeated_.shares_by_round(j, ordered_values(j)));
                    keep(repeated_.shares_by_group(j, ordered_values(j)));
                }
            } else {
                distribution(j);
            }
            end();
        }
    }

    /// The name of an attribute or of a vector; several attributes have none in common.
    [[nodiscard]] std::string title_of(const std::vector<std::size_t>& numbers) const {
        const Attribute& first = attributes()[numbers[0]];
        if (!first.vector.empty() || numbers.size() == 1) return source_.called_whole(numbers[0]);
        return "Means of " + grouped(numbers.size()) + " attributes";
    }

    /// Means of these attributes: a line if there are several with one range, else each on its own range.
    Figure means(const std::vector<std::size_t>& which) {
        const bool vector = !attributes()[which[0]].vector.empty();
        Figure figure{.title = vector              ? "Means of " + title_of(which)
                               : which.size() == 1 ? "Mean of " + title_of(which)
                                                   : title_of(which),
                      .kind = Figure::Kind::mean,
                      .ordered = true};
        ask(figure, "mean", {}, [&](const NamedRow& row) {
            const auto j = static_cast<std::size_t>(number(row, "attribute_number"));
            if (std::ranges::find(which, j) == which.end()) return;
            Row one = row_of(row);
            one.label = source_.label_of(j);
            one.unit = source_.unit(j);
            one.attribute = j;
            one.at = static_cast<double>(figure.rows.size());
            one.scale = Interval{attributes()[j].min, attributes()[j].max};
            one.proportion = source_.is_proportion(j);
            figure.rows.push_back(std::move(one));
        });
        const bool same = std::ranges::all_of(figure.rows, [&](const Row& row) {
            return row.scale->lower == figure.rows[0].scale->lower &&
                   row.scale->upper == figure.rows[0].scale->upper;
        });
        if (same && (vector || figure.rows.size() >= least_vector)) {
            figure.kind = Figure::Kind::vector;
            figure.range = figure.rows[0].scale;
            if (vector) figure.vector = title_of(which);
            for (Row& row : figure.rows) {
                row.scale.reset();
                row.proportion = false;
            }
        } else {
            figure.about =
                figure.rows.size() == 1
                    ? "The line shows the declared range."
                    : "Each line shows the declared range of an attribute, in the unit of the attribute.";
            if (std::ranges::any_of(figure.rows, &Row::proportion))
                figure.about +=
                    " The mean of a number from 0 to 1 is in per cent. If the answers are 0 or 1, it is the share of 1.";
        }
        return figure;
    }

    /// The share of people who have a value of a number.
    Figure response_rate(std::size_t attribute) {
        Figure figure{.title = "Share of people who answer " + called(attribute),
                      .shares = true,
                      .kind = Figure::Kind::mean,
                      .heading = "Answers",
                      .quantity = "share of people who answer",
                      .whom = source_.parts().size() > 1 ? "whose report was about " + called(attribute)
                                                         : "who reported"};
        ask(figure, "response_rate", attribute, [&](const NamedRow& row) {
            Row one = row_of(row);
            one.label = "share who answer";
            one.scale = Interval{0, 1};
            figure.rows.push_back(std::move(one));
        });
        return figure;
    }

    /// The mean number of labels of a person.
    Figure set_size(std::size_t attribute) {
        Figure figure{.title = "Answers per person of " + called(attribute),
                      .kind = Figure::Kind::mean,
                      .heading = "Number of answers",
                      .quantity = "mean number of answers"};
        ask(figure, "set_size", attribute, [&](const NamedRow& row) {
            Row one = row_of(row);
            one.label = "answers per person";
            one.scale = Interval{0, static_cast<double>(attributes()[attribute].most)};
            figure.rows.push_back(std::move(one));
        });
        figure.about = "A person may give several answers, so the shares do not add up to 100\u00A0%.";
        return figure;
    }

    /// The means of all single numbers of a record with many of them.
    void means_of_all() {
        std::vector<std::size_t> which;
        for (const QuestionPart& part : source_.parts())
            if (part.count == 1 && is_mean(part.first)) which.push_back(part.first);
        begin("Means of " + grouped(which.size()) + " attributes");
        keep(means(which));
        end();
    }

    /// Adds the rows of a statistic, of all attributes or of one.
    template <class Add>
    void ask(Figure& figure, std::string_view statistic, std::optional<std::size_t> attribute, Add add) {
        auto [sql, find] = source_.statistics("{summary}", statistic, attribute);
        source_.ask(figure, "SELECT * FROM " + sql, std::move(find), add);
    }

    /// A function of the summary, with the usual arguments, or about one attribute.
    [[nodiscard]] static Source::Find find(const char* function, const SummaryQuery& query) {
        return [function, query](const Subject& whole) { return row_function(function).find(whole, query); };
    }
    [[nodiscard]] Source::Find find(const char* function) const {
        return find(function, source_.query(function));
    }
    [[nodiscard]] Source::Find find_for(const char* function, std::size_t j) const {
        SummaryQuery query = source_.query(function);
        query.attribute = attributes()[j].name;
        return find(function, query);
    }

    /// Whether the values of a category have an order of their own: those of bins and of unlabelled codes.
    [[nodiscard]] bool ordered_values(std::size_t j) const {
        return attributes()[j].binned() || attributes()[j].labels.empty() || is_ordered(j) ||
               source_.texts(j).ordered;
    }

    /// The share of each value of a category, or of the most frequent ones.
    void shares(std::size_t j) {
        const std::size_t values = source_.mechanism().cells()[j];
        const bool few = values <= most_values;
        Figure figure{.title = "Shares of " + called(j), .shares = true, .ordered = few && ordered_values(j)};
        if (!few)
            figure.about = "The " + std::to_string(most_values) + " largest estimates of " + grouped(values) +
                           " values. The largest of many estimates tend to be too large.";
        const auto add = [&](const NamedRow& row) {
            Row one = row_of(row);
            if (few) one.attribute = j;
            reports_[j] = one.n;
            if (one.note.empty() && number(row, "p_value") > significant_value)
                one.note = "not clearly above zero";
            figure.rows.push_back(std::move(one));
        };
        if (few) {
            ask(figure, "proportion", j, add);
        } else {
            SummaryQuery query = source_.query("top");
            query.attribute = attributes()[j].name;
            query.limit = most_values;
            source_.ask(figure,
                        "SELECT * FROM ldp_top({summary}, " + std::to_string(most_values) + argument(j) +
                            source_.options() + ")",
                        find("top", query), add);
        }
        if (!few && !figure.rows.empty() && std::isnan(figure.rows[0].estimate)) {
            figure.refused = figure.rows[0].note;
            figure.rows.clear();
        }
        keep(std::move(figure));
    }

    /// The frequent strings of an open domain.
    void strings(std::size_t j) {
        Figure figure{.title = "Frequent strings of " + called(j), .shares = true};
        figure.about =
            "The table contains the significantly frequent strings. Three dots mark strings that were "
            "truncated after " +
            std::to_string(attributes()[j].strings->longest) + " characters.";
        source_.ask(figure,
                    "SELECT * FROM ldp_frequent_strings({summary}" + argument(j) + source_.options() + ")",
                    find_for("frequent_strings", j), [&](const NamedRow& row) {
                        figure.rows.push_back(row_of(row));
                        if (figure.rows.back().label.empty()) figure.rows.back().label = "(empty)";
                    });
        if (!figure.rows.empty() && std::isnan(figure.rows[0].estimate)) {
            figure.refused = figure.rows[0].note;
            figure.rows.clear();
        } else if (figure.rows.empty() && figure.refused.empty()) {
            figure.refused = "No text is significantly frequent.";
        } else {
            double listed = 0;
            for (const Row& row : figure.rows) listed += row.estimate;
            // Errors of the listed shares are not independent, so the rest has no interval.
            if (listed < 1)
                figure.about += " About " + shown(1 - listed, figure.rows[0].error, true) +
                                " of the people gave a text that is not listed.";
        }
        keep(std::move(figure));
    }

    /// Draws the bars of a histogram from the distribution that its quantiles are read from, so that both agree.
    void draw_monotone(Figure& histogram, std::size_t j) {
        const auto view = source_.view();
        if (!view || histogram.rows.empty() || std::isnan(histogram.rows[0].estimate)) return;
        const std::vector<double> shares = monotone_histogram(part(*view, j), histogram.rows.size());
        for (std::size_t bin = 0; bin < shares.size(); ++bin) histogram.rows[bin].drawn = shares[bin];
        histogram.about =
            "The bars show the distribution from which the quantiles are computed; they add up to "
            "100\u00A0%. The table contains the unbiased estimates, and the lines show their intervals.";
    }

    /// The mean direction of values on a circle.
    Figure direction(std::size_t j) {
        Figure figure = means({j});
        figure.title = "Mean direction of " + called(j);
        figure.heading = "Mean direction";
        figure.quantity = "mean direction";
        figure.about =
            "The mean direction is the direction of the mean of the values as points of a circle. The line shows the "
            "declared range, whose ends are one value.";
        const double range = attributes()[j].max - attributes()[j].min;
        for (Row& row : figure.rows)
            if (row.upper - row.lower >= range) {
                row.estimate = NAN;
                figure.about += " These reports do not show which direction the values prefer.";
            }
        return figure;
    }

    /// The histogram and the quantiles of a number.
    void distribution(std::size_t j) {
        const auto& ordered = *find_capability<Ordered>(source_.reporter(j));
        const bool sharp = ordered.blur(1) == 0;  // otherwise shares are those of smeared values
        const std::size_t points = ordered.points(), count = sharp && points <= most_points
                                                                 ? points
                                                                 : round_bins(ordered.ends(), points);
        const bool each = sharp && count == points;
        const Interval ends = ordered.ends();
        const bool whole_numbers = sharp && ends.lower == std::floor(ends.lower) &&
                                   ends.upper - ends.lower == static_cast<double>(points - 1);
        const std::vector<double> heights =
            sharp ? bin_heights(points, count) : std::vector<double>(count, 1);
        const std::string unit = source_.unit(j).empty() ? "" : ", in " + name(source_.unit(j));
        Figure histogram{.title = "Distribution of " + called(j) + unit,
                         .shares = true,
                         .kind = Figure::Kind::distribution,
                         .axis = called(j) + unit,
                         .ordered = true,
                         .heading = source_.round()
                                        ? "Distribution in round " + std::to_string(*source_.round())
                                        : "Distribution"};
        SummaryQuery in_bins = source_.query("histogram");
        in_bins.attribute = attributes()[j].name;
        in_bins.bins = static_cast<std::int32_t>(count);
        source_.ask(histogram,
                    "SELECT * FROM ldp_histogram({summary}, " + std::to_string(count) + source_.options() +
                        argument(j) + ")",
                    find("histogram", in_bins), [&](const NamedRow& row) {
                        Row one = row_of(row);
                        one.at = number(row, "low");
                        one.until = number(row, "high");
                        const std::size_t bin = histogram.rows.size();
                        if (bin < heights.size()) one.height = heights[bin];
                        if (each)
                            one.at = one.until =
                                std::lerp(ordered.ends().lower, ordered.ends().upper,
                                          static_cast<double>(bin) / static_cast<double>(points - 1));
                        const bool last = bin + 1 == count;
                        if (each) {
                            one.label = one.edge = rounded(one.at);
                        } else if (whole_numbers) {
                            // A bin has the whole numbers from its lower end on.
                            one.edge = rounded(std::ceil(one.at));
                            const std::string until = rounded(last ? one.until : std::ceil(one.until) - 1);
                            one.label = one.edge == until ? until : one.edge + " to " + until;
                        } else {
                            one.edge = edge_text(one.at, one.until - one.at);
                            histogram.last_edge = edge_text(one.until, one.until - one.at);
                            one.label = one.edge + " to " + histogram.last_edge;
                        }
                        histogram.rows.push_back(std::move(one));
                    });
        draw_monotone(histogram, j);
        keep(std::move(histogram));
        if (attributes()[j].circular) {
            keep(direction(j));
            return;
        }
        if (may_be_missing(attributes()[j])) keep(response_rate(j));
        Figure quantiles{.title = "Quantiles of " + called(j), .kind = Figure::Kind::quantiles};
        quantiles.about =
            "A quantile is the value below which a given share of the people lie. The median is the "
            "quantile of 50\u00A0%.";
        quantiles.ordered = true;
        quantiles.range = ends;
        quantiles.heading = "Quantiles";
        source_.ask(quantiles,
                    "SELECT * FROM ldp_quantiles({summary}" + source_.options() + argument(j) + ")",
                    find_for("quantiles", j), [&](const NamedRow& row) {
                        Row one = row_of(row);
                        one.at = number(row, "probability");
                        one.label = rounded(100 * one.at) + " %";
                        one.unit = source_.unit(j);
                        quantiles.rows.push_back(std::move(one));
                    });
        keep(std::move(quantiles));
        keep(repeated_.median_by_round(j));
        keep(repeated_.median_by_group(j));
    }

    /// The associations of pairs of a part, and the cross tables of the strongest ones.
    void together(const QuestionPart& part, bool of_record) {
        begin("Associations");
        section_.asked = false;
        const std::string summary =
            of_record ? "ldp_part({summary}, " + constant(attributes()[part.first].name) + ")" : "{summary}";
        const auto numbered = [&](const std::string& attribute) {
            return static_cast<std::size_t>(std::ranges::find(attributes(), attribute, &Attribute::name) -
                                            attributes().begin());
        };
        Figure pairs{
            .title = "Associations of attributes",
            .about =
                "Cram\u00E9r\u2019s V: 0 for independent attributes, 1 if each attribute determines the "
                "other. Noise alone can raise an estimate above 0, not the lower end of its interval.",
            .kind = Figure::Kind::association};
        std::vector<std::tuple<double, std::size_t, std::size_t>> strongest;
        std::map<std::pair<std::size_t, std::size_t>, std::string> about_both;
        const SummaryQuery query = source_.query("association");
        const auto associated = [&](const Subject& whole) {
            if (!of_record) return accessors::association(whole, query);
            const std::shared_ptr<const Mechanism> mechanism = checked_mechanism(whole.summary);
            const SummaryDraft draft = summary_of_part(view_of(*mechanism, whole.summary), part.first);
            std::vector<std::byte> bytes(draft.size());
            draft.write(bytes);
            const std::span<const Attribute> all = attributes();
            const Labels labels(all.subspan(part.first, part.count));
            return accessors::association({.summary = bytes, .labels = &labels}, query);
        };
        source_.ask(pairs, "SELECT * FROM ldp_association(" + summary + source_.options(false) + ")",
                    associated, [&](const NamedRow& row) {
                        Row one = row_of(row);
                        one.label = text(row, "attribute");
                        one.group = text(row, "other_attribute");
                        const std::size_t first = numbered(one.label), second = numbered(one.group);
                        one.label = source_.label_of(first);
                        one.group = source_.label_of(second);
                        one.scale = Interval{0, 1};
                        if (std::isfinite(one.estimate))
                            strongest.emplace_back(number(row, "p_value"), first, second);
                        about_both[{std::min(first, second), std::max(first, second)}] = one.n;
                        pairs.rows.push_back(std::move(one));
                    });
        if (pairs.rows.size() > most_pairs) {
            std::ranges::stable_sort(pairs.rows, std::ranges::greater{}, &Row::estimate);
            pairs.rows.resize(most_pairs);
            pairs.title += ": the " + std::to_string(most_pairs) + " strongest pairs";
        }
        keep(std::move(pairs));
        end();
        std::ranges::stable_sort(strongest);
        strongest.resize(std::min(strongest.size(), most_tables));
        for (const auto& [p, first, second] : strongest)
            crosstab(first, second, about_both[{std::min(first, second), std::max(first, second)}]);
    }

    /// `both`: the number of reports about both attributes.
    void crosstab(std::size_t first, std::size_t second, const std::string& both) {
        const auto cells = source_.mechanism().cells();
        // The attribute with fewer values has the columns.
        if (cells[second] > cells[first]) std::swap(first, second);
        if (cells[first] * cells[second] > most_cells || cells[second] > most_columns) return;
        begin(called(first) + " and " + called(second));
        section_.asked = false;
        Figure table{
            .title = section_.title,
            .about = "Each cell is the share of all people with both answers; all cells together are 100 %.",
            .shares = true,
            .kind = Figure::Kind::table,
            .axis = unmarked(called(second)),
            .row_of = unmarked(called(first))};
        source_.ask(
            table,
            "SELECT cell[1] AS row, cell[2] AS column, estimate, stderr, lower, upper, n, note FROM "
            "ldp_marginal({summary}, ARRAY[" +
                constant(attributes()[first].name) + ", " + constant(attributes()[second].name) + "]" +
                source_.options() + ")",
            [&](const Subject& whole) {
                const std::string_view names[] = {attributes()[first].name, attributes()[second].name};
                SummaryQuery query = source_.query("marginal");
                query.names = names;
                return accessors::marginal(whole, query);
            },
            [&](const NamedRow& row) {
                Row one = row_of(row);
                one.label = row.element("cell", 0);
                one.group = row.element("cell", 1);
                table.rows.push_back(std::move(one));
            });
        if (!table.rows.empty()) table.about += reports_together(first, second, table.rows[0].n, both);
        keep(std::move(table));
        end();
    }

    /// The reports about either attribute and about both, if there are such reports; else empty.
    [[nodiscard]] std::string reports_together(std::size_t first, std::size_t second,
                                               const std::string& either, const std::string& both) const {
        const auto one = reports_.find(first), other = reports_.find(second);
        if (one == reports_.end() || other == reports_.end() || either == both) return {};
        std::uint64_t numbers[4] = {};
        const std::string* const texts[4] = {&one->second, &other->second, &either, &both};
        for (std::size_t i = 0; i < 4; ++i) {
            if (texts[i]->empty()) return {};
            numbers[i] = std::stoull(*texts[i]);
        }
        if (numbers[0] + numbers[1] != numbers[2] + numbers[3]) return {};
        return " " + grouped(numbers[2]) + " reports are about either attribute, " + grouped(numbers[3]) +
               " of them about both.";
    }

    /// Correlations of numbers whose products were reported, too.
    void correlations() {
        const auto all = std::span(attributes());
        std::string pairs;
        std::vector<std::pair<std::size_t, std::size_t>> numbers;
        std::vector<Source::Find> correlated;
        for (std::size_t x = 0, found = 0; x < all.size(); ++x)
            for (std::size_t y = x + 1; y < all.size() && found < most_pairs; ++y) {
                const auto known = [&](std::size_t first, std::size_t second) {
                    return find_product(all, {first, {}}, {second, {}}) < all.size();
                };
                if (!known(x, y) || !known(x, x) || !known(y, y)) continue;
                pairs +=
                    (found++ == 0 ? "(" : ", (") + constant(all[x].name) + ", " + constant(all[y].name) + ")";
                SummaryQuery query = source_.query("correlation");
                query.x = all[x].name;
                query.y = all[y].name;
                correlated.push_back(find("correlation", query));
                numbers.emplace_back(x, y);
            }
        if (pairs.empty()) return;
        begin("Correlations");
        section_.asked = false;
        Figure figure{
            .title = "Correlations of numbers",
            .about =
                "A correlation is 1 if two numbers increase in proportion, \u22121 if one decreases as "
                "the other increases, and 0 without a linear relation.",
            .kind = Figure::Kind::association};
        source_.ask_all(figure,
                        "SELECT x, y, c.* FROM (SELECT {summary} AS summary) AS s, (VALUES " + pairs +
                            ") AS pairs (x, y), ldp_correlation(summary, x, y" + source_.options() + ") AS c",
                        correlated, [&](const NamedRow& row, std::size_t pair) {
                            Row one = row_of(row);
                            one.label = source_.label_of(numbers[pair].first);
                            one.group = source_.label_of(numbers[pair].second);
                            one.scale = Interval{-1, 1};
                            figure.rows.push_back(std::move(one));
                        });
        keep(std::move(figure));
        end();
    }

    /// The means of numbers over a public column.
    void curves() {
        const std::string& column = source_.asked().curve;
        if (column.empty()) return;
        std::vector<std::size_t> which;
        for (const QuestionPart& part : source_.parts())
            for (std::size_t j = part.first; j < part.first + part.count; ++j)
                if (attributes()[j].numeric() && part.mechanism->can_estimate(Quantity::means) &&
                    !is_series(*part.mechanism))
                    which.push_back(j);
        if (which.empty())
            throw Error(ErrorCode::invalid_value, "a curve needs an attribute whose mean is estimated",
                        "The reports of \"" + source_.asked().collection + "\" do not estimate means.");
        begin("Curves over " + name(column, 40));
        section_.asked = false;
        if (which.size() > most_means) {
            section_.paragraphs.push_back("Curves of the first " + grouped(most_means) + " of " +
                                          grouped(which.size()) +
                                          " numbers. The SQL function of their queries returns the others.");
            which.resize(most_means);
        }
        for (Figure& figure : repeated_.curves(which)) keep(std::move(figure));
        end();
    }

    /// A first round that only learns the ranges for a second one.
    void ranges() {
        if (!sections_.empty() || range_learner(source_.mechanism()) == nullptr) return;
        Table table{.title = "Ranges for a second round",
                    .about = "Each range contains the values of nine in ten people.",
                    .header = {{"attribute", true}, {"coefficient", true}, {"from"}, {"to"}}};
        source_.ask(table, "SELECT * FROM ldp_learn_range({summary})", find("learn_range"),
                    [&](const NamedRow& row) {
                        const double low = number(row, "low"), high = number(row, "high");
                        const std::string attribute = text(row, "attribute");
                        table.rows.push_back({{attribute.empty() ? "all" : name(attribute)},
                                              {text(row, "coefficient")},
                                              {rounded(low), low},
                                              {rounded(high), high}});
                    });
        begin("Ranges");
        section_.asked = false;
        section_.tables.push_back(std::move(table));
        end();
    }

    Source& source_;
    GroupFigures repeated_;
    Section section_ = {};
    std::vector<Section> sections_ = {};
    std::map<std::size_t, std::string> reports_ = {};  ///< about a category, by attribute
};

}  // namespace

std::vector<Section> questions_of(Source& source) {
    return Questions(source).all();
}

}  // namespace ldp::cli
