// Rows of a logistic regression: the terms of the model from names of attributes and columns.

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/base/interrupt.hpp"
#include "core/base/number_text.hpp"
#include "core/base/text.hpp"
#include "core/groups/group_columns.hpp"
#include "core/groups/named_groups.hpp"
#include "core/regression/outcome_tables.hpp"
#include "core/results/rows/term_rows.hpp"
#include "core/summary/errors.hpp"

namespace ldp {

namespace {

constexpr std::size_t most_terms = 200, most_numbers = std::size_t{1} << 22;

[[noreturn]] void refuse(const std::string& what, const std::string& detail, const std::string& hint = {}) {
    raise(ErrorCode::invalid_value, what, detail, hint);
}

/// A predictor, or the variable that defines groups with their own intercepts.
struct LogisticVariable {
    std::string name;
    std::optional<std::size_t> attribute = {};  ///< of the reports
    std::size_t column = 0;                     ///< of the groups
    std::vector<std::string> labels = {};       ///< of a category
    std::vector<double> middles = {};           ///< of the bins of a number
    bool number = false;
    std::size_t first = 0;  ///< its first term
};

/// The groups of a query, or all reports of one summary.
class ReportGroups {
  public:
    ReportGroups(const Subject& subject, const SummaryQuery& query)
        : named_(query.groups, query.summaries),
          columns_(named_.names, {}, std::nullopt),
          grouped_(!query.groups.empty()) {
        if (!grouped_) named_.summaries = {subject.summary};
        for (const Bytes summary : named_.summaries) {
            check_interrupt();
            mechanisms_.push_back(checked_mechanism(summary));
            const Mechanism& mechanism = *mechanisms_.back();
            if (!std::ranges::equal(mechanisms_[0]->block(), mechanism.block()))
                raise_incompatible(mechanisms_[0]->block(), mechanism.block());
            views_.push_back(view_of(mechanism, summary));
        }
    }
    [[nodiscard]] bool empty() const noexcept { return views_.empty(); }
    [[nodiscard]] std::size_t count() const noexcept { return views_.size(); }
    [[nodiscard]] const Mechanism& mechanism() const noexcept { return *mechanisms_[0]; }
    [[nodiscard]] const SummaryView& view(std::size_t group) const noexcept { return views_[group]; }
    [[nodiscard]] std::uint64_t left_out() const noexcept { return named_.left_out; }
    [[nodiscard]] bool grouped() const noexcept { return grouped_; }

    [[nodiscard]] std::optional<std::size_t> column(std::string_view name) const {
        if (!grouped_) return {};
        const auto found = std::ranges::find(columns_.columns, name);
        if (found == columns_.columns.end()) return {};
        return static_cast<std::size_t>(found - columns_.columns.begin());
    }
    [[nodiscard]] bool numeric(std::size_t column) const { return columns_.numeric[column]; }
    /// The value of a group; nothing for NULL.
    [[nodiscard]] const std::optional<std::string>& value(std::size_t group, std::size_t column) const {
        return columns_.values[group * columns_.columns.size() + column];
    }

