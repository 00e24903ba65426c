// Rows about several attributes together, for reports on cross tables.

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/base/interrupt.hpp"
#include "core/tables/marginal.hpp"
#include "estimate_rows.hpp"
#include "tables/text_arrays.hpp"

using namespace ldp;

namespace {

/// Arguments of all these functions.
struct MarginalQuery {
    Bytes summary;
    SummaryLabels labels;
    std::string_view method;
    double critical_value;
    Target target;
};

/// The summary, and from argument `number` on: method, confidence, target. May jump.
MarginalQuery asked_argument(FunctionCallInfo fcinfo, int number) {
    const Subject subject = whole_argument(fcinfo);
    return {subject.summary, subject.labels, word_argument(fcinfo, number),
            critical_value(PG_GETARG_FLOAT8(number + 1)), target_argument(fcinfo, number + 2)};
}

/// Row type ldp_cell.
constexpr Column cell_columns[] = {
    {"cell", TEXTARRAYOID}, {"estimate", FLOAT8OID},        {"stderr", FLOAT8OID},
    {"lower", FLOAT8OID},   {"upper", FLOAT8OID},           {"n", INT8OID},
    {"people", INT8OID},    {"cell_numbers", INT4ARRAYOID}, {"note", TEXTOID}};
constexpr Column conditional_columns[] = {{"given_cell", TEXTARRAYOID},
                                          {"cell", TEXTARRAYOID},
                                          {"estimate", FLOAT8OID},
                                          {"stderr", FLOAT8OID},
                                          {"lower", FLOAT8OID},
                                          {"upper", FLOAT8OID},
                                          {"n", INT8OID},
                                          {"people", INT8OID},
                                          {"given_numbers", INT4ARRAYOID},
                                          {"cell_numbers", INT4ARRAYOID},
                                          {"note", TEXTOID}};

/// Rows of ldp_cell, or of cells among the first `given` attributes' cells.
struct CellRows {
    struct CellRow {
        const char** labels;
        std::int32_t* numbers;  // null for a box
        Estimate estimate;
        ldp::Interval interval;
        const char* note;
    };

    CellRow* rows = nullptr;
    std::size_t count = 0, attributes = 0, given = 0;
    ReportStatus status = {};

    template <class Writer>
    void write(Writer& row, std::size_t number) const {
        const CellRow& one = rows[number];
        row.put("cell", text_array(one.labels + given, attributes - given));
        if (one.numbers != nullptr)
            row.put("cell_numbers", number_array(one.numbers + given, attributes - given));
        if constexpr (Writer::has("given_cell")) {
            row.put("given_cell", text_array(one.labels, given));
            row.put("given_numbers", number_array(one.numbers, given));
        }
        if (status.enough) {
            row.put("estimate", one.estimate.value);
            row.put("stderr", one.estimate.standard_error);
            row.put("lower", one.interval.lower);
            row.put("upper", one.interval.upper);
        }
        status.put_counts(row);
        if (status.enough && one.note != nullptr)
            row.put("note", one.note);
        else
            status.put_note(row, !std::isnan(one.estimate.value));
    }

    // Allowed beside C++ objects.

    void reserve(std::size_t room) { rows = static_cast<CellRow*>(try_palloc(room * sizeof(CellRow))); }
    CellRow& add() {
        CellRow& row = rows[count++];
        row = {static_cast<const char**>(try_palloc(attributes * sizeof(char*))),
               nullptr,
               {unknown, unknown},
               {unknown, unknown},
               nullptr};
        return row;
    }
};

/// A share of all people, or among others.
void answer(CellRows::CellRow& row, const Marginal& marginal, const JointShares::Box& box,
            double critical_value, const BiasBound& bias) {
    const MeasuredShare share = marginal.measured(box);
    row.estimate = share.estimate;
    row.interval = extended(interval(share, critical_value), bias, critical_value);
}
void answer(CellRows::CellRow& row, const Marginal& marginal, const JointShares::Box& of,
            const JointShares::Box& given, double critical_value) {
    const Quotient quotient = marginal.quotient(of, given, critical_value);
    row.estimate = quotient.estimate;
    row.interval = quotient.interval;
    if (std::isnan(quotient.estimate.value) && marginal.known())
        row.note = "the given values may have probability zero";
}

/// A query and its subject, in the order of the arguments and in ascending order of the attributes.
class Together {
  public:
    Together(const SummaryView& view, const MarginalQuery& query, std::vector<std::size_t> attributes)
        : order_(attributes.size()),
          marginal_(view, sorted(attributes), combination_named(query.method), query.target) {
        std::vector<std::size_t> ascending = sorted(attributes);
        for (std::size_t i = 0; i < attributes.size(); ++i) {
            order_[i] = static_cast<std::size_t>(std::ranges::lower_bound(ascending, attributes[i]) -
                                                 ascending.begin());
            sizes_.push_back(marginal_.sizes()[order_[i]]);
        }
        SummaryView about = view;
        about.n = marginal_.reports();
        status_ = ldp::report_status(view, about);
    }

