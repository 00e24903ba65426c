// Rows of the association of the numbers of a record (covariance, correlation and regression), of winsorized means, and of
// curves.

#include "core/base/text.hpp"
#include "core/choice/winsorized.hpp"
#include "core/groups/answered_groups.hpp"
#include "core/groups/group_points.hpp"
#include "core/groups/measured/kernel_regression.hpp"
#include "core/groups/named_groups.hpp"
#include "core/mechanism/mean/means_by_group.hpp"
#include "core/mechanism/role/fields.hpp"
#include "core/regression/means_of_groups.hpp"
#include "core/regression/product_regression.hpp"
#include "core/results/estimate_rows.hpp"
#include "core/results/row_functions.hpp"
#include "core/results/rows/term_rows.hpp"
#include "core/results/rows/value_rows.hpp"
#include "core/summary/errors.hpp"

namespace ldp {

namespace {

constexpr auto winsorized_columns =
    answer_columns("number window_low", "number window_high", "number coverage", "number coverage_lower",
                   "number bias_bound", "bigint pilot_n", "bigint people");

/// The row of a winsorized mean.
struct WinsorizedRow {
    std::string attribute = {};
    Estimate mean{unknown, unknown};
    Interval interval{unknown, unknown};
    ReportStatus status = {}, pilot = {};
    WinsorWindow window = {};
    static constexpr std::size_t count = 1;

    void write(RowCells<winsorized_columns>& row, std::size_t /*number*/) const {
        row.put("attribute", attribute);
        row.put("statistic", "mean");
        const Estimate shown = status.shown(mean);
        row.put("estimate", shown.value);
        row.put("stderr", shown.standard_error);
        const Interval range = status.shown(interval);
        row.put("lower", range.lower);
        row.put("upper", range.upper);
        status.put_counts(row);
        row.put("window_low", window.low);
        row.put("window_high", window.high);
        row.put("coverage", pilot.shown(window.coverage.value));
        row.put("coverage_lower", pilot.shown(window.smallest_coverage));
        row.put("bias_bound", pilot.shown(window.bias));
        row.put("pilot_n", pilot.n);
        status.put_note(row, !std::isnan(shown.value));
    }
};

constexpr auto curve_columns = answer_columns("number x", "number bandwidth_used");

/// Rows of a curve at its design points.
struct CurveRows {
    struct CurveRow {
        double x;
        CurvePoint point;
        Interval interval;
        bool enough;
    };
    double bandwidth = 0;
    std::string attribute = {};
    std::string note = {};  ///< of all rows
    std::vector<CurveRow> rows = {};
    std::size_t count = 0;

    void write(RowCells<curve_columns>& row, std::size_t number) const {
        const auto& [x, point, interval, enough] = rows[number];
        row.put("attribute", attribute);
        row.put("label", shortest(x));
        row.put("statistic", "mean");
        row.put("x", x);
        row.put("n", static_cast<std::uint64_t>(point.n));
        row.put("bandwidth_used", bandwidth);
        std::string about;
        if (!enough) {
            about = "too few reports within the bandwidth";
        } else if (std::isnan(point.estimate.standard_error)) {
            about = "too few design points or reports within the bandwidth";
        } else {
            row.put("estimate", point.estimate.value);
            row.put("stderr", point.estimate.standard_error);
            row.put("lower", interval.lower);
            row.put("upper", interval.upper);
            // With a bandwidth, simulated intervals held 54 to 78 % of the time with 5 to 8 points of a curve.
            if (bandwidth == 0)
                about = "fewer than 12 design points: the mean of this point alone";
            else if (count < KernelRegression::fewest_smoothed)
                about = "fewer than 12 design points: the interval is too narrow unless the curve is a line";
        }
        if (!note.empty()) about += (about.empty() ? "" : "; ") + note;
        if (!about.empty()) row.put("note", about);
    }
};

/// The reports of the design points about one number, and its means at the points.
class DesignPoints {
  public:
    void add(double x, const SummaryView& view, std::size_t attribute) {
        const SummaryView one = part(view, attribute);
        need_one_round(one, "a kernel regression");
        if (one.n == 0) return;
        places_.push_back(x);
        parts_.push_back(one);
        within_ = attribute - part_of(*view.mechanism, attribute).first;
    }
    /// A curve is a weighted sum of means, so they are pooled as those of groups.
    [[nodiscard]] std::vector<DesignPoint> means(Target target) const {
        std::vector<DesignPoint> found;
        if (parts_.empty()) return found;
        if (has_pooled_means(*parts_[0].mechanism)) {
            std::vector<double> people;
            for (const SummaryView& one : parts_) people.push_back(static_cast<double>(one.n));
            const std::vector<Estimate> all =
                pooled_means(parts_, people, AnswerRate::of_group, target).groups;
            for (std::size_t i = 0; i < all.size(); ++i) found.push_back({places_[i], all[i], people[i]});
            return found;
        }
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            const Estimate mean = ComparableMeans(parts_[i], target).of(within_);
            if (!std::isnan(mean.value))
                found.push_back({places_[i], mean, static_cast<double>(parts_[i].n)});
        }
        return found;
    }