  private:
    NamedGroups named_;
    GroupColumns columns_;
    bool grouped_;
    std::vector<std::shared_ptr<const Mechanism>> mechanisms_;
    std::vector<SummaryView> views_;
};

/// The terms of a query, and the rows of the design.
class LogisticQuery {
  public:
    LogisticQuery(const Subject& subject, const SummaryQuery& query)
        : labels_(*subject.labels), groups_(subject, query) {
        if (groups_.empty()) return;
        choose_outcome(query.of);
        if (query.group) {
            variables_.push_back(variable(*query.group));
            if (variables_[0].number)
                refuse("a number does not define groups", "\"" + variables_[0].name + "\" is numeric.",
                       "Use it as a predictor.");
            group_ = true;
        } else {
            terms_.push_back({.intercept = true});
            rows_.push_back({"(intercept)", {}, {}, {}});
        }
        for (const std::string_view name : query.predictors) variables_.push_back(variable(name));
        for (std::size_t i = 0; i < variables_.size(); ++i) {
            LogisticVariable& one = variables_[i];
            for (std::size_t k = 0; k < i; ++k)
                if (variables_[k].name == one.name)
                    refuse("a predictor occurs twice", "Found \"" + one.name + "\" twice.");
            if (one.attribute == outcome_.attribute)
                refuse("the outcome does not predict itself", "Found \"" + one.name + "\" as a predictor.");
            if (one.attribute) outcome_.predictors.push_back(*one.attribute);
            add_terms(one, group_ && i == 0);
        }
    }
    [[nodiscard]] TermRows rows(double critical_value) {
        TermRows all;
        all.attribute = outcome_name_;
        std::vector<OutcomeGroup> used;
        SummaryView pooled;
        std::uint64_t without = groups_.left_out(), small = 0, n = 0, people = 0;
        std::size_t size = 0;
        bool known_people = true;
        for (std::size_t g = 0; g < groups_.count(); ++g) {
            check_interrupt();
            SummaryView about = part(groups_.view(g), outcome_.attribute);
            OutcomeGroup group{outcome_tables(groups_.view(g), outcome_), {}};
            about.n = 0;
            for (const OutcomeTable& table : group.tables) about.n += table.reports;
            if (about.n == 0) continue;
            if (!write_design(g, group.design)) {
                without += about.n;
                continue;
            }
            if (groups_.grouped() && !enough(about)) {
                small += about.n;
                continue;
            }
            const ReportStatus status =
                report_status(SpentBudgets(groups_.view(g), outcome_.attribute), about);
            if (used.empty()) all.status = status;
            n += status.n;
            people += status.people;
            known_people = known_people && status.people > 0;
            size += group.design.size();
            if (size > most_numbers)
                raise(ErrorCode::unsupported, "the regression has too many groups",
                      "The groups, combinations of private predictors and terms have a product above " +
                          std::to_string(most_numbers) + ".",
                      "Use fewer groups, or fewer values of predictors.");
            used.push_back(std::move(group));
        }
        if (small > 0 && used.empty()) all.status.note = "every group has fewer reports than min_group";
        if (used.empty() && small == 0) return all;
        all.status.n = n;
        all.status.people = known_people ? people : 0;
        if (!used.empty()) {
            all.status.add_note(note_of_left_out(without));
            if (small > 0)
                all.status.add_note(std::to_string(small) +
                                    " reports of groups below min_group are left out");
        }
        std::vector<Coefficient> found(terms_.size());
        if (!used.empty() && all.status.enough) found = logistic_fit(used, terms_, critical_value);
        for (std::size_t j = 0; j < terms_.size(); ++j) {
            TermRows::TermRow row = rows_[j];
            row.estimate = found[j].estimate;
            row.interval = found[j].interval;
            row.note = found[j].note;
            all.add(std::move(row));
        }
        return all;
    }

