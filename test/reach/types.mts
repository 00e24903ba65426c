// A program in TypeScript, which is compiled and not run: the package's types.

import { Client, Collection, FileStore, Fleet, LdpError, MemoryStore, type Receipt, type Store } from "ldp-client";
import { Summary, type ResultRow } from "ldp-client/results";

async function device(store: Store): Promise<Receipt> {
    const collection = await Collection.fetch("https://collect.example.org", "pets", { outside: "refuse", store, timeout: 1000 });
    const client = await Client.open(collection, store, { oncePerRound: false });
    const receipt = await client.report({ pet: "cat", age: 3, name: null }, { round: 2 });
    await client.reportAll([["dog", 4, null], { pet: "owl", age: 1, name: "o" }]);
    await client.report(["dog", 4, null], { columns: { country: "de", seen: new Date(), version: 3, beta: null } });
    await client.reportAll([["dog", 4, null]], { round: 1, columns: [{ country: "de" }] });
    const fleet = await Fleet.open(collection, store);
    await fleet.reportAll([{ person: "ann", record: ["dog", 4, null], round: 1, columns: { country: "de" } }]);
    console.log(await fleet.people(), (await fleet.report("bo", ["cat", 1, null], { round: 2 })).origin);
    const { reports } = await client.flush({
        endpoint: new URL("https://collect.example.org"), name: "pets", most: 10, signal: new AbortController().signal,
        progress: (done) => console.log(done.batches + done.repeated),
    });
    const { sum, advanced }: { sum: number; advanced: number } = await client.spent();
    const [first] = await client.refused();
    console.log(reports, sum, advanced, first?.reason.length, await client.pending(), collection.spec.epsilon.toFixed());
    return receipt;
}

device(new FileStore("pets.ldp")).catch((error: unknown) => {
    if (error instanceof LdpError && error.code === "spent") return device(new MemoryStore());
    throw error;
});

async function dashboard(collection: Collection): Promise<number> {
    const reports = await Promise.all(["cat", "dog"].map(async (pet) => (await collection.perturb({ pet })).report));
    const summary = await Summary.summarize(collection, reports, { rounds: [1, 1] });
    const all = await summary.merge(await Summary.from("\\x00", collection.spec));
    const rows: ResultRow[] = await all.query("estimate", { attributes: ["pet"], confidence: 0.9 });
    await Summary.queryGroups("compare_groups", new Map([["de", all], [null, summary]]), { baseline: "de" });
    await Summary.queryGroups("clustered", { de: all, fr: summary }, { weights: "groups" });
    await Summary.queryGroups("group_test", { de: all, fr: summary });
    await Summary.queryGroups("estimate", { de: all, fr: summary }, { statistics: ["mean"] });
    // @ts-expect-error There is no such function.
    await all.query("ldp_estimate");
    return rows.length + all.data.length;
}
Collection.from("{}").then(dashboard);

// @ts-expect-error A value is a number, a label or null.
Collection.from("{}").then((collection) => collection.perturb([true]));
// @ts-expect-error There is no such code.
export const wrong = (error: LdpError): boolean => error.code === "busy";
// @ts-expect-error Clients are opened.
new Client();
