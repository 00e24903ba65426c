// A client's state in a browser: one entry of a database of the page's origin.

import { environment } from "./error.js";

const table = "states";

function failure(what, error) {
    if (error?.name === "QuotaExceededError")
        return environment("the browser's storage is full", `${what}: ${error.message}`,
            "Nothing was reported. Free storage of this site, or flush the queued reports, and report again.", error);
    return environment("the browser does not allow storage for this page",
        `${what}: ${error?.message ?? "IndexedDB is not available"}`,
        "Nothing was reported. Private windows, frames of other sites and settings may disable IndexedDB. A " +
        "MemoryStore keeps the state until the page closes.", error);
}

function settled(request) {
    return new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
    });
}

export class IndexedDBStore {
    #name;
    #database;
    #opened;

    constructor(name, { database = "ldp" } = {}) {
        this.#name = String(name);
        this.#database = database;
    }

    #open() {
        this.#opened ??= new Promise((resolve, reject) => {
            const request = indexedDB.open(this.#database, 1);
            request.onupgradeneeded = () => request.result.createObjectStore(table);
            request.onerror = () => reject(request.error);
            request.onsuccess = () => {
                const forget = () => {
                    request.result.close();
                    this.#opened = undefined;
                };
                request.result.onversionchange = request.result.onclose = forget;
                resolve(request.result);
            };
        });
        return this.#opened.catch((error) => {
            this.#opened = undefined;
            throw failure("It cannot be opened", error);
        });
    }

    async load() {
        const database = await this.#open();
        try {
            const found = await settled(database.transaction(table).objectStore(table).get(this.#name));
            return found ?? { revision: 0, state: undefined };
        } catch (error) {
            throw failure("It cannot be read", error);
        }
    }

    /** Replaces the preceding revision durably. Returns false if another revision is stored; then nothing changes. */
    async save(state, revision) {
        const database = await this.#open();
        try {
            return await new Promise((resolve, reject) => {
                const step = database.transaction(table, "readwrite", { durability: "strict" });
                const states = step.objectStore(table);
                let saved = false;
                states.get(this.#name).onsuccess = ({ target }) => {
                    saved = (target.result?.revision ?? 0) + 1 === revision;
                    if (saved) states.put({ revision, state }, this.#name);
                };
                step.oncomplete = () => resolve(saved);
                step.onabort = () => reject(step.error);
            });
        } catch (error) {
            throw failure("It cannot be written", error);
        }
    }

    // The key of a spec is an array, so it differs from the names of all stores.
    async loadSpec() {
        const database = await this.#open();
        try {
            return await settled(database.transaction(table).objectStore(table).get([this.#name, "spec"]));
        } catch (error) {
            throw failure("It cannot be read", error);
        }
    }
    async saveSpec(spec) {
        const database = await this.#open();
        try {
            await settled(database.transaction(table, "readwrite").objectStore(table).put(spec, [this.#name, "spec"]));
        } catch (error) {
            throw failure("It cannot be written", error);
        }
    }

    /** Runs work in one tab at a time. Without the Web Locks API, tabs may run it concurrently, which is harmless. */
    alone(work) {
        const locks = globalThis.navigator?.locks;
        return locks ? locks.request(`ldp:${this.#database}:${this.#name}`, work) : work();
    }
}
