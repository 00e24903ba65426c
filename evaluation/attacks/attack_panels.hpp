// Attacks on exact answers, on answers with central noise, and on reports. An attack guesses one bit of a
// person: whether the person earns more than the median of the employees of 1988.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "../figures/figure.hpp"
#include "../shared/population.hpp"
#include "core/mechanism/role/mechanism.hpp"
#include "simulation/seeded_random.hpp"

namespace evaluation {

/// One row of a panel: an attack at a point of the x axis.
struct Attack {
    std::string name;
    /// Returns the share of right guesses in one repetition.
    std::function<double(double x, ldp::simulation::SeededBits& bits)> run;
    /// Returns the expected share; empty if there is no closed form.
    std::function<double(double x)> theory;
};

/// Runs all attacks at all marks. Each row with a closed form is followed by a row with its values.
[[nodiscard]] Panel attack_panel(Panel panel, const std::vector<Attack>& attacks, std::size_t repetitions,
                                 std::uint64_t seed);

/// Returns whether each person earns more than the median.
[[nodiscard]] std::vector<bool> high_earners(const People& employees);
/// Returns the secrets of this many random people.
[[nodiscard]] std::vector<bool> some_of(const std::vector<bool>& secrets, std::size_t people,
                                        ldp::simulation::SeededBits& bits);

/// Noise of a trusted server: Laplace with this scale.
[[nodiscard]] double laplace_noise(double scale, ldp::simulation::SeededBits& bits);
/// The probability that a standard normal number is below x.
[[nodiscard]] double normal_probability(double x);
/// The probability that a report at ε about one bit is the bit: e^ε/(e^ε + 1).
[[nodiscard]] double report_is_right(double epsilon);

/// Reports of people about a bit, through `grr` with two values, each in a payload of the library.
class BitReports {
  public:
    explicit BitReports(double epsilon);
    void add(bool secret, ldp::BitSource& bits);
    /// Returns the library's estimate of the number of people with the bit 1 among those in a query.
    [[nodiscard]] double count(const std::function<bool(std::size_t person)>& in_query) const;
    [[nodiscard]] std::size_t size() const noexcept { return payloads_.size(); }

  private:
    std::unique_ptr<const ldp::Mechanism> mechanism_;
    std::vector<std::vector<std::byte>> payloads_;
};

/// Reconstruction: least squares from random subset counts, by ε and by noise, and the exhaustive search of
/// the theorem of Dinur and Nissim.
void add_reconstruction(std::vector<Panel>& panels, const std::vector<bool>& secrets,
                        std::size_t repetitions);
/// Linkage by columns that the attacker knows about a person.
void add_linkage(std::vector<Panel>& panels, const People& employees, std::size_t repetitions);
/// Differencing: two counts that differ by one person, once and repeated.
void add_differencing(std::vector<Panel>& panels, const std::vector<bool>& secrets, std::size_t repetitions);
/// The average of a person's reports over rounds, without and with memoization.
void add_averaging(std::vector<Panel>& panels, const std::vector<bool>& secrets, std::size_t repetitions);

}  // namespace evaluation
