#include "binary.hpp"

#include <limits>

#include "../bytes.hpp"
#include "../exact.hpp"

namespace ldp {

namespace {

// P(1 | s)·P(0 | s)/slope², with the base measured in rises: (base + s)·(base + steps − s).
NumericChannel::Quadratic noise_of(std::uint64_t steps, const Ramp& ramp) {
    const double base = static_cast<double>(ramp.base) / static_cast<double>(ramp.rise);
    const auto top = static_cast<double>(steps);
    return {-1, top, base * (base + top)};
}

}  // namespace

BinaryChannel::BinaryChannel(std::uint64_t steps, const Ramp& ramp)
    : NumericChannel(steps, 2, sizeof(std::uint64_t), noise_of(steps, ramp)), ramp_(ramp) {}

double BinaryChannel::least() const noexcept {
    return static_cast<double>(weight(0, 1)) / static_cast<double>(total());
}
double BinaryChannel::most() const noexcept {
    return static_cast<double>(weight(steps(), 1)) / static_cast<double>(total());
}

std::vector<std::pair<std::string, double>> BinaryChannel::parameters() const {
    return {{"p", most()}, {"q", least()}};
}

Exact BinaryChannel::probability(std::uint64_t in, std::uint64_t out) const {
    return exact(weight(in, out), total());
}
Exact BinaryChannel::worst_ratio() const {
    return exact(weight(steps(), 1), weight(0, 1));
}

void BinaryChannel::accumulate(std::byte* tally, std::uint64_t out) const noexcept {
    add<std::uint64_t>(tally, out);
}
void BinaryChannel::merge(std::byte* tally, const std::byte* other) const noexcept {
    add(tally, load<std::uint64_t>(other));
}
bool BinaryChannel::valid(std::uint64_t n, const std::byte* tally) const noexcept {
    return load<std::uint64_t>(tally) <= n;
}

NumericChannel::Moments BinaryChannel::invert(std::uint64_t n, const std::byte* tally) const noexcept {
    const double share = static_cast<double>(load<std::uint64_t>(tally)) / static_cast<double>(n);
    return moments((share - least()) / (most() - least()) * static_cast<double>(steps()),
                   std::numeric_limits<double>::quiet_NaN(), noise());
}

std::vector<Check> BinaryChannel::health(std::uint64_t n, const std::byte* tally) const {
    const auto ones = load<std::uint64_t>(tally);
    const double share = static_cast<double>(ones) / static_cast<double>(n);
    return {{"mean within its range", (2 * share - 1) / (most() - least()), 1,
             binomial_between(n, least(), most(), ones)}};
}

}  // namespace ldp
