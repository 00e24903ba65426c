// Attributes that a device makes from the others of a record: the product of two numbers, or of a number and
// the indicator of a category's value. Their means are the moments that covariances and regressions follow
// from. To the mechanism a product is one more number; no guarantee depends on what people do before they
// randomize, so ε is what it is without it.
//
// A number enters less the middle of its declared range, which makes products small, and noise is in
// proportion to ranges: (x−mₓ)(y−m_y), and (y−m_y) for those in a group and 0 for the others.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "core/mechanism/settings.hpp"

namespace ldp {

/// The most attributes that a record with products may have.
inline constexpr std::size_t max_with_products = 4096;
/// Stands for a factor that was not read yet.
inline constexpr Factor unread{std::size_t{0} - 1, {}};

/// Reads "product" of an attribute, whose factors are unread: two of the names of numbers, or one and
/// {"category": value}. If it has no name or range yet, it is given one: "x*y" or "y*school=north", and all
/// that the product of values in their ranges can be. Throws Error (invalid_spec).
void read_product(const nlohmann::json& found, std::span<const Attribute> all, Attribute& attribute);
/// A factor as the spec has it, and as part of a name: "y", "school=north".
[[nodiscard]] nlohmann::json factor_json(std::span<const Attribute> all, const Factor& factor);
[[nodiscard]] std::string factor_name(std::span<const Attribute> all, const Factor& factor);

/// Appends the products of "regression", {"of": name, "on": [names], "group": name}, that are not there yet:
/// those that the regression of a number on others takes, with an intercept for each value of a category if
/// there is one.
/// Throws Error (invalid_spec).
void add_regression(const nlohmann::json& found, std::vector<Attribute>& attributes);

/// The value of a derived attribute, from those of the given ones: numbers within their ranges and values of
/// categories by number, one for each attribute of the record.
[[nodiscard]] double product_of(std::span<const Attribute> all, const Attribute& derived,
                                std::span<const double> values) noexcept;

/// The places of the attributes that people give: those that are not derived.
[[nodiscard]] std::vector<std::size_t> given(std::span<const Attribute> all);
/// The attribute that is the product of these factors, in either order; all.size() if there is none.
[[nodiscard]] std::size_t find_product(std::span<const Attribute> all, const Factor& first,
                                       const Factor& second) noexcept;

}  // namespace ldp
