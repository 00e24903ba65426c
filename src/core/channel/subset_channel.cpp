#include "core/channel/subset_channel.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/exact.hpp"
#include "core/math/bit_counters.hpp"
#include "core/math/channel_law.hpp"

namespace ldp {

// Each value of the set except the true one is equally likely to be any other value. Hence q is the expected
// number of other values in the set, divided by k−1.
void SubsetChannel::set_probabilities() noexcept {
    p_ = static_cast<double>(w_) * static_cast<double>(odds_.high) / static_cast<double>(total());
    const auto listed = static_cast<double>((w_ - 1) * odds_.high + (k_ - w_) * odds_.low);
    q_ = static_cast<double>(w_) / static_cast<double>(k_ - 1) * listed / static_cast<double>(total());
    const auto others = static_cast<double>(k_ - 1), w = static_cast<double>(w_);
    const auto among = [&](double m) -> OtherValues {
        return {m / others, k_ > 2 ? m / others * (m - 1) / (others - 1) : 0};
    };
    with_ = among(w - 1);
    without_ = among(w);
    beside_ = 2 * (w - 1) / others;
    square_tilt_ = (p_ - q_) * (p_ - q_);
}

// Floyd's sampling (Bentley, Floyd 1987) of the m = k−1 other values. Step j draws from the first j+1 of
// them; if that one was already drawn, it takes the j-th, which is new. The steps m−s..m−1 make all sets of
// size s equally probable. If the set contains the true value, w−1 others are needed instead of w: all steps
// except the first, which is drawn and not used. Every value therefore draws the same random words in the
// same order.
std::vector<bool> SubsetChannel::sample(Cell value, BitSource& bits) const {
    std::vector<bool> set(k_);
    const auto other = [value](std::uint64_t i) { return i + (i >= value ? 1 : 0); };
    const bool truth = bits.chance(w_ * odds_.high, total());
    const std::uint64_t first = other(bits.below(k_ - w_));
    set[truth ? value : first] = true;
    for (std::uint64_t j = k_ - w_; j < k_ - 1; ++j) {
        const std::uint64_t drawn = other(bits.below(j + 1));
        set[set[drawn] ? other(j) : drawn] = true;
    }
    return set;
}

// With probability w·high/total, the set is one of the C(k−1, w−1) that contain the value, otherwise one of
// the C(k−1, w) that do not. Of all C(k,w) sets, the former are w/k and the latter (k−w)/k.
Exact SubsetChannel::probability(bool holds) const {
    return exact(holds ? odds_.high : odds_.low, total()) * exact(k_, 1) / subsets(k_, w_);
}

ChannelLaw SubsetChannel::channel_law() const {
    return {LevelsLaw{{{exact(w_ * odds_.high, total()), OutputCount::choose(k_ - 1, w_ - 1)},
                       {exact((k_ - w_) * odds_.low, total()), OutputCount::choose(k_ - 1, w_)}}}};
}

// Computed in logarithms, since there may be more than 2^1000 sets.
double SubsetChannel::max_probability() const {
    const auto k = static_cast<double>(k_), w = static_cast<double>(w_);
    const double sets = std::lgamma(k + 1) - std::lgamma(w + 1) - std::lgamma(k - w + 1);
    return std::exp(std::log(k * p() / w) - sets);
}

double SubsetChannel::mean_cube(const FunctionSums& sums) const noexcept {
    const double p = this->p(), q = this->q(), tilt = p - q;
    if (w_ == 1) {
        const double none = q * sums.all;
        const auto about = [none](double count, double first, double second, double third) {
            return third - none * (3 * second - none * (3 * first - none * count));
        };
        const double all = about(static_cast<double>(k_), sums.all, sums.all_squares, sums.all_cubes),
                     own = about(1, sums.own, sums.own_squares, sums.own_cubes);
        return (tilt * own + q * all) / (tilt * tilt * tilt);
    }
    const auto skew = [](double one) { return one * (1 - one) * (1 - 2 * one); };
    const double rest_cubes = sums.all_cubes - sums.own_cubes,
                 rest_squares = sums.own * sums.all_squares - sums.own_cubes;
    return (sums.own_cubes * skew(p) + rest_cubes * skew(q)) / (tilt * tilt * tilt) +
           3 * (sums.own_cubes * p * (1 - p) + rest_squares * q * (1 - q)) / (tilt * tilt) + sums.own_cubes;
}

double SubsetChannel::contrast() const noexcept {
    return mean_square({0, 1, 0, 1 / static_cast<double>(k_)});
}

// Compares n·Var of a share of 0, up to a factor of (e−1)^-2.
std::uint64_t SubsetChannel::best_size(double epsilon, std::uint64_t domain) noexcept {
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

SetCode::SetCode(std::uint64_t domain, std::uint64_t size) noexcept
    : k_(domain),
      w_(size),
      cell_(cell_width(domain)),
      lists_(size * cell_ < BitCounters(domain).width()),
      width_(lists_ ? size * cell_ : BitCounters(domain).width()) {}

void SetCode::write(const std::vector<bool>& set, MutableBytes out) const noexcept {
    std::ranges::fill(out.first(width_), std::byte{0});
    std::byte* at = out.data();
    for (std::size_t v = 0; v < set.size(); ++v) {
        if (!set[v]) continue;
        if (lists_) {
            store_cell(at, cell_, v);
            at += cell_;
        } else {
            out[v / 8] |= static_cast<std::byte>(1U << v % 8);
        }
    }
}

bool SetCode::valid(Bytes written) const noexcept {
    if (!lists_)
        return BitCounters(k_).tidy(written.data()) && BitCounters::ones(written.first(width_)) == w_;
    Cell least = 0;
    for (std::size_t i = 0; i < w_; ++i) {
        const Cell found = listed(written, i);
        if (found < least || found >= k_) return false;
        least = found + 1;
    }
    return true;
}

bool SetCode::holds(Bytes written, Cell value) const noexcept {
    if (!lists_) return (std::to_integer<unsigned>(written[value / 8]) >> value % 8 & 1) != 0;
    for (std::size_t i = 0; i < w_; ++i)
        if (listed(written, i) == value) return true;
    return false;
}

}  // namespace ldp
