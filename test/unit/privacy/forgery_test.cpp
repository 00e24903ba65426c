// What forged reports can do to estimates is what their bounds say: no payload gets further, some get as far,
// and the best attack does what was computed. And equal reports are as rare as they are said to be.
//
// Length: one table of mechanisms and the payloads that each can forge serves all cases.

#include "core/mechanism/role/forgery.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include "core/mechanism/longitudinal/series.hpp"
#include "core/mechanism/role/capability.hpp"
#include "repeated_draws.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(forgery)

namespace {

using Payload = std::vector<std::byte>;

struct ForgeryCase {
    std::string name, spec;
};

const std::string number = R"("min": -2, "max": 8, "grid": 4)", layers = R"(, "report_epsilon": 0.4)";
const std::string record = R"("attributes": [{"name": "a", "domain": 3, "mechanism": "grr"},
    {"name": "b", "domain": 4, "mechanism": "oue", "weight": 3},
    {"name": "c", "min": 0, "max": 5, "mechanism": "hybrid"}], "grid": 2)";

/// Mechanisms whose estimates are plain means over reports: over all of them, or over those about an
/// attribute.
const std::vector<ForgeryCase> means{
    {"grr", R"("domain": 2)"},
    {"grr", R"("domain": 7)"},
    {"oue", R"("domain": 4)"},
    {"sue", R"("domain": 9)"},
    {"subset", R"("domain": 5)"},
    {"subset", R"("domain": 9)"},
    {"blh", R"("domain": 5)"},
    {"olh", R"("domain": 5)"},
    {"hadamard", R"("domain": 5)"},
    {"projective", R"("domain": 5)"},
    {"rappor", R"("domain": 3, "filter_bits": 8, "hashes": 2, "cohorts": 3)"},
    {"rappor", R"("domain": 4, "filter_bits": 8, "hashes": 1, "cohorts": 2)" + layers},
    {"piecewise", number},
    {"pdp", number},
    {"laplace", number},
    {"duchi", number},
    {"onebit", R"("min": 0, "max": 5, "grid": 4)"},
    {"onebit", R"("min": 0, "max": 5, "grid": 4)" + layers},
    {"hybrid", number},
    {"optimal", number},
    {"optimal", number + layers},
    {"square_wave", number},
    {"sampled", record},
    {"sampled", R"("attributes": [{"name": "a", "domain": 3, "mechanism": "grr"},
        {"name": "b", "vector": 2, "min": 0, "max": 5, "mechanism": "duchi_vector"},
        {"name": "c", "min": 0, "max": 5, "mechanism": "square_wave", "grid": 3}], "grid": 2)"},
    {"sampled",
     R"("attributes": [{"name": "a", "domain": 3, "mechanism": "rappor", "filter_bits": 8, "hashes": 2,
         "cohorts": 3}, {"name": "b", "min": 0, "max": 5, "mechanism": "onebit"}], "grid": 2)" +
         layers},
    {"duchi_vector",
     R"("attributes": [{"name": "a", "min": 0, "max": 1}, {"name": "b", "min": 5, "max": 9}])"},
    {"gaussian", R"("attributes": [{"name": "a", "min": 0, "max": 1}, {"name": "b", "min": 5, "max": 9}],
        "delta": 1e-3, "grid": 4)"},
    {"haar", R"("attributes": [{"name": "a", "min": 0, "max": 1}, {"name": "b", "min": 5, "max": 9}],
        "details": "global", "grid": 4)"},
    {"l_grr", R"("domain": 4)" + layers},
    {"l_sue", R"("domain": 4)" + layers},
    {"l_osue", R"("domain": 4)" + layers},
    {"loloha", R"("domain": 6, "hash_buckets": 3)" + layers},
    {"dbitflip", R"("domain": 6, "buckets": 4, "bits_per_report": 2)"},
    {"exponential", R"("domain": 5)"},
    {"exponential", R"("domain": 6, "columns": 3, "max_distance": 2)"}};
