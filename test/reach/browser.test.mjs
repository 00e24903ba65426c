// The package in headless Chromium: durable state in IndexedDB, several tabs, closed tabs, full or forbidden storage, and the
// time of a report. The page of doc/web.md sends its reports to LDP_COLLECT.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test, { after, before, beforeEach } from "node:test";
import { Endpoint } from "./endpoint.mjs";
import { chooser } from "./seeded.mjs";
import { Browser } from "./webdriver.mjs";

const closings = Number(process.env.LDP_CLOSINGS ?? 100), seed = Number(process.env.LDP_SEED ?? 17);
const types = { js: "text/javascript", mjs: "text/javascript", wasm: "application/wasm", html: "text/html" };
const spec = { mechanism: "grr", epsilon: 1, domain: 1000, evolving: {}, budget: { epsilon: 100 } };
const manual = await readFile(new URL("../../doc/web.md", import.meta.url), "utf8");
/** The first block of this kind in doc/web.md, for this endpoint. */
const example = (kind, address) => manual.match(new RegExp(`\`\`\`${kind}\\n(.*?)\`\`\``, "s"))[1]
    .replaceAll("https://collect.example.org", address);
const pets = { mechanism: "grr", epsilon: 1, attributes: [{ name: "pet", domain: ["cat", "dog", "owl", "none"] }] };

// The server of the page logs its requests. `held` may delay a request or answer it in another way.
let endpoint, browser, told, collect, requests, held;
before(async () => {
    endpoint = await new Endpoint().start();
    endpoint.spec = JSON.stringify(spec);
    endpoint.page = async (path, query, body) => {
        requests.push(`${path}?${query} ${body}`);
        const instead = await held(path);
        if (instead) return instead;
        const [, kind, what, number] = path.split("/");
        if (kind === "told") {
            (told[what] ??= new Set()).add(Number(number));
            return { status: 200 };
        }
        const file = kind === "js" ? new URL(`../../build/js/${what}`, import.meta.url)
            : kind.startsWith("device.") ? new URL(kind, import.meta.url) : undefined;
        let content = "<!doctype html><title>empty</title>";
        if (kind === "pets.html") content = example("html", collect);
        else if (kind === "pets.js") content = example("js", collect);
        else if (file) content = await readFile(file);
        return { status: 200, headers: { "content-type": types[path.split(".").pop()] ?? "text/html" }, content };
    };
    browser = await new Browser().start();
});
after(async () => {
    await browser?.stop();
    await endpoint.stop();
});
beforeEach(async () => {
    endpoint.batches.clear();
    endpoint.mood = () => undefined;
    endpoint.between = (answer) => answer;
    endpoint.spec = JSON.stringify(spec);
    told = {};
    requests = [];
    held = () => undefined;
    collect = endpoint.url;
    await browser.go(`${endpoint.url}/empty`);
});

const waited = async (what, milliseconds = 60000) => {
    for (const end = Date.now() + milliseconds; !what(); await new Promise((resolve) => setTimeout(resolve, 20)))
        if (Date.now() > end) throw new Error(`waited in vain for ${what}`);
};
/** What holds of all that was told and counted: nothing lost, nothing doubled, no value randomized twice. */
const settle = (spent) => {
    const counted = endpoint.counted(), rounds = counted.map(({ round }) => round), once = new Set(rounds);
    assert.equal(once.size, rounds.length, "counted twice");
    for (const round of told.reported) assert.ok(once.has(round), `round ${round} was lost`);
    for (const round of once) assert.ok(told.began.has(round), `round ${round} was never begun`);
    const answers = new Map();
    for (const { round, payload } of counted) {
        assert.equal(payload, answers.get(round % 7) ?? payload, `value ${round % 7} was randomized twice`);
        answers.set(round % 7, payload);
    }
    assert.equal(spent, answers.size);
    return rounds.length;
};
const flushed = (store) => browser.run(async (store) => {
    const { Client, Collection, IndexedDBStore } = await import("/js/index.js");
    const client = await Client.open(await Collection.fetch(location.origin, "numbers"), new IndexedDBStore(store));
    await client.flush({ endpoint: location.origin, name: "numbers" });
    return (await client.spent()).responses;
}, store);

