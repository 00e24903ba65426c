// States of aggregates: lists of few reports, and states as they are sent. Every path leads to the summary that
// counting the reports one by one gives, bit for bit; lists take the memory of their reports; damaged bytes are
// refused.
// Length: both kinds of states meet the same reports, sums and damages.

#include "core/summary/packed_state.hpp"

#include <fstream>

#include "core/base/error.hpp"
#include "core/mechanism/role/registry.hpp"
#include "support.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(states)

namespace {

using State = std::vector<std::byte>;

/// Bytes that a server adds to a state.
constexpr std::size_t outside = 4;

/// A state that grows as the extension's states grow, with its memory counted.
class GrowingState {
  public:
    explicit GrowingState(const Mechanism& mechanism, std::uint64_t reports = 4)
        : lists_(mechanism), bytes_(make(std::min(reports, std::max<std::uint64_t>(lists_.most(), 1)))) {}
    explicit GrowingState(const Mechanism& mechanism, State bytes)
        : lists_(mechanism), bytes_(std::move(bytes)) {}

    void add(Bytes report, const Rounds& rounds) {
        room_for(1);
        need(is_list(bytes_) ? lists_.append(bytes_, report, rounds)
                             : accumulate(lists_.mechanism(), bytes_, report, rounds));
    }
    void add_batch(Bytes batch, const Rounds& rounds) {
        room_for(batch_frame(lists_.mechanism()).count(batch));
        need(is_list(bytes_) ? lists_.append_batch(bytes_, batch, rounds)
                             : accumulate_batch(lists_.mechanism(), bytes_, batch, rounds));
    }
    void add_state(const State& other) {
        if (!is_list(other)) {
            become_summary();
            return need(merge(lists_.mechanism(), bytes_, other));
        }
        room_for(lists_.count(other));
        if (is_list(bytes_))
            lists_.append_list(bytes_, other);
        else
            need(lists_.count_into(bytes_, other));
    }
    [[nodiscard]] State summary() const {
        GrowingState copy(lists_.mechanism(), bytes_);
        copy.become_summary();
        return copy.bytes_;
    }
    /// As another server reads it.
    [[nodiscard]] State sent() const {
        const State& from =
            is_list(bytes_) && packs_as_summary(lists_.mechanism(), bytes_) ? summary() : bytes_;
        State packed(packed_state_bound(from));
        packed.resize(pack_state(lists_.mechanism(), from, packed));
        const Bytes body = packed_body(packed);
        State state(unpacked_size(lists_.mechanism(), body));
        unpack_state(lists_.mechanism(), body, state);
        return state;
    }
    [[nodiscard]] const State& bytes() const { return bytes_; }
    [[nodiscard]] std::size_t allocations() const { return allocations_; }

  private:
    static void need(Outcome outcome) {
        if (outcome != Outcome::ok) throw std::logic_error("a state refused what it should take");
    }
    State make(std::uint64_t reports) {
        ++allocations_;
        const std::size_t size = lists_.size_for(reports, outside);
        State state(size == 0 ? summary_size(lists_.mechanism()) : size);
        size == 0 ? start_summary(lists_.mechanism(), state) : lists_.start(state);
        return state;
    }
    void room_for(std::uint64_t more) {
        if (!is_list(bytes_) || more <= lists_.room(bytes_)) return;
        State larger = make(lists_.count(bytes_) + more);
        if (is_list(larger))
            lists_.append_list(larger, bytes_);
        else
            need(lists_.count_into(larger, bytes_));
        bytes_ = std::move(larger);
    }
    void become_summary() {
        if (!is_list(bytes_)) return;
        State whole(summary_size(lists_.mechanism()));
        start_summary(lists_.mechanism(), whole);
        need(lists_.count_into(whole, bytes_));
        bytes_ = std::move(whole);
    }

