// The simulations of Roth, Avella-Medina 2025 (sections 7.1.1 to 7.2). The document that was read has no
// formulas and no parameters of them; the settings here are this program's.

#include <cmath>
#include <functional>
#include <map>

#include "../figures/panels.hpp"
#include "../shared/parallel.hpp"
#include "dependent_people.hpp"

namespace evaluation {

namespace {

using ldp::simulation::SeededBits;

/// Data sets in a repetition; the squared error is averaged over them.
constexpr std::size_t data_sets = 5, coverage_sets = 25;
constexpr std::size_t usual_people = 8000;
constexpr double usual_correlation = 0.5;

/// One data set, in a setting that follows from x.
struct Sample {
    std::vector<double> values;
    double mean;  ///< of the population
};

/// A row: the measure of one data set, by default n times a squared error.
struct Way {
    std::string name;
    std::function<double(const Sample& sample, double x, SeededBits& bits)> measure;
    std::function<double(double x)> theory = {};
};

Panel compare_ways(Panel panel, const std::vector<Way>& ways,
                   const std::function<Sample(double x, SeededBits& bits)>& draw, std::size_t repetitions,
                   std::uint64_t seed, std::size_t sets = data_sets) {
    const std::size_t cells = ways.size() * panel.marks.size();
    for (const Way& way : ways) {
        Curve& curve = panel.curves.emplace_back(Curve{way.name, {}});
        for (const double x : panel.marks) {
            // Squared errors of few data sets are skew.
            Point& point = curve.points.emplace_back(Point{x, std::vector<double>(repetitions), {}, 0.05});
            if (way.theory) point.expected = {way.theory(x)};
        }
    }
    Progress progress(panel.title, cells * repetitions);
    in_parallel(cells * repetitions, [&](std::size_t job) {
        const std::size_t cell = job % cells;
        const Way& way = ways[cell / panel.marks.size()];
        const std::size_t mark = cell % panel.marks.size();
        SeededBits bits(seed + job);
        double sum = 0;
        for (std::size_t i = 0; i < sets; ++i) {
            const Sample sample = draw(panel.marks[mark], bits);
            sum += way.measure(sample, panel.marks[mark], bits) / static_cast<double>(sets);
        }
        panel.curves[cell / panel.marks.size()].points[mark].found[job / cells] = sum;
        progress.step();
    });
    return panel;
}

double any_mean(SeededBits& bits) {
    return bound * (bits.uniform() - 0.5);
}

Sample dependent(std::size_t people, double deviation, double next, SeededBits& bits) {
    const double mean = any_mean(bits);
    return {autoregression(people, mean, deviation, next, bits), mean};
}

double n_error(const Sample& sample, double found) {
    return static_cast<double>(sample.values.size()) * (found - sample.mean) * (found - sample.mean);
}

double sample_mean(const Sample& sample) {
    double sum = 0;
    for (const double value : sample.values) sum += value;
    return sum / static_cast<double>(sample.values.size());
}

/// n·Var of the mean of n values of an autoregression with variance 1.
double mean_theory(std::size_t people, double next) {
    const auto n = static_cast<double>(people);
    return (1 + next) / (1 - next) - 2 * next * (1 - std::pow(next, n)) / (n * (1 - next) * (1 - next));
}

/// The factor (1 + ρ)/(1 − ρ) by which dependence multiplies the variance of a mean, and its inverse.
double correlation_of(double factor) {
    return (factor - 1) / (factor + 1);
}

using Locals = std::map<double, LocalMeans>;

/// The rows that most panels have, at an ε that may follow from x.
std::vector<Way> usual_ways(const Locals& locals, const std::function<Setting(double x)>& setting,
                            std::function<double(double x)> theory) {
    const auto local = [&locals, setting](double x) -> const LocalMeans& {
        return locals.at(setting(x).epsilon);
    };
    return {{"not private: the mean",
             [](const Sample& sample, double, SeededBits&) { return n_error(sample, sample_mean(sample)); },
             std::move(theory)},
            {"trusted server, winsorized",
             [=](const Sample& sample, double x, SeededBits& bits) {
                 return n_error(sample, central_mean(sample.values, setting(x), bits));
             }},
            {"local, winsorized, as published",
             [=](const Sample& sample, double x, SeededBits& bits) {
                 return n_error(sample, local(x).published(sample.values, setting(x), false, bits));
             }},
            {"the same window, optimal",
             [=](const Sample& sample, double x, SeededBits& bits) {
                 return n_error(sample, local(x).optimal_on_window(sample.values, setting(x), bits));
             }},
            {"ldp, window from quartiles",
             [=](const Sample& sample, double x, SeededBits& bits) {
                 return n_error(sample, local(x).quartile_window(sample.values, bits));
             }},
            {"ldp, learned range",
             [=](const Sample& sample, double x, SeededBits& bits) {
                 return n_error(sample, local(x).two_rounds(sample.values, bits).mean);
             }},
            {"ldp, one round on the declared range", [=](const Sample& sample, double x, SeededBits& bits) {
                 return n_error(sample, local(x).one_round(sample.values, bits));
             }}};
}

}  // namespace

Figure dependence_figure(const Setup& setup) {
    Figure figure{"dependence", {}};
    Locals locals;
    for (const double epsilon : {0.5, 1.0, 2.0, 4.0}) locals.try_emplace(epsilon, epsilon);
    const char* const error = "n times the squared error of the mean";
    const std::size_t repetitions = setup.repetitions;
    const auto usual = [](double, SeededBits& bits) {
        return dependent(usual_people, 1, usual_correlation, bits);
    };

    // 7.1.1: the cost of privacy.
    figure.panels.push_back(compare_ways(
        {"cost of privacy, correlation 0.5, epsilon 1", "people", error, {}, {500, 2000, 8000}},
        usual_ways(
            locals, [](double) { return Setting{}; },
            [](double n) { return mean_theory(static_cast<std::size_t>(n), usual_correlation); }),
        [](double n, SeededBits& bits) {
            return dependent(static_cast<std::size_t>(n), 1, usual_correlation, bits);
        },
        repetitions, 71000000));

    // 7.1.2: the constants of the theory. The last width is about that of the theory.
    std::vector<Way> windows = usual_ways(locals, [](double width) { return Setting{1, 1, width}; }, {});
    windows.erase(windows.begin() + 4, windows.end());
    windows.erase(windows.begin());
    figure.panels.push_back(compare_ways({"constants: half-width of the window, 8000 people, epsilon 1",
                                          "half-width in standard deviations",
                                          error,
                                          {},
                                          {1, 2, 3, 4, 8, 16}},
                                         windows, usual, repetitions, 72000000));

    // 7.1.3: the cost of dependence.
    figure.panels.push_back(compare_ways(
        {"cost of dependence, 8000 people, epsilon 1", "(1 + ρ)/(1 − ρ)", error, {}, {1, 3, 9, 39}},
        usual_ways(
            locals, [](double) { return Setting{}; },
            [](double factor) { return mean_theory(usual_people, correlation_of(factor)); }),
        [](double factor, SeededBits& bits) {
            return dependent(usual_people, 1, correlation_of(factor), bits);
        },
        repetitions, 73000000));

    // 7.1.4: the trusted server and local reports.
    figure.panels.push_back(
        compare_ways({"trusted server and local reports, 8000 people", "epsilon", error, {}, {0.5, 1, 2, 4}},
                     usual_ways(
                         locals, [](double epsilon) { return Setting{epsilon}; },
                         [](double) { return mean_theory(usual_people, usual_correlation); }),
                     usual, repetitions, 74000000));

    // 7.1.5: an unknown variance.
    const LocalMeans& one = locals.at(1);
    const auto relative = [](const Sample& sample, double deviation, double found) {
        return n_error(sample, found) / (deviation * deviation);
    };
    figure.panels.push_back(compare_ways(
        {"plug-in variance, 8000 people, epsilon 1",
         "standard deviation of the values",
         "n times the squared error of the mean / variance",
         {},
         {0.25, 1, 4}},
        {{"local, deviation known",
          [&](const Sample& sample, double deviation, SeededBits& bits) {
              return relative(sample, deviation, one.published(sample.values, {1, deviation}, false, bits));
          }},
         {"local, deviation taken as 1",
          [&](const Sample& sample, double deviation, SeededBits& bits) {
              return relative(sample, deviation, one.published(sample.values, {}, false, bits));
          }},
         {"local, plug-in deviation",
          [&](const Sample& sample, double deviation, SeededBits& bits) {
              return relative(sample, deviation, one.published(sample.values, {}, true, bits));
          }},
         {"ldp, window from quartiles",
          [&](const Sample& sample, double deviation, SeededBits& bits) {
              return relative(sample, deviation, one.quartile_window(sample.values, bits));
          }}},
        [](double deviation, SeededBits& bits) {
            return dependent(usual_people, deviation, usual_correlation, bits);
        },
        repetitions, 75000000));

    // The intervals that follow from the reports alone, for the people who reported and for the population.
    constexpr double critical_value = 1.959963984540054;
    constexpr std::size_t fewer_people = 4000;
    const LocalMeans& four = locals.at(4);
    const auto covered = [](double found, double truth, double deviation) {
        return std::abs(found - truth) <= critical_value * deviation ? 1.0 : 0.0;
    };
    figure.panels.push_back(compare_ways(
        {"intervals of two rounds, 4000 people, epsilon 4",
         "(1 + ρ)/(1 − ρ)",
         "coverage of 95 % intervals",
         {},
         {1, 9, 39}},
        {{"target sample",
          [&](const Sample& sample, double, SeededBits& bits) {
              const LocalMeans::Found found = four.two_rounds(sample.values, bits);
              return covered(found.mean, found.of_reporters, found.sample_error);
          }},
         {"target population",
          [&](const Sample& sample, double, SeededBits& bits) {
              const LocalMeans::Found found = four.two_rounds(sample.values, bits);
              return covered(found.mean, sample.mean, found.population_error);
          }}},
        [](double factor, SeededBits& bits) {
            return dependent(fewer_people, 1, correlation_of(factor), bits);
        },
        repetitions, 76000000, coverage_sets));

    // 7.2: several values of a person. A person's level has variance 1/4, the values around it variance 1.
    constexpr std::size_t users = 4000;
    constexpr double level = 0.5;
    const auto people = [](double values, SeededBits& bits) {
        Sample sample{{}, any_mean(bits)};
        for (std::size_t i = 0; i < users; ++i) {
            const double own = sample.mean + level * normal(bits);
            double sum = 0;
            for (const double value :
                 autoregression(static_cast<std::size_t>(values), own, 1, usual_correlation, bits))
                sum += value;
            sample.values.push_back(sum / values);
        }
        return sample;
    };
    const auto variance = [](double values) {
        return level * level + mean_theory(static_cast<std::size_t>(values), usual_correlation) / values;
    };
    figure.panels.push_back(compare_ways(
        {"several values of a person, 4000 people, epsilon 1", "values of a person", error, {}, {1, 4, 16}},
        usual_ways(
            locals,
            [=](double values) {
                return Setting{1, std::sqrt(variance(values))};
            },
            variance),
        people, repetitions, 77000000));
    return figure;
}

}  // namespace evaluation
