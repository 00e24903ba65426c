// Cells of joint answers: boxes that hold all people, some, or none of them, of people who are spread evenly,
// mostly alike, all alike, or strongly dependent; and Cramér's V of known tables. Against the people who
// reported, for boxes, and against the population.

#include "joint_intervals.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "core/base/unknown.hpp"
#include "core/choice/resolve.hpp"
#include "core/mechanism/role/error_law.hpp"
#include "core/mechanism/role/mechanism.hpp"
#include "core/models/association.hpp"
#include "core/summary/summary.hpp"
#include "core/tables/marginal.hpp"
#include "core/tables/measured.hpp"
#include "simulation/seeded_random.hpp"

namespace ldp {

namespace {

using simulation::SeededBits;

constexpr double critical_value = 1.959963984540054;

double uniform(BitSource& bits) {
    return static_cast<double>(bits.word() >> 11) * 0x1p-53;
}

std::unique_ptr<const Mechanism> mechanism_of(const std::string& name, double epsilon,
                                              const std::vector<std::uint64_t>& sizes,
                                              const std::string& rest = {}) {
    std::string attributes;
    for (std::size_t j = 0; j < sizes.size(); ++j)
        attributes += std::string(j > 0 ? ", " : "") + R"({"name": "a)" + std::to_string(j) +
                      R"(", "domain": )" + std::to_string(sizes[j]) + "}";
    return make_mechanism(resolve(R"({"mechanism": ")" + name + R"(", "epsilon": )" +
                                  std::to_string(epsilon) + R"(, "attributes": [)" + attributes + "]" + rest +
                                  "}"));
}

/// A population of the first two attributes' cells; further attributes are even.
struct People {
    const char* name;
    double (*weight)(double row, double column);  // of the middles of values on [0,1]
};

constexpr People kinds[] = {
    {"even", [](double, double) { return 1.0; }},
    {"one cell", [](double x, double y) { return x > 0.5 && x < 0.75 && y > 0.5 && y < 0.75 ? 1.0 : 0.0; }},
    {"crowded", [](double x, double y) { return x < 0.25 && y < 0.25 ? 1.0 : 0.005; }},
    {"diagonal", [](double x, double y) { return std::exp(-50 * (x - y) * (x - y)); }},
};

std::vector<double> population(const People& kind, std::uint64_t rows, std::uint64_t columns) {
    std::vector<double> shares;
    double sum = 0, most = 0;
    const auto middle = [](std::uint64_t value, std::uint64_t of) {
        return (static_cast<double>(value) + 0.5) / static_cast<double>(of);
    };
    std::size_t first = 0;
    for (std::uint64_t r = 0; r < rows; ++r)
        for (std::uint64_t c = 0; c < columns; ++c) {
            const double weight = kind.weight(middle(r, rows), middle(c, columns));
            if (weight > most) {
                most = weight;
                first = shares.size();
            }
            shares.push_back(weight);
            sum += weight;
        }
    if (std::string(kind.name) == "one cell" || sum == 0) {
        std::ranges::fill(shares, 0.0);
        shares[sum == 0 ? 0 : first] = 1;
        sum = 1;
    }
    for (double& share : shares) share /= sum;
    return shares;
}

/// Cells of people, as near to the shares as whole people can be.
std::vector<std::size_t> in_proportion(const std::vector<double>& shares, std::size_t n) {
    std::vector<std::size_t> people;
    double sum = 0;
    for (std::size_t cell = 0; cell < shares.size(); ++cell) {
        sum += shares[cell];
        while (people.size() < n && static_cast<double>(people.size()) + 0.5 < sum * static_cast<double>(n))
            people.push_back(cell);
    }
    while (people.size() < n) people.push_back(shares.size() - 1);
    return people;
}

std::size_t drawn(const std::vector<double>& sums, BitSource& bits) {
    const double at = uniform(bits) * sums.back();
    return static_cast<std::size_t>(std::ranges::upper_bound(sums, at) - sums.begin());
}

struct Range {
    double low, high;  // of the values, on [0,1]

    [[nodiscard]] std::vector<bool> of(std::uint64_t values) const {
        std::vector<bool> inside(values);
        const auto n = static_cast<double>(values);
        const auto first = static_cast<std::uint64_t>(std::floor(low * n));
        const auto end = std::max(first + 1, static_cast<std::uint64_t>(std::lround(high * n)));
        for (std::uint64_t v = first; v < end && v < values; ++v) inside[v] = true;
        return inside;
    }
};

