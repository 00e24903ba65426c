// Reconstruction of a table of bits from counts of random subsets.

#include <bit>
#include <cmath>
#include <functional>
#include <numbers>
#include <stdexcept>

#include "../joint/record_files.hpp"
#include "attack_panels.hpp"

namespace evaluation {

namespace {

using ldp::simulation::SeededBits;

/// Counts of random subsets, each of which contains a person with probability 1/2.
class SubsetQueries {
  public:
    SubsetQueries(std::size_t people, std::size_t queries, SeededBits& bits)
        : people_(people), in_(queries, std::vector<bool>(people)) {
        for (std::vector<bool>& one : in_)
            for (std::size_t i = 0; i < people; ++i) one[i] = bits.below(2) == 1;
    }

    [[nodiscard]] std::size_t size() const noexcept { return in_.size(); }
    [[nodiscard]] const std::vector<bool>& operator[](std::size_t query) const { return in_[query]; }

    [[nodiscard]] std::vector<double> exact(const std::vector<bool>& secrets) const {
        std::vector<double> counts;
        for (const std::vector<bool>& one : in_) {
            double count = 0;
            for (std::size_t i = 0; i < people_; ++i) count += one[i] && secrets[i] ? 1 : 0;
            counts.push_back(count);
        }
        return counts;
    }

    /// Returns the bits that the least-squares solution of the answers has, rounded at 1/2.
    [[nodiscard]] std::vector<bool> solve(const std::vector<double>& answers) const {
        // Normal equations, by Cholesky's decomposition.
        std::vector<std::vector<double>> gram(people_, std::vector<double>(people_));
        std::vector<double> right(people_);
        for (std::size_t q = 0; q < in_.size(); ++q)
            for (std::size_t i = 0; i < people_; ++i) {
                if (!in_[q][i]) continue;
                right[i] += answers[q];
                for (std::size_t j = 0; j <= i; ++j) gram[i][j] += in_[q][j] ? 1 : 0;
            }
        for (std::size_t i = 0; i < people_; ++i)
            for (std::size_t j = 0; j <= i; ++j) {
                double rest = gram[i][j];
                for (std::size_t k = 0; k < j; ++k) rest -= gram[i][k] * gram[j][k];
                gram[i][j] = i == j ? std::sqrt(rest) : rest / gram[j][j];
            }
        for (std::size_t i = 0; i < people_; ++i) {
            for (std::size_t k = 0; k < i; ++k) right[i] -= gram[i][k] * right[k];
            right[i] /= gram[i][i];
        }
        for (std::size_t i = people_; i-- > 0;) {
            for (std::size_t k = i + 1; k < people_; ++k) right[i] -= gram[k][i] * right[k];
            right[i] /= gram[i][i];
        }
        std::vector<bool> guesses;
        for (const double value : right) guesses.push_back(value > 0.5);
        return guesses;
    }

