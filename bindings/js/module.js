// The files of the package's WebAssembly modules, and what each module imports for errors.

import { LdpError, codes, environment } from "./error.js";

const bundlers = "The modules are files beside the package's sources, and bundlers must keep them there. With Vite, set " +
    "optimizeDeps.exclude to [\"ldp-client\"]. Or pass the compiled module.";

/** Returns the bytes of the module at this address. */
let read = async (url) => {
    let response;
    try {
        response = await fetch(url);
    } catch (error) {
        throw failure(url, `it cannot be fetched (${error.message})`,
            "Check the connection, and that a Content-Security-Policy has the module's origin in connect-src.", error);
    }
    if (!response.ok)
        throw failure(url, `the server answered ${response.status}`,
            response.status === 403 ? `The server denies access to the file. ${bundlers}` : bundlers);
    const bytes = new Uint8Array(await response.arrayBuffer());
    if (!magic.every((byte, i) => bytes[i] === byte))
        throw failure(url, "the file is not a WebAssembly module",
            `The server answered ${response.status} with ${response.headers.get("content-type") ?? "no content type"}. ${bundlers}`);
    return bytes;
};
const magic = [0, 97, 115, 109]; // "\0asm"

function failure(url, reason, hint, cause) {
    return environment(`the WebAssembly module ${url} cannot be loaded: ${reason}`, "", hint, cause);
}

/** Replaces fetch as the reader of the module's bytes. */
export function readWith(reader) {
    read = async (url) => reader(url).catch((error) => {
        throw failure(url, error.message, bundlers, error);
    });
}

const compiled = new Map();
/** Returns the module at this address, compiled once. */
export function compile(url) {
    if (!compiled.has(url.href))
        compiled.set(url.href, read(url).then((bytes) => WebAssembly.compile(bytes).catch((error) => {
            // The error of a policy is a CompileError in all engines, whose message names the policy.
            const policy = /content.security.policy|unsafe-eval|blocked by csp/i.test(error.message);
            throw failure(url, error.message, policy ? "The Content-Security-Policy must have 'wasm-unsafe-eval' in script-src." : bundlers,
                error);
        })));
    return compiled.get(url.href).catch((error) => {
        compiled.delete(url.href);
        throw error;
    });
}

const text = new TextDecoder();
/** Returns the imports of a module for errors. `exports()` returns its exports. */
export function hostErrors(exports) {
    const string = (at, size) => text.decode(new Uint8Array(exports().memory.buffer, at, size));
    return {
        raise(code, message, messageSize, detail, detailSize, hint, hintSize) {
            throw new LdpError(codes[code], string(message, messageSize), string(detail, detailSize), string(hint, hintSize));
        },
        attempt(something) {
            const { run, __stack_pointer: stack } = exports(), before = stack.value;
            try {
                run(something);
                return true;
            } catch (error) {
                if (!(error instanceof LdpError)) throw error;
                stack.value = before;
                return false;
            }
        },
    };
}
