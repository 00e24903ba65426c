// Options of joint in a spec, and its parameter block.

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/channel/subset_channel.hpp"
#include "core/mechanism/frequency/counters.hpp"
#include "core/mechanism/frequency/second_layer.hpp"
#include "core/mechanism/joint/joint.hpp"
#include "core/mechanism/joint/view_weights.hpp"
#include "core/mechanism/role/entries.hpp"
#include "core/mechanism/role/fields.hpp"

namespace ldp::joint {

void settle_asked(IntegerRows& sets) {
    for (auto& set : sets) {
        std::ranges::sort(set);
        if (set.empty() || set.size() > ViewAttributes::most || std::ranges::adjacent_find(set) != set.end())
            refuse_spec(
                "queries are sets of 1 to " + std::to_string(ViewAttributes::most) + " different attributes",
                "Found a set of " + std::to_string(set.size()) + ".",
                "For more attributes, list the most important sets of three.");
    }
    std::ranges::sort(sets, [](const auto& a, const auto& b) {
        return a.size() != b.size() ? a.size() < b.size() : a < b;
    });
    sets.erase(std::unique(sets.begin(), sets.end()), sets.end());
    if (sets.empty() || sets.size() > max_views)
        refuse_spec("\"queries\" names at least one set, and no more than " + std::to_string(max_views),
                    "Found " + std::to_string(sets.size()) + ".");
}

namespace {

constexpr std::uint64_t max_state = std::uint64_t{256} << 20;
/// Resolution of the views' weights if they differ.
constexpr double weight_steps = 1000;
/// Set sizes in a block that stand for l_osue and l_grr, if there are two layers.
constexpr std::uint16_t of_bits = 0, of_one_cell = 1;

// Settings -------------------------------------------------------------------------------------------------

void settle(SettingsDraft& draft) {
    check_joint_attributes(draft.attributes, "joint");
    settle_second_layer(draft);
    const std::uint64_t d = draft.attributes.size();
    OptionValue& choice = draft.options.at("marginals");
    auto& singles = std::get<double>(draft.options.at("one_way_share"));
    if (!(singles >= 0 && singles <= most_singles))
        refuse_spec("the proportion of people \"one_way_share\" is out of range",
                    "Found " + shortest(singles) + "; allowed are 0 to " + shortest(most_singles) + ".");
    if (auto* sets = std::get_if<IntegerRows>(&draft.options.at("queries"))) settle_asked(*sets);
    if (std::holds_alternative<IntegerRows>(choice)) {
        if (singles > 0)
            refuse_spec("\"one_way_share\" requires \"pairs\", \"triples\" or \"auto\"",
                        "The spec lists its marginals.",
                        "Add single attributes to the marginals, or omit \"one_way_share\".");
    } else if (std::get<std::string>(choice) == "auto") {
        refuse_open_choice("\"marginals\" is \"auto\".");
    }
    settle_views(choice, draft.attributes, ViewAttributes::most, singles > 0);
    const std::vector<std::uint64_t> sizes = sizes_of(draft.attributes);
    for (const ViewAttributes& view : views_of(choice, d, singles > 0))
        if (const std::uint64_t cells = kind_of_view(view, sizes).first; cells > max_cells) {
            std::vector<std::string> names;
            for (const std::size_t j : view.all()) names.push_back(draft.attributes[j].name);
            refuse_spec("a marginal has too many cells",
                        "The marginal of " + joined(names) + " has " + std::to_string(cells) +
                            "; allowed are " + std::to_string(max_cells) + ".",
                        "Use fewer bins or values, or fewer attributes in one marginal.");
        }
}

// Parameters -----------------------------------------------------------------------------------------------

void write(const Settings& settings, Writer& writer) {
    const std::vector<std::uint64_t> sizes = sizes_of(settings.attributes());
    write_sizes(writer, sizes);
    const OptionValue& choice = settings.option("marginals");
    const double singles = settings.real("one_way_share");
    const ViewEpsilon epsilon{settings.epsilon(), settings.real(second_layer_option.name)};
    const std::vector<ViewAttributes> views = views_of(choice, sizes.size(), singles > 0);
    write_views(writer, choice, sizes.size(), singles > 0);
    std::map<ViewKind, double> kinds;
    double alone = 0, together = 0;
    for (const ViewAttributes& view : views) {
        const ViewKind kind = kind_of_view(view, sizes);
        if (const auto [at, found] = kinds.try_emplace(kind); found)
            at->second = assignment_weight(kind, epsilon, settings.word("optimize_for") == "ranges");
        (view.count == 1 ? alone : together) += kinds[kind];
    }
    double most = 0;
    for (auto& [kind, weight] : kinds) {
        if (singles > 0 && kind.second == 1) weight *= singles / (1 - singles) * together / alone;
        most = std::max(most, weight);
    }
    std::vector<std::uint16_t> weights;
    // weight of the view with the largest probability
    auto common = static_cast<std::uint16_t>(weight_steps);
    for (const auto& [kind, weight] : kinds) {
        const double steps = std::max(1.0, std::round(weight_steps * weight / most));
        weights.push_back(static_cast<std::uint16_t>(steps));
        common = std::gcd(common, weights.back());
    }
    std::size_t at = 0;
    for (const auto& [kind, weight] : kinds) {
        const std::uint64_t size = epsilon.first == 0
                                       ? SubsetChannel::best_size(epsilon.epsilon, kind.first)
                                       : (reports_bits(kind.first, epsilon.first) ? of_bits : of_one_cell);
        writer.put(static_cast<std::uint16_t>(size));
        writer.put(static_cast<std::uint16_t>(weights[at++] / common));
    }
    write_second_layer(settings, writer);
}

/// Returns the mechanism of the views of a kind. In two layers, `size` says which of the two it is.
ViewClass class_of_views(const Header& header, std::uint64_t cells, std::uint16_t size, std::uint16_t weight,
                         double report_epsilon) {
    const bool layers = report_epsilon != header.epsilon;
    if (layers && size != of_bits && size != of_one_cell)
        refuse_block("a marginal has an unknown second layer");
    Writer parameters;
    parameters.put(static_cast<std::uint32_t>(cells));
    if (layers)
        parameters.put(report_epsilon);
    else
        parameters.put(std::uint32_t{size});
    const MechanismEntry& entry = !layers ? subset::entry : size == of_bits ? l_osue::entry : l_grr::entry;
    const std::vector<std::byte> inner = make_block(entry.id, header, header.epsilon, parameters.bytes());
    return {entry.load(read_header(inner, Kind::report), inner), weight, layers && size == of_bits};
}

std::unique_ptr<const Mechanism> load(const Header& header, Bytes block) {
    Reader reader(block.subspan(header_size));
    std::vector<std::uint64_t> sizes = read_sizes(reader, max_cells);
    std::map<ViewKind, std::size_t> kinds;
    std::vector<View> views;
    for (const ViewAttributes& attributes : read_views(reader, sizes.size(), ViewAttributes::most, true)) {
        kinds.try_emplace(kind_of_view(attributes, sizes));
        views.push_back({attributes, 0});
    }
    std::vector<std::pair<std::uint16_t, std::uint16_t>> fields;  // set size and weight of each kind
    for (const auto& [kind, number] : kinds) {
        if (kind.first > max_cells) refuse_block("a marginal has too many cells");
        const auto size = reader.take<std::uint16_t>();
        fields.emplace_back(size, reader.take<std::uint16_t>());
        if (fields.back().second == 0) refuse_block("a marginal has probability zero");
    }
    const double report_epsilon = take_second_layer(reader, header);
    std::vector<ViewClass> classes;
    for (auto& [kind, number] : kinds) {
        number = classes.size();
        const auto [size, weight] = fields[number];
        classes.push_back(class_of_views(header, kind.first, size, weight, report_epsilon));
    }
    std::uint64_t state = 0;
    for (View& view : views) {
        view.kind = kinds.at(kind_of_view(view.attributes, sizes));
        state += counter_size + classes[view.kind].inner->state_size();
    }
    if (state > max_state)
        raise(ErrorCode::invalid_spec, "the summaries of these joint tables would be too large",
              "They would have " + std::to_string(state) + " bytes; allowed are " +
                  std::to_string(max_state) + ".",
              "Use fewer bins or values, or list the marginals that you will query.");
    return make_joint(header, block, std::move(sizes), std::move(classes), std::move(views));
}

constexpr const char* views[] = {"pairs", "triples", "auto"};
constexpr const char* targets[] = {"cells", "ranges"};
constexpr const char* asked[] = {"pairs", "triples"};
constexpr Option options[] = {
    {.name = "marginals", .choices = views, .groups = true},
    {.name = "optimize_for", .choices = targets},
    {.name = "queries", .choices = asked, .groups = true, .optional = true},
    {.name = "one_way_share", .real = true, .optional = true},
    second_layer_option,
    {.name = "people", .fallback = 0, .least = 1, .most = max_count, .optional = true}};

}  // namespace

const MechanismEntry entry(
    31, "joint", "cells of joint tables",
    "some combinations of answers to a few of the questions. The questions are drawn at random, "
    "independently of your answers. Your own combination is included more often than any other",
    Shape::record, max_joint_attributes, write, load,
    {.options = options, .settle = settle, .purpose = Purpose::joint_tables});

}  // namespace ldp::joint
