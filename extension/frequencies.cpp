// Rows of means and shares, for one summary or for the change between two.
//
// Length: all rows of means and shares use the same helpers.

#include <algorithm>
#include <map>
#include <utility>

#include "core/base/interrupt.hpp"
#include "core/comparison/change.hpp"
#include "core/strings/string_queries.hpp"
#include "core/summary/candidates.hpp"
#include "core/summary/consistency.hpp"
#include "core/summary/part_means.hpp"
#include "core/summary/robust_interval.hpp"
#include "core/summary/top.hpp"
#include "core/tables/marginal.hpp"
#include "core/tables/share_intervals.hpp"
#include "estimate_rows.hpp"
#include "tables/text_arrays.hpp"

using namespace ldp;

namespace {

std::size_t limit_of(std::int32_t limit) {
    if (limit < 0)
        throw Error(ErrorCode::invalid_value, "limit must not be negative",
                    "Found " + std::to_string(limit) + ".");
    return static_cast<std::size_t>(limit);
}

/// Whether the primary estimate of an attribute is its mean, rather than the shares of its values.
bool is_number(const SummaryView& view, std::size_t attribute) {
    return part_of(*view.mechanism, attribute).mechanism->can_estimate(Quantity::means);
}

/// As one_attribute(), for an attribute whose values have shares.
std::size_t one_category(const SummaryView& view, std::optional<std::size_t> named) {
    check_answer(*view.mechanism, Quantity::frequencies);
    const std::size_t attribute = one_attribute(*view.mechanism, named);
    const Mechanism& one = *part_of(*view.mechanism, attribute).mechanism;
    if (one.can_estimate(Quantity::strings)) check_can_estimate(one, Quantity::frequencies);
    if (!one.can_estimate(Quantity::frequencies))
        throw Error(
            ErrorCode::unsupported, "attribute " + std::to_string(attribute) + " is a number",
            "Shares are estimated for categories only.",
            "Use ldp_mean or ldp_means; or select the attribute with ldp_part and use other functions of its "
            "mechanism.");
    return attribute;
}

/// Row type ldp_ranked.
constexpr Column ranked_columns[] = {{"attribute", TEXTOID},  {"label", TEXTOID},
                                     {"estimate", FLOAT8OID}, {"stderr", FLOAT8OID},
                                     {"lower", FLOAT8OID},    {"upper", FLOAT8OID},
                                     {"n", INT8OID},          {"people", INT8OID},
                                     {"p_value", FLOAT8OID},  {"attribute_number", INT4OID},
                                     {"value", INT4OID},      {"note", TEXTOID}};
constexpr Column change_columns[] = {{"attribute", TEXTOID},  {"label", TEXTOID},
                                     {"estimate", FLOAT8OID}, {"stderr", FLOAT8OID},
                                     {"lower", FLOAT8OID},    {"upper", FLOAT8OID},
                                     {"n", INT8OID},          {"people", INT8OID},
                                     {"p_value", FLOAT8OID},  {"attribute_number", INT4OID},
                                     {"value", INT4OID},      {"note", TEXTOID}};

/// Rows about the subject, with space for this number of rows; without allocation if it is 0.
Answers answers(const Subject& subject, double critical_value, std::size_t room, bool tested = false) {
    Answers all{.labels = subject.labels, .critical_value = critical_value, .tested = tested};
    if (room > 0) all.reserve(room);
    return all;
}

/// The status of the rows of an attribute's values. If tables were combined, each share has its own
/// estimate and error law from one evaluation.
class ValueStatus {
  public:
    ValueStatus(const SummaryView& view, std::size_t attribute, Target target, const ReportStatus* about)
        : about_(about) {
        const Mechanism& mechanism = *part_of(*view.mechanism, attribute).mechanism;
        if (find_capability<JointViews>(mechanism) == nullptr || !about->enough) return;
        tables_.emplace(view, std::vector{attribute}, Combination::consistent, target);
        cells_.emplace(tables_->sizes());
    }
    /// Whether each value has its own error law.
    [[nodiscard]] bool measured() const noexcept { return tables_.has_value(); }
    [[nodiscard]] std::size_t values() const noexcept { return cells_->count(); }
    [[nodiscard]] MeasuredShare share(std::size_t value) const {
        return tables_->measured(cells_->box(value));
    }

    [[nodiscard]] const ReportStatus* with(const ErrorLaw& law) const {
        ReportStatus one = *about_;
        one.law = law;
        return kept(one);
    }
    [[nodiscard]] const ReportStatus* operator()(std::size_t value) const {
        return measured() ? with(share(value).law) : about_;
    }

