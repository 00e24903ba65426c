// Cross tables that people are divided among: what a report can be, and what is put together from the tables.
//
// Length: all cases use the same records, views and enumerated variances.

#include <Eigen/Dense>
#include <cmath>
#include <random>

#include "core/base/error.hpp"
#include "core/contract/attributes.hpp"
#include "core/contract/labels.hpp"
#include "core/mechanism/frequency/frequency_oracle.hpp"
#include "core/mechanism/joint/joint.hpp"
#include "core/tables/marginal.hpp"
#include "core/tables/measured.hpp"
#include "proof.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(joint)

namespace {

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

/// The share of a box of some of the attributes.
double share_in(const std::vector<double>& shares, const std::vector<std::size_t>& attributes,
                const Combined::Box& box) {
    double all = 0;
    for (std::size_t i = 0; i < shares.size(); ++i) {
        bool inside = true;
        for (std::size_t a = 0; a < attributes.size(); ++a)
            inside = inside && box[a][record_of(i)[attributes[a]]];
        all += inside ? shares[i] : 0;
    }
    return all;
}

/// Estimates of one question in many runs, against what they estimate.
class EstimateRuns {
  public:
    void add(const Estimate& estimate, double truth) {
        const double z = (estimate.value - truth) / estimate.standard_error;
        ++runs_;
        sum_ += z;
        squares_ += z * z;
    }
    /// The errors are those stated, by the mean and the mean square of this number of errors, each of
    /// which exceeds its tolerance once in 10^8.
    void check() const {
        BOOST_CHECK_SMALL(sum_ / std::sqrt(runs_), 5.8);
        BOOST_CHECK_SMALL((squares_ - runs_) / std::sqrt(2 * runs_), 5.8);
    }

  private:
    double runs_ = 0, sum_ = 0, squares_ = 0;
};

std::vector<Table> tables_of(const OwnedSummary& summary) {
    return std::get<std::vector<Table>>(measured(summary.view()));
}

}  // namespace

BOOST_AUTO_TEST_CASE(views_are_all_sets_or_those_listed) {
    const auto views = [](const std::string& options) {
        const auto m = mechanism("joint", 1, three + options);
        return find_capability<JointViews>(*m)->views();
    };
    using Views = std::vector<std::vector<std::size_t>>;
    BOOST_CHECK((views("") == Views{{0, 1}, {0, 2}, {1, 2}}));
    BOOST_CHECK((views(R"(, "marginals": "triples")") == Views{{0, 1, 2}}));
    BOOST_CHECK((views(R"(, "marginals": [["c", "a"], ["b"], ["b", "a"]])") == Views{{1}, {0, 1}, {0, 2}}));
    BOOST_CHECK((views(R"(, "one_way_share": 0.5)") == Views{{0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}}));
    for (const char* wrong :
         {R"(, "one_way_share": 0.95)", R"(, "marginals": [["a", "b"], ["c"]], "one_way_share": 0.5)"})
        BOOST_CHECK_THROW(static_cast<void>(views(wrong)), Error);
    // Of five attributes, in order.
    std::string five = R"("attributes": [)";
    for (const char* name : {"a", "b", "c", "d", "e"})
        five += std::string(*name == 'a' ? "" : ", ") + R"({"name": ")" + name + R"(", "domain": 2})";
    const auto m = mechanism("joint", 1, five + R"(], "marginals": "triples")");
    const Views triples = find_capability<JointViews>(*m)->views();
    Views expected;
    for (std::size_t i = 0; i < 5; ++i)
        for (std::size_t j = i + 1; j < 5; ++j)
            for (std::size_t k = j + 1; k < 5; ++k) expected.push_back({i, j, k});
    BOOST_CHECK(triples == expected);
}

BOOST_AUTO_TEST_CASE(views_are_chosen_for_how_many_there_are) {
    const auto views = [](const std::string& people) {
        const std::string json =
            R"({"mechanism": "joint", "epsilon": 1, "marginals": "auto", "people": )" + people;
        return std::get<std::string>(resolve(json + ", " + three + "}").option("marginals"));
    };
    BOOST_CHECK_EQUAL(views("1000"), "pairs");
    BOOST_CHECK_EQUAL(views("1000000"), "triples");
    // The noise at the border is what a tenth of a table is: that of the only triple, of 18 cells.
    const auto m = mechanism("joint", 1, three + R"(, "marginals": "triples")");
    SeededBits bits(6);
    double fewest = 1000, most = 1000000;
    while (most - fewest > 1) {
        const double people = std::floor((fewest + most) / 2);
        (views(std::to_string(static_cast<int>(people))) == "pairs" ? fewest : most) = people;
    }
    double distance = 0;
    constexpr int runs = 40;
    for (int run = 0; run < runs; ++run) {
        OwnedSummary summary(*m);
        for (int person = 0; person < most; ++person) summary.draw(record_of(bits.below(18)), bits);
        const std::vector<double> shares = tables_of(summary)[0].shares;
        for (const double share : shares) distance += std::abs(share - 1.0 / 18) / 2;
    }
    BOOST_CHECK_CLOSE(distance / runs, 0.1, 15);
}