    ReportList lists_;
    std::size_t allocations_ = 0;
    State bytes_;
};

std::vector<Report> reports(const Mechanism& mechanism, std::size_t n, std::uint64_t seed) {
    SeededBits bits(seed);
    Perturber perturber(mechanism);
    std::vector<Report> all;
    for (std::size_t i = 0; i < n; ++i) {
        std::vector<Cell> input;
        for (const std::uint64_t cells : mechanism.cells()) input.push_back(bits.below(cells));
        all.push_back(perturber.perturb(input, bits));
    }
    return all;
}

const char* const specs[] = {
    R"({"mechanism": "grr", "epsilon": 1, "domain": 1024})",
    R"({"mechanism": "oue", "epsilon": 1, "domain": 256})",
    R"({"mechanism": "olh", "epsilon": 1, "domain": 1024})",
    R"({"mechanism": "sampled", "epsilon": 1, "attributes": [{"name": "a", "domain": 100},
        {"name": "b", "min": 0, "max": 100}, {"name": "c", "domain": 64, "mechanism": "oue"}]})",
    R"({"mechanism": "sampled", "epsilon": 2, "report_epsilon": 1, "evolving": {}, "budget": {"epsilon": 5},
        "attributes": [{"name": "a", "domain": 100}, {"name": "b", "domain": 300}]})",
    R"({"mechanism": "strings", "epsilon": 2, "attributes": [{"name": "a", "strings": {"alphabet": "ab", "max_length": 6}}]})",
    R"({"mechanism": "joint", "epsilon": 1, "attributes": [{"name": "a", "domain": 16}, {"name": "b", "domain": 16},
        {"name": "c", "domain": 16}]})",
    R"({"mechanism": "joint_haar", "epsilon": 1, "attributes": [{"name": "a", "domain": 16}, {"name": "b", "domain": 16}]})",
    R"({"mechanism": "pdp", "epsilon": 1, "min": 0, "max": 1})",
};

}  // namespace

BOOST_AUTO_TEST_CASE(every_path_leads_to_the_same_summary) {
    for (const char* spec : specs) {
        BOOST_TEST_CONTEXT(spec) {
            const auto made = mechanism(spec);
            const ReportList lists(*made);
            const std::size_t most = lists.most();
            BOOST_CHECK_EQUAL(most == 0, std::string_view(spec).find("pdp") != std::string_view::npos);
            for (const std::size_t n : {std::size_t{1}, std::size_t{5}, most, most + 1, 2 * most + 3}) {
                if (n == 0) continue;
                const std::vector<Report> all = reports(*made, n, 7 * n + 1);
                const auto round = [](std::size_t i) {
                    return Rounds::only(static_cast<std::int32_t>(i % 5));
                };
                OwnedSummary expected(*made);
                GrowingState rows(*made), halves[2]{GrowingState(*made), GrowingState(*made)}, batches(*made);
                for (std::size_t i = 0; i < n; ++i) {
                    expected.add(all[i], round(i));
                    rows.add(all[i], round(i));
                    halves[i % 3 == 0 ? 0 : 1].add(all[i], round(i));
                }
                for (int r = 0; r < 5; ++r) {
                    std::vector<Report> of_round;
                    for (std::size_t i = static_cast<std::size_t>(r); i < n; i += 5)
                        of_round.push_back(all[i]);
                    if (!of_round.empty()) batches.add_batch(pack(*made, of_round)[0], Rounds::only(r));
                }
                BOOST_CHECK_EQUAL(is_list(rows.bytes()), n <= most);
                const State& whole = expected.bytes();
                BOOST_CHECK(rows.summary() == whole);
                BOOST_CHECK(batches.summary() == whole);
                BOOST_CHECK(GrowingState(*made, rows.sent()).summary() == whole);
                // Every combination of forms, in both orders, before and after they were sent.
                for (const int first : {0, 1})
                    for (const bool dense_first : {false, true})
                        for (const bool dense_other : {false, true})
                            for (const bool sent : {false, true}) {
                                const GrowingState& a = halves[first];
                                const GrowingState& b = halves[1 - first];
                                GrowingState sum(*made, dense_first ? a.summary()
                                                        : sent      ? a.sent()
                                                                    : a.bytes());
                                sum.add_state(dense_other ? GrowingState(*made, b.summary()).sent()
                                              : sent      ? b.sent()
                                                          : b.bytes());
                                BOOST_CHECK(sum.summary() == whole);
                            }
                GrowingState nothing(*made);
                nothing.add_state(rows.bytes());
                BOOST_CHECK(nothing.summary() == whole);
                BOOST_CHECK(GrowingState(*made, GrowingState(*made).sent()).summary() ==
                            OwnedSummary(*made).bytes());
            }
        }
    }
}

