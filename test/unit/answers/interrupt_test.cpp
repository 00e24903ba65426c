// Long computations stop when the host says so, and ask often enough; what an interrupted one leaves behind
// is nothing. How soon that is, test/e2e/cancel.sh measures.

#include "core/base/interrupt.hpp"

#include "accounting/divergences.hpp"
#include "core/base/error.hpp"
#include "core/groups/change.hpp"
#include "core/mechanism/frequency/frequency_oracle.hpp"
#include "core/mechanism/longitudinal/series.hpp"
#include "core/summary/queries/candidates.hpp"
#include "core/summary/queries/consistency.hpp"
#include "core/summary/queries/distribution.hpp"
#include "core/summary/queries/learn.hpp"
#include "core/summary/queries/series_queries.hpp"
#include "core/summary/queries/top.hpp"
#include "core/tables/marginal.hpp"
#include "repeated_draws.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(interrupt)

namespace {

/// While it lives, counts how often it is asked, and says stop at the `last` time.
class Host {
  public:
    explicit Host(std::size_t last = std::numeric_limits<std::size_t>::max()) {
        asked = 0;
        stop_at = last;
        interrupt_handler = []() noexcept { return ++asked >= stop_at; };
    }
    ~Host() { interrupt_handler = nullptr; }
    Host(const Host&) = delete;
    Host& operator=(const Host&) = delete;

    static inline std::size_t asked, stop_at;
};

/// Counts how often a computation checks for interrupts. The computation must end at once at each of its checks, or
/// at some of many.
std::size_t asks(const std::string& what, const std::function<void()>& compute) {
    std::size_t whole;
    compute();  // what a mechanism keeps is there from the second time on
    {
        const Host host;
        compute();
        whole = Host::asked;
    }
    constexpr std::size_t all = 32, some = 4;
    const std::size_t stops = whole <= all ? whole : some;
    for (std::size_t i = 0; i < stops; ++i) {
        const std::size_t last = 1 + i * (whole - 1) / std::max<std::size_t>(1, stops - 1);
        const Host host(last);
        BOOST_CHECK_THROW(compute(), Interrupted);
        BOOST_CHECK_MESSAGE(Host::asked == last, what << " continued after the interrupt");
    }
    return whole;
}

/// Few reports of values all over the domain; of two attributes, the second has none.
OwnedSummary some_reports(const Mechanism& m) {
    SeededBits bits(7);
    OwnedSummary summary(m);
    const std::vector<std::uint64_t> cells = m.cells();
    for (std::uint64_t person = 0; person < 50; ++person) {
        std::vector<Cell> input(cells.size());
        for (std::size_t j = 0; j < cells.size(); ++j) input[j] = person * 7919 % cells[j];
        summary.add(m.perturb(input, bits));
    }
    return summary;
}

std::string domain(std::uint64_t k) {
    return "\"attributes\": [{\"name\": \"v\", \"domain\": " + std::to_string(k) + "}]";
}
std::string range(std::uint64_t steps) {
    return "\"attributes\": [{\"name\": \"v\", \"min\": 0, \"max\": " + std::to_string(steps) +
           "}], \"grid\": " + std::to_string(steps);
}

}  // namespace

BOOST_AUTO_TEST_CASE(without_a_host_nothing_stops) {
    check_interrupt();
    Work work;
    for (int i = 0; i < 100; ++i) work.done(Work::segment);
}

// Work is counted in steps, so that a loop twice as long asks twice as often.
BOOST_AUTO_TEST_CASE(work_is_asked_about_by_its_steps) {
    for (const std::size_t steps : {std::size_t{1}, std::size_t{100}, Work::segment, 3 * Work::segment}) {
        const Host host;
        Work work;
        for (std::size_t i = 0; i < 64 * Work::segment; i += steps) work.done(steps);
        const std::size_t expected = 64 * Work::segment / std::max(steps, Work::segment);
        BOOST_CHECK_LE(Host::asked, expected + 2);
        BOOST_CHECK_GE(Host::asked, expected - expected / 50);
    }
    for (const std::size_t count : {std::size_t{0}, std::size_t{1}, Work::segment, 5 * Work::segment + 1}) {
        const Host host;
        std::size_t sum = 0;
        for_each_index(count, [&](std::size_t i) { sum += i; });
        BOOST_CHECK_EQUAL(sum, count * (count - 1) / 2);
        BOOST_CHECK_EQUAL(Host::asked, (count + Work::segment - 1) / Work::segment);
    }
}

