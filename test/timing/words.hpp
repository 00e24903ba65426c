// Scripted random words, which stand in for the generator of the system, and are counted.
#pragma once

#include <cstdint>

namespace ldp::test {

/// The sequence of words that every SystemRandom of this program returns.
struct ScriptedWords {
    std::uint64_t state = 0;  ///< position in the sequence
    std::uint64_t drawn = 0;  ///< number of words since restart()

    /// Starts the sequence with this number again.
    void restart(std::uint64_t sequence) noexcept { *this = {sequence << 32, 0}; }
};

[[nodiscard]] ScriptedWords& scripted_words() noexcept;

}  // namespace ldp::test
