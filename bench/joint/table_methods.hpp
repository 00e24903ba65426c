// Published ways to learn how attributes hang together under local privacy, each rebuilt from its
// description, to be compared with.
#pragma once

#include <memory>

#include "benchmark.hpp"

namespace bench {

/// Everybody reports once, with fresh noise; the answers look at the records for their shape only.
using Learnt = std::unique_ptr<const Answers>;

/// Which cross tables people are divided among: all pairs, or what the spec chooses for so many people.
enum class Views { pairs, chosen };
/// `joint` with all pairs as views, and its consistent answers, which are unbiased. Triples have none.
[[nodiscard]] Learnt joint_consistent(const Records& records, double epsilon, ldp::BitSource& bits);
/// `joint`, its tables fitted together.
[[nodiscard]] Learnt joint_fit(const Records& records, double epsilon, Views views, ldp::BitSource& bits);
/// The same, a model made of the tables, and rows that are spread as it says.
[[nodiscard]] Learnt joint_rows(const Records& records, double epsilon, Views views, ldp::BitSource& bits);

/// `joint` of numbers in bins, so many values in one: answers boxes that begin and end with bins.
enum class Numbers { consistent, fit };
[[nodiscard]] Learnt joint_bins(const Records& records, double epsilon, std::size_t by, Numbers how,
                                ldp::BitSource& bits);

/// `joint_haar` of the same: consistent for boxes anywhere, fitted for so many people.
[[nodiscard]] Learnt haar_bins(const Records& records, double epsilon, std::size_t by, Numbers how,
                               ldp::BitSource& bits);

/// The product of the attributes' own shares, of which `sampled` tells what one report of everybody tells
/// (norm_sub): what an answer must be better than, so that asking for attributes together was worth it.
[[nodiscard]] Learnt independence(const Records& records, double epsilon, ldp::BitSource& bits);
/// The same of the true shares: not an estimate, but what is lost by taking attributes for independent.
[[nodiscard]] Learnt true_independence(const Records& records);

/// CALM (Zhang, Wang, Li, He, Chen 2018) with all pairs as its marginals: people are divided evenly among the
/// pairs, each pair goes through grr or olh, whichever has the smaller variance; the tables are made to
/// agree; a triple has the maximum entropy given its three pairs.
[[nodiscard]] Learnt calm(const Records& records, double epsilon, ldp::BitSource& bits);

/// Hybrid-dimensional grids (Yang, Wang, Li, Cheng, Su 2020): people are divided evenly among a fine grid
/// over each attribute and a coarse one over each pair, as fine as the paper's guideline says; grids are made
/// to agree; a pair's table is fitted to its grids by weighted update, and so is a box of three attributes to
/// the boxes of its pairs. All attributes have the same number of values, a power of two. Has no tables of
/// triples.
[[nodiscard]] Learnt hdg(const Records& records, double epsilon, ldp::BitSource& bits);

/// LoPub (Ren et al. 2018): everybody reports all attributes, each as a Bloom filter whose bits are flipped.
/// Tables are fitted by expectation maximisation over the reports. Its cost adds up over the attributes.
namespace lopub {

/// A bit is sent as it is with a probability of `kept` in 2^16, more than a half; otherwise flipped.
struct Coin {
    std::uint64_t kept;
    /// ln of how much likelier it is sent as it is than flipped.
    [[nodiscard]] double log_odds() const;
};

/// The coin with which the paper's formula gives this ε for one attribute.
[[nodiscard]] Coin coin_of_one(double epsilon);
/// The coin with which all attributes of the records truly cost this ε, or as little less as coins allow.
[[nodiscard]] Coin coin_of_all(const Records& records, double epsilon);
/// What a report truly costs: the worst ratio of likelihoods over any two people and any report, exact.
[[nodiscard]] double true_epsilon(const Records& records, Coin coin);
/// Throws std::logic_error unless true_epsilon() is the worst ratio over all reports of small filters, by
/// enumeration.
void check();

[[nodiscard]] Learnt learn(const Records& records, Coin coin, ldp::BitSource& bits);

}  // namespace lopub

}  // namespace bench
