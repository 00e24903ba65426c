// The mean of one number: all of piecewise, pdp, laplace, duchi, onebit and hybrid but their channels, and of
// square_wave what does not depend on how its state counts.
//
// parameters: grid steps, window width (4 bytes each; 0 without a window), min, max · payload: an output of
// the channel · state: the channel's tally
#pragma once

#include "core/mechanism/mean/numeric_card.hpp"

namespace ldp {

class NumericMean : public Mechanism {
  public:
    NumericMean(const Header& header, Bytes block, std::unique_ptr<const NumericChannel> channel,
                const Range& range)
        : Mechanism(header, block),
          channel_(std::move(channel)),
          range_(range),
          width_(cell_width(channel_->outputs())) {}

    std::vector<std::uint64_t> cells() const override { return {channel_->inputs()}; }
    std::size_t payload_size() const noexcept override { return width_; }
    std::size_t state_size() const noexcept override { return channel_->tally_size(); }
    std::vector<std::pair<std::string, double>> parameters() const override;
    void randomise(Input input, Bytes enrolment, BitSource& bits, MutableBytes memo) const override;
    bool accumulate(MutableBytes state, Bytes payload) const noexcept override;
    void merge(MutableBytes state, Bytes other) const noexcept override;
    bool valid_payload(Bytes payload) const noexcept override;
    bool valid_state(std::uint64_t n, Bytes state) const noexcept override;
    std::span<const Quantity> answers() const noexcept override;
    std::vector<Estimate> estimate(std::uint64_t n, Bytes state, const Question& question) const override;
    std::vector<Check> health(std::uint64_t n, Bytes state) const override;
    double n_variance(double truth) const override;
    Cost cost() const noexcept override { return {2, 10}; }
    Exact probability(Input input, Bytes enrolment, Bytes memo) const override;
    Exact worst_ratio() const override;

    /// Writes the parameters of a spec with one numeric attribute. Throws Error (invalid_spec) if the card
    /// wants a range that begins at 0 and this one does not.
    static void write(const NumericCard& card, const Spec& spec, Writer& writer);
    /// What write() wrote. Throws Error (malformed) if it is out of range.
    struct Parameters {
        std::unique_ptr<const NumericChannel> channel;
        Range range;
    };
    [[nodiscard]] static Parameters take(const NumericCard& card, Reader& reader, const Header& header);
    static std::unique_ptr<const Mechanism> load(const NumericCard& card, const Header& header, Bytes block);

    [[nodiscard]] const Range& range() const noexcept { return range_; }

  protected:
    [[nodiscard]] std::uint64_t outputs() const noexcept { return channel_->outputs(); }

  private:
    /// What the state tells of the inputs.
    [[nodiscard]] virtual NumericChannel::Moments moments(std::uint64_t n, Bytes state) const noexcept {
        return channel_->invert(n, state.data());
    }

    std::unique_ptr<const NumericChannel> channel_;
    Range range_;
    std::size_t width_;
};

template <const NumericCard& card>
[[nodiscard]] constexpr MechanismEntry numeric_entry(std::uint8_t id, const char* title,
                                                     bool automatic = true) {
    return {id,
            card.name,
            title,
            Shape::one_numeric,
            1,
            automatic,
            {&grid_option, 1},
            [](const Spec& spec, Writer& writer) { NumericMean::write(card, spec, writer); },
            [](const Header& header, Bytes block) { return NumericMean::load(card, header, block); }};
}

}  // namespace ldp
