// How a batch gets to `ldp collect`, and what is certain of it afterwards.

import { LdpError, environment } from "./error.js";

// No redirect is followed: a captive portal's page is no answer of the endpoint.
export const request = { credentials: "omit", referrerPolicy: "no-referrer" };
export const unredirected = { redirect: "manual" };

/** The status and the receipt of an answer. A browser hides the status of a redirect. */
export function read(response) {
    const status = response.type === "opaqueredirect" ? 302 : response.status;
    return { status, receipt: response.headers.get("ldp-receipt") };
}

/** What the endpoint says of a failure: application/problem+json, as it has it. */
async function problem(response) {
    const told = await response.json().catch(() => ({}));
    const field = (key) => (typeof told[key] === "string" ? told[key] : "");
    return new LdpError("environment", field("title") || `the endpoint answered ${response.status}`, field("detail"),
        field("hint"));
}

/** Milliseconds that the endpoint asks to wait. */
function retryAfter(response) {
    const told = response.headers.get("retry-after");
    if (told === null) return 0;
    const seconds = Number(told);
    return Math.max(0, Number.isFinite(seconds) ? 1000 * seconds : Date.parse(told) - Date.now()) || 0;
}

function sleep(time, signal) {
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
 * Tries until the outcome of a batch is certain. `rules` runs work on an instance of the module, which knows the rule of
 * delivery.
 *   {outcome: "delivered" | "repeated"}           counted, by this attempt or an earlier one
 *   {outcome: "outdated"}                         its id was counted with other reports
 *   {outcome: "refused" | "too_large", error}     not counted, nor will be: its id was revoked
 * Throws LdpError (environment) if nothing is certain within `retryFor` milliseconds.
 */
export async function deliver(rules, { endpoint, name, batch }, { retryFor = 60000, timeout = 30000, signal, init } = {}) {
    const end = performance.now() + retryFor;
    const url = `${String(endpoint).replace(/\/+$/, "")}/collections/${encodeURIComponent(name)}/batches/${batch.id}`;
    let pause = 100;
    // One attempt: the step that its answer leads to, and the error that the answer tells.
    const attempt = async (about, address, content) => {
        signal?.throwIfAborted();
        const limit = new AbortController();
        const stop = () => limit.abort(signal?.reason);
        const timer = setTimeout(() => limit.abort(new Error(`No answer in ${timeout} ms.`)), timeout);
        signal?.addEventListener("abort", stop, { once: true });
        const { method } = about;
        try {
            const response = await fetch(address, { ...request, cache: "no-store", ...init, ...content, ...unredirected, method,
                signal: limit.signal });
            const step = await rules((instance) => instance.judge({ ...about, ...read(response) }));
            return { ...step, error: step.foreign ?? (await problem(response)), wait: retryAfter(response) };
        } catch (error) {
            signal?.throwIfAborted();
            if (error instanceof LdpError) throw error;
            const failure = environment("the endpoint cannot be reached", `${url}: ${error.cause?.message ?? error.message}`,
                "What was queued is queued still; flush again later.", error);
            const step = await rules((instance) => instance.judge({ ...about, status: 0, receipt: null }));
            return { ...step, error: failure, wait: 0 };
        } finally {
            clearTimeout(timer);
            signal?.removeEventListener("abort", stop);
        }
    };
    const settled = async (...what) => {
        for (;;) {
            const step = await attempt(...what);
            if (step.action === "stop") throw step.error;
            if (step.action !== "repeat") return step;
            // Of random length, so that many who failed together do not come back together.
            const wait = Math.max(step.wait, pause * (0.5 + Math.random() / 2));
            pause = Math.min(2 * pause, 10000);
            if (performance.now() + wait > end) throw step.error;
            await sleep(wait, signal);
        }
    };

    const { id, round, body } = batch;
    const headers = { ...init?.headers, "content-type": "application/octet-stream" };
    const posted = await settled({ method: "POST", name, id, round, content: body }, `${url}?round=${round}`,
        { headers, body });
    if (posted.action === "settle") return { outcome: posted.outcome };
    const { outcome } = await settled({ method: "DELETE", name, id, soFar: posted.outcome }, url,
        { headers: { ...init?.headers } });
    return { outcome, error: posted.error };
}
