#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "core/groups/difference.hpp"
#include "core/groups/group_points.hpp"
#include "core/groups/measured/clustered_mean.hpp"
#include "core/groups/measured/small_areas.hpp"
#include "core/groups/measured/smoothed_series.hpp"
#include "core/results/estimate_rows.hpp"
#include "core/results/row_functions.hpp"
#include "core/results/rows/group_items.hpp"

namespace ldp {

namespace {

constexpr auto clustered_columns = answer_columns(
    "integer groups_used", "number degrees_of_freedom", "number between_sd", "number between_sd_lower",
    "number between_sd_upper", "number icc", "number icc_lower", "number icc_upper", "number design_effect",
    "bigint people", "integer attribute_number", "integer value");

/// A quantity of rows: its names, the number of reports in its groups, and the note of the groups.
struct RowSubject {
    std::string attribute, label = {};
    std::uint32_t number;
    std::optional<std::uint32_t> value = {};
    std::uint64_t n = 0, people = 0;
    bool counted = true;  ///< whether the number of people is known
    std::string note = {};

    RowSubject(const Labels& labels, const GroupItem& item)
        : attribute(labels.name(item.attribute)), number(item.attribute), value(item.value) {
        if (value) label = labels.label(item.attribute, *value);
        for (const std::uint32_t j : item.numbers) {
            const ReportStatus& status = item.status[j];
            n += status.n;
            people += status.people;
            counted = counted && status.people > 0;
            if (status.note && note.empty()) note = *status.note;
        }
        const std::size_t missing = item.status.size() - item.numbers.size();
        if (missing > 0)
            note += (note.empty() ? "" : "; ") + std::to_string(missing) +
                    (missing == 1 ? " group has no estimate" : " groups have no estimate");
    }
    template <class Row>
    void put_names(Row& row) const {
        row.put("attribute", attribute);
        if (value) row.put("label", label);
        row.put("statistic", value ? "proportion" : "mean");
        row.put("attribute_number", static_cast<std::int32_t>(number));
        if (value) row.put("value", static_cast<std::int32_t>(*value));
    }
};

/// The largest bias of the groups by spent budgets.
BiasBound bias_of(const GroupItem& item) {
    BiasBound most;
    for (const std::uint32_t j : item.numbers)
        if (item.status[j].bias.range > 0 && item.status[j].bias.share >= most.share)
            most = item.status[j].bias;
    return most;
}

struct ClusteredRows {
    struct ClusteredRow {
        RowSubject subject;
        std::size_t groups;
        std::optional<ClusteredMean> found;
        Estimate estimate;
        Interval interval;
        double unit;
    };
    std::vector<ClusteredRow> rows = {};
    std::size_t count = 0;

    void write(RowCells<clustered_columns>& row, std::size_t number) const {
        const auto& [subject, groups, found, estimate, interval, unit] = rows[number];
        subject.put_names(row);
        row.put("groups_used", static_cast<std::int32_t>(groups));
        row.put("n", subject.n);
        if (subject.counted) row.put("people", subject.people);
        if (!found) {
            row.put("note", "fewer than two groups have an estimate");
            return;
        }
        row.put("estimate", estimate.value);
        row.put("stderr", estimate.standard_error);
        row.put("lower", interval.lower);
        row.put("upper", interval.upper);
        row.put("degrees_of_freedom", found->degrees_of_freedom);
        row.put("between_sd", unit * std::sqrt(found->between));
        row.put("between_sd_lower", unit * std::sqrt(found->between_interval.lower));
        row.put("between_sd_upper", unit * std::sqrt(found->between_interval.upper));
        row.put("icc", found->correlation);
        row.put("icc_lower", found->correlation_interval.lower);
        row.put("icc_upper", found->correlation_interval.upper);
        row.put("design_effect", found->design_effect);
        std::string note = subject.note;
        if (std::isnan(found->correlation))
            note += std::string(note.empty() ? "" : "; ") +
                    "icc is unknown: the reports do not show the variance between people";
        if (found->skewed)
            note += std::string(note.empty() ? "" : "; ") +
                    "the values of the groups are skewed, so the interval may be too narrow";
        else if (found->few_groups)
            note += std::string(note.empty() ? "" : "; ") +
                    "few groups: if their values are skewed, the interval is too narrow";
        if (!note.empty()) row.put("note", note);
    }
};

GroupWeights weights_named(std::string_view name) {
    if (name == "people") return GroupWeights::people;
    if (name == "groups") return GroupWeights::equal;
    throw Error(
        ErrorCode::invalid_value, "unknown weights \"" + std::string(name.substr(0, 60)) + "\"",
        "Valid weights are \"people\" (for the mean over people) and \"groups\" (for the mean over groups).");
}

}  // namespace

accessors::Found accessors::clustered(const Subject& subject, const SummaryQuery& query) {
    const double critical_value = ldp::critical_value(query.confidence);
    const GroupWeights weights = weights_named(query.method);
    const GroupItems items(subject, query, {.least = 2, .rate = AnswerRate::of_all, .weights = weights});
    ClusteredRows all;
    items.for_each([&](const GroupItem& item) {
        ClusteredRows::ClusteredRow row{.subject = {items.labels(), item},
                                        .groups = item.groups.size(),
                                        .found = {},
                                        .estimate = {unknown, unknown},
                                        .interval = {unknown, unknown},
                                        .unit = item.unit};
        if (item.groups.size() >= 2) {
            row.found = clustered_mean(item.measured(), weights, critical_value);
            row.estimate = item.published(row.found->estimate);
            row.interval = extended(item.published(row.found->interval), bias_of(item), critical_value);
        }
        all.rows.push_back(std::move(row));
    });
    all.count = all.rows.size();
    return results<clustered_columns>(std::move(all));
}

namespace {

constexpr auto area_columns = answer_columns("number own_estimate", "number own_stderr", "number weight",
                                             "bigint people", "integer attribute_number", "integer value");

struct AreaRows {
    struct AreaRow {
        std::uint32_t subject, group;
        const ReportStatus* status;
        Estimate own{unknown, unknown}, estimate{unknown, unknown};
        Interval interval{unknown, unknown};
        double weight = unknown;
    };
    std::vector<std::optional<std::string>> names = {};  ///< of the groups
    std::vector<std::int64_t> numbers = {};              ///< of the groups, in the query
    std::vector<RowSubject> subjects = {};
    KeptStatuses statuses = {};
    std::vector<AreaRow> rows = {};
    std::size_t count = 0;