/// Those whose estimates are sums of several.
const std::vector<ForgeryCase> sums{
    {"haar", unit_attributes(3) + R"(, "grid": 2)"},
    {"haar", unit_attributes(3) + R"(, "grid": 2)" + layers},
    {"haar_ordered", R"("domain": 5)"},
    {"haar_ordered", R"("min": 0, "max": 1, "grid": 7)"},
    {"tree", R"("domain": 5)"},
    {"tree", R"("min": 0, "max": 1, "grid": 7)"},
    {"dithered", R"("domain": 7, "buckets": 3)"},
    {"dithered", R"("domain": 7, "buckets": 4, "order": "circle")"},
    {"dithered", R"("min": 0, "max": 1, "grid": 7, "buckets": 3)" + layers},
    {"joint", R"("attributes": [{"name": "a", "domain": 2}, {"name": "b", "domain": 3},
                                 {"name": "c", "domain": 2}], "marginals": [["a", "b"], ["b", "c"]])"},
    {"joint", R"("attributes": [{"name": "a", "domain": 2}, {"name": "b", "domain": 3},
                                 {"name": "c", "domain": 2}], "marginals": [["a", "b"], ["b", "c"]])" +
                  layers},
    {"joint", R"("attributes": [{"name": "a", "domain": 2}, {"name": "b", "domain": 2}])" + layers},
    {"joint_haar", R"("attributes": [{"name": "a", "domain": 5}, {"name": "b", "domain": 3}])"},
    {"ddrm", R"("domain": 3, "rounds": 4, "changes": 1)"},
    {"sampled", R"("attributes": [{"name": "a", "min": 0, "max": 1, "mechanism": "tree", "grid": 3},
        {"name": "b", "vector": 2, "min": 0, "max": 1, "mechanism": "haar"}], "grid": 2)"},
    {"sampled", R"("attributes": [{"name": "a", "domain": 2}, {"name": "b", "domain": 2},
        {"name": "c", "domain": 3, "mechanism": "grr"}], "joint_tables": [["a", "b"]])"},
    {"threshold_series", R"("min": -1, "max": 3, "grid": 4, "thresholds": 2, "rounds": 4, "changes": 1)"}};

Payload payload_of(const Mechanism& m, const Report& report) {
    return {report.end() - static_cast<std::ptrdiff_t>(m.payload_size()), report.end()};
}

/// All valid payloads of up to two bytes. Longer ones are too many: what people send who hold one value or
/// another, and the ends of what a number can be.
std::vector<Payload> payloads(const Mechanism& m, BitSource& bits) {
    std::vector<Payload> all;
    Payload payload(m.payload_size());
    const auto take = [&](std::uint64_t digits) {
        for (std::byte& byte : payload) byte = static_cast<std::byte>(digits), digits >>= 8;
        if (m.valid_payload(payload)) all.push_back(payload);
        return m.valid_payload(payload);
    };
    if (payload.size() <= 2) {
        for (std::uint64_t i = 0; i >> (8 * payload.size()) == 0; ++i) take(i);
        return all;
    }
    std::uint64_t least = 0, most = std::uint64_t{1} << std::min<std::size_t>(8 * payload.size(), 63);
    while (most - least > 1) (take((least + most) / 2) ? least : most) = (least + most) / 2;
    take(least), take(0);
    for_each_input(m, [&](Input input) {
        for (int i = 0; i < 300; ++i) all.push_back(payload_of(m, m.perturb(input, bits)));
    });
    return all;
}

/// What each attribute is asked: the shares of a category, or the mean.
std::vector<Question> questions(const Mechanism& m) {
    const auto* parts = find_capability<Record>(m);
    std::vector<Question> all;
    for (std::size_t j = 0; j < m.cells().size(); ++j)
        all.push_back({(parts == nullptr ? m : parts->reporter(j)).answers()[0], Target::sample, j});
    return all;
}

struct Estimator {
    const Mechanism& m;
    Payload state = Payload(m.state_size());
    std::uint64_t n = 0;

    void add(Bytes payload) {
        BOOST_REQUIRE(m.accumulate(state, payload));
        ++n;
    }
    /// Of one attribute: its values' shares, or its mean.
    std::vector<double> ask(const Question& question) const {
        std::vector<double> found;
        const auto all = m.estimate({n, state}, question);
        if (question.quantity == Quantity::frequencies)
            for (const Estimate& each : all) found.push_back(each.value);
        else
            found.push_back(all[question.attribute].value);
        return found;
    }
};

}  // namespace

