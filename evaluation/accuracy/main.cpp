// Accuracy: the mean squared error of the means of many attributes, at the same ε for all methods.
//
// evaluate-accuracy [FILE]: prints the tables and draws FILE (default build/accuracy.svg). LDP_DATA names the
// folder of the census, by default ../shared/data. Without this folder, synthetic people are used.
// REPETITIONS may be set. Run it from the project's root.

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <mutex>
#include <sstream>
#include <stdexcept>

#include "../../test/support/seeded_words.hpp"
#include "../shared/mean_methods.hpp"
#include "../shared/parallel.hpp"
#include "plot/chart.hpp"

namespace {

using namespace evaluation;

constexpr double epsilons[] = {0.5, 1, 2, 4};
constexpr std::size_t predictions =
    10;  ///< repetitions that are predicted too: the rest differ by noise only

/// What the repetitions of one method gave.
struct Figure {
    double sum = 0, squares = 0, predicted = 0;
    std::size_t repetitions = 0, predictions = 0;

    void add(const Outcome& outcome) {
        sum += outcome.error;
        squares += outcome.error * outcome.error;
        ++repetitions;
        if (std::isnan(outcome.predicted)) return;
        predicted += outcome.predicted;
        ++predictions;
    }
    [[nodiscard]] double mean() const { return sum / static_cast<double>(repetitions); }
    [[nodiscard]] double error() const {
        const auto n = static_cast<double>(repetitions);
        return std::sqrt(std::max(0.0, squares / n - mean() * mean()) / n);
    }
    [[nodiscard]] double prediction() const { return predicted / static_cast<double>(predictions); }
};

/// By ε, then by the name of what came out.
struct Table {
    std::string title;
    std::vector<std::string> names;
    std::vector<std::vector<Figure>> figures;
};

Table measure(const People& people, std::size_t repetitions) {
    const std::vector<Method> all = methods();
    Table table{people.title() + ": " + std::to_string(people.size()) + " people, " +
                    std::to_string(people.attributes()) + " attributes",
                {},
                {}};
    std::vector<std::size_t> first;  // of a method's names
    for (const Method& method : all) {
        first.push_back(table.names.size());
        table.names.insert(table.names.end(), method.names.begin(), method.names.end());
    }
    table.figures.assign(std::size(epsilons), std::vector<Figure>(table.names.size()));

    // A job is one repetition of one method at one ε. Each has a seed of its own, and they are added up in
    // their order, so that threads do not change a figure.
    const std::size_t jobs = std::size(epsilons) * all.size() * repetitions;
    std::vector<std::vector<Outcome>> outcomes(jobs);
    std::atomic<std::size_t> done{0};
    std::mutex speaking;
    in_parallel(jobs, [&](std::size_t job) {
        const std::size_t repetition = job % repetitions, e = job / repetitions / all.size();
        ldp::test::SeededBits bits(1000003 * people.attributes() + job);
        outcomes[job] =
            all[job / repetitions % all.size()].run(people, epsilons[e], repetition < predictions, bits);
        const std::size_t now = ++done, tenths = 10 * now / jobs;
        if (tenths == 10 * (now - 1) / jobs) return;
        const std::lock_guard lock(speaking);
        std::cerr << people.title() << ": " << 10 * tenths << " %\n";
    });
    for (std::size_t job = 0; job < jobs; ++job) {
        const std::size_t method = job / repetitions % all.size();
        for (std::size_t i = 0; i < outcomes[job].size(); ++i)
            table.figures[job / repetitions / all.size()][first[method] + i].add(outcomes[job][i]);
    }
    return table;
}

void print(const Table& table) {
    std::cout
        << "\n"
        << table.title << "\n"
        << "n times the mean squared error of a mean on [-1,1], averaged over the attributes; what exact\n"
        << "formulas predict; and how many times better than the first two\n\n"
        << std::left << std::setw(32) << "" << std::right << std::setw(10) << "n*MSE" << std::setw(10) << "+-"
        << std::setw(11) << "predicted" << std::setw(12) << "than ours" << std::setw(12) << "published"
        << "\n"
        << std::fixed;
    for (std::size_t e = 0; e < table.figures.size(); ++e) {
        std::cout << "epsilon " << std::setprecision(1) << epsilons[e] << "\n" << std::setprecision(2);
        for (std::size_t i = 0; i < table.names.size(); ++i) {
            const Figure& figure = table.figures[e][i];
            std::cout << "  " << std::left << std::setw(30) << table.names[i] << std::right << std::setw(10)
                      << figure.mean() << std::setw(10) << figure.error() << std::setw(11)
                      << figure.prediction() << std::setw(12) << table.figures[e][0].mean() / figure.mean()
                      << std::setw(12) << table.figures[e][1].mean() / figure.mean() << "\n";
        }
    }
    std::string loses;
    for (std::size_t i = 0; i < table.names.size(); ++i) {
        std::ostringstream at;
        for (std::size_t e = 0; e < table.figures.size(); ++e)
            if (table.names[i].starts_with("haar") && table.figures[e][i].mean() > table.figures[e][0].mean())
                at << (at.tellp() > 0 ? ", " : "") << epsilons[e];
        if (at.tellp() > 0) loses += "\n  " + table.names[i] + ": at epsilon " + at.str();
    }
    std::cout << (loses.empty() ? "Haar is nowhere worse than sampled, hybrid.\n"
                                : "Haar is worse than sampled, hybrid:" + loses + "\n");
}

std::string picture(const std::vector<Table>& tables) {
    std::vector<ldp::plot::Chart> charts;
    for (const Table& table : tables) {
        charts.push_back({.title = table.title,
                          .x = "epsilon",
                          .y = "n times the mean squared error",
                          .logarithmic = true,
                          .marks = {std::begin(epsilons), std::end(epsilons)}});
        for (std::size_t i = 0; i < table.names.size(); ++i) {
            ldp::plot::Series& series =
                charts.back().series.emplace_back(ldp::plot::Series{table.names[i], {}});
            for (std::size_t e = 0; e < table.figures.size(); ++e)
                series.points.push_back({epsilons[e], table.figures[e][i].mean()});
        }
    }
    return ldp::plot::charts(charts, 3);
}

std::size_t setting(const char* name, std::size_t fallback) {
    const char* found = std::getenv(name);
    return found == nullptr ? fallback : std::stoul(found);
}

}  // namespace

int main(int count, char** arguments) {
    try {
        const char* folder = std::getenv("LDP_DATA");
        const std::string drawn = count > 1 ? arguments[1] : "build/accuracy.svg";
        const std::size_t repetitions = setting("REPETITIONS", 50);
        std::vector<Table> tables;
        std::cout << "Means of many attributes at equal epsilon; " << repetitions
                  << " repetitions, in each of which everybody reports once\n";
        for (const People& people :
             {census(folder == nullptr ? "../shared/data" : folder), days(setting("PEOPLE", 200000))}) {
            tables.push_back(measure(people, repetitions));
            print(tables.back());
        }
        std::ofstream file(drawn);
        if (!(file << picture(tables))) throw std::runtime_error("cannot write " + drawn);
        std::cout << "Drawn in " << drawn << "\n";
    } catch (const std::exception& error) {
        std::cerr << "error: " << error.what() << "\n";
        return 1;
    }
}
