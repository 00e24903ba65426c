// Associations of attributes from reports on cross tables: tests, fitted tables, models, and synthetic
// records.

#include "core/tables/model/graphical_model.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <vector>

#include "core/base/interrupt.hpp"
#include "core/math/insecure_bits.hpp"
#include "core/tables/fitted.hpp"
#include "core/tables/measured.hpp"
#include "core/tables/model/association.hpp"
#include "core/tables/model/synthesis.hpp"
#include "estimate_rows.hpp"
#include "tables/text_arrays.hpp"

extern "C" {
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/numeric.h"
}

using namespace ldp;

namespace {

constexpr Column association_columns[] = {{"attribute", TEXTOID},
                                          {"other_attribute", TEXTOID},
                                          {"estimate", FLOAT8OID},
                                          {"lower", FLOAT8OID},
                                          {"upper", FLOAT8OID},
                                          {"information", FLOAT8OID},
                                          {"information_stderr", FLOAT8OID},
                                          {"n", INT8OID},
                                          {"p_value", FLOAT8OID},
                                          {"adjusted_p_value", FLOAT8OID},
                                          {"attribute_number", INT4OID},
                                          {"other_attribute_number", INT4OID},
                                          {"note", TEXTOID}};

/// Pairs of attributes.
struct Associations {
    struct AssociationRow {
        const char *first, *second;
        Association found;
        ReportStatus status;
    };
    AssociationRow* rows = nullptr;
    std::size_t count = 0;

    void write(RowWriter<association_columns>& row, std::size_t number) const {
        const auto& [first, second, found, status] = rows[number];
        row.put("attribute", server_text(first));
        row.put("other_attribute", server_text(second));
        if (status.enough) {
            row.put("estimate", found.cramers_v);
            row.put("lower", found.v_interval.lower);
            row.put("upper", found.v_interval.upper);
            row.put("information", found.information.value);
            row.put("information_stderr", found.information.standard_error);
            row.put("p_value", found.p_value);
            row.put("adjusted_p_value", found.adjusted);
        }
        row.put("n", status.n);
        row.put("attribute_number", static_cast<std::int32_t>(found.first));
        row.put("other_attribute_number", static_cast<std::int32_t>(found.second));
        if (status.enough && std::isnan(found.cramers_v))
            row.put("note", "fewer than two values of one attribute are significantly greater than zero");
        else
            status.put_note(row, true);
    }
};

/// The reports about a pair.
SummaryView about(const SummaryView& view, const Association& pair) {
    SummaryView reports = view;
    reports.n = static_cast<std::uint64_t>(std::llround(pair.people * most_of_one(view)));
    return reports;
}

Associations associated(const Subject& subject, double confidence) {
    return ask(subject.summary, Associations{}, [&](const SummaryView& view) {
        const Labels& labels = subject.labels.fitting(view.mechanism->cells());
        const std::vector<Association> found = associations(measured(view), confidence);
        Associations all{static_cast<Associations::AssociationRow*>(
                             try_palloc((found.size() + 1) * sizeof(Associations::AssociationRow))),
                         found.size()};
        for (std::size_t i = 0; i < found.size(); ++i)
            all.rows[i] = {keep(labels.name(found[i].first)), keep(labels.name(found[i].second)), found[i],
                           report_status(about(view, found[i]))};
        return all;
    });
}

constexpr Column fitted_columns[] = {
    {"cell", TEXTARRAYOID}, {"estimate", FLOAT8OID},        {"n", INT8OID},
    {"people", INT8OID},    {"cell_numbers", INT4ARRAYOID}, {"note", TEXTOID}};

/// The cells of a fitted table, in the order of the arguments.
struct FittedCells {
    struct FittedCell {
        const char** labels;
        std::int32_t* numbers;
        double share;
    };
    FittedCell* rows = nullptr;
    std::size_t count = 0, attributes = 0;
    bool modelled = false;
    ReportStatus status = {};

