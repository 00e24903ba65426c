/** What went wrong, by kind. */
export type ErrorCode =
    | "invalid_spec"   // a spec that cannot be honoured
    | "invalid_value"  // a value outside what the spec declares, or an argument out of range
    | "malformed"      // text that is no spec
    | "incompatible"   // a store of another spec, or one that is older than what the server counted
    | "unsupported"    // what the mechanism cannot do
    | "full"
    | "spent"          // the person's budget leaves no further answer
    | "environment";   // storage, network or memory failed

/** Every failure of the package. `message` says what happened. */
export class LdpError extends Error {
    constructor(code: ErrorCode, message: string, detail?: string, hint?: string, options?: { cause?: unknown });
    readonly code: ErrorCode;
    /** What was found and what is allowed; may be empty. */
    readonly detail: string;
    /** What to do; may be empty. */
    readonly hint: string;
}

/** A number in the attribute's own unit, a label, or null where there is no answer. */
export type Value = number | string | null;
/** One value for each attribute but products: in the spec's order, or by name. */
export type Row = readonly Value[] | Readonly<Record<string, Value>>;

/** What became of a record. */
export interface Receipt {
    /** Drawn at a cost; kept of an earlier report; nearest to one, since the budget is spent; or not due yet. */
    readonly origin: "drawn" | "kept" | "nearest" | "silent";
    /** Attributes whose value was clamped into what the spec declares. */
    readonly clamped: readonly string[];
    /** How many numbers that follow from the record were. */
    readonly coefficients: number;
}

export interface CollectionOptions {
    /** What becomes of a number outside its range: it is clamped to the nearer end (the default), or refused. */
    readonly outside?: "clamp" | "refuse";
    /** The module, compiled already; without it the file ldp.wasm beside the package's sources is loaded. */
    readonly module?: WebAssembly.Module;
}

/** A spec and its randomizer. */
export class Collection {
    private constructor();
    /** Of a spec in JSON, or parsed, as the server gives it. Rejects with LdpError (malformed, invalid_spec). */
    static from(spec: string | object, options?: CollectionOptions): Promise<Collection>;
    /** Of GET {endpoint}/collections/{name}/spec. Rejects with LdpError (environment), too. */
    static fetch(endpoint: string | URL, name: string,
        options?: CollectionOptions & { readonly init?: RequestInit }): Promise<Collection>;

    /** The spec in its canonical form. */
    readonly spec: Readonly<{ mechanism: string; epsilon: number; [key: string]: unknown }>;
    /** What identifies the spec in every report: 16 hexadecimal digits. */
    readonly fingerprint: string;
    /** Names of what a record has values of. */
    readonly attributes: readonly string[];

    /**
     * A report of the record, drawn anew, which nobody remembers: each costs ε again. For pipelines and
     * simulations; a device reports through a Client. Rejects with LdpError (invalid_value).
     */
    perturb(record: Row): Promise<Receipt & { readonly report: Uint8Array }>;
}

/** Where a client's state lies. A program may bring its own. */
export interface Store {
    /** What was last saved; revision 0 and no state at the very beginning. */
    load(): Promise<{ revision: number; state: Uint8Array | undefined }>;
    /**
     * Puts a state in place of the revision before this one, durably and at once, or does nothing and resolves
     * with false if what is stored has another revision. Rejects if it fails.
     */
    save(state: Uint8Array, revision: number): Promise<boolean>;
    /** Runs the work; if it can be arranged, not while another page or process is at it. */
    alone<T>(work: () => Promise<T>): Promise<T>;
}

/** In the browser, as an entry of a database of the page's origin. Serves several tabs at once. */
export class IndexedDBStore implements Store {
    /** One name for each collection and person. */
    constructor(name: string, options?: { readonly database?: string });
    load(): Promise<{ revision: number; state: Uint8Array | undefined }>;
    save(state: Uint8Array, revision: number): Promise<boolean>;
    alone<T>(work: () => Promise<T>): Promise<T>;
}

/** In memory: ends with the page, and with it what is remembered of a person, who then spends again. */
export class MemoryStore implements Store {
    load(): Promise<{ revision: number; state: Uint8Array | undefined }>;
    save(state: Uint8Array, revision: number): Promise<boolean>;
    alone<T>(work: () => Promise<T>): Promise<T>;
}

export interface Spent {
    readonly answers: number;
    /** Of each. */
    readonly epsilon: number;
    /** Of all, for certain. */
    readonly sum: number;
    /** Of all but for a probability of delta. */
    readonly advanced: number;
    readonly delta: number;
}

/** What a flush did. */
export interface Flushed {
    /** Batches that are now known to be counted. */
    readonly batches: number;
    /** Reports in them. */
    readonly reports: number;
    /** Of the batches, those that an earlier attempt had got through. */
    readonly repeated: number;
    /** Reports that were set aside: Client.refused says why. */
    readonly refused: number;
}

export interface FlushOptions {
    /** Where `ldp collect` is: https://example.org, say. */
    readonly endpoint: string | URL;
    /** The collection's name there. */
    readonly name: string;
    /** The most reports in a batch; 1000. */
    readonly most?: number;
    /** Milliseconds to keep trying what may succeed another time, for each batch; 60000. */
    readonly retryFor?: number;
    /** Milliseconds to wait for an answer; 30000. */
    readonly timeout?: number;
    readonly signal?: AbortSignal;
    /** Further settings of fetch, such as headers. By default neither cookies nor referrers are sent. */
    readonly init?: RequestInit;
    /** Called after each batch with what this flush has done so far. */
    readonly progress?: (done: Flushed) => void;
}

/**
 * The client of one person or device. What is in a record leaves it only as a report; what was drawn is written to the
 * store, durably, before anything is sent. Under a spec with "evolving" it remembers: equal values are answered alike,
 * and the budget bounds the rest. Several clients, in several tabs or processes, may share a store.
 *
 * Every method may reject with LdpError (environment) if the store fails; then nothing was reported and nothing spent.
 */
export class Client {
    private constructor();
    /** Goes on with what the store holds. Rejects with LdpError (incompatible) if it belongs to another spec. */
    static open(collection: Collection, store: Store): Promise<Client>;
    readonly collection: Collection;

    /**
     * Perturbs a record and queues the report. `round` tells repeated surveys of the same people apart. Rejects with
     * LdpError: invalid_value, and spent if the record needs a new answer, the budget has none left and the spec says
     * "refuse".
     */
    report(record: Row, options?: { readonly round?: number }): Promise<Receipt>;
    /** The same of many records, in one durable step: all of them or none. Not for mechanisms of series. */
    reportAll(records: Iterable<Row>, options?: { readonly round?: number }): Promise<Receipt[]>;

    /**
     * Sends what is queued, the oldest first. Safe to repeat after any failure and from a new page or process: nothing
     * queued is lost and nothing is counted twice. Rejects with LdpError (environment) if the endpoint cannot be
     * reached or refuses all, and (incompatible) if it has counted what the store does not know.
     */
    flush(options: FlushOptions): Promise<Flushed>;

    /** Reports queued and not known to be counted. */
    pending(): Promise<number>;
    /** What the answers that were drawn cost together. Rejects with LdpError (unsupported) without "evolving". */
    spent(delta?: number): Promise<Spent>;
    /** Reports that the endpoint refused for good. */
    refused(): Promise<{ round: number; reason: string }[]>;
    /** Queues them anew, or forgets them; resolves with how many. */
    requeueRefused(): Promise<number>;
    dropRefused(): Promise<number>;
}
