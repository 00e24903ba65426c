// How often 95 % intervals contain the truth when reports are few: every mechanism and all that it answers,
// against the people who reported and against the population that they were drawn from.
//
//     evaluate-intervals [--quick] [REPETITIONS [MECHANISM [QUESTION]]]
//     evaluate-intervals REPETITIONS boxes|associations
//     evaluate-intervals REPETITIONS logistic
//
// The second form is about joint answers alone: joint_intervals.cpp. The third form is about coefficients of logistic
// regressions: logistic_intervals.cpp.
//
// A line has the coverage on average over answers and populations, that of the population where it is least,
// and that of the answer where it is least. Populations are alike at a value within the range or at its ends,
// evenly spread, mostly small, or have a few people far from all others.
//
// The exit status is 1 if the coverage of a population is below a bar by more than four standard deviations
// of the simulation: 91 % of 20 reports, 93 % of more. --quick asks 20, 50 and 200 reports at three epsilons.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/unknown.hpp"
#include "core/choice/resolve.hpp"
#include "core/math/haar_tree.hpp"
#include "core/mechanism/joint/joint.hpp"
#include "core/mechanism/role/error_law.hpp"
#include "core/summary/errors.hpp"
#include "core/summary/queries/distribution.hpp"
#include "core/summary/summary.hpp"
#include "core/tables/marginal.hpp"
#include "core/tables/share_intervals.hpp"
#include "joint_intervals.hpp"
#include "logistic_intervals.hpp"
#include "simulation/seeded_random.hpp"

namespace {

using namespace ldp;
using simulation::SeededBits;

constexpr double critical_value = 1.959963984540054;

/// What a person holds, as a share of the way through the values, of the kind and of a uniform number.
double held(int kind, double uniform) {
    switch (kind) {
        case 0:
            return 0.99;
        case 1:
            return uniform;
        case 2:
            return std::pow(uniform, 3);
        case 3:
            return uniform < 0.95 ? 0 : 0.7;
        case 4:
            return 0;
        case 5:
            return 1;
        default:
            return uniform < 0.98 ? 1 : 0;
    }
}
constexpr int kinds = 7;

double uniform(BitSource& bits) {
    return static_cast<double>(bits.word() >> 11) * 0x1p-53;
}

using People = std::vector<std::vector<Cell>>;

struct Experiment {
    const Mechanism& m;
    std::vector<std::uint64_t> cells = m.cells();

    [[nodiscard]] bool category() const { return m.can_estimate(Quantity::frequencies); }
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
    [[nodiscard]] People people(int kind, std::size_t n, const std::function<double(std::size_t)>& at) const {
        People all;
        for (std::size_t i = 0; i < n; ++i) all.push_back(person(kind, at(i)));
        return all;
    }
    /// Of each value of the only attribute.
    [[nodiscard]] std::vector<double> shares(const People& people) const {
        std::vector<double> shares(cells[0]);
        for (const auto& person : people) shares[person[0]] += 1 / static_cast<double>(people.size());
        return shares;
    }
    /// Of each attribute, on [0,1].
    [[nodiscard]] std::vector<double> means(const People& people) const {
        std::vector<double> means(cells.size());
        for (const auto& person : people)
            for (std::size_t j = 0; j < cells.size(); ++j)
                means[j] += static_cast<double>(person[j]) / static_cast<double>(cells[j] - 1) /
                            static_cast<double>(people.size());
        return means;
    }
};

struct Answer {
    Estimate estimate;
    Interval interval;
};
using Answers = std::vector<Answer>;

Answer with_law(const Estimate& estimate, const ErrorLaw& law) {
    return {estimate, interval(estimate, critical_value, law)};
}

/// A query as the functions of SQL answer it: what is true, of n reports from among these people, and the
/// answers to it.
struct Query {
    const char* name;
    std::function<bool(const Mechanism&)> fits;
    std::function<std::vector<double>(const Experiment&, const People&, std::size_t n)> truth;
    std::function<Answers(const SummaryView&, Target)> answers;
};

Answers of_estimates(const SummaryView& view, Quantity quantity, Target target) {
    const auto estimates = estimate(view, {quantity, target});
    const auto ranges = intervals(view, {quantity, target}, estimates, critical_value);
    Answers all;
    for (std::size_t i = 0; i < estimates.size(); ++i) all.push_back({estimates[i], ranges[i]});
    return all;
}

/// What is true of a distribution, smeared as the answers are.
class Ranks {
  public:
    Ranks(const Experiment& experiment, const People& people, std::size_t n)
        : shares_(experiment.shares(people)), blur_(capability<Ordered>(experiment.m).blur(n)) {}

