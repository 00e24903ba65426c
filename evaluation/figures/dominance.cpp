// Which mechanism has the least variance for each domain and ε, by closed forms. The mechanisms that never have
// it are those of doc/literature.md.

#include <cmath>
#include <iomanip>
#include <limits>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "../shared/experiment.hpp"
#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/choice/resolve.hpp"
#include "core/mechanism/role/mechanism.hpp"
#include "panels.hpp"

namespace evaluation {

namespace {

/// How often each mechanism is the best, and how close it comes.
class Contest {
  public:
    /// The best of these entries is the one of least variance. Two mechanisms within 10^-6 of it are equal.
    void cell(const std::map<std::string, double>& variances) {
        double least = std::numeric_limits<double>::infinity();
        for (const auto& [name, variance] : variances) least = std::min(least, variance);
        for (const auto& [name, variance] : variances) {
            Standing& one = standings_[name];
            one.best += variance <= least * (1 + 1e-6) ? 1 : 0;
            one.closest = std::min(one.closest, variance / least);
        }
        ++cells_;
    }
    void print(const std::string& title, std::ostream& out) const {
        out << "\n"
            << title << ", " << cells_ << " cells:\n\n"
            << "| mechanism | best in | smallest ratio to the least variance |\n|---|---:|---:|\n";
        std::string never;
        for (const auto& [name, one] : standings_) {
            out << "| " << name << " | " << one.best << " | " << ldp::rounded(one.closest, 4) << " |\n";
            if (one.best == 0) never += (never.empty() ? "" : ", ") + name;
        }
        out << "\nNever the best: " << (never.empty() ? "none" : never) << ".\n";
    }

  private:
    struct Standing {
        unsigned best = 0;
        double closest = std::numeric_limits<double>::infinity();
    };
    std::map<std::string, Standing> standings_;
    unsigned cells_ = 0;
};

/// The candidates of `auto` within its default limits, or without limits.
std::map<std::string, double> candidates(double epsilon, const ldp::Attribute& attribute, bool limited) {
    const ldp::Limits limits = limited ? ldp::Limits{} : ldp::Limits{100000, 1000000000};
    std::map<std::string, double> variances;
    for (const ldp::Candidate& one : ldp::rank({epsilon, {attribute}, limits}))
        if (one.obstacle.empty()) variances[one.mechanism->name] = one.n_variance;
    return variances;
}

/// The largest expected n·Var of a spec's attributes; nothing if the mechanism does not take it.
void add(std::map<std::string, double>& variances, const std::string& name, const std::string& spec) {
    try {
        const auto mechanism = ldp::make_mechanism(ldp::resolve(spec));
        variances[name] = mechanism->expected_variance(0);
    } catch (const ldp::Error& error) {
        if (error.code() != ldp::ErrorCode::invalid_spec) throw;
    }
}

}  // namespace

void print_dominance(std::ostream& out) {
    const double all_epsilons[] = {0.1, 0.2, 0.5, 1, 1.5, 2, 3, 4, 5, 6, 8};
    Contest limited, unlimited, numbers_contest, vectors, layers;
    for (const std::uint64_t domain :
         {2, 3, 4, 6, 8, 10, 16, 32, 64, 100, 256, 1000, 4096, 20000, 65536, 1000000})
        for (const double epsilon : all_epsilons) {
            ldp::Attribute attribute;
            attribute.name = "value";
            attribute.domain = domain;
            limited.cell(candidates(epsilon, attribute, true));
            unlimited.cell(candidates(epsilon, attribute, false));
        }
    for (const double epsilon :
         {0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0}) {
        ldp::Attribute attribute;
        attribute.name = "value";
        attribute.max = 1;
        numbers_contest.cell(candidates(epsilon, attribute, true));
    }
    for (const std::size_t d : {2, 4, 16, 32, 64})
        for (const double epsilon : {0.1, 1.0, 4.0}) {
            const std::string rest = "\"epsilon\": " + ldp::shortest(epsilon) + ", ";
            std::map<std::string, double> variances;
            for (const std::string mechanism : {"haar", "duchi_vector"})
                add(variances, mechanism,
                    "{\"mechanism\": \"" + mechanism + "\", " + rest + numbers(d) + "}");
            add(variances, "haar, global",
                "{\"mechanism\": \"haar\", \"details\": \"global\", " + rest + numbers(d) + "}");
            add(variances, "sampled, optimal",
                "{\"mechanism\": \"sampled\", " + rest + numbers(d, ", \"mechanism\": \"optimal\"") + "}");
            vectors.cell(variances);
        }
    for (const std::uint64_t domain : {2, 3, 5, 10, 32, 100, 360, 1000, 4096})
        for (const double epsilon : {0.5, 1.0, 2.0, 3.0, 4.0, 5.0}) {
            std::map<std::string, double> variances;
            for (const std::string mechanism : {"l_grr", "l_sue", "l_osue", "loloha", "rappor"})
                add(variances, mechanism,
                    "{\"mechanism\": \"" + mechanism + "\", \"epsilon\": " + ldp::shortest(epsilon) +
                        ", \"report_epsilon\": " + ldp::shortest(epsilon / 2) +
                        ", \"domain\": " + std::to_string(domain) + "}");
            layers.cell(variances);
        }
    out << "\n## Dominance\n";
    limited.print("Shares of a category, within 64 bytes and 1000 steps a report", out);
    unlimited.print("Shares of a category, without limits", out);
    numbers_contest.print("Mean of a number, where the variance is largest", out);
    vectors.print("Means of a vector", out);
    layers.print("Shares of a category in two layers", out);
}

}  // namespace evaluation
