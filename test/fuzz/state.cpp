// A client's state file with damage: opened and used as a client does, it is refused or serves.

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "client/fleet/sqlite_fleet.hpp"
#include "core/base/error.hpp"
#include "examine.hpp"
#include "forge.hpp"

namespace ldp::fuzz {

namespace {

/// A folder in memory, where there is one: what is written there need not survive.
struct Folder {
    Folder() {
        const bool shared = std::filesystem::is_directory("/dev/shm");
        std::string name =
            (shared ? "/dev/shm" : std::filesystem::temp_directory_path().string()) + "/ldp-fuzz.XXXXXX";
        need(mkdtemp(name.data()) != nullptr, "no folder for state files");
        path = name;
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path, ignored);
    }
    std::filesystem::path path;
};

constexpr std::byte content[] = {std::byte{1}, std::byte{2}, std::byte{3}};

/// A file with something in every table, and of two people.
std::vector<std::byte> sound_file(const std::string& path) {
    {
        SqliteStore store(path);
        store.bind(Contract{.fingerprint = Fingerprint::of("a spec")});
        const std::vector<Report> reports(5, Report(40, std::byte{7}));
        const Checkpoint checkpoints[] = {{"row", 17}};
        const std::vector<PermanentResponse> answers{{{1, 2}, {std::byte{9}}, 1.0},
                                                     {{3, 4}, {std::byte{8}}, 1.0}};
        store.append(reports, 3, checkpoints, {content, content, answers});
        store.append({reports.data(), 1}, 3);
        static_cast<void>(store.next_batch(2));
        static_cast<void>(store.batch_after(2));
    }
    {
        SqliteFleet fleet(path);
        const std::vector<PermanentResponse> answers{{{5, 6}, {std::byte{7}}, 1.0}};
        fleet.together([&] { fleet.store("person").append({}, 3, {}, {content, content, answers}); });
    }
    std::ifstream in(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const auto* from = reinterpret_cast<const std::byte*>(text.data());
    return {from, from + text.size()};
}

void use(const std::string& path) {
    static_cast<void>(SqliteFleet(path).store("person").memory());
    SqliteStore store(path);
    static_cast<void>(store.memory());
    static_cast<void>(store.checkpoint("row"));
    static_cast<void>(store.pending());
    const auto batch = store.next_batch(3);
    static_cast<void>(store.batch_after(3));
    store.bind(Contract{.fingerprint = Fingerprint::of("a spec")});
    const std::vector<Report> reports(1, Report(3, std::byte{1}));
    store.append(reports, 4);
    if (batch) store.confirm(batch->id);
    static_cast<void>(store.next_batch(3));
}

}  // namespace

bool state(Bytes bytes) {
    static const Folder folder;
    static const std::vector<std::byte> sound = sound_file(folder.path / "sound");
    Choices choices(bytes);
    std::vector<std::byte> file = sound;
    const std::size_t page = 4096;
    for (std::uint64_t times = 1 + choices.up_to(6); times > 0; --times) {
        // In the header and in the pages' own heads there is most to be wrong.
        const std::size_t begin = choices.up_to(file.size() / page) * page;
        const std::size_t at = begin + (choices.rarely(3) ? choices.up_to(page) : choices.up_to(128));
        if (at < file.size()) file[at] = static_cast<std::byte>(choices.up_to(256));
    }
    if (choices.rarely(16)) file.resize(choices.up_to(file.size()));
    const std::string path = folder.path / "damaged";
    {
        std::ofstream out(path, std::ios::binary | std::ios::trunc);
        out.write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size()));
    }
    const bool taken = !refused({ErrorCode::environment, ErrorCode::incompatible}, [&] { use(path); });
    for (const char* rest : {"", "-wal", "-shm"}) unlink((path + rest).c_str());
    return taken;
}

}  // namespace ldp::fuzz