// Each valid payload by itself, n = 1, is a term of every estimate.
BOOST_AUTO_TEST_CASE(no_report_reaches_beyond_its_bounds_and_some_reach_them) {
    SeededBits bits(1201);
    for (const auto& [name, spec] : means)
        for (const double epsilon : {0.5, 1.0, 4.0}) {
            const auto m = mechanism(name, epsilon, spec);
            for (const Question& question : questions(*m)) {
                const std::vector<Contribution> contributions = m->contributions(question);
                BOOST_REQUIRE_EQUAL(contributions.size(), 1u);
                const auto& [chance, terms, truths] = contributions[0];
                double least = INFINITY, most = -INFINITY;
                for (const Payload& payload : payloads(*m, bits)) {
                    Estimator one{*m};
                    one.add(payload);
                    for (const double term : one.ask(question)) {
                        if (std::isnan(term)) continue;  // about another attribute
                        least = std::min(least, term), most = std::max(most, term);
                    }
                }
                const double width = terms.upper - terms.lower;
                BOOST_TEST_CONTEXT(name << ' ' << spec << ' ' << epsilon << " attribute "
                                        << question.attribute) {
                    BOOST_CHECK_SMALL((least - terms.lower) / width, 1e-9);
                    BOOST_CHECK_SMALL((most - terms.upper) / width, 1e-9);
                    BOOST_CHECK_LT(terms.lower, truths.lower);
                    BOOST_CHECK_GT(terms.upper, truths.upper);
                }
            }
        }
}

// At the ends of ε, and of numbers far from 0, bounds are numbers, without forgers nothing moves, and a range
// that is elsewhere changes nothing but where the mean lies.
BOOST_AUTO_TEST_CASE(bounds_are_sound_everywhere) {
    for (const auto* cases : {&means, &sums})
        for (const auto& [name, spec] : *cases)
            for (const double epsilon : {0.01, 20.0}) {
                // With two layers, the first value belongs to one report.
                const std::string first = ", \"report_epsilon\": 0.4";
                std::string given = spec;
                if (const auto at = given.find(first); at != std::string::npos) given.erase(at, first.size());
                const auto m = mechanism(name, epsilon, given);
                for (const Question& question : questions(*m)) {
                    const auto contributions = m->contributions(question);
                    BOOST_REQUIRE(!contributions.empty());
                    BOOST_CHECK(std::isfinite(influence(contributions)) && influence(contributions) > 0);
                    const Interval none = bias(contributions, 0), some = bias(contributions, 0.01);
                    BOOST_CHECK(std::max(-none.lower, none.upper) <= 1e-9 * influence(contributions));
                    BOOST_CHECK(some.lower <= 0 && some.upper >= 0 && some.upper - some.lower > 0 &&
                                std::isfinite(some.upper - some.lower));
                }
            }
    for (const char* name : {"duchi", "pdp", "piecewise", "hybrid", "laplace"}) {
        const auto near = mechanism(name, 1, R"("min": 0, "max": 8, "grid": 8)");
        const auto far = mechanism(name, 1, R"("min": 1073741824, "max": 1073741832, "grid": 8)");
        const Question mean{Quantity::means, Target::sample, 0};
        BOOST_CHECK_CLOSE(influence(near->contributions(mean)), influence(far->contributions(mean)), 1e-4);
        BOOST_CHECK_CLOSE(bias(near->contributions(mean), 0.05).upper,
                          bias(far->contributions(mean), 0.05).upper, 1e-4);
    }
}

