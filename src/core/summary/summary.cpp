#include "core/summary/summary.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/interrupt.hpp"
#include "core/base/json.hpp"
#include "core/mechanism/frequency/frequency_oracle.hpp"
#include "core/mechanism/longitudinal/series.hpp"
#include "core/mechanism/mean/response_rate.hpp"
#include "core/mechanism/mean/rounded_numbers.hpp"
#include "core/mechanism/role/fields.hpp"
#include "core/mechanism/role/registry.hpp"
#include "core/summary/part_means.hpp"
#include "core/summary/pooling.hpp"

namespace ldp {

namespace {

SummaryFrame frame_of(const LocalRandomizer& mechanism) noexcept {
    return SummaryFrame(mechanism.block().size());
}

const char* mechanism_name(std::uint8_t id) noexcept {
    const MechanismEntry* entry = find_mechanism(id);
    return entry == nullptr ? "unknown" : entry->name;
}

[[noreturn]] void impossible(const char* what) {
    refuse_block(what, "No randomizer with its parameters can produce it.");
}

}  // namespace

// Counting -------------------------------------------------------------------------------------------------

// Some mechanisms compute tables of tens of megabytes, so that only two are kept: comparisons are of two specs.
std::shared_ptr<const Mechanism> mechanism_of(Bytes summary) {
#ifdef __wasm__  // has no threads, and no function that ends the values of a thread
    static std::array<std::shared_ptr<const Mechanism>, 2> kept;  // the last one first
#else
    static thread_local std::array<std::shared_ptr<const Mechanism>, 2> kept;  // the last one first
#endif
    if (kept[0] == nullptr || !is_summary_of(*kept[0], summary)) {
        if (kept[1] == nullptr || !is_summary_of(*kept[1], summary))
            kept[1] = load_mechanism(summary, Kind::summary);
        std::swap(kept[0], kept[1]);
    }
    return kept[0];
}

std::size_t summary_size(const Mechanism& mechanism) noexcept {
    return frame_of(mechanism).size(counted_size(mechanism));
}

void start_summary(const Mechanism& mechanism, MutableBytes summary) noexcept {
    frame_of(mechanism).start(summary, mechanism.block());
}

bool is_summary_of(const Mechanism& mechanism, Bytes summary) noexcept {
    return frame_of(mechanism).fits(summary, mechanism.block(), counted_size(mechanism));
}

Outcome accumulate(const Mechanism& mechanism, MutableBytes summary, Bytes report,
                   const Rounds& rounds) noexcept {
    return ReportCounter(mechanism).count(summary, report, rounds);
}

bool ReportCounter::count_all_sent(MutableBytes counted, const Payloads& sent) const noexcept {
    if (!signal_) return mechanism_->accumulate_all(counted, sent);
    std::uint64_t ones = 0;
    for (std::size_t i = 0; i < sent.count(); ++i) {
        const auto bit = std::to_integer<std::uint64_t>(sent[i][payload_size_]);
        if (bit > 1) return false;
        ones += bit;
    }
    if (!mechanism_->accumulate_all(counted.first(state_size_), sent.part(0, payload_size_))) return false;
    add(counted.data() + state_size_, ones);
    if (record_ == nullptr) return true;
    for (std::size_t i = 0; i < sent.count(); ++i)
        if (sent[i][payload_size_] != std::byte{0})
            record_->count_parts(sent[i].first(payload_size_),
                                 counted.subspan(state_size_ + sizeof(std::uint64_t)));
    return true;
}

Outcome merge(const Mechanism& mechanism, MutableBytes into, Bytes other) noexcept {
    if (!is_summary_of(mechanism, other)) return Outcome::mismatch;
    const SummaryFrame frame = frame_of(mechanism);
    const std::uint64_t ours = frame.count(into), theirs = frame.count(other);
    if (ours > max_count || theirs > max_count - ours) return Outcome::full;
    merge_counted(mechanism, frame.state(into), frame.state(other));
    frame.add_count(into, theirs, frame.rounds(other));
    return Outcome::ok;
}

void check_report(const Mechanism& mechanism, Bytes report) {
    const std::size_t expected = mechanism.block().size() + sent_size(mechanism);
    if (report.size() != expected)
        raise(ErrorCode::malformed, "the report has the wrong length",
              "Found " + std::to_string(report.size()) + " bytes; its parameters require " +
                  std::to_string(expected) + ".",
              "It is truncated or damaged, or does not come from ldp.");
    if (!valid_sent(mechanism, payload_of(report, mechanism.block())))
        impossible("the payload of the report is invalid");
}

void check_summary(const Mechanism& mechanism, Bytes summary) {
    const std::size_t expected = summary_size(mechanism);
    if (summary.size() != expected)
        raise(ErrorCode::malformed, "the summary has the wrong length",
              "Found " + std::to_string(summary.size()) + " bytes; its parameters require " +
                  std::to_string(expected) + ".",
              "It is truncated or damaged, or does not come from ldp.");
    const SummaryView view = view_of(mechanism, summary);
    if (view.n > max_count || view.rounds.empty() != (view.n == 0) ||
        (view.n == 0 && view.rounds != Rounds::none()) || !mechanism.valid_state(view) || !valid_ones(view))
        impossible("the counts of the summary are invalid");
}

void raise_incompatible(Bytes expected, Bytes found) {
    raise(ErrorCode::incompatible, "reports under different specs cannot be counted together",
          "Expected " + describe(expected) + "; found " + describe(found) + ".",
          "Group by spec, or select the reports of one collection.");
}

void raise_full() {
    raise(ErrorCode::full, "the summary is full",
          "A summary counts at most " + std::to_string(max_count) + " reports.",
          std::vector{Remedy::take_periods});
}

void raise_outcome(Outcome outcome, Bytes summary, Bytes added) {
    switch (outcome) {
        case Outcome::mismatch:
            raise_incompatible(summary, added);
        case Outcome::full:
            raise_full();
        default:
            impossible("the payload of the report is invalid");
    }
}

// Questions ------------------------------------------------------------------------------------------------

SummaryView view_of(const Mechanism& mechanism, Bytes summary) noexcept {
    const SummaryFrame frame = frame_of(mechanism);
    return {{frame.count(summary), frame.state(summary).first(mechanism.state_size())},
            &mechanism,
            frame.rounds(summary)};
}

void need_reports(const SummaryView& view) {
    if (view.n == 0)
        raise(ErrorCode::invalid_value, "the summary holds no reports", {},
              "Estimates need at least one report.");
    need_rounds(view);
}

namespace {

/// Whether errors for the people who reported contain the rounding of their numbers.
enum class Rounded : bool { omitted, included };

std::vector<Estimate> estimate_with(const SummaryView& view, const Question& question, Rounded rounded);

/// Returns the estimates of a record whose reports repeat or are rounded. Each part is inflated by itself,
/// because each mechanism memoizes another share of its noise.
std::vector<Estimate> estimate_parts(const SummaryView& view, const Question& question, Rounded rounded) {
    std::vector<Estimate> all = view.mechanism->estimate(view, question);  // rejects unsupported queries
    const auto estimated = [&](const RecordPart& one, std::size_t attribute) {
        return estimate_with(part(view, one.first),
                             {question.quantity, question.target, attribute - one.first}, rounded);
    };
    if (question.quantity == Quantity::frequencies) {
        const RecordPart one = part_of(*view.mechanism, question.attribute);
        return part(view, one.first).n == 0 ? all : estimated(one, question.attribute);
    }
    for (const RecordPart& one : parts_of(*view.mechanism)) {
        if (part(view, one.first).n == 0 || !one.mechanism->can_estimate(question.quantity) ||
            is_series(*one.mechanism))
            continue;
        std::ranges::copy(estimated(one, one.first), all.begin() + static_cast<std::ptrdiff_t>(one.first));
    }
    return all;
}

/// Returns estimates with the errors for all people who reported to the record of this part.
std::vector<Estimate> mixed_estimates(const SummaryView& part, const Question& question, Rounded rounded) {
    SummaryView alone = part;
    alone.drawn = 1;
    std::vector<Estimate> all = estimate_with(alone, question, rounded);
    const std::vector<Estimate> population =
        estimate(alone, {question.quantity, Target::population, question.attribute});
    for_each_index(all.size(), [&](std::size_t i) { all[i] = mixed(all[i], population[i], part.drawn); });
    return all;
}

/// Adds the rounding to the errors of estimates for the people who reported. The mechanism is not a record.
void add_rounding(const SummaryView& view, Quantity quantity, std::vector<Estimate>& estimates) {
    std::vector<Estimate> population;
    auto people = static_cast<double>(view.n);
    if (const auto* rate = find_capability<ResponseRate>(*view.mechanism))
        people *= std::clamp(rate->response_rate(view, Target::sample).value, 0.0, 1.0);
    for (std::size_t i = 0; i < estimates.size(); ++i) {
        const double deviation = rounding_deviation(*view.mechanism, i);
        double& error = estimates[i].standard_error;
        if (deviation == 0 || std::isnan(error)) continue;
        if (quantity == Quantity::means && !std::isinf(deviation)) {
            error = std::hypot(error, deviation / std::sqrt(people));
            continue;
        }
        // The variance between people contains that of their rounding. A coefficient depends on several
        // attributes.
        if (population.empty()) population = view.mechanism->estimate(view, {quantity, Target::population});
        error = std::max(error, population[i].standard_error);
    }
}

std::vector<Estimate> estimate_with(const SummaryView& view, const Question& question, Rounded rounded) {
    check_can_estimate(*view.mechanism, question.quantity);
    const bool all = question.attribute == only_attribute;
    if (all && question.quantity == Quantity::frequencies && view.mechanism->cells().size() > 1)
        refuse(*view.mechanism, "queries without an attribute");
    need_reports(view);
    const Question settled{question.quantity, question.target, all ? 0 : question.attribute};
    if (settled.target == Target::sample && view.drawn < 1) return mixed_estimates(view, settled, rounded);
    const Inflation inflation(view);
    const bool rounding = rounded == Rounded::included && settled.target == Target::sample &&
                          settled.quantity != Quantity::frequencies && rounds_numbers(*view.mechanism);
    if ((inflation.needed() || rounding) && find_capability<Record>(*view.mechanism) != nullptr)
        return estimate_parts(view, settled, rounded);
    std::vector<Estimate> estimates = view.mechanism->estimate(view, settled);
    if (!inflation.needed() && !rounding) return estimates;
    const std::vector<Estimate> noisy =
        settled.target == Target::sample
            ? estimates
            : view.mechanism->estimate(view, {settled.quantity, Target::sample, settled.attribute});
    if (rounding) add_rounding(view, settled.quantity, estimates);
    if (!inflation.needed()) return estimates;
    for_each_index(estimates.size(),
                   [&](std::size_t i) { estimates[i] = inflation.inflated(estimates[i], noisy[i]); });
    return estimates;
}

}  // namespace

std::vector<Estimate> estimate(const SummaryView& view, const Question& question) {
    return estimate_with(view, question, Rounded::included);
}

std::vector<Estimate> estimate_without_rounding(const SummaryView& view, const Question& question) {
    return estimate_with(view, question, Rounded::omitted);
}

Estimate share_of(const SummaryView& view, std::int64_t value, Target target, std::size_t attribute) {
    const auto number_of = [value](std::size_t values) {
        if (value < 0 || static_cast<std::uint64_t>(value) >= values)
            raise(ErrorCode::invalid_value, "there is no value " + std::to_string(value),
                  "Values are numbered from 0 to " + std::to_string(values - 1) + ".");
        return static_cast<std::size_t>(value);
    };
    need_reports(view);
    if (attribute != only_attribute) check_no_series(*view.mechanism, attribute);
    const SummaryView one = attribute == only_attribute ? view : part(view, attribute);
    const auto* oracle = find_capability<FrequencyOracle>(*one.mechanism);
    if (oracle == nullptr) {
        const std::vector<Estimate> all = estimate(view, {Quantity::frequencies, target, attribute});
        return all[number_of(all.size())];
    }
    const std::size_t number = number_of(oracle->cells()[0]);
    if (one.n == 0) return {unknown, unknown};
    const std::uint64_t support = oracle->support(one.state, number);
    const auto share = [&](Target of) { return oracle->protocol().frequency(support, one.n, of); };
    const Inflation inflation(one);
    const auto inflated = [&](Target of) {
        return inflation.needed() ? inflation.inflated(share(of), share(Target::sample)) : share(of);
    };
    if (target == Target::population || one.drawn == 1) return inflated(target);
    return mixed(inflated(Target::sample), inflated(Target::population), one.drawn);
}

Estimate group_mean(const SummaryView& view, std::size_t first, std::size_t last, Target target) {
    const auto& means = capability<GroupMean>(*view.mechanism);
    need_reports(view);
    Estimate mean = means.group_mean(view, first, last, target);
    if (target == Target::sample) {
        double rounding = 0;  // of the mean of the attributes of one person
        for (std::size_t j = first; j <= last; ++j)
            rounding = std::hypot(rounding, rounding_deviation(*view.mechanism, j));
        rounding /= static_cast<double>(last - first + 1);
        Estimate population = mean;
        if (std::isinf(rounding) || view.drawn < 1)
            population = means.group_mean(view, first, last, Target::population);
        mean.standard_error =
            std::isinf(rounding)
                ? std::max(mean.standard_error, population.standard_error)
                : std::hypot(mean.standard_error, rounding / std::sqrt(static_cast<double>(view.n)));
        if (view.drawn < 1) mean = mixed(mean, population, view.drawn);
    }
    mean.standard_error *= std::sqrt(repetition(view));
    return mean;
}

std::vector<Picked> pick(const SummaryView& view, CandidateMethod method) {
    const auto& search = capability<CandidateSearch>(*view.mechanism);
    need_reports(view);
    need_one_round(view, "a search for candidates");
    return search.pick(view, method);
}

std::vector<Check> health(const SummaryView& view) {
    if (view.n == 0) return {};
    need_one_round(view, "a diagnostic of reports");
    return view.mechanism->health(view);
}

SummaryView single_part(const SummaryView& view, std::size_t attribute) {
    if (find_capability<Record>(*view.mechanism) == nullptr && view.mechanism->cells().size() > 1)
        raise(ErrorCode::unsupported, "each of these reports is about several attributes",
              "Only the mechanism sampled reports single attributes of a record.",
              std::vector{view.mechanism->can_estimate(Quantity::frequencies) ? Remedy::ask_attribute_shares
                                                                              : Remedy::ask_attribute_means});
    return part(view, attribute);
}

SummaryDraft summary_of_part(const SummaryView& view, std::size_t attribute) {
    const SummaryView one = single_part(view, attribute);
    if (one.mechanism == view.mechanism) {
        const Bytes block = view.mechanism->block();
        // The signal is directly behind the state; see spent_ones().
        return {{block.begin(), block.end()},
                view.n,
                view.rounds,
                {view.state.data(), counted_size(*view.mechanism)}};
    }
    const Header& header = one.mechanism->header();
    Terms terms = header;
    terms.fingerprint = part_fingerprint(header.fingerprint, part_of(*view.mechanism, attribute).first);
    std::vector<std::byte> block =
        make_block(header.mechanism, terms, header.epsilon, one.mechanism->block().subspan(header_size));
    // The signal of the part is that of its reports.
    std::optional<std::uint64_t> ones;
    BudgetTerms budget = budget_terms(view.mechanism->block());
    if (budget.can_end() && !is_series(*one.mechanism)) {
        const RecordPart of = part_of(*view.mechanism, attribute);
        if (budget.has_signal() && capability<Record>(*view.mechanism).counted_parts() > 0 &&
            equal_signals(*of.mechanism, *view.mechanism))
            ones = spent_ones(view, of.number);
        if (budget.has_signal() && !ones) budget.end = BudgetEnd::silent;
        set_budget_terms(block, budget);
    }
    return {std::move(block), one.n, one.n == 0 ? Rounds::none() : view.rounds, one.state, ones};
}

// For people to read ---------------------------------------------------------------------------------------

std::string describe(Bytes bytes) {
    if (bytes.size() < header_size) return "bytes that are not a report";
    const Header header = unchecked_header(bytes);
    char text[96];
    (void)std::snprintf(text, sizeof(text), "%s, epsilon %g, spec %s", mechanism_name(header.mechanism),
                        header.epsilon, fingerprint_text(header.fingerprint).c_str());
    return text;
}

std::string parameters_json(const Mechanism& mechanism) {
    Json parameters = Json::object();
    for (const auto& [key, value] : mechanism.parameters()) parameters[key] = value;
    Json all{{"mechanism", mechanism_name(mechanism.header().mechanism)},
             {"epsilon", mechanism.epsilon()},
             {"spec", fingerprint_text(mechanism.header().fingerprint)},
             {"parameters", parameters}};
    if (mechanism.delta() != 0) all["delta"] = mechanism.delta();
    return json_text(all);
}

}  // namespace ldp