  private:
    const ReportStatus* about_;
    std::optional<Marginal> tables_;
    std::optional<Cells> cells_;
};

/// The intervals of an attribute's shares if each has its own error law, determined by the counts. Empty
/// for other mechanisms, which have one law for all values.
std::vector<ldp::Interval> own_intervals(const SummaryView& view, std::size_t attribute, Target target,
                                         std::span<const Estimate> estimates, double critical_value) {
    if (find_capability<ItemErrors>(*part(view, attribute).mechanism) == nullptr) return {};
    return intervals(view, {Quantity::frequencies, target, attribute}, estimates, critical_value);
}

/// Allocates the shares if necessary: a mechanism of buckets has fewer shares than values.
void add_shares(Answers& all, const SummaryView& view, std::size_t attribute, Target target) {
    const ValueStatus about(view, attribute, target, kept(report_status(view, attribute, target)));
    if (about.measured()) {
        if (all.rows == nullptr) all.reserve(about.values());
        for_each_index(about.values(), [&](std::size_t value) {
            const MeasuredShare share = about.share(value);
            all.add(attribute, value, share.estimate, about.with(share.law));
        });
        return;
    }
    const auto estimates = estimate(view, {Quantity::frequencies, target, attribute});
    if (all.rows == nullptr) all.reserve(estimates.size());
    const auto ranges = own_intervals(view, attribute, target, estimates, all.critical_value);
    for_each_index(estimates.size(), [&](std::size_t value) {
        if (ranges.empty())
            all.add(attribute, value, estimates[value], about(value));
        else
            all.add(attribute, value, estimates[value], about(value), ranges[value]);
    });
}

Answers means(const Subject& subject, double critical_value, Target target) {
    const auto found = [&](const SummaryView& view) {
        if (subject.attribute) {  // one attribute or one vector, which is one part
            const std::size_t first = part_of(*view.mechanism, *subject.attribute).first;
            const auto estimates = means_of_part(view, *subject.attribute, target);
            Answers all = answers(subject, critical_value, estimates.size());
            for (std::size_t i = 0; i < estimates.size(); ++i)
                if (subject.has(first + i))
                    all.add(first + i, Answers::none, estimates[i],
                            kept(report_status(view, first + i, target)));
            return all;
        }
        const auto estimates = estimate(view, {Quantity::means, target});
        Answers all = answers(subject, critical_value, estimates.size());
        for (std::size_t j = 0; j < estimates.size(); ++j) {
            if (is_number(view, j) && subject.has(j))
                all.add(j, Answers::none, estimates[j], kept(report_status(view, j, target)));
        }
        return all;
    };
    return ask(subject, Answers{}, found, [&](const SummaryView& view) {
        check_answer(*view.mechanism, Quantity::means);
        if (subject.attribute) check_attribute(*subject.attribute, view.mechanism->cells().size());
    });
}

/// Calls `find(view, attribute, status)` for the values of one attribute, with the status of its reports.
template <class Find>
Answers of_one_category(const Subject& subject, Target target, Find find) {
    const auto found = [&](const SummaryView& view) {
        const std::size_t attribute = one_category(view, subject.attribute);
        return find(view, attribute, kept(report_status(view, attribute, target)));
    };
    return ask(subject, Answers{}, found,
               [&](const SummaryView& view) { (void)one_category(view, subject.attribute); });
}

Answers frequencies(const Subject& subject, Consistency method, double critical_value, Target target) {
    return of_one_category(subject, target,
                           [&](const SummaryView& view, std::size_t attribute, const ReportStatus* status) {
                               Answers all = answers(subject, critical_value, 0);
                               if (method == Consistency::none) {
                                   add_shares(all, view, attribute, target);
                               } else {
                                   // Errors and intervals apply to the
                                   // unbiased estimates only.
                                   const std::vector<double> shares = consistent(view, method, attribute);
                                   all.reserve(shares.size());
                                   for_each_index(shares.size(), [&](std::size_t value) {
                                       all.add(attribute, value, {shares[value], unknown}, status);
                                   });
                               }
                               return all;
                           });
}

/// Rows in order of size. If there are too few reports for an order, a single row without a value.
Answers ranked(const Subject& subject, const SummaryView& view, const std::vector<Ranked>& ranking,
               std::size_t attribute, double critical_value, Target target, const ReportStatus* status) {
    Answers all = answers(subject, critical_value, ranking.size() + 1, true);
    const ValueStatus about(view, attribute, target, status);
    if (!status->enough)
        all.add(attribute, Answers::none, {unknown, unknown}, status);
    else if (const auto ranges = own_intervals(view, attribute, target, {}, critical_value); !ranges.empty())
        for_each_index(ranking.size(), [&](std::size_t i) {
            const auto& [value, estimate, p_value] = ranking[i];
            all.add(attribute, value, estimate, about(value), ranges[value], p_value);
        });
    else
        for_each_index(ranking.size(), [&](std::size_t i) {
            const auto& [value, estimate, p_value] = ranking[i];
            all.add(attribute, value, estimate, about(value), p_value);
        });
    return all;
}

Answers largest(const Subject& subject, std::size_t limit, double critical_value, Target target,
                Control control) {
    return of_one_category(subject, target,
                           [&](const SummaryView& view, std::size_t attribute, const ReportStatus* status) {
                               return ranked(subject, view, top(view, limit, target, control, attribute),
                                             attribute, critical_value, target, status);
                           });
}

Answers picked(const Subject& subject, CandidateMethod method, Control control, double critical_value) {
    return ask_one(subject, Answers{}, [&](const SummaryView& view) {
        check_answer(*view.mechanism, Quantity::frequencies);
        ReportStatus about = report_status(spent_budgets(subject.summary), view);
        about.law = law_of_share();
        return ranked(subject, view, candidates(view, method, control), subject.attribute.value_or(0),
                      critical_value, Target::sample, kept(about));
    });
}

/// The attributes and texts that ldp_estimate returns. It has no destructor, so it may exist during jumps.
struct Selection {
    std::optional<TextArray> attributes = {};  ///< names; nothing for all attributes
    /// Pairs of an attribute and a text, which are listed instead of those of a search.
    std::optional<TextArray> texts = {};

