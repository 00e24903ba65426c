// The mean of one number: all of piecewise, pdp, laplace, duchi, onebit, hybrid and optimal but their
// channels, and of square_wave what does not depend on how its state counts.
//
// parameters: grid steps, window width (4 bytes each; 0 without a window), of optimal its readings (9), min,
// max · payload: an output of the channel · state: the channel's tally
#pragma once

#include "core/mechanism/mean/numeric_analysis.hpp"
#include "core/mechanism/mean/numeric_estimator.hpp"

namespace ldp {

class NumericMean : public Mechanism, public Number, public KnownErrors {
  public:
    NumericMean(const Header& header, Bytes block, std::unique_ptr<const NumericChannel> channel,
                const Range& range)
        : Mechanism(header, block), parameters_(make(std::move(channel), range)) {}

    std::vector<std::uint64_t> cells() const override { return {parameters_.channel->inputs()}; }
    std::size_t payload_size() const noexcept override { return parameters_.width; }
    std::size_t state_size() const noexcept override { return parameters_.channel->tally_size(); }
    std::vector<std::pair<std::string, double>> parameters() const override { return analysis_.parameters(); }
    void permanent_response(Input input, Bytes, BitSource& bits, MutableBytes permanent) const override {
        device_.permanent_response(input, bits, permanent);
    }
    bool accumulate(MutableBytes state, Bytes payload) const noexcept override {
        return estimator_.accumulate(state, payload);
    }
    void merge(MutableBytes state, Bytes other) const noexcept override { estimator_.merge(state, other); }
    bool valid_payload(Bytes payload) const noexcept override { return estimator_.valid_payload(payload); }
    bool valid_state(const Counts& counts) const noexcept override { return estimator_.valid_state(counts); }
    std::span<const Quantity> answers() const noexcept override;
    std::vector<Estimate> estimate(const Counts& counts, const Question& question) const override {
        return estimator_.estimate(counts, moments(counts), question.target);
    }
    std::vector<Check> health(const Counts& counts) const override { return estimator_.health(counts); }
    std::vector<Stake> stakes(const Question&) const override { return analysis_.stakes(); }
    double likeliest(Bytes payload) const override { return analysis_.likeliest(payload); }
    double n_variance(double truth) const override { return analysis_.n_variance(truth); }
    double promised_variance(std::size_t) const override { return promised_variance_of_part(1); }
    double promised_variance_of_part(double part) const override {
        return analysis_.promised_variance_of_part(part);
    }
    ErrorLaw error_law(std::uint64_t n, Target target) const noexcept override {
        return estimator_.error_law(n, target);
    }
    Cost cost() const noexcept override { return {2, 10}; }
    Exact probability(Input input, Bytes, Bytes permanent) const override {
        return analysis_.probability(input, permanent);
    }
    Exact worst_ratio() const override { return analysis_.worst_ratio(); }

    /// Writes the parameters of a spec with one numeric attribute. Throws Error (invalid_spec) if the numeric
    /// randomizer wants a range that begins at 0 and this one does not. What a channel is read for may be an
    /// ε of its own.
    static void write(const NumericRandomizer& randomizer, const Settings& settings, double epsilon,
                      Writer& writer);
    static void write(const NumericRandomizer& randomizer, const Settings& settings, Writer& writer) {
        write(randomizer, settings, settings.epsilon(), writer);
    }
    /// What write() wrote. Throws Error (malformed) if it is out of range.
    struct Parameters {
        std::unique_ptr<const NumericChannel> channel;
        Range range;
    };
    [[nodiscard]] static Parameters take(const NumericRandomizer& randomizer, Reader& reader,
                                         const Header& header);
    static std::unique_ptr<const Mechanism> load(const NumericRandomizer& randomizer, const Header& header,
                                                 Bytes block);

    [[nodiscard]] const Range& range() const noexcept final { return parameters_.range; }

  protected:
    [[nodiscard]] std::uint64_t outputs() const noexcept { return parameters_.channel->outputs(); }

  private:
    /// What the state tells of the inputs.
    [[nodiscard]] virtual NumericChannel::Moments moments(const Counts& counts) const noexcept {
        return parameters_.channel->invert(counts.n, counts.state.data());
    }

    static NumericParameters make(std::unique_ptr<const NumericChannel> channel, const Range& range) {
        const std::size_t width = cell_width(channel->outputs());
        return {std::move(channel), range, width};
    }

    NumericParameters parameters_;
    NumericDevice device_{parameters_};
    NumericEstimator estimator_{parameters_};
    NumericAnalysis analysis_{parameters_};
};

template <const NumericRandomizer& randomizer>
[[nodiscard]] constexpr MechanismEntry numeric_entry(std::uint8_t id, const char* title, const char* leaves,
                                                     bool automatic = true) {
    return {
        id,
        randomizer.name,
        title,
        leaves,
        Shape::one_numeric,
        1,
        automatic,
        {&grid_option, 1},
        [](const Settings& settings, Writer& writer) { NumericMean::write(randomizer, settings, writer); },
        [](const Header& header, Bytes block) { return NumericMean::load(randomizer, header, block); }};
}

}  // namespace ldp
