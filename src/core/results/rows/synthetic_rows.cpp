#include "core/results/rows/synthetic_rows.hpp"

#include <algorithm>

#include "core/base/interrupt.hpp"
#include "core/base/text.hpp"
#include "core/math/insecure_bits.hpp"
#include "core/models/graphical_model.hpp"
#include "core/models/synthesis.hpp"
#include "core/results/row_functions.hpp"
#include "core/tables/measured.hpp"

namespace ldp {

namespace {

constexpr auto record_columns = columns("bigint number", "json record");

/// Records as JSON objects.
struct RecordRows {
    SyntheticRecords records = {};
    std::size_t count = 0;

    void write(RowCells<record_columns>& row, std::size_t number) const {
        std::string text;
        for (std::size_t j = 0; j < records.keys.size(); ++j) {
            const SyntheticRecords::RecordKey& key = records.keys[j];
            text += (text.empty() ? "{" : ",") + key.name + ":" +
                    (key.ends.empty() ? key.values[records.item(number, j).value]
                                      : shortest(records.number(number, j)));
        }
        row.put("number", static_cast<std::uint64_t>(number + 1));
        text += "}";
        row.put("record", JsonText{text});
    }
};

}  // namespace

double SyntheticRecords::number(std::size_t record, std::size_t attribute) const noexcept {
    const auto& [value, within] = item(record, attribute);
    const std::vector<double>& ends = keys[attribute].ends;
    return number_in_bin(ends[value], ends[value + 1], static_cast<double>(within));
}

SyntheticRecords synthetic_records(const Subject& subject, const SummaryQuery& query) {
    return ask(subject.summary, SyntheticRecords{}, [&](const SummaryView& view) {
        const std::vector<std::uint64_t> sizes = view.mechanism->cells();
        const Labels& labels = fitting(*subject.labels, sizes);
        const std::size_t most =
            (std::size_t{1} << 30) / sizeof(SyntheticRecords::SyntheticItem) / sizes.size() - 1;
        if (query.records < 0 || static_cast<std::uint64_t>(query.records) > most)
            throw Error(ErrorCode::invalid_value, "number of records is out of range",
                        "Found " + std::to_string(query.records) + "; the limit for these attributes is " +
                            std::to_string(most) + ".",
                        "Use several calls with different seeds.");
        const Model model = model_of(measured_for_model(view), {query.significance, query.cells});
        const Synthesis synthesis(model, sizes.size());
        SyntheticRecords all;
        all.count = static_cast<std::size_t>(query.records);
        for (std::size_t j = 0; j < sizes.size(); ++j) {
            SyntheticRecords::RecordKey key{labels.json_name(j), {}, labels.ends(j)};
            if (key.ends.empty())
                for (std::size_t v = 0; v < sizes[j]; ++v) key.values.push_back(labels.json_label(j, v));
            all.keys.push_back(std::move(key));
        }
        all.items.resize(all.count * sizes.size());
        InsecureBits bits(static_cast<std::uint64_t>(query.seed));
        std::vector<std::uint32_t> values(Synthesis::block * sizes.size());
        for (std::size_t first = 0; first < all.count; first += Synthesis::block) {
            check_interrupt();
            const std::size_t rows = std::min(Synthesis::block, all.count - first);
            synthesis.draw(rows, bits, values);
            for (std::size_t row = 0; row < rows; ++row)
                for (std::size_t j = 0; j < sizes.size(); ++j)
                    all.items[(first + row) * sizes.size() + j] = {
                        values[row * sizes.size() + j], static_cast<float>(bits.fair(24)) / 0x1p24F};
        }
        return all;
    });
}

namespace accessors {

/// A row for each record.
Found synthesize(const Subject& subject, const SummaryQuery& query) {
    RecordRows all;
    all.records = synthetic_records(subject, query);
    all.count = all.records.count;
    return results<record_columns>(std::move(all));
}

}  // namespace accessors

}  // namespace ldp