// The share of people who report one attribute alone is that of the spec, independent of the views'
// weights.
BOOST_AUTO_TEST_CASE(so_many_report_one_attribute_alone) {
    for (const char* options : {R"(, "one_way_share": 0.25)", R"(, "one_way_share": 0.9)",
                                R"(, "marginals": "triples", "one_way_share": 0.25)",
                                R"(, "optimize_for": "ranges", "one_way_share": 0.25)"}) {
        const auto m = mechanism("joint", 2, three + options);
        const double singles = std::string(options).find("0.9") == std::string::npos ? 0.25 : 0.9;
        SeededBits bits(8);
        OwnedSummary summary(*m);
        constexpr int people = 40000;
        for (int person = 0; person < people; ++person) summary.draw(record_of(bits.below(18)), bits);
        const auto& joint = *find_capability<JointViews>(*m);
        const auto views = joint.views();
        double alone = 0;
        for (std::size_t v = 0; v < views.size(); ++v)
            if (views[v].size() == 1) alone += static_cast<double>(joint.reports_of_view(summary.view(), v));
        // Weights are rounded to a thousandth of the greatest.
        BOOST_CHECK_SMALL(alone / people - singles,
                          5.8 * std::sqrt(singles * (1 - singles) / people) + 0.001);
    }
}

// The larger the noise of the tables, the more people report one attribute; an explicit share in the spec
// is kept.
BOOST_AUTO_TEST_CASE(people_are_chosen_to_report_one_attribute_alone, *boost::unit_test::label("slow")) {
    const auto singles = [](const std::string& people, const std::string& more = "") {
        const Spec spec = resolve(R"({"mechanism": "joint", "epsilon": 1, "marginals": "auto", "people": )" +
                                  people + more + ", " + three + "}");
        return std::get<double>(spec.option("one_way_share"));
    };
    // Where a table's noise is as large as the table, half of them do; it falls with the root of the people.
    SeededBits bits(5);
    const auto pairs = mechanism("joint", 1, three);
    constexpr int people = 100000, runs = 40;
    double noise = 0;
    for (int run = 0; run < runs; ++run) {
        OwnedSummary summary(*pairs);
        for (int person = 0; person < people; ++person) summary.draw(record_of(bits.below(18)), bits);
        for (const Table& table : tables_of(summary))
            for (const double share : table.shares)
                noise += std::abs(share - 1 / static_cast<double>(table.shares.size())) / 2 / (3 * runs);
    }
    const double half = people * noise * noise;
    BOOST_CHECK_CLOSE(singles(std::to_string(static_cast<int>(half))), 0.5, 8);
    BOOST_CHECK_GT(singles("100"), singles("1000"));
    BOOST_CHECK_LT(singles("1000000000"), 0.01);
    BOOST_CHECK_EQUAL(singles("100", R"(, "one_way_share": 0.125)"), 0.125);
    for (const char* wrong :
         {R"("one_way_share": -0.1)", R"("one_way_share": 0.91)", R"("one_way_share": "some")",
          R"("one_way_share": 0.5, "marginals": [["a", "b"], ["c"]])"})
        BOOST_CHECK_THROW(mechanism("joint", 1, three + ", " + wrong), Error);
}

BOOST_AUTO_TEST_CASE(every_view_keeps_epsilon) {
    for (const double epsilon : epsilons)
        for (const char* options : {"", R"(, "marginals": [["a"], ["a", "b"], ["c"]])",
                                    R"(, "optimize_for": "ranges")", R"(, "one_way_share": 0.3)"})
            prove(*mechanism("joint", epsilon, three + options));
}

