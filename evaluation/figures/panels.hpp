// The parts of the evaluation.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "../shared/population.hpp"
#include "figure.hpp"

namespace evaluation {

inline constexpr double epsilons[] = {0.5, 1, 2, 3, 4, 5};
inline constexpr std::size_t least_repetitions = 20;

/// Arguments of all parts.
struct Setup {
    std::string data;         ///< folder of the census
    std::size_t repetitions;  ///< at least least_repetitions; parts whose repetitions vary little take fewer
};

/// The smallest worst-case variance of one number that any mechanism can have, against ε.
[[nodiscard]] Figure limit_figure();
/// Computes what the published forms of the Haar pipeline truly cost, and prints it with their variance on
/// the census. Throws std::logic_error if the cost is not what the manual says.
void print_published(const People& census, std::ostream& out);
/// Means of many attributes against ε, against the number of attributes, and over data sets.
[[nodiscard]] Figure means_figure(const Setup& setup, const People& census);
/// Shares of all attributes' values, by the variation distance, against ε.
[[nodiscard]] Figure shares_figure(const Setup& setup, const People& census);
/// Shares of ranges of one ordered attribute, beside published methods, against ε.
[[nodiscard]] Figure ranges_figure(const Setup& setup);
/// Cross tables of several attributes, by the variation distance, and shares of boxes, against ε.
[[nodiscard]] Figure joint_figure(const Setup& setup, const People& census);
/// Fitted pairs of `joint` beside the products of their margins, against ε and the number of people. Throws
/// std::logic_error if the fits are worse by more than 2 %.
[[nodiscard]] Figure fitted_pairs_figure(const Setup& setup, const People& census);
/// Values that change: the error of shares, and what a person has spent in the end; means of numbers that
/// jitter.
[[nodiscard]] Figure evolving_figure(const Setup& setup);
/// Records in which one attribute of many changes: errors of shares, and what a person has spent in the end.
[[nodiscard]] Figure mixed_figure(const Setup& setup, const People& census);
/// Records whose attributes all change: two layers of the library beside those of the literature. Throws
/// std::logic_error if the library's error is larger.
[[nodiscard]] Figure layers_figure(const Setup& setup, const People& census);
/// Shares through longitudinal mechanisms, after methods of consistency.
[[nodiscard]] Figure layer_shares_figure(const Setup& setup);
/// The experiments of the source thesis, with its measures and with those of a population.
[[nodiscard]] Figure thesis_figure(const Setup& setup, const People& census);
/// Values that change a few times, in few or many rounds: the same of answers that are kept, and of ways to
/// give the whole series one ε.
[[nodiscard]] Figure series_figure(const Setup& setup);
/// Numbers that change a few times: means in each round, by thresholds over rounds and other methods.
[[nodiscard]] Figure number_series_figure(const Setup& setup);
/// Difference trees of other shapes and randomizers, and one round a person, by computation.
[[nodiscard]] Figure trees_figure();
/// Success of attacks on exact answers, on answers with central noise, and on reports.
[[nodiscard]] Figure attacks_figure(const Setup& setup);
/// The simulations of dependent data: the cost of privacy and of dependence, constants of the window, an
/// unknown variance, and several values of a person.
[[nodiscard]] Figure dependence_figure(const Setup& setup);
/// Coverage of intervals of numbers that people may leave out, and of sets of labels.
[[nodiscard]] Figure coverage_figure(const Setup& setup);
/// Prints which mechanisms have the least variance for which domains and ε, by closed forms, and which never
/// have it.
void print_dominance(std::ostream& out);
/// Time and bytes of client and server against the number of users; by one thread, with nothing beside it.
[[nodiscard]] Figure speed_figure();

}  // namespace evaluation
