// What making frequencies consistent is worth: the mean squared error summed over the values, times n, of
// each method, on shares of several shapes and on those of a census. The reports are real:
// evaluate-consistency [PEOPLE [REPETITIONS]].

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "../shared/population.hpp"
#include "core/choice/resolve.hpp"
#include "core/mechanism/role/registry.hpp"
#include "core/summary/queries/consistency.hpp"
#include "core/summary/summary.hpp"
#include "simulation/seeded_random.hpp"

namespace {

using namespace ldp;

constexpr const char* methods[] = {"none",    "base_cut", "norm", "norm_mul",  "norm_cut",       "norm_sub",
                                   "mle_apx", "power",    "ibu",  "ibu_early", "empirical_bayes"};

struct Outline {
    const char* name;
    double (*weight)(std::size_t value);
};

constexpr Outline shapes[] = {
    {"flat", [](std::size_t) { return 1.0; }},
    {"geometric", [](std::size_t v) { return std::pow(0.9, static_cast<double>(v)); }},
    {"zipf", [](std::size_t v) { return 1 / static_cast<double>(v + 1); }},
    {"spiky", [](std::size_t v) { return v % 16 == 0 ? 1.0 : 0.0; }},
};

/// People as the shape has them, as nearly as whole people can be; the rest hold the first value.
std::vector<Cell> people_of(const Outline& shape, std::size_t values, std::size_t n) {
    double sum = 0;
    for (std::size_t v = 0; v < values; ++v) sum += shape.weight(v);
    std::vector<Cell> people;
    for (std::size_t v = 0; v < values; ++v)
        people.insert(people.end(), static_cast<std::size_t>(static_cast<double>(n) * shape.weight(v) / sum),
                      v);
    people.resize(n, 0);
    return people;
}

/// The values of an attribute of the census, of the first n people.
std::vector<Cell> column_of(const evaluation::People& census, std::size_t attribute, std::size_t n) {
    const double steps = static_cast<double>(census.sizes()[attribute]) - 1;
    std::vector<Cell> people;
    for (std::size_t i = 0; i < std::min(n, census.size()); ++i)
        people.push_back(static_cast<Cell>(std::lround((census[i][attribute] + 1) / 2 * steps)));
    return people;
}

void measure(const char* shape, const std::vector<Cell>& people, std::size_t values, double epsilon,
             std::size_t repetitions) {
    const std::size_t n = people.size();
    const auto mechanism =
        make_mechanism(resolve("{\"mechanism\": \"subset\", \"epsilon\": " + std::to_string(epsilon) +
                               ", \"domain\": " + std::to_string(values) + "}"));
    std::vector<double> truth(values), error(std::size(methods));
    for (const Cell held : people) truth[held] += 1 / static_cast<double>(n);
    simulation::SeededBits bits(values + n);
    Perturber perturber(*mechanism);
    for (std::size_t r = 0; r < repetitions; ++r) {
        std::vector<std::byte> summary(summary_size(*mechanism));
        start_summary(*mechanism, summary);
        for (const Cell& held : people)
            if (accumulate(*mechanism, summary, perturber.perturb({&held, 1}, bits)) != Outcome::ok)
                std::abort();
        for (std::size_t m = 0; m < std::size(methods); ++m) {
            const auto found = consistent(view_of(*mechanism, summary), consistency_named(methods[m]));
            for (std::size_t v = 0; v < values; ++v)
                error[m] += static_cast<double>(n) * (found[v] - truth[v]) * (found[v] - truth[v]) /
                            static_cast<double>(repetitions);
        }
    }
    std::printf("%-10s %5zu %4g", shape, values, epsilon);
    for (const double each : error) std::printf(" %9.3g", each);
    std::puts("");
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    const std::size_t n = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 10000;
    const std::size_t repetitions = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 20;
    std::printf("%-10s %5s %4s", "shares", "k", "eps");
    for (const char* method : methods) std::printf(" %9s", method);
    std::puts("");
    for (const Outline& shape : shapes)
        for (const std::size_t values : {16, 64, 256})
            for (const double epsilon : {0.5, 1.0, 2.0, 4.0})
                measure(shape.name, people_of(shape, values, n), values, epsilon, repetitions);
    const evaluation::People census = evaluation::census("../shared/data");
    std::puts(census.title().c_str());
    for (const std::size_t attribute : {0, 10, 13})
        for (const double epsilon : {0.5, 1.0, 2.0, 4.0})
            measure("census", column_of(census, attribute, n), census.sizes()[attribute], epsilon,
                    repetitions);
}
