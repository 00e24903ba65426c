#include "published_haar.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>

namespace evaluation {

namespace {

double square(double number) {
    return number * number;
}

double between(double low, double high, ldp::BitSource& bits) {
    return low + (high - low) * uniform(bits);
}

}  // namespace

double uniform(ldp::BitSource& bits) {
    return std::ldexp(static_cast<double>(bits.word() >> 11), -53);
}

bool heads(double epsilon, ldp::BitSource& bits) {
    return uniform(bits) < 1 / (1 + std::exp(-epsilon));
}

CoefficientWindow::CoefficientWindow(double x, double epsilon) {
    const double odds = std::exp(epsilon), rest = std::expm1(epsilon);
    low = (x * odds - 1) / rest;
    high = (x * odds + 1) / rest;
    bound = (odds + 1) / rest;
}

DensityWindow::DensityWindow(double epsilon) : width_(24 / (std::exp(epsilon / 6) * (6 + 5 * epsilon) - 6)) {
    const double more = std::expm1(epsilon) * width_;
    bound_ = more * (width_ + 2) / (2 * (more - 2));
    outside_ = 2 / (more * (2 * bound_ - width_));
    inside_ = std::exp(epsilon) * outside_;
}

double DensityWindow::draw(double x, ldp::BitSource& bits) const {
    const double from = middle(x) - width_ / 2;
    if (uniform(bits) < inside_ * width_) return between(from, from + width_, bits);
    const double y = between(-bound_, bound_ - width_, bits);
    return y < from ? y : y + width_;
}

double DensityWindow::density(double x, double y) const {
    if (std::abs(y) > bound_) return 0;
    return std::abs(y - middle(x)) < width_ / 2 ? inside_ : outside_;
}

double DensityWindow::variance(double x) const {
    return outside_ * 2 * std::pow(bound_, 3) / 3 +
           (inside_ - outside_) * width_ * (square(middle(x)) + square(width_) / 12) - square(x);
}

double DensityWindow::epsilon() const {
    double worst = 0;
    for (const double a : {-1.0, 0.0, 1.0})
        for (const double b : {-1.0, 0.0, 1.0})
            for (const double output : {-1.0, 0.0, 1.0})
                worst = std::max(worst, std::log(density(a, middle(output)) / density(b, middle(output))));
    return worst;
}

PublishedHaar::PublishedHaar(std::size_t attributes, double epsilon)
    : tree_(std::bit_ceil(attributes)), epsilon_(epsilon) {}

// As printed -----------------------------------------------------------------------------------------------

// A uniform mask of a parity: all bits but one are fair coins, and the last makes up the parity.
void GlobalPerturbation::perturb(std::span<double> details, ldp::BitSource& bits) const {
    bool left = !heads(epsilon_, bits);  // whether an odd number of ones is still to come
    for (std::size_t i = 0; i < details.size(); ++i) {
        const bool masked = i + 1 < details.size() ? bits.word() % 2 == 1 : left;
        left = left != masked;
        const CoefficientWindow window(details[i], epsilon_);
        if (masked) {
            const double width = window.high - window.low;
            const double y = between(-window.bound, window.bound - width, bits);
            details[i] = y < window.low ? y : y + width;
        } else {
            details[i] = between(window.low, window.high, bits);
        }
    }
}

double GlobalPerturbation::density(std::span<const double> details, std::span<const double> report) const {
    const std::size_t d = details.size();
    const double odds = std::exp(epsilon_), of_each = std::ldexp(1.0, -static_cast<int>(d - 1));
    double sum = 0;
    for (std::uint64_t mask = 0; mask < std::uint64_t{1} << d; ++mask) {
        double product = (std::popcount(mask) % 2 == 0 ? odds : 1) / (odds + 1) * of_each;
        for (std::size_t i = 0; i < d && product > 0; ++i) {
            const CoefficientWindow window(details[i], epsilon_);
            const double width = window.high - window.low;
            const bool inside = report[i] > window.low && report[i] < window.high;
            if ((mask >> i) % 2 == 0)
                product *= inside ? 1 / width : 0;
            else
                product *= inside ? 0 : 1 / (2 * window.bound - width);
        }
        sum += product;
    }
    return sum;
}

double GlobalPerturbation::epsilon(std::size_t details) const {
    return 2 * epsilon_ * std::ceil(static_cast<double>(details) / 2);
}

double GlobalPerturbation::enumerated_epsilon(std::size_t details, std::span<const double> values) const {
    std::size_t all = 1;
    for (std::size_t i = 0; i < details; ++i) all *= values.size();
    const auto vector = [&](std::size_t number, bool middles) {
        std::vector<double> chosen;
        for (std::size_t i = 0; i < details; ++i, number /= values.size()) {
            const double value = values[number % values.size()];
            const CoefficientWindow window(value, epsilon_);
            chosen.push_back(middles ? (window.low + window.high) / 2 : value);
        }
        return chosen;
    };
    double worst = 0;
    for (std::size_t y = 0; y < all; ++y) {
        const std::vector<double> report = vector(y, true);
        double least = std::numeric_limits<double>::infinity(), most = 0;
        for (std::size_t x = 0; x < all; ++x) {
            const double found = density(vector(x, false), report);
            least = std::min(least, found);
            most = std::max(most, found);
        }
        worst = std::max(worst, std::log(most / least));
    }
    return worst;
}

GlobalPerturbation::Moments GlobalPerturbation::moments(double detail) const {
    const CoefficientWindow window(detail, epsilon_);
    const double middle = (window.low + window.high) / 2, half = (window.high - window.low) / 2;
    const double inside = square(middle) + square(half) / 3;
    const double outside = (std::pow(window.bound, 3) / 3 - square(middle) * half - std::pow(half, 3) / 3) /
                           (window.bound - half);
    return {detail / 2, (inside + outside) / 2 - square(detail) / 4};
}

PrintedHaar::PrintedHaar(std::size_t attributes, double claimed_epsilon)
    : PublishedHaar(attributes, claimed_epsilon), mean_(claimed_epsilon), details_(claimed_epsilon) {
    if (attributes < 3) throw std::invalid_argument("the printed form's law is for 3 attributes and more");
}

void PrintedHaar::perturb(std::span<double> coefficients, ldp::BitSource& bits) const {
    coefficients[0] = mean_.draw(coefficients[0], bits);
    details_.perturb(coefficients.subspan(1), bits);
}

// Reports of any two details are uncorrelated, since three or more mask bits are independent in pairs.
PublishedHaar::Law PrintedHaar::law(std::span<const double> coefficients) const {
    const std::size_t size = coefficients.size();
    std::vector<double> variances(size), missing(size);
    variances[0] = mean_.variance(coefficients[0]);
    for (std::size_t c = 1; c < size; ++c) {
        const auto [mean, variance] = details_.moments(coefficients[c]);
        variances[c] = variance;
        missing[c] = mean - coefficients[c];
    }
    Law law{std::vector<double>(size), std::vector<double>(size)};
    tree().accumulate_paths(variances, law.variance);
    tree().inverse(missing, law.bias);
    return law;
}

double PrintedHaar::epsilon() const {
    return mean_.epsilon() + details_.epsilon(tree().size() - 1);
}

// As released ----------------------------------------------------------------------------------------------

ReleasedHaar::ReleasedHaar(std::size_t attributes, double claimed_epsilon)
    : PublishedHaar(attributes, claimed_epsilon), details_(tree().size() - 1), one_(0), two_(0) {
    if (attributes < 5) throw std::invalid_argument("the released program fails below 5 attributes");
    const std::size_t most = (details_ + 1) / 4;  // not reached
    const auto d = static_cast<double>(details_);
    for (std::size_t k = 0; k < most; ++k) {
        const bool even = k % 2 == 0;
        const double coin = 1 / (1 + std::exp(even ? -claimed() : claimed()));
        const auto of_parity = static_cast<double>(even ? (most + 1) / 2 : most / 2);
        const auto masked = static_cast<double>(k);
        one_ += coin / of_parity * masked / d;
        two_ += coin / of_parity * masked * (masked - 1) / (d * (d - 1));
    }
}

std::size_t ReleasedHaar::draw_masked(ldp::BitSource& bits) const {
    const std::size_t most = (details_ + 1) / 4;
    return heads(claimed(), bits) ? 2 * (bits.word() % ((most + 1) / 2)) : 1 + 2 * (bits.word() % (most / 2));
}

void ReleasedHaar::perturb(std::span<double> coefficients, ldp::BitSource& bits) const {
    const double reach = heads(claimed(), bits) ? near : far;
    coefficients[0] = std::clamp(between(coefficients[0] - reach, coefficients[0] + reach, bits), -1.0, 1.0);
    std::vector<std::size_t> positions(details_);
    std::iota(positions.begin(), positions.end(), std::size_t{1});
    const std::size_t masked = draw_masked(bits);
    for (std::size_t i = 0; i < masked; ++i) {
        std::swap(positions[i], positions[i + bits.word() % (details_ - i)]);
        double& detail = coefficients[positions[i]];
        if (std::abs(detail) < threshold) continue;
        const CoefficientWindow window(detail, claimed());
        detail = detail <= window.low ? between(-window.bound, window.low, bits)
                                      : between(window.high, window.bound, bits);
    }
}

// A leaf is the mean and the signed details of its path, each of which is off by its noise if it is masked.
// Two are masked together with another probability than if they were independent.
PublishedHaar::Law ReleasedHaar::law(std::span<const double> coefficients) const {
    const std::size_t size = coefficients.size();
    std::vector<double> variances(size), off(size), squares(size);
    // Of a uniform number clipped to [−1, 1]; a mean is closer than `far` to at most one of the ends.
    const double mean = coefficients[0], coin = 1 / (1 + std::exp(-claimed()));
    double first = 0, second = 0;
    for (const auto& [reach, weight] : {std::pair{near, coin}, {far, 1 - coin}}) {
        const double low = std::max(mean - reach, -1.0), high = std::min(mean + reach, 1.0);
        const double clipped = (2 * reach - (high - low)) / (2 * reach), end = mean < 0 ? -1 : 1;
        const double within = (high - low) / (2 * reach), middle = (low + high) / 2;
        first += weight * (within * middle + clipped * end);
        second += weight * (within * (square(middle) + square(high - low) / 12) + clipped);
    }
    variances[0] = second - square(first);
    for (std::size_t c = 1; c < size; ++c) {
        if (std::abs(coefficients[c]) < threshold) continue;
        const CoefficientWindow window(coefficients[c], claimed());
        const bool left = coefficients[c] <= window.low;
        const double low = left ? -window.bound : window.high, high = left ? window.low : window.bound;
        off[c] = (low + high) / 2 - coefficients[c];
        squares[c] = square(off[c]);
        variances[c] = one_ * (squares[c] + square(high - low) / 12) - square(one_ * off[c]);
    }
    Law law{std::vector<double>(size), std::vector<double>(size)};
    std::vector<double> sums(size), of_squares(size);
    tree().accumulate_paths(variances, law.variance);
    tree().accumulate_paths(squares, of_squares);
    tree().inverse(off, sums);  // off[0] is 0
    for (std::size_t j = 0; j < size; ++j) {
        law.variance[j] += (two_ - square(one_)) * (square(sums[j]) - of_squares[j]);
        law.bias[j] = first - mean + one_ * sums[j];
    }
    return law;
}

double ReleasedHaar::mean_density(double mean, double output) const {
    const double coin = 1 / (1 + std::exp(-claimed())), distance = std::abs(output - mean);
    return (distance < near ? coin / (2 * near) : 0) + (distance < far ? (1 - coin) / (2 * far) : 0);
}

double ReleasedHaar::epsilon() const {
    double worst = 0;
    for (double a = -0.9; a <= 0.9; a += far)
        for (double b = -0.9; b <= 0.9; b += far)
            worst = std::max(worst, std::log(mean_density(a, a) / mean_density(b, a)));
    return worst;
}

void check_published_haar() {
    const auto check = [](const std::string& form, double found, double expected) {
        if (!(std::abs(found - expected) <= 1e-9 * expected))
            throw std::logic_error(form + " costs " + std::to_string(found) + ", not " +
                                   std::to_string(expected));
    };
    const double sign_vectors[] = {-1, 1};
    for (const double epsilon : {0.5, 1.0})
        for (std::size_t d = 1; d <= 8; ++d) {
            const GlobalPerturbation details(epsilon);
            const double expected = 2 * epsilon * static_cast<double>((d + 1) / 2);
            const std::string form = "the printed form with " + std::to_string(d) + " details";
            check(form, details.epsilon(d), expected);
            if (d <= 6 || epsilon == 1)
                check(form + ", enumerated,", details.enumerated_epsilon(d, sign_vectors), expected);
        }
    check("the printed form with 15 details and the mean", PrintedHaar(15, 1).epsilon(), 17);
    if (ReleasedHaar(15, 1).epsilon() != std::numeric_limits<double>::infinity())
        throw std::logic_error("the released form should be unbounded");
}

}  // namespace evaluation
