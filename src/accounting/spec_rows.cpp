#include "accounting/spec_rows.hpp"

#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "accounting/channel_shuffling.hpp"
#include "accounting/composition.hpp"
#include "accounting/divergences.hpp"
#include "accounting/lower_bounds.hpp"
#include "accounting/shuffling.hpp"
#include "core/base/error.hpp"
#include "core/base/interrupt.hpp"
#include "core/base/text.hpp"
#include "core/choice/ordered_choice.hpp"
#include "core/choice/plan/plan.hpp"
#include "core/choice/resolve.hpp"
#include "core/contract/privacy_statement.hpp"
#include "core/mechanism/role/mechanism.hpp"
#include "core/proof/input_text.hpp"

namespace ldp {

namespace {

constexpr auto advice_columns =
    columns("text mechanism", "number stderr", "number lower_bound", "number worst_case_bias",
            "bigint report_bytes", "bigint summary_bytes", "number decode_cost", "text obstacle");
constexpr auto plan_columns =
    columns("text source", "number stderr", "number part", "number margin", "number effect", "bigint n",
            "number epsilon", "text mechanism", "json canonical");
constexpr auto influence_columns = columns("text attribute", "number one_report", "number down", "number up");
constexpr auto bound_columns =
    columns("text attribute", "number stderr", "number lower_bound", "number minimax", "number ratio");
constexpr auto composition_columns =
    columns("text method", "number epsilon", "number delta", "truth smallest");
constexpr auto shuffled_columns =
    columns("number epsilon", "number delta", "number closed_form", "number lower_bound");
constexpr auto channel_shuffled_columns =
    columns("number epsilon", "number delta", "number generic", "number lower_bound", "number blanket");
constexpr auto divergence_columns =
    columns("text response", "text divergence", "number parameter", "number largest", "truth exact",
            "text input", "text other_input", "number bound", "number general_bound");
constexpr auto privacy_columns =
    columns("text scope", "number epsilon", "number delta", "number odds", "number right_guess");
constexpr auto odds_columns = columns("number odds", "number right_guess", "number posterior");

struct AdviceRows {
    std::vector<Candidate> candidates;
    double least, users;
    std::size_t count = candidates.size();

    void write(RowCells<advice_columns>& row, std::size_t number) const {
        const Candidate& one = candidates[number];
        row.put("mechanism", one.mechanism->name);
        row.put("stderr", std::sqrt(one.n_variance / users));
        row.put("lower_bound", std::sqrt(least / users));
        row.put("worst_case_bias", one.bias);
        // The sizes of a rejected mechanism are unknown.
        if (one.report_bytes > 0) row.put("report_bytes", one.report_bytes);
        if (one.summary_bytes > 0) row.put("summary_bytes", one.summary_bytes);
        if (one.report_bytes > 0) row.put("decode_cost", one.decode_cost);
        if (!one.obstacle.empty()) row.put("obstacle", one.obstacle);
    }
};

struct PlanRows {
    Planning planning;
    Planning::Plan plan;
    std::string canonical = plan.spec.to_json();
    std::size_t count = 1 + plan.prediction.sources.size();

    void write(RowCells<plan_columns>& row, std::size_t number) const {
        const double error = plan.prediction.error();
        if (number == 0) {
            row.put("source", "all");
            row.put("stderr", error);
            row.put("part", 1.0);
            row.put("margin", planning.margin(error));
            row.put("effect", planning.least_effect(error));
        } else {
            const Prediction::Source& source = plan.prediction.sources[number - 1];
            row.put("source", source.name);
            row.put("stderr", plan.prediction.error_of(source));
            row.put("part", plan.prediction.part_of(source));
        }
        row.put("n", plan.people);
        row.put("epsilon", plan.spec.epsilon());
        row.put("mechanism", plan.spec.mechanism().name);
        row.put("canonical", JsonText{canonical});
    }
};

struct InfluenceRows {
    Spec spec;
    std::unique_ptr<const Mechanism> mechanism;
    double share;
    std::size_t count = spec.attributes().size();

    void write(RowCells<influence_columns>& row, std::size_t number) const {
        const Interval bias = mechanism->promised_bias(number, share);
        row.put("attribute", spec.attributes()[number].name);
        row.put("one_report", mechanism->promised_influence(number));
        row.put("down", bias.lower);
        row.put("up", bias.upper);
    }
};

struct BoundRows {
    struct BoundRow {
        std::optional<std::string> attribute;
        double standard_error, lower_bound, minimax;
    };
    std::vector<BoundRow> items;
    std::size_t count = items.size();

    void write(RowCells<bound_columns>& row, std::size_t number) const {
        const auto& [attribute, standard_error, lower_bound, minimax] = items[number];
        if (attribute) row.put("attribute", *attribute);
        row.put("stderr", standard_error);
        row.put("lower_bound", lower_bound);
        row.put("minimax", minimax);
        row.put("ratio", standard_error / lower_bound);
    }
};

/// Lower bounds of one attribute's error: asymptotic, and for n reports. They are equal for all numbers,
/// and for all categories of one size.
class LeastErrors {
  public:
    [[nodiscard]] std::pair<double, double> of(double epsilon, const Attribute& attribute, double n) {
        const auto kind = std::tuple(attribute.derived() || attribute.circular, attribute.numeric(),
                                     attribute.numeric() ? std::uint64_t{0} : attribute.domain);
        if (const auto found = known_.find(kind); found != known_.end()) return found->second;
        check_interrupt();
        return known_[kind] = {least_error(epsilon, attribute, endless, Target::sample),
                               least_error(epsilon, attribute, n, Target::sample)};
    }

