// Ranges of the Haar coefficients of vectors: the first round of `haar` with learnt ranges (Karwa, Vadhan
// 2018 for the two rounds). Each user reports one of several binned statistics of the vector, drawn publicly,
// at the full ε: the bin of the mean, or of the largest absolute coefficient of a level. These bins form a
// record of categories, of which one is sampled; `sampled` implements it.
//
// The mean has 32 equal bins of [−1,1]. The largest coefficient of a level needs a logarithmic scale. Its
// bins end at powers of √2, from 1 down to 1/128, and the first one contains all smaller values.
//
// parameters: d, grid steps (4 bytes each), the parameters of the record
// public randomness, permanent response, payload, state: those of the record

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/error.hpp"
#include "core/base/exact.hpp"
#include "core/channel/subset_channel.hpp"
#include "core/math/channel_law.hpp"
#include "core/math/haar_tree.hpp"
#include "core/mechanism/frequency/counters.hpp"
#include "core/mechanism/mean/numeric_randomizer.hpp"
#include "core/mechanism/role/entries.hpp"
#include "core/mechanism/vector/range_learning.hpp"

namespace ldp::haar_ranges {

namespace {

constexpr std::uint64_t max_attributes = 4096;
constexpr std::uint64_t mean_bins = 32;
constexpr std::uint64_t detail_bins = 15;

/// Returns the upper end of a bin of coefficients.
double detail_end(std::uint64_t bin) noexcept {
    return std::exp2((static_cast<double>(bin) - static_cast<double>(detail_bins - 1)) / 2);
}

std::uint64_t mean_bin(double mean) noexcept {
    const double at = std::floor((mean + 1) / 2 * static_cast<double>(mean_bins));
    return static_cast<std::uint64_t>(std::clamp(at, 0.0, static_cast<double>(mean_bins - 1)));
}

// Compares with all bin ends, so that the run time does not depend on the value.
std::uint64_t detail_bin(double size) noexcept {
    static const auto ends = [] {
        std::array<double, detail_bins - 1> all{};
        for (std::size_t bin = 0; bin < all.size(); ++bin) all[bin] = detail_end(bin);
        return all;
    }();
    return static_cast<std::uint64_t>(std::accumulate(
        ends.begin(), ends.end(), 0, [&](int below, double end) { return below + (size > end ? 1 : 0); }));
}

/// Returns the number of bins of each statistic: the mean first, then each level from the root downwards.
std::vector<std::uint64_t> bins_of(const HaarTree& tree) {
    std::vector<std::uint64_t> bins(tree.levels().size(), detail_bins);
    bins[0] = mean_bins;
    return bins;
}

class HaarRanges final : public Mechanism, public Record, public RangeLearner {
  public:
    HaarRanges(const Header& header, Bytes block, std::size_t d, std::uint64_t steps,
               std::unique_ptr<const Mechanism> facts)
        : Mechanism(header, block),
          tree_(d),
          steps_(steps),
          facts_(std::move(facts)),
          record_(capability<Record>(*facts_)) {}

    std::vector<std::uint64_t> cells() const override {
        return std::vector<std::uint64_t>(tree_.size(), steps_ + 1);
    }
    std::size_t payload_size() const noexcept override { return facts_->payload_size(); }
    std::size_t state_size() const noexcept override { return facts_->state_size(); }
    std::size_t public_size() const noexcept override { return facts_->public_size(); }
    std::size_t permanent_size() const noexcept override { return facts_->permanent_size(); }
    std::vector<std::pair<std::string, double>> parameters() const override {
        return {{"attributes", static_cast<double>(tree_.size())},
                {"grid", static_cast<double>(steps_)},
                {"facts", static_cast<double>(tree_.levels().size())}};
    }

