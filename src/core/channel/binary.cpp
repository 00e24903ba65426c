#include "core/channel/binary.hpp"

#include "core/base/bytes.hpp"
#include "core/base/exact.hpp"
#include "core/base/unknown.hpp"
#include "core/math/channel_law.hpp"

namespace ldp {

BinaryResponse::BinaryResponse(std::uint64_t steps, double base)
    // P(1 | s)·P(0 | s)/slope² = (base + s)·(base + steps − s).
    : QuadraticChannel(steps, 2, sizeof(std::uint64_t),
                       Quadratic{-1, static_cast<double>(steps), base * (base + static_cast<double>(steps))}),
      base_(base),
      least_(base / (2 * base + static_cast<double>(steps))),
      most_(1 - least_) {}

std::vector<std::pair<std::string, double>> BinaryResponse::parameters() const {
    return {{"p", most_}, {"q", least_}};
}

void BinaryResponse::accumulate(std::byte* tally, std::uint64_t out) const noexcept {
    add<std::uint64_t>(tally, out);
}
void BinaryResponse::accumulate_all(std::byte* tally, std::span<const std::uint64_t> outs) const noexcept {
    std::uint64_t ones = 0;
    for (const std::uint64_t out : outs) ones += out;
    add(tally, ones);
}
bool BinaryResponse::accumulate_all(std::byte* tally, const Payloads& outs) const noexcept {
    const std::uint64_t ones = outs.ones();
    if (ones == Payloads::not_bits) return false;
    add(tally, ones);
    return true;
}
void BinaryResponse::merge(std::byte* tally, const std::byte* other) const noexcept {
    add(tally, load<std::uint64_t>(other));
}
bool BinaryResponse::valid(std::uint64_t n, const std::byte* tally) const noexcept {
    return load<std::uint64_t>(tally) <= n;
}

NumericChannel::Moments BinaryResponse::invert(std::uint64_t n, const std::byte* tally) const noexcept {
    const double share = static_cast<double>(load<std::uint64_t>(tally)) / static_cast<double>(n);
    return moments((share - least_) / (most_ - least_) * static_cast<double>(steps()), unknown, noise());
}

std::vector<Check> BinaryResponse::health(std::uint64_t n, const std::byte* tally) const {
    const auto ones = load<std::uint64_t>(tally);
    const double share = static_cast<double>(ones) / static_cast<double>(n);
    return {{"mean within its range", (2 * share - 1) / (most_ - least_), 1,
             binomial_between(n, least_, most_, ones)}};
}

BinaryChannel::BinaryChannel(std::uint64_t steps, const Ramp& ramp)
    : BinaryResponse(steps, static_cast<double>(ramp.base) / static_cast<double>(ramp.rise)), ramp_(ramp) {}

Exact BinaryChannel::probability(std::uint64_t in, std::uint64_t out) const {
    return exact(weight(in, out), total());
}
Exact BinaryChannel::worst_ratio() const {
    return exact(odds().high, odds().low);
}

// The weights are linear in the input, so that every row is a mixture of the two at the ends.
ChannelLaw BinaryChannel::channel_law() const {
    RowsLaw law;
    for (const std::uint64_t end : {std::uint64_t{0}, steps()})
        law.rows.push_back({probability(end, 0), probability(end, 1)});
    return {std::move(law)};
}

// P(1 | s) = f + (1 − 2f)·P(1 | s, kept) if a bit is flipped with probability f.
BinaryChain::BinaryChain(const BinaryChannel& kept, const SymmetricChannel& sent)
    : BinaryResponse(kept.steps(), kept.base() + sent.q() / (sent.p() - sent.q()) *
                                                     (2 * kept.base() + static_cast<double>(kept.steps()))),
      kept_(kept),
      sent_(sent) {}

Exact BinaryChain::probability(std::uint64_t in, std::uint64_t out) const {
    const Exact stays = exact(sent_.weight(out, out), sent_.total());
    const Exact as_is = kept_.probability(in, out);
    return as_is * stays + as_is.complement() * stays.complement();
}
Exact BinaryChain::worst_ratio() const {
    return probability(steps(), 1) / probability(0, 1);
}

ChannelLaw BinaryChain::channel_law() const {
    return with_second(kept_.channel_law(), sent_.worst_ratio(), sent_.outputs());
}

}  // namespace ldp
