// Unary encoding: one bit for each value, reported through a coin of its own for the true value's bit and
// through another for the others. All of sue and oue but these coins.
//
// parameters: k (4 bytes) · payload: k bits, lowest first · state: bit counters, then Σ (ones in a report)²
// (16 bytes)
#pragma once

#include "../bit_counters.hpp"
#include "../channel/coin.hpp"
#include "oracle.hpp"

namespace ldp {

class Unary : public Oracle {
  public:
    std::size_t payload_size() const noexcept final { return counters_.width(); }
    std::size_t state_size() const noexcept final { return counters_.size() + sizeof(Uint128); }
    void randomise(Input input, Bytes enrolment, BitSource& bits, MutableBytes memo) const final;
    bool accumulate(MutableBytes state, Bytes payload) const noexcept final;
    void merge(MutableBytes state, Bytes other) const noexcept final;
    bool valid_payload(Bytes payload) const noexcept final;
    bool valid_state(std::uint64_t n, Bytes state) const noexcept final;
    std::vector<std::uint64_t> supports(Bytes state) const final;
    PureProtocol protocol() const noexcept final;
    Cost cost() const noexcept final;
    Exact probability(Input input, Bytes enrolment, Bytes memo) const final;

    static constexpr std::uint64_t max_domain = std::uint64_t{1} << 16;

  protected:
    /// P(1) of the true value's bit and of every other bit.
    Unary(const Header& header, Bytes block, std::uint64_t k, Coin true_bit, Coin false_bit)
        : Oracle(header, block, k), counters_(k), true_bit_(true_bit), false_bit_(false_bit) {}

    [[nodiscard]] Exact true_one() const;
    [[nodiscard]] Exact false_one() const;

  private:
    std::optional<Spread> spread(std::uint64_t n, Bytes state) const final;
    std::vector<Check> own_checks(std::uint64_t n, Bytes state) const final;

    BitCounters counters_;
    Coin true_bit_;
    Coin false_bit_;
};

}  // namespace ldp
