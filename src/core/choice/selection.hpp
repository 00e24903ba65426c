// Mechanism selection: ranks mechanisms for given attributes. "auto" in a spec chooses the first.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/mechanism/role/registry.hpp"
#include "core/mechanism/role/settings.hpp"

namespace ldp {

class Mechanism;

/// The requirements of a collection, independent of the mechanism.
struct SelectionRequest {
    double epsilon;                     ///< ε of a report
    std::vector<Attribute> attributes;  ///< the attributes that users report
    Limits limits;                      ///< the limits of reports and decoding
};

/// A mechanism that is considered for the requirements, with default options.
struct Candidate {
    const MechanismEntry* mechanism;  ///< the mechanism
    double n_variance;                ///< Planner::expected_variance(), the largest over the attributes
    double bias;  ///< largest bias by one percent of forged reports, of a share or of a mean on [−1,1]
    std::uint64_t report_bytes;   ///< size of a whole report, parameter block included
    std::uint64_t summary_bytes;  ///< size of a summary
    double decode_cost;           ///< in the unit of Limits
    std::string obstacle;         ///< the reason why it cannot be chosen; empty if it can
};

/// Returns a candidate with the sizes and the cost of the mechanism that `build` makes. `build` also sets
/// variance and bias. If `build` throws Error (invalid_spec), its message becomes the obstacle.
[[nodiscard]] Candidate measured_candidate(
    const MechanismEntry& entry, const std::function<std::unique_ptr<const Mechanism>(Candidate&)>& build);

/// Returns all mechanisms that "auto" considers, and those of the literature for comparison. Candidates without an obstacle come first. Both parts are
/// sorted by ascending variance, then by size and cost. A mechanism that cannot be built for the domain has
/// NaN and 0 for unknown fields. Two or more attributes form a record, whose attributes are checked against
/// the limits one by one. The result is not empty.
[[nodiscard]] std::vector<Candidate> rank(const SelectionRequest& demand);

/// The result of "auto".
struct Selected {
    const MechanismEntry* mechanism;  ///< the mechanism
    std::string reason;               ///< one sentence
};
/// Returns the best candidate that is not a mechanism of the literature, and the reason. Error (invalid_spec) with the
/// obstacle of each candidate if none can be chosen.
[[nodiscard]] Selected choose(const SelectionRequest& demand);

// Memoized responses: mechanisms under which a person's budget does not end
// ------------------------------------

/// The numbers of different responses that the values of people need. Attributes are those of the whole spec.
class ResponseNeeds {
  public:
    virtual ~ResponseNeeds() = default;
    ResponseNeeds(const ResponseNeeds&) = delete;
    ResponseNeeds& operator=(const ResponseNeeds&) = delete;

    /// Returns the largest number for any values, if `mechanism` reports attributes from `first` on.
    [[nodiscard]] virtual std::uint64_t most(std::size_t first, const Mechanism& mechanism) const = 0;
    /// Returns the predicted share of people who need more than this number in the declared stream of values;
    /// nothing if no stream is declared.
    [[nodiscard]] virtual std::optional<double> exceeding(std::size_t first, const Mechanism& mechanism,
                                                          std::uint64_t responses) const = 0;
    /// Returns how many of the `responses` that the budget pays for are left if the budget can end. Reports
    /// may then have a signal, which is paid first.
    [[nodiscard]] virtual std::uint64_t beside_signal(const Mechanism& mechanism,
                                                      std::uint64_t responses) const = 0;

  protected:
    ResponseNeeds() = default;
};

/// The limit of the different responses of a person.
struct ResponseLimit {
    /// The largest predicted share of people whose budget may end.
    static constexpr double most_ended = 0.05;

    std::uint64_t most;          ///< responses that the budget pays for
    const ResponseNeeds& needs;  ///< responses that the values need
    std::size_t first = 0;       ///< the first attribute that the mechanism reports

    /// Returns the reason why "auto" does not choose the mechanism; empty if it may.
    [[nodiscard]] std::string obstacle(const Mechanism& mechanism) const;
    /// Returns the reason why the mechanism keeps to the limit, as part of a sentence.
    [[nodiscard]] std::string reason(const Mechanism& mechanism) const;
};

/// The error's hint if no mechanism keeps to the limit.
[[nodiscard]] std::string advice_within(const ResponseLimit& limit);

/// Whether "auto" considers the mechanism for memoized responses of such an attribute only, because the number
/// of its responses is limited.
[[nodiscard]] bool has_few_responses(const MechanismEntry& mechanism, Shape attribute) noexcept;
/// Returns values of the option that limits the responses of the mechanism, with at most this number of them.
/// The first one is the mechanism's own choice, which may have more.
[[nodiscard]] std::vector<OptionValues> response_options(const MechanismEntry& mechanism, std::uint64_t most);

/// The result of "auto" with the options that the limit requires.
struct SelectedWithin {
    const MechanismEntry* mechanism;  ///< the choice
    std::string reason;               ///< of the choice, as the canonical spec states it
    OptionValues options = {};        ///< of the mechanism, beyond its own choice
};
/// As choose(), among the mechanisms that keep to the limit and are `suitable`, if it is given.
[[nodiscard]] SelectedWithin choose_within(const SelectionRequest& demand, const ResponseLimit& limit,
                                           const std::function<bool(const MechanismEntry&)>& suitable = {});

}  // namespace ldp