// The promise for a series is that of its worst round. Its search visits a few rounds only, which a series of
// 4096 rounds needs.
BOOST_AUTO_TEST_CASE(the_promise_for_a_series_holds_in_every_round) {
    for (const char* name : {"ddrm", "threshold_series"})
        for (const int rounds : {2, 5, 12, 16, 23, 31, 32, 45})
            for (const int changes : {1, rounds - 1}) {
                const std::string inputs =
                    name == std::string("ddrm") ? R"("domain": 4)" : R"("min": 0, "max": 8, "thresholds": 4)";
                const auto m = mechanism(name, 3,
                                         inputs + ", \"rounds\": " + std::to_string(rounds) +
                                             ", \"changes\": " + std::to_string(changes));
                double most = 0;
                std::array<Interval, 3> biases{};
                const std::array shares{1e-4, 0.01, 0.3};
                for (std::size_t round = 0; round < m->cells().size(); ++round) {
                    const auto terms = m->contributions({m->answers()[0], Target::sample, round});
                    most = std::max(most, influence(terms));
                    for (std::size_t i = 0; i < shares.size(); ++i) {
                        const Interval here = bias(terms, shares[i]);
                        biases[i] = {std::min(biases[i].lower, here.lower),
                                     std::max(biases[i].upper, here.upper)};
                    }
                }
                BOOST_TEST_CONTEXT(name << ", " << rounds << " rounds, " << changes << " changes") {
                    BOOST_CHECK_CLOSE(m->promised_influence(0), most, 1e-9);
                    for (std::size_t i = 0; i < shares.size(); ++i) {
                        const Interval promised = m->promised_bias(0, shares[i]);
                        BOOST_CHECK_CLOSE(promised.lower, biases[i].lower, 1e-9);
                        BOOST_CHECK_CLOSE(promised.upper, biases[i].upper, 1e-9);
                    }
                }
            }
    const auto longest = mechanism("ddrm", 1, R"("domain": 256, "rounds": 4095, "changes": 2)");
    BOOST_TEST(longest->promised_contributions(0).size() <= 24u);
}

// One more report among very many honest ones, from people with the same value. All extreme inputs are
// tried: the worst one moves an estimate by its influence divided by n. The number of honest reports of
// each part is random, hence the tolerance: six standard deviations of the smallest number.
BOOST_AUTO_TEST_CASE(a_report_moves_a_sum_of_means_by_its_influence, *boost::unit_test::label("slow")) {
    SeededBits bits(1202);
    for (const auto& [name, spec] : sums) {
        const auto m = mechanism(name, 1, spec);
        const auto* series = find_capability<SeriesRandomizer>(*m);
        const std::vector<Question> asked = questions(*m);
        std::vector<double> furthest(asked.size());
        for (unsigned sign_vector = 0; sign_vector >> m->cells().size() == 0; ++sign_vector) {
            std::vector<Cell> input = m->cells();
            for (std::size_t j = 0; j < input.size(); ++j)
                input[j] = (sign_vector >> j & 1) == 0 ? 0 : input[j] - 1;
            Estimator honest{*m};
            for (int person = 0; person < 20000; ++person) {
                if (series == nullptr) {
                    honest.add(Bytes(m->perturb(input, bits)).last(m->payload_size()));
                    continue;
                }
                Payload public_randomness(m->public_size()), payload(m->payload_size());
                m->draw_public(bits, public_randomness);
                SeriesState state;
                for (const Cell cell : input)
                    if (series->advance(state, cell, public_randomness, bits, payload)) honest.add(payload);
            }
            std::vector<std::vector<double>> before;
            for (const Question& question : asked) before.push_back(honest.ask(question));
            for (const Payload& payload : payloads(*m, bits)) {
                Estimator with = honest;
                with.add(payload);
                for (std::size_t j = 0; j < asked.size(); ++j) {
                    const std::vector<double> after = with.ask(asked[j]);
                    for (std::size_t i = 0; i < after.size(); ++i)
                        furthest[j] = std::max(
                            furthest[j], static_cast<double>(honest.n) * std::abs(after[i] - before[j][i]));
                }
            }
        }
        for (std::size_t j = 0; j < asked.size(); ++j)
            BOOST_TEST_CONTEXT(name << ' ' << spec << " attribute " << j)
        BOOST_CHECK_CLOSE(furthest[j], influence(m->contributions(asked[j])), 10);
    }
}

