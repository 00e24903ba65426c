// The npm package in Node as a program of verbs: reads them as JSON lines, and answers each with one.

import { createInterface } from "node:readline";
import { Client, Collection, FileStore, LdpError } from "../../build/js/node.js";

const session = {
    async open({ url, collection, state, terms, accept }) {
        this.endpoint = url;
        this.name = collection;
        const store = new FileStore(state);
        const found = await Collection.fetch(url, collection, { store, terms, timeout: 10000 });
        this.client = await Client.open(found, store, { oncePerRound: false });
        if (accept) await this.client.accept(this.client.contract.waiting);
        return { changes: this.client.contract.changes, fingerprint: found.fingerprint };
    },
    async report({ record, round = 0, columns = {} }) {
        return { origin: (await this.client.report(record, { round, columns })).origin };
    },
    async flush({ url = this.endpoint, collection = this.name, accept = false }) {
        const flush = () => this.client.flush({ endpoint: url, name: collection, retryFor: 500, timeout: 10000 });
        const { reports, refused } = await flush().catch(async (error) => {
            if (error.code !== "changed" || !accept) throw error;
            await this.client.accept(this.client.contract.waiting);
            return flush();
        });
        return { reports, refused };
    },
    async contract() {
        return this.client.contract;
    },
    async spent() {
        const spent = await this.client.spent().then(({ sum }) => sum, () => null);
        return { spent, pending: await this.client.pending() };
    },
    async close() {
        this.client = undefined;
        return {};
    },
};

for await (const line of createInterface({ input: process.stdin })) {
    const { verb, ...call } = JSON.parse(line);
    let answer;
    try {
        answer = { ok: true, ...(await session[verb](call)) };
    } catch (error) {
        if (!(error instanceof LdpError)) throw error;
        const { code, message, detail, hint, said } = error;
        answer = { ok: false, code, message, detail, hint, said };
    }
    console.log(JSON.stringify(answer));
}
