// Shares of the labels of sets, by label_sets and by mechanisms of the literature.
#pragma once

namespace evaluation {

/// Prints n·Var of the share of a label as a Markdown table, for people with half of the labels that they may have.
void print_label_set_table();

}  // namespace evaluation