    /// In the order of the arguments.
    [[nodiscard]] const std::vector<std::uint64_t>& sizes() const noexcept { return sizes_; }
    /// The values of the first `count` attributes, or of the others; by default all the rest.
    [[nodiscard]] JointShares::Box box(std::span<const std::uint64_t> values, std::size_t from,
                                       std::size_t to) const {
        JointShares::Box box(order_.size());
        for (std::size_t i = 0; i < order_.size(); ++i) {
            box[order_[i]].assign(sizes_[i], i < from || i >= to);
            if (i >= from && i < to) box[order_[i]][values[i]] = true;
        }
        return box;
    }
    [[nodiscard]] const Marginal& marginal() const noexcept { return marginal_; }
    [[nodiscard]] const ReportStatus& status() const noexcept { return status_; }

  private:
    static std::vector<std::size_t> sorted(std::vector<std::size_t> attributes) {
        std::ranges::sort(attributes);
        return attributes;
    }

    std::vector<std::size_t> order_;  // index of each requested attribute in ascending order
    Marginal marginal_;
    std::vector<std::uint64_t> sizes_;
    ReportStatus status_;
};

/// All cells of the attributes, or of those after the first `given` among the people of each cell of
/// these.
CellRows cells(const MarginalQuery& query, const TextArray& given, const TextArray& of) {
    return ask(query.summary, CellRows{}, [&](const SummaryView& view) {
        const std::vector<std::uint64_t> all_sizes = view.mechanism->cells();
        const Labels& labels = query.labels.fitting(all_sizes);
        std::vector<std::size_t> attributes;
        for (const TextArray& names : {given, of})
            for (std::size_t i = 0; i < names.count; ++i)
                attributes.push_back(labels.attribute_called(names.texts[i], all_sizes.size()));
        const Together together(view, query, attributes);
        std::vector<std::vector<const char*>> words(attributes.size());
        for (std::size_t i = 0; i < attributes.size(); ++i)
            for (std::size_t v = 0; v < together.sizes()[i]; ++v)
                words[i].push_back(keep(labels.label(attributes[i], v)));
        CellRows all{.attributes = attributes.size(), .given = given.count, .status = together.status()};
        const Cells every(together.sizes());
        all.reserve(every.count());
        for (std::size_t cell = 0; cell < every.count(); ++cell) {
            check_interrupt();
            const std::vector<std::uint64_t> values = every.values(cell);
            CellRows::CellRow& row = all.add();
            row.numbers = static_cast<std::int32_t*>(try_palloc(attributes.size() * sizeof(std::int32_t)));
            for (std::size_t i = 0; i < attributes.size(); ++i) {
                row.labels[i] = words[i][values[i]];
                row.numbers[i] = static_cast<std::int32_t>(values[i]);
            }
            const JointShares::Box wanted = together.box(values, given.count, attributes.size());
            if (given.count == 0)
                answer(row, together.marginal(), wanted, query.critical_value, all.status.bias);
            else
                answer(row, together.marginal(), wanted, together.box(values, 0, given.count),
                       query.critical_value);
        }
        return all;
    });
}

/// A box, among all people or among those in another box.
CellRows box(const MarginalQuery& query, const char* conditions, const char* given) {
    return ask(query.summary, CellRows{}, [&](const SummaryView& view) {
        const std::vector<std::uint64_t> all_sizes = view.mechanism->cells();
        const Labels& labels = query.labels.fitting(all_sizes);
        const Labels::Conditions wanted = labels.conditions(conditions, all_sizes);
        const Labels::Conditions among =
            given == nullptr ? Labels::Conditions{} : labels.conditions(given, all_sizes);
        std::vector<std::size_t> attributes;
        std::ranges::set_union(wanted.attributes, among.attributes, std::back_inserter(attributes));
        const Together together(view, query, attributes);
        // Attributes without a condition take all values.
        const auto whole = [&](const Labels::Conditions& said) {
            JointShares::Box all;
            for (std::size_t i = 0; i < attributes.size(); ++i) {
                const auto at = std::ranges::find(said.attributes, attributes[i]) - said.attributes.begin();
                all.push_back(at == std::ssize(said.attributes) ? std::vector<bool>(together.sizes()[i], true)
                                                                : said.box[static_cast<std::size_t>(at)]);
            }
            return all;
        };
        CellRows all{.attributes = wanted.attributes.size(), .status = together.status()};
        all.reserve(1);
        CellRows::CellRow& row = all.add();
        for (std::size_t i = 0; i < wanted.attributes.size(); ++i) {
            std::string words;
            for (std::size_t v = 0; v < wanted.box[i].size(); ++v)
                if (wanted.box[i][v])
                    words += (words.empty() ? "" : " or ") + labels.label(wanted.attributes[i], v);
            row.labels[i] = keep(words);
        }
        if (given == nullptr)
            answer(row, together.marginal(), whole(wanted), query.critical_value, all.status.bias);
        else
            answer(row, together.marginal(), whole(wanted), whole(among), query.critical_value);
        return all;
    });
}

constexpr Column view_columns[] = {
    {"attributes", TEXTARRAYOID}, {"cells", INT8OID}, {"n", INT8OID}, {"attribute_numbers", INT4ARRAYOID}};

/// The views of the spec.
struct Views {
    struct ViewRow {
        const char** names;
        std::int32_t* numbers;
        std::size_t attributes;
        std::uint64_t cells, n;
    };
    ViewRow* rows = nullptr;
    std::size_t count = 0;