    [[nodiscard]] std::size_t steps() const { return shares_.size() - 1; }
    /// The share before a point, or at it as well where answers are sharp.
    [[nodiscard]] double before(std::size_t point) const {
        double sum = 0;
        for (std::size_t s = 0; s < shares_.size(); ++s) {
            const double off = static_cast<double>(point) - static_cast<double>(s);
            const auto blur = static_cast<double>(blur_);
            sum += shares_[s] * (blur_ == 0 ? s < point : std::clamp(off / blur + 0.5, 0.0, 1.0));
        }
        return sum;
    }
    [[nodiscard]] double behind(std::size_t point) const {
        return point == steps() ? 1 : before(blur_ == 0 ? point + 1 : point);
    }
    [[nodiscard]] double quantile(double share) const {
        std::size_t point = 0;
        while (point < steps() && behind(point) < share - 1e-9) ++point;
        if (blur_ == 0 || point == 0) return static_cast<double>(point);
        const double left = before(point - 1);
        return static_cast<double>(point) - 1 + std::min((share - left) / (before(point) - left), 1.0);
    }

  private:
    std::vector<double> shares_;
    std::uint64_t blur_;
};

constexpr double cuts[] = {0.1, 0.25, 0.5, 0.75, 0.9};
constexpr std::pair<double, double> segments[] = {{0.25, 0.5}, {0.4, 0.6}, {0.65, 0.75}, {0.8, 0.9}};
constexpr std::size_t bins = 5;

std::size_t point_at(double part, std::size_t steps) {
    return static_cast<std::size_t>(std::lround(part * static_cast<double>(steps)));
}
/// The attribute's value at a point, given by its part of the range.
double value_at(const SummaryView& view, double part) {
    const auto& ordered = capability<Ordered>(*view.mechanism);
    const auto [low, high] = ordered.ends();
    const std::size_t steps = ordered.points() - 1;
    return low + (high - low) * static_cast<double>(point_at(part, steps)) / static_cast<double>(steps);
}

const Query queries[] = {
    {"shares",
     [](const Mechanism& m) {
         return m.can_estimate(Quantity::frequencies) && find_capability<JointViews>(m) == nullptr;
     },
     [](const Experiment& experiment, const People& people, std::size_t) {
         return experiment.shares(people);
     },
     [](const SummaryView& view, Target target) {
         return of_estimates(view, Quantity::frequencies, target);
     }},
    {"pairs", [](const Mechanism& m) { return find_capability<JointViews>(m) != nullptr; },
     [](const Experiment& experiment, const People& people, std::size_t) {
         std::vector<double> shares(experiment.cells[0] * experiment.cells[1]);
         for (const auto& person : people)
             shares[person[0] * experiment.cells[1] + person[1]] += 1 / static_cast<double>(people.size());
         return shares;
     },
     [](const SummaryView& view, Target target) {
         const Marginal pair(view, {0, 1}, Combination::consistent, target);
         const Cells cells(pair.sizes());
         Answers all;
         for (std::size_t cell = 0; cell < cells.count(); ++cell) {
             const MeasuredShare share = pair.measured(cells.box(cell));
             all.push_back(with_law(share.estimate, share.law));
         }
         return all;
     }},
    {"means", [](const Mechanism& m) { return m.can_estimate(Quantity::means); },
     [](const Experiment& experiment, const People& people, std::size_t) { return experiment.means(people); },
     [](const SummaryView& view, Target target) { return of_estimates(view, Quantity::means, target); }},
    {"groups", [](const Mechanism& m) { return find_capability<GroupMean>(m) != nullptr; },
     [](const Experiment& experiment, const People& people, std::size_t) {
         const auto means = experiment.means(people);
         return std::vector{(means[0] + means[1]) / 2, (means[0] + means[1] + means[2] + means[3]) / 4};
     },
     [](const SummaryView& view, Target target) {
         return Answers{with_law(group_mean(view, 0, 1, target), group_law(view, 0, 1, target)),
                        with_law(group_mean(view, 0, 3, target), group_law(view, 0, 3, target))};
     }},
    {"coefficients", [](const Mechanism& m) { return m.can_estimate(Quantity::coefficients); },
     [](const Experiment& experiment, const People& people, std::size_t) {
         auto leaves = experiment.means(people);
         for (double& leaf : leaves) leaf = 2 * leaf - 1;
         std::vector<double> coefficients(leaves.size());
         HaarTree(leaves.size()).forward(leaves, coefficients);
         return coefficients;
     },
     [](const SummaryView& view, Target target) {
         Answers all;
         for (const Estimate& each : estimate(view, {Quantity::coefficients, target}))
             all.push_back(with_law(each, {}));
         return all;
     }},
    {"cdf", [](const Mechanism& m) { return find_capability<Ordered>(m) != nullptr; },
     [](const Experiment& experiment, const People& people, std::size_t n) {
         const Ranks ranks(experiment, people, n);
         std::vector<double> all;
         for (const double cut : cuts) all.push_back(ranks.behind(point_at(cut, ranks.steps())));
         return all;
     },
     [](const SummaryView& view, Target target) {
         Answers all;
         for (const double cut : cuts) {
             const ShareOfRange share = cdf(view, value_at(view, cut), target);
             all.push_back(with_law(share, share.law));
         }
         return all;
     }},
    {"ranges", [](const Mechanism& m) { return find_capability<Ordered>(m) != nullptr; },
     [](const Experiment& experiment, const People& people, std::size_t n) {
         const Ranks ranks(experiment, people, n);
         std::vector<double> all;
         for (const auto& [low, high] : segments)
             all.push_back(ranks.behind(point_at(high, ranks.steps())) -
                           ranks.before(point_at(low, ranks.steps())));
         return all;
     },
     [](const SummaryView& view, Target target) {
         Answers all;
         for (const auto& [low, high] : segments) {
             const ShareOfRange share =
                 share_between(view, value_at(view, low), value_at(view, high), target);
             all.push_back(with_law(share, share.law));
         }
         return all;
     }},
    // Of 15 steps and of 100, five bins' edges are points.
    {"histogram",
     [](const Mechanism& m) {
         const auto* ordered = find_capability<Ordered>(m);
         return ordered != nullptr && (ordered->points() - 1) % bins == 0;
     },
     [](const Experiment& experiment, const People& people, std::size_t n) {
         const Ranks ranks(experiment, people, n);
         std::vector<double> all;
         for (std::size_t i = 0; i < bins; ++i)
             all.push_back((i + 1 == bins ? 1 : ranks.before((i + 1) * ranks.steps() / bins)) -
                           (i == 0 ? 0 : ranks.before(i * ranks.steps() / bins)));
         return all;
     },
     [](const SummaryView& view, Target target) {
         Answers all;
         for (const ShareOfRange& each : histogram(view, bins, target))
             all.push_back(with_law(each, each.law));
         return all;
     }},
    {"quantiles", [](const Mechanism& m) { return find_capability<Ordered>(m) != nullptr; },
     [](const Experiment& experiment, const People& people, std::size_t n) {
         const Ranks ranks(experiment, people, n);
         const auto [low, high] = capability<Ordered>(experiment.m).ends();
         std::vector<double> all;
         for (const double cut : cuts)
             all.push_back(low + (high - low) * ranks.quantile(cut) / static_cast<double>(ranks.steps()));
         return all;
     },
     [](const SummaryView& view, Target target) {
         Answers all;
         for (const Quantile& each : quantiles(view, cuts, 0.95, target))
             all.push_back({{each.value, unknown}, each.interval});
         return all;
     }},
};

struct Covered {
    double average = 0, population = 1, answer = 1;  ///< and the least of one population, of one answer
    double repetitions = 0;

