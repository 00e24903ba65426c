// "Group Bernoulli" (Raab, Bohr, Klede, Gmeiner, Eskofier 2025), rebuilt from the paper: the group is kept with probability
// p = a/(a + k − 1), a = (e + 1)/2, or replaced by one of the others. The number on [−1, 1] is rounded to ±1, or to a random one
// if the group was replaced, and then kept with probability e/(e + 1). Both steps together keep ε. The mean of a group is the
// quotient of the debiased sum of its bits and its debiased number of reports.

#include "group_means.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "../shared/population.hpp"
#include "core/choice/resolve.hpp"
#include "core/math/insecure_bits.hpp"
#include "core/regression/means_of_groups.hpp"
#include "core/summary/summary.hpp"

namespace evaluation {

namespace {

constexpr std::size_t groups = 5;
constexpr double most_years = 20;

using GroupValues = std::array<double, groups>;

/// People with an age group and years of education, from 0 to 20.
struct GroupedPeople {
    std::vector<ldp::Cell> group, years;
    GroupValues means{};

    GroupedPeople() {
        const People people = employees();
        GroupValues count{};
        for (std::size_t i = 0; i < people.size(); ++i) {
            const double education = std::round(9 * (1 + people[i][1])),
                         experience = std::round(34 * (1 + people[i][2]) - 4);
            // Age is education, experience and the years before school.
            constexpr double ends[] = {28, 34, 40, 50};
            const auto own =
                static_cast<ldp::Cell>(std::ranges::upper_bound(ends, education + experience + 6) - ends);
            group.push_back(own);
            years.push_back(static_cast<ldp::Cell>(education));
            means[own] += education;
            ++count[own];
        }
        for (std::size_t g = 0; g < groups; ++g) means[g] /= count[g];
    }
};

GroupValues one_bit_means(const GroupedPeople& people, double epsilon, ldp::InsecureBits& bits) {
    const double e = std::exp(epsilon), a = (e + 1) / 2, others = groups - 1;
    const double p = a / (a + others), q = 1 / (a + others), bit = (e - 1) / (e + 1);
    GroupValues sums{}, reports{}, found{};
    for (std::size_t i = 0; i < people.group.size(); ++i) {
        std::size_t sent = people.group[i];
        double number = 2 * static_cast<double>(people.years[i]) / most_years - 1;
        if (bits.uniform() >= p) {
            sent = (sent + 1 + bits.below(groups - 1)) % groups;
            number = 0;
        }
        sums[sent] += bits.uniform() < (1 + bit * number) / 2 ? 1 : -1;
        ++reports[sent];
    }
    const auto n = static_cast<double>(people.group.size());
    for (std::size_t g = 0; g < groups; ++g)
        found[g] = (1 + sums[g] / (p * bit) / ((reports[g] - n * q) / (p - q))) * most_years / 2;
    return found;
}

/// Sums of squared errors, and numbers of intervals that contain the true mean, of all groups and repetitions.
struct Measured {
    double squares = 0, covered = 0, all = 0;

    [[nodiscard]] double error() const { return std::sqrt(squares / all); }
};

Measured measure_one_bit(const GroupedPeople& people, double epsilon, std::size_t repetitions) {
    Measured measured;
    ldp::InsecureBits bits(93000000 + static_cast<std::uint64_t>(100 * epsilon));
    for (std::size_t r = 0; r < repetitions; ++r) {
        const GroupValues found = one_bit_means(people, epsilon, bits);
        for (std::size_t g = 0; g < groups; ++g) {
            measured.squares += std::pow(found[g] - people.means[g], 2);
            ++measured.all;
        }
    }
    return measured;
}

Measured measure_ours(const GroupedPeople& people, double epsilon, std::size_t repetitions) {
    const auto mechanism = ldp::make_mechanism(ldp::resolve(
        R"({"mechanism": "means_by_group", "grid": 20, "epsilon": )" + std::to_string(epsilon) +
        R"(, "attributes": [{"name": "age", "domain": 5}, {"name": "years", "min": 0, "max": 20}]})"));
    Measured measured;
    ldp::InsecureBits bits(94000000 + static_cast<std::uint64_t>(100 * epsilon));
    std::vector<std::byte> payload(mechanism->payload_size());
    for (std::size_t r = 0; r < repetitions; ++r) {
        std::vector<std::byte> state(mechanism->state_size());
        for (std::size_t i = 0; i < people.group.size(); ++i) {
            const ldp::Cell input[] = {people.group[i], people.years[i]};
            mechanism->permanent_response(input, {}, bits, payload);
            static_cast<void>(mechanism->accumulate(state, payload));
        }
        constexpr double critical_value = 1.959963984540054;
        const ldp::MeansOfGroups found =
            ldp::means_of_groups({{people.group.size(), state}, mechanism.get()}, critical_value);
        for (std::size_t g = 0; g < groups; ++g) {
            const auto& [estimate, interval, note] = found.means[g];
            measured.squares += std::pow(estimate.value - people.means[g], 2);
            measured.covered += interval.lower <= people.means[g] && people.means[g] <= interval.upper;
            ++measured.all;
        }
    }
    return measured;
}

}  // namespace

void print_group_mean_table(std::size_t repetitions) {
    const GroupedPeople people;
    std::printf(
        "| \u03b5 | Group Bernoulli | means_by_group | quotient | coverage |\n|---|---:|---:|---:|---:|\n");
    for (const double epsilon : {0.5, 1.0, 2.0, 3.0, 4.0}) {
        const Measured rival = measure_one_bit(people, epsilon, repetitions),
                       ours = measure_ours(people, epsilon, repetitions);
        std::printf("| %g | %.3g | %.3g | %.2f | %.1f %% |\n", epsilon, rival.error(), ours.error(),
                    ours.error() / rival.error(), 100 * ours.covered / ours.all);
    }
}

}  // namespace evaluation
