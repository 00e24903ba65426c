// Limits that a user sets for every server: limits of epsilon, a digest, a fingerprint and a spec.
#pragma once

#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/records.hpp"
#include "client/contract.hpp"

namespace ldp::cli {

/// The exit code of a command that found a collection to differ from the contract that was agreed.
inline constexpr int exit_changed = 6;

/// Adds --at-most-epsilon, --at-most-total, --contract and --fingerprint.
void add_terms_options(Options& options);
/// Returns the terms that these options state. `in_clear` has the names of the public columns that the user
/// named. Throws UsageError.
[[nodiscard]] ContractTerms terms_option(const Arguments& arguments,
                                         const std::vector<NamedColumn>& in_clear);
/// Throws Error (incompatible) if --fingerprint differs from the fingerprint of the spec.
void check_fingerprint(const Arguments& arguments, const Spec& spec);

/// Returns the text that is shown before the first report: Contract::summary(), with the columns of the file.
[[nodiscard]] std::string shown_contract(const Contract& contract, const Spec& spec,
                                         const ColumnMap& columns);

}  // namespace ldp::cli
