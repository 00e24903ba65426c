// Subset selection (Wang et al. 2016; Ye, Barg 2018): a report is a set of w of the k values. A set that
// contains the true value is e = exp(ε) times as probable as one that does not. w is the integer with the
// smallest variance, about k/(e+1).
//
// parameters: k, w (4 bytes each) · payload: the set, as k bits, lowest first, or as the ascending list of
// its values if that is shorter. State: for bits, bit counters; for lists, reports per value

#include "core/base/exact.hpp"
#include "core/channel/subset_channel.hpp"
#include "core/math/bit_counters.hpp"
#include "core/math/channel_law.hpp"
#include "core/mechanism/frequency/counters.hpp"
#include "core/mechanism/frequency/frequency_oracle.hpp"
#include "core/mechanism/role/entries.hpp"

namespace ldp::subset {

namespace {

constexpr std::uint64_t max_domain = std::uint64_t{1} << 16;

/// Everything except the counting of sets.
class Subset : public FrequencyOracle {
  public:
    std::size_t payload_size() const noexcept final { return code_.width(); }
    std::vector<std::pair<std::string, double>> parameters() const final {
        auto all = FrequencyOracle::parameters();
        all.emplace_back("subset_size", static_cast<double>(channel_.size()));
        return all;
    }

    void permanent_response(Input input, Bytes, BitSource& bits, MutableBytes permanent) const final {
        code_.write(channel_.sample(input[0], bits), permanent);
    }
    bool valid_payload(Bytes payload) const noexcept final { return code_.valid(payload); }

    PureProtocol protocol() const noexcept final { return {channel_.p(), channel_.q()}; }
    double max_probability(Bytes) const final { return channel_.max_probability(); }
    Exact probability(Input input, Bytes, Bytes permanent) const final {
        return channel_.probability(code_.holds(permanent, input[0]));
    }
    Exact worst_ratio() const final { return exact(channel_.worst_ratio().high, channel_.worst_ratio().low); }
    ChannelLaw channel_law() const final { return channel_.channel_law(); }
    std::optional<ContrastMoments> contrasts() const noexcept final {
        return {{channel_.mean_square({.all_squares = 1}), channel_.mean_square({.own_squares = 1})}};
    }
    // All sets have the same size. The estimated shares therefore sum to 1, and a constant in all weights has no effect.
    std::optional<double> n_variance_of_sum(std::span<const double> weights,
                                            std::span<const double> shares) const final {
        double mean = 0;
        for (const double weight : weights) mean += weight / static_cast<double>(weights.size());
        std::vector<double> centered(weights.begin(), weights.end());
        for (double& weight : centered) weight -= mean;
        return n_variance_by_moments(centered, shares);
    }

  protected:
    Subset(const Header& header, Bytes block, const SubsetChannel& channel)
        : FrequencyOracle(header, block, channel.domain()),
          channel_(channel),
          code_(channel.domain(), channel.size()) {}

    /// Returns the number of values in a set.
    [[nodiscard]] std::uint64_t size() const noexcept { return channel_.size(); }
    [[nodiscard]] const SetCode& code() const noexcept { return code_; }

  private:
    SubsetChannel channel_;
    SetCode code_;
};

class SubsetBits final : public Subset {
  public:
    SubsetBits(const Header& header, Bytes block, const SubsetChannel& channel)
        : Subset(header, block, channel), counters_(channel.domain()) {}

    std::size_t state_size() const noexcept override { return counters_.size(); }

    bool accumulate(MutableBytes state, Bytes payload) const noexcept override {
        if (!valid_payload(payload)) return false;
        counters_.add(state.data(), payload.data());
        return true;
    }
    bool accumulate_all(MutableBytes state, const Payloads& payloads) const noexcept override {
        const BitCounters::Ones ones = counters_.count_all(state.data(), payloads);
        return counters_.tidy(ones) && ones.least == size() && ones.most == size();
    }
    void merge(MutableBytes state, Bytes other) const noexcept override {
        counters_.merge(state.data(), other.data());
    }
    bool valid_state(const Counts& counts) const noexcept override {
        return counters_.at_most(counts.state.data(), counts.n) &&
               counters_.total(counts.state.data()) == counts.n * size();
    }

    std::vector<std::uint64_t> supports(Bytes state) const override { return counters_.counts(state.data()); }
    std::uint64_t support(Bytes state, Cell value) const override {
        return counters_.count(state.data(), value);
    }
    // About ten bit planes, 32 bytes per step.
    Cost cost() const noexcept override {
        const auto k = static_cast<double>(domain());
        return {5 + 10 * k / 256, 41 * k};
    }

  private:
    BitCounters counters_;
};

class SubsetList final : public Subset {
  public:
    SubsetList(const Header& header, Bytes block, const SubsetChannel& channel)
        : Subset(header, block, channel) {}

    std::size_t state_size() const noexcept override { return domain() * counter_size; }

    bool accumulate(MutableBytes state, Bytes payload) const noexcept override {
        const auto count = [&](Cell value, std::uint64_t by) {
            add(state.data() + value * counter_size, by);
        };
        // Validates and counts in one pass, which is undone at the first invalid value.
        Cell least = 0;
        for (std::size_t i = 0; i < size(); ++i) {
            const Cell found = code().listed(payload, i);
            if (found < least || found >= domain()) {
                while (i-- > 0) count(code().listed(payload, i), ~std::uint64_t{0});
                return false;
            }
            count(found, 1);
            least = found + 1;
        }
        return true;
    }
    void merge(MutableBytes state, Bytes other) const noexcept override { merge_counters(state, other); }
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
};

void write(const Settings& settings, Writer& writer) {
    write_domain(settings, writer);
    writer.put(static_cast<std::uint32_t>(
        SubsetChannel::best_size(settings.epsilon(), settings.attributes()[0].domain)));
}

std::unique_ptr<const Mechanism> load(const Header& header, Bytes block) {
    Reader reader(block.subspan(header_size));
    const std::uint64_t k = take_domain(reader, max_domain);
    const std::uint64_t w = take_number(reader, "subset size", 1, k - 1);
    reader.finish();
    const SubsetChannel channel(k, w, header.epsilon);
    if (SetCode(k, w).lists()) return std::make_unique<SubsetList>(header, block, channel);
    return std::make_unique<SubsetBits>(header, block, channel);
}

}  // namespace

const MechanismEntry entry(
    7, "subset", "subset selection",
    "some of the answers on the list, which chance picks. Your own is among them more often than any other",
    Shape::one_categorical, max_domain, write, load, {.automatic = true});

}  // namespace ldp::subset
