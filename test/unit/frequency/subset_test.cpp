// Subset selection: ε by enumeration, the sampler through every draw, estimates by simulation, and what
// forged reports meet.

#include <cmath>
#include <map>

#include "core/mechanism/frequency/frequency_oracle.hpp"
#include "proof.hpp"
#include "repeated_draws.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(subset_selection)

namespace {

std::unique_ptr<const Mechanism> subset(double epsilon, std::uint64_t k) {
    return mechanism("subset", epsilon, "\"domain\": " + std::to_string(k));
}

std::uint64_t size(const Mechanism& m) {
    for (const auto& [name, value] : m.parameters())
        if (name == "subset_size") return static_cast<std::uint64_t>(value);
    throw std::logic_error("no subset_size");
}

bool is_list(const Mechanism& m) {
    return m.payload_size() < (m.cells()[0] + 7) / 8;
}

Report report(const Mechanism& m, const std::vector<unsigned>& payload) {
    Report bytes(m.block().begin(), m.block().end());
    for (const unsigned byte : payload) bytes.push_back(static_cast<std::byte>(byte));
    return bytes;
}

/// A summary with other counts in its state.
std::vector<std::byte> with_counts(const Mechanism& m, std::vector<std::byte> summary,
                                   const std::vector<std::uint64_t>& counts) {
    const MutableBytes state = MutableBytes(summary).last(m.state_size());
    const std::size_t width = (counts.size() + 7) / 8;
    std::ranges::fill(state, std::byte{0});
    for (std::size_t v = 0; v < counts.size(); ++v)
        if (is_list(m))
            store(state.data() + 8 * v, counts[v]);
        else
            for (std::size_t plane = 0; counts[v] >> plane != 0; ++plane)
                state[plane * width + v / 8] |= static_cast<std::byte>((counts[v] >> plane & 1) << v % 8);
    return summary;
}

/// Responds to below() with every sequence of draws in turn, except the first draw, which `truth`
/// decides.
class EveryDraw final : public BitSource {
  public:
    explicit EveryDraw(bool truth) : truth_(truth) {}
    std::uint64_t word() override { throw std::logic_error("a word was asked for"); }
    std::uint64_t below(std::uint64_t bound) override {
        if (at_++ == 0) return truth_ ? 0 : bound - 1;
        if (at_ - 1 > draws_.size()) draws_.push_back({0, bound});
        BOOST_REQUIRE_EQUAL(draws_[at_ - 2].bound, bound);
        return draws_[at_ - 2].draw;
    }
    /// Turns to the next sequence; false after the last.
    bool next() {
        BOOST_REQUIRE_EQUAL(at_, draws_.size() + 1);
        at_ = 0;
        for (Draw& d : draws_) {
            if (++d.draw < d.bound) return true;
            d.draw = 0;
        }
        return false;
    }

  private:
    struct Draw {
        std::uint64_t draw, bound;
    };
    bool truth_;
    std::size_t at_ = 0;
    std::vector<Draw> draws_;
};

}  // namespace

BOOST_AUTO_TEST_CASE(it_keeps_epsilon, *boost::unit_test::label("slow")) {
    for (const double epsilon : epsilons)
        for (const int k : {2, 3, 5, 8, 9}) prove(*subset(epsilon, static_cast<std::uint64_t>(k)));
    // Lists, of one value and of two, and one whose values take two bytes.
    const struct {
        double epsilon;
        std::uint64_t k, w;
    } lists[] = {{4, 17, 1}, {2.25, 25, 2}, {20, 100, 1}, {10, 257, 1}};
    for (const auto& [epsilon, k, w] : lists) {
        const auto m = subset(epsilon, k);
        BOOST_CHECK(is_list(*m));
        BOOST_CHECK_EQUAL(size(*m), w);
        prove(*m);
    }
}

BOOST_AUTO_TEST_CASE(large_specs_keep_epsilon) {
    for (const double epsilon : epsilons) check_worst_ratio(*subset(epsilon, 65536));
}

