// Generalized randomized response (Warner 1965; Kairouz, Bonawitz, Ramage 2016): report the value itself with
// probability e/(e+k−1), e = exp(ε), otherwise another one, each with probability 1/(e+k−1).
//
// parameters: k (4 bytes) · payload: a value · state: reports per value

#include "core/mechanism/entries.hpp"
#include "core/mechanism/frequency/frequency_oracle.hpp"
#include "core/mechanism/grr/grr_analysis.hpp"
#include "core/mechanism/grr/grr_estimator.hpp"
#include "core/mechanism/grr/grr_randomizer.hpp"

namespace ldp::grr {

namespace {

/// The parts as a mechanism.
class Grr final : public FrequencyOracle {
  public:
    Grr(const Header& header, Bytes block, const Parameters& parameters)
        : FrequencyOracle(header, block, parameters.k()), parameters_(parameters) {}

    std::size_t payload_size() const noexcept override { return parameters_.width; }
    void permanent_response(Input input, Bytes, BitSource& bits, MutableBytes permanent) const override {
        randomizer_.permanent_response(input, bits, permanent);
    }

    std::size_t state_size() const noexcept override { return estimator_.state_size(); }
    bool accumulate(MutableBytes state, Bytes payload) const noexcept override {
        return estimator_.accumulate(state, payload);
    }
    void merge(MutableBytes state, Bytes other) const noexcept override { estimator_.merge(state, other); }
    bool valid_payload(Bytes payload) const noexcept override { return estimator_.valid_payload(payload); }
    bool valid_state(const Counts& counts) const noexcept override { return estimator_.valid_state(counts); }
    PureProtocol protocol() const noexcept override { return estimator_.protocol(); }
    std::vector<std::uint64_t> supports(Bytes state) const override { return estimator_.supports(state); }
    std::uint64_t support(Bytes state, Cell value) const override { return estimator_.support(state, value); }

    std::optional<double> n_variance_of_sum(std::span<const double> weights,
                                            std::span<const double> shares) const override {
        return analysis_.n_variance_of_sum(weights, shares);
    }
    double likeliest(Bytes) const override { return analysis_.likeliest(); }
    Cost cost() const noexcept override { return analysis_.cost(); }
    Exact probability(Input input, Bytes, Bytes permanent) const override {
        return analysis_.probability(input, permanent);
    }
    Exact worst_ratio() const override { return analysis_.worst_ratio(); }

  private:
    Parameters parameters_;
    Randomizer randomizer_{parameters_};
    Estimator estimator_{parameters_};
    Analysis analysis_{parameters_};
};

std::unique_ptr<const Mechanism> load(const Header& header, Bytes block) {
    return std::make_unique<Grr>(header, block, Parameters(header, block));
}

}  // namespace

const MechanismEntry entry{1,
                           "grr",
                           "generalized randomized response",
                           "one value of the list: your own, or by chance another one",
                           Shape::one_categorical,
                           max_domain,
                           true,
                           {},
                           write_domain,
                           load};

}  // namespace ldp::grr
