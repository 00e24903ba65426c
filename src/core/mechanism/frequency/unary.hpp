// Unary encoding: one bit per value. The true value's bit is reported by one coin, all other bits by another.
// Shared by sue and oue, which choose the coins.
//
// parameters: k (4 bytes) · payload: k bits, lowest first · state: bit counters, then Σ (ones in a report)²
// (16 bytes)
#pragma once

#include <memory>

#include "core/channel/coin.hpp"
#include "core/math/bit_counters.hpp"
#include "core/mechanism/frequency/frequency_oracle.hpp"
#include "core/mechanism/frequency/second_layer.hpp"

namespace ldp {

class Unary : public FrequencyOracle {
  public:
    std::size_t payload_size() const noexcept final { return counters_.width(); }
    std::size_t state_size() const noexcept final { return counters_.size() + sizeof(Uint128); }
    void permanent_response(Input input, Bytes public_randomness, BitSource& bits,
                            MutableBytes permanent) const final;
    bool accumulate(MutableBytes state, Bytes payload) const noexcept final;
    void merge(MutableBytes state, Bytes other) const noexcept final;
    bool valid_payload(Bytes payload) const noexcept final;
    bool valid_state(const Counts& counts) const noexcept final;
    std::vector<std::uint64_t> supports(Bytes state) const final;
    std::uint64_t support(Bytes state, Cell value) const final;
    double max_probability(Bytes payload) const final;
    PureProtocol protocol() const noexcept override { return memoized_protocol(); }
    PureProtocol memoized_protocol() const noexcept final;
    Cost cost() const noexcept final;
    Exact probability(Input input, Bytes public_randomness, Bytes permanent) const final;

    static constexpr std::uint64_t max_domain = std::uint64_t{1} << 16;

  protected:
    /// The coins are P(1) of the true value's bit and of every other bit.
    Unary(const Header& header, Bytes block, std::uint64_t k, Coin true_bit, Coin false_bit)
        : FrequencyOracle(header, block, k), counters_(k), true_bit_(true_bit), false_bit_(false_bit) {}

    [[nodiscard]] Exact true_one() const;
    [[nodiscard]] Exact false_one() const;

  private:
    std::optional<SupportSums> spread(const Counts& counts) const final;
    std::vector<Check> own_checks(const Counts& counts) const final;

    BitCounters counters_;
    Coin true_bit_;
    Coin false_bit_;
};

/// A memoized unary encoding, each bit of which is flipped with the same probability each time it is sent
/// (Arcolezi, Couchot, Al Bouna, Xiao 2022). Shared by l_sue and l_osue, which choose the first coins.
///
/// parameters: k (4 bytes), ε₁ (8)
class UnaryChain : public Unary {
  public:
    std::vector<std::pair<std::string, double>> parameters() const final;
    void instantaneous_response(Bytes public_randomness, Bytes permanent, BitSource& bits,
                                MutableBytes payload) const final;
    PureProtocol protocol() const noexcept final;
    double report_epsilon() const noexcept final { return report_epsilon_; }
    Exact instantaneous_probability(Bytes public_randomness, Bytes permanent, Bytes payload) const final;

    static constexpr Option options[] = {report_epsilon_option};
    /// Reads the parameters and constructs the mechanism.
    template <class Chain>
    [[nodiscard]] static std::unique_ptr<const Mechanism> read(const Header& header, Bytes block) {
        Reader reader(block.subspan(header_size));
        const std::uint64_t k = take_domain(reader, max_domain);
        const double report_epsilon = take_report_epsilon(reader, header);
        reader.finish();
        return std::make_unique<Chain>(header, block, k, report_epsilon);
    }

  protected:
    /// `sent_false_bit` is the required P(1) of a false bit after both layers.
    UnaryChain(const Header& header, Bytes block, std::uint64_t k, double report_epsilon, Coin true_bit,
               Coin false_bit, Coin sent_false_bit);

    /// Returns P(1) of a false bit after both layers.
    [[nodiscard]] Exact sent_false_one() const;

  private:
    double report_epsilon_;
    Coin flip_;
};

}  // namespace ldp
