#include "core/choice/plan/quantile_error.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "core/base/interrupt.hpp"
#include "core/math/monotone.hpp"
#include "core/math/normals.hpp"

namespace ldp {

namespace {

/// Smeared curves bend less from point to point, and take longer to ask about.
constexpr std::size_t most_sharp_points = 256, most_smeared_points = 48;
constexpr int batches = 16, batch = 256;

/// The curve at some points.
class SampledCurve {
  public:
    SampledCurve(OrderedEstimator& estimator, std::vector<std::size_t> points, Target target)
        : estimator_(estimator), points_(std::move(points)), target_(target) {
        for (std::size_t i = 0; i < points_.size(); ++i) {
            heights_.push_back(estimator_.share(OrderedEstimator::left_end, end(i), Target::sample).value);
            if (!estimator_.sharp()) continue;
            const double least = 1e-12, noise = error(OrderedEstimator::left_end, end(i), Target::sample);
            weights_.push_back(1 / std::max(noise * noise, least));
        }
    }

    [[nodiscard]] const std::vector<double>& heights() const noexcept { return heights_; }
    /// As answers are made of it: the nearest one that does not fall.
    [[nodiscard]] std::vector<double> fitted(std::span<const double> noisy) const {
        return monotone(noisy, weights_);
    }
    /// A matrix by which independent normal numbers become the noise.
    [[nodiscard]] Eigen::MatrixXd root() const {
        const auto count = static_cast<Eigen::Index>(points_.size());
        const auto variance = [&](double from, double to) {
            const double noise = error(from, to, target_);
            return noise * noise;
        };
        Eigen::MatrixXd covariance(count, count);
        for (Eigen::Index i = 0; i < count; ++i) {
            check_interrupt();
            const double to = end(static_cast<std::size_t>(i));
            covariance(i, i) = variance(OrderedEstimator::left_end, to);
            for (Eigen::Index j = 0; j < i; ++j) {
                const double between = variance(end(static_cast<std::size_t>(j)), to);
                covariance(i, j) = covariance(j, i) = (covariance(i, i) + covariance(j, j) - between) / 2;
            }
        }
        // Rounding may have left the diagonal a little short.
        const Eigen::MatrixXd least =
            covariance.diagonal().maxCoeff() * Eigen::MatrixXd::Identity(count, count);
        Eigen::LLT<Eigen::MatrixXd> factor;
        double more = 1e-9;
        while (factor.compute(covariance + more * least).info() != Eigen::Success && more < 1) more *= 10;
        return factor.matrixL();
    }

  private:
    /// Where what counts as at or below a point ends.
    [[nodiscard]] double end(std::size_t i) const noexcept {
        return static_cast<double>(points_[i]) + (estimator_.sharp() ? 0.5 : 0);
    }
    [[nodiscard]] double error(double from, double to, Target target) const {
        return estimator_.share(from, to, target).standard_error;
    }

    OrderedEstimator& estimator_;
    std::vector<std::size_t> points_;
    Target target_;
    std::vector<double> heights_, weights_;
};

/// The points about where the share is reached, and how far apart they are. What lies more than `far`
/// standard errors away never reaches it.
std::pair<std::vector<std::size_t>, double> points_near(OrderedEstimator& estimator, double share,
                                                        Target target) {
    constexpr double far = 5;
    constexpr double at_least = 8;  // points, where noise is less than the rounding
    // All are at or below the last point, whose height is no estimate.
    const double last = estimator.steps() - (estimator.sharp() ? 1 : 0);
    const auto height = [&](double point) {
        return estimator.share(OrderedEstimator::left_end, point + (estimator.sharp() ? 0.5 : 0), target);
    };
    // Whether a point's height is certainly below the share, or above it.
    const auto beyond = [&](double point, double side) {
        const auto [value, error] = height(point);
        return side * (value - share) > far * error;
    };
    double low = 0, high = last;
    for (double to = last; to - low > 1;) {
        const double middle = std::floor((low + to) / 2);
        (beyond(middle, -1) ? low : to) = middle;
    }
    for (double from = 0; high - from > 1;) {
        const double middle = std::floor((from + high) / 2);
        (beyond(middle, 1) ? high : from) = middle;
    }
    low = std::max(0.0, low - at_least);
    high = std::min(last, high + at_least);
    const auto most = static_cast<double>(estimator.sharp() ? most_sharp_points : most_smeared_points);
    const double stride = std::floor((high - low) / most) + 1;
    std::vector<std::size_t> points;
    for (double point = low; point <= high; point += stride)
        points.push_back(static_cast<std::size_t>(point));
    return {std::move(points), stride};
}

/// For each point, and for what is behind the last one: where the first point is expected that has the share,
/// if that is the first one of these.
std::vector<double> stood_for(std::span<const std::size_t> points, double stride,
                              std::span<const double> shares) {
    constexpr double evenly = 1e-12;  // for points without people
    const auto width = static_cast<std::size_t>(stride);
    std::vector<double> places;
    for (std::size_t i = 0; i <= points.size(); ++i) {
        const std::size_t last =
            i < points.size() ? points[i] : std::min(points.back() + width, shares.size() - 1);
        double sum = 0, all = 0;
        for (std::size_t s = last - std::min(last, width - 1); s <= last; ++s) {
            const double people = evenly + shares[s];
            sum += people * static_cast<double>(s);
            all += people;
        }
        places.push_back(sum / all);
    }
    return places;
}

}  // namespace

QuantileError quantile_error(OrderedEstimator& estimator, std::span<const double> shares, double share,
                             Target target) {
    const auto [points, stride] = points_near(estimator, share, target);
    const SampledCurve curve(estimator, points, target);
    const std::vector<double> places = stood_for(points, stride, shares);
    const Eigen::MatrixXd root = curve.root();
    const auto first = static_cast<double>(points.front());
    Normals normal;
    Eigen::MatrixXd draws(root.rows(), batch);
    std::vector<double> noisy(points.size());
    double sum = 0, squares = 0;
    for (int drawn = 0; drawn < batches; ++drawn) {
        check_interrupt();
        for (double& draw : draws.reshaped()) draw = normal();
        const Eigen::MatrixXd noise = root.triangularView<Eigen::Lower>() * draws;
        for (Eigen::Index run = 0; run < batch; ++run) {
            for (std::size_t i = 0; i < noisy.size(); ++i)
                noisy[i] = curve.heights()[i] + noise(static_cast<Eigen::Index>(i), run);
            const std::vector<double> height = curve.fitted(noisy);
            const auto reached = std::ranges::lower_bound(height, share) - height.begin();
            const double found = (estimator.sharp() ? places[static_cast<std::size_t>(reached)]
                                                    : first + stride * place(height, share)) -
                                 first;
            sum += found;
            squares += found * found;
        }
    }
    constexpr double all = batches * batch;
    const double mean = sum / all;
    return {first + mean, std::max(0.0, squares / all - mean * mean)};
}

}  // namespace ldp
