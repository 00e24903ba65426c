#include "plot/scale.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace ldp::plot {

namespace {

/// More than any scale needs: rounding must not turn a narrow range of large numbers into an endless loop.
constexpr int most_ticks = 20;

std::vector<double> linear_ticks(double low, double high) {
    const double rough = (high - low) / 5, power = std::pow(10, std::floor(std::log10(rough)));
    const double step = power * (rough > 5 * power ? 10 : rough > 2 * power ? 5 : rough > power ? 2 : 1);
    if (!std::isfinite(step) || step == 0) return {low, high};
    std::vector<double> found;
    const double least = std::ceil(low / step - 1e-9), most = std::floor(high / step + 1e-9);
    for (int i = 0; i < most_ticks && least + i <= most; ++i) found.push_back((least + i) * step);
    return found;
}

std::vector<double> logarithmic_ticks(double low, double high) {
    const std::vector<double> digits = high / low > 100  ? std::vector<double>{1}
                                       : high / low > 10 ? std::vector<double>{1, 2, 5}
                                                         : std::vector<double>{1, 1.5, 2, 3, 4, 5, 6, 8};
    const int first = static_cast<int>(std::floor(std::log10(low)));
    const int last = static_cast<int>(std::floor(std::log10(high)));
    const int step = 1 + (last - first) / 10;
    std::vector<double> found;
    for (int power = first; power <= last; power += step)
        for (const double digit : digits)
            if (const double tick = digit * std::pow(10, power); tick >= low && tick <= high)
                found.push_back(tick);
    return found;
}

}  // namespace

Scale Scale::empty(double first, double last, bool logarithmic) noexcept {
    return {HUGE_VAL, -HUGE_VAL, first, last, logarithmic};
}

bool Scale::holds(double value) const noexcept {
    return std::isfinite(value) && (!logarithmic || value > 0);
}

double Scale::at(double value) const noexcept {
    const double share =
        logarithmic ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
    return first + (last - first) * std::clamp(share, 0.0, 1.0);
}

void Scale::include(double value) noexcept {
    if (!holds(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
}

void Scale::close() noexcept {
    if (low < high) return;
    if (!std::isfinite(low)) {
        low = logarithmic ? 1 : 0;
        high = logarithmic ? 10 : 1;
    } else if (low == 0) {
        high = 1;
    } else if (logarithmic) {
        low /= 2;
        high *= 2;
    } else {
        const double half = std::max(1.0, std::abs(low) / 2);
        low -= half;
        high += half;
    }
}

std::vector<double> Scale::ticks() const {
    return logarithmic ? logarithmic_ticks(low, high) : linear_ticks(low, high);
}

std::string number(double value) {
    const auto plain = [](double one) {
        std::ostringstream text;
        text << one;
        return text.str();
    };
    const std::string sign = value < 0 ? "−" : "";
    const double size = std::abs(value);
    if (!std::isfinite(value)) return std::isnan(value) ? "none" : sign + "∞";
    if (size == 0 || (size >= 1e-3 && size < 1e4)) return sign + plain(size);
    static constexpr const char* raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    const double power = std::floor(std::log10(size) + 1e-9);
    std::string text = plain(size / std::pow(10, power));
    text = sign + (text == "1" ? "10" : text + "·10") + (power < 0 ? "⁻" : "");
    for (const char digit : plain(std::abs(power))) text += raised[digit - '0'];
    return text;
}

}  // namespace ldp::plot
