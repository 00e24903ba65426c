// The contracts that this user agreed to, by the address and the name of a collection.
#pragma once

#include <optional>
#include <string>

#include "cli/submission/user_folder.hpp"
#include "client/contract.hpp"

namespace ldp::cli::submit {

/// The contract of this user with a collection: a file in ldp/contracts, which the command compares with each
/// offer. The next file of a collection is therefore compared even if it has no state file yet.
class Agreement {
  public:
    Agreement(const UserFolder& user, const std::string& address, const std::string& collection);

    /// Returns the contract; nothing before the first one. Throws Error (malformed) if the file is damaged.
    [[nodiscard]] const std::optional<Contract>& agreed() const noexcept { return agreed_; }
    /// Compares an offer with the contract, under these terms. `accepted` is the digest of a changed contract
    /// that the user accepts, or empty. Returns whether the offer is another contract than before. Throws
    /// Error: incompatible if the offer is refused, ErrorCode::changed if it waits for an acceptance.
    bool compare_with(const Offer& offer, const ContractTerms& terms, const std::string& accepted);
    /// Returns the compared contract.
    [[nodiscard]] const Contract& offered() const noexcept { return offered_; }
    /// Returns what differs from the earlier contract without need of an acceptance, a line each; may be empty.
    [[nodiscard]] const std::string& shown() const noexcept { return shown_; }
    /// Keeps the compared contract. Throws Error (environment).
    void keep();

  private:
    std::filesystem::path file_;
    std::optional<Contract> agreed_;
    Contract offered_;
    std::string shown_;
};

}  // namespace ldp::cli::submit