BOOST_AUTO_TEST_CASE(every_view_keeps_both_epsilons, *boost::unit_test::label("slow")) {
    const std::string small = R"("attributes": [{"name": "a", "domain": 2}, {"name": "b", "domain": 3},
        {"name": "c", "min": 0, "max": 10, "bins": 2}])";
    for (const double epsilon : epsilons)
        for (const char* options : {"", R"(, "marginals": [["a"], ["a", "b"], ["c"]])"})
            prove_two_layers(*mechanism("joint", epsilon,
                                        small + options + R"(, "report_epsilon": )" + text(0.6 * epsilon)));
    // Small tables are reported by one cell, large ones by a bit for each cell.
    const auto second = [&](const char* options) {
        for (const auto& [name, value] : mechanism("joint", 2, small + options)->parameters())
            if (name == "second_epsilon") return value;
        return 0.0;
    };
    BOOST_CHECK_GT(second(R"(, "report_epsilon": 1)"), 1);
    BOOST_CHECK_EQUAL(second(R"(, "report_epsilon": 1, "marginals": "triples")"), 0);
    BOOST_CHECK_THROW(mechanism("joint", 2, three + R"(, "report_epsilon": 2)"), Error);
}

namespace {

void check_tables(const Mechanism& m) {
    constexpr int people = 6000, runs = 60;
    const std::vector<double> truth = records();
    SeededBits bits(71);
    std::vector<double> mean, square;
    std::vector<Table> last;
    for (int run = 0; run < runs; ++run) {
        OwnedSummary summary(m);
        for (std::size_t i = 0; i < truth.size(); ++i)
            for (int person = 0; person < std::lround(truth[i] * people); ++person)
                summary.draw(record_of(i), bits);
        last = tables_of(summary);
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
            // Ten standard errors: with this number of cells, one is further off once in 10^20
            // runs.
            BOOST_CHECK_SMALL(mean[at] - count / all, 10 * std::sqrt(variance / runs));
            measured += variance;
            ++cells;
            ++at;
        }
        // The mean of a table's cells' variances, each of 59 degrees of freedom.
        BOOST_CHECK_CLOSE(measured / cells, table.variance * (1 - 1 / cells), 35);
    }
}

}  // namespace

BOOST_AUTO_TEST_CASE(tables_of_all_views_are_unbiased_and_as_sure_as_they_say) {
    check_tables(*mechanism("joint", 2, three));
    check_tables(*mechanism("joint", 4, three + R"(, "report_epsilon": 2)"));  // l_grr
    check_tables(*mechanism("joint", 2, three + R"(, "report_epsilon": 1)"));  // l_osue for 9 cells
}

// Against all that a subset can be: the moments of two sums of shares at once.
BOOST_AUTO_TEST_CASE(errors_of_sums_of_shares_are_exact) {
    std::mt19937 random(5);
    std::normal_distribution<double> normal;
    for (const double epsilon : {0.3, 1.0, 4.0})
        for (const int k : {2, 3, 6}) {
            const std::string domain = "\"domain\": " + std::to_string(k);
            std::unique_ptr<const Mechanism> all_mechanisms[] = {
                mechanism("subset", epsilon, domain),    mechanism("grr", epsilon, domain),
                mechanism("oue", epsilon, domain),       mechanism("sue", epsilon, domain),
                mechanism("l_grr", 2 * epsilon, domain), mechanism("l_osue", 2 * epsilon, domain)};
            for (const auto& m : all_mechanisms) {
                // Of permanent responses, which are the reports in one layer.
                const auto [p, q] = find_capability<FrequencyOracle>(*m)->memoized_protocol();
                const auto [even, held] = *capability<FrequencyOracle>(*m).memoized_contrasts();
                std::vector<double> f(k), g(k), h(k);
                double all = 0, mean_g = 0, mean_h = 0;
                for (int v = 0; v < k; ++v) {
                    all += f[v] = std::exp(normal(random));
                    mean_g += (g[v] = normal(random)) / k;
                    mean_h += (h[v] = normal(random)) / k;
                }
                double expected = 0, moment = 0;
                for (int v = 0; v < k; ++v) {
                    f[v] /= all, g[v] -= mean_g, h[v] -= mean_h;
                    expected += even * g[v] * h[v] + held * f[v] * g[v] * h[v];
                }
                for_each_input(*m, [&](Input input) {
                    for_each_permanent(*m, {}, [&](Bytes sent) {
                        std::vector<std::byte> state(m->state_size());
                        BOOST_REQUIRE(m->accumulate(state, sent));
                        double sum_g = 0, sum_h = 0;
                        for (int v = 0; v < k; ++v) {
                            const auto support = find_capability<FrequencyOracle>(*m)->support(state, v);
                            const double decoded = (static_cast<double>(support) - q) / (p - q);
                            sum_g += g[v] * decoded, sum_h += h[v] * decoded;
                        }
                        moment += f[input[0]] * static_cast<double>(m->probability(input, {}, sent)) * sum_g *
                                  sum_h;
                    });
                });
                BOOST_CHECK_CLOSE(moment, expected, 1e-8);
            }
        }
    BOOST_CHECK(!capability<FrequencyOracle>(*mechanism("olh", 1, "\"domain\": 4")).contrasts());
}

