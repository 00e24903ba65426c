// What happens on a person's device.
#pragma once

#include <vector>

#include "core/base/bytes.hpp"
#include "core/base/input_code.hpp"
#include "core/base/random.hpp"
#include "core/format/header.hpp"
#include "core/format/report_frame.hpp"

namespace ldp {

/// Turns true values into reports. Three lifetimes of randomness, so that one-time and longitudinal protocols
/// have one shape:
///   public randomness  once per user, public: a hash seed, a cohort, a set of buckets
///   permanent response       once per value, secret: what the randomizer drew; this is what costs ε
///   payload    once per report: what is sent; the permanent response itself, unless a second layer stands in
///   between
///
/// Immutable, built from a parameter block alone, so that client, server and proof share one object and p and
/// q cannot drift apart.
class LocalRandomizer {
  public:
    LocalRandomizer(const LocalRandomizer&) = delete;
    LocalRandomizer& operator=(const LocalRandomizer&) = delete;
    virtual ~LocalRandomizer() = default;

    [[nodiscard]] Bytes block() const noexcept { return block_; }
    [[nodiscard]] const Header& header() const noexcept { return header_; }
    [[nodiscard]] double epsilon() const noexcept { return header_.epsilon; }
    /// The probability but for which ε holds; 0 where it holds for certain, which is nearly everywhere.
    [[nodiscard]] virtual double delta() const noexcept { return 0; }

    /// Cells of each attribute: an input's j-th cell number lies below cells()[j].
    [[nodiscard]] virtual std::vector<std::uint64_t> cells() const = 0;
    /// Bytes of every payload, whatever the value.
    [[nodiscard]] virtual std::size_t payload_size() const noexcept = 0;
    [[nodiscard]] virtual std::size_t public_size() const noexcept { return 0; }
    [[nodiscard]] virtual std::size_t permanent_size() const noexcept { return payload_size(); }

    /// Draws what a user keeps for ever.
    virtual void draw_public(BitSource&, MutableBytes /*public_randomness*/) const {}
    /// Whether it can have drawn these public_size() bytes: what a client remembers must pass before anything
    /// is made of it.
    [[nodiscard]] virtual bool valid_public(Bytes /*public_randomness*/) const noexcept { return true; }
    /// Randomizes an input of the right shape. The only step that touches the truth, and the one that costs
    /// ε.
    virtual void permanent_response(Input input, Bytes public_randomness, BitSource& bits,
                                    MutableBytes permanent) const = 0;
    /// Makes a payload from what was drawn.
    virtual void instantaneous_response(Bytes public_randomness, Bytes permanent, BitSource& bits,
                                        MutableBytes payload) const;
    /// All three in a row: a one-time report. Throws Error (invalid_value) if the input has the wrong shape.
    /// Many of them take less time from a Perturber.
    [[nodiscard]] Report perturb(Input input, BitSource& bits) const;

    // Values that change. However often a permanent response is sent, it costs epsilon() once: what a user
    // gives away over all time is epsilon() times the number of keys that had a permanent response drawn.

    /// What a permanent response is of: all that the randomizer sees of an input, beside the public
    /// randomness. Inputs with equal keys share a permanent response, and a user who keeps permanent
    /// responses pays ε once for each key.
    [[nodiscard]] virtual std::vector<Cell> response_key(Input input, Bytes public_randomness) const;
    /// How far apart two entries of a user's keys can be at most, for each entry; 0 where they are equal or
    /// different and nothing in between.
    [[nodiscard]] virtual std::vector<double> key_spans(Bytes public_randomness) const = 0;
    /// The most keys that one user can ever have, whatever their values; 2^64 − 1 if there are more.
    [[nodiscard]] virtual std::uint64_t most_keys() const noexcept;
    /// What one report tells by itself: less than epsilon() if a second layer stands between it and the
    /// permanent response.
    [[nodiscard]] virtual double first_epsilon() const noexcept { return epsilon(); }

  protected:
    /// `block` begins the report or summary that the header was read from.
    LocalRandomizer(const Header& header, Bytes block)
        : header_(header), block_(block.begin(), block.end()) {}

  private:
    Header header_;
    std::vector<std::byte> block_;
};

/// Makes one-time reports one after another, in buffers that it keeps.
class Perturber {
  public:
    /// The randomizer must outlive it.
    explicit Perturber(const LocalRandomizer& randomizer);
    /// A report of an input, which stays until the next one. Throws Error (invalid_value) if the input has
    /// the wrong shape.
    [[nodiscard]] const Report& perturb(Input input, BitSource& bits);

  private:
    const LocalRandomizer& randomizer_;
    std::vector<std::uint64_t> cells_;
    std::vector<std::byte> public_, permanent_;
    Report report_;
};

}  // namespace ldp
