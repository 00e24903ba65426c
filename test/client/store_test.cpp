// The outbox in memory and in a file: what survives, and which files are refused.

#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <random>
#include <set>

#include "client_support.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(store)

namespace {

void check_refused(const std::string& path, const std::string& text) {
    BOOST_CHECK_EXCEPTION(SqliteStore{path}, Error, error_with(ErrorCode::environment, text));
}

}  // namespace

BOOST_AUTO_TEST_CASE_TEMPLATE(reports_leave_in_order_and_once, Kind, Stores) {
    Kind kept;
    Store& store = kept.store;
    BOOST_TEST(!store.next_batch(10).has_value());
    store.append(reports(0, 5), 0);
    store.append(reports(5, 7), 0);
    BOOST_TEST(store.pending() == 7u);

    const auto first = store.next_batch(3);
    BOOST_REQUIRE(first.has_value());
    BOOST_TEST((first->reports == reports(0, 3)));
    BOOST_TEST(store.pending() == 7u);
    const auto again = store.next_batch(100);
    BOOST_TEST(again->id == first->id);
    BOOST_TEST((again->reports == first->reports));

    store.confirm("00000000-0000-4000-8000-000000000000");
    BOOST_TEST(store.pending() == 7u);
    store.confirm(first->id);
    BOOST_TEST(store.pending() == 4u);
    store.confirm(first->id);
    BOOST_TEST(store.pending() == 4u);

    const auto rest = store.next_batch(100);
    BOOST_TEST(rest->id != first->id);
    BOOST_TEST((rest->reports == reports(3, 7)));
    store.confirm(rest->id);
    BOOST_TEST(store.pending() == 0u);
    BOOST_TEST(!store.next_batch(1).has_value());

    store.append(reports(7, 8), 0);
    BOOST_TEST((store.next_batch(5)->reports == reports(7, 8)));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_batch_is_of_one_round, Kind, Stores) {
    Kind kept;
    Store& store = kept.store;
    store.append(reports(0, 2), 4);
    store.append(reports(2, 3), 5);
    store.append(reports(3, 4), 4);
    for (const auto& [round, expected] :
         {std::pair(4, reports(0, 2)), {5, reports(2, 3)}, {4, reports(3, 4)}}) {
        const auto batch = store.next_batch(100);
        BOOST_REQUIRE(batch.has_value());
        BOOST_TEST(batch->round == round);
        BOOST_TEST((batch->reports == expected));
        store.confirm(batch->id);
    }
}

// Reports of any bytes and lengths, queued together or apart, leave in batches of any size as they came.
BOOST_AUTO_TEST_CASE_TEMPLATE(any_reports_leave_as_they_came, Kind, Stores) {
    std::mt19937 random(20261123);
    const auto below = [&](std::size_t bound) { return static_cast<std::size_t>(random() % bound); };
    Kind kept;
    Store& store = kept.store;
    std::vector<Report> came, left;
    for (int time = 0; time < 60; ++time) {
        std::vector<Report> reports(below(4) == 0 ? 1 : below(300));
        const std::size_t size = below(10) == 0 ? 70000 : below(40), alike = below(size + 1);
        for (Report& report : reports) {
            report.resize(below(100) == 0 ? below(50) : size);
            for (std::size_t i = alike; i < report.size(); ++i) report[i] = static_cast<std::byte>(random());
        }
        if (size == 70000) reports.resize(std::min<std::size_t>(reports.size(), 3));
        store.append(reports, 0);
        std::ranges::move(reports, std::back_inserter(came));
        while (below(3) != 0) {
            const std::size_t most = 1 + below(500);
            const auto batch = store.next_batch(most);
            if (!batch) break;
            BOOST_TEST(batch->reports.size() == std::min<std::size_t>(most, store.pending()));
            BOOST_TEST((store.next_batch(1 + below(9))->digest() == batch->digest()));
            if (below(3) == 0) {
                store.release(batch->id);
                continue;
            }
            store.confirm(batch->id);
            left.insert(left.end(), batch->reports.begin(), batch->reports.end());
            BOOST_TEST(store.pending() == came.size() - left.size());
        }
    }
    while (const auto batch = store.next_batch(1000)) {
        left.insert(left.end(), batch->reports.begin(), batch->reports.end());
        store.confirm(batch->id);
    }
    BOOST_TEST((left == came));
}

