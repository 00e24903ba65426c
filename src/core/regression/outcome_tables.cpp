#include "core/regression/outcome_tables.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <variant>

#include "core/base/error.hpp"
#include "core/base/interrupt.hpp"
#include "core/base/square.hpp"
#include "core/mechanism/frequency/frequency_oracle.hpp"
#include "core/mechanism/joint/joint.hpp"
#include "core/summary/pooling.hpp"

namespace ldp {

namespace {

[[noreturn]] void refuse(const char* detail) {
    raise(ErrorCode::unsupported, "the reports do not cover the outcome and its predictors together", detail,
          "Collect them in one marginal of the mechanism joint, or in a set of joint_tables of a record.");
}

/// Returns the sums of a view's shares over the values of the outcome other than the chosen one, and over other attributes.
OutcomeTable summed(const CrossTable& table, std::size_t outcome, std::uint64_t value,
                    std::span<const std::size_t> predictors) {
    OutcomeTable all{.reports = static_cast<std::uint64_t>(table.people),
                     .people = table.people,
                     .even = table.even,
                     .held = table.held};
    std::vector<std::size_t> places;
    std::size_t combinations = 1;
    for (const std::size_t one : predictors) {
        const auto found = std::ranges::find(table.attributes, one);
        places.push_back(static_cast<std::size_t>(found - table.attributes.begin()));
        combinations *= table.sizes[places.back()];
    }
    const auto own =
        static_cast<std::size_t>(std::ranges::find(table.attributes, outcome) - table.attributes.begin());
    all.shares.resize(2 * combinations);
    all.cells.resize(2 * combinations);
    double excess = -1;
    for (const double share : table.shares) excess += share;
    // For reports of one cell, even = q/gap² and held = 1/gap with p + (k − 1)q = 1. Then the counts are multinomial.
    const auto cells = static_cast<double>(table.cells());
    const double whole = square(table.held);
    all.exact = std::abs(table.even * cells + table.held - whole) < 1e-9 * whole;
    std::vector<std::uint64_t> values(table.sizes.size());
    Work work;
    for (std::size_t cell = 0; cell < table.shares.size(); ++cell) {
        work.done();
        std::size_t rest = cell;
        for (std::size_t j = values.size(); j-- > 0;) {
            values[j] = rest % table.sizes[j];
            rest /= table.sizes[j];
        }
        std::size_t at = 0;
        for (const std::size_t place : places)
            at = at * table.sizes[place] + static_cast<std::size_t>(values[place]);
        at = 2 * at + (values[own] == value ? 1 : 0);
        all.shares[at] += table.shares[cell] - excess / cells;
        all.cells[at] += 1;
    }
    return all;
}

/// Returns the shares of a value and of all others. The number of reports that support the value is binomial.
OutcomeTable of_value(const FrequencyOracle& oracle, const SummaryView& view, std::uint64_t value) {
    const auto [p, q] = oracle.protocol();
    const auto n = static_cast<double>(view.n), gap = p - q;
    const double share = (static_cast<double>(oracle.support(view.state, value)) / n - q) / gap;
    // One of k = 4 cells has the variance even(1 − 1/k) + (held − 1)/k² + (held(1 − 2/k) + 2/k)π − π² in the formula for
    // contrasts. The binomial count has the variance q(1 − q)/gap² + π(1 − 2q)/gap − π².
    constexpr double k = 4;
    OutcomeTable all{.reports = view.n, .people = n, .exact = true};
    all.held = ((1 - 2 * q) / gap - 2 / k) / (1 - 2 / k);
    all.even = (q * (1 - q) / square(gap) - (all.held - 1) / square(k)) / (1 - 1 / k);
    all.shares = {1 - share, share};
    all.cells = {k - 1, 1};
    return all;
}

}  // namespace

std::uint64_t values_of(const Mechanism& mechanism, std::size_t attribute) {
    const RecordPart part = part_of(mechanism, attribute);
    const std::vector<std::uint64_t> cells = part.mechanism->cells();
    return attribute - part.first < cells.size() ? cells[attribute - part.first] : 0;
}

std::vector<OutcomeTable> outcome_tables(const SummaryView& view, const OutcomeOf& outcome) {
    const RecordPart own = part_of(*view.mechanism, outcome.attribute);
    std::vector<std::size_t> predictors;
    std::uint64_t combinations = 1;
    for (const std::size_t one : outcome.predictors) {
        const RecordPart part = part_of(*view.mechanism, one);
        if (part.number != own.number) refuse("They are in different parts of the record.");
        predictors.push_back(one - part.first);
        combinations *= std::max<std::uint64_t>(1, values_of(*view.mechanism, one));
        if (combinations > max_predictor_cells)
            raise(ErrorCode::unsupported, "the predictors have too many combinations of values",
                  "A regression has at most " + std::to_string(max_predictor_cells) + ".",
                  "Use fewer predictors, or coarser bins.");
    }
    SummaryView about = part(view, outcome.attribute);
    need_rounds(about);
    const double each = about.n > 0 ? repetition(about) : 1;
    std::vector<OutcomeTable> all;
    const auto add = [&](OutcomeTable table) {
        table.people /= each;
        all.push_back(std::move(table));
    };
    const std::size_t number = outcome.attribute - own.first;
    if (const auto* joint = find_capability<JointViews>(*about.mechanism)) {
        std::vector<std::size_t> wanted = predictors;
        wanted.push_back(number);
        const std::vector<std::vector<std::size_t>> views = joint->views();
        bool covered = false;
        for (std::size_t v = 0; v < views.size(); ++v) {
            check_interrupt();
            if (!std::ranges::all_of(wanted,
                                     [&](std::size_t one) { return std::ranges::count(views[v], one) > 0; }))
                continue;
            covered = true;
            if (joint->reports_of_view(about, v) == 0) continue;
            const JointViews::ViewEstimate estimate = joint->estimate_of_view(about, v);
            const auto* table = std::get_if<CrossTable>(&estimate);
            if (table == nullptr) refuse("Haar coefficients are not shares of cells.");
            add(summed(*table, number, outcome.value, predictors));
        }
        if (!covered) refuse("No marginal has all these attributes.");
        return all;
    }
    const auto* oracle = find_capability<FrequencyOracle>(*about.mechanism);
    if (oracle == nullptr || !predictors.empty())
        refuse(oracle == nullptr ? "The mechanism does not report single values of the outcome."
                                 : "Each report is about one attribute.");
    if (about.n > 0) add(of_value(*oracle, about, outcome.value));
    return all;
}

}  // namespace ldp
