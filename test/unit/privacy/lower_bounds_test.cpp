// No mechanism is better than what is said that none can be, and the best ones come up to it.

#include "accounting/lower_bounds.hpp"

#include <cmath>
#include <fstream>
#include <set>

#include "core/base/error.hpp"
#include "core/mechanism/role/registry.hpp"
#include "repeated_draws.hpp"
#include "support.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(lower_bounds)

namespace {

std::optional<Spec> spec_of(const std::string& json) {
    try {
        return resolve(json);
    } catch (const Error&) {
        return std::nullopt;
    }
}

/// Whether each attribute's error is at least the bound of it.
void check_not_exceeded(const Spec& spec, std::set<std::string>& seen) {
    const auto mechanism = make_mechanism(spec);
    for (std::size_t j = 0; j < spec.attributes().size(); ++j) {
        const double bound = least_error(spec.epsilon(), spec.attributes()[j], endless, Target::sample);
        BOOST_CHECK_EQUAL(std::isnan(bound), spec.attributes()[j].derived() || spec.attributes()[j].circular);
        if (std::isnan(bound)) continue;
        BOOST_CHECK_GT(bound, 0);
        BOOST_TEST((bound <= mechanism->expected_variance(j) * (1 + 1e-9)),
                   spec.to_json() << " attribute " << j << ": " << mechanism->expected_variance(j) << " < "
                                  << bound);
    }
    seen.insert(spec.mechanism().name);
}

}  // namespace

BOOST_AUTO_TEST_CASE(no_mechanism_is_better, *boost::unit_test::label("slow")) {
    std::set<std::string> seen;
    std::ifstream vectors("test/data/vectors.txt");
    for (std::string line; std::getline(vectors, line);)
        if (line.starts_with("{")) check_not_exceeded(resolve(line), seen);
    for (const MechanismEntry* entry : registry())
        for (const char* epsilon : {"0.1", "0.5", "1", "2", "4", "8"})
            for (const std::string rest : {"\"domain\": 2", "\"domain\": 3", "\"domain\": 16",
                                           "\"domain\": 300", "\"min\": 0, \"max\": 1"})
                if (const auto spec = spec_of("{\"mechanism\": \"" + std::string(entry->name) +
                                              "\", \"epsilon\": " + epsilon + ", " + rest + "}"))
                    check_not_exceeded(*spec, seen);
    BOOST_CHECK_EQUAL(seen.size(), registry().size());
}

BOOST_AUTO_TEST_CASE(the_best_come_up_to_it) {
    for (const double epsilon : {0.1, 0.5, 1.0, 2.0, 4.0, 8.0}) {
        const double bit = std::pow(1 / std::tanh(epsilon / 2), 2);
        BOOST_CHECK_CLOSE(least_error_of_means(epsilon, 1, endless, Target::population), bit, 1e-6);
        BOOST_CHECK_CLOSE(least_error_of_means(epsilon, 1, endless, Target::sample), bit - 1, 1e-6);
        BOOST_CHECK_CLOSE(mechanism("duchi", epsilon, "\"min\": -1, \"max\": 1")->n_variance(0), bit, 1e-3);
        for (const std::uint64_t k : {2u, 3u, 16u, 1024u}) {
            const auto subset = mechanism("subset", epsilon, "\"domain\": " + std::to_string(k));
            BOOST_CHECK_CLOSE(least_error_of_shares(epsilon, k, endless, Target::sample),
                              subset->expected_variance(0), 1e-3);
            const auto values = static_cast<double>(k);
            // The sampling error of equal shares, averaged over the values, is all the difference.
            BOOST_CHECK_CLOSE(
                least_error_of_shares(epsilon, k, endless, Target::population),
                least_error_of_shares(epsilon, k, endless, Target::sample) + (1 - 1 / values) / values, 1e-4);
        }
        BOOST_CHECK_CLOSE(least_error_of_shares(epsilon, 1 << 20, endless, Target::population),
                          std::pow(std::sinh(epsilon / 2), -2), 0.5);
        // A share of two values is half of a mean on [−1, 1].
        BOOST_CHECK_CLOSE(least_error_of_shares(epsilon, 2, endless, Target::population), bit / 4, 1e-6);
    }
    // Of many numbers at a small ε, "sampled" reports one of d by a bit: d times the error of one.
    BOOST_CHECK_CLOSE(least_error_of_means(0.1, 16, endless, Target::sample),
                      mechanism("sampled", 0.1, unit_attributes(16))->expected_variance(0), 0.5);
}

