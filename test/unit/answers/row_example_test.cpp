// The example of CONTRIBUTING.md: a new function of summaries is one function in one file, and one declaration. This one
// estimates the difference between the largest and the smallest share of an attribute's values.

#include <cmath>
#include <optional>
#include <string>

#include "core/contract/labels.hpp"
#include "core/results/estimate_rows.hpp"
#include "core/results/row_functions.hpp"
#include "support.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(row_example)

namespace {

constexpr ResultColumn spread_columns[] = {{"attribute", ColumnType::text}, {"estimate", ColumnType::number},
                                           {"lower", ColumnType::number},   {"upper", ColumnType::number},
                                           {"n", ColumnType::bigint},       {"note", ColumnType::text}};

struct Spreads {
    struct SpreadRow {
        std::string attribute, note;
        double high, low, highest_lower, highest_upper, lowest_lower, lowest_upper;
        std::uint64_t n;
    };

    std::vector<SpreadRow> rows = {};
    std::size_t count = 0;

    template <class Row>
    void write(Row& row, std::size_t number) const {
        const SpreadRow& one = rows[number];
        row.put("attribute", one.attribute);
        row.put("estimate", one.high - one.low);
        row.put("lower", std::max(0.0, one.highest_lower - one.lowest_upper));
        row.put("upper", one.highest_upper - one.lowest_lower);
        row.put("n", one.n);
        if (!one.note.empty()) row.put("note", one.note);
    }
};

/// The shares have simultaneous intervals, so with their confidence all contain the shares. Then the largest share is between the
/// largest lower end and the largest upper end, and the smallest share is between the smallest ends.
std::unique_ptr<Results> spread(const Subject& subject, const SummaryQuery& query) {
    constexpr auto text = ColumnType::text, number = ColumnType::number;
    SummaryQuery together = query;
    together.method = "none";
    together.simultaneous = true;
    const auto shares = accessors::frequencies(subject, together);
    Spreads found;
    for (std::size_t i = 0; i < shares->count(); ++i) {
        const auto cells = shares->row(i);
        const std::string& attribute = cells[result_column<estimate_columns>("attribute", text)].text;
        const ResultCell& estimate = cells[result_column<estimate_columns>("estimate", number)];
        const ResultCell& lower = cells[result_column<estimate_columns>("lower", number)];
        const ResultCell& upper = cells[result_column<estimate_columns>("upper", number)];
        if (found.rows.empty() || found.rows.back().attribute != attribute)
            found.rows.push_back(
                {attribute, cells[result_column<estimate_columns>("note", text)].text, -INFINITY, INFINITY,
                 -INFINITY, -INFINITY, INFINITY, INFINITY,
                 static_cast<std::uint64_t>(
                     cells[result_column<estimate_columns>("n", ColumnType::bigint)].whole)});
        Spreads::SpreadRow& row = found.rows.back();
        row.high = std::max(row.high, estimate.known ? estimate.number : unknown);
        row.low = std::min(row.low, estimate.known ? estimate.number : unknown);
        row.highest_lower = std::max(row.highest_lower, lower.known ? lower.number : unknown);
        row.highest_upper = std::max(row.highest_upper, upper.known ? upper.number : unknown);
        row.lowest_lower = std::min(row.lowest_lower, lower.known ? lower.number : unknown);
        row.lowest_upper = std::min(row.lowest_upper, upper.known ? upper.number : unknown);
    }
    found.count = found.rows.size();
    return results<spread_columns>(std::move(found));
}

// The declaration. In the product it is a line of row_functions(), from which hosts take names, types and defaults.
constexpr QueryParameter of_spread[] = {{"confidence", &SummaryQuery::confidence},
                                        {"target", &SummaryQuery::target},
                                        {"attribute", &SummaryQuery::attribute}};
constexpr RowFunction declaration{"spread", spread, of_spread};

}  // namespace

// 60, 30 and 10 of 100 reports support the three values of grr.
BOOST_AUTO_TEST_CASE(it_agrees_with_the_shares) {
    const auto grr = mechanism("grr", 2, R"("domain": 3)");
    OwnedSummary summary(*grr);
    const int counts[] = {60, 30, 10};
    for (int value = 0; value < 3; ++value)
        for (int i = 0; i < counts[value]; ++i) {
            std::vector<std::byte> report(grr->block().begin(), grr->block().end());
            report.push_back(static_cast<std::byte>(value));
            summary.add(report);
        }
    const Subject subject{.summary = summary.bytes()};
    const auto rows = declaration.find(subject, declaration.defaults);
    BOOST_REQUIRE_EQUAL(rows->count(), 1U);
    const auto cells = rows->row(0);
    // The estimate of a share is (count/n − q)/(p − q) with p = e²/(e² + 2) and q = 1/(e² + 2).
    const double p = std::exp(2.0) / (std::exp(2.0) + 2), q = 1 / (std::exp(2.0) + 2);
    BOOST_CHECK_CLOSE_FRACTION(cells[1].number, 0.5 / (p - q), 1e-9);
    BOOST_CHECK_LT(cells[2].number, cells[1].number);
    BOOST_CHECK_GT(cells[3].number, cells[1].number);
    BOOST_CHECK_EQUAL(cells[4].whole, 100);
    // Less confidence gives a shorter interval, whose ends are those of the shares.
    SummaryQuery query = declaration.defaults;
    query.confidence = 0.5;
    const auto shorter = declaration.find(subject, query);
    const auto ends = shorter->row(0);
    BOOST_CHECK_GT(ends[2].number, cells[2].number);
    BOOST_CHECK_LT(ends[3].number, cells[3].number);
    query.method = "none";
    query.simultaneous = true;
    const auto shares = row_function("proportions").find(subject, query);
    constexpr std::size_t lower = result_column<estimate_columns>("lower", ColumnType::number);
    constexpr std::size_t upper = result_column<estimate_columns>("upper", ColumnType::number);
    const double from = shares->row(0)[lower].number, to = shares->row(0)[upper].number;
    const double least_from = shares->row(2)[lower].number, least_to = shares->row(2)[upper].number;
    BOOST_CHECK_CLOSE_FRACTION(ends[2].number, from - least_to, 1e-9);
    BOOST_CHECK_CLOSE_FRACTION(ends[3].number, to - least_from, 1e-9);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
