// Shares of the values of all attributes: the variation distance of an estimated distribution from the true
// one, averaged over the attributes.

#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>

#include "../joint/record_files.hpp"
#include "../shared/experiment.hpp"
#include "../shared/parallel.hpp"
#include "core/base/text.hpp"
#include "core/summary/queries/consistency.hpp"
#include "core/summary/queries/distribution.hpp"
#include "core/summary/summary.hpp"
#include "panels.hpp"
#include "simulation/seeded_random.hpp"

namespace evaluation {

namespace {

/// What people answer, and the true share of each value.
struct Truth {
    explicit Truth(const People& people) : records(people) {
        for (std::size_t j = 0; j < records.attributes(); ++j) shares.push_back(records.table({{j}}));
    }
    Records records;
    std::vector<std::vector<double>> shares;
};

double variation(const std::vector<double>& shares, const std::vector<double>& truth) {
    double sum = 0;
    for (std::size_t v = 0; v < truth.size(); ++v) sum += std::abs(shares[v] - truth[v]) / 2;
    return sum;
}

struct Outcome {
    double distance;
    double expected;  ///< NaN if there is no closed form
};

/// `sampled` with one oracle for all attributes, estimates as they are or made consistent. Of the former,
/// each share's error is normal for many reports: its mean absolute value is √(2/π) standard deviations.
Outcome run_sampled(const std::string& oracle, ldp::Consistency method, const Truth& truth, double epsilon,
                    ldp::BitSource& bits) {
    std::string attributes;
    for (std::size_t j = 0; j < truth.records.sizes().size(); ++j)
        attributes += (j == 0 ? "" : ", ") + ("{\"name\": \"" + std::to_string(j)) +
                      "\", \"domain\": " + std::to_string(truth.records.sizes()[j]) + ", \"mechanism\": \"" +
                      oracle + "\"}";
    Experiment experiment("{\"mechanism\": \"sampled\", \"epsilon\": " + ldp::shortest(epsilon) +
                          ", \"attributes\": [" + attributes + "]}");
    for (std::size_t i = 0; i < truth.records.size(); ++i) experiment.count(truth.records[i], bits);
    const auto n = static_cast<double>(truth.records.size()),
               d = static_cast<double>(truth.records.sizes().size());
    const double asked = n * experiment.parameter("per_report") / d;
    Outcome outcome{0, method == ldp::Consistency::none ? 0 : std::nan("")};
    for (std::size_t j = 0; j < truth.records.sizes().size(); ++j) {
        outcome.distance +=
            variation(ldp::consistent(ldp::view_of(experiment.mechanism(), experiment.summary()), method, j),
                      truth.shares[j]) /
            d;
        const ldp::SummaryView part = experiment.part(j);
        for (const double share : truth.shares[j])
            outcome.expected +=
                std::sqrt((part.mechanism->n_variance(share) + share * (1 - share) * (1 - asked / n)) /
                          asked * 2 / std::numbers::pi) /
                2 / d;
    }
    return outcome;
}

/// Everybody reports one attribute, drawn evenly, through a mechanism that knows the values' order. One of
/// two values has no order to speak of, and goes through grr.
Outcome run_ordered(const std::string& name, const Truth& truth, double epsilon, ldp::BitSource& bits) {
    std::vector<Experiment> experiments;
    const bool number = name == "square_wave";
    for (const std::size_t size : truth.records.sizes()) {
        const std::string k = std::to_string(size), most = std::to_string(size - 1);
        experiments.emplace_back("{\"mechanism\": \"" + (size == 2 ? "grr" : name) +
                                 "\", \"epsilon\": " + ldp::shortest(epsilon) + ", " +
                                 (number && size > 2 ? "\"min\": 0, \"max\": " + most + ", \"grid\": " + most
                                                     : "\"domain\": " + k) +
                                 "}");
    }
    for (std::size_t i = 0; i < truth.records.size(); ++i) {
        const std::size_t j = bits.below(experiments.size());
        experiments[j].count(truth.records[i].subspan(j, 1), bits);
    }
    Outcome outcome{0, std::nan("")};
    for (std::size_t j = 0; j < experiments.size(); ++j) {
        const auto& mechanism = experiments[j].mechanism();
        const std::vector<double> shares =
            truth.records.sizes()[j] == 2
                ? ldp::consistent(ldp::view_of(mechanism, experiments[j].summary()),
                                  ldp::Consistency::norm_sub)
                : ldp::decode(ldp::view_of(mechanism, experiments[j].summary()), ldp::Smoothing::binomial)
                      .shares;
        outcome.distance += variation(shares, truth.shares[j]) / static_cast<double>(experiments.size());
    }
    return outcome;
}

struct ShareCompetitor {
    std::string name;
    bool closed_form;
    std::function<Outcome(const Truth&, double epsilon, ldp::BitSource&)> run;
};

std::vector<ShareCompetitor> contenders() {
    std::vector<ShareCompetitor> all;
    const auto oracle = [&](const std::string& name, ldp::Consistency method) {
        const bool plain = method == ldp::Consistency::none;
        all.push_back({"sampled, " + name + (plain ? "" : ", norm_sub"), plain,
                       [=](const Truth& truth, double epsilon, ldp::BitSource& bits) {
                           return run_sampled(name, method, truth, epsilon, bits);
                       }});
    };
    for (const char* name : {"grr", "oue", "auto"}) oracle(name, ldp::Consistency::none);
    oracle("auto", ldp::Consistency::norm_sub);
    for (const std::string name : {"haar_ordered", "tree", "square_wave"})
        all.push_back({"one attribute, " + name + ", fit", false,
                       [=](const Truth& truth, double epsilon, ldp::BitSource& bits) {
                           return run_ordered(name, truth, epsilon, bits);
                       }});
    return all;
}

}  // namespace

Figure shares_figure(const Setup& setup, const People& census) {
    Panel panel{census.title(),
                "epsilon of a person",
                "variation distance",
                {},
                {std::begin(epsilons), std::end(epsilons)}};
    const std::size_t repetitions = std::max(least_repetitions, setup.repetitions / 2);
    const Truth truth(census);
    const std::vector<ShareCompetitor> all = contenders();
    for (const ShareCompetitor& contender : all) {
        Curve& curve = panel.curves.emplace_back(Curve{contender.name, {}});
        for (const double epsilon : epsilons)
            curve.points.push_back({epsilon, std::vector<double>(repetitions),
                                    std::vector<double>(contender.closed_form ? 1 : 0), 0.02});
    }
    const std::size_t cells = all.size() * std::size(epsilons);
    Progress progress("shares", cells * repetitions);
    in_parallel(cells * repetitions, [&](std::size_t job) {
        const std::size_t cell = job % cells, repetition = job / cells, e = cell % std::size(epsilons);
        ldp::simulation::SeededBits bits(77000000 + job);
        const Outcome outcome = all[cell / std::size(epsilons)].run(truth, epsilons[e], bits);
        Point& point = panel.curves[cell / std::size(epsilons)].points[e];
        point.found[repetition] = outcome.distance;
        if (repetition < point.expected.size()) point.expected[repetition] = outcome.expected;
        progress.step();
    });
    return {"shares", {std::move(panel)}};
}

}  // namespace evaluation
