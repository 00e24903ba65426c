#include "simulation/simulation.hpp"

#include <cmath>
#include <memory>

#include "client/memory_store.hpp"
#include "client/reporter.hpp"
#include "core/base/error.hpp"
#include "core/base/unknown.hpp"
#include "core/contract/products.hpp"
#include "core/mechanism/circular/circle.hpp"
#include "core/mechanism/longitudinal/series.hpp"
#include "core/summary/queries/series_queries.hpp"
#include "core/summary/summary.hpp"
#include "simulation/seeded_random.hpp"

namespace ldp::simulation {

namespace {

/// Returns the category or the number for a value of a life in minutes.
double placed(const Attribute& attribute, double minutes) {
    const double share = minutes / ValueProcess::most;
    if (attribute.numeric()) return attribute.min + (attribute.max - attribute.min) * share;
    const auto domain = static_cast<double>(attribute.domain);
    return std::min(std::floor(domain * share), domain - 1);
}

/// The stream of an attribute's values; nothing if people keep them.
std::optional<Stream> stream_of(const SimulationSetup& scene, std::size_t j) {
    return scene.streams.empty() ? scene.stream : scene.streams[j];
}

/// Returns a value as the argument of a client: a label, if the attribute has labels. With "prefix" it is a
/// string with this label. A client looks up the first characters of a string, also of the label for missing
/// answers; this label is therefore an empty string.
Value client_value(const Attribute& attribute, double place) {
    if (attribute.labels.empty()) return place;
    if (attribute.binned()) {
        const auto [low, high] = attribute.bin(static_cast<std::size_t>(place));
        return low / 2 + high / 2;
    }
    const std::string_view label = attribute.labels[static_cast<std::size_t>(place)];
    if (label == attribute.none) return std::string_view();
    return label.substr(0, label.find(Attribute::terminator));
}

/// The true values of an attribute in a round.
struct Truth {
    explicit Truth(const Attribute& attribute) : holders(attribute.domain) {}

    void add(const Attribute& attribute, double place) {
        if (attribute.circular)
            vectors += Circle(attribute).vector_to(place);
        else if (attribute.numeric())
            sum += place;
        else
            ++holders[static_cast<std::size_t>(place)];
    }
    /// Returns the mean of numbers, or the mean direction on a circle.
    [[nodiscard]] double mean(const Attribute& attribute, double people) const {
        return attribute.circular ? Circle(attribute).place_of(vectors) : sum / people;
    }

