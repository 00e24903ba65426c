// A state that ends with the page or process, and with it all that is remembered of a person, who then spends again.

export class MemoryStore {
    #held = { revision: 0, state: undefined };

    async load() {
        return this.#held;
    }
    async save(state, revision) {
        if (revision !== this.#held.revision + 1) return false;
        this.#held = { revision, state };
        return true;
    }
    alone(work) {
        return work();
    }
}