    void write(RowWriter<fitted_columns>& row, std::size_t number) const {
        row.put("cell", text_array(rows[number].labels, attributes));
        row.put("estimate", status.enough ? rows[number].share : unknown);
        status.put_counts(row);
        row.put("cell_numbers", number_array(rows[number].numbers, attributes));
        if (status.enough && modelled)
            row.put("note", "model-based: no view covers all these attributes");
        else
            status.put_note(row, true);
    }
};

FittedCells fitted(const Subject& subject, const TextArray& words) {
    return ask(subject.summary, FittedCells{}, [&](const SummaryView& view) {
        const std::size_t count = view.mechanism->cells().size();
        const Labels& labels = subject.labels.fitting(view.mechanism->cells());
        std::vector<std::size_t> attributes, order;
        for (std::size_t i = 0; i < words.count; ++i)
            attributes.push_back(labels.attribute_called(words.texts[i], count));
        std::vector<std::size_t> ascending = attributes;
        std::ranges::sort(ascending);
        if (ascending.empty() || std::ranges::adjacent_find(ascending) != ascending.end())
            throw Error(ErrorCode::invalid_value,
                        ascending.empty() ? "no attribute is named" : "an attribute is named twice",
                        "Found " + std::to_string(ascending.size()) + " names.",
                        "Specify each attribute once.");
        const Fit fit = fitted(measured(view));
        for (const std::size_t j : ascending)
            if (!fit.holds({&j, 1}))
                throw Error(ErrorCode::unsupported, "attribute \"" + labels.name(j) + "\" has no reports", {},
                            "Use other attributes, or wait for more reports.");
        const Table table = fit.table(ascending);
        // Position of the value of each argument in a cell of the table.
        std::vector<std::size_t> strides(attributes.size()), sizes(attributes.size());
        for (std::size_t i = ascending.size(), stride = 1; i-- > 0; stride *= table.sizes[i]) {
            const auto word =
                static_cast<std::size_t>(std::ranges::find(attributes, ascending[i]) - attributes.begin());
            strides[word] = stride;
            sizes[word] = table.sizes[i];
        }
        std::vector<std::vector<const char*>> texts(attributes.size());
        for (std::size_t i = 0; i < attributes.size(); ++i)
            for (std::size_t v = 0; v < sizes[i]; ++v)
                texts[i].push_back(keep(labels.label(attributes[i], v)));
        FittedCells all{.attributes = attributes.size(),
                        .modelled = !fit.holds(ascending),
                        .status = report_status(view)};
        all.rows = static_cast<FittedCells::FittedCell*>(
            try_palloc(table.shares.size() * sizeof(FittedCells::FittedCell)));
        for (; all.count < table.shares.size(); ++all.count) {
            check_interrupt();
            FittedCells::FittedCell& row = all.rows[all.count];
            row = {static_cast<const char**>(try_palloc(attributes.size() * sizeof(char*))),
                   static_cast<std::int32_t*>(try_palloc(attributes.size() * sizeof(std::int32_t))), 0};
            std::size_t cell = 0, left = all.count;
            for (std::size_t i = attributes.size(); i-- > 0; left /= sizes[i]) {
                const std::size_t value = left % sizes[i];
                row.labels[i] = texts[i][value];
                row.numbers[i] = static_cast<std::int32_t>(value);
                cell += value * strides[i];
            }
            row.share = table.shares[cell];
        }
        return all;
    });
}

constexpr Column model_columns[] = {
    {"kind", TEXTOID},          {"attributes", TEXTARRAYOID}, {"estimate", FLOAT8OID},
    {"information", FLOAT8OID}, {"p_value", FLOAT8OID},       {"cells", INT8OID},
    {"clique", INT4OID},        {"parent", INT4OID},          {"attribute_numbers", INT4ARRAYOID}};

/// A model's edges and cliques.
struct ModelRows {
    struct ModelRow {
        const char* kind;
        const char** names;
        std::int32_t* numbers;
        std::size_t attributes;
        double v, information, p_value;
        std::uint64_t cells;
        std::int32_t clique, parent;  // parent is negative for a root
    };
    ModelRow* rows = nullptr;
    std::size_t count = 0;
    ReportStatus status = {};

    void write(RowWriter<model_columns>& row, std::size_t number) const {
        const ModelRow& one = rows[number];
        row.put("kind", one.kind);
        row.put("attributes", text_array(one.names, one.attributes));
        row.put("estimate", one.v);
        row.put("information", one.information);
        row.put("p_value", one.p_value);
        row.put("cells", one.cells);
        row.put("clique", one.clique);
        if (one.parent >= 0) row.put("parent", one.parent);
        row.put("attribute_numbers", number_array(one.numbers, one.attributes));
    }