    std::vector<std::uint64_t> holders;  ///< of each category
    double sum = 0;                      ///< of numbers
    std::complex<double> vectors = 0;    ///< their sum, on a circle
};

/// A round that is going on.
struct Open {
    std::vector<Truth> truths;                        ///< of each attribute
    std::map<std::uint64_t, std::uint64_t> spending;  ///< people, by how many answers they had drawn
    Round round{};
};

constexpr SimulatedEstimate no_estimate{unknown, unknown, unknown, unknown, unknown};

/// Returns what is estimated of an attribute: its mean, its mean direction or its shares; nothing of products, of strings
/// and of sets of labels, or if its mechanism estimates none of them.
std::optional<Quantity> quantity_of(const Mechanism& mechanism, const std::vector<Attribute>& attributes,
                                    std::size_t j) {
    const Attribute& attribute = attributes[j];
    if (attribute.derived() || attribute.strings || attribute.several()) return {};
    const Quantity quantity = attribute.numeric() ? Quantity::means : Quantity::frequencies;
    return part_of(mechanism, j).mechanism->can_estimate(quantity) ? std::optional(quantity) : std::nullopt;
}

/// Nothing is judged of a direction that the reports do not determine.
SimulatedEstimate judged_mean(const Attribute& attribute, const Estimate& mean, double truth) {
    if (!attribute.circular) {
        const double error = std::abs(mean.value - truth);
        return {truth, mean.value, error, error, mean.standard_error};
    }
    if (std::isnan(mean.standard_error)) return {truth, unknown, unknown, unknown, unknown};
    const double error = std::abs(Circle(attribute).arc(truth, mean.value));
    return {truth, mean.value, error, error, mean.standard_error};
}

// Where values are reported in buckets there are fewer estimates than values, which fall evenly into them, in
// order.
SimulatedEstimate judged_shares(const std::vector<Estimate>& estimates, const Truth& truth, double people) {
    if (estimates.empty()) return no_estimate;
    std::vector<double> errors;
    errors.reserve(estimates.size());
    for (const Estimate& one : estimates) errors.push_back(one.value);
    for (std::size_t v = 0; v < truth.holders.size(); ++v)
        errors[v * errors.size() / truth.holders.size()] -= static_cast<double>(truth.holders[v]) / people;
    double squares = 0, absolute = 0, claimed = 0;
    for (std::size_t i = 0; i < errors.size(); ++i) {
        squares += errors[i] * errors[i];
        absolute += std::abs(errors[i]);
        claimed += estimates[i].standard_error * estimates[i].standard_error;
    }
    const auto items = static_cast<double>(errors.size());
    return {unknown, unknown, std::sqrt(squares / items), absolute / items, std::sqrt(claimed / items)};
}

/// Evaluates a round, from 0. `whole` is the summary of all rounds, for series.
Round closed(const Collection& collection, const SimulationSetup& scene, Bytes summary, Bytes whole,
             std::size_t at, Open& open) {
    const Mechanism& mechanism = collection.mechanism();
    const std::vector<Attribute>& attributes = collection.spec().attributes();
    const auto people = static_cast<double>(scene.people);
    Round& round = open.round;
    round.answers = spending(open.spending);
    round.record.assign(attributes.size(), no_estimate);
    static_cast<SimulatedEstimate&>(round) = no_estimate;
    if (round.refused == scene.people) return round;
    const SummaryView view = view_of(mechanism, summary);
    const SummaryView of_series = view_of(mechanism, whole.empty() ? summary : whole);
    std::vector<Estimate> means;
    for (std::size_t j = 0; j < attributes.size(); ++j) {
        const std::optional<Quantity> quantity = quantity_of(mechanism, attributes, j);
        if (!quantity) continue;
        const bool series = is_series(mechanism, j), shares = *quantity == Quantity::frequencies;
        const SummaryView one = series ? part(of_series, j) : view;
        if (one.n == 0) continue;
        if (shares) {
            round.record[j] = judged_shares(estimate(one, {*quantity, Target::sample, series ? at : j}),
                                            open.truths[j], people);
            continue;
        }
        if (series) {
            round.record[j] = judged_mean(attributes[j], means_by_round(one, Target::sample)[at],
                                          open.truths[j].mean(attributes[j], people));
            continue;
        }
        if (means.empty()) means = estimate(view, {*quantity});
        round.record[j] = judged_mean(attributes[j], means[j], open.truths[j].mean(attributes[j], people));
    }
    static_cast<SimulatedEstimate&>(round) = round.record[scene.attribute];
    return round;
}

}  // namespace

Spending spending(const std::map<std::uint64_t, std::uint64_t>& people_by_answers) {
    Spending found{0, 0, people_by_answers.rbegin()->first};
    std::uint64_t people = 0, passed = 0;
    for (const auto& [answers, count] : people_by_answers) {
        people += count;
        found.mean += static_cast<double>(answers * count);
    }
    found.mean /= static_cast<double>(people);
    for (const auto& [answers, count] : people_by_answers) {
        if (100 * passed < 95 * people) found.most_of_95 = answers;
        passed += count;
    }
    return found;
}

std::vector<Round> simulate(const Collection& collection, const SimulationSetup& scene,
                            const std::function<void(std::uint64_t)>& progress) {
    const Mechanism& mechanism = collection.mechanism();
    const std::vector<Attribute>& attributes = collection.spec().attributes();
    const Attribute& asked = attributes.at(scene.attribute);
    if (asked.derived())
        throw Error(ErrorCode::unsupported, "a product cannot be simulated alone",
                    "\"" + asked.name + "\" is computed from other attributes.",
                    "Use one of these attributes.");
    check_can_estimate(*part_of(mechanism, scene.attribute).mechanism,
                       asked.numeric() ? Quantity::means : Quantity::frequencies);
    // A series has one summary for all rounds, the other attributes have one for each round.
    const std::uint32_t longest = rounds_of_series(mechanism);
    const bool series = longest > 0, by_round = !series || mechanism.header().kept;
    if (series && scene.rounds > longest)
        throw Error(ErrorCode::unsupported,
                    "the series has " + std::to_string(longest) + " rounds under this spec",
                    "Found " + std::to_string(scene.rounds) + ".", "Use fewer rounds, or set \"rounds\".");
    std::vector<std::byte> empty(summary_size(mechanism));
    start_summary(mechanism, empty);
    const std::size_t count = (by_round ? scene.rounds : 0) + (series ? 1 : 0);
    constexpr double gigabyte = 1e9;
    double holders = 0;
    for (const Attribute& attribute : attributes) holders += static_cast<double>(attribute.domain);
    const double all =
        static_cast<double>(empty.size() * count) + 8 * holders * static_cast<double>(scene.rounds);
    if (all > gigabyte)
        throw Error(ErrorCode::unsupported, "the simulation of these rounds needs too much memory",
                    "They require " + std::to_string(static_cast<std::uint64_t>(all)) +
                        " bytes under this spec; the limit is one gigabyte.",
                    "Use fewer rounds.");

    std::vector<std::vector<std::byte>> summaries(count, empty);
    const std::vector<Truth> nobody(attributes.begin(), attributes.end());
    std::vector<Open> open(scene.rounds, Open{nobody, {}});
    SeededBits lives(2 * scene.seed), noise(2 * scene.seed + 1);
    const std::vector<std::size_t> given = ldp::given(attributes);
    std::vector<Value> record;
    for (std::uint64_t person = 0; person < scene.people; ++person) {
        // What a person's client remembers lives as long as it does.
        MemoryStore store;
        const std::unique_ptr<Reporter> reporter = make_reporter(collection, store, noise);
        std::uint64_t answers = 0;
        std::vector<ValueProcess> life;
        std::vector<double> kept(attributes.size(), unknown);
        for (std::size_t j = 0; j < attributes.size(); ++j) {
            life.emplace_back(stream_of(scene, j).value_or(scene.stream), lives);
            if (stream_of(scene, j)) continue;
            const double drawn = placed(attributes[j], life[j].next(lives));
            kept[j] = scene.fixed.empty() ? drawn : scene.fixed[person][j];
        }
        for (std::size_t t = 0; t < scene.rounds; ++t) {
            Open& now = open[t];
            record.clear();
            for (const std::size_t j : given) {
                const double place = !scene.own.empty()    ? scene.own[person][t]
                                     : stream_of(scene, j) ? placed(attributes[j], life[j].next(lives))
                                                           : kept[j];
                record.push_back(client_value(attributes[j], place));
                now.truths[j].add(attributes[j], place);
            }
            const auto [reports, receipt] = reporter->report(record, static_cast<std::int32_t>(t + 1), noise);
            const Origin origin = receipt.origin;
            // Of a series, all answers together count as one: they cost ε once.
            const bool of_series = reporter->reports_series();
            answers = of_series ? 1 : answers + (origin == Origin::drawn ? 1 : 0);
            ++now.spending[answers];
            ++(origin == Origin::drawn      ? now.round.drawn
               : origin == Origin::memoized ? now.round.kept
               : origin == Origin::nearest  ? now.round.nearest
               : of_series                  ? now.round.silent
                                            : now.round.refused);
            const auto count_in = [&, t](std::vector<std::byte>& summary) {
                for (const Report& report : reports)
                    if (const Outcome outcome = accumulate(mechanism, summary, report,
                                                           Rounds::only(static_cast<std::int32_t>(t)));
                        outcome != Outcome::ok)
                        raise_outcome(outcome, summary, report);
            };
            if (by_round) count_in(summaries[t]);
            if (series) count_in(summaries.back());
        }
        if (progress) progress(person + 1);
    }
    std::vector<Round> rounds;
    rounds.reserve(open.size());
    for (std::size_t t = 0; t < open.size(); ++t)
        rounds.push_back(closed(collection, scene, summaries[by_round ? t : 0],
                                series ? Bytes(summaries.back()) : Bytes(), t, open[t]));
    return rounds;
}

}  // namespace ldp::simulation
