// Stands in for src/core/base/system_random.cpp in test-timing, so that all values of a record meet equal random
// words. The instructions of a word depend on nothing. The words are those of SplitMix64 (Steele, Lea, Flood 2014).
#include "words.hpp"

#include "core/base/random.hpp"

namespace ldp {

namespace test {

ScriptedWords& scripted_words() noexcept {
    static constinit ScriptedWords words;
    return words;
}

}  // namespace test

struct SystemRandom::Page {};

SystemRandom::SystemRandom() : page_(nullptr) {}
SystemRandom::~SystemRandom() = default;
void SystemRandom::discard() noexcept {}
std::uint64_t SystemRandom::word() {
    test::ScriptedWords& words = test::scripted_words();
    ++words.drawn;
    std::uint64_t word = words.state += 0x9e3779b97f4a7c15;
    word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9;
    word = (word ^ word >> 27) * 0x94d049bb133111eb;
    return word ^ word >> 31;
}

}  // namespace ldp