constexpr std::pair<Range, Range> boxes[] = {
    {{0, 0}, {0, 0}},      // a cell at a corner
    {{0.5, 0}, {0.5, 0}},  // one in the middle
    {{0.9, 0}, {0, 0}},    // one at another corner
    {{0.25, 0.75}, {0.25, 0.75}},
    {{0.3, 0.9}, {0.1, 0.6}},
    {{0, 0.5}, {0, 0.5}},
    {{0, 0.3}, {0.7, 1}},  // far from the diagonal
    {{0, 0.9}, {0, 0.9}},
};

struct Coverage {
    std::array<double, std::size(boxes)> held{}, known{}, width{};
    double worst = 1, mean = 0, refused = 0;

    void count(std::size_t repetitions) {
        double n = 0;
        for (std::size_t b = 0; b < std::size(boxes); ++b) {
            refused += 1 - known[b] / static_cast<double>(repetitions);
            if (known[b] < static_cast<double>(repetitions) / 20) continue;
            worst = std::min(worst, held[b] / known[b]);
            mean += held[b] / known[b];
            ++n;
        }
        mean /= n;
        refused /= static_cast<double>(std::size(boxes));
    }
};

Coverage box_coverage(const Mechanism& m, const std::vector<double>& shares, std::size_t n, Target target,
                      std::size_t repetitions) {
    SeededBits bits(n);
    Perturber perturber(m);
    const std::vector<std::uint64_t> sizes = m.cells();
    std::vector<double> sums;
    for (const double share : shares) sums.push_back((sums.empty() ? 0 : sums.back()) + share);
    Coverage found;
    for (std::size_t r = 0; r < repetitions; ++r) {
        std::vector<std::size_t> people = in_proportion(shares, n);
        if (target == Target::population)
            for (std::size_t& cell : people) cell = drawn(sums, bits);
        std::vector<double> own(shares.size());
        std::vector<std::byte> bytes(summary_size(m));
        start_summary(m, bytes);
        for (const std::size_t cell : people) {
            own[cell] += 1 / static_cast<double>(n);
            std::vector<Cell> record{cell / sizes[1], cell % sizes[1]};
            for (std::size_t j = 2; j < sizes.size(); ++j) record.push_back(bits.below(sizes[j]));
            if (accumulate(m, bytes, perturber.perturb(record, bits), Rounds::unrecorded()) != Outcome::ok)
                std::abort();
        }
        const Marginal pair(view_of(m, bytes), {0, 1}, Combination::consistent, target);
        for (std::size_t b = 0; b < std::size(boxes); ++b) {
            const JointShares::Box box{boxes[b].first.of(sizes[0]), boxes[b].second.of(sizes[1])};
            double truth = 0;
            for (std::size_t cell = 0; cell < shares.size(); ++cell)
                if (box[0][cell / sizes[1]] && box[1][cell % sizes[1]])
                    truth += target == Target::population ? shares[cell] : own[cell];
            const auto [lower, upper] = interval(pair.measured(box), critical_value);
            if (std::isnan(lower)) continue;
            ++found.known[b];
            found.held[b] += lower <= truth + 1e-9 && truth - 1e-9 <= upper ? 1 : 0;
            found.width[b] += upper - lower;
        }
    }
    found.count(repetitions);
    return found;
}

void box_cells(std::size_t repetitions) {
    std::printf("%-11s %-10s %-9s %4s %6s   %-27s %s\n", "boxes", "values", "people", "ε", "n",
                "sample: mean, worst, NULL", "population");
    for (const char* name : {"joint", "joint_haar"})
        for (const std::vector<std::uint64_t>& sizes :
             {std::vector<std::uint64_t>{2, 3, 4}, {8, 8}, {16, 16}})
            for (const double epsilon : {1.0, 4.0, 8.0}) {
                const auto m = mechanism_of(name, epsilon, sizes);
                for (const People& kind : kinds) {
                    const std::vector<double> shares = population(kind, sizes[0], sizes[1]);
                    for (const std::size_t n : {20, 50, 200, 1000}) {
                        std::string values;
                        for (const std::uint64_t size : sizes)
                            values += (values.empty() ? "" : "x") + std::to_string(size);
                        std::printf("%-11s %-10s %-9s %4.1f %6zu", name, values.c_str(), kind.name, epsilon,
                                    n);
                        for (const Target target : {Target::sample, Target::population}) {
                            const Coverage found = box_coverage(*m, shares, n, target, repetitions);
                            std::printf("   %6.3f %6.3f %6.3f  ", found.mean, found.worst, found.refused);
                            if (std::getenv("LDP_BOXES") != nullptr)
                                for (std::size_t b = 0; b < std::size(boxes); ++b)
                                    std::printf(" %.3f/%.2f", found.held[b] / found.known[b],
                                                found.width[b] / found.known[b]);
                        }
                        std::printf("\n");
                        std::fflush(stdout);
                    }
                }
            }
}

