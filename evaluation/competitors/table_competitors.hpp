// Published methods for several attributes under local privacy, each rebuilt from its description for
// comparison. They are linked into the evaluation only.
#pragma once

#include "../joint/benchmark.hpp"

namespace evaluation {

/// CALM (Zhang, Wang, Li, He, Chen 2018) with all pairs as its marginals. People are divided evenly among
/// the pairs. Each pair uses grr or olh, whichever has the smaller variance. The tables are made
/// consistent, and a triple has the maximum entropy given its three pairs.
[[nodiscard]] Learnt calm(const Records& records, double epsilon, ldp::BitSource& bits);

/// Hybrid-dimensional grids (Yang, Wang, Li, Cheng, Su 2020). People are divided evenly among a fine grid
/// over each attribute and a coarse grid over each pair, with the granularity of the paper's guideline.
/// The grids are made consistent. A pair's table is fitted to its grids by weighted update, and a box of
/// three attributes to the boxes of its pairs. All attributes have the same number of values, a power of
/// two. There are no tables of triples.
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

}  // namespace evaluation
