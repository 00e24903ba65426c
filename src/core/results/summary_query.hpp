// The subject and the arguments of a query of a summary, and checked access to its counts.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "core/base/attempt.hpp"
#include "core/base/error.hpp"
#include "core/contract/labels.hpp"
#include "core/mechanism/role/mechanism.hpp"
#include "core/results/result_table.hpp"
#include "core/summary/pooling.hpp"
#include "core/summary/summary.hpp"

namespace ldp {

/// The labels of summaries without a known spec: numbers replace names.
[[nodiscard]] const Labels& no_labels() noexcept;

/// The subject of a query: a summary, or one attribute of it. Summary and labels must outlive it. It has no destructor.
struct Subject {
    Bytes summary = {};
    const Labels* labels = &no_labels();
    std::optional<std::size_t> attribute = {};
    std::size_t attributes = 1;  ///< number of attributes from `attribute` on: several if a vector is named
    /// Whether estimates without errors are enough, as in aggregates that do not count rounds.
    bool pointwise = false;

    /// Selects the attributes with this name: an attribute, or all elements of a vector. Throws Error
    /// (invalid_value) if the name is unknown.
    void select(std::string_view name);
    /// Whether the subject includes an attribute.
    [[nodiscard]] bool has(std::size_t number) const noexcept {
        return !attribute || (number >= *attribute && number - *attribute < attributes);
    }
};

/// The arguments of all queries, with their usual defaults; each function uses some. Texts are in UTF-8. Texts and
/// arrays belong to the caller: a query has no destructor.
struct SummaryQuery {
    using Texts = std::span<const std::string_view>;
    using OptionalTexts = std::span<const std::optional<std::string_view>>;