/// Two attributes that agree in the part V of people, and are independent in the others, so that Cramér's V
/// is that part; where one has more values, its last ones count as one.
std::vector<double> agreeing(double v, std::uint64_t rows, std::uint64_t columns, bool steep) {
    const std::uint64_t least = std::min(rows, columns);
    const auto share = [&](std::uint64_t value) {
        return steep ? 1 / (1.0 + static_cast<double>(value)) : 1.0;
    };
    // Of the values of the longer attribute, those from the last of the shorter one on divide what it has.
    double sum = 0;
    for (std::uint64_t value = 0; value < least; ++value) sum += share(value);
    const auto own = [&](std::uint64_t value, std::uint64_t of) {
        const std::uint64_t folded = std::min(value, least - 1);
        return share(folded) / sum / (folded + 1 == least ? static_cast<double>(of - least + 1) : 1);
    };
    std::vector<double> shares;
    for (std::uint64_t r = 0; r < rows; ++r)
        for (std::uint64_t c = 0; c < columns; ++c) {
            const bool same = std::min(r, least - 1) == std::min(c, least - 1);
            const double both = own(r, rows) * own(c, columns);
            shares.push_back((1 - v) * both + (same ? v * both / (share(std::min(r, least - 1)) / sum) : 0));
        }
    return shares;
}

struct Held {
    double held = 0, known = 0, width = 0, above = 0, below = 0;
};

Held association_coverage(const Mechanism& m, const std::vector<double>& shares, double truth, std::size_t n,
                          std::size_t repetitions) {
    SeededBits bits(n);
    Perturber perturber(m);
    const std::vector<std::uint64_t> sizes = m.cells();
    std::vector<double> sums;
    for (const double share : shares) sums.push_back((sums.empty() ? 0 : sums.back()) + share);
    Held found;
    for (std::size_t r = 0; r < repetitions; ++r) {
        std::vector<std::byte> bytes(summary_size(m));
        start_summary(m, bytes);
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t cell = drawn(sums, bits);
            std::vector<Cell> record{cell / sizes[1], cell % sizes[1]};
            for (std::size_t j = 2; j < sizes.size(); ++j) record.push_back(bits.below(sizes[j]));
            if (accumulate(m, bytes, perturber.perturb(record, bits), Rounds::unrecorded()) != Outcome::ok)
                std::abort();
        }
        const auto [lower, upper] = associations(measured(view_of(m, bytes)), 0.95).at(0).v_interval;
        if (std::isnan(lower)) continue;
        ++found.known;
        found.held += lower <= truth + 1e-9 && truth - 1e-9 <= upper ? 1 : 0;
        found.below += upper < truth - 1e-9 ? 1 : 0;
        found.above += lower > truth + 1e-9 ? 1 : 0;
        found.width += upper - lower;
    }
    return found;
}

void association_cells(std::size_t repetitions) {
    std::printf("%-11s %-8s %-6s %4s %6s %5s   %8s %8s %8s %8s %8s\n", "V", "values", "shares", "ε", "n", "V",
                "held", "too low", "too high", "NULL", "width");
    constexpr double truths[] = {0, 0.05, 0.1, 0.3, 0.5, 0.7, 0.8, 0.95, 1};
    for (const char* name : {"joint", "joint_haar"})
        for (const std::vector<std::uint64_t>& sizes :
             {std::vector<std::uint64_t>{2, 2, 3}, {4, 4, 4}, {3, 6, 2}, {8, 8}})
            for (const bool steep : {false, true})
                for (const double epsilon : {1.0, 2.0, 4.0}) {
                    const auto m = mechanism_of(name, epsilon, sizes);
                    for (const std::size_t n : {2400, 8000})
                        for (const double truth : truths) {
                            const Held found = association_coverage(
                                *m, agreeing(truth, sizes[0], sizes[1], steep), truth, n, repetitions);
                            std::printf(
                                "%-11s %zux%-6zu %-6s %4.1f %6zu %5.2f   %8.3f %8.3f %8.3f %8.3f %8.3f\n",
                                name, static_cast<std::size_t>(sizes[0]), static_cast<std::size_t>(sizes[1]),
                                steep ? "steep" : "even", epsilon, n, truth, found.held / found.known,
                                found.below / found.known, found.above / found.known,
                                1 - found.known / static_cast<double>(repetitions),
                                found.width / found.known);
                            std::fflush(stdout);
                        }
                }
}

}  // namespace

void joint_intervals(std::size_t repetitions, const std::string& only) {
    if (only.empty() || only == "boxes") box_cells(repetitions);
    if (only.empty() || only == "associations") association_cells(repetitions);
}

}  // namespace ldp
