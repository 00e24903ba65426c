#include "core/math/projective_space.hpp"

#include <algorithm>

#include "core/base/interrupt.hpp"

namespace ldp {

namespace {

bool prime(std::uint64_t number) noexcept {
    for (std::uint64_t d = 2; d * d <= number; ++d)
        if (number % d == 0) return false;
    return number >= 2;
}

/// Sums over all hyperplanes of affine spaces F_q^m, one dimension after another. Count is wide enough for
/// the largest sum.
///
/// Write R_m(x, s) for the sum of g(b) over the b ∈ F_q^m with ⟨x,b⟩ = s, x a hyperplane of m coordinates.
/// Cut g by the last coordinate into q slices g_β; each is an affine space of one dimension less, and
///     R_m((x',μ), s) = Σ_β R_(m−1)[g_β](x', s − μβ)        R_m((0,…,0,1), s) = the sum of all of g_s
/// which for each x' takes q additions a result. Results are arranged by s, then x; in the numbering of
/// hyperplanes x = (x',μ) is μ·K_(m−1) + x', so that all x' are added side by side.
template <class Count>
class AffineSums {
  public:
    AffineSums(std::uint32_t q, unsigned t, const std::uint64_t* sizes, const std::uint64_t* powers)
        : q_(q), sizes_(sizes), powers_(powers), slices_(t), result_(q * sizes[t - 1] + slack) {
        for (unsigned m = 2; m < t; ++m) slices_[m].resize(q * slice_size(m));
    }

    /// Returns all q·K_m sums over the q^m counts at `g`. Requires m ≥ 1.
    const Count* operator()(unsigned m, const std::byte* g) {
        sum(m, g, result_.data());
        return result_.data();
    }

  private:
    // Sums are computed in blocks. If a row is shorter than a block, the excess is written to a later row
    // that is not yet computed, or to the slack after the last row.
    static constexpr std::size_t wide = 128 / sizeof(Count), narrow = 32 / sizeof(Count), slack = wide;
    using Lanes [[gnu::vector_size(16)]] = Count;

    [[nodiscard]] std::size_t slice_size(unsigned m) const { return q_ * sizes_[m - 1] + slack; }

    void sum(unsigned m, const std::byte* g, Count* out) {
        if (m == 1) {
            for (std::uint32_t s = 0; s < q_; ++s)
                out[s] = static_cast<Count>(load<std::uint64_t>(g + s * sizeof(std::uint64_t)));
            return;
        }
        Count* const slices = slices_[m].data();
        for (std::uint32_t beta = 0; beta < q_; ++beta)
            sum(m - 1, g + beta * powers_[m - 1] * sizeof(std::uint64_t), slices + beta * slice_size(m));
        combine(m, out);
    }

    void combine(unsigned m, Count* out) {
        if (m == 2) return combine_lines(out);
        const std::size_t row = sizes_[m - 1];
        std::size_t x = 0;
        for (; row - x >= wide; x += wide) block<wide>(m, x, out);
        // The last block overlaps the previous one, so that it does not overwrite other results.
        for (; x < row; x += narrow) block<narrow>(m, row < narrow ? 0 : std::min(x, row - narrow), out);
    }

    /// Computes the sums of all (x',μ) for the `size` hyperplanes from x'.
    template <std::size_t size>
    void block(unsigned m, std::size_t x, Count* out) {
        const std::size_t row = sizes_[m - 1];
        for (std::uint32_t s = 0; s < q_; ++s) {
            Count* const results = out + s * sizes_[m];
            for (std::uint32_t mu = 0; mu < q_; ++mu) add_up<size>(m, x, s, mu, results + mu * row + x);
            work_.done(std::size_t{q_} * q_ * size / 8);
            results[q_ * row] = whole(m, s);
        }
    }

    /// The same for m = 2. There is only one x', so that the sums run over s cyclically.
    void combine_lines(Count* out) {
        for (std::uint32_t beta = 0; beta < q_; ++beta) {
            Count* const slice = slices_[2].data() + beta * slice_size(2);
            for (std::size_t i = 0; i < narrow; ++i) slice[q_ + i] = slice[i];
        }
        for (std::uint32_t from = 0; from < q_; from += narrow)
            for (std::uint32_t mu = 0; mu < q_; ++mu) {
                Count sums[narrow];
                add_up<narrow>(2, 0, from, mu, sums);
                for (std::uint32_t s = from; s < q_ && s < from + narrow; ++s)
                    out[s * sizes_[2] + mu] = sums[s - from];
                work_.done(q_ * narrow / 8);
            }
        for (std::uint32_t s = 0; s < q_; ++s) out[s * sizes_[2] + q_] = whole(2, s);
    }

