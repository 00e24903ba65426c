// A vector through its Haar transform, details sampled: each user draws one coefficient, publicly, and
// reports it through the window response at the full ε. (Zhang et al. 2023 and Saatchi 2025 for the
// transform; one sampled coefficient instead of the published parity masks, whose likelihood ratio is far
// above e^ε.)
//
// A coefficient c that `reach(c)` leaves are made of is drawn with probability ∝ √reach(c): that minimises
// the summed variance Σ_c reach(c)/π_c of the leaves. On a full tree this is π_level ∝ 2^{level/2}.
//
// parameters: d, grid steps, window width (4 bytes each), details (1: 0 sampled), reserved (1), number of
//             ranges (2), then runs of attributes with equal ranges: length (4), min, max
// payload:    the coefficient, and a cell of its window
// state:      per coefficient: reports (8), a WindowTally

#include "../haar.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "../exact.hpp"
#include "../spec.hpp"
#include "all.hpp"
#include "window_mean.hpp"

namespace ldp {

namespace {

constexpr std::uint64_t max_attributes = 4096;
constexpr std::size_t slot_size = 8 + WindowTally::size;
enum class Details : std::uint8_t { sampled = 0 };

class Haar final : public Mechanism {
  public:
    Haar(const Header& header, Bytes block, const WindowChannel& channel, std::vector<Range> ranges)
        : Mechanism(header, block),
          channel_(channel),
          ranges_(std::move(ranges)),
          tree_(ranges_.size()),
          index_width_(cell_width(ranges_.size())),
          cell_width_(cell_width(channel.outputs())) {
        std::uint64_t sum = 0;
        for (std::size_t c = 0; c < tree_.size(); ++c)
            draw_below_.push_back(sum += static_cast<std::uint64_t>(
                                      std::ldexp(std::sqrt(static_cast<double>(tree_.reach(c))), 32)));
    }

    std::vector<std::uint64_t> cells() const override {
        return std::vector<std::uint64_t>(ranges_.size(), channel_.inputs());
    }
    std::size_t payload_size() const noexcept override { return index_width_ + cell_width_; }
    std::size_t state_size() const noexcept override { return tree_.size() * slot_size; }
    std::vector<std::pair<std::string, double>> parameters() const override {
        return {{"attributes", static_cast<double>(tree_.size())},
                {"grid", static_cast<double>(channel_.steps())},
                {"window", static_cast<double>(channel_.width())}};
    }

    void randomise(Input input, Bytes, BitSource& bits, MutableBytes memo) const override {
        const std::uint64_t u = bits.below(draw_below_.back());
        const auto c =
            static_cast<std::size_t>(std::ranges::upper_bound(draw_below_, u) - draw_below_.begin());
        store_cell(memo.data(), index_width_, c);
        store_cell(memo.data() + index_width_, cell_width_,
                   channel_.sample(place(transform(input)[c]).draw(bits), bits));
    }

