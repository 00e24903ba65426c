// The device's part of grr.
#pragma once

#include "core/base/cell.hpp"
#include "core/mechanism/grr/grr_parameters.hpp"

namespace ldp::grr {

/// The parameters must outlive it.
class Randomizer {
  public:
    explicit Randomizer(const Parameters& parameters) : parameters_(parameters) {}
    void permanent_response(Input input, BitSource& bits, MutableBytes permanent) const;

  private:
    const Parameters& parameters_;
};

}  // namespace ldp::grr
