// Reports, batches and summaries: what is counted adds up exactly, and hostile bytes are refused, never
// believed.
// Length: every mechanism has a row in one list of examples.

#include "core/format/header.hpp"

#include "core/base/error.hpp"
#include "core/summary/batch.hpp"
#include "core/summary/moving_window.hpp"
#include "core/summary/queries/string_queries.hpp"
#include "support.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(format)

namespace {

std::vector<std::unique_ptr<const Mechanism>> examples() {
    std::vector<std::unique_ptr<const Mechanism>> all;
    all.push_back(mechanism("grr", 1, "\"domain\": 300"));
    all.push_back(mechanism("oue", 1, "\"domain\": 75"));
    all.push_back(mechanism("sue", 1, "\"domain\": 75"));
    all.push_back(mechanism("subset", 1, "\"domain\": 75"));   // bits
    all.push_back(mechanism("subset", 4, "\"domain\": 300"));  // a list
    all.push_back(mechanism("blh", 1, "\"domain\": 75"));
    all.push_back(mechanism("olh", 7, "\"domain\": 75"));  // two bytes for a bucket
    all.push_back(mechanism("hadamard", 1, "\"domain\": 300"));
    all.push_back(mechanism("projective", 1, "\"domain\": 300"));
    for (const char* name : {"piecewise", "laplace", "duchi"})
        all.push_back(mechanism(name, 1, "\"min\": -2, \"max\": 3"));
    all.push_back(mechanism("pdp", 2, "\"min\": 0, \"max\": 1e6, \"grid\": 1000"));
    all.push_back(mechanism("haar", 1, unit_attributes(11)));
    all.push_back(mechanism("rappor", 1, R"("domain": 20, "filter_bits": 12, "cohorts": 3)"));
    all.push_back(mechanism("laplace", 0.001, "\"min\": 0, \"max\": 1, \"grid\": 1048576"));
    all.push_back(mechanism("optional_mean", 2, R"("min": -2, "max": 3, "missing": true)"));
    for (const char* rest : {R"("domain": 75, "most": 2)", R"("domain": 60, "most": 60)",
                             R"("domain": 300, "most": 3)", R"("domain": 9, "response": "one_label")"})
        all.push_back(mechanism("label_sets", 2, R"("several": true, )" + std::string(rest)));
    for (const char* missing : {"", R"(, "missing": true)"})
        all.push_back(mechanism("means_by_group", 1,
                                R"("attributes": [{"name": "g", "domain": 200},
            {"name": "x", "min": 0, "max": 20)" +
                                    std::string(missing) + "}]"));
    all.push_back(mechanism("means_by_group", 2,
                            R"("report_epsilon": 1, "attributes": [{"name": "g", "domain": 9},
            {"name": "x", "min": 0, "max": 20}])"));
    all.push_back(mechanism("ring", 1, R"("min": 0, "max": 24, "circular": true)"));
    all.push_back(
        mechanism("ring", 4, R"("min": 0, "max": 24, "circular": true, "grid": 64, "optimize_for": "arcs")"));
    all.push_back(mechanism("onebit", 1, "\"min\": 0, \"max\": 24"));
    all.push_back(mechanism("hybrid", 0.5, "\"min\": -2, \"max\": 3"));
    all.push_back(mechanism("hybrid", 1, "\"min\": -2, \"max\": 3"));
    all.push_back(mechanism("optimal", 0.5, "\"min\": -2, \"max\": 3"));
    all.push_back(mechanism("optimal", 4, R"("min": -2, "max": 3, "criterion": "average")"));
    all.push_back(mechanism("optimal", 4, R"("min": -2, "max": 3, "report_epsilon": 1)"));
    for (const char* candidate :
         {"laplace", "duchi", "hybrid", R"(duchi", "report_epsilon": 0.5, "optimize_for": "mean)"})
        all.push_back(mechanism("haar", 1,
                                unit_attributes(5) + ", \"randomizer\": \"" + std::string(candidate) + "\""));
    all.push_back(mechanism("square_wave", 1, "\"min\": 0, \"max\": 1, \"grid\": 100"));
    for (const double epsilon : {1, 8})
        all.push_back(mechanism("sampled", epsilon, R"("attributes": [{"name": "a", "min": 0, "max": 1},
            {"name": "b", "domain": 300, "mechanism": "grr", "weight": 4}, {"name": "c", "domain": 20, "mechanism": "olh"},
            {"name": "d", "domain": 20, "mechanism": "olh"}, {"name": "e", "domain": 75, "mechanism": "oue"}])"));
    all.push_back(mechanism("duchi_vector", 1, unit_attributes(11)));
    all.push_back(mechanism("gaussian", 1, unit_attributes(5) + R"(, "delta": 1e-9, "norm": 1)"));
    all.push_back(mechanism("ball", 1, unit_attributes(5) + R"(, "norm": 1)"));
    all.push_back(mechanism("ball", 10, unit_attributes(6)));  // 1024 codewords
    all.push_back(mechanism("haar_ranges", 1, unit_attributes(6)));
    all.push_back(mechanism("haar", 1, unit_attributes(3) + R"(, "details": "global")"));
    all.push_back(
        mechanism("haar", 1, unit_attributes(12) + R"(, "details": "global", "randomizer": "hybrid")"));
    all.push_back(
        mechanism("haar", 1,
                  unit_attributes(3) +
                      R"(, "optimize_for": "ranges", "coefficients": [[-1, 1], [-0.5, 0], [-0.5, 0]])"));
    all.push_back(mechanism("haar_ordered", 1, "\"domain\": 75"));
    all.push_back(mechanism("haar_ordered", 4, "\"min\": 0, \"max\": 100, \"grid\": 100"));
    all.push_back(mechanism("tree", 1, "\"domain\": 75"));
    all.push_back(mechanism("tree", 4, "\"min\": 0, \"max\": 100, \"grid\": 100"));
    all.push_back(mechanism("tree", 2, R"("min": 0, "max": 100, "grid": 50, "missing": true)"));
    all.push_back(mechanism("haar_ordered", 2, R"("min": 0, "max": 9, "grid": 9, "missing": true)"));
    all.push_back(mechanism("dithered", 1, R"("domain": 75, "order": "circle")"));
    all.push_back(mechanism("dithered", 4, R"("min": 0, "max": 100, "grid": 1000, "buckets": 3)"));
    all.push_back(mechanism("dithered", 4, R"("min": 0, "max": 100, "report_epsilon": 1)"));
    for (const char* views :
         {"", R"(, "marginals": [["a"], ["a", "b"], ["b", "c"]])", R"(, "marginals": "triples")",
          R"(, "one_way_share": 0.5)", R"(, "one_way_share": 0.5, "report_epsilon": 0.7)"})
        all.push_back(mechanism("joint", 1,
                                R"("attributes": [{"name": "a", "domain": 2}, {"name": "b", "domain": 20},
            {"name": "c", "min": 0, "max": 1, "bins": 5}])" +
                                    std::string(views)));
    for (const char* told : {"", R"(, "marginals": [["a"], ["b", "c"]])", R"(, "people": 100000)"})
        all.push_back(mechanism("joint_haar", 3,
                                R"("attributes": [{"name": "a", "domain": 2}, {"name": "b", "domain": 20},
            {"name": "c", "min": 0, "max": 1, "bins": 5}])" +
                                    std::string(told)));
    all.push_back(mechanism("l_grr", 1, "\"domain\": 300"));
    all.push_back(mechanism("l_sue", 1, "\"domain\": 75"));
    all.push_back(mechanism("l_osue", 1, "\"domain\": 75, \"report_epsilon\": 0.9"));
    all.push_back(mechanism("loloha", 2, "\"domain\": 75"));
    all.push_back(mechanism("dbitflip", 1, "\"domain\": 75, \"bits_per_report\": 12"));
    all.push_back(mechanism("dbitflip", 1, "\"domain\": 400, \"buckets\": 300, \"bits_per_report\": 1"));
    all.push_back(
        mechanism("rappor", 1, R"("domain": 20, "filter_bits": 12, "cohorts": 3, "report_epsilon": 0.7)"));
    all.push_back(mechanism("ddrm", 1, R"("domain": 2, "rounds": 8)"));
    all.push_back(mechanism("ddrm", 4, R"("domain": 20, "rounds": 11, "changes": 3)"));
    all.push_back(mechanism("strings", 1, R"("strings": {"alphabet": "a-z0-9 ", "max_length": 12})"));
    all.push_back(
        mechanism("strings", 4,
                  R"("strings": {"alphabet": "ab", "max_length": 5}, "level_step": 2, "hash_buckets": 300)"));
    all.push_back(mechanism("threshold_series", 2, R"("min": 0, "max": 9, "grid": 64, "rounds": 8)"));
    all.push_back(mechanism("threshold_series", 4,
                            R"("min": -2, "max": 9, "thresholds": 128, "rounds": 11, "changes": 3)"));
    all.push_back(mechanism("exponential", 1, "\"domain\": 75, \"columns\": 10, \"max_distance\": 2"));
    all.push_back(mechanism("exponential", 4, "\"domain\": 300, \"max_distance\": 3"));  // two bytes a report
    return all;
}

