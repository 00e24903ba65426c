// Linkage: a table without names, whose other columns the attacker knows.

#include <cmath>
#include <map>
#include <stdexcept>

#include "attack_panels.hpp"
#include "core/base/text.hpp"
#include "core/choice/resolve.hpp"

namespace evaluation {

namespace {

using ldp::simulation::SeededBits;

/// The columns that the attacker knows, in the order in which they are used.
constexpr std::size_t known_columns[] = {5, 1, 2, 3, 4, 6};

/// People who agree in the known columns: how many of them have the secret bit 0 and 1.
struct Match {
    double zeros = 0, ones = 0;
    std::size_t size() const { return static_cast<std::size_t>(zeros + ones); }
};

class Matches {
  public:
    Matches(const People& people, const std::vector<bool>& secrets, std::size_t columns) {
        std::map<std::vector<double>, std::size_t> numbers;
        for (std::size_t i = 0; i < people.size(); ++i) {
            std::vector<double> key;
            for (std::size_t j = 0; j < columns; ++j) key.push_back(people[i][known_columns[j]]);
            const auto [at, added] = numbers.emplace(key, all_.size());
            if (added) all_.emplace_back();
            of_.push_back(at->second);
            (secrets[i] ? all_[at->second].ones : all_[at->second].zeros) += 1;
        }
    }

    [[nodiscard]] const std::vector<Match>& all() const noexcept { return all_; }
    [[nodiscard]] std::size_t of(std::size_t person) const { return of_[person]; }
    [[nodiscard]] std::size_t people() const noexcept { return of_.size(); }

    [[nodiscard]] double unique() const {
        double alone = 0;
        for (const Match& one : all_) alone += one.size() == 1 ? 1 : 0;
        return alone / static_cast<double>(people());
    }
    /// The attacker guesses the majority among the matching records.
    [[nodiscard]] double from_records() const {
        double right = 0;
        for (const Match& one : all_) right += std::max(one.zeros, one.ones);
        return right / static_cast<double>(people());
    }
    /// The same without the record of the person in question. A tie is decided by a coin.
    [[nodiscard]] double from_others() const {
        double right = 0;
        const auto wins = [](double own, double other) { return own > other ? 1 : own == other ? 0.5 : 0; };
        for (const Match& one : all_)
            right += one.ones * wins(one.ones - 1, one.zeros) + one.zeros * wins(one.zeros - 1, one.ones);
        return right / static_cast<double>(people());
    }
    /// The expected share if each secret is replaced by a report that is right with this probability.
    [[nodiscard]] double from_reports(double chance) const {
        double right = 0;
        for (const Match& one : all_) {
            const double reported = majority_of_ones(one, chance);
            right += one.ones * reported + one.zeros * (1 - reported);
        }
        return right / static_cast<double>(people());
    }

  private:
    /// The probability that more than half of the matching reports are ones; a tie counts half.
    static double majority_of_ones(const Match& match, double chance) {
        constexpr std::size_t many = 400;
        const double middle = static_cast<double>(match.size()) / 2;
        if (match.size() > many) {
            const double mean = match.ones * chance + match.zeros * (1 - chance);
            return normal_probability((mean - middle) / std::sqrt(2 * middle * chance * (1 - chance)));
        }
        std::vector<double> law{1};
        for (std::size_t i = 0; i < match.size(); ++i) {
            const double one = static_cast<double>(i) < match.ones ? chance : 1 - chance;
            law.push_back(0);
            for (std::size_t j = law.size(); j-- > 0;)
                law[j] = law[j] * (1 - one) + (j > 0 ? law[j - 1] * one : 0);
        }
        double sum = 0;
        for (std::size_t j = 0; j < law.size(); ++j)
            if (static_cast<double>(j) >= middle)
                sum += static_cast<double>(j) == middle ? law[j] / 2 : law[j];
        return sum;
    }

    std::vector<Match> all_;
    std::vector<std::size_t> of_;
};

/// The library's reports, grouped by the known columns as public columns.
double attack_groups(const Matches& matches, const std::vector<bool>& secrets, double epsilon,
                     SeededBits& bits) {
    const auto mechanism = ldp::make_mechanism(
        ldp::resolve(R"({"mechanism": "grr", "domain": 2, "epsilon": )" + ldp::shortest(epsilon) + "}"));
    struct Group {
        std::vector<std::byte> state;
        std::uint64_t reports = 0;
    };
    std::vector<Group> groups(matches.all().size(), {std::vector<std::byte>(mechanism->state_size())});
    for (std::size_t i = 0; i < secrets.size(); ++i) {
        const ldp::Cell value[] = {secrets[i] ? ldp::Cell{1} : ldp::Cell{0}};
        Group& group = groups[matches.of(i)];
        if (!mechanism->accumulate(
                group.state, ldp::Bytes(mechanism->perturb(value, bits)).last(mechanism->payload_size())))
            throw std::logic_error("a report was refused");
        ++group.reports;
    }
    double right = 0;
    for (std::size_t g = 0; g < groups.size(); ++g) {
        const double share =
            mechanism->estimate({groups[g].reports, groups[g].state}, {ldp::Quantity::frequencies})[1].value;
        constexpr double tie = 1e-9;
        const double one = std::abs(share - 0.5) < tie ? 0.5 : share > 0.5 ? 1 : 0;
        right += matches.all()[g].ones * one + matches.all()[g].zeros * (1 - one);
    }
    return right / static_cast<double>(secrets.size());
}

}  // namespace

void add_linkage(std::vector<Panel>& panels, const People& employees, std::size_t repetitions) {
    const std::vector<bool> secrets = high_earners(employees);
    std::vector<Matches> matches;
    Panel panel{
        "linkage of 28,155 employees", "columns that the attacker knows", "share of right guesses", {}, {}};
    for (std::size_t columns = 1; columns <= std::size(known_columns); ++columns) {
        matches.emplace_back(employees, secrets, columns);
        panel.marks.push_back(static_cast<double>(columns));
    }
    const auto at = [&matches](double columns) -> const Matches& {
        return matches[static_cast<std::size_t>(columns) - 1];
    };
    std::vector<Attack> attacks{
        {"a table without names", [=](double x, SeededBits&) { return at(x).from_records(); }, {}},
        {"the records of all other people", [=](double x, SeededBits&) { return at(x).from_others(); }, {}}};
    for (const double epsilon : {0.5, 1.0, 2.0, 4.0})
        attacks.push_back({"ldp reports, epsilon " + ldp::shortest(epsilon),
                           [=, &secrets](double x, SeededBits& bits) {
                               return attack_groups(at(x), secrets, epsilon, bits);
                           },
                           [=](double x) { return at(x).from_reports(report_is_right(epsilon)); }});
    panels.push_back(attack_panel(std::move(panel), attacks, repetitions, 64000000));
    // With one or two columns no combination is unique.
    panels.push_back(attack_panel({"linkage: people with a combination of their own",
                                   "columns that the attacker knows",
                                   "share",
                                   {},
                                   {3, 4, 5, 6}},
                                  {{"alone", [=](double x, SeededBits&) { return at(x).unique(); }, {}}},
                                  repetitions, 64500000));
}

}  // namespace evaluation
