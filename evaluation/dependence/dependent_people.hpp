// People whose values depend on one another, and ways to estimate their mean: without privacy, with a trusted
// server, and with local reports.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/mechanism/role/mechanism.hpp"
#include "simulation/seeded_random.hpp"

namespace evaluation {

/// A standard normal number.
[[nodiscard]] double normal(ldp::simulation::SeededBits& bits);
/// Values of a stationary autoregression of order 1 with this mean and deviation: each value has the
/// correlation `next` with the one before.
[[nodiscard]] std::vector<double> autoregression(std::size_t count, double mean, double deviation,
                                                 double next, ldp::simulation::SeededBits& bits);

/// Settings that all ways share. Means lie in ±bound/2, and values are declared to lie in ±bound.
struct Setting {
    double epsilon = 1;
    double deviation = 1;   ///< that a method of the paper assumes
    double half_width = 0;  ///< of the window around the middle; 0 for that of the theory
};
inline constexpr double bound = 100;

/// The half-width of the interval that contains all n values except with probability 5 %, for normal values.
[[nodiscard]] double concentration(std::size_t n, double deviation);

/// Reports of one mechanism. It is built once and used by all repetitions.
class SharedMechanism {
  public:
    explicit SharedMechanism(const std::string& spec);
    [[nodiscard]] const ldp::Mechanism& mechanism() const noexcept { return *mechanism_; }
    /// Returns the summary of reports about these values on [−1, 1].
    [[nodiscard]] std::vector<std::byte> summary(std::span<const double> values, ldp::BitSource& bits) const;
    /// Returns the summary of reports about these categories.
    [[nodiscard]] std::vector<std::byte> summary_of(std::span<const ldp::Cell> values,
                                                    ldp::BitSource& bits) const;

  private:
    std::unique_ptr<const ldp::Mechanism> mechanism_;
};

/// The winsorized mean of a trusted server (Karwa, Vadhan 2018; Roth, Avella-Medina 2025, algorithms 4, 5):
/// the heaviest bin of a histogram with Laplace noise at ε/2, values clipped to it and its neighbours, and
/// Laplace noise at ε/2 on their mean.
[[nodiscard]] double central_mean(std::span<const double> values, const Setting& setting,
                                  ldp::simulation::SeededBits& bits);

/// The ways of local reports at one ε.
class LocalMeans {
  public:
    explicit LocalMeans(double epsilon);

    /// The local winsorized mean of the paper (algorithm 8): half of the people report their bin through
    /// randomized response, the others their value, clipped to the heaviest bin and its neighbours, with
    /// Laplace noise. `plug_in` estimates the deviation from
    /// a half of the first half.
    [[nodiscard]] double published(std::span<const double> values, const Setting& setting, bool plug_in,
                                   ldp::simulation::SeededBits& bits) const;
    /// The same window, with `optimal` instead of Laplace noise.
    [[nodiscard]] double optimal_on_window(std::span<const double> values, const Setting& setting,
                                           ldp::simulation::SeededBits& bits) const;

    struct Found {
        double mean;          ///< estimated
        double of_reporters;  ///< of the values of those who reported in the second round
        double sample_error, population_error;
    };
    /// Two rounds of ldp: a quarter of the people report through `tree`, `learn_ranges` gives the range, and the
    /// others report through `optimal`. No deviation is assumed.
    [[nodiscard]] Found two_rounds(std::span<const double> values, ldp::simulation::SeededBits& bits) const;
    /// The same two rounds, with five deviations around the median as range, both from the quartiles of the
    /// first round. Only for values that are about normal.
    [[nodiscard]] double quartile_window(std::span<const double> values,
                                         ldp::simulation::SeededBits& bits) const;
    /// One round on the declared range.
    [[nodiscard]] double one_round(std::span<const double> values, ldp::simulation::SeededBits& bits) const;

  private:
    struct Window {
        double low, high;
    };
    /// Shares of bins of this width, through randomized response.
    [[nodiscard]] std::vector<double> histogram(std::span<const double> values, double width,
                                                ldp::simulation::SeededBits& bits) const;
    struct Normal {
        double median, deviation;
    };
    /// Median and deviation of normal values, from the quartiles that reports through `tree` give.
    [[nodiscard]] Normal from_quartiles(std::span<const double> values,
                                        ldp::simulation::SeededBits& bits) const;
    [[nodiscard]] Window window(std::span<const double> first, const Setting& setting, bool plug_in,
                                ldp::simulation::SeededBits& bits) const;
    [[nodiscard]] Found on(const SharedMechanism& mechanism, std::span<const double> values,
                           const Window& window, ldp::BitSource& bits) const;

    double epsilon_;
    SharedMechanism laplace_, optimal_, tree_;
};

}  // namespace evaluation
