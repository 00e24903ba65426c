// The methods that `evaluate-accuracy` compares. All spend the same ε on each person in all, and each
// person reports once.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/base/random.hpp"
#include "population.hpp"

namespace evaluation {

/// Of one repetition, averaged over the attributes.
struct Outcome {
    double error;      ///< n times the squared error of the mean
    double predicted;  ///< what exact formulas say it is on average; NaN if it was not asked for
};

struct Method {
    std::vector<std::string> names;  ///< of what comes out: estimates from the same reports
    bool adaptive;                   ///< whether what is predicted depends on the reports
    /// All people report, with fresh noise.
    std::function<std::vector<Outcome>(const People&, double epsilon, bool predict, ldp::BitSource&)> run;
};

/// The first is what the others are compared with: an attribute of each person by `sampled`, through the
/// optimal one, estimated as `sampled` does, and as published.
[[nodiscard]] std::vector<Method> methods();
/// The method with this (first) name; throws std::logic_error for an unknown name.
[[nodiscard]] Method method(const std::string& name);
/// The first of them with another numeric randomizer.
[[nodiscard]] Method sampled_by(const std::string& candidate);

/// n times the squared error of estimated means, averaged over the attributes.
[[nodiscard]] double n_squared_error(const People& people, const std::vector<double>& estimates);

}  // namespace evaluation
