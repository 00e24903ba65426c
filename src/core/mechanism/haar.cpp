// A vector through its Haar transform, details sampled: each user draws one coefficient, publicly, and
// reports it through a numeric card at the full ε. (Zhang et al. 2023 and Saatchi 2025 for the
// transform; one sampled coefficient instead of the published parity masks, whose likelihood ratio is far
// above e^ε.)
//
// A coefficient c that `reach(c)` leaves are made of is drawn with probability ∝ √reach(c): that minimises
// the summed variance Σ_c reach(c)/π_c of the leaves. On a full tree this is π_level ∝ 2^{level/2}.
//
// parameters: d, grid steps, window width (4 bytes each), details (1: 0 sampled), response (1), number of
//             ranges (2), then runs of attributes with equal ranges: length (4), min, max
// payload:    the coefficient, and an output of the card's channel
// state:      per coefficient: reports (8), the channel's tally

#include "../haar.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "../error.hpp"
#include "../exact.hpp"
#include "../spec.hpp"
#include "all.hpp"
#include "numeric_card.hpp"

namespace ldp {

namespace {

constexpr std::uint64_t max_attributes = 4096;
constexpr std::size_t count_size = sizeof(std::uint64_t);
enum class Details : std::uint8_t { sampled = 0 };

class Haar final : public Mechanism {
  public:
    Haar(const Header& header, Bytes block, std::unique_ptr<const NumericChannel> channel,
         std::vector<Range> ranges)
        : Mechanism(header, block),
          channel_(std::move(channel)),
          ranges_(std::move(ranges)),
          tree_(ranges_.size()),
          index_width_(cell_width(ranges_.size())),
          cell_width_(cell_width(channel_->outputs())),
          slot_size_(count_size + channel_->tally_size()) {
        std::uint64_t sum = 0;
        for (std::size_t c = 0; c < tree_.size(); ++c)
            draw_below_.push_back(sum += static_cast<std::uint64_t>(
                                      std::ldexp(std::sqrt(static_cast<double>(tree_.reach(c))), 32)));
    }

    std::vector<std::uint64_t> cells() const override {
        return std::vector<std::uint64_t>(ranges_.size(), channel_->inputs());
    }
    std::size_t payload_size() const noexcept override { return index_width_ + cell_width_; }
    std::size_t state_size() const noexcept override { return tree_.size() * slot_size_; }
    std::vector<std::pair<std::string, double>> parameters() const override {
        std::vector<std::pair<std::string, double>> all{{"attributes", static_cast<double>(tree_.size())},
                                                        {"grid", static_cast<double>(channel_->steps())}};
        for (const auto& parameter : channel_->parameters()) all.push_back(parameter);
        return all;
    }

    void randomise(Input input, Bytes, BitSource& bits, MutableBytes memo) const override {
        const std::uint64_t u = bits.below(draw_below_.back());
        const auto c =
            static_cast<std::size_t>(std::ranges::upper_bound(draw_below_, u) - draw_below_.begin());
        store_cell(memo.data(), index_width_, c);
        store_cell(memo.data() + index_width_, cell_width_,
                   channel_->sample(place(transform(input)[c]).draw(bits), bits));
    }

    bool accumulate(MutableBytes state, Bytes payload) const noexcept override {
        if (!valid_payload(payload)) return false;
        std::byte* slot = state.data() + load_cell(payload.data(), index_width_) * slot_size_;
        add<std::uint64_t>(slot, 1);
        channel_->accumulate(slot + count_size, load_cell(payload.data() + index_width_, cell_width_));
        return true;
    }
    void merge(MutableBytes state, Bytes other) const noexcept override {
        for (std::size_t at = 0; at < state.size(); at += slot_size_) {
            add(state.data() + at, load<std::uint64_t>(other.data() + at));
            channel_->merge(state.data() + at + count_size, other.data() + at + count_size);
        }
    }
    bool valid_payload(Bytes payload) const noexcept override {
        return load_cell(payload.data(), index_width_) < tree_.size() &&
               load_cell(payload.data() + index_width_, cell_width_) < channel_->outputs();
    }
    bool valid_state(std::uint64_t n, Bytes state) const noexcept override {
        std::uint64_t sum = 0;
        for (std::size_t at = 0; at < state.size(); at += slot_size_) {
            const auto reports = load<std::uint64_t>(state.data() + at);
            if (reports > n || !channel_->valid(reports, state.data() + at + count_size)) return false;
            sum += reports;
        }
        return sum == n;
    }