// Reports with the same public columns leave together, however they were queued, and keep their columns when
// they are released, refused and queued again.
BOOST_AUTO_TEST_CASE_TEMPLATE(a_batch_has_one_set_of_public_columns, Kind, Stores) {
    std::mt19937 random(20261124);
    const auto below = [&](std::size_t bound) { return static_cast<std::size_t>(random() % bound); };
    const PublicValues sets[] = {
        {}, {{"country", "de"}}, {{"country", "fr"}}, {{"country", "de"}, {"version", "12"}}};
    Kind kept;
    Store& store = kept.store;
    std::map<PublicValues, std::multiset<Report>> came, left;
    int number = 0;
    std::size_t queued = 0, batches = 0;
    const auto leave = [&](const Batch& batch) {
        left[batch.columns].insert(batch.reports.begin(), batch.reports.end());
        store.confirm(batch.id);
        ++batches;
    };
    for (int time = 0; time < 40; ++time) {
        std::vector<Report> some;
        std::vector<ColumnRun> runs;
        for (std::size_t i = 0; i < 3; ++i) {
            const std::size_t count = below(4);
            const PublicValues& columns = sets[below(std::size(sets))];
            for (std::size_t j = 0; j < count; ++j) {
                some.push_back(reports(number, number + 1).front());
                came[columns].insert(some.back());
                ++number;
            }
            runs.push_back({count, columns});
        }
        const std::vector<Report> last = reports(number, number + 1);  // behind the last run: without columns
        some.push_back(last.front());
        came[{}].insert(last.front());
        ++number;
        queued += some.size();
        store.append(some, 0, {}, {}, runs);
        BOOST_TEST(store.pending() == queued);
        if (below(4) != 0) continue;
        const auto batch = store.next_batch(1 + below(6));
        const auto again = store.next_batch(100);
        BOOST_TEST((again->digest() == batch->digest() && again->columns == batch->columns));
        if (below(3) == 0) {
            store.release(batch->id);
        } else if (below(2) == 0) {
            store.move_to_dead_letters(batch->id, "no");
            BOOST_TEST((store.refused().front().columns == batch->columns));
            BOOST_TEST(store.requeue_refused() == batch->reports.size());
        } else {
            queued -= batch->reports.size();
            leave(*batch);
        }
    }
    const std::size_t before = batches;
    while (const auto batch = store.next_batch(10000)) {
        Batch other = *batch;
        other.columns.set("country", "se");
        BOOST_TEST((other.digest() != batch->digest()));
        leave(*batch);
    }
    BOOST_TEST(batches - before <= std::size(sets) + 1);
    BOOST_TEST((left == came));
}