    [[nodiscard]] std::vector<bool> selected(const Labels& labels, std::size_t count) const {
        std::vector<bool> all(count, !attributes);
        for (std::size_t i = 0; attributes && i < attributes->count; ++i) {
            const std::size_t first = labels.attribute_called(attributes->texts[i], count);
            for (std::size_t j = 0; j < labels.attributes_called(first, attributes->texts[i]); ++j)
                all[first + j] = true;
        }
        return all;
    }
    /// The codes of the listed texts of an attribute, in their order.
    [[nodiscard]] std::vector<Cell> codes(const Labels& labels, std::size_t attribute,
                                          std::size_t count) const {
        std::vector<Cell> all;
        for (std::size_t i = 0; i + 1 < texts->count; i += 2)
            if (labels.attribute_called(texts->texts[i], count) == attribute)
                all.push_back(labels.value_called(attribute, texts->texts[i + 1]));
        return all;
    }
};

/// The texts of an attribute with their shares.
struct ListedText {
    Cell code;
    StringShare share;
};

std::vector<ListedText> listed_texts(const SummaryView& view, std::size_t attribute,
                                     const Selection& selection, const Labels& labels, Target target) {
    std::vector<ListedText> all;
    if (selection.texts) {
        const std::vector<Cell> codes = selection.codes(labels, attribute, view.mechanism->cells().size());
        const std::vector<StringShare> shares = shares_of_strings(view, attribute, codes, target);
        for (std::size_t i = 0; i < codes.size(); ++i) all.push_back({codes[i], shares[i]});
    } else if (enough(part(view, attribute))) {
        for (const FrequentString& one : search_strings(view, attribute, {}, target))
            all.push_back({one.code, one.share});
    }
    return all;
}

/// Rows of texts; a row without a text if a search may not show any because there are too few reports.
void add_texts(Answers& all, const SummaryView& view, std::size_t attribute,
               std::span<const ListedText> texts, bool searched) {
    ReportStatus status = report_status(view, part(view, attribute));
    if (!status.enough && searched) all.add(attribute, Answers::none, {unknown, unknown}, kept(status));
    if (status.enough) {
        const std::string other = status.note == nullptr ? "" : std::string(status.note) + "; ";
        status.note = keep(other + (searched ? "only significantly frequent texts are listed"
                                             : "from a list of texts, which may be rare here"));
    }
    for (const ListedText& one : texts)
        all.add(attribute, one.code, one.share.estimate,
                kept(status_of_part(status, one.share.n, one.share.law)));
}

/// The estimates of a summary: the mean of each number, the shares of each category, and the texts of an open
/// domain.
Answers everything(const Subject& subject, const Selection& selection, double critical_value, Target target) {
    const auto found = [&](const SummaryView& view) {
        const std::vector<std::uint64_t> cells = view.mechanism->cells();
        const std::vector<bool> selected = selection.selected(*subject.labels, cells.size());
        std::map<std::size_t, std::vector<ListedText>> texts;
        std::size_t room = 0;
        bool numbers = false;
        for (std::size_t j = 0; j < cells.size(); ++j) {
            if (!selected[j]) continue;
            if (has_strings(view, j)) {
                texts[j] = listed_texts(view, j, selection, *subject.labels, target);
                room += texts[j].size() + 1;
            } else {
                numbers |= is_number(view, j);
                room += is_number(view, j) ? 1 : cells[j];
            }
        }
        std::vector<Estimate> means;
        if (numbers) means = estimate(view, {Quantity::means, target});
        Answers all = answers(subject, critical_value,
                              cells.size() > 1 || is_number(view, 0) || !texts.empty() ? room : 0);
        for (std::size_t j = 0; j < cells.size(); ++j)
            if (!selected[j])
                continue;
            else if (const auto listed = texts.find(j); listed != texts.end())
                add_texts(all, view, j, listed->second, !selection.texts);
            else if (is_number(view, j))
                all.add(j, Answers::none, means[j], kept(report_status(view, j, target)));
            else
                add_shares(all, view, j, target);
        return all;
    };
    return ask(subject.summary, Answers{}, found,
               [](const SummaryView& view) { check_answer(*view.mechanism, view.mechanism->answers()[0]); });
}

/// Pairs of an attribute and a text, in memory that outlives C++ objects.
struct TextPairs {
    struct TextPair {
        std::uint32_t attribute;
        Cell code;
    };
    TextPair* pairs = nullptr;
    std::size_t count = 0;
};

/// The texts that a search of each selected attribute finds.
TextPairs frequent_texts(const Subject& subject, const Selection& selection) {
    return ask(subject.summary, TextPairs{}, [&](const SummaryView& view) {
        const std::size_t attributes = view.mechanism->cells().size();
        const std::vector<bool> selected = selection.selected(*subject.labels, attributes);
        std::vector<TextPairs::TextPair> found;
        for (std::size_t j = 0; j < attributes; ++j)
            if (selected[j] && has_strings(view, j))
                for (const ListedText& one : listed_texts(view, j, {}, *subject.labels, Target::sample))
                    found.push_back({static_cast<std::uint32_t>(j), one.code});
        TextPairs all{
            static_cast<TextPairs::TextPair*>(try_palloc(sizeof(TextPairs::TextPair) * (found.size() + 1)))};
        for (const TextPairs::TextPair& one : found) all.pairs[all.count++] = one;
        return all;
    });
}

/// An optional argument of texts. May jump.
std::optional<TextArray> optional_texts(FunctionCallInfo fcinfo, int number) {
    if (PG_ARGISNULL(number)) return {};
    return text_array_argument(fcinfo, number);
}

/// An optional argument of pairs of texts. May jump.
std::optional<TextArray> optional_pairs(FunctionCallInfo fcinfo, int number) {
    if (PG_ARGISNULL(number)) return {};
    const ArrayType* array = PG_GETARG_ARRAYTYPE_P(number);
    if (ARR_NDIM(array) != 0 && (ARR_NDIM(array) != 2 || ARR_DIMS(array)[1] != 2))
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("texts must be an array of pairs of an attribute and a text"),
                        errhint("Use the result of ldp_frequent_texts, or an array such as "
                                "'{{brand,acme},{brand,globex}}'.")));
    return text_array_argument(fcinfo, number);
}