// No way of laying out a share among parts moves a sum further, and one as fine as a grid nearly as far.
BOOST_AUTO_TEST_CASE(a_share_of_forgers_pulls_as_far_as_the_best_of_all_plans) {
    const std::vector<Contribution> contributions{
        {0.1, {-3, 4}, {-1, 1}}, {0.6, {-9, 5}, {0, 2}}, {0.3, {-1, 7}, {0, 0.5}}};
    constexpr int parts = 100;
    for (const double share : {0.001, 0.01, 0.1, 0.4, 0.9}) {
        double up = 0, down = 0;
        const auto moved = [&](std::size_t part, int forged, double length) {
            const double x = share * forged / parts;
            return x == 0 ? 0 : length * x / (x + (1 - share) * contributions[part].chance);
        };
        for (int a = 0; a <= parts; ++a)
            for (int b = 0; a + b <= parts; ++b) {
                const int given[] = {a, b, parts - a - b};
                double higher = 0, lower = 0;
                for (std::size_t part = 0; part < 3; ++part) {
                    const auto& [chance, terms, truths] = contributions[part];
                    higher += moved(part, given[part], terms.upper - truths.lower);
                    lower += moved(part, given[part], truths.upper - terms.lower);
                }
                up = std::max(up, higher), down = std::max(down, lower);
            }
        const Interval most = bias(contributions, share);
        BOOST_CHECK_GE(most.upper, up * (1 - 1e-9));
        BOOST_CHECK_GE(-most.lower, down * (1 - 1e-9));
        BOOST_CHECK_CLOSE(most.upper, up, 1);
        BOOST_CHECK_CLOSE(-most.lower, down, 1);
    }
    BOOST_CHECK_EQUAL(bias(contributions, 0).upper, 0);
    BOOST_CHECK_CLOSE(bias(contributions, 1e-9).upper / 1e-9, 5 / 0.1, 1e-4);
}

namespace {

/// Honest reports of people who all hold one value, and forged ones among them.
struct Attack {
    const Mechanism& m;
    Question question;
    std::size_t item = 0;  ///< of the answer to the question, which forgers raise
    std::vector<Cell> held = std::vector<Cell>(m.cells().size());
    Payload best = {};

    /// What raises the item most, of all payloads there are, or of very many.
    void prepare(BitSource& bits) {
        double most = -INFINITY;
        for (Payload& payload : payloads(m, bits)) {
            Estimator one{m};
            one.add(payload);
            const double term = one.ask(question)[item];
            if (term > most) most = term, best = std::move(payload);
        }
    }
    Estimator run(int honest, int forged, BitSource& bits) const {
        Estimator all{m};
        for (int i = 0; i < honest; ++i) all.add(Bytes(m.perturb(held, bits)).last(m.payload_size()));
        for (int i = 0; i < forged; ++i) all.add(best);
        return all;
    }
};

}  // namespace

// All people hold the least value, or a value other than the one that forgers raise. One report in twenty
// is the best possible payload. The observed shift equals the computed one within six standard errors. The
// robust intervals for one in twenty cover the truth (97.5 %, because only one side can be missed); the
// usual intervals hardly ever do.
BOOST_AUTO_TEST_CASE(the_best_attack_does_what_was_computed_and_is_withstood,
                     *boost::unit_test::label("slow")) {
    SeededBits bits(1203);
    constexpr int honest = 950, forged = 50, repetitions = 20;
    constexpr double share = 0.05;
    int runs = 0, held = 0, fooled = 0;
    for (const auto& [name, spec] : means) {
        const auto m = mechanism(name, 1, spec);
        for (const Question& question : questions(*m)) {
            const bool shares = question.quantity == Quantity::frequencies;
            Attack attack{*m, question, shares ? std::size_t{1} : std::size_t{0}};
            attack.prepare(bits);
            const std::vector<Contribution> contributions = m->contributions(question);
            const double truth = contributions[0].truths.lower;
            double sum = 0, error = 0;
            for (int r = 0; r < repetitions; ++r) {
                const Estimator all = attack.run(honest, forged, bits);
                const Estimate found =
                    m->estimate({all.n, all.state}, question)[shares ? attack.item : question.attribute];
                sum += found.value, error += found.standard_error;
                const Interval wide = robust_interval(found, critical_value(0.95), contributions, share);
                held += wide.lower <= truth && truth <= wide.upper;
                fooled += truth < interval(found, 0.95).lower;
                ++runs;
            }
            const double moved = bias(contributions, share).upper;
            BOOST_TEST_CONTEXT(name << ' ' << spec << " attribute " << question.attribute)
            BOOST_CHECK_SMALL(sum / repetitions - truth - moved,
                              6 * error / repetitions / std::sqrt(repetitions) + 0.01 * moved);
        }
    }
    BOOST_TEST_MESSAGE("held " << held << ", fooled " << fooled << " of " << runs);
    BOOST_CHECK_GE(held, 0.93 * runs);
    BOOST_CHECK_GE(fooled, 0.7 * runs);
}

