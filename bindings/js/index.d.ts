/** The kind of a failure. */
export type ErrorCode =
    | "invalid_spec"   // The spec is invalid.
    | "invalid_value"  // A value violates the spec, or an argument is out of range.
    | "malformed"      // The text is not a spec.
    | "incompatible"   // The store belongs to another spec, or the server reports that another copy is in use.
    | "unsupported"    // The mechanism does not support the operation.
    | "full"           // A summary or batch has reached its maximum count.
    | "spent"          // Reserved: no function fails with it.
    | "environment"    // Storage, network or memory failed.
    | "changed";       // The collection has changed since its contract was accepted: see Client.accept.

/** The error class of the package. `message` is the primary message. */
export class LdpError extends Error {
    constructor(code: ErrorCode, message: string, detail?: string, hint?: string, options?: { cause?: unknown; said?: string; changes?: readonly Change[] });
    readonly code: ErrorCode;
    /** Facts about the failure, such as the value found and the allowed values; may be empty. */
    readonly detail: string;
    /** A suggested action; may be empty. The text comes from this package, never from the server. */
    readonly hint: string;
    /**
     * The words of the server, at most 400 bytes with control characters escaped; else empty. Show them as a quotation: they may
     * be advice against the interest of the person.
     */
    readonly said: string;
    /** With the code "changed": the differences between the accepted contract and the current offer of the server. */
    readonly changes: readonly Change[];
}

/** A difference between the accepted contract and the offer of a server. */
export interface Change {
    /** The action of the client: it continues and reports the change, waits for Client.accept, or refuses. */
    readonly kind: "shown" | "ask" | "refuse";
    /** The field that differs, such as "epsilon" or "attributes.mood.question". */
    readonly field: string;
    /** The values as JSON; empty for an absent value. The owner of the collection wrote them: escape them in a page. */
    readonly before: string;
    readonly now: string;
}

/** The limits of the caller, which no server can change. A missing limit sets no bound. */
export interface Terms {
    /** The digest of the contract, from another source than the server: 16 to 64 hexadecimal digits. */
    readonly digest?: string;
    /** The largest ε of one report. */
    readonly epsilon?: number;
    /** The largest ε of all reports of a store. */
    readonly life_epsilon?: number;
    /** The largest number of reports of a store, if each one is a fresh draw. */
    readonly reports?: number;
    /** The ε of the spec's group in the person's ledger. */
    readonly group_epsilon?: number;
    /** The only attributes that may be asked for: names of attributes and vectors. */
    readonly attributes?: readonly string[];
    /** The only public columns that the caller fills. */
    readonly in_clear?: readonly string[];
}

/** The contract between a client and the owner of a collection, accepted at the first use of a store. */
export interface Contract {
    /** SHA-256 of the contract. It does not depend on the endpoint, so it can be compared with a digest from another source. */
    readonly digest: string;
    /** Readable lines: the collection and its ε, the attributes, the columns that are sent unchanged, and the first 16 digits of
     * the digest. */
    readonly summary: string;
    readonly fingerprint: string;
    readonly mechanism: string;
    /** ε of one report. */
    readonly report_epsilon: number;
    /** ε of all reports of a store; null without a bound. */
    readonly life_epsilon: number | null;
    /** Whether the store has permanent responses or a series. Otherwise each report is a fresh draw. */
    readonly remembers: boolean;
    readonly attributes: readonly string[];
    /** The public columns that the caller fills; null if the terms do not state them. */
    readonly in_clear: readonly string[] | null;
    readonly endpoint?: string;
    readonly collection?: string;
    readonly spec: Readonly<{ mechanism: string; epsilon: number; [key: string]: unknown }>;
    readonly [key: string]: unknown;
}

/** The contract of a store. */
export interface AgreedContract extends Contract {
    /** The differences that were found when the client was opened. */
    readonly changes: readonly Change[];
    /** The digest that waits for Client.accept, or null. Until then, nothing is drawn or sent. */
    readonly waiting: string | null;
}

/** A number in the attribute's unit, a label, or null for a missing value. */
export type Value = number | string | null;
/** The labels of an attribute with "several": true, or a text with semicolons between them. */
export type Labels = readonly string[] | ReadonlySet<string> | readonly number[];
/** The elements of a vector, in the spec's order or by label. */
export type Vector = readonly number[] | Float64Array | Readonly<Record<string, number>>;
/**
 * One value for each attribute except products, in the spec's order or by name. For a vector, its elements: together, or
 * one by one under their own names.
 */
export type Row =
    readonly (Value | Labels | readonly number[] | Float64Array)[] | Readonly<Record<string, Value | Labels | Vector>>;

