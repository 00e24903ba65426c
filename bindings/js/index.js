// For browsers. Node finds node.js, which has a store in files as well.

export { Client } from "./client.js";
export { Collection } from "./collection.js";
export { Fleet } from "./fleet.js";
export { LdpError } from "./error.js";
export { IndexedDBStore } from "./indexeddb-store.js";
export { MemoryStore } from "./memory-store.js";