    void write(RowWriter<view_columns>& row, std::size_t number) const {
        const ViewRow& one = rows[number];
        row.put("attributes", text_array(one.names, one.attributes));
        row.put("cells", one.cells);
        row.put("n", one.n);
        row.put("attribute_numbers", number_array(one.numbers, one.attributes));
    }
};

Views views(const Subject& subject) {
    const Bytes summary = subject.summary;
    const std::unique_ptr<const Mechanism> mechanism = checked_mechanism(summary);
    const std::vector<std::uint64_t> sizes = mechanism->cells();
    const Labels& labels = subject.labels.fitting(sizes);
    const std::vector<RecordPart> parts = parts_of(*mechanism);
    const auto with_tables = std::ranges::find_if(
        parts, [](const RecordPart& one) { return find_capability<JointViews>(*one.mechanism) != nullptr; });
    if (with_tables == parts.end()) refuse(*mechanism, JointViews::offers);
    const std::size_t first = with_tables->first;
    const SummaryView view = part(view_of(*mechanism, summary), first);
    const auto& joint = capability<JointViews>(*view.mechanism);
    const std::vector<std::vector<std::size_t>> found = joint.views();
    Views all{static_cast<Views::ViewRow*>(try_palloc(found.size() * sizeof(Views::ViewRow)))};
    for (const std::vector<std::size_t>& attributes : found) {
        check_interrupt();
        Views::ViewRow& row = all.rows[all.count];
        row = {static_cast<const char**>(try_palloc(attributes.size() * sizeof(char*))),
               static_cast<std::int32_t*>(try_palloc(attributes.size() * sizeof(std::int32_t))),
               attributes.size(), 1, joint.reports_of_view(view, all.count)};
        for (std::size_t i = 0; i < attributes.size(); ++i) {
            const std::size_t attribute = first + attributes[i];
            row.names[i] = keep(labels.name(attribute));
            row.numbers[i] = static_cast<std::int32_t>(attribute);
            row.cells *= sizes[attribute];
        }
        ++all.count;
    }
    return all;
}

}  // namespace

/// (summary): a row for each view.
LDP_FUNCTION(ldp_views) {
    return rows<view_columns>(fcinfo, [=] {
        const Subject subject = whole_argument(fcinfo);
        return views(subject);
    });
}

/// (summary, attributes, method, confidence, target): a row for each cell.
LDP_FUNCTION(ldp_marginal) {
    return rows<cell_columns>(fcinfo, [=] {
        const TextArray attributes = text_array_argument(fcinfo, 1);
        return cells(asked_argument(fcinfo, 2), {nullptr, 0}, attributes);
    });
}

/// (summary, conditions, method, confidence, target, given): one row.
LDP_FUNCTION_OF_REPORTS(ldp_share, ERRCODE_INVALID_PARAMETER_VALUE) {
    return rows<cell_columns>(
        fcinfo,
        [=] {
            const char* conditions = json_argument(fcinfo, 1);
            const char* given = PG_ARGISNULL(5) ? nullptr : json_argument(fcinfo, 5);
            return box(asked_argument(fcinfo, 2), conditions, given);
        },
        1);
}

/// (summary, of, given, method, confidence, target): a row for each cell of all attributes.
LDP_FUNCTION(ldp_conditional) {
    return rows<conditional_columns>(fcinfo, [=] {
        const TextArray of = text_array_argument(fcinfo, 1), given = text_array_argument(fcinfo, 2);
        if (given.count == 0)
            throw Error(ErrorCode::invalid_value, "no attribute is given", "The argument \"given\" is empty.",
                        "Use ldp_marginal for shares among all people.");
        return cells(asked_argument(fcinfo, 3), given, of);
    });
}
