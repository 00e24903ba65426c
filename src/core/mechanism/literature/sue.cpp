// Symmetric unary encoding (Wang, Blocki, Li, Jha 2017; the basic one-time form of Erlingsson, Pihur,
// Korolova 2014): every bit is flipped with the same probability q = 1/(√e+1), e = exp(ε).

#include "core/base/exact.hpp"
#include "core/channel/epsilon_odds.hpp"
#include "core/mechanism/entries.hpp"
#include "core/mechanism/frequency/counters.hpp"
#include "core/mechanism/frequency/unary.hpp"

namespace ldp::sue {

namespace {

class Sue final : public Unary {
  public:
    Sue(const Header& header, Bytes block, std::uint64_t k)
        : Sue(header, block, k, rare_heads(header.epsilon / 2)) {}

    // Two inputs differ in two bits, and in the worst report both bits agree with one input: ((1−q)/q)².
    // Halving ε is exact in binary, and each factor is at most exp(ε/2).
    Exact worst_ratio() const override {
        const Exact once = false_one().complement() / false_one();
        return once * once;
    }

  private:
    Sue(const Header& header, Bytes block, std::uint64_t k, std::uint64_t flips)
        : Unary(header, block, k, Coin(-flips), Coin(flips)) {}
};

std::unique_ptr<const Mechanism> load(const Header& header, Bytes block) {
    Reader reader(block.subspan(header_size));
    const std::uint64_t k = read_domain(reader, Unary::max_domain);
    return std::make_unique<Sue>(header, block, k);
}

}  // namespace

const MechanismEntry entry{
    6,
    "sue",
    "symmetric unary encoding",
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

}  // namespace ldp::sue
