#include "core/channel/warped.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/exact.hpp"
#include "core/base/square.hpp"
#include "core/math/channel_law.hpp"

namespace ldp {

namespace {

constexpr std::size_t counter_size = sizeof(std::uint64_t);
constexpr unsigned middle = Warp::outputs / 2;

std::uint64_t count_of(const std::byte* tally, std::size_t output) noexcept {
    return load<std::uint64_t>(tally + output * counter_size);
}

double share(std::uint64_t weight, const Warp& warp, const Odds& odds) noexcept {
    return static_cast<double>(weight) /
           static_cast<double>(warp.width * odds.high + (Warp::outputs - warp.width) * odds.low);
}

}  // namespace

std::vector<Warp::Knot> Warp::knots(unsigned width) {
    const std::array<unsigned, 4> ends{middle + 1, outputs - width, (outputs - 1) / width * width, outputs};
    constexpr std::array<unsigned, 3> most_pieces{3, 1, 2};
    std::vector<Knot> all;
    for (std::size_t segment = 0; segment < most_pieces.size(); ++segment) {
        if (ends[segment] == ends[segment + 1]) continue;
        const unsigned length = ends[segment + 1] - ends[segment] - 1;
        const unsigned pieces = std::min(most_pieces[segment], length);
        for (unsigned i = 0; i <= pieces; ++i)
            all.push_back({ends[segment] + (pieces == 0 ? 0 : i * length / pieces), i < pieces});
    }
    return all;
}

Warp::Table Warp::table() const {
    // A decoded value of 1 in the block is 2^16 here, so that the rounding of interpolated points is
    // negligible.
    constexpr std::int64_t unit = 1 << 16;
    Table all{};
    const std::vector<Knot> at = knots(width);
    for (std::size_t i = 0; i < at.size(); ++i) {
        const std::int64_t from = decoded_values[i] * unit;
        all[at[i].output] = from;
        if (!at[i].joined) continue;
        const std::int64_t rise = decoded_values[i + 1] * unit - from;
        const auto length = static_cast<std::int64_t>(at[i + 1].output - at[i].output);
        for (std::int64_t j = 1; j < length; ++j)
            all[at[i].output + static_cast<std::size_t>(j)] = from + rise * j / length;
    }
    for (std::size_t j = 0; j < middle; ++j) all[j] = -all[outputs - 1 - j];
    return all;
}

bool Warp::valid() const {
    if (width < 1 || width > middle) return false;
    const std::size_t used = knots(width).size();
    if (std::any_of(decoded_values.begin() + static_cast<std::ptrdiff_t>(used), decoded_values.end(),
                    [](std::uint8_t reading) { return reading != 0; }))
        return false;
    const Table all = table();
    for (std::size_t place = 0; place + width < outputs; ++place)
        if (all[place + width] <= all[place]) return false;
    return true;
}

WarpedResponse::WarpedResponse(std::uint64_t steps, const Warp& warp, double low, double tilt)
    : NumericChannel(steps, Warp::outputs, Warp::outputs * counter_size),
      width_(warp.width),
      low_(low),
      tilt_(tilt),
      sums_(Warp::outputs - warp.width + 1) {
    const Warp::Table decoded_values = warp.table();
    for (std::size_t j = 0; j < width_; ++j) sums_[0] += decoded_values[j];
    for (std::size_t place = 1; place < sums_.size(); ++place)
        sums_[place] = sums_[place - 1] + decoded_values[place - 1 + width_] - decoded_values[place - 1];

    // The estimate of an output is its decoded value, scaled so that the mean at the last position is 1.
    const auto last = static_cast<double>(sums_.back());
    std::ranges::transform(decoded_values, value_.begin(), [&](std::int64_t reading) {
        return static_cast<double>(reading) / (tilt * last);
    });
    for (const std::int64_t sum : sums_) positions_.push_back(static_cast<double>(sum) / last);

    const double all = std::inner_product(value_.begin(), value_.end(), value_.begin(), 0.0);
    double rounded = 0;
    for (std::size_t place = 0; place < sums_.size(); ++place) {
        const double* covered = value_.data() + place;
        const double inside = std::inner_product(covered, covered + width_, covered, 0.0);
        variances_.push_back(low * all + tilt * inside - square(positions_[place]));
        if (place > 0) rounded = std::max(rounded, positions_[place] - positions_[place - 1]);
    }
    rounding_ = square(rounded) / 4;

    // If a window moves by one output, it loses one output and gains the next one of the same residue class
    // modulo `width`. A function of the output therefore has any required mean at every position if it
    // increases within the residue classes by the differences of the mean over the tilt. One constant per
    // residue class remains free, and the mean at the first position fixes one of them. The code chooses the
    // constants that minimize the sum of squares.
    std::vector<double> members(width_), sums(width_);
    for (std::size_t j = 0; j < square_.size(); ++j) {
        const std::size_t before = j - width_;
        square_[j] = j < width_ ? 0
                                : square_[before] +
                                      (square(positions_[before + 1]) - square(positions_[before])) / tilt;
        members[j % width_] += 1;
        sums[j % width_] += square_[j];
    }
    double wanted = square(positions_[0]), spread = 0;
    for (std::size_t residue = 0; residue < width_; ++residue) {
        // weight of the class constant in the mean at the first position
        const double weight = low * members[residue] + tilt;
        wanted -= low * sums[residue] - weight * sums[residue] / members[residue];
        spread += square(weight) / members[residue];
    }
    for (std::size_t j = 0; j < square_.size(); ++j) {
        // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): a window has at least one output.
        const std::size_t residue = j % width_;
        const double weight = low * members[residue] + tilt;
        // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): the first loop has counted this residue.
        square_[j] += (wanted / spread * weight - sums[residue]) / members[residue];
    }
}

std::vector<std::pair<std::string, double>> WarpedResponse::parameters() const {
    return {{"outputs", static_cast<double>(outputs())}, {"window", static_cast<double>(width_)}};
}

// Scans all positions, so that the run time does not depend on the input.
WarpedResponse::GridPosition WarpedResponse::place_of(std::uint64_t in) const noexcept {
    const auto grid = static_cast<std::int64_t>(steps());
    const std::int64_t wanted = (2 * static_cast<std::int64_t>(in) - grid) * sums_.back();
    std::size_t below = 0;
    for (const std::int64_t sum : sums_) below += sum * grid <= wanted ? 1 : 0;
    const std::size_t lower = std::min(below, sums_.size() - 1) - 1;
    const auto part = static_cast<std::uint64_t>(wanted - sums_[lower] * grid);
    const auto gap = static_cast<std::uint64_t>((sums_[lower + 1] - sums_[lower]) * grid);
    return {lower, (Uint128{part} << 64) / gap};
}

void WarpedResponse::accumulate(std::byte* tally, std::uint64_t out) const noexcept {
    add<std::uint64_t>(tally + out * counter_size, 1);
}

void WarpedResponse::accumulate_all(std::byte* tally, std::span<const std::uint64_t> outs) const noexcept {
    for (std::size_t i = 0; i < outs.size();) {
        std::size_t end = i + 1;
        while (end < outs.size() && outs[end] == outs[i]) ++end;
        add<std::uint64_t>(tally + outs[i] * counter_size, end - i);
        i = end;
    }
}

bool WarpedResponse::accumulate_all(std::byte* tally, const Payloads& outs) const noexcept {
    static_assert(cell_width(Warp::outputs) == 1);
    return outs.for_each_run([&](Bytes payload, std::uint64_t times) {
        const auto out = std::to_integer<std::size_t>(payload[0]);
        if (out >= Warp::outputs) return false;
        add(tally + out * counter_size, times);
        return true;
    });
}

void WarpedResponse::merge(std::byte* tally, const std::byte* other) const noexcept {
    for (std::size_t j = 0; j < outputs(); ++j) add(tally + j * counter_size, count_of(other, j));
}

bool WarpedResponse::valid(std::uint64_t n, const std::byte* tally) const noexcept {
    std::uint64_t left = n;
    for (std::size_t j = 0; j < outputs(); ++j) {
        const std::uint64_t count = count_of(tally, j);
        if (count > left) return false;
        left -= count;
    }
    return left == 0;
}

NumericChannel::Moments WarpedResponse::invert(std::uint64_t n, const std::byte* tally) const noexcept {
    double mean = 0, mean_square = 0, spread = 0;
    for (std::size_t j = 0; j < outputs(); ++j) {
        const double found = static_cast<double>(count_of(tally, j)) / static_cast<double>(n);
        mean += found * value_[j];
        mean_square += found * square_[j];
        spread += found * (square(value_[j]) - square_[j]);
    }
    const double inside = std::clamp(mean, -1.0, 1.0);
    const double inside_square = std::clamp(mean_square, square(inside), 1.0);
    // The variance is known for any inputs and hardly depends on them; it is clipped to its possible values.
    const auto [least, most] = std::ranges::minmax(variances_);
    const double noise = std::clamp(spread, least, most) + rounding_;
    const double unit = square(half());
    return {half() * (1 + mean), unit * (1 + 2 * mean + mean_square), unit * noise,
            unit * (inside_square - square(inside))};
}

// For any input, the share of an output is between that of the low and that of the high weight. The residue
// of the output modulo the width does not depend on the input.
std::vector<Check> WarpedResponse::health(std::uint64_t n, const std::byte* tally) const {
    const auto reports = static_cast<double>(n);
    std::vector<std::uint64_t> counts(outputs()), residues(width_);
    std::vector<double> weights(width_);
    double mean = 0;
    for (std::size_t j = 0; j < counts.size(); ++j) {
        counts[j] = count_of(tally, j);
        residues[j % width_] += counts[j];
        weights[j % width_] += low_;
        mean += value_[j] * static_cast<double>(counts[j]) / reports;
    }
    for (double& weight : weights) weight += tilt_;
    const auto [least, most] = std::ranges::minmax(counts);
    const auto any = [&](double p_value) {
        return std::min(1.0, static_cast<double>(counts.size()) * p_value);
    };
    const double beyond = std::max(0.0, std::abs(mean) - 1);
    std::vector<Check> checks{{"mean within its range", mean, 1,
                               beyond > 0 ? two_sided(beyond * std::sqrt(reports / variances_.front())) : 1},
                              {"least share of an output", static_cast<double>(least) / reports, low_,
                               any(binomial_at_most(n, low_, least))},
                              {"greatest share of an output", static_cast<double>(most) / reports,
                               low_ + tilt_, any(binomial_at_least(n, low_ + tilt_, most))}};
    if (width_ > 1) checks.push_back(goodness_of_fit("outputs modulo the window", residues, weights));
    return checks;
}

NumericChannel::Reach WarpedResponse::reach() const {
    const double most = std::ranges::max(value_);
    return {half() * (1 - most), half() * (1 + most)};
}

// Between two positions, the variance is interpolated linearly, plus the rounding variance.
double WarpedResponse::noise_at(double s) const noexcept {
    const double position = s / half() - 1;
    const auto above =
        std::clamp<std::ptrdiff_t>(std::ranges::upper_bound(positions_, position) - positions_.begin(), 1,
                                   static_cast<std::ptrdiff_t>(positions_.size()) - 1);
    const auto upper = static_cast<std::size_t>(above), lower = upper - 1;
    const double gap = positions_[upper] - positions_[lower];
    const double part = (position - positions_[lower]) / gap;
    return square(half()) * (variances_[lower] + part * (variances_[upper] - variances_[lower]) +
                             part * (1 - part) * square(gap));
}

double WarpedResponse::noisiest() const noexcept {
    double at = 0;
    for (std::size_t place = 0; place + 1 < places(); ++place) {
        const double gap = positions_[place + 1] - positions_[place];
        const double rise = variances_[place + 1] - variances_[place];
        const double part = std::clamp((1 + rise / square(gap)) / 2, 0.0, 1.0);
        const double here = half() * (1 + positions_[place] + part * gap);
        if (noise_at(here) > noise_at(at)) at = here;
    }
    return at;
}

double WarpedResponse::average_noise() const noexcept {
    double all = 0;
    for (std::size_t place = 0; place + 1 < places(); ++place) {
        const double gap = positions_[place + 1] - positions_[place];
        all += gap / 2 * ((variances_[place] + variances_[place + 1]) / 2 + square(gap) / 6);
    }
    return square(half()) * all;
}

WarpedChannel::WarpedChannel(std::uint64_t steps, const Warp& warp, const Odds& odds)
    : WarpedResponse(steps, warp, share(odds.low, warp, odds), share(odds.high - odds.low, warp, odds)),
      warp_(warp),
      odds_(odds) {}

std::uint64_t WarpedChannel::sample(std::uint64_t in, BitSource& bits) const {
    const auto [lower, up] = place_of(in);
    const std::uint64_t place = lower + (bits.lands(up, 64) ? 1 : 0);
    const std::uint64_t drawn = bits.pick({odds_.high, width(), odds_.low, outputs() - width()});
    if (drawn < width()) return place + drawn;
    const std::uint64_t other = drawn - width();
    return other + (other >= place ? width() : 0);
}

Exact WarpedChannel::probability(std::uint64_t in, std::uint64_t out) const {
    const auto [lower, up] = place_of(in);
    const Exact moved = exact_dyadic(up, 64);
    return moved.complement() * exact(weight(lower, out), total()) +
           moved * exact(weight(lower + 1, out), total());
}

Exact WarpedChannel::worst_ratio() const {
    return exact(odds_.high, odds_.low);
}

// An input mixes the rows of two positions.
ChannelLaw WarpedChannel::channel_law() const {
    return levels_law(odds_, width(), outputs() - width());
}

// An output is equally likely to be replaced by any other one.
WarpedChain::WarpedChain(const WarpedChannel& kept, const SymmetricChannel& sent)
    : WarpedResponse(kept.steps(), kept.warp(), sent.q() + (sent.p() - sent.q()) * kept.outside(),
                     (sent.p() - sent.q()) * kept.more_inside()),
      kept_(kept),
      sent_(sent) {}

Exact WarpedChain::probability(std::uint64_t in, std::uint64_t out) const {
    const auto [high, low] = sent_.worst_ratio();
    const Exact as_is = kept_.probability(in, out);
    return as_is * exact(high, sent_.total()) + as_is.complement() * exact(low, sent_.total());
}

Exact WarpedChain::worst_ratio() const {
    return probability(0, 0) / probability(steps(), 0);
}

ChannelLaw WarpedChain::channel_law() const {
    return with_second(kept_.channel_law(), sent_.worst_ratio(), sent_.outputs());
}

}  // namespace ldp
