// What a spec may say of cross tables, what it leaves to be settled, and the parameter block that it becomes.

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <numeric>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/channel/subset.hpp"
#include "core/mechanism/entries.hpp"
#include "core/mechanism/fields.hpp"
#include "core/mechanism/frequency/counters.hpp"
#include "core/mechanism/vector/joint.hpp"

namespace ldp::joint {

namespace {

constexpr std::uint64_t max_attributes = 128;
constexpr std::uint64_t max_views = 8192;
constexpr std::uint64_t max_cells = 8192;
constexpr std::uint64_t max_state = std::uint64_t{256} << 20;
/// How many parts the weights of views are told in, if they are not equal.
constexpr double weight_steps = 1000;
/// At most so many people report one attribute alone, if others report several.
constexpr double most_singles = 0.9;
/// In a parameter block: all single attributes are views too.
constexpr std::uint8_t singles_too = 16;
/// The noise that "auto" allows in a table of three attributes, as a distance in variation.
constexpr double clear_table = 0.1;

/// How many cells a view has, and of how many attributes: all that its subsets and its weight depend on.
using ViewKind = std::pair<std::uint64_t, std::uint8_t>;

ViewKind kind_of_view(const ViewAttributes& view, const std::vector<std::uint64_t>& sizes) {
    std::uint64_t cells = 1;
    for (const std::size_t j : view.all()) cells *= sizes[j];  // no more than 2^39
    return {cells, view.count};
}

/// All sets of so many of d attributes, in order.
std::vector<ViewAttributes> all_views(std::uint64_t d, std::uint8_t count) {
    std::vector<ViewAttributes> all;
    ViewAttributes view{.count = count};
    std::iota(view.numbers.begin(), view.numbers.begin() + count, std::uint8_t{0});
    while (view.numbers[count - 1] < d) {
        all.push_back(view);
        std::size_t last = count - 1;  // that can go on
        while (last > 0 && view.numbers[last] + std::uint64_t{count} - last >= d) --last;
        ++view.numbers[last];
        std::iota(view.numbers.begin() + last, view.numbers.begin() + count, view.numbers[last]);
    }
    return all;
}

/// How many views that are.
std::uint64_t count_all(std::uint64_t d, std::uint64_t count) {
    return count == 2 ? d * (d - 1) / 2 : d * (d - 1) * (d - 2) / 6;
}

std::vector<std::uint64_t> sizes_of(const std::vector<Attribute>& attributes) {
    std::vector<std::uint64_t> sizes(attributes.size());
    std::ranges::transform(attributes, sizes.begin(), &Attribute::domain);
    return sizes;
}

/// The number of attributes of each view, if the views are all sets of so many.
std::optional<std::uint8_t> order_of(const std::string& word) {
    if (word == "pairs") return 2;
    if (word == "triples") return 3;
    return std::nullopt;
}

/// All sets of so many of d attributes, and perhaps before them each attribute alone.
std::vector<ViewAttributes> views_of(std::uint64_t d, std::uint8_t count, bool singles) {
    std::vector<ViewAttributes> views = all_views(d, count);
    if (singles) {
        const std::vector<ViewAttributes> alone = all_views(d, 1);
        views.insert(views.begin(), alone.begin(), alone.end());
    }
    return views;
}

std::vector<ViewAttributes> views_of(const OptionValue& told, std::uint64_t d, bool singles) {
    if (const auto* word = std::get_if<std::string>(&told)) return views_of(d, *order_of(*word), singles);
    std::vector<ViewAttributes> views;
    for (const auto& row : std::get<IntegerRows>(told)) {
        ViewAttributes& view = views.emplace_back();
        for (const std::int64_t j : row) view.numbers[view.count++] = static_cast<std::uint8_t>(j);
    }
    return views;
}

// Settings -------------------------------------------------------------------------------------------------

[[noreturn]] void invalid(const std::string& what, const std::string& detail, const std::string& hint = {}) {
    raise(ErrorCode::invalid_spec, what, detail, hint);
}

void check_attributes(const std::vector<Attribute>& attributes) {
    for (const Attribute& attribute : attributes) {
        const std::string name = '"' + attribute.name + '"';
        if (attribute.numeric())
            invalid("joint reports cells of cross tables, and a number has none", name + " is a number.",
                    "Divide its range: add \"bins\": 16, or \"edges\" with the inner ends of its bins.");
        if (!attribute.mechanism.empty() || attribute.share != 0)
            invalid("an attribute of joint has no \"mechanism\" and no \"share\"",
                    name + " has; attributes are reported together.");
    }
}

/// Sorted, and none twice, as are the sets.
IntegerRows tidy_views(IntegerRows rows, const std::vector<Attribute>& attributes) {
    std::vector<bool> seen(attributes.size());
    for (auto& row : rows) {
        std::ranges::sort(row);
        if (row.empty() || row.size() > ViewAttributes::most || std::ranges::adjacent_find(row) != row.end())
            invalid("a view is a set of 1 to 3 different attributes",
                    "Found one of " + std::to_string(row.size()) + ".");
        for (const std::int64_t j : row) seen[static_cast<std::size_t>(j)] = true;
    }
    std::ranges::sort(rows, [](const auto& a, const auto& b) {
        return a.size() != b.size() ? a.size() < b.size() : a < b;
    });
    if (std::ranges::adjacent_find(rows) != rows.end())
        invalid("two views are of the same attributes",
                "There are " + std::to_string(rows.size()) + " views.");
    for (std::size_t j = 0; j < seen.size(); ++j)
        if (!seen[j])
            invalid("an attribute is in no view", "Nobody would report \"" + attributes[j].name + "\".",
                    "Leave it out, or add a view that has it.");
    return rows;
}

double promised_cell(std::uint64_t cells, double epsilon) {
    const SubsetChannel channel(cells, SubsetChannel::best_size(epsilon, cells), epsilon);
    return channel.contrast() * (1 - 1 / static_cast<double>(cells));
}

/// The noise of a table as a distance in variation, on average over the views of so many attributes, if so
/// many people are divided among them; infinite if there are too many views, or too large ones.
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
            std::sqrt(promised_cell(kind.first, draft.epsilon) * all / static_cast<double>(people));
        const double mean_of_normal = std::sqrt(2 / std::numbers::pi);
        noise +=
            static_cast<double>(number) / all * static_cast<double>(kind.first) * mean_of_normal * error / 2;
    }
    return noise;
}