/// Whether all payloads of the right size are possible: any seed of a codebook with any of 256 codewords.
bool has_any_payload(const Mechanism& m) {
    return find_mechanism(m.header().mechanism)->name == std::string("ball") && m.payload_size() == 9;
}

std::vector<Report> random_reports(const Mechanism& m, std::size_t n, std::uint64_t seed) {
    SeededBits bits(seed);
    std::vector<Report> reports;
    for (std::size_t i = 0; i < n; ++i) {
        std::vector<Cell> input;
        for (const auto cells : m.cells()) input.push_back(bits.below(cells));
        reports.push_back(m.perturb(input, bits));
    }
    return reports;
}

/// Bytes as the server meets them: loaded and checked like the input functions do.
void take_report(Bytes bytes) {
    const auto m = load_mechanism(bytes, Kind::report);
    check_report(*m, bytes);
}
void take_summary(Bytes bytes) {
    const auto m = load_mechanism(bytes, Kind::summary);
    check_summary(*m, bytes);
}
void take_batch(Bytes bytes) {
    const auto m = load_mechanism(bytes, Kind::batch);
    check_batch(*m, bytes);
}

bool refused(void (*take)(Bytes), Bytes bytes) {
    try {
        take(bytes);
        return false;
    } catch (const Error& error) {
        BOOST_CHECK(error.code() == ErrorCode::malformed || error.code() == ErrorCode::invalid_spec);
        return true;
    }
}

