// Cross tables that people are divided among: what a report can be, and what is put together from the tables.

#include "core/mechanism/vector/joint.hpp"
#include "core/joint/tables.hpp"
#include "proof.hpp"

namespace {

using namespace ldp;
using namespace ldp::test;

const std::string three = R"("attributes": [{"name": "a", "domain": 2}, {"name": "b", "domain": 3},
    {"name": "c", "min": 0, "max": 10, "edges": [1, 4]}])";

/// A person's record under these shares of all 2·3·3 records, which are not independent of each other.
std::vector<double> records() {
    std::vector<double> shares(18);
    double all = 0;
    for (std::size_t i = 0; i < shares.size(); ++i)
        all += shares[i] = 1 + static_cast<double>((5 * i + i * i / 3) % 7);
    for (double& share : shares) share /= all;
    return shares;
}

std::vector<Cell> record_of(std::size_t i) {
    return {i / 9, i / 3 % 3, i % 3};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(joint)

BOOST_AUTO_TEST_CASE(views_are_all_sets_or_those_listed) {
    const auto views = [](const std::string& told) {
        const auto m = mechanism("joint", 1, three + told);
        return find_capability<JointViews>(*m)->views();
    };
    using Views = std::vector<std::vector<std::size_t>>;
    BOOST_CHECK((views("") == Views{{0, 1}, {0, 2}, {1, 2}}));
    BOOST_CHECK((views(R"(, "views": "triples")") == Views{{0, 1, 2}}));
    BOOST_CHECK((views(R"(, "views": [["c", "a"], ["b"], ["b", "a"]])") == Views{{1}, {0, 1}, {0, 2}}));
    // Of five attributes, in order.
    std::string five = R"("attributes": [)";
    for (const char* name : {"a", "b", "c", "d", "e"})
        five += std::string(*name == 'a' ? "" : ", ") + R"({"name": ")" + name + R"(", "domain": 2})";
    const auto m = mechanism("joint", 1, five + R"(], "views": "triples")");
    const Views triples = find_capability<JointViews>(*m)->views();
    Views expected;
    for (std::size_t i = 0; i < 5; ++i)
        for (std::size_t j = i + 1; j < 5; ++j)
            for (std::size_t k = j + 1; k < 5; ++k) expected.push_back({i, j, k});
    BOOST_CHECK(triples == expected);
}

BOOST_AUTO_TEST_CASE(every_view_keeps_epsilon) {
    for (const double epsilon : epsilons)
        for (const char* told : {"", R"(, "views": [["a"], ["a", "b"], ["c"]])", R"(, "target": "ranges")"})
            prove(*mechanism("joint", epsilon, three + told));
}

BOOST_AUTO_TEST_CASE(tables_of_all_views_are_unbiased_and_as_sure_as_they_say) {
    const auto m = mechanism("joint", 2, three);
    constexpr int people = 6000, runs = 60;
    const std::vector<double> truth = records();
    SeededBits bits(71);
    std::vector<double> mean, square;
    std::vector<Table> last;
    for (int run = 0; run < runs; ++run) {
        OwnedSummary summary(*m);
        for (std::size_t i = 0; i < truth.size(); ++i)
            for (int person = 0; person < std::lround(truth[i] * people); ++person)
                summary.draw(record_of(i), bits);
        last = tables(summary.view());
        std::size_t at = 0;
        for (const Table& table : last)
            for (const double share : table.shares) {
                if (run == 0) mean.push_back(0), square.push_back(0);
                mean[at] += share / runs;
                square[at++] += share * share / runs;
            }
    }
    BOOST_REQUIRE_EQUAL(last.size(), 3U);
    std::size_t at = 0;
    for (const Table& table : last) {
        double measured = 0, cells = 0;
        std::vector<double> expected(table.shares.size());
        for (std::size_t i = 0; i < truth.size(); ++i) {
            const std::vector<Cell> record = record_of(i);
            const std::size_t cell =
                record[table.attributes[0]] * table.sizes[1] + record[table.attributes[1]];
            expected[cell] += static_cast<double>(std::lround(truth[i] * people));
        }
        double all = 0;
        for (const double count : expected) all += count;
        for (const double count : expected) {
            const double variance = square[at] - mean[at] * mean[at];
            // Ten standard errors: of so many cells one is further off once in 10^20 runs.
            BOOST_CHECK_SMALL(mean[at] - count / all, 10 * std::sqrt(variance / runs));
            measured += variance;
            ++cells;
            ++at;
        }
        // The mean of a table's cells' variances, each of 59 degrees of freedom.
        BOOST_CHECK_CLOSE(measured / cells, table.variance * (1 - 1 / cells), 35);
    }
}

BOOST_AUTO_TEST_SUITE_END()
