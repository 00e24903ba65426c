#include "accounting/bound_texts.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>

namespace ldp {

namespace {

/// Rounded upwards to a multiple of 10^place.
std::string upwards(double bound, double place) {
    const double step = std::pow(10, place);
    std::ostringstream out;
    out << std::setprecision(10) << std::ceil(bound / step - 1e-9) * step;
    return out.str();
}

}  // namespace

std::string reported_factor(double bound) {
    return upwards(bound, std::floor(std::log10(bound)) - 2);
}

std::string reported_percent(double bound) {
    if (1 - bound < 1e-12) return "100";
    return upwards(100 * bound, std::floor(std::log10(100 * std::min(bound, 1 - bound))) - 1);
}

}  // namespace ldp
