#include "core/mechanism/mean/numeric_device.hpp"

namespace ldp {

void NumericDevice::permanent_response(Input input, BitSource& bits, MutableBytes permanent) const {
    store_cell(permanent.data(), parameters_.width, parameters_.channel->sample(input[0], bits));
}

}  // namespace ldp
