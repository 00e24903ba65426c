// Coverage and bias of the estimates from many groups: ldp_clustered, ldp_calibrate, ldp_small_areas and ldp_smooth.
//
//     evaluate-groups [REPETITIONS [PART]]
//
// A part is "days" (groups of few people), "skewed" (few groups whose values are skewed) or "jump" (series with a jump). A line has
// the bias in standard errors of the simulation, and the share of 95 % intervals that contain the truth. The truth of a
// clustered mean is that of new groups, that of a calibrated mean is the mean of the groups, and that of an area or a point in
// time is its own. The last figures are the shares of rows with a note on skewness, and the coverage of rows without.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "core/choice/resolve.hpp"
#include "core/mechanism/role/local_randomizer.hpp"
#include "core/results/row_functions.hpp"
#include "core/summary/summary.hpp"
#include "simulation/seeded_random.hpp"

namespace {

using namespace ldp;
using simulation::SeededBits;

/// How often intervals hold a truth, and the estimates' deviations from it.
struct Coverage {
    double count = 0, held = 0, sum = 0, squares = 0, unknown_rows = 0, noted = 0, held_without = 0;

    void add(Results& rows, std::size_t row, double truth) {
        const double estimate = number(rows, row, "estimate");
        if (std::isnan(estimate)) {
            ++unknown_rows;
            return;
        }
        const bool inside = number(rows, row, "lower") <= truth && truth <= number(rows, row, "upper");
        const bool note = text(rows, row, "note").find("skew") != std::string::npos;
        ++count, held += inside ? 1 : 0, noted += note ? 1 : 0;
        held_without += inside && !note ? 1 : 0;
        sum += estimate - truth, squares += (estimate - truth) * (estimate - truth);
    }
    static const ResultCell cell(Results& rows, std::size_t row, std::string_view name) {
        return rows.cell(row, name);
    }
    static double number(Results& rows, std::size_t row, std::string_view name) {
        const ResultCell found = cell(rows, row, name);
        return found.known ? found.number : NAN;
    }
    static std::string text(Results& rows, std::size_t row, std::string_view name) {
        const ResultCell found = cell(rows, row, name);
        return found.known ? std::string(found.text) : std::string();
    }
    void print(const char* name) const {
        std::printf("  %-10s %5.1f %%", name, 100 * held / count);
        if (noted > 0)
            std::printf(" (noted %.0f %%, without note %.1f %%)", 100 * noted / count,
                        100 * held_without / std::max(1.0, count - noted));
        if (unknown_rows > 0) std::printf(" (NULL %.1f %%)", 100 * unknown_rows / (count + unknown_rows));
    }
};

/// The bias of the mean over runs, in its standard errors.
struct Bias {
    double count = 0, sum = 0, squares = 0;
    void add(double off) { ++count, sum += off, squares += off * off; }
    void print() const {
        const double mean = sum / count, error = std::sqrt((squares / count - mean * mean) / count);
        std::printf(" bias %+.4f (%+.1f)", mean, mean / error);
    }
};

/// Values of the people: a number of 0 to 10 with this mean, or yes with this probability.
struct Population {
    const char* name;
    std::string spec;
    std::size_t groups, people;
    double rate;  ///< of those who answer
    double mean;
    std::function<double(std::mt19937_64&)> of_group;  ///< the mean of a group
    double step = 0;                                   ///< of the level of a series
};

class Experiment {
  public:
    Experiment(const Population& population, unsigned seed)
        : population_(population),
          mechanism_(make_mechanism(resolve(population.spec))),
          randomizer_(*mechanism_),
          draws_(seed),
          bits_(seed + 1000) {
        optional_ = population.spec.find("\"missing\"") != std::string::npos;
        number_ = population.spec.find("\"domain\"") == std::string::npos;
    }
    std::mt19937_64& draws() { return draws_; }
    [[nodiscard]] std::size_t row() const { return number_ ? 0 : 1; }
    [[nodiscard]] std::size_t rows() const { return number_ ? 1 : 2; }

    void report(std::span<const double> truths) {
        summaries_.clear();
        const Cell top = mechanism_->cells()[0] - (optional_ ? 2 : 1);
        std::uniform_real_distribution<double> chance;
        for (const double truth : truths) {
            std::vector<std::byte> summary(summary_size(*mechanism_));
            start_summary(*mechanism_, summary);
            for (std::size_t i = 0; i < population_.people; ++i) {
                Cell cell = 0;
                if (!number_)
                    cell = chance(draws_) < truth ? 1 : 0;
                else if (optional_ && chance(draws_) >= population_.rate)
                    cell = top + 1;
                else
                    cell = static_cast<Cell>(chance(draws_) * 2 * truth / 10 * static_cast<double>(top) +
                                             chance(draws_));
                if (accumulate(*mechanism_, summary, randomizer_.perturb({&cell, 1}, bits_)) != Outcome::ok)
                    std::abort();
            }
            summaries_.push_back(std::move(summary));
        }
    }
    std::unique_ptr<Results> ask(const RowFunction& function) const {
        SummaryQuery query = function.defaults;
        std::vector<Bytes> bytes(summaries_.begin(), summaries_.end());
        const bool of_columns = function.name == std::string_view("calibrate");
        std::vector<std::string> numbers;
        for (std::size_t j = 0; j < bytes.size(); ++j) {
            const std::string number = std::to_string(j);
            numbers.push_back(of_columns ? R"({"group": )" + number + R"(, "weight": 1})" : number);
        }
        const std::vector<std::optional<std::string_view>> names(numbers.begin(), numbers.end());
        query.groups = names, query.summaries = bytes, query.season = 0;
        if (of_columns) query.weight_column = "weight";
        return function.find({}, query);
    }