  private:
    std::vector<double> places_;
    std::vector<SummaryView> parts_;
    std::size_t within_ = 0;
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
    return ldp::ask(subject.summary, TermRows{}, found, [](const SummaryView& view) {
        if (find_capability<MeansByGroup>(*view.mechanism) == nullptr)
            (void)capability<Record>(*view.mechanism);
    });
}

/// An attribute's name, from its name or number; other text is rejected later.
std::string named(const Joint& joint, std::string_view name) {
    const auto found = find_attribute_or_number(joint.attributes, name);
    return found ? joint.attributes[*found].name : std::string(name);
}

using Associate = MomentEstimate (*)(const Joint&, const std::string&, const std::string&, double);

std::unique_ptr<Results> association_of_numbers(Associate associate, const char* statistic,
                                                const Subject& subject, const SummaryQuery& query) {
    const double critical_value = ldp::critical_value(query.confidence);
    return results<estimate_columns>(ask_joint(subject, target_named(query.target), [&](const Joint& joint) {
        const auto [estimate, interval, scarcest, note] =
            associate(joint, named(joint, query.x), named(joint, query.y), critical_value);
        TermRows all = about_terms(joint.view, scarcest);
        all.attribute = named(joint, query.x) + ", " + named(joint, query.y);
        all.statistic = statistic;
        all.add({{}, {}, estimate, interval, note});
        return all;
    }));
}

}  // namespace