    void write(RowCells<area_columns>& row, std::size_t number) const {
        const AreaRow& found = rows[number];
        subjects[found.subject].put_names(row);
        if (names[found.group]) row.put("group_key", GroupName{*names[found.group], numbers[found.group]});
        row.put("estimate", found.estimate.value);
        row.put("stderr", found.estimate.standard_error);
        row.put("lower", found.interval.lower);
        row.put("upper", found.interval.upper);
        row.put("own_estimate", found.own.value);
        row.put("own_stderr", found.own.standard_error);
        row.put("weight", found.weight);
        found.status->put_counts(row);
        if (std::isnan(found.estimate.value) && !std::isnan(found.own.value))
            row.put("note", "fewer than " + std::to_string(least_small_areas) + " groups have an estimate");
        else
            found.status->put_note(row, !std::isnan(found.estimate.value));
    }
};

}  // namespace

accessors::Found accessors::small_areas(const Subject& subject, const SummaryQuery& query) {
    const double critical_value = ldp::critical_value(query.confidence);
    const GroupItems items(subject, query, {.least = least_small_areas});
    AreaRows all;
    all.numbers = items.numbers();
    for (const std::optional<std::string_view>& name : items.names())
        all.names.push_back(name ? std::optional(std::string(*name)) : std::nullopt);
    std::vector<const ReportStatus*> status;
    items.for_each([&](const GroupItem& item) {
        if (all.subjects.empty() || all.subjects.back().number != item.attribute) {
            status.clear();
            for (const ReportStatus& one : item.status) status.push_back(all.statuses.keep(one));
        }
        const auto first = all.rows.size();
        const auto number = static_cast<std::uint32_t>(all.subjects.size());
        all.subjects.emplace_back(items.labels(), item);
        for (std::uint32_t j = 0; j < status.size(); ++j)
            all.rows.push_back({.subject = number, .group = j, .status = status[j]});
        std::vector<SmallArea> found;
        const MeasuredGroups measured = item.measured();
        const double center = item.groups.empty() ? unknown : measured.center(),
                     between = item.groups.size() < 2 ? 0 : spread_of(measured).between;
        if (item.groups.size() >= least_small_areas) found = ldp::small_areas(measured, query.confidence);
        for (std::size_t i = 0; i < item.groups.size(); ++i) {
            AreaRows::AreaRow& row = all.rows[first + item.numbers[i]];
            row.own = item.published(
                Estimate{item.groups[i].value, std::sqrt(item.groups[i].variance_around(center, between))});
            if (found.empty()) continue;
            row.estimate = item.published(found[i].estimate);
            row.interval = extended(item.published(found[i].interval), row.status->bias, critical_value);
            row.weight = found[i].weight;
        }
    });
    all.count = all.rows.size();
    return results<area_columns>(std::move(all));
}

namespace {

constexpr auto smoothed_columns =
    answer_columns("number own_estimate", "number own_stderr", "number season_effect", "number jump_p_value",
                   "number adjusted_p_value", "bigint people", "integer attribute_number", "integer value");

struct SmoothedRows {
    struct SmoothedRow {
        std::uint32_t subject;
        std::uint32_t time;
        const ReportStatus* status;  ///< null without reports
        Estimate own{unknown, unknown}, estimate{unknown, unknown};
        Interval interval{unknown, unknown};
        double season = unknown, p_value = unknown, adjusted = unknown;
        bool jump = false;
    };
    std::vector<std::string> names = {};     ///< of the points in time
    std::vector<std::int64_t> numbers = {};  ///< of their groups, in the query; -1 without a group
    std::vector<RowSubject> subjects = {};
    KeptStatuses statuses = {};
    std::vector<SmoothedRow> rows = {};
    std::size_t count = 0;