/// Triples if noise leaves their tables clear, else pairs, which are told far better. The noisier these are,
/// the more a fit has to rely on what single attributes tell, and the more people report those alone: the
/// part that the squared noise has of itself and the square of the largest distance. Of the sets of people in
/// bench/joint this lets fits come nearest to the truth, give or take a few percent.
void choose_views(SettingsDraft& draft, std::uint64_t people) {
    const double of_triples = expected_noise(draft, 3, people);
    const bool clear = of_triples <= clear_table;
    const double noise = clear ? of_triples : expected_noise(draft, 2, people);
    draft.options.at("views") = clear ? "triples" : "pairs";
    auto& singles = std::get<double>(draft.options.at("singles"));
    if (singles == 0) singles = std::min(most_singles, std::round(100 / (1 + 1 / (noise * noise))) / 100);
}

void settle(SettingsDraft& draft) {
    check_attributes(draft.attributes);
    const std::uint64_t d = draft.attributes.size();
    OptionValue& told = draft.options.at("views");
    auto& singles = std::get<double>(draft.options.at("singles"));
    if (!(singles >= 0 && singles <= most_singles))
        invalid("\"singles\" is the share of people who report one attribute alone",
                "Found " + shortest(singles) + "; allowed are 0 to " + shortest(most_singles) + ".");
    const auto people = std::get<std::uint64_t>(draft.options.at("people"));
    if (auto* rows = std::get_if<IntegerRows>(&told)) {
        if (singles > 0)
            invalid("\"singles\" goes with \"pairs\", \"triples\" or \"auto\"", "The views are listed.",
                    "List single attributes among the views, or leave \"singles\" out.");
        *rows = tidy_views(std::move(*rows), draft.attributes);
        for (const char* word : {"pairs", "triples"})
            if (d >= *order_of(word) &&
                std::ranges::equal(views_of(told, d, false), all_views(d, *order_of(word)))) {
                told = word;
                break;
            }
    } else if (std::get<std::string>(told) == "auto") {
        if (people == 0)
            invalid("views are chosen for a number of people", "The spec does not say how many will report.",
                    "Add \"people\", how many you expect, or say \"pairs\".");
        choose_views(draft, people);
    }
    if (const auto* word = std::get_if<std::string>(&told)) {
        if (d < *order_of(*word)) invalid("there are no triples of two attributes", {}, "Say \"pairs\".");
        if (const std::uint64_t count = count_all(d, *order_of(*word)) + (singles > 0 ? d : 0);
            count > max_views)
            invalid("these are too many views",
                    "There are " + std::to_string(count) + " with all " + *word + "; allowed are " +
                        std::to_string(max_views) + " views.",
                    "List the views that you will ask about.");
    }
    const std::vector<std::uint64_t> sizes = sizes_of(draft.attributes);
    for (const ViewAttributes& view : views_of(told, d, singles > 0))
        if (const std::uint64_t cells = kind_of_view(view, sizes).first; cells > max_cells) {
            std::vector<std::string> names;
            for (const std::size_t j : view.all()) names.push_back(draft.attributes[j].name);
            invalid("a view has too many cells",
                    "That of " + joined(names) + " has " + std::to_string(cells) + "; allowed are " +
                        std::to_string(max_cells) + ".",
                    "Ask with fewer bins or values, or about fewer attributes at a time.");
        }
}

