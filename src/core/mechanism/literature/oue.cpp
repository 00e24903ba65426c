// Optimised unary encoding (Wang, Blocki, Li, Jha 2017): the true value's bit is reported as a fair coin,
// every other bit is 1 with probability q = 1/(e+1), e = exp(ε).

#include "core/base/exact.hpp"
#include "core/channel/epsilon_odds.hpp"
#include "core/mechanism/entries.hpp"
#include "core/mechanism/frequency/counters.hpp"
#include "core/mechanism/frequency/unary.hpp"

namespace ldp::oue {

namespace {

class Oue final : public Unary {
  public:
    Oue(const Header& header, Bytes block, std::uint64_t k)
        : Unary(header, block, k, Coin(1, 1), Coin(rare_heads(header.epsilon))) {}

    // Two inputs differ in two bits. The fair coins cancel, and the largest ratio of the false bits P(0)/P(1)
    // remains: (1−q)/q.
    Exact worst_ratio() const override { return false_one().complement() / false_one(); }
};

std::unique_ptr<const Mechanism> load(const Header& header, Bytes block) {
    Reader reader(block.subspan(header_size));
    const std::uint64_t k = read_domain(reader, Unary::max_domain);
    return std::make_unique<Oue>(header, block, k);
}

}  // namespace

const MechanismEntry entry{
    2,
    "oue",
    "optimised unary encoding",
    "a yes or no for every value of the list, each drawn by chance; for your own value yes comes more often",
    Shape::one_categorical,
    Unary::max_domain,
    true,
    {},
    write_domain,
    load,
    nullptr,
    false,
    Purpose::values,
    {},
    true};

}  // namespace ldp::oue
