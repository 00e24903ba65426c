// The client in Node: records, errors, stores, and what becomes of batches.
//
// Length: all cases use the same endpoint, folder and collections.

import assert from "node:assert/strict";
import fs, { mkdtempSync, readFileSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after, before, beforeEach } from "node:test";
import { Client, Collection, FileStore, Fleet, LdpError, MemoryStore } from "../../build/js/node.js";
import { Endpoint, receipt, unpacked } from "./endpoint.mjs";
import { seeded } from "./seeded.mjs";

const grr = { mechanism: "grr", epsilon: 1, attributes: [{ name: "pet", domain: ["cat", "dog", "owl"] }] };
const remembered = { mechanism: "grr", epsilon: 1, domain: 1000, evolving: {},
    budget: { epsilon: 3, when_spent: "stop" } };
const failed = (code, words) => (error) => {
    assert.ok(error instanceof LdpError, String(error));
    assert.equal(error.code, code, `${error.message} ${error.detail}`);
    assert.match(`${error.message} | ${error.detail} | ${error.hint} | ${error.said}`, words);
    return true;
};

/** Most tests report several records of a round. */
const open = (collection, store) => Client.open(collection, store, { oncePerRound: false });

let endpoint, folder;
before(async () => {
    endpoint = await new Endpoint().start();
    folder = mkdtempSync(join(tmpdir(), "ldp-js."));
});
after(async () => {
    await endpoint.stop();
    rmSync(folder, { recursive: true });
});
beforeEach(() => {
    endpoint.batches.clear();
    endpoint.given.clear();
    endpoint.requests.length = 0;
    endpoint.mood = () => undefined;
    endpoint.between = (answer) => answer;
});
const to = (name = "pets") => ({ endpoint: endpoint.url, name, retryFor: 2000 });

test("a spec with an open choice is refused with the way to resolve it", async () => {
    const pair = [{ name: "a", domain: 2 }, { name: "b", domain: 3 }];
    for (const spec of [{ mechanism: "auto", epsilon: 1, domain: 4 }, { mechanism: "sampled", epsilon: 1, attributes: pair },
        { mechanism: "joint", epsilon: 1, marginals: "auto", people: 1000, attributes: pair }])
        await assert.rejects(Collection.from(spec), failed("invalid_spec", /ldp spec resolve.*ldp_spec_info/));
});

test("a token is sent with its report, by the program's own sender, and again after a restart", async () => {
    endpoint.spec = JSON.stringify(grr);
    const seen = [];
    const send = (url, init) => {
        assert.ok(url.startsWith("https://relay.example/"));
        seen.push(init.method ?? "GET");
        if (seen.length === 3) return Promise.reject(new Error("the relay ended"));
        return fetch(url.replace("https://relay.example", endpoint.url), init);
    };
    const store = new MemoryStore(), relay = { endpoint: "https://relay.example", name: "pets", retryFor: 0, send };
    const collection = await Collection.from(grr);
    const client = await open(collection, store);
    for (const token of ["aa", "bb"]) await client.report(["cat"], { columns: { country: "de" }, token });
    // The answers to both batches are lost.
    endpoint.between = () => "lose the answer";
    await assert.rejects(client.flush(relay), failed("environment", /cannot be reached/));
    const first = [...endpoint.batches];
    assert.deepEqual(first.map(([, batch]) => batch.columns), [{ country: "de", ldp_token: "aa" }]);
    endpoint.between = (answer) => answer;
    const again = await open(collection, store);
    const done = await again.flush({ ...relay, retryFor: 2000 });
    assert.deepEqual([done.reports, done.repeated], [2, 1]);
    assert.deepEqual([...endpoint.batches][0], first[0]);
    assert.deepEqual([...endpoint.batches.values()].map(({ columns }) => columns.ldp_token), ["aa", "bb"]);
    assert.deepEqual(seen, ["POST", "POST", "POST", "POST"]);
});

test("the spec comes by the program's own sender", async () => {
    endpoint.spec = JSON.stringify(grr);
    const urls = [];
    const send = (url, init) => {
        urls.push([url, init.redirect, init.credentials]);
        return fetch(url.replace("https://relay.example", endpoint.url), init);
    };
    const collection = await Collection.fetch("https://relay.example", "pets", { send });
    assert.equal(collection.spec.mechanism, "grr");
    assert.deepEqual(urls, [["https://relay.example/collections/pets/spec", "manual", "omit"]]);
});

test("collections of a group share one budget", async () => {
    const group = { group: "acme", epsilon: 3 };
    const [one, two] = await Promise.all([2, 1].map((epsilon) =>
        Collection.from({ mechanism: "grr", epsilon, domain: 2, budget: group })));
    const bare = await open(one, new MemoryStore());
    await assert.rejects(bare.report([0]), failed("unsupported", /no ledger of the group "acme"/));
    for (const [ledger, store] of [[new MemoryStore(), () => new MemoryStore()],
        [new FileStore(join(folder, "ledger")), (name) => new FileStore(join(folder, `group-${name}`))]]) {
        const options = { ledger, oncePerRound: false };
        const clients = await Promise.all([Client.open(one, store("one"), options), Client.open(two, store("two"), options)]);
        // Both at once: the one that saves the ledger second repeats its report with the other's reservation.
        await Promise.all(clients.map((client) => client.report([0])));
        await assert.rejects(clients[0].report([1]), failed("spent", /0 of 3 is left/));
        await assert.rejects(clients[1].report([1]), failed("spent", /group "acme" is spent/));
        for (const client of clients) assert.equal(await client.pending(), 1);
        const third = await Client.open(two, store("three"), options);
        await assert.rejects(third.report([0]), failed("spent", /group "acme" is spent/));
        const fleet = await Fleet.open(two, store("fleet"), options); // its people have names, and budgets of their own
        await fleet.reportAll(["ann", "ann", "ann", "bob"].map((person) => ({ person, record: [0] })));
        await assert.rejects(fleet.report("ann", [0]), failed("spent", /0 of 3 is left/));
        await fleet.report("bob", [0]);
        assert.equal(await fleet.pending(), 5);
    }
});

test("vectors are arrays, objects, or one value for each element", async () => {
    const day = await Collection.from({ mechanism: "sampled", epsilon: 1, per_report: 1, attributes: [
        { name: "mood", domain: ["bad", "good"], mechanism: "grr" },
        { name: "hours", vector: ["am", "pm"], min: 0, max: 12, mechanism: "duchi_vector" }] });
    assert.deepEqual(day.attributes, ["mood", "hours.am", "hours.pm"]);
    for (const hours of [[13, -1], Float64Array.of(13, -1), { pm: -1, am: 13 }]) {
        const { clamped } = await day.perturb({ mood: "bad", hours });
        assert.deepEqual(clamped, ["hours.am", "hours.pm"]);
    }
    for (const record of [["bad", 13, -1], ["bad", [13, -1]], { mood: "bad", "hours.am": 13, "hours.pm": -1 }])
        assert.deepEqual((await day.perturb(record)).clamped, ["hours.am", "hours.pm"]);
    await assert.rejects(day.perturb({ mood: "bad", hours: [1] }), failed("invalid_value", /wrong number of elements.*Found 1; the spec has 2/));
    await assert.rejects(day.perturb({ mood: "bad", hours: 1 }), failed("invalid_value", /1 is not a vector for "hours"/));
    await assert.rejects(day.perturb({ mood: "bad", hours: { am: 1 } }), failed("invalid_value", /no value of "hours.pm"/));
    await assert.rejects(day.perturb({ mood: "bad", hours: { am: 1, pm: 2, noon: 3 } }), failed("invalid_value", /no attribute "hours.noon"/));
});

