// The numbers of different responses that people need for a declared stream of values, and statements about the
// end of their budgets.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/choice/selection.hpp"
#include "core/choice/value_stream.hpp"
#include "core/contract/spec.hpp"
#include "core/mechanism/role/mechanism.hpp"

namespace ldp {

/// The declared changes of the attributes of a spec. Other attributes keep their values.
struct DeclaredStream {
    std::uint64_t rounds = 0;
    std::uint64_t people = 0;
    std::map<std::string, StreamParameters> changing = {};  ///< by name of an attribute or a vector

    /// Reads the object "stream". For one attribute it has the keys of StreamParameters; for several,
    /// "rounds", "people" and "attributes", an object of such keys for each attribute that changes. Throws
    /// Error (invalid_spec).
    [[nodiscard]] static DeclaredStream from_json(const nlohmann::json& found,
                                                  const std::vector<Attribute>& attributes);
};

/// The needs of memoized responses under a rounding and, if declared, for the values of a stream.
class StreamNeeds final : public ResponseNeeds {
  public:
    StreamNeeds(std::vector<Attribute> attributes, const Evolving& evolving, std::optional<Budget> budget,
                std::optional<DeclaredStream> stream)
        : attributes_(std::move(attributes)),
          evolving_(evolving),
          budget_(std::move(budget)),
          stream_(std::move(stream)) {}

    [[nodiscard]] std::uint64_t most(std::size_t first, const Mechanism& mechanism) const override;
    /// The prediction is deterministic. For one attribute it has the people and the randomness of
    /// predict_protocol(), and therefore the same result.
    [[nodiscard]] std::optional<double> exceeding(std::size_t first, const Mechanism& mechanism,
                                                  std::uint64_t responses) const override;
    [[nodiscard]] std::uint64_t beside_signal(const Mechanism& mechanism,
                                              std::uint64_t responses) const override;

  private:
    [[nodiscard]] bool changes(std::size_t attribute) const;
    [[nodiscard]] std::vector<std::uint64_t> counts(std::size_t first, const Mechanism& mechanism) const;

    std::vector<Attribute> attributes_;
    Evolving evolving_;
    std::optional<Budget> budget_;
    std::optional<DeclaredStream> stream_;
    /// Numbers of responses without public randomness, by attribute and size of the domain.
    mutable std::map<std::vector<std::uint64_t>, std::vector<std::uint64_t>> known_;
};

/// Returns a statement about the end of people's budgets: how many different responses a person may give and
/// what happens then, the predicted share of people in the stream that `text` declares, and alternatives.
/// `text` is the spec as it was given. Empty if the spec has no budget, or if no budget can end.
[[nodiscard]] std::string statement_of_budget(const Spec& spec, std::string_view text);

/// Returns whether the text of a spec has the key "derived", as canonical texts have.
[[nodiscard]] bool has_derived(std::string_view text);

}  // namespace ldp