    // Allowed beside C++ objects.
    ModelRow& add(const char* kind, const Labels& of, std::span<const std::size_t> attributes) {
        ModelRow& row = rows[count++];
        row = {kind,
               static_cast<const char**>(try_palloc(attributes.size() * sizeof(char*))),
               static_cast<std::int32_t*>(try_palloc(attributes.size() * sizeof(std::int32_t))),
               attributes.size(),
               unknown,
               unknown,
               unknown,
               0,
               0,
               -1};
        for (std::size_t i = 0; i < attributes.size(); ++i) {
            row.names[i] = keep(of.name(attributes[i]));
            row.numbers[i] = static_cast<std::int32_t>(attributes[i]);
        }
        return row;
    }
};

/// An array of arrays of names, in the format of "views" in a spec.
const char* learnt(const Subject& subject, double significance) {
    return ask(subject.summary, static_cast<const char*>(nullptr), [&](const SummaryView& view) {
        const std::vector<Association> found = associations(measured_for_model(view), 0.95);
        const std::vector<std::uint64_t> sizes = view.mechanism->cells();
        const Labels& labels = subject.labels.fitting(sizes);
        const auto listed = [](const auto& all, const auto& text) {
            std::string list;
            for (const auto& one : all) list += (list.empty() ? "" : ",") + text(one);
            return "[" + list + "]";
        };
        const std::string views =
            listed(learnt_views(found, sizes.size(), significance), [&](const auto& set) {
                return listed(set, [&](std::size_t attribute) { return labels.json_name(attribute); });
            });
        return static_cast<const char*>(keep(views));
    });
}

ModelRows modelled(const Subject& subject, const ModelOptions& options) {
    return ask(subject.summary, ModelRows{}, [&](const SummaryView& view) {
        const Labels& labels = subject.labels.fitting(view.mechanism->cells());
        const Model model = model_of(measured_for_model(view), options);
        ModelRows all;
        all.rows = static_cast<ModelRows::ModelRow*>(
            try_palloc((model.edges.size() + model.cliques.size() + 1) * sizeof(ModelRows::ModelRow)));
        for (std::size_t c = 0; c < model.cliques.size(); ++c) {
            const Clique& clique = model.cliques[c];
            ModelRows::ModelRow& row = all.add("clique", labels, clique.table.attributes);
            row.cells = clique.table.shares.size();
            row.clique = static_cast<std::int32_t>(c);
            if (c > 0) row.parent = static_cast<std::int32_t>(clique.parent);
        }
        for (const Association& edge : model.edges) {
            const std::size_t both[] = {edge.first, edge.second};
            const auto holder = std::ranges::find_if(model.cliques, [&](const Clique& clique) {
                return std::ranges::includes(clique.table.attributes, both);
            });
            ModelRows::ModelRow& row = all.add("edge", labels, both);
            if (enough(about(view, edge))) {
                row.v = edge.cramers_v;
                row.information = edge.information.value;
                row.p_value = edge.p_value;
            }
            row.cells = view.mechanism->cells()[both[0]] * view.mechanism->cells()[both[1]];
            row.clique = static_cast<std::int32_t>(holder - model.cliques.begin());
        }
        return all;
    });
}

constexpr Column record_columns[] = {{"number", INT8OID}, {"record", JSONBOID}};

/// Synthetic records: a value for each attribute, and for a number in bins its position in the bin.
struct Records {
    struct Item {
        std::uint32_t value;
        float within;
    };
    struct Key {
        const char* text;    // a JSON array: the name of the attribute and its values; without values for a
                             // number in bins
        const double* ends;  // of bins
        std::size_t at;      // position among the pairs of a record
        JsonbValue* values;  // values of `text` behind the name
    };
    Key* keys = nullptr;
    Item* items = nullptr;
    std::size_t attributes = 0, count = 0;
    JsonbPair* pairs = nullptr;  // of the current record

    // Parsing the text of each record would dominate the cost.
    void write(RowWriter<record_columns>& row, std::size_t number) const {
        for (std::size_t j = 0; j < attributes; ++j) {
            const auto& [value, within] = items[number * attributes + j];
            const Key& key = keys[j];
            pairs[key.at].value = key.ends == nullptr
                                      ? key.values[value]
                                      : json_number(number_in_bin(key.ends[value], key.ends[value + 1],
                                                                  static_cast<double>(within)));
        }
        JsonbValue record;
        record.type = jbvObject;
        record.val.object.nPairs = static_cast<int>(attributes);
        record.val.object.pairs = pairs;
        row.put("number", static_cast<std::uint64_t>(number + 1));
        row.put("record", TypedDatum<JSONBOID>{JsonbPGetDatum(JsonbValueToJsonb(&record))});
    }

    /// Reads the texts of the keys. PostgreSQL orders an object's pairs by the length of their names,
    /// then by bytes.
    void read() {
        pairs = static_cast<JsonbPair*>(palloc0((attributes + 1) * sizeof(JsonbPair)));
        auto* names = static_cast<JsonbValue*>(palloc((attributes + 1) * sizeof(JsonbValue)));
        for (std::size_t j = 0; j < attributes; ++j) {
            Jsonb* array = DatumGetJsonbP(json_value(keys[j].text));
            const std::uint32_t size = JB_ROOT_COUNT(array);
            names[j] = *getIthJsonbValueFromContainer(&array->root, 0);
            keys[j].values = static_cast<JsonbValue*>(palloc(size * sizeof(JsonbValue)));
            for (std::uint32_t v = 1; v < size; ++v) {
                CHECK_FOR_INTERRUPTS();
                JsonbValue* value = getIthJsonbValueFromContainer(&array->root, v);
                keys[j].values[v - 1] = *value;
                pfree(value);
            }
        }
        const auto name = [&](std::size_t j) {
            const auto& string = names[j].val.string;
            return std::pair(string.len, std::string_view(string.val, static_cast<std::size_t>(string.len)));
        };
        for (std::size_t j = 0; j < attributes; ++j) {
            keys[j].at = 0;
            for (std::size_t other = 0; other < attributes; ++other) keys[j].at += name(other) < name(j);
            pairs[keys[j].at].key = names[j];
        }
    }

