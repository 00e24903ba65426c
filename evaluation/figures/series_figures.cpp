// Values that change a few times: people who keep their answers beside those whose whole series, with the
// moments of change, has one ε.

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>

#include "../shared/parallel.hpp"
#include "core/base/text.hpp"
#include "core/channel/epsilon_odds.hpp"
#include "core/choice/resolve.hpp"
#include "core/mechanism/longitudinal/series.hpp"
#include "panels.hpp"
#include "simulation/seeded_random.hpp"

namespace evaluation {

namespace {

constexpr std::size_t people = 16384, values = 4, most_changes = 2;
/// Number of rounds evaluated in a repetition, one drawn from each segment of the rounds.
constexpr std::size_t looks = 8;

/// What somebody does about rounds.
enum class Way {
    series,  ///< ddrm
    once,    ///< responds in one round with the whole ε; the round follows from the person's identity
    anew,    ///< answers in each, and divides ε by their number
    kept,    ///< answers in each, and keeps an answer for each value
};

struct Protocol {
    const char *name, *mechanism;
    Way way;
    bool two_layers = false;  ///< with ε₁ = ε∞/2
};

constexpr Protocol protocols[] = {
    {"ddrm", "ddrm", Way::series},
    {"grr, in one round only", "grr", Way::once},
    {"grr, anew in each round", "grr", Way::anew},
    {"l_grr", "l_grr", Way::kept, true},
    {"loloha, best", "loloha", Way::kept, true},
    {"oue, kept", "oue", Way::kept},
};

/// One place on the x axis.
struct SeriesPoint {
    double x;
    std::uint32_t rounds;
    double of_series, of_kept;  ///< ε of all rounds, and of a memoized response

    [[nodiscard]] double epsilon(Way way) const {
        return way == Way::kept ? of_kept : way == Way::anew ? of_series / rounds : of_series;
    }
};

std::unique_ptr<const ldp::Mechanism> mechanism_of(const Protocol& protocol, const SeriesPoint& place) {
    const double epsilon = place.epsilon(protocol.way);
    std::string options;
    if (protocol.two_layers) options = ", \"report_epsilon\": " + ldp::shortest(epsilon / 2);
    if (protocol.way == Way::series)
        options = ", \"rounds\": " + std::to_string(place.rounds) +
                  ", \"changes\": " + std::to_string(most_changes);
    return make_mechanism(ldp::resolve("{\"mechanism\": \"" + std::string(protocol.mechanism) +
                                       "\", \"epsilon\": " + ldp::shortest(epsilon) +
                                       ", \"domain\": " + std::to_string(values) + options + "}"));
}

/// A person's values. They begin with the first of all more often than not, and change never, once or twice,
/// with equal odds, at any time and to any other value.
struct ValueHistory {
    std::array<ldp::Cell, most_changes + 1> held;
    std::array<std::uint32_t, most_changes> until;  ///< the last rounds of the first ones

