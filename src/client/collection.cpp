#include "client/collection.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "client/in_quotes.hpp"
#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/base/unknown.hpp"
#include "core/channel/numeric.hpp"
#include "core/contract/products.hpp"
#include "core/math/fixed_steps.hpp"
#include "core/mechanism/frequency/label_codes.hpp"
#include "core/mechanism/role/fields.hpp"
#include "core/mechanism/role/mechanism.hpp"
#include "core/mechanism/strings/string_codes.hpp"
#include "core/mechanism/vector/haar_vector.hpp"

namespace ldp {

namespace {

[[noreturn]] void refuse(const std::string& message, const std::string& detail,
                         const std::string& hint = {}) {
    raise(ErrorCode::invalid_value, message, detail, hint);
}

/// The absence of a value must be protected, too.
constexpr const char* no_number =
    "If people may have no value, add \"missing\": true to the attribute. For bins, use a category with "
    "an additional label named in \"missing_label\".";

/// Whether the value stands for a missing number: an empty label or NaN.
bool is_missing(const Value& value) noexcept {
    const auto* number = std::get_if<double>(&value);
    return number != nullptr ? std::isnan(*number) : std::get<std::string_view>(value).empty();
}

std::string shown(const Value& value) {
    const auto* number = std::get_if<double>(&value);
    return number != nullptr ? shortest(*number) : in_quotes(std::get<std::string_view>(value));
}

/// Whether a value was clamped: 0 or 1.
using Changed = std::uint8_t;

/// Returns the indexes at which a value was clamped.
std::vector<std::size_t> set_indexes(const std::vector<Changed>& changed) {
    std::vector<std::size_t> indexes(changed.size());
    std::size_t count = 0;
    for (std::size_t j = 0; j < changed.size(); ++j) {
        indexes[count] = j;
        count += changed[j];
    }
    indexes.resize(count);
    return indexes;
}

}  // namespace

struct Collection::Plan {
    /// Tables of an attribute for the client.
    struct Lookups {
        explicit Lookups(const Attribute& attribute)
            : labels(attribute.labels),
              none(labels.find(attribute.none)),
              other(labels.find(attribute.other)) {
            if (attribute.several())
                sets = std::make_shared<const SetCodes>(attribute.domain, attribute.most);
        }

        TextSearch labels;
        std::size_t none, other;  ///< values of these labels; the number of labels if they do not exist
        std::shared_ptr<const SetCodes> sets{};  ///< null if people have one value
    };

    Plan(Offer of, ContractTerms allowed, Outside policy)
        : spec(std::move(of.spec)),
          mechanism(make_mechanism(spec)),
          outside(policy),
          terms(std::move(allowed)),
          columns(std::move(of.columns)),
          contract(offered({spec, {}, of.endpoint, of.collection, of.created})),
          cells(mechanism->cells()),
          given(ldp::given(spec.attributes())) {
        for (const Attribute& attribute : spec.attributes()) lookups.emplace_back(attribute);
    }

    // These take the same steps for all values that the attribute may have, except for texts. `Changed` is set if the value
    // was clamped.
    [[nodiscard]] Cell category(std::size_t j, const Value& value, Changed& changed) const;
    [[nodiscard]] Cell string(std::size_t j, const Value& value, Changed& changed) const;
    /// Returns the items for SetCodes::code_of(), or the numbers of too many labels.
    [[nodiscard]] std::vector<Cell> set(std::size_t j, const Value& value, Changed& changed) const;
    /// Returns the labels of a text, and the domain's size for each label that is missing to `most`.
    [[nodiscard]] std::vector<Cell> listed(std::size_t j, std::string_view text, Changed& changed) const;
    [[nodiscard]] Cell number(std::size_t j, const Value& value) const;
    [[nodiscard]] Cell number_in(std::size_t j, std::string_view text) const;
    /// Returns the number, clamped to its range.
    [[nodiscard]] double inside(std::size_t j, const Value& value, Changed& changed) const;
    [[nodiscard]] double position(std::size_t j, double value) const;
    [[nodiscard]] Cell bin(std::size_t j, const Value& value, Changed& changed) const;
    [[noreturn]] void refuse_label(std::size_t j, const Value& value) const;

    /// Returns the contract of the offer. Throws Error (incompatible) if the terms do not allow it.
    [[nodiscard]] Contract offered(const Offer& offer) const {
        Contract made = Contract::of(offer, terms, *mechanism);
        compare(nullptr, terms, made, columns).require_possible();
        made.offered = made.mark(columns);
        return made;
    }