// What stands behind the current batch has its name before its turn, keeps it, and gives it up with the
// current one.
BOOST_FIXTURE_TEST_CASE(a_batch_is_named_ahead, Directory) {
    auto store = std::make_unique<SqliteStore>(file("state"));
    const auto reopen = [&] {
        store.reset();
        store = std::make_unique<SqliteStore>(file("state"));
    };
    BOOST_TEST(!store->batch_after(4).has_value());
    store->append(reports(0, 4), 0);
    BOOST_TEST(!store->batch_after(4).has_value());
    const auto first = store->next_batch(4);
    BOOST_TEST(!store->batch_after(4).has_value());
    store->append(reports(4, 12), 0);
    store->append(reports(12, 13), 1);
    const auto second = store->batch_after(5);
    BOOST_TEST(second->id != first->id);
    BOOST_TEST((second->reports == reports(4, 9)));
    reopen();
    BOOST_TEST(store->next_batch(9)->id == first->id);
    BOOST_TEST((store->next_batch(9)->reports == reports(0, 4)));
    BOOST_TEST(store->batch_after(9)->id == second->id);
    BOOST_TEST((store->batch_after(9)->reports == second->reports));
    store->confirm(second->id);  // before its turn
    BOOST_TEST(store->pending() == 13u);

    store->confirm(first->id);
    BOOST_TEST(store->pending() == 9u);
    reopen();
    BOOST_TEST(store->next_batch(9)->id == second->id);
    BOOST_TEST((store->next_batch(9)->reports == second->reports));
    std::set<std::string> ids{first->id, second->id};
    const auto fresh = [&](const Batch& batch) { return ids.insert(batch.id).second; };
    BOOST_TEST(fresh(*store->batch_after(2)));
    store->release(second->id);
    BOOST_TEST(!store->batch_after(2).has_value());
    const auto smaller = store->next_batch(2);
    BOOST_TEST(fresh(*smaller));
    BOOST_TEST((smaller->reports == reports(4, 6)));
    BOOST_TEST(fresh(*store->batch_after(1)));
    store->move_to_dead_letters(smaller->id, "bad");
    const auto rest = store->next_batch(100);
    BOOST_TEST(fresh(*rest));
    BOOST_TEST((rest->reports == reports(6, 12)));
    const auto other = store->batch_after(100);  // of another round
    BOOST_TEST(fresh(*other));
    BOOST_TEST(other->round == 1);
    BOOST_TEST((other->reports == reports(12, 13)));
    store->confirm(rest->id);
    store->confirm(other->id);
    BOOST_TEST(store->pending() == 0u);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(marks_are_kept, Kind, Stores) {
    Kind kept;
    Store& store = kept.store;
    BOOST_TEST(!store.checkpoint("row").has_value());
    const Checkpoint checkpoints[] = {{"row", 17}, {"least", std::numeric_limits<std::int64_t>::min()}};
    store.append(reports(0, 1), 0, checkpoints);
    store.append({}, 0, std::vector<Checkpoint>{{"row", 18}});
    BOOST_TEST(store.checkpoint("row").value() == 18);
    BOOST_TEST(store.checkpoint("least").value() == std::numeric_limits<std::int64_t>::min());
    BOOST_TEST(!store.checkpoint("Row").has_value());
    BOOST_TEST(store.pending() == 1u);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_store_serves_one_spec, Kind, Stores) {
    Kind kept;
    kept.store.bind(contract_of_spec(0xFEDCBA9876543210));
    kept.store.bind(contract_of_spec(0xFEDCBA9876543210));
    BOOST_CHECK_EXCEPTION(kept.store.bind(contract_of_spec(1)), Error,
                          error_with(ErrorCode::incompatible, "1032547698badcfe"));
}

BOOST_AUTO_TEST_CASE(ids_are_random_uuids) {
    std::set<std::string> seen;
    for (int i = 0; i < 1000; ++i) {
        MemoryStore store;
        store.append(reports(0, 1), 0);
        const std::string id = store.next_batch(1)->id;
        BOOST_REQUIRE(id.size() == 36u);
        BOOST_REQUIRE((id[8] == '-' && id[13] == '-' && id[14] == '4' && id[18] == '-' && id[23] == '-'));
        BOOST_REQUIRE(std::string("89ab").find(id[19]) != std::string::npos);
        BOOST_REQUIRE(seen.insert(id).second);
    }
}

BOOST_FIXTURE_TEST_CASE(a_file_keeps_everything, Directory) {
    const std::string path = file("state");
    std::string id;
    {
        SqliteStore store(path);
        store.bind(contract_of_spec(77));
        store.append(reports(0, 10), 3, std::vector<Checkpoint>{{"row", 10}});
        id = store.next_batch(4)->id;
        store.append(reports(10, 12), 3);
    }
    {
        SqliteStore store(path);
        BOOST_TEST(store.pending() == 12u);
        BOOST_TEST(store.checkpoint("row").value() == 10);
        BOOST_CHECK_THROW(store.bind(contract_of_spec(78)), Error);
        store.bind(contract_of_spec(77));
        const auto batch = store.next_batch(1000);
        BOOST_TEST(batch->id == id);
        BOOST_TEST(batch->round == 3);
        BOOST_TEST((batch->reports == reports(0, 4)));
        store.confirm(id);
    }
    SqliteStore store(path);
    BOOST_TEST(store.pending() == 8u);
    BOOST_TEST((store.next_batch(1000)->reports == reports(4, 12)));
}

BOOST_FIXTURE_TEST_CASE(a_moved_store_goes_on, Directory) {
    SqliteStore first(file("state"));
    first.append(reports(0, 2), 0);
    SqliteStore second(std::move(first));
    BOOST_TEST(second.pending() == 2u);
    BOOST_TEST((second.next_batch(9)->reports == reports(0, 2)));
}

BOOST_FIXTURE_TEST_CASE(only_the_owner_can_read_the_file, Directory) {
    const mode_t before = umask(0);
    SqliteStore store(file("state"));
    store.append(reports(0, 1), 0);
    umask(before);
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(root)) {
        struct stat found {};
        BOOST_REQUIRE(stat(entry.path().c_str(), &found) == 0);
        BOOST_TEST((found.st_mode & 0777) == 0600u, entry.path());
        ++files;
    }
    BOOST_TEST(files == 2);  // the file and its write-ahead log; no drafts left
}

