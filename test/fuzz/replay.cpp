// Runs the targets without libFuzzer: first the inputs of test/fuzz/corpus, then generated cases, which
// are determined by a seed.
//
//     test-fuzz [TARGET [CASES [SEED]]]       from the root of the sources
//
// Inputs of the corpus run with all queries, other cases with drawn ones. A case is a damaged input of the
// corpus, or random bytes. A failing input is written to a file for inspection; after the correction it
// belongs into the corpus.

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "core/mechanism/role/registry.hpp"
#include "forge.hpp"
#include "fuzz_target.hpp"
#include "simulation/seeded_random.hpp"

namespace {

using namespace ldp;
using namespace ldp::fuzz;
using Input = std::vector<std::byte>;

std::vector<Input> corpus_of(const std::string& target) {
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator("test/fuzz/corpus/" + target))
        paths.push_back(entry);
    std::ranges::sort(paths);
    std::vector<Input> inputs;
    for (const auto& path : paths) {
        std::ifstream in(path, std::ios::binary);
        const std::string text{std::istreambuf_iterator<char>(in), {}};
        const auto* from = reinterpret_cast<const std::byte*>(text.data());
        inputs.emplace_back(from, from + text.size());
    }
    return inputs;
}

Input random_input(const std::vector<Input>& corpus, BitSource& bits) {
    Input noise(bits.below(400));
    for (std::byte& each : noise) each = static_cast<std::byte>(bits.word());
    if (corpus.empty() || bits.below(4) == 0) return noise;
    Input input = corpus[bits.below(corpus.size())];
    Choices choices(noise);
    damage(input, choices);
    return input;
}

/// Runs one input; keeps it, and says so, if it fails.
bool passes(const Target& target, const Input& input, const std::string& name, std::uint64_t& taken) {
    try {
        taken += target.run(input) ? 1 : 0;
        return true;
    } catch (const std::exception& error) {
        const std::string file = "build/fuzz-" + std::string(target.name) + "-failure";
        std::ofstream(file, std::ios::binary)
            .write(reinterpret_cast<const char*>(input.data()), static_cast<std::streamsize>(input.size()));
        std::cout << target.name << ", " << name << ": " << error.what() << "; the input is " << file << '\n';
        return false;
    }
}

}  // namespace

int main(int count, char** arguments) {
    if (!std::filesystem::is_directory("test/fuzz/corpus")) {
        std::cerr << "test/fuzz/corpus is not here: run this from the root of the sources\n";
        return 1;
    }
    const std::string only = count > 1 ? arguments[1] : "";
    const std::uint64_t seed = count > 3 ? std::strtoull(arguments[3], nullptr, 10) : 1;
    int passed = 0, failed = 0;
    for (const MechanismEntry* mechanism : registry())
        if (!is_forged(mechanism->id)) {
            std::cout << "no blocks of " << mechanism->name << " are forged: forge.cpp knows nothing of it\n";
            ++failed;
        }
    for (const Target& target : targets) {
        if (!only.empty() && only != target.name) continue;
        const auto began = std::chrono::steady_clock::now();
        const std::vector<Input> corpus = corpus_of(target.name);
        std::uint64_t taken = 0;
        bool good = true;
        ask_everything = true;
        for (std::size_t i = 0; i < corpus.size(); ++i)
            good = passes(target, corpus[i], "corpus, input " + std::to_string(i), taken) && good;
        if (2 * taken < corpus.size() || taken == 0) {
            std::cout << target.name << ": of the corpus hardly anything is taken any more; renew it\n";
            good = false;
        }
        const std::uint64_t cases = count > 2 ? std::strtoull(arguments[2], nullptr, 10) : target.cases;
        ask_everything = false;
        simulation::SeededBits bits(seed);
        for (std::uint64_t i = 0; good && i < cases; ++i)
            good = passes(target, random_input(corpus, bits), "case " + std::to_string(i), taken);
        (good ? passed : failed) += 1;
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
        std::cout << target.name << ": " << corpus.size() << " inputs, " << cases << " cases, " << taken
                  << " taken, " << took.count() << " s\n";
    }
    std::cout << passed << " passed, " << failed << " failed\n";
    return failed == 0 && passed > 0 ? 0 : 1;
}