// Least squares over the cells of all attributes, by the pseudoinverse.
BOOST_AUTO_TEST_CASE(consistent_shares_are_generalised_least_squares) {
    const std::vector<std::uint64_t> sizes{2, 3, 4};
    const std::vector<std::vector<std::size_t>> views{{0, 1}, {0, 2}, {1, 2}, {2}, {0, 1, 2}};
    std::mt19937 random(9);
    std::uniform_real_distribution<double> uniform;
    std::vector<CrossTable> tables;
    std::vector<Eigen::VectorXd> rows;
    std::vector<double> right;
    for (std::size_t v = 0; v < views.size(); ++v) {
        CrossTable table{v, views[v], {}, {}, 100.0 + 40 * static_cast<double>(v), 2.5, 0.4};
        for (const std::size_t j : views[v]) table.sizes.push_back(sizes[j]);
        double all = 0;
        for (std::size_t cell = 0; cell < table.cells(); ++cell)
            all += table.shares.emplace_back(uniform(random) - 0.2);
        for (double& share : table.shares) share += (1 - all) / static_cast<double>(table.cells());
        const double weight = std::sqrt(table.people / table.contrast());
        const std::vector<std::uint64_t> own = table.sizes;
        for (std::size_t cell = 0; cell < table.cells(); ++cell) {
            Eigen::VectorXd row = Eigen::VectorXd::Zero(24);
            for (std::size_t i = 0; i < 24; ++i) {
                const std::size_t values[] = {i / 12, i / 4 % 3, i % 4};
                std::size_t at = 0;
                for (std::size_t a = 0; a < own.size(); ++a) at = at * own[a] + values[views[v][a]];
                if (at == cell) row(static_cast<Eigen::Index>(i)) = weight;
            }
            rows.push_back(row);
            right.push_back(weight * table.shares[cell]);
        }
        tables.push_back(std::move(table));
    }
    Eigen::MatrixXd design(rows.size(), 24);
    Eigen::VectorXd seen(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) design.row(i) = rows[i], seen(i) = right[i];
    const Eigen::VectorXd fitted = design.completeOrthogonalDecomposition().solve(seen);
    for (const std::vector<std::size_t>& asked :
         std::vector<std::vector<std::size_t>>{{0}, {2}, {0, 2}, {0, 1, 2}}) {
        const Combined combined(tables, asked, Combination::consistent);
        BOOST_REQUIRE(combined.known());
        std::vector<std::uint64_t> own;
        for (const std::size_t j : asked) own.push_back(sizes[j]);
        const Cells cells(own);
        for (std::size_t cell = 0; cell < cells.count(); ++cell) {
            double expected = 0;
            for (std::size_t i = 0; i < 24; ++i) {
                const std::size_t values[] = {i / 12, i / 4 % 3, i % 4};
                bool inside = true;
                for (std::size_t a = 0; a < asked.size(); ++a)
                    inside = inside && values[asked[a]] == cells.values(cell)[a];
                expected += inside ? fitted(static_cast<Eigen::Index>(i)) : 0;
            }
            BOOST_CHECK_CLOSE(combined.share(cells.box(cell)).value, expected, 1e-6);
        }
    }
    // Where nothing is gained from other tables, the two ways are one; of one table it is the table.
    const Combined all(tables, {0, 1, 2}, Combination::unbiased);
    const Cells cells({2, 3, 4});
    for (std::size_t cell = 0; cell < cells.count(); ++cell)
        BOOST_CHECK_CLOSE(all.share(cells.box(cell)).value, tables[4].shares[cell], 1e-6);
    BOOST_CHECK(!Combined(std::span(tables).first(4), {0, 1, 2}, Combination::consistent).known());
}

