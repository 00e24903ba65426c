// The client's view of a collection: the validation of records and their encoding for the randomizer.

import { bytesOf, read, request, sleep, unreachable, unredirected, words } from "./delivery.js";
import { LdpError, environment } from "./error.js";
import { contractOf } from "./fleet-state.js";
import { Instance, Sandbox } from "./instance.js";

const specTexts = ["title", "description", "people_asked"];
const attributeTexts = ["title", "question", "unit", "description", "scale", "display"];

/** The keys of an object that it has. */
function picked(object, keys) {
    return Object.fromEntries(keys.filter((key) => object[key] !== undefined).map((key) => [key, object[key]]));
}

/** The text of a set of labels: the labels, or numbers of labels, with semicolons between them. */
function joined(labels) {
    for (const label of labels)
        if ((typeof label !== "string" && typeof label !== "number") || String(label).includes(";"))
            throw new LdpError("invalid_value", `${JSON.stringify(label)} is not a label of a set`, "",
                "A set is an array of labels without semicolons.");
    return labels.join(";");
}

/** Returns the contract in a store; undefined without one. */
async function agreed(store, module) {
    if (store === undefined) return undefined;
    const { state, changes } = await store.load();
    return state === undefined ? undefined : contractOf(await Instance.create(module), state, changes);
}

export class Collection {
    #text;
    #refuse;
    #module;
    #sandbox;
    #names; // of all attributes; a vector has a name for each element
    #vectors; // the labels of the elements of each vector
    #terms; // what the caller allows
    #source; // the endpoint and the name of a fetched collection

    /** Use Collection.from or Collection.fetch. */
    constructor(text, { outside = "clamp", module, terms } = {}, source = undefined) {
        if (outside !== "clamp" && outside !== "refuse")
            throw new LdpError("invalid_value", `outside must be "clamp" or "refuse", not ${JSON.stringify(outside)}`);
        this.#text = text;
        this.#refuse = outside === "refuse";
        this.#module = module;
        this.#terms = terms;
        this.#source = source;
        this.#sandbox = new Sandbox(() => this.instance());
    }

