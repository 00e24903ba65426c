// One bit (Duchi, Jordan, Wainwright 2013, 2018): ±B, B = (e+1)/(e−1), e = exp(ε), with P(+B) = 1/2 + x/(2B)
// at x ∈ [−1,1]. n·Var = B² − x².

#include "core/mechanism/mean/numeric_mean.hpp"
#include "core/mechanism/role/entries.hpp"

namespace ldp::duchi {

const MechanismEntry entry = numeric_entry<duchi_randomizer>(
    14, "one bit of Duchi, Jordan, Wainwright",
    "a single yes or no, drawn by chance; the larger your number is, the more often it is yes");

}  // namespace ldp::duchi
