// One line per mechanism.
#pragma once

#include "../mechanism.hpp"

namespace ldp {

extern const MechanismEntry grr_entry;
extern const MechanismEntry oue_entry;
extern const MechanismEntry piecewise_entry;
extern const MechanismEntry pdp_entry;
extern const MechanismEntry haar_entry;
extern const MechanismEntry sue_entry;
extern const MechanismEntry square_wave_entry;

}  // namespace ldp
