// Counts the records of files of reports.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/counting/group_counts.hpp"
#include "cli/counting/report_file.hpp"
#include "cli/input/record_fields.hpp"
#include "core/base/error.hpp"

namespace ldp::cli {

/// Counts reports and batches in groups. Each thread has an object of its own.
class RecordCounter {
  public:
    /// Receives the error of an invalid record; its message begins with the place. It may throw the error. Otherwise the
    /// record is skipped.
    using Refused = std::function<void(const Error&)>;

    /// The counts must outlive this object.
    RecordCounter(GroupCounts& counts, Refused refused);

    /// Counts all records of a chunk, whose bytes may change. Throws Error: malformed for a damaged file, full, environment if
    /// the groups need too much memory.
    void count(RecordChunk& chunk);

  private:
    /// Counts one report or batch of the group of the current key. Throws Error (malformed, incompatible) if it is invalid.
    void take(Bytes value, const Rounds& rounds);
    void count_fields(const ReportLayout& layout, const std::vector<RecordField>& fields);
    void count_hexadecimal(std::string_view digits, const Rounds& rounds);
    void make_key(const ReportLayout& layout, const std::vector<RecordField>& fields, const Rounds& rounds);
    void add(Bytes sent, const Rounds& rounds);
    template <class Split>
    void count_lines(RecordChunk& chunk, Split split);
    void count_rows(const RecordChunk& chunk);
    void count_values(const RecordChunk& chunk);
    /// Runs `step`, and passes an Error about a record on with the record's place.
    template <class Step>
    void placed(const ReportLayout& layout, std::uint64_t record, Step step);

    GroupCounts& counts_;
    const Mechanism& mechanism_;
    Refused refused_;
    std::string digits_of_block_;
    std::size_t sent_size_;
    GroupKey key_;
    std::string last_key_;
    GroupCounts::Group* last_ = nullptr;  ///< the group of last_key_
    std::vector<RecordField> fields_;
    std::vector<std::byte> value_;  ///< decoded digits
};

}  // namespace ldp::cli