/// Whether the summary has estimates, or says that its parameters allow none.
bool can_be_asked(const Mechanism& m, Bytes summary) {
    try {
        if (m.can_estimate(Quantity::strings)) {
            constexpr Cell codes[] = {0, 1};
            return shares_of_strings(view_of(m, summary), 0, codes, Target::population).size() == 2;
        }
        return !estimate(view_of(m, summary), {m.answers()[0]}).empty();
    } catch (const Error& error) {
        return error.code() == ErrorCode::unsupported;
    }
}

}  // namespace

BOOST_AUTO_TEST_CASE(parts_add_up_to_the_whole) {
    for (const auto& m : examples()) {
        OwnedSummary whole(*m), first(*m), second(*m), backwards(*m);
        const auto reports = random_reports(*m, 400, 7);
        for (std::size_t i = 0; i < reports.size(); ++i) {
            whole.add(reports[i]);
            backwards.add(reports[reports.size() - 1 - i]);
            (i % 3 == 0 ? first : second).add(reports[i]);
        }
        second.merge(first.bytes());
        BOOST_CHECK(second.bytes() == whole.bytes());
        BOOST_CHECK(backwards.bytes() == whole.bytes());
        BOOST_CHECK_EQUAL(whole.view().n, 400u);
        BOOST_CHECK_NO_THROW(take_summary(whole.bytes()));
        for (const Report& report : reports) BOOST_CHECK_NO_THROW(take_report(report));
    }
}