    /// Whether the population with the least coverage is below its bar, beyond chance. Answers of one
    /// summary may go together: they count as one.
    [[nodiscard]] bool misses(std::size_t n) const {
        const double bar = n < 50 ? 0.91 : 0.93;
        return population < bar - 4 * std::sqrt(bar * (1 - bar) / repetitions);
    }
};

/// One answer from the same query to several groups of people of their own.
Answer combined_of(const std::vector<Answers>& groups, std::size_t item) {
    Answer all = groups[0][item];
    for (std::size_t i = 1; i < groups.size(); ++i) {
        const auto& [estimate, range] = groups[i][item];
        all = {combined(all.estimate, estimate),
               combined_interval(all.estimate, all.interval, estimate, range)};
    }
    return all;
}

Covered coverage(const Experiment& experiment, const Query& query, std::size_t n, Target target,
                 std::size_t repetitions, std::size_t groups) {
    SeededBits bits(1);
    Perturber perturber(experiment.m);
    Covered found;
    found.repetitions = static_cast<double>(repetitions);
    for (int kind = 0; kind < kinds; ++kind) {
        const auto in_turn = [](std::size_t of) {
            return [=](std::size_t i) { return (static_cast<double>(i) + 0.5) / static_cast<double>(of); };
        };
        constexpr std::size_t many = 100000;
        auto people = experiment.people(kind, n, in_turn(n));
        const auto truth = query.truth(
            experiment, target == Target::sample ? people : experiment.people(kind, many, in_turn(many)), n);
        std::vector<double> held(truth.size()), known(truth.size());
        for (std::size_t r = 0; r < repetitions; ++r) {
            std::vector<Answers> answers;
            for (std::size_t group = 0; group < groups; ++group) {
                if (target == Target::population)
                    people = experiment.people(kind, n, [&](std::size_t) { return uniform(bits); });
                std::vector<std::byte> bytes(summary_size(experiment.m));
                start_summary(experiment.m, bytes);
                for (const auto& person : people)
                    if (accumulate(experiment.m, bytes, perturber.perturb(person, bits),
                                   Rounds::unrecorded()) != Outcome::ok)
                        std::abort();
                answers.push_back(query.answers(view_of(experiment.m, bytes), target));
            }
            for (std::size_t i = 0; i < truth.size(); ++i) {
                const auto [lower, upper] = combined_of(answers, i).interval;
                if (std::isnan(lower)) continue;
                held[i] += lower <= truth[i] + 1e-9 && truth[i] - 1e-9 <= upper ? 1 : 0;
                ++known[i];
            }
        }
        double rates = 0, rated = 0;
        for (std::size_t i = 0; i < truth.size(); ++i) {
            if (known[i] == 0) continue;
            rates += held[i] / known[i];
            ++rated;
            found.answer = std::min(found.answer, held[i] / known[i]);
        }
        if (rated == 0) continue;
        found.average += rates / rated / kinds;
        found.population = std::min(found.population, rates / rated);
    }
    return found;
}

using Surveys = std::vector<std::pair<std::string, std::string>>;

Surveys experiments() {
    std::string vector;
    for (const char* name : {"a", "b", "c", "d"})
        vector +=
            std::string(vector.empty() ? "" : ", ") + R"({"name": ")" + name + R"(", "min": 0, "max": 1})";
    const std::string number = R"("min": 0, "max": 1, "grid": 100)",
                      four = R"("grid": 100, "attributes": [)" + vector + "]";
    Surveys all;
    for (const char* name : {"grr", "subset", "projective", "hadamard", "olh", "oue", "sue", "l_grr",
                             "loloha", "dbitflip", "haar_ordered", "tree", "exponential"})
        for (const char* domain : {"2", "8", "16"})
            all.emplace_back(name, R"("domain": )" + std::string(domain));
    all.emplace_back("dbitflip", R"("domain": 8, "bits_per_report": 2)");
    all.emplace_back("haar_ordered", R"("domain": 64)");
    all.emplace_back("rappor", R"("domain": 5, "filter_bits": 32, "cohorts": 2)");
    all.emplace_back("exponential", R"("domain": 16, "columns": 4, "max_distance": 2)");
    for (const char* name : {"optimal", "duchi", "onebit", "hybrid", "pdp", "piecewise", "laplace",
                             "square_wave", "haar_ordered", "tree"})
        all.emplace_back(name, number);
    for (const char* name : {"sampled", "duchi_vector", "haar"}) all.emplace_back(name, four);
    all.emplace_back("haar", four + R"(, "details": "global")");
    for (const char* name : {"joint", "joint_haar"})
        all.emplace_back(name, R"("attributes": [{"name": "a", "domain": 2}, {"name": "b", "domain": 3},
            {"name": "c", "domain": 4}])");
    return all;
}

}  // namespace

