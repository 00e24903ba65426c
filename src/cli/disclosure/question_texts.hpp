// The texts of the disclosure documents about each question: its possible answers, and the data that a device
// sends about it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/spec.hpp"
#include "core/mechanism/role/mechanism.hpp"

namespace ldp::cli {

/// Escapes text of a spec for Markdown.
[[nodiscard]] std::string markdown(std::string_view text);

/// A question to a person: an attribute, or a vector of attributes.
struct Question {
    std::size_t first;  ///< its first attribute
    std::size_t count;  ///< the number of its attributes
    std::string name;   ///< its title or name
    std::string text;   ///< as people are asked; may be empty
    std::string kind;   ///< the possible answers, as sentences
};
/// Returns the questions of a spec in order, without attributes that the device computes.
[[nodiscard]] std::vector<Question> questions_of(const Spec& spec);

/// What a device sends.
struct SentAnswer {
    std::string name;    ///< of the question; empty for all questions together
    std::string leaves;  ///< the content, which completes "your device sends"
    /// The probability that it is the person's own answer, if it is one answer and this is known.
    std::optional<double> own;
};
/// Returns what a device sends about each question of a record, or about all questions together.
[[nodiscard]] std::vector<SentAnswer> sent_answers(const Spec& spec, const Mechanism& mechanism);

/// Returns the number of questions in a report, if they are drawn at random from all questions.
[[nodiscard]] std::optional<std::uint64_t> drawn_questions(const Mechanism& mechanism);

/// Returns a bound of a probability in words, rounded upwards: "89 times in 100", "9,997 times in 10,000".
[[nodiscard]] std::string times_in(double bound);

}  // namespace ldp::cli