    void write(RowCells<smoothed_columns>& row, std::size_t number) const {
        const SmoothedRow& found = rows[number];
        subjects[found.subject].put_names(row);
        row.put("group_key", GroupName{names[found.time], numbers[found.time]});
        row.put("estimate", found.estimate.value);
        row.put("stderr", found.estimate.standard_error);
        row.put("lower", found.interval.lower);
        row.put("upper", found.interval.upper);
        row.put("own_estimate", found.own.value);
        row.put("own_stderr", found.own.standard_error);
        row.put("season_effect", found.season);
        row.put("jump_p_value", found.p_value);
        row.put("adjusted_p_value", found.adjusted);
        if (found.status != nullptr)
            found.status->put_counts(row);
        else
            row.put("n", std::uint64_t{0});
        if (std::isnan(found.estimate.value))
            row.put("note", "too few points in time have an estimate");
        else if (found.jump)
            row.put("note", "the level jumps here: the days before and after are smoothed as two levels");
        else if (found.status == nullptr)
            row.put("note", no_reports_note);
        else
            found.status->put_note(row, true);
    }
};

/// Groups in the order of time. Those without a name come last.
struct TimedGroups {
    std::vector<std::optional<std::string_view>> groups = {};
    std::vector<Bytes> summaries = {};
    std::vector<std::size_t> points = {};    ///< of the groups with a name, from 0 on
    std::vector<std::string> names = {};     ///< of all points
    std::vector<std::int64_t> numbers = {};  ///< of the group of each point, in the query; -1 without a group
    bool daily = false;                      ///< whether the points are dates and some are consecutive days

    explicit TimedGroups(const SummaryQuery& query) {
        check_groups(query.groups, query.summaries);
        std::vector<std::size_t> order, unnamed;
        std::vector<std::string_view> named;
        for (std::size_t g = 0; g < query.groups.size(); ++g) {
            (query.groups[g] ? order : unnamed).push_back(g);
            if (query.groups[g]) named.push_back(*query.groups[g]);
        }
        const TimeNames time(named);
        std::vector<std::pair<std::int64_t, std::size_t>> places;
        for (std::size_t i = 0; i < order.size(); ++i) places.emplace_back(time.positions()[i], order[i]);
        std::ranges::sort(places);
        for (std::size_t i = 0; i < places.size(); ++i) order[i] = places[i].second;
        order.insert(order.end(), unnamed.begin(), unnamed.end());
        for (const std::size_t g : order) {
            groups.push_back(query.groups[g]);
            summaries.push_back(query.summaries[g]);
        }
        set_points(time, places);
    }