    std::span<const Quantity> answers() const noexcept override {
        static constexpr Quantity quantities[] = {Quantity::means, Quantity::coefficients};
        return quantities;
    }

    // A coefficient's estimate is the mean over the reports that drew it. Dividing by their number rather
    // than by its expectation is unbiased too, given that there are any, and never less accurate: the noise
    // of how many happened to draw it is gone. Given those numbers, coefficients of a population are
    // uncorrelated.
    std::vector<Estimate> estimate(std::uint64_t n, Bytes state, const Question& question) const override {
        const std::size_t d = tree_.size();
        const double scale = 2 / static_cast<double>(channel_->steps());  // grid steps to [−1,1]
        std::vector<double> values(d), variances(d);
        // The reports that drew a coefficient are themselves a sample of all: against the people who
        // reported, the part of the sampling error that remains is the share who drew another one. A card
        // that cannot tell it from the noise has all of it there, which errs on the safe side.
        const bool finite = question.quantity == Quantity::coefficients && question.target == Target::sample;
        for (std::size_t c = 0; c < d; ++c) {
            const std::byte* slot = state.data() + c * slot_size_;
            const auto reports = load<std::uint64_t>(slot);
            if (reports == 0) {
                values[c] = variances[c] = std::numeric_limits<double>::quiet_NaN();
                continue;
            }
            const auto moments = channel_->invert(reports, slot + count_size);
            const double share = static_cast<double>(reports) / static_cast<double>(n);
            values[c] = scale * moments.mean - 1;
            variances[c] = scale * scale * (moments.noise + moments.sampling * (finite ? 1 - share : 1)) /
                           static_cast<double>(reports);
        }
        std::vector<Estimate> estimates(d);
        if (question.quantity == Quantity::coefficients) {
            for (std::size_t c = 0; c < d; ++c) estimates[c] = {values[c], std::sqrt(variances[c])};
            return estimates;
        }
        // Means, against a population. Against the people who reported this errs on the safe side, by at most
        // the attribute's own variance over n: the correlations that would tell more were never collected.
        std::vector<double> leaves(d), leaf_variances(d);
        tree_.inverse(values, leaves);
        tree_.accumulate_paths(variances, leaf_variances);
        for (std::size_t j = 0; j < d; ++j)
            estimates[j] = {ranges_[j].middle() + ranges_[j].half() * leaves[j],
                            ranges_[j].half() * std::sqrt(leaf_variances[j])};
        return estimates;
    }

    std::vector<Check> health(std::uint64_t, Bytes state) const override {
        std::vector<std::uint64_t> drawn;
        std::vector<double> weights;
        std::vector<std::vector<Check>> checks;
        for (std::size_t c = 0; c < tree_.size(); ++c) {
            const std::byte* slot = state.data() + c * slot_size_;
            drawn.push_back(load<std::uint64_t>(slot));
            weights.push_back(static_cast<double>(draw_weight(c)));
            if (drawn.back() != 0) checks.push_back(channel_->health(drawn.back(), slot + count_size));
        }
        std::vector<Check> worst = worst_of(checks, tree_.size());
        worst.insert(worst.begin(), goodness_of_fit("coefficients drawn", drawn, weights));
        return worst;
    }

    double n_variance(double truth) const override {
        const auto steps = static_cast<double>(channel_->steps());
        const auto total = static_cast<double>(draw_below_.back());
        std::vector<double> variances(tree_.size()), leaves(tree_.size());
        for (std::size_t c = 0; c < tree_.size(); ++c)
            variances[c] = channel_->noise_at(c == 0 ? (truth + 1) / 2 * steps : steps / 2) * 4 /
                           (steps * steps) * total / static_cast<double>(draw_weight(c));
        tree_.accumulate_paths(variances, leaves);
        return std::ranges::max(leaves);
    }

    Cost cost() const noexcept override { return {3, 10.0 * static_cast<double>(tree_.size())}; }
    Exact probability(Input input, Bytes, Bytes memo) const override {
        const std::size_t c = load_cell(memo.data(), index_width_);
        const std::uint64_t cell = load_cell(memo.data() + index_width_, cell_width_);
        const GridPoint point = place(transform(input)[c]);
        const Exact up = exact_dyadic(point.up, 64);
        Exact response = up.complement() * channel_->probability(point.lower, cell);
        if (point.up != 0) response = response + up * channel_->probability(point.lower + 1, cell);
        return exact(draw_weight(c), draw_below_.back()) * response;
    }
    // The coefficient is drawn without a look at the values, so its probability cancels; rounding to the grid
    // mixes rows of the channel, and a mixture of rows keeps their ratio. The mean takes both ends of the
    // grid (all values least, all values most), where the channel's worst is attained.
    Exact worst_ratio() const override { return channel_->worst_ratio(); }