/**
 * Values of public columns by name: they are sent and stored with the report, unchanged. The server
 * converts them to the types of the columns. A Date is sent in ISO 8601; null and undefined take the column's default.
 */
export type Columns = Readonly<Record<string, string | number | bigint | boolean | Date | null | undefined>>;

/** The result of reporting a record. */
export interface Receipt {
    /**
     * The origin of the response:
     *   "drawn"     It was drawn for this record, at a cost.
     *   "memoized"  It is the memoized response of the same value, at no cost.
     *   "nearest"   It is the memoized response of the nearest value, because the budget is spent.
     *   "silent"    No report: the series had no response that was due in this round, or the person has stopped reporting.
     *   "ignored"   No response: the round has a record already (ClientOptions.oncePerRound).
     */
    readonly origin: "drawn" | "memoized" | "nearest" | "silent" | "ignored";
    /** Names of attributes whose value was clamped to its range or replaced by "other". */
    readonly clamped: readonly string[];
    /** Number of clamped Haar coefficients, or of clamped components of a vector (ball, gaussian). */
    readonly coefficients: number;
}

export interface CollectionOptions {
    /** Treatment of numbers outside their range: clamp them to the nearer end (default), or reject the record. */
    readonly outside?: "clamp" | "refuse";
    /** The limits of the caller. A collection that exceeds them is refused with LdpError (incompatible), before any draw. */
    readonly terms?: Terms;
    /** The compiled module. By default the file ldp.wasm beside the package's sources is loaded. */
    readonly module?: WebAssembly.Module;
}

export interface FetchOptions {
    /**
     * The client's store. While the endpoint cannot be reached, the collection comes from the store's contract, if the contract
     * was accepted for this endpoint and this name. A person can then report offline.
     */
    readonly store?: Store;
    /** Timeout of the request in milliseconds; default 10000. */
    readonly timeout?: number;
    /** Further options of fetch, such as headers. By default neither cookies nor referrers are sent. */
    readonly init?: RequestInit;
    /** Replaces fetch. */
    readonly send?: Send;
}

/**
 * Sends one request and resolves to its response, whatever the status is, as fetch does: for example through a relay or an
 * anonymizing network. It follows no redirects, does not repeat the request, adds no identifying header fields, honours
 * `init.signal`, and rejects if there is no complete response. The client checks the receipt, and repeats failed requests.
 */
export type Send = (url: string, init: RequestInit) => Promise<Response>;

/** The texts of an attribute or a vector, as its owner wrote them: escape them in a page. */
export interface AttributeTexts {
    readonly title?: string;
    readonly question?: string;
    readonly unit?: string;
    readonly description?: string;
    readonly scale?: "ordered";
    /** The texts of labels, by label. */
    readonly display?: Readonly<Record<string, string>>;
}

/** The texts of a spec for people, such as those of a form. */
export interface SpecTexts {
    readonly title?: string;
    readonly description?: string;
    /** The number of people who were asked: in each round, or by round. */
    readonly people_asked?: number | Readonly<Record<string, number>>;
    /** By the name of an attribute or a vector. */
    readonly attributes?: Readonly<Record<string, AttributeTexts>>;
}

/** A spec and its randomizer. */
export class Collection {
    private constructor();
    /** Makes a collection from a spec, as JSON text or object. Rejects with LdpError (malformed, invalid_spec). */
    static from(spec: string | object, options?: CollectionOptions): Promise<Collection>;
    /**
     * Makes a collection from the spec at {endpoint}/collections/{name}/spec. Rejects as from() does, and with LdpError
     * (environment) if the spec cannot be fetched.
     */
    static fetch(endpoint: string | URL, name: string, options?: CollectionOptions & FetchOptions): Promise<Collection>;

    /** The spec in its canonical form. */
    readonly spec: Readonly<{ mechanism: string; epsilon: number; [key: string]: unknown }>;
    /** The texts of the spec. Show questions after Client.open, which compares them with the accepted texts. */
    readonly texts: SpecTexts;
    /** The contract that the collection offers. A client has the accepted contract. */
    readonly contract: Contract;
    /** The spec's fingerprint, 64 hexadecimal digits. Every report contains the first 8 of its 32 bytes. */
    readonly fingerprint: string;
    /** Names of a record's values: the attributes except products. A vector has a name for each element. */
    readonly attributes: readonly string[];

    /**
     * Returns a new report of the record, which costs ε in every call. Nothing is memoized or queued. Use it in
     * pipelines and simulations; a device uses a Client. Rejects with LdpError (invalid_value).
     */
    perturb(record: Row): Promise<Receipt & { readonly report: Uint8Array }>;
}

