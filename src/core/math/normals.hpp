// Reproducible normal random numbers, for figures that must be equal in every run.
#pragma once

#include <cmath>
#include <numbers>
#include <random>

namespace ldp {

/// Normal random numbers (Box, Muller 1958) from a fixed seed, so that they are the same everywhere.
// NOLINTNEXTLINE(cert-msc32-c,cert-msc51-cpp): the numbers are not secret, and a query must return the same result every time.
class Normals {
  public:
    double operator()() {
        const double radius = std::sqrt(-2 * std::log(uniform())), angle = 2 * std::numbers::pi * uniform();
        return radius * std::cos(angle);
    }

  private:
    double uniform() { return std::ldexp(static_cast<double>(engine_() >> 11) + 0.5, -53); }

    std::mt19937_64 engine_;
};

}  // namespace ldp
