// Words of the tests' generator, MT19937-64 (Matsumoto, Nishimura, doi:10.1145/272991.272995; 64 bits: Nishimura 2000,
// doi:10.1145/369534.369540), as a stand-in for the system's, and a small generator for choices of the tests themselves.

const mask = (1n << 64n) - 1n;
const size = 312, middle = 156;

/** Fills bytes with the words that std::mt19937_64 gives from this seed, little-endian, one after another. */
export function seeded(seed) {
    const state = [BigInt(seed)];
    for (let i = 1; i < size; ++i)
        state.push((6364136223846793005n * (state[i - 1] ^ (state[i - 1] >> 62n)) + BigInt(i)) & mask);
    let next = size;
    const word = () => {
        if (next === size) {
            for (let i = 0; i < size; ++i) {
                const mixed = (state[i] & 0xFFFFFFFF80000000n) | (state[(i + 1) % size] & 0x7FFFFFFFn);
                state[i] = state[(i + middle) % size] ^ (mixed >> 1n) ^ (mixed & 1n ? 0xB5026F5AA96619E9n : 0n);
            }
            next = 0;
        }
        let x = state[next++];
        x ^= (x >> 29n) & 0x5555555555555555n;
        x ^= (x << 17n) & 0x71D67FFFEDA60000n;
        x ^= (x << 37n) & 0xFFF7EEE000000000n;
        return (x ^ (x >> 43n)) & mask;
    };
    return (bytes) => {
        const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
        for (let at = 0; at < bytes.byteLength; at += 8) view.setBigUint64(at, word(), true);
    };
}

/** Gives the module one word of `fill` a refill. The module takes them all then, and discards none. */
export function oneByOne(fill) {
    return (bytes) => {
        fill(bytes.subarray(0, 8));
        return 8;
    };
}

/** Whole numbers from 0 to below − 1. */
export function chooser(seed) {
    const fill = seeded(seed);
    const one = new Uint8Array(8);
    return (below) => {
        fill(one);
        return Number(new DataView(one.buffer).getBigUint64(0, true) % BigInt(below));
    };
}