int main(int argc, char** argv) {
    const bool quick = argc > 1 && std::string_view(argv[1]) == "--quick";
    if (quick) --argc, ++argv;
    const std::size_t repetitions = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 300;
    const std::string only = argc > 2 ? argv[2] : "", asked = argc > 3 ? argv[3] : "";
    if (only == "logistic") return logistic_intervals(repetitions) > 0 ? 1 : 0;
    if (only == "boxes" || only == "associations") {
        joint_intervals(repetitions, only);
        return 0;
    }
    const std::vector<const char*> epsilons =
        quick ? std::vector{"1", "4", "8"} : std::vector{"0.5", "1", "2", "4", "8"};
    const std::vector<std::size_t> sizes =
        quick ? std::vector<std::size_t>{20, 50, 200} : std::vector<std::size_t>{20, 50, 200, 1000};

    std::printf("%-14s %-7s%-13s%7s%5s%8s   %-22s   %s\n", "", "values", "query", "groups", "ε", "reports",
                " sample: mean, least of", " population: the same");
    std::printf("%58s%-24s%-20s\n", "", " people, answer", "");
    int missed = 0;
    for (const auto& [name, rest] : experiments()) {
        if (!only.empty() && name != only) continue;
        for (const char* epsilon : epsilons) {
            const auto m = make_mechanism(
                resolve(R"({"mechanism": ")" + name + R"(", "epsilon": )" + epsilon + ", " + rest + "}"));
            const Experiment experiment{*m};
            for (const Query& query : queries) {
                if (!query.fits(*m) || (!asked.empty() && query.name != asked)) continue;
                const std::string_view of = query.name;
                const bool combinable = of == "shares" || of == "means";
                for (const std::size_t groups :
                     combinable ? std::vector<std::size_t>{1, 2} : std::vector<std::size_t>{1})
                    for (const std::size_t n : sizes) {
                        if (groups > 1 && n > 50) continue;
                        std::printf("%-14s %-7zu%-13s%7zu%4s%8zu ", name.c_str(),
                                    experiment.category() ? experiment.cells[0] : experiment.cells.size(),
                                    query.name, groups, epsilon, n);
                        for (const Target target : {Target::sample, Target::population}) {
                            const Covered found = coverage(experiment, query, n, target, repetitions, groups);
                            const bool misses = found.misses(n);
                            missed += misses;
                            std::printf("  %6.3f %6.3f %6.3f%s", found.average, found.population,
                                        found.answer, misses ? " !" : "  ");
                        }
                        std::printf("\n");
                        std::fflush(stdout);
                    }
            }
        }
    }
    if (missed > 0) std::printf("%d below the bars\n", missed);
    return missed > 0 ? 1 : 0;
}
