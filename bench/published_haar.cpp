#include "published_haar.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace bench {

namespace {

double uniform(ldp::BitSource& bits) {
    return std::ldexp(static_cast<double>(bits.word() >> 11), -53);
}

double square(double number) {
    return number * number;
}

/// The published width for a mean (Zhang et al. 2023).
double mean_width(double epsilon) {
    return 24 / (std::exp(epsilon / 6) * (6 + 5 * epsilon) - 6);
}

}  // namespace

OpenWindow::OpenWindow(double epsilon, double width) : width_(width) {
    const double more = std::expm1(epsilon) * width;
    bound_ = more * (width + 2) / (2 * (more - 2));
    outside_ = 2 / (more * (2 * bound_ - width));
    inside_ = std::exp(epsilon) * outside_;
}

double OpenWindow::draw(double x, ldp::BitSource& bits) const {
    const double from = middle(x) - width_ / 2, chosen = uniform(bits), place = uniform(bits);
    if (chosen < inside_ * width_) return from + place * width_;
    const double y = -bound_ + place * (2 * bound_ - width_);
    return y < from ? y : y + width_;
}

double OpenWindow::density(double x, double y) const {
    if (std::abs(y) > bound_) return 0;
    return std::abs(y - middle(x)) < width_ / 2 ? inside_ : outside_;
}

double OpenWindow::variance(double mean_square) const {
    const double centre_square = mean_square * square(bound_ - width_ / 2);
    return outside_ * 2 * std::pow(bound_, 3) / 3 +
           (inside_ - outside_) * width_ * (centre_square + square(width_) / 12) - mean_square;
}

double OpenWindow::epsilon() const {
    double worst = 0;
    for (const double a : {-1.0, 0.0, 1.0})
        for (const double b : {-1.0, 0.0, 1.0})
            for (const double output : {-1.0, 0.0, 1.0})
                worst = std::max(worst, std::log(density(a, middle(output)) / density(b, middle(output))));
    return worst;
}

PublishedHaar::PublishedHaar(std::size_t attributes, double epsilon)
    : tree_(std::bit_ceil(attributes)), detail_(2 * epsilon, 2 / std::expm1(epsilon)) {}

// As printed -----------------------------------------------------------------------------------------------

PrintedHaar::PrintedHaar(std::size_t attributes, double claimed_epsilon)
    : PublishedHaar(attributes, claimed_epsilon), mean_(claimed_epsilon, mean_width(claimed_epsilon)) {}

void PrintedHaar::perturb(std::span<double> coefficients, ldp::BitSource& bits) const {
    const std::size_t parity = bits.word() % 2;
    coefficients[0] = mean_.draw(coefficients[0], bits);
    for (std::size_t c = 1; c < coefficients.size(); ++c)
        coefficients[c] = c % 2 == parity ? detail_window().draw(coefficients[c], bits) : 0;
}

// A leaf is the mean and half of its path's details, of which either those of one parity are there or those
// of the other: their windows vary, and so does which of the two sums it is.
PublishedHaar::Law PrintedHaar::law(std::span<const double> coefficients) const {
    const std::size_t size = coefficients.size();
    std::vector<double> terms(size), of_parity[2];
    terms[0] = mean_.variance(square(coefficients[0]));
    for (std::size_t c = 1; c < size; ++c) terms[c] = detail_window().variance(square(coefficients[c])) / 2;
    for (std::size_t parity = 0; parity < 2; ++parity) {
        std::vector<double> kept(size);
        for (std::size_t c = 1; c < size; ++c)
            if (c % 2 == parity) kept[c] = coefficients[c];
        of_parity[parity].resize(size);
        tree().inverse(kept, of_parity[parity]);
    }
    Law law{std::vector<double>(size), std::vector<double>(size)};
    tree().accumulate_paths(terms, law.variance);
    for (std::size_t j = 0; j < size; ++j) {
        law.variance[j] += square(of_parity[0][j] - of_parity[1][j]) / 4;
        law.bias[j] = -(of_parity[0][j] + of_parity[1][j]) / 2;
    }
    return law;
}