    double confidence = 0.95;
    std::string_view target = "sample";
    std::optional<std::string_view> attribute = {};
    std::optional<Texts> attributes = {};  ///< names; nothing for all attributes
    std::optional<Texts> statistics = {};  ///< names; nothing for the usual one of each attribute
    std::optional<Texts> texts = {};       ///< pairs of an attribute and a text
    Texts names = {};                      ///< attributes of a table
    std::string_view method = {}, control = "bonferroni", selection = "lasso", smoothing = "ems",
                     shrink = "soft";
    double forged = 0.01, memoized = 0, coverage = 0.9, significance = 0.05;
    Bytes other = {};                           ///< a second summary
    std::optional<double> low = {}, high = {};  ///< of a range; nothing: no bound on this side
    double value = 0, people = 0;
    bool anytime = false, simultaneous = false;
    std::int32_t limit = 10, bins = 10, keep = 32, cells = 65536;
    std::optional<std::int32_t> most = {};    ///< a limit that may be missing
    std::optional<std::int32_t> season = {};  ///< points in time of a season; nothing: chosen for days
    std::int64_t records = 0, seed = 1, remaining = 0;
    std::span<const double> shares = {};
    std::span<const std::int32_t> rounds = {}, baseline = {};
    Texts strings = {}, predictors = {}, given_names = {};
    std::string_view x = {}, y = {}, of = {}, link = "identity";
    std::optional<std::string_view> group = {};
    JsonText conditions = {}, queries = {}, weights = {};
    std::optional<JsonText> given = {};
    // Groups of reports. A group without a name is one whose public column is NULL.
    OptionalTexts groups = {};
    std::span<const Bytes> summaries = {};
    std::optional<std::string_view> baseline_group = {};  ///< nothing: all pairs are compared
    // Of a calibration (groups/calibration_totals.hpp).
    std::optional<Texts> by = {};  ///< names of the columns of the groups
    std::optional<JsonText> totals = {};
    std::optional<std::string_view> weight_column = {};
    bool collapse = false;
};

/// An argument of a function: its name and its member of SummaryQuery, whose type is the type of the
/// argument. An optional member may be NULL.
struct QueryParameter {
    using Member =
        std::variant<bool SummaryQuery::*, double SummaryQuery::*, std::int32_t SummaryQuery::*,
                     std::int64_t SummaryQuery::*, std::string_view SummaryQuery::*, JsonText SummaryQuery::*,
                     Bytes SummaryQuery::*, std::span<const double> SummaryQuery::*,
                     std::span<const std::int32_t> SummaryQuery::*, SummaryQuery::Texts SummaryQuery::*,
                     std::optional<std::string_view> SummaryQuery::*, std::optional<double> SummaryQuery::*,
                     std::optional<std::int32_t> SummaryQuery::*, std::optional<JsonText> SummaryQuery::*,
                     std::optional<SummaryQuery::Texts> SummaryQuery::*,
                     SummaryQuery::OptionalTexts SummaryQuery::*, std::span<const Bytes> SummaryQuery::*>;
    const char* name;
    Member member;
    bool required = false;  ///< without a default
};

/// The bounds of a query of a range; infinite where it has none. Throws Error (invalid_value) without any bound.
[[nodiscard]] Interval range_of(const SummaryQuery& query);

/// The target "sample" or "population". Throws Error (invalid_value).
[[nodiscard]] Target target_named(std::string_view word);

/// The labels if they fit attributes with these numbers of values. Throws Error (malformed) if they do not.
[[nodiscard]] const Labels& fitting(const Labels& labels, std::span<const std::uint64_t> sizes);

/// The mechanism of a summary after a check of all its bytes.
[[nodiscard]] std::shared_ptr<const Mechanism> checked_mechanism(Bytes summary);

/// Throws Error (unsupported) unless the mechanism's summaries estimate this directly: a mechanism for
/// ranges does not estimate the shares of values.
void check_answer(const Mechanism& mechanism, Quantity quantity);

/// The attribute of a query on one attribute. Throws Error: unsupported if there are several and none is
/// named, invalid_value if the attribute does not exist.
[[nodiscard]] std::size_t one_attribute(const Mechanism& mechanism, std::optional<std::size_t> named);

/// Throws again an error of a part of a record, with a hint on the spec.
[[noreturn]] void throw_for_part(const Error& error);

/// Returns `ask(view)` for a summary, or `otherwise` if it has no reports; `check(view)` runs first.
template <class Found, class Ask, class Check>
Found ask(Bytes summary, Found otherwise, Ask ask, Check check) {
    const std::shared_ptr<const Mechanism> mechanism = checked_mechanism(summary);
    const SummaryView view = view_of(*mechanism, summary);
    check(view);
    if (view.n == 0) return otherwise;
    return ask(view);
}
template <class Found, class Ask>
Found ask(Bytes summary, Found otherwise, Ask ask) {
    return ldp::ask(summary, std::move(otherwise), ask, [](const SummaryView&) {});
}

/// Returns `ask(view)` for a subject.
template <class Found, class Ask, class Check>
Found ask(const Subject& subject, Found otherwise, Ask ask, Check check) {
    return ldp::ask(
        subject.summary, std::move(otherwise),
        [&](const SummaryView& view) { return ask(subject.pointwise ? for_point_estimates(view) : view); },
        check);
}

/// Returns `ask(view)` for a result that has no error: rounds need not be known.
template <class Found, class Ask, class Check>
Found ask_point(Bytes summary, Found otherwise, Ask query, Check check) {
    return ask(Subject{.summary = summary, .pointwise = true}, std::move(otherwise), query, check);
}

/// Returns `ask(view)` for the selected attribute of a record.
template <class Found, class Ask>
Found ask_part(const Subject& subject, Found otherwise, Ask ask) {
    const std::shared_ptr<const Mechanism> mechanism = checked_mechanism(subject.summary);
    SummaryView view = view_of(*mechanism, subject.summary);
    if (subject.pointwise) view = for_point_estimates(view);
    if (subject.attribute) view = single_part(view, *subject.attribute);
    if (view.n == 0) return otherwise;
    if (!subject.attribute) return ask(view);
    const std::optional<Error> error = attempt([&] { otherwise = ask(view); });
    if (!error) return otherwise;
    if (error->code() != ErrorCode::unsupported || view.mechanism == mechanism.get()) throw *error;
    throw_for_part(*error);
}
/// Returns `ask(view)` for mechanisms that estimate only one attribute of a record.
template <class Found, class Ask>
Found ask_one(const Subject& subject, Found otherwise, Ask ask) {
    return ask_part(subject, std::move(otherwise), [&](const SummaryView& view) {
        if (!subject.attribute) (void)one_attribute(*view.mechanism, std::nullopt);
        return ask(view);
    });
}

}  // namespace ldp
