// The mean of one number in two layers: an output is memoized for its value and passes a symmetric response
// each time it is sent.
#pragma once

#include "core/base/exact.hpp"
#include "core/channel/symmetric.hpp"
#include "core/mechanism/mean/numeric_mean.hpp"

namespace ldp {

/// A mechanism for a chain of two channels, which is itself the channel of one report. Outputs fit in a byte.
template <class Chain>
class TwoLayerMean final : public NumericMean {
  public:
    TwoLayerMean(const Header& header, Bytes block, const Chain& chain, const Range& range,
                 std::uint32_t rounding_cells, double report_epsilon)
        : NumericMean(header, block, std::make_unique<Chain>(chain), range, rounding_cells),
          chain_(chain),
          report_epsilon_(report_epsilon) {}

    std::vector<std::pair<std::string, double>> parameters() const override {
        auto all = NumericMean::parameters();
        all.emplace_back("report_epsilon", report_epsilon_);
        all.emplace_back("second_epsilon", chain_.sent().epsilon());
        return all;
    }

    void permanent_response(Input input, Bytes, BitSource& bits, MutableBytes permanent) const override {
        store_output(permanent, chain_.kept().sample(input[0], bits));
    }
    void instantaneous_response(Bytes, Bytes permanent, BitSource& bits,
                                MutableBytes payload) const override {
        store_output(payload, chain_.sent().sample(output(permanent), bits));
    }

    double n_covariance(double truth) const override {
        const auto steps = static_cast<double>(chain_.steps());
        return chain_.kept().noise_at((truth + 1) / 2 * steps) * 4 / (steps * steps);
    }
    Exact probability(Input input, Bytes, Bytes permanent) const override {
        return chain_.kept().probability(input[0], output(permanent));
    }
    Exact worst_ratio() const override { return chain_.kept().worst_ratio(); }

    double report_epsilon() const noexcept override { return report_epsilon_; }
    Exact instantaneous_probability(Bytes, Bytes permanent, Bytes payload) const override {
        return exact(chain_.sent().weight(output(permanent), output(payload)), chain_.sent().total());
    }
    Exact first_report_ratio() const override { return chain_.worst_ratio(); }

  private:
    static std::uint64_t output(Bytes bytes) noexcept { return std::to_integer<std::uint64_t>(bytes[0]); }
    static void store_output(MutableBytes bytes, std::uint64_t output) noexcept {
        bytes[0] = static_cast<std::byte>(output);
    }

    Chain chain_;
    double report_epsilon_;
};

}  // namespace ldp