BOOST_AUTO_TEST_CASE(copies_are_asked_about_by_their_bytes) {
    std::vector<std::byte> from((std::size_t{3} << 20) + 5), to(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::byte>(i % 251);
    const Host host;
    copy_in_segments(from, to);
    BOOST_CHECK(from == to);
    BOOST_CHECK_EQUAL(Host::asked, 4u);
    copy_in_segments({}, {});
    BOOST_CHECK_EQUAL(Host::asked, 4u);
}

// Every question to every kind of mechanism: that it asks, and stops. The least number of times is that of
// a step for each value, and of what is known to take many more.
BOOST_AUTO_TEST_CASE(every_question_stops, *boost::unit_test::label("slow")) {
    const std::pair<std::string, std::unique_ptr<const Mechanism>> mechanisms[] = {
        {"grr", mechanism("grr", 1, domain(1 << 15))},
        {"l_grr", mechanism("l_grr", 2, domain(1 << 15) + ", \"report_epsilon\": 1")},
        {"hadamard", mechanism("hadamard", 1, domain((1 << 15) - 1))},
        {"projective", mechanism("projective", 3, domain(1 << 15))},
        {"olh", mechanism("olh", 1, domain(1 << 15))},
        {"oue", mechanism("oue", 1, domain(1 << 15))},
        {"subset", mechanism("subset", 1, domain(1 << 14))},
        {"dbitflip", mechanism("dbitflip", 1, domain(1 << 15) + ", \"buckets\": 32768")},
        {"haar_ordered", mechanism("haar_ordered", 1, domain(1 << 14))},
        {"tree", mechanism("tree", 1, domain(1 << 12))},
        {"rappor", mechanism("rappor", 1, domain(200))},
        {"exponential", mechanism("exponential", 1, domain(400) + ", \"max_distance\": 1")}};
    for (const auto& [name, m] : mechanisms) {
        const OwnedSummary summary = some_reports(*m);
        const SummaryView view = summary.view();
        const std::size_t least = m->cells()[0] / Work::segment;
        BOOST_TEST_CONTEXT(name) {
            BOOST_CHECK_GE(asks("shares", [&] { (void)summary.estimate(Quantity::frequencies); }), least);
            BOOST_CHECK_GE(asks("health", [&] { (void)health(view); }), 1u);
            for (const auto control : {Control::bonferroni, Control::benjamini_hochberg})
                BOOST_CHECK_GE(asks("top", [&] { (void)top(view, 1 << 15, Target::population, control); }),
                               least);
            BOOST_CHECK_GE(asks("change", [&] { (void)change(view, view, 0.5, 2, Target::population); }),
                           2 * least);
            BOOST_CHECK_GE(asks("learn",
                                [&] {
                                    try {
                                        (void)learn_ranges(view, 0.9);
                                    } catch (const Error&) {  // some do not support ranges
                                        check_interrupt();
                                    }
                                }),
                           1u);
            for (const char* method :
                 {"base_cut", "norm", "norm_mul", "norm_cut", "norm_sub", "power", "empirical_bayes"})
                BOOST_CHECK_GE(asks(method, [&] { (void)consistent(view, consistency_named(method)); }),
                               least);
            if (find_capability<FrequencyOracle>(*m) == nullptr) continue;
            for (const char* method : {"mle_apx", "ibu", "ibu_early"})
                BOOST_CHECK_GE(asks(method, [&] { (void)consistent(view, consistency_named(method)); }),
                               least);
        }
    }
}

// Each of the 2^10 filters is drawn and weighed, for both values.
BOOST_AUTO_TEST_CASE(enumerations_stop) {
    const auto m = mechanism("rappor", 1, domain(2) + ", \"filter_bits\": 10, \"hashes\": 2, \"cohorts\": 1");
    BOOST_CHECK_GE(asks("divergences", [&] { (void)divergences(*m, ResponseKind::report); }), 4u << 10);
}

BOOST_AUTO_TEST_CASE(candidates_stop) {
    const auto m = mechanism("rappor", 3, domain(4096) + ", \"cohorts\": 16");
    const OwnedSummary summary = some_reports(*m);
    for (const auto method : {CandidateMethod::nnls, CandidateMethod::lasso})
        BOOST_CHECK_GE(
            asks("candidates", [&] { (void)candidates(summary.view(), method, Control::bonferroni); }), 8u);
}

BOOST_AUTO_TEST_CASE(distributions_stop) {
    const auto wave = mechanism("square_wave", 1, range(4096)),
               tree = mechanism("haar_ordered", 1, range(65535));
    for (const Mechanism* m : {wave.get(), tree.get()}) {
        const OwnedSummary summary = some_reports(*m);
        const SummaryView view = summary.view();
        const std::vector<double> shares{0.1, 0.5, 0.9};
        BOOST_CHECK_GE(asks("mean", [&] { (void)estimate(view, {Quantity::means}); }),
                       m == wave.get() ? 0u : 4u);
        BOOST_CHECK_GE(asks("quantiles", [&] { (void)quantiles(view, shares, 0.95, Target::sample); }), 3u);
        BOOST_CHECK_GE(asks("histogram", [&] { (void)histogram(view, 100, Target::sample); }), 100u);
        BOOST_CHECK_GE(asks("range", [&] { (void)share_between(view, 10, 2000, Target::sample); }), 1u);
        BOOST_CHECK_GE(asks("health", [&] { (void)health(view); }), 1u);
        for (const auto smoothing : {Smoothing::none, Smoothing::binomial})
            BOOST_CHECK_GE(asks("fit", [&] { (void)decode(view, smoothing); }), 4u);
    }
}

BOOST_AUTO_TEST_CASE(records_and_series_stop) {
    const auto record =
        mechanism("sampled", 1,
                  "\"attributes\": [{\"name\": \"a\", \"domain\": 100000}, {\"name\": \"b\", \"min\": 0, "
                  "\"max\": 1}]");
    const OwnedSummary summary = some_reports(*record);
    BOOST_CHECK_GE(
        asks("a record's shares", [&] { (void)summary.estimate(Quantity::frequencies, Target::sample, 0); }),
        12u);
    BOOST_CHECK_GE(asks("a record's health", [&] { (void)health(summary.view()); }), 2u);

    const auto tables = mechanism("joint", 1, R"("attributes": [{"name": "a", "domain": 20},
        {"name": "b", "domain": 20}, {"name": "c", "domain": 20}], "marginals": "triples")");
    const OwnedSummary together = some_reports(*tables);
    const auto marginal = [&] {
        (void)Marginal(together.view(), {0, 1}, Combination::consistent, Target::sample).shares();
    };
    BOOST_CHECK_GE(asks("a marginal", marginal), 400u);
    BOOST_CHECK_GE(asks("the health of cross tables", [&] { (void)health(together.view()); }), 1u);

    const auto series = mechanism("ddrm", 1, domain(16) + ", \"rounds\": 64");
    const OwnedSummary rounds = some_reports(*series);
    BOOST_CHECK_GE(asks("a round", [&] { (void)rounds.estimate(Quantity::frequencies, Target::sample, 63); }),
                   1u);
    BOOST_CHECK_GE(asks("changes of a series",
                        [&] { (void)change(rounds.view(), rounds.view(), 0, 2, Target::sample); }),
                   64u);
    BOOST_CHECK_GE(asks("a series' health", [&] { (void)health(rounds.view()); }), 2u);

    const auto numbers =
        mechanism("threshold_series", 1, R"("min": 0, "max": 1, "thresholds": 128, "rounds": 256)");
    const OwnedSummary levels = some_reports(*numbers);
    BOOST_CHECK_GE(asks("means by round", [&] { (void)levels.estimate(Quantity::means); }), 1u);
    BOOST_CHECK_GE(asks("a series' means' health", [&] { (void)health(levels.view()); }), 2u);
    BOOST_CHECK_GE(asks("the distribution of a round", [&] { (void)RoundDistribution(levels.view(), 255); }),
                   1u);
    std::uint32_t known = 256;
    while (!RoundDistribution(levels.view(), known).known()) BOOST_REQUIRE_GT(--known, 1u);
    BOOST_CHECK_GE(asks("the median of a round",
                        [&] {
                            RoundDistribution round(levels.view(), known);
                            (void)round.quantile(0.5, 0.95, Target::population);
                            (void)round.share_between(0.25, 0.75, Target::sample);
                        }),
                   2u);
    const std::vector<std::int64_t> after{200, 201, 202}, before{3, 5};
    BOOST_CHECK_GE(asks("the mean of rounds",
                        [&] { (void)mean_of_rounds(levels.view(), after, before, Target::population); }),
                   1u);
    BOOST_CHECK_GE(asks("changes of a series of numbers",
                        [&] { (void)change(levels.view(), levels.view(), 0, 2, Target::sample); }),
                   1u);
}

