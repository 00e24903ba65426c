// Delivery of batches to an endpoint (`ldp collect`).

import { LdpError, environment, escaped } from "./error.js";

// A cache would return the endpoint's ETag in later requests, which then identify the browser. Redirects are disabled, so that
// the page of a captive portal is not taken for a response of the endpoint.
export const request = { credentials: "omit", referrerPolicy: "no-referrer", cache: "no-store" };
export const unredirected = { redirect: "manual" };

/** Returns the status, the receipt and the server's history of a response. Browsers hide the status of a redirect. */
export function read(response) {
    const status = response.type === "opaqueredirect" ? 302 : response.status;
    return { status, receipt: response.headers.get("ldp-receipt"), history: response.headers.get("ldp-history") ?? "" };
}

/** The maximum size of a response in bytes: that of a spec. */
const most = 1 << 20;
/** Returns the body of a response. Aborts a longer one than any endpoint sends, and throws LdpError (environment). */
export async function bytesOf(response, limit) {
    const chunks = [];
    let size = 0;
    for (const reader = response.body?.getReader(); reader;) {
        const { done, value } = await reader.read();
        if (done) break;
        size += value.length;
        if (size > most) {
            const error = environment("the response is too long", `At most ${most} bytes are read.`,
                "Check the address of the endpoint.");
            limit.abort(error);
            throw error;
        }
        chunks.push(value);
    }
    const all = new Uint8Array(size);
    let at = 0;
    for (const each of chunks) {
        all.set(each, at);
        at += each.length;
    }
    return all;
}

/** Returns the words of a response for LdpError.said: the texts of a problem (RFC 9457), or the beginning of the body. */
export function words(body) {
    const text = new TextDecoder();
    let texts;
    try {
        const problem = JSON.parse(text.decode(body));
        texts = ["title", "detail", "hint"].map((key) => problem[key]);
    } catch {
        return escaped(text.decode(body.subarray(0, 1000)).trim());
    }
    return escaped(texts.filter((each) => typeof each === "string" && each.trim()).map((each) => each.replace(/[. ]+$/, "")).join(". "));
}

/**
 * Returns what to check if a request of a page has no response. Browsers do not say why, and hide responses that do not allow
 * the page's origin.
 */
export function unreachable(endpoint) {
    const page = globalThis.location?.origin;
    const other = page !== undefined && page !== "null" && page !== new URL(endpoint, globalThis.location.href).origin;
    return other ? `If the endpoint is running, check that its option --allow-origin has this page's origin (${page}), and that ` +
        "the Content-Security-Policy of the page has the endpoint in connect-src." : "";
}

const longest_pause = 3600000;
/** Returns the pause in the header Retry-After, a number of seconds or a date, in milliseconds. */
export function retryAfter(response) {
    const header = response.headers.get("retry-after") ?? "";
    const pause = /^[0-9]+$/.test(header) ? 1000 * Number(header) : Date.parse(header) - Date.now();
    return Math.min(Math.max(0, pause) || 0, longest_pause);
}

export function sleep(time, signal) {
    return new Promise((resolve, reject) => {
        const stop = () => {
            clearTimeout(timer);
            reject(signal.reason);
        };
        const timer = setTimeout(() => {
            signal?.removeEventListener("abort", stop);
            resolve();
        }, time);
        signal?.addEventListener("abort", stop, { once: true });
    });
}

/**
 * Delivers a batch and returns its outcome. `rules` runs a function on an instance of the module, which implements the
 * delivery protocol. These are the results.
 *
 *   {outcome: "delivered" | "repeated", history}  The batch was counted, by this attempt or by an earlier one, in this history.
 *   {outcome: "outdated"}                         The id was counted with other reports.
 *   {outcome: "refused" | "too_large", error}     The batch was not counted, and its id was revoked.
 *
 * Throws LdpError (environment) if the outcome is unknown after `retryFor` milliseconds.
 */
export async function deliver(rules, { endpoint, name, batch }, { retryFor = 60000, timeout = 30000, signal, init, send = fetch } = {}) {
    const end = performance.now() + retryFor;
    const url = `${String(endpoint).replace(/\/+$/, "")}/collections/${encodeURIComponent(name)}/batches/${batch.id}`;
    let pause = 100;
    // Makes one attempt. Returns the step after the response, and the error in the response.
    const attempt = async (about, address, content) => {
        signal?.throwIfAborted();
        const limit = new AbortController();
        const stop = () => limit.abort(signal?.reason);
        const timer = setTimeout(() => limit.abort(new Error(`No answer in ${timeout} ms.`)), timeout);
        signal?.addEventListener("abort", stop, { once: true });
        const { method } = about;
        try {
            const response = await send(address, { ...request, ...init, ...content, ...unredirected, method,
                signal: limit.signal });
            const answer = read(response);
            const step = await rules((instance) => instance.judge({ ...about, ...answer }));
            const { message = `the endpoint answered ${response.status}`, detail, hint } = step.foreign ?? {};
            const error = environment(message, detail, hint, undefined, words(await bytesOf(response, limit)));
            return { ...step, error, wait: retryAfter(response), history: answer.history };
        } catch (error) {
            signal?.throwIfAborted();
            if (error instanceof LdpError) throw error;
            const failure = environment("the endpoint cannot be reached", `${url}: ${error.cause?.message ?? error.message}`,
                `The reports are still queued. Flush again later. ${unreachable(endpoint)}`.trim(), error);
            const step = await rules((instance) => instance.judge({ ...about, status: 0, receipt: null }));
            return { ...step, error: failure, wait: 0 };
        } finally {
            clearTimeout(timer);
            signal?.removeEventListener("abort", stop);
        }
    };
    const settled = async (about, ...what) => {
        for (;;) {
            const step = await attempt(about, ...what);
            if (step.action === "stop") throw step.error;
            if (step.action !== "repeat") return step;
            about = { ...about, soFar: step.outcome };
            // The pause is random, so that clients that failed together do not retry together.
            const wait = Math.max(step.wait, pause * (0.5 + Math.random() / 2));
            pause = Math.min(2 * pause, 10000);
            if (performance.now() + wait > end) throw step.error;
            await sleep(wait, signal);
        }
    };

    const { id, round, type, body } = batch;
    const headers = { ...init?.headers, "content-type": type };
    const posted = await settled({ method: "POST", name, id, round, content: body }, `${url}?round=${round}`,
        { headers, body });
    if (posted.action === "settle") return { outcome: posted.outcome, history: posted.history };
    const { outcome, history } = await settled({ method: "DELETE", name, id, soFar: posted.outcome }, url,
        { headers: { ...init?.headers } });
    return { outcome, error: posted.error, history };
}
