#include "core/mechanism/mean/optional_channel.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "core/base/exact.hpp"
#include "core/channel/epsilon_odds.hpp"
#include "core/math/channel_law.hpp"
#include "core/mechanism/role/fields.hpp"

namespace ldp {

namespace {

const long double coin = std::ldexp(1.0L, 64);
/// c is at most 1/2. The best values are below 1/3.
constexpr std::uint64_t most_answered = std::uint64_t{1} << 63;
/// Covers the rounding of the few operations below, each of which is correct to 2^-63.
const long double slack = std::ldexp(1.0L, -58);

/// The largest d in units of 2^-64 for which all likelihood ratios are at most exp(ε).
std::uint64_t absent_heads(long double low, std::uint64_t outputs, std::uint64_t none, double epsilon) {
    const auto given = static_cast<long double>(none);
    const long double ratio = std::exp(static_cast<long double>(epsilon)) * (1 - slack);
    const long double rest = (coin - given) * low * static_cast<long double>(outputs) * (1 + slack);
    const long double most =
        std::min(given * ratio * (1 - slack), (coin - std::ceil(rest)) * (1 - slack / 16));
    return most > 0 ? static_cast<std::uint64_t>(most) : 0;
}

}  // namespace

OptionalChannel::OptionalChannel(std::unique_ptr<const NumericChannel> number, double low, std::uint64_t none,
                                 double epsilon)
    : number_(std::move(number)),
      answered_(none),
      absent_(absent_heads(static_cast<long double>(low) * (1 + std::ldexp(1.0L, -52)), number_->outputs(),
                           none, epsilon)),
      if_answered_(static_cast<double>(static_cast<long double>(answered_) / coin)),
      if_missing_(static_cast<double>(static_cast<long double>(absent_) / coin)) {
    if (answered_ == 0 || answered_ > most_answered || absent_ <= answered_)
        refuse_block("the probability of a report without a number is out of range");
}

std::uint64_t OptionalChannel::sample(Cell in, BitSource& bits) const {
    const bool answered = in < missing();
    const bool none = bits.lands(answered ? answered_ : absent_, 64);
    const std::uint64_t number = number_->sample(answered ? in : 0, bits);
    const std::uint64_t any = bits.below(number_->outputs());
    return none ? 0 : 1 + (answered ? number : any);
}

Exact OptionalChannel::probability(Cell in, std::uint64_t out) const {
    const bool answered = in < missing();
    const Exact none = exact_dyadic(answered ? answered_ : absent_, 64);
    if (out == 0) return none;
    return none.complement() * (answered ? number_->probability(in, out - 1) : exact(1, number_->outputs()));
}

// Two people with numbers differ by the channel for numbers. Its smallest and largest probabilities are those of
// an output at the two ends of the grid.
Exact OptionalChannel::worst_ratio() const {
    const Exact between = number_->worst_ratio();
    const Exact none = exact(absent_, answered_);
    const Exact rest = exact_dyadic(answered_, 64).complement() / exact_dyadic(absent_, 64).complement();
    Exact high = exact(0, 1), low = exact(1, 1);
    for (const Cell end : {Cell{0}, Cell{steps()}})
        for (std::uint64_t out = 0; out < number_->outputs(); ++out) {
            const Exact one = number_->probability(end, out);
            high = std::max(high, one);
            low = std::min(low, one);
        }
    const Exact any = exact(1, number_->outputs());
    return std::max({between, none, rest * high / any, any / (rest * low)});
}

ChannelLaw OptionalChannel::channel_law() const {
    return {OptionalLaw{exact_dyadic(answered_, 64),
                        exact_dyadic(absent_, 64),
                        number_->outputs(),
                        {number_->channel_law()}}};
}

double OptionalChannel::max_probability(std::uint64_t out) const {
    if (out == 0) return if_missing_;
    return std::max((1 - if_answered_) * number_->max_probability(out - 1),
                    (1 - if_missing_) / static_cast<double>(number_->outputs()));
}

double OptionalChannel::most_none(double low, std::uint64_t outputs, double epsilon) {
    const double share = low * static_cast<double>(outputs);
    return (1 - share) / (std::exp(epsilon) - share);
}

}  // namespace ldp
