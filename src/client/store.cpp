#include "client/store.hpp"

#include <algorithm>
#include <utility>

#include "client/collection.hpp"
#include "core/base/error.hpp"
#include "core/base/json.hpp"
#include "core/base/random.hpp"
#include "core/base/sha256.hpp"
#include "core/contract/spec.hpp"
#include "core/mechanism/role/registry.hpp"
#include "core/summary/batch.hpp"

namespace ldp {

void refuse_memory(const char* reason) {
    raise(ErrorCode::environment, "the responses in the store do not match the spec", reason,
          "The store was not changed. Restore it from a backup: without memoized responses, a person spends "
          "the budget again.");
}

std::array<std::byte, 32> Batch::digest() const {
    Sha256 hash;
    hash.add(std::to_string(round));
    std::string text = ":";  // a separator and the report
    for (const Report& report : reports) {
        text.resize(1 + 2 * report.size());
        to_hex(report, text.data() + 1);
        hash.add(text);
        text[0] = ',';
    }
    columns.add_to(hash);
    return hash.digest();
}

std::optional<std::vector<std::vector<std::byte>>> Batch::packed() const {
    try {
        return pack(*load_mechanism(reports.at(0), Kind::report), reports);
    } catch (const Error&) {
        return {};
    }
}

std::optional<std::vector<std::vector<std::byte>>> Batch::packed_shortly() const {
    auto batches = packed();
    if (batches)
        for (std::vector<std::byte>& each : *batches) each = short_form_of(each, block_size_of(each));
    return batches;
}

Store::Secret Store::draw_secret() {
    SystemRandom bits;
    Secret secret;
    for (std::size_t at = 0; at < secret.size(); at += 8) store<std::uint64_t>(&secret[at], bits.word());
    return secret;
}

StoreIdentity Store::identity() const {
    raise(ErrorCode::unsupported, "the store cannot serve a budget of a group",
          "The ledger of the group needs the name of the store, and this store has no name.",
          "Use a store in memory or in a file, or override Store::identity().");
}

std::string Store::name_of_store(const Secret& secret) {
    Sha256 hash;
    hash.add(Bytes(secret));
    hash.add("budget of a group");
    return to_hex(hash.digest()).substr(0, 32);
}

std::string Store::batch_id(const Secret& secret, std::int64_t number) {
    Sha256 hash;
    hash.add(Bytes(secret));
    std::byte digits[8];
    store(digits, number);
    hash.add(Bytes(digits));
    const auto digest = hash.digest();
    std::array<std::byte, 16> raw;
    std::copy_n(digest.begin(), raw.size(), raw.begin());
    raw[6] = (raw[6] & std::byte{0x0F}) | std::byte{0x40};  // version 4: random
    raw[8] = (raw[8] & std::byte{0x3F}) | std::byte{0x80};  // the variant of RFC 4122
    std::string text = to_hex(raw);
    for (const std::size_t at : {8, 13, 18, 23}) text.insert(at, 1, '-');
    return text;
}

void Store::refuse_spec(const Fingerprint& bound, const Fingerprint& found, const std::string& differences) {
    raise(
        ErrorCode::incompatible, "the store belongs to another spec",
        "It holds reports for spec " + fingerprint_text(bound) + "; this client has spec " +
            fingerprint_text(found) + "." + (differences.empty() ? "" : "\n") + differences,
        "Use one store for each spec. If the spec was replaced, submit the reports of the old store first.");
}

Verdict Store::agree(const ContractTerms& terms, const Contract& offered,
                     const std::vector<PublicColumn>& columns) {
    const std::string stored = contract();
    const std::string mark = offered.offered.empty() ? offered.mark(columns) : offered.offered;
    if (stored.find("\"offered\":\"" + mark + "\"") != std::string::npos) return {{}, offered};
    Verdict verdict;
    if (stored.empty()) {
        verdict = compare(nullptr, terms, offered, columns);
        verdict.require_possible();
    } else {
        const Contract agreed = Contract::from_json(stored);
        verdict = compare(&agreed, terms, offered, columns);
        if (agreed.fingerprint != offered.fingerprint)
            refuse_spec(agreed.fingerprint, offered.fingerprint, verdict.lines(verdict.kind()));
        verdict.require_possible();
    }
    verdict.contract.offered = mark;
    if (verdict.kind() < ContractChange::Kind::ask) bind(verdict.contract);
    return verdict;
}

Verdict Store::compare_destination(const Destination& destination) const {
    const std::string stored = contract();
    if (stored.empty() || (destination.endpoint.empty() && destination.collection.empty())) return {};
    const std::string endpoint =
        destination.endpoint.empty() ? std::string() : normal_address(destination.endpoint);
    const Json json = json_of(stored, Unsound::allowed);
    const auto known = [&](const char* key, const std::string& now) {
        return now.empty() || json.value(key, Json()) == now;
    };
    if (known("endpoint", endpoint) && known("collection", destination.collection)) return {};
    const Contract agreed = Contract::from_json(stored);
    Contract now = agreed;
    if (!endpoint.empty()) now.endpoint = endpoint;
    if (!destination.collection.empty()) now.collection = destination.collection;
    return compare(&agreed, {}, now, {});
}

void Store::learn_destination(const Destination& destination) {
    Verdict verdict = compare_destination(destination);
    // Without a difference, the verdict has no contract.
    if (!verdict.contract.spec.empty() && verdict.kind() < ContractChange::Kind::ask) bind(verdict.contract);
}

StoreAgreement::StoreAgreement(Store& store, const Collection& collection)
    : opened_(store.agree(collection.terms(), collection.contract(), collection.public_columns())),
      waits_(opened_.kind() == ContractChange::Kind::ask) {}

void StoreAgreement::compare_destination(const Store& store, const Destination& destination) {
    moved_.reset();
    Verdict verdict = store.compare_destination(destination);
    if (verdict.kind() >= ContractChange::Kind::ask) moved_ = std::move(verdict);
}

void StoreAgreement::require_destination(const Store& store, const Destination& destination) {
    compare_destination(store, destination);
    require();
    if (moved_) moved_->require_agreed();
}

const Verdict* StoreAgreement::waiting() const noexcept {
    if (waits_) return &opened_;
    return moved_ ? &*moved_ : nullptr;
}

void StoreAgreement::accept(Store& store, std::string_view digest) {
    const Verdict* const open = waiting();
    const Contract offered = open == nullptr ? Contract::from_json(store.contract()) : open->contract;
    offered.require_digest(digest);
    if (open == nullptr) return;
    store.bind(offered);
    if (!waits_) moved_.reset();
    waits_ = false;
}

std::string StoreAgreement::to_json(const Contract& contract) const {
    Json json = json_of(contract.to_json(), Unsound::allowed);
    json["changes"] = json_of(Verdict{changes(), {}}.to_json(), Unsound::allowed);
    json["waiting"] = waiting() == nullptr ? Json() : Json(waiting()->contract.digest());
    return json_text(json, Unsound::allowed);
}

}  // namespace ldp
