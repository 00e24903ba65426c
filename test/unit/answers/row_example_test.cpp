// The example of CONTRIBUTING.md: a new function of summaries is one function in one file, and one declaration. This one
// estimates the difference between the largest and the smallest share of an attribute's values.

#include <cmath>
#include <optional>
#include <set>
#include <string>

#include "core/contract/labels.hpp"
#include "core/results/estimate_rows.hpp"
#include "core/results/row_functions.hpp"
#include "support.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(row_example)

namespace {

constexpr auto spread_columns = answer_columns();

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
        row.put("statistic", "spread");
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
    constexpr std::string_view proportion[] = {"proportion"};
    SummaryQuery together = query;
    together.statistics = proportion;
    together.simultaneous = true;
    const auto shares = accessors::estimate(subject, together);
    Spreads found;
    for (std::size_t i = 0; i < shares->count(); ++i) {
        const std::string attribute = shares->cell(i, "attribute").text;
        if (found.rows.empty() || found.rows.back().attribute != attribute)
            found.rows.push_back({attribute, shares->cell(i, "note").text, -INFINITY, INFINITY, -INFINITY,
                                  -INFINITY, INFINITY, INFINITY,
                                  static_cast<std::uint64_t>(shares->cell(i, "n").whole)});
        Spreads::SpreadRow& row = found.rows.back();
        const auto number = [&](const char* column) {
            const ResultCell& cell = shares->cell(i, column);
            return cell.known ? cell.number : unknown;
        };
        row.high = std::max(row.high, number("estimate"));
        row.low = std::min(row.low, number("estimate"));
        row.highest_lower = std::max(row.highest_lower, number("lower"));
        row.highest_upper = std::max(row.highest_upper, number("upper"));
        row.lowest_lower = std::min(row.lowest_lower, number("lower"));
        row.lowest_upper = std::min(row.lowest_upper, number("upper"));
    }
    found.count = found.rows.size();
    return results<spread_columns>(std::move(found));
}

// The declaration. In the product it is a line of row_functions(), from which hosts take names, types and defaults.
constexpr QueryParameter of_spread[] = {{"confidence", &SummaryQuery::confidence},
                                        {"target", &SummaryQuery::target},
                                        {"attributes", &SummaryQuery::attributes}};
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
    const auto of = [](Results& found, std::size_t row, const char* column) {
        return found.cell(row, column).number;
    };
    // The estimate of a share is (count/n − q)/(p − q) with p = e²/(e² + 2) and q = 1/(e² + 2).
    const double p = std::exp(2.0) / (std::exp(2.0) + 2), q = 1 / (std::exp(2.0) + 2);
    BOOST_CHECK_CLOSE_FRACTION(of(*rows, 0, "estimate"), 0.5 / (p - q), 1e-9);
    BOOST_CHECK_LT(of(*rows, 0, "lower"), of(*rows, 0, "estimate"));
    BOOST_CHECK_GT(of(*rows, 0, "upper"), of(*rows, 0, "estimate"));
    BOOST_CHECK_EQUAL(rows->cell(0, "n").whole, 100);
    // Less confidence gives a shorter interval, whose ends are those of the shares.
    SummaryQuery query = declaration.defaults;
    query.confidence = 0.5;
    const auto shorter = declaration.rows(subject, query);
    BOOST_CHECK_GT(of(*shorter, 0, "lower"), of(*rows, 0, "lower"));
    BOOST_CHECK_LT(of(*shorter, 0, "upper"), of(*rows, 0, "upper"));
    query.simultaneous = true;
    const auto shares = row_function("estimate").rows(subject, query);
    BOOST_CHECK_EQUAL(shares->cell(0, "source").text, shorter->cell(0, "source").text);
    BOOST_CHECK_CLOSE_FRACTION(of(*shorter, 0, "lower"), of(*shares, 0, "lower") - of(*shares, 2, "upper"),
                               1e-9);
    BOOST_CHECK_CLOSE_FRACTION(of(*shorter, 0, "upper"), of(*shares, 0, "upper") - of(*shares, 2, "lower"),
                               1e-9);
}

// The source of rows is the same for other answers of as many people, until there are enough reports to show them.
BOOST_AUTO_TEST_CASE(sources_do_not_reveal_small_groups) {
    const auto grr = mechanism("grr", 2, R"("domain": 3, "min_group": 20)");
    for (const std::size_t people : {19U, 20U}) {
        std::set<std::string> sources;
        for (std::size_t first = 0; first < people; ++first) {
            OwnedSummary summary(*grr);
            for (std::size_t i = 0; i < people; ++i) {
                std::vector<std::byte> report(grr->block().begin(), grr->block().end());
                report.push_back(static_cast<std::byte>(i < first ? 0 : 1));
                summary.add(report);
            }
            const RowFunction& function = row_function("estimate");
            sources.insert(
                function.rows({.summary = summary.bytes()}, function.defaults)->cell(0, "source").text);
        }
        BOOST_TEST(sources.size() == (people < 20 ? 1U : people));
    }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
