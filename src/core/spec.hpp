// The spec: one JSON document per collection, the contract between server, client and command.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ldp {

struct MechanismEntry;

/// One column of a person's record: numeric, on a declared range, or categorical, over a declared domain.
struct Attribute {
    std::string name;
    double min = 0, max = 0;          ///< numeric: the declared range
    std::uint64_t domain = 0;         ///< categorical: the number of values; 0 if numeric
    std::vector<std::string> labels;  ///< categorical: their names, if they have any

    [[nodiscard]] bool numeric() const noexcept { return domain == 0; }
    friend bool operator==(const Attribute&, const Attribute&) = default;
};

/// A validated spec with every default filled in. Immutable.
class Spec {
  public:
    /// Parses and validates. Throws Error (malformed for text that is no JSON, else invalid_spec) that names
    /// the key, what was found and what is allowed. Unknown and repeated keys are errors.
    [[nodiscard]] static Spec from_json(std::string_view text);

    /// The canonical form: equal for equal specs, complete, and read back to an equal spec. The object
    /// "derived" shows what follows from the rest; a reader recomputes it and refuses another.
    [[nodiscard]] std::string to_json() const;

    /// Identifies the canonical form, without "derived", in every report.
    [[nodiscard]] std::uint64_t fingerprint() const;

    [[nodiscard]] const MechanismEntry& mechanism() const noexcept { return *mechanism_; }
    [[nodiscard]] double epsilon() const noexcept { return epsilon_; }
    [[nodiscard]] const std::vector<Attribute>& attributes() const noexcept { return attributes_; }
    /// An option of the mechanism, given or by default.
    [[nodiscard]] std::uint64_t number(const std::string& option) const;
    [[nodiscard]] const std::string& word(const std::string& option) const;

  private:
    using OptionValue = std::variant<std::uint64_t, std::string>;

    const MechanismEntry* mechanism_ = nullptr;
    double epsilon_ = 0;
    std::vector<Attribute> attributes_;
    std::map<std::string, OptionValue> options_;

    friend class SpecReader;
    friend class SpecWriter;
};

/// The fingerprint as people see it: 16 hexadecimal digits.
[[nodiscard]] std::string fingerprint_text(std::uint64_t fingerprint);

}  // namespace ldp