    void draw_public(BitSource& bits, MutableBytes public_randomness) const override {
        facts_->draw_public(bits, public_randomness);
    }
    bool valid_public(Bytes public_randomness) const noexcept override {
        return facts_->valid_public(public_randomness);
    }
    void permanent_response(Input input, Bytes public_randomness, BitSource& bits,
                            MutableBytes permanent) const override {
        facts_->permanent_response(facts_of(input), public_randomness, bits, permanent);
    }
    void instantaneous_response(Bytes public_randomness, Bytes permanent, BitSource& bits,
                                MutableBytes payload) const override {
        facts_->instantaneous_response(public_randomness, permanent, bits, payload);
    }
    std::vector<Cell> response_key(Input input, Bytes public_randomness) const override {
        return facts_->response_key(facts_of(input), public_randomness);
    }
    std::vector<double> key_spans(Bytes public_randomness) const override {
        return facts_->key_spans(public_randomness);
    }

    bool accumulate(MutableBytes state, Bytes payload) const noexcept override {
        return facts_->accumulate(state, payload);
    }
    bool accumulate_all(MutableBytes state, const Payloads& payloads) const noexcept override {
        return facts_->accumulate_all(state, payloads);
    }
    void merge(MutableBytes state, Bytes other) const noexcept override { facts_->merge(state, other); }
    bool valid_payload(Bytes payload) const noexcept override { return facts_->valid_payload(payload); }
    bool valid_state(const Counts& counts) const noexcept override { return facts_->valid_state(counts); }

    // The shares of a statistic's bins. In these requests, `attribute` is the index of a statistic.
    std::span<const Quantity> answers() const noexcept override { return facts_->answers(); }
    std::size_t attributes() const noexcept override { return record_.attributes(); }
    RecordPart part_of(std::size_t fact) const override { return record_.part_of(fact); }
    SummaryView part(const Counts& counts, std::size_t fact) const override {
        return record_.part(counts, fact);
    }
    std::uint64_t per_report() const noexcept override { return record_.per_report(); }
    const RangeLearner* range_learner() const noexcept override { return this; }
    std::vector<Estimate> estimate(const Counts& counts, const Question& question) const override {
        return facts_->estimate(counts, question);
    }
    std::vector<LearntRange> ranges(const Counts& counts, double coverage) const override;
    std::vector<Check> health(const Counts& counts) const override { return facts_->health(counts); }

    // The reports carry no estimate of a single attribute.
    std::vector<Contribution> contributions(const Question&) const override { return {}; }
    double max_probability(Bytes payload) const override { return facts_->max_probability(payload); }

    double n_variance(double truth) const override { return facts_->n_variance(truth); }
    double expected_variance(std::size_t) const override { return std::numeric_limits<double>::infinity(); }
    Cost cost() const noexcept override { return facts_->cost(); }
    Exact probability(Input input, Bytes public_randomness, Bytes permanent) const override {
        return facts_->probability(facts_of(input), public_randomness, permanent);
    }
    std::optional<Exact> shown_probability(Input input, Bytes payload) const override {
        return facts_->shown_probability(facts_of(input), payload);
    }
    // Statistics can have any combination of bins that a vector has, or fewer on a coarse grid.
    Exact worst_ratio() const override { return facts_->worst_ratio(); }
    ChannelLaw channel_law() const override { return facts_->channel_law(); }

  private:
    [[nodiscard]] std::vector<Cell> facts_of(Input input) const;

