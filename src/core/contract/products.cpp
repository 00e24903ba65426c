#include "core/contract/products.hpp"

#include <algorithm>
#include <tuple>

#include "core/contract/json_object.hpp"
#include "core/contract/labels.hpp"
#include "core/mechanism/role/fields.hpp"

namespace ldp {

namespace {

constexpr const char* form =
    "two names of numbers, as [\"x\", \"y\"], or a name and the value of a category, as [\"y\", "
    "{\"school\": \"north\"}]";

std::size_t attribute_called(const std::string& name, std::span<const Attribute> all) {
    const std::optional<std::size_t> found = find_attribute(all, name);
    if (!found)
        invalid("there is no attribute " + shown(Json(name)),
                "The factors of a product are attributes that people report.");
    if (all[*found].derived())
        invalid("a factor must not be a product", "Found " + shown(Json(name)) + " as a factor.",
                "The factors of a product are attributes that people report.");
    return *found;
}

std::size_t number_called(const std::string& name, std::span<const Attribute> all) {
    const std::size_t place = attribute_called(name, all);
    if (!all[place].numeric())
        invalid("a category is not a factor", "\"" + name + "\" is categorical.",
                "Use one of its values, as in {" + json_text(Json(name)) + ": …}.");
    return place;
}

std::size_t category_called(const std::string& name, std::span<const Attribute> all) {
    const std::size_t place = attribute_called(name, all);
    if (all[place].numeric())
        invalid("a number does not define groups", "\"" + name + "\" is numeric.",
                "Name an attribute with a domain.");
    if (all[place].strings)
        invalid("strings of an open domain do not define groups", "\"" + name + "\" has strings.",
                "Name an attribute with a domain.");
    if (all[place].several())
        invalid("sets of labels do not define groups",
                "\"" + name + "\" has \"several\": true: a person may be in several.",
                "Collect the label as a category with the values yes and no, and use this category.");
    return place;
}

Factor read_factor(const Json& found, std::span<const Attribute> all) {
    if (found.is_string()) return {number_called(found.get<std::string>(), all), {}};
    if (!found.is_object() || found.size() != 1) JsonObject::wrong("product", found, form);
    const std::size_t place = category_called(found.begin().key(), all);
    const Attribute& category = all[place];
    const Json& value = found.begin().value();
    if (category.labels.empty()) {
        if (!value.is_number_unsigned() || value.get<std::uint64_t>() >= category.domain)
            JsonObject::wrong(category.name, value,
                              "a value of its domain, from 0 to " + std::to_string(category.domain - 1));
        return {place, value.get<std::uint64_t>()};
    }
    const auto label = value.is_string() ? find_label(category, value.get_ref<const std::string&>())
                                         : std::optional<std::size_t>();
    if (!label) JsonObject::wrong(category.name, value, "one of the labels of its domain");
    return {place, *label};
}

/// Returns a factor's value.
double factor_of(std::span<const Attribute> all, const Factor& factor, double value) noexcept {
    if (factor.value) return value == static_cast<double>(*factor.value) ? 1 : 0;
    const Attribute& number = all[factor.attribute];
    return value - (number.min / 2 + number.max / 2);
}

/// Returns the ends of its range. Rounding is monotone, so no value between them exceeds these ends.
std::pair<double, double> ends(std::span<const Attribute> all, const Factor& factor) noexcept {
    if (factor.value) return {0, 1};
    const Attribute& number = all[factor.attribute];
    return {factor_of(all, factor, number.min), factor_of(all, factor, number.max)};
}

/// Returns the range of the products of values in the factors' ranges.
void derive_range(std::span<const Attribute> all, Attribute& attribute) {
    const auto [a, b] = ends(all, attribute.product[0]);
    const auto [c, d] = ends(all, attribute.product[1]);
    if (attribute.product[0] == attribute.product[1]) {
        attribute.min = 0;
        attribute.max = std::max(a * a, b * b);
    } else {
        std::tie(attribute.min, attribute.max) = std::minmax({a * c, a * d, b * c, b * d});
    }
    if (!(attribute.min < attribute.max) || !(attribute.max - attribute.min <= 1e300))
        invalid("the product of " + factor_name(all, attribute.product[0]) + " and " +
                    factor_name(all, attribute.product[1]) + " has no range",
                "Its values are too large or too small.",
                "Use units for the factors in which their ranges are neither too large nor too small.");
}

/// Appends a product if it is missing.
void append(std::vector<Attribute>& attributes, const Factor& first, const Factor& second) {
    if (find_product(attributes, first, second) < attributes.size()) return;
    Attribute attribute;
    attribute.product = {first, second};
    attribute.name = factor_name(attributes, first) + "*" + factor_name(attributes, second);
    derive_range(attributes, attribute);
    attributes.push_back(std::move(attribute));
}

}  // namespace

void read_product(const Json& found, std::span<const Attribute> all, Attribute& attribute) {
    if (!found.is_array() || found.size() != 2) JsonObject::wrong("product", found, form);
    std::vector<Factor> product{read_factor(found[0], all), read_factor(found[1], all)};
    if (product[0].value && product[1].value) JsonObject::wrong("product", found, form);
    for (const Factor& factor : product)
        if (may_be_missing(all[factor.attribute]))
            invalid("a product does not support missing numbers",
                    "\"" + all[factor.attribute].name + "\" has \"missing\": true.",
                    "Remove \"missing\", or remove the number from the products.");
    if (find_product(all, product[0], product[1]) < all.size())
        invalid("two attributes are the same product", "Found " + shown(found) + " again.");
    attribute.product = std::move(product);
    if (attribute.name.empty())
        attribute.name =
            factor_name(all, attribute.product[0]) + "*" + factor_name(all, attribute.product[1]);
    if (attribute.min == attribute.max) derive_range(all, attribute);
}

Json factor_json(std::span<const Attribute> all, const Factor& factor) {
    const Attribute& attribute = all[factor.attribute];
    if (!factor.value) return attribute.name;
    return {{attribute.name,
             attribute.labels.empty() ? Json(*factor.value) : Json(attribute.labels[*factor.value])}};
}

std::string factor_name(std::span<const Attribute> all, const Factor& factor) {
    const Attribute& attribute = all[factor.attribute];
    if (!factor.value) return attribute.name;
    return attribute.name + "=" + label_or_number(attribute, *factor.value);
}

void add_regression(const Json& found, std::vector<Attribute>& attributes) {
    JsonObject reader(found, "\"regression\"");
    std::vector<Factor> numbers{
        {number_called(reader.word("of", "the name of the dependent variable"), attributes), {}}};
    const auto too_many = [](std::uint64_t products) {
        if (products > max_with_products)
            invalid("the regression needs too many products",
                    "A record has at most " + std::to_string(max_with_products) + " attributes.",
                    "Name fewer predictors, or a category with fewer values.");
    };
    const Json& predictors = reader.need("on", "the names of the predictors");
    const bool grouped = reader.find("group") != nullptr;
    if (!predictors.is_array() || (predictors.empty() && !grouped))
        JsonObject::wrong("on", predictors, "an array of names of numbers, one or more without a group");
    too_many(predictors.size() * predictors.size() / 2);
    for (const Json& name : predictors) {
        if (!name.is_string()) JsonObject::wrong("on", predictors, "an array of names of numbers");
        numbers.push_back({number_called(name.get<std::string>(), attributes), {}});
        if (std::ranges::count(numbers, numbers.back()) > 1)
            invalid("a number is repeated in \"regression\"", "Found " + shown(name) + " again.");
    }
    std::optional<std::size_t> group;
    if (grouped) group = category_called(reader.word("group", "the name of a category"), attributes);
    reader.finish();
    if (group) too_many(attributes[*group].domain);
    for (std::size_t i = 0; i < numbers.size(); ++i)
        for (std::size_t k = i; k < numbers.size(); ++k) append(attributes, numbers[i], numbers[k]);
    if (!group) return;
    for (const Factor& number : numbers)  // in a row, because a block stores equal neighbours as one run
        for (std::uint64_t value = 0; value < attributes[*group].domain; ++value)
            append(attributes, number, {*group, value});
}

double product_of(std::span<const Attribute> all, const Attribute& derived,
                  std::span<const double> values) noexcept {
    double product = 1;
    for (const Factor& factor : derived.product) product *= factor_of(all, factor, values[factor.attribute]);
    return product;
}

std::vector<std::size_t> given(std::span<const Attribute> all) {
    std::vector<std::size_t> places;
    for (std::size_t j = 0; j < all.size(); ++j)
        if (!all[j].derived()) places.push_back(j);
    return places;
}

std::size_t find_product(std::span<const Attribute> all, const Factor& first, const Factor& second) noexcept {
    const auto same = [&](const Attribute& attribute) {
        return attribute.derived() && ((attribute.product[0] == first && attribute.product[1] == second) ||
                                       (attribute.product[0] == second && attribute.product[1] == first));
    };
    return static_cast<std::size_t>(std::ranges::find_if(all, same) - all.begin());
}

}  // namespace ldp
