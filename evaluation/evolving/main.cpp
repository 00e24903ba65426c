// Values that change: what the protocols for them make of 10,000 people who report 120 times, and what it
// costs each of them.
//
// evaluate-evolving [FOLDER]: prints the tables, writes evolving.csv and draws evolving.svg in FOLDER (default build).
// It fails if an error is not within 5 % of its closed form, if rounding does not save nine answers of ten,
// or if it moves the mean.

#include <atomic>
#include <cmath>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <map>
#include <mutex>
#include <sstream>
#include <stdexcept>

#include "../shared/parallel.hpp"
#include "core/base/text.hpp"
#include "core/choice/resolve.hpp"
#include "core/mechanism/role/mechanism.hpp"
#include "plot/chart.hpp"
#include "simulation/seeded_random.hpp"
#include "simulation/simulation.hpp"
#include "syn.hpp"

namespace {

using namespace ldp;
using evaluation::in_parallel;
using namespace evaluation::syn;

constexpr double epsilons[] = {0.5, 1, 2, 4};
/// Repetitions; many where reports hardly change over the rounds.
constexpr std::size_t few = 4, many = 64;

std::size_t repetitions(const Protocol& protocol) {
    return protocol.few_bits ? many : few;
}

/// All repetitions of one protocol at one ε.
struct Figure {
    double error = 0, predicted = 0;
    double ratio_error = 0;  ///< of error/predicted, from how the repetitions differ
    simulation::Spending answers{};
    std::uint64_t most_answers = 0;

    [[nodiscard]] double ratio() const { return error / predicted; }
};

Figure summed_up(const Mechanism& mechanism, std::span<const Outcome> outcomes) {
    Figure figure;
    const auto n = static_cast<double>(outcomes.size());
    std::map<std::uint64_t, std::uint64_t> all;
    for (const Outcome& outcome : outcomes) {
        figure.error += outcome.error / n;
        figure.predicted += outcome.predicted / n;
        for (const auto& [answers, count] : outcome.spending) all[answers] += count;
    }
    double squares = 0;
    for (const Outcome& outcome : outcomes)
        squares += std::pow(outcome.error / outcome.predicted - figure.ratio(), 2);
    figure.ratio_error = std::sqrt(squares / (n - 1) / n);
    figure.answers = simulation::spending(all);
    figure.most_answers = mechanism.most_keys();
    return figure;
}

/// Prints progress after each tenth of the steps.
class Tenths {
  public:
    Tenths(const char* what, std::size_t steps) : what_(what), steps_(steps) {}
    void step() {
        const std::size_t now = ++done_, tenths = 10 * now / steps_;
        if (tenths == 10 * (now - 1) / steps_) return;
        const std::lock_guard lock(speaking_);
        std::cerr << what_ << ": " << 10 * tenths << " %\n";
    }

