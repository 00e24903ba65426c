// The error class of the package: message, detail (facts), hint (what to do), and the words of the server.

/** The error codes by their number in the module. */
export const codes = [
    "invalid_spec", "invalid_value", "malformed", "incompatible", "unsupported", "full", "spent", "environment", "changed",
];

export class LdpError extends Error {
    constructor(code, message, detail = "", hint = "", { said = "", changes = [], ...options } = {}) {
        super(message, options);
        this.name = "LdpError";
        this.code = code;
        this.detail = detail;
        this.hint = hint;
        this.said = said;
        this.changes = changes;
    }
}

/** Returns an error of the environment: storage, network or memory. `said` has the words of the server. */
export function environment(message, detail, hint, cause, said = "") {
    return new LdpError("environment", message, detail, hint, { cause, said });
}

/** Returns the words of the server as a quotation; empty without words. */
export function says(said) {
    return said ? `the server says: "${said}"` : "";
}

const utf8 = new TextEncoder();
const most_words = 400; // bytes
// What Python's str.isprintable() rejects: control characters, formats such as bidi controls, and separators but the space.
const unsafe = /["\\\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u;
/** Returns words of a server for LdpError.said: of bounded length, without control characters and quotation marks. */
export function escaped(words) {
    let found = "", size = 0;
    for (const character of words) {
        const shown = unsafe.test(character) ? `\\u{${character.codePointAt(0).toString(16)}}` : character;
        size += utf8.encode(shown).length;
        if (size > most_words - utf8.encode("…").length) return `${found}…`;
        found += shown;
    }
    return found;
}
