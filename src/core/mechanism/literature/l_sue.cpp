// Symmetric unary encoding in two layers (Erlingsson, Pihur, Korolova 2014, with one bit per value; Arcolezi,
// Couchot, Al Bouna, Xiao 2022). Every bit is flipped with probability 1/(√a+1), a = exp(ε∞), and memoized.
// The second layer flips it again, such that the total flip probability is 1/(√c+1), c = exp(ε₁).

#include "core/base/exact.hpp"
#include "core/channel/epsilon_odds.hpp"
#include "core/mechanism/entries.hpp"
#include "core/mechanism/frequency/second_layer.hpp"
#include "core/mechanism/frequency/unary.hpp"

namespace ldp::l_sue {

namespace {

class LongitudinalSue final : public UnaryChain {
  public:
    LongitudinalSue(const Header& header, Bytes block, std::uint64_t k, double report_epsilon)
        : LongitudinalSue(header, block, k, report_epsilon, rare_heads(header.epsilon / 2)) {}

    // As in sue, two bits differ, in either layer.
    Exact worst_ratio() const override { return power(false_one().complement() / false_one(), 2); }
    Exact first_report_ratio() const override {
        return power(sent_false_one().complement() / sent_false_one(), 2);
    }

  private:
    LongitudinalSue(const Header& header, Bytes block, std::uint64_t k, double report_epsilon,
                    std::uint64_t flips)
        : UnaryChain(header, block, k, report_epsilon, Coin(-flips), Coin(flips),
                     Coin(rare_heads(report_epsilon / 2))) {}
};

std::unique_ptr<const Mechanism> load(const Header& header, Bytes block) {
    return UnaryChain::read<LongitudinalSue>(header, block);
}

}  // namespace

const MechanismEntry entry{
    23,
    "l_sue",
    "symmetric unary encoding in two layers",
    "a yes or no for every value of the list, each drawn by chance, and drawn by chance again each time",
    Shape::one_categorical,
    Unary::max_domain,
    false,
    UnaryChain::options,
    write_layers,
    load,
    settle_report_epsilon,
    false,
    Purpose::values,
    {},
    true};

}  // namespace ldp::l_sue
