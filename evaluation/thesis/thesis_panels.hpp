// The parts of the thesis's figures.
#pragma once

#include <vector>

#include "../figures/panels.hpp"

namespace evaluation {

/// The first people of a census with their first attributes, and one more that is uniform in 360 steps: a
/// round of Syn. `attributes` counts it, too.
[[nodiscard]] People with_minutes(const People& census, std::size_t people, std::size_t attributes);

/// Figure 5-7: the shares of Syn's values in one round of this many people.
void compare_counts(const People& census, std::size_t count, std::size_t repetitions,
                    std::vector<Panel>& panels);

/// Syn beside 15 constant attributes over 120 rounds: the error of shares, that of the share of a quarter of
/// the values, and what a person has spent.
void compare_rounds(const People& census, std::size_t repetitions, std::vector<Panel>& panels);

/// Figure 5-8: the time of a round on one thread, with nothing beside it. Times belong to one machine and
/// have no closed form.
[[nodiscard]] Panel compare_times(const People& census);

}  // namespace evaluation
