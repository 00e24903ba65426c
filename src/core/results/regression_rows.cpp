// Rows of the association of the numbers of a record: covariance, correlation and regression.

#include "core/regression/product_regression.hpp"

#include "core/results/estimate_rows.hpp"
#include "core/results/row_functions.hpp"

namespace ldp {

namespace {

constexpr ResultColumn term_columns[] = {
    {"term", ColumnType::text},     {"label", ColumnType::text},    {"estimate", ColumnType::number},
    {"stderr", ColumnType::number}, {"lower", ColumnType::number},  {"upper", ColumnType::number},
    {"n", ColumnType::bigint},      {"people", ColumnType::bigint}, {"note", ColumnType::text}};

/// Rows about all reports together: of estimate_columns, or one per term.
struct TermRows {
    struct TermRow {
        std::optional<std::string> term, label;
        Estimate estimate;
        Interval interval;
        std::string note = {};  ///< of this row; empty without one
    };
    ReportStatus status = {};
    std::vector<TermRow> rows = {};
    std::size_t count = 0;

    template <class Writer>
    void write(Writer& row, std::size_t number) const {
        const auto& [term, label, estimate, interval, note] = rows[number];
        if constexpr (Writer::has("term")) {
            if (term) row.put("term", *term);
            if (label) row.put("label", *label);
        }
        row.put("estimate", estimate.value);
        row.put("stderr", estimate.standard_error);
        row.put("lower", interval.lower);
        row.put("upper", interval.upper);
        status.put_counts(row);
        if (!note.empty())
            row.put("note", note);
        else
            status.put_note(row, !std::isnan(estimate.value));
    }

    void add(TermRow row) {
        rows.push_back(std::move(row));
        count = rows.size();
    }
};

/// Empty rows about a summary. The attribute with the fewest reports decides whether estimates are published.
TermRows about_terms(const SummaryView& view, std::size_t scarcest) {
    TermRows all;
    all.status = report_status(view);
    if (const ReportStatus least = report_status(part(view, scarcest)); !least.enough)
        all.status.note = least.note;
    return all;
}

/// `ask(joint)` of a summary whose attributes are known; no rows without reports.
template <class Ask>
TermRows ask_joint(const Subject& subject, Target target, Ask ask) {
    const auto found = [&](const SummaryView& view) {
        const Labels& labels = *subject.labels;
        if (!labels.known())
            throw Error(ErrorCode::invalid_value, "the names of the attributes are unknown",
                        "No collection in this database has the summary's spec, which defines the products.",
                        "Run the query in the database of the collection.");
        return ask(Joint{view, labels.attributes(), target});
    };
    return ldp::ask(subject.summary, TermRows{}, found,
                    [](const SummaryView& view) { (void)capability<Record>(*view.mechanism); });
}

/// An attribute's name, from its name or number; other text is rejected later.
std::string named(const Joint& joint, std::string_view name) {
    const auto found = find_attribute_or_number(joint.attributes, name);
    return found ? joint.attributes[*found].name : std::string(name);
}

using Associate = MomentEstimate (*)(const Joint&, const std::string&, const std::string&, double);

std::unique_ptr<Results> association_of_numbers(Associate associate, const Subject& subject,
                                                const SummaryQuery& query) {
    const double critical_value = ldp::critical_value(query.confidence);
    return results<estimate_columns>(ask_joint(subject, target_named(query.target), [&](const Joint& joint) {
        const auto [estimate, interval, scarcest] =
            associate(joint, named(joint, query.x), named(joint, query.y), critical_value);
        TermRows all = about_terms(joint.view, scarcest);
        all.add({{}, {}, estimate, interval});
        return all;
    }));
}

}  // namespace

namespace accessors {

Found covariance(const Subject& subject, const SummaryQuery& query) {
    return association_of_numbers(ldp::covariance, subject, query);
}

Found correlation(const Subject& subject, const SummaryQuery& query) {
    return association_of_numbers(ldp::correlation, subject, query);
}

/// A row for the intercept, or for each group's intercept; for each predictor; and for R².
Found regression(const Subject& subject, const SummaryQuery& query) {
    const double critical_value = ldp::critical_value(query.confidence);
    const auto normal = [&](const Estimate& estimate) {
        return interval(estimate, critical_value, ErrorLaw{});
    };
    return results<term_columns>(ask_joint(subject, target_named(query.target), [&](const Joint& joint) {
        RegressionDesign design{named(joint, query.of), {}, {}};
        for (const std::string_view predictor : query.predictors)
            design.on.push_back(named(joint, predictor));
        if (query.group) design.group = named(joint, *query.group);
        const Regression found = ldp::regression(joint, design);
        TermRows all = about_terms(joint.view, found.scarcest);
        const auto grouped = query.group ? find_attribute(joint.attributes, *design.group) : std::nullopt;
        for (std::size_t c = 0; c < found.intercepts.size(); ++c) {
            std::optional<std::string> label;
            if (grouped) label = label_or_number(joint.attributes[*grouped], c);
            all.add({grouped ? *design.group : "(intercept)", std::move(label), found.intercepts[c],
                     normal(found.intercepts[c])});
        }
        for (std::size_t j = 0; j < found.slopes.size(); ++j)
            all.add({design.on[j], {}, found.slopes[j], normal(found.slopes[j])});
        const bool status = !found.r_squared_note.empty() && !std::isnan(found.intercepts[0].value);
        all.add({"(r_squared)",
                 {},
                 found.r_squared,
                 normal(found.r_squared),
                 status ? found.r_squared_note : std::string()});
        return all;
    }));
}

}  // namespace accessors

}  // namespace ldp
