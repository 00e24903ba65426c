// A reader of well-formed XML without a browser, for tests of pages.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <string>
#include <vector>

namespace ldp::test {

class Markup {
  public:
    struct Element {
        std::string name;
        std::map<std::string, std::string> attributes = {};
        std::string text = {};  ///< with that of the elements inside; entities as they are
        const Element* parent = nullptr;
        std::vector<const Element*> children = {};

        [[nodiscard]] std::string attribute(const std::string& key) const {
            const auto found = attributes.find(key);
            return found == attributes.end() ? "" : found->second;
        }
    };

    explicit Markup(const std::string& page) { read(page); }

    [[nodiscard]] const std::string& fault() const { return fault_; }
    [[nodiscard]] const std::deque<Element>& all() const { return elements_; }
    [[nodiscard]] std::ptrdiff_t count(const std::string& name) const {
        return std::ranges::count(elements_, name, &Element::name);
    }

  private:
    void read(const std::string& page) {
        std::vector<Element*> open{&elements_.emplace_back(Element{"document"})};
        for (std::size_t at = 0; at < page.size();) {
            const std::size_t tag = std::min(page.find('<', at), page.size());
            for (Element* one : open) one->text += page.substr(at, tag - at);
            if (tag == page.size()) break;
            const std::size_t end = page.find('>', tag);
            if (end == std::string::npos) return fail("a tag without an end", page.substr(tag, 40));
            std::string inside = page.substr(tag + 1, end - tag - 1);
            at = end + 1;
            if (inside.starts_with("!")) continue;
            if (inside.starts_with("/")) {
                if (open.back()->name != inside.substr(1)) return fail("not open: ", inside);
                open.pop_back();
                continue;
            }
            const bool empty = inside.ends_with("/");
            if (empty) inside.pop_back();
            Element& one = elements_.emplace_back(Element{inside.substr(0, inside.find_first_of(" \n"))});
            one.parent = open.back();
            open.back()->children.push_back(&one);
            for (std::size_t equals = inside.find("=\""); equals != std::string::npos;
                 equals = inside.find("=\"", equals)) {
                const std::size_t name = inside.find_last_of(" \n", equals) + 1,
                                  quote = inside.find('"', equals + 2);
                if (quote == std::string::npos) return fail("no quote", inside);
                if (!one.attributes
                         .emplace(inside.substr(name, equals - name),
                                  inside.substr(equals + 2, quote - equals - 2))
                         .second)
                    return fail("an attribute twice", inside);
                equals = quote;
            }
            if (!empty) open.push_back(&one);
        }
        if (open.size() != 1) fail("not closed", open.back()->name);
    }
    void fail(const std::string& what, const std::string& where) { fault_ = what + ": " + where; }

    std::deque<Element> elements_ = {};  ///< in the order of their beginnings
    std::string fault_ = {};
};

}  // namespace ldp::test
