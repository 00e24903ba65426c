// Declares the entry of each mechanism. The file of a mechanism is a namespace, of which other files use the
// entry only.
#pragma once

#include "core/mechanism/role/registry.hpp"

// clang-format off
namespace ldp::grr { extern const MechanismEntry entry; }
namespace ldp::oue { extern const MechanismEntry entry; }
namespace ldp::piecewise { extern const MechanismEntry entry; }
namespace ldp::pdp { extern const MechanismEntry entry; }
namespace ldp::haar { extern const MechanismEntry entry; }
namespace ldp::sue { extern const MechanismEntry entry; }
namespace ldp::subset { extern const MechanismEntry entry; }
namespace ldp::blh { extern const MechanismEntry entry; }
namespace ldp::olh { extern const MechanismEntry entry; }
namespace ldp::hadamard { extern const MechanismEntry entry; }
namespace ldp::projective { extern const MechanismEntry entry; }
namespace ldp::rappor { extern const MechanismEntry entry; }
namespace ldp::laplace { extern const MechanismEntry entry; }
namespace ldp::duchi { extern const MechanismEntry entry; }
namespace ldp::onebit { extern const MechanismEntry entry; }
namespace ldp::hybrid { extern const MechanismEntry entry; }
namespace ldp::square_wave { extern const MechanismEntry entry; }
namespace ldp::sampled { extern const MechanismEntry entry; }
namespace ldp::duchi_vector { extern const MechanismEntry entry; }
namespace ldp::haar_ordered { extern const MechanismEntry entry; }
namespace ldp::haar_ranges { extern const MechanismEntry entry; }
namespace ldp::l_grr { extern const MechanismEntry entry; }
namespace ldp::l_sue { extern const MechanismEntry entry; }
namespace ldp::l_osue { extern const MechanismEntry entry; }
namespace ldp::loloha { extern const MechanismEntry entry; }
namespace ldp::dbitflip { extern const MechanismEntry entry; }
namespace ldp::ddrm { extern const MechanismEntry entry; }
namespace ldp::optimal { extern const MechanismEntry entry; }
namespace ldp::exponential { extern const MechanismEntry entry; }
namespace ldp::tree { extern const MechanismEntry entry; }
namespace ldp::joint { extern const MechanismEntry entry; }
namespace ldp::joint_haar { extern const MechanismEntry entry; }
namespace ldp::strings { extern const MechanismEntry entry; }
namespace ldp::threshold_series { extern const MechanismEntry entry; }
namespace ldp::dithered { extern const MechanismEntry entry; }
namespace ldp::gaussian { extern const MechanismEntry entry; }
namespace ldp::optional_mean { extern const MechanismEntry entry; }
namespace ldp::label_sets { extern const MechanismEntry entry; }
namespace ldp::ball { extern const MechanismEntry entry; }
namespace ldp::means_by_group { extern const MechanismEntry entry; }
namespace ldp::ring { extern const MechanismEntry entry; }
