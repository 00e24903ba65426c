// Derived attributes of a record: the product of two numbers, or of a number and the indicator of a
// category's value. Covariances and regressions are computed from their means. For the mechanism, a product
// is a number like any other. The privacy guarantee does not depend on computations before the randomization,
// so ε is unchanged.
//
// Each number is centered at the middle of its declared range: (x−mₓ)(y−m_y), or (y−m_y) for members of a
// group and 0 for others. Centering makes the ranges of products smaller, and noise is proportional to
// ranges.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "core/mechanism/role/settings.hpp"

namespace ldp {

/// Maximum number of attributes of a record with products.
inline constexpr std::size_t max_with_products = 4096;
/// A factor that has not been read yet.
inline constexpr Factor unread{std::size_t{0} - 1, {}};

/// Reads "product" of an attribute with unread factors: the names of two numbers, or one name and
/// {"category": value}. The default name is "x*y" or "y*school=north", and the default range contains all
/// possible products. Throws Error (invalid_spec).
void read_product(const nlohmann::json& found, std::span<const Attribute> all, Attribute& attribute);
/// Return a factor in the form of the spec, and as part of a name: "y", "school=north".
[[nodiscard]] nlohmann::json factor_json(std::span<const Attribute> all, const Factor& factor);
[[nodiscard]] std::string factor_name(std::span<const Attribute> all, const Factor& factor);

/// Appends the missing products of "regression", {"of": name, "on": [names], "group": name}. These are the
/// products for the regression of a number on others, with an intercept for each value of the optional group.
/// Throws Error (invalid_spec).
void add_regression(const nlohmann::json& found, std::vector<Attribute>& attributes);

/// Returns the value of a derived attribute. `values` has one element for each attribute of the record:
/// numbers within their ranges, and indices of categories' values.
[[nodiscard]] double product_of(std::span<const Attribute> all, const Attribute& derived,
                                std::span<const double> values) noexcept;

/// Returns the indices of the attributes that are not derived.
[[nodiscard]] std::vector<std::size_t> given(std::span<const Attribute> all);
/// Returns the index of the product of these factors, in either order; all.size() if it does not exist.
[[nodiscard]] std::size_t find_product(std::span<const Attribute> all, const Factor& first,
                                       const Factor& second) noexcept;

}  // namespace ldp