  private:
    std::map<std::tuple<bool, bool, std::uint64_t>, std::pair<double, double>> known_;
};

struct CompositionRows {
    Composed composed;
    std::size_t count = 3;

    void write(RowCells<composition_columns>& row, std::size_t number) const {
        const auto method = static_cast<Composition>(number);
        row.put("method", name(method));
        row.put("epsilon", composed.of(method));
        row.put("delta", composed.delta_of(method));
        row.put("smallest", method == composed.by());
    }
};

struct ShuffledRows {
    Shuffled shuffled;
    std::size_t count = 1;

    void write(RowCells<shuffled_columns>& row, std::size_t) const {
        row.put("epsilon", shuffled.epsilon);
        row.put("delta", shuffled.delta);
        row.put("closed_form", shuffled.closed_form);
        row.put("lower_bound", shuffled.lower_bound);
    }
};

struct ChannelShuffledRows {
    ChannelShuffled shuffled;
    std::size_t count = 1;

    void write(RowCells<channel_shuffled_columns>& row, std::size_t) const {
        row.put("epsilon", shuffled.epsilon);
        row.put("delta", shuffled.delta);
        row.put("generic", shuffled.generic);
        row.put("lower_bound", shuffled.lower_bound);
        row.put("blanket", shuffled.blanket);
    }
};

struct DivergenceRows {
    Spec spec;
    std::unique_ptr<const Mechanism> mechanism;
    std::vector<std::pair<ResponseKind, DivergenceValue>> values;
    std::size_t count = values.size();

    void write(RowCells<divergence_columns>& row, std::size_t number) const {
        const auto& [response, one] = values[number];
        row.put("response", response == ResponseKind::report ? "report" : "permanent");
        row.put("divergence", name(one.divergence));
        row.put("parameter", one.parameter);
        row.put("largest", one.value);
        row.put("exact", one.exact);
        row.put("input", input_text(spec, *mechanism, one.one));
        row.put("other_input", input_text(spec, *mechanism, one.other));
        row.put("bound", one.bound);
        row.put("general_bound", one.general_bound);
    }
};

struct PrivacyRows {
    std::vector<std::pair<const char*, PrivacyLoss>> bounds;
    std::size_t count = bounds.size();

    void write(RowCells<privacy_columns>& row, std::size_t number) const {
        const auto& [reports, loss] = bounds[number];
        row.put("scope", reports);
        row.put("epsilon", loss.epsilon);
        row.put("delta", loss.delta);
        row.put("odds", loss.factor());
        row.put("right_guess", loss.right_guess());
    }
};

struct OddsRows {
    PrivacyLoss loss;
    double prior;
    std::size_t count = 1;

