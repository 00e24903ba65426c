// Random words of the module: a refill takes 256 bytes, each word is used once, and none outlives the call that it was made for.

import assert from "node:assert/strict";
import test from "node:test";
import { Collection } from "../../build/js/node.js";
import { Instance } from "../../build/js/instance.js";
import { oneByOne, seeded } from "./seeded.mjs";

const poolSize = 256;

/** A generator of pools, which remembers each of its words, and the module's memory. */
class Pools {
    words = [];
    calls = 0;
    #next = seeded(2026);

    fill = (bytes) => {
        assert.equal(bytes.length, poolSize);
        this.#next(bytes);
        const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
        for (let at = 0; at < bytes.length; at += 8) this.words.push(view.getBigUint64(at, true));
        this.calls += 1;
        this.pool = { memory: bytes.buffer, at: bytes.byteOffset };
        return bytes.length;
    };
    /** Returns how many of these words the module's memory has at multiples of 8 bytes. */
    left(words) {
        const found = new Set(new BigUint64Array(this.pool.memory, 0, this.pool.memory.byteLength >> 3));
        return words.filter((word) => found.has(word)).length;
    }
    wiped() {
        return new Uint8Array(this.pool.memory, this.pool.at, poolSize).every((byte) => byte === 0);
    }
}

const numbers = Array.from({ length: 20 }, (_, i) => ({ name: `n${i}`, min: 0, max: 1 }));
const cases = {
    "grr": { mechanism: "grr", epsilon: 1, domain: 16 },
    "hadamard": { mechanism: "hadamard", epsilon: 1, domain: 1024 },
    "subset": { mechanism: "subset", epsilon: 1, domain: 1024 },
    "ball": { mechanism: "ball", epsilon: 1, norm: 1, attributes: numbers },
    "a record": { mechanism: "sampled", epsilon: 4, per_report: 1,
        attributes: [{ name: "a", min: 0, max: 9, mechanism: "optimal" }, { name: "b", domain: 40, mechanism: "grr" }] },
    "a memoized response": { mechanism: "l_osue", epsilon: 4, report_epsilon: 1, domain: 256, evolving: {},
        budget: { epsilon: 40 } },
};
for (const [name, spec] of Object.entries(cases)) {
    const record = (await Collection.from(spec)).attributes.map((_, i) => i % 2);
    const opened = async (fill) => {
        const instance = await Instance.create(undefined, fill);
        instance.open(JSON.stringify(spec), false);
        instance.restore(new Uint8Array());
        return instance;
    };
    // perturb() draws with the module's generator, report() with the client's.
    const calls = spec.evolving ? [(instance) => instance.report(record, 0)]
        : [(instance) => instance.perturb(record), (instance) => instance.report(record, 0)];

    test(`words of ${name} are used once, and are wiped`, async () => {
        const pools = new Pools(), pooled = await opened(pools.fill), beginning = pools.words.length;
        assert.ok(pools.wiped(), "words stay in the pool after the secret of the batches and the public randomness");
        const outcomes = [], starts = [];
        for (let i = 0; i < 10; ++i)
            for (const call of calls) {
                starts.push(pools.words.length);
                const { report, origin } = call(pooled);
                outcomes.push(report ?? origin);
                assert.ok(pools.words.length > starts.at(-1), "no words were drawn");
                assert.ok(pools.wiped(), "words stay in the pool");
            }
        const state = pooled.snapshot();
        // The same words one by one, where each call begins with a new pool: no word of an earlier pool is used again.
        let at = 0, opening = true;
        const used = new Set(), secret = 4;
        const single = await opened(oneByOne((bytes) => {
            if (opening && at === secret && beginning > poolSize / 8) at = poolSize / 8; // public randomness
            used.add(at);
            new DataView(bytes.buffer, bytes.byteOffset).setBigUint64(0, pools.words[at++], true);
        }));
        opening = false;
        let call = 0;
        for (let i = 0; i < 10; ++i)
            for (const each of calls) {
                at = starts[call];
                const { report, origin } = each(single);
                assert.deepEqual(report ?? origin, outcomes[call++]);
                // A call takes whole pools, and no more of them than it needs.
                const taken = Math.ceil((at - starts[call - 1]) / (poolSize / 8)) * (poolSize / 8);
                assert.equal(taken, (starts[call] ?? pools.words.length) - starts[call - 1]);
            }
        assert.deepEqual(single.snapshot(), state);
        const unused = pools.words.filter((_, i) => !used.has(i));
        assert.ok(unused.length > 0);
        assert.equal(pools.left(unused), 0, "words that were not used stay in the module's memory");
    });
}
