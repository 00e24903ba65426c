// Every failure is one of these: what happened, what was found, and what to do about it.

/** What the module calls its errors by number. */
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

/** A failure of what surrounds the library: storage, network, memory. */
export function environment(message, detail, hint, cause) {
    return new LdpError("environment", message, detail, hint, { cause });
}