test("a collection has its texts", async () => {
    const texts = { title: "Moods", people_asked: 5, attributes: { mood: { question: "How are you?", scale: "ordered", display: { "-": "schlecht" } } } };
    const spec = { mechanism: "grr", epsilon: 1, title: "Moods", people_asked: 5, attributes: [{ name: "mood", domain: ["-", "+"], ...texts.attributes.mood }] };
    assert.deepEqual((await Collection.from(spec)).texts, texts);
    delete spec.title;
    delete spec.people_asked;
    spec.attributes = [{ name: "mood", domain: ["-", "+"] }];
    assert.deepEqual((await Collection.from(spec)).texts, {});
    spec.attributes[0].display = { "-": "+" };
    await assert.rejects(Collection.from(spec), failed("invalid_spec", /same display text/));
});

test("a collection has its spec, and perturbs", async () => {
    const pets = await Collection.from(grr);
    assert.equal(pets.spec.mechanism, "grr");
    assert.match(pets.fingerprint, /^[0-9a-f]{64}$/);
    assert.deepEqual(pets.attributes, ["pet"]);
    const { report, origin, clamped } = await pets.perturb({ pet: "dog" });
    assert.equal(origin, "drawn");
    assert.deepEqual(clamped, []);
    assert.equal(Buffer.from(report.subarray(8, 16)).toString("hex"), pets.fingerprint.slice(0, 16));
    assert.ok(report.at(-1) < 3);
});

test("public columns are sent beside the reports", async () => {
    const pets = await Collection.from(grr), store = new FileStore(join(folder, "columns.ldp"));
    const client = await open(pets, store);
    await client.report(["cat"], { columns: { country: "dé", version: 12 } });
    await client.report(["cat"], { round: 0 });
    await client.reportAll([["dog"], ["owl"]], { columns: { version: "12", country: "dé", beta: null } });
    await client.reportAll([["dog"], ["owl"], ["cat"]], { columns: [{ beta: true },
        { seen: new Date("2026-11-24T10:00:00Z"), beta: undefined }, { beta: true }] });
    // The state has them.
    const again = await open(pets, new FileStore(join(folder, "columns.ldp")));
    assert.deepEqual({ batches: 4, reports: 7, repeated: 0, refused: 0 }, await again.flush(to()));
    assert.deepEqual(endpoint.countedByColumns(), { '{"country":"dé","version":"12"}': 3, "{}": 1, '{"beta":"true"}': 2,
        '{"seen":"2026-11-24T10:00:00.000Z"}': 1 });
    for (const { columns, batch, body } of endpoint.batches.values()) {
        const prefix = Object.keys(columns).length > 0 ? `${JSON.stringify(columns)}\n` : "";
        assert.deepEqual(body, Buffer.concat([Buffer.from(prefix), batch]));
    }
});

test("public columns are checked", async () => {
    const client = await open(await Collection.from(grr), new MemoryStore());
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`c${i}`, "1"]));
    for (const [columns, words] of [["de", /object/], [["de"], /object/], [null, /object/], [{ country: {} }, /"country".*object/],
        [{ country: new Date(NaN) }, /"country"/], [{ "": "de" }, /empty/], [{ country: "x".repeat(1025) }, /too long/],
        [{ country: "a\0b" }, /text|zero/], [{ country: "\ud800" }, /Unicode/], [many, /too many/]])
        await assert.rejects(client.report(["cat"], { columns }), failed("invalid_value", words));
    await assert.rejects(client.reportAll([["cat"], ["dog"]], { columns: [{}] }), failed("invalid_value", /differ in number/));
    await assert.rejects(client.reportAll([["cat"], ["cow"]], { columns: { country: "de" } }), failed("invalid_value", /cow/));
    assert.equal(await client.pending(), 0);
    // A refused value leaves nothing behind.
    await client.report(["cat"]);
    await client.flush(to());
    assert.deepEqual(endpoint.countedByColumns(), { "{}": 1 });
});

for (const [kind, store] of [["memory", () => new MemoryStore()], ["a file", () => new FileStore(join(folder, "once"))]])
    for (const [what, spec] of [["fresh", grr], ["memoized", remembered]])
        test(`a client in ${kind} takes one record per round, with ${what} responses`, async () => {
            const collection = await Collection.from(spec), held = store(), [first, second] = spec === grr ? ["cat", "dog"] : [1, 2];
            if (spec !== grr) rmSync(join(folder, "once"), { recursive: true, force: true });
            const client = await Client.open(collection, held);
            assert.equal((await client.report([first])).origin, "drawn");
            const before = await held.load();
            // A second click, another answer, and one that is invalid: nothing is drawn, queued or spent.
            for (const value of [first, second, "nonsense"])
                assert.deepEqual(await client.report([value]), { origin: "ignored", clamped: [], coefficients: 0 });
            assert.deepEqual(await held.load(), before);
            assert.equal(await client.pending(), 1);
            // Several at once, as by React's StrictMode, and a second client of the store, which is a second tab.
            const other = await Client.open(collection, held);
            const origins = await Promise.all([client, client, other, other].map((each) => each.report([second], { round: 7 })));
            assert.equal(origins.filter(({ origin }) => origin !== "ignored").length, 1);
            // The rule holds after delivery and a restart; other rounds are free, in any order and of any sign.
            await client.flush(to());
            const later = await Client.open(collection, held);
            for (const round of [0, 7]) assert.equal((await later.report([first], { round })).origin, "ignored");
            const rounds = [63, 64, 8, 65, -1, -64, 2147483647, -2147483648, 1];
            for (const round of rounds) assert.notEqual((await later.report([first], { round })).origin, "ignored");
            for (const round of rounds) assert.equal((await later.report([first], { round })).origin, "ignored");
            await later.flush(to());
            assert.deepEqual(endpoint.counted().map(({ round }) => round).sort((a, b) => a - b), [0, 7, ...rounds].sort((a, b) => a - b));
            await assert.rejects(later.reportAll([[first]]), failed("unsupported", /one record per round/));
            if (spec === remembered) assert.equal((await later.spent()).responses, 2);
        });

test("a fleet takes one record of each person and round, with oncePerRound", async () => {
    const values = await Collection.from(remembered), store = new MemoryStore();
    const entries = ["a", "b", "a"].map((person, i) => ({ person, record: [i], round: 1 }));
    const once = await Fleet.open(values, store, { oncePerRound: true });
    assert.deepEqual((await once.reportAll(entries)).map(({ origin }) => origin), ["drawn", "drawn", "ignored"]);
    assert.equal((await once.report("b", [5], { round: 1 })).origin, "ignored");
    assert.equal(await once.pending(), 2);
    const many = await Fleet.open(values, new MemoryStore());
    assert.deepEqual((await many.reportAll(entries)).map(({ origin }) => origin), ["drawn", "drawn", "drawn"]);
});