  private:
    const Population& population_;
    std::unique_ptr<const Mechanism> mechanism_;
    Perturber randomizer_;
    std::mt19937_64 draws_;
    SeededBits bits_;
    bool optional_, number_;
    std::vector<std::vector<std::byte>> summaries_;
};

double beta(double mean, double size, std::mt19937_64& draws) {
    std::gamma_distribution<double> one(mean * size, 1), other((1 - mean) * size, 1);
    const double a = one(draws), b = other(draws);
    return a + b > 0 ? a / (a + b) : 0;
}

std::string number_spec(const char* mechanism, double epsilon, bool missing) {
    return "{\"mechanism\": \"" + std::string(mechanism) + "\", \"epsilon\": " + std::to_string(epsilon) +
           ", \"grid\": 100, \"attributes\": [{\"name\": \"x\", \"min\": 0, \"max\": 10" +
           (missing ? ", \"missing\": true}]}" : "}]}");
}
std::string share_spec(double epsilon) {
    return "{\"mechanism\": \"grr\", \"epsilon\": " + std::to_string(epsilon) +
           ", \"domain\": [\"no\", \"yes\"]}";
}

void measure_groups(const Population& population, std::size_t repetitions, bool all) {
    Experiment experiment(population, 1);
    Coverage clustered, calibrated, areas, smoothed;
    Bias of_clustered, of_calibrated, of_areas, of_smoothed;
    const std::size_t row = experiment.row(), rows = experiment.rows();
    std::vector<double> truths(population.groups);
    const auto groups = static_cast<double>(population.groups);
    for (std::size_t r = 0; r < repetitions; ++r) {
        double truth = 0;
        for (double& one : truths) truth += (one = population.of_group(experiment.draws())) / groups;
        experiment.report(truths);
        const auto found = experiment.ask(row_function("clustered"));
        clustered.add(*found, row, population.mean);
        of_clustered.add(Coverage::number(*found, row, "estimate") - population.mean);
        if (!all) continue;
        const auto weighted = experiment.ask(row_function("calibrate"));
        calibrated.add(*weighted, row, truth);
        of_calibrated.add(Coverage::number(*weighted, row, "estimate") - truth);
        const auto each = experiment.ask(row_function("small_areas"));
        double off = 0;
        for (std::size_t j = 0; j < truths.size(); ++j) {
            const std::size_t at = each->count() / rows * row + j;
            areas.add(*each, at, truths[j]);
            off += (Coverage::number(*each, at, "estimate") - truths[j]) / groups;
        }
        of_areas.add(off);
        std::normal_distribution<double> step(0, population.step);
        double level = population.mean;
        for (double& one : truths) {
            one = level;
            level += step(experiment.draws());
            if (level < population.mean / 2 || level > population.mean * 1.5) level = one;
        }
        experiment.report(truths);
        const auto series = experiment.ask(row_function("smooth"));
        off = 0;
        for (std::size_t j = 0; j < truths.size(); ++j) {
            const std::size_t at = series->count() / rows * row + j;
            smoothed.add(*series, at, truths[j]);
            off += (Coverage::number(*series, at, "estimate") - truths[j]) / groups;
        }
        of_smoothed.add(off);
    }
    std::printf("%-34s", population.name);
    clustered.print("clustered"), of_clustered.print();
    if (all) {
        calibrated.print("calibrated"), of_calibrated.print();
        areas.print("areas"), of_areas.print();
        smoothed.print("smoothed"), of_smoothed.print();
    }
    std::printf("\n");
    std::fflush(stdout);
}

/// The coverage within three points of a jump, and of all points. The size of the jump is in errors of a point.
void measure_jump(double errors, std::size_t repetitions) {
    constexpr std::size_t points = 60, at = 30, near = 3, people = 200;
    const double p = std::exp(1.0) / (std::exp(1.0) + 1), error = 0.5 / (2 * p - 1) / std::sqrt(people);
    const Population population{"jump", share_spec(1), points, people, 1, 0.3, {}};
    Experiment experiment(population, 2);
    Coverage beside, all, noted;
    double found = 0;
    std::vector<double> truths(points);
    for (std::size_t r = 0; r < repetitions; ++r) {
        for (std::size_t t = 0; t < points; ++t) truths[t] = 0.25 + (t < at ? 0 : errors * error);
        experiment.report(truths);
        const auto series = experiment.ask(row_function("smooth"));
        bool jumps = false;
        for (std::size_t t = 0; t < points; ++t)
            jumps = jumps || Coverage::text(*series, points + t, "note").find("jump") != std::string::npos;
        found += jumps ? 1 : 0;
        for (std::size_t t = 0; t < points; ++t) {
            all.add(*series, points + t, truths[t]);
            if (t + near < at || t >= at + near) continue;
            beside.add(*series, points + t, truths[t]);
            if (jumps) noted.add(*series, points + t, truths[t]);
        }
    }
    std::printf("jump of %.0f errors: reported in %.0f %% of series; intervals hold", errors,
                100 * found / static_cast<double>(repetitions));
    all.print("all"), beside.print("beside"), noted.print("reported");
    std::printf("\n");
    std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) {
    const std::size_t repetitions = count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 1000;
    const std::string_view part = count > 2 ? arguments[2] : "";
    const auto uniform = [](double low, double high) {
        return
            [=](std::mt19937_64& draws) { return std::uniform_real_distribution<double>(low, high)(draws); };
    };
    const auto skewed = [](double scale, double mean, double size) {
        return [=](std::mt19937_64& draws) { return scale * beta(mean / scale, size, draws); };
    };
    if (part.empty() || part == "days")
        for (const Population& one : std::vector<Population>{
                 {"missing, e 1, 150 x 40, 90 %", number_spec("auto", 1, true), 150, 40, 0.9, 1.2,
                  uniform(0.4, 2), 0.1},
                 {"missing, e 4, 150 x 25, 50 %", number_spec("auto", 4, true), 150, 25, 0.5, 1.2,
                  uniform(0.4, 2), 0.1},
                 {"missing, tree, e 1, 150 x 40", number_spec("tree", 1, true), 150, 40, 0.9, 1.2,
                  uniform(0.4, 2), 0.1},
                 {"missing, tree, e 4, 150 x 25", number_spec("tree", 4, true), 150, 25, 0.5, 1.2,
                  uniform(0.4, 2), 0.1},
                 {"mean, e 1, 150 x 40", number_spec("auto", 1, false), 150, 40, 1, 1.2, uniform(0.4, 2),
                  0.1},
                 {"mean, e 4, 150 x 25", number_spec("auto", 4, false), 150, 25, 1, 1.2, uniform(0.4, 2),
                  0.1},
                 {"tree, e 1, 150 x 40", number_spec("tree", 1, false), 150, 40, 1, 1.2, uniform(0.4, 2),
                  0.1},
                 {"tree, e 4, 150 x 25", number_spec("tree", 4, false), 150, 25, 1, 1.2, uniform(0.4, 2),
                  0.1},
                 {"haar_ordered, e 4, 150 x 25", number_spec("haar_ordered", 4, false), 150, 25, 1, 1.2,
                  uniform(0.4, 2), 0.1},
                 {"share 0.3, e 1, 150 x 40", share_spec(1), 150, 40, 1, 0.3, skewed(1, 0.3, 9), 0.02},
                 {"share 0.3, e 4, 150 x 25", share_spec(4), 150, 25, 1, 0.3, skewed(1, 0.3, 9), 0.02}})
            measure_groups(one, repetitions, true);
    if (part.empty() || part == "skewed")
        for (const std::size_t groups : {10, 20, 50, 150})
            for (const Population& one : std::vector<Population>{
                     {"normal numbers, e 8", number_spec("auto", 8, false), groups, 40, 1, 2.5,
                      uniform(1, 4)},
                     {"skewed numbers, e 8", number_spec("auto", 8, false), groups, 40, 1, 0.5,
                      skewed(5, 0.5, 2)},
                     {"very skewed numbers, e 8", number_spec("auto", 8, false), groups, 40, 1, 0.2,
                      skewed(5, 0.2, 2)},
                     {"skewed numbers, e 1", number_spec("auto", 1, false), groups, 40, 1, 0.5,
                      skewed(5, 0.5, 2)},
                     {"share 0.3, icc 0.1, e 4", share_spec(4), groups, 40, 1, 0.3, skewed(1, 0.3, 9)},
                     {"share 0.1, icc 0.5, e 4", share_spec(4), groups, 40, 1, 0.1, skewed(1, 0.1, 1)},
                     {"share 0.03, icc 0.6, e 4", share_spec(4), groups, 40, 1, 0.03,
                      skewed(1, 0.03, 2.0 / 3)},
                     {"share 0.03, icc 0.1, e 4", share_spec(4), groups, 40, 1, 0.03, skewed(1, 0.03, 9)}}) {
                std::printf("%3zu groups ", groups);
                measure_groups(one, 2 * repetitions, false);
            }
    if (part.empty() || part == "jump")
        for (const double errors : {3.0, 4.0, 5.0, 6.0, 8.0}) measure_jump(errors, repetitions);
}