  private:
    [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const {
        const std::size_t count = groups_.mechanism().cells().size();
        if (labels_.known()) {
            const auto found = find_attribute_or_number(labels_.attributes(), name);
            return found && *found < count ? found : std::nullopt;
        }
        std::size_t number = 0;
        const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
        const bool whole = error == std::errc() && end == name.data() + name.size();
        return whole && number < count ? std::optional(number) : std::nullopt;
    }
    /// Throws Error unless every person has one of the values of an attribute.
    std::uint64_t check_category(std::size_t attribute) const {
        const bool known = labels_.known();
        if (known && (labels_.attributes()[attribute].numeric() || labels_.of_strings(attribute) ||
                      labels_.attributes()[attribute].several()))
            raise(ErrorCode::unsupported, "a logistic regression requires categories or numbers in bins",
                  "\"" + labels_.name(attribute) + "\" is neither.");
        return values_of(groups_.mechanism(), attribute);
    }
    /// Reads the name of an attribute with two values, or a name and a value as "name=value".
    void choose_outcome(std::string_view of) {
        std::optional<std::size_t> attribute = find(of);
        std::string_view label;
        const bool whole = attribute.has_value();
        for (std::size_t at = of.find('='); !attribute && at != std::string_view::npos;
             at = of.find('=', at + 1)) {
            attribute = find(of.substr(0, at));
            label = of.substr(at + 1);
        }
        if (!attribute) attribute = labels_.attribute_called(of, groups_.mechanism().cells().size());
        const std::uint64_t values = check_category(*attribute);
        if (whole && values != 2)
            refuse("the outcome has no value",
                   "\"" + labels_.name(*attribute) + "\" has " + std::to_string(values) + " values.",
                   "Name one of them, as in \"" + labels_.name(*attribute) + "=" +
                       labels_.label(*attribute, 0) + "\".");
        outcome_ = {*attribute, whole ? 1 : labels_.value_called(*attribute, label), {}};
        if (outcome_.value >= values)
            refuse("the outcome has no value " + std::string(label),
                   "It has " + std::to_string(values) + " values.");
        outcome_name_ = labels_.name(*attribute) + "=" + labels_.label(*attribute, outcome_.value);
    }
    [[nodiscard]] LogisticVariable variable(std::string_view name) const {
        LogisticVariable one{std::string(name)};
        one.attribute = find(name);
        const auto column = groups_.column(name);
        if (one.attribute) {
            one.name = labels_.name(*one.attribute);
            const std::uint64_t values = check_category(*one.attribute);
            const std::vector<double> ends = labels_.ends(*one.attribute);
            one.number = !ends.empty();
            if (one.number && ends.size() != values + 1)
                raise(ErrorCode::unsupported, "a number that may be missing is not a predictor",
                      "\"" + one.name + "\" has values other than its bins.");
            for (std::size_t v = 0; v < values; ++v) {
                if (one.number)
                    one.middles.push_back(ends[v] / 2 + ends[v + 1] / 2);
                else
                    one.labels.push_back(labels_.label(*one.attribute, v));
            }
        } else if (column) {
            one.column = *column;
            one.number = groups_.numeric(*column);
            for (std::size_t g = 0; g < groups_.count() && !one.number; ++g)
                if (const auto& value = groups_.value(g, *column)) one.labels.push_back(*value);
            std::ranges::sort(one.labels);
            const auto rest = std::ranges::unique(one.labels);
            one.labels.erase(rest.begin(), rest.end());
        } else {
            (void)labels_.attribute_called(name, groups_.mechanism().cells().size(),
                                           "A predictor is an attribute, or a column of the groups.");
        }
        return one;
    }
    void add_terms(LogisticVariable& one, bool group) {
        one.first = terms_.size();
        if (one.number) {
            terms_.push_back({.number = true});
            rows_.push_back({one.name, {}, {}, {}});
        }
        for (std::size_t v = group ? 0 : 1; v < one.labels.size(); ++v) {
            terms_.push_back({.intercept = group});
            rows_.push_back({one.name, one.labels[v], {}, {}});
            if (terms_.size() > most_terms)
                raise(ErrorCode::unsupported, "the regression has too many terms",
                      "It has at most " + std::to_string(most_terms) + ".", "Use fewer values, or numbers.");
        }
    }
    /// Writes a row of the design for each combination of values of private variables. Returns false if a column of the group is
    /// NULL.
    [[nodiscard]] bool write_design(std::size_t group, std::vector<double>& design) const {
        std::vector<std::uint64_t> sizes;
        std::uint64_t combinations = 1;
        for (const std::size_t one : outcome_.predictors)
            combinations *= sizes.emplace_back(values_of(groups_.mechanism(), one));
        std::vector<double> row(terms_.size());
        std::vector<std::uint64_t> values(sizes.size());
        for (std::uint64_t x = 0; x < combinations; ++x) {
            std::uint64_t rest = x;
            for (std::size_t j = sizes.size(); j-- > 0; rest /= sizes[j]) values[j] = rest % sizes[j];
            std::ranges::fill(row, 0);
            if (!group_) row[0] = 1;
            std::size_t place = 0;
            for (std::size_t i = 0; i < variables_.size(); ++i) {
                const LogisticVariable& one = variables_[i];
                std::size_t value = 0;
                double number = 0;
                if (one.attribute) {
                    value = static_cast<std::size_t>(values[place++]);
                    if (one.number) number = one.middles[value];
                } else {
                    const auto& text = groups_.value(group, one.column);
                    if (!text) return false;
                    if (one.number)
                        number = number_in(*text, one.name);
                    else
                        value = static_cast<std::size_t>(std::ranges::lower_bound(one.labels, *text) -
                                                         one.labels.begin());
                }
                const std::size_t skipped = group_ && i == 0 ? 0 : 1;
                if (one.number)
                    row[one.first] = number;
                else if (value >= skipped)
                    row[one.first + value - skipped] = 1;
            }
            design.insert(design.end(), row.begin(), row.end());
        }
        return true;
    }
    static double number_in(const std::string& text, const std::string& column) {
        const std::optional<double> number = parsed_number(text);
        if (!number || !(std::abs(*number) <= 1e100))
            refuse("a value of the column \"" + column + "\" is not a number",
                   "Found " + shortened(text, 60) + ".");
        return *number;
    }

    const Labels& labels_;
    ReportGroups groups_;
    OutcomeOf outcome_ = {};
    std::string outcome_name_;
    std::vector<LogisticVariable> variables_;
    bool group_ = false;  ///< whether the first variable defines groups with their own intercepts
    std::vector<LogisticTerm> terms_;
    std::vector<TermRows::TermRow> rows_;
};

}  // namespace

std::unique_ptr<Results> logistic_regression(const Subject& subject, const SummaryQuery& query) {
    const double critical_value = ldp::critical_value(query.confidence);
    (void)target_named(query.target);  // the errors are those for a population
    LogisticQuery asked(subject, query);
    return results<term_columns>(asked.rows(critical_value));
}

}  // namespace ldp
