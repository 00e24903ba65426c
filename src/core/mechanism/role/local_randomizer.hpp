// The client side of a mechanism.
#pragma once

#include <vector>

#include "core/base/bytes.hpp"
#include "core/base/input_code.hpp"
#include "core/base/random.hpp"
#include "core/format/header.hpp"
#include "core/format/report_frame.hpp"

namespace ldp {

/// Turns true values into reports. Randomness has three lifetimes, so that one-time and longitudinal
/// protocols have one interface:
///   Public randomness   once per user, public: a hash seed, a cohort, a set of buckets.
///   Permanent response  once per value, secret: the output of the randomizer that costs ε.
///   Payload             once per report, sent: the permanent response, or the output of a second layer.
///
/// A randomizer is immutable and built from a parameter block alone. Client, server and proof share one
/// object, so that their p and q are equal.
class LocalRandomizer {
  public:
    LocalRandomizer(const LocalRandomizer&) = delete;
    LocalRandomizer& operator=(const LocalRandomizer&) = delete;
    virtual ~LocalRandomizer() = default;

    [[nodiscard]] Bytes block() const noexcept { return block_; }
    [[nodiscard]] const Header& header() const noexcept { return header_; }
    [[nodiscard]] double epsilon() const noexcept { return header_.epsilon; }
    /// Returns δ, the probability with which the bound of ε may fail; 0 for all mechanisms with pure ε-LDP.
    [[nodiscard]] virtual double delta() const noexcept { return 0; }

    /// Returns the number of input codes of each attribute: the j-th code of an input is below cells()[j].
    [[nodiscard]] virtual std::vector<std::uint64_t> cells() const = 0;
    /// Returns the number of input codes at each position of an input. It is cells(), with two exceptions. Records
    /// with series have the codes of such an attribute in all rounds, one after another. An attribute of sets has
    /// as many codes as there are sets, while cells() has the number of labels.
    [[nodiscard]] virtual std::vector<std::uint64_t> input_cells() const { return cells(); }
    /// Returns the size of every payload in bytes, whatever the value.
    [[nodiscard]] virtual std::size_t payload_size() const noexcept = 0;
    [[nodiscard]] virtual std::size_t public_size() const noexcept { return 0; }
    [[nodiscard]] virtual std::size_t permanent_size() const noexcept { return payload_size(); }

    /// Draws the public randomness of a user, which the user keeps for all reports.
    virtual void draw_public(BitSource&, MutableBytes /*public_randomness*/) const {}
    /// Returns whether draw_public() can produce these public_size() bytes. Clients check stored bytes before
    /// they use them.
    [[nodiscard]] virtual bool valid_public(Bytes /*public_randomness*/) const noexcept { return true; }
    /// Randomizes an input of the right shape. Only this step reads the true value, and only this step costs
    /// ε.
    virtual void permanent_response(Input input, Bytes public_randomness, BitSource& bits,
                                    MutableBytes permanent) const = 0;
    /// Makes a payload from the permanent response.
    virtual void instantaneous_response(Bytes public_randomness, Bytes permanent, BitSource& bits,
                                        MutableBytes payload) const;
    /// Makes a one-time report by all three steps. Error (invalid_value) if the input has the wrong shape. A
    /// Perturber is faster for many reports.
    [[nodiscard]] Report perturb(Input input, BitSource& bits) const;

    /// Returns the number of values of an input that the randomizer clamps: coefficients outside their ranges
    /// (haar), or attributes of a vector that is too long (ball, gaussian).
    [[nodiscard]] virtual std::size_t clamped(Input /*input*/) const { return 0; }

    // Changing values. A permanent response costs epsilon() once, however often it is sent. The total privacy
    // loss of a user is epsilon() times the number of keys with a permanent response.

    /// Returns the key of the permanent response: the part of an input that the randomizer uses under the
    /// public randomness. Inputs with equal keys share a permanent response. A user who keeps permanent
    /// responses pays ε once per key.
    [[nodiscard]] virtual std::vector<Cell> response_key(Input input, Bytes public_randomness) const;
    /// Returns the largest distance between two entries of a user's keys, for each entry; 0 for entries that
    /// have no distance and are only equal or different.
    [[nodiscard]] virtual std::vector<double> key_spans(Bytes public_randomness) const = 0;
    /// Returns the largest number of keys of one user over all values; 2^64 − 1 if it is larger.
    [[nodiscard]] virtual std::uint64_t most_keys() const;
    /// Returns the ε of a single report: less than epsilon() if a second layer perturbs the permanent
    /// response.
    [[nodiscard]] virtual double report_epsilon() const noexcept { return epsilon(); }

  protected:
    /// `block` is the start of the report or summary that the header was read from.
    LocalRandomizer(const Header& header, Bytes block)
        : header_(header), block_(block.begin(), block.end()) {}

  private:
    Header header_;
    std::vector<std::byte> block_;
};

/// Makes one-time reports one after another and reuses its buffers.
class Perturber {
  public:
    /// The randomizer must outlive the object.
    explicit Perturber(const LocalRandomizer& randomizer);
    /// Returns a report of an input, valid until the next call. Error (invalid_value) if the input has the
    /// wrong shape.
    [[nodiscard]] const Report& perturb(Input input, BitSource& bits);

  private:
    const LocalRandomizer& randomizer_;
    std::vector<std::uint64_t> cells_;
    std::vector<std::byte> public_, permanent_;
    Report report_;
    double signal_ = 0;  ///< ε of the signal of a spent budget (spent_signal.hpp); 0 without one
};

}  // namespace ldp