double PrintedHaar::details_epsilon() const {
    double worst = 0;
    for (std::size_t parity = 0; parity < 2; ++parity) {
        double sum = 0;
        for (std::size_t c = 1; c < tree().size(); ++c)
            if (c % 2 == parity) sum += detail_window().epsilon();
        worst = std::max(worst, sum);
    }
    return worst;
}

// The mask shows in the report, by its zeros.
double PrintedHaar::density(std::span<const double> details, std::span<const double> report,
                            std::size_t parity) const {
    double product = 0.5;
    for (std::size_t i = 0; i < details.size(); ++i)
        if ((i + 1) % 2 == parity) product *= detail_window().density(details[i], report[i]);
    return product;
}

double PrintedHaar::enumerated_details_epsilon() const {
    const std::size_t details = tree().size() - 1, corners = std::size_t{1} << details;
    const auto corner = [&](std::size_t number, double distance = 1) {
        std::vector<double> place;
        for (std::size_t i = 0; i < details; ++i)
            place.push_back((number >> i) % 2 == 0 ? -distance : distance);
        return place;
    };
    const double middle = detail_window().middle(1);
    double worst = 0;
    for (std::size_t parity = 0; parity < 2; ++parity)
        for (std::size_t a = 0; a < corners; ++a)
            for (std::size_t b = 0; b < corners; ++b)
                for (std::size_t y = 0; y < corners; ++y)
                    worst = std::max(worst, std::log(density(corner(a), corner(y, middle), parity) /
                                                     density(corner(b), corner(y, middle), parity)));
    return worst;
}

// As released ----------------------------------------------------------------------------------------------

ReleasedHaar::ReleasedHaar(std::size_t attributes, double claimed_epsilon)
    : PublishedHaar(attributes, claimed_epsilon) {}

void ReleasedHaar::perturb(std::span<double> coefficients, ldp::BitSource& bits) const {
    coefficients[0] += reach * (2 * uniform(bits) - 1);
    for (double& detail : coefficients.subspan(1))
        if (std::abs(detail) >= threshold) detail = detail_window().draw(detail, bits);
}

PublishedHaar::Law ReleasedHaar::law(std::span<const double> coefficients) const {
    std::vector<double> terms(coefficients.size());
    terms[0] = square(reach) / 3;
    for (std::size_t c = 1; c < terms.size(); ++c)
        if (std::abs(coefficients[c]) >= threshold)
            terms[c] = detail_window().variance(square(coefficients[c]));
    Law law{std::vector<double>(terms.size()), std::vector<double>(terms.size())};
    tree().accumulate_paths(terms, law.variance);
    return law;
}

double ReleasedHaar::mean_density(double mean, double output) {
    return std::abs(output - mean) < reach ? 1 / (2 * reach) : 0;
}

double ReleasedHaar::epsilon() const {
    double worst = 0;
    for (double a = -1; a <= 1; a += reach)
        for (double b = -1; b <= 1; b += reach)
            worst = std::max(worst, std::log(mean_density(a, a) / mean_density(b, a)));
    return worst;
}

void check_published_haar() {
    const auto check = [](const char* what, double found, double expected) {
        if (std::abs(found - expected) > 1e-9 * expected)
            throw std::logic_error(std::string(what) + " gives away " + std::to_string(found) + ", not " +
                                   std::to_string(expected));
    };
    const PrintedHaar small(4, 1), large(16, 1);
    check("the printed form with 3 details", small.details_epsilon(), 4);
    check("the printed form with 3 details, enumerated as a whole", small.enumerated_details_epsilon(), 4);
    check("the printed form with 15 details", large.details_epsilon(), 16);
    check("the printed form with 15 details and the mean", large.epsilon(), 17);
    if (ReleasedHaar(16, 1).epsilon() != std::numeric_limits<double>::infinity())
        throw std::logic_error("the released form should be unbounded");
}

}  // namespace bench