namespace accessors {

Found kernel_regression(const Subject& subject, const SummaryQuery& query) {
    const double critical_value = ldp::critical_value(query.confidence);
    const Target target = target_named(query.target);
    check_groups(query.groups, query.summaries);
    DesignPoints points;
    std::vector<std::shared_ptr<const Mechanism>> mechanisms;
    SummaryView pooled;
    std::size_t attribute = 0;
    std::uint64_t left_out = 0;
    for (std::size_t i = 0; i < query.summaries.size(); ++i) {
        if (!query.groups[i]) {
            left_out += reports_in(query.summaries[i]);
            continue;
        }
        const double x = point_of_name(*query.groups[i]);
        mechanisms.push_back(checked_mechanism(query.summaries[i]));
        const Mechanism& mechanism = *mechanisms.back();
        const SummaryView view = view_of(mechanism, query.summaries[i]);
        if (mechanisms.size() == 1) {
            const std::size_t count = mechanism.cells().size();
            attribute = query.attribute ? subject.labels->attribute_called(*query.attribute, count)
                                        : one_attribute(mechanism, std::nullopt);
            if (!has_mean(view, attribute))
                throw Error(ErrorCode::unsupported, "a kernel regression requires the mean of a number",
                            "The reports do not estimate the mean of this attribute.");
            if (find_direction(*part_of(mechanism, attribute).mechanism) != nullptr)
                refuse_direction("\"" + subject.labels->name(attribute) + "\"");
        } else if (!std::ranges::equal(mechanisms[0]->block(), mechanism.block())) {
            raise_incompatible(mechanisms[0]->block(), mechanism.block());
        }
        points.add(x, view, attribute);
        pooled = view;
    }
    const KernelRegression curve(points.means(target), query.value);
    CurveRows all;
    all.bandwidth = curve.bandwidth();
    all.attribute = subject.labels->name(attribute);
    all.note = note_of_left_out(left_out);
    for (const DesignPoint& design : curve.points()) {
        const CurvePoint point = curve.at(design.x);
        pooled.n = static_cast<std::uint64_t>(point.n);
        all.rows.push_back(
            {design.x, point, interval(point.estimate, critical_value, ErrorLaw{}), enough(pooled)});
    }
    all.count = all.rows.size();
    return results<curve_columns>(std::move(all));
}

Found covariance(const Subject& subject, const SummaryQuery& query) {
    return association_of_numbers(ldp::covariance, "covariance", subject, query);
}

Found correlation(const Subject& subject, const SummaryQuery& query) {
    return association_of_numbers(ldp::correlation, "correlation", subject, query);
}

namespace {

/// The rows of the means of groups and of their differences from the first group, if reports are about both attributes.
std::optional<TermRows> rows_by_group(const Joint& joint, const RegressionDesign& design,
                                      double critical_value) {
    const auto number = find_attribute(joint.attributes, design.of);
    if (!number) return {};
    const RecordPart reported = part_of(*joint.view.mechanism, *number);
    const auto* reporter = find_capability<MeansByGroup>(*reported.mechanism);
    if (reporter == nullptr) return {};
    const auto group = design.group ? find_attribute(joint.attributes, *design.group) : std::nullopt;
    if (!group || !design.on.empty() || !has_means_of_groups(*joint.view.mechanism, *number, *group)) {
        const auto name = [&](std::size_t attribute) {
            return joint.attributes[reported.first + attribute].name;
        };
        const std::string of = name(reporter->number_attribute()), by = name(reporter->group_attribute());
        throw Error(ErrorCode::unsupported,
                    "reports about \"" + of + "\" and \"" + by + "\" estimate the mean of each group only",
                    "The number and its group are reported together.",
                    "Use the number \"" + of + "\" and the group \"" + by + "\", without predictors.");
    }
    TermRows all = about_terms(joint.view, *number);
    all.attribute = design.of;
    const SummaryView one = part(joint.view, *number);
    if (one.n == 0) return all;
    const MeansOfGroups found = means_of_groups(one, critical_value);
    const ReportStatus status = report_status(one);
    const auto add = [&](const std::vector<Coefficient>& coefficients, std::size_t first,
                         const char* statistic) {
        for (std::size_t value = first; value < coefficients.size(); ++value) {
            const Coefficient& each = coefficients[value];
            all.add({*design.group, label_or_number(joint.attributes[*group], value),
                     status.shown(each.estimate), status.shown(each.interval), status.enough ? each.note : "",
                     statistic});
        }
    };
    add(found.means, 0, nullptr);
    add(found.differences, 1, "difference");
    return all;
}

}  // namespace

/// A row for the intercept, or for each group's intercept; for each predictor; and for R². For reports about a number and
/// its group: the means of the groups and their differences.
Found regression(const Subject& subject, const SummaryQuery& query) {
    if (query.link == "logit") return logistic_regression(subject, query);
    if (query.link != "identity")
        raise(ErrorCode::invalid_value, "link must be identity or logit",
              "Found " + shortened(query.link, 60) + ".");
    if (query.summaries.size() > 1)
        raise(ErrorCode::unsupported, "only a regression with the link logit uses several groups", {},
              "Use the link logit, or query one group.");
    Subject whole = subject;
    if (!query.summaries.empty()) whole.summary = query.summaries[0];
    const double critical_value = ldp::critical_value(query.confidence);
    const auto normal = [&](const Estimate& estimate) {
        return interval(estimate, critical_value, ErrorLaw{});
    };
    return results<term_columns>(ask_joint(whole, target_named(query.target), [&](const Joint& joint) {
        RegressionDesign design{named(joint, query.of), {}, {}};
        for (const std::string_view predictor : query.predictors)
            design.on.push_back(named(joint, predictor));
        if (query.group) design.group = named(joint, *query.group);
        if (auto by_group = rows_by_group(joint, design, critical_value)) return std::move(*by_group);
        const Regression found = ldp::regression(joint, design, critical_value);
        TermRows all = about_terms(joint.view, found.scarcest);
        all.attribute = design.of;
        const auto add = [&](std::string term, std::optional<std::string> label, const Coefficient& one) {
            all.add({std::move(term), std::move(label), one.estimate, one.interval, one.note});
        };
        const auto grouped = query.group ? find_attribute(joint.attributes, *design.group) : std::nullopt;
        for (std::size_t c = 0; c < found.intercepts.size(); ++c) {
            std::optional<std::string> label;
            if (grouped) label = label_or_number(joint.attributes[*grouped], c);
            add(grouped ? *design.group : "(intercept)", std::move(label), found.intercepts[c]);
        }
        for (std::size_t j = 0; j < found.slopes.size(); ++j) add(design.on[j], {}, found.slopes[j]);
        const bool status = !found.r_squared_note.empty() && !std::isnan(found.intercepts[0].interval.lower);
        all.add({"(r_squared)",
                 {},
                 found.r_squared,
                 normal(found.r_squared),
                 status ? found.r_squared_note : std::string()});
        return all;
    }));
}

Found winsorized_mean(const Subject& pilot, const SummaryQuery& query) {
    const double critical_value = ldp::critical_value(query.confidence);
    const Target target = target_named(query.target);
    const std::vector<double> ends = pilot.labels->ends(0);
    if (pilot.labels->known() && ends.empty())
        throw Error(ErrorCode::unsupported, "the first round of a winsorized mean is a histogram",
                    "The reports of the first summary are not about one number in bins.",
                    "Pass the summary of the first round, then the summary of the second round.");
    if (ends.empty())
        throw Error(ErrorCode::invalid_value, "the bins of the first round are unknown",
                    "No collection in this database has the summary's spec, which defines the bins.",
                    "Run the query in the database of the collection.");
    const std::shared_ptr<const Mechanism> first = checked_mechanism(pilot.summary);
    const std::shared_ptr<const Mechanism> second = checked_mechanism(query.other);
    const SummaryView histogram = view_of(*first, pilot.summary), view = view_of(*second, query.other);
    const Range* range = second->range_of_number();
    if (range == nullptr)
        throw Error(ErrorCode::unsupported, "the second round of a winsorized mean requires one number",
                    "The second summary does not estimate the mean of a single number.",
                    "Pass the summary of the first round, then the summary of the second round.");
    WinsorizedRow row;
    row.attribute = pilot.labels->name(0);
    row.pilot = report_status(histogram);
    row.window = winsor_window(histogram, ends, range->min, range->max, query.confidence);
    row.status = report_status(view, 0, target);
    if (view.n > 0) {
        row.mean = estimate(view, {Quantity::means, target})[0];
        row.interval =
            extended(interval(row.mean, critical_value, row.status.law), row.status.bias, critical_value);
    }
    return results<winsorized_columns>(std::move(row));
}

}  // namespace accessors

}  // namespace ldp
