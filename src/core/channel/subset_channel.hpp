// Subset selection: a set of w out of k values, which contains the true value with a higher weight (Wang et
// al. 2016; Ye, Barg 2018). This response has the smallest variance for shares of values, for any k.
#pragma once

#include <array>
#include <vector>

#include "core/base/bytes.hpp"
#include "core/base/input_code.hpp"
#include "core/base/random.hpp"
#include "core/channel/epsilon_odds.hpp"

namespace ldp {

class Exact;        // exact.hpp
struct ChannelLaw;  // channel_law.hpp

/// Each set that contains the true value has the weight `high`, every other set `low`. With w = 1 this is
/// randomized response.
class SubsetChannel {
  public:
    /// Requires 1 ≤ size < domain.
    SubsetChannel(std::uint64_t domain, std::uint64_t size, double epsilon)
        : k_(domain), w_(size), odds_(odds(epsilon, size, domain - size)) {
        set_probabilities();
    }

    [[nodiscard]] std::uint64_t domain() const noexcept { return k_; }
    [[nodiscard]] std::uint64_t size() const noexcept { return w_; }
    /// Returns high / low. Since 1 ≤ w < k, every set contains a value and excludes another.
    [[nodiscard]] Odds worst_ratio() const noexcept { return odds_; }
    /// Returns the law of the sets that contain the value, and of those that do not.
    [[nodiscard]] ChannelLaw channel_law() const;
    /// Return the probability that the set contains the true value (p), or any other given value (q).
    [[nodiscard]] double p() const noexcept { return p_; }
    [[nodiscard]] double q() const noexcept { return q_; }

    [[nodiscard]] std::vector<bool> sample(Cell value, BitSource& bits) const;
    /// Returns the probability of each set that contains the value, or of each that does not.
    [[nodiscard]] Exact probability(bool holds) const;
    /// Returns the probability of a set that contains the value; it may round to 0 for very large sets.
    [[nodiscard]] double max_probability() const;

    /// Returns the mean square of a report's term in Σ v·(estimated share), which is Σ v·(in the set − q)/(p
    /// − q). The arguments are the sums of v and v² over all values, and the means of v and v² over the users
    /// at their own values.
    struct FunctionSums {
        double all = 0, all_squares = 0, own = 0, own_squares = 0, all_cubes = 0, own_cubes = 0;
    };
    [[nodiscard]] double mean_square(const FunctionSums& sums) const noexcept;
    /// Returns the mean cube, which also uses the sums of v³. It treats the values of a set as independent,
    /// and is exact for sets of one value if few v are not 0.
    [[nodiscard]] double mean_cube(const FunctionSums& sums) const noexcept;
    /// Returns mean_square() per unit of Σ v² if users are spread evenly and the v add up to 0.
    [[nodiscard]] double contrast() const noexcept;

    /// Returns the size with the smallest variance of a share of 0, about k/(e + 1) with e = exp(ε).
    [[nodiscard]] static std::uint64_t best_size(double epsilon, std::uint64_t domain) noexcept;

  private:
    [[nodiscard]] std::uint64_t total() const noexcept { return w_ * odds_.high + (k_ - w_) * odds_.low; }

    void set_probabilities() noexcept;

    std::uint64_t k_;
    std::uint64_t w_;
    Odds odds_;
    double p_ = 0, q_ = 0;
    /// Probabilities of another given value, and of two of them, among m of the k − 1 other values.
    struct OtherValues {
        double one = 0, two = 0;
    } with_, without_;        ///< m = w − 1 beside the true value, and m = w without it
    double beside_ = 0;       ///< twice the probability of another given value beside the true one
    double square_tilt_ = 1;  ///< (p − q)²
};

// With probability p, the set is a user's own value and any w−1 of the others, otherwise any w of the others.
// Let the v of the k−1 others add up to s and their squares to t. The sum over any m of them has the mean
// m/(k−1)·s and the mean square m/(k−1)·t + m(m−1)/((k−1)(k−2))·(s² − t).
inline double SubsetChannel::mean_square(const FunctionSums& sums) const noexcept {
    // Averages over the users of s·v, s², t.
    const double own_rest = sums.all * sums.own - sums.own_squares;
    const double rest = sums.all * sums.all - 2 * sums.all * sums.own + sums.own_squares;
    const double rest_squares = sums.all_squares - sums.own_squares;
    const auto square = [&](const OtherValues& values) {
        return values.one * rest_squares + values.two * (rest - rest_squares);
    };
    const double with_own = sums.own_squares + beside_ * own_rest + square(with_);
    const double drawn = p_ * with_own + (1 - p_) * square(without_);
    const double mean = p_ * sums.own + q_ * (sums.all - sums.own);
    const double centre = q_ * sums.all;
    return (drawn - 2 * centre * mean + centre * centre) / square_tilt_;
}

/// The encoding of a set: k bits, lowest first, or the ascending list of its values if that is shorter.
class SetCode {
  public:
    SetCode(std::uint64_t domain, std::uint64_t size) noexcept;

    [[nodiscard]] bool lists() const noexcept { return lists_; }
    [[nodiscard]] std::size_t width() const noexcept { return width_; }
    void write(const std::vector<bool>& set, MutableBytes out) const noexcept;
    /// Returns whether the bytes encode a set of that size.
    [[nodiscard]] bool valid(Bytes written) const noexcept;
    [[nodiscard]] bool holds(Bytes written, Cell value) const noexcept;
    /// Returns the i-th value of a list.
    [[nodiscard]] Cell listed(Bytes written, std::size_t i) const noexcept {
        return load_cell(written.data() + i * cell_, cell_);
    }

  private:
    std::uint64_t k_, w_;
    std::size_t cell_;
    bool lists_;
    std::size_t width_;
};

}  // namespace ldp
