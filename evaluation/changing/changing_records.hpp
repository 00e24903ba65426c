// People with records of categories that change over the rounds, and the errors and costs of protocols that
// collect them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "../joint/record_files.hpp"
#include "core/mechanism/role/mechanism.hpp"

namespace evaluation {

/// The changes of an attribute: in each round after the first a person has a new value with this probability.
struct AttributeChange {
    double probability;  ///< 0: the value is kept
    bool uniform;        ///< the new value is uniform; otherwise that of a random person
};

/// The shares of values that people have first, and of those that a change leads to.
struct ChangingShares {
    std::vector<std::vector<double>> first, later;  ///< of each attribute and value
    std::vector<AttributeChange> changes;
    std::size_t rounds;

    /// The expected number of an attribute's keys that a person meets, if value v has the key keys[v].
    [[nodiscard]] double keys(std::size_t attribute, std::span<const std::size_t> keys) const;
    /// The same if each value is a key.
    [[nodiscard]] double values(std::size_t attribute) const;
};

/// The server's counts of one round.
class RoundCounts {
  public:
    virtual ~RoundCounts() = default;
    /// The estimated shares of an attribute's values.
    [[nodiscard]] virtual std::vector<double> shares(std::size_t attribute) const = 0;
};

/// A person's device, with the memory of permanent responses.
class RecordDevice {
  public:
    virtual ~RecordDevice() = default;
    /// Makes sure that the record has a permanent response. It is drawn when a report needs it, which does
    /// not change its distribution.
    virtual void meet(ldp::Input record) = 0;
    virtual void report(ldp::Input record, ldp::BitSource& bits, RoundCounts& round) = 0;
    /// The ε of all permanent responses together.
    [[nodiscard]] virtual double spent() const = 0;
};

class RecordProtocol {
  public:
    virtual ~RecordProtocol() = default;
    [[nodiscard]] virtual std::unique_ptr<RecordDevice> device(ldp::BitSource& bits) const = 0;
    [[nodiscard]] virtual std::unique_ptr<RoundCounts> round() const = 0;
    /// n·Var of the estimated share of one value of an attribute against the people's share, given all
    /// shares.
    [[nodiscard]] virtual double n_variance(std::size_t attribute, std::size_t value,
                                            std::span<const double> shares) const = 0;
    /// The ε that a person spends on average.
    [[nodiscard]] virtual double expected_epsilon(const ChangingShares& shares,
                                                  ldp::BitSource& bits) const = 0;
};

/// A record of the library: a spec with memoized responses in one layer or two, of which one part is
/// reported.
[[nodiscard]] std::unique_ptr<const RecordProtocol> library_records(const std::string& json);

/// What one repetition gave.
struct RecordOutcome {
    std::vector<double> error;      ///< of each attribute n times the square, over values and rounds
    std::vector<double> predicted;  ///< the same by the closed form
    double spent = 0, expected = 0, most = 0;  ///< ε of a person: average, its closed form, maximum
};

struct ChangingPeople {
    const Records& records;  ///< first values
    std::vector<AttributeChange> changes;
    std::size_t rounds, every;  ///< errors are those of one round in `every`
};

[[nodiscard]] RecordOutcome run(const RecordProtocol& protocol, const ChangingPeople& people,
                                std::uint64_t seed);

}  // namespace evaluation