test("what was reported outlives its page, and is sent once", async () => {
    const report = async (value) => {
        const { Client, Collection, IndexedDBStore } = await import("/js/index.js");
        globalThis.client = await Client.open(await Collection.fetch(location.origin, "numbers"), new IndexedDBStore("first"),
            { oncePerRound: false });
        const receipt = await client.report([value]);
        return [receipt.origin, await client.pending()];
    };
    assert.deepEqual(await browser.run(report, 5), ["drawn", 1]);
    await browser.go(`${endpoint.url}/again`);
    assert.deepEqual(await browser.run(report, 5), ["memoized", 2]);
    assert.equal(await flushed("first"), 1);
    assert.equal(endpoint.counted().length, 2);
    assert.equal(new Set(endpoint.counted().map(({ payload }) => payload)).size, 1);
});

test("a database of version 1 keeps its state, and changes follow it", async () => {
    const [version, written, pending] = await browser.run(async () => {
        const { Client, Collection, IndexedDBStore, MemoryStore } = await import("/js/index.js");
        const collection = await Collection.fetch(location.origin, "numbers"), options = { oncePerRound: false };
        const old = new MemoryStore();
        // A store that cannot append, as those of version 1.
        const plain = { load: () => old.load(), save: (...of) => old.save(...of), alone: (work) => work() };
        const client = await Client.open(collection, plain, options);
        await client.report([5]);
        await client.report([6]);
        const { revision, state } = await old.load();
        await new Promise((resolve, reject) => {
            const request = indexedDB.open("early", 1);
            request.onupgradeneeded = () => request.result.createObjectStore("states").put({ revision, state }, "early");
            request.onerror = () => reject(request.error);
            request.onsuccess = () => resolve(request.result.close());
        });
        const store = new IndexedDBStore("early", { database: "early" });
        const later = await Client.open(collection, store, options);
        for (let i = 0; i < 3; ++i) await later.report([5]);
        const stored = await store.load();
        const other = new IndexedDBStore("early", { database: "early" });
        const late = await other.append(new Uint8Array(1), stored.revision) || await other.save(new Uint8Array(1), stored.revision);
        const [found] = (await indexedDB.databases()).filter(({ name }) => name === "early");
        const again = await Client.open(collection, new IndexedDBStore("early", { database: "early" }), options);
        return [found.version, [stored.revision - revision, stored.changes.length, late], await again.pending()];
    });
    assert.deepEqual([version, written, pending], [2, [3, 3, false], 5]);
});

test("tabs that report at once take turns", async () => {
    const [home] = await browser.call("GET", "/window/handles"), tabs = [];
    for (const first of [100, 200, 300]) {
        await browser.switch(home);
        tabs.push(await browser.open(`${endpoint.url}/device.html?store=shared&first=${first}&count=20`));
    }
    await waited(() => told.reported?.size === 60);
    for (const tab of tabs) await browser.close(tab);
    await browser.switch(home);
    assert.equal(settle(await flushed("shared")), 60);
});

test(`${closings} tabs closed in the middle, seed ${seed}`, { timeout: 600000 }, async () => {
    const [home] = await browser.call("GET", "/window/handles"), up_to = chooser(seed);
    endpoint.mood = () => [undefined, undefined, undefined, "lose the answer",
        { status: 503, headers: { "retry-after": "0" } }][up_to(5)];
    for (let i = 0; i < closings; ++i) {
        const before = told.began?.size ?? 0;
        const tab = await browser.open(`${endpoint.url}/device.html?store=closed&first=${1 + 100 * i}&count=100`);
        await waited(() => (told.began?.size ?? 0) > before + up_to(4));
        await new Promise((resolve) => setTimeout(resolve, up_to(10)));
        await browser.close(tab);
        await browser.switch(home);
    }
    endpoint.mood = () => undefined;
    const counted = settle(await flushed("closed"));
    assert.ok(told.reported.size >= closings / 2, `${told.reported.size} reports are too few to tell anything`);
    console.log(`${closings} tabs closed, ${told.reported.size} reports known to be durable, ${counted} counted`);
});


test("full storage is reported, and stored data remain", async () => {
    // Another origin, of whose storage the browser has no older opinion.
    const origin = endpoint.url.replace("127.0.0.1", "localhost");
    const quota = (quotaSize) => browser.devtools("Storage.overrideQuotaForOrigin", { origin, quotaSize });
    await browser.go(`${origin}/empty`);
    await quota(2 ** 16); // equal reports compress well
    assert.deepEqual(await browser.run(async () => {
        const { Client, Collection, IndexedDBStore } = await import("/js/index.js");
        globalThis.client = await Client.open(await Collection.fetch(location.origin, "numbers"), new IndexedDBStore("full"),
            { oncePerRound: false });
        await client.report([1]);
        return client.pending();
    }), 1);
    await assert.rejects(browser.run(async () => client.reportAll(Array.from({ length: 100000 }, () => [2]))),
        ({ code, message, hint }) => code === "environment" && /storage is full/.test(message) && /Free storage/.test(hint));
    assert.deepEqual(await browser.run(async () => [await client.pending(), (await client.spent()).responses]), [1, 1]);
    assert.equal(await browser.run(async () => (await client.report([2])).origin), "drawn");
});