namespace {

State packed_summary(const Mechanism& mechanism, const State& summary) {
    State packed(packed_state_bound(summary));
    packed.resize(pack_state(mechanism, summary, packed));
    return packed;
}

/// Adds a summary in the short form to another summary.
void add_packed(const Mechanism& mechanism, State& sum, const State& packed) {
    const PackedSum sums(mechanism);
    State memory(sums.memory(), std::byte{0xA5});
    sums.add(sum, packed_body(packed), memory);
}

}  // namespace

BOOST_AUTO_TEST_CASE(states_in_the_short_form_add_up) {
    std::vector<std::string> all(std::begin(specs), std::end(specs));
    // The bits of 10 values take 2 bytes for each digit, so that the counters behind them are not aligned.
    all.emplace_back(
        R"({"mechanism": "sampled", "epsilon": 1, "attributes": [{"name": "a", "domain": 10, "mechanism": "oue"},
        {"name": "b", "domain": 100}, {"name": "c", "min": 0, "max": 100}, {"name": "d", "domain": 300}]})");
    std::ifstream file("test/data/vectors.txt");  // specs of all mechanisms, each with four more lines
    std::size_t line = 0;
    for (std::string text; std::getline(file, text); ++line)
        if (line % 5 == 0) all.push_back(text);
    BOOST_REQUIRE_GT(all.size(), registry().size());
    std::size_t direct = 0;
    for (const std::string& spec : all) BOOST_TEST_CONTEXT(spec) {
            const auto made = mechanism(spec.c_str());
            OwnedSummary expected(*made);
            std::vector<State> parts;
            for (const std::uint64_t part : {0, 1, 2, 3}) {
                OwnedSummary counted(*made);
                SeededBits bits(part + 31);
                // One part has no reports.
                for (std::uint64_t i = 0; i < 60 * part; ++i) {
                    std::vector<Cell> input;
                    for (const std::uint64_t cells : made->input_cells()) input.push_back(bits.below(cells));
                    const Report report = made->perturb(input, bits);
                    const Rounds rounds = Rounds::only(static_cast<std::int32_t>(i % (part + 2)));
                    counted.add(report, rounds);
                    expected.add(report, rounds);
                }
                parts.push_back(counted.bytes());
            }
            State sum = parts[3];
            for (const std::size_t part : {0, 2, 1})
                add_packed(*made, sum, packed_summary(*made, parts[part]));
            BOOST_CHECK(sum == expected.bytes());
            State first(summary_size(*made));
            const State sent = packed_summary(*made, parts[1]);
            unpack_unchecked(*made, packed_body(sent), first);
            BOOST_CHECK(first == parts[1]);
            check_packed_form(*made, packed_body(sent));
            direct += PackedSum(*made).memory() < summary_size(*made) / 2 ? 1 : 0;
        }
    BOOST_CHECK_GT(direct, 10u);
}

BOOST_AUTO_TEST_CASE(sums_of_damaged_states_are_refused_or_checked) {
    std::size_t refused = 0, unlike = 0, taken = 0;
    for (const char* spec : specs) {
        const auto made = mechanism(spec);
        if (summary_size(*made) > 20000) continue;
        GrowingState one(*made), other(*made);
        for (const Report& each : reports(*made, 40, 5)) one.add(each, Rounds::only(2));
        for (const Report& each : reports(*made, 50, 6)) other.add(each, Rounds::only(3));
        const State packed = packed_summary(*made, one.summary());
        for (std::size_t size = 1; size < packed.size(); ++size) {
            State sum = other.summary();
            BOOST_REQUIRE(malformed([&] {
                add_packed(*made, sum,
                           State(packed.begin(), packed.begin() + static_cast<std::ptrdiff_t>(size)));
            }));
        }
        SeededBits bits(8);
        for (std::size_t i = 1; i < packed.size(); ++i) {
            State damaged = packed, sum = other.summary();
            damaged[i] ^= static_cast<std::byte>(1 + bits.below(255));
            if (malformed([&] { add_packed(*made, sum, damaged); })) {
                ++refused;
                BOOST_REQUIRE(malformed([&] { check_packed_form(*made, packed_body(damaged)); }));
                continue;
            }
            (malformed([&] { check_summary(*made, sum); }) ? unlike : taken) += 1;
        }
    }
    // All happen: another form, counters that no reports give, and counters of other reports.
    BOOST_CHECK_GT(refused, 500u);
    BOOST_CHECK_GT(unlike, 500u);
    BOOST_CHECK_GT(taken, 10u);
}

