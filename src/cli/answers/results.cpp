// The results of figures in sentences, and of the whole page.
// Length: a function for each kind of figure, which share their wording.

#include "cli/answers/results.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <utility>

#include "cli/answers/clear_differences.hpp"
#include "core/base/text.hpp"
#include "figures/figure_numbers.hpp"
#include "figures/formatting.hpp"

namespace ldp::cli {

namespace {

using Rows = std::vector<const Row*>;

/// A sentence names at most this number of values.
constexpr std::size_t most_named = 3, most_compared = 2, most_labels_named = 6;
/// The first paragraph names at most this number of questions.
constexpr std::size_t most_news = 2;

std::string quoted(const std::string& text) {
    return "\u201C" + name(text, 40) + "\u201D";
}

/// "a, b and c".
std::string enumerated(const std::vector<std::string>& parts, const char* last = " and ") {
    const bool clauses = std::string_view(last) == "; ";
    std::string text;
    for (std::size_t i = 0; i < parts.size(); ++i)
        text += (i == 0 ? "" : clauses || i + 1 == parts.size() ? last : ", ") + parts[i];
    return text;
}

std::string in_line(const std::vector<std::string>& parts, const char* between) {
    std::string text;
    for (const std::string& part : parts) text += (text.empty() ? "" : between) + part;
    return text;
}

/// The text as a sentence, which begins with a capital letter and ends with a point.
std::string sentence(std::string text) {
    if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
    return text + ".";
}

Rows by_size(const Figure& figure) {
    Rows rows;
    for (const Row& row : figure.rows)
        if (std::isfinite(row.estimate)) rows.push_back(&row);
    std::ranges::stable_sort(rows, std::ranges::greater{}, &Row::estimate);
    return rows;
}

std::string label_and_share(const Row& row, const FigureNumbers& numbers) {
    return quoted(row.label) + ", " + numbers.estimate_and_interval(row);
}

/// "The order of the other 3 answers is uncertain." Rows whose intervals overlap have no order.
std::string order_of_others(const Rows& rows, std::size_t ranked) {
    const std::size_t rest = rows.size() - ranked;
    if (rest < 2) return {};
    return " The order of the other " + grouped(rest) + " answers is uncertain.";
}

std::string of_category(const Figure& figure, const FigureNumbers& numbers) {
    const Rows rows = by_size(figure);
    if (rows.empty()) return {};
    if (rows.size() <= 2) {
        std::string text = numbers.estimate_and_interval(*rows[0]) + " answered " + quoted(rows[0]->label);
        if (rows.size() == 2)
            text +=
                ", and " + numbers.estimate_and_interval(*rows[1]) + " answered " + quoted(rows[1]->label);
        return text + ".";
    }
    if (rows[0]->lower <= 0) return "These reports do not show whether any share is above zero.";
    // The rows before the first one whose interval overlaps with that of its successor have an order.
    std::size_t ranked = 0;
    while (ranked + 1 < rows.size() && rows[ranked]->lower > rows[ranked + 1]->upper) ++ranked;
    if (ranked + 1 == rows.size()) ranked = rows.size();
    if (ranked == 0) {
        const auto tied = static_cast<std::size_t>(
            std::ranges::count_if(rows, [&](const Row* row) { return row->upper >= rows[0]->lower; }));
        std::vector<std::string> parts;
        for (std::size_t i = 0; i < std::min(tied, most_named); ++i)
            parts.push_back(label_and_share(*rows[i], numbers));
        return "These reports cannot show which answer is the most frequent. The largest estimates: " +
               enumerated(parts, "; ") + ".";
    }
    std::string text =
        quoted(rows[0]->label) + " is the most frequent answer: " + numbers.estimate_and_interval(*rows[0]);
    std::vector<std::string> parts;
    for (std::size_t i = 1; i < std::min(ranked, most_named); ++i)
        parts.push_back(label_and_share(*rows[i], numbers));
    if (!parts.empty()) text += ". Next: " + enumerated(parts, "; ");
    text += ".";
    return ranked < rows.size() && ranked <= most_named ? text + order_of_others(rows, ranked) : text;
}

std::string of_means(const Figure& figure, const FigureNumbers& numbers) {
    if (!figure.whom.empty())
        return figure.rows.empty() || std::isnan(figure.rows[0].estimate)
                   ? ""
                   : "Of the people " + figure.whom + ", " + numbers.estimate_and_interval(figure.rows[0]) +
                         " gave a number.";
    if (figure.rows.size() == 1)
        return std::isnan(figure.rows[0].estimate)
                   ? ""
                   : "The " + figure.quantity +
                         (figure.quantity == "mean" && !figure.rows[0].label.empty()
                              ? " of " + name(figure.rows[0].label, 40)
                              : "") +
                         " is " + numbers.estimate_and_interval(figure.rows[0]) + ".";
    std::vector<std::string> parts;
    for (const Row& row : figure.rows)
        if (parts.size() < most_labels_named) parts.push_back(label_and_share(row, numbers));
    const std::size_t more = figure.rows.size() - parts.size();
    return "The means: " + enumerated(parts, "; ") + (more > 0 ? "; and " + grouped(more) + " more" : "") +
           ".";
}

/// The share is the drawn one.
std::string of_distribution(const Figure& figure, const FigureNumbers& numbers) {
    const auto share = [](const Row& row) { return std::isnan(row.drawn) ? row.estimate : row.drawn; };
    const Row* largest = nullptr;
    for (const Row& row : figure.rows)
        if (!std::isnan(share(row)) && (!largest || share(row) > share(*largest))) largest = &row;
    if (!largest) return {};
    Row shown = *largest;
    shown.estimate = share(shown);
    return "The interval with the largest share is " + name(shown.label) + ": " +
           numbers.estimate_and_interval(shown) + ".";
}

/// Rows have their share in `at`.
std::string of_quantiles(const Figure& figure, const FigureNumbers& numbers) {
    const auto at = [&](double share) {
        const auto found = std::ranges::find(figure.rows, share, &Row::at);
        return found == figure.rows.end() || std::isnan(found->estimate) ? nullptr : &*found;
    };
    const Row *median = at(0.5), *lower = at(0.25), *upper = at(0.75);
    if (median == nullptr) return {};
    std::string text = "Half of the people have less than " + numbers.estimate(*median);
    if (const std::string ends = numbers.interval(*median); !ends.empty())
        text += "; the true number is probably between " +
                numbers.estimate({.estimate = median->lower, .unit = {}}) + " and " +
                numbers.estimate({.estimate = median->upper, .unit = median->unit});
    text += ".";
    if (lower != nullptr && upper != nullptr)
        text += " The middle half has between " +
                numbers.estimate({.estimate = lower->estimate, .unit = {}}) + " and " +
                numbers.estimate(*upper) + ".";
    return text;
}

std::string of_vector(const Figure& figure, const FigureNumbers& numbers) {
    const Rows rows = by_size(figure);
    if (rows.size() < 2) return {};
    const bool named = !figure.vector.empty();
    const std::string of = named ? " of " + figure.vector : "", element = named ? "element " : "";
    const auto tied = static_cast<std::size_t>(
        std::ranges::count_if(rows, [&](const Row* row) { return row->upper >= rows[0]->lower; }));
    if (tied > 1) {
        std::vector<std::string> parts;
        for (std::size_t i = 0; i < std::min(tied, most_named); ++i)
            parts.push_back(label_and_share(*rows[i], numbers));
        const std::string elements = (named ? "elements " : "") + enumerated(parts, "; ");
        return tied > most_named ? "These reports cannot show which mean" + of +
                                       " is the largest. The largest estimates: " + elements + "."
                                 : "The largest means" + of + ": " + elements + ". Their order is uncertain.";
    }
    // Noise decides which mean near the end of the range, or near others, is the smallest.
    const Row &least = *rows.back(), &next = *rows[rows.size() - 2];
    const bool sure = least.upper < next.lower && (least.lower > 0 || least.upper < 0) &&
                      (!figure.range || least.lower >= figure.range->lower);
    return "The mean" + of + " is largest for " + element + label_and_share(*rows.front(), numbers) +
           (sure ? ", and smallest for " + element + label_and_share(least, numbers) : "") + ".";
}

std::string of_table(const Figure& figure, const FigureNumbers& numbers) {
    const Rows rows = by_size(figure);
    if (rows.empty()) return {};
    return "Of all people, " + numbers.estimate_and_interval(*rows[0]) + " answered " +
           quoted(rows[0]->label) + (figure.row_of.empty() ? "" : " to " + name(figure.row_of, 40)) +
           " and " + quoted(rows[0]->group) + (figure.axis.empty() ? "" : " to " + name(figure.axis, 40)) +
           ", the largest estimate of all pairs.";
}

std::string of_associations(const Figure& figure, const FigureNumbers& numbers) {
    const Row* strongest = nullptr;
    for (const Row& row : figure.rows)
        if (std::isfinite(row.estimate) && (row.lower > 0 || row.upper < 0) &&
            (strongest == nullptr || std::abs(row.estimate) > std::abs(strongest->estimate)))
            strongest = &row;
    const std::string others = " No other pair of questions was compared.";
    if (strongest == nullptr)
        return figure.rows.size() == 1
                   ? "These reports cannot show whether " + quoted(figure.rows[0].label) + " and " +
                         quoted(figure.rows[0].group) + " are associated." + others
                   : "These reports cannot show whether any of the " + grouped(figure.rows.size()) +
                         " pairs of questions listed here are associated." + others;
    return (figure.rows.size() == 1
                ? quoted(strongest->label) + " and " + quoted(strongest->group) + " are associated: "
                : "The strongest estimated association: " + quoted(strongest->label) + " and " +
                      quoted(strongest->group) + ", ") +
           numbers.estimate_and_interval(*strongest) + "." + (figure.rows.size() == 1 ? others : "");
}

/// "“good” rises from 23.0 % to 31.0 %, by 8.0 points (5.2 to 10.8)". One precision, that of tables: the numbers
/// would contradict each other if each was rounded to a whole one.
std::string described(const LineChange& change, const Figure& figure, const FigureNumbers& numbers) {
    const auto in_round = [&](double round) {
        return std::ranges::find_if(
            figure.rows, [&](const Row& row) { return row.group == change.group && row.at == round; });
    };
    const auto first = in_round(change.from), last = in_round(change.to);
    if (first == figure.rows.end() || last == figure.rows.end()) return {};
    const auto level = [&](const Row& row) {
        return numbers.exact(figure.shares ? std::clamp(row.estimate, 0.0, 1.0) : row.estimate, row);
    };
    return (change.group.empty() ? "the " + figure.quantity : quoted(change.group)) +
           (change.estimate > 0 ? " rises from " : " falls from ") + level(*first) + " to " + level(*last) +
           ", by " + numbers.size_and_interval(change.estimate, {change.lower, change.upper}, *last);
}

/// Whether the rows of this position are the shares of two values that all people have one of.
bool complementary(const Figure& figure) {
    if (!figure.shares || figure.rows.size() < 2) return false;
    const bool rounds = figure.kind == Figure::Kind::change;
    std::map<std::string, std::pair<std::size_t, double>> sums;
    for (const Row& row : figure.rows) {
        auto& [count, sum] = sums[rounds ? rounded(row.at) : row.group];
        ++count;
        sum += row.estimate;
    }
    return std::ranges::all_of(sums, [](const auto& one) {
        return one.second.first == 2 && std::abs(one.second.second - 1) < 1e-9;
    });
}

/// The clear changes since the round before the last one, or since the first round, by their p-values.
std::vector<const LineChange*> clear_changes(const Figure& figure, bool latest) {
    std::vector<const LineChange*> found;
    for (const LineChange& change : figure.changes)
        if (change.clear && is_latest(figure, change) == latest) found.push_back(&change);
    // The change of one of two values follows from that of the other one.
    if (found.size() == 2 && complementary(figure)) found.pop_back();
    std::ranges::stable_sort(found, {}, [](const LineChange* change) {
        return std::pair(change->p_value, -std::abs(change->estimate));
    });
    return found;
}

std::string of_changes(const Figure& figure, const FigureNumbers& numbers) {
    std::vector<std::string> sentences;
    for (const bool latest : {true, false}) {
        const auto compared = std::ranges::find_if(
            figure.changes, [&](const LineChange& change) { return is_latest(figure, change) == latest; });
        if (compared == figure.changes.end()) continue;
        const std::string period = "From " + figure.axis + " " + rounded(compared->from) + " to " +
                                   figure.axis + " " + rounded(compared->to) + ", ";
        const auto all = clear_changes(figure, latest);
        std::vector<std::string> parts;
        for (std::size_t i = 0; i < std::min(all.size(), most_named); ++i)
            parts.push_back(described(*all[i], figure, numbers));
        sentences.push_back(period + (parts.empty()
                                          ? "these reports cannot show whether anything changed."
                                          : enumerated(parts) + (parts.size() == 1 ? ", a clear change."
                                                                                   : ", clear changes.")));
    }
    return in_line(sentences, " ");
}

/// "of the “Ulm” group, 28 % (26–30) answered “bad”", or "in the “Ulm” group, the median is 140 (136–144)": of whom comes
/// first. `again`: behind another group, without the answer or the quantity.
std::string group_number(const Row& row, const Figure& figure, const FigureNumbers& numbers, bool again) {
    const std::string number = numbers.estimate_and_interval(row),
                      group = " the " + quoted(row.group) + " group, ";
    if (!figure.shares || row.label.empty()) {
        const std::string of = row.label.empty() ? "" : " of " + quoted(row.label);
        return "in" + group + (again ? "" : "the " + figure.quantity + of + " is ") + number;
    }
    return "of" + group + number + (again ? "" : " answered " + quoted(row.label));
}

/// The clear differences of one answer or number, for example "of the “Ulm” group, 28 % (26–30) answered “bad”: clearly
/// more than of all other groups together". Two groups have one difference: "of the “Ulm” group, 28 % (26–30) answered
/// “bad”; of the “Bonn” group, 20 % (18–22). This difference is clear". Empty without one. `known`: the reader knows that
/// it is clear.
std::string contrast_of(const Rows& rows, const Figure& figure, const FigureNumbers& numbers, bool known) {
    Rows marked[2];
    for (const Row* row : rows)
        if (row->contrast == Contrast::above || row->contrast == Contrast::below)
            marked[row->contrast == Contrast::above ? 0 : 1].push_back(row);
    if (marked[0].empty() && marked[1].empty()) return {};
    if (rows.size() == 2 && marked[0].size() == 1 && marked[1].size() == 1)
        return group_number(*marked[0][0], figure, numbers, false) + "; " +
               group_number(*marked[1][0], figure, numbers, true) +
               (known ? "" : ". This difference is clear");
    std::vector<std::string> parts;
    for (const std::size_t side : {0, 1}) {
        std::vector<std::string> groups;
        for (const Row* row : marked[side])
            if (groups.size() < most_named)
                groups.push_back(group_number(*row, figure, numbers, !parts.empty() || !groups.empty()));
        if (groups.empty()) continue;
        const std::size_t more = marked[side].size() - groups.size();
        parts.push_back(
            enumerated(groups, "; ") + (more > 0 ? "; and " + grouped(more) + " more groups" : "") +
            (groups.size() > 1 ? ": each clearly " : ": clearly ") + (side == 0 ? "more" : "less") +
            " than " + (figure.shares && !rows[0]->label.empty() ? "of" : "in") +
            " all other groups together");
    }
    return enumerated(parts, ". And ");
}

/// The rows of each label, in the order of drawings. The difference of one of two values follows from that of the other.
std::vector<Rows> rows_by_label(const Figure& figure) {
    std::vector<Rows> labels;
    for (const Row* row : display_order(figure)) {
        if (labels.empty() || labels.back()[0]->label != row->label) labels.emplace_back();
        labels.back().push_back(row);
    }
    if (complementary(figure)) labels.resize(1);
    return labels;
}

std::string of_comparison(const Figure& figure, const FigureNumbers& numbers) {
    if (std::ranges::none_of(figure.rows, [](const Row& row) { return row.contrast != Contrast::none; }))
        return {};
    std::vector<std::string> parts;
    std::size_t more = 0;
    for (const Rows& rows : rows_by_label(figure)) {
        const std::string text = contrast_of(rows, figure, numbers, false);
        if (text.empty()) continue;
        if (parts.size() == most_compared)
            ++more;
        else
            parts.push_back(sentence(text));
    }
    if (parts.empty())
        return "These reports cannot show whether the groups differ. This does not mean that they are equal.";
    return in_line(parts, " ") +
           (more == 0 ? ""
                      : " " + grouped(more) + (more == 1 ? " more answer differs" : " more answers differ") +
                            " clearly.");
}

/// The ends of a curve, which no noise selects, unlike its highest point.
std::string of_curve(const Figure& figure, const FigureNumbers& numbers) {
    Rows known;
    for (const Row& row : figure.rows)
        if (std::isfinite(row.estimate)) known.push_back(&row);
    if (known.size() < 2) return {};
    const auto end = [&](const Row& row) {
        return numbers.estimate_and_interval(row) + " at " + name(figure.axis, 40) + " " + name(row.label);
    };
    return "The " + figure.quantity + " is " + end(*known.front()) + ", and " + end(*known.back()) + ".";
}

}  // namespace

std::vector<double> bin_heights(std::size_t points, std::size_t bins) {
    std::vector<double> heights;
    const double average = static_cast<double>(points) / static_cast<double>(bins);
    for (std::size_t bin = 0, first = 0; bin < bins; ++bin) {
        // The first point at or behind the position (bin + 1)·(points − 1)/bins; the last bin has the rest.
        const std::size_t end = bin + 1 == bins ? points : ((bin + 1) * (points - 1) + bins - 1) / bins;
        heights.push_back(average / static_cast<double>(end - first));
        first = end;
    }
    return heights;
}

std::string result_of(const Figure& figure) {
    const FigureNumbers numbers(figure);
    switch (figure.kind) {
        case Figure::Kind::category:
            return of_category(figure, numbers);
        case Figure::Kind::mean:
            return of_means(figure, numbers);
        case Figure::Kind::distribution:
            return of_distribution(figure, numbers);
        case Figure::Kind::quantiles:
            return of_quantiles(figure, numbers);
        case Figure::Kind::vector:
            return of_vector(figure, numbers);
        case Figure::Kind::table:
            return of_table(figure, numbers);
        case Figure::Kind::association:
            return of_associations(figure, numbers);
        case Figure::Kind::change:
            return of_changes(figure, numbers);
        case Figure::Kind::comparison:
            return of_comparison(figure, numbers);
        case Figure::Kind::curve:
            return of_curve(figure, numbers);
    }
    return {};
}

void conclude(Section& section) {
    for (Figure& figure : section.figures) figure.result = result_of(figure);
    const auto quantiles = std::ranges::find(section.figures, Figure::Kind::quantiles, &Figure::kind);
    const auto chosen = quantiles != section.figures.end() && !quantiles->result.empty()
                            ? quantiles
                            : section.figures.begin();
    if (chosen == section.figures.end()) return;
    section.result = std::exchange(chosen->result, {});
    for (Figure& figure : section.figures)
        if (chosen == quantiles && figure.kind == Figure::Kind::distribution) figure.result.clear();
}

std::string news_of(const std::vector<Section>& sections, const std::string& by) {
    std::vector<std::string> sentences;
    const auto add = [&](const std::string& beginning, std::size_t compared, std::vector<std::string> parts,
                         bool fresh = false) {
        if (compared == 0) return;
        if (parts.empty()) {
            sentences.push_back(beginning + "these reports cannot show whether anything changed.");
            return;
        }
        const std::size_t found = parts.size();
        if (found > most_news) {
            parts.resize(most_news);
            parts.push_back("and " + grouped(found - most_news) + " more below");
        }
        const std::string share =
            compared == 1 ? ""
                          : " in " + grouped(found) + " of " + (fresh ? "the " : "") + grouped(compared) +
                                (fresh ? " questions with new responses" : " compared questions");
        sentences.push_back(beginning + (compared == 1 || found > 1 ? "" : "a ") + "clear change" +
                            (found == 1 ? "" : "s") + share + ": " + in_line(parts, "; ") + ".");
    };
    for (const bool latest : {true, false}) {
        std::string since;
        std::size_t compared = 0, repeated = 0;
        std::vector<std::string> parts, others;
        for (const Section& section : sections) {
            std::string part;
            bool any = false;
            for (const Figure& figure : section.figures) {
                for (const LineChange& change : figure.changes)
                    if (is_latest(figure, change) == latest) {
                        any = true;
                        if (since.empty()) since = figure.axis + " " + rounded(change.from);
                    }
                if (const auto clear = clear_changes(figure, latest); part.empty() && !clear.empty())
                    part = section.title + ", " + described(*clear[0], figure, FigureNumbers(figure));
            }
            if (any)
                ++compared;
            else if (section.repeated)
                ++repeated;
            else if (section.asked)
                others.push_back(section.title);
            if (!part.empty()) parts.push_back(part);
        }
        const bool found = !parts.empty();
        if (!since.empty()) {
            add("Since " + since + ", ", compared, std::move(parts), repeated > 0);
            const auto questions = [](std::size_t count) {
                return grouped(count) + (count == 1 ? " question" : " questions");
            };
            // Neither a change nor its absence can be seen there.
            if (repeated > 0 && latest)
                sentences.push_back("The responses to " + questions(repeated) +
                                    " were all repeated from memory, which cannot show a change.");
            if (!others.empty() && latest)
                sentences.push_back(
                    "Not compared: " +
                    (others.size() > most_named ? questions(others.size()) : enumerated(others)) + ".");
        }
        if (found) break;
    }
    std::size_t compared = 0;
    std::vector<std::string> parts;
    for (const Section& section : sections) {
        bool any = false;
        const Figure* of = nullptr;
        const GroupContrast* strongest = nullptr;
        for (const Figure& figure : section.figures)
            for (const GroupContrast& contrast : figure.contrasts) {
                any = true;
                const Contrast marked = figure.rows[contrast.row].contrast;
                if (marked != Contrast::above && marked != Contrast::below) continue;
                // The difference of one of two values follows from that of the other one.
                if (complementary(figure) &&
                    figure.rows[contrast.row].label != display_order(figure)[0]->label)
                    continue;
                if (strongest != nullptr && (&figure != of || contrast.p_value >= strongest->p_value))
                    continue;
                of = &figure;
                strongest = &contrast;
            }
        compared += any ? 1 : 0;
        if (strongest == nullptr) continue;
        const FigureNumbers numbers(*of);
        Rows rows;
        for (const Row& row : of->rows)
            if (row.label == of->rows[strongest->row].label) rows.push_back(&row);
        parts.push_back(section.title + ": " + sentence(contrast_of(rows, *of, numbers, true)));
    }
    if (compared > 0) {
        const std::string column = name(by, 40);
        const std::size_t found = parts.size();
        if (found == 0)
            sentences.push_back("These reports cannot show whether the groups of " + column +
                                " differ. This does not mean that they are equal.");
        else
            sentences.push_back("The groups of " + column + " differ clearly" +
                                (compared == 1 ? "."
                                               : " in " + grouped(found) + " of " + grouped(compared) +
                                                     " compared questions."));
        for (std::size_t i = 0; i < std::min(found, most_news); ++i) sentences.push_back(parts[i]);
        if (found > most_news) sentences.push_back(grouped(found - most_news) + " more below.");
        const std::size_t rest = compared - found;
        if (found > 0 && rest > 0)
            sentences.push_back(
                (rest == 1 ? "In the other question" : "In the other " + grouped(rest) + " questions") +
                ", these reports cannot show whether they differ. This does not mean that they are "
                "equal.");
    }
    return in_line(sentences, " ");
}

namespace {

/// Tables have no axis, and a single share has that of its range.
bool on_common_axis(const Figure& figure) {
    return figure.shares && figure.kind != Figure::Kind::table && figure.kind != Figure::Kind::mean;
}

}  // namespace

void align_axes(std::vector<Section>& sections) {
    const auto rounded_up = [](double share) {
        const double step = share > 0.2 ? 0.1 : share > 0.1 ? 0.05 : 0.02;
        return std::clamp(step * std::ceil(share / step - 1e-9), step, 1.0);
    };
    for (Section& section : sections) {
        double most = 0, of_bins = 0;
        for (const Figure& figure : section.figures) {
            if (!on_common_axis(figure)) continue;
            const bool bins = figure.kind == Figure::Kind::distribution;
            for (const Row& row : figure.rows)
                for (const double value : {row.estimate, row.upper})
                    if (std::isfinite(value))
                        (bins ? of_bins : most) =
                            std::max(bins ? of_bins : most, value * (bins ? row.height : 1));
        }
        for (Figure& figure : section.figures)
            if (on_common_axis(figure))
                figure.end = rounded_up(figure.kind == Figure::Kind::distribution ? of_bins : most);
    }
}

std::string interval_title(double confidence) {
    return rounded(std::round(1e5 * confidence) / 1e3) + "\u00A0% confidence interval";
}

std::string meaning_of_clear(const Document& document) {
    bool changes = false, contrasts = false;
    for (const Section& section : document.sections)
        for (const Figure& figure : section.figures) {
            changes |= figure.kind == Figure::Kind::change;
            contrasts |= std::ranges::any_of(figure.rows,
                                             [](const Row& row) { return row.contrast != Contrast::none; });
        }
    std::string text = "\u25B2 and \u25BC mark a clear ";
    text += !contrasts ? "change." : !changes ? "difference." : "change or difference.";
    if (changes)
        text +=
            " If nothing had changed, at most 5 of 100 such pages would mark a change since a given round.";
    if (contrasts) text += " If the groups were equal, at most 5 of 100 such pages would mark a difference.";
    if (document.compares_populations)
        text += " They are for the populations from which the people were drawn.";
    return text;
}

std::vector<std::string> explanations(const Document& document) {
    bool negative = false, changes = false, contrasts = false, shares = false, outside = false;
    for (const Section& section : document.sections)
        for (const Figure& figure : section.figures) {
            changes |= figure.kind == Figure::Kind::change;
            shares |= figure.shares;
            for (const Row& row : figure.rows) {
                outside |=
                    figure.range && (row.lower < figure.range->lower || row.upper > figure.range->upper);
                negative |= figure.shares && row.estimate < 0;
                contrasts |= row.contrast != Contrast::none;
            }
        }
    std::vector<std::string> found;
    const std::string percent = rounded(std::round(1e5 * document.confidence) / 1e3);
    found.push_back(
        "Each estimate has a " + interval_title(document.confidence) +
        ", in parentheses in the text and as a line in the drawings. Of all such intervals, " + percent +
        "\u00A0% contain the true value. The margin of error is the distance from the estimate to the "
        "farther end of its interval" +
        (shares ? "; the margin of error of a share is in percentage points." : "."));
    if (negative)
        found.emplace_back(
            "Estimates below 0 are shown as 0\u00A0% in the text and the drawings, so these shares may add up to more "
            "than 100\u00A0%. The tables show the unbiased estimates.");
    if (outside)
        found.emplace_back(
            "The randomization can also move the estimate of a mean, or an end of its interval, beyond the declared "
            "range. The true mean is within the range.");
    // Beside news, the heading has it.
    if ((changes || contrasts) && document.news.empty()) found.push_back(meaning_of_clear(document));
    if (changes)
        found.emplace_back(
            "The p-values in tables of changes are not corrected for the number of comparisons; the marks \u25B2 and \u25BC "
            "are.");
    return found;
}

}  // namespace ldp::cli
