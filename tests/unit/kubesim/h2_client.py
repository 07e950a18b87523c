"""A client of HTTP/2 (RFC 9113) that does only what it is told: no window grows, no stream ends but by a call."""
import struct

DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE = 0, 1, 3, 4, 6, 7, 8
END_STREAM, ACK, END_HEADERS = 1, 1, 4
STATIC = {8: 200, 9: 204, 10: 206, 11: 304, 12: 400, 13: 404, 14: 500}


def text(value):
    """A string of HPACK without Huffman code; integers with a prefix of 7 bits."""
    data, n = value.encode(), len(value.encode())
    if n < 127:
        return bytes([n]) + data
    prefix, n = [127], n - 127
    while n >= 128:
        prefix.append(n % 128 + 128)
        n //= 128
    return bytes(prefix + [n]) + data


def literal(name, value):
    return b'\0' + text(name) + text(value)


class Stream:
    def __init__(self):
        self.status, self.data, self.ended, self.reset = None, b'', False, None


class Client:
    def __init__(self, sock, window=65535):
        self.sock, self.streams, self.last, self.goaway = sock, {}, -1, None
        self.buffer = b''
        sock.sendall(b'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
        # Without a table of headers to share, for this client keeps none.
        self.send(SETTINGS, 0, 0, struct.pack('>HIHI', 1, 0, 4, window))

    def send(self, kind, flags, stream, payload=b''):
        self.sock.sendall(struct.pack('>I', len(payload))[1:] + struct.pack('>BBI', kind, flags, stream) + payload)

    def ask(self, path, method='GET', headers=(), ends=True):
        self.last += 2
        block = literal(':method', method) + literal(':scheme', 'https') + literal(':authority', 'x')
        block += literal(':path', path) + b''.join(literal(*h) for h in headers)
        self.streams[self.last] = Stream()
        self.send(HEADERS, END_HEADERS | (END_STREAM if ends else 0), self.last, block)
        return self.last

    def grow(self, stream, by):
        self.send(WINDOW_UPDATE, 0, stream, struct.pack('>I', by))

    def cancel(self, stream):
        self.send(RST_STREAM, 0, stream, struct.pack('>I', 8))

    def _bytes(self, n):
        while len(self.buffer) < n:
            more = self.sock.recv(1 << 16)
            if not more:
                raise EOFError
            self.buffer += more
        taken, self.buffer = self.buffer[:n], self.buffer[n:]
        return taken

    def read(self):
        """Takes one frame."""
        head = self._bytes(9)
        kind, flags, number = head[3], head[4], struct.unpack('>I', head[5:])[0]
        payload = self._bytes(struct.unpack('>I', b'\0' + head[:3])[0])
        stream = self.streams.get(number, Stream())
        if kind == HEADERS:
            stream.status = status(payload)
        if kind == DATA:
            stream.data += payload
        if kind in (HEADERS, DATA) and flags & END_STREAM:
            stream.ended = True
        if kind == RST_STREAM:
            stream.reset = struct.unpack('>I', payload)[0]
        if kind == SETTINGS and not flags & ACK:
            self.send(SETTINGS, ACK, 0)
        if kind == GOAWAY:
            self.goaway = struct.unpack('>I', payload[4:8])[0]
        return kind

    def until(self, done):
        while not done():
            self.read()

    def answer(self, number):
        stream = self.streams[number]
        self.until(lambda: stream.ended or stream.reset is not None)
        return stream


def status(block):
    """The first field of the block is :status: from the static table, or with its name from there."""
    while block[0] & 0xe0 == 0x20:
        block = block[1:]
    if block[0] & 0x80:
        return STATIC.get(block[0] & 0x7f, 'dynamic')
    length = block[1] & 0x7f
    return huffman_digits(block[2:2 + length]) if block[1] & 0x80 else int(block[2:2 + length])


def huffman_digits(data):
    """Digits of RFC 7541, appendix B: 0, 1 and 2 have five bits, the others six."""
    bits, number = ''.join(f'{byte:08b}' for byte in data), ''
    while True:
        if bits[:5] in ('00000', '00001', '00010'):
            number, bits = number + str(int(bits[:5], 2)), bits[5:]
        elif len(bits) >= 6 and 0b011001 <= int(bits[:6], 2) <= 0b011111:
            number, bits = number + str(int(bits[:6], 2) - 0b011001 + 3), bits[6:]
        else:
            return int(number)
