// Options of joint_haar in a spec, its default choices, and its parameter block: the list of level queries
// and their sampling weights.

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "core/mechanism/joint/joint_haar.hpp"
#include "core/mechanism/role/entries.hpp"

namespace ldp::joint_haar {

namespace {

constexpr unsigned most_places = 20;  // as a power of two
constexpr std::uint64_t max_values = std::uint64_t{1} << most_places;
constexpr std::uint64_t max_questions = std::uint64_t{1} << 16;
constexpr std::uint64_t max_state = std::uint64_t{256} << 20;
/// Resolution of the sampling weights.
constexpr double weight_steps = 255;

/// The properties that determine the weight of a level query: the number of levels of its attributes and the
/// reported levels, independent of the order of the two attributes. For one attribute, also the number of its
/// pairs.
struct QueryKind {
    std::uint8_t count;
    std::array<std::uint8_t, most_together> of, levels;
    std::uint16_t pairs;

    friend auto operator<=>(const QueryKind&, const QueryKind&) = default;
};

/// All level queries of the views: single attributes first, levels from the root downwards.
struct Catalogue {
    std::vector<HaarQuery> questions;
    std::vector<QueryKind> kinds;  // of each level query

    Catalogue(std::span<const ViewAttributes> views, const std::vector<std::uint64_t>& sizes) {
        std::vector<std::uint16_t> pairs(sizes.size());
        for (const ViewAttributes& view : views)
            if (view.count == 2)
                for (const std::size_t j : view.all()) ++pairs[j];
        for (const ViewAttributes& alone : all_views(sizes.size(), 1)) add(alone, sizes, pairs);
        for (const ViewAttributes& view : views)
            if (view.count == 2) add(view, sizes, pairs);
    }

