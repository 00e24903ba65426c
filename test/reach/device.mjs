// Reports round after round, and flushes now and then, until it is closed. It names to the test's server each report
// that is known to be durable.
import { Client, Collection, IndexedDBStore } from "/js/index.js";

const query = new URLSearchParams(location.search);
const client = await Client.open(await Collection.fetch(location.origin, "numbers"), new IndexedDBStore(query.get("store")));
const [first, count] = [Number(query.get("first")), Number(query.get("count"))];
for (let i = 0; i < count; ++i) {
    const round = first + i;
    await fetch(`/told/began/${round}`);
    await client.report([round % 7], { round });
    await fetch(`/told/reported/${round}`);
    if (i % 3 === 2) await client.flush({ endpoint: location.origin, name: "numbers", most: 2 });
}
await client.flush({ endpoint: location.origin, name: "numbers" });
await fetch("/told/ended/0");
