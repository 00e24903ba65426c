#include "collection/report_check.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "core/base/sha256.hpp"

using namespace ldp;

namespace {

/// Whether the bytes of a constraint are the digest form of a longer block. A block contains its size.
bool is_digest_form(Bytes expected) noexcept {
    return expected.size() == digest_form_size && block_size_of(expected) > digest_form_size;
}

bool has_digest_form(Bytes block, Bytes digest_form) noexcept {
    return block_size_of(digest_form) == block.size() &&
           std::ranges::equal(block.first(header_size), digest_form.first(header_size)) &&
           std::ranges::equal(sha256(block), digest_form.subspan(header_size));
}

/// A block whose digest form was found in a constraint.
struct KnownBlock {
    std::array<std::byte, digest_form_size> digest_form;
    std::array<std::byte, max_block_size> block;
};

/// Whether a report or a batch begins with the block of this digest form. The digest is computed once in a session for
/// each of the last blocks.
bool begins_with_block_of(Bytes report, Bytes digest_form) noexcept {
    static KnownBlock known[8];
    static std::size_t oldest = 0;
    const std::size_t size = block_size_of(digest_form);
    if (size > max_block_size || report.size() < size) return false;
    for (const KnownBlock& each : known)
        if (std::memcmp(each.digest_form.data(), digest_form.data(), digest_form_size) == 0)
            return begins_with_block(report, Bytes(each.block).first(size));
    KnownBlock fresh{};
    std::ranges::copy(digest_form, fresh.digest_form.begin());
    std::ranges::copy(report.first(size), fresh.block.begin());
    set_kind(fresh.block, Kind::report);
    if (!has_digest_form(Bytes(fresh.block).first(size), digest_form)) return false;
    known[oldest++ % std::size(known)] = fresh;
    return true;
}

bool has_size_of_kind(const Mechanism& mechanism, Bytes report, Kind kind) noexcept {
    const Bytes block = mechanism.block();
    return kind == Kind::report ? report.size() == block.size() + sent_size(mechanism)
                                : batch_frame(mechanism).fits(report, block);
}

char* described(Bytes bytes) {
    return keep(describe(bytes));
}

[[noreturn]] void refuse_report(Bytes expected, Bytes report) {
    const char* ours = described(expected);
    const char* theirs = described(report);
    ereport(ERROR,
            (errcode(ERRCODE_CHECK_VIOLATION),
             errmsg("the report was made for another collection or another version of its spec"),
             errdetail("The collection accepts %s; the report is %s.", ours, theirs),
             errhint("Create reports with the spec that ldp_client_spec returns for this collection.")));
    pg_unreachable();
}

}  // namespace

namespace ldp {

bool accepts(Bytes expected, Bytes block) noexcept {
    return is_digest_form(expected) ? has_digest_form(block, expected) : std::ranges::equal(expected, block);
}

}  // namespace ldp

/// (report or batch, parameter block or its digest form): true, or an error. Runs for every inserted row. The input
/// function of the type has checked the payloads, so only the block remains to be compared.
LDP_FUNCTION(ldp_check_report) {
    const Bytes report = contents(PG_GETARG_VARLENA_PP(0));
    const Bytes expected = contents(PG_GETARG_VARLENA_PP(1));
    const Kind kind = is_batch(report) ? Kind::batch : Kind::report;
    if (is_digest_form(expected)) {
        if (likely(begins_with_block_of(report, expected) &&
                   has_size_of_kind(mechanism_of(fcinfo, report, kind), report, kind)))
            PG_RETURN_BOOL(true);
    } else {
        const Mechanism& mechanism = mechanism_of(fcinfo, expected, Kind::report);
        if (expected.size() != mechanism.block().size())
            throw Error(ErrorCode::malformed, "invalid parameter block",
                        "Found " + std::to_string(expected.size()) + " bytes; the block requires " +
                            std::to_string(mechanism.block().size()) + ".");
        if (likely(begins_with_block(report, expected) && has_size_of_kind(mechanism, report, kind)))
            PG_RETURN_BOOL(true);
    }
    // Bytes that are not a report raise that error.
    check_value(mechanism_of(fcinfo, report, kind), report, kind);
    refuse_report(expected, report);
}
