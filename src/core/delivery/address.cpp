#include "core/delivery/address.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace ldp {

namespace {

constexpr std::string_view database_scheme = "postgresql://";
constexpr std::string_view database_port = "5432";
constexpr std::string_view this_machine = "localhost";
constexpr std::string_view loopback[] = {"", "127.0.0.1", "[::1]"};
/// Default directories of PostgreSQL and of its packages, as database_address() writes them.
constexpr std::string_view socket_directories[] = {"%2Ftmp", "%2Frun%2Fpostgresql",
                                                   "%2Fvar%2Frun%2Fpostgresql"};

std::string lower(std::string_view text) {
    std::string found(text);
    for (char& c : found)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return found;
}

std::vector<std::string_view> parts(std::string_view list) {
    std::vector<std::string_view> found;
    for (;;) {
        const std::size_t comma = list.find(',');
        found.push_back(list.substr(0, comma));
        if (comma == std::string_view::npos) return found;
        list.remove_prefix(comma + 1);
    }
}

/// Replaces the characters that separate the parts of an address.
std::string escaped_part(std::string_view text) {
    std::string found;
    for (const char c : text) {
        if (c == '/')
            found += "%2F";
        else if (c == '%')
            found += "%25";
        else if (c == '@')
            found += "%40";
        else
            found += c;
    }
    return found;
}

std::string normal_host(std::string_view host) {
    const bool directory = host.starts_with("%2F");
    if (std::ranges::find(socket_directories, host) != std::end(socket_directories) ||
        std::ranges::find(loopback, host) != std::end(loopback))
        return std::string(this_machine);
    return directory ? std::string(host) : lower(host);
}

struct DatabaseAddress {
    std::vector<std::string> hosts;  ///< each with its port
    std::string_view name;
};

DatabaseAddress parsed_database(std::string_view address) {
    address.remove_prefix(database_scheme.size());
    const std::size_t slash = std::min(address.rfind('/'), address.size());
    std::string_view authority = address.substr(0, slash);
    if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos)
        authority.remove_prefix(at + 1);
    DatabaseAddress found{{}, address.substr(std::min(slash + 1, address.size()))};
    for (const std::string_view one : parts(authority)) {
        const std::size_t bracket = one.rfind(']');
        const std::size_t colon = one.find(':', bracket == std::string_view::npos ? 0 : bracket);
        const std::string_view port =
            colon == std::string_view::npos ? std::string_view() : one.substr(colon + 1);
        found.hosts.push_back(normal_host(one.substr(0, colon)) + ":" +
                              std::string(port.empty() ? database_port : port));
    }
    return found;
}

}  // namespace

std::string normal_address(std::string_view address) {
    if (lower(address.substr(0, database_scheme.size())) == database_scheme) {
        const DatabaseAddress parsed = parsed_database(address);
        std::string text(database_scheme);
        for (const std::string& host : parsed.hosts)
            text += (text.size() == database_scheme.size() ? "" : ",") + host;
        return text + "/" + std::string(parsed.name);
    }
    std::string text(address);
    for (const std::string_view local : {"localhost:", "127.0.0.1:", "[::1]:"})
        if (address.starts_with(local)) text.insert(0, "http://");
    while (text.ends_with('/')) text.pop_back();
    const std::size_t scheme = text.find("://");
    if (scheme == std::string::npos) return text;
    const std::size_t path = std::min(text.find('/', scheme + 3), text.size());
    const std::string rest = text.substr(path);
    text = lower(text.substr(0, path));
    if (const std::size_t at = text.rfind('@'); at != std::string::npos)
        text.erase(scheme + 3, at - scheme - 2);
    for (const auto& [name, port] : {std::pair<std::string_view, std::string_view>{"http://", ":80"},
                                     std::pair<std::string_view, std::string_view>{"https://", ":443"}})
        if (text.starts_with(name) && text.ends_with(port)) text.erase(text.size() - port.size());
    return text + rest;
}

std::string database_address(std::string_view hosts, std::string_view ports, std::string_view name) {
    const auto all_ports = parts(ports);
    std::string text(database_scheme);
    std::size_t i = 0;
    for (const std::string_view host : parts(hosts)) {
        std::string one = escaped_part(host);
        if (one.find(':') != std::string::npos && !one.starts_with('[')) one = "[" + one + "]";
        text += (i == 0 ? "" : ",") + one + ":" +
                std::string(all_ports[all_ports.size() == 1 ? 0 : std::min(i, all_ports.size() - 1)]);
        ++i;
    }
    return normal_address(text + "/" + escaped_part(name));
}

bool is_same_place(std::string_view agreed, std::string_view now) {
    if (agreed == now) return true;
    if (!agreed.starts_with(database_scheme) || !now.starts_with(database_scheme)) return false;
    const DatabaseAddress one = parsed_database(agreed), other = parsed_database(now);
    return one.name == other.name && std::ranges::all_of(other.hosts, [&](const std::string& host) {
               return std::ranges::find(one.hosts, host) != one.hosts.end();
           });
}

}  // namespace ldp