// What is read of one value alone is what all together say of it.
BOOST_AUTO_TEST_CASE(one_share_is_that_of_all) {
    for (const char* name : {"grr", "sue", "oue", "subset", "blh", "olh", "hadamard", "projective", "l_grr"})
        for (const std::uint64_t k : {2, 37, 300})
            for (const double epsilon : {0.5, 4.0}) {
                const bool kept = std::string_view(name) == "l_grr";
                const auto m =
                    mechanism(name, epsilon, domain(k) + (kept ? ", \"report_epsilon\": 0.25" : ""));
                const OwnedSummary summary = some_reports(*m);
                for (const Target target : {Target::sample, Target::population}) {
                    const auto all = summary.estimate(Quantity::frequencies, target);
                    for (std::uint64_t v = 0; v < k; ++v) {
                        const Estimate one = share_of(summary.view(), static_cast<std::int64_t>(v), target);
                        BOOST_REQUIRE_EQUAL(one.value, all[v].value);
                        BOOST_REQUIRE_EQUAL(one.standard_error, all[v].standard_error);
                    }
                }
                for (const std::int64_t none : {std::int64_t{-1}, static_cast<std::int64_t>(k)})
                    BOOST_CHECK_EXCEPTION(
                        (void)share_of(summary.view(), none, Target::sample), Error,
                        [](const Error& e) { return e.code() == ErrorCode::invalid_value; });
            }
}

