// Local hashing (Wang, Blocki, Li, Jha 2017): every user draws a public function that hashes the k values to
// g buckets, and reports the true value's bucket by randomized response over the buckets. A report supports
// all values that its function sends to the reported bucket. All of blh and olh but g, and of loloha but its
// second layer.
//
// parameters: k, g (4 bytes each) · payload: the hash function's a and b (8 bytes each), a bucket · state:
// bit counters, then Σ (values a report supports)² (16 bytes), then reports by the highest four bits of a,
// then of b
//
// The hash functions are multiply-shift (Dietzfelbinger 1996) of triangular numbers: the point of v is the
// upper half of a·v(v+1)/2 + b mod 2^64, and bucket y takes the points from y/g to (y+1)/g of 2^32. Of two
// values' triangular numbers, the difference (v'−v)(v'+v+1)/2 has one odd factor, hence at most 20 factors 2,
// so that over all (a, b) the two points are independent and uniform. Another value than the true one then
// falls into the reported bucket with probability Σ (share of a bucket)², which is 1/g and at most g/4·2^-64
// more, buckets being as equal as whole points allow. A server walks over the values by additions. (Plain
// multiples a·v would do for every pair of values, but then about one function in k sends most values to one
// bucket, and the number of values that a report supports has tails too heavy for its mean to be checked.)
#pragma once

#include <cmath>
#include <memory>

#include "core/channel/symmetric.hpp"
#include "core/math/bit_counters.hpp"
#include "core/mechanism/fields.hpp"
#include "core/mechanism/frequency/frequency_oracle.hpp"

namespace ldp {

class LocalHashing : public FrequencyOracle {
  public:
    static constexpr std::uint64_t max_domain = std::uint64_t{1} << 20;
    // The best number at ε = 11. More buckets would make rare values' variance still smaller, but
    // p = e/(e+g−1) smaller as well, with f·p(1−p) of variance at a frequency f: what is lost below a
    // frequency of 2^-16 is gained above.
    static constexpr std::uint64_t max_buckets = std::uint64_t{1} << 16;

    /// The number of buckets that gives a value which nobody holds the least variance, at most max_buckets.
    [[nodiscard]] static std::uint64_t best_buckets(double epsilon);

    /// Writes the parameters: the spec's domain and g.
    static void write(const Settings& settings, std::uint64_t buckets, Writer& writer);
    /// Reads them back; Error (malformed) unless 2 ≤ g ≤ most_buckets ≤ 2^32.
    [[nodiscard]] static std::unique_ptr<const Mechanism> read(const Header& header, Bytes block,
                                                               std::uint64_t most_buckets);
    /// Takes only these of them: k and g.
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

  protected:
    /// What a permanent response is drawn from.
    [[nodiscard]] const SymmetricChannel& kept() const noexcept { return channel_; }
    /// The bucket of a value under an public randomness, the one that a permanent response holds, and the one
    /// that a payload reports.
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

    /// Where bucket y begins on the circle of 2^64; bucket g begins where bucket 0 does.
    [[nodiscard]] std::uint64_t start(std::uint64_t y) const noexcept;

    /// Where the parts of a state begin after the bit counters.
    [[nodiscard]] std::size_t squares_at() const noexcept { return counters_.size(); }
    [[nodiscard]] std::size_t classes_at() const noexcept { return squares_at() + sizeof(Uint128); }

    BitCounters counters_;
    SymmetricChannel channel_;
    std::size_t width_;
};

}  // namespace ldp
