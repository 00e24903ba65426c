// Rows about the rounds of a series. One summary has the reports of all rounds.

#include <algorithm>

#include "core/base/interrupt.hpp"
#include "core/series/series_queries.hpp"
#include "estimate_rows.hpp"

using namespace ldp;

namespace {

constexpr Column series_columns[] = {
    {"round", INT4OID},    {"attribute", TEXTOID},        {"label", TEXTOID},   {"estimate", FLOAT8OID},
    {"stderr", FLOAT8OID}, {"lower", FLOAT8OID},          {"upper", FLOAT8OID}, {"n", INT8OID},
    {"people", INT8OID},   {"attribute_number", INT4OID}, {"value", INT4OID},   {"note", TEXTOID}};
constexpr Column quantile_columns[] = {
    {"round", INT4OID},      {"attribute", TEXTOID}, {"share", FLOAT8OID},
    {"estimate", FLOAT8OID}, {"lower", FLOAT8OID},   {"upper", FLOAT8OID},
    {"n", INT8OID},          {"people", INT8OID},    {"attribute_number", INT4OID},
    {"note", TEXTOID}};

const SeriesRandomizer& series_of(const SummaryView& view) {
    return capability<SeriesRandomizer>(*view.mechanism);
}

void check_series(const SummaryView& view) {
    (void)series_of(view);
}

void check_numbers(const SummaryView& view) {
    (void)capability<NumberSeries>(*view.mechanism);
}

bool is_number(const SummaryView& view) {
    return view.mechanism->can_estimate(Quantity::means);
}

/// The status of an estimate with this law.
const ReportStatus* status(const SummaryView& view, const ErrorLaw& law) {
    ReportStatus all = report_status(view);
    all.law = law;
    return kept(all);
}

/// Rows of estimates, the same number for each round.
struct SeriesRows {
    Answers answers;
    std::size_t count, each;

    void write(RowWriter<series_columns>& row, std::size_t number) const {
        row.put("round", static_cast<std::int32_t>(number / each + 1));
        answers.write(row, number);
    }
};

SeriesRows series(const Subject& subject, double critical_value, Target target) {
    const auto found = [&](const SummaryView& view) {
        const std::size_t rounds = series_of(view).rounds();
        const std::size_t each = is_number(view) ? 1 : view.mechanism->cells()[0];
        Answers all{.labels = subject.labels, .critical_value = critical_value};
        all.reserve(rounds * each);
        if (is_number(view)) {
            for (const RoundEstimate& mean : means_by_round(view, target))
                all.add(0, Answers::none, mean, status(view, mean.law));
        } else {
            const ReportStatus* const about = status(view, law_of_share());
            for (std::size_t round = 0; round < rounds; ++round) {
                const auto shares = estimate(view, {Quantity::frequencies, target, round});
                for (std::size_t value = 0; value < shares.size(); ++value)
                    all.add(0, value, shares[value], about);
            }
        }
        return SeriesRows{all, all.count, each};
    };
    return ask(subject.summary, SeriesRows{{}, 0, 1}, found, check_series);
}

/// Numbers of rounds in PostgreSQL's memory.
struct RoundNumbers {
    const std::int64_t* numbers;
    std::size_t count;

    [[nodiscard]] std::span<const std::int64_t> span() const noexcept { return {numbers, count}; }
};

/// An array argument of rounds, without its NULLs. May jump: not beside C++ objects.
RoundNumbers rounds_argument(FunctionCallInfo fcinfo, int number) {
    Datum* values;
    bool* missing;
    int count;
    deconstruct_array(PG_GETARG_ARRAYTYPE_P(number), INT4OID, sizeof(std::int32_t), true, TYPALIGN_INT,
                      &values, &missing, &count);
    auto* numbers =
        static_cast<std::int64_t*>(palloc(sizeof(std::int64_t) * (static_cast<std::size_t>(count) + 1)));
    std::size_t known = 0;
    for (int i = 0; i < count; ++i)
        if (!missing[i]) numbers[known++] = DatumGetInt32(values[i]);
    return {numbers, known};
}

Answers pooled_rounds(const Subject& subject, const RoundNumbers& rounds, const RoundNumbers& baseline,
                      double critical_value, Target target) {
    const auto found = [&](const SummaryView& view) {
        const std::vector<RoundEstimate> items = mean_of_rounds(view, rounds.span(), baseline.span(), target);
        Answers all{.labels = subject.labels, .critical_value = critical_value};
        all.reserve(items.size());
        for (std::size_t value = 0; value < items.size(); ++value)
            all.add(0, is_number(view) ? Answers::none : value, items[value], status(view, items[value].law));
        return all;
    };
    return ask(subject.summary, Answers{}, found, check_series);
}

/// Calls `add(rows, distribution, status)` for each round. Notes state the smoothing in a round.
template <class Rows, class Add>
void for_each_distribution(const SummaryView& view, Rows& rows, Add add) {
    const std::uint32_t count = series_of(view).rounds();
    for (std::uint32_t round = 1; round <= count; ++round) {
        check_interrupt();
        RoundDistribution distribution(view, round);
        ReportStatus about = report_status(view);
        if (distribution.known() && about.enough) {
            const std::string words = distribution.smearing();
            if (!words.empty())
                about.note = keep(about.note == nullptr ? words : about.note + ("; " + words));
        }
        add(rows, distribution, about);
    }
}

SeriesRows ranges(const Subject& subject, double low, double high, double critical_value, Target target) {
    const auto found = [&](const SummaryView& view) {
        Answers all{.labels = subject.labels, .critical_value = critical_value};
        all.reserve(series_of(view).rounds());
        for_each_distribution(view, all, [&](Answers& rows, RoundDistribution& one, ReportStatus& about) {
            ShareOfRange share{{unknown, unknown}, {}};
            if (one.known()) share = one.share_between(low, high, target);
            about.law = share.law;
            rows.add(0, Answers::none, share, kept(about));
        });
        return SeriesRows{all, all.count, 1};
    };
    return ask(subject.summary, SeriesRows{{}, 0, 1}, found, check_numbers);
}

/// Quantiles of all rounds, one round after another.
struct SeriesQuantiles {
    struct SeriesQuantile {
        double share;
        Quantile quantile;
        const ReportStatus* about;
    };
    SummaryLabels labels = {};
    SeriesQuantile* rows = nullptr;
    std::size_t count = 0, each = 1;