BOOST_AUTO_TEST_CASE(answers_are_unbiased_and_as_sure_as_they_say, *boost::unit_test::label("slow")) {
    const std::vector<double> truth = records();
    const Combined::Box cell{{true, false}, {false, true, false}}, wide{{false, true}, {true, false, true}};
    const std::string listed =
        R"(, "marginals": [["a", "b"], ["a", "b", "c"], ["c"]], "optimize_for": "ranges")";
    for (const auto& [epsilon, options] : {std::pair(2, std::string()), {2, listed}, {7, listed}}) {
        const auto m = mechanism("joint", epsilon, three + options);
        for (const Target target : {Target::sample, Target::population}) {
            constexpr int people = 2000, runs = 250;
            SeededBits bits(17);
            std::mt19937_64 random(3);
            std::discrete_distribution<std::size_t> population(truth.begin(), truth.end());
            EstimateRuns of_cell, of_wide, of_one, unbiased, of_rest, single;
            for (int run = 0; run < runs; ++run) {
                OwnedSummary summary(*m);
                std::vector<double> shares = truth;
                if (target == Target::sample) std::ranges::fill(shares, 0);
                for (int person = 0; person < people; ++person) {
                    // The sample is the same in all runs, and no multiple of the population.
                    const std::size_t i = target == Target::population
                                              ? population(random)
                                              : static_cast<std::size_t>(person * person / 7) % 18;
                    if (target == Target::sample) shares[i] += 1.0 / people;
                    summary.draw(record_of(i), bits);
                }
                const Marginal pair(summary.view(), {0, 1}, Combination::consistent, target);
                const double given = share_in(shares, {0, 1}, {{false, true}, {true, true, true}});
                of_cell.add(pair.measured(cell).estimate, share_in(shares, {0, 1}, cell));
                of_wide.add(pair.measured(wide).estimate, share_in(shares, {0, 1}, wide));
                of_rest.add(pair.quotient({{true, true}, {true, false, true}},
                                          {{false, true}, {true, true, true}}, 1.96)
                                .estimate,
                            share_in(shares, {0, 1}, wide) / given);
                unbiased.add(
                    Marginal(summary.view(), {0, 1}, Combination::unbiased, target).measured(cell).estimate,
                    share_in(shares, {0, 1}, cell));
                of_one.add(Marginal(summary.view(), {2}, Combination::consistent, target)
                               .measured({{false, true, true}})
                               .estimate,
                           share_in(shares, {2}, {{false, true, true}}));
                single.add(summary.estimate(Quantity::frequencies, target, 1)[2],
                           share_in(shares, {1}, {{false, false, true}}));
            }
            BOOST_TEST_CONTEXT(options << (target == Target::sample ? " sample" : " population")) {
                for (const EstimateRuns* each : {&of_cell, &of_wide, &of_one, &unbiased, &of_rest, &single})
                    each->check();
            }
        }
    }
}

// Of few reports a rare cell's share is far from normal: read off one count, its interval is that of a count,
// and a quotient's allows for the cell having no reports at all.
BOOST_AUTO_TEST_CASE(intervals_of_rare_cells_hold, *boost::unit_test::label("slow")) {
    const auto m = mechanism("joint", 6, three + R"(, "marginals": [["a", "b"], ["c"]])");
    const Combined::Box rare{{false, true}, {false, false, true}};
    const Combined::Box two{{false, true}, {false, true, true}};
    for (const Target target : {Target::sample, Target::population}) {
        SeededBits bits(23);
        constexpr int runs = 1500, people = 300;
        constexpr double share = 0.02;
        int covered = 0, both_covered = 0, of_all = 0, normal = 0;
        for (int run = 0; run < runs; ++run) {
            OwnedSummary summary(*m);
            double held = 0;
            for (int person = 0; person < people; ++person) {
                const bool holds =
                    target == Target::population ? bits.chance(2, 100) : person < share * people;
                held += holds ? 1.0 / people : 0;
                summary.draw(holds ? std::vector<Cell>{1, 2, 0} : std::vector<Cell>{0, 0, 0}, bits);
            }
            const double truth = target == Target::population ? share : held;
            const auto holds = [&](const Interval& interval) {
                return interval.lower <= truth + 1e-12 && truth - 1e-12 <= interval.upper;
            };
            const Marginal pair(summary.view(), {0, 1}, Combination::consistent, target);
            covered += holds(interval(pair.measured(rare), 1.96));
            both_covered += holds(interval(pair.measured(two), 1.96));
            normal += holds(interval(pair.measured(rare).estimate, 1.96, {}));
            of_all += holds(pair.quotient(rare, {{true, true}, {true, true, true}}, 1.96).interval);
        }
        // The standard error of this number of runs is 0.0056.
        BOOST_CHECK_GT(covered, 0.93 * runs);
        BOOST_CHECK_GT(both_covered, 0.93 * runs);
        BOOST_CHECK_GT(of_all, 0.93 * runs);
        BOOST_CHECK_LT(normal, covered);
    }
}