  private:
    static JsonbValue json_number(double number) {
        char digits[32];
        *std::to_chars(digits, digits + sizeof(digits) - 1, number).ptr = '\0';
        JsonbValue value;
        value.type = jbvNumeric;
        value.val.numeric = DatumGetNumeric(DirectFunctionCall3(
            numeric_in, CStringGetDatum(digits), ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1)));
        return value;
    }
};

Records synthesized(const Subject& subject, std::int64_t count, std::int64_t seed,
                    const ModelOptions& options) {
    return ask(subject.summary, Records{}, [&](const SummaryView& view) {
        const std::vector<std::uint64_t> sizes = view.mechanism->cells();
        const Labels& labels = subject.labels.fitting(sizes);
        const std::size_t most = (std::size_t{1} << 30) / sizeof(Records::Item) / sizes.size() - 1;
        if (count < 0 || static_cast<std::uint64_t>(count) > most)
            throw Error(ErrorCode::invalid_value, "number of records is out of range",
                        "Found " + std::to_string(count) + "; the limit for these attributes is " +
                            std::to_string(most) + ".",
                        "Use several calls with different seeds.");
        const Model model = model_of(measured_for_model(view), options);
        const Synthesis synthesis(model, sizes.size());
        Records all{.attributes = sizes.size(), .count = static_cast<std::size_t>(count)};
        all.keys = static_cast<Records::Key*>(try_palloc(sizes.size() * sizeof(Records::Key)));
        for (std::size_t j = 0; j < sizes.size(); ++j) {
            Records::Key& key = all.keys[j];
            key = {};
            std::string text = "[" + labels.json_name(j);
            if (const std::vector<double> ends = labels.ends(j); !ends.empty()) {
                auto* kept_ends = static_cast<double*>(try_palloc(ends.size() * sizeof(double)));
                std::ranges::copy(ends, kept_ends);
                key.ends = kept_ends;
            } else {
                for (std::size_t v = 0; v < sizes[j]; ++v) text += "," + labels.json_label(j, v);
            }
            key.text = keep(text + "]");
        }
        all.items =
            static_cast<Records::Item*>(try_palloc((all.count * sizes.size() + 1) * sizeof(Records::Item)));
        InsecureBits bits(static_cast<std::uint64_t>(seed));
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

}  // namespace

/// (summary, confidence): a row for each pair of attributes.
LDP_FUNCTION(ldp_association) {
    return rows<association_columns>(fcinfo, [=] {
        const Subject subject = whole_argument(fcinfo);
        return associated(subject, PG_GETARG_FLOAT8(1));
    });
}

/// (summary, attributes): a row for each cell.
LDP_FUNCTION(ldp_fitted) {
    return rows<fitted_columns>(fcinfo, [=] {
        const TextArray attributes = text_array_argument(fcinfo, 1);
        const Subject subject = whole_argument(fcinfo);
        return fitted(subject, attributes);
    });
}

/// (summary, significance, cells): a row for each clique and each edge.
LDP_FUNCTION(ldp_model) {
    return rows<model_columns>(fcinfo, [=] {
        const Subject subject = whole_argument(fcinfo);
        return modelled(subject, {PG_GETARG_FLOAT8(1), PG_GETARG_INT32(2)});
    });
}

/// (summary, significance): views for a second round; NULL without reports.
LDP_FUNCTION(ldp_learn_views) {
    const Subject subject = whole_argument(fcinfo);
    const char* views = learnt(subject, PG_GETARG_FLOAT8(1));
    if (views == nullptr) PG_RETURN_NULL();
    return json_value(views);
}

/// (summary, records, seed, significance, cells): a row for each record.
LDP_FUNCTION(ldp_synthesize) {
    return rows<record_columns>(fcinfo, [=] {
        const Subject subject = whole_argument(fcinfo);
        Records all = synthesized(subject, PG_GETARG_INT64(1), PG_GETARG_INT64(2),
                                  {PG_GETARG_FLOAT8(3), PG_GETARG_INT32(4)});
        all.read();
        return all;
    });
}