/** The content of a store. */
export interface Stored {
    readonly revision: number;
    readonly state: Uint8Array | undefined;
    /** The changes since `state`; may be omitted if there are none. */
    readonly changes?: readonly Uint8Array[];
}

/** The storage of a client's state. Applications may implement it. */
export interface Store {
    /**
     * Returns the last saved state, the changes that were appended to it, the oldest first, and the revision of the last
     * save or change; revision 0 and no state before the first save.
     */
    load(): Promise<Stored>;
    /**
     * Replaces the state of revision `revision` − 1 durably and atomically. Resolves with false, and changes nothing, if
     * another revision is stored. Rejects on failure.
     */
    save(state: Uint8Array, revision: number): Promise<boolean>;
    /**
     * Optional: appends a change to the state of revision `revision` − 1, as durably as save() and with the same result. The
     * next save() replaces the state and its changes. Without it, each report writes the whole state with the queue.
     */
    append?(change: Uint8Array, revision: number): Promise<boolean>;
    /** Runs the work, if possible not concurrently with such work in another page or process. */
    alone<T>(work: () => Promise<T>): Promise<T>;
}

/** A store in the browser: an entry of an IndexedDB database of the page's origin. Several tabs can share it. */
export class IndexedDBStore implements Store {
    /** `name` must be unique for each collection and person. */
    constructor(name: string, options?: { readonly database?: string });
    load(): Promise<Stored>;
    save(state: Uint8Array, revision: number): Promise<boolean>;
    append(change: Uint8Array, revision: number): Promise<boolean>;
    alone<T>(work: () => Promise<T>): Promise<T>;
}

/** A store in memory. It is lost with the page, and the person then spends the budget again. */
export class MemoryStore implements Store {
    load(): Promise<Stored>;
    save(state: Uint8Array, revision: number): Promise<boolean>;
    append(change: Uint8Array, revision: number): Promise<boolean>;
    alone<T>(work: () => Promise<T>): Promise<T>;
}

/** The total cost of the permanent responses. `sum` and `advanced` are both valid bounds. */
export interface Spent {
    /** Number of permanent responses. */
    readonly responses: number;
    /** Cost of one response. */
    readonly epsilon: number;
    /** Pure ε of all responses (basic composition). */
    readonly sum: number;
    /** ε of all responses at `delta` (advanced composition). */
    readonly advanced: number;
    readonly delta: number;
}

/** The result of a flush. */
export interface Flushed {
    /** Batches that the server has counted. */
    readonly batches: number;
    /** Reports in these batches. */
    readonly reports: number;
    /** Batches among these that an earlier attempt had delivered. */
    readonly repeated: number;
    /** Reports moved to the dead letters; Client.refused has the reasons. */
    readonly refused: number;
}

export interface FlushOptions {
    /** Address of the endpoint (`ldp collect`), such as https://example.org. */
    readonly endpoint: string | URL;
    /** Name of the collection. */
    readonly name: string;
    /** Maximum number of reports in a batch; default 1000. */
    readonly most?: number;
    /** Milliseconds for which temporary failures of a batch are retried; default 60000. */
    readonly retryFor?: number;
    /** Timeout of a request in milliseconds; default 30000. */
    readonly timeout?: number;
    /** Aborts the flush. */
    readonly signal?: AbortSignal;
    /** Further options of fetch, such as headers. By default neither cookies nor referrers are sent. */
    readonly init?: RequestInit;
    /** Replaces fetch. */
    readonly send?: Send;
    /** Called after each batch with the result so far. */
    readonly progress?: (done: Flushed) => void;
}

export interface ClientOptions {
    /**
     * Whether a round accepts one record of the person (default of a client: true; of a fleet: false). Then every further record
     * of the round is ignored, such as that of a second click: nothing is drawn, queued or spent, and the receipt has the
     * origin "ignored". The store records the rounds. Set it to false if the records of a round belong to several people or
     * events, and for reportAll.
     */
    readonly oncePerRound?: boolean;
    /**
     * The store with the ledger of the group that pays for the reports (budget.group of the spec). It is a separate store, which
     * the clients of all collections of the group share. Without this store, reports of such a spec reject with LdpError
     * (unsupported). If the group's budget does not pay for a report, report() rejects with LdpError (spent), or under "when_spent": "stop" resolves
     * with the origin "silent".
     */
    readonly ledger?: Store;
    /**
     * The budgets of the person in the ledger: for all collections that use it, and for single groups. Reports of specs with
     * another ε for a group reject with LdpError (incompatible). With a total, collections without a group also have an account.
     */
    readonly limits?: { readonly total?: number; readonly groups?: { readonly [group: string]: number } };
}

