// Every person reports to the mechanism of a spec. The true values are drawn for each repetition.

#include "logistic_intervals.hpp"

#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/choice/resolve.hpp"
#include "core/mechanism/role/local_randomizer.hpp"
#include "core/regression/outcome_tables.hpp"
#include "core/summary/summary.hpp"
#include "simulation/seeded_random.hpp"

namespace ldp {

namespace {

using simulation::SeededBits;

constexpr double usual = 1.959963984540054;

double drawn(BitSource& bits) {
    return static_cast<double>(bits.word() >> 11) * 0x1p-53;
}

/// A model: for each public value z and private value x, log odds = β₀ + β₁·x + β₂·z.
struct LogisticDesign {
    const char* name;
    std::vector<double>
        shares;  ///< of the values x, which are the terms' numbers; one value: no private predictor
    std::vector<double> numbers;
    std::vector<double> groups;  ///< values z; one value: no public predictor
    std::vector<double> beta;    ///< intercept, x if private, z if public
    [[nodiscard]] bool is_private() const { return shares.size() > 1; }
    [[nodiscard]] bool is_public() const { return groups.size() > 1; }
    [[nodiscard]] std::vector<double> row(std::size_t x, double z) const {
        std::vector<double> row{1};
        if (is_private()) row.push_back(numbers[x]);
        if (is_public()) row.push_back(z);
        return row;
    }
};

std::unique_ptr<const Mechanism> mechanism_of(const LogisticDesign& design, const char* epsilon) {
    const std::string outcome = R"({"name": "y", "domain": 2})";
    if (!design.is_private())
        return make_mechanism(resolve(R"({"mechanism": "grr", "epsilon": )" + std::string(epsilon) +
                                      R"(, "attributes": [)" + outcome + "]}"));
    return make_mechanism(resolve(R"({"mechanism": "joint", "epsilon": )" + std::string(epsilon) +
                                  R"(, "attributes": [{"name": "x", "domain": )" +
                                  std::to_string(design.shares.size()) + "}, " + outcome + "]}"));
}

}  // namespace

int logistic_intervals(std::size_t repetitions) {
    const LogisticDesign designs[] = {
        {"private category", {0.6, 0.4}, {0, 1}, {0}, {-1, 0.8}},
        {"private number", {0.1, 0.2, 0.4, 0.2, 0.1}, {-2, -1, 0, 1, 2}, {0}, {-0.5, 0.6}},
        {"public number", {1}, {0}, {-1.5, -1, -0.5, 0, 0.5, 1, 1.5}, {-0.5, 0.8}},
        {"private and public", {0.6, 0.4}, {0, 1}, {-1, 0, 1}, {-1, 0.8, 0.5}},
    };
    int missed = 0;
    std::printf("%-20s%4s%9s   %s\n", "", "ε", "people",
                "coverage and mean standard error of each coefficient");
    for (const LogisticDesign& design : designs)
        for (const char* epsilon : {"1", "2"})
            for (const std::size_t people : {6000, 24000}) {
                const auto m = mechanism_of(design, epsilon);
                const std::size_t terms = design.beta.size();
                std::vector<LogisticTerm> all(terms, LogisticTerm{.number = true});
                all[0] = {.intercept = true};
                std::vector<std::size_t> covered(terms);
                std::vector<double> errors(terms);
                std::size_t bounded = 0;
                for (std::size_t r = 0; r < repetitions; ++r) {
                    SeededBits bits(r + 1);
                    Perturber perturber(*m);
                    std::vector<std::vector<std::byte>> summaries;
                    std::vector<OutcomeGroup> groups;
                    for (const double z : design.groups) {
                        std::vector<std::byte>& summary = summaries.emplace_back(summary_size(*m));
                        start_summary(*m, summary);
                        for (std::size_t i = 0; i < people / design.groups.size(); ++i) {
                            double left = drawn(bits);
                            Cell x = 0;
                            while (x + 1 < design.shares.size() && left >= design.shares[x])
                                left -= design.shares[x++];
                            double odds = 0;
                            const std::vector<double> row = design.row(x, z);
                            for (std::size_t j = 0; j < terms; ++j) odds += row[j] * design.beta[j];
                            const Cell y = drawn(bits) < 1 / (1 + std::exp(-odds)) ? 1 : 0;
                            const Cell both[] = {x, y};
                            const Input input = design.is_private() ? Input(both) : Input(both + 1, 1);
                            (void)accumulate(*m, summary, perturber.perturb(input, bits),
                                             Rounds::unrecorded());
                        }
                    }
                    for (std::size_t g = 0; g < design.groups.size(); ++g) {
                        const OutcomeOf outcome =
                            design.is_private() ? OutcomeOf{1, 1, {0}} : OutcomeOf{0, 1, {}};
                        OutcomeGroup& group = groups.emplace_back();
                        group.tables = outcome_tables(view_of(*m, summaries[g]), outcome);
                        for (std::size_t x = 0; x < design.shares.size(); ++x)
                            for (const double one : design.row(x, design.groups[g]))
                                group.design.push_back(one);
                    }
                    const std::vector<Coefficient> found = logistic_fit(groups, all, usual);
                    const bool known = found[terms - 1].note.empty() && found[0].note.empty();
                    bounded += known;
                    for (std::size_t j = 0; j < terms; ++j) {
                        covered[j] += found[j].interval.lower <= design.beta[j] &&
                                      design.beta[j] <= found[j].interval.upper;
                        if (known) errors[j] += found[j].estimate.standard_error;
                    }
                }
                std::printf("%-20s%3s%9zu  ", design.name, epsilon, people);
                const auto count = static_cast<double>(repetitions);
                for (std::size_t j = 0; j < terms; ++j) {
                    const double share = static_cast<double>(covered[j]) / count;
                    const double slack = 2 * std::sqrt(0.05 * 0.95 / count);
                    missed += share < 0.93 - slack || share > 0.97 + slack;
                    std::printf("  %6.3f %6.3f", share, errors[j] / static_cast<double>(bounded));
                }
                std::printf("   bounded %.3f\n", static_cast<double>(bounded) / count);
                std::fflush(stdout);
            }
    return missed;
}

}  // namespace ldp