BOOST_AUTO_TEST_CASE(every_set_has_the_same_chance) {
    // All sequences of draws: the sets that hold the true value come equally often, and so do the others.
    for (const auto& [epsilon, k] : {std::pair{0.1, 2}, {0.1, 5}, {1.0, 7}, {2.25, 25}}) {
        const auto m = subset(epsilon, static_cast<std::uint64_t>(k));
        for (const Cell value : {Cell{0}, Cell{1}, static_cast<Cell>(k - 1)})
            for (const bool truth : {true, false}) {
                EveryDraw bits(truth);
                std::map<std::vector<std::byte>, int> counts;
                std::vector<std::byte> permanent(m->permanent_size());
                do {
                    m->permanent_response(std::vector<Cell>{value}, {}, bits, permanent);
                    ++counts[permanent];
                } while (bits.next());
                std::size_t sets = 0;
                Exact chance = exact(0, 1);
                for_each_permanent(*m, {}, [&](Bytes set) {
                    const Exact p = m->probability(std::vector<Cell>{value}, {}, set);
                    if (counts.count({set.begin(), set.end()}) == 0) return;
                    BOOST_REQUIRE(sets++ == 0 || p == chance);
                    chance = p;
                });
                BOOST_CHECK_EQUAL(sets, counts.size());
                for (const auto& [set, count] : counts) BOOST_REQUIRE_EQUAL(count, counts.begin()->second);
                // They are as many as there should be: as many as probability() shares the coin among.
                const Exact side = chance * exact(sets, 1);
                const double p = m->parameters()[1].second;
                BOOST_CHECK_CLOSE_FRACTION(static_cast<double>(side), truth ? p : 1 - p, 1e-12);
            }
    }
}

BOOST_AUTO_TEST_CASE(reports_come_as_often_as_stated, *boost::unit_test::label("slow")) {
    check_frequencies_of_reports(*subset(1, 5), std::vector<Cell>{1}, 1);
    check_frequencies_of_reports(*subset(0.5, 9), std::vector<Cell>{8}, 2);
    check_frequencies_of_reports(*subset(2.25, 25), std::vector<Cell>{7}, 3);
}

BOOST_AUTO_TEST_CASE(it_agrees_with_golden_constants) {
    check_golden_oracle("subset");
}

BOOST_AUTO_TEST_CASE(no_other_size_is_better) {
    for (const double epsilon : {0.01, 0.5, 1.0, 2.0, 4.0, 7.0})
        for (const std::uint64_t domain : {2, 3, 10, 100, 777}) {
            // p and q as the papers have them.
            const double e = std::exp(epsilon), k = static_cast<double>(domain);
            double least = INFINITY;
            for (std::uint64_t other = 1; other < domain; ++other) {
                const auto w = static_cast<double>(other);
                const PureProtocol protocol{w * e / (w * e + k - w),
                                            (w * e * (w - 1) + (k - w) * w) / ((k - 1) * (w * e + k - w))};
                least = std::min(least, protocol.n_variance(0));
            }
            BOOST_CHECK_CLOSE_FRACTION(subset(epsilon, domain)->n_variance(0), least, 1e-9);
        }
}

BOOST_AUTO_TEST_CASE(the_shorter_form_is_sent) {
    for (const double epsilon : {0.5, 3.0, 5.0, 9.0})
        for (const std::uint64_t k : {2, 9, 100, 256, 257, 1024, 65536}) {
            const auto m = subset(epsilon, k);
            BOOST_CHECK_EQUAL(m->payload_size(),
                              std::min<std::uint64_t>(size(*m) * cell_width(k), (k + 7) / 8));
        }
}

BOOST_AUTO_TEST_CASE(estimates, *boost::unit_test::label("slow")) {
    check_oracle("subset", 1, 11);
    check_oracle("subset", 3, 12);
}

BOOST_AUTO_TEST_CASE(estimates_from_lists, *boost::unit_test::label("slow")) {
    const auto m = subset(3, 50);
    BOOST_CHECK(is_list(*m) && size(*m) > 1);
    std::vector<std::vector<Cell>> people;
    std::vector<double> truth(50);
    for (Cell i = 0; i < 300; ++i) {
        people.push_back({i < 150 ? 0 : i % 25});
        truth[people.back()[0]] += 1.0 / 300;
    }
    const auto simulation = simulate(*m, people, truth, Quantity::frequencies, 5000, 13);
    simulation.check_unbiased();
    for (const std::size_t v : {0, 1, 49}) simulation.check_variance(v, m->n_variance(truth[v]) / 300);
}

