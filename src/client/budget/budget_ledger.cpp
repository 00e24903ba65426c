#include "client/budget/budget_ledger.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/sha256.hpp"
#include "core/base/text.hpp"

namespace ldp {

namespace {

// A snapshot is a SHA-256 digest followed by the content. Texts are preceded by their length.

void put_text(Writer& writer, std::string_view text) {
    writer.put(static_cast<std::uint64_t>(text.size()));
    writer.put_bytes(std::as_bytes(std::span(text)));
}
std::string take_ledger_text(Reader& reader) {
    const Bytes bytes = reader.take_bytes(static_cast<std::size_t>(reader.take<std::uint64_t>()));
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

bool before(const LedgerEntry& a, const LedgerEntry& b) {
    return std::tie(a.group, a.fingerprint, a.person, a.store) <
           std::tie(b.group, b.fingerprint, b.person, b.store);
}

}  // namespace

void BudgetLedger::set_limit(const std::string& /*group*/, double /*epsilon*/) {
    raise(ErrorCode::unsupported, "the ledger does not support limits", {},
          "Use a ledger in memory or in a file.");
}

void check_limit(const std::vector<LedgerEntry>& entries, const std::string& group, double epsilon) {
    if (!(epsilon > 0 && std::isfinite(epsilon)))
        raise(ErrorCode::invalid_value, "the budget of a group must have a positive epsilon",
              "Found " + shortest(epsilon) + ".");
    for (const LedgerEntry& one : entries)
        if (!group.empty() && one.group == group && one.limit != epsilon)
            raise(ErrorCode::incompatible, "the group \"" + group + "\" has accounts with another budget",
                  "They were opened at epsilon " + shortest(one.limit) + "; found " + shortest(epsilon) + ".",
                  "Use another ledger for collections with another epsilon.");
}

std::optional<double> raise_entry(const std::vector<LedgerEntry>& entries, const LedgerLimits& limits,
                                  double known, LedgerEntry& wanted) {
    const auto limit_of = [&](const std::string& name, double otherwise) {
        const auto found = limits.find(name);
        return found == limits.end() ? otherwise : found->second;
    };
    const double total = limit_of({}, std::numeric_limits<double>::infinity());
    const double limit = wanted.group.empty() ? 0 : limit_of(wanted.group, known);
    if (limit != 0 && limit != wanted.limit)
        raise(ErrorCode::incompatible, "the group \"" + wanted.group + "\" has two budgets",
              "The person's ledger has epsilon " + shortest(limit) + "; the spec has " +
                  shortest(wanted.limit) + ".",
              "All collections of a group must have the epsilon in the ledger of the person. Nothing was "
              "reported.");
    double others = 0, elsewhere = 0, now = 0;
    for (const LedgerEntry& one : entries)
        if (one.group != wanted.group) {
            elsewhere += one.reserved;
        } else if (one.same_account(wanted)) {
            now = one.reserved;
            wanted.title = one.title;  // a server must not rename an account
            wanted.spent = std::max(one.spent, wanted.spent);
            wanted.reserved = std::max(one.reserved, wanted.reserved);
        } else {
            others += one.reserved;
        }
    // Decimals such as 0.1 are not exact, so that their sum may exceed the limit by some parts in 10^16.
    constexpr double rounding = 1e-12;
    const double of_group = wanted.group.empty() ? std::numeric_limits<double>::infinity() : wanted.limit;
    const auto pays = [&](double budget, double spent) {
        return spent + wanted.reserved <= budget * (1 + rounding);
    };
    if (wanted.reserved <= now || (pays(of_group, others) && pays(total, others + elsewhere))) return {};
    return std::max(0.0, std::min(of_group, total - elsewhere) - others - now);
}

std::optional<double> MemoryLedger::reserve(const LedgerEntry& entry) {
    std::vector<LedgerEntry> of_person;
    double limit = 0;
    for (const LedgerEntry& one : entries_) {
        if (one.group == entry.group) limit = one.limit;
        if (one.person == entry.person) of_person.push_back(one);
    }
    LedgerEntry changed = entry;
    if (const auto left = raise_entry(of_person, limits_, limit, changed)) return left;
    const auto known =
        std::ranges::find_if(entries_, [&](const LedgerEntry& one) { return one.same_account(entry); });
    if (known != entries_.end())
        *known = std::move(changed);
    else
        entries_.insert(std::ranges::upper_bound(entries_, changed, before), changed);
    return {};
}

void MemoryLedger::set_limit(const std::string& group, double epsilon) {
    check_limit(entries_, group, epsilon);
    limits_[group] = epsilon;
}

std::vector<std::byte> MemoryLedger::snapshot() const {
    Writer writer;
    writer.put(snapshot_version);
    writer.put(static_cast<std::uint64_t>(entries_.size()));
    for (const LedgerEntry& entry : entries_) {
        put_text(writer, entry.group);
        writer.put(entry.limit);
        put_text(writer, entry.person);
        writer.put_bytes(entry.fingerprint.digest);
        put_text(writer, entry.store);
        put_text(writer, entry.title);
        writer.put(entry.spent);
        writer.put(entry.reserved);
    }
    writer.put(static_cast<std::uint64_t>(limits_.size()));
    for (const auto& [group, epsilon] : limits_) {
        put_text(writer, group);
        writer.put(epsilon);
    }
    const auto digest = sha256(writer.bytes());
    writer.bytes().insert(writer.bytes().begin(), digest.begin(), digest.end());
    return std::move(writer.bytes());
}

MemoryLedger::MemoryLedger(Bytes snapshot) {
    constexpr std::size_t digest_size = 32;
    if (snapshot.size() < digest_size ||
        !std::ranges::equal(snapshot.first(digest_size), sha256(snapshot.subspan(digest_size))))
        raise(ErrorCode::environment, "the stored ledger of budgets is damaged",
              "Its digest does not match its content.",
              "Restore it from a backup: without it, people spend the group's budget again.");
    Reader reader(snapshot.subspan(digest_size));
    constexpr std::uint32_t letter = 0xff000000;
    const auto version = reader.take<std::uint32_t>();
    if ((version & letter) == 0)
        raise(
            ErrorCode::environment, "the store has a client's state instead of a ledger of budgets", {},
            "The ledger of a group and each client need separate stores. Use another store for the ledger.");
    if (version != snapshot_version)
        raise(ErrorCode::environment, "the stored ledger of budgets has an unsupported version",
              "Its version is " + std::to_string(version & ~letter) + "; this release reads version " +
                  std::to_string(snapshot_version & ~letter) + ".",
              "The ledger was not changed. Use the release of ldp that wrote it, or a newer one.");
    for (auto left = reader.take<std::uint64_t>(); left > 0; --left) {
        LedgerEntry& entry = entries_.emplace_back();
        entry.group = take_ledger_text(reader);
        entry.limit = reader.take<double>();
        entry.person = take_ledger_text(reader);
        std::ranges::copy(reader.take_bytes(entry.fingerprint.digest.size()),
                          entry.fingerprint.digest.begin());
        entry.store = take_ledger_text(reader);
        entry.title = take_ledger_text(reader);
        entry.spent = reader.take<double>();
        entry.reserved = reader.take<double>();
    }
    for (auto left = reader.take<std::uint64_t>(); left > 0; --left) {
        const std::string group = take_ledger_text(reader);
        limits_[group] = reader.take<double>();
    }
    reader.finish();
}

}  // namespace ldp