test("a fetched spec is in the store, for times without a connection", async () => {
    for (const store of [new MemoryStore(), new FileStore(join(folder, "offline"))]) {
        const away = "http://127.0.0.1:9";
        await assert.rejects(Collection.fetch(away, "pets", { store }), failed("environment", /cannot be fetched/));
        endpoint.spec = JSON.stringify(grr);
        const online = await Collection.fetch(endpoint.url, "pets", { store });
        // The spec is written once the store has accepted it.
        await assert.rejects(Collection.fetch(away, "pets", { store }), failed("environment", /cannot be fetched/));
        await Client.open(online, store);
        endpoint.between = () => ({ status: 503 });
        assert.equal((await Collection.fetch(endpoint.url, "pets", { store })).fingerprint, online.fingerprint);
        // The spec of another collection, or of another endpoint.
        await assert.rejects(Collection.fetch(endpoint.url, "others", { store }), failed("environment", /answered 503/));
        await assert.rejects(Collection.fetch(away, "pets", { store }), failed("environment", /cannot be fetched/));
        const offline = await Collection.fetch(endpoint.url, "pets", { store });
        endpoint.between = (answer) => answer;
        assert.equal(offline.fingerprint, online.fingerprint);
        const client = await Client.open(offline, store);
        await client.report(["cat"]);
        assert.equal(await client.pending(), 1);
        // What passes is no reason to give up either: a busy endpoint, a login page, one that never answers.
        for (const between of [() => ({ status: 503 }), () => ({ status: 200, content: "<title>Welcome</title>" })]) {
            endpoint.between = between;
            assert.equal((await Collection.fetch(endpoint.url, "pets", { store })).fingerprint, online.fingerprint);
            await assert.rejects(Collection.fetch(endpoint.url, "pets"), failed("environment", /./));
        }
        endpoint.between = (answer) => answer;
        const spec = endpoint.page;
        endpoint.page = () => new Promise((answer) => setTimeout(answer, 2000, { status: 404 }));
        endpoint.between = () => undefined;
        await assert.rejects(Collection.fetch(`${endpoint.url}/below`, "pets", { store, timeout: 50 }), failed("environment", /no answer in 50 ms/));
        endpoint.page = spec;
        endpoint.between = (answer) => answer;
        // Another spec is refused, and does not replace the stored one.
        endpoint.spec = JSON.stringify({ ...grr, epsilon: 2 });
        const changed = await Collection.fetch(endpoint.url, "pets", { store });
        assert.notEqual(changed.fingerprint, online.fingerprint);
        await assert.rejects(Client.open(changed, store), failed("incompatible", /another spec/));
        endpoint.between = () => ({ status: 503 });
        assert.equal((await Client.open(await Collection.fetch(endpoint.url, "pets", { store }), store)).collection.fingerprint, online.fingerprint);
        endpoint.between = (answer) => answer;
        const stop = AbortSignal.abort(new Error("enough"));
        await assert.rejects(Collection.fetch(endpoint.url, "pets", { store, init: { signal: stop } }), /enough/);
    }
    // A store of an application without these functions.
    const held = new MemoryStore(), plain = { load: () => held.load(), save: (...of) => held.save(...of), alone: (work) => work() };
    assert.ok(await Collection.fetch(endpoint.url, "pets", { store: plain }));
});

test("a status is in the message", async () => {
    endpoint.between = () => ({ status: 404 });
    await assert.rejects(Collection.fetch(endpoint.url, "pets"), failed("environment", /cannot be fetched: The endpoint answered 404/));
});

test("a test can replace the system's generator", async (t) => {
    // As doc/web.md says.
    const reports = async () => {
        t.mock.restoreAll();
        t.mock.method(crypto, "getRandomValues", seeded(7));
        const collection = await Collection.from({ mechanism: "subset", epsilon: 1, domain: 64 });
        return Promise.all(Array.from({ length: 5 }, (_, i) => collection.perturb([i]).then(({ report }) => Buffer.from(report).toString("hex"))));
    };
    const first = await reports();
    assert.equal(new Set(first).size, 5);
    assert.deepEqual(await reports(), first);
});

test("a fleet has the memory of each person, and one queue", async () => {
    const values = await Collection.from(remembered), path = join(folder, "fleet.ldp");
    const fleet = await Fleet.open(values, new FileStore(path));
    const people = Array.from({ length: 50 }, (_, i) => `person ${i}`);
    const entries = [1, 2, 3, 4].flatMap((round) => people.map((person, i) =>
        ({ person, record: [i % 2 && round > 2 ? 7 : 3], round, columns: { country: i % 2 ? "de" : "fr" } })));
    const receipts = await fleet.reportAll(entries);
    // A person's second value is drawn once, and the first one was drawn once.
    assert.equal(receipts.filter(({ origin }) => origin === "drawn").length, 75);
    assert.equal(receipts.filter(({ origin }) => origin === "memoized").length, 125);
    assert.deepEqual([await fleet.pending(), await fleet.people()], [200, 50]);
    const again = await Fleet.open(values, new FileStore(path));
    assert.deepEqual(await again.flush(to("values")), { batches: 8, reports: 200, repeated: 0, refused: 0 });
    assert.deepEqual(endpoint.countedByColumns(), { '{"country":"fr"}': 100, '{"country":"de"}': 100 });
    // Memoized responses of one layer are the reports: one of a person with one value, two of the others.
    const payloads = new Set(endpoint.counted().map(({ payload }) => payload));
    assert.ok(payloads.size <= 75);
    // The budget is that of each person: three responses.
    assert.equal((await again.report("person 1", [8], { round: 5 })).origin, "drawn");
    assert.equal((await again.report("person 1", [9], { round: 6 })).origin, "silent");
    assert.equal((await again.report("person 0", [9], { round: 6 })).origin, "drawn");
    assert.deepEqual([await again.pending(), await again.people()], [2, 50]);
});

test("a fleet takes all entries or none", async () => {
    const values = await Collection.from(remembered), store = new MemoryStore();
    const fleet = await Fleet.open(values, store);
    await assert.rejects(fleet.reportAll([{ person: "a", record: [1] }, { person: "b", record: [1000] }]),
        failed("invalid_value", /1000/));
    await assert.rejects(fleet.report("", [1]), failed("invalid_value", /name of a person/));
    await assert.rejects(fleet.report(7, [1]), failed("invalid_value", /name of a person/));
    await assert.rejects(fleet.report("a", [1], { round: 0.5 }), failed("invalid_value", /round/));
    await assert.rejects(fleet.spent(), failed("unsupported", /ledger/));
    assert.deepEqual([await fleet.pending(), await fleet.people()], [0, 0]);
    await fleet.report("a", [1]);
    await assert.rejects(open(values, store), failed("environment", /damaged/));
    await assert.rejects(Fleet.open(await Collection.from(grr), store), failed("incompatible", /spec/));
    const single = new MemoryStore();
    await (await open(values, single)).report([1]);
    await assert.rejects(Fleet.open(values, single), failed("environment", /damaged/));
});

test("a fleet of a series", async () => {
    const series = await Collection.from({ mechanism: "ddrm", epsilon: 2, domain: 4, rounds: 4, changes: 2 });
    const fleet = await Fleet.open(series, new MemoryStore());
    const people = Array.from({ length: 30 }, (_, i) => `p${i}`);
    await fleet.reportAll([1, 2, 3, 4].flatMap((round) => people.map((person, i) => ({ person, record: [i % 4], round }))));
    assert.ok((await fleet.pending()) >= 30);
    await assert.rejects(fleet.report("p0", [0], { round: 4 }), failed("invalid_value", /round 4 is over/));
});

test("its frequencies are those of its mechanism", async () => {
    // 20,000 reports of one value at e^1 = 2.718: it is kept with p = e/(e + 2). Beyond 6 standard deviations, which an
    // honest randomizer passes with a probability below 2e-9, something is wrong.
    const pets = await Collection.from(grr), n = 20000, p = Math.E / (Math.E + 2);
    let kept = 0;
    for (let i = 0; i < n; ++i) kept += (await pets.perturb(["dog"])).report.at(-1) === 1;
    assert.ok(Math.abs(kept - n * p) < 6 * Math.sqrt(n * p * (1 - p)), `${kept} of ${n}, expected ${n * p}`);
});

