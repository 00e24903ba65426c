// Local hashing (Wang, Blocki, Li, Jha 2017): each user draws a public function that hashes the k values to g
// buckets, and reports the true value's bucket by randomized response over the buckets. A report supports all
// values that its function maps to the reported bucket. Shared by blh and olh, which choose g, and loloha,
// which adds a second layer.
//
// Parameters: k, g (4 bytes each) · payload: the hash function's a and b (8 bytes each), a bucket.
// State: bit counters, then Σ (values a report supports)² (16 bytes), then reports by the highest four bits
//        of a, then of b
//
// The hash functions are multiply-shift (Dietzfelbinger 1996) of triangular numbers. The point of v is the
// upper half of a·v(v+1)/2 + b mod 2^64, and bucket y takes the points from y/g to (y+1)/g of 2^32. The
// difference (v'−v)(v'+v+1)/2 of two triangular numbers has one odd factor, hence at most 20 factors 2. Over
// all (a, b), the two points are therefore independent and uniform. A value other than the true one falls
// into the reported bucket with probability Σ (share of a bucket)². This is 1/g plus at most g/4·2^-64, since
// buckets differ by at most one point. Servers iterate over the values by additions.
//
// Multiples a·v would also be pairwise independent, but about one function in k would map most values to one
// bucket. The number of supported values would then have tails too heavy for a test of its mean.
#pragma once

#include <cmath>
#include <memory>

#include "core/channel/symmetric.hpp"
#include "core/math/bit_counters.hpp"
#include "core/mechanism/frequency/frequency_oracle.hpp"
#include "core/mechanism/role/fields.hpp"
#include "core/mechanism/role/registry.hpp"

namespace ldp {

class LocalHashing : public FrequencyOracle {
  public:
    static constexpr std::uint64_t max_domain = std::uint64_t{1} << 20;
    // The best number at ε = 11. More buckets reduce the variance of rare values. They also reduce p =
    // e/(e+g−1), which adds f·p(1−p) of variance at a frequency f. Below a frequency of 2^-16 more buckets
    // would be better, above it worse.
    static constexpr std::uint64_t max_buckets = std::uint64_t{1} << 16;

    /// Returns the number of buckets with the smallest variance at frequency 0, at most max_buckets.
    [[nodiscard]] static std::uint64_t best_buckets(double epsilon);

    /// Writes the parameters: the spec's domain size and g.
    static void write(const Settings& settings, std::uint64_t buckets, Writer& writer);
    /// Reads the parameters. Error (malformed) unless 2 ≤ g ≤ most_buckets ≤ 2^32.
    [[nodiscard]] static std::unique_ptr<const Mechanism> read(const Header& header, Bytes block,
                                                               std::uint64_t most_buckets);
    /// Reads only k and g.
    [[nodiscard]] static std::pair<std::uint64_t, std::uint64_t> take(Reader& reader,
                                                                      std::uint64_t most_buckets);

    LocalHashing(const Header& header, Bytes block, std::uint64_t k, std::uint64_t buckets)
        : FrequencyOracle(header, block, k),
          counters_(k),
          channel_(buckets, header.epsilon),
          width_(cell_width(buckets)) {}

    std::vector<std::pair<std::string, double>> parameters() const override;
    std::size_t public_size() const noexcept final { return 2 * sizeof(std::uint64_t); }
    std::size_t permanent_size() const noexcept final { return width_; }
    std::size_t payload_size() const noexcept final { return public_size() + permanent_size(); }
    std::size_t state_size() const noexcept final;

    void draw_public(BitSource& bits, MutableBytes public_randomness) const final;
    void permanent_response(Input input, Bytes public_randomness, BitSource& bits,
                            MutableBytes permanent) const final;
    void instantaneous_response(Bytes public_randomness, Bytes permanent, BitSource& bits,
                                MutableBytes payload) const override;

    bool accumulate(MutableBytes state, Bytes payload) const noexcept final;
    bool accumulate_all(MutableBytes state, const Payloads& payloads) const noexcept final;
    void merge(MutableBytes state, Bytes other) const noexcept final;
    bool valid_payload(Bytes payload) const noexcept final;
    double max_probability(Bytes) const final { return std::ldexp(protocol().p, -128); }
    bool valid_state(const Counts& counts) const noexcept final;

    PureProtocol protocol() const noexcept override { return memoized_protocol(); }
    PureProtocol memoized_protocol() const noexcept final;
    std::vector<std::uint64_t> supports(Bytes state) const final;
    std::uint64_t support(Bytes state, Cell value) const final;
    Cost cost() const noexcept final;
    Exact probability(Input input, Bytes public_randomness, Bytes permanent) const final;
    Exact worst_ratio() const final;
    ChannelLaw channel_law() const override;

  protected:
    /// Returns the channel of the permanent response.
    [[nodiscard]] const SymmetricChannel& kept() const noexcept { return channel_; }
    /// Return the bucket of a value under public randomness, the bucket of a permanent response, and the
    /// bucket of a payload.
    [[nodiscard]] std::uint64_t bucket(Cell value, Bytes public_randomness) const noexcept;
    [[nodiscard]] std::uint64_t memoized_bucket(Bytes permanent) const noexcept {
        return load_cell(permanent.data(), width_);
    }
    [[nodiscard]] std::uint64_t reported(Bytes payload) const noexcept {
        return memoized_bucket(payload.subspan(public_size()));
    }
    void set_reported(MutableBytes payload, std::uint64_t y) const noexcept {
        store_cell(payload.data() + public_size(), width_, y);
    }

  private:
    [[nodiscard]] std::optional<SupportSums> spread(const Counts& counts) const final;
    [[nodiscard]] std::vector<Check> own_checks(const Counts& counts) const final;

    /// Returns the start of bucket y on the circle of 2^64; bucket g starts where bucket 0 does.
    [[nodiscard]] std::uint64_t start(std::uint64_t y) const noexcept;

    /// Return the offsets of the parts of a state after the bit counters.
    [[nodiscard]] std::size_t squares_at() const noexcept { return counters_.size(); }
    [[nodiscard]] std::size_t classes_at() const noexcept { return squares_at() + sizeof(Uint128); }

    BitCounters counters_;
    SymmetricChannel channel_;
    std::size_t width_;
};

/// One-time local hashing to `buckets(epsilon)` buckets, at most `most`.
template <std::uint64_t (*buckets)(double), std::uint64_t most>
[[nodiscard]] constexpr MechanismEntry hashing_entry(std::uint8_t id, const char* name, const char* title,
                                                     const char* leaves, bool literature = false) {
    return MechanismEntry(
        id, name, title, leaves, Shape::one_categorical, LocalHashing::max_domain,
        [](const Settings& settings, Writer& writer) {
            LocalHashing::write(settings, buckets(settings.epsilon()), writer);
        },
        [](const Header& header, Bytes block) { return LocalHashing::read(header, block, most); },
        {.automatic = true, .literature = literature});
}

}  // namespace ldp