    void write(RowWriter<quantile_columns>& row, std::size_t number) const {
        const auto& [share, quantile, about] = rows[number];
        const double shown = about->enough ? quantile.value : unknown;
        row.put("round", static_cast<std::int32_t>(number / each + 1));
        row.put("attribute", TypedDatum<TEXTOID>{labels.name(0)});
        row.put("attribute_number", 0);
        row.put("share", share);
        row.put("estimate", shown);
        row.put("lower", about->enough ? quantile.interval.lower : unknown);
        row.put("upper", about->enough ? quantile.interval.upper : unknown);
        about->put_counts(row);
        about->put_note(row, !std::isnan(shown));
    }
};

SeriesQuantiles quantiles(const Subject& subject, const Numbers& shares, double confidence, Target target) {
    const auto found = [&](const SummaryView& view) {
        const std::size_t each = std::max<std::size_t>(1, shares.count);
        const std::size_t size = each * series_of(view).rounds() * sizeof(SeriesQuantiles::SeriesQuantile);
        SeriesQuantiles all{.labels = subject.labels,
                            .rows = static_cast<SeriesQuantiles::SeriesQuantile*>(try_palloc(size)),
                            .each = each};
        for_each_distribution(view, all,
                              [&](SeriesQuantiles& rows, RoundDistribution& one, ReportStatus& about) {
                                  const ReportStatus* const status = kept(about);
                                  for (std::size_t i = 0; i < shares.count; ++i) {
                                      Quantile quantile{unknown, {unknown, unknown}};
                                      if (one.known())
                                          quantile = one.quantile(shares.numbers[i], confidence, target);
                                      rows.rows[rows.count++] = {shares.numbers[i], quantile, status};
                                  }
                              });
        return all;
    };
    return ask(subject.summary, SeriesQuantiles{}, found, check_numbers);
}

}  // namespace

/// (summary, confidence, target): a row per round of a series, or per round and value.
LDP_FUNCTION(ldp_series) {
    return rows<series_columns>(fcinfo, [=] {
        const Subject subject = whole_argument(fcinfo);
        return series(subject, critical_value(PG_GETARG_FLOAT8(1)), target_argument(fcinfo, 2));
    });
}

/// (summary, rounds, baseline, confidence, target): the mean of rounds, less that of the baseline rounds.
LDP_FUNCTION(ldp_series_mean) {
    return rows<answer_columns>(fcinfo, [=] {
        const Subject subject = whole_argument(fcinfo);
        const RoundNumbers rounds = rounds_argument(fcinfo, 1), baseline = rounds_argument(fcinfo, 2);
        return pooled_rounds(subject, rounds, baseline, critical_value(PG_GETARG_FLOAT8(3)),
                             target_argument(fcinfo, 4));
    });
}

/// (summary, low, high, confidence, target): the share of people with low ≤ number ≤ high, by round.
LDP_FUNCTION(ldp_series_range) {
    return rows<series_columns>(fcinfo, [=] {
        const Subject subject = whole_argument(fcinfo);
        const double low = PG_GETARG_FLOAT8(1), high = PG_GETARG_FLOAT8(2);
        return ranges(subject, low, high, critical_value(PG_GETARG_FLOAT8(3)), target_argument(fcinfo, 4));
    });
}

/// (summary, shares, confidence, target): the values below which these shares lie, by round.
LDP_FUNCTION(ldp_series_quantiles) {
    return rows<quantile_columns>(fcinfo, [=] {
        const Subject subject = whole_argument(fcinfo);
        const Numbers shares = numbers_argument(fcinfo, 1);
        return quantiles(subject, shares, PG_GETARG_FLOAT8(2), target_argument(fcinfo, 3));
    });
}