  private:
    /// The distance of points is the greatest common divisor of the distances of groups.
    void set_points(const TimeNames& time, std::span<const std::pair<std::int64_t, std::size_t>> places) {
        if (places.empty()) return;
        std::int64_t step = 0;
        for (std::size_t i = 1; i < places.size(); ++i) {
            const std::int64_t distance = places[i].first - places[i - 1].first;
            if (distance == 0)
                throw Error(ErrorCode::invalid_value, "two groups have the same point in time",
                            "It is " + time.name(static_cast<std::int32_t>(places[i].first)) + ".",
                            "Merge their summaries.");
            daily = daily || (time.dates() && distance == 1);
            step = std::gcd(step, distance);
        }
        step = std::max<std::int64_t>(step, 1);
        const std::int64_t first = places[0].first, count = (places.back().first - first) / step + 1;
        if (count > static_cast<std::int64_t>(max_smoothed_points))
            throw Error(ErrorCode::invalid_value, "series is too long",
                        "It has " + std::to_string(count) + " points in time; at most " +
                            std::to_string(max_smoothed_points) + " are possible.");
        numbers.assign(static_cast<std::size_t>(count), -1);
        for (const auto& [position, group] : places) {
            points.push_back(static_cast<std::size_t>((position - first) / step));
            numbers[points.back()] = static_cast<std::int64_t>(group);
        }
        for (std::int64_t t = 0; t < count; ++t)
            names.push_back(time.name(static_cast<std::int32_t>(first + t * step)));
    }
};

/// The number of points in time of a season; 0 for none. Throws Error (invalid_value).
std::size_t season_of(const SummaryQuery& query, const TimedGroups& time) {
    constexpr std::size_t week = 7;
    if (!query.season) return time.daily && time.points.size() >= 4 * week ? week : 0;
    if (*query.season < 0 || *query.season > static_cast<std::int32_t>(max_season))
        throw Error(
            ErrorCode::invalid_value, "invalid season: " + std::to_string(*query.season),
            "A season has 2 to " + std::to_string(max_season) + " points in time; 0 means no season.");
    return static_cast<std::size_t>(*query.season);
}

}  // namespace

accessors::Found accessors::smoothed(const Subject& subject, const SummaryQuery& asked) {
    const double critical_value = ldp::critical_value(asked.confidence);
    const TimedGroups time(asked);
    SummaryQuery query = asked;
    query.groups = time.groups;
    query.summaries = time.summaries;
    const GroupItems items(subject, query,
                           {.least = least_smoothed,
                            .panel_note = "people may repeat responses, so the error refers to one round"});
    const std::size_t period = std::max<std::size_t>(season_of(query, time), 1), points = time.names.size();
    constexpr std::size_t most_states = 4'000'000;
    if (points > most_states / (period * period))
        throw Error(ErrorCode::invalid_value, "season is too long for this series",
                    "The series has " + std::to_string(points) + " points in time.");
    SmoothedRows all;
    all.names = time.names;
    all.numbers = time.numbers;
    std::vector<const ReportStatus*> status;
    items.for_each([&](const GroupItem& item) {
        if (all.subjects.empty() || all.subjects.back().number != item.attribute) {
            status.clear();
            for (const ReportStatus& one : item.status) status.push_back(all.statuses.keep(one));
        }
        if (points > max_group_items - all.rows.size())
            throw Error(ErrorCode::invalid_value, "too many estimates",
                        "At most " + std::to_string(max_group_items) + " are possible.",
                        "Name an attribute.");
        const auto first = all.rows.size();
        const auto number = static_cast<std::uint32_t>(all.subjects.size());
        all.subjects.emplace_back(items.labels(), item);
        for (std::size_t t = 0; t < points; ++t)
            all.rows.push_back({.subject = number, .time = static_cast<std::uint32_t>(t), .status = nullptr});
        for (std::size_t j = 0; j < status.size(); ++j) all.rows[first + time.points[j]].status = status[j];
        const MeasuredGroups measured = item.measured();
        std::vector<TimedEstimate> series;
        double most = 0;  // largest variance of an estimate
        const double center = item.groups.empty() ? unknown : measured.center(),
                     between = item.groups.size() < 2 ? 0 : spread_of(measured).between;
        for (std::size_t i = 0; i < item.groups.size(); ++i) {
            const TimedEstimate one{time.points[item.numbers[i]], item.groups[i].value,
                                    item.groups[i].variance_around(center, between)};
            all.rows[first + one.time].own = item.published(Estimate{one.value, std::sqrt(one.variance)});
            series.push_back(one);
            most = std::max(most, one.variance);
        }
        if (series.size() < std::max(least_smoothed, 2 * period)) return;
        // The smoother ends at the last estimate, and the season needs no origin.
        const std::vector<SmoothedPoint> found =
            smoothed_series(series, period, measured.truths, query.confidence);
        for (std::size_t t = 0; t < found.size(); ++t) {
            SmoothedRows::SmoothedRow& row = all.rows[first + t];
            row.estimate = item.published(found[t].estimate);
            const BiasBound bias = row.status == nullptr ? bias_of(item) : row.status->bias;
            row.interval = extended(item.published(found[t].interval), bias, critical_value);
            if (period > 1) row.season = item.unit * found[t].season;
            row.p_value = found[t].p_value;
            row.jump = found[t].jump;
            // Noise that people repeat does not average out. The error of an average is at most the largest of its parts.
            if (items.panel()) {
                const double error = std::max(row.estimate.standard_error, item.unit * std::sqrt(most));
                const Interval alone =
                    interval(Estimate{row.estimate.value, error}, critical_value, ErrorLaw{});
                row.estimate.standard_error = error;
                row.interval = {std::min(row.interval.lower, alone.lower),
                                std::max(row.interval.upper, alone.upper)};
            }
        }
    });
    adjust_by_holm(
        std::span(all.rows), [](const SmoothedRows::SmoothedRow& row) { return row.p_value; },
        [](SmoothedRows::SmoothedRow& row, double adjusted) { row.adjusted = adjusted; });
    all.count = all.rows.size();
    return results<smoothed_columns>(std::move(all));
}

}  // namespace ldp