    HaarTree tree_;
    std::uint64_t steps_;
    std::unique_ptr<const Mechanism> facts_;
    const Record& record_;  ///< the same object
};

std::vector<Cell> HaarRanges::facts_of(Input input) const {
    std::vector<double> leaves(input.size()), coefficients(input.size());
    std::ranges::transform(input, leaves.begin(), [&](Cell cell) {
        return 2 * static_cast<double>(cell) / static_cast<double>(steps_) - 1;
    });
    tree_.forward(leaves, coefficients);
    std::vector<Cell> facts{mean_bin(coefficients[0])};
    const auto levels = tree_.levels();
    for (std::size_t level = 0; level + 1 < levels.size(); ++level) {
        double largest = 0;
        for (std::size_t c = levels[level]; c < levels[level + 1]; ++c)
            largest = std::max(largest, std::abs(coefficients[c]));
        facts.push_back(detail_bin(largest));
    }
    return facts;
}

std::vector<LearntRange> HaarRanges::ranges(const Counts& counts, double coverage) const {
    const double out = 1 - coverage;
    const auto [first, last] = inner_segment(part(counts, 0), out / 2, out / 2);
    const auto end = [](std::size_t bin) {
        return 2 * static_cast<double>(bin) / static_cast<double>(mean_bins) - 1;
    };
    std::vector<LearntRange> learnt{{0, end(first), end(last + 1), true}};
    const auto levels = tree_.levels();
    for (std::size_t level = 0; level + 1 < levels.size(); ++level) {
        const double largest = detail_end(inner_segment(part(counts, level + 1), 0, out).last);
        for (std::size_t c = levels[level]; c < levels[level + 1]; ++c)
            learnt.push_back({c, -largest, largest, true});
    }
    return learnt;
}

/// Returns the oracle with the least variance for a statistic; of equal variances, the one with the shorter
/// report. Sets of one value are those of grr. The sets of 7 of 15 values have the variance of the points of a
/// projective space.
const char* oracle_for(std::uint64_t bins, double epsilon) noexcept {
    const std::uint64_t size = SubsetChannel::best_size(epsilon, bins);
    return size == 1 ? "grr" : bins == 15 && size == 7 ? "projective" : "subset";
}

// The oracle of a statistic is written to the block, since later versions may choose differently.
void write(const Settings& settings, Writer& writer) {
    const std::size_t d = settings.attributes().size();
    std::vector<Attribute> facts;
    for (const std::uint64_t bins : bins_of(HaarTree(d))) {
        Attribute& fact = facts.emplace_back();
        fact.name = std::to_string(facts.size());
        fact.domain = bins;
        fact.mechanism = oracle_for(bins, settings.epsilon());
    }
    Writer record;
    writer.put(static_cast<std::uint32_t>(d));
    writer.put(static_cast<std::uint32_t>(settings.number(grid_option.name)));
    sampled::entry.write(
        Settings(sampled::entry, settings.epsilon(), std::move(facts), {{"per_report", std::uint64_t{1}}}),
        record);
    writer.put_bytes(record.bytes());
}

std::unique_ptr<const Mechanism> load(const Header& header, Bytes block) {
    Reader reader(block.subspan(header_size));
    const std::uint64_t d = take_number(reader, "number of attributes", 2, max_attributes);
    const std::uint64_t steps = take_number(reader, "number of grid steps", grid_option.least, max_grid);
    constexpr std::size_t read = 2 * sizeof(std::uint32_t);
    const std::vector<std::byte> inner =
        make_block(sampled::entry.id, header, header.epsilon, block.subspan(header_size + read));
    auto facts = sampled::entry.load(read_header(inner, Kind::report), inner);
    const std::vector<std::uint64_t> bins = bins_of(HaarTree(d));
    const auto& record = capability<Record>(*facts);
    bool oracles = facts->cells() == bins;
    for (std::size_t fact = 0; oracles && fact < bins.size(); ++fact)
        oracles = find_capability<ValueOracle>(record.reporter(fact)) != nullptr;
    if (!oracles) refuse_block("the bins of the coefficients do not match the vector");
    return std::make_unique<HaarRanges>(header, block, d, steps, std::move(facts));
}

}  // namespace

const MechanismEntry entry(
    21, "haar_ranges", "ranges of Haar coefficients, for a second round",
    "a statement about the size of one figure computed from your numbers, true or by chance another",
    Shape::numeric_vector, max_attributes, write, load,
    {.options = {&grid_option, 1}, .purpose = Purpose::range_learning});

}  // namespace ldp::haar_ranges
