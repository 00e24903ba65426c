// The one-bit mean of telemetry (Ding, Kulkarni, Yekhanin 2017) on [0,m]: 1 with probability
// 1/(e+1) + (x/m)·(e−1)/(e+1), e = exp(ε); the mean is (m/n)·Σ (bit·(e+1) − 1)/(e−1).
//
// With x = m(t+1)/2, t ∈ [−1,1], that probability is 1/2 + (t/2)(e−1)/(e+1) = 1/2 + t/(2B): duchi's, on a
// range that begins at 0. And (bit·(e+1) − 1)/(e−1) = (1 ± B)/2 is duchi's ±B, brought to [0,1].
//
// With "first_epsilon" the bit is kept for its value (which the client rounds: α-point rounding), and flipped
// once more whenever it is sent: the source's output perturbation, with the probability at which one report
// keeps ε₁.
//
// parameters: as of any number, then, if there are two layers, ε₁ (8 bytes)

#include "core/base/exact.hpp"
#include "core/channel/binary.hpp"
#include "core/mechanism/entries.hpp"
#include "core/mechanism/frequency/second_layer.hpp"
#include "core/mechanism/mean/numeric_mean.hpp"

namespace ldp {

namespace {

class LongitudinalOneBit final : public NumericMean {
  public:
    LongitudinalOneBit(const Header& header, Bytes block, const BinaryChain& chain, const Range& range,
                       double first_epsilon)
        : NumericMean(header, block, std::make_unique<BinaryChain>(chain), range),
          chain_(chain),
          first_epsilon_(first_epsilon) {}

    std::vector<std::pair<std::string, double>> parameters() const override {
        auto all = NumericMean::parameters();
        all.emplace_back("first_epsilon", first_epsilon_);
        all.emplace_back("second_epsilon", chain_.sent().epsilon());
        return all;
    }

    void permanent_response(Input input, Bytes, BitSource& bits, MutableBytes permanent) const override {
        store_bit(permanent, chain_.kept().sample(input[0], bits));
    }
    void instantaneous_response(Bytes, Bytes permanent, BitSource& bits,
                                MutableBytes payload) const override {
        store_bit(payload, chain_.sent().sample(bit(permanent), bits));
    }

    double n_covariance(double truth) const override {
        const auto steps = static_cast<double>(chain_.steps());
        return chain_.kept().noise_at((truth + 1) / 2 * steps) * 4 / (steps * steps);
    }
    Exact probability(Input input, Bytes, Bytes permanent) const override {
        return chain_.kept().probability(input[0], bit(permanent));
    }
    Exact worst_ratio() const override { return chain_.kept().worst_ratio(); }

    double first_epsilon() const noexcept override { return first_epsilon_; }
    Exact instantaneous_probability(Bytes, Bytes permanent, Bytes payload) const override {
        return exact(chain_.sent().weight(bit(permanent), bit(payload)), chain_.sent().total());
    }
    Exact first_report_ratio() const override { return chain_.worst_ratio(); }

  private:
    static std::uint64_t bit(Bytes bytes) noexcept { return std::to_integer<std::uint64_t>(bytes[0]); }
    static void store_bit(MutableBytes bytes, std::uint64_t bit) noexcept {
        bytes[0] = static_cast<std::byte>(bit);
    }

    BinaryChain chain_;
    double first_epsilon_;
};

constexpr Option options[] = {grid_option, second_layer_option};

void write(const Settings& settings, Writer& writer) {
    NumericMean::write(onebit_randomizer, settings, writer);
    write_second_layer(settings, writer);
}

std::unique_ptr<const Mechanism> load(const Header& header, Bytes block) {
    Reader reader(block.subspan(header_size));
    auto [channel, range] = NumericMean::take(onebit_randomizer, reader, header);
    const double first_epsilon = take_second_layer(reader, header);
    if (first_epsilon == header.epsilon)
        return std::make_unique<NumericMean>(header, block, std::move(channel), range);
    const BinaryChannel kept(channel->steps(), header.epsilon);
    const SymmetricChannel sent(2, second_odds(kept.odds(), 2, first_epsilon));
    return std::make_unique<LongitudinalOneBit>(header, block, BinaryChain(kept, sent), range, first_epsilon);
}

}  // namespace

const MechanismEntry onebit_entry{15,
                                  onebit_randomizer.name,
                                  "one bit of a number from 0 up",
                                  Shape::one_numeric,
                                  1,
                                  false,
                                  options,
                                  write,
                                  load,
                                  settle_second_layer};

}  // namespace ldp