// Several tables are combined, each from about seventeen reports, most of them about common cells. With
// the variance of unobserved cells, all intervals hold; without it, one in eight does not. There are 3000
// runs of 6 dependent cells: a standard deviation is at most 0.006.
BOOST_AUTO_TEST_CASE(intervals_of_few_reports_in_many_tables_hold, *boost::unit_test::label("slow")) {
    const auto m = mechanism("joint", 4, three);
    const Cells cells({2, 3});
    for (const Target target : {Target::sample, Target::population}) {
        SeededBits bits(47);
        constexpr int runs = 3000, people = 50;
        int covered = 0, normal = 0;
        for (int run = 0; run < runs; ++run) {
            OwnedSummary summary(*m);
            std::vector<double> held(cells.count());
            for (int person = 0; person < people; ++person) {
                const bool common = target == Target::population ? bits.chance(9, 10) : person < 45;
                const std::vector<Cell> record =
                    common ? std::vector<Cell>{0, 1, 0} : std::vector<Cell>{1, 2, 1};
                held[record[0] * 3 + record[1]] += 1.0 / people;
                summary.draw(record, bits);
            }
            if (target == Target::population) held = {0, 0.9, 0, 0, 0, 0.1};
            const Marginal pair(summary.view(), {0, 1}, Combination::consistent, target);
            for (std::size_t cell = 0; cell < cells.count(); ++cell) {
                const Combined::Box box = cells.box(cell);
                const auto holds = [&](const ErrorLaw& law) {
                    const Interval found = interval(pair.measured(box).estimate, 1.96, law);
                    return found.lower <= held[cell] + 1e-12 && held[cell] - 1e-12 <= found.upper ? 1 : 0;
                };
                covered += holds(pair.measured(box).law);
                normal += holds({});
            }
        }
        BOOST_TEST_MESSAGE(covered / 6.0 / runs << " " << normal / 6.0 / runs);
        BOOST_CHECK_GT(covered / 6.0 / runs, 0.93);
        BOOST_CHECK_LT(normal / 6.0 / runs, 0.92);
    }
}

BOOST_AUTO_TEST_CASE(what_nobody_holds_is_rarely_significant) {
    const auto m = mechanism("joint", 1, three);
    SeededBits bits(31);
    constexpr int runs = 600;
    int significant = 0;
    for (int run = 0; run < runs; ++run) {
        OwnedSummary summary(*m);
        for (int person = 0; person < 600; ++person)
            summary.draw(std::vector<Cell>{bits.below(2), bits.below(2), bits.below(3)}, bits);
        const Estimate nobody = summary.estimate(Quantity::frequencies, Target::sample, 1)[2];
        significant += find_capability<Significance>(*m)->p_value(600, nobody) < 0.05;
    }
    // One in twenty: outside this once in 10^7.
    BOOST_CHECK_GT(significant, 9);
    BOOST_CHECK_LT(significant, 62);
}

// What is planned before anybody reports is what comes out of very many reports.
BOOST_AUTO_TEST_CASE(variances_are_promised_as_they_come_out) {
    for (const char* options :
         {R"(, "marginals": [["a", "b"], ["b", "c"], ["a"]])", R"(, "one_way_share": 0.3)"}) {
        const auto m = mechanism("joint", 1, three + options);
        SeededBits bits(2);
        OwnedSummary summary(*m);
        constexpr int people = 200000;
        for (int person = 0; person < people; ++person)
            summary.draw(std::vector<Cell>{bits.below(2), bits.below(3), bits.below(3)}, bits);
        for (std::size_t j = 0; j < 3; ++j) {
            const double error = summary.estimate(Quantity::frequencies, Target::sample, j)[0].standard_error;
            BOOST_CHECK_CLOSE(error * error * people, m->expected_variance(j), 3);
        }
        double greatest = 0;
        for (std::size_t j = 0; j < 3; ++j) greatest = std::max(greatest, m->expected_variance(j));
        BOOST_CHECK_GE(m->n_variance(0.5), greatest);
    }
}

BOOST_AUTO_TEST_CASE(states_that_no_reports_lead_to_are_refused) {
    const auto m = mechanism("joint", 1, three);
    SeededBits bits(8);
    OwnedSummary summary(*m);
    for (int i = 0; i < 60; ++i) summary.draw(record_of(i % 18), bits);
    const auto takes = [&](const std::vector<std::byte>& state, std::uint64_t n) {
        return m->valid_state({n, state});
    };
    const std::vector<std::byte> sound(summary.state().begin(), summary.state().end());
    BOOST_CHECK(takes(sound, 60) && !takes(sound, 59) && !takes(sound, 61));
    // The number of reports of a view and the number of cells of its sets are dependent.
    std::vector<std::byte> damaged = sound;
    for (std::byte& byte : damaged) {
        byte ^= std::byte{1};
        BOOST_CHECK(!takes(damaged, 60));
        byte ^= std::byte{1};
    }
}

