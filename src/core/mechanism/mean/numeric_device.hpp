// The roles' common object for one number, and the device's part.
#pragma once

#include "core/base/cell.hpp"
#include "core/mechanism/mean/numeric_randomizer.hpp"

namespace ldp {

struct NumericParameters {
    std::unique_ptr<const NumericChannel> channel;
    Range range;
    std::size_t width;  ///< bytes of a payload
};

/// The parameters must outlive it, as they must the other roles.
class NumericDevice {
  public:
    explicit NumericDevice(const NumericParameters& parameters) : parameters_(parameters) {}
    void permanent_response(Input input, BitSource& bits, MutableBytes permanent) const;

  private:
    const NumericParameters& parameters_;
};

}  // namespace ldp