test("forbidden storage is reported", async () => {
    const found = await browser.run(() => new Promise((resolve) => {
        addEventListener("message", ({ data }) => resolve(data), { once: true });
        const frame = document.createElement("iframe");
        frame.sandbox = "allow-scripts"; // of an origin of its own, which has no storage
        frame.srcdoc = `<script type="module">
            import { Client, Collection, IndexedDBStore } from "${location.origin}/js/index.js";
            try {
                await Client.open(await Collection.fetch("${location.origin}", "numbers"), new IndexedDBStore("none"));
                parent.postMessage("opened", "*");
            } catch ({ name, code, message, hint }) {
                parent.postMessage({ name, code, message, hint }, "*");
            }
        </` + "script>";
        document.body.append(frame);
    }));
    assert.deepEqual([found.name, found.code], ["LdpError", "environment"]);
    assert.match(`${found.message} ${found.hint}`, /does not allow storage for this page.*[Pp]rivate windows/);
});

/** Deletes what earlier tests stored. */
const forget = () => browser.run(() => new Promise((resolve) => { indexedDB.deleteDatabase("ldp").onsuccess = () => resolve(); }));
/** Presses the button of the manual's page, and waits for a message that matches. */
const answered = (words) => browser.run(async (words) => {
    const message = document.getElementById("message"), ready = document.getElementById("answer");
    for (const end = Date.now() + 20000; ready.disabled && Date.now() < end;) await new Promise((wait) => setTimeout(wait, 20));
    document.getElementById("pet").value = "owl";
    ready.click();
    for (const end = Date.now() + 20000; !new RegExp(words).test(message.value) && Date.now() < end;)
        await new Promise((wait) => setTimeout(wait, 20));
    return message.value;
}, words);
/** Does what a person may do on a page whose script does not run, and requires that its server gets nothing. */
const pressed = async () => {
    const before = requests.length;
    const address = await browser.run(async () => {
        document.querySelectorAll("select").forEach((each) => { each.value = "owl"; });
        document.querySelectorAll("button").forEach((each) => { each.disabled = false; each.click(); });
        document.querySelectorAll("form").forEach((each) => each.requestSubmit());
        document.getElementById("pet").focus();
        await new Promise((wait) => setTimeout(wait, 300));
        return location.href;
    });
    assert.equal(address, `${endpoint.url}/pets.html`);
    assert.deepEqual(requests.slice(before).filter((request) => /owl|\?./.test(request.split(" ")[0])), []);
    assert.ok(!requests.some((request) => request.includes("owl")), requests.join("\n"));
};

test("the page of the manual reports to ldp collect", { skip: !process.env.LDP_COLLECT }, async () => {
    collect = process.env.LDP_COLLECT;
    await browser.go(`${endpoint.url}/pets.html`);
    assert.equal(await answered("."), "Thank you.");
    // The message is shown when the report is durable. The report is sent afterwards, while the page is open.
    await browser.run(async (collect) => {
        const { Client, Collection, IndexedDBStore } = await import("/js/index.js");
        const store = new IndexedDBStore("pets"), client = await Client.open(await Collection.fetch(collect, "pets", { store }), store);
        for (const end = Date.now() + 60000; await client.pending() > 0 && Date.now() < end;) await new Promise((wait) => setTimeout(wait, 20));
    }, collect);
});

const failures = {
    "missing": (path) => (path.startsWith("/js/") ? { status: 404 } : undefined),
    "an error page": (path) => (path.startsWith("/js/") ? { status: 200, headers: { "content-type": "text/html" }, content: "<p>" } : undefined),
    "without its module": (path) => (path.endsWith(".wasm") ? { status: 403 } : undefined),
    "not there at all": (path) => (path === "/pets.js" ? { status: 404 } : undefined),
};
for (const [what, failure] of Object.entries(failures))
    test(`the page of the manual keeps the answer when its script is ${what}`, async () => {
        endpoint.spec = JSON.stringify(pets);
        held = failure;
        await browser.go(`${endpoint.url}/pets.html`);
        await pressed();
        assert.equal(endpoint.counted().length, 0);
    });

