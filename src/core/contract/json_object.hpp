// Reading of JSON objects with an error for every unknown key: a key is unknown if no function has read it.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "core/base/json.hpp"
#include "core/contract/keys.hpp"

namespace ldp {

/// Throws Error (invalid_spec).
[[noreturn]] void invalid(const std::string& message, const std::string& detail,
                          const std::string& hint = {});

/// Returns a JSON value as text, shortened for an error message.
[[nodiscard]] std::string shown(const Json& value);
[[nodiscard]] std::string shown(double number);

/// The name of a kind of JSON text and an example, for errors.
struct JsonKind {
    const char* name = "spec";
    const char* example = R"({"mechanism": "grr", "epsilon": 1, "domain": 4})";
};
/// Throws Error (malformed): the text is not JSON. `why` is the reason from the JSON library.
[[noreturn]] void refuse_json(const char* why, const JsonKind& kind = {});

/// Parses a text. Repeated keys, and nesting deeper than any spec requires, are errors.
[[nodiscard]] Json parse_json(std::string_view text, const JsonKind& kind = {});

/// A JSON object that is read key by key. finish() rejects the keys that were not read. `where` names the
/// object in errors. The JSON value must outlive this object.
class JsonObject {
  public:
    JsonObject(const Json& object, std::string where);

    /// Returns the value of a key; null if the key does not exist.
    [[nodiscard]] const Json* find(const std::string& key);
    /// Returns whether the key exists. The key does not count as read.
    [[nodiscard]] bool contains(const char* key) const { return object_.contains(key); }
    /// Returns the existing keys, for messages.
    [[nodiscard]] std::string keys() const;
    [[nodiscard]] const Json& need(const std::string& key, const std::string& allowed);
    /// Returns a finite number.
    [[nodiscard]] double real(const std::string& key, const std::string& allowed);
    /// Returns a number within bounds; the fallback if the key does not exist.
    [[nodiscard]] double real(const std::string& key, double fallback, double least, double most);
    [[nodiscard]] std::string word(const std::string& key, const std::string& allowed);
    /// Returns a whole number within the bounds of the option; its default if the key does not exist.
    [[nodiscard]] std::uint64_t whole(const Option& option);
    // Read a key of the table. They return its default if the key does not exist. A key that is required must exist.
    [[nodiscard]] std::uint64_t whole(const keys::Key& key);
    [[nodiscard]] double real(const keys::Key& key);
    [[nodiscard]] bool flag(const keys::Key& key);
    /// Returns the index of a word.
    [[nodiscard]] std::size_t word(const keys::Key& key);
    /// Returns a text; the key must exist.
    [[nodiscard]] std::string text(const keys::Key& key);
    /// Returns the value of a key, or a part of it, as a text within the bounds of the key.
    [[nodiscard]] static std::string text(const keys::Key& key, const Json& found);
    /// Accepts a key with any value.
    void ignore(const std::string& key) { known_.insert(key); }
    /// Throws Error (invalid_spec) for the first key that was not read.
    void finish() const;

    /// Throws Error (invalid_spec) for a key with an invalid value.
    [[noreturn]] static void wrong(const std::string& key, const Json& found, const std::string& allowed);

  private:
    const Json& object_;
    std::string where_;
    std::set<std::string> known_;
};

}  // namespace ldp
