// The client of one person or device: perturbs, remembers, queues, sends.
//
// The order is fixed: draw, write durably, then send. What an instance of the module has drawn becomes the client's
// only if the store takes the new state in place of the one it was drawn from. If somebody else has written meanwhile,
// another tab, say, it is forgotten and drawn anew from what they left.

import { deliver } from "./delivery.js";
import { LdpError, environment } from "./error.js";
import { Sandbox } from "./instance.js";

export class Client {
    #collection;
    #store;
    #sandbox;
    #held = { revision: 0, state: undefined }; // what the store and the instance have
    #last = Promise.resolve(); // one thing at a time
    #flushing = Promise.resolve();

    /** Use Client.open. */
    constructor(collection, store) {
        this.#collection = collection;
        this.#store = store;
        this.#sandbox = new Sandbox(async () => {
            this.#held = await store.load();
            const instance = await collection.instance();
            instance.remember(this.#held.state ?? new Uint8Array());
            return instance;
        });
    }
    static async open(collection, store) {
        const client = new Client(collection, store);
        await client.#change(() => {});
        return client;
    }
    get collection() {
        return this.#collection;
    }

    #turn(work) {
        const turn = this.#last.then(work);
        this.#last = turn.catch(() => {});
        return turn;
    }
    /** Does work, which must not wait, and writes away what has changed by it. */
    #change(work) {
        return this.#turn(async () => {
            for (;;) {
                const [result, state] = await this.#sandbox.use((instance) => [work(instance), instance.snapshot()]);
                if (equal(state, this.#held.state)) return result;
                const revision = this.#held.revision + 1;
                const saved = await this.#store.save(state, revision).catch((error) => {
                    this.#sandbox.abandon();
                    throw error;
                });
                if (saved) {
                    this.#held = { revision, state };
                    return result;
                }
                this.#sandbox.abandon();
            }
        });
    }
    /** What stands in the store now, whoever wrote it. */
    #look(work) {
        return this.#turn(async () => {
            const { revision } = await this.#store.load();
            if (revision !== this.#held.revision) this.#sandbox.abandon();
            return this.#sandbox.use(work);
        });
    }

    async report(record, { round = 0 } = {}) {
        const values = this.#collection.values(record);
        whole(round);
        return this.#collection.named(await this.#change((instance) => instance.report(values, round)));
    }
    async reportAll(records, { round = 0 } = {}) {
        const all = Array.from(records, (record) => this.#collection.values(record));
        whole(round);
        const receipts = await this.#change((instance) => instance.reportAll(all, round));
        return receipts.map((receipt) => this.#collection.named(receipt));
    }

    pending() {
        return this.#look((instance) => instance.pending());
    }
    spent(delta = 1e-6) {
        return this.#look((instance) => instance.spent(delta));
    }
    refused() {
        return this.#look((instance) => instance.refused());
    }
    requeueRefused() {
        return this.#change((instance) => instance.requeueRefused());
    }
    dropRefused() {
        return this.#change((instance) => instance.dropRefused());
    }

    flush(options) {
        const flush = this.#flushing.then(() => this.#store.alone(() => this.#flush(options)));
        this.#flushing = flush.catch(() => {});
        return flush;
    }
    async #flush({ endpoint, name, most = 1000, progress, ...how }) {
        if (!Number.isInteger(most) || most < 1)
            throw new LdpError("invalid_value", "a batch must hold at least one report", `Found ${most}.`);
        const flush = {};
        const done = { batches: 0, reports: 0, repeated: 0, refused: 0 };
        // Its batch may have been settled by another tab meanwhile, which is as good.
        const settle = (batch, work) =>
            this.#change((instance) => instance.next(flush, most)?.id !== batch.id || work(instance));
        for (;;) {
            const batch = await this.#change((instance) => instance.next(flush, most));
            if (!batch) return done;
            const { outcome, error } = await deliver((work) => this.#collection.use(work), { endpoint, name, batch }, how);
            if (outcome === "delivered" || outcome === "repeated") {
                const earlier = outcome === "repeated";
                await settle(batch, (instance) => instance.delivered(earlier));
                done.batches += 1;
                done.reports += batch.reports;
                done.repeated += earlier ? 1 : 0;
                progress?.({ ...done });
            } else if (outcome === "outdated") {
                await this.#change((instance) => instance.retire());
                this.#sandbox.abandon();
                await this.#look(() => {}); // refuses, and says why
            } else {
                if (!(await settle(batch, (instance) => instance.undelivered(outcome, error)))) throw error;
                if (batch.reports === 1) done.refused += 1;
            }
        }
    }
}

function whole(round) {
    if (!Number.isInteger(round) || round !== (round | 0))
        throw new LdpError("invalid_value", "a round is a whole number", `Found ${round}.`);
}

function equal(a, b) {
    return a !== undefined && b !== undefined && a.length === b.length && a.every((byte, i) => byte === b[i]);
}
