#include "core/mechanism/grr/grr_randomizer.hpp"

namespace ldp::grr {

void Randomizer::permanent_response(Input input, BitSource& bits, MutableBytes permanent) const {
    store_cell(permanent.data(), parameters_.width, parameters_.channel.sample(input[0], bits));
}

}  // namespace ldp::grr
