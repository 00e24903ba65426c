// Simulation of the reports of a spec in all rounds: the error of the estimates in each round, and the number
// of responses that each person has drawn by then.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "client/collection.hpp"
#include "simulation/life.hpp"

namespace ldp::simulation {

struct SimulationSetup {
    Stream stream;
    std::uint64_t people;   ///< at least 1
    std::size_t rounds;     ///< at least 1
    std::uint64_t seed;     ///< of values and noise; equal seeds give the same values under all specs
    std::size_t attribute;  ///< the attribute that is estimated
    /// If not empty, replaces `stream`: the values of each person in all rounds. They are in the unit of the
    /// only attribute, or numbers of the values of a category.
    std::vector<std::vector<double>> own = {};
    /// The stream of the values of each attribute, or nothing if people keep their values. If empty, all
    /// attributes follow `stream`.
    std::vector<std::optional<Stream>> streams = {};
    /// The values of all attributes of each person, in the units of `own`. The values of attributes with a
    /// stream are not read. If empty, kept values are drawn like the first value of `stream`.
    std::vector<std::vector<double>> fixed = {};
};

/// Statistics of the numbers of responses that people have drawn.
struct Spending {
    double mean;
    std::uint64_t most_of_95;  ///< the 95 % quantile over the people
    std::uint64_t most;
};

/// Computes the statistics. The argument maps numbers of drawn responses to numbers of people; there is at
/// least one person.
[[nodiscard]] Spending spending(const std::map<std::uint64_t, std::uint64_t>& people_by_answers);

/// The estimate of an attribute's mean or shares in a round, compared with the truth. All numbers are NaN if
/// nobody reported the attribute.
struct SimulatedEstimate {
    double truth, estimate;  ///< of a mean, in the unit of the attribute; NaN for shares
    double error;            ///< root mean square error over a category's values; absolute error of a mean
    double absolute;         ///< mean absolute error over a category's values
    double claimed;          ///< root mean square of the reported standard errors
};

/// A round, with the estimate of the attribute of the setup.
struct Round : SimulatedEstimate {
    /// The estimates of all attributes, in the order of the spec; NaN if the mechanism of an attribute
    /// estimates neither its mean nor its shares, and for products.
    std::vector<SimulatedEstimate> record = {};
    std::uint64_t drawn = 0, kept = 0, nearest = 0;  ///< reports, by origin
    std::uint64_t refused = 0;  ///< people who had stopped, because their budget was spent
    std::uint64_t silent = 0;   ///< people whose series had no report due
    Spending answers;           ///< drawn by each person until this round
};

/// Simulates the clients of all people and the server. The values of each attribute follow an independent
/// stream, scaled to the range of a number or to the domain of a category, or remain as they are. Each client
/// uses the Reporter for the spec.
///
/// `progress` is called after each person with the number of finished people. Throws Error (unsupported) if
/// the mechanism estimates neither the attribute's mean nor its shares, if a series has fewer rounds, or if
/// the rounds together need more than a gigabyte.
[[nodiscard]] std::vector<Round> simulate(const Collection& collection, const SimulationSetup& scene,
                                          const std::function<void(std::uint64_t)>& progress = {});

}  // namespace ldp::simulation
