// Snapshots of a store in memory, and the changes that follow them.

#include "client/budget/budget_ledger.hpp"
#include "client_support.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(memory_store)

BOOST_AUTO_TEST_CASE(a_snapshot_that_was_damaged_is_refused) {
    MemoryStore store;
    const std::vector<std::byte> progress{std::byte{7}};
    const std::vector<PermanentResponse> answers{{{3, 1}, {std::byte{9}}, 0.5}};
    const Checkpoint checkpoints[] = {{"row", 12}};
    store.bind(contract_of_spec(42));
    store.append(reports(0, 3), 2, checkpoints, {progress, progress, answers});
    const std::string id = store.next_batch(1)->id;
    store.move_to_dead_letters(id, "why");
    std::vector<std::byte> snapshot = store.snapshot();
    BOOST_TEST((MemoryStore(Bytes(snapshot)).snapshot() == snapshot));
    for (std::size_t size = 0; size < snapshot.size(); ++size)
        BOOST_CHECK_EXCEPTION(MemoryStore(Bytes(snapshot).first(size)), Error,
                              error_with(ErrorCode::environment, "damaged"));
    for (std::byte& byte : snapshot) {
        byte ^= std::byte{1};
        BOOST_CHECK_EXCEPTION(MemoryStore{Bytes(snapshot)}, Error,
                              error_with(ErrorCode::environment, "damaged"));
        byte ^= std::byte{1};
    }
}

BOOST_AUTO_TEST_CASE(changes_follow_one_state) {
    MemoryStore store;
    const std::vector<std::byte> progress{std::byte{7}};
    const std::vector<PermanentResponse> answers{{{3, 1}, {std::byte{9}}, 0.5}};
    const Checkpoint checkpoints[] = {{"row", 12}};
    PublicValues columns;
    columns.set("country", "de");
    const ColumnRun runs[] = {{2, columns}};
    const std::vector<std::byte> snapshot = store.snapshot();
    store.record_changes(snapshot);
    BOOST_TEST(store.changes().empty());
    store.bind(contract_of_spec(42));
    store.append(reports(0, 3), 2, checkpoints, {progress, progress, answers}, runs);
    const std::vector<std::byte> first = store.changes();
    store.move_to_dead_letters(store.next_batch(1)->id, "why");
    store.bind(contract_of_spec(42));
    store.append({}, 2);
    const std::vector<std::byte> second = store.changes();
    BOOST_TEST(store.changes().empty());
    const auto fresh = [&] {
        MemoryStore again{Bytes(snapshot)};
        again.record_changes(snapshot);
        return again;
    };
    const auto refuses = [](MemoryStore& again, Bytes changes) {
        BOOST_CHECK_EXCEPTION(again.apply(changes), Error, error_with(ErrorCode::environment, "damaged"));
    };
    MemoryStore again = fresh();
    refuses(again, second);
    again.apply(first);
    refuses(again, first);
    again.apply(second);
    BOOST_TEST((again.snapshot() == store.snapshot()));
    BOOST_TEST(again.changes().empty());
    store.release(store.next_batch(1)->id);
    const std::vector<std::byte> third = store.changes();
    refuses(again, first);
    again.apply(third);
    BOOST_TEST((again.snapshot() == store.snapshot()));
    std::vector<std::byte> damaged = first;
    for (std::byte& byte : damaged) {
        byte ^= std::byte{1};
        MemoryStore other = fresh();
        refuses(other, damaged);
        byte ^= std::byte{1};
    }
    for (std::size_t size = 0; size < first.size(); ++size) {
        MemoryStore other = fresh();
        refuses(other, Bytes(first).first(size));
    }
}

// An append costs the bytes of its reports, however long the queue is.
BOOST_AUTO_TEST_CASE(changes_do_not_grow_with_the_queue) {
    MemoryStore store;
    store.record_changes(store.snapshot());
    store.append(reports(0, 1), 0);
    const std::size_t one = store.changes().size();
    store.append(reports(0, 1000), 0);
    BOOST_TEST(store.changes().size() > 3000u);
    store.append(reports(7, 8), 1);
    BOOST_TEST(store.changes().size() == one);
    BOOST_TEST(one < 128u);
}

BOOST_AUTO_TEST_CASE(a_snapshot_of_a_ledger_is_not_called_damaged) {
    BOOST_CHECK_EXCEPTION(
        MemoryStore{Bytes(MemoryLedger().snapshot())}, Error,
        error_with(ErrorCode::environment, "ledger of budgets instead of a client's state"));
    BOOST_CHECK_EXCEPTION(MemoryLedger{Bytes(MemoryStore().snapshot())}, Error,
                          error_with(ErrorCode::environment, "client's state instead of a ledger"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