    /// Computes Σ_β R_(m−1)[g_β](·, s − μβ) for `size` adjacent hyperplanes.
    template <std::size_t size>
    void add_up(unsigned m, std::size_t x, std::uint32_t s, std::uint32_t mu, Count* to) const {
        constexpr std::size_t vectors = size * sizeof(Count) / sizeof(Lanes);
        const std::size_t row = sizes_[m - 1], slice = slice_size(m);
        const Count* const slices = slices_[m].data() + x;
        Lanes sums[vectors] = {};
        for (std::uint32_t beta = 0; beta < q_; ++beta) {
            const Count* const at = slices + beta * slice + s * row;
#pragma GCC unroll 8
            for (std::size_t i = 0; i < vectors; ++i) {
                Lanes term;
                std::memcpy(&term, at + i * (size / vectors), sizeof(term));
                sums[i] += term;
            }
            s = s >= mu ? s - mu : s + q_ - mu;
        }
        std::memcpy(to, sums, sizeof(sums));
    }

    /// Returns the sum of a slice, from the sums of any one x' in it.
    [[nodiscard]] Count whole(unsigned m, std::uint32_t beta) const {
        Count sum = 0;
        for (std::uint32_t s = 0; s < q_; ++s) sum += slices_[m][beta * slice_size(m) + s * sizes_[m - 1]];
        return sum;
    }

