// Rows about several attributes together, for reports on cross tables.

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/base/interrupt.hpp"
#include "core/mechanism/joint/joint.hpp"
#include "core/results/report_status.hpp"
#include "core/results/row_functions.hpp"
#include "core/results/rows/cell_names.hpp"
#include "core/tables/marginal.hpp"

namespace ldp {

namespace {

constexpr auto cell_columns = answer_columns("texts cell", "bigint people", "integers cell_numbers");
constexpr auto conditional_columns = answer_columns("texts given_cell", "texts cell", "bigint people",
                                                    "integers given_numbers", "integers cell_numbers");

/// Rows of cell_columns, or of cells among the first `given` attributes' cells.
struct CellRows {
    struct CellRow {
        Estimate estimate{unknown, unknown};
        Interval interval{unknown, unknown};
        const char* note = nullptr;
    };

    std::vector<CellRow> rows = {};
    std::vector<std::vector<std::string>> labels = {};  ///< of each attribute: of its values, or of the box
    std::vector<std::uint64_t> sizes = {};              ///< of the cells; empty for a box
    std::string attribute = {};                         ///< the names of the attributes of a cell
    std::size_t count = 0, given = 0;
    ReportStatus status = {};

    template <class Writer>
    void write(Writer& row, std::size_t number) const {
        const CellRow& one = rows[number];
        std::vector<std::string> words(labels.size());
        std::vector<std::int32_t> numbers(labels.size());
        for (std::size_t i = labels.size(), left = number; i-- > 0;) {
            const std::size_t size = sizes.empty() ? 1 : sizes[i];
            numbers[i] = static_cast<std::int32_t>(left % size);
            words[i] = labels[i][left % size];
            left /= size;
        }
        row.put("attribute", attribute);
        row.put("label", name_of_cell(std::span(words).subspan(given)));
        row.put("statistic", "proportion");
        row.put("cell", std::span(words).subspan(given));
        if (!sizes.empty()) row.put("cell_numbers", std::span(numbers).subspan(given));
        if constexpr (Writer::has("given_cell")) {
            row.put("given_cell", std::span(words).first(given));
            row.put("given_numbers", std::span(numbers).first(given));
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
};

/// A share of all people, or among others.
CellRows::CellRow cell_row(const Marginal& marginal, const JointShares::Box& box, double critical_value,
                           const BiasBound& bias) {
    const MeasuredShare share = marginal.measured(box);
    return {share.estimate, extended(interval(share, critical_value), bias, critical_value)};
}
CellRows::CellRow cell_row(const Marginal& marginal, const JointShares::Box& of,
                           const JointShares::Box& given, double critical_value) {
    const Quotient quotient = marginal.quotient(of, given, critical_value);
    return {quotient.estimate, quotient.interval,
            std::isnan(quotient.estimate.value) && marginal.known()
                ? "the given values may have probability zero"
                : nullptr};
}

/// A query and its subject, in the order of the arguments and in ascending order of the attributes.
class Together {
  public:
    Together(const SummaryView& view, const SummaryQuery& query, std::vector<std::size_t> attributes)
        : order_(attributes.size()),
          marginal_(view, sorted(attributes), combination_named(query.method), target_named(query.target)) {
        std::vector<std::size_t> ascending = sorted(attributes);
        for (std::size_t i = 0; i < attributes.size(); ++i) {
            order_[i] = static_cast<std::size_t>(std::ranges::lower_bound(ascending, attributes[i]) -
                                                 ascending.begin());
            sizes_.push_back(marginal_.sizes()[order_[i]]);
        }
        SummaryView about = view;
        about.n = marginal_.reports();
        status_ = report_status(SpentBudgets(view, attributes[0]), about);
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

/// All cells of the attributes, or of those after the given ones among the people of each cell of these.
CellRows cell_rows(const Subject& subject, const SummaryQuery& query, double critical_value,
                   SummaryQuery::Texts given, SummaryQuery::Texts of) {
    return ask(subject.summary, CellRows{}, [&](const SummaryView& view) {
        const std::vector<std::uint64_t> all_sizes = view.mechanism->cells();
        const Labels& labels = fitting(*subject.labels, all_sizes);
        std::vector<std::size_t> attributes;
        for (const SummaryQuery::Texts names : {given, of})
            for (const std::string_view name : names)
                attributes.push_back(labels.attribute_called(name, all_sizes.size()));
        const Together together(view, query, attributes);
        CellRows all;
        all.given = given.size();
        all.attribute = name_of_table(labels, std::span(attributes).subspan(given.size()));
        all.status = together.status();
        all.sizes = together.sizes();
        all.labels.resize(attributes.size());
        for (std::size_t i = 0; i < attributes.size(); ++i)
            for (std::size_t v = 0; v < together.sizes()[i]; ++v)
                all.labels[i].push_back(labels.label(attributes[i], v));
        const Cells every(together.sizes());
        reserve_rows(all.rows, every.count());
        for (std::size_t cell = 0; cell < every.count(); ++cell) {
            check_interrupt();
            const std::vector<std::uint64_t> values = every.values(cell);
            const JointShares::Box wanted = together.box(values, given.size(), attributes.size());
            all.rows.push_back(given.empty()
                                   ? cell_row(together.marginal(), wanted, critical_value, all.status.bias)
                                   : cell_row(together.marginal(), wanted,
                                              together.box(values, 0, given.size()), critical_value));
        }
        all.count = all.rows.size();
        return all;
    });
}

constexpr auto view_columns =
    columns("texts attributes", "bigint cells", "bigint n", "integers attribute_numbers");

/// The views of the spec.
struct ViewRows {
    struct ViewRow {
        std::vector<std::string> names;
        std::vector<std::int32_t> numbers;
        std::uint64_t cells, n;
    };
    std::vector<ViewRow> rows = {};
    std::size_t count = 0;

    void write(RowCells<view_columns>& row, std::size_t number) const {
        const ViewRow& one = rows[number];
        row.put("attributes", one.names);
        row.put("cells", one.cells);
        row.put("n", one.n);
        row.put("attribute_numbers", one.numbers);
    }
};

}  // namespace

namespace accessors {

/// A row for each view.
Found views(const Subject& subject, const SummaryQuery&) {
    const Bytes summary = subject.summary;
    const std::shared_ptr<const Mechanism> mechanism = checked_mechanism(summary);
    const std::vector<std::uint64_t> sizes = mechanism->cells();
    const Labels& labels = fitting(*subject.labels, sizes);
    const std::vector<RecordPart> parts = parts_of(*mechanism);
    const auto with_tables = std::ranges::find_if(
        parts, [](const RecordPart& one) { return find_capability<JointViews>(*one.mechanism) != nullptr; });
    if (with_tables == parts.end()) refuse(*mechanism, JointViews::offers);
    const std::size_t first = with_tables->first;
    const SummaryView view = part(view_of(*mechanism, summary), first);
    const auto& joint = capability<JointViews>(*view.mechanism);
    ViewRows all;
    for (const std::vector<std::size_t>& attributes : joint.views()) {
        check_interrupt();
        ViewRows::ViewRow row{{}, {}, 1, joint.reports_of_view(view, all.count)};
        for (const std::size_t one : attributes) {
            const std::size_t attribute = first + one;
            row.names.push_back(labels.name(attribute));
            row.numbers.push_back(static_cast<std::int32_t>(attribute));
            row.cells *= sizes[attribute];
        }
        all.rows.push_back(std::move(row));
        ++all.count;
    }
    return results<view_columns>(std::move(all));
}

/// A row for each cell.
Found marginal(const Subject& subject, const SummaryQuery& query) {
    return results<cell_columns>(
        cell_rows(subject, query, critical_value(query.confidence), {}, query.names));
}

/// A row for each cell of all attributes.
Found conditional(const Subject& subject, const SummaryQuery& query) {
    if (query.given_names.empty())
        throw Error(ErrorCode::invalid_value, "no attribute is given", "The argument \"given\" is empty.",
                    "Use a marginal for shares among all people.");
    return results<conditional_columns>(
        cell_rows(subject, query, critical_value(query.confidence), query.given_names, query.names));
}

/// The share of a box, among all people or among those in another box.
Found share(const Subject& subject, const SummaryQuery& query) {
    const double critical_value = ldp::critical_value(query.confidence);
    (void)target_named(query.target);
    return results<cell_columns>(ask(subject.summary, CellRows{}, [&](const SummaryView& view) {
        const std::vector<std::uint64_t> all_sizes = view.mechanism->cells();
        const Labels& labels = fitting(*subject.labels, all_sizes);
        const Labels::Conditions wanted = labels.conditions(query.conditions.text, all_sizes);
        const Labels::Conditions among =
            query.given ? labels.conditions(query.given->text, all_sizes) : Labels::Conditions{};
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
        CellRows all;
        all.status = together.status();
        all.attribute = name_of_table(labels, wanted.attributes);
        for (std::size_t i = 0; i < wanted.attributes.size(); ++i) {
            std::string words;
            for (std::size_t v = 0; v < wanted.box[i].size(); ++v)
                if (wanted.box[i][v])
                    words += (words.empty() ? "" : " or ") + labels.label(wanted.attributes[i], v);
            all.labels.push_back({std::move(words)});
        }
        all.rows.push_back(
            query.given ? cell_row(together.marginal(), whole(wanted), whole(among), critical_value)
                        : cell_row(together.marginal(), whole(wanted), critical_value, all.status.bias));
        all.count = 1;
        return all;
    }));
}

}  // namespace accessors

}  // namespace ldp
