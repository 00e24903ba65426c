// Every failure of the library is an Error: what happened, what was found, and what to do about it.
#pragma once

#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ldp {

/// What kind of failure it is: what a program may decide by.
enum class ErrorCode {
    invalid_spec,   ///< a spec that cannot be honoured
    invalid_value,  ///< a person's value outside what the spec declares, or an argument out of range
    malformed,      ///< bytes or text that are no report, summary, spec or table
    incompatible,   ///< reports or summaries made under different specs
    unsupported,    ///< a question the mechanism cannot answer
    full,           ///< a summary that cannot count further
    spent,          ///< a person's budget, which leaves no further answer
    environment,    ///< a file, the operating system or the server failed
};

/// What to do about a failure, where the words depend on the host: SQL, the command, or a program.
enum class Remedy {
    // Estimates that the reports give.
    ask_frequencies,
    ask_means,
    ask_coefficients,
    ask_distribution,
    // Sentences.
    ask_series,            ///< the reports have frequencies in each round of a series
    take_attribute,        ///< a record's summary has summaries of single attributes
    ask_views,             ///< no view has all these attributes
    count_rounds,          ///< reports were counted without their rounds
    ask_one_round,         ///< reports of several rounds were counted together
    ask_attribute_shares,  ///< shares of one attribute of a joint report
    ask_attribute_means,   ///< means of all attributes
    learn_ranges,          ///< the reports give ranges
};

/// The words of a host for every Remedy, in their order: of the estimates a phrase, of the others a sentence.
using RemedyWords = std::array<const char*, static_cast<std::size_t>(Remedy::learn_ranges) + 1>;

/// The words for programs that use the library.
inline constexpr RemedyWords program_words{
    "frequencies",
    "means",
    "Haar coefficients",
    "the distribution",
    "They have frequencies in each round of a series.",
    "The part of the summary with one attribute can be asked by itself.",
    "Ask about fewer attributes at a time, or declare a view of these in the next spec.",
    "Count each report with its round.",
    "Ask about a summary of one round.",
    "Ask for shares of one attribute, or of several together.",
    "Ask for means.",
    "Ask for the learnt ranges.",
};

/// A hint that names these remedies in a host's words.
[[nodiscard]] inline std::string worded(const std::vector<Remedy>& remedies, const RemedyWords& words) {
    std::string estimates, sentences;
    for (const Remedy remedy : remedies) {
        const char* text = words[static_cast<std::size_t>(remedy)];
        if (remedy <= Remedy::ask_distribution)
            estimates += (estimates.empty() ? "They tell " : ", and ") + std::string(text);
        else
            sentences += (sentences.empty() ? "" : " ") + std::string(text);
    }
    if (estimates.empty()) return sentences;
    return estimates + (sentences.empty() ? "." : ". ") + sentences;
}

/// What the library throws: a message, what() tells, and beside it what was found and what to do.
class Error : public std::runtime_error {
  public:
    /// Sentences in English; the last two may be left out. The library itself calls raise().
    Error(ErrorCode code, const std::string& message, std::string detail = {}, std::string hint = {})
        : std::runtime_error(message), code_(code), detail_(std::move(detail)), hint_(std::move(hint)) {}
    /// The same with a hint that each host words in its own terms.
    Error(ErrorCode code, const std::string& message, std::string detail, std::vector<Remedy> remedies)
        : Error(code, message, std::move(detail), worded(remedies, program_words)) {
        remedies_ = std::move(remedies);
    }

    /// What kind of failure it is.
    [[nodiscard]] ErrorCode code() const noexcept { return code_; }
    /// What was found and what is allowed; may be empty.
    [[nodiscard]] const std::string& detail() const noexcept { return detail_; }
    /// What to do, in words for programs; may be empty.
    [[nodiscard]] const std::string& hint() const noexcept { return hint_; }
    /// The same in a host's words.
    [[nodiscard]] std::string hint(const RemedyWords& words) const {
        return remedies_.empty() ? hint_ : worded(remedies_, words);
    }
    /// What to do where the words depend on the host; else empty.
    [[nodiscard]] const std::vector<Remedy>& remedies() const noexcept { return remedies_; }

  private:
    ErrorCode code_;
    std::string detail_;
    std::string hint_;
    std::vector<Remedy> remedies_;
};

/// Throws an Error. The library raises its errors here and nowhere else, so that a device without exceptions
/// can be given another way out of this one function.
[[noreturn]] void raise(ErrorCode code, const std::string& message, const std::string& detail = {},
                        const std::string& hint = {});
/// Throws an Error whose hint the host words from remedies.
[[noreturn]] void raise(ErrorCode code, const std::string& message, const std::string& detail,
                        std::vector<Remedy> remedies);

}  // namespace ldp
