// Every failure of the library is an Error: what happened, what was found, and what to do about it.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

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

/// What the library throws: a message, what() tells, and beside it what was found and what to do.
class Error : public std::runtime_error {
  public:
    /// Sentences in English; the last two may be left out. The library itself calls raise().
    Error(ErrorCode code, const std::string& message, std::string detail = {}, std::string hint = {})
        : std::runtime_error(message), code_(code), detail_(std::move(detail)), hint_(std::move(hint)) {}

    /// What kind of failure it is.
    [[nodiscard]] ErrorCode code() const noexcept { return code_; }
    /// What was found and what is allowed; may be empty.
    [[nodiscard]] const std::string& detail() const noexcept { return detail_; }
    /// What to do; may be empty.
    [[nodiscard]] const std::string& hint() const noexcept { return hint_; }

  private:
    ErrorCode code_;
    std::string detail_;
    std::string hint_;
};

/// Throws an Error. The library raises its errors here and nowhere else, so that a device without exceptions
/// can be given another way out of this one function.
[[noreturn]] void raise(ErrorCode code, const std::string& message, const std::string& detail = {},
                        const std::string& hint = {});

}  // namespace ldp