    static from(spec, options) {
        return Collection.#made(typeof spec === "string" ? spec : JSON.stringify(spec), options);
    }
    static async #made(text, options, source = undefined) {
        const collection = new Collection(text, options, source);
        await collection.#sandbox.use((instance) => {
            collection.spec = Object.freeze(JSON.parse(collection.#text));
            collection.fingerprint = instance.fingerprint();
            collection.contract = Object.freeze(instance.offered());
        });
        const names = (each) => each.vector?.map((label) => `${each.name}.${label}`) ?? [each.name];
        collection.#names = collection.spec.attributes.flatMap(names);
        collection.attributes = collection.spec.attributes.filter((each) => !each.product).flatMap(names);
        collection.#vectors = new Map(collection.spec.attributes.filter((each) => each.vector).map((each) => [each.name, each.vector]));
        return collection;
    }

    get texts() {
        const texts = this.spec.attributes.map((each) => [each.name, picked(each, attributeTexts)]).filter(([, found]) => Object.keys(found).length > 0);
        return { ...picked(this.spec, specTexts), ...(texts.length > 0 && { attributes: Object.fromEntries(texts) }) };
    }

    static async fetch(endpoint, name, { init, store, timeout = 10000, send = fetch, ...options } = {}) {
        const url = `${String(endpoint).replace(/\/+$/, "")}/collections/${encodeURIComponent(name)}/spec`;
        const source = { endpoint: String(endpoint), name: String(name) };
        const instance = await Instance.create(options.module);
        let text, action;
        const judge = (about) => {
            const step = instance.judge({ method: "GET", name, ...about });
            action = step.action;
            return step.foreign;
        };
        try {
            const limit = new AbortController();
            const timer = setTimeout(() => limit.abort(new Error(`There was no answer in ${timeout} ms.`)), timeout);
            try {
                const ask = () => send(url, { signal: limit.signal, ...request, ...init, ...unredirected });
                let response = await ask();
                // An endpoint finds a new collection within seconds.
                for (const until = performance.now() + 5000; response.status === 404 && performance.now() < until;) {
                    await sleep(500, limit.signal);
                    response = await ask();
                }
                const answer = read(response), body = await bytesOf(response, limit);
                // The receipt depends on the collection and the spec, so a login page is not taken for a spec.
                const foreign = judge({ content: body, ...answer });
                if (action !== "settle") {
                    const { message = `The endpoint answered ${answer.status}.`, detail, hint } = foreign ?? {};
                    throw Object.assign(environment(message, detail, hint, undefined, words(body)), { refused: !foreign });
                }
                text = new TextDecoder().decode(body);
            } finally {
                clearTimeout(timer);
            }
        } catch (error) {
            init?.signal?.throwIfAborted();
            if (action === undefined) judge({ status: 0, receipt: null, content: new Uint8Array() });
            // While the endpoint cannot be reached, the collection is the one that was agreed.
            const known = action === "repeat" ? await agreed(store, options.module) : undefined;
            if (known?.endpoint === source.endpoint.replace(/\/+$/, "") && known.collection === source.name)
                return Collection.#made(JSON.stringify(known.spec), options, source);
            if (error instanceof LdpError && !error.refused)
                throw environment(error.message, `${url}: ${error.detail}`, error.hint, error, error.said);
            throw environment(`the spec of ${JSON.stringify(name)} cannot be fetched: ${error.cause?.message ?? error.message}`, url,
                `Check that the endpoint can be reached and serves this collection. ${unreachable(endpoint)}`.trim(), error, error.said);
        }
        return Collection.#made(text, options, source);
    }

    /** Runs work on the collection's instance of the module. The work must not change the instance. */
    use(work) {
        return this.#sandbox.use(work);
    }
    /** Returns a new instance of the module with this collection. */
    async instance() {
        const instance = await Instance.create(this.#module);
        this.#text = instance.open(this.#text, this.#refuse, this.#terms, this.#source);
        return instance;
    }

    /** Returns a record's values in the spec's order, in the form for the module. */
    values(record) {
        if (record === null || typeof record !== "object")
            throw new LdpError("invalid_value", "a record must be an array or an object", `Found ${typeof record}.`,
                "Pass one value for each attribute, by position or by name.");
        if (Array.isArray(record)) {
            // The labels of a set are strings; the elements of a vector are not.
            const isSet = (value) => Array.isArray(value) && !value.some((element) => typeof element !== "string");
            if (this.#vectors.size > 0) record = record.flatMap((value) => ArrayBuffer.isView(value) ? [...value] : isSet(value) ? [value] : value);
        } else {
            record = this.#expanded(record);
            const names = this.attributes;
            for (const name of Object.keys(record))
                if (!names.includes(name))
                    throw new LdpError("invalid_value", `the spec has no attribute ${JSON.stringify(name)}`,
                        `Its attributes are ${names.join(", ")}.`);
            for (const name of names)
                if (!Object.hasOwn(record, name))
                    throw new LdpError("invalid_value", `the record has no value of ${JSON.stringify(name)}`,
                        `The spec's attributes are ${names.join(", ")}.`,
                        'Pass null for a missing value, if the spec allows it: for a label by "missing_label", for a number by "missing": true.');
            record = names.map((name) => record[name]);
        }
        return record.map((value) => {
            if (value === null) return "";
            if (typeof value === "number" || typeof value === "string") return value;
            if (value instanceof Set) value = [...value];
            if (Array.isArray(value)) return joined(value);
            throw new LdpError("invalid_value", `a value must not be a ${typeof value}`,
                "Allowed are numbers, labels, arrays of labels for a set, and null for a missing value.");
        });
    }
    /** Returns a record with a value for each element of a vector, from an array or an object for the whole vector. */
    #expanded(record) {
        if (!Object.keys(record).some((name) => this.#vectors.has(name))) return record;
        return Object.fromEntries(Object.entries(record).flatMap(([name, vector]) => {
            const labels = this.#vectors.get(name);
            if (labels === undefined) return [[name, vector]];
            if (Array.isArray(vector) || ArrayBuffer.isView(vector)) {
                if (vector.length !== labels.length)
                    throw new LdpError("invalid_value", `the vector ${JSON.stringify(name)} has the wrong number of elements`,
                        `Found ${vector.length}; the spec has ${labels.length}.`);
                return labels.map((label, i) => [`${name}.${label}`, vector[i]]);
            }
            if (vector === null || typeof vector !== "object")
                throw new LdpError("invalid_value", `${JSON.stringify(vector)} is not a vector for ${JSON.stringify(name)}`,
                    "A vector is an array of numbers, or an object that maps labels to numbers.");
            return Object.entries(vector).map(([label, value]) => [`${name}.${label}`, value]);
        }));
    }
    /** Returns a receipt with the names of the attributes instead of their indexes. */
    named({ clamped, ...rest }) {
        return { ...rest, clamped: clamped.map((index) => this.#names[index]) };
    }

    async perturb(record) {
        const values = this.values(record);
        return this.named(await this.#sandbox.use((instance) => instance.perturb(values)));
    }
}