BOOST_AUTO_TEST_CASE(what_no_view_has_is_refused) {
    const auto m = mechanism("joint", 1, three + R"(, "marginals": [["a", "b"], ["c"]])");
    SeededBits bits(1);
    OwnedSummary summary(*m);
    for (int i = 0; i < 40; ++i) summary.draw(record_of(i % 18), bits);
    const auto ask = [&](std::vector<std::size_t> attributes) {
        return Marginal(summary.view(), std::move(attributes), Combination::consistent, Target::sample);
    };
    const auto fails_with = [](ErrorCode code) {
        return [code](const Error& error) { return error.code() == code; };
    };
    BOOST_CHECK_EXCEPTION(ask({0, 2}), Error, fails_with(ErrorCode::unsupported));
    BOOST_CHECK_EXCEPTION(ask({0, 0}), Error, fails_with(ErrorCode::invalid_value));
    BOOST_CHECK_EXCEPTION(ask({0, 3}), Error, fails_with(ErrorCode::invalid_value));
    BOOST_CHECK_EXCEPTION(ask({}), Error, fails_with(ErrorCode::invalid_value));
    BOOST_CHECK_EXCEPTION(static_cast<void>(summary.estimate(Quantity::frequencies, Target::sample, 3)),
                          Error, fails_with(ErrorCode::invalid_value));
    const auto other = mechanism("grr", 1, "\"domain\": 3");
    OwnedSummary shares(*other);
    BOOST_CHECK_EXCEPTION(Marginal(shares.view(), {0}, Combination::consistent, Target::sample), Error,
                          fails_with(ErrorCode::unsupported));
    // Without reports: all estimates are unknown, and no error is raised.
    const OwnedSummary nobody(*m);
    const Marginal empty(nobody.view(), {0, 1}, Combination::consistent, Target::sample);
    BOOST_CHECK(!empty.known() && std::isnan(empty.shares()[0].value));
}

BOOST_AUTO_TEST_CASE(a_condition_that_nobody_may_meet_has_no_quotient) {
    const auto m = mechanism("joint", 1, three);
    SeededBits bits(4);
    OwnedSummary summary(*m);
    for (int i = 0; i < 3000; ++i) summary.draw(std::vector<Cell>{0, bits.below(3), bits.below(3)}, bits);
    const Marginal pair(summary.view(), {0, 1}, Combination::consistent, Target::sample);
    const Quotient none =
        pair.quotient({{true, true}, {true, false, false}}, {{false, true}, {true, true, true}}, 5);
    BOOST_CHECK(std::isnan(none.estimate.value) && std::isnan(none.interval.lower));
    const Quotient some =
        pair.quotient({{true, true}, {true, false, false}}, {{true, false}, {true, true, true}}, 5);
    BOOST_CHECK(some.interval.lower < some.estimate.value && some.estimate.value < some.interval.upper);
    // Of a condition that all meet it is the share itself, and its interval hardly wider.
    const Quotient all =
        pair.quotient({{true, true}, {true, false, false}}, {{true, true}, {true, true, true}}, 2);
    const Estimate share = pair.measured({{true, true}, {true, false, false}}).estimate;
    BOOST_CHECK_CLOSE(all.estimate.value, share.value, 1e-8);
    BOOST_CHECK_CLOSE(all.interval.upper - share.value, 2 * share.standard_error, 1);
}