BOOST_AUTO_TEST_CASE(what_was_added_is_taken_out_again) {
    const auto of_rounds = [](const Mechanism& m, std::int32_t first, std::int32_t last) {
        OwnedSummary summary(m);
        std::uint64_t seed = static_cast<std::uint64_t>(first);
        for (std::int32_t round = first; round <= last; ++round)
            for (const Report& report : random_reports(m, 20, ++seed))
                summary.add(report, Rounds::only(round));
        return summary;
    };
    for (const auto& m : examples()) {
        OwnedSummary rest(*m), part(*m);
        for (const Report& report : random_reports(*m, 200, 28)) rest.add(report);
        for (const Report& report : random_reports(*m, 150, 29)) part.add(report);
        OwnedSummary whole(*m);
        whole.merge(part.bytes());
        whole.merge(rest.bytes());
        std::vector<std::byte> left = whole.bytes();
        BOOST_CHECK(subtract(*m, left, part.bytes()));
        BOOST_CHECK(left == rest.bytes());
        // Nothing would be left, or less than that.
        BOOST_CHECK(!subtract(*m, left, rest.bytes()) && left == rest.bytes());
        BOOST_CHECK(!subtract(*m, left, whole.bytes()) && left == rest.bytes());
    }
    // The rounds are known if the part lies inside them. If it has the first or the last round, the
    // neighbouring one is unknown.
    const auto m = mechanism("grr", 1, "\"domain\": 4"), other = mechanism("grr", 2, "\"domain\": 4");
    OwnedSummary ends = of_rounds(*m, 3, 3), inside = of_rounds(*m, 4, 6), whole = of_rounds(*m, 7, 7);
    ends.merge(of_rounds(*m, 7, 7).bytes());
    whole.merge(of_rounds(*m, 3, 3).bytes());
    whole.merge(inside.bytes());
    std::vector<std::byte> left = whole.bytes();
    BOOST_CHECK(subtract(*m, left, inside.bytes()) && left == ends.bytes());
    for (const auto& [first, last] : {std::pair{3, 3}, {7, 7}, {3, 4}, {6, 7}}) {
        left = whole.bytes();
        BOOST_CHECK(!subtract(*m, left, of_rounds(*m, first, last).bytes()) && left == whole.bytes());
    }
    BOOST_CHECK(!subtract(*m, left, of_rounds(*other, 4, 4).bytes()) && left == whole.bytes());
}

BOOST_AUTO_TEST_CASE(a_batch_counts_what_its_reports_count) {
    for (const auto& m : examples()) {
        OwnedSummary one_by_one(*m), told(*m);
        const auto reports = random_reports(*m, 100, 24);
        for (const Report& report : reports) {
            one_by_one.add(report);
            told.add(report, Rounds::only(7));
        }
        const auto batches = pack(*m, reports);
        BOOST_REQUIRE_EQUAL(batches.size(), 1u);
        BOOST_CHECK_NO_THROW(take_batch(batches[0]));
        BOOST_CHECK_EQUAL(batches[0].size(), m->block().size() + 4 + 100 * m->payload_size());
        std::vector<std::byte> counted = OwnedSummary(*m).bytes(), in_round = counted;
        BOOST_CHECK(accumulate_batch(*m, counted, batches[0]) == Outcome::ok);
        BOOST_CHECK(counted == one_by_one.bytes());
        BOOST_CHECK(accumulate_batch(*m, in_round, batches[0], Rounds::only(7)) == Outcome::ok);
        BOOST_CHECK(in_round == told.bytes());

        // Payloads are what they were, in an order that is not that of the reports.
        const std::vector<Report> backwards(reports.rbegin(), reports.rend());
        BOOST_CHECK(pack(*m, backwards) == batches);
        // Nor is it that of the batches that were made one.
        const auto some = pack(*m, std::span(reports).first(30)),
                   others = pack(*m, std::span(reports).last(70));
        const Bytes both[] = {others[0], some[0]};
        BOOST_CHECK(merge(*m, both) == batches);
        const BatchFrame frame = batch_frame(*m);
        std::vector<Report> back;
        for (std::size_t i = 0; i < reports.size(); ++i) {
            Report report = frame_report(m->block(), 0);
            const Bytes payload = frame.payload(batches[0], i);
            report.insert(report.end(), payload.begin(), payload.end());
            back.push_back(report);
        }
        std::vector<Report> sorted = reports;
        std::ranges::sort(sorted);
        BOOST_CHECK(back == sorted);
    }
}

/// A batch of these reports in the given order, which batches of clients do not have.
std::vector<std::byte> unsorted_batch(const Mechanism& m, std::span<const Report> reports) {
    const BatchFrame frame = batch_frame(m);
    std::vector<std::byte> batch(frame.size(reports.size()));
    frame.start(batch, m.block(), static_cast<std::uint32_t>(reports.size()));
    auto at = frame.payloads(MutableBytes(batch)).begin();
    for (const Report& report : reports) at = std::ranges::copy(payload_of(Bytes(report), m.block()), at).out;
    return batch;
}