test("records are given by position or by name, and refused with what is allowed", async () => {
    const people = await Collection.from({ mechanism: "sampled", epsilon: 1, per_report: 1,
        attributes: [{ name: "wage", min: 0, max: 10, mechanism: "optimal" },
            { name: "pet", domain: ["cat", "dog"], missing_label: "dog", mechanism: "grr" }] });
    assert.deepEqual((await people.perturb([12, "cat"])).clamped, ["wage"]);
    assert.deepEqual((await people.perturb({ pet: null, wage: 3 })).clamped, []);
    await assert.rejects(people.perturb([3, "cow"]), failed("invalid_value", /"cow".*"pet".*"cat", "dog"/));
    await assert.rejects(people.perturb([3]), failed("invalid_value", /Found 1; the spec has 2 attributes/));
    await assert.rejects(people.perturb([NaN, "cat"]), failed("invalid_value", /"wage"/));
    await assert.rejects(people.perturb({ wage: 3 }), failed("invalid_value", /no value of "pet"/));
    await assert.rejects(people.perturb({ wage: 3, pet: "cat", age: 4 }), failed("invalid_value", /no attribute "age"/));
    await assert.rejects(people.perturb([true, "cat"]), failed("invalid_value", /boolean/));
    await assert.rejects(people.perturb(3), failed("invalid_value", /array or an object/));
    // After errors it goes on.
    assert.deepEqual((await people.perturb([3, "dog"])).clamped, []);
    const strict = await Collection.from(people.spec, { outside: "refuse" });
    await assert.rejects(strict.perturb([12, "cat"]), failed("invalid_value", /is outside/));
});

test("strings of an open domain are folded, cut and refused", async () => {
    const spec = { mechanism: "strings", epsilon: 4,
        attributes: [{ name: "brand", strings: { alphabet: "a-z", max_length: 6, lowercase: true } }] };
    const brands = await Collection.from(spec);
    assert.deepEqual((await brands.perturb(["Acme"])).clamped, []);
    assert.deepEqual((await brands.perturb({ brand: null })).clamped, []);
    assert.deepEqual((await brands.perturb(["toolong"])).clamped, ["brand"]);
    await assert.rejects(brands.perturb(["a-b"]), failed("invalid_value", /"a-b".*"brand".*alphabet "a-z"/));
    await assert.rejects((await Collection.from(spec, { outside: "refuse" })).perturb(["toolong"]), failed("invalid_value", /too long/));
});

test("invalid specs are rejected with a cause", async () => {
    await assert.rejects(Collection.from("{"), failed("malformed", /not valid JSON.*column/s));
    await assert.rejects(Collection.from("[".repeat(100)), failed("malformed", /nested too deeply/));
    await assert.rejects(Collection.from({ mechanism: "grr", epsilon: 99, domain: 3 }), failed("invalid_spec", /epsilon/));
    await assert.rejects(Collection.from({ mechanism: "grr", epsilon: 1, domain: 3, rows: 1 }),
        failed("invalid_spec", /unknown key "rows"/));
    await assert.rejects(Collection.from(grr, { outside: "drop" }), failed("invalid_value", /"clamp" or "refuse"/));
});

test("a fetched spec", async () => {
    endpoint.spec = JSON.stringify(grr);
    assert.equal((await Collection.fetch(`${endpoint.url}/`, "pets")).spec.mechanism, "grr");
    await assert.rejects(Collection.fetch("http://127.0.0.1:9", "pets"), failed("environment", /cannot be fetched/));
});

for (const [kind, store] of [["memory", () => new MemoryStore()], ["a file", () => new FileStore(join(folder, "pets"))]])
    test(`reports wait in ${kind}, and are sent once`, async () => {
        const held = store(), pets = await Collection.from(grr);
        let client = await open(pets, held);
        assert.deepEqual(await client.report(["dog"]), { origin: "drawn", clamped: [], coefficients: 0 });
        assert.equal((await client.reportAll([["cat"], ["owl"], { pet: "owl" }], { round: 2 })).length, 3);
        await assert.rejects(client.report(["cow"]), failed("invalid_value", /"cow"/));
        await assert.rejects(client.reportAll([["cat"], ["cow"]]), failed("invalid_value", /"cow"/));
        await assert.rejects(client.report(["cat"], { round: 1.5 }), failed("invalid_value", /round/));
        assert.equal(await client.pending(), 4);
        client = await open(pets, held);
        assert.equal(await client.pending(), 4);
        assert.deepEqual(await client.flush(to()), { batches: 2, reports: 4, repeated: 0, refused: 0 });
        assert.equal(await client.pending(), 0);
        assert.deepEqual(endpoint.counted().map(({ round }) => round), [0, 2, 2, 2]);
        assert.equal(endpoint.requests[0].headers["content-type"], "application/octet-stream");
        await assert.rejects(client.spent(), failed("unsupported", /no ledger/));
        const others = await Collection.from({ ...grr, epsilon: 2 });
        await assert.rejects(open(others, held), failed("incompatible", /another spec/));
    });

test("batches have a maximum size", async () => {
    const client = await open(await Collection.from(grr), new MemoryStore());
    await client.reportAll(Array(25).fill(["cat"]));
    const seen = [];
    const done = await client.flush({ ...to(), most: 10, progress: (so_far) => seen.push(so_far.reports) });
    assert.deepEqual([done.batches, done.reports, seen], [3, 25, [10, 20, 25]]);
    await assert.rejects(client.flush({ ...to(), most: 0 }), failed("invalid_value", /at least 1/));
});

test("answers are remembered, and the budget ends them", async () => {
    const store = new FileStore(join(folder, "answers")), collection = await Collection.from(remembered);
    let client = await open(collection, store);
    const origins = [];
    for (const value of [1, 2, 1, 3, 2]) origins.push((await client.report([value])).origin);
    assert.deepEqual(origins, ["drawn", "drawn", "memoized", "drawn", "memoized"]);
    assert.equal((await client.report([4])).origin, "silent");
    client = await open(collection, store);
    assert.equal((await client.report([3])).origin, "silent");
    assert.equal(await client.pending(), 5);
    const { responses, epsilon, sum } = await client.spent();
    assert.deepEqual([responses, epsilon, sum], [3, 1, 3]);
});

test("a series goes round by round", async () => {
    const series = await Collection.from({ mechanism: "ddrm", epsilon: 1, domain: 2, rounds: 8, changes: 2 });
    const client = await open(series, new MemoryStore());
    for (let round = 1; round <= 8; ++round) await client.report([round % 2], { round });
    await assert.rejects(client.report([1], { round: 8 }), failed("invalid_value", /round 8 is over/));
    await assert.rejects(client.reportAll([[1]]), failed("unsupported", /a round/));
    assert.equal((await client.flush(to("series"))).reports, endpoint.counted().length);
});

test("an answer that was lost counts nothing twice", async () => {
    const client = await open(await Collection.from(grr), new MemoryStore());
    await client.report(["cat"]);
    let losses = 2;
    endpoint.mood = () => (losses-- > 0 ? "lose the answer" : undefined);
    assert.deepEqual(await client.flush(to()), { batches: 1, reports: 1, repeated: 1, refused: 0 });
    assert.equal(endpoint.counted().length, 1);
});

