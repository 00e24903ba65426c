// The choice of a protocol for values that change: mechanism, ε of a response, rounding, number of changes.
// All protocols have the same limit of the total ε. The criterion is the predicted error of the estimates of
// a round.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/json.hpp"
#include "core/choice/evolving_prediction.hpp"

namespace ldp {

/// Number of simulated values for the search of parameters, and for the prediction of a protocol.
inline constexpr std::size_t search_values = 60'000, predicted_values = 600'000;

/// The requirements that every planned protocol meets.
struct ProtocolRequest {
    /// An object with the attribute and further keys of a spec, without "mechanism", "epsilon", "evolving"
    /// and "budget".
    Json spec;
    Budget budget;
    std::string mechanism = {};                 ///< the only mechanism; empty for all
    std::optional<double> epsilon = {};         ///< of a response; chosen if empty
    std::optional<double> report_epsilon = {};  ///< maximum ε of a single report
    std::optional<Limits> limits = {};          ///< of reports and decoding
    /// Maximum share of people whose budget may end. Estimates reflect the values of the other people only.
    double most_ended = 0.05;
    /// Whether to consider only protocols whose bound on ε the clients enforce. Fresh reports and
    /// participation also need a schedule.
    bool kept_by_clients = false;
};

/// A protocol with the parameters that have the smallest error.
struct PlannedProtocol {
    const char* protocol;  ///< such as "memoized"
    Participation participation;
    Spec spec;
    ProtocolPrediction prediction;
};

struct ProtocolPlan {
    std::vector<PlannedProtocol> protocols;  ///< by ascending predicted error
    struct Obstacle {
        std::string protocol, reason;
    };
    std::vector<Obstacle> obstacles;  ///< of protocols that cannot be used
};

/// A function that is called with the number of finished protocols and the number of all protocols.
using PlanProgress = std::function<void(std::size_t done, std::size_t all)>;

/// Searches the parameters of all protocols with `coarse`, and predicts the best of each with `fine`, a
/// stream of the same rounds. Throws Error (invalid_spec) if the request is invalid, or Error (unsupported)
/// as check_predictable().
[[nodiscard]] ProtocolPlan plan_protocols(const ProtocolRequest& request, const ValueStream& coarse,
                                          const ValueStream& fine, const PlanProgress& progress = {});

/// Returns the largest number of four digits that is at most this one, so that decimals in specs are short.
[[nodiscard]] double rounded_down(double number);

/// Returns the attribute of a spec of one attribute. Throws Error (invalid_spec).
[[nodiscard]] Attribute only_attribute_of(const Json& spec);

/// Reads a spec with "evolving": "auto" without its "stream". Throws Error (invalid_spec).
[[nodiscard]] ProtocolRequest read_protocol_request(const Json& spec);

/// Whether a spec has "evolving": "auto".
[[nodiscard]] bool asks_for_protocol(const Json& spec);
/// The spec that "evolving": "auto" stands for, with the reason and the limits of the choice.
struct ChosenProtocol {
    Spec spec;
    Limits limits;
    std::string reason;
};
/// Chooses a protocol for a spec with "evolving": "auto" and "stream". Throws Error (invalid_spec).
[[nodiscard]] ChosenProtocol choose_protocol(const Json& spec);

}  // namespace ldp
