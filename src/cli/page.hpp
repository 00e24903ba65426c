// A page of results: lines of text, or one JSON object for programs.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace ldp::cli {

class Page {
  public:
    using Value = std::variant<std::nullptr_t, bool, std::uint64_t, double, std::string>;

    explicit Page(bool json) : json_(json) {}
    /// Adds a line. The page of lines has `text`, or the value if it is empty; the object has the value.
    void say(const std::string& key, const std::string& title, const Value& value,
             const std::string& text = {});
    /// Adds a value to the object only.
    void keep(const std::string& key, const Value& value) { all_.emplace_back(key, value); }
    void end() const;

  private:
    bool json_;
    std::vector<std::pair<std::string, Value>> all_;
};

}  // namespace ldp::cli
