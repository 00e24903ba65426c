// Generalized randomized response (Warner 1965; Kairouz, Bonawitz, Ramage 2016). It reports the true value
// with probability e/(e+k−1), e = exp(ε), otherwise another one, each with probability 1/(e+k−1).
//
// parameters: k (4 bytes) · payload: a value · state: reports per value
#pragma once

#include "core/base/exact.hpp"
#include "core/channel/symmetric.hpp"
#include "core/math/channel_law.hpp"
#include "core/mechanism/frequency/counters.hpp"

namespace ldp {

class Grr : public CountingOracle {
  public:
    static constexpr std::uint64_t max_domain = std::uint64_t{1} << 24;

    Grr(const Header& header, Bytes block, std::uint64_t k)
        : CountingOracle(k, header, block, k), channel_(k, header.epsilon) {}

    void permanent_response(Input input, Bytes, BitSource& bits, MutableBytes permanent) const final {
        store_output(permanent, channel_.sample(input[0], bits));
    }

    PureProtocol protocol() const noexcept override { return memoized_protocol(); }
    PureProtocol memoized_protocol() const noexcept final { return {channel_.p(), channel_.q()}; }
    std::optional<ContrastMoments> contrasts() const noexcept final { return of_one_value(protocol()); }
    std::optional<ContrastMoments> memoized_contrasts() const noexcept final {
        return of_one_value(memoized_protocol());
    }
    std::vector<std::uint64_t> supports(Bytes state) const final { return counters(state); }
    std::uint64_t support(Bytes state, Cell value) const final { return counter(state, value); }
    std::optional<double> n_variance_of_sum(std::span<const double> weights,
                                            std::span<const double> shares) const override;
    double max_probability(Bytes) const override { return channel_.p(); }

    Cost cost() const noexcept final { return {1, static_cast<double>(domain())}; }
    Exact probability(Input input, Bytes, Bytes permanent) const final {
        return exact(channel_.weight(input[0], load_output(permanent)), channel_.total());
    }
    // Each input has one output of high weight and k−1 of low weight, and all rows are permutations of one
    // another. For k ≥ 2, the pair (x, x'≠x) at output x attains high/low, and no weight is smaller or
    // larger.
    Exact worst_ratio() const final { return exact(channel_.worst_ratio().high, channel_.worst_ratio().low); }
    ChannelLaw channel_law() const override { return levels_law(channel_.worst_ratio(), 1, domain() - 1); }

  protected:
    [[nodiscard]] const SymmetricChannel& channel() const noexcept { return channel_; }

  private:
    SymmetricChannel channel_;
};

}  // namespace ldp