    void write(RowCells<odds_columns>& row, std::size_t) const {
        row.put("odds", loss.factor());
        row.put("right_guess", loss.right_guess());
        row.put("posterior", loss.posterior(prior));
    }
};

void check_users(std::int64_t users) {
    if (users < 1)
        raise(ErrorCode::invalid_value, "the number of users must be at least 1",
              "Found " + std::to_string(users) + ".");
}

}  // namespace

std::unique_ptr<Results> advice_rows(std::string_view spec, std::int64_t users) {
    check_users(users);
    auto [demand, candidates] = advise(spec);
    // The bound applies to means and to single shares.
    const double least = is_ordered(*candidates.front().mechanism)
                             ? unknown
                             : least_worst_error(demand.epsilon, demand.attributes, endless, Target::sample);
    return results<advice_columns>(AdviceRows{std::move(candidates), least, static_cast<double>(users)});
}

std::unique_ptr<Results> plan_rows(std::string_view spec, std::string_view target,
                                   std::optional<std::int64_t> people) {
    Planning planning(spec, target);
    Planning::Plan plan = planning.plan(people);
    return results<plan_columns>(PlanRows{std::move(planning), std::move(plan)});
}

std::unique_ptr<Results> influence_rows(std::string_view text, double share) {
    if (!(share >= 0 && share < 1))
        raise(ErrorCode::invalid_value, "the share of forged reports must be at least 0 and below 1",
              "Found " + std::to_string(share) + ".", "One in a hundred is 0.01.");
    Spec spec = resolve(text);
    auto mechanism = make_mechanism(spec);
    return results<influence_columns>(InfluenceRows{std::move(spec), std::move(mechanism), share});
}

std::unique_ptr<Results> bound_rows(std::string_view text, std::int64_t users, const char* advice) {
    check_users(users);
    const auto n = static_cast<double>(users);
    const Spec spec = resolve(text);
    if (spec.delta() != 0)
        raise(ErrorCode::unsupported, "lower bounds require a delta of 0",
              std::string("Mechanism ") + spec.mechanism().name +
                  " has \"delta\": " + shortest(spec.delta()) + ".",
              advice);
    const std::unique_ptr<const Mechanism> mechanism = make_mechanism(spec);
    std::vector<BoundRows::BoundRow> items;
    std::size_t numbers = 0;
    double promised = 0;  // sum over the numbers
    LeastErrors least_errors;
    Work work;
    for (const Attribute& attribute : spec.attributes()) {
        work.done(spec.attributes().size());
        const double unit = attribute.numeric() ? (attribute.max - attribute.min) / 2 : 1;
        const auto [least, minimax] = least_errors.of(spec.epsilon(), attribute, n);
        const double variance = mechanism->expected_variance(items.size());
        items.push_back({attribute.name, unit * std::sqrt(variance / n), unit * std::sqrt(least / n),
                         unit * std::sqrt(minimax / n)});
        if (!attribute.numeric() || std::isnan(least)) continue;
        ++numbers;
        promised += variance;
    }
    if (numbers > 1) {
        const auto least = [&](double reports) {
            return std::sqrt(least_error_of_means(spec.epsilon(), numbers, reports, Target::sample) / n);
        };
        const double variance = promised / static_cast<double>(numbers);
        items.push_back({{}, std::sqrt(variance / n), least(endless), least(n)});
    }
    return results<bound_columns>(BoundRows{std::move(items)});
}

std::unique_ptr<Results> composition_rows(std::span<const double> epsilons, std::span<const double> deltas,
                                          double delta) {
    if (deltas.size() != 1 && deltas.size() != epsilons.size())
        raise(ErrorCode::invalid_value, "there must be one delta for each epsilon, or one for all",
              "Found " + grouped(epsilons.size()) + " epsilons and " + grouped(deltas.size()) + " deltas.");
    std::vector<EqualReleases> releases;
    for (std::size_t i = 0; i < epsilons.size(); ++i) {
        const double epsilon = epsilons[i];
        const double revealed = deltas[deltas.size() == 1 ? 0 : i];
        // Equal values form one entry, for any number of reports.
        if (releases.empty() || releases.back().epsilon != epsilon || releases.back().delta != revealed)
            releases.push_back({epsilon, 0, revealed});
        ++releases.back().count;
    }
    return results<composition_columns>(CompositionRows{compose(releases, delta)});
}

std::unique_ptr<Results> shuffled_rows(double epsilon, std::int64_t n, double delta) {
    return results<shuffled_columns>(
        ShuffledRows{shuffled(epsilon, static_cast<std::uint64_t>(std::max<std::int64_t>(n, 0)), delta)});
}

std::unique_ptr<Results> shuffled_rows(std::string_view spec, std::int64_t n, double delta) {
    const auto mechanism = make_mechanism(resolve(spec));
    const auto people = static_cast<std::uint64_t>(std::max<std::int64_t>(n, 0));
    return results<channel_shuffled_columns>(ChannelShuffledRows{shuffled(*mechanism, people, delta)});
}

std::unique_ptr<Results> divergence_rows(std::string_view text, std::int64_t rounds) {
    Spec spec = resolve(text);
    auto mechanism = make_mechanism(spec);
    const auto times = static_cast<std::uint64_t>(std::max<std::int64_t>(rounds, 0));
    std::vector<std::pair<ResponseKind, DivergenceValue>> values;
    for (const ResponseKind response : {ResponseKind::permanent, ResponseKind::report}) {
        // In one layer, a report is its permanent response.
        if (response == ResponseKind::permanent && !(mechanism->report_epsilon() < mechanism->epsilon()))
            continue;
        for (DivergenceValue& one : divergences(*mechanism, response, times))
            values.emplace_back(response, std::move(one));
    }
    return results<divergence_columns>(
        DivergenceRows{std::move(spec), std::move(mechanism), std::move(values)});
}

std::unique_ptr<Results> privacy_rows(std::string_view text) {
    const Spec spec = resolve(text);
    const auto mechanism = make_mechanism(spec);
    std::vector<std::pair<const char*, PrivacyLoss>> bounds;
    for (const StatedLoss& one : privacy_statement(spec, *mechanism).losses())
        bounds.emplace_back(one.reports, one.loss);
    return results<privacy_columns>(PrivacyRows{std::move(bounds)});
}

std::unique_ptr<Results> odds_rows(double epsilon, double prior, std::int32_t people) {
    if (!(epsilon >= 0 && std::isfinite(epsilon)))
        raise(ErrorCode::invalid_value, "epsilon must be a finite number of at least 0",
              "Found " + shortest(epsilon) + ".");
    if (!(prior > 0 && prior < 1))
        raise(ErrorCode::invalid_value, "the prior must be between 0 and 1", "Found " + shortest(prior) + ".",
              "The prior is the probability before the report.");
    if (people < 1)
        raise(ErrorCode::invalid_value, "the number of people must be at least 1",
              "Found " + std::to_string(people) + ".");
    return results<odds_columns>(OddsRows{PrivacyLoss{epsilon}.times(people), prior});
}

}  // namespace ldp