  private:
    void add(const ViewAttributes& view, const std::vector<std::uint64_t>& sizes,
             const std::vector<std::uint16_t>& pairs) {
        const bool two = view.count == 2;
        const auto first = static_cast<std::uint8_t>(levels_of(sizes[view.numbers[0]]));
        const auto second = static_cast<std::uint8_t>(two ? levels_of(sizes[view.numbers[1]]) : 1);
        for (std::uint8_t a = 0; a < first; ++a)
            for (std::uint8_t b = 0; b < second; ++b) {
                questions.push_back({view, {a, b}});
                const bool swapped = two && std::pair(second, b) < std::pair(first, a);
                QueryKind& kind = kinds.emplace_back(QueryKind{
                    view.count, {first, 0}, {a, b}, two ? std::uint16_t{0} : pairs[view.numbers[0]]});
                if (two) kind.of[1] = second;
                if (swapped) std::swap(kind.of[0], kind.of[1]), std::swap(kind.levels[0], kind.levels[1]);
            }
    }
};

/// Returns the first view whose finest level query has too many positions; null if no view has.
const ViewAttributes* too_large(std::span<const ViewAttributes> views,
                                const std::vector<std::uint64_t>& sizes) {
    const auto found = std::ranges::find_if(views, [&](const ViewAttributes& view) {
        unsigned places = 0;
        for (const std::size_t j : view.all()) places += levels_of(sizes[j]) - 1;
        return places > most_places;
    });
    return found == views.end() ? nullptr : &*found;
}

std::uint64_t number_of_questions(std::span<const ViewAttributes> views,
                                  const std::vector<std::uint64_t>& sizes) {
    std::uint64_t all = 0;
    for (const std::uint64_t size : sizes) all += levels_of(size);
    for (const ViewAttributes& view : views)
        if (view.count == 2)
            all += std::uint64_t{levels_of(sizes[view.numbers[0]])} * levels_of(sizes[view.numbers[1]]);
    return all;
}

// What a spec may say --------------------------------------------------------------------------------------

void settle(SettingsDraft& draft) {
    check_joint_attributes(draft.attributes, entry.name);
    OptionValue& choice = draft.options.at("marginals");
    settle_views(choice, draft.attributes, most_together, false);
    const std::vector<std::uint64_t> sizes = sizes_of(draft.attributes);
    const std::vector<ViewAttributes> views = views_of(choice, sizes.size(), false);
    if (const ViewAttributes* large = too_large(views, sizes))
        refuse_spec("a marginal has too many cells",
                    "The marginal of " + draft.attributes[large->numbers[0]].name + " has more than 2^" +
                        std::to_string(most_places + large->count) + ".",
                    "Use fewer bins or values.");
    const std::uint64_t questions = number_of_questions(views, sizes);
    if (questions > max_questions)
        refuse_spec("people would be divided among too many queries",
                    "There are " + std::to_string(questions) +
                        ", one for each level of attributes or of pairs; "
                        "allowed are " +
                        std::to_string(max_questions) + ".",
                    "List the marginals that you will query, or use fewer bins or values.");
}

/// Returns the mean squared weight of a level's coefficients in a query of the target.
double need_of(unsigned level, unsigned levels, bool ranges) {
    const double width = std::ldexp(1.0, static_cast<int>(levels - level));
    if (!ranges) return 1 / (width * width);
    return 1.0 / 6 + 1 / (3 * width * width) - std::ldexp(1.0, -static_cast<int>(level) - 3);
}
/// Returns the same for the mean over all values.
double need_of_mean(unsigned levels, bool ranges) {
    return ranges ? 1.0 / 6 : std::ldexp(1.0, -2 * static_cast<int>(levels));
}

/// Parameters of the optimization for one kind of level query.
struct ChosenQueries {
    double number;    // number of level queries of the kind
    double variance;  // of a coefficient, times the number of reports
    double need;
    double size;  // expected squared coefficient
};

/// Returns the sampling weights that minimize the sum of need·error.
std::vector<double> assignment_for(std::span<const ChosenQueries> aims, double people) {
    std::vector<double> weights;
    if (people == 0) {
        for (const ChosenQueries& aim : aims) weights.push_back(std::sqrt(aim.variance * aim.need));
        return weights;
    }
    // The remaining need·error at weight w is need·size·variance/(people·w·size + variance). At the optimum,
    // its derivative is equal for all kinds with positive weight, namely the square of the root. Bisection
    // finds the root.
    const auto weights_at = [&](double root) {
        std::vector<double> all;
        for (const ChosenQueries& aim : aims)
            all.push_back(
                std::max(0.0, (std::sqrt(aim.need * aim.variance * people) * aim.size * root - aim.variance) /
                                  (people * aim.size)));
        return all;
    };
    const auto sum_at = [&](double root) {
        const std::vector<double> all = weights_at(root);
        double sum = 0;
        for (std::size_t i = 0; i < all.size(); ++i) sum += aims[i].number * all[i];
        return sum;
    };
    double least = 0, most = 1;
    while (sum_at(most) < 1) most *= 2;
    for (int i = 0; i < 60; ++i) {
        const double middle = (least + most) / 2;
        (sum_at(middle) < 1 ? least : most) = middle;
    }
    return weights_at(most);
}

void write(const Settings& settings, Writer& writer) {
    const std::vector<std::uint64_t> sizes = sizes_of(settings.attributes());
    const OptionValue& choice = settings.option("marginals");
    write_sizes(writer, sizes);
    write_views(writer, choice, sizes.size(), false);
    const unsigned buckets = SignedIndex::best_buckets(settings.epsilon(), most_places);
    writer.put(static_cast<std::uint8_t>(buckets));
    const Catalogue catalogue(views_of(choice, sizes.size(), false), sizes);
    // number of level queries, and number of positions as a power of two
    std::map<QueryKind, std::pair<double, unsigned>> kinds;
    for (std::size_t i = 0; i < catalogue.kinds.size(); ++i) {
        auto& [number, places] = kinds[catalogue.kinds[i]];
        number += 1;
        places = catalogue.questions[i].places();
    }
    const bool ranges = settings.word("optimize_for") == "ranges";
    std::vector<ChosenQueries> aims;
    for (const auto& [kind, of] : kinds) {
        const SignedIndex channel(of.second, std::min(of.second, buckets), settings.epsilon());
        double need = need_of(kind.levels[0], kind.of[0], ranges);
        // A single attribute is used alone and, in each pair, with the mean of the other attribute.
        need *= kind.count == 2 ? need_of(kind.levels[1], kind.of[1], ranges)
                                : 1 + kind.pairs * need_of_mean(kind.of[0], ranges);
        const double even_node = std::ldexp(1.0, -static_cast<int>(of.second));
        aims.push_back({of.first, channel.mean_square(1, 1 / static_cast<double>(channel.buckets())), need,
                        even_node * even_node / std::exp2(kind.count)});
    }
    const std::uint64_t people = settings.number("people");
    const std::vector<double> weights = assignment_for(aims, static_cast<double>(people));
    const double most = std::ranges::max(weights);
    std::size_t at = 0;
    for (const auto& [kind, of] : kinds) {
        const bool always = people == 0 || kind.count == 1 || of.second == 0;
        const double steps = std::max(always ? 1.0 : 0.0, std::round(weight_steps * weights[at++] / most));
        writer.put(static_cast<std::uint8_t>(steps));
    }
}

std::unique_ptr<const Mechanism> load(const Header& header, Bytes block) {
    Reader reader(block.subspan(header_size));
    std::vector<std::uint64_t> sizes = read_sizes(reader, max_values);
    const std::vector<ViewAttributes> views = read_views(reader, sizes.size(), most_together, false);
    const auto buckets = reader.take<std::uint8_t>();
    if (buckets > most_places) refuse_block("a query has too many buckets");
    if (too_large(views, sizes) != nullptr) refuse_block("a marginal has too many cells");
    if (number_of_questions(views, sizes) > max_questions) refuse_block("there are too many queries");
    const Catalogue catalogue(views, sizes);
    std::map<QueryKind, std::uint64_t> weight_of;
    for (const QueryKind& kind : catalogue.kinds) weight_of.try_emplace(kind);
    for (auto& [kind, weight] : weight_of) {
        weight = reader.take<std::uint8_t>();
        if (weight == 0 && (kind.count == 1 || kind.levels == decltype(kind.levels){}))
            refuse_block("a marginal has probability zero");
    }
    reader.finish();
    std::vector<HaarQuery> questions;
    std::vector<std::uint64_t> weights;
    std::uint64_t state = 0;
    for (std::size_t i = 0; i < catalogue.questions.size(); ++i) {
        const std::uint64_t weight = weight_of.at(catalogue.kinds[i]);
        if (weight == 0) continue;
        questions.push_back(catalogue.questions[i]);
        weights.push_back(weight);
        state += state_of(questions.back());
    }
    if (state > max_state)
        raise(ErrorCode::invalid_spec, "the summaries of these queries would be too large",
              "They would have " + std::to_string(state) + " bytes; allowed are " +
                  std::to_string(max_state) + ".",
              "Use fewer bins or values, or list the marginals that you will query.");
    return make_joint_haar(header, block, std::move(sizes), buckets, std::move(questions), weights);
}

constexpr const char* views[] = {"pairs"};
constexpr const char* targets[] = {"ranges", "cells"};
constexpr Option options[] = {
    {.name = "marginals", .choices = views, .groups = true},
    {.name = "optimize_for", .choices = targets},
    {.name = "people", .fallback = 0, .least = 1, .most = max_count, .optional = true}};

}  // namespace

const MechanismEntry entry(
    33, "joint_haar", "Haar coefficients of several attributes",
    "a plus or a minus about one range of one or two questions. The range is drawn at random. The sign "
    "depends on the half of the range that contains your answer, and is reversed at random in some reports",
    Shape::record, max_joint_attributes, write, load,
    {.options = options, .settle = settle, .purpose = Purpose::joint_boxes});

}  // namespace ldp::joint_haar