  private:
    const char* what_;
    std::size_t steps_;
    std::atomic<std::size_t> done_{0};
    std::mutex speaking_;
};

/// By protocol, then by ε.
std::vector<std::vector<Figure>> measure() {
    // A job is one repetition, with a seed of its own, so that threads do not change a figure.
    struct Job {
        const Protocol* protocol;
        const Mechanism* mechanism;
        Outcome* outcome;
    };
    std::vector<std::vector<std::unique_ptr<const Mechanism>>> mechanisms;
    std::vector<std::vector<std::vector<Outcome>>> outcomes;
    std::vector<Job> jobs;
    for (const Protocol& protocol : protocols()) {
        mechanisms.emplace_back();
        outcomes.emplace_back(std::size(epsilons), std::vector<Outcome>(repetitions(protocol)));
        for (std::size_t e = 0; e < std::size(epsilons); ++e) {
            mechanisms.back().push_back(mechanism_of(protocol, epsilons[e]));
            for (Outcome& outcome : outcomes.back()[e])
                jobs.push_back({&protocol, mechanisms.back().back().get(), &outcome});
        }
    }
    Tenths progress("Syn", jobs.size());
    in_parallel(jobs.size(), [&](std::size_t i) {
        *jobs[i].outcome = run(*jobs[i].mechanism, 1000 + i);
        progress.step();
    });
    std::vector<std::vector<Figure>> figures;
    for (std::size_t p = 0; p < protocols().size(); ++p) {
        figures.emplace_back();
        for (std::size_t e = 0; e < std::size(epsilons); ++e)
            figures.back().push_back(summed_up(*mechanisms[p][e], outcomes[p][e]));
    }
    return figures;
}

/// False if one is not within 5 % of its closed form.
bool print(const std::vector<std::vector<Figure>>& figures, std::ostream& csv) {
    constexpr double allowed = 0.05;
    std::cout << "Frequencies of values that change: Syn, " << people << " people, " << rounds << " rounds, "
              << values << " values; epsilon is what an answer costs,\n"
              << "one report of the first six has half of the information. Mean squared error over values "
                 "and rounds; "
                 "what a person has spent at the end\n\n"
              << std::left << std::setw(20) << "" << std::right << std::setw(8) << "epsilon" << std::setw(12)
              << "error" << std::setw(12) << "formula" << std::setw(8) << "ratio" << std::setw(8) << "+-"
              << std::setw(8) << "runs" << std::setw(13) << "spent: mean" << std::setw(9) << "of 95 %"
              << std::setw(9) << "worst" << std::setw(9) << "at most"
              << "\n";
    csv << "protocol,epsilon,report_epsilon,repetitions,error,closed_form,ratio,ratio_error,spent_mean,spent_"
           "95,"
           "spent_worst,spent_bound\n";
    bool good = true;
    for (std::size_t p = 0; p < protocols().size(); ++p)
        for (std::size_t e = 0; e < std::size(epsilons); ++e) {
            const Figure& figure = figures[p][e];
            const double epsilon = epsilons[e];
            const double spent[] = {epsilon * figure.answers.mean,
                                    epsilon * static_cast<double>(figure.answers.most_of_95),
                                    epsilon * static_cast<double>(figure.answers.most),
                                    epsilon * static_cast<double>(figure.most_answers)};
            std::cout << std::left << std::setw(20) << protocols()[p].name << std::right << std::setw(8)
                      << epsilon << std::setprecision(3) << std::scientific << std::setw(12) << figure.error
                      << std::setw(12) << figure.predicted << std::fixed << std::setw(8) << figure.ratio()
                      << std::setw(8) << figure.ratio_error << std::setw(8) << repetitions(protocols()[p])
                      << std::setprecision(1) << std::setw(13) << spent[0] << std::setw(9) << spent[1]
                      << std::setw(9) << spent[2] << std::setw(9) << spent[3] << std::defaultfloat
                      << std::setprecision(6);
            if (std::abs(figure.ratio() - 1) > allowed) {
                std::cout << "  NOT WITHIN 5 %";
                good = false;
            }
            std::cout << "\n";
            csv << '"' << protocols()[p].name << "\"," << epsilon << ","
                << (protocols()[p].two_layers ? epsilon / 2 : epsilon) << "," << repetitions(protocols()[p])
                << "," << figure.error << "," << figure.predicted << "," << figure.ratio() << ","
                << figure.ratio_error << "," << spent[0] << "," << spent[1] << "," << spent[2] << ","
                << spent[3] << "\n";
        }
    return good;
}

std::string picture(const std::vector<std::vector<Figure>>& figures) {
    const std::vector<double> marks(std::begin(epsilons), std::end(epsilons));
    plot::Chart error{.title = "Syn: shares",
                      .x = "epsilon of an answer",
                      .y = "mean squared error of a share",
                      .logarithmic = true,
                      .marks = marks};
    plot::Chart spent{.title = "Syn: spent in 120 rounds",
                      .x = "epsilon of an answer",
                      .y = "epsilon that a person has spent, on average",
                      .logarithmic = true,
                      .marks = marks};
    for (std::size_t p = 0; p < protocols().size(); ++p) {
        error.series.push_back({protocols()[p].name, {}});
        spent.series.push_back({protocols()[p].name, {}});
        for (std::size_t e = 0; e < std::size(epsilons); ++e) {
            error.series.back().points.push_back({epsilons[e], figures[p][e].error});
            spent.series.back().points.push_back({epsilons[e], epsilons[e] * figures[p][e].answers.mean});
        }
    }
    const plot::Chart charts[] = {error, spent};
    return plot::charts(charts, 2);
}

// Rounding -------------------------------------------------------------------------------------------------

/// What many simulations of one spec on the jitter stream come to.
struct Jitter {
    double answers = 0;     ///< drawn by a person
    double bias = 0;        ///< of the mean, averaged over rounds and simulations
    double bias_error = 0;  ///< from how the simulations differ
    double error = 0;       ///< root of the mean square, of a round
};

Jitter jitter(const std::string& json, Tenths& progress, std::size_t simulations) {
    const Collection collection(resolve(json));
    std::vector<Jitter> each(simulations);
    in_parallel(simulations, [&](std::size_t i) {
        const auto series =
            simulation::simulate(collection, {simulation::Stream::jitter, people / 2, rounds, i, 0});
        Jitter& one = each[i];
        one.answers = series.back().answers.mean;
        for (const simulation::Round& round : series) {
            one.bias += (round.estimate - round.truth) / rounds;
            one.error += round.error * round.error / rounds;
        }
        progress.step();
    });
    Jitter all;
    const auto n = static_cast<double>(simulations);
    for (const Jitter& one : each) {
        all.answers += one.answers / n;
        all.bias += one.bias / n;
        all.error += one.error / n;
    }
    for (const Jitter& one : each) all.bias_error += std::pow(one.bias - all.bias, 2);
    all.bias_error = std::sqrt(all.bias_error / (n - 1) / n);
    all.error = std::sqrt(all.error);
    return all;
}

/// False if rounding saves less than nine answers of ten, or moves the mean by four times its error.
bool rounding() {
    constexpr std::size_t simulations = 40;
    const char* const mechanisms[] = {"pdp", "hybrid"};
    Tenths progress("jitter", 2 * std::size(mechanisms) * simulations);
    std::cout << "\nRounding: the jitter stream, minutes from 0 to 360, " << people / 2 << " people, "
              << rounds << " rounds, " << simulations << " simulations, epsilon 1\n\n"
              << std::left << std::setw(20) << "" << std::right << std::setw(18) << "answers a person"
              << std::setw(10) << "fewer by" << std::setw(18) << "bias of the mean" << std::setw(8) << "+-"
              << std::setw(18) << "error of a round"
              << "\n"
              << std::fixed;
    bool good = true;
    for (const std::string mechanism : mechanisms) {
        const auto spec = [&](const char* keys, const char* flag) {
            return "{\"mechanism\": \"" + mechanism +
                   "\", \"epsilon\": 1, \"budget\": {\"epsilon\": 1000}, " + keys +
                   "\"attributes\": [{\"name\": \"minutes\", \"min\": 0, \"max\": 360" + flag + "}]}";
        };
        const Jitter plain = jitter(spec("\"evolving\": {}, ", ""), progress, simulations);
        const Jitter rounded = jitter(spec("", ", \"evolving\": true"), progress, simulations);
        const auto row = [&](const std::string& name, const Jitter& found) {
            std::cout << std::left << std::setw(20) << name << std::right << std::setprecision(2)
                      << std::setw(18) << found.answers << std::setw(10) << plain.answers / found.answers
                      << std::setw(18) << found.bias << std::setw(8) << found.bias_error << std::setw(18)
                      << found.error << "\n";
        };
        row(mechanism + ", kept", plain);
        row(mechanism + ", rounded", rounded);
        good =
            good && plain.answers >= 10 * rounded.answers && std::abs(rounded.bias) < 4 * rounded.bias_error;
    }
    if (!good) std::cout << "ROUNDING DOES NOT DO WHAT IT SHOULD\n";
    return good;
}

}  // namespace

int main(int count, char** arguments) {
    try {
        const std::string folder = count > 1 ? arguments[1] : "build";
        std::ofstream csv(folder + "/evolving.csv"), svg(folder + "/evolving.svg");
        const auto figures = measure();
        const bool close = print(figures, csv);
        svg << picture(figures);
        if (!csv.flush() || !svg.flush())
            throw std::runtime_error("cannot write " + folder + "/evolving.csv and .svg");
        std::cout << "Written to " << folder << "/evolving.csv, drawn in " << folder << "/evolving.svg\n";
        const bool rounds_well = rounding();
        return close && rounds_well ? 0 : 1;
    } catch (const std::exception& error) {
        std::cerr << "error: " << error.what() << "\n";
        return 1;
    }
}
