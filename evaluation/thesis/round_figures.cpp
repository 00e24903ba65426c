// The source thesis over 120 rounds: one changing attribute (Syn) beside 15 constant ones.

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>

#include "../competitors/published_haar.hpp"
#include "../shared/parallel.hpp"
#include "core/base/text.hpp"
#include "core/base/unknown.hpp"
#include "core/choice/resolve.hpp"
#include "core/summary/queries/consistency.hpp"
#include "core/summary/summary.hpp"
#include "released_counts.hpp"
#include "simulation/life.hpp"
#include "simulation/seeded_random.hpp"
#include "thesis_panels.hpp"

namespace evaluation {

namespace {

using ldp::simulation::SeededBits;

constexpr std::size_t people_count = 10000, rounds = 120, every = 24, looks = rounds / every, values = 360;

/// What one repetition found.
struct RoundOutcome {
    double error = 0;             ///< the mean squared error of a share, averaged over the rounds looked at
    double quarter = 0;           ///< the error of the share of the first quarter of the values
    double spent = ldp::unknown;  ///< ε of a person after all rounds, on average
    double expected = ldp::unknown;  ///< of `error`, by the closed form
};

using Shares = std::vector<double>;

/// Adds the errors of one round.
void judge(const Shares& found, const Shares& truth, RoundOutcome& outcome) {
    double quarter = 0;
    for (std::size_t v = 0; v < values; ++v) {
        outcome.error += std::pow(found[v] - truth[v], 2) / values / looks;
        if (v < values / 4) quarter += found[v] - truth[v];
    }
    outcome.quarter += std::abs(quarter) / looks;
}

using RoundRun = std::function<std::vector<RoundOutcome>(const People&, double epsilon, SeededBits&)>;

/// α-point rounding as printed (section 4-4): the score of the last `window` changes, τ, η and K of the
/// thesis, and one α of a person. The window is not given; it is a tenth of the rounds. `fixed` takes the
/// score of the whole stream instead of that of the window.
class PrintedRounding {
  public:
    PrintedRounding(bool fixed, SeededBits& bits) : fixed_(fixed), alpha_(bits.uniform()) {}

    [[nodiscard]] double next(double value) {
        if (last_) {
            changes_.push_back(std::abs(value - *last_) / range);
            if (changes_.size() > window) changes_.pop_front();
        }
        last_ = value;
        double score = stream_score;
        if (!fixed_) {
            score = 0;
            for (const double change : changes_) score += change / window;
        }
        if (score <= static_threshold) return value;
        const double step = range * std::max(1 / base_levels, score / flip_probability);
        const double low = std::floor(value / step) * step, high = std::min(low + step, range);
        return value + alpha_ * (high - low) < high ? low : high;
    }

  private:
    static constexpr std::size_t window = rounds / 10;
    static constexpr double range = values - 1, static_threshold = 0.01, flip_probability = 0.1,
                            base_levels = 100;
    /// A change has probability 1/4, and two uniform values differ by a third of the range.
    static constexpr double stream_score = 1.0 / 12;

