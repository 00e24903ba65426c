#include "syn.hpp"

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/base/text.hpp"
#include "core/choice/resolve.hpp"
#include "simulation/life.hpp"
#include "simulation/seeded_random.hpp"

namespace evaluation::syn {

namespace {

using namespace ldp;

constexpr Protocol all[] = {
    {"l_grr", "l_grr", "", true},
    {"l_sue", "l_sue", "", true},
    {"l_osue", "l_osue", "", true},
    {"loloha, 2 buckets", "loloha", R"(, "hash_buckets": 2)", true},
    {"loloha, best", "loloha", "", true},
    {"rappor", "rappor", "", true},
    {"dbitflip, 1 bit", "dbitflip", R"(, "bits_per_report": 1)", false, true},
    {"dbitflip, 16 bits", "dbitflip", R"(, "bits_per_report": 16)", false, true},
    {"dbitflip, all bits", "dbitflip", R"(, "bits_per_report": 360)", false},
    {"grr, kept", "grr", "", false},
    {"oue, kept", "oue", "", false},
};

/// A round's counters, and who holds what.
struct Server {
    explicit Server(const Mechanism& mechanism) : state(mechanism.state_size()), holders(values) {}
    std::vector<std::byte> state;
    std::vector<double> holders;
};

/// Adds the squared error of a round's shares, averaged over the values (of dbitflip, buckets of one value
/// each).
void judge(const Mechanism& mechanism, const Server& server, Outcome& outcome) {
    const std::vector<Estimate> estimates =
        mechanism.estimate({people, server.state}, {Quantity::frequencies, Target::sample});
    // The variance of rappor depends on the value through its design, and n_variance() returns the
    // largest one. Therefore each estimate's own variance is used.
    const bool by_value = mechanism.header().mechanism == find_mechanism("rappor")->id;
    for (std::size_t v = 0; v < values; ++v) {
        const double truth = server.holders[v] / people;
        outcome.error += std::pow(estimates[v].value - truth, 2) / values;
        outcome.predicted +=
            (by_value ? std::pow(estimates[v].standard_error, 2) : mechanism.n_variance(truth) / people) /
            values;
    }
}

/// A key that a share s of the values maps to occurs for 1 − (1−s)(1−s/4)^119 of the people. They meet it
/// by the first value, or by a later value with probability 1/4 in each round.
double expected_keys(const Mechanism& mechanism, Bytes public_randomness) {
    std::map<std::vector<Cell>, double> shares;
    for (Cell value = 0; value < values; ++value)
        shares[mechanism.response_key({&value, 1}, public_randomness)] += 1.0 / values;
    double sum = 0;
    for (const auto& [key, share] : shares) sum += 1 - (1 - share) * std::pow(1 - share / 4, rounds - 1.0);
    return sum;
}

}  // namespace

std::span<const Protocol> protocols() {
    return all;
}

std::unique_ptr<const Mechanism> mechanism_of(const Protocol& protocol, double epsilon) {
    const std::string first =
        protocol.two_layers ? ", \"report_epsilon\": " + shortest(epsilon / 2) : std::string();
    return make_mechanism(resolve(std::string("{\"mechanism\": \"") + protocol.mechanism +
                                  "\", \"epsilon\": " + shortest(epsilon) + first + protocol.options +
                                  ", \"domain\": " + std::to_string(values) + "}"));
}

Outcome run(const Mechanism& mechanism, std::uint64_t seed, std::size_t every) {
    constexpr std::size_t averaged = 100;  // that the closed form is averaged over
    simulation::SeededBits bits(seed);
    std::vector<Server> servers(rounds / every, Server(mechanism));
    std::vector<std::byte> public_randomness(mechanism.public_size()), payload(mechanism.payload_size());
    Outcome outcome;
    for (std::size_t person = 0; person < people; ++person) {
        mechanism.draw_public(bits, public_randomness);
        if (person < averaged)
            outcome.expected_answers += expected_keys(mechanism, public_randomness) / averaged;
        simulation::ValueProcess life(simulation::Stream::syn, bits);
        std::map<std::vector<Cell>, std::vector<std::byte>> permanents;
        std::vector<std::byte>* permanent = nullptr;
        Cell last = values;
        for (std::size_t round = 0; round < rounds; ++round) {
            const Cell value[] = {static_cast<Cell>(life.next(bits))};
            if (value[0] != last) permanent = &permanents[mechanism.response_key(value, public_randomness)];
            last = value[0];
            if (round % every != 0) continue;
            if (permanent->empty()) {
                permanent->resize(mechanism.permanent_size());
                mechanism.permanent_response(value, public_randomness, bits, *permanent);
            }
            Server& server = servers[round / every];
            mechanism.instantaneous_response(public_randomness, *permanent, bits, payload);
            if (!mechanism.accumulate(server.state, payload)) throw std::logic_error("a report was refused");
            ++server.holders[value[0]];
        }
        ++outcome.spending[permanents.size()];
    }
    for (const Server& server : servers) judge(mechanism, server, outcome);
    outcome.error /= static_cast<double>(servers.size());
    outcome.predicted /= static_cast<double>(servers.size());
    return outcome;
}

}  // namespace evaluation::syn
