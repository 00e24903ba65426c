// Subset selection (Wang et al. 2016; Ye, Barg 2018): report w of the k values, a set that holds the true one
// being e = exp(ε) times as likely as one that does not. w is the whole number with the least variance, about
// k/(e+1).
//
// parameters: k, w (4 bytes each) · payload: the set, as k bits, lowest first, or as the ascending list of
// its values where that is shorter · state: for bits, bit counters; for lists, reports per value

#include <cmath>

#include "core/base/exact.hpp"
#include "core/channel/odds.hpp"
#include "core/math/bit_counters.hpp"
#include "core/mechanism/entries.hpp"
#include "core/mechanism/frequency/counters.hpp"
#include "core/mechanism/frequency/frequency_oracle.hpp"

namespace ldp {

namespace {

constexpr std::uint64_t max_domain = std::uint64_t{1} << 16;

/// All but how a set is written and counted.
class Subset : public FrequencyOracle {
  public:
    std::vector<std::pair<std::string, double>> parameters() const final {
        auto all = FrequencyOracle::parameters();
        all.emplace_back("subset_size", static_cast<double>(w_));
        return all;
    }

    void permanent_response(Input input, Bytes, BitSource& bits, MutableBytes permanent) const final {
        write(draw(input[0], bits), permanent);
    }

    // Each value of the set but the true one is any other value with the same chance, so that q is what a set
    // holds besides the true value, shared by k−1.
    PureProtocol protocol() const noexcept final {
        const auto total = static_cast<double>(this->total());
        const auto others = static_cast<double>((w_ - 1) * odds_.high + (domain() - w_) * odds_.low);
        const auto w = static_cast<double>(w_);
        return {w * static_cast<double>(odds_.high) / total,
                w / static_cast<double>(domain() - 1) * others / total};
    }

    // A set that holds the value, in logarithms: there may be more than 2^1000 of them.
    double likeliest(Bytes) const final {
        const auto k = static_cast<double>(domain()), w = static_cast<double>(w_);
        const double sets = std::lgamma(k + 1) - std::lgamma(w + 1) - std::lgamma(k - w + 1);
        const double high = static_cast<double>(odds_.high) / static_cast<double>(total());
        return std::exp(std::log(k * high) - sets);
    }

    // With probability w·high/total one of the C(k−1, w−1) sets that hold the value, else one of the
    // C(k−1, w) that do not. Of all C(k,w) sets the former are w/k, the latter (k−w)/k.
    Exact probability(Input input, Bytes, Bytes permanent) const final {
        return exact(holds(permanent, input[0]) ? odds_.high : odds_.low, total()) * exact(domain(), 1) /
               subsets(domain(), w_);
    }
    // That makes a set high·k/(total·C(k,w)) likely if it holds the value and low·k/(total·C(k,w)) if not.
    // As 1 ≤ w < k, every set holds a value and leaves one out.
    Exact worst_ratio() const final { return exact(odds_.high, odds_.low); }

  protected:
    Subset(const Header& header, Bytes block, std::uint64_t k, std::uint64_t w)
        : FrequencyOracle(header, block, k), w_(w), odds_(odds(header.epsilon, w, k - w)) {}

    /// Values in a set.
    [[nodiscard]] std::uint64_t size() const noexcept { return w_; }

  private:
    /// Writes a set as a payload.
    virtual void write(const std::vector<bool>& set, MutableBytes payload) const noexcept = 0;
    [[nodiscard]] virtual bool holds(Bytes payload, Cell value) const noexcept = 0;

    [[nodiscard]] std::uint64_t total() const noexcept {
        return w_ * odds_.high + (domain() - w_) * odds_.low;
    }

    // Floyd's sampling (Bentley, Floyd 1987) of the m = k−1 other values: step j draws from the first j+1 of
    // them, and takes the j-th, which is new, where that one was drawn before. The steps m−s..m−1 give every
    // set of s the same chance. If the true value is in, w−1 others are wanted instead of w: all steps but
    // the first. So it is drawn and goes unused, and every value asks for the same words in the same order.
    [[nodiscard]] std::vector<bool> draw(Cell value, BitSource& bits) const {
        std::vector<bool> set(domain());
        const auto other = [value](std::uint64_t i) { return i + (i >= value ? 1 : 0); };
        const bool truth = bits.chance(w_ * odds_.high, total());
        const std::uint64_t first = other(bits.below(domain() - w_));
        set[truth ? value : first] = true;
        for (std::uint64_t j = domain() - w_; j < domain() - 1; ++j) {
            const std::uint64_t drawn = other(bits.below(j + 1));
            set[set[drawn] ? other(j) : drawn] = true;
        }
        return set;
    }

    std::uint64_t w_;
    Odds odds_;
};

class SubsetBits final : public Subset {
  public:
    SubsetBits(const Header& header, Bytes block, std::uint64_t k, std::uint64_t w)
        : Subset(header, block, k, w), counters_(k) {}

    std::size_t payload_size() const noexcept override { return counters_.width(); }
    std::size_t state_size() const noexcept override { return counters_.size(); }

