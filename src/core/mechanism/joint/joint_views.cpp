#include "core/mechanism/joint/joint_views.hpp"

#include <algorithm>
#include <numeric>

#include "core/base/error.hpp"
#include "core/mechanism/role/fields.hpp"

namespace ldp {

namespace {

/// Flag in a parameter block: all single attributes are also views.
constexpr std::uint8_t singles_too = 16;

/// Sorts the sets and each set, and rejects duplicates.
IntegerRows tidy_views(IntegerRows rows, const std::vector<Attribute>& attributes, std::uint8_t most) {
    std::vector<bool> seen(attributes.size());
    for (auto& row : rows) {
        std::ranges::sort(row);
        if (row.empty() || row.size() > most || std::ranges::adjacent_find(row) != row.end())
            refuse_spec("a marginal has 1 to " + std::to_string(most) + " different attributes",
                        "Found a marginal of " + std::to_string(row.size()) + ".");
        for (const std::int64_t j : row) seen[static_cast<std::size_t>(j)] = true;
    }
    std::ranges::sort(rows, [](const auto& a, const auto& b) {
        return a.size() != b.size() ? a.size() < b.size() : a < b;
    });
    if (std::ranges::adjacent_find(rows) != rows.end())
        refuse_spec("two marginals have the same attributes",
                    "There are " + std::to_string(rows.size()) + " marginals.");
    for (std::size_t j = 0; j < seen.size(); ++j)
        if (!seen[j])
            refuse_spec("an attribute is in no marginal",
                        "No report would contain \"" + attributes[j].name + "\".",
                        "Remove the attribute, or add a marginal that contains it.");
    return rows;
}

}  // namespace

void refuse_spec(const std::string& what, const std::string& detail, const std::string& hint) {
    raise(ErrorCode::invalid_spec, what, detail, hint);
}

std::vector<ViewAttributes> all_views(std::uint64_t d, std::uint8_t count) {
    std::vector<ViewAttributes> all;
    ViewAttributes view{.count = count};
    std::iota(view.numbers.begin(), view.numbers.begin() + count, std::uint8_t{0});
    while (view.numbers[count - 1] < d) {
        all.push_back(view);
        std::size_t last = count - 1;  // index of the last number that can be incremented
        while (last > 0 && view.numbers[last] + std::uint64_t{count} - last >= d) --last;
        ++view.numbers[last];
        std::iota(view.numbers.begin() + last, view.numbers.begin() + count, view.numbers[last]);
    }
    return all;
}

std::uint64_t count_all(std::uint64_t d, std::uint64_t count) {
    return count == 2 ? d * (d - 1) / 2 : d * (d - 1) * (d - 2) / 6;
}

std::optional<std::uint8_t> order_of(const std::string& word) {
    if (word == "pairs") return 2;
    if (word == "triples") return 3;
    return std::nullopt;
}

std::vector<ViewAttributes> views_of(std::uint64_t d, std::uint8_t count, bool singles) {
    std::vector<ViewAttributes> views = all_views(d, count);
    if (singles) {
        const std::vector<ViewAttributes> alone = all_views(d, 1);
        views.insert(views.begin(), alone.begin(), alone.end());
    }
    return views;
}

std::vector<ViewAttributes> views_of(const OptionValue& choice, std::uint64_t d, bool singles) {
    if (const auto* word = std::get_if<std::string>(&choice)) return views_of(d, *order_of(*word), singles);
    std::vector<ViewAttributes> views;
    for (const auto& row : std::get<IntegerRows>(choice)) {
        ViewAttributes& view = views.emplace_back();
        for (const std::int64_t j : row) view.numbers[view.count++] = static_cast<std::uint8_t>(j);
    }
    return views;
}

std::vector<std::uint64_t> sizes_of(const std::vector<Attribute>& attributes) {
    std::vector<std::uint64_t> sizes(attributes.size());
    std::ranges::transform(attributes, sizes.begin(), &Attribute::domain);
    return sizes;
}

void check_joint_attributes(const std::vector<Attribute>& attributes, const char* mechanism) {
    for (const Attribute& attribute : attributes) {
        const std::string name = '"' + attribute.name + '"';
        if (attribute.numeric())
            refuse_spec(
                std::string(mechanism) + " does not support numbers", name + " is a number.",
                "Divide its range: add \"bins\": 16, or \"edges\" with the inner bounds of its bins.");
        if (attribute.strings)
            refuse_spec(std::string(mechanism) + " does not support strings of an open domain",
                        name + " has \"strings\".", "List the strings of interest as its \"domain\".");
        if (attribute.several())
            refuse_spec(std::string(mechanism) + " does not support sets of labels",
                        name + " has \"several\": true: a person may be in several cells.",
                        "Collect each label as a category with the values yes and no.");
        if (attribute.of_record())
            refuse_spec(
                std::string("an attribute of ") + mechanism + " must not have \"mechanism\" or \"weight\"",
                name + " has one of them; attributes are reported together.");
    }
}

void settle_views(OptionValue& choice, const std::vector<Attribute>& attributes, std::uint8_t most,
                  bool singles) {
    const std::uint64_t d = attributes.size();
    if (auto* rows = std::get_if<IntegerRows>(&choice)) {
        *rows = tidy_views(std::move(*rows), attributes, most);
        for (const char* word : {"pairs", "triples"})
            if (d >= *order_of(word) &&
                std::ranges::equal(views_of(choice, d, false), all_views(d, *order_of(word)))) {
                choice = word;
                break;
            }
    }
    if (const auto* word = std::get_if<std::string>(&choice)) {
        if (d < *order_of(*word)) refuse_spec("two attributes have no triples", {}, "Say \"pairs\".");
        if (const std::uint64_t count = count_all(d, *order_of(*word)) + (singles ? d : 0); count > max_views)
            refuse_spec("there are too many marginals",
                        "There are " + std::to_string(count) + " with all " + *word + "; allowed are " +
                            std::to_string(max_views) + " marginals.",
                        "List the marginals that you will query.");
    }
}

void write_sizes(Writer& writer, const std::vector<std::uint64_t>& sizes) {
    writer.put(static_cast<std::uint16_t>(sizes.size()));
    write_runs<std::uint16_t>(
        writer, sizes, [](Writer& to, std::uint64_t size) { to.put(static_cast<std::uint32_t>(size)); });
}

std::vector<std::uint64_t> read_sizes(Reader& reader, std::uint64_t most) {
    const auto d = reader.take<std::uint16_t>();
    if (d < 2 || d > max_joint_attributes) refuse_block("the number of attributes is out of range");
    return read_runs<std::uint16_t>(
        reader, d, [=](Reader& from) { return take_number(from, "number of values", 2, most); });
}

void write_views(Writer& writer, const OptionValue& choice, std::uint64_t d, bool singles) {
    const auto* word = std::get_if<std::string>(&choice);
    const std::uint8_t order = word != nullptr ? *order_of(*word) : 0;
    writer.put(static_cast<std::uint8_t>(order + (singles ? singles_too : 0)));
    if (word != nullptr) return;
    const std::vector<ViewAttributes> views = views_of(choice, d, singles);
    writer.put(static_cast<std::uint16_t>(views.size()));
    for (const ViewAttributes& view : views) {
        writer.put(view.count);
        for (const std::uint8_t j : view.all()) writer.put(j);
    }
}

std::vector<ViewAttributes> read_views(Reader& reader, std::uint64_t d, std::uint8_t most, bool singles) {
    const auto choice = reader.take<std::uint8_t>();
    if (choice != 0) {
        const bool alone = (choice & singles_too) != 0;
        const auto order = static_cast<std::uint8_t>(choice & ~singles_too);
        if ((alone && !singles) || order < 2 || order > most || order > d ||
            count_all(d, order) + (alone ? d : 0) > max_views)
            refuse_block("the number of attributes is out of range");
        return views_of(d, order, alone);
    }
    std::vector<ViewAttributes> views(reader.take<std::uint16_t>());
    if (views.empty() || views.size() > max_views) refuse_block("the number of marginals is out of range");
    std::vector<bool> seen(d);
    for (ViewAttributes& view : views) {
        view.count = reader.take<std::uint8_t>();
        if (view.count == 0 || view.count > most)
            refuse_block("a marginal has an invalid number of attributes");
        for (std::size_t i = 0; i < view.count; ++i) {
            view.numbers[i] = reader.take<std::uint8_t>();
            if (view.numbers[i] >= d || (i > 0 && view.numbers[i] <= view.numbers[i - 1]))
                refuse_block("a marginal has an invalid attribute");
            seen[view.numbers[i]] = true;
        }
    }
    if (!std::ranges::is_sorted(views, std::ranges::less_equal()) ||
        std::ranges::adjacent_find(views) != views.end())
        refuse_block("the marginals are out of order");
    if (std::ranges::count(seen, false) > 0) refuse_block("an attribute is in no marginal");
    return views;
}

}  // namespace ldp
