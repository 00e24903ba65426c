// How often 95 % intervals hold the truth when reports are few: every mechanism, against the people who
// reported and against the population that they were drawn from.
//
//     bench-intervals [REPETITIONS [MECHANISM]]
//
// A line has the coverage on average over values and kinds of people, and the worst of one value. People are
// alike, evenly spread, mostly small, or nearly all alike.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "core/mechanism/error_law.hpp"
#include "core/spec/spec.hpp"
#include "core/summary/errors.hpp"
#include "core/summary/summary.hpp"
#include "simulation/seeded.hpp"

namespace {

using namespace ldp;
using simulation::SeededBits;

constexpr double reach = 1.959963984540054;

/// What a person holds, as a share of the way through the values, of the kind and of a uniform number.
double held(int kind, double uniform) {
    switch (kind) {
        case 0:
            return 0.99;
        case 1:
            return uniform;
        case 2:
            return std::pow(uniform, 3);
        default:
            return uniform < 0.95 ? 0 : 0.7;
    }
}
constexpr int kinds = 4;

double uniform(BitSource& bits) {
    return static_cast<double>(bits.word() >> 11) * 0x1p-53;
}

struct Survey {
    const Mechanism& m;
    std::vector<std::uint64_t> cells = m.cells();

    [[nodiscard]] bool category() const { return m.tells(Quantity::frequencies); }
    /// A person whose values of several attributes are apart, but of one kind.
    [[nodiscard]] std::vector<Cell> person(int kind, double at) const {
        std::vector<Cell> record;
        for (const std::uint64_t each : cells) {
            const auto points = static_cast<double>(category() ? each : each - 1);
            const double cell = held(kind, at) * points;
            record.push_back(
                std::min<Cell>(static_cast<Cell>(category() ? cell : std::round(cell)), each - 1));
            at = std::fmod(at + 0.618034, 1);
        }
        return record;
    }
    /// Shares of the values, or the mean of each attribute on [0,1].
    [[nodiscard]] std::vector<double> truth(const std::vector<std::vector<Cell>>& people) const {
        const double each = 1 / static_cast<double>(people.size());
        std::vector<double> truth(category() ? cells[0] : cells.size());
        for (const auto& person : people)
            if (category())
                truth[person[0]] += each;
            else
                for (std::size_t j = 0; j < cells.size(); ++j)
                    truth[j] += each * static_cast<double>(person[j]) / static_cast<double>(cells[j] - 1);
        return truth;
    }
    [[nodiscard]] std::vector<std::vector<Cell>> people(int kind, std::size_t n,
                                                        const std::function<double(std::size_t)>& at) const {
        std::vector<std::vector<Cell>> all;
        for (std::size_t i = 0; i < n; ++i) all.push_back(person(kind, at(i)));
        return all;
    }
};

struct Covered {
    double average = 0, worst = 1;
};

Covered coverage(const Survey& survey, std::size_t n, Target target, std::size_t repetitions) {
    const Quantity quantity = survey.category() ? Quantity::frequencies : Quantity::means;
    SeededBits bits(1);
    Perturber perturber(survey.m);
    std::vector<double> rates;
    for (int kind = 0; kind < kinds; ++kind) {
        const auto in_turn = [](std::size_t of) {
            return [=](std::size_t i) { return (static_cast<double>(i) + 0.5) / static_cast<double>(of); };
        };
        constexpr std::size_t many = 100000;
        auto people = survey.people(kind, n, in_turn(n));
        const auto truth =
            survey.truth(target == Target::sample ? people : survey.people(kind, many, in_turn(many)));
        std::vector<double> held(truth.size()), known(truth.size());
        for (std::size_t r = 0; r < repetitions; ++r) {
            if (target == Target::population)
                people = survey.people(kind, n, [&](std::size_t) { return uniform(bits); });
            std::vector<std::byte> bytes(summary_size(survey.m));
            start_summary(survey.m, bytes);
            for (const auto& person : people)
                if (accumulate(survey.m, bytes, perturber.perturb(person, bits), Rounds::untold()) !=
                    Outcome::ok)
                    std::abort();
            const SummaryView view = view_of(survey.m, bytes);
            const auto estimates = estimate(view, {quantity, target});
            for (std::size_t i = 0; i < truth.size(); ++i) {
                if (std::isnan(estimates[i].value)) continue;
                const ErrorLaw law = error_law(view, survey.category() ? 0 : i, target);
                const auto [lower, upper] = interval(estimates[i], reach, law);
                held[i] += lower <= truth[i] + 1e-9 && truth[i] - 1e-9 <= upper ? 1 : 0;
                ++known[i];
            }
        }
        for (std::size_t i = 0; i < truth.size(); ++i)
            if (known[i] > 0) rates.push_back(held[i] / known[i]);
    }
    Covered found;
    for (const double rate : rates) {
        found.average += rate / static_cast<double>(rates.size());
        found.worst = std::min(found.worst, rate);
    }
    return found;
}

}  // namespace

int main(int argc, char** argv) {
    const std::size_t repetitions = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 300;
    const std::string only = argc > 2 ? argv[2] : "";
    std::string vector;
    for (const char* name : {"a", "b", "c", "d"})
        vector +=
            std::string(vector.empty() ? "" : ", ") + R"({"name": ")" + name + R"(", "min": 0, "max": 1})";
    const std::string number = R"("min": 0, "max": 1, "grid": 100)",
                      four = R"("grid": 100, "attributes": [)" + vector + "]";
    std::vector<std::pair<std::string, std::string>> surveys;
    for (const char* name : {"grr", "subset", "projective", "hadamard", "olh", "oue", "sue", "l_grr",
                             "loloha", "dbitflip", "haar_ordered", "exponential"})
        for (const char* domain : {"2", "5", "16"})
            surveys.emplace_back(name, R"("domain": )" + std::string(domain));
    surveys.emplace_back("rappor", R"("domain": 5, "bits": 32, "cohorts": 2)");
    surveys.emplace_back("exponential", R"("domain": 16, "columns": 4, "reach": 2)");
    for (const char* name : {"optimal", "duchi", "onebit", "hybrid", "pdp", "piecewise", "laplace",
                             "square_wave", "haar_ordered"})
        surveys.emplace_back(name, number);
    for (const char* name : {"sampled", "duchi_vector", "haar"}) surveys.emplace_back(name, four);
    surveys.emplace_back("haar", four + R"(, "details": "global")");

    std::printf("%-14s %-8s%6s%8s   %-20s %-20s\n", "", "values", "ε", "reports", " sample: mean, worst",
                " population");
    for (const auto& [name, rest] : surveys) {
        if (!only.empty() && name != only) continue;
        for (const char* epsilon : {"0.5", "1", "2", "4", "8"}) {
            const auto m = make_mechanism(Spec::from_json(R"({"mechanism": ")" + name + R"(", "epsilon": )" +
                                                          epsilon + ", " + rest + "}"));
            const Survey survey{*m};
            for (const std::size_t n : {20, 50, 200}) {
                const Covered sample = coverage(survey, n, Target::sample, repetitions),
                              population = coverage(survey, n, Target::population, repetitions);
                std::printf("%-14s %-8zu%5s%8zu   %9.3f %9.3f  %9.3f %9.3f\n", name.c_str(),
                            survey.category() ? survey.cells[0] : survey.cells.size(), epsilon, n,
                            sample.average, sample.worst, population.average, population.worst);
                std::fflush(stdout);
            }
        }
    }
}
