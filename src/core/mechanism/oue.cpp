// Optimised unary encoding (Wang, Blocki, Li, Jha 2017): one bit per value; the true value's bit is reported
// as a fair coin, every other bit is 1 with probability q = 1/(e+1), e = exp(ε).
//
// parameters: k (4 bytes) · payload: k bits, lowest first · state: ones per bit

#include <bit>
#include <cmath>

#include "../channel/coin.hpp"
#include "../channel/odds.hpp"
#include "../exact.hpp"
#include "all.hpp"
#include "counters.hpp"

namespace ldp {

namespace {

constexpr std::uint64_t max_domain = std::uint64_t{1} << 16;

class Oue final : public Mechanism {
  public:
    Oue(const Header& header, Bytes block, std::uint64_t k)
        : Mechanism(header, block), k_(k), false_bit_(rare_heads(header.epsilon)) {}

    std::vector<std::uint64_t> cells() const override { return {k_}; }
    std::size_t payload_size() const noexcept override { return (k_ + 7) / 8; }
    std::size_t state_size() const noexcept override { return k_ * counter_size; }
    std::vector<std::pair<std::string, double>> parameters() const override {
        return {{"domain", static_cast<double>(k_)}, {"p", protocol().p}, {"q", protocol().q}};
    }

    void randomise(Input input, Bytes, BitSource& bits, MutableBytes memo) const override {
        for (std::size_t from = 0; from < k_; from += 64) {
            std::uint64_t lanes = false_bit_.throw64(bits);
            if (k_ - from < 64) lanes &= (std::uint64_t{1} << (k_ - from)) - 1;
            for (std::size_t at = from / 8; at < memo.size() && at < from / 8 + 8; ++at, lanes >>= 8)
                memo[at] = static_cast<std::byte>(lanes);
        }
        const std::uint64_t value = input[0];
        const auto mask = static_cast<std::byte>(1u << value % 8);
        const std::byte truth = (bits.word() & 1) != 0 ? mask : std::byte{0};
        memo[value / 8] = (memo[value / 8] & ~mask) | truth;
    }

    bool accumulate(MutableBytes state, Bytes payload) const noexcept override {
        if (!valid_payload(payload)) return false;
        for (std::size_t at = 0; at < payload.size(); ++at)
            for (auto set = std::to_integer<unsigned>(payload[at]); set != 0; set &= set - 1)
                add<std::uint64_t>(
                    state.data() + (8 * at + static_cast<std::size_t>(std::countr_zero(set))) * counter_size,
                    1);
        return true;
    }
    void merge(MutableBytes state, Bytes other) const noexcept override { merge_counters(state, other); }
    bool valid_payload(Bytes payload) const noexcept override {
        // Bits past the last value must be 0.
        return k_ % 8 == 0 || std::to_integer<unsigned>(payload.back()) >> k_ % 8 == 0;
    }
    bool valid_state(std::uint64_t n, Bytes state) const noexcept override {
        for (std::size_t v = 0; v < k_; ++v)
            if (counter(state, v) > n) return false;
        return true;
    }
    std::span<const Quantity> answers() const noexcept override {
        static constexpr Quantity quantities[] = {Quantity::frequencies};
        return quantities;
    }
    std::vector<Estimate> estimate(std::uint64_t n, Bytes state, const Question& question) const override {
        return protocol().frequencies(state, n, question.target);
    }

    double n_variance(double truth) const override { return protocol().n_variance(truth); }
    Exact probability(Input input, Bytes, Bytes memo) const override {
        Exact product = exact(1, 2);
        const Exact one = exact_dyadic(false_bit_.heads(), false_bit_.bits());
        const Exact zero = one.complement();
        for (std::size_t v = 0; v < k_; ++v)
            if (v != input[0]) product = product * (bit(memo, v) ? one : zero);
        return product;
    }
    // Two inputs differ in two bits; the fair coins cancel, and what is left is P(one bit 0)/P(the other 1)
    // of false bits in the worst case: (1−q)/q.
    Exact worst_ratio() const override {
        const Exact one = exact_dyadic(false_bit_.heads(), false_bit_.bits());
        return one.complement() / one;
    }

  private:
    static bool bit(Bytes payload, std::size_t v) noexcept {
        return (std::to_integer<unsigned>(payload[v / 8]) >> v % 8 & 1) != 0;
    }
    PureProtocol protocol() const noexcept {
        return {0.5,
                std::ldexp(static_cast<double>(false_bit_.heads()), -static_cast<int>(false_bit_.bits()))};
    }

    std::uint64_t k_;
    Coin false_bit_;
};

std::unique_ptr<const Mechanism> load(const Header& header, Bytes block) {
    Reader reader(block.subspan(header_size));
    const std::uint64_t k = read_domain(reader, max_domain);
    return std::make_unique<Oue>(header, block, k);
}

}  // namespace

const MechanismEntry oue_entry{
    2, "oue", "optimised unary encoding", Shape::one_categorical, max_domain, {}, write_domain, load};

}  // namespace ldp
