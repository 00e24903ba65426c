#include "core/mechanism/vector/vector_length.hpp"

#include <bit>

#include "core/base/error.hpp"
#include "core/base/square.hpp"
#include "core/base/text.hpp"
#include "core/mechanism/role/fields.hpp"

namespace ldp {

double VectorLength::squared(Input input) const noexcept {
    double squares = 0;
    for (const Cell cell : input) squares += square(static_cast<double>(cell) - half());
    return squares;
}

void VectorLength::check_block() const {
    if (steps % 2 != 0) refuse_block("the number of grid steps is odd");
    if (!(norm > 0 && norm <= std::sqrt(static_cast<double>(d)))) refuse_block("the norm is out of range");
}

void check_norm(double norm, std::size_t d) {
    const double longest = std::sqrt(static_cast<double>(d));
    if (!(norm > 0 && norm <= longest))
        raise(ErrorCode::invalid_spec, "\"norm\" must be a number above 0 and at most " + shortest(longest),
              "Found " + shortest(norm) + "; with each of its " + std::to_string(d) +
                  " attributes scaled to [-1, 1], this is the maximum length of a vector.",
              "Omit it to use all vectors unchanged.");
}

void settle_length(SettingsDraft& draft, double (*finest)(const SettingsDraft&, double norm)) {
    auto& norm = std::get<double>(draft.options.at("norm"));
    if (norm == 0) norm = std::sqrt(static_cast<double>(draft.attributes.size()));
    check_norm(norm, draft.attributes.size());
    auto& grid = std::get<std::uint64_t>(draft.options.at("grid"));
    if (grid == 0) grid = 2 * std::bit_ceil(static_cast<std::uint64_t>(std::ceil(finest(draft, norm))));
    if (grid % 2 != 0)
        raise(ErrorCode::invalid_spec, "\"grid\" must be even", "Found " + std::to_string(grid) + ".",
              "The middle of a range is a grid point. Leave it out for the best number.");
}

double squares_beyond(double excess, double variables, double variance, double squares) noexcept {
    const double a = std::sqrt(variables * square(variance) + 2 * variance * squares);
    const double root = excess / (a + std::sqrt(square(a) + 2 * variance * excess));
    return std::min(1.0, 2 * std::exp(-square(root)));
}

}  // namespace ldp
