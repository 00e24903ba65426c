// The spec: one JSON document per collection, the contract between server, client and command.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ldp {

struct MechanismEntry;
struct Option;

/// One column of a person's record: numeric, on a declared range, or categorical, over a declared domain.
struct Attribute {
    std::string name;
    double min = 0, max = 0;          ///< numeric: the declared range
    std::uint64_t domain = 0;         ///< categorical: the number of values; 0 if numeric
    std::vector<std::string> labels;  ///< categorical: their names, if they have any
    std::string other;         ///< the label that stands for all that are not in the domain, if one does
    std::uint64_t prefix = 0;  ///< if not 0, people hold strings, and labels are their beginnings
    std::string mechanism;     ///< of a record: what it is reported through; empty otherwise
    std::uint64_t share = 0;   ///< of a record: how likely it is drawn, beside others; 0 otherwise
    bool evolving = false;     ///< numeric: whether it is rounded as coarsely as it moves; see evolving.hpp

    [[nodiscard]] bool numeric() const noexcept { return domain == 0; }
    /// What a person's text is looked up as among the labels: the text; with `prefix`, the first `prefix`
    /// characters of the text and a terminator, so that "ab" stands for every longer string that begins so,
    /// and "a\u0003" for "a" itself. With `prefix`, nothing if the text is no valid UTF-8, has more than
    /// max_string bytes, or has a terminator of its own.
    [[nodiscard]] std::optional<std::string> label_of(std::string_view text) const;
    static constexpr char terminator = '\x03';
    static constexpr std::size_t max_string = 64;

    friend bool operator==(const Attribute&, const Attribute&) = default;
};

/// A range within [−1,1], in steps of 1/127, which is what a parameter block has room for.
struct UnitRange {
    static constexpr double steps = 127;
    std::int8_t lo = -127, hi = 127;

    [[nodiscard]] double low() const noexcept { return lo / steps; }
    [[nodiscard]] double high() const noexcept { return hi / steps; }
    [[nodiscard]] double middle() const noexcept { return (lo + hi) / (2 * steps); }
    [[nodiscard]] double half() const noexcept { return (hi - lo) / (2 * steps); }
    friend bool operator==(const UnitRange&, const UnitRange&) = default;
};

/// What "auto" must keep to. In a record it settles each attribute's mechanism, as if that reported alone.
struct Limits {
    std::uint64_t report_bytes = 64;  ///< of a whole report, parameter block included
    std::uint64_t decode_cost =
        1000;  ///< Cost::per_report + Cost::per_answer / 10^6: steps a report, at a million
    friend bool operator==(const Limits&, const Limits&) = default;
};

/// How values that change are rounded; see evolving.hpp. A spec that has it is for people who report again
/// and again, each through a client that remembers.
struct Evolving {
    std::uint64_t window = 30;  ///< reports after which the step is chosen anew
    double volatility = 0.01;   ///< score above which the step follows the movement
    double flip_probability =
        0.1;  ///< that a usual move changes the rounded value: what the step is chosen for
    std::uint64_t base_levels = 100;  ///< steps that make up the range at least movement
    friend bool operator==(const Evolving&, const Evolving&) = default;
};

/// What a person may spend over all time, and what happens then.
struct Budget {
    enum class Spent {
        repeat,  ///< a value without an answer of its own is given the nearest one's
        refuse,  ///< it is refused
    };
    double epsilon;
    Spent when_spent = Spent::repeat;

    /// How many answers at ε each it pays for, as decimals have it: 0.3 pays for three at 0.1, although the
    /// sum of their nearest doubles is larger by one part in 10^16.
    [[nodiscard]] std::uint64_t answers(double each) const noexcept;
    friend bool operator==(const Budget&, const Budget&) = default;
};

/// What a spec asks for, whichever mechanism answers.
struct Demand {
    double epsilon;
    std::vector<Attribute> attributes;
    Limits limits;

    /// Reads them from a spec that may name a mechanism or not. The limits are those it gives, else those
    /// that an earlier choice in it kept to. Throws Error as Spec::from_json does.
    [[nodiscard]] static Demand from_json(std::string_view text);
};

/// Options of a mechanism by name: a whole number, a word, a range for each attribute, or a real number.
using OptionValue = std::variant<std::uint64_t, std::string, std::vector<UnitRange>, double>;
using OptionValues = std::map<std::string, OptionValue>;

/// What is still open to a mechanism's settle(): a spec before it is one.
struct Draft {
    double epsilon;
    const Limits& limits;
    std::vector<Attribute>& attributes;
    OptionValues& options;
};

/// How "auto" was settled.
struct Choice {
    Limits limits;
    std::string reason;  ///< one sentence
};

/// A validated spec with every default filled in. Immutable.
class Spec {
  public:
    /// Parses and validates. Throws Error (malformed for text that is no JSON, else invalid_spec) that names
    /// the key, what was found and what is allowed. Unknown and repeated keys are errors.
    [[nodiscard]] static Spec from_json(std::string_view text);
    /// The spec of a mechanism for what was read as a Demand, with its options' defaults where none are
    /// given. The mechanism settles the rest, "auto" within the limits. Throws Error (invalid_spec) if it
    /// does not take the attributes.
    [[nodiscard]] static Spec with_defaults(const MechanismEntry& mechanism, double epsilon,
                                            std::vector<Attribute> attributes, OptionValues given = {},
                                            const Limits& limits = {});

    /// The canonical form: equal for equal specs, complete, and read back to an equal spec. The object
    /// "derived" shows what follows from the rest; a reader recomputes it and refuses another. The object
    /// "chosen" tells of a choice that "auto" made; a reader takes it as it stands, since later versions
    /// might choose otherwise.
    [[nodiscard]] std::string to_json() const;

    /// Identifies the canonical form, without "derived" and "chosen", in every report.
    [[nodiscard]] std::uint64_t fingerprint() const;

    [[nodiscard]] const MechanismEntry& mechanism() const noexcept { return *mechanism_; }
    [[nodiscard]] double epsilon() const noexcept { return epsilon_; }
    [[nodiscard]] const std::vector<Attribute>& attributes() const noexcept { return attributes_; }
    /// How the mechanism was chosen, if "auto" did it.
    [[nodiscard]] const std::optional<Choice>& chosen() const noexcept { return chosen_; }
    /// How values that change are rounded; nothing if each report is a fresh draw. With it goes a budget.
    [[nodiscard]] const std::optional<Evolving>& evolving() const noexcept { return evolving_; }
    [[nodiscard]] const std::optional<Budget>& budget() const noexcept { return budget_; }
    /// An option of the mechanism, given or by default.
    [[nodiscard]] std::uint64_t number(const std::string& option) const;
    [[nodiscard]] const std::string& word(const std::string& option) const;
    [[nodiscard]] double real(const std::string& option) const;
    /// One for each attribute, widened to whole steps.
    [[nodiscard]] const std::vector<UnitRange>& ranges(const std::string& option) const;

  private:
    [[nodiscard]] static OptionValue fallback(const Option& option, std::size_t attributes);

    const MechanismEntry* mechanism_ = nullptr;
    double epsilon_ = 0;
    std::vector<Attribute> attributes_;
    OptionValues options_;
    std::optional<Choice> chosen_;
    std::optional<Evolving> evolving_;
    std::optional<Budget> budget_;

    friend class SpecReader;
    friend class SpecWriter;
};

/// The fingerprint as people see it: 16 hexadecimal digits.
[[nodiscard]] std::string fingerprint_text(std::uint64_t fingerprint);

}  // namespace ldp