BOOST_AUTO_TEST_CASE(sums_in_the_short_form_have_a_limit) {
    const auto made = mechanism(specs[0]);
    GrowingState one(*made);
    for (const Report& each : reports(*made, 3, 5)) one.add(each, Rounds::only(2));
    const State packed = packed_summary(*made, one.summary());
    State sum = one.summary();
    const std::size_t block = made->block().size();
    store<std::uint64_t>(sum.data() + block, max_count - 3);
    BOOST_CHECK_NO_THROW(add_packed(*made, sum, packed));
    BOOST_CHECK_EQUAL(load<std::uint64_t>(sum.data() + block), max_count);
    BOOST_CHECK_EXCEPTION(add_packed(*made, sum, packed), Error,
                          [](const Error& error) { return error.code() == ErrorCode::full; });
}

BOOST_AUTO_TEST_CASE(lists_take_the_memory_of_their_reports) {
    const auto made = mechanism(specs[0]);
    const ReportList lists(*made);
    BOOST_CHECK_EQUAL(lists.most(), 1024u);  // 2 bytes each, a quarter of 1,024 counters
    const std::vector<Report> all = reports(*made, 1025, 3);
    GrowingState state(*made);
    for (std::size_t i = 0; i < 1024; ++i) {
        state.add(all[i], Rounds::unrecorded());
        const std::size_t used = outside + lists.size(i + 1);
        BOOST_REQUIRE_LE(state.bytes().size() + outside, std::max<std::size_t>(64, 2 * used));
    }
    BOOST_CHECK_EQUAL(state.bytes().size(), lists.size(1024));
    BOOST_CHECK_LE(state.allocations(), 7u);  // 64, 128, …, 2,048, and the most
    GrowingState ten(*made);
    for (std::size_t i = 0; i < 10; ++i) ten.add(all[i], Rounds::unrecorded());
    BOOST_CHECK_EQUAL(ten.bytes().size() + outside, 128u);
    BOOST_CHECK_EQUAL(summary_size(*made), 28u + 16u + 8192u);
    // Of every mechanism, a list of the most reports takes less than half of the summary.
    for (const char* spec : specs) {
        const auto other = mechanism(spec);
        const ReportList of(*other);
        BOOST_CHECK_EQUAL(of.size_for(of.most() + 1, outside), 0u);
        if (of.most() == 0) continue;
        const std::size_t counters = summary_size(*other) - of.size(0);
        BOOST_CHECK_LE(of.size_for(of.most(), outside) - of.size(0), counters / 4);
    }
}

BOOST_AUTO_TEST_CASE(lists_refuse_what_summaries_refuse) {
    const auto made = mechanism(specs[1]), other = mechanism(specs[0]);
    const ReportList lists(*made);
    const std::vector<Report> all = reports(*made, 3, 1);
    State list(lists.size(4));
    lists.start(list);
    BOOST_REQUIRE(lists.fits(list) && lists.room(list) == 4 && lists.takes_one(list));
    State filled(lists.size(0));
    lists.start(filled);
    BOOST_CHECK(lists.fits(filled) && !lists.takes_one(filled) && !lists.takes_one(Bytes(filled).first(40)));
    BOOST_CHECK(lists.append(list, all[0], Rounds::only(1)) == Outcome::ok);
    const State before = list;
    BOOST_CHECK(lists.append(list, reports(*other, 1, 1)[0], Rounds::only(1)) == Outcome::mismatch);
    BOOST_CHECK(lists.append(list, Bytes(all[1]).first(all[1].size() - 1), Rounds::only(1)) ==
                Outcome::malformed);
    BOOST_CHECK(lists.append_batch(list, pack(*other, reports(*other, 2, 1))[0], Rounds::only(1)) ==
                Outcome::mismatch);
    std::vector<std::byte> batch = pack(*made, std::vector<Report>(all.begin() + 1, all.end()))[0];
    batch.pop_back();
    BOOST_CHECK(lists.append_batch(list, batch, Rounds::only(1)) == Outcome::malformed);
    const auto odd = mechanism(R"({"mechanism": "oue", "epsilon": 1, "domain": 250})");
    const ReportList odd_lists(*odd);
    State odd_list(odd_lists.size(2));
    odd_lists.start(odd_list);
    Report impossible = reports(*odd, 1, 1)[0];
    impossible.back() |= std::byte{0x80};  // a bit past the last value
    BOOST_CHECK(odd_lists.append(odd_list, impossible, Rounds::only(1)) == Outcome::malformed);
    BOOST_CHECK(odd_lists.count(odd_list) == 0 && list == before);
    // Forged: more reports than bytes, and a payload that no report has.
    State forged = list;
    store<std::uint64_t>(forged.data() + made->block().size(), 5);
    BOOST_CHECK(!lists.fits(forged));
    State dense(summary_size(*odd));
    start_summary(*odd, dense);
    odd_list.back() = std::byte{0xFF};
    store<std::uint64_t>(odd_list.data() + odd->block().size(), 2);
    BOOST_CHECK(odd_lists.count_into(dense, odd_list) == Outcome::malformed);
    BOOST_CHECK(malformed([&] { odd_lists.check(odd_list); }));
    // Full.
    State full(summary_size(*made));
    start_summary(*made, full);
    store<std::uint64_t>(full.data() + made->block().size(), max_count);
    BOOST_CHECK(lists.count_into(full, list) == Outcome::full);
}

