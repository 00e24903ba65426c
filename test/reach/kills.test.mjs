// Processes that are killed at random moments: nothing is lost, nothing is counted twice, and no value is randomized
// twice, whichever step the end came in. LDP_KILLS says how many; each round is begun once and never repeated.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import test from "node:test";
import { Client, Collection, FileStore } from "../../build/js/node.js";
import { Endpoint } from "./endpoint.mjs";
import { chooser } from "./seeded.mjs";

const kills = Number(process.env.LDP_KILLS ?? 100), seed = Number(process.env.LDP_SEED ?? 17);
const spec = JSON.stringify({ mechanism: "grr", epsilon: 1, domain: 1000, evolving: {}, budget: { epsilon: 100 } });
const worker = fileURLToPath(new URL("worker.mjs", import.meta.url));

test(`${kills} kills of Node, seed ${seed}`, { timeout: 600000 }, async () => {
    const folder = mkdtempSync(join(tmpdir(), "ldp-kills.")), store = join(folder, "state");
    const endpoint = await new Endpoint().start(), up_to = chooser(seed);
    // Answers are lost, and so are requests, as networks do.
    endpoint.mood = () => [undefined, undefined, undefined, "lose the answer",
        { status: 503, headers: { "retry-after": "0" } }][up_to(5)];
    const began = new Set(), reported = new Set();
    let next = 1, killed = 0;

    /** One process, killed some milliseconds after a random one of its lines; ends with whether it was. */
    const live = (first, count) => new Promise((resolve) => {
        const child = spawn(process.execPath, [worker, store, endpoint.url, first, count, spec],
            { stdio: ["ignore", "pipe", "inherit"] });
        let lines = 1 + up_to(16), text = "";
        child.stdout.on("data", (data) => {
            text += data;
            for (let end; (end = text.indexOf("\n")) >= 0; text = text.slice(end + 1)) {
                const [what, round] = text.slice(0, end).split(" ");
                (what === "began" ? began : reported).add(Number(round));
                if (--lines === 0) setTimeout(() => child.kill("SIGKILL"), up_to(12));
            }
        });
        child.on("close", (_, signal) => resolve(signal === "SIGKILL"));
    });
    try {
        while (killed < kills) {
            // Every fourth time there are two at once.
            const processes = killed % 4 === 3 ? 2 : 1, each = 20, first = next;
            next += processes * each;
            const ends = await Promise.all(Array.from({ length: processes }, (_, i) => live(first + i * each, each)));
            killed += ends.filter(Boolean).length;
        }
        endpoint.mood = () => undefined;
        const client = await Client.open(await Collection.from(spec), new FileStore(store));
        await client.flush({ endpoint: endpoint.url, name: "numbers" });
        const counted = endpoint.counted(), rounds = counted.map(({ round }) => round), once = new Set(rounds);
        assert.equal(once.size, rounds.length, "counted twice");
        for (const round of reported) assert.ok(once.has(round), `round ${round} was lost`);
        for (const round of once) assert.ok(began.has(round), `round ${round} was never begun`);
        assert.ok(reported.size >= kills, `${reported.size} reports are too few to tell anything`);
        const answers = new Map();
        for (const { round, payload } of counted) {
            assert.equal(payload, answers.get(round % 7) ?? payload, `value ${round % 7} was randomized twice`);
            answers.set(round % 7, payload);
        }
        assert.equal((await client.spent()).responses, answers.size);
        console.log(`${killed} processes killed, ${reported.size} reports known to be durable, ${rounds.length} counted`);
    } finally {
        await endpoint.stop();
        rmSync(folder, { recursive: true });
    }
});
