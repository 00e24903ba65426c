#include "core/choice/view_choice.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/base/interrupt.hpp"

namespace ldp::joint {

namespace {

/// The noise that is allowed in a chosen table of three attributes, as a total variation distance.
constexpr double clear_table = 0.1;
/// Assumed squared Cramér's V of two attributes, and of the interaction of three attributes beyond their
/// pairs, before any report exists.
constexpr double squared_v_of_pairs = 0.05, squared_v_of_triples = 0.01;

double product_of_sizes(const ViewAttributes& set, const std::vector<std::uint64_t>& sizes) {
    double cells = 1;
    for (const std::size_t j : set.all()) cells *= static_cast<double>(sizes[j]);
    return cells;
}

}  // namespace

std::vector<ViewAttributes> subsets_of(const ViewAttributes& set) {
    std::vector<ViewAttributes> all;
    for (unsigned bits = 1; bits < 1U << set.count; ++bits) {
        ViewAttributes& subset = all.emplace_back();
        for (std::size_t i = 0; i < set.count; ++i)
            if ((bits >> i & 1) != 0) subset.numbers[subset.count++] = set.numbers[i];
    }
    return all;
}

std::vector<ViewAttributes> with_the_others(std::vector<ViewAttributes> named, std::uint64_t d) {
    std::vector<bool> seen(d);
    for (const ViewAttributes& set : named)
        for (const std::size_t j : set.all()) seen[j] = true;
    for (const ViewAttributes& alone : all_views(d, 1))
        if (!seen[alone.numbers[0]]) named.push_back(alone);
    return named;
}

ExpectedErrors::ExpectedErrors(std::vector<std::uint64_t> sizes, const ViewEpsilon& epsilon, bool ranges,
                               const std::vector<ViewAttributes>& views, double people)
    : sizes_(std::move(sizes)) {
    struct WeightedVariance {
        double weight, variance;
    };
    std::map<ViewKind, WeightedVariance> kinds;
    double all = 0;
    Work work;
    for (const ViewAttributes& view : views) {
        const ViewKind kind = kind_of_view(view, sizes_);
        work.done(100);
        const auto [at, fresh] = kinds.try_emplace(kind);
        if (fresh) {
            const auto cells = static_cast<double>(kind.first);
            at->second = {assignment_weight(kind, epsilon, ranges), promised_cell(kind.first, epsilon)};
            at->second.variance /= 1 - 1 / cells;
        }
        all += at->second.weight;
    }
    for (const ViewAttributes& view : views) {
        const auto [weight, variance] = kinds.at(kind_of_view(view, sizes_));
        const double cells = product_of_sizes(view, sizes_);
        work.done(100);
        for (const ViewAttributes& effect : subsets_of(view))
            precision_[effect] +=
                people * weight / all / (variance * cells / product_of_sizes(effect, sizes_));
    }
}

// An effect of some of the attributes is spread evenly over the cells of the others. With the assumed V and
// equal shares, its squares add up to V²·(k − 1)/cells, where k is the smallest number of values.
double ExpectedErrors::of(const ViewAttributes& asked) const {
    const double cells = product_of_sizes(asked, sizes_);
    double squares = 0;
    for (const ViewAttributes& effect : subsets_of(asked)) {
        double directions = 1, least = std::numeric_limits<double>::infinity();
        for (const std::size_t j : effect.all()) {
            directions *= static_cast<double>(sizes_[j] - 1);
            least = std::min(least, static_cast<double>(sizes_[j] - 1));
        }
        const auto found = precision_.find(effect);
        const bool known = found != precision_.end();
        if (!known && effect.count < 3) return std::numeric_limits<double>::infinity();
        const double noise =
            known ? directions / found->second * product_of_sizes(effect, sizes_) / cells : 0;
        if (effect.count == 1) {
            squares += noise;
            continue;
        }
        const double size = (effect.count == 2 ? squared_v_of_pairs : squared_v_of_triples) * least / cells;
        squares += known ? size * noise / (size + noise) : size;
    }
    return std::sqrt(2 / std::numbers::pi) * std::sqrt(cells * squares) / 2;
}

double ExpectedErrors::of(const std::vector<ViewAttributes>& asked) const {
    double sum = 0;
    Work work;
    for (const ViewAttributes& set : asked) {
        work.done(100);
        sum += of(set);
    }
    return sum / static_cast<double>(asked.size());
}

namespace {

ViewEpsilon epsilon_of(const SettingsDraft& draft) {
    return {draft.epsilon, std::get<double>(draft.options.at("report_epsilon"))};
}

/// Returns the expected noise of a table as a total variation distance, averaged over the views of `count`
/// attributes among which `people` are divided. Infinite if there are too many views, or if a view is too
/// large.
double expected_noise(const SettingsDraft& draft, std::uint8_t count, std::uint64_t people) {
    const std::uint64_t d = draft.attributes.size();
    if (d < count || count_all(d, count) > max_views) return std::numeric_limits<double>::infinity();
    const std::vector<std::uint64_t> sizes = sizes_of(draft.attributes);
    const std::vector<ViewAttributes> views = all_views(d, count);
    std::map<ViewKind, std::uint64_t> kinds;
    for (const ViewAttributes& view : views) ++kinds[kind_of_view(view, sizes)];
    const auto all = static_cast<double>(views.size());
    double noise = 0;
    for (const auto& [kind, number] : kinds) {
        if (kind.first > max_cells) return std::numeric_limits<double>::infinity();
        const double error =
            std::sqrt(promised_cell(kind.first, epsilon_of(draft)) * all / static_cast<double>(people));
        const double mean_of_normal = std::sqrt(2 / std::numbers::pi);
        noise +=
            static_cast<double>(number) / all * static_cast<double>(kind.first) * mean_of_normal * error / 2;
    }
    return noise;
}

/// Returns the sets of attributes that the spec announces as queries.
std::vector<ViewAttributes> asked_sets(const SettingsDraft& draft) {
    const std::uint64_t d = draft.attributes.size();
    const OptionValue& asked = draft.options.at("queries");
    if (std::holds_alternative<IntegerRows>(asked)) return views_of(asked, d, false);
    // If there are too many triples for views, pairs answer all queries.
    const std::uint8_t count = *order_of(std::get<std::string>(asked));
    return all_views(d, d >= count && count_all(d, count) <= max_views ? count : std::uint8_t{2});
}

/// Chooses views among pairs, triples and the announced sets so that the expected error of the fitted tables
/// of these sets is smallest. Triples are also chosen if their tables have little noise. With more noise, the
/// fit depends more on single attributes, and more people report single attributes: the squared noise divided
/// by its sum with the square of the largest distance. On the data sets of evaluation/joint, this choice is within
/// a few percent of the smallest error.
void choose_among_views(SettingsDraft& draft, std::uint64_t people) {
    const std::uint64_t d = draft.attributes.size();
    const OptionValue asked = draft.options.at("queries");
    const bool named = std::holds_alternative<IntegerRows>(asked);
    const std::vector<std::uint64_t> sizes = sizes_of(draft.attributes);
    const bool ranges = std::get<std::string>(draft.options.at("optimize_for")) == "ranges";
    const std::vector<ViewAttributes> sets = asked_sets(draft);
    const auto fits = [&](const std::vector<ViewAttributes>& views) {
        return std::ranges::all_of(
            views, [&](const ViewAttributes& view) { return kind_of_view(view, sizes).first <= max_cells; });
    };
    const auto error = [&](const std::vector<ViewAttributes>& views) {
        if (!fits(views)) return std::numeric_limits<double>::infinity();
        return ExpectedErrors(sizes, epsilon_of(draft), ranges, views, static_cast<double>(people)).of(sets);
    };
    const bool all_triples = d >= 3 && count_all(d, 3) <= max_views;
    const double of_triples = expected_noise(draft, 3, people), of_pairs = expected_noise(draft, 2, people);
    const bool clear = !named && of_triples <= clear_table;
    const double by_pairs = error(all_views(d, 2));
    const double by_triples = all_triples ? error(all_views(d, 3)) : std::numeric_limits<double>::infinity();
    const bool triples = clear || by_triples < by_pairs;
    OptionValue& views = draft.options.at("marginals");
    auto& singles = std::get<double>(draft.options.at("one_way_share"));
    if (named && singles == 0) {
        IntegerRows rows;
        const std::vector<ViewAttributes> listed = with_the_others(sets, d);
        for (const ViewAttributes& view : listed) rows.emplace_back(view.all().begin(), view.all().end());
        if (fits(listed) && error(listed) <= std::min(by_pairs, by_triples)) {
            views = std::move(rows);
            return;
        }
    }
    views = triples ? "triples" : "pairs";
    const double noise = clear ? of_triples : of_pairs;
    if (singles == 0) singles = std::min(most_singles, std::round(100 / (1 + 1 / (noise * noise))) / 100);
}

}  // namespace

void choose_views(SettingsDraft& draft) {
    const auto* word = std::get_if<std::string>(&draft.options.at("marginals"));
    if (word == nullptr || *word != "auto") return;
    check_joint_attributes(draft.attributes, "joint");
    if (auto* sets = std::get_if<IntegerRows>(&draft.options.at("queries"))) settle_asked(*sets);
    const auto people = std::get<std::uint64_t>(draft.options.at("people"));
    if (people == 0)
        refuse_spec("\"marginals\": \"auto\" requires \"people\"",
                    "Marginals are chosen for a number of respondents.",
                    "Add \"people\", the expected number of respondents, or use \"pairs\".");
    choose_among_views(draft, people);
}

}  // namespace ldp::joint
