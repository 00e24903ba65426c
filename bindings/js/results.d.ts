import type { Collection } from "./index.js";

/** Names of the functions that return rows of a summary: the names in SQL without "ldp_". */
export type RowFunction =
    | "estimate" | "consistent" | "robust_interval" | "top"
    | "candidates" | "change" | "between" | "quantiles" | "histogram" | "distribution" | "learn_range"
    | "pilot_choice" | "shrinkage" | "coefficients" | "health" | "spent" | "series" | "series_mean" | "series_between"
    | "series_quantiles" | "frequent_strings" | "string_proportions" | "marginals" | "marginal" | "proportion_where"
    | "conditional" | "covariance" | "correlation" | "regression" | "contrast" | "winsorized_mean" | "association" | "fitted"
    | "model" | "synthesize" | "learn_marginals" | "plan_marginals";
/** The functions of groups, by the names of SQL without "ldp_". */
export type GroupFunction = "compare_groups" | "group_test" | "clustered" | "small_areas" | "smooth" | "kernel_regression" | "calibrate" | "estimate" | "regression";

/** A cell of a row; null is NULL. */
export type Cell = number | string | boolean | null | readonly string[] | readonly number[] | object;
/** A row of results: a cell for each column of the SQL function, under the name of the column. */
export type ResultRow = Readonly<Record<string, Cell>>;
/** Arguments of a function by their names in SQL. */
export type Arguments = Readonly<Record<string, unknown>>;

export interface ModuleOptions {
    /** The compiled module. By default the file ldp-results.wasm beside the package's sources is loaded. */
    readonly module?: WebAssembly.Module;
}
/** A spec without open choices, as JSON or object, or a collection. */
export type SpecOfResults = string | Collection | object;

/** A summary of reports. The package's module for results computes rows from it, without a server. */
export class Summary {
    private constructor();
    /**
     * Returns the summary with these bytes: an ldp_summary of PostgreSQL, as bytes or as text in hexadecimal. The spec has the
     * labels; without it, numbers replace labels. Rejects with LdpError (malformed, invalid_spec) for the spec. Queries check
     * the bytes.
     */
    static from(data: Uint8Array | ArrayBuffer | readonly number[] | string, spec?: SpecOfResults, options?: ModuleOptions): Promise<Summary>;
    /**
     * Counts reports of a spec, such as those of Collection.perturb(), and returns their summary. `rounds` has the round of
     * each report, for specs with "evolving" and series. Rejects with LdpError (malformed, incompatible, invalid_value,
     * invalid_spec).
     */
    static summarize(spec: SpecOfResults, reports: Iterable<Uint8Array>, options?: ModuleOptions & { readonly rounds?: readonly number[] }): Promise<Summary>;
    /**
     * Returns the rows of a function of groups: the SQL function with this name behind "ldp_", with the same arguments and columns.
     * The groups consist of different people, and have summaries of one spec. A Map may have the key null for reports without a
     * group. For "calibrate", a name may be a JSON object with the values of several columns.
     */
    static queryGroups(name: GroupFunction, groups: ReadonlyMap<string | null, Summary> | Readonly<Record<string, Summary>>, options?: Arguments): Promise<ResultRow[]>;

    /** The bytes of the summary, which ldp_summary of PostgreSQL accepts. */
    readonly data: Uint8Array;
    /** The canonical form of the spec, in JSON; undefined without a spec. */
    readonly spec: string | undefined;

    /** Returns the summary of the reports of both summaries. Rejects with LdpError (malformed, incompatible, full). */
    merge(other: Summary): Promise<Summary>;
    /**
     * Returns the rows of a function, such as query("quantiles", { probabilities: [0.5], attribute: "wage" }). Arguments and
     * columns have the names of SQL. A second summary is a Summary. Rejects with LdpError (malformed, incompatible,
     * invalid_value, unsupported).
     */
    query(name: RowFunction, options?: Arguments): Promise<ResultRow[]>;
}
