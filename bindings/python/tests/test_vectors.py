"""test/data/records.txt, whose path is in LDP_VECTORS, through this package: needs the library whose random words are the
file's, build/test/capi/libldp-scripted.so, in LDP_LIBRARY.
"""

import json
import os
import struct
import unittest
from decimal import Decimal

import ldp


def cases():
    """Of each spec: its text, and its records, each with its round and the reports that it leads to."""
    found = []
    with open(os.environ["LDP_VECTORS"], encoding="utf-8") as file:
        for line in file:
            word, _, rest = line.strip().partition(" ")
            if word == "spec":
                found.append((rest, []))
            elif word == "record":
                round, _, record = rest.partition(" ")
                found[-1][1].append((int(round), json.loads(record), []))
            elif word == "report":
                found[-1][1][-1][2].append(bytes.fromhex(rest))
    return found


class Words:
    """The Mersenne Twister mt19937_64 (Matsumoto, Nishimura 2000, doi:10.1145/369534.369540), seed 2026."""

    def __init__(self):
        self.state = [2026]
        for i in range(1, 312):
            before = self.state[-1]
            self.state.append((6364136223846793005 * (before ^ before >> 62) + i) % 2**64)
        self.at = 312

    def word(self):
        if self.at == 312:
            s = self.state
            for i in range(312):
                x = (s[i] & ~(2**31 - 1)) | (s[(i + 1) % 312] & (2**31 - 1))
                s[i] = s[(i + 156) % 312] ^ x >> 1 ^ (0xB5026F5AA96619E9 if x & 1 else 0)
            self.at = 0
        x = self.state[self.at]
        self.at += 1
        x ^= x >> 29 & 0x5555555555555555
        x ^= x << 17 & 0x71D67FFFEDA60000
        x ^= x << 37 & 0xFFF7EEE000000000
        return x ^ x >> 43

    def below(self, bound):
        while True:
            product = self.word() * bound
            if product % 2**64 >= bound or product % 2**64 >= 2**64 % bound:
                return product >> 64


class Vectors(unittest.TestCase):
    def test_records_give_their_reports(self):
        reports = 0
        for spec, records in cases():
            with self.subTest(spec=spec):
                client = ldp.Client(ldp.Collection(spec))
                for round, record, expected in records:
                    found = []
                    client.report(record, round)
                    client.flush(lambda batch: found.extend(batch.reports) or True)
                    self.assertEqual(found, expected)
                    reports += len(found)
        self.assertGreater(reports, 150)

    def test_a_client_written_from_the_page(self):
        """doc/formats.md is enough to write a client by, here of grr: it comes to the same bytes."""
        tried = 0
        for text, records in cases():
            spec = json.loads(text)
            if spec["mechanism"] != "grr" or "domain" not in spec or "evolving" in spec:
                continue
            words, values, epsilon = Words(), spec["domain"], spec["epsilon"]
            ratio = Decimal(epsilon).exp()
            light = int(2**64 / (ratio + values - 1))
            heavy = int(light * ratio)
            width = 1 if values <= 256 else (int(values - 1).bit_length() + 7) // 8
            block = struct.pack("<BBHHH8sd", 2, 0, 1, 4 + 24, 0, bytes.fromhex(ldp.Collection(text).fingerprint)[:8], epsilon)
            for _, record, expected in records:
                u = words.below(heavy + light * (values - 1))
                told = record["value"]
                if u >= heavy:
                    other = (u - heavy) // light
                    told = other + (other >= record["value"])
                self.assertEqual([block + struct.pack("<I", values) + told.to_bytes(width, "little")], expected)
                tried += 1
        self.assertGreaterEqual(tried, 6)


if __name__ == "__main__":
    unittest.main()
