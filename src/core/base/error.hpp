// Errors of the library. Each has a message, a detail and a hint.
#pragma once

#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ldp {

/// The kind of failure, for decisions of programs.
enum class ErrorCode {
    invalid_spec,   ///< an invalid spec
    invalid_value,  ///< a person's value outside the declared domain, or an argument out of range
    malformed,      ///< bytes or text that are not a report, summary, spec or table
    incompatible,   ///< reports or summaries made under different specs
    unsupported,    ///< a request that the mechanism does not support
    full,           ///< a summary that has reached the maximum count
    spent,          ///< an exhausted budget of a person
    environment,    ///< a file, the operating system or the server failed
    changed,        ///< a collection that has changed since its contract was accepted
};

/// Remedies whose wording depends on the host: SQL, the command, or a program.
enum class Remedy {
    // Estimates that the reports permit.
    ask_frequencies,
    ask_means,
    ask_coefficients,
    ask_distribution,
    ask_strings,
    // Sentences.
    ask_series,            ///< the reports have estimates of each round of a series
    take_attribute,        ///< a record's summary has summaries of single attributes
    ask_views,             ///< no marginal has all these attributes
    count_rounds,          ///< reports were counted without their rounds
    ask_one_round,         ///< reports of several rounds were counted together
    ask_attribute_shares,  ///< shares of one attribute of a joint report
    ask_attribute_means,   ///< means of all attributes
    learn_ranges,          ///< the reports give ranges
    collect_together,      ///< a record does not collect these attributes together
    take_periods,          ///< the reports of all periods do not fit into one summary
    resolve_spec,          ///< the spec leaves a choice open
};

/// The host's text for every Remedy, in their order: a phrase for estimates, a sentence for other remedies.
using RemedyWords = std::array<const char*, static_cast<std::size_t>(Remedy::resolve_spec) + 1>;

/// The texts for programs that use the library.
inline constexpr RemedyWords program_words{
    "frequencies",
    "means",
    "Haar coefficients",
    "the distribution",
    "shares of strings, and the frequent strings",
    "Each round of a series has its own estimates.",
    "Query the part of the summary for one attribute.",
    "Use fewer attributes, or declare a marginal of these attributes in the next spec.",
    "Count each report with its round.",
    "Use a summary of one round.",
    "Use shares of one attribute, or joint shares.",
    "Use means.",
    "Use the learned ranges.",
    "Add the attributes to \"joint_tables\" in the next spec.",
    "Keep a summary for each period, and average their estimates with the numbers of reports as weights.",
    "A device accepts specs without open choices only. The command `ldp spec resolve SPEC` and the SQL "
    "function ldp_spec_info(spec) return such a spec.",
};

/// Returns a hint that lists these remedies in a host's words.
[[nodiscard]] inline std::string worded(const std::vector<Remedy>& remedies, const RemedyWords& words) {
    std::string estimates, sentences;
    for (const Remedy remedy : remedies) {
        const char* text = words[static_cast<std::size_t>(remedy)];
        if (remedy <= Remedy::ask_strings)
            estimates += (estimates.empty() ? "They estimate " : ", and ") + std::string(text);
        else
            sentences += (sentences.empty() ? "" : " ") + std::string(text);
    }
    if (estimates.empty()) return sentences;
    return estimates + (sentences.empty() ? "." : ". ") + sentences;
}

/// An error of the library: a message (what()), a detail and a hint.
class Error : public std::runtime_error {
  public:
    /// The arguments are English sentences; the last two are optional. The library itself calls raise().
    Error(ErrorCode code, const std::string& message, std::string detail = {}, std::string hint = {})
        : std::runtime_error(message), code_(code), detail_(std::move(detail)), hint_(std::move(hint)) {}
    /// An error with a hint that each host words in its own terms.
    Error(ErrorCode code, const std::string& message, std::string detail, std::vector<Remedy> remedies)
        : Error(code, message, std::move(detail), worded(remedies, program_words)) {
        remedies_ = std::move(remedies);
    }

    /// Returns the kind of failure.
    [[nodiscard]] ErrorCode code() const noexcept { return code_; }
    /// Returns the facts: found and permitted values; may be empty.
    [[nodiscard]] const std::string& detail() const noexcept { return detail_; }
    /// Returns the hint in words for programs; may be empty.
    [[nodiscard]] const std::string& hint() const noexcept { return hint_; }
    /// Returns the hint in a host's words.
    [[nodiscard]] std::string hint(const RemedyWords& words) const {
        return remedies_.empty() ? hint_ : worded(remedies_, words);
    }
    /// Returns the remedies with host-specific wording, in their order; empty for a fixed hint.
    [[nodiscard]] const std::vector<Remedy>& remedies() const noexcept { return remedies_; }

  private:
    ErrorCode code_;
    std::string detail_;
    std::string hint_;
    std::vector<Remedy> remedies_;
};

/// Throws an Error. All errors of the library are raised by this function, so that it can be replaced on
/// platforms without exceptions.
[[noreturn]] void raise(ErrorCode code, const std::string& message, const std::string& detail = {},
                        const std::string& hint = {});
/// Throws an Error whose hint the host words from remedies.
[[noreturn]] void raise(ErrorCode code, const std::string& message, const std::string& detail,
                        std::vector<Remedy> remedies);

}  // namespace ldp
