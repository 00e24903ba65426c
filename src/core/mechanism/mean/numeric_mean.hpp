// The mean of one number. Shared by piecewise, pdp, laplace, duchi, onebit, hybrid and optimal, which choose
// the channel, and by square_wave, which adds its own counters.
//
// parameters: grid steps with the rounding cells (4 bytes), window width (4; 0 without a window), for optimal
//             its decoded values (9), min, max · payload: an output of the channel · state: the channel's tally
#pragma once

#include "core/mechanism/mean/numeric_randomizer.hpp"
#include "core/mechanism/mean/rounded_numbers.hpp"
#include "core/mechanism/role/error_law.hpp"

namespace ldp {

class NumericMean : public Mechanism, public KnownErrors {
  public:
    NumericMean(const Header& header, Bytes block, std::unique_ptr<const NumericChannel> channel,
                const Range& range, std::uint32_t rounding_cells = 0)
        : Mechanism(header, block),
          channel_(std::move(channel)),
          range_(range),
          rounding_cells_(rounding_cells),
          width_(cell_width(channel_->outputs())) {}

    std::vector<std::uint64_t> cells() const override { return {channel_->inputs()}; }
    std::size_t payload_size() const noexcept override { return width_; }
    std::size_t state_size() const noexcept override { return channel_->tally_size(); }
    std::vector<std::pair<std::string, double>> parameters() const override;
    void permanent_response(Input input, Bytes public_randomness, BitSource& bits,
                            MutableBytes permanent) const override;
    bool accumulate(MutableBytes state, Bytes payload) const noexcept override;
    bool accumulate_all(MutableBytes state, const Payloads& payloads) const noexcept override;
    void merge(MutableBytes state, Bytes other) const noexcept override;
    bool valid_payload(Bytes payload) const noexcept override;
    bool valid_state(const Counts& counts) const noexcept override;
    std::span<const Quantity> answers() const noexcept override;
    std::vector<Estimate> estimate(const Counts& counts, const Question& question) const override;
    std::vector<Check> health(const Counts& counts) const override;
    std::vector<Contribution> contributions(const Question& question) const override;
    double max_probability(Bytes payload) const override {
        return channel_->max_probability(load_cell(payload.data(), width_));
    }
    double n_variance(double truth) const override;
    double expected_variance(std::size_t) const override { return expected_variance_of_part(0, 1); }
    double expected_variance_of_part(std::size_t attribute, double part) const override;
    ErrorLaw error_law(std::uint64_t n, Target target) const noexcept override;
    Cost cost() const noexcept override { return {2, 10}; }
    Exact probability(Input input, Bytes public_randomness, Bytes permanent) const override;
    Exact worst_ratio() const override;
    ChannelLaw channel_law() const override;

    /// Writes the parameters of a spec with one numeric attribute. Error (invalid_spec) if the numeric
    /// randomizer requires a range from 0 and the range does not start there. The channel may be designed for
    /// its own ε.
    static void write(const NumericRandomizer& randomizer, const Settings& settings, double epsilon,
                      Writer& writer);
    static void write(const NumericRandomizer& randomizer, const Settings& settings, Writer& writer) {
        write(randomizer, settings, settings.epsilon(), writer);
    }
    /// The parameters that write() writes. Error (malformed) if they are out of range.
    struct Parameters {
        std::unique_ptr<const NumericChannel> channel;
        Range range;
        std::uint32_t rounding_cells;
    };
    [[nodiscard]] static Parameters take(const NumericRandomizer& randomizer, Reader& reader,
                                         const Header& header);
    static std::unique_ptr<const Mechanism> load(const NumericRandomizer& randomizer, const Header& header,
                                                 Bytes block);

    const Range* range_of_number() const noexcept final { return &range_; }
    [[nodiscard]] double rounding_deviation(std::size_t attribute) const noexcept final;

  protected:
    [[nodiscard]] std::uint64_t outputs() const noexcept { return channel_->outputs(); }

  private:
    /// Returns the estimated moments of the inputs.
    [[nodiscard]] virtual NumericChannel::Moments moments(const Counts& counts) const noexcept {
        return channel_->invert(counts.n, counts.state.data());
    }

    std::unique_ptr<const NumericChannel> channel_;
    Range range_;
    std::uint32_t rounding_cells_;
    std::size_t width_;
};

template <const NumericRandomizer& randomizer>
[[nodiscard]] constexpr MechanismEntry numeric_entry(std::uint8_t id, const char* title, const char* leaves,
                                                     bool literature = false) {
    return MechanismEntry(
        id, randomizer.name, title, leaves, Shape::one_numeric, 1,
        [](const Settings& settings, Writer& writer) { NumericMean::write(randomizer, settings, writer); },
        [](const Header& header, Bytes block) { return NumericMean::load(randomizer, header, block); },
        {.automatic = true, .options = {&grid_option, 1}, .literature = literature});
}

}  // namespace ldp