test("the page of the manual keeps the answer when its policy blocks the script", async () => {
    endpoint.spec = JSON.stringify(pets);
    endpoint.between = (answer, { url }) => (url === "/pets.html"
        ? { ...answer, headers: { ...answer.headers, "content-security-policy": "script-src 'none'" } } : answer);
    await browser.go(`${endpoint.url}/pets.html`);
    await pressed();
    endpoint.between = (answer, { url }) => (url === "/pets.html"
        ? { ...answer, headers: { ...answer.headers, "content-security-policy": "script-src 'self'" } } : answer);
    await browser.go(`${endpoint.url}/pets.html`);
    await pressed();
    assert.match(await browser.run(async () => document.getElementById("message").value), /cannot be loaded.*wasm-unsafe-eval/);
    assert.equal(endpoint.counted().length, 0);
});

test("the page of the manual keeps the answer while its script is slow, and takes it then", async () => {
    endpoint.spec = JSON.stringify(pets);
    await forget();
    let release;
    const slow = new Promise((resolve) => { release = resolve; });
    held = (path) => (path === "/js/index.js" ? slow : undefined);
    await browser.call("POST", "/timeouts", { pageLoad: 1000 });
    await browser.go(`${endpoint.url}/pets.html`).catch(() => {}); // loading never ends
    await browser.call("POST", "/timeouts", { pageLoad: 300000 });
    assert.equal(await browser.run(async () => document.getElementById("answer").disabled), true);
    await pressed();
    release();
    await browser.go(`${endpoint.url}/pets.html`);
    assert.equal(await answered("."), "Thank you.");
    await waited(() => endpoint.counted().length === 1);
    await pressed();
});

test("the page of the manual works offline from the second visit on, and counts an answer once", async () => {
    endpoint.spec = JSON.stringify(pets);
    await forget();
    await browser.go(`${endpoint.url}/pets.html`);
    await browser.run(async () => {
        while (document.getElementById("answer").disabled) await new Promise((wait) => setTimeout(wait, 20));
    });
    // The server of the page is there, the endpoint is not.
    endpoint.mood = () => ({ status: 503 });
    endpoint.between = (answer, { url }) => (url.startsWith("/collections/") ? "lose the answer" : answer);
    await browser.go(`${endpoint.url}/pets.html`);
    await answered("Thank you");
    assert.equal(endpoint.counted().length, 0);
    endpoint.mood = () => undefined;
    endpoint.between = (answer) => answer;
    await browser.go(`${endpoint.url}/pets.html`);
    await waited(() => endpoint.counted().length === 1);
    assert.match(await answered("already"), /You have answered already/);
    // Two tabs, and two clicks at once.
    const clicks = await browser.run(async () => {
        const { Client, Collection, IndexedDBStore } = await import("/js/index.js");
        const twice = async () => {
            const store = new IndexedDBStore("twice"), collection = await Collection.fetch(location.origin, "pets", { store });
            const client = await Client.open(collection, store);
            return (await client.report({ pet: "cat" })).origin;
        };
        return Promise.all([twice(), twice(), twice()]);
    });
    assert.deepEqual(clicks.sort(), ["drawn", "ignored", "ignored"]);
});

test("an origin that is not allowed is named with the option that allows it", async () => {
    // The endpoint of the tests allows every origin; between it and the page the permission is lost.
    endpoint.between = (answer, { url }) => (url.startsWith("/collections/") && answer.headers
        ? { ...answer, headers: { ...answer.headers, "access-control-allow-origin": "https://elsewhere.example" } } : answer);
    const other = endpoint.url.replace("127.0.0.1", "localhost");
    await assert.rejects(browser.run(async (other) => {
        const { Collection } = await import("/js/index.js");
        await Collection.fetch(other, "numbers");
    }, other), ({ code, message, hint }) => code === "environment" && /cannot be fetched/.test(message) &&
        hint.includes("--allow-origin") && hint.includes(endpoint.url));
});

test("how long a report takes", async () => {
    const microseconds = await browser.run(async () => {
        const { Collection } = await import("/js/index.js");
        const collection = await Collection.from({ mechanism: "grr", epsilon: 1, domain: 16 });
        const rounds = [];
        for (let i = 0; i < 5; ++i) {
            const began = performance.now();
            for (let j = 0; j < 20000; ++j) await collection.perturb([j % 16]);
            rounds.push((performance.now() - began) / 20000 * 1000);
        }
        return Math.min(...rounds);
    });
    console.log(`a grr report in Chromium: ${microseconds.toFixed(2)} µs`);
});
