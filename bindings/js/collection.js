// A collection as a device knows it: which records it takes, and how they enter the randomizer.

import { read, request, unredirected } from "./delivery.js";
import { LdpError, environment } from "./error.js";
import { Instance, Sandbox } from "./instance.js";

export class Collection {
    #text;
    #refuse;
    #module;
    #sandbox;

    /** Use Collection.from or Collection.fetch. */
    constructor(text, { outside = "clamp", module } = {}) {
        if (outside !== "clamp" && outside !== "refuse")
            throw new LdpError("invalid_value", `outside cannot be ${JSON.stringify(outside)}`,
                'Allowed are "clamp" and "refuse".');
        this.#text = text;
        this.#refuse = outside === "refuse";
        this.#module = module;
        this.#sandbox = new Sandbox(() => this.instance());
    }

    static async from(spec, options) {
        const collection = new Collection(typeof spec === "string" ? spec : JSON.stringify(spec), options);
        await collection.#sandbox.use((instance) => {
            collection.spec = Object.freeze(JSON.parse(collection.#text));
            collection.fingerprint = instance.fingerprint();
        });
        collection.attributes = collection.spec.attributes.filter((each) => !each.product).map((each) => each.name);
        return collection;
    }

    static async fetch(endpoint, name, { init, ...options } = {}) {
        const url = `${String(endpoint).replace(/\/+$/, "")}/collections/${encodeURIComponent(name)}/spec`;
        let text;
        try {
            const response = await fetch(url, { ...request, ...init, ...unredirected });
            const answer = read(response);
            const content = new Uint8Array(await response.arrayBuffer());
            // The receipt names the collection and the spec: a login page is not taken for one.
            const instance = await Instance.create(options.module);
            const { action, foreign } = instance.judge({ method: "GET", name, content, ...answer });
            if (action !== "settle") throw foreign ?? new Error(`It answered ${answer.status}.`);
            text = new TextDecoder().decode(content);
        } catch (error) {
            if (error instanceof LdpError)
                throw environment(error.message, `${url}: ${error.detail}`, error.hint, error);
            throw environment(`the spec of ${JSON.stringify(name)} cannot be fetched`, `${url}: ${error.message}`,
                "Is the endpoint reachable, and does it offer this collection?", error);
        }
        return Collection.from(text, options);
    }

    /** Runs work that leaves no trace on the collection's instance of the module. */
    use(work) {
        return this.#sandbox.use(work);
    }
    /** A new instance of the module that has this collection. */
    async instance() {
        const instance = await Instance.create(this.#module);
        this.#text = instance.open(this.#text, this.#refuse);
        return instance;
    }

    /** A record's values in the spec's order, as the module takes them. */
    values(record) {
        if (record === null || typeof record !== "object")
            throw new LdpError("invalid_value", "a record is an array or an object", `Found ${typeof record}.`,
                "Give one value for each attribute: by position, or by name.");
        if (!Array.isArray(record)) {
            const names = this.attributes;
            for (const name of Object.keys(record))
                if (!names.includes(name))
                    throw new LdpError("invalid_value", `the spec has no attribute ${JSON.stringify(name)}`,
                        `Its attributes are ${names.join(", ")}.`);
            for (const name of names)
                if (!Object.hasOwn(record, name))
                    throw new LdpError("invalid_value", `the record has no value of ${JSON.stringify(name)}`,
                        `The spec's attributes are ${names.join(", ")}.`, "Where there is no answer, give null.");
            record = names.map((name) => record[name]);
        }
        return record.map((value) => {
            if (value === null) return "";
            if (typeof value === "number" || typeof value === "string") return value;
            throw new LdpError("invalid_value", `a value cannot be a ${typeof value}`,
                "Allowed are numbers, labels, and null where there is no answer.");
        });
    }
    /** A receipt with the attributes' names. */
    named({ clamped, ...rest }) {
        return { ...rest, clamped: clamped.map((index) => this.spec.attributes[index].name) };
    }

    async perturb(record) {
        const values = this.values(record);
        return this.named(await this.#sandbox.use((instance) => instance.perturb(values)));
    }
}
