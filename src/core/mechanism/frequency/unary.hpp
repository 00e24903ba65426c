// Unary encoding: one bit per value. The true value's bit is reported by one coin, all other bits by another.
// Rows of a table for sue and oue, and for l_sue and l_osue with a second layer.
//
// parameters: k (4 bytes) · payload: k bits, lowest first · state: bit counters, then Σ (ones in a report)²
// (16 bytes)
#pragma once

#include <memory>

#include "core/channel/coin.hpp"
#include "core/math/bit_counters.hpp"
#include "core/mechanism/frequency/frequency_oracle.hpp"
#include "core/mechanism/frequency/second_layer.hpp"
#include "core/mechanism/role/registry.hpp"

namespace ldp {

/// The coins of a unary encoding.
struct UnaryCoins {
    Coin true_bit;   ///< P(1) of the true value's bit
    Coin false_bit;  ///< P(1) of every other bit
    /// Number of bits by which the worst report distinguishes two inputs. With q = P(1) of a false bit, the
    /// worst likelihood ratio is ((1−q)/q)^differing.
    unsigned differing;
};
/// Symmetric unary encoding (Wang, Blocki, Li, Jha 2017; the basic one-time form of Erlingsson, Pihur, Korolova
/// 2014): every bit is flipped with the same probability q = 1/(√e+1), e = exp(ε). In the worst report both
/// differing bits agree with one input. Halving ε is exact in binary, and each factor is at most exp(ε/2).
[[nodiscard]] UnaryCoins symmetric_coins(double epsilon);
/// Optimized unary encoding (Wang, Blocki, Li, Jha 2017): the true value's bit is reported as a fair coin,
/// every other bit is 1 with probability q = 1/(e+1), e = exp(ε). The fair coins cancel.
[[nodiscard]] UnaryCoins optimised_coins(double epsilon);

class Unary : public FrequencyOracle {
  public:
    Unary(const Header& header, Bytes block, std::uint64_t k, const UnaryCoins& coins)
        : FrequencyOracle(header, block, k), counters_(k), coins_(coins) {}

    std::size_t payload_size() const noexcept final { return counters_.width(); }
    std::size_t state_size() const noexcept final { return counters_.size() + sizeof(Uint128); }
    void permanent_response(Input input, Bytes public_randomness, BitSource& bits,
                            MutableBytes permanent) const final;
    bool accumulate(MutableBytes state, Bytes payload) const noexcept final;
    bool accumulate_all(MutableBytes state, const Payloads& payloads) const noexcept final;
    void merge(MutableBytes state, Bytes other) const noexcept final;
    bool valid_payload(Bytes payload) const noexcept final;
    bool valid_state(const Counts& counts) const noexcept final;
    std::vector<std::uint64_t> supports(Bytes state) const final;
    std::uint64_t support(Bytes state, Cell value) const final;
    double max_probability(Bytes payload) const final;
    PureProtocol protocol() const noexcept override { return memoized_protocol(); }
    PureProtocol memoized_protocol() const noexcept final;
    std::optional<ContrastMoments> contrasts() const noexcept final { return of_bits(protocol()); }
    std::optional<ContrastMoments> memoized_contrasts() const noexcept final {
        return of_bits(memoized_protocol());
    }
    // Bits are independent, so that the moments apply to all weights.
    std::optional<double> n_variance_of_sum(std::span<const double> weights,
                                            std::span<const double> shares) const final {
        return n_variance_by_moments(weights, shares);
    }
    Cost cost() const noexcept final;
    Exact probability(Input input, Bytes public_randomness, Bytes permanent) const final;
    Exact worst_ratio() const final;
    ChannelLaw channel_law() const override;

    static constexpr std::uint64_t max_domain = std::uint64_t{1} << 16;

  protected:
    [[nodiscard]] Exact true_one() const;
    [[nodiscard]] Exact false_one() const;
    /// Returns the worst likelihood ratio if a false bit is 1 with this probability.
    [[nodiscard]] Exact worst_ratio_of(const Exact& false_one) const;

  private:
    std::optional<SupportSums> spread(const Counts& counts) const final;
    std::vector<Check> own_checks(const Counts& counts) const final;

    BitCounters counters_;
    UnaryCoins coins_;
};

/// A memoized unary encoding, each bit of which is flipped with the same probability each time it is sent
/// (Arcolezi, Couchot, Al Bouna, Xiao 2022).
///
/// parameters: k (4 bytes), ε₁ (8)
class UnaryChain final : public Unary {
  public:
    /// `sent` has the P(1) of a false bit that is required after both layers.
    UnaryChain(const Header& header, Bytes block, std::uint64_t k, double report_epsilon,
               const UnaryCoins& kept, const UnaryCoins& sent);

    std::vector<std::pair<std::string, double>> parameters() const override;
    void instantaneous_response(Bytes public_randomness, Bytes permanent, BitSource& bits,
                                MutableBytes payload) const override;
    PureProtocol protocol() const noexcept override;
    double report_epsilon() const noexcept override { return report_epsilon_; }
    Exact instantaneous_probability(Bytes public_randomness, Bytes permanent, Bytes payload) const override;
    Exact first_report_ratio() const override;
    ChannelLaw channel_law() const override;

    static constexpr Option options[] = {report_epsilon_option};

  private:
    double report_epsilon_;
    Coin flip_;
};

/// A one-time unary encoding, kept for comparison with the literature.
template <UnaryCoins (*coins)(double)>
[[nodiscard]] constexpr MechanismEntry unary_entry(std::uint8_t id, const char* name, const char* title) {
    return MechanismEntry(
        id, name, title,
        "a yes or no for every value of the list, each drawn by chance; for your own value yes comes more often",
        Shape::one_categorical, Unary::max_domain, write_domain,
        [](const Header& header, Bytes block) -> std::unique_ptr<const Mechanism> {
            Reader reader(block.subspan(header_size));
            const std::uint64_t k = read_domain(reader, Unary::max_domain);
            return std::make_unique<Unary>(header, block, k, coins(header.epsilon));
        },
        {.automatic = true, .literature = true});
}

/// A unary encoding in two layers.
template <UnaryCoins (*coins)(double)>
[[nodiscard]] constexpr MechanismEntry unary_chain_entry(std::uint8_t id, const char* name, const char* title,
                                                         bool literature = false) {
    return MechanismEntry(
        id, name, title,
        "a yes or no for every value of the list, each drawn by chance, and drawn by chance again each time",
        Shape::one_categorical, Unary::max_domain, write_layers,
        [](const Header& header, Bytes block) -> std::unique_ptr<const Mechanism> {
            Reader reader(block.subspan(header_size));
            const std::uint64_t k = take_domain(reader, Unary::max_domain);
            const double report_epsilon = take_report_epsilon(reader, header);
            reader.finish();
            return std::make_unique<UnaryChain>(header, block, k, report_epsilon, coins(header.epsilon),
                                                coins(report_epsilon));
        },
        {.options = UnaryChain::options, .settle = settle_report_epsilon, .literature = literature});
}

}  // namespace ldp
