// The one-bit mean of telemetry (Ding, Kulkarni, Yekhanin 2017) on [0,m]: 1 with probability
// 1/(e+1) + (x/m)·(e−1)/(e+1), e = exp(ε); the mean is (m/n)·Σ (bit·(e+1) − 1)/(e−1).
//
// With x = m(t+1)/2, t ∈ [−1,1], that probability is 1/2 + (t/2)(e−1)/(e+1) = 1/2 + t/(2B): duchi's, on a
// range that begins at 0. And (bit·(e+1) − 1)/(e−1) = (1 ± B)/2 is duchi's ±B, brought to [0,1].

#include "all.hpp"
#include "numeric_mean.hpp"

namespace ldp {

const MechanismEntry onebit_entry = numeric_entry<onebit_card>(15, "one bit of a number from 0 up", false);

}  // namespace ldp