BOOST_AUTO_TEST_CASE(damaged_states_are_refused) {
    std::size_t refused = 0, taken = 0;
    for (const char* spec : specs) {
        const auto made = mechanism(spec);
        if (summary_size(*made) > 20000) continue;
        const ReportList lists(*made);
        for (const std::size_t n : {std::size_t{3}, std::size_t{lists.most() + 1}}) {
            GrowingState state(*made);
            for (const Report& each : reports(*made, n, 5)) state.add(each, Rounds::only(2));
            State packed(packed_state_bound(state.bytes()));
            packed.resize(pack_state(*made, state.bytes(), packed));
            /// Whether damaged bytes are refused as a server refuses them; otherwise they are a state.
            const auto refuses = [&](Bytes damaged) {
                return malformed([&] {
                    const Bytes body = packed_body(damaged);
                    const auto loaded = load_mechanism(body, is_list(body) ? Kind::report : Kind::summary);
                    // A damaged block may be that of a larger state, which a server limits.
                    if (summary_size(*loaded) > 4 * summary_size(*made))
                        raise(ErrorCode::malformed, "too large");
                    State found(unpacked_size(*loaded, body));
                    unpack_state(*loaded, body, found);
                    if (is_list(found)) found = GrowingState(*loaded, found).summary();
                    check_summary(*loaded, found);
                });
            };
            BOOST_CHECK(!refuses(packed));
            for (std::size_t size = 0; size < packed.size(); ++size)
                BOOST_REQUIRE(refuses(Bytes(packed).first(size)));
            State longer = packed;
            longer.push_back({});
            BOOST_CHECK(refuses(longer));
            for (std::size_t i = 0; i < packed.size(); ++i)
                for (const unsigned flip : {0x01, 0x80, 0xFF}) {
                    State damaged = packed;
                    damaged[i] ^= static_cast<std::byte>(flip);
                    (refuses(damaged) ? refused : taken) += 1;
                }
            State version = packed;
            version[0] = std::byte{2};
            BOOST_CHECK(refuses(version));
        }
    }
    // Both happen: a payload may become that of another report.
    BOOST_CHECK_GT(refused, 1000u);
    BOOST_CHECK_GT(taken, 100u);
    // Bytes that are not a state are not packed.
    const auto made = mechanism(specs[0]);
    State state(summary_size(*made) - 1);
    std::ranges::copy(made->block(), state.begin());
    set_kind(state, Kind::summary);
    State packed(packed_state_bound(state));
    BOOST_CHECK(malformed([&] { (void)pack_state(*made, state, packed); }));
}

