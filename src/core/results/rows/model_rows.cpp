// Rows of associations of attributes from reports on cross tables: tests, fitted tables, models, views for a second
// round.

#include <algorithm>
#include <string_view>
#include <vector>

#include "core/base/interrupt.hpp"
#include "core/choice/view_plan.hpp"
#include "core/math/insecure_bits.hpp"
#include "core/models/association.hpp"
#include "core/models/graphical_model.hpp"
#include "core/results/report_status.hpp"
#include "core/results/row_functions.hpp"
#include "core/results/rows/cell_names.hpp"
#include "core/tables/fitted.hpp"
#include "core/tables/measured.hpp"

namespace ldp {

namespace {

constexpr auto association_columns =
    columns("text attribute", "text other_attribute", "number estimate", "number lower", "number upper",
            "number information", "number information_stderr", "bigint n", "text note", "number p_value",
            "number adjusted_p_value", "integer attribute_number", "integer other_attribute_number");

/// Pairs of attributes.
struct AssociationRows {
    struct AssociationRow {
        std::string first, second;
        Association found;
        ReportStatus status;
    };
    std::vector<AssociationRow> rows = {};
    std::size_t count = 0;

    void write(RowCells<association_columns>& row, std::size_t number) const {
        const auto& [first, second, found, status] = rows[number];
        row.put("attribute", first);
        row.put("other_attribute", second);
        if (status.enough) {
            row.put("estimate", found.cramers_v);
            row.put("lower", found.v_interval.lower);
            row.put("upper", found.v_interval.upper);
            row.put("information", found.information.value);
            row.put("information_stderr", found.information.standard_error);
            row.put("p_value", found.p_value);
            row.put("adjusted_p_value", found.adjusted);
        }
        row.put("n", status.n);
        row.put("attribute_number", static_cast<std::int32_t>(found.first));
        row.put("other_attribute_number", static_cast<std::int32_t>(found.second));
        if (status.enough && std::isnan(found.cramers_v))
            row.put("note", "fewer than two values of one attribute are significantly greater than zero");
        else
            status.put_note(row, true);
    }
};

/// The reports about a pair.
SummaryView reports_of_pair(const SummaryView& view, const Association& pair) {
    SummaryView reports = view;
    reports.n = static_cast<std::uint64_t>(std::llround(pair.people * repetition(view)));
    return reports;
}

constexpr auto fitted_columns = answer_columns("texts cell", "bigint people", "integers cell_numbers");

/// The cells of a fitted table, in the order of the arguments.
struct FittedRows {
    std::vector<double> shares = {};                    ///< of the table's cells, in their order
    std::vector<std::vector<std::string>> labels = {};  ///< of each argument's values
    std::vector<std::size_t> strides = {};              ///< of each argument in the table
    std::size_t count = 0;
    bool modelled = false;
    std::string attribute = {};  ///< the names of the attributes of a cell
    std::string margins = {};    ///< names of the attributes with known margins
    ReportStatus status = {};

    void write(RowCells<fitted_columns>& row, std::size_t number) const {
        std::vector<std::string> words(labels.size());
        std::vector<std::int32_t> numbers(labels.size());
        std::size_t cell = 0;
        for (std::size_t i = labels.size(), left = number; i-- > 0; left /= labels[i].size()) {
            const std::size_t value = left % labels[i].size();
            words[i] = labels[i][value];
            numbers[i] = static_cast<std::int32_t>(value);
            cell += value * strides[i];
        }
        row.put("attribute", attribute);
        row.put("label", name_of_cell(words));
        row.put("statistic", "proportion");
        row.put("cell", words);
        row.put("estimate", status.shown(shares[cell]));
        status.put_counts(row);
        row.put("cell_numbers", numbers);
        std::string note =
            status.enough && modelled ? "model-based: no marginal covers all these attributes" : "";
        if (status.enough && !margins.empty())
            note += (note.empty() ? "" : "; ") +
                    std::string("without errors; agrees with the known margins of ") + margins;
        if (!note.empty())
            row.put("note", note);
        else
            status.put_note(row, true);
    }
};

constexpr auto model_columns =
    columns("text kind", "texts attributes", "number estimate", "number information", "number p_value",
            "bigint cells", "integer clique", "integer parent", "integers attribute_numbers");

/// A model's edges and cliques.
struct ModelRows {
    struct ModelRow {
        const char* kind;
        std::vector<std::string> names;
        std::vector<std::int32_t> numbers;
        double v = unknown, information = unknown, p_value = unknown;
        std::uint64_t cells = 0;
        std::int32_t clique = 0, parent = -1;  // parent is negative for a root
    };
    std::vector<ModelRow> rows = {};
    std::size_t count = 0;