// Parameters -----------------------------------------------------------------------------------------------

/// How likely a view of this kind is drawn, beside others: so that the variance of what is asked, added up
/// over the views, is least. That is a cell, or a box half as wide as each attribute.
double lot_weight(const ViewKind& kind, double epsilon, bool ranges) {
    const auto [cells, attributes] = kind;
    if (!ranges) return std::sqrt(promised_cell(cells, epsilon));
    const double box = std::exp2(-static_cast<double>(attributes));
    return std::sqrt(promised_cell(cells, epsilon) * static_cast<double>(cells) * box * (1 - box));
}

void write(const Settings& settings, Writer& writer) {
    const std::vector<std::uint64_t> sizes = sizes_of(settings.attributes());
    writer.put(static_cast<std::uint16_t>(sizes.size()));
    write_runs<std::uint16_t>(
        writer, sizes, [](Writer& to, std::uint64_t size) { to.put(static_cast<std::uint32_t>(size)); });
    const OptionValue& told = settings.option("views");
    const auto* word = std::get_if<std::string>(&told);
    const double singles = settings.real("singles");
    const std::vector<ViewAttributes> views = views_of(told, sizes.size(), singles > 0);
    const std::uint8_t order = word != nullptr ? *order_of(*word) : 0;
    writer.put(static_cast<std::uint8_t>(order + (singles > 0 ? singles_too : 0)));
    if (word == nullptr) {
        writer.put(static_cast<std::uint16_t>(views.size()));
        for (const ViewAttributes& view : views) {
            writer.put(view.count);
            for (const std::uint8_t j : view.all()) writer.put(j);
        }
    }
    std::map<ViewKind, double> kinds;
    double alone = 0, together = 0;
    for (const ViewAttributes& view : views) {
        const ViewKind kind = kind_of_view(view, sizes);
        if (const auto [at, found] = kinds.try_emplace(kind); found)
            at->second = lot_weight(kind, settings.epsilon(), settings.word("target") == "ranges");
        (view.count == 1 ? alone : together) += kinds[kind];
    }
    double most = 0;
    for (auto& [kind, weight] : kinds) {
        if (singles > 0 && kind.second == 1) weight *= singles / (1 - singles) * together / alone;
        most = std::max(most, weight);
    }
    std::vector<std::uint16_t> weights;
    std::uint16_t common = 0;
    for (const auto& [kind, weight] : kinds) {
        const double steps = std::max(1.0, std::round(weight_steps * weight / most));
        weights.push_back(static_cast<std::uint16_t>(steps));
        common = std::gcd(common, weights.back());
    }
    std::size_t at = 0;
    for (const auto& [kind, weight] : kinds) {
        writer.put(static_cast<std::uint16_t>(SubsetChannel::best_size(settings.epsilon(), kind.first)));
        writer.put(static_cast<std::uint16_t>(weights[at++] / common));
    }
}

[[noreturn]] void malformed(const char* what) {
    raise(ErrorCode::malformed, what, {}, "The bytes were damaged or forged.");
}