// Reports that were delivered are overwritten in the file, whatever the default of the SQLite library is.
BOOST_FIXTURE_TEST_CASE(delivered_reports_are_overwritten, Directory) {
    const Report report(64, std::byte{0xA7});
    const auto held = [&] {
        std::ifstream in(file("state"), std::ios::binary);
        const std::string bytes((std::istreambuf_iterator<char>(in)), {});
        return bytes.find(std::string(report.size(), '\xA7')) != std::string::npos;
    };
    {
        SqliteStore store(file("state"));
        store.append(std::vector(3, report), 0);
    }
    BOOST_TEST(held());
    {
        SqliteStore store(file("state"));
        const auto batch = store.next_batch(10);
        BOOST_REQUIRE(batch.has_value());
        store.confirm(batch->id);
    }
    BOOST_TEST(!held());
}

BOOST_FIXTURE_TEST_CASE(a_second_store_is_refused, Directory) {
    const std::string path = file("state");
    SqliteStore store(path);
    check_refused(path, "in use");
    BOOST_TEST(in_child([&] {
                   try {
                       SqliteStore second(path);
                       return 1;
                   } catch (const Error& error) {
                       return error_with(ErrorCode::environment, "in use")(error) ? 0 : 2;
                   }
               }) == 0);
    store.append(reports(0, 1), 0);  // and the first one is intact
    BOOST_TEST(store.pending() == 1u);
}

BOOST_FIXTURE_TEST_CASE(unfit_files_are_refused_and_left_alone, Directory) {
    const auto content = [](const std::string& name) {
        std::ifstream in(name, std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(in), {});
    };
    const auto refused = [&](const std::string& name, const std::string& text) {
        const std::string before = content(name);
        check_refused(name, text);
        BOOST_TEST((content(name) == before));
    };

    std::ofstream(file("empty")).close();
    refused(file("empty"), "empty");
    std::ofstream(file("text")) << "id,colour\n1,red\n" << std::string(4096, 'x');
    refused(file("text"), "not a state file of ldp");
    run_sql(file("foreign"), "CREATE TABLE bookmarks (url TEXT); INSERT INTO bookmarks VALUES ('x')");
    refused(file("foreign"), "not a state file of ldp");
    std::filesystem::create_directory(root / "folder");
    check_refused(file("folder"), "not a regular file");
    check_refused(file("nowhere/state"), "cannot be created");

    { SqliteStore store(file("newer")); }
    for (const int version : {2, 4}) {
        run_sql(file("newer"), "PRAGMA user_version = " + std::to_string(version));
        refused(file("newer"), "another release");
    }
    { SqliteStore store(file("unreleased")); }
    for (const int version : {1, 2}) {  // "LDP1"
        run_sql(file("unreleased"),
                "PRAGMA application_id = 1279545393; PRAGMA user_version = " + std::to_string(version));
        refused(file("unreleased"), "before 1.0");
    }
}

