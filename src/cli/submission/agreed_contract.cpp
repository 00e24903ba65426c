#include "cli/submission/agreed_contract.hpp"

#include "core/base/bytes.hpp"
#include "core/base/sha256.hpp"

namespace ldp::cli::submit {

namespace {

std::string name_of_file(const std::string& address, const std::string& collection) {
    const std::string both = address + "\n" + collection;
    return to_hex(sha256(std::as_bytes(std::span(both))));
}

}  // namespace

Agreement::Agreement(const UserFolder& user, const std::string& address, const std::string& collection)
    : file_(user.file("contracts", name_of_file(address, collection))) {
    const auto text = read_private(file_);
    if (!text) return;
    try {
        agreed_ = Contract::from_json(*text);
    } catch (const Error& error) {
        throw Error(ErrorCode::malformed, "the contract in " + file_.string() + " cannot be read",
                    error.what(),
                    "Restore the file. Without it, the next contract is compared with no earlier contract.");
    }
}

bool Agreement::compare_with(const Offer& offer, const ContractTerms& terms, const std::string& accepted) {
    const Verdict verdict = compare(agreed_ ? &*agreed_ : nullptr, terms, offer);
    offered_ = verdict.contract;
    verdict.require_possible();
    const bool accepts =
        offered_.has_digest(accepted) || (terms.digest && offered_.has_digest(*terms.digest));
    if (!accepts) try {
            verdict.require_agreed();
        } catch (const Error& error) {
            throw Error(error.code(), error.what(), error.detail(),
                        error.hint() + " --accept '" + offered_.short_digest() + "' accepts it.");
        }
    shown_ = agreed_ ? verdict.lines(ContractChange::Kind::shown) : std::string();
    return !agreed_ || agreed_->digest() != offered_.digest();
}

void Agreement::keep() {
    if (agreed_ && agreed_->to_json() == offered_.to_json()) return;
    write_private(file_, offered_.to_json() + "\n", Placement::replace);
    agreed_ = offered_;
}

}  // namespace ldp::cli::submit