/**
 * The client of one person or device. It randomizes records and writes the reports durably to the store before it sends
 * them. True values never leave the client. Under a spec with "evolving", a repeated value gets its memoized response at
 * no cost, and the budget bounds the cost of new responses. Several clients, in several tabs or processes, may share a
 * store.
 *
 * Every method may reject with LdpError (environment) if the store fails; then nothing was reported and nothing spent.
 */
export class Client {
    private constructor();
    /**
     * Makes a client with the state in the store, and compares the collection with the contract in it. A new store agrees to the
     * contract that the collection offers. Rejects with LdpError (incompatible) for the store of another spec, and for a change
     * that no acceptance allows. If a change waits for an acceptance, report and flush reject with LdpError (changed).
     */
    static open(collection: Collection, store: Store, options?: ClientOptions): Promise<Client>;
    readonly collection: Collection;
    readonly contract: AgreedContract;
    /** Accepts the contract with this digest, which is `contract.waiting`. Rejects with LdpError (invalid_value) for another
     * digest. */
    accept(digest: string): Promise<void>;

    /**
     * Perturbs a record, queues the report and returns a receipt. `round` identifies repeated surveys of the same people;
     * in a series it is the round of the value, counted from 1, in ascending order. Rejects with LdpError
     * (invalid_value). Under "when_spent": "stop", the first record that needs a response beyond the budget ends the
     * reports of the person: this and all later calls queue nothing, and the origin is "silent". `token` admits the report to a
     * collection with tokens, as the public column ldp_token. It is queued with the report.
     */
    report(record: Row, options?: { readonly round?: number; readonly columns?: Columns; readonly token?: string }): Promise<Receipt>;
    /**
     * Reports many records in one durable step: all of them or none. `columns` is one object for all records, or an array
     * with one for each. Needs a client with `oncePerRound: false`. Not available under mechanisms for series.
     */
    reportAll(records: Iterable<Row>,
        options?: { readonly round?: number; readonly columns?: Columns | readonly Columns[] }): Promise<Receipt[]>;

    /**
     * Sends the queued reports, the oldest first, and returns the result. The call may be repeated after any failure and
     * from a new page or process: no queued report is lost, and none is counted twice. Rejects with LdpError
     * (environment) if the endpoint cannot be reached or refuses all reports, and with LdpError (incompatible) if the
     * server reports that another copy of the store is in use; the queue was then moved to the dead letters.
     */
    flush(options: FlushOptions): Promise<Flushed>;

    /** Returns the number of reports that are queued and not known to be counted. */
    pending(): Promise<number>;
    /** Returns the total cost of the permanent responses. Rejects with LdpError (unsupported) without "evolving". */
    spent(delta?: number): Promise<Spent>;
    /** Returns the dead letters: the round of each report that the endpoint rejected permanently, and the reason. */
    refused(): Promise<{ round: number; reason: string }[]>;
    /** Queues the dead letters again, except damaged ones, and returns the number of queued reports. */
    requeueRefused(): Promise<number>;
    /** Deletes the dead letters, and returns their number. */
    dropRefused(): Promise<number>;
}

/** A record of a person in a fleet. */
export interface FleetEntry {
    /** A name that is unique to the person and does not change. */
    readonly person: string;
    readonly record: Row;
    readonly round?: number;
    readonly columns?: Columns;
}

/**
 * The clients of many people in one store, for a program that acts for their devices, such as an import of a panel. It is
 * for specs with "evolving" and for series. The store contains the state of each person, by name, and one queue, so a batch
 * contains reports of many people. The state of a fleet differs from the state of a client.
 */
export class Fleet {
    private constructor();
    /** Makes a fleet with the state in the store, which has one contract for all people. Rejects as Client.open does. */
    static open(collection: Collection, store: Store, options?: ClientOptions): Promise<Fleet>;
    readonly collection: Collection;
    readonly contract: AgreedContract;
    /** Accepts a contract for all people, as Client.accept. */
    accept(digest: string): Promise<void>;

    /** Perturbs a person's record, queues the report and returns a receipt. Rejects as Client.report does. */
    report(person: string, record: Row,
        options?: { readonly round?: number; readonly columns?: Columns }): Promise<Receipt>;
    /**
     * Reports records of many people and rounds in one durable step: all of them or none. In a series, the records of a
     * person must be in ascending order of rounds.
     */
    reportAll(entries: Iterable<FleetEntry>): Promise<Receipt[]>;
    /** Returns the number of people with a state in the store. */
    people(): Promise<number>;

    /** These methods work as in Client, for the reports of all people. */
    flush(options: FlushOptions): Promise<Flushed>;
    pending(): Promise<number>;
    refused(): Promise<{ round: number; reason: string }[]>;
    requeueRefused(): Promise<number>;
    dropRefused(): Promise<number>;
}
