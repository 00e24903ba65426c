// What an aggregate was asked beside its reports: the share of a quantile, the limits of a range. It travels
// in the aggregate's state, for a final function that runs elsewhere than the transitions sees no other
// argument.
//
// The state, of type ldp_question: 4 bytes that tell how long the rest of the head is, a byte for the kind,
// the arguments (numbers of 8 bytes each, or text); then a summary. An ordinary state is the same without a
// head.
#pragma once

#include "arguments.hpp"

namespace ldp {

enum class AskedKind : std::uint8_t { numbers = 0, text = 1 };

/// What stands before the summary. Throws Error (malformed).
[[nodiscard]] Bytes head_of(Bytes question);

/// What a final function finds in a question.
struct Asked {
    Subject subject;
    const double* numbers;
    std::size_t count;  ///< of numbers
    std::string_view text;

    [[nodiscard]] std::int32_t integer() const { return static_cast<std::int32_t>(numbers[0]); }
};
/// The first argument as a question of so many numbers, of an integer, of any number of numbers, or of text.
/// May jump; throws Error (malformed) where it is another.
[[nodiscard]] Asked asked_numbers(FunctionCallInfo fcinfo, std::size_t count);
[[nodiscard]] Asked asked_integer(FunctionCallInfo fcinfo);
[[nodiscard]] Asked asked_list(FunctionCallInfo fcinfo);
[[nodiscard]] Asked asked_text(FunctionCallInfo fcinfo);

}  // namespace ldp