    bool accumulate(MutableBytes state, Bytes payload) const noexcept override {
        if (!valid_payload(payload)) return false;
        counters_.add(state.data(), payload.data());
        return true;
    }
    void merge(MutableBytes state, Bytes other) const noexcept override {
        counters_.merge(state.data(), other.data());
    }
    bool valid_payload(Bytes payload) const noexcept override {
        return counters_.tidy(payload.data()) && BitCounters::ones(payload) == size();
    }
    bool valid_state(const Counts& counts) const noexcept override {
        return counters_.at_most(counts.state.data(), counts.n) &&
               counters_.total(counts.state.data()) == counts.n * size();
    }

    std::vector<std::uint64_t> supports(Bytes state) const override { return counters_.counts(state.data()); }
    std::uint64_t support(Bytes state, Cell value) const override {
        return counters_.count(state.data(), value);
    }
    // About ten planes, 32 bytes of them a step.
    Cost cost() const noexcept override {
        const auto k = static_cast<double>(domain());
        return {5 + 10 * k / 256, 41 * k};
    }

  private:
    void write(const std::vector<bool>& set, MutableBytes payload) const noexcept override {
        for (std::byte& byte : payload) byte = std::byte{0};
        for (std::size_t v = 0; v < set.size(); ++v)
            payload[v / 8] |= static_cast<std::byte>(unsigned{set[v]} << v % 8);
    }
    bool holds(Bytes payload, Cell value) const noexcept override {
        return (std::to_integer<unsigned>(payload[value / 8]) >> value % 8 & 1) != 0;
    }

    BitCounters counters_;
};

class SubsetList final : public Subset {
  public:
    SubsetList(const Header& header, Bytes block, std::uint64_t k, std::uint64_t w)
        : Subset(header, block, k, w), width_(cell_width(k)) {}

    std::size_t payload_size() const noexcept override { return size() * width_; }
    std::size_t state_size() const noexcept override { return domain() * counter_size; }

    bool accumulate(MutableBytes state, Bytes payload) const noexcept override {
        if (!valid_payload(payload)) return false;
        for (std::size_t i = 0; i < size(); ++i)
            add<std::uint64_t>(state.data() + value(payload, i) * counter_size, 1);
        return true;
    }
    void merge(MutableBytes state, Bytes other) const noexcept override { merge_counters(state, other); }
    bool valid_payload(Bytes payload) const noexcept override {
        std::uint64_t least = 0;
        for (std::size_t i = 0; i < size(); ++i) {
            const std::uint64_t found = value(payload, i);
            if (found < least || found >= domain()) return false;
            least = found + 1;
        }
        return true;
    }
    bool valid_state(const Counts& counts) const noexcept override {
        for (std::size_t v = 0; v < domain(); ++v)
            if (counter(counts.state, v) > counts.n) return false;
        return counters_sum_to(counts.state, counts.n * size());
    }

    std::vector<std::uint64_t> supports(Bytes state) const override { return counters(state); }
    std::uint64_t support(Bytes state, Cell value) const override { return counter(state, value); }
    Cost cost() const noexcept override {
        return {static_cast<double>(2 * size()), static_cast<double>(domain())};
    }

  private:
    [[nodiscard]] std::uint64_t value(Bytes payload, std::size_t i) const noexcept {
        return load_cell(payload.data() + i * width_, width_);
    }
    void write(const std::vector<bool>& set, MutableBytes payload) const noexcept override {
        std::byte* at = payload.data();
        for (std::size_t v = 0; v < set.size(); ++v) {
            if (!set[v]) continue;
            store_cell(at, width_, v);
            at += width_;
        }
    }
    bool holds(Bytes payload, Cell wanted) const noexcept override {
        for (std::size_t i = 0; i < size(); ++i)
            if (value(payload, i) == wanted) return true;
        return false;
    }

    std::size_t width_;
};

/// The w with the least n·Var at a value that nobody holds, which is (e−1)^-2 times what is compared here.
std::uint64_t best_size(double epsilon, std::uint64_t domain) {
    const double e = std::exp(epsilon), k = static_cast<double>(domain);
    std::uint64_t best = 1;
    double least = INFINITY;
    for (std::uint64_t size = 1; size < domain; ++size) {
        const auto w = static_cast<double>(size);
        const double n_variance = (e * (w - 1) + k - w) * (e * w + k - w - 1) / (w * (k - w));
        if (n_variance >= least) continue;
        least = n_variance;
        best = size;
    }
    return best;
}

void write(const Settings& settings, Writer& writer) {
    write_domain(settings, writer);
    writer.put(static_cast<std::uint32_t>(best_size(settings.epsilon(), settings.attributes()[0].domain)));
}

std::unique_ptr<const Mechanism> load(const Header& header, Bytes block) {
    Reader reader(block.subspan(header_size));
    const std::uint64_t k = take_domain(reader, max_domain);
    const std::uint64_t w = take_number(reader, "subset size", 1, k - 1);
    reader.finish();
    if (w * cell_width(k) < BitCounters(k).width()) return std::make_unique<SubsetList>(header, block, k, w);
    return std::make_unique<SubsetBits>(header, block, k, w);
}

}  // namespace

const MechanismEntry subset_entry{
    7, "subset", "subset selection", Shape::one_categorical, max_domain, true, {}, write, load};

}  // namespace ldp
