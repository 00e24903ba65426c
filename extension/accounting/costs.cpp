// Privacy costs: composition of several reports, shuffled reports, and the posterior odds for one person.

#include <cmath>
#include <vector>

#include "accounting/composition.hpp"
#include "accounting/posterior_odds.hpp"
#include "accounting/shuffling.hpp"
#include "arguments.hpp"
#include "core/base/text.hpp"
#include "result_rows.hpp"

using namespace ldp;

namespace {

constexpr Column composition_columns[] = {
    {"method", TEXTOID}, {"epsilon", FLOAT8OID}, {"delta", FLOAT8OID}, {"smallest", BOOLOID}};
constexpr Column shuffled_columns[] = {
    {"epsilon", FLOAT8OID}, {"delta", FLOAT8OID}, {"closed_form", FLOAT8OID}, {"lower_bound", FLOAT8OID}};
constexpr Column odds_columns[] = {{"odds", FLOAT8OID}, {"right_guess", FLOAT8OID}, {"posterior", FLOAT8OID}};

struct Wholes {
    Composed composed;
    std::size_t count;

    void write(RowWriter<composition_columns>& row, std::size_t number) const {
        const auto method = static_cast<Composition>(number);
        row.put("method", name(method));
        row.put("epsilon", composed.of(method));
        row.put("delta", method == Composition::basic ? 0.0 : composed.delta);
        row.put("smallest", method == composed.by());
    }
};

Wholes wholes(const Numbers& epsilons, double delta) {
    std::vector<EqualReleases> answers;
    for (std::size_t i = 0; i < epsilons.count; ++i) {
        // Equal values form one entry, for any number of reports.
        if (answers.empty() || answers.back().epsilon != epsilons.numbers[i])
            answers.push_back({epsilons.numbers[i], 0});
        ++answers.back().count;
    }
    return {compose(answers, delta), 3};
}

struct AmongOthers {
    Shuffled shuffled;
    std::size_t count;

    void write(RowWriter<shuffled_columns>& row, std::size_t) const {
        row.put("epsilon", shuffled.epsilon);
        row.put("delta", shuffled.delta);
        row.put("closed_form", shuffled.closed_form);
        row.put("lower_bound", shuffled.lower_bound);
    }
};

AmongOthers among_others(double epsilon, std::int64_t n, double delta) {
    return {shuffled(epsilon, static_cast<std::uint64_t>(std::max<std::int64_t>(n, 0)), delta), 1};
}

struct Belief {
    double epsilon, prior;
    std::size_t count;

    void write(RowWriter<odds_columns>& row, std::size_t) const {
        row.put("odds", odds_factor(epsilon));
        row.put("right_guess", right_guess(epsilon));
        row.put("posterior", posterior(prior, epsilon));
    }
};

Belief belief(double epsilon, double prior, std::int32_t people) {
    if (!(epsilon >= 0 && std::isfinite(epsilon)))
        raise(ErrorCode::invalid_value, "epsilon must be a finite number of at least 0",
              "Found " + shortest(epsilon) + ".");
    if (!(prior > 0 && prior < 1))
        raise(ErrorCode::invalid_value, "the prior must be between 0 and 1", "Found " + shortest(prior) + ".",
              "The prior is the probability before the report.");
    if (people < 1)
        raise(ErrorCode::invalid_value, "the number of people must be at least 1",
              "Found " + std::to_string(people) + ".");
    return {group_epsilon(epsilon, people), prior, 1};
}

}  // namespace

/// (epsilons, delta): a row per composition theorem.
LDP_FUNCTION_OF_REPORTS(ldp_compose, ERRCODE_INVALID_PARAMETER_VALUE) {
    return rows<composition_columns>(
        fcinfo, [=] { return wholes(numbers_argument(fcinfo, 0), PG_GETARG_FLOAT8(1)); });
}

/// (epsilon, people, delta): one row.
LDP_FUNCTION_OF_REPORTS(ldp_shuffled, ERRCODE_INVALID_PARAMETER_VALUE) {
    return rows<shuffled_columns>(
        fcinfo, [=] { return among_others(PG_GETARG_FLOAT8(0), PG_GETARG_INT64(1), PG_GETARG_FLOAT8(2)); });
}

/// (epsilon, prior, people): one row.
LDP_FUNCTION_OF_REPORTS(ldp_odds, ERRCODE_INVALID_PARAMETER_VALUE) {
    return rows<odds_columns>(
        fcinfo, [=] { return belief(PG_GETARG_FLOAT8(0), PG_GETARG_FLOAT8(1), PG_GETARG_INT32(2)); });
}
