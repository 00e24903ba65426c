// Shares of ranges of one ordered attribute, by every method that estimates its distribution.
#pragma once

#include <string>
#include <vector>

#include "competitors.hpp"

namespace evaluation {

/// People of one kind, spread over k values.
struct RangePeople {
    std::string title;
    std::size_t k;
    Held held;
};

/// Smooth, heaped and at few values: Beta(5, 2), the wages of employees (CPS 1988), and eleven spikes; 50,000
/// people each, 256 values.
[[nodiscard]] std::vector<RangePeople> range_people();

/// The methods, in the order of the tables.
[[nodiscard]] const std::vector<std::string>& range_methods();

/// The result of one run: n times the squared error of a range's share, averaged over all ranges.
struct RangeError {
    double found;
    double expected;  ///< by the closed form; NaN without one
};
/// All people report once, with fresh noise from the seed.
[[nodiscard]] RangeError range_error(const std::string& method, const RangePeople& people, double epsilon,
                                     std::uint64_t seed);

}  // namespace evaluation