BOOST_AUTO_TEST_CASE(impossible_parameters_are_refused) {
    const auto m = subset(1, 9);
    const auto forged = [&](std::uint32_t k, std::uint32_t w) {
        std::vector<std::byte> block(m->block().begin(), m->block().end());
        store(block.data() + header_size, k);
        store(block.data() + header_size + 4, w);
        return malformed([&] { static_cast<void>(load_mechanism(block, Kind::report)); });
    };
    BOOST_CHECK(!forged(9, 1));
    BOOST_CHECK(!forged(9, 8));
    BOOST_CHECK(!forged(65536, 65535));
    for (const std::uint32_t k : {0u, 1u, 65537u, ~0u}) BOOST_CHECK(forged(k, 1));
    for (const std::uint32_t w : {0u, 9u, 10u, ~0u}) BOOST_CHECK(forged(9, w));
}

BOOST_AUTO_TEST_CASE(impossible_reports_are_refused) {
    const auto bits = subset(1, 9);  // two of nine
    const auto list = subset(2.25, 25);
    BOOST_REQUIRE(!is_list(*bits) && size(*bits) == 2 && is_list(*list) && size(*list) == 2);
    const auto refused = [](const Mechanism& m, const std::vector<unsigned>& payload) {
        OwnedSummary empty(m);
        auto bytes = empty.bytes();
        const Report bad = report(m, payload);
        return malformed([&] { check_report(m, bad); }) && accumulate(m, bytes, bad) == Outcome::malformed &&
               bytes == empty.bytes();
    };
    BOOST_CHECK(!refused(*bits, {0x81, 0}));
    BOOST_CHECK(!refused(*bits, {0x80, 1}));
    for (const auto& bad :
         std::vector<std::vector<unsigned>>{{0, 0}, {1, 0}, {7, 0}, {0xFF, 1}, {1, 2}, {3, 0x80}})
        BOOST_CHECK(refused(*bits, bad));
    BOOST_CHECK(!refused(*list, {0, 1}));
    BOOST_CHECK(!refused(*list, {3, 24}));
    for (const auto& bad :
         std::vector<std::vector<unsigned>>{{1, 0}, {7, 7}, {3, 25}, {25, 26}, {255, 0}, {0, 255}})
        BOOST_CHECK(refused(*list, bad));
}

BOOST_AUTO_TEST_CASE(impossible_states_are_refused) {
    for (const auto& m : {subset(1, 16), subset(2.25, 25)}) {
        // Two reports of one set, so that its values have 2 each, and no more is possible.
        SeededBits bits(21);
        OwnedSummary summary(*m);
        const Report one = m->perturb(std::vector<Cell>{3}, bits);
        for (int i = 0; i < 2; ++i) summary.add(one);
        const auto counts = dynamic_cast<const FrequencyOracle&>(*m).supports(summary.state());
        const auto held = std::ranges::find(counts, 2u) - counts.begin();
        const auto free = std::ranges::find(counts, 0u) - counts.begin();
        const auto accepted = [&](std::vector<std::uint64_t> forged, std::ptrdiff_t less,
                                  std::ptrdiff_t more) {
            --forged[static_cast<std::size_t>(less)];
            ++forged[static_cast<std::size_t>(more)];
            return !malformed([&] { check_summary(*m, with_counts(*m, summary.bytes(), forged)); });
        };
        const auto other = std::find(counts.begin() + held + 1, counts.end(), 2u) - counts.begin();
        BOOST_CHECK(with_counts(*m, summary.bytes(), counts) == summary.bytes());
        BOOST_CHECK(accepted(counts, held, held));
        BOOST_CHECK(accepted(counts, held, free));
        BOOST_CHECK(!accepted(counts, held, other));  // 3 of 2 reports
        auto fewer = counts, more = counts;
        --fewer[static_cast<std::size_t>(held)];
        ++more[static_cast<std::size_t>(free)];
        BOOST_CHECK(!accepted(fewer, other, other));
        BOOST_CHECK(!accepted(more, held, held));
    }
}

BOOST_AUTO_TEST_CASE(health) {
    for (const auto& m : {subset(1, 100), subset(3, 100), subset(20, 4), subset(0.1, 2)})
        for (std::uint64_t seed = 31; seed < 51; ++seed) {
            SeededBits bits(seed);
            OwnedSummary summary(*m);
            for (std::uint64_t i = 0; i < 2000; ++i)
                summary.add(m->perturb(std::vector<Cell>{i * i % m->cells()[0]}, bits));
            BOOST_CHECK_GT(summary.health(), 1e-7);
            if (m->cells()[0] != 100) continue;
            // One set, again and again, starves the values that it leaves out.
            const Report fixed = m->perturb(std::vector<Cell>{0}, bits);
            for (int i = 0; i < 1500; ++i) summary.add(fixed);
            BOOST_CHECK_LT(summary.health(), 1e-6);
        }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