BOOST_FIXTURE_TEST_CASE(damage_is_noticed, Directory) {
    const std::string sound = file("sound");
    {
        SqliteStore store(sound);
        std::vector<Report> many(5000, Report(100, std::byte{7}));
        for (std::size_t i = 0; i < many.size(); ++i) many[i][0] = static_cast<std::byte>(i);
        store.append(many, 0);
    }
    const auto size = std::filesystem::file_size(sound);
    for (const std::uintmax_t kept : {std::uintmax_t{60}, std::uintmax_t{4096}, size / 2, size - 4096}) {
        const std::string cut = file("cut");
        std::filesystem::copy_file(sound, cut, std::filesystem::copy_options::overwrite_existing);
        std::filesystem::resize_file(cut, kept);
        BOOST_CHECK_EXCEPTION(SqliteStore{cut}, Error, error_with(ErrorCode::environment, "damaged"));
        BOOST_TEST(std::filesystem::file_size(cut) == kept);
    }
    for (const std::uintmax_t page :
         {std::uintmax_t{1}, std::uintmax_t{2}, std::uintmax_t{5}, size / 4096 - 1}) {
        const std::string scratched = file("scratched");
        std::filesystem::copy_file(sound, scratched, std::filesystem::copy_options::overwrite_existing);
        std::fstream out(scratched, std::ios::in | std::ios::out | std::ios::binary);
        out.seekp(static_cast<std::streamoff>(page * 4096));
        out << std::string(512, '\xA5');
        out.close();
        BOOST_CHECK_EXCEPTION(SqliteStore{scratched}, Error, error_with(ErrorCode::environment, "damaged"));
    }
}

BOOST_FIXTURE_TEST_CASE(a_read_only_file_is_refused, Directory) {
    const std::string name = file("state");
    { SqliteStore store(name); }
    BOOST_REQUIRE(chmod(name.c_str(), 0444) == 0);
    BOOST_REQUIRE(chmod(root.c_str(), 0555) == 0);
    // Permissions do not stop root: look at it with nobody's eyes.
    const int result = in_child([&] {
        if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) return 3;
        try {
            SqliteStore store(name);
            return 1;
        } catch (const Error& error) {
            return error.code() == ErrorCode::environment &&
                           std::string(error.what()).find("read-only") != std::string::npos
                       ? 0
                       : 2;
        }
    });
    chmod(root.c_str(), 0755);
    BOOST_TEST(result == 0);
}

BOOST_FIXTURE_TEST_CASE(a_full_disk_loses_nothing, Directory) {
    SqliteStore store(file("state"));
    store.append(reports(0, 3), 0, std::vector<Checkpoint>{{"row", 3}});
    rlimit before{};
    BOOST_REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
    const auto ignore = signal(SIGXFSZ, SIG_IGN);
    const rlimit tight{rlim_t{256} << 10, before.rlim_max};
    BOOST_REQUIRE(setrlimit(RLIMIT_FSIZE, &tight) == 0);
    std::vector<Report> many(20000, Report(100, std::byte{7}));
    for (std::size_t i = 0; i < many.size(); ++i)
        many[i][0] = static_cast<std::byte>(i);  // nothing is shared
    BOOST_CHECK_THROW(store.append(many, 0, std::vector<Checkpoint>{{"row", 20003}}), Error);
    BOOST_REQUIRE(setrlimit(RLIMIT_FSIZE, &before) == 0);
    signal(SIGXFSZ, ignore);
    BOOST_TEST(store.pending() == 3u);
    BOOST_TEST(store.checkpoint("row").value() == 3);
    store.append(many, 0, std::vector<Checkpoint>{{"row", 20003}});
    BOOST_TEST(store.pending() == 20003u);
    BOOST_TEST((store.next_batch(3)->reports == reports(0, 3)));
}

BOOST_FIXTURE_TEST_CASE(what_was_promised_survives_being_killed, Directory) {
    const std::string name = file("state");
    int promised = 0;
    for (int round = 0; round < 10; ++round) {
        int pipes[2];
        BOOST_REQUIRE(pipe(pipes) == 0);
        const pid_t child = fork();
        BOOST_REQUIRE(child >= 0);
        if (child == 0) {
            close(pipes[0]);
            SqliteStore store(name);
            for (;;) {
                store.append(reports(0, 1), 0);
                if (write(pipes[1], "+", 1) != 1) _exit(1);
            }
        }
        close(pipes[1]);
        char promise = 0;
        for (int i = 0; i < 5 + round && read(pipes[0], &promise, 1) == 1; ++i) ++promised;
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
        while (read(pipes[0], &promise, 1) == 1) ++promised;
        close(pipes[0]);
    }
    SqliteStore store(name);
    // One append may have been written in each round without its promise having been made.
    BOOST_TEST(store.pending() >= static_cast<std::uint64_t>(promised));
    BOOST_TEST(store.pending() <= static_cast<std::uint64_t>(promised + 10));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
