"""Encapsulation and binary HTTP of demo/ohttp: the vectors of RFC 9180 and RFC 9458, and malformed messages."""

import os
import unittest

from binary_http import BLOCK, Malformed, RequestMessage, ResponseMessage
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from encapsulation import Context, GatewayKey, KeyConfiguration, Refused, decapsulate, encapsulate, encode_list, first_supported


def private(text):
    return X25519PrivateKey.from_private_bytes(bytes.fromhex(text))


class Vectors(unittest.TestCase):
    def test_hpke(self):
        """RFC 9180, appendix A.1.1: base mode, the first encryption, and the three exported values."""
        info = bytes.fromhex("4f6465206f6e2061204772656369616e2055726e")
        recipient = private("4612c550263fc8ad58375df3f557aac531d26850903e55a9f23f21d8534e8ac8")
        public = GatewayKey(0, recipient).configuration.public
        self.assertEqual(public.hex(), "3948cfe0ad1ddb695d780e59077195da6c56506b027329794ab02bca80815c4d")
        sender = Context.of_sender(public, info, private("52c4a758a802cd8b936eceea314432798d5baf2d7e9235dc084ab1b9cfa2f736"))
        self.assertEqual(sender.enc.hex(), "37fda3567bdbd628e88668c3c8d7e97d1d1253b6d4ea6d44c150f741f1bf4431")
        plaintext = b"Beauty is truth, truth beauty"
        for context in (sender, Context.of_recipient(recipient, sender.enc, info)):
            self.assertEqual(context.shared.hex(), "fe0e18c9f024ce43799ae393c7e8fe8fce9d218875e8227b0187c04e7d2ea1fc")
            self.assertEqual(context.key.hex(), "4531685d41d65f03dc48f6b8302c05b0")
            self.assertEqual(context.nonce.hex(), "56d890e5accaaf011cff4b7d")
            sealed = context.seal(plaintext, b"Count-0")
            self.assertEqual(sealed.hex(), "f938558b5d72f1a23810b4be2ab4f84331acc02fc97babc53a52ae8218a355a96d8770ac83d07bea87e13c512a")
            self.assertEqual(context.open(sealed, b"Count-0"), plaintext)
            self.assertEqual([context.export(of, 32).hex() for of in (b"", b"\0", b"TestContext")],
                             ["3853fe2b4035195a573ffc53856e77058e15d9ea064de3e59f4961d0095250ee",
                              "2e8f0b54673c7029649d4eb9d5e33bf1872cf76d623ff164ac185da9e88c21a5",
                              "e9e43065102c3836401bed8c3c3c75ae46be1639869391d62c61f1ec7af54931"])

    def test_oblivious_http(self):
        """RFC 9458, appendix A."""
        key = GatewayKey(1, private("3c168975674b2fa8e465970b79c8dcf09f1c741626480bd4c6162fc5b6a98e1a"))
        # The configuration of the appendix has two algorithms, of which the second is not supported here.
        encoded = bytes.fromhex("01002031e1f05a740102115220e9af918f738674aec95f54db6e04eb705aae8e79815500080001000100010003")
        configuration = KeyConfiguration.decode(encoded)
        self.assertEqual(configuration, key.configuration)
        message = bytes.fromhex("00034745540568747470730b6578616d706c652e636f6d012f")
        self.assertEqual(RequestMessage.decode(message), RequestMessage("GET", "https", "example.com", "/"))
        request, sender = encapsulate(configuration, message, private("bc51d5e930bda26589890ac7032f70ad12e4ecb37abb1b65b1256c9c48999c73"))
        self.assertEqual(request.hex(), "010020000100014b28f881333e7c164ffc499ad9796f877f4e1051ee6d31bad19dec96c208b472"
                                        "6374e469135906992e1268c594d2a10c695d858c40a026e7965e7d86b83dd440b2c0185204b4d63525")
        opened, recipient = decapsulate([key], request)
        self.assertEqual(opened, message)
        self.assertEqual(ResponseMessage.decode(bytes.fromhex("0140c8")), ResponseMessage(200))
        for context in (sender, recipient):
            self.assertEqual(context.export(b"message/bhttp response", 16).hex(), "62d87a6ba569ee81014c2641f52bea36")
        response = recipient.seal_response(bytes.fromhex("0140c8"), bytes.fromhex("c789e7151fcba46158ca84b04464910d"))
        self.assertEqual(response.hex(), "c789e7151fcba46158ca84b04464910d86f9013e404feea014e7be4a441f234f857fbd")
        self.assertEqual(sender.open_response(response).hex(), "0140c8")


