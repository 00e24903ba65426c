// Values that change: what protocols make of them, and what they have cost a person in the end.

#include "../evolving/syn.hpp"
#include "../shared/parallel.hpp"
#include "core/base/text.hpp"
#include "core/choice/resolve.hpp"
#include "panels.hpp"
#include "simulation/seeded_random.hpp"
#include "simulation/simulation.hpp"

namespace evaluation {

namespace {

const std::vector<double> marks{std::begin(epsilons), std::end(epsilons)};
const char* const answer = "epsilon of an answer";

/// Over this many of the 120 rounds errors are averaged.
constexpr std::size_t every = 24;

void add_syn(std::vector<Panel>& panels, std::size_t repetitions) {
    const std::span<const syn::Protocol> all = syn::protocols();
    const std::size_t cells = all.size() * std::size(epsilons);
    std::vector<std::unique_ptr<const ldp::Mechanism>> mechanisms;
    for (const syn::Protocol& protocol : all)
        for (const double epsilon : epsilons) mechanisms.push_back(syn::mechanism_of(protocol, epsilon));
    std::vector<std::vector<syn::Outcome>> outcomes(cells, std::vector<syn::Outcome>(repetitions));
    Progress progress("Syn", cells * repetitions);
    in_parallel(cells * repetitions, [&](std::size_t job) {
        outcomes[job % cells][job / cells] = syn::run(*mechanisms[job % cells], 5000000 + job, every);
        progress.step();
    });

    const std::string people = "Syn, " + std::to_string(syn::people) + " people: ";
    Panel error{people + "frequencies", answer, "mean squared error of a share", {}, marks};
    Panel mean{people + "spent in 120 rounds, on average", answer, "epsilon", {}, marks};
    Panel usual{people + "spent by 95 % at most", answer, "epsilon", {}, marks};
    Panel worst{people + "spent by the worst off", answer, "epsilon", {}, marks};
    for (std::size_t p = 0; p < all.size(); ++p) {
        for (Panel* panel : {&error, &mean, &usual, &worst}) panel->curves.push_back({all[p].name, {}});
        for (std::size_t e = 0; e < std::size(epsilons); ++e) {
            const double epsilon = epsilons[e];
            Point errors{epsilon, {}, {}, 0.02}, means{epsilon, {}, {}, 0.001}, most{epsilon, {}, {}},
                last = most;
            for (const syn::Outcome& outcome : outcomes[p * std::size(epsilons) + e]) {
                const ldp::simulation::Spending spent = ldp::simulation::spending(outcome.spending);
                errors.found.push_back(outcome.error);
                errors.expected.push_back(outcome.predicted);
                means.found.push_back(epsilon * spent.mean);
                means.expected.push_back(epsilon * outcome.expected_answers);
                most.found.push_back(epsilon * static_cast<double>(spent.most_of_95));
                last.found.push_back(epsilon * static_cast<double>(spent.most));
            }
            error.curves.back().points.push_back(std::move(errors));
            mean.curves.back().points.push_back(std::move(means));
            usual.curves.back().points.push_back(std::move(most));
            worst.curves.back().points.push_back(std::move(last));
        }
    }
    for (Panel* panel : {&error, &mean, &usual, &worst}) panels.push_back(std::move(*panel));
}

// Rounding, of eight numbers that jitter: the memory of each person as the client keeps it.
void add_jitter(std::vector<Panel>& panels, std::size_t repetitions) {
    constexpr std::size_t people = 1000, attributes = 8;
    const struct {
        const char *name, *mechanism, *keys, *flag;
    } variants[] = {
        {"haar, rounded", R"("haar")", R"("budget": {"epsilon": 1000}, )", R"(, "evolving": true)"},
        {"haar, kept, not rounded", R"("haar")", R"("budget": {"epsilon": 1000}, "evolving": {}, )", ""},
        {"haar, fresh each round", R"("haar")", "", ""},
        {"sampled, rounded", R"("sampled")", R"("budget": {"epsilon": 1000}, )",
         R"(, "evolving": true, "mechanism": "hybrid")"},
    };
    const std::size_t cells = std::size(variants) * std::size(epsilons);
    Panel error{
        "jitter, 1000 people, 8 numbers: means", answer, "n times the squared error of a mean", {}, marks};
    Panel spent{"jitter: spent in 120 rounds, on average", answer, "epsilon", {}, marks};
    std::vector<ldp::Collection> collections;
    for (const auto& [name, mechanism, keys, flag] : variants) {
        for (Panel* panel : {&error, &spent}) panel->curves.push_back({name, {}});
        for (const double epsilon : epsilons) {
            std::string list;
            for (std::size_t j = 0; j < attributes; ++j)
                list += (j == 0 ? "" : ", ") + ("{\"name\": \"" + std::to_string(j)) +
                        "\", \"min\": 0, \"max\": 360" + flag + "}";
            collections.emplace_back(ldp::resolve(std::string("{\"mechanism\": ") + mechanism +
                                                  ", \"epsilon\": " + ldp::shortest(epsilon) + ", " + keys +
                                                  "\"attributes\": [" + list + "]}"));
            for (Panel* panel : {&error, &spent})
                panel->curves.back().points.push_back({epsilon, std::vector<double>(repetitions), {}});
        }
    }
    Progress progress("jitter", cells * repetitions);
    in_parallel(cells * repetitions, [&](std::size_t job) {
        const std::size_t cell = job % cells, repetition = job / cells;
        const std::size_t v = cell / std::size(epsilons), e = cell % std::size(epsilons);
        const auto series = ldp::simulation::simulate(
            collections[cell],
            {ldp::simulation::Stream::jitter, people, syn::rounds, 9000000 + repetition, 0});
        double squares = 0, fresh = 0;
        for (const ldp::simulation::Round& round : series) {
            squares += round.error * round.error / syn::rounds;
            fresh += static_cast<double>(round.drawn) / people;
        }
        constexpr double half = 180;
        error.curves[v].points[e].found[repetition] = people * squares / (half * half);
        spent.curves[v].points[e].found[repetition] = epsilons[e] * fresh;
        progress.step();
    });
    panels.push_back(std::move(error));
    panels.push_back(std::move(spent));
}

}  // namespace

Figure evolving_figure(const Setup& setup) {
    Figure figure{"evolving", {}};
    const std::size_t repetitions = std::max(least_repetitions, setup.repetitions / 5);
    add_syn(figure.panels, repetitions);
    add_jitter(figure.panels, repetitions);
    return figure;
}

}  // namespace evaluation
