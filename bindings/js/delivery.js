// How a batch gets to `ldp collect`, and what is certain of it afterwards.

import { LdpError, environment } from "./error.js";

const request = { credentials: "omit", referrerPolicy: "no-referrer", cache: "no-store" };
const passing = new Set([408, 425, 429, 500, 502, 503, 504]);
const refusals = new Map([[400, "refused"], [409, "outdated"], [413, "too_large"], [422, "refused"]]);

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
 * Tries until it is known what became of the batch:
 *   {verdict: "delivered", earlier}           counted, by this attempt or an earlier one
 *   {verdict: "outdated"}                     its id was counted with other reports
 *   {verdict: "refused" | "too_large", error} not counted, nor will be: its id was given up
 * Throws LdpError (environment) if nothing is certain within `patience` milliseconds.
 */
export async function deliver(url, body, { patience = 60000, timeout = 30000, signal, init } = {}) {
    const end = performance.now() + patience;
    let pause = 100;
    // An answer that settles something, or undefined if it is worth another attempt.
    let failure, wait;
    const attempt = async (method, content) => {
        signal?.throwIfAborted();
        const limit = new AbortController();
        const stop = () => limit.abort(signal?.reason);
        const timer = setTimeout(() => limit.abort(new Error(`No answer in ${timeout} ms.`)), timeout);
        signal?.addEventListener("abort", stop, { once: true });
        wait = 0;
        try {
            const response = await fetch(url, { ...request, ...init, ...content, method, signal: limit.signal });
            if (!passing.has(response.status)) return response;
            failure = await problem(response);
            wait = retryAfter(response);
        } catch (error) {
            signal?.throwIfAborted();
            failure = environment("the endpoint cannot be reached", `${url}: ${error.cause?.message ?? error.message}`,
                "What was queued is queued still; flush again later.", error);
        } finally {
            clearTimeout(timer);
            signal?.removeEventListener("abort", stop);
        }
        return undefined;
    };
    const settled = async (method, content) => {
        for (;;) {
            const response = await attempt(method, content);
            if (response) return response;
            // Of random length, so that many who failed together do not come back together.
            wait = Math.max(wait, pause * (0.5 + Math.random() / 2));
            pause = Math.min(2 * pause, 10000);
            if (performance.now() + wait > end) throw failure;
            await sleep(wait, signal);
        }
    };

    const headers = { ...init?.headers, "content-type": "application/octet-stream" };
    const response = await settled("POST", { headers, body });
    if (response.status === 200 || response.status === 201)
        return { verdict: "delivered", earlier: response.status === 200 };
    const error = await problem(response);
    const verdict = refusals.get(response.status);
    if (verdict === undefined) throw error;
    // An earlier attempt may be under way still. Once its id is given up, it cannot be counted any more.
    const given = await settled("DELETE", { headers: { ...init?.headers } });
    // An id that stands for another batch cannot be given up: this one was, before, and nobody noted it down.
    if (given.status === 204) return { verdict: verdict === "outdated" ? "refused" : verdict, error };
    if (given.status !== 409) throw await problem(given);
    return verdict === "outdated" ? { verdict } : { verdict: "delivered", earlier: true };
}
