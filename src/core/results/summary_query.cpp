#include "core/results/summary_query.hpp"

#include <limits>

#include "core/mechanism/longitudinal/series.hpp"
#include "core/mechanism/role/capability.hpp"
#include "core/summary/queries/learn.hpp"

namespace ldp {

const Labels& no_labels() noexcept {
    static const auto* const none = new Labels;  // never destroyed
    return *none;
}

void Subject::select(std::string_view name) {
    attribute = labels->attribute_called(name, std::numeric_limits<std::size_t>::max(),
                                         "The spec has the names of all attributes.");
    attributes = labels->attributes_called(*attribute, name);
}

Interval range_of(const SummaryQuery& query) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (!query.low && !query.high)
        throw Error(ErrorCode::invalid_value, "a range needs a bound", "Both low and high are missing.",
                    "Specify low for a share from a value on, high for a share up to a value, or both.");
    return {query.low.value_or(-infinity), query.high.value_or(infinity)};
}

Target target_named(std::string_view word) {
    if (word == "sample") return Target::sample;
    if (word == "population") return Target::population;
    throw Error(ErrorCode::invalid_value, "unknown target \"" + std::string(word) + "\"",
                "Valid values are \"sample\" (error for the respondents) and \"population\" (with the "
                "sampling error).");
}

const Labels& fitting(const Labels& labels, std::span<const std::uint64_t> sizes) {
    labels.check_fit(sizes);
    return labels;
}

std::shared_ptr<const Mechanism> checked_mechanism(Bytes summary) {
    std::shared_ptr<const Mechanism> mechanism = mechanism_of(summary);
    check_summary(*mechanism, summary);
    return mechanism;
}

void check_answer(const Mechanism& mechanism, Quantity quantity) {
    check_no_ranges(mechanism);
    check_can_estimate(mechanism, quantity);
    const SeriesParts* parts = series_parts(mechanism);
    if (is_series(mechanism) || (parts != nullptr && parts->only_series()))
        throw Error(ErrorCode::unsupported,
                    quantity == Quantity::means
                        ? "these reports are about a series; its means are estimated per round"
                        : "these reports are about a series; its shares are estimated per round",
                    {}, {Remedy::ask_series});
}

std::size_t one_attribute(const Mechanism& mechanism, std::optional<std::size_t> named) {
    const std::size_t attributes = is_series(mechanism) ? 1 : mechanism.cells().size();
    if (named)
        check_attribute(*named, attributes);
    else if (attributes > 1)
        throw Error(ErrorCode::unsupported, "these reports are about several attributes; specify one",
                    "The summary has " + std::to_string(attributes) + " attributes.",
                    "Use the argument \"attribute\".");
    return named.value_or(0);
}

void throw_for_part(const Error& error) {
    // A hint of its own is about this attribute. Remedies are about all reports of its mechanism.
    if (error.remedies().empty() && !error.hint().empty()) throw error;
    throw Error(
        error.code(), error.what(), error.detail(),
        "The spec determines the queries of an attribute: \"estimate\": \"distribution\" allows ranges "
        "and quantiles, \"joint_tables\" allows joint tables, and \"vector\" allows means of ranges of "
        "elements.");
}

}  // namespace ldp