std::vector<ViewAttributes> read_views(Reader& reader, std::uint64_t d) {
    const auto told = reader.take<std::uint8_t>();
    if (told != 0) {
        const bool singles = (told & singles_too) != 0;
        const auto order = static_cast<std::uint8_t>(told & ~singles_too);
        if (order < 2 || order > ViewAttributes::most || order > d ||
            count_all(d, order) + (singles ? d : 0) > max_views)
            malformed("the views are of an impossible number of attributes");
        return views_of(d, order, singles);
    }
    std::vector<ViewAttributes> views(reader.take<std::uint16_t>());
    if (views.empty() || views.size() > max_views) malformed("the number of views is out of range");
    std::vector<bool> seen(d);
    for (ViewAttributes& view : views) {
        view.count = reader.take<std::uint8_t>();
        if (view.count == 0 || view.count > ViewAttributes::most)
            malformed("a view has an impossible number of attributes");
        for (std::size_t i = 0; i < view.count; ++i) {
            view.numbers[i] = reader.take<std::uint8_t>();
            if (view.numbers[i] >= d || (i > 0 && view.numbers[i] <= view.numbers[i - 1]))
                malformed("a view has an impossible attribute");
            seen[view.numbers[i]] = true;
        }
    }
    if (!std::ranges::is_sorted(views, std::ranges::less_equal()) ||
        std::ranges::adjacent_find(views) != views.end())
        malformed("the views are out of order");
    if (std::ranges::count(seen, false) > 0) malformed("an attribute is in no view");
    return views;
}

std::unique_ptr<const Mechanism> load(const Header& header, Bytes block) {
    Reader reader(block.subspan(header_size));
    const auto d = reader.take<std::uint16_t>();
    if (d < 2 || d > max_attributes) malformed("the number of attributes is out of range");
    std::vector<std::uint64_t> sizes = read_runs<std::uint16_t>(
        reader, d, [](Reader& from) { return take_number(from, "number of values", 2, max_cells); });
    std::map<ViewKind, std::size_t> kinds;
    std::vector<View> views;
    for (const ViewAttributes& attributes : read_views(reader, d)) {
        kinds.try_emplace(kind_of_view(attributes, sizes));
        views.push_back({attributes, 0});
    }
    std::vector<ViewClass> classes;
    for (auto& [kind, number] : kinds) {
        if (kind.first > max_cells) malformed("a view has too many cells");
        Writer parameters;
        parameters.put(static_cast<std::uint32_t>(kind.first));
        parameters.put(static_cast<std::uint32_t>(reader.take<std::uint16_t>()));
        const auto weight = reader.take<std::uint16_t>();
        if (weight == 0) malformed("a view is never drawn");
        const std::vector<std::byte> inner =
            make_block(subset::entry.id, header, header.epsilon, parameters.bytes());
        number = classes.size();
        classes.push_back({subset::entry.load(read_header(inner, Kind::report), inner), weight});
    }
    reader.finish();
    std::uint64_t state = 0;
    for (View& view : views) {
        view.kind = kinds.at(kind_of_view(view.attributes, sizes));
        state += counter_size + classes[view.kind].inner->state_size();
    }
    if (state > max_state)
        raise(ErrorCode::invalid_spec, "the summaries of these cross tables would be too large",
              "They would have " + std::to_string(state) + " bytes; allowed are " +
                  std::to_string(max_state) + ".",
              "Ask with fewer bins or values, or list the views that you will ask about.");
    return make_joint(header, block, std::move(sizes), std::move(classes), std::move(views));
}

constexpr const char* views[] = {"pairs", "triples", "auto"};
constexpr const char* targets[] = {"cells", "ranges"};
constexpr Option options[] = {
    {.name = "views", .choices = views, .groups = true},
    {.name = "target", .choices = targets},
    {.name = "singles", .real = true, .optional = true},
    {.name = "people", .fallback = 0, .least = 1, .most = max_count, .optional = true}};

}  // namespace

const MechanismEntry entry{
    31,
    "joint",
    "cells of cross tables",
    "a set of combined answers to a few of the questions, which are drawn by lot without a look at yours; "
    "the set is drawn by chance, and your own combination is in it more often than any other",
    Shape::record,
    max_attributes,
    false,
    options,
    write,
    load,
    settle};

}  // namespace ldp::joint
