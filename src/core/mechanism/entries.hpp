// One line for each mechanism.
#pragma once

#include "core/mechanism/registry.hpp"

namespace ldp {

extern const MechanismEntry grr_entry;
extern const MechanismEntry oue_entry;
extern const MechanismEntry piecewise_entry;
extern const MechanismEntry pdp_entry;
extern const MechanismEntry haar_entry;
extern const MechanismEntry sue_entry;
extern const MechanismEntry subset_entry;
extern const MechanismEntry blh_entry;
extern const MechanismEntry olh_entry;
extern const MechanismEntry hadamard_entry;
extern const MechanismEntry projective_entry;
extern const MechanismEntry rappor_entry;
extern const MechanismEntry laplace_entry;
extern const MechanismEntry duchi_entry;
extern const MechanismEntry onebit_entry;
extern const MechanismEntry hybrid_entry;
extern const MechanismEntry square_wave_entry;
extern const MechanismEntry sampled_entry;
extern const MechanismEntry duchi_vector_entry;
extern const MechanismEntry haar_ordered_entry;
extern const MechanismEntry haar_ranges_entry;
extern const MechanismEntry l_grr_entry;
extern const MechanismEntry l_sue_entry;
extern const MechanismEntry l_oue_entry;
extern const MechanismEntry loloha_entry;
extern const MechanismEntry dbitflip_entry;
extern const MechanismEntry ddrm_entry;
extern const MechanismEntry optimal_entry;
extern const MechanismEntry exponential_entry;
extern const MechanismEntry tree_entry;
extern const MechanismEntry joint_entry;
extern const MechanismEntry gaussian_entry;

}  // namespace ldp