    bool fixed_;
    double alpha_;
    std::optional<double> last_;
    std::deque<double> changes_;
};

/// The value of a person in each round looked at.
std::size_t minute(double value) {
    return static_cast<std::size_t>(std::clamp(std::round(value), 0.0, values - 1.0));
}

/// The printed algorithm: rounding, the Haar transform of the whole record, and the memory of whole records.
/// A report of a new record costs the true ε. Without noise, the rounded values are counted.
RoundRun printed_rounds(bool fixed, bool noise) {
    return [=](const People& people, double epsilon, SeededBits& bits) -> std::vector<RoundOutcome> {
        const PrintedHaar form(people.attributes(), epsilon);
        const ldp::HaarTree& tree = form.tree();
        const std::size_t last = people.attributes() - 1;
        std::vector<double> leaves(tree.size()), coefficients(tree.size());
        std::vector<Shares> found(looks, Shares(values)), truth = found;
        const double each = 1 / static_cast<double>(people.size());
        RoundOutcome outcome;
        double records = 0;
        for (std::size_t i = 0; i < people.size(); ++i) {
            ldp::simulation::ValueProcess life(ldp::simulation::Stream::syn, bits);
            PrintedRounding rounding(fixed, bits);
            std::map<double, std::optional<double>> memory;  // drawn at the first use, with the same law
            for (std::size_t round = 0; round < rounds; ++round) {
                const double value = life.next(bits), rounded = rounding.next(value);
                std::optional<double>& entry = memory[rounded];
                if (round % every != 0) continue;
                truth[round / every][minute(value)] += each;
                if (!noise) {
                    found[round / every][minute(rounded)] += each;
                    continue;
                }
                if (!entry) {
                    std::ranges::fill(leaves, 0);
                    std::ranges::copy(people[i], leaves.begin());
                    leaves[last] = 2 * rounded / (values - 1) - 1;
                    tree.forward(leaves, coefficients);
                    form.perturb(coefficients, bits);
                    tree.inverse(coefficients, leaves);
                    entry = (leaves[last] + 1) / 2 * (values - 1);
                }
                found[round / every][minute(*entry)] += each;
            }
            records += static_cast<double>(memory.size()) * each;
        }
        for (std::size_t r = 0; r < looks; ++r) judge(found[r], truth[r], outcome);
        if (noise) outcome.spent = records * form.epsilon();
        return {outcome};
    };
}

/// The released program. Its claim is 2ε for each perturbed record.
std::vector<RoundOutcome> released_rounds(const People& people, double epsilon, SeededBits& bits) {
    const ReleasedCounts form(people.attributes(), epsilon);
    std::vector<Shares> counts(looks, Shares(values)), truth = counts;
    const auto n = static_cast<double>(people.size());
    RoundOutcome outcome;
    double records = 0;
    for (std::size_t i = 0; i < people.size(); ++i) {
        ldp::simulation::ValueProcess life(ldp::simulation::Stream::syn, bits);
        ReleasedCounts::Device device(bits);
        for (std::size_t round = 0; round < rounds; ++round) {
            const auto value = static_cast<std::size_t>(life.next(bits));
            const double found = device.report(form, people[i], value, bits);
            if (round % every != 0) continue;
            form.count(device, found, counts[round / every]);
            truth[round / every][value] += 1 / n;
        }
        records += static_cast<double>(device.responses()) / n;
    }
    for (std::size_t r = 0; r < looks; ++r) judge(form.shares(std::move(counts[r]), n), truth[r], outcome);
    outcome.spent = 2 * epsilon * records;
    return {outcome};
}

/// A protocol of the library on Syn alone, with memoized responses by key: raw estimates, and for each method
/// the post-processed ones.
RoundRun memoized_rounds(const std::string& name, bool two_layers, const std::string& options,
                         const std::vector<ldp::Consistency>& methods) {
    return [=](const People& people, double epsilon, SeededBits& bits) {
        const std::string report =
            two_layers ? ", \"report_epsilon\": " + ldp::shortest(0.4 * epsilon) : std::string();
        const auto mechanism = ldp::make_mechanism(
            ldp::resolve("{\"mechanism\": \"" + name + "\", \"epsilon\": " + ldp::shortest(epsilon) + report +
                         options + ", \"domain\": " + std::to_string(values) + "}"));
        std::vector<std::byte> public_randomness(mechanism->public_size());
        std::vector<std::vector<std::byte>> states(looks, std::vector<std::byte>(mechanism->state_size()));
        std::vector<Shares> truth(looks, Shares(values));
        double keys = 0;
        for (std::size_t i = 0; i < people.size(); ++i) {
            std::ranges::fill(public_randomness, std::byte{0});
            mechanism->draw_public(bits, public_randomness);
            ldp::simulation::ValueProcess life(ldp::simulation::Stream::syn, bits);
            std::map<std::vector<ldp::Cell>, std::vector<std::byte>> memory;
            for (std::size_t round = 0; round < rounds; ++round) {
                const ldp::Cell value[] = {static_cast<ldp::Cell>(life.next(bits))};
                std::vector<std::byte>& permanent = memory[mechanism->response_key(value, public_randomness)];
                if (round % every != 0) continue;
                if (permanent.empty()) {
                    permanent.resize(mechanism->permanent_size());
                    mechanism->permanent_response(value, public_randomness, bits, permanent);
                }
                truth[round / every][value[0]] += 1 / static_cast<double>(people.size());
                std::vector<std::byte> payload(mechanism->payload_size());
                mechanism->instantaneous_response(public_randomness, permanent, bits, payload);
                if (!mechanism->accumulate(states[round / every], payload))
                    throw std::logic_error("a report was refused");
            }
            keys += static_cast<double>(memory.size()) / static_cast<double>(people.size());
        }
        std::vector<RoundOutcome> outcomes(methods.size());
        for (std::size_t m = 0; m < methods.size(); ++m) {
            for (std::size_t r = 0; r < looks; ++r)
                judge(ldp::consistent({{people.size(), states[r]}, mechanism.get()}, methods[m]), truth[r],
                      outcomes[m]);
            outcomes[m].spent = epsilon * keys;
            if (methods[m] != ldp::Consistency::none) continue;
            outcomes[m].expected = 0;
            for (const Shares& shares : truth)
                for (const double share : shares)
                    outcomes[m].expected +=
                        mechanism->n_variance(share) / static_cast<double>(people.size()) / values / looks;
        }
        return outcomes;
    };
}

struct RoundMethod {
    std::vector<std::string> names;
    RoundRun run;
};

}  // namespace

void compare_rounds(const People& census, std::size_t repetitions, std::vector<Panel>& panels) {
    using ldp::Consistency;
    const std::vector<RoundMethod> methods{
        {{"not private: printed"}, printed_rounds(false, true)},
        {{"not private: printed, with one step"}, printed_rounds(true, true)},
        {{"not private: rounding alone"}, printed_rounds(false, false)},
        {{"not private: rounding alone, with one step"}, printed_rounds(true, false)},
        {{"not private: released (as claimed)"}, released_rounds},
        {{"RAPPOR (l_sue)", "RAPPOR, clipped and rescaled"},
         memoized_rounds("l_sue", true, "", {Consistency::none, Consistency::norm_mul})},
        {{"dBitFlipPM, 16 bits", "dBitFlipPM, 16 bits, clipped and rescaled"},
         memoized_rounds("dbitflip", false, R"(, "bits_per_report": 16)",
                         {Consistency::none, Consistency::norm_mul})},
        {{"dBitFlipPM, all bits", "dBitFlipPM, all bits, clipped and rescaled"},
         memoized_rounds("dbitflip", false, R"(, "bits_per_report": 360)",
                         {Consistency::none, Consistency::norm_mul})},
        {{"ldp, loloha", "ldp, loloha, norm_sub"},
         memoized_rounds("loloha", true, "", {Consistency::none, Consistency::norm_sub})},
        {{"ldp, l_osue", "ldp, l_osue, norm_sub"},
         memoized_rounds("l_osue", true, "", {Consistency::none, Consistency::norm_sub})}};
    const std::vector<double> marks{1, 4};
    const People people = with_minutes(census, people_count, 16);
    const std::size_t cells = methods.size() * marks.size();
    std::vector<std::vector<std::vector<RoundOutcome>>> all(
        cells, std::vector<std::vector<RoundOutcome>>(repetitions));
    Progress progress("120 rounds", cells * repetitions);
    in_parallel(cells * repetitions, [&](std::size_t job) {
        SeededBits bits(39000000 + job);
        const std::size_t cell = job % cells;
        all[cell][job / cells] = methods[cell / marks.size()].run(people, marks[cell % marks.size()], bits);
        progress.step();
    });
    const struct {
        const char *name, *y;
        double RoundOutcome::*found;
    } measures[] = {{"shares", "mean squared error of a share", &RoundOutcome::error},
                    {"the first quarter", "error of the share of values below 90", &RoundOutcome::quarter},
                    {"spent", "epsilon after 120 rounds, on average", &RoundOutcome::spent}};
    for (const auto& [name, y, found] : measures) {
        Panel& panel = panels.emplace_back(Panel{std::string("120 rounds, 10,000 people: ") + name,
                                                 "epsilon of a memoized response",
                                                 y,
                                                 {},
                                                 marks});
        for (std::size_t m = 0; m < methods.size(); ++m)
            for (std::size_t row = 0; row < methods[m].names.size(); ++row) {
                Curve curve{methods[m].names[row], {}};
                for (std::size_t e = 0; e < marks.size(); ++e) {
                    Point& point = curve.points.emplace_back(Point{marks[e], {}, {}, 0.02});
                    for (const std::vector<RoundOutcome>& one : all[m * marks.size() + e]) {
                        point.found.push_back(one[row].*found);
                        if (found == &RoundOutcome::error && !std::isnan(one[row].expected))
                            point.expected.push_back(one[row].expected);
                    }
                }
                if (!std::isnan(curve.points[0].found[0])) panel.curves.push_back(std::move(curve));
            }
    }
}

}  // namespace evaluation