  private:
    std::size_t people_;
    std::vector<std::vector<bool>> in_;
};

double share_right(const std::vector<bool>& guesses, const std::vector<bool>& secrets) {
    double right = 0;
    for (std::size_t i = 0; i < secrets.size(); ++i) right += guesses[i] == secrets[i] ? 1 : 0;
    return right / static_cast<double>(secrets.size());
}

/// Answers with Laplace noise of this standard deviation.
double attack_noisy(const std::vector<bool>& all, std::size_t people, std::size_t queries, double deviation,
                    SeededBits& bits) {
    const std::vector<bool> secrets = some_of(all, people, bits);
    const SubsetQueries subsets(people, queries, bits);
    std::vector<double> answers = subsets.exact(secrets);
    if (deviation > 0)
        for (double& answer : answers) answer += laplace_noise(deviation / std::sqrt(2.0), bits);
    return share_right(subsets.solve(answers), secrets);
}

/// The error of a solved bit is nearly normal. Its variance is that of an answer, times the expected diagonal
/// of the inverse of the normal equations.
double noisy_theory(std::size_t people, std::size_t queries, double deviation) {
    const auto n = static_cast<double>(people), m = static_cast<double>(queries);
    return normal_probability(0.5 / (deviation * std::sqrt(4 * n / (n + 1) / (m - n - 1))));
}

double attack_reports(const std::vector<bool>& all, std::size_t people, std::size_t queries, double epsilon,
                      SeededBits& bits) {
    const std::vector<bool> secrets = some_of(all, people, bits);
    BitReports reports(epsilon);
    for (const bool secret : secrets) reports.add(secret, bits);
    const SubsetQueries subsets(people, queries, bits);
    std::vector<double> answers;
    for (std::size_t q = 0; q < queries; ++q)
        answers.push_back(reports.count([&](std::size_t person) { return subsets[q][person]; }));
    return share_right(subsets.solve(answers), secrets);
}

// All subsets of a few people are queried, and each answer is off by at most E. A table that agrees with all
// answers to within E differs from the true one in at most 4E records. Take the people whose bit is 1 in one
// of the two tables only: the counts of this set differ by at most 2E. The same holds for the other table.
constexpr std::size_t few = 12;

/// Returns the answer to a count, off by at most E.
using Answer = std::function<double(double count, SeededBits& bits)>;

double attack_exhaustively(const std::vector<bool>& all, double error, const Answer& answer,
                           SeededBits& bits) {
    constexpr std::size_t tables = std::size_t{1} << few;
    constexpr double rounding = 1e-9;
    const std::vector<bool> secrets = some_of(all, few, bits);
    std::size_t truth = 0;
    for (std::size_t i = 0; i < few; ++i) truth |= secrets[i] ? std::size_t{1} << i : 0;
    std::vector<double> answers;
    for (std::size_t subset = 0; subset < tables; ++subset)
        answers.push_back(answer(std::popcount(subset & truth), bits));
    for (const std::size_t table : shuffled(tables, bits)) {
        bool agrees = true;
        for (std::size_t subset = 0; subset < tables && agrees; ++subset)
            agrees = std::abs(std::popcount(subset & table) - answers[subset]) <= error + rounding;
        if (!agrees) continue;
        const int wrong = std::popcount(table ^ truth);
        if (wrong > 4 * error) throw std::logic_error("the theorem of reconstruction does not hold");
        return 1 - wrong / static_cast<double>(few);
    }
    throw std::logic_error("no table agrees with the answers");
}

}  // namespace

void add_reconstruction(std::vector<Panel>& panels, const std::vector<bool>& secrets,
                        std::size_t repetitions) {
    constexpr std::size_t people = 128, queries = 4 * people;
    constexpr double root = std::numbers::sqrt2;
    const char* const rate = "share of right guesses";
    panels.push_back(attack_panel(
        {"reconstruction of 128 people from 512 counts", "epsilon", rate, {}, {0.1, 0.5, 1, 2, 4}},
        {{"exact answers",
          [&](double, SeededBits& bits) { return attack_noisy(secrets, people, queries, 0, bits); },
          [](double) { return 1; }},
         {"central noise, epsilon for each answer",
          [&](double epsilon, SeededBits& bits) {
              return attack_noisy(secrets, people, queries, root / epsilon, bits);
          },
          [](double epsilon) { return noisy_theory(people, queries, root / epsilon); }},
         {"central noise, epsilon for all answers",
          [&](double epsilon, SeededBits& bits) {
              return attack_noisy(secrets, people, queries, root * queries / epsilon, bits);
          },
          [](double epsilon) { return noisy_theory(people, queries, root * queries / epsilon); }},
         {"counts of ldp reports",
          [&](double epsilon, SeededBits& bits) {
              return attack_reports(secrets, people, queries, epsilon, bits);
          },
          report_is_right}},
        repetitions, 61000000));

    std::vector<Attack> by_noise;
    for (const std::size_t each : {2, 4, 16})
        by_noise.push_back({std::to_string(each) + " queries per person",
                            [&secrets, each](double noise, SeededBits& bits) {
                                return attack_noisy(secrets, people, each * people, noise * std::sqrt(people),
                                                    bits);
                            },
                            [each](double noise) {
                                return noisy_theory(people, each * people, noise * std::sqrt(people));
                            }});
    panels.push_back(attack_panel({"reconstruction of 128 people by the noise of an answer",
                                   "standard deviation / √people",
                                   rate,
                                   {},
                                   {0.05, 0.1, 0.25, 0.5, 1, 4}},
                                  by_noise, repetitions, 62000000));

    panels.push_back(attack_panel(
        {"reconstruction of 12 people from all 4096 subsets",
         "largest error E of an answer",
         rate,
         {},
         {1, 1.5, 2, 2.5}},
        {{"answers with uniform errors",
          [&](double error, SeededBits& bits) {
              return attack_exhaustively(
                  secrets, error,
                  [=](double count, SeededBits& noise) { return count + error * (2 * noise.uniform() - 1); },
                  bits);
          },
          {}},
         {"answers rounded to multiples of 2E",
          [&](double error, SeededBits& bits) {
              return attack_exhaustively(
                  secrets, error,
                  [=](double count, SeededBits&) { return 2 * error * std::round(count / (2 * error)); },
                  bits);
          },
          {}},
         {"the theorem's least share", [](double error, SeededBits&) { return 1 - 4 * error / few; }, {}}},
        repetitions, 63000000));
}

}  // namespace evaluation