class Messages(unittest.TestCase):
    def test_round_trips(self):
        for size in (0, 1, 63, 64, 16383, 16384, 100000):
            request = RequestMessage("POST", "https", "a.example", "/" + "p" * (size % 1000), {"content-type": "t"}, os.urandom(size))
            response = ResponseMessage(409, {"etag": '"é"'}, os.urandom(size))
            self.assertEqual(RequestMessage.decode(request.encode()), request)
            self.assertEqual(ResponseMessage.decode(response.encode()), response)
            self.assertEqual((len(request.encode()) % BLOCK, len(response.encode()) % BLOCK), (0, 0))

    def test_interim_responses(self):
        final = ResponseMessage(201, {"etag": "1"}, b"body")
        self.assertEqual(ResponseMessage.decode(b"\1" + bytes.fromhex("406700") + final.encode(1)[1:]), final)  # 103 first

    def test_malformed_messages(self):
        request = RequestMessage("POST", "https", "a.example", "/p", {"content-type": "t"}, b"content")
        encoded = request.encode(1)
        # A message may end before the sections of fields, of content and of trailers, if these are empty.
        ends = [encoded.index(b"/p") + 2, encoded.index(b"content", encoded.index(b"/p") + 18) - 1, len(encoded) - 1]
        for size in range(len(encoded)):
            with self.subTest(size=size):
                if size in ends:
                    self.assertEqual(RequestMessage.decode(encoded[:size]).path, "/p")
                else:
                    self.assertRaises(Malformed, RequestMessage.decode, encoded[:size])
        control = encoded[:ends[0]]
        bad = [encoded + b"\0\1", ResponseMessage(200).encode(), b"\2" + encoded[1:],
               control + b"\x08\1a\1b\1a\1b", control + b"\4\1A\1b", control + b"\4\1:\1b", control + b"\4\0\2bb", control + b"\4\1a\1\n",
               encoded.replace(b"/p", b"/\r"), encoded.replace(b"/p", b"/\x7f"), encoded.replace(b"POST", b"PO\0T")]
        for one in bad:
            with self.subTest(one=one):
                self.assertRaises(Malformed, RequestMessage.decode, one)
        self.assertRaisesRegex(Malformed, "trailers", RequestMessage.decode, encoded[:-1] + b"\4\1a\1b")
        self.assertEqual(RequestMessage.decode(encoded[:-1] + b"\x40\0"), request)  # an empty section with a length of two bytes
        for status in (b"\0", b"\x42\x58", b"\x40\x67\0"):   # 0, 600, and 103 without a final response
            self.assertRaises(Malformed, ResponseMessage.decode, b"\1" + status)

    def test_key_configurations(self):
        key = GatewayKey(7, X25519PrivateKey.generate())
        own = key.configuration.encode()
        self.assertEqual(GatewayKey.of_line(key.line()).configuration, key.configuration)
        foreign = bytes([9]) + b"\0\x10" + own[3:]
        listed = len(foreign).to_bytes(2, "big") + foreign + encode_list([key.configuration])
        self.assertEqual(first_supported(listed), key.configuration)
        for bad in (b"", encode_list([key.configuration])[:-1], b"\0\0", b"\0\1"):
            self.assertRaises(Refused, first_supported, bad)
        # Another AEAD, a wrong length of the algorithms, half of an algorithm, and an incomplete key.
        for bad in (own[:-2] + b"\0\3", own[:-6] + b"\0\x08" + own[-4:], own[:-6] + b"\0\5" + own[-4:] + b"\0", own[:30]):
            self.assertRaises(Refused, KeyConfiguration.decode, bad)

    def test_points_of_small_order(self):
        key = GatewayKey(1, X25519PrivateKey.generate())
        request, _ = encapsulate(key.configuration, b"message")
        for point in (bytes(32), b"\1" + bytes(31)):
            self.assertRaises(Refused, decapsulate, [key], request[:7] + point + request[39:])
            self.assertRaises(Refused, encapsulate, KeyConfiguration(1, point), b"message")


if __name__ == "__main__":
    unittest.main()
