// Values of people in consecutive rounds, for predictions before any report exists: generated from a few
// parameters, or given.
#pragma once

#include <cstdint>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/mechanism/role/settings.hpp"

namespace ldp {

/// Parameters of a stream. Every person reports in every round. The first value is uniform over the range or
/// the categories.
struct StreamParameters {
    std::uint64_t rounds = 0;
    std::uint64_t people = 0;
    double change_rate = 0;  ///< probability in each round that the value is replaced by another, uniform one
    double jitter = 0;       ///< in the attribute's unit: each reported number is up to this far away
    /// In the attribute's unit: the movement of every number in each round, in one direction. First numbers
    /// are uniform over the part of the range in which the movements fit.
    double drift = 0;
    /// In the attribute's unit: the amplitude of a sine wave, which is added to all numbers alike.
    double season = 0;
    std::uint64_t period = 0;  ///< rounds of a season; 0 stands for all rounds

    /// Reads the object "stream" of a spec. Throws Error (invalid_spec) with the key.
    [[nodiscard]] static StreamParameters from_json(const nlohmann::json& found, const Attribute& attribute);
};

/// The values of people in consecutive rounds.
struct ValueStream {
    std::size_t rounds = 0;
    double people = 0;  ///< number of people who report
    /// True if the values are those of the people who report; false if these are other people of the same
    /// population.
    bool same_people = false;
    /// Person by person the values of all rounds: positions in the range, 0 to 1, or the numbers of
    /// categories.
    std::vector<double> values;

    /// Returns the number of people whose values are known.
    [[nodiscard]] std::size_t known() const noexcept { return rounds == 0 ? 0 : values.size() / rounds; }
    /// Returns the stream of about `most` values, of people at equal distances in the list.
    [[nodiscard]] ValueStream thinned(std::size_t most) const;
    /// Generates about `most` values from a fixed seed, of at least `least_people` people.
    [[nodiscard]] static ValueStream generated(const StreamParameters& parameters, const Attribute& attribute,
                                               std::size_t most, std::uint64_t seed = 1);
    static constexpr std::size_t least_people = 32;
};

}  // namespace ldp
