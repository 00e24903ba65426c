// Repeated simulation of a collection in which each person reports once. The actual errors are compared with
// the predicted ones.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "client/collection.hpp"
#include "core/base/random.hpp"

namespace ldp::simulation {

/// An estimate in all runs. The shares of a category are combined.
struct Trial {
    std::size_t attribute;
    std::string asked;        ///< "mean", "shares of 4 values", "quantile 0.5", "with b"
    double truth;             ///< the exact value; NaN for shares
    double predicted, error;  ///< predicted standard error, and root mean square of the actual errors
    double claimed;           ///< root mean square of the reported standard errors; NaN for quantiles
    double covered;           ///< share of the 95 % intervals that contain the truth
};

/// The records of Collection::to_grid() of many people.
struct SimulatedPeople {
    std::vector<std::vector<double>> positions;
    std::vector<std::vector<GridRecord::Code>> strings = {};   ///< of each person; empty without strings
    std::vector<std::vector<GridRecord::LabelSet>> sets = {};  ///< of each person; empty without sets

    void add(const GridRecord& record) {
        positions.push_back(record.positions);
        if (!record.codes.empty()) strings.push_back(record.codes);
        if (!record.sets.empty()) sets.push_back(record.sets);
    }
    [[nodiscard]] std::size_t size() const noexcept { return positions.size(); }
};

/// Simulates a collection of at least two people, `runs` times. Each person's record is rounded and randomized again in
/// each run; all randomness comes from `bits`. Strings have no result. If the mechanism estimates an attribute's distribution, the results include quantiles and a range.
/// For `joint`, they include the first ten pairs that are reported together; predictions assume that the
/// attributes of a pair are independent. `progress` is called after each run with the number of finished
/// runs. The spec must not be for a series. Throws Error (unsupported) if the mechanism estimates
/// neither means nor shares.
[[nodiscard]] std::vector<Trial> try_out(const Collection& collection, const SimulatedPeople& people,
                                         std::uint64_t runs, BitSource& bits,
                                         const std::function<void(std::uint64_t)>& progress = {});

/// Simulates one collection of at least one person, and returns the summary of its reports. Each person's record is rounded
/// and randomized; all randomness comes from `bits`. For the mechanism of a series, `people` has a record of each person in each
/// round, and the records of a person are consecutive. Throws Error (invalid_value), or Error (unsupported) for a record with
/// series among its parts.
[[nodiscard]] std::vector<std::byte> simulated_summary(const Collection& collection,
                                                       const SimulatedPeople& people, BitSource& bits);

}  // namespace ldp::simulation
