// JSON as a spec is read: every key is asked for once, and what nobody asked for is an error.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "core/base/json.hpp"
#include "core/mechanism/role/settings.hpp"

namespace ldp {

/// Throws Error (invalid_spec).
[[noreturn]] void invalid(const std::string& message, const std::string& detail,
                          const std::string& hint = {});

/// What was found, short enough for an error message.
[[nodiscard]] std::string shown(const Json& value);
[[nodiscard]] std::string shown(double number);

/// What a text is, for errors.
struct JsonKind {
    const char* name = "spec";
    const char* example = R"({"mechanism": "grr", "epsilon": 1, "domain": 4})";
};
/// Throws Error (malformed): text is no JSON, for the reason that the library of JSON gave.
[[noreturn]] void refuse_json(const char* why, const JsonKind& kind = {});

/// Text to a document. A key that stands twice is an error, as is nesting deeper than any spec needs.
[[nodiscard]] Json parse_json(std::string_view text, const JsonKind& kind = {});

/// One object, read key by key; what is left at the end is unknown. `where` names it in errors; the object
/// must outlive it.
class JsonObject {
  public:
    JsonObject(const Json& object, std::string where);

    /// Null if there is no such key.
    [[nodiscard]] const Json* find(const std::string& key);
    /// Whether there is one, without asking for it.
    [[nodiscard]] bool contains(const char* key) const { return object_.contains(key); }
    /// The keys that are there, for messages.
    [[nodiscard]] std::string keys() const;
    [[nodiscard]] const Json& need(const std::string& key, const std::string& allowed);
    /// A finite number.
    [[nodiscard]] double real(const std::string& key, const std::string& allowed);
    /// A number within bounds; the fallback if the key is not there.
    [[nodiscard]] double real(const std::string& key, double fallback, double least, double most);
    [[nodiscard]] std::string word(const std::string& key, const std::string& allowed);
    /// A whole number within the option's bounds; its default if the key is not there.
    [[nodiscard]] std::uint64_t whole(const Option& option);
    /// Keys that may stand here, whatever they say.
    void ignore(const std::string& key) { known_.insert(key); }
    /// Throws for the first key that nothing asked for.
    void finish() const;

    /// Throws Error (invalid_spec) for a key whose value is not what it must be.
    [[noreturn]] static void wrong(const std::string& key, const Json& found, const std::string& allowed);

  private:
    const Json& object_;
    std::string where_;
    std::set<std::string> known_;
};

}  // namespace ldp