// The noise of a function that falls within a few points, by the nodes above these, is that by all nodes.
BOOST_AUTO_TEST_CASE(falling_functions_have_the_noise_of_any) {
    SeededBits bits(11);
    for (const std::uint64_t k : {2, 3, 5, 8, 21, 64, 100})
        for (const char* name : {"haar_ordered", "tree"}) {
            const auto m = mechanism(name, 1, domain(k));
            const OwnedSummary summary = some_reports(*m);
            const auto& ordered = capability<Ordered>(*m);
            std::vector<double> shares(k);
            for (double& share : shares) share = static_cast<double>(1 + bits.below(100));
            const double all = std::accumulate(shares.begin(), shares.end(), 0.0);
            for (double& share : shares) share /= all;
            const auto noise = ordered.noise(summary.view(), shares);
            for (std::size_t first = 0; first < k; ++first)
                for (std::size_t end = first; end <= k; ++end) {
                    std::vector<double> values(end - first), function(k);
                    for (double& value : values) value = static_cast<double>(bits.below(1000)) / 1000;
                    std::fill_n(function.begin(), first, 1);
                    std::ranges::copy(values, function.begin() + static_cast<std::ptrdiff_t>(first));
                    BOOST_REQUIRE_SMALL(noise->falling(first, values) - noise->of(function), 1e-9);
                }
        }
}

// Several quantiles are what each by itself is.
BOOST_AUTO_TEST_CASE(quantiles_are_each_by_itself) {
    for (const char* name : {"haar_ordered", "tree", "square_wave"}) {
        const auto m = mechanism(name, 2, range(200));
        const OwnedSummary summary = some_reports(*m);
        const std::vector<double> shares{0.9, 0.001, 0.5, 0.5, 0.25, 0.999};
        for (const Target target : {Target::sample, Target::population}) {
            const auto all = quantiles(summary.view(), shares, 0.9, target);
            BOOST_REQUIRE_EQUAL(all.size(), shares.size());
            for (std::size_t i = 0; i < shares.size(); ++i) {
                const Quantile one = quantile(summary.view(), shares[i], 0.9, target);
                BOOST_CHECK_EQUAL(all[i].value, one.value);
                BOOST_CHECK_EQUAL(all[i].value, quantile(summary.view(), shares[i]));
                BOOST_CHECK_EQUAL(all[i].interval.lower, one.interval.lower);
                BOOST_CHECK_EQUAL(all[i].interval.upper, one.interval.upper);
            }
        }
        BOOST_CHECK_THROW((void)quantiles(summary.view(), std::vector<double>{0.5, 1}, 0.9, Target::sample),
                          Error);
    }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