    ValueHistory(ldp::Cell first, ldp::Cell step, ldp::Cell next) : until{} {
        held = {first < values ? first : 0, 0, 0};
        held[1] = (held[0] + step) % values;
        held[2] = (held[1] + next) % values;
    }
    [[nodiscard]] ldp::Cell in(std::uint32_t round) const {
        return held[static_cast<std::size_t>(
            std::ranges::count_if(until, [=](std::uint32_t last) { return last < round; }))];
    }
};

ValueHistory draw(std::uint32_t rounds, ldp::BitSource& bits) {
    const auto step = [&] { return static_cast<ldp::Cell>(1 + bits.below(values - 1)); };
    const std::uint64_t changes = bits.below(most_changes + 1);
    const ldp::Cell first = bits.below(2 * values);
    ValueHistory course(first, changes > 0 ? step() : 0, changes > 1 ? step() : 0);
    // Two different ones.
    const std::uint64_t one = bits.below(rounds - 1), drawn = bits.below(rounds - 2);
    const std::uint64_t other = drawn + (drawn >= one ? 1 : 0);
    course.until = {static_cast<std::uint32_t>(1 + std::min(one, other)),
                    static_cast<std::uint32_t>(1 + std::max(one, other))};
    return course;
}

std::size_t keys(const ValueHistory& course, const ldp::Mechanism& mechanism, ldp::Bytes public_randomness) {
    std::set<std::vector<ldp::Cell>> all;
    for (const ldp::Cell value : course.held)
        all.insert(mechanism.response_key({&value, 1}, public_randomness));
    return all.size();
}

/// The mean over all courses.
double expected_keys(const ldp::Mechanism& mechanism, ldp::Bytes public_randomness) {
    double sum = 0;
    for (ldp::Cell first = 0; first < 2 * values; ++first)
        for (ldp::Cell step = 0; step < values; ++step)
            for (ldp::Cell next = 0; next < (step == 0 ? 1 : values); ++next) {
                const double ways = (step == 0 ? 1 : values - 1) * (next == 0 ? 1 : values - 1);
                sum += static_cast<double>(keys({first, step, next}, mechanism, public_randomness)) / ways;
            }
    return sum / (2 * values) / (most_changes + 1);
}

/// What one repetition gave.
struct SeriesErrors {
    double error = 0, predicted = 0;   ///< n times the square, averaged over values and rounds
    double answers = 0, expected = 0;  ///< that a person has paid for, on average
    std::size_t most_answers = 0;
};

struct Server {
    Server(std::uint32_t at, const ldp::Mechanism& mechanism) : round(at), state(mechanism.state_size()) {}
    void count(const ldp::Mechanism& mechanism, ldp::Bytes payload) {
        if (!mechanism.accumulate(state, payload)) throw std::logic_error("a report was refused");
        ++reports;
    }
    std::uint32_t round;
    std::vector<std::byte> state;
    std::uint64_t reports = 0;
    std::array<double, values> holders{};
};

/// Adds the squared errors of a round.
void judge(const ldp::Mechanism& mechanism, const Server& server, const Server& counted,
           SeriesErrors& outcome) {
    const bool series = ldp::find_capability<ldp::SeriesRandomizer>(mechanism) != nullptr;
    const auto found = mechanism.estimate(
        {counted.reports, counted.state},
        {ldp::Quantity::frequencies, ldp::Target::sample, series ? server.round - 1 : std::size_t{0}});
    const auto n = static_cast<double>(people), asked = static_cast<double>(counted.reports);
    for (std::size_t v = 0; v < values; ++v) {
        const double share = server.holders[v] / n;
        // A series has no one variance: it differs from round to round. Of the others, those who are asked
        // are a sample of all.
        const double variance =
            series ? std::pow(found[v].standard_error, 2)
                   : (mechanism.n_variance(share) + share * (1 - share) * (1 - asked / n)) / asked;
        outcome.error += n * std::pow(found[v].value - share, 2) / values / looks;
        outcome.predicted += n * variance / values / looks;
    }
}

SeriesErrors run(const Protocol& protocol, const ldp::Mechanism& mechanism, std::uint32_t rounds,
                 std::uint64_t seed) {
    constexpr std::size_t averaged = 100;  // that the closed form is averaged over
    ldp::simulation::SeededBits bits(seed);
    std::vector<Server> servers;
    for (std::uint32_t i = 0; i < looks; ++i) {
        const std::uint32_t segment = rounds / looks;
        servers.emplace_back(1 + i * segment + static_cast<std::uint32_t>(bits.below(segment)), mechanism);
    }
    const ldp::SeriesRandomizer* const series = ldp::find_capability<ldp::SeriesRandomizer>(mechanism);
    std::vector<std::byte> public_randomness(mechanism.public_size()), payload(mechanism.payload_size());
    SeriesErrors outcome;
    for (std::size_t person = 0; person < people; ++person) {
        mechanism.draw_public(bits, public_randomness);
        const ValueHistory course = draw(rounds, bits);
        for (Server& server : servers) ++server.holders[course.in(server.round)];
        if (protocol.way == Way::kept) {
            const std::size_t needed = keys(course, mechanism, public_randomness);
            outcome.answers += static_cast<double>(needed) / people;
            outcome.most_answers = std::max(outcome.most_answers, needed);
            if (person < averaged) outcome.expected += expected_keys(mechanism, public_randomness) / averaged;
        }
        if (series != nullptr) {
            ldp::SeriesState series_state;
            for (std::uint32_t round = 1; round <= rounds; ++round)
                if (series->advance(series_state, course.in(round), public_randomness, bits, payload))
                    servers[0].count(mechanism, payload);
            continue;
        }
        std::map<std::vector<ldp::Cell>, std::vector<std::byte>> permanents;
        for (Server& server : servers) {
            if (protocol.way == Way::once && person % rounds != server.round - 1) continue;
            if (protocol.way == Way::anew) permanents.clear();
            const ldp::Cell value[] = {course.in(server.round)};
            std::vector<std::byte>& permanent = permanents[mechanism.response_key(value, public_randomness)];
            if (permanent.empty()) {
                permanent.resize(mechanism.permanent_size());
                mechanism.permanent_response(value, public_randomness, bits, permanent);
            }
            mechanism.instantaneous_response(public_randomness, permanent, bits, payload);
            server.count(mechanism, payload);
        }
    }
    if (protocol.way != Way::kept) outcome.answers = outcome.expected = 1, outcome.most_answers = 1;
    for (const Server& server : servers)
        judge(mechanism, server, series != nullptr ? servers[0] : server, outcome);
    return outcome;
}

enum class Spent { is_reported, is_not };

/// All quantities at each position: the errors, and the privacy cost of publishing them.
void compare(std::vector<Panel>& panels, const std::string& title, const std::string& x,
             const std::vector<SeriesPoint>& places, std::size_t repetitions, Spent spent) {
    struct Cell {
        const Protocol* protocol;
        const SeriesPoint* place;
        std::unique_ptr<const ldp::Mechanism> mechanism;
        std::vector<SeriesErrors> outcomes;
    };
    std::vector<Cell> cells;
    for (const Protocol& protocol : protocols)
        for (const SeriesPoint& place : places)
            if (place.epsilon(protocol.way) >= ldp::min_epsilon)
                cells.push_back({&protocol, &place, mechanism_of(protocol, place),
                                 std::vector<SeriesErrors>(repetitions)});
    Progress progress(title, cells.size() * repetitions);
    in_parallel(cells.size() * repetitions, [&](std::size_t job) {
        Cell& cell = cells[job % cells.size()];
        cell.outcomes[job / cells.size()] =
            run(*cell.protocol, *cell.mechanism, cell.place->rounds, 40000000 + job);
        progress.step();
    });

    Panel error{title + ": shares", x, "n times the squared error of a share", {}, {}};
    Panel mean{title + ": spent, on average", x, "epsilon", {}, {}};
    Panel worst{title + ": spent by the worst off", x, "epsilon", {}, {}};
    for (Panel* panel : {&error, &mean, &worst}) {
        for (const SeriesPoint& place : places) panel->marks.push_back(place.x);
        for (const Protocol& protocol : protocols) panel->curves.push_back({protocol.name, {}});
    }
    for (const Cell& cell : cells) {
        // A person's answers about nodes have something in common, which the closed form leaves out.
        const double left_out = cell.protocol->way == Way::series ? 0.1 : 0.02;
        const double epsilon = cell.protocol->way == Way::kept ? cell.place->of_kept : cell.place->of_series;
        Point errors{cell.place->x, {}, {}, left_out}, means{cell.place->x, {}, {}, 0.001};
        Point most{cell.place->x, {}, {}};
        for (const SeriesErrors& outcome : cell.outcomes) {
            errors.found.push_back(outcome.error);
            errors.expected.push_back(outcome.predicted);
            means.found.push_back(epsilon * outcome.answers);
            means.expected.push_back(epsilon * outcome.expected);
            most.found.push_back(epsilon * static_cast<double>(outcome.most_answers));
        }
        const auto curve = static_cast<std::size_t>(cell.protocol - protocols);
        error.curves[curve].points.push_back(std::move(errors));
        mean.curves[curve].points.push_back(std::move(means));
        worst.curves[curve].points.push_back(std::move(most));
    }
    panels.push_back(std::move(error));
    if (spent == Spent::is_not) return;
    panels.push_back(std::move(mean));
    panels.push_back(std::move(worst));
}

}  // namespace

Figure series_figure(const Setup& setup) {
    Figure figure{"series", {}};
    std::vector<SeriesPoint> places;
    for (const double epsilon : epsilons) places.push_back({epsilon, 128, epsilon, epsilon});
    compare(figure.panels, "few changes, 128 rounds", "epsilon of a memoized response, or of the series",
            places, 3 * setup.repetitions, Spent::is_reported);

    // As much for everybody: most_changes + 1 answers of 1 may have to be kept.
    constexpr double total = most_changes + 1;
    places.clear();
    for (const std::uint32_t rounds : {16, 64, 256, 1024, 4096})
        places.push_back({static_cast<double>(rounds), rounds, total, 1});
    compare(figure.panels, "few changes, epsilon 3 in all", "rounds", places, 3 * setup.repetitions,
            Spent::is_not);
    return figure;
}

}  // namespace evaluation
