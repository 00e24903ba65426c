// Generalized randomized response (Warner 1965; Kairouz, Bonawitz, Ramage 2016). It reports the true value
// with probability e/(e+k−1), e = exp(ε), otherwise another one, each with probability 1/(e+k−1).
//
// parameters: k (4 bytes) · payload: a value · state: reports per value

#include "core/base/exact.hpp"
#include "core/channel/symmetric.hpp"
#include "core/mechanism/entries.hpp"
#include "core/mechanism/frequency/counters.hpp"

namespace ldp::grr {

namespace {

constexpr std::uint64_t max_domain = std::uint64_t{1} << 24;

class Grr final : public CountingOracle {
  public:
    Grr(const Header& header, Bytes block, std::uint64_t k)
        : CountingOracle(k, header, block, k), channel_(k, header.epsilon) {}

    void permanent_response(Input input, Bytes, BitSource& bits, MutableBytes permanent) const override {
        store_output(permanent, channel_.sample(input[0], bits));
    }

    PureProtocol protocol() const noexcept override { return {channel_.p(), channel_.q()}; }
    std::vector<std::uint64_t> supports(Bytes state) const override { return counters(state); }
    std::uint64_t support(Bytes state, Cell value) const override { return counter(state, value); }
    // A report supports one value. For a user with value t, its weight is that of t with probability p, and
    // that of each other value with probability q.
    std::optional<double> n_variance_of_sum(std::span<const double> weights,
                                            std::span<const double> shares) const override {
        const auto [p, q] = protocol();
        double sum = 0, squares = 0, variance = 0;
        for (const double weight : weights) sum += weight, squares += weight * weight;
        for (std::size_t t = 0; t < weights.size(); ++t) {
            const double mean = q * sum + (p - q) * weights[t];
            variance += shares[t] * (q * squares + (p - q) * weights[t] * weights[t] - mean * mean);
        }
        return variance / ((p - q) * (p - q));
    }
    double max_probability(Bytes) const override { return channel_.p(); }

    Cost cost() const noexcept override { return {1, static_cast<double>(domain())}; }
    Exact probability(Input input, Bytes, Bytes permanent) const override {
        return exact(channel_.weight(input[0], load_output(permanent)), channel_.total());
    }
    // Each input has one output of high weight and k−1 of low weight, and all rows are permutations of one
    // another. For k ≥ 2, the pair (x, x'≠x) at output x attains high/low, and no weight is smaller or
    // larger.
    Exact worst_ratio() const override {
        return exact(channel_.worst_ratio().high, channel_.worst_ratio().low);
    }

  private:
    SymmetricChannel channel_;
};

std::unique_ptr<const Mechanism> load(const Header& header, Bytes block) {
    Reader reader(block.subspan(header_size));
    const std::uint64_t k = read_domain(reader, max_domain);
    return std::make_unique<Grr>(header, block, k);
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