    std::uint32_t q_;
    const std::uint64_t* sizes_;
    const std::uint64_t* powers_;
    std::vector<std::vector<Count>> slices_;
    std::vector<Count> result_;
    Work work_;
};

/// A hyperplane (x',μ) contains the points (b,1) with ⟨x',b⟩ = −μ, and the points (y',0) with ⟨x',y'⟩ = 0.
/// The first set is an affine space, the second was computed one dimension below.
template <class Count>
void sum_up(std::uint32_t q, unsigned t, const std::uint64_t* sizes, const std::uint64_t* powers,
            Bytes counts, std::vector<std::uint64_t>& sums) {
    AffineSums<Count> affine(q, t, sizes, powers);
    std::uint64_t points = 0;  // the sum over all (y',0)
    for (unsigned m = 1; m < t; ++m) {
        for (std::size_t y = sizes[m - 1]; y < sizes[m]; ++y)
            points += load<std::uint64_t>(counts.data() + y * sizeof(std::uint64_t));
        const Count* const block = affine(m, counts.data() + sizes[m] * sizeof(std::uint64_t));
        for (std::uint32_t mu = q; mu-- > 0; check_interrupt())
            for (std::size_t x = 0; x < sizes[m]; ++x)
                sums[mu * sizes[m] + x] = sums[x] + block[(mu == 0 ? 0 : q - mu) * sizes[m] + x];
        sums[q * sizes[m]] = points;
    }
}

}  // namespace

std::uint64_t prime_from(std::uint64_t number) noexcept {
    while (!prime(number)) ++number;
    return number;
}

std::uint64_t prime_up_to(std::uint64_t number) noexcept {
    while (!prime(number)) --number;
    return number;
}

std::optional<std::uint64_t> ProjectiveSpace::size(std::uint64_t q, unsigned t) noexcept {
    std::uint64_t points = 0;
    for (unsigned m = 0; m < t; ++m) {
        if (points > max_points / q) return {};
        points = points * q + 1;
    }
    return points <= max_points ? std::optional(points) : std::nullopt;
}

bool ProjectiveSpace::exists(std::uint64_t q, unsigned t) noexcept {
    return q >= 2 && t >= 2 && t <= max_dimension && size(q, t) && prime(q);
}

ProjectiveSpace::ProjectiveSpace(std::uint32_t q, unsigned t) : q_(q), t_(t) {
    powers_[0] = 1;
    for (unsigned m = 0; m < t; ++m) {
        sizes_[m + 1] = sizes_[m] + powers_[m];
        powers_[m + 1] = powers_[m] * q;
    }
}

// Greedy division by K_(t−1), K_(t−2), …: a quotient of q has remainder 0 and represents the leading 1.
ProjectiveSpace::Vector ProjectiveSpace::hyperplane(std::uint64_t number) const noexcept {
    Vector x{};
    for (unsigned i = t_ - 1; i > 0; --i) {
        const std::uint64_t digit = number / sizes_[i];
        if (digit == q_) {
            x[i] = 1;
            return x;
        }
        x[i] = static_cast<std::uint32_t>(digit);
        number -= digit * sizes_[i];
    }
    x[0] = 1;
    return x;
}

ProjectiveSpace::Vector ProjectiveSpace::point(std::uint64_t number) const noexcept {
    Vector y{};
    unsigned m = t_ - 1;
    while (sizes_[m] > number) --m;
    y[m] = 1;
    number -= sizes_[m];
    for (unsigned i = 0; i < m; ++i, number /= q_) y[i] = static_cast<std::uint32_t>(number % q_);
    return y;
}

// 1/a is a^(q−2), as a^(q−1) = 1 (Fermat).
std::uint64_t ProjectiveSpace::inverse(std::uint64_t a) const noexcept {
    std::uint64_t inverse = 1;
    for (std::uint64_t base = a, exponent = q_ - 2; exponent > 0; exponent /= 2, base = base * base % q_)
        if (exponent % 2 != 0) inverse = inverse * base % q_;
    return inverse;
}

std::uint64_t ProjectiveSpace::number_of_point(const Vector& y) const noexcept {
    unsigned m = t_ - 1;
    while (y[m] == 0) --m;
    const std::uint64_t scale = inverse(y[m]);
    std::uint64_t number = sizes_[m];
    for (unsigned i = 0; i < m; ++i) number += y[i] * scale % q_ * powers_[i];
    return number;
}

std::uint64_t ProjectiveSpace::number_of_hyperplane(const Vector& x) const noexcept {
    unsigned first = 0;
    while (x[first] == 0) ++first;
    const std::uint64_t scale = inverse(x[first]);
    std::uint64_t number = q_ * sizes_[first];
    for (unsigned i = first + 1; i < t_; ++i) number += x[i] * scale % q_ * sizes_[i];
    return number;
}

std::uint32_t ProjectiveSpace::product(const Vector& x, const Vector& y) const noexcept {
    std::uint64_t sum = 0;  // t·q² < 2^64
    for (unsigned i = 0; i < t_; ++i) sum += std::uint64_t{x[i]} * y[i];
    return static_cast<std::uint32_t>(sum % q_);
}

/// Returns the point of the vector y with this product. Its coordinates are the digits of `free`, except the
/// one at the position of the hyperplane's leading 1.
std::uint64_t ProjectiveSpace::solve(const Vector& x, std::uint64_t free,
                                     std::uint32_t product) const noexcept {
    unsigned pivot = 0;
    while (x[pivot] == 0) ++pivot;
    Vector y{};
    for (unsigned i = 0; i < t_; ++i) {
        if (i == pivot) continue;
        y[i] = static_cast<std::uint32_t>(free % q_);
        free /= q_;
    }
    const std::uint32_t others = this->product(x, y);
    y[pivot] = product >= others ? product - others : product + q_ - others;
    return number_of_point(y);
}

// Among the q−1 vectors of a point off the hyperplane, exactly one has the product 1.
std::uint64_t ProjectiveSpace::point_off(const Vector& hyperplane, std::uint64_t i) const noexcept {
    return solve(hyperplane, i, 1);
}

// All q−1 vectors of a point on the hyperplane have the product 0. Free coordinates that are all 0 would give
// the zero vector and are excluded.
std::uint64_t ProjectiveSpace::point_on(const Vector& hyperplane, std::uint64_t i) const noexcept {
    return solve(hyperplane, i + 1, 0);
}

std::vector<std::uint64_t> ProjectiveSpace::sums(Bytes counts) const {
    std::uint64_t total = 0, digits = 0;
    for (std::size_t y = 0; y < points(); ++y) {
        const auto count = load<std::uint64_t>(counts.data() + y * sizeof(std::uint64_t));
        total += count;
        digits |= count;
    }
    check_interrupt();
    std::vector<std::uint64_t> sums(points());
    check_interrupt();
    const bool small = ((total | digits) >> 32) == 0;
    (small ? sum_up<std::uint32_t> : sum_up<std::uint64_t>)(q_, t_, sizes_.data(), powers_.data(), counts,
                                                            sums);
    return sums;
}

// Let x have l leading zeros, so that x_(l+1) = 1. The points (b₁,…,b_m,1,0,…) with m > l are on the hyperplane
// for one b_(l+1) given the coordinates after it, and for any b₁,…,b_l. With m = l none is, and with m < l all are.
std::uint64_t ProjectiveSpace::sum(const Vector& hyperplane, Bytes counts) const {
    unsigned zeros = 0;
    while (hyperplane[zeros] == 0) ++zeros;
    std::uint64_t sum = 0;
    Work work;
    const auto add = [&](std::uint64_t from, std::uint64_t size) {
        for (std::uint64_t y = from; y < from + size; ++y)
            sum += load<std::uint64_t>(counts.data() + y * sizeof(std::uint64_t));
        work.done(size);
    };
    if (zeros > 0) add(0, sizes_[zeros]);
    for (unsigned m = zeros + 1; m < t_; ++m) {
        Vector b{};  // the coordinates after b_(l+1)
        std::uint32_t product = hyperplane[m];
        for (std::uint64_t after = 0; after < powers_[m - zeros - 1]; ++after) {
            const std::uint64_t own = product == 0 ? 0 : q_ - product;
            add(sizes_[m] + (after * q_ + own) * powers_[zeros], powers_[zeros]);
            for (unsigned i = zeros + 1; i < m; ++i) {
                // A step of b_i adds x_i, and so does the step from q − 1 to 0, since q·x_i = 0.
                product += hyperplane[i];
                product -= product >= q_ ? q_ : 0;
                if (++b[i] < q_) break;
                b[i] = 0;
            }
        }
    }
    return sum;
}

}  // namespace ldp
