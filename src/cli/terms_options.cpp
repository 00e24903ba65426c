#include "cli/terms_options.hpp"

#include <cmath>
#include <optional>

#include "client/in_quotes.hpp"
#include "core/format/fingerprint.hpp"

namespace ldp::cli {

namespace {

std::optional<double> limit(const Arguments& arguments, const char* option) {
    if (arguments.count(option) == 0) return {};
    const double most = arguments[option].as<double>();
    if (!(most > 0) || std::isinf(most))
        throw UsageError("--" + std::string(option) + " must be a positive number, not " + shortest(most));
    return most;
}

}  // namespace

void add_terms_options(Options& options) {
    namespace po = boost::program_options;
    options.add_options()("at-most-epsilon", po::value<double>(),
                          "maximum epsilon of one report; a spec with a larger epsilon is refused")(
        "at-most-total", po::value<double>(),
        "maximum epsilon of all reports of a person (without a budget: of one report); a spec with a "
        "larger epsilon is refused")(
        "contract", po::value<std::string>(),
        "digest of the contract, at least 16 digits, from a source other than the server; any other "
        "contract is refused")("fingerprint", po::value<std::string>(),
                               "fingerprint of the spec; any other spec is refused");
}

ContractTerms terms_option(const Arguments& arguments, const std::vector<NamedColumn>& in_clear) {
    ContractTerms terms;
    terms.report_epsilon = limit(arguments, "at-most-epsilon");
    terms.life_epsilon = limit(arguments, "at-most-total");
    if (arguments.count("contract") != 0) terms.digest = arguments["contract"].as<std::string>();
    terms.in_clear.emplace();
    for (const NamedColumn& one : in_clear) terms.in_clear->insert(one.name);
    return terms;
}

void check_fingerprint(const Arguments& arguments, const Spec& spec) {
    if (arguments.count("fingerprint") == 0) return;
    const auto& given = arguments["fingerprint"].as<std::string>();
    const std::string found = fingerprint_text(spec.fingerprint());
    if (given == found) return;
    throw Error(ErrorCode::incompatible, "the fingerprint of the spec differs from --fingerprint",
                "It is " + found + ", not " + in_quotes(given) + ".",
                "Nothing was drawn or sent. Ask the owner of the collection about the difference, through "
                "another channel than this server.");
}

std::string shown_contract(const Contract& contract, const Spec& spec, const ColumnMap& columns) {
    std::string sources;
    std::size_t count = 0;
    for (const Attribute& attribute : spec.attributes()) {
        if (attribute.derived()) continue;
        const std::string source =
            columns.names_labels(attribute) ? joined(columns.sources(attribute)) : columns.source(attribute);
        sources += (count++ == 0 ? "" : ", ") + in_quotes(source, 63);
        if (source != attribute.name) sources += " as " + in_quotes(attribute.name, 63);
    }
    std::string text = contract.summary();
    const std::size_t begin = text.find("\nreads: ") + 1, end = text.find('\n', begin);
    text.replace(begin, end - begin, (count == 1 ? "reads the column " : "reads the columns ") + sources);
    return text + "\n";
}

}  // namespace ldp::cli
