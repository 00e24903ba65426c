// The error class of the package: message, detail (facts) and hint (what to do).

/** The error codes by their number in the module. */
export const codes = [
    "invalid_spec", "invalid_value", "malformed", "incompatible", "unsupported", "full", "spent", "environment",
];

export class LdpError extends Error {
    constructor(code, message, detail = "", hint = "", options = undefined) {
        super(message, options);
        this.name = "LdpError";
        this.code = code;
        this.detail = detail;
        this.hint = hint;
    }
}

/** Returns an error of the environment: storage, network or memory. */
export function environment(message, detail, hint, cause) {
    return new LdpError("environment", message, detail, hint, { cause });
}