constexpr Column robust_interval_columns[] = {
    {"attribute", TEXTOID}, {"label", TEXTOID}, {"estimate", FLOAT8OID}, {"lower", FLOAT8OID},
    {"upper", FLOAT8OID},   {"n", INT8OID},     {"people", INT8OID},     {"attribute_number", INT4OID},
    {"value", INT4OID},     {"note", TEXTOID}};

/// All estimates of a summary, with individual bounds.
struct Bounded {
    Answers answers;
    const ldp::Interval* bounds = nullptr;
    std::size_t count = 0;

    void write(RowWriter<robust_interval_columns>& row, std::size_t number) const {
        const auto& [attribute, value, estimate, status] = answers.rows[number];
        const double shown = status->enough ? estimate.value : unknown;
        answers.put_names(row, attribute, value);
        row.put("estimate", shown);
        row.put("lower", status->enough ? bounds[number].lower : unknown);
        row.put("upper", status->enough ? bounds[number].upper : unknown);
        status->put_counts(row);
        status->put_note(row, !std::isnan(shown));
    }
};

/// All estimates, with intervals that hold if at most this share of the reports is forged.
Bounded robust_interval(const Subject& subject, double forged, double errors, Target target) {
    const Answers all = everything(subject, {}, 0, target);
    return ask(subject.summary, Bounded{{}}, [&](const SummaryView& view) {
        auto* bounds = static_cast<ldp::Interval*>(try_palloc(all.count * sizeof(ldp::Interval)));
        std::optional<RobustInterval> of_attribute;
        Work work;
        for (std::size_t row = 0; row < all.count; ++row, work.done()) {
            const auto& [attribute, value, estimate, status] = all.rows[row];
            const Quantity quantity = value == Answers::none ? Quantity::means : Quantity::frequencies;
            if (row == 0 || attribute != all.rows[row - 1].attribute)
                of_attribute.emplace(view, Question{quantity, target, attribute}, forged, errors);
            bounds[row] = (*of_attribute)(estimate);
        }
        return Bounded{all, bounds, all.count};
    });
}