    bool accumulate(MutableBytes state, Bytes payload) const noexcept override {
        if (!valid_payload(payload)) return false;
        std::byte* slot = state.data() + load_cell(payload.data(), index_width_) * slot_size;
        add<std::uint64_t>(slot, 1);
        WindowTally::accumulate(slot + 8, load_cell(payload.data() + index_width_, cell_width_));
        return true;
    }
    void merge(MutableBytes state, Bytes other) const noexcept override {
        for (std::size_t at = 0; at < state.size(); at += slot_size) {
            add(state.data() + at, load<std::uint64_t>(other.data() + at));
            WindowTally::merge(state.data() + at + 8, other.data() + at + 8);
        }
    }
    bool valid_payload(Bytes payload) const noexcept override {
        return load_cell(payload.data(), index_width_) < tree_.size() &&
               load_cell(payload.data() + index_width_, cell_width_) < channel_.outputs();
    }
    bool valid_state(std::uint64_t n, Bytes state) const noexcept override {
        std::uint64_t sum = 0;
        for (std::size_t at = 0; at < state.size(); at += slot_size) {
            const auto reports = load<std::uint64_t>(state.data() + at);
            if (reports > n || !WindowTally::valid(reports, state.data() + at + 8, channel_.outputs()))
                return false;
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
        const double scale = 2 / static_cast<double>(channel_.steps());  // grid steps to [−1,1]
        std::vector<double> values(d), variances(d);
        // The reports that drew a coefficient are themselves a sample of all: against the people who
        // reported, the part of the sampling error that remains is the share who drew another one.
        const bool finite = question.quantity == Quantity::coefficients && question.target == Target::sample;
        for (std::size_t c = 0; c < d; ++c) {
            const std::byte* slot = state.data() + c * slot_size;
            const auto reports = load<std::uint64_t>(slot);
            if (reports == 0) {
                values[c] = variances[c] = std::numeric_limits<double>::quiet_NaN();
                continue;
            }
            const auto moments = channel_.invert(WindowTally::sums(reports, slot + 8));
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
        std::vector<Check> worst;  // of each statistic, over the coefficients
        for (std::size_t c = 0; c < tree_.size(); ++c) {
            const std::byte* slot = state.data() + c * slot_size;
            drawn.push_back(load<std::uint64_t>(slot));
            weights.push_back(static_cast<double>(draw_weight(c)));
            if (drawn.back() == 0) continue;
            std::vector<Check> checks = channel_.health(WindowTally::sums(drawn.back(), slot + 8));
            if (worst.empty()) worst = checks;
            for (std::size_t i = 0; i < checks.size(); ++i)
                if (checks[i].p_value < worst[i].p_value) worst[i] = checks[i];
        }
        for (Check& check : worst)
            check.p_value = std::min(1.0, static_cast<double>(tree_.size()) * check.p_value);
        worst.insert(worst.begin(), goodness_of_fit("coefficients drawn", drawn, weights));
        return worst;
    }

    double n_variance(double truth) const override {
        const auto steps = static_cast<double>(channel_.steps());
        const auto total = static_cast<double>(draw_below_.back());
        std::vector<double> variances(tree_.size()), leaves(tree_.size());
        for (std::size_t c = 0; c < tree_.size(); ++c)
            variances[c] = channel_.noise_at(c == 0 ? (truth + 1) / 2 * steps : steps / 2) * 4 /
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
        Exact response = up.complement() * exact(channel_.weight(point.lower, cell), channel_.total());
        if (point.up != 0)
            response = response + up * exact(channel_.weight(point.lower + 1, cell), channel_.total());
        return exact(draw_weight(c), draw_below_.back()) * response;
    }
    // The coefficient is drawn without a look at the values, so its probability cancels; rounding to the grid
    // mixes rows of the window, and a mixture of rows keeps their ratio. The mean takes both ends of the grid
    // (all values least, all values most), where high/low is attained.
    Exact worst_ratio() const override {
        return exact(channel_.worst_ratio().high, channel_.worst_ratio().low);
    }

  private:
    std::vector<double> transform(Input input) const {
        std::vector<double> leaves(input.size()), coefficients(input.size());
        std::ranges::transform(input, leaves.begin(), [&](Cell cell) {
            return 2 * static_cast<double>(cell) / static_cast<double>(channel_.steps()) - 1;
        });
        tree_.forward(leaves, coefficients);
        return coefficients;
    }
    GridPoint place(double coefficient) const noexcept {
        return grid_point((coefficient + 1) / 2 * static_cast<double>(channel_.steps()), channel_.steps());
    }
    std::uint64_t draw_weight(std::size_t c) const noexcept {
        return draw_below_[c] - (c == 0 ? 0 : draw_below_[c - 1]);
    }

    WindowChannel channel_;
    std::vector<Range> ranges_;
    HaarTree tree_;
    std::vector<std::uint64_t> draw_below_;  // running sums of the draw weights
    std::size_t index_width_;
    std::size_t cell_width_;
};

void write(const Spec& spec, Writer& writer) {
    const std::uint64_t steps = spec.number("grid");
    const bool pdp = spec.word("card") == "pdp";
    writer.put(static_cast<std::uint32_t>(spec.attributes().size()));
    write_window(writer, steps,
                 pdp ? pdp_width(spec.epsilon(), steps) : piecewise_width(spec.epsilon(), steps));
    writer.put(Details::sampled);
    writer.put(std::uint8_t{0});
    std::vector<std::pair<std::uint32_t, Range>> runs;
    for (const Attribute& attribute : spec.attributes()) {
        const Range range{attribute.min, attribute.max};
        if (runs.empty() || runs.back().second != range) runs.emplace_back(0, range);
        ++runs.back().first;
    }
    writer.put(static_cast<std::uint16_t>(runs.size()));
    for (const auto& [length, range] : runs) {
        writer.put(length);
        writer.put(range.min);
        writer.put(range.max);
    }
}

std::unique_ptr<const Mechanism> load(const Header& header, Bytes block) {
    Reader reader(block.subspan(header_size));
    const auto d = reader.take<std::uint32_t>();
    const WindowChannel channel = read_window(reader, header.epsilon);
    const auto details = reader.take<Details>();
    const auto reserved = reader.take<std::uint8_t>();
    const auto runs = reader.take<std::uint16_t>();
    if (d < 2 || d > max_attributes || details != Details::sampled || reserved != 0)
        throw Error(ErrorCode::malformed, "the Haar parameters are out of range",
                    "Found " + std::to_string(d) + " attributes; allowed are 2 to " +
                        std::to_string(max_attributes) + ".",
                    "The bytes were damaged or forged.");
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
    return std::make_unique<Haar>(header, block, channel, std::move(ranges));
}

constexpr const char* cards[] = {"pdp", "piecewise"};
constexpr const char* details[] = {"sampled"};
constexpr Option options[] = {
    grid_option, {.name = "card", .choices = cards}, {.name = "details", .choices = details}};

}  // namespace

const MechanismEntry haar_entry{
    5,     "haar", "Haar transform, sampled details", Shape::numeric_vector, max_attributes, false, options,
    write, load};

}  // namespace ldp