// Honest reports of other values, of which forgers send only those that support one value. The shift
// reaches the bound of the best attack, and no diagnostic detects it.
BOOST_AUTO_TEST_CASE(a_stealthy_attack_gets_as_far_and_does_not_show) {
    SeededBits bits(1206);
    for (const char* name : {"grr", "oue", "sue", "subset", "olh", "hadamard", "projective"}) {
        const auto m = mechanism(name, 1, R"("domain": 16)");
        OwnedSummary all(*m);
        const auto draw = [&] {
            const std::vector<Cell> input{bits.below(15)};
            return m->perturb(input, bits);
        };
        constexpr int honest = 9500, forged = 500;
        for (int i = 0; i < honest; ++i) all.add(draw());
        for (int i = 0; i < forged;) {
            const Report report = draw();
            OwnedSummary one(*m);
            one.add(report);
            if (one.estimate(Quantity::frequencies)[15].value < 0) continue;
            all.add(report);
            ++i;
        }
        const Estimate found = all.estimate(Quantity::frequencies)[15];
        BOOST_TEST_CONTEXT(name) {
            BOOST_CHECK_SMALL(found.value - bias(m->contributions({Quantity::frequencies}), 0.05).upper,
                              6 * found.standard_error);
            BOOST_CHECK_GT(found.value, 3 * found.standard_error);
            BOOST_CHECK_GT(all.health(), 1e-6);
        }
    }
}

// Of very many reports of one value, no payload occurs more often than its bound allows (false alarm
// probability 1e-9). If some payloads occur often enough for a test, the bound is reached.
BOOST_AUTO_TEST_CASE(no_payload_is_likelier_than_its_bound) {
    SeededBits bits(1207);
    std::vector<ForgeryCase> all = means;
    all.insert(all.end(), sums.begin(), sums.end());
    constexpr std::uint64_t n = 10000;
    for (const auto& [name, spec] : all) {
        const auto m = mechanism(name, 1, spec);
        double tightest = 0, expected = 0;
        for (const bool top : {false, true}) {
            std::vector<Cell> input = m->cells();
            for (Cell& cell : input) cell = top ? cell - 1 : 0;
            std::map<Payload, std::uint64_t> found;
            for (std::uint64_t i = 0; i < n; ++i) ++found[payload_of(*m, m->perturb(input, bits))];
            for (const auto& [payload, count] : found) {
                if (count == 1) continue;
                const double max_probability = m->max_probability(payload),
                             most = static_cast<double>(n) * max_probability;
                BOOST_TEST_CONTEXT(name << ' ' << spec)
                BOOST_REQUIRE_GT(binomial_at_least(n, max_probability, count), 1e-9 / static_cast<double>(n));
                if (most < 100 || static_cast<double>(count) / most < tightest) continue;
                tightest = static_cast<double>(count) / most, expected = most;
            }
        }
        // Attributes drawn together, and responses to any round, have bounds instead of exact
        // values.
        if (expected > 0 && name != "sampled" && name != "ddrm" && name != "threshold_series")
            BOOST_TEST_CONTEXT(name << ' ' << spec)
        BOOST_CHECK_GE(tightest, 1 - 6 / std::sqrt(expected));
    }
}

namespace {

/// The least p-value of all reports that came more than once.
double least_chance_of_copies(const Mechanism& m, const std::map<Payload, std::uint64_t>& reports) {
    std::uint64_t n = 0;
    for (const auto& [payload, copies] : reports) n += copies;
    double least = 1;
    for (const auto& [payload, copies] : reports)
        if (copies > 1) least = std::min(least, chance_of_copies(m.max_probability(payload), copies, n));
    return least;
}

/// Reports that differ so much that copies are significant.
const std::vector<ForgeryCase> large{{"grr", R"("domain": 1000)"},
                                     {"oue", R"("domain": 64)"},
                                     {"sue", R"("domain": 64)"},
                                     {"subset", R"("domain": 64)"},
                                     {"olh", R"("domain": 64)"},
                                     {"hadamard", R"("domain": 1000)"},
                                     {"projective", R"("domain": 200)"},
                                     {"rappor", R"("domain": 20, "filter_bits": 16, "cohorts": 4)"},
                                     {"piecewise", R"("min": 0, "max": 1)"},
                                     {"pdp", R"("min": 0, "max": 1)"},
                                     {"optimal", R"("min": 0, "max": 1)"},
                                     {"laplace", R"("min": 0, "max": 1)"},
                                     {"square_wave", R"("min": 0, "max": 1)"},
                                     {"haar_ordered", R"("domain": 1000)"},
                                     {"tree", R"("domain": 1000)"},
                                     {"haar", unit_attributes(4)},
                                     {"duchi_vector", unit_attributes(100)},
                                     {"gaussian", unit_attributes(4) + R"(, "delta": 1e-6)"},
                                     {"ball", unit_attributes(4)},
                                     {"dbitflip", R"("domain": 50, "bits_per_report": 8)"}};
/// Of which they are few.
const std::vector<ForgeryCase> few{{"grr", R"("domain": 3)"},
                                   {"subset", R"("domain": 8)"},
                                   {"duchi", R"("min": 0, "max": 1)"},
                                   {"pdp", R"("min": 0, "max": 1, "grid": 20)"},
                                   {"hybrid", R"("min": 0, "max": 1, "grid": 20)"},
                                   {"duchi_vector", unit_attributes(4)}};

}  // namespace