BOOST_AUTO_TEST_CASE(conditions_name_labels) {
    const std::vector<std::uint64_t> sizes{2, 3, 3};
    const std::vector<Attribute> attributes =
        read_attributes(R"j([{"name": "sex", "domain": ["f", "m"]}, {"name": "rank", "domain": 3},
        {"name": "age", "min": 0, "max": 10, "edges": [1, 4]}])j");
    const Labels labels(attributes);
    using Values = std::vector<bool>;
    const auto values = [&](const std::string& json) { return labels.conditions(json, sizes).box.at(0); };
    BOOST_CHECK(values(R"({"sex": "m"})") == (Values{false, true}));
    BOOST_CHECK(values(R"({"0": "m"})") == (Values{false, true}));
    BOOST_CHECK(values(R"({"sex": ["m", "f"]})") == (Values{true, true}));
    BOOST_CHECK(values(R"({"rank": [0, 2]})") == (Values{true, false, true}));
    BOOST_CHECK(values(R"({"rank": 1})") == (Values{false, true, false}));
    BOOST_CHECK(values(R"({"age": [1, 10]})") == (Values{false, true, true}));
    BOOST_CHECK(values(R"({"2": [1, 10]})") == (Values{false, true, true}));
    BOOST_CHECK(values(R"({"age": [null, 4]})") == (Values{true, true, false}));
    BOOST_CHECK(values(R"({"age": [-5, 1]})") == (Values{true, false, false}));
    BOOST_CHECK(values(R"({"age": "[4, 10]"})") == (Values{false, false, true}));
    const auto both = labels.conditions(R"({"rank": 1, "age": [4, null], "sex": "f"})", sizes);
    BOOST_CHECK((both.attributes == std::vector<std::size_t>{0, 1, 2}));
    for (const char* wrong :
         {"{}", "[]", R"({"sex": "x"})", R"({"sex": []})", R"({"sex": 1})", R"({"town": 1})", R"({"3": 1})",
          R"({"rank": 3})", R"({"rank": "a"})", R"({"rank": -1})", R"({"age": [2, 4]})", R"({"age": [0, 5]})",
          R"({"age": [4, 1]})", R"({"age": 5})", R"({"age": [1, 2, 3]})", R"({"age": {"low": 1}})",
          R"({"sex": null})", R"({"sex": "f", "0": "m"})"})
        BOOST_CHECK_EXCEPTION(static_cast<void>(labels.conditions(wrong, sizes)), Error,
                              [](const Error& error) {
                                  return error.code() == ErrorCode::invalid_value && !error.detail().empty();
                              });
    BOOST_CHECK(malformed([&] { (void)labels.conditions("{", sizes); }));
    BOOST_CHECK(labels.sets(R"([["age", "0"], ["rank", "sex"]])", 3) ==
                (std::vector<std::vector<std::size_t>>{{0, 2}, {0, 1}}));
    // Labels of another spec are refused.
    labels.check_fit(sizes);
    BOOST_CHECK(malformed([&] { labels.check_fit(std::vector<std::uint64_t>{2, 3}); }));
    BOOST_CHECK(malformed([&] { labels.check_fit(std::vector<std::uint64_t>{3, 3, 3}); }));
    // Without labels numbers stand for names.
    const Labels none;
    none.check_fit(sizes);
    BOOST_CHECK(none.conditions(R"({"1": 2})", sizes).box.at(0) == (Values{false, false, true}));
    BOOST_CHECK_THROW((void)none.conditions(R"({"sex": 1})", sizes), Error);
    BOOST_CHECK_THROW((void)none.conditions(R"({"3": 1})", sizes), Error);
}

// Plans expect n times these probabilities. Six standard deviations: a false alarm has probability 2e-9 each.
BOOST_AUTO_TEST_CASE(numbers_of_reports_follow_their_chances) {
    constexpr std::uint64_t n = 6000;
    for (
        const std::string& spec :
        {std::string(
             "{\"mechanism\": \"joint\", \"epsilon\": 2, \"marginals\": [[\"a\", \"b\"], [\"b\", \"c\"]], ") +
             three + "}",
         "{\"mechanism\": \"joint\", \"epsilon\": 2, " + three + "}",
         std::string("{\"mechanism\": \"joint_haar\", \"epsilon\": 2, ") +
             R"("attributes": [{"name": "a", "domain": 4}, {"name": "b", "domain": 8}, {"name": "c", "domain": 5}]})"}) {
        const auto m = mechanism(spec);
        const auto& views = capability<JointViews>(*m);
        OwnedSummary summary(*m);
        SeededBits bits(5301);
        for (std::uint64_t i = 0; i < n; ++i) {
            const Cell record[] = {i % 2, i % 3, i % 3};
            summary.draw(record, bits);
        }
        const auto agree = [&](std::uint64_t reports, double chance) {
            BOOST_CHECK_SMALL(static_cast<double>(reports) - n * chance,
                              6 * std::sqrt(n * chance * (1 - chance)) + 1e-6);
        };
        for (std::size_t v = 0; v < views.views().size(); ++v)
            agree(views.reports_of_view(summary.view(), v), views.view_chance(v));
        for (std::size_t j = 0; j < 3; ++j)
            agree(views.reports(summary.view(), j), views.attribute_chance(j));
    }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