/// The status of a difference, with the numbers of the summary with fewer reports. Spent budgets bias both
/// estimates.
ReportStatus status_of_both(const SummaryView& before, const SummaryView& after, std::uint32_t attribute) {
    const SummaryView old_part = part(before, attribute), new_part = part(after, attribute);
    const ldp::Interval possible =
        possible_values(*old_part.mechanism, attribute - part_of(*before.mechanism, attribute).first);
    const ReportStatus first = report_status(before, old_part, possible),
                       second = report_status(after, new_part, possible);
    ReportStatus both = !second.enough || (first.enough && first.note == nullptr) ? second : first;
    const ReportStatus& smaller = first.n < second.n ? first : second;
    both.n = smaller.n;
    both.people = smaller.people;
    both.bias = bias_of_difference(first.bias, second.bias);
    return both;
}

/// Differences; empty if one of the summaries has no reports.
Answers changed(const Subject& subject, Bytes after, double repeated, double critical_value, Target target) {
    // Bytes that are not a summary raise that error, not the error of a different spec.
    const std::unique_ptr<const Mechanism> other = checked_mechanism(after);
    const SummaryView later = view_of(*other, after);
    const auto found = [&](const SummaryView& before) {
        if (later.n == 0) return Answers{};
        const std::vector<Change> changes = change(before, later, repeated, critical_value, target);
        Answers all = answers(subject, critical_value, changes.size(), true);
        const ReportStatus* last = nullptr;
        std::uint32_t last_attribute = Answers::no_attribute;
        const auto about = [&](std::uint32_t attribute) {  // the rows of an attribute are adjacent
            if (attribute != std::exchange(last_attribute, attribute))
                last = kept(status_of_both(before, later, attribute));
            return last;
        };
        Work work;
        for (const auto& [attribute, value, difference, interval, p_value] : changes) {
            work.done();
            if (subject.has(attribute))
                all.add(attribute, value ? *value : Answers::none, difference, about(attribute), interval,
                        p_value);
        }
        return all;
    };
    return ask(subject.summary, Answers{}, found, [&](const SummaryView& view) {
        if (!subject.attribute) return;
        const Mechanism& one = *part_of(*view.mechanism, *subject.attribute).mechanism;
        if (one.can_estimate(Quantity::strings)) check_can_estimate(one, Quantity::frequencies);
    });
}

}  // namespace

/// (summary, confidence, target, attribute): a row per number.
LDP_FUNCTION(ldp_means) {
    return rows<answer_columns>(
        fcinfo,
        [=] {
            const Subject subject = subject_argument(fcinfo);
            return means(subject, critical_value(PG_GETARG_FLOAT8(1)), target_argument(fcinfo, 2));
        },
        1);
}

/// (summary, method, confidence, target, attribute): a row per value.
LDP_FUNCTION(ldp_frequencies) {
    return rows<answer_columns>(
        fcinfo,
        [=] {
            const Subject subject = subject_argument(fcinfo);
            const Consistency method = consistency_named(word_argument(fcinfo, 1));
            return frequencies(subject, method, critical_value(PG_GETARG_FLOAT8(2)),
                               target_argument(fcinfo, 3));
        },
        1);
}

LDP_FUNCTION(ldp_frequencies_final) {
    return row_array<answer_columns>(fcinfo, frequencies(points_argument(fcinfo), Consistency::none,
                                                         critical_value(usual_confidence), Target::sample));
}

