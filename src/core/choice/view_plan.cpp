#include "core/choice/view_plan.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "core/base/error.hpp"
#include "core/base/interrupt.hpp"
#include "core/base/random.hpp"
#include "core/base/text.hpp"
#include "core/channel/subset_channel.hpp"
#include "core/mechanism/joint/view_weights.hpp"
#include "core/models/association.hpp"
#include "core/tables/fitted.hpp"

namespace ldp {

namespace {

constexpr double significance = 0.05;
/// Minimum number of simulated tables over which an error is averaged; each simulation yields one per
/// announced query.
constexpr std::size_t fewest_tables = 60;

/// The first round's fit, which serves as the truth of the simulation.
class Likely {
  public:
    Likely(const Measured& first, std::size_t attributes) : fit_(fitted(first)) {
        for (std::size_t j = 0; j < attributes; ++j)
            if (!fit_.holds({&j, 1}))
                raise(ErrorCode::unsupported, "no report contains an attribute",
                      "The attribute is number " + std::to_string(j) + ".", "Wait for more reports.");
            else
                sizes_.push_back(fit_.table({&j, 1}).shares.size());
    }

    [[nodiscard]] const std::vector<std::uint64_t>& sizes() const noexcept { return sizes_; }
    [[nodiscard]] Table table(const std::vector<std::size_t>& set) const { return fit_.table(set); }
    [[nodiscard]] std::uint64_t cells(const std::vector<std::size_t>& view) const {
        std::uint64_t all = 1;
        for (const std::size_t j : view) all *= sizes_[j];
        return all;
    }

  private:
    Fit fit_;
    std::vector<std::uint64_t> sizes_;
};

double normal(BitSource& bits) {
    const auto uniform = [&] { return (static_cast<double>(bits.word() >> 11) + 0.5) * 0x1p-53; };
    return std::sqrt(-2 * std::log(uniform())) * std::cos(2 * std::numbers::pi * uniform());
}

/// Returns a table with simulated noise of this number of people.
Table noisy(Table table, double epsilon, double people, BitSource& bits) {
    const std::uint64_t cells = table.shares.size();
    const SubsetChannel channel(cells, SubsetChannel::best_size(epsilon, cells), epsilon);
    double excess = -1;
    for (double& share : table.shares) {
        const double variance = channel.mean_square({1, 1, share, share}) - share * share;
        share += std::sqrt(std::max(0.0, variance) / people) * normal(bits);
        excess += share;
    }
    for (double& share : table.shares) share -= excess / static_cast<double>(cells);
    table.variance = channel.contrast() / people;
    table.people = people;
    return table;
}

/// Returns the mean error; empty if there are too many views or cells.
std::optional<double> error_of(const AttributeSets& views, const Likely& truth, const SecondRound& second,
                               std::span<const Table> asked, BitSource& bits) {
    if (views.empty() || views.size() > max_views) return {};
    std::vector<double> weights;
    std::vector<Table> tables;
    double all = 0;
    for (const std::vector<std::size_t>& view : views) {
        const std::uint64_t cells = truth.cells(view);
        if (cells > joint::max_cells) return {};
        weights.push_back(joint::assignment_weight({cells, static_cast<std::uint8_t>(view.size())},
                                                   {second.epsilon}, false));
        all += weights.back();
    }
    for (const std::vector<std::size_t>& view : views) tables.push_back(truth.table(view));
    double error = 0;
    const std::size_t rounds = (fewest_tables + asked.size() - 1) / asked.size();
    for (std::size_t round = 0; round < rounds; ++round) {
        std::vector<Table> noisy_tables;
        for (std::size_t v = 0; v < tables.size(); ++v) {
            check_interrupt();
            noisy_tables.push_back(noisy(tables[v], second.epsilon, second.people * weights[v] / all, bits));
        }
        const Fit fit(noisy_tables);
        for (const Table& table : asked) {
            check_interrupt();
            const Table found = fit.table(table.attributes);
            for (std::size_t cell = 0; cell < found.shares.size(); ++cell)
                error += std::abs(found.shares[cell] - table.shares[cell]) / 2;
        }
    }
    return error / static_cast<double>(rounds * asked.size());
}

void check(const SecondRound& second, std::size_t attributes) {
    if (!(second.people >= 1 && second.people <= 0x1p40))
        raise(ErrorCode::invalid_value, "the people of a second round must be between 1 and 2^40",
              "Found " + shortest(second.people) + ".", "Use the expected number of people.");
    if (second.asked.empty())
        raise(ErrorCode::invalid_value, "the query has no sets of attributes", {},
              "Name at least one set of attributes.");
    for (const std::vector<std::size_t>& set : second.asked)
        if (set.empty() || set.size() > ViewAttributes::most || set.back() >= attributes ||
            std::ranges::adjacent_find(set, std::greater_equal()) != set.end())
            raise(
                ErrorCode::invalid_value,
                "queries are sets of 1 to " + std::to_string(ViewAttributes::most) + " different attributes",
                "Found a set of " + std::to_string(set.size()) + ".",
                "For more attributes, list the most important sets of three.");
}

/// Returns the sets, and a single view for each attribute that is in none of them.
AttributeSets with_the_others(AttributeSets sets, std::size_t attributes) {
    std::vector<bool> seen(attributes);
    for (const auto& set : sets)
        for (const std::size_t j : set) seen[j] = true;
    for (std::size_t j = 0; j < attributes; ++j)
        if (!seen[j]) sets.push_back({j});
    std::ranges::sort(sets, [](const auto& a, const auto& b) {
        return a.size() != b.size() ? a.size() < b.size() : a < b;
    });
    sets.erase(std::unique(sets.begin(), sets.end()), sets.end());
    return sets;
}

}  // namespace

AttributeSets all_sets(std::size_t attributes, std::size_t of) {
    AttributeSets all;
    if (attributes < of) return all;
    for (const ViewAttributes& set : all_views(attributes, static_cast<std::uint8_t>(of)))
        all.emplace_back(set.all().begin(), set.all().end());
    return all;
}

std::vector<ViewPlan> planned_views(const Measured& first, std::size_t attributes, const SecondRound& second,
                                    BitSource& bits) {
    check(second, attributes);
    const Likely truth(first, attributes);
    std::vector<Table> asked;
    for (const std::vector<std::size_t>& set : second.asked) {
        check_interrupt();
        asked.push_back(truth.table(set));
    }
    std::vector<ViewPlan> plans;
    const auto consider = [&](std::string word, AttributeSets views) {
        for (const ViewPlan& plan : plans)
            if (plan.views == views) return;
        const auto error = error_of(views, truth, second, asked, bits);
        if (error) plans.push_back({std::move(word), std::move(views), *error});
    };
    consider("pairs", all_sets(attributes, 2));
    if (attributes >= 3 && count_all(attributes, 3) <= max_views)
        consider("triples", all_sets(attributes, 3));
    consider({}, with_the_others(second.asked, attributes));
    const std::vector<Association> found = associations(first, 0.95);
    consider({}, learnt_views(found, attributes, significance));
    std::ranges::stable_sort(plans, {}, &ViewPlan::error);
    for (ViewPlan& plan : plans)
        if (!plan.word.empty()) plan.views.clear();
    return plans;
}

}  // namespace ldp