    void write(RowCells<model_columns>& row, std::size_t number) const {
        const ModelRow& one = rows[number];
        row.put("kind", one.kind);
        row.put("attributes", one.names);
        row.put("estimate", one.v);
        row.put("information", one.information);
        row.put("p_value", one.p_value);
        row.put("cells", one.cells);
        row.put("clique", one.clique);
        if (one.parent >= 0) row.put("parent", one.parent);
        row.put("attribute_numbers", one.numbers);
    }

    ModelRow& add(const char* kind, const Labels& of, std::span<const std::size_t> attributes) {
        ModelRow& row = rows.emplace_back();
        row.kind = kind;
        for (const std::size_t attribute : attributes) {
            row.names.push_back(of.name(attribute));
            row.numbers.push_back(static_cast<std::int32_t>(attribute));
        }
        count = rows.size();
        return row;
    }
};

constexpr auto learnt_columns = columns("json marginals");
constexpr auto view_plan_columns = columns("json marginals", "number error");

/// Views in the format of a spec.
struct PlannedRows {
    struct PlannedRow {
        std::string views;
        double error = unknown;
    };
    std::vector<PlannedRow> rows = {};
    std::size_t count = 0;

    template <class Writer>
    void write(Writer& row, std::size_t number) const {
        row.put("marginals", JsonText{rows[number].views});
        if constexpr (Writer::has("error")) row.put("error", rows[number].error);
    }
    void add(std::string views, double error = unknown) {
        rows.push_back({std::move(views), error});
        count = rows.size();
    }
};

/// Sets of attributes as an array of arrays of names.
std::string listed(const AttributeSets& sets, const Labels& labels) {
    std::string all;
    for (const std::vector<std::size_t>& attributes : sets) {
        std::string set;
        for (const std::size_t j : attributes) set += (set.empty() ? "" : ",") + labels.json_name(j);
        all += (all.empty() ? "[" : ",[") + set + "]";
    }
    return "[" + all + "]";
}

}  // namespace

namespace accessors {

/// A row for each pair of attributes.
Found association(const Subject& subject, const SummaryQuery& query) {
    return results<association_columns>(ask(subject.summary, AssociationRows{}, [&](const SummaryView& view) {
        const Labels& labels = fitting(*subject.labels, view.mechanism->cells());
        AssociationRows all;
        for (const Association& one : associations(measured(view), query.confidence))
            all.rows.push_back({labels.name(one.first), labels.name(one.second), one,
                                report_status(reports_of_pair(view, one))});
        all.count = all.rows.size();
        return all;
    }));
}

/// A row for each cell of a fitted table.
Found fitted(const Subject& subject, const SummaryQuery& query) {
    return results<fitted_columns>(ask(subject.summary, FittedRows{}, [&](const SummaryView& view) {
        const std::size_t count = view.mechanism->cells().size();
        const Labels& labels = fitting(*subject.labels, view.mechanism->cells());
        std::vector<std::size_t> attributes;
        for (const std::string_view name : query.names)
            attributes.push_back(labels.attribute_called(name, count));
        std::vector<std::size_t> ascending = attributes;
        std::ranges::sort(ascending);
        if (ascending.empty() || std::ranges::adjacent_find(ascending) != ascending.end())
            throw Error(ErrorCode::invalid_value,
                        ascending.empty() ? "no attribute is named" : "an attribute is named twice",
                        "Found " + std::to_string(ascending.size()) + " names.",
                        "Specify each attribute once.");
        const Fit fit = ldp::fitted(measured(view));
        for (const std::size_t j : ascending)
            if (!fit.holds({&j, 1}))
                throw Error(ErrorCode::unsupported, "attribute \"" + labels.name(j) + "\" has no reports", {},
                            "Use other attributes, or wait for more reports.");
        FittedRows all;
        all.attribute = name_of_table(labels, attributes);
        all.modelled = !fit.holds(ascending);
        std::vector<Table> known;
        if (query.given)
            for (const Labels::QuantityWeight& one :
                 labels.margins(query.given->text, view.mechanism->cells())) {
                if (known.empty() || known.back().attributes[0] != one.attribute) {
                    known.push_back({{one.attribute}, {view.mechanism->cells()[one.attribute]}, {}, unknown});
                    all.margins += (all.margins.empty() ? "" : ", ") + labels.name(one.attribute);
                }
                known.back().shares.push_back(one.weight);
            }
        Table table = known.empty() ? fit.table(ascending) : with_margins(fit, ascending, known);
        all.status = report_status(view);
        // Position of the value of each argument in a cell of the table.
        all.strides.resize(attributes.size());
        all.labels.resize(attributes.size());
        for (std::size_t i = ascending.size(), stride = 1; i-- > 0; stride *= table.sizes[i]) {
            const auto word =
                static_cast<std::size_t>(std::ranges::find(attributes, ascending[i]) - attributes.begin());
            all.strides[word] = stride;
            for (std::size_t v = 0; v < table.sizes[i]; ++v)
                all.labels[word].push_back(labels.label(ascending[i], v));
        }
        all.shares = std::move(table.shares);
        all.count = all.shares.size();
        return all;
    }));
}

/// A row for each clique and each edge.
Found model(const Subject& subject, const SummaryQuery& query) {
    const ModelOptions options{query.significance, query.cells};
    return results<model_columns>(ask(subject.summary, ModelRows{}, [&](const SummaryView& view) {
        const Labels& labels = fitting(*subject.labels, view.mechanism->cells());
        const Model model = model_of(measured_for_model(view), options);
        ModelRows all;
        for (std::size_t c = 0; c < model.cliques.size(); ++c) {
            const Clique& clique = model.cliques[c];
            ModelRows::ModelRow& row = all.add("clique", labels, clique.table.attributes);
            row.cells = clique.table.shares.size();
            row.clique = static_cast<std::int32_t>(c);
            if (c > 0) row.parent = static_cast<std::int32_t>(clique.parent);
        }
        for (const Association& edge : model.edges) {
            const std::size_t both[] = {edge.first, edge.second};
            const auto holder = std::ranges::find_if(model.cliques, [&](const Clique& clique) {
                return std::ranges::includes(clique.table.attributes, both);
            });
            ModelRows::ModelRow& row = all.add("edge", labels, both);
            if (enough(reports_of_pair(view, edge))) {
                row.v = edge.cramers_v;
                row.information = edge.information.value;
                row.p_value = edge.p_value;
            }
            row.cells = view.mechanism->cells()[both[0]] * view.mechanism->cells()[both[1]];
            row.clique = static_cast<std::int32_t>(holder - model.cliques.begin());
        }
        return all;
    }));
}

/// Views for a second round.
Found learn_views(const Subject& subject, const SummaryQuery& query) {
    return results<learnt_columns>(ask(subject.summary, PlannedRows{}, [&](const SummaryView& view) {
        const std::vector<Association> found = associations(measured_for_model(view), 0.95);
        const std::vector<std::uint64_t> sizes = view.mechanism->cells();
        const Labels& labels = fitting(*subject.labels, sizes);
        PlannedRows all;
        all.add(listed(learnt_views(found, sizes.size(), query.significance), labels));
        return all;
    }));
}

/// A row for each choice of views, best first: the predicted error of each.
Found plan_views(const Subject& subject, const SummaryQuery& query) {
    return results<view_plan_columns>(ask(subject.summary, PlannedRows{}, [&](const SummaryView& view) {
        const std::vector<std::uint64_t> sizes = view.mechanism->cells();
        const Labels& labels = fitting(*subject.labels, sizes);
        InsecureBits bits(1);
        PlannedRows all;
        const auto measured = measured_for_model(view);
        const std::vector<std::vector<std::size_t>> sets = labels.sets(query.queries.text, sizes.size());
        for (const ViewPlan& plan : planned_views(
                 measured, sizes.size(), {view.mechanism->header().epsilon, query.people, sets}, bits))
            all.add(plan.word.empty() ? listed(plan.views, labels) : '"' + plan.word + '"', plan.error);
        return all;
    }));
}

}  // namespace accessors

}  // namespace ldp