  private:
    std::vector<double> transform(Input input) const {
        std::vector<double> leaves(input.size()), coefficients(input.size());
        std::ranges::transform(input, leaves.begin(), [&](Cell cell) {
            return 2 * static_cast<double>(cell) / static_cast<double>(channel_->steps()) - 1;
        });
        tree_.forward(leaves, coefficients);
        return coefficients;
    }
    GridPoint place(double coefficient) const noexcept {
        return grid_point((coefficient + 1) / 2 * static_cast<double>(channel_->steps()), channel_->steps());
    }
    std::uint64_t draw_weight(std::size_t c) const noexcept {
        return draw_below_[c] - (c == 0 ? 0 : draw_below_[c - 1]);
    }

    std::unique_ptr<const NumericChannel> channel_;
    std::vector<Range> ranges_;
    HaarTree tree_;
    std::vector<std::uint64_t> draw_below_;  // running sums of the draw weights
    std::size_t index_width_;
    std::size_t cell_width_;
    std::size_t slot_size_;
};

constexpr std::array cards{pdp_card, piecewise_card, hybrid_card, duchi_card, laplace_card};
constexpr auto card_names = [] {
    std::array<const char*, cards.size()> names{};
    std::ranges::transform(cards, names.begin(), &NumericCard::name);
    return names;
}();

void write(const Spec& spec, Writer& writer) {
    const NumericCard& card = *std::ranges::find(cards, spec.word("card"), &NumericCard::name);
    writer.put(static_cast<std::uint32_t>(spec.attributes().size()));
    write_channel(writer, card, spec.epsilon(), spec.number("grid"));
    writer.put(Details::sampled);
    writer.put(card.response);
    std::vector<std::pair<std::uint32_t, Range>> runs;
    for (const Attribute& attribute : spec.attributes()) {
        const Range range{attribute.min, attribute.max};
        if (runs.empty() || runs.back().second != range) runs.emplace_back(0, range);
        ++runs.back().first;
    }
    writer.put(static_cast<std::uint16_t>(runs.size()));
    for (const auto& [length, range] : runs) {
        writer.put(length);
        write_range(writer, range);
    }
}

std::unique_ptr<const Mechanism> load(const Header& header, Bytes block) {
    Reader reader(block.subspan(header_size));
    const auto d = reader.take<std::uint32_t>();
    const ChannelSize size = read_channel(reader);
    const auto details = reader.take<Details>();
    const auto response = reader.take<Response>();
    const auto runs = reader.take<std::uint16_t>();
    if (d < 2 || d > max_attributes || details != Details::sampled ||
        std::ranges::find(cards, response, &NumericCard::response) == cards.end())
        throw Error(ErrorCode::malformed, "the Haar parameters are out of range",
                    "Found " + std::to_string(d) + " attributes; allowed are 2 to " +
                        std::to_string(max_attributes) + ".",
                    "The bytes were damaged or forged.");
    auto channel = make_channel(response, size, header.epsilon);
    std::vector<Range> ranges;
    for (unsigned run = 0; run < runs; ++run) {
        const auto length = reader.take<std::uint32_t>();
        const Range range = read_range(reader);
        if (length == 0 || length > d - ranges.size() || (!ranges.empty() && ranges.back() == range))
            throw Error(ErrorCode::malformed, "the runs of equal ranges are inconsistent", {},
                        "The bytes were damaged or forged.");
        ranges.insert(ranges.end(), length, range);
    }
    if (ranges.size() != d)
        throw Error(ErrorCode::malformed, "some attributes have no range", {},
                    "The bytes were damaged or forged.");
    reader.finish();
    return std::make_unique<Haar>(header, block, std::move(channel), std::move(ranges));
}

constexpr const char* details[] = {"sampled"};
constexpr Option options[] = {
    grid_option, {.name = "card", .choices = card_names}, {.name = "details", .choices = details}};

}  // namespace

const MechanismEntry haar_entry{
    5,     "haar", "Haar transform, sampled details", Shape::numeric_vector, max_attributes, false, options,
    write, load};

}  // namespace ldp
