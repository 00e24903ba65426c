#include "core/mechanism/role/mechanism.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "core/base/error.hpp"
#include "core/base/exact.hpp"
#include "core/base/interrupt.hpp"
#include "core/mechanism/role/registry.hpp"
#include "core/mechanism/role/spent_signal.hpp"

namespace ldp {

namespace {

/// A bit source for responses that are a function of the permanent response; drawing a bit is an error.
struct NoBits final : BitSource {
    std::uint64_t word() override { throw std::logic_error("this response is random"); }
};

}  // namespace

// Local randomizer -----------------------------------------------------------------------------------------

void LocalRandomizer::instantaneous_response(Bytes, Bytes permanent, BitSource&, MutableBytes payload) const {
    std::ranges::copy(permanent, payload.begin());
}

Perturber::Perturber(const LocalRandomizer& randomizer)
    : randomizer_(randomizer),
      cells_(randomizer.input_cells()),
      public_(randomizer.public_size()),
      permanent_(randomizer.permanent_size()),
      report_(frame_report(randomizer.block(), sent_size(randomizer))) {
    if (has_signal(randomizer))
        signal_ = SpentSignal(*load_mechanism(randomizer.block(), Kind::report)).report_epsilon();
}

const Report& Perturber::perturb(Input input, BitSource& bits) {
    if (input.size() != cells_.size())
        raise(ErrorCode::invalid_value, "the record has the wrong number of values",
              "Found " + std::to_string(input.size()) + ", expected " + std::to_string(cells_.size()) + ".");
    for (std::size_t j = 0; j < cells_.size(); ++j)
        if (input[j] >= cells_[j])
            raise(ErrorCode::invalid_value, "a cell number is out of range",
                  "Attribute " + std::to_string(j) + " has cell " + std::to_string(input[j]) +
                      "; its cells are 0 to " + std::to_string(cells_[j] - 1) + ".");
    const MutableBytes sent = payload_of(report_, randomizer_.block());
    const MutableBytes payload = sent.first(randomizer_.payload_size());
    // Mechanisms require zeroed output buffers.
    for (const MutableBytes buffer : {MutableBytes(public_), MutableBytes(permanent_), payload})
        std::ranges::fill(buffer, std::byte{0});
    randomizer_.draw_public(bits, public_);
    randomizer_.permanent_response(input, public_, bits, permanent_);
    randomizer_.instantaneous_response(public_, permanent_, bits, payload);
    // The budget of a single report is not spent. In two layers, its bit is drawn in one step.
    if (signal_ > 0) sent.back() = SpentSignal(signal_, signal_).draw(false, bits);
    return report_;
}

Report LocalRandomizer::perturb(Input input, BitSource& bits) const {
    return Perturber(*this).perturb(input, bits);
}

std::vector<Cell> LocalRandomizer::response_key(Input input, Bytes) const {
    return {input.begin(), input.end()};
}

std::uint64_t LocalRandomizer::most_keys() const {
    Uint128 keys = 1;
    for (const std::uint64_t each : cells())
        keys = std::min<Uint128>(keys * each, std::numeric_limits<std::uint64_t>::max());
    return static_cast<std::uint64_t>(keys);
}

// Privacy proof --------------------------------------------------------------------------------------------

Exact PrivacyProof::instantaneous_probability(Bytes public_randomness, Bytes permanent, Bytes payload) const {
    NoBits none;
    std::vector<std::byte> response(payload_size());
    instantaneous_response(public_randomness, permanent, none, response);
    return exact(std::ranges::equal(response, payload) ? 1 : 0, 1);
}

std::optional<Exact> PrivacyProof::shown_probability(Input input, Bytes payload) const {
    return probability(input, payload.first(public_size()), payload.subspan(public_size()));
}

Exact PrivacyProof::first_report_ratio() const {
    return worst_ratio();
}

// Aggregator -----------------------------------------------------------------------------------------------

bool Aggregator::can_estimate(Quantity quantity) const noexcept {
    return std::ranges::find(answers(), quantity) != answers().end();
}

// Mechanism ------------------------------------------------------------------------------------------------

std::vector<double> Mechanism::key_spans(Bytes) const {
    std::vector<double> spans;
    for (const std::uint64_t each : cells())
        spans.push_back(can_estimate(Quantity::means) ? static_cast<double>(each - 1) : 0);
    return spans;
}

// A payload is a function of the two, or, with a second layer, has the same form as the permanent response.
bool Mechanism::valid_permanent(Bytes public_randomness, Bytes permanent) const {
    std::vector<std::byte> payload(payload_size());
    if (report_epsilon() < epsilon()) {
        const auto own = payload.end() - static_cast<std::ptrdiff_t>(permanent.size());
        std::ranges::copy(public_randomness, payload.begin());
        std::ranges::copy(permanent, own);
    } else {
        NoBits none;
        instantaneous_response(public_randomness, permanent, none, payload);
    }
    return valid_payload(payload);
}

// The variance of a mean is a quadratic function of the mean and symmetric about the middle of the range.
// Unless the mechanism overrides this, its maximum is in the middle or at an end. The variance of a frequency
// is linear in the frequency, and frequencies add up to 1. Its average is therefore the variance at the
// average frequency.
double Mechanism::expected_variance(std::size_t attribute) const {
    if (can_estimate(Quantity::means)) return std::max({n_variance(-1), n_variance(0), n_variance(1)});
    return n_variance(1 / static_cast<double>(cells()[attribute]));
}

// For a mean this is a bound, since the distance from the middle is at most 1. For frequencies, the sampling
// term is concave in the frequency, and its average over the values is largest for equal frequencies.
double Mechanism::expected_variance_of_part(std::size_t attribute, double part) const {
    if (can_estimate(Quantity::means)) return expected_variance(attribute) + (1 - part);
    const double f = 1 / static_cast<double>(cells()[attribute]);
    return expected_variance(attribute) + f * (1 - f) * (1 - part);
}

double Mechanism::n_variance_of(std::size_t, std::size_t item, std::span<const double> shares) const {
    if (!can_estimate(Quantity::means)) return n_variance(shares[item]);
    const double steps = static_cast<double>(shares.size()) - 1;
    double sum = 0;
    for (std::size_t i = 0; i < shares.size(); ++i)
        if (shares[i] != 0) sum += shares[i] * n_variance(2 * static_cast<double>(i) / steps - 1);
    return sum;
}

std::vector<std::vector<Contribution>> Mechanism::promised_contributions(std::size_t attribute) const {
    check_interrupt();
    return {contributions({answers()[0], Target::sample, attribute})};
}

Interval Mechanism::promised_bias(std::size_t attribute, double share) const {
    Interval most{0, 0};
    for (const std::vector<Contribution>& contributions : promised_contributions(attribute)) {
        if (contributions.empty()) return {unknown, unknown};
        const auto [down, up] = bias(contributions, share);
        most = {std::min(most.lower, down), std::max(most.upper, up)};
    }
    return most;
}

double Mechanism::promised_influence(std::size_t attribute) const {
    double most = 0;
    for (const std::vector<Contribution>& contributions : promised_contributions(attribute)) {
        if (contributions.empty()) return unknown;
        most = std::max(most, influence(contributions));
    }
    return most;
}

}  // namespace ldp