BOOST_AUTO_TEST_CASE(few_people_have_a_lower_bound) {
    for (const Target target : {Target::sample, Target::population})
        for (const double epsilon : {0.5, 2.0}) {
            double before_mean = 0, before_share = 0;
            for (const double n : {1.0, 100.0, 1e4, 1e6, 1e12}) {
                const double mean = least_error_of_means(epsilon, 1, n, target);
                const double share = least_error_of_shares(epsilon, 8, n, target);
                BOOST_CHECK_GE(mean, before_mean);
                BOOST_CHECK_GE(share, before_share);
                before_mean = mean, before_share = share;
            }
            BOOST_CHECK_GT(least_error_of_means(epsilon, 1, 1e5, target),
                           0.9 * least_error_of_means(epsilon, 1, endless, target));
        }
    // Nobody's mean on [−1, 1] is further off than 1 from 0, whatever n.
    for (const double epsilon : {0.01, 1.0, 8.0})
        for (const double n : {1.0, 10.0, 1000.0})
            BOOST_CHECK_LE(least_error_of_means(epsilon, 1, n, Target::population), n);
}

// Records and vectors: people whose numbers are the ends of their ranges, by independent coins. What is
// measured has a relative standard deviation of at most √(2/400); six of them are fewer than one false alarm
// in 10^9.
BOOST_AUTO_TEST_CASE(measured_errors_of_vectors_are_larger, *boost::unit_test::label("slow")) {
    constexpr std::size_t people = 500, repetitions = 400;
    SeededBits bits(20261122);
    for (const char* name : {"sampled", "duchi_vector", "haar"})
        for (const double epsilon : {1.0, 4.0})
            for (const std::size_t d : {std::size_t{2}, std::size_t{16}}) {
                const auto m = mechanism(name, epsilon, unit_attributes(d));
                const std::vector<std::uint64_t> cells = m->cells();
                double squares = 0;
                std::size_t told = 0;
                for (std::size_t repetition = 0; repetition < repetitions; ++repetition) {
                    OwnedSummary summary(*m);
                    std::vector<double> means(d);
                    std::vector<Cell> record(d);
                    for (std::size_t i = 0; i < people; ++i) {
                        for (std::size_t j = 0; j < d; ++j) {
                            const bool high = (bits.word() >> 63) != 0;
                            record[j] = high ? cells[j] - 1 : 0;
                            means[j] += (high ? 1.0 : -1.0) / people;
                        }
                        summary.draw(record, bits);
                    }
                    const auto estimates = summary.estimate(Quantity::means);
                    for (std::size_t j = 0; j < d; ++j) {
                        if (std::isnan(estimates[j].value)) continue;
                        squares += std::pow(estimates[j].value - means[j], 2);
                        ++told;
                    }
                }
                const double measured = people * squares / static_cast<double>(told);
                const double bound = least_error_of_means(epsilon, d, people, Target::sample);
                BOOST_TEST((bound <= measured * (1 + 6 * std::sqrt(2.0 / repetitions))),
                           name << " at " << epsilon << " of " << d << ": " << measured << " < " << bound);
                BOOST_CHECK_GT(bound, 0);
                // These are people who differ as much as can be: what is promised holds for them, too.
                BOOST_TEST((measured <= m->expected_variance(0) * (1 + 6 * std::sqrt(2.0 / repetitions))),
                           name << " at " << epsilon << " of " << d << ": " << measured << " > "
                                << m->expected_variance(0));
            }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
