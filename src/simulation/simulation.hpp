// What the people of a spec would report round after round, and what becomes of it: the error of each round's
// answer, and what everybody has spent by then.
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
    std::uint64_t seed;     ///< of the lives and of the noise; equal seeds give all specs the same lives
    std::size_t attribute;  ///< the one that is asked about
    /// Instead of the stream: of each of the people the values of all rounds, in the only attribute's own
    /// unit, of a category its values' numbers.
    std::vector<std::vector<double>> own = {};
    /// For each of the spec's attributes the stream of its values, or nothing if people keep their values.
    /// Empty: all attributes follow `stream`.
    std::vector<std::optional<Stream>> streams = {};
    /// For each of the `people` the values of all attributes, in the units of `own`; those of attributes with
    /// a stream are not read. Empty: kept values are drawn as the first value of `stream`.
    std::vector<std::vector<double>> fixed = {};
};

/// Over the people.
struct Spending {
    double mean;
    std::uint64_t most_of_95;  ///< what 95 of 100 people do not exceed
    std::uint64_t most;
};

/// Of people by how many answers they have drawn: for each number how many; there is at least one person.
[[nodiscard]] Spending spending(const std::map<std::uint64_t, std::uint64_t>& people_by_answers);

/// The estimate of an attribute's mean or shares in a round, compared with the truth. All numbers are NaN if
/// nobody reported the attribute.
struct SimulatedEstimate {
    double truth, estimate;  ///< of a mean, in the attribute's unit; NaN of shares
    double error;            ///< root mean square error over a category's values; absolute error of a mean
    double absolute;         ///< mean absolute error over a category's values
    double claimed;          ///< root mean square of the reported standard errors
};

/// A round, with the answer about the attribute of the scene.
struct Round : SimulatedEstimate {
    /// The answers about all attributes, in the order of the spec; NaN if the mechanism of an attribute
    /// estimates neither its mean nor its shares, and for products.
    std::vector<SimulatedEstimate> record = {};
    std::uint64_t drawn = 0, kept = 0, nearest = 0;  ///< reports, by origin
    std::uint64_t refused = 0;  ///< people who had stopped, because their budget was spent
    std::uint64_t silent = 0;   ///< people whose series had no report due
    Spending answers;           ///< drawn until then, by each person
};

/// Simulates the clients of all people and the server. The values of each attribute follow their own life,
/// scaled to the range of a number or to the domain of a category, or remain as they are. Each client uses
/// the Reporter for the spec.
///
/// `progress` is called after each person with the number of finished people. Throws Error (unsupported) if
/// the mechanism estimates neither the attribute's mean nor its shares, if a series has fewer rounds, or if
/// the rounds together need more than a gigabyte.
[[nodiscard]] std::vector<Round> simulate(const Collection& collection, const SimulationSetup& scene,
                                          const std::function<void(std::uint64_t)>& progress = {});

}  // namespace ldp::simulation