// However people's values are distributed: all hold one, or each another.
BOOST_AUTO_TEST_CASE(honest_reports_are_as_rarely_equal_as_is_said, *boost::unit_test::label("slow")) {
    SeededBits bits(1204);
    constexpr double levels[] = {0.1, 0.01};
    double tested = 0, alarms[] = {0, 0};
    std::vector<ForgeryCase> all = large;
    all.insert(all.end(), few.begin(), few.end());
    for (const auto& [name, spec] : all) {
        const auto m = mechanism(name, 1, spec);
        for (const bool alike : {true, false})
            for (int r = 0; r < 20; ++r) {
                std::map<Payload, std::uint64_t> reports;
                std::vector<Cell> input(m->cells().size());
                for (int person = 0; person < 300; ++person) {
                    for (std::size_t j = 0; j < input.size(); ++j)
                        input[j] = alike ? 1 : bits.below(m->cells()[j]);
                    ++reports[payload_of(*m, m->perturb(input, bits))];
                }
                const double chance = least_chance_of_copies(*m, reports);
                ++tested;
                for (std::size_t i = 0; i < 2; ++i) alarms[i] += chance <= levels[i];
            }
    }
    for (std::size_t i = 0; i < 2; ++i) {
        BOOST_TEST_MESSAGE(alarms[i] << " of " << tested << " at " << levels[i]);
        BOOST_CHECK_LE(alarms[i], tested * levels[i] + 6 * std::sqrt(tested * levels[i]));
    }
}

// One report in fifty of 2000 is a copy of the same one. Where outputs are many, that is seen; where they are
// few, honest people send as many.
BOOST_AUTO_TEST_CASE(copies_show_where_outputs_are_many) {
    SeededBits bits(1205);
    for (const bool telling : {true, false})
        for (const auto& [name, spec] : telling ? large : few) {
            const auto m = mechanism(name, 1, spec);
            std::map<Payload, std::uint64_t> reports;
            std::vector<Cell> input(m->cells().size());
            for (int person = 0; person < 1960; ++person) {
                for (std::size_t j = 0; j < input.size(); ++j) input[j] = bits.below(m->cells()[j]);
                ++reports[payload_of(*m, m->perturb(input, bits))];
            }
            reports[payload_of(*m, m->perturb(input, bits))] += 40;
            BOOST_TEST_CONTEXT(name << ' ' << spec)
            BOOST_CHECK_EQUAL(least_chance_of_copies(*m, reports) < 1e-6, telling);
        }
}

// The tail of a binomial law, over the probability; 1 where there is nothing to see.
BOOST_AUTO_TEST_CASE(chances_of_copies_are_what_they_say) {
    BOOST_CHECK_CLOSE(chance_of_copies(1e-3, 2, 2), 1e-6 / 1e-3, 1e-6);
    BOOST_CHECK_CLOSE(chance_of_copies(1e-12, 2, 100), 100 * 99 / 2.0 * 1e-12, 1e-3);
    BOOST_CHECK_EQUAL(chance_of_copies(1e-12, 1, 100), 1);
    BOOST_CHECK_EQUAL(chance_of_copies(0.5, 51, 100), 1);
    BOOST_CHECK_EQUAL(chance_of_copies(0.5, 52, 100), std::min(1.0, 2 * binomial_at_least(100, 0.5, 52)));
    BOOST_CHECK_LT(chance_of_copies(0, 2, 1000000), 1e-6);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
