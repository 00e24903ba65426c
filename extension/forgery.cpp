// What forged reports can do, what holds all the same, and how rarely honest reports are equal.

#include <algorithm>

#include "answers.hpp"
#include "core/base/interrupt.hpp"
#include "core/spec/spec.hpp"
#include "core/summary/withstand.hpp"

using namespace ldp;

namespace {

/// What forgers can do to a spec's attributes, in PostgreSQL's memory.
struct Influences {
    struct Row {
        const char* attribute;
        double one_report;
        ldp::Interval pull;
    };
    const Row* items;
    std::size_t count;

    void write(Columns& columns, std::size_t row) const {
        const auto& [attribute, one_report, pull] = items[row];
        columns.put(server_text(attribute));
        columns.put(one_report);
        columns.put(pull.lower);
        columns.put(pull.upper);
    }
};

Influences influences(const char* text, double share) {
    if (!(share >= 0 && share < 1))
        throw Error(ErrorCode::invalid_value, "the share of forged reports must be at least 0 and below 1",
                    "Found " + std::to_string(share) + ".", "One in a hundred is 0.01.");
    const Spec spec = Spec::from_json(text);
    const std::unique_ptr<const Mechanism> mechanism = make_mechanism(spec);
    const std::size_t count = spec.attributes().size();
    auto* items = static_cast<Influences::Row*>(try_palloc(count * sizeof(Influences::Row)));
    for (std::size_t j = 0; j < count; ++j)
        items[j] = {keep(spec.attributes()[j].name), mechanism->promised_influence(j),
                    mechanism->promised_pull(j, share)};
    return {items, count};
}

/// Answers with bounds of their own.
struct Bounded {
    Answers answers = {};
    ldp::Interval* bounds = nullptr;
    std::size_t count = 0;

    void write(Columns& columns, std::size_t row) const {
        const auto& [attribute, value, estimate, n] = answers.rows[row];
        columns.put(answers.legend.name(attribute), false);
        value == Answers::none ? columns.put_nothing()
                               : columns.put(answers.legend.label(attribute, value), false);
        columns.put(estimate.value);
        columns.put(bounds[row].lower);
        columns.put(bounds[row].upper);
        columns.put(n);
        columns.put(static_cast<std::int32_t>(attribute));
        columns.put(Int32GetDatum(static_cast<std::int32_t>(value)), value == Answers::none);
    }
};

/// Of each attribute its mean, or its values' shares.
Bounded withstanding(const Subject& subject, double forged, double errors, Target target) {
    const auto found = [&](const SummaryView& view) {
        const Mechanism& mechanism = *view.mechanism;
        const auto means = mechanism.tells(Quantity::means) ? estimate(view, {Quantity::means, target})
                                                            : std::vector<Estimate>{};
        const std::vector<std::uint64_t> cells = mechanism.cells();
        const auto is_number = [&](std::size_t j) { return part(view, j).mechanism->tells(Quantity::means); };
        std::size_t room = 0;
        for (std::size_t j = 0; j < cells.size(); ++j) room += is_number(j) ? 1 : cells[j];
        Bounded all{.answers = {.legend = subject.legend}};
        all.answers.reserve(room);
        all.bounds = static_cast<ldp::Interval*>(try_palloc(room * sizeof(ldp::Interval)));
        for (std::size_t j = 0; j < cells.size(); ++j) {
            const std::uint64_t n = part(view, j).n;
            const Quantity quantity = is_number(j) ? Quantity::means : Quantity::frequencies;
            const Withstanding bounds(view, {quantity, target, j}, forged, errors);
            const auto add = [&](std::size_t value, const Estimate& one) {
                all.answers.add(j, value, one, n);
                all.bounds[all.count++] = bounds(one);
            };
            if (quantity == Quantity::means) {
                add(Answers::none, means[j]);
                continue;
            }
            const auto shares = estimate(view, {quantity, target, j});
            Work work;
            for (std::size_t value = 0; value < shares.size(); ++value, work.done())
                add(value, shares[value]);
        }
        return all;
    };
    return ask(subject.summary, Bounded{}, found,
               [](const SummaryView& view) { check_answer(*view.mechanism, view.mechanism->answers()[0]); });
}

double copies_by_chance(const Mechanism& mechanism, Bytes report, std::int64_t copies, std::int64_t reports) {
    check_report(mechanism, report);
    if (copies < 1 || reports < copies)
        throw Error(ErrorCode::invalid_value,
                    "a report comes at least once, and no more often than all reports",
                    "Found " + std::to_string(copies) + " of " + std::to_string(reports) + ".");
    const double likeliest = mechanism.likeliest(report.last(mechanism.payload_size()));
    return chance_of_copies(likeliest, static_cast<std::uint64_t>(copies),
                            static_cast<std::uint64_t>(reports));
}

}  // namespace

/// (spec, forged): a row per attribute.
LDP_FUNCTION_READING(ldp_influence, ERRCODE_INVALID_PARAMETER_VALUE) {
    return rows(fcinfo, [=] { return influences(json_argument(fcinfo, 0), PG_GETARG_FLOAT8(1)); });
}

/// (summary, forged, confidence, target): a row per number and per value of a category, in order.
LDP_FUNCTION(ldp_withstand) {
    return rows(fcinfo, [=] {
        const Subject subject = whole_argument(fcinfo);
        return withstanding(subject, PG_GETARG_FLOAT8(1), reach(PG_GETARG_FLOAT8(2)),
                            target_argument(fcinfo, 3));
    });
}

/// (report, how often it came, reports in all): the chance of that among honest ones.
LDP_FUNCTION(ldp_copies) {
    const Bytes report = contents(PG_GETARG_VARLENA_PP(0));
    PG_RETURN_FLOAT8(copies_by_chance(mechanism_of(fcinfo, report, Kind::report), report, PG_GETARG_INT64(1),
                                      PG_GETARG_INT64(2)));
}