BOOST_AUTO_TEST_CASE(batches_of_all_sizes_and_orders_count_the_same_on_every_path) {
    auto all = examples();
    // With the signal of a spent budget, which follows each payload.
    for (
        const char* attributes :
        {R"("mechanism": "oue", "domain": 75)",
         R"("mechanism": "sampled", "attributes": [{"name": "a", "domain": 300, "mechanism": "grr"}, {"name": "b", "domain": 9, "mechanism": "oue"}])"}) {
        all.push_back(mechanism(R"({"epsilon": 1, "evolving": {}, "budget": {"epsilon": 9}, )" +
                                std::string(attributes) + "}"));
        BOOST_REQUIRE(has_signal(*all.back()));
    }
    for (const auto& m : all) {
        auto reports = random_reports(*m, 530, 27);
        for (std::size_t i = 0; has_signal(*m) && i < reports.size(); ++i)
            reports[i].back() = static_cast<std::byte>(i % 3 == 0);
        for (const std::size_t size : {1u, 15u, 16u, 33u, 530u}) {
            const std::span<const Report> some = std::span(reports).last(size);
            OwnedSummary one_by_one(*m);
            {
                const Portable path;
                for (const Report& report : some) one_by_one.add(report);
            }
            const std::vector<std::byte> batches[] = {pack(*m, some)[0], unsorted_batch(*m, some)};
            for (const std::vector<std::byte>& batch : batches) {
                std::vector<std::byte> counted = OwnedSummary(*m).bytes(), portable = counted;
                BOOST_CHECK(accumulate_batch(*m, counted, batch) == Outcome::ok);
                const Portable path;
                BOOST_CHECK(accumulate_batch(*m, portable, batch) == Outcome::ok);
                BOOST_CHECK(counted == one_by_one.bytes());
                BOOST_CHECK(portable == one_by_one.bytes());
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(an_impossible_payload_is_refused_anywhere_in_a_batch) {
    for (const auto& m : examples()) {
        const BatchFrame frame = batch_frame(*m);
        const auto reports = random_reports(*m, 600, 28);
        SeededBits bits(29);
        for (int trial = 0; trial < 120; ++trial) {
            // Large batches are counted in blocks.
            const std::size_t size = trial % 4 < 2 ? 40 : 600;
            std::vector<std::byte> forged = pack(*m, std::span(reports).first(size))[0];
            const std::size_t i = bits.below(size);
            const MutableBytes payload =
                frame.payloads(MutableBytes(forged)).subspan(i * m->payload_size(), m->payload_size());
            payload[bits.below(payload.size())] =
                static_cast<std::byte>(trial % 2 == 0 ? 0xFF : bits.below(256));
            const bool valid = m->valid_payload(payload);
            std::vector<std::byte> state = OwnedSummary(*m).bytes();
            BOOST_CHECK((accumulate_batch(*m, state, forged) == Outcome::ok) == valid);
        }
    }
}

BOOST_AUTO_TEST_CASE(forged_batches_are_refused) {
    for (const auto& m : examples()) {
        const BatchFrame frame = batch_frame(*m);
        const auto reports = random_reports(*m, 30, 25);
        const std::vector<std::byte> batch = pack(*m, reports)[0];
        const auto with_count = [&](std::uint32_t count) {
            std::vector<std::byte> forged = batch;
            store(forged.data() + m->block().size(), count);
            return forged;
        };
        for (const std::uint32_t count : {0u, 29u, 31u, 1u << 31, ~0u})
            BOOST_CHECK(refused(take_batch, with_count(count)));
        for (std::size_t size = 0; size < batch.size(); ++size)
            BOOST_CHECK(refused(take_batch, Bytes(batch).first(size)));
        std::vector<std::byte> longer = batch;
        longer.push_back(std::byte{0});
        BOOST_CHECK(refused(take_batch, longer));
        std::vector<std::byte> last = batch;
        std::fill(last.end() - static_cast<std::ptrdiff_t>(m->payload_size()), last.end(), std::byte{0xFF});
        BOOST_CHECK(refused(take_batch, last) != has_any_payload(*m));
        BOOST_CHECK(refused(take_batch, reports[0]));
        BOOST_CHECK(refused(take_report, batch));

        // Neither order nor anything else of a batch is free.
        const Bytes first = frame.payload(batch, 0), other = frame.payload(batch, 29);
        if (!std::ranges::equal(first, other)) {
            std::vector<std::byte> swapped = batch;
            std::ranges::copy(other, frame.payloads(MutableBytes(swapped)).begin());
            std::ranges::copy(first, frame.payloads(MutableBytes(swapped)).last(first.size()).begin());
            BOOST_CHECK(refused(take_batch, swapped));
        }
        std::vector<std::byte> state = OwnedSummary(*m).bytes();
        const auto empty = state;
        BOOST_CHECK(accumulate_batch(*m, state, with_count(31)) == Outcome::malformed && state == empty);
        BOOST_CHECK(accumulate_batch(*m, state, last) ==
                    (has_any_payload(*m) ? Outcome::ok : Outcome::malformed));
        state = empty;
        BOOST_CHECK(accumulate_batch(*m, state, reports[0]) == Outcome::mismatch && state == empty);
        store<std::uint64_t>(state.data() + m->block().size(), max_count - 29);
        const auto nearly_full = state;
        BOOST_CHECK(accumulate_batch(*m, state, batch) == Outcome::full && state == nearly_full);
        BOOST_CHECK(accumulate_batch(*m, state, pack(*m, std::span(reports).first(29))[0]) == Outcome::ok);
    }
}

BOOST_AUTO_TEST_CASE(what_one_batch_has_no_room_for_is_several) {
    const auto m = mechanism("oue", 1, "\"domain\": 65536");  // 8192 bytes a report
    const std::size_t most = batch_frame(*m).most();
    BOOST_CHECK_EQUAL(most, 2048u);
    const std::vector<Report> reports(2 * most + 1, random_reports(*m, 1, 26)[0]);
    const auto batches = pack(*m, reports);
    BOOST_REQUIRE_EQUAL(batches.size(), 3u);
    std::uint64_t packed = 0;
    for (const auto& batch : batches) packed += batch_frame(*m).count(batch);
    BOOST_CHECK_EQUAL(packed, reports.size());
    BOOST_CHECK_NO_THROW(take_batch(batches[0]));
    const Report foreign = random_reports(*mechanism("oue", 2, "\"domain\": 65536"), 1, 27)[0];
    BOOST_CHECK_EXCEPTION(static_cast<void>(pack(*m, std::vector{reports[0], foreign})), Error,
                          [](const Error& error) { return error.code() == ErrorCode::incompatible; });
    BOOST_CHECK(pack(*m, {}).empty());
}

BOOST_AUTO_TEST_CASE(a_report_has_one_length) {
    for (const auto& m : examples())
        for (const Report& report : random_reports(*m, 50, 8))
            BOOST_CHECK_EQUAL(report.size(), m->block().size() + m->payload_size());
}

BOOST_AUTO_TEST_CASE(blocks_build_the_mechanism_they_came_from) {
    for (const auto& m : examples()) {
        const auto again = load_mechanism(m->block(), Kind::report);
        BOOST_CHECK(again->parameters() == m->parameters());
        BOOST_CHECK(again->cells() == m->cells());
        BOOST_CHECK_EQUAL(describe(again->block()), describe(m->block()));
    }
}

BOOST_AUTO_TEST_CASE(every_truncation_and_extension_is_refused) {
    for (const auto& m : examples()) {
        const Report report = random_reports(*m, 1, 9)[0];
        OwnedSummary summary(*m);
        summary.add(report);
        for (std::size_t size = 0; size < report.size(); ++size)
            BOOST_REQUIRE(refused(take_report, Bytes(report).first(size)));
        for (std::size_t size = 0; size < summary.bytes().size(); size += size < 100 ? 1 : 97)
            BOOST_REQUIRE(refused(take_summary, Bytes(summary.bytes()).first(size)));
        for (auto longer : {report, summary.bytes()}) {
            auto* take = longer.size() == report.size() ? take_report : take_summary;
            longer.push_back(std::byte{0});
            BOOST_CHECK(refused(take, longer));
        }
        BOOST_CHECK(refused(take_summary, report));
        BOOST_CHECK(refused(take_report, summary.bytes()));
    }
}

BOOST_AUTO_TEST_CASE(reserved_and_unknown_fields_are_refused) {
    for (const auto& m : examples()) {
        const Report good = random_reports(*m, 1, 10)[0];
        for (const std::size_t at : {0, 1, 2, 3}) {
            Report bad = good;
            bad[at] = std::byte{0x7E};
            BOOST_CHECK(refused(take_report, bad));
        }
        Report usual = good;  // the usual min_group is not written
        store(usual.data() + 6, usual_min_group);
        BOOST_CHECK(refused(take_report, usual));
        for (const double epsilon : {0.0, -1.0, 21.0, std::numeric_limits<double>::quiet_NaN(),
                                     std::numeric_limits<double>::infinity()}) {
            Report bad = good;
            store(bad.data() + 16, epsilon);
            BOOST_CHECK(refused(take_report, bad));
        }
    }
}

BOOST_AUTO_TEST_CASE(damaged_bytes_never_crash) {
    // Whatever passes the checks must be safe to count, to merge and to estimate from.
    SeededBits bits(11);
    for (const auto& m : examples()) {
        const Report report = random_reports(*m, 1, 12)[0];
        OwnedSummary summary(*m);
        for (const Report& r : random_reports(*m, 20, 13)) summary.add(r);
        for (int round = 0; round < 3000; ++round) {
            for (const bool is_report : {true, false}) {
                std::vector<std::byte> bytes = is_report ? report : summary.bytes();
                for (std::uint64_t hits = 1 + bits.below(3); hits > 0; --hits)
                    bytes[bits.below(bits.below(2) == 0 ? std::min<std::size_t>(bytes.size(), 64)
                                                        : bytes.size())] =
                        static_cast<std::byte>(bits.word());
                if (refused(is_report ? take_report : take_summary, bytes)) continue;
                const auto loaded = load_mechanism(bytes, is_report ? Kind::report : Kind::summary);
                // Legal, and too slow to be asked so often.
                if (summary_size(*loaded) > 1 << 20 || loaded->cost().per_answer > 1e6) continue;
                std::vector<std::byte> state(summary_size(*loaded));
                start_summary(*loaded, state);
                const Outcome outcome =
                    is_report ? accumulate(*loaded, state, bytes) : merge(*loaded, state, bytes);
                BOOST_REQUIRE(outcome == Outcome::ok);
                if (view_of(*loaded, state).n > 0) BOOST_REQUIRE(can_be_asked(*loaded, state));
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(forged_counts_are_refused) {
    for (const auto& m : examples()) {
        OwnedSummary summary(*m);
        for (const Report& report : random_reports(*m, 20, 14)) summary.add(report);
        std::vector<std::byte> fewer = summary.bytes();
        store<std::uint64_t>(fewer.data() + m->block().size(), 1);
        BOOST_CHECK(refused(take_summary, fewer));
        std::vector<std::byte> endless = summary.bytes();
        store<std::uint64_t>(endless.data() + m->block().size(), max_count + 1);
        BOOST_CHECK(refused(take_summary, endless));
        std::vector<std::byte> wild = summary.bytes();
        std::fill(wild.begin() + static_cast<std::ptrdiff_t>(m->block().size()) + 16, wild.end(),
                  std::byte{0xFF});
        BOOST_CHECK(refused(take_summary, wild));
        // Reports are of some round, and rounds are those of some report.
        std::vector<std::byte> never = summary.bytes(), early(OwnedSummary(*m).bytes());
        store<std::int32_t>(never.data() + m->block().size() + 8, 3);
        store<std::int32_t>(never.data() + m->block().size() + 12, 2);
        BOOST_CHECK(refused(take_summary, never));
        store<std::int32_t>(early.data() + m->block().size() + 8, 1);
        store<std::int32_t>(early.data() + m->block().size() + 12, 1);
        BOOST_CHECK(refused(take_summary, early));
    }
}

BOOST_AUTO_TEST_CASE(foreign_reports_change_nothing) {
    const auto all = examples();
    for (const auto& m : all) {
        OwnedSummary summary(*m);
        const Report own = random_reports(*m, 1, 15)[0];
        summary.add(own);
        for (const auto& other : all) {
            if (other == m) continue;
            std::vector<std::byte> bytes = summary.bytes();
            const Report foreign = random_reports(*other, 1, 16)[0];
            OwnedSummary foreign_summary(*other);
            BOOST_CHECK(accumulate(*m, bytes, foreign) == Outcome::mismatch);
            BOOST_CHECK(merge(*m, bytes, foreign_summary.bytes()) == Outcome::mismatch);
            BOOST_CHECK(bytes == summary.bytes());
            BOOST_CHECK_EXCEPTION(raise_incompatible(own, foreign), Error, [&](const Error& error) {
                return error.detail().find(describe(own)) != std::string::npos &&
                       error.detail().find(describe(foreign)) != std::string::npos;
            });
        }
    }
}

BOOST_AUTO_TEST_CASE(impossible_payloads_and_full_summaries_are_refused) {
    for (const auto& m : examples()) {
        if (has_any_payload(*m)) continue;
        OwnedSummary empty(*m);
        std::vector<std::byte> bytes = empty.bytes();
        Report forged = random_reports(*m, 1, 17)[0];
        std::fill(forged.begin() + static_cast<std::ptrdiff_t>(m->block().size()), forged.end(),
                  std::byte{0xFF});
        BOOST_CHECK(accumulate(*m, bytes, forged) == Outcome::malformed);
        BOOST_CHECK(refused(take_report, forged));
        BOOST_CHECK(bytes == empty.bytes());
        store<std::uint64_t>(bytes.data() + m->block().size(), max_count);
        const auto full = bytes;
        BOOST_CHECK(accumulate(*m, bytes, random_reports(*m, 1, 18)[0]) == Outcome::full);
        OwnedSummary one(*m);
        one.add(random_reports(*m, 1, 19)[0]);
        BOOST_CHECK(merge(*m, bytes, one.bytes()) == Outcome::full);
        BOOST_CHECK(bytes == full);
    }
}

BOOST_AUTO_TEST_CASE(questions_without_an_answer_say_what_is_offered) {
    const auto oracle = mechanism("grr", 1, "\"domain\": 4");
    OwnedSummary summary(*oracle);
    BOOST_CHECK_EXCEPTION(static_cast<void>(summary.estimate(Quantity::frequencies)), Error,
                          [](const Error& error) { return error.code() == ErrorCode::invalid_value; });
    summary.add(random_reports(*oracle, 1, 20)[0]);
    BOOST_CHECK_EXCEPTION(static_cast<void>(summary.estimate(Quantity::means)), Error,
                          [](const Error& error) {
                              return error.code() == ErrorCode::unsupported &&
                                     error.hint().find("frequencies") != std::string::npos;
                          });
}

BOOST_AUTO_TEST_CASE(inputs_of_the_wrong_shape_are_refused) {
    SeededBits bits(21);
    const auto m = mechanism("haar", 1, unit_attributes(3) + ", \"grid\": 10");
    BOOST_CHECK_THROW(static_cast<void>(m->perturb(std::vector<Cell>{1, 2}, bits)), Error);
    BOOST_CHECK_THROW(static_cast<void>(m->perturb(std::vector<Cell>{1, 2, 11}, bits)), Error);
    BOOST_CHECK_NO_THROW(static_cast<void>(m->perturb(std::vector<Cell>{1, 2, 10}, bits)));
}

BOOST_AUTO_TEST_CASE(hexadecimal_round_trips) {
    std::vector<std::byte> bytes;
    for (int i = 0; i < 256; ++i) bytes.push_back(static_cast<std::byte>(i));
    const std::string text = to_hex(bytes);
    std::vector<std::byte> back(bytes.size());
    BOOST_REQUIRE(from_hex(text, back.data()));
    BOOST_CHECK(back == bytes);
    for (const char* bad : {"0", "0g", "g0", " 0", "0x"}) BOOST_CHECK(!from_hex(bad, back.data()));
}

BOOST_AUTO_TEST_CASE(intervals) {
    const Interval bar = interval({10, 2}, 0.95);
    BOOST_CHECK_CLOSE_FRACTION(bar.lower, 10 - 2 * 1.959963984540054, 1e-12);
    BOOST_CHECK_CLOSE_FRACTION(bar.upper, 10 + 2 * 1.959963984540054, 1e-12);
    BOOST_CHECK_GT(interval({0, 1}, 0.9999999999999998).upper, 8.1);
    // The last share is below 1, but the probability of its upper end rounds to 1 in double precision.
    for (const double confidence :
         {0.0, 1.0, -1.0, 2.0, std::numeric_limits<double>::quiet_NaN(), 0.9999999999999999})
        BOOST_CHECK_EXCEPTION(static_cast<void>(interval({0, 1}, confidence)), Error,
                              [](const Error& error) { return error.code() == ErrorCode::invalid_value; });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