BOOST_AUTO_TEST_CASE(impossible_states_are_refused) {
    const auto made = mechanism(specs[0]);
    GrowingState state(*made);
    for (const Report& each : reports(*made, 1100, 9)) state.add(each, Rounds::only(1));
    State bytes = state.summary();
    const auto refused = [&] {
        State packed(packed_state_bound(bytes));
        packed.resize(pack_state(*made, bytes, packed));
        const Bytes body = packed_body(packed);
        State found(unpacked_size(*made, body));
        return malformed([&] { unpack_state(*made, body, found); });
    };
    BOOST_CHECK(!refused());
    add<std::uint64_t>(bytes.data() + bytes.size() - 8, 1);  // the counters sum to another number
    BOOST_CHECK(refused());
}

BOOST_AUTO_TEST_CASE(states_count_more_than_2_to_the_32_reports) {
    const auto made = mechanism(specs[0]);
    GrowingState few(*made), rest(*made);
    const std::vector<Report> all = reports(*made, 20, 13);
    for (std::size_t i = 0; i < all.size(); ++i) (i < 11 ? few : rest).add(all[i], Rounds::only(1));
    BOOST_REQUIRE(is_list(rest.bytes()));
    // The summary of each of the first 11 reports 2^31 times.
    constexpr std::uint64_t times = std::uint64_t{1} << 31;
    State large = few.summary();
    const std::size_t block = made->block().size(), counters = ReportList(*made).size(0);
    const auto multiply = [&](std::size_t at) {
        store(large.data() + at, times * load<std::uint64_t>(large.data() + at));
    };
    multiply(block);
    for (std::size_t at = counters; at < large.size(); at += sizeof(std::uint64_t)) multiply(at);
    GrowingState sum(*made, GrowingState(*made, large).sent());
    BOOST_CHECK(sum.bytes() == large);
    sum.add_state(rest.sent());
    sum.add_state(large);
    const State whole = sum.summary();
    BOOST_CHECK_EQUAL(load<std::uint64_t>(whole.data() + block), 22 * times + 9);
    BOOST_CHECK_NO_THROW(check_summary(*made, whole));
}

BOOST_AUTO_TEST_CASE(states_are_sent_in_few_bytes) {
    const auto size = [](const char* spec, std::size_t n) {
        const auto made = mechanism(spec);
        GrowingState state(*made);
        for (const Report& each : reports(*made, n, 11)) state.add(each, Rounds::unrecorded());
        const State from = is_list(state.bytes()) && packs_as_summary(*made, state.bytes()) ? state.summary()
                                                                                            : state.bytes();
        State packed(packed_state_bound(from));
        return pack_state(*made, from, packed) * 100 / summary_size(*made);
    };
    // Percent of the summary.
    BOOST_CHECK_LE(size(specs[0], 10), 1u);
    BOOST_CHECK_LE(size(specs[0], 500), 8u);
    BOOST_CHECK_LE(size(specs[0], 5000), 11u);
    BOOST_CHECK_LE(size(specs[6], 5000), 35u);
    BOOST_CHECK_LE(size(specs[5], 2000), 20u);
}

// The mechanisms of the last two specs are kept, each for its own summaries.
BOOST_AUTO_TEST_CASE(a_thread_keeps_the_mechanisms_of_two_summaries) {
    std::vector<State> summaries;
    for (const char* domain : {"4", "5", "6"}) {
        const auto m = mechanism("grr", 1, std::string("\"domain\": ") + domain);
        start_summary(*m, summaries.emplace_back(summary_size(*m)));
    }
    const auto first = mechanism_of(summaries[0]);
    const std::weak_ptr<const Mechanism> second = mechanism_of(summaries[1]);
    BOOST_CHECK_EQUAL(mechanism_of(summaries[0]), first);
    BOOST_CHECK_EQUAL(mechanism_of(summaries[1]), second.lock());
    BOOST_CHECK_EQUAL(mechanism_of(summaries[0]), first);
    BOOST_CHECK_EQUAL(mechanism_of(summaries[2])->cells()[0], 6);
    BOOST_CHECK(second.expired());
    BOOST_CHECK_EQUAL(mechanism_of(summaries[0]), first);
    BOOST_CHECK_EQUAL(mechanism_of(summaries[1])->cells()[0], 5);
    // A report of the same spec is no summary.
    SeededBits bits(1);
    const Cell input[] = {0};
    const Report report = mechanism("grr", 1, "\"domain\": 4")->perturb(input, bits);
    BOOST_CHECK_THROW((void)mechanism_of(report), Error);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