    Spec spec;
    std::unique_ptr<const Mechanism> mechanism;
    Outside outside;
    ContractTerms terms;
    std::vector<PublicColumn> columns;
    Contract contract;
    std::vector<std::uint64_t> cells;
    std::vector<std::size_t> given;  ///< the attributes of a record: all except products
    std::vector<Lookups> lookups;    ///< of the attributes
};

Cell Collection::Plan::number(std::size_t j, const Value& value) const {
    const Attribute& attribute = spec.attributes()[j];
    const auto* number = std::get_if<double>(&value);
    if (number == nullptr || !(*number >= 0 && *number < static_cast<double>(attribute.domain)) ||
        *number != std::floor(*number))
        refuse(shown(value) + " is not a value of " + in_quotes(attribute.name),
               "Allowed are the whole numbers from 0 to " + std::to_string(attribute.domain - 1) + ".");
    return static_cast<Cell>(*number);
}

Cell Collection::Plan::category(std::size_t j, const Value& value, Changed& changed) const {
    const Attribute& attribute = spec.attributes()[j];
    const Lookups& known = lookups[j];
    const std::size_t outside_domain = known.labels.size();
    const auto* text = std::get_if<std::string_view>(&value);
    if (text == nullptr) refuse_label(j, value);
    const bool missing = text->empty() & (known.none != outside_domain);
    std::size_t found = outside_domain;
    bool possible = true;
    if (attribute.prefix == 0) {
        found = known.labels.find(*text);
    } else if (const auto label = attribute.label_of(*text)) {
        found = known.labels.find(*label);
    } else {
        possible = false;
    }
    const bool replaced = !missing & (found == outside_domain);
    if (replaced && (!possible || known.other == outside_domain)) refuse_label(j, value);
    changed |= replaced;
    return chosen(missing, known.none, chosen(replaced, known.other, found));
}

void Collection::Plan::refuse_label(std::size_t j, const Value& value) const {
    const Attribute& attribute = spec.attributes()[j];
    const auto* text = std::get_if<std::string_view>(&value);
    const std::string message = shown(value) + " is not a value of " + in_quotes(attribute.name);
    if (attribute.prefix != 0)
        refuse(message, "Allowed are strings of at most " + std::to_string(Attribute::max_string) +
                            " bytes of UTF-8, without U+0003.");
    constexpr std::size_t most = 10;
    std::string allowed;
    for (std::size_t i = 0; i < std::min(attribute.labels.size(), most); ++i)
        allowed += (i == 0 ? "" : ", ") + in_quotes(attribute.labels[i]);
    if (attribute.labels.size() > most)
        allowed += " and " + std::to_string(attribute.labels.size() - most) + " more";
    refuse(message, "Allowed are " + allowed + ".",
           text != nullptr && text->empty()
               ? "For missing values, add a label to the \"domain\" and name it in \"missing_label\"."
               : "Labels are compared byte by byte, including case and spaces.");
}

Cell Collection::Plan::number_in(std::size_t j, std::string_view text) const {
    std::int64_t code = 0;
    const auto [stopped, problem] = std::from_chars(text.data(), text.data() + text.size(), code);
    const bool whole = problem == std::errc() && stopped == text.data() + text.size();
    return number(j, whole ? Value(static_cast<double>(code)) : Value(text));
}

// A set of fewer labels than `most` takes as many steps: the first label is looked up instead, and not used.
std::vector<Cell> Collection::Plan::listed(std::size_t j, std::string_view text, Changed& changed) const {
    const Attribute& attribute = spec.attributes()[j];
    const bool labelled = !attribute.labels.empty();
    const std::string_view filler = labelled ? std::string_view(attribute.labels[0]) : "0";
    std::vector<Cell> found;
    found.reserve(attribute.most);
    for (std::string_view rest = text; !rest.empty() || found.size() < attribute.most;) {
        const bool ended = rest.empty();
        const std::string_view from = ended ? filler : rest;
        const std::size_t end = std::min(from.find(Attribute::separator), from.size());
        const std::string_view label = ended ? filler : from.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        if (label.empty())  // a separator at the end alone is usual in files of survey tools
            refuse("there is an empty label in the set of " + in_quotes(attribute.name),
                   "Found " + shown(text) + ".",
                   "Write one separator between two labels. An empty text is the empty set.");
        const Cell cell = labelled ? category(j, label, changed) : number_in(j, label);
        found.push_back(chosen(ended, attribute.domain, cell));
    }
    return found;
}

// Labels of one set that are outside the domain are one label together, "other".
std::vector<Cell> Collection::Plan::set(std::size_t j, const Value& value, Changed& changed) const {
    const Attribute& attribute = spec.attributes()[j];
    const auto* text = std::get_if<std::string_view>(&value);
    if (text == nullptr && !attribute.labels.empty())
        refuse(shown(value) + " is not a set of labels of " + in_quotes(attribute.name),
               "Separate the labels by semicolons.");
    std::vector<Cell> found = text != nullptr ? listed(j, *text, changed) : std::vector{number(j, value)};
    found.resize(std::max<std::size_t>(found.size(), attribute.most), attribute.domain);
    if (found.size() == attribute.most) return sorted_set(found, attribute.domain);
    std::ranges::sort(found);
    found.erase(std::unique(found.begin(), found.end()), found.end());
    if (found.size() > attribute.most && outside == Outside::refuse)
        refuse(
            "there are too many labels of " + in_quotes(attribute.name),
            "Found " + std::to_string(found.size()) + "; \"most\" is " + std::to_string(attribute.most) + ".",
            "Raise \"most\" in the next spec, or clamp values: \"most\" labels are then drawn at random.");
    changed |= found.size() > attribute.most;
    found.resize(std::max<std::size_t>(found.size(), attribute.most), attribute.domain);
    return found;
}

Cell Collection::Plan::string(std::size_t j, const Value& value, Changed& changed) const {
    const Attribute& attribute = spec.attributes()[j];
    const auto* text = std::get_if<std::string_view>(&value);
    const auto code = text != nullptr ? code_of(*attribute.strings, *text) : std::nullopt;
    if (!code)
        refuse(
            shown(value) + " is not a value of " + in_quotes(attribute.name),
            "Allowed are strings in UTF-8 over the alphabet " +
                in_quotes(alphabet_text(attribute.strings->alphabet)) + ".",
            "The spec can name a character in \"other\" that replaces all others, and fold upper case with "
            "\"lowercase\": true.");
    if (code->truncated && outside == Outside::refuse)
        refuse(shown(value) + " is too long for " + in_quotes(attribute.name),
               "The longest string has " + std::to_string(attribute.strings->longest) + " characters.",
               "Shorten the string, or clamp values.");
    changed |= code->truncated;
    changed |= code->replaced;
    return code->code;
}

double Collection::Plan::inside(std::size_t j, const Value& value, Changed& changed) const {
    const Attribute& attribute = spec.attributes()[j];
    const auto* number = std::get_if<double>(&value);
    if (number == nullptr || !std::isfinite(*number))
        refuse(shown(value) + " is not a value of " + in_quotes(attribute.name),
               "Allowed are finite numbers; its range is " + shortest(attribute.min) + " to " +
                   shortest(attribute.max) + ".",
               is_missing(value) ? no_number : "");
    const double inside = std::clamp(*number, attribute.min, attribute.max);
    const bool clamped = inside != *number;
    if (clamped && outside == Outside::refuse)
        refuse(shortest(*number) + " is outside the range of " + in_quotes(attribute.name),
               "Its range is " + shortest(attribute.min) + " to " + shortest(attribute.max) + ".",
               "Correct the value, or use the option to clamp values outside the range.");
    changed |= clamped;
    return inside;
}

double Collection::Plan::position(std::size_t j, double value) const {
    const Attribute& attribute = spec.attributes()[j];
    return (value - attribute.min) / (attribute.max - attribute.min) *
           static_cast<double>(grid_steps(attribute, cells[j]));
}

Cell Collection::Plan::bin(std::size_t j, const Value& value, Changed& changed) const {
    const std::vector<double>& edges = spec.attributes()[j].edges;
    const double number = inside(j, value, changed);
    return count_first(edges.size(), [&](std::size_t i) { return edges[i] <= number; });
}

Cell GridRecord::code_of_cut_set(const LabelSet& set, std::uint64_t word) {
    const std::uint64_t most = set.codes->most();
    return set.codes->code_of(set.labels.size() > most ? cut_set(set.labels, most, word) : set.labels);
}

Collection::Collection(Spec spec, Outside outside, ContractTerms terms)
    : Collection(Offer{std::move(spec)}, std::move(terms), outside) {}
Collection::Collection(Offer offer, ContractTerms terms, Outside outside)
    : plan_(std::make_shared<const Plan>(std::move(offer), std::move(terms), outside)) {}

Collection Collection::under(ContractTerms terms) const {
    const Contract& made = contract();
    return Collection({spec(), public_columns(), made.endpoint, made.collection, made.created},
                      std::move(terms), outside());
}

const Spec& Collection::spec() const noexcept {
    return plan_->spec;
}
const Mechanism& Collection::mechanism() const noexcept {
    return *plan_->mechanism;
}
Outside Collection::outside() const noexcept {
    return plan_->outside;
}

const ContractTerms& Collection::terms() const noexcept {
    return plan_->terms;
}
const Contract& Collection::contract() const noexcept {
    return plan_->contract;
}
const std::vector<PublicColumn>& Collection::public_columns() const noexcept {
    return plan_->columns;
}

void Collection::check_in_clear(const PublicValues& columns,
                                const std::optional<std::set<std::string>>& in_clear) const {
    for (const auto& [name, value] : columns.values()) {
        const bool asked =
            contract().attributes.contains(name) ||
            std::ranges::find(spec().attributes(), name, &Attribute::name) != spec().attributes().end();
        if (asked)
            refuse("the public column " + in_quotes(name, 63) + " has the name of an attribute",
                   "Its value would be sent unchanged, next to the randomized value.",
                   "Nothing was drawn. Do not send the column.");
        if (in_clear && !in_clear->contains(name))
            refuse("the contract does not have the public column " + in_quotes(name, 63),
                   "Columns that are sent unchanged: " + (in_clear->empty() ? "nothing" : joined(*in_clear)) +
                       ".",
                   "Nothing was drawn. To send the column, add it to the terms and accept the new "
                   "contract.");
    }
}

GridRecord Collection::to_grid(std::span<const Value> record) const {
    const auto& attributes = plan_->spec.attributes();
    const std::size_t given = plan_->given.size();
    if (record.size() != given)
        refuse("the record has the wrong number of values",
               "Found " + std::to_string(record.size()) + "; the spec has " + std::to_string(given) +
                   (given == 1 ? " attribute" : " attributes") +
                   (given < attributes.size() ? ", not counting products." : "."));
    GridRecord placed;
    std::vector<double>& values = placed.positions;  // first the values: numbers, and indexes of categories
    values.resize(attributes.size());
    std::vector<Changed> changed(attributes.size());
    for (std::size_t i = 0; i < given; ++i) {
        const std::size_t j = plan_->given[i];
        const Value& value = record[i];
        const Attribute& attribute = attributes[j];
        if (attribute.numeric()) {
            const bool missing = may_be_missing(attribute) && is_missing(value);
            const double number = plan_->inside(j, missing ? Value(attribute.min) : value, changed[j]);
            values[j] = missing ? unknown : number;
            continue;
        }
        if (attribute.strings) {
            placed.codes.push_back({j, plan_->string(j, value, changed[j])});
            continue;
        }
        if (attribute.several()) {
            placed.sets.push_back({j, plan_->lookups[j].sets, plan_->set(j, value, changed[j])});
            continue;
        }
        const Cell cell = attribute.binned()         ? plan_->bin(j, value, changed[j])
                          : attribute.labels.empty() ? plan_->number(j, value)
                                                     : plan_->category(j, value, changed[j]);
        values[j] = static_cast<double>(cell);
    }
    for (std::size_t j = 0; j < attributes.size(); ++j)
        if (attributes[j].derived())
            values[j] = plan_->inside(j, product_of(attributes, attributes[j], values), changed[j]);
    placed.clamped.attributes = set_indexes(changed);
    for (std::size_t j = 0; j < attributes.size(); ++j)
        if (attributes[j].numeric()) values[j] = plan_->position(j, values[j]);  // NaN remains
    return placed;
}

Encoded Collection::encode(std::span<const Value> record, BitSource& bits) const {
    GridRecord placed = to_grid(record);
    Encoded encoded{{}, std::move(placed.clamped)};
    encoded.cells.reserve(placed.positions.size());
    for (std::size_t j = 0; j < placed.positions.size(); ++j) {
        const Attribute& attribute = plan_->spec.attributes()[j];
        const double position = placed.positions[j];
        if (!attribute.numeric()) {
            encoded.cells.push_back(static_cast<Cell>(position));
            continue;
        }
        // A missing number uses the same random word as any other.
        const std::uint64_t steps = grid_steps(attribute, plan_->cells[j]);
        const Cell rounded = grid_point(std::isnan(position) ? 0.5 : position, steps).draw(bits);
        encoded.cells.push_back(std::isnan(position) ? steps + 1 : rounded);
    }
    placed.set_strings(encoded.cells);
    placed.set_labels(encoded.cells, [&](std::size_t) { return bits.word(); });
    encoded.clamped.coefficients = plan_->mechanism->clamped(encoded.cells);
    return encoded;
}

Perturbed Collection::perturb(std::span<const Value> record, BitSource& bits) const {
    Encoded encoded = encode(record, bits);
    return {plan_->mechanism->perturb(encoded.cells, bits), std::move(encoded.clamped)};
}

}  // namespace ldp
