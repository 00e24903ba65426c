// A drawing of estimates with their error bars beside the truth.
#pragma once

#include <string>
#include <vector>

namespace demo {

struct Mark {
    std::string label;
    double truth;
    double estimate;
    double lower;
    double upper;
};

/// One scale, one row per mark.
struct Panel {
    std::string title;
    std::string unit;
    std::vector<Mark> marks;
};

/// The panels below one another, as a complete SVG document.
[[nodiscard]] std::string draw(const std::string& title, const std::vector<Panel>& panels);

}  // namespace demo