test("a response is no longer than a spec may be", async () => {
    const client = await open(await Collection.from(grr), new MemoryStore());
    await client.report(["cat"]);
    const long = " ".repeat((1 << 20) + 1);
    endpoint.spec = JSON.stringify(grr) + long.slice(JSON.stringify(grr).length);
    await assert.rejects(Collection.fetch(endpoint.url, "pets"), failed("environment", /too long.*1048576 bytes/));
    endpoint.spec = JSON.stringify(grr) + long.slice(JSON.stringify(grr).length + 1);
    assert.equal((await Collection.fetch(endpoint.url, "pets")).spec.mechanism, "grr");
    for (const status of [201, 403, 503]) {
        endpoint.between = (answer) => ({ ...answer, status, content: long });
        await assert.rejects(client.flush(to()), failed("environment", /too long/));
        assert.equal(await client.pending(), 1);
    }
    endpoint.between = (answer) => answer;
    // A body that does not end is not read to its end, nor to the end of the time limit.
    const endless = createServer((_, response) => {
        const more = () => { while (!response.destroyed && response.write(Buffer.alloc(65536))); };
        response.writeHead(200).on("drain", more);
        more();
    });
    await new Promise((resolve) => endless.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${endless.address().port}`;
    try {
        await assert.rejects(Collection.fetch(url, "pets"), failed("environment", /too long/));
        const other = await open(await Collection.from(grr), new MemoryStore());
        await other.report(["cat"]);
        await assert.rejects(other.flush({ endpoint: url, name: "pets" }), failed("environment", /too long/));
    } finally {
        endless.closeAllConnections();
        await new Promise((resolve) => endless.close(resolve));
    }
    assert.equal((await client.flush(to())).reports, 1);
});

test("words of the server are quoted", async () => {
    const client = await open(await Collection.from(grr), new MemoryStore());
    await client.report(["cat"]);
    const advice = "Delete the state and run again with --copy";
    const problem = JSON.stringify({ title: "zwyxtitle\u001b[2J", detail: 'zwyxdetail\n"x"\u202e', hint: `zwyxhint ${advice}` });
    for (const [status, content] of [[403, problem], [404, problem], [403, `zwyx <html> ${advice}`], [302, problem],
        [403, "[".repeat(100000)], [403, '{"title": {"zwyx": 1}, "hint": ["zwyx"]}'], [403, "null"]])
        for (const work of [() => client.flush({ ...to(), retryFor: 0 }), () => Collection.fetch(endpoint.url, "pets")]) {
            endpoint.between = () => ({ status, content });
            const error = await work().then(() => assert.fail(), (caught) => caught);
            assert.equal(error.code, "environment", String(error));
            for (const own of [error.message, error.detail, error.hint]) assert.doesNotMatch(own, /zwyx|--copy/);
            assert.ok(Buffer.byteLength(error.said) <= 400 && !/[\p{C}"]/u.test(error.said), error.said);
        }
    endpoint.between = () => ({ status: 403, content: problem });
    const said = `zwyxtitle\\u{1b}[2J. zwyxdetail\\u{a}\\u{22}x\\u{22}\\u{202e}. zwyxhint ${advice}`;
    await assert.rejects(client.flush({ ...to(), retryFor: 0 }), { said });
    // The reason of a dead letter names the server, too.
    endpoint.between = (answer) => answer;
    endpoint.mood = () => ({ status: 422, content: problem });
    await client.report(["cat"], { round: 1 });
    await client.flush(to()).catch(() => {});
    assert.match((await client.refused())[0].reason, /^the endpoint answered 422; the server says: "zwyxtitle/);
});

test("no request has what identifies a browser", async () => {
    const seen = [], { fetch } = globalThis;
    endpoint.spec = JSON.stringify(grr);
    endpoint.between = (answer) => ({ ...answer, headers: { ...answer.headers, etag: '"visitor 7"', "set-cookie": "visitor=7" } });
    globalThis.fetch = (url, options) => {
        seen.push(options);
        return fetch(url, options);
    };
    try {
        const client = await open(await Collection.fetch(endpoint.url, "pets"), new MemoryStore());
        await client.report(["cat"]);
        await client.flush(to());
    } finally {
        globalThis.fetch = fetch;
    }
    assert.equal(seen.length, 2);
    for (const { cache, credentials, referrerPolicy } of seen)
        assert.deepEqual({ cache, credentials, referrerPolicy }, { cache: "no-store", credentials: "omit", referrerPolicy: "no-referrer" });
});

test("pauses are numbers of seconds, or dates", async () => {
    const { retryAfter } = await import("../../build/js/delivery.js");
    const pause = (header) => retryAfter(new Response("", { headers: header === undefined ? {} : { "retry-after": header } }));
    for (const header of [undefined, "", "\u00b2", "soon", "1e400", "0", "-1"]) assert.equal(pause(header), 0, header);
    assert.equal(pause("7"), 7000);
    for (const header of ["9".repeat(400), "3601", "Fri, 31 Dec 9999 23:59:59 GMT"]) assert.equal(pause(header), 3600000, header);
});

test("a client keeps what was agreed", async () => {
    const mood = (question, more = {}) => ({ mechanism: "grr", epsilon: 1, title: "Moods", evolving: {}, budget: { epsilon: 9 },
        attributes: [{ name: "mood", domain: ["good", "bad"], question }], ...more });
    const offer = (spec) => {
        endpoint.spec = JSON.stringify(spec);
        return Collection.fetch(endpoint.url, "moods", { terms: { epsilon: 1, attributes: ["mood"], in_clear: [] } });
    };
    for (const [store, Sender] of [[new MemoryStore(), Client], [new FileStore(join(folder, "agreed")), Client], [new MemoryStore(), Fleet]]) {
        const record = Sender === Client ? [["good"]] : ["ann", ["good"]];
        const begin = async (spec) => Sender.open(await offer(spec), store, { oncePerRound: false });
        const first = await begin(mood("How are you?"));
        assert.deepEqual([first.contract.changes, first.contract.waiting, first.contract.attributes, first.contract.report_epsilon],
            [[], null, ["mood"], 1]);
        assert.match(first.contract.summary, /mood[^]*contract ([0-9a-f]{4} ?){4}/);
        assert.equal(first.contract.digest, first.collection.contract.digest);
        assert.equal((await first.report(...record)).origin, "drawn");
        await first.flush(to("moods"));
        // The same question with a new title.
        const titled = await begin(mood("How are you?", { title: "Health" }));
        assert.deepEqual(titled.contract.changes.map(({ kind, field }) => [kind, field]), [["shown", "title"]]);
        assert.equal((await titled.report(...record)).origin, "memoized");
        await titled.flush(to("moods"));
        // Another question under the same memory.
        const kept = await store.load(), count = endpoint.requests.length;
        const other = await begin(mood("Are you ill?", { title: "Health" }));
        assert.match(other.contract.waiting, /^[0-9a-f]{64}$/);
        const changed = (error) => failed("changed", /Are you ill/)(error) &&
            assert.deepEqual(error.changes, [{ kind: "ask", field: "attributes.mood.question", before: '"How are you?"', now: '"Are you ill?"' }]) === undefined;
        await assert.rejects(other.report(...record), changed);
        await assert.rejects(other.flush(to("moods")), changed);
        assert.deepEqual([await store.load(), endpoint.requests.length], [kept, count]);
        await assert.rejects(other.accept("0".repeat(64)), failed("invalid_value", /digest/));
        assert.equal((await (await begin(mood("How are you?", { title: "Health" }))).report(...record)).origin, "memoized");
        const again = await begin(mood("Are you ill?", { title: "Health" }));
        await again.accept(again.contract.waiting);
        assert.equal(again.contract.waiting, null);
        assert.equal((await again.report(...record)).origin, "memoized");
        assert.equal((await begin(mood("Are you ill?", { title: "Health" }))).contract.waiting, null);
        // Another spec, and offers outside the terms.
        await assert.rejects(begin({ ...mood("Are you ill?"), budget: { epsilon: 10 } }), failed("incompatible", /./));
        await assert.rejects(offer({ ...mood("Are you ill?"), epsilon: 2 }), failed("incompatible", /report_epsilon.*at most 1.*2/s));
        await assert.rejects(offer({ ...mood("Are you ill?"), attributes: [{ name: "hiv", domain: 2 }] }), failed("incompatible", /hiv/));
        await assert.rejects(again.report(...record.slice(0, -1), record.at(-1), { columns: { name: "x" } }), failed("invalid_value", /name/));
        // Without a connection, the collection is the one of the contract.
        endpoint.between = () => ({ status: 503 });
        const offline = await Collection.fetch(endpoint.url, "moods", { store });
        assert.equal(offline.texts.attributes.mood.question, "Are you ill?");
        assert.equal((await (await Sender.open(offline, store, { oncePerRound: false })).report(...record)).origin, "memoized");
        endpoint.between = (answer) => answer;
        endpoint.batches.clear();
    }
});

test("reports go to the endpoint and collection that were agreed, and a server that was set back is said once", async () => {
    endpoint.spec = JSON.stringify({ mechanism: "grr", epsilon: 1, attributes: [{ name: "mood", domain: ["good", "bad"] }] });
    const begin = endpoint.between;
    let history = "00000000000000aa";
    endpoint.between = (answer) => answer && { ...answer, headers: { ...answer.headers, "ldp-history": history } };
    try {
        for (const [store, Sender] of [[new MemoryStore(), Client], [new FileStore(join(folder, "moved")), Client], [new MemoryStore(), Fleet]]) {
            const record = Sender === Client ? [["good"]] : ["ann", ["good"]];
            const sender = await Sender.open(await Collection.from(endpoint.spec), store, { oncePerRound: false });
            await sender.report(...record);
            await sender.flush(to("moods"));
            for (const elsewhere of [to("others"), { ...to("moods"), endpoint: endpoint.url.replace("127.0.0.1", "localhost") }]) {
                await sender.report(...record);
                const count = endpoint.requests.length, field = elsewhere.name === "others" ? "collection" : "endpoint";
                await assert.rejects(sender.flush(elsewhere), (error) => failed("changed", new RegExp(field))(error) &&
                    assert.deepEqual(error.changes.map(({ kind, field }) => [kind, field]), [["ask", field]]) === undefined);
                assert.equal(endpoint.requests.length, count);
                assert.equal((await sender.flush(to("moods"))).reports, 1); // the agreed destination needs no acceptance
                await sender.report(...record);
                await assert.rejects(sender.flush(elsewhere), failed("changed", /./));
                await sender.accept(sender.contract.waiting);
                assert.equal((await sender.flush(elsewhere)).reports, 1);
                await assert.rejects(sender.flush(to("moods")), failed("changed", /./));
                await sender.accept(sender.contract.waiting);
            }
            history = "00000000000000bb";
            await sender.report(...record);
            await assert.rejects(sender.flush(to("moods")), failed("environment", /the server was restored from an older state or replaced since the last delivery/));
            assert.equal(await sender.pending(), 0);
            await sender.report(...record);
            assert.equal((await sender.flush(to("moods"))).reports, 1);
            history = "00000000000000aa";
        }
    } finally {
        endpoint.between = begin;
        endpoint.batches.clear();
    }
});

test("the person limits what all collections of a ledger spend", async () => {
    const ledger = new MemoryStore(), spec = (domain) => ({ mechanism: "grr", epsilon: 1, domain });
    const open = async (domain, limits) => Client.open(await Collection.from(spec(domain)), new MemoryStore(), { ledger, limits, oncePerRound: false });
    const one = await open(2, { total: 2.5 }), other = await open(3);
    await one.report([0]);
    await other.report([0]);
    await assert.rejects(other.report([1]), failed("spent", /the budget of all collections of the person is spent/));
    assert.deepEqual([await one.pending(), await other.pending()], [1, 1]);
    await assert.rejects(open(2, { groups: { acme: -1 } }), failed("invalid_value", /positive epsilon/));
});

const portals = {
    "a login page": () => ({ status: 200, headers: { "content-type": "text/html" }, content: "<title>Welcome</title>" }),
    "a maintenance page": () => ({ status: 201, content: "soon" }),
    "a redirect": () => ({ status: 302, headers: { location: "/login" } }),
    "a receipt of another batch": (answer) => ({ ...answer, headers: { "ldp-receipt": "0".repeat(64) } }),
    "no receipt": ({ status, content }) => ({ status, content }),
};
for (const [what, portal] of Object.entries(portals))
    test(`${what} delivers nothing, and passes`, async () => {
        const client = await open(await Collection.from(grr), new MemoryStore()), now = { ...to(), retryFor: 0 };
        await client.report(["cat"]);
        endpoint.page = () => ({ status: 201 }); // where a redirect would lead
        endpoint.between = (answer) => portal(answer);
        await assert.rejects(client.flush(now), failed("environment", /something other than the endpoint.*captive portal/));
        // A refusal that is the endpoint's, and a revocation that is not.
        endpoint.mood = () => ({ status: 422 });
        endpoint.batches.clear();
        endpoint.between = (answer, { method }) => (method === "DELETE" ? portal(answer) : answer);
        await assert.rejects(client.flush(now), failed("environment", /something other than the endpoint/));
        assert.equal(await client.pending(), 1);
        assert.deepEqual(await client.refused(), []);
        endpoint.given.clear();
        endpoint.mood = () => undefined;
        let left = 2;
        endpoint.between = (answer) => (left-- > 0 ? portal(answer) : answer);
        assert.equal((await client.flush(to())).reports, 1);
        endpoint.spec = JSON.stringify(grr);
        endpoint.between = (answer) => portal(answer);
        await assert.rejects(Collection.fetch(endpoint.url, "pets"), failed("environment", /something other than the endpoint/));
    });

test("statuses of a proxy set nothing aside, lose nothing and count nothing twice", async () => {
    const client = await open(await Collection.from(grr), new MemoryStore());
    await client.reportAll(Array.from({ length: 40 }, (_, i) => [i % 2 ? "cat" : "dog"]));
    const turns = [400, 413, 422, 520];
    let turn = 0;
    endpoint.between = (answer) => (turn++ % 5 < 4 ? { status: turns[(turn - 1) % 5] } : answer);
    for (let tries = 0; (await client.pending()) > 0; ++tries) {
        assert.ok(tries < 100);
        await client.flush({ ...to(), most: 7, retryFor: 300 }).catch((error) => assert.match(error.message, /something other|answered/));
    }
    assert.deepEqual(await client.refused(), []);
    assert.equal(endpoint.counted().length, 40);
});

test("the spec of another collection is refused", async () => {
    endpoint.spec = JSON.stringify(grr);
    endpoint.between = (answer) => ({ ...answer, headers: { "ldp-receipt": receipt("GET", 200, "others", "", 0, endpoint.spec) } });
    await assert.rejects(Collection.fetch(endpoint.url, "pets"), failed("environment", /its receipt is missing or wrong/));
});

test("a busy endpoint is asked again when it says", async () => {
    const client = await open(await Collection.from(grr), new MemoryStore());
    await client.report(["cat"]);
    let left = 1;
    endpoint.mood = () => (left-- > 0 ? { status: 429, headers: { "retry-after": "1" } } : undefined);
    const began = Date.now();
    assert.equal((await client.flush(to())).reports, 1);
    assert.ok(Date.now() - began >= 1000);
    await client.report(["cat"]);
    endpoint.mood = () => ({ status: 503, headers: { "retry-after": "60" }, content: '{"title": "closed for today"}' });
    await assert.rejects(client.flush(to()), failed("environment", /closed for today/));
    const stop = new AbortController();
    setTimeout(() => stop.abort(new Error("enough")), 100);
    await assert.rejects(client.flush({ ...to(), retryFor: 1e6, signal: stop.signal }), /enough/);
    assert.equal(await client.pending(), 1);
    const other = await open(await Collection.from(grr), new MemoryStore());
    await other.report(["cat"]);
    await assert.rejects(other.flush({ ...to(), endpoint: "http://127.0.0.1:9", retryFor: 0 }),
        failed("environment", /cannot be reached.*still queued/));
    assert.equal(await other.pending(), 1);
    // Reports that were made for one endpoint are not sent to another one.
    await assert.rejects(client.flush({ ...to(), endpoint: "http://127.0.0.1:9", retryFor: 0 }), failed("changed", /127\.0\.0\.1:9/));
    await assert.rejects(client.flush({ ...to("others"), retryFor: 0 }), failed("changed", /others/));
    assert.equal(await client.pending(), 1);
});

test("what is too large goes in smaller batches", async () => {
    const client = await open(await Collection.from(grr), new MemoryStore());
    await client.reportAll(Array(8).fill(["cat"]));
    endpoint.mood = (body) => (unpacked(body).length > 3 ? { status: 413 } : undefined);
    assert.deepEqual(await client.flush(to()), { batches: 4, reports: 8, repeated: 0, refused: 0 });
    assert.equal(endpoint.given.size, 2);
    await client.report(["cat"]);
    endpoint.mood = () => ({ status: 413, content: '{"title": "too large even so"}' });
    await assert.rejects(client.flush(to()), failed("environment", /too large even so/));
    assert.equal(await client.pending(), 1);
});

test("what is refused is found, set aside, and can be queued again", async () => {
    const client = await open(await Collection.from({ mechanism: "grr", epsilon: 20, domain: 3 }), new MemoryStore());
    await client.reportAll([[0], [1], [0], [0]]);
    endpoint.mood = (body) => (unpacked(body).includes("01")
        ? { status: 422, content: '{"title": "no ones today", "detail": "house rule"}' } : undefined);
    const done = await client.flush(to());
    assert.deepEqual([done.reports, done.refused], [3, 1]);
    assert.deepEqual(await client.refused(), [{ round: 0,
        reason: 'the endpoint answered 422; the server says: "no ones today. house rule"' }]);
    assert.equal(await client.requeueRefused(), 1);
    await assert.rejects(client.flush(to()), failed("environment", /rejects all reports.*no ones today.*house rule/));
    assert.equal(await client.dropRefused(), 1);
    assert.equal(await client.pending(), 0);
});

test("what was refused after it was counted is counted", async () => {
    const client = await open(await Collection.from(grr), new MemoryStore());
    await client.report(["cat"]);
    endpoint.mood = (body, id) => {
        endpoint.batches.set(id, { round: 0, body, columns: {}, batch: body }); // by an attempt that was on its way
        return { status: 422 };
    };
    assert.deepEqual(await client.flush(to()), { batches: 1, reports: 1, repeated: 1, refused: 0 });
    assert.deepEqual(await client.refused(), []);
    assert.equal(endpoint.counted().length, 1);
});

test("a tab that is closed once an id is given up leaves a batch that others send under another id", async () => {
    const collection = await Collection.from(grr), store = new MemoryStore();
    const client = await open(collection, store);
    await client.report(["cat"]);
    let sending;
    endpoint.mood = () => {
        sending ??= store.load();
        return { status: 422, content: '{"title": "not today"}' };
    };
    await assert.rejects(client.flush(to()), failed("environment", /rejects all reports/));
    assert.equal(endpoint.given.size, 1);
    // As if the refusal had not been written down; and today is another day.
    const before = new MemoryStore(), { state, changes } = await sending;
    await before.save(state, 1);
    for (const [i, change] of changes.entries()) await before.append(change, 2 + i);
    endpoint.mood = () => undefined;
    const next = await open(collection, before);
    await assert.rejects(next.flush(to()), failed("environment", /something other|the endpoint answered 409/));
    assert.deepEqual(await next.refused(), []);
    assert.deepEqual(await next.flush(to()), { batches: 1, reports: 1, repeated: 0, refused: 0 });
    assert.equal(endpoint.counted().length, 1);
});

test("a copy of a state that went on is noticed, and stays so", async () => {
    const pets = await Collection.from(grr), store = new MemoryStore();
    const client = await open(pets, store);
    const { state } = await store.load();
    const copy = new MemoryStore();
    await copy.save(state, 1);
    await client.report(["cat"]);
    await client.flush(to());
    const other = await open(pets, copy);
    // The same content under the same id would be known. Two reports are another content.
    await other.reportAll([["cat"], ["dog"]]);
    await assert.rejects(other.flush(to()), failed("incompatible", /another copy of the store/));
    await other.report(["cat"]); // later reports go on
});

test("clients that share a store take turns", async () => {
    const store = new FileStore(join(folder, "shared")), collection = await Collection.from({ ...remembered, budget: { epsilon: 99 } });
    const clients = await Promise.all(Array.from({ length: 4 }, () => open(collection, store)));
    await Promise.all(clients.map(async (client, c) => {
        for (let i = 0; i < 10; ++i) {
            await client.report([i], { round: 10 * c + i });
            if (i % 3 === 2) await client.flush({ ...to(), most: 3 });
        }
    }));
    await clients[0].flush(to());
    const counted = endpoint.counted();
    assert.deepEqual(counted.map(({ round }) => round).sort((a, b) => a - b), Array.from({ length: 40 }, (_, i) => i));
    // Equal values have equal responses.
    for (let i = 0; i < 10; ++i)
        assert.equal(new Set(counted.filter(({ round }) => round % 10 === i).map(({ payload }) => payload)).size, 1);
    assert.equal((await clients[3].spent()).responses, 10);
});

test("clients of one store object save one after another", async () => {
    const store = new FileStore(join(folder, "one-object")), { link } = fs.promises;
    // As if the first client slept before it looked whether the number before its own was still there.
    fs.promises.link = async (...of) => {
        fs.promises.link = link;
        syncBuiltinESMExports();
        await link(...of);
        await new Promise((done) => setTimeout(done, 200));
    };
    syncBuiltinESMExports();
    const first = store.save(new Uint8Array([1]), 1);
    let revision = 0;
    while (revision === 0) ({ revision } = await store.load());
    const second = store.save(new Uint8Array([2]), 2);
    assert.deepEqual(await Promise.all([first, second]), [true, true]);
    assert.deepEqual(await store.load(), { revision: 2, state: new Uint8Array([2]), changes: [] });
});

test("a state that others built on before its writer looked was saved, however many did", async () => {
    for (const [builders, how] of [1, 3].flatMap((many) => [[many, "save"], [many, "append"]])) {
        const path = join(folder, `overtaken-${builders}-${how}`), slow = new FileStore(path), slept = new FileStore(path);
        const state = new Uint8Array([1, 2]);
        assert.equal(await slow.save(state, 1), true);
        await slept.load();
        // As if the process slept after its number was taken, and before it looked at the number before.
        const { link } = fs.promises;
        fs.promises.link = async (...of) => {
            fs.promises.link = link;
            syncBuiltinESMExports();
            await link(...of);
            for (let i = 0; i < builders; ++i) {
                const quick = new FileStore(path), { revision } = await quick.load();
                assert.equal(await quick.save(new Uint8Array([3, i]), revision + 1), true);
            }
        };
        syncBuiltinESMExports();
        assert.equal(await slow[how](state, 2), true);
        assert.deepEqual(await new FileStore(path).load(),
            { revision: 2 + builders, state: new Uint8Array([3, builders - 1]), changes: [] });
        // A number that was taken and is free again is not anybody's. Neither is it of a process that slept longer.
        const late = new FileStore(path);
        for (const each of [late, slept])
            for (const way of ["save", "append"]) assert.equal(await each[way](state, 2), false);
        assert.deepEqual(readdirSync(path), [String(2 + builders)]);
    }
});

test("changes of several writers follow their state", async () => {
    const path = join(folder, "changes"), one = new FileStore(path), two = new FileStore(path);
    const bytes = (...of) => new Uint8Array(of);
    assert.equal(await one.append(bytes(0), 2), false);
    assert.equal(await one.save(bytes(1), 1), true);
    await two.load();
    assert.equal(await one.append(bytes(2), 2), true);
    assert.equal(await two.append(bytes(3), 2), false);
    assert.equal((await two.load()).revision, 2);
    assert.equal(await two.append(bytes(3), 3), true);
    assert.equal(await one.save(bytes(4), 3), false);
    const all = { revision: 3, state: bytes(1), changes: [bytes(2), bytes(3)] };
    for (const store of [one, two, new FileStore(path)]) assert.deepEqual(await store.load(), all);
    assert.deepEqual(readdirSync(path).sort(), ["1", "2", "3"]);
    // A complete state replaces them. A process that ended before it removed them left nothing that counts.
    const old = readFileSync(join(path, "2"));
    assert.equal(await one.save(bytes(4), 4), true);
    assert.deepEqual(readdirSync(path), ["4"]);
    writeFileSync(join(path, "2"), old);
    assert.deepEqual(await two.load(), { revision: 4, state: bytes(4), changes: [] });
    assert.equal(await two.append(bytes(5), 5), true);
    assert.equal(await one.save(bytes(6), 5), false);
    rmSync(join(path, "4"));
    await assert.rejects(one.load(), failed("environment", /damaged.*without the state/));
});

test("the bytes that are written are in proportion to the reports", async () => {
    const counting = (appends) => {
        const held = new MemoryStore(), count = { bytes: 0, most: 0 };
        const written = (bytes) => count.bytes += bytes.length;
        return Object.assign(count, { store: { load: () => held.load(), alone: (work) => work(),
            save: (state, revision) => (written(state), held.save(state, revision)),
            ...(appends && { append: async (change, revision) => {
                written(change);
                const saved = await held.append(change, revision);
                count.most = Math.max(count.most, (await held.load()).changes.length);
                return saved;
            } }) } });
    };
    const pets = await Collection.from(grr), values = await Collection.from({ ...remembered, budget: { epsilon: 1e5 } });
    const kinds = {
        "fresh responses": async (store, n) => {
            const client = await open(pets, store);
            for (let i = 0; i < n; ++i) await client.report(["cat"]);
            return client;
        },
        "memoized responses": async (store, n) => {
            const client = await open(values, store);
            for (let i = 0; i < n; ++i) await client.report([i % 1000]);
            return client;
        },
        "a fleet": async (store, n) => {
            const fleet = await Fleet.open(values, store);
            for (let i = 0; i < n; ++i) await fleet.report(`person ${i}`, [i % 7]);
            return fleet;
        },
    };
    for (const [kind, report] of Object.entries(kinds)) {
        const few = counting(true), many = counting(true), whole = counting(false);
        await report(few.store, 400);
        const client = await report(many.store, 1600);
        await report(whole.store, 400);
        const [a, b] = [few.bytes / 400, many.bytes / 1600];
        console.log(`${kind}: ${a.toFixed(0)} and ${b.toFixed(0)} bytes a report, ${(whole.bytes / 400).toFixed(0)} in a store that cannot append`);
        assert.ok(b < 1.7 * a, `${kind}: ${a} bytes a report, ${b} of four times as many`);
        assert.ok(whole.bytes > 10 * few.bytes, `${kind}: ${whole.bytes} bytes without changes, ${few.bytes} with them`);
        assert.ok(many.most <= 1600 / 2, `${kind}: ${many.most} changes are read at once`);
        // What was appended is all there, and leaves in as many steps.
        const again = await (client instanceof Fleet ? Fleet.open(values, many.store) : open(client.collection, many.store));
        assert.equal(await again.pending(), 1600);
        const before = many.bytes;
        assert.equal((await again.flush({ ...to(), most: 100 })).reports, 1600);
        assert.ok(many.bytes - before < before, `${kind}: ${many.bytes - before} bytes to flush, ${before} to report`);
        assert.equal(await (await (client instanceof Fleet ? Fleet.open(values, many.store) : open(client.collection, many.store))).pending(), 0);
        endpoint.batches.clear();
    }
});

test("one store is not a state and a ledger", async () => {
    const collection = await Collection.from({ mechanism: "grr", epsilon: 1, domain: 2, budget: { group: "acme", epsilon: 3 } });
    const store = new MemoryStore(), path = join(folder, "both");
    await assert.rejects(Client.open(collection, store, { ledger: store }), failed("invalid_value", /both the state .* and the ledger/));
    await assert.rejects(Fleet.open(collection, store, { ledger: store }), failed("invalid_value", /both the state .* and the ledger/));
    // Two objects of one folder, and stores that were used as the other before.
    await assert.rejects(Client.open(collection, new FileStore(path), { ledger: new FileStore(path) }),
        failed("environment", /ledger of budgets instead of a client's state|client's state instead of a ledger/));
    const [state, ledger] = [new MemoryStore(), new MemoryStore()];
    await (await Client.open(collection, state, { ledger })).report([0]);
    await assert.rejects(Client.open(collection, new MemoryStore(), { ledger: state }), failed("environment", /client's state instead of a ledger/));
    await assert.rejects(Client.open(collection, ledger, { ledger: new MemoryStore() }), failed("environment", /ledger of budgets instead of/));
    assert.equal(await (await Client.open(collection, state, { ledger })).pending(), 1);
});

test("drafts of processes that ended long ago are cleared away", async () => {
    const path = join(folder, "drafts"), pets = await Collection.from(grr);
    await (await open(pets, new FileStore(path))).report(["cat"]);
    for (const [name, age] of [["draft-1-1", 7200], ["draft-1-2", 60]]) {
        writeFileSync(join(path, name), "half");
        utimesSync(join(path, name), new Date(), new Date(Date.now() - 1000 * age));
    }
    await open(pets, new FileStore(path));
    assert.deepEqual(readdirSync(path).sort(), ["1", "2", "draft-1-2"]);
});

test("a damaged or a foreign state is refused as it stands", async () => {
    const path = join(folder, "hurt"), pets = await Collection.from(grr);
    await (await open(pets, new FileStore(path))).report(["cat"]);
    const files = readdirSync(path).map((name) => join(path, name));
    assert.equal(files.length, 2);
    for (const file of files) {
        const sound = readFileSync(file), begin = sound.indexOf(10) + 1;
        for (const at of [0, 64, 90, begin - 1, begin, sound.length - 1]) {
            const damaged = Buffer.from(sound);
            damaged[at] ^= 1;
            writeFileSync(file, damaged);
            await assert.rejects(open(pets, new FileStore(path)), failed("environment", /damaged/));
        }
        for (const half of [0, 10, begin + 9, sound.length - 1]) {
            writeFileSync(file, sound.subarray(0, half));
            await assert.rejects(open(pets, new FileStore(path)), failed("environment", /damaged/));
        }
        writeFileSync(file, sound);
    }
    const [file] = files;
    assert.equal(await (await open(pets, new FileStore(path))).pending(), 1);
    await assert.rejects(open(pets, new FileStore(join(file, "x"))), failed("environment", /folder cannot be used/));
});

test("a store that fails reports nothing and spends nothing", async () => {
    const held = new MemoryStore();
    let broken = false;
    const store = { load: () => held.load(), alone: (work) => work(),
        save: async (state, revision) => {
            if (broken) throw new LdpError("environment", "no space left");
            return held.save(state, revision);
        } };
    const client = await open(await Collection.from(remembered), store);
    await client.report([1]);
    broken = true;
    await assert.rejects(client.report([2]), failed("environment", /no space left/));
    broken = false;
    assert.equal((await client.spent()).responses, 1);
    assert.equal(await client.pending(), 1);
    assert.equal((await client.report([2])).origin, "drawn");
});