LDP_FUNCTION(ldp_frequencies_method_final) {
    const AggregateArguments query = text_query(fcinfo);
    return row_array<answer_columns>(fcinfo,
                                     frequencies(query.points(), consistency_named(core_text(query.text)),
                                                 critical_value(usual_confidence), Target::sample));
}

/// (summary, confidence, target, attributes, texts): a row per number and per value of a category, in order.
LDP_FUNCTION(ldp_estimate_summary) {
    return rows<answer_columns>(
        fcinfo,
        [=] {
            const Subject subject = whole_argument(fcinfo);
            const Selection selection{optional_texts(fcinfo, 3), optional_pairs(fcinfo, 4)};
            return everything(subject, selection, critical_value(PG_GETARG_FLOAT8(1)),
                              target_argument(fcinfo, 2));
        },
        2);
}

/// (summary, attributes) → text[]: pairs of an attribute and a frequent text.
LDP_FUNCTION(ldp_frequent_texts) {
    if (PG_ARGISNULL(0)) PG_RETURN_NULL();
    const Subject subject = whole_argument(fcinfo);
    const TextPairs found = frequent_texts(subject, {optional_texts(fcinfo, 1)});
    if (found.count == 0) PG_RETURN_ARRAYTYPE_P(construct_empty_array(TEXTOID));
    auto* elements = static_cast<Datum*>(palloc(sizeof(Datum) * 2 * found.count));
    for (std::size_t i = 0; i < found.count; ++i) {
        elements[2 * i] = subject.labels.name(found.pairs[i].attribute);
        elements[2 * i + 1] = subject.labels.label(found.pairs[i].attribute, found.pairs[i].code);
    }
    int sizes[2] = {static_cast<int>(found.count), 2}, from[2] = {1, 1};
    PG_RETURN_ARRAYTYPE_P(
        construct_md_array(elements, nullptr, 2, sizes, from, TEXTOID, -1, false, TYPALIGN_INT));
}

/// (summary, forged, confidence, target): the same rows with intervals that hold under a share of forged
/// reports.
LDP_FUNCTION(ldp_robust_interval) {
    return rows<robust_interval_columns>(fcinfo, [=] {
        const Subject subject = whole_argument(fcinfo);
        const double errors = critical_value(PG_GETARG_FLOAT8(2));
        return robust_interval(subject, PG_GETARG_FLOAT8(1), errors, target_argument(fcinfo, 3));
    });
}

/// (summary, limit, confidence, target, control, attribute): the most frequent values and their significance.
LDP_FUNCTION(ldp_top) {
    return rows<ranked_columns>(
        fcinfo,
        [=] {
            const Subject subject = subject_argument(fcinfo);
            const std::size_t limit = limit_of(PG_GETARG_INT32(1));
            const double critical_value = ldp::critical_value(PG_GETARG_FLOAT8(2));
            const Target target = target_argument(fcinfo, 3);
            return largest(subject, limit, critical_value, target, control_named(word_argument(fcinfo, 4)));
        },
        1);
}

LDP_FUNCTION(ldp_top_final) {
    const AggregateArguments query = integer_query(fcinfo);
    return row_array<ranked_columns>(
        fcinfo, largest(query.points(), limit_of(query.integer()), critical_value(usual_confidence),
                        Target::sample, Control::bonferroni));
}

/// (summary, selection, control, confidence, attribute): the values selected from the candidates, and
/// their significance.
LDP_FUNCTION(ldp_candidates) {
    return rows<ranked_columns>(
        fcinfo,
        [=] {
            const Subject subject = subject_argument(fcinfo);
            const CandidateMethod method = candidate_method_named(word_argument(fcinfo, 1));
            const Control control = control_named(word_argument(fcinfo, 2));
            return picked(subject, method, control, critical_value(PG_GETARG_FLOAT8(3)));
        },
        1);
}

/// (before, after, memoized, confidence, target, attribute): a row per number and per value of a
/// category.
LDP_FUNCTION(ldp_change) {
    return rows<change_columns>(
        fcinfo,
        [=] {
            const Bytes after = summary_argument(fcinfo, 1);
            const double memoized = PG_GETARG_FLOAT8(2);
            const Subject subject = subject_argument(fcinfo);
            const double critical_value = ldp::critical_value(PG_GETARG_FLOAT8(3));
            return changed(subject, after, memoized, critical_value, target_argument(fcinfo, 4));
        },
        1);
}
