#!/usr/bin/env python3
"""The HTTPS server under kubesim, through a program that echoes: HTTP/1.1, HTTP/2, WebSockets, TLS, and abuse of each."""
import base64
import hashlib
import http.client
import json
import os
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

from h2_client import Client

OUT = os.environ.get('OUT') or sys.exit('serve_test: OUT shall name the build folder, as "make unit" does')
ECHO = f'{OUT}/tests/unit/kubesim/echo'
PATIENCE_S = 60
BODY_MAX, STREAM_BUFFER_MAX = 4 << 20, 8 << 20
SAN = 'address' in OUT


def openssl(folder, *args):
    subprocess.run(['openssl', *args], cwd=folder, check=True, capture_output=True)


def make_certificates(folder):
    key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
    for name in 'server', 'friends', 'strangers':
        openssl(folder, 'req', '-x509', *key, '-keyout', f'{name}.key', '-out', f'{name}.pem', '-subj', f'/CN={name}',
                '-addext', 'subjectAltName=IP:127.0.0.1')
    for name, ca in ('friend', 'friends'), ('stranger', 'strangers'):
        openssl(folder, 'req', *key, '-keyout', f'{name}.key', '-out', f'{name}.csr', '-subj', f'/CN={name}')
        openssl(folder, 'x509', '-req', '-in', f'{name}.csr', '-CA', f'{ca}.pem', '-CAkey', f'{ca}.key',
                '-CAcreateserial', '-out', f'{name}.pem')


class Server:
    """One process of echo. Leaving it checks that it ended well: every stream told of, and no leak when sanitized."""
    def __init__(self, folder, *more):
        self.folder, self.args = Path(folder), [ECHO, 'server.pem', 'server.key', *more]
        self.args[0] = os.path.abspath(ECHO)

    def __enter__(self):
        self.process = subprocess.Popen(self.args, cwd=self.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.port = int(self.process.stdout.readline())
        self.trust = ssl.create_default_context(cafile=self.folder / 'server.pem')
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        code = self.process.wait(PATIENCE_S)
        self.process.stdout.close()
        assert code == 0, f'echo ended with {code}'

    def tcp(self, receive_buffer=None):
        sock = socket.socket()
        if receive_buffer:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        sock.settimeout(PATIENCE_S)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.connect(('127.0.0.1', self.port))
        return sock

    def tls(self, alpn=(), receive_buffer=None, context=None):
        context = context or ssl.create_default_context(cafile=self.folder / 'server.pem')
        if alpn:
            context.set_alpn_protocols(list(alpn))
        return context.wrap_socket(self.tcp(receive_buffer), server_hostname='127.0.0.1')

    def h1(self):
        return http.client.HTTPSConnection('127.0.0.1', self.port, context=self.trust, timeout=PATIENCE_S)

    def h2(self, **more):
        return Client(self.tls(alpn=['h2'], receive_buffer=more.pop('receive_buffer', None)), **more)

    def get(self, path):
        connection = self.h1()
        connection.request('GET', path)
        data = connection.getresponse().read()
        connection.close()
        return data

    def wait_closed(self, count):
        """Until the owner was told of so many closed streams since the last time."""
        assert self.get(f'/closed/{count}') == b'so many'

    def curl(self, *args):
        done = subprocess.run(['curl', '-sS', '--max-time', str(PATIENCE_S), '--cacert', 'server.pem', *args],
                              cwd=self.folder, capture_output=True)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode()

    def url(self, path):
        return f'https://127.0.0.1:{self.port}{path}'


def read_all(sock):
    """What comes until the other side says goodbye."""
    data = b''
    while True:
        more = sock.recv(1 << 16)
        if not more:
            return data
        data += more


# HTTP/1.1

def h1_one_connection_many_requests(s):
    connection = s.h1()
    for method, path, body in ('GET', '/a?b=%20c', None), ('POST', '/p', b'{"x":1}'), ('DELETE', '/d', b''):
        connection.request(method, path, body, {'Content-Type': 'application/json', 'Authorization': 'Bearer t',
                                                'Accept': 'application/json', 'User-Agent': 'test/1'})
        answer = connection.getresponse()
        told = json.loads(answer.read())
        assert answer.status == 200 and answer.getheader('Content-Type') == 'application/json'
        assert told == {'method': method, 'path': path, 'content_type': 'application/json', 'accept': 'application/json',
                        'authorization': 'Bearer t', 'user_agent': 'test/1', 'body': (body or b'').decode(),
                        'len': len(body or b''), 'strlen': len(body or b'')}, told
    connection.close()


def h1_absent_headers_are_empty(s):
    sock = s.tls()
    sock.sendall(b'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    told = json.loads(read_all(sock).split(b'\r\n\r\n')[1])
    assert {told[name] for name in ('content_type', 'accept', 'authorization', 'user_agent', 'body')} == {''}


def h1_chunked_body(s):
    connection = s.h1()
    connection.request('POST', '/', iter([b'abc', b'x' * 100000, b'']), encode_chunked=True)
    assert json.loads(connection.getresponse().read())['len'] == 100003
    connection.request('GET', '/again')
    assert json.loads(connection.getresponse().read())['path'] == '/again'
    connection.close()


def h1_every_byte_alone(s):
    sock = s.tls()
    for byte in (b'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n'
                 b'3;ext=1\r\nabc\r\n0A\r\n0123456789\r\n0\r\nTrailer: t\r\n\r\n'):
        sock.sendall(bytes([byte]))
    told = json.loads(read_all(sock).split(b'\r\n\r\n')[1])
    assert told['body'] == 'abc0123456789'


def h1_pipelined(s):
    sock = s.tls()
    sock.sendall(b''.join(b'GET /%d HTTP/1.1\r\nHost: x\r\n\r\n' % i for i in range(100)) +
                 b'GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    data = read_all(sock)
    assert data.count(b'HTTP/1.1 200 OK\r\n') == 101
    assert data.index(b'"/7"') < data.index(b'"/42"') < data.index(b'"/last"')


def h1_continue(s):
    sock = s.tls()
    sock.sendall(b'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n')
    assert sock.recv(100) == b'HTTP/1.1 100 Continue\r\n\r\n'
    sock.sendall(b'ok')
    assert b'"body":"ok"' in read_all(sock)


def h1_head_has_no_body(s):
    connection = s.h1()
    for path in '/size/10', '/watch/3':
        connection.request('HEAD', path)
        answer = connection.getresponse()
        assert answer.status == 200 and answer.read() == b''
    connection.request('GET', '/size/3')
    assert connection.getresponse().read() == b'xxx'
    connection.close()


def h1_retry_after(s):
    connection = s.h1()
    connection.request('GET', '/busy')
    answer = connection.getresponse()
    assert (answer.status, answer.getheader('Retry-After'), answer.read()) == (429, '7', b'busy')
    connection.close()


def h1_watch_in_chunks(s):
    connection = s.h1()
    connection.request('GET', '/watch/1000')
    answer = connection.getresponse()
    assert answer.getheader('Transfer-Encoding') == 'chunked'
    assert answer.read() == b'{"type":"ADDED"}\n' * 1000
    connection.close()


def h1_answered_later_and_left(s):
    first, second = s.h1(), s.h1()
    first.request('GET', '/hold')
    second.request('GET', '/hold')
    assert s.get('/held/2') == b'so many'
    second.close()
    s.wait_closed(1)
    assert s.get('/release') == b'ok'
    assert first.getresponse().read() == b'released'
    first.close()


def h1_longest_body(s):
    connection = s.h1()
    connection.request('POST', '/', b'x' * BODY_MAX)
    assert json.loads(connection.getresponse().read())['len'] == BODY_MAX
    connection.request('POST', '/', iter([b'y' * BODY_MAX]), encode_chunked=True)
    assert json.loads(connection.getresponse().read())['len'] == BODY_MAX
    connection.close()


def h1_nul_in_a_body(s):
    connection = s.h1()
    connection.request('POST', '/', b'a\0b')
    told = json.loads(connection.getresponse().read())
    assert (told['len'], told['strlen']) == (3, 1)
    connection.close()


def h1_long_path(s):
    path = '/' + 'p' * 900000
    connection = s.h1()
    connection.request('GET', path)
    assert json.loads(connection.getresponse().read())['path'] == path
    connection.close()


HOST = b'Host: x\r\n'
GET, POST = b'GET / HTTP/1.1\r\n' + HOST, b'POST / HTTP/1.1\r\n' + HOST
REFUSED = [
    # name, bytes, code
    ('no request line', b'\r\n\r\n', 400),
    ('only a method', b'GET\r\n\r\n', 400),
    ('no version', b'GET /\r\n' + HOST + b'\r\n', 400),
    ('an old version', b'GET / HTTP/1.0\r\n' + HOST + b'\r\n', 505),
    ('a newer version', b'GET / HTTP/2.0\r\n' + HOST + b'\r\n', 505),
    ('two blanks', b'GET  / HTTP/1.1\r\n' + HOST + b'\r\n', 400),
    ('a blank in the path', b'GET /a b HTTP/1.1\r\n' + HOST + b'\r\n', 400),
    ('a tab in the path', b'GET /a\tb HTTP/1.1\r\n' + HOST + b'\r\n', 400),
    ('a path without slash', b'GET a HTTP/1.1\r\n' + HOST + b'\r\n', 400),
    ('a URL for a proxy', b'GET http://x/ HTTP/1.1\r\n' + HOST + b'\r\n', 400),
    ('a method that is no token', b'G(T / HTTP/1.1\r\n' + HOST + b'\r\n', 400),
    ('NUL in the path', b'GET /\0 HTTP/1.1\r\n' + HOST + b'\r\n', 400),
    ('no host', b'GET / HTTP/1.1\r\n\r\n', 400),
    ('two hosts', GET + HOST + b'\r\n', 400),
    ('a line without colon', GET + b'abc\r\n\r\n', 400),
    ('a blank before the colon', GET + b'A : b\r\n\r\n', 400),
    ('a folded line', GET + b'A: b\r\n c: d\r\n\r\n', 400),
    ('a bare LF in a value', GET + b'A: b\nC: d\r\n\r\n', 400),
    ('a bare CR in a value', GET + b'A: b\rC: d\r\n\r\n', 400),
    ('two authorizations', GET + b'Authorization: a\r\nAuthorization: b\r\n\r\n', 400),
    ('a head too long', GET + b'A: ' + b'x' * (1 << 20) + b'\r\n\r\n', 431),
    ('a head without end', GET + b'A: ' + b'x' * (2 << 20), 431),
    ('an unknown expectation', POST + b'Expect: mercy\r\n\r\n', 417),
    ('a negative length', POST + b'Content-Length: -1\r\n\r\n', 400),
    ('a length with a sign', POST + b'Content-Length: +1\r\n\r\n', 400),
    ('an empty length', POST + b'Content-Length:\r\n\r\n', 400),
    ('two lengths', POST + b'Content-Length: 1\r\nContent-Length: 1\r\n\r\nx', 400),
    ('a length over 64 bits', POST + b'Content-Length: 18446744073709551617\r\n\r\n', 400),
    ('a length and chunks', POST + b'Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n', 400),
    ('an unknown encoding', POST + b'Transfer-Encoding: gzip, chunked\r\n\r\n', 501),
    ('a long body', POST + b'Content-Length: %d\r\n\r\n' % (BODY_MAX + 1), 413),
    ('a long body, awaiting', POST + b'Expect: 100-continue\r\nContent-Length: 5000000\r\n\r\n', 413),
]
CHUNKED = POST + b'Transfer-Encoding: chunked\r\n\r\n'
REFUSED += [
    ('chunk: no size', CHUNKED + b'\r\n', 400),
    ('chunk: a bad size', CHUNKED + b'g\r\n', 400),
    ('chunk: a negative size', CHUNKED + b'-1\r\n', 400),
    ('chunk: a size over 32 bits', CHUNKED + b'100000001\r\n', 400),
    ('chunk: too long together', CHUNKED + b'3fffff\r\n' + b'x' * 0x3fffff + b'\r\n2\r\n', 413),
    ('chunk: longer than told', CHUNKED + b'1\r\nxyz', 400),
    ('chunk: a long extension', CHUNKED + b'1;' + b'e' * 300 + b'\r\n', 400),
    ('chunk: a trailer without end', CHUNKED + b'0\r\n' + b'T: x\r\n' * 2000, 431),
]
UPGRADE = b'GET /exec HTTP/1.1\r\n' + HOST + b'Connection: Upgrade\r\nUpgrade: websocket\r\n'
REFUSED += [
    ('websocket: no key', UPGRADE + b'Sec-WebSocket-Version: 13\r\n\r\n', 400),
    ('websocket: a short key', UPGRADE + b'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: abc\r\n\r\n', 400),
    ('websocket: an old version', UPGRADE + b'Sec-WebSocket-Version: 8\r\nSec-WebSocket-Key: ' + b'A' * 22 + b'==\r\n\r\n', 400),
]


def refused(data, code):
    def run(s):
        sock = s.tls()
        sock.sendall(data)
        answer = read_all(sock)
        assert answer.startswith(b'HTTP/1.1 %d ' % code) and b'\r\nConnection: close\r\n' in answer, answer
        assert answer.count(b'HTTP/1.1') == 1
    return run


# HTTP/2

def h2_by_curl(s):
    told = json.loads(s.curl('--http2', '-H', 'Authorization: Bearer t', '--data-binary', 'abc', s.url('/p?q=1')))
    assert (told['method'], told['path'], told['body'], told['authorization']) == ('POST', '/p?q=1', 'abc', 'Bearer t')
    for version, number in ('--http2', '2'), ('--http1.1', '1.1'):
        written = '%{http_version} %{http_code} %{size_download}'
        told = s.curl(version, '-o', '/dev/null', '-w', written, s.url('/size/5000000'))
        assert told == f'{number} 200 5000000', told
        assert s.curl(version, s.url('/watch/50')) == '{"type":"ADDED"}\n' * 50
        told = s.curl(version, '-I', '-o', '/dev/null', '-w', '%{http_code} %header{content-length}', s.url('/size/7'))
        assert told == '200 7', told
        told = s.curl(version, '-o', '/dev/null', '-w', '%{http_code} %header{retry-after}', s.url('/busy'))
        assert told == '429 7', told


def long_bodies_by_curl(s):
    (s.folder / 'most').write_bytes(b'x' * BODY_MAX)
    (s.folder / 'more').write_bytes(b'x' * (BODY_MAX + 1))
    for version in '--http2', '--http1.1':
        for name, code in ('most', '200'), ('more', '413'):
            told = s.curl(version, '-o', '/dev/null', '-w', '%{http_code}', '--data-binary', f'@{name}', s.url('/'))
            assert told == code, (version, name, told)


def h2_500_at_once(s):
    client = s.h2()
    held = [client.ask('/hold') for _ in range(500)]
    # Answered behind them on the same connection, so all of them have arrived.
    assert client.answer(client.ask('/size/1')).data == b'x'
    assert s.get('/release') == b'ok'
    for number in held:
        stream = client.answer(number)
        assert (stream.status, stream.data) == (200, b'released')


def h2_5000_watches(s):
    client = s.h2()
    watches = [client.ask('/watch/2') for _ in range(5000)]
    client.grow(0, 5000 * 40)
    for number in watches:
        assert client.answer(number).data == b'{"type":"ADDED"}\n' * 2


def h2_body_in_parts(s):
    client = s.h2()
    number = client.ask('/', 'POST', [('content-length', '6')], ends=False)
    client.send(0, 0, number, b'abc')
    other = client.ask('/size/2')
    assert client.answer(other).data == b'xx'
    client.send(0, 1, number, b'def')
    assert json.loads(client.answer(number).data)['body'] == 'abcdef'


def h2_wrong_length(s):
    client = s.h2()
    number = client.ask('/', 'POST', [('content-length', '3')], ends=False)
    client.send(0, 1, number, b'abcdef')
    assert client.answer(number).reset == 1
    assert client.answer(client.ask('/size/2')).data == b'xx'


def h2_too_long_body(s):
    client = s.h2()
    number = client.ask('/', 'POST', ends=False)
    stream = client.streams[number]
    for _ in range(BODY_MAX // 16384 + 1):
        client.send(0, 0, number, b'x' * 16384)
        client.read()
    client.until(lambda: stream.reset is not None)
    assert (stream.status, stream.data, stream.reset) == (413, b'Content Too Large\n', 0)


def h2_cancelled(s):
    client = s.h2()
    client.grow(0, 1 << 30)
    for path in '/hold', '/watch/100000000', '/flood':
        number = client.ask(path)
        if path != '/hold':
            client.until(lambda: client.streams[number].data)
        client.cancel(number)
        s.wait_closed(1)
    assert client.answer(client.ask('/size/2')).data == b'xx'


def h2_head_and_no_path(s):
    client = s.h2()
    stream = client.answer(client.ask('/size/9', 'HEAD'))
    assert (stream.status, stream.data) == (200, b'')
    assert client.answer(client.ask('*', 'OPTIONS')).status == 400
    assert client.answer(client.ask('/', headers=[('authorization', 'a'), ('authorization', 'b')])).status == 400


def h2_no_websocket(s):
    client = s.h2()
    stream = client.answer(client.ask('/exec'))
    assert (stream.status, stream.data) == (400, b'this is no WebSocket\n')
    s.wait_closed(1)


def h2_nonsense(s):
    sock = s.tls(alpn=['h2'])
    sock.sendall(b'GET / HTTP/1.1\r\nHost: x\r\n\r\n' * 10)
    read_all(sock)
    client = s.h2()
    client.ask('/hold')
    client.sock.sendall(b'\xff' * 100)
    try:
        client.until(lambda: client.goaway is not None)
    except EOFError:
        pass
    assert client.goaway in (1, 6), client.goaway
    s.wait_closed(1)


# Those who do not read

def h1_reader_that_stops(s):
    sock = s.tls(receive_buffer=4096)
    sock.sendall(b'GET /flood HTTP/1.1\r\nHost: x\r\n\r\n')
    sock.recv(100)
    s.wait_closed(1)
    assert s.get('/size/3') == b'xxx'
    sock.close()


def h2_stream_that_stops(s):
    client = s.h2(window=1000)
    number = client.ask('/flood')
    stream = client.answer(number)
    assert (len(stream.data), stream.reset) == (1000, 8)
    s.wait_closed(1)
    assert client.answer(client.ask('/size/2')).data == b'xx'


def h2_connection_that_stops(s):
    client = s.h2(window=(1 << 31) - 1, receive_buffer=4096)
    client.grow(0, (1 << 31) - 1 - 65535)
    for _ in range(3):
        client.ask('/flood')
    s.wait_closed(3)
    assert s.get('/size/3') == b'xxx'
    client.sock.close()


def h2_answers_not_fetched(s):
    client = s.h2(window=0)
    numbers = [client.ask('/size/8000000') for _ in range(20)]
    codes = []
    client.until(lambda: all(client.streams[n].status is not None for n in numbers))
    for number in numbers:
        codes.append(client.streams[number].status)
    assert codes == [200] * 5 + [503] * 15, codes


def gone_in_a_flood(s):
    for _ in range(20):
        sock = s.tls()
        sock.sendall(b'GET /flood HTTP/1.1\r\nHost: x\r\n\r\n')
        sock.recv(100)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
        sock.close()
    s.wait_closed(20)


# WebSockets

class WebSocket:
    KEY = 'dGhlIHNhbXBsZSBub25jZQ=='

    def __init__(self, s, **more):
        self.sock, self.buffer = s.tls(**more), b''
        self.sock.sendall(UPGRADE + b'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ' + self.KEY.encode() +
                          b'\r\nSec-WebSocket-Protocol: v5.channel.k8s.io, v4.channel.k8s.io\r\n\r\n')
        while b'\r\n\r\n' not in self.buffer:
            self.buffer += self.sock.recv(1000)
        self.head, self.buffer = self.buffer.split(b'\r\n\r\n', 1)

    def send(self, opcode, data, fin=True, mask=b'\1\2\3\4'):
        size = len(data)
        length = struct.pack('>BQ', 127, size)
        if size < 65536:
            length = bytes([size]) if size < 126 else struct.pack('>BH', 126, size)
        head = bytes([opcode | (128 if fin else 0), length[0] | (128 if mask else 0)]) + length[1:]
        masked = bytes(byte ^ mask[i % 4] for i, byte in enumerate(data)) if mask else data
        self.sock.sendall(head + mask + masked)

    def bytes(self, n):
        while len(self.buffer) < n:
            more = self.sock.recv(1 << 16)
            if not more:
                raise EOFError
            self.buffer += more
        taken, self.buffer = self.buffer[:n], self.buffer[n:]
        return taken

    def read(self):
        first, size = self.bytes(2)
        if size == 126:
            size = struct.unpack('>H', self.bytes(2))[0]
        elif size == 127:
            size = struct.unpack('>Q', self.bytes(8))[0]
        return first, self.bytes(size)

    def is_over(self):
        try:
            return self.bytes(1) and False
        except EOFError:
            return True


BINARY, CLOSE, PING, PONG = 0x82, 0x88, 0x89, 0x8a


def ws_handshake_and_echo(s):
    w = WebSocket(s)
    accept = base64.b64encode(hashlib.sha1(w.KEY.encode() + b'258EAFA5-E914-47DA-95CA-C5AB0DC85B11').digest())
    assert w.head.startswith(b'HTTP/1.1 101 ')
    assert b'\r\nSec-WebSocket-Accept: ' + accept in w.head and b'\r\nSec-WebSocket-Protocol: v5.channel.k8s.io' in w.head
    for size in 0, 1, 125, 126, 65535, 65536, 1 << 20:
        data = bytes(size)
        w.send(2, data)
        assert w.read() == (BINARY, data)
    w.send(8, struct.pack('>H', 1000))
    assert w.read() == (CLOSE, struct.pack('>H', 1000)) and w.is_over()
    s.wait_closed(1)


def ws_frames_in_fragments(s):
    w = WebSocket(s)
    w.send(2, b'abc', fin=False)
    w.send(9, b'are you there')
    w.send(0, b'', fin=False)
    w.send(0, b'def')
    assert w.read() == (PONG, b'are you there')
    assert w.read() == (BINARY, b'abcdef')
    w.sock.close()
    s.wait_closed(1)


def ws_goodbye_of_the_server(s):
    w = WebSocket(s)
    w.send(2, b'bye')
    w.send(2, b'too late')
    assert w.read() == (BINARY, b'bye') and w.read() == (CLOSE, struct.pack('>H', 1000))
    w.send(8, struct.pack('>H', 1000))
    assert w.is_over()


WRONG = [
    # what a client may not do: opcode, data, more, the code it gets; libwslay has none for a frame that cannot be read
    ('no mask', 2, b'abc', {'mask': b''}, 1002),
    ('text', 1, b'abc', {}, 1003),
    ('an unknown opcode', 3, b'abc', {}, 1002),
    ('a reserved bit', 0x42, b'abc', {}, 1002),
    ('a continuation of nothing', 0, b'abc', {}, 1002),
    ('a long ping', 9, b'x' * 126, {}, None),
    ('too long', 2, bytes((1 << 20) + 1), {}, 1009),
    ('too long in fragments', 2, None, {}, 1009),
]


def ws_wrong(opcode, data, more, code):
    def run(s):
        w = WebSocket(s)
        if data is None:
            w.send(2, bytes(1 << 20), fin=False)
            w.send(0, b'x')
        else:
            w.send(opcode, data, **more)
        first, payload = w.read()
        told = struct.unpack('>H', payload[:2])[0] if payload else None
        assert (first, told) == (CLOSE, code), (first, payload)
        s.wait_closed(1)
    return run


def ws_reader_that_stops(s):
    w = WebSocket(s, receive_buffer=4096)
    w.send(2, b'flood')
    s.wait_closed(1)
    w.sock.close()
    w = WebSocket(s)
    w.send(2, b'ok')
    assert w.read() == (BINARY, b'ok')
    w.sock.close()
    s.wait_closed(1)


def ws_ping_flood(s):
    w = WebSocket(s, receive_buffer=4096)
    w.sock.settimeout(2)
    try:
        for _ in range(1000):
            w.sock.sendall((b'\x89\xfd\0\0\0\0' + b'x' * 125) * 1000)
        raise AssertionError('the server takes in 130 MB of pings whose answers nobody reads')
    except TimeoutError:
        pass
    w.sock.close()
    s.wait_closed(1)


# TLS

def no_tls(s):
    sock = s.tcp()
    sock.sendall(b'GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    try:
        assert b'HTTP' not in read_all(sock)
    except ConnectionResetError:
        pass
    assert s.get('/size/1') == b'x'


def tls_refuses(make):
    def run(s):
        try:
            sock = s.tls(context=make(s))
            sock.sendall(b'GET / HTTP/1.1\r\nHost: x\r\n\r\n')
            sock.recv(1)
        except (ssl.SSLError, ConnectionResetError):
            assert s.get('/size/1') == b'x'
            return
        raise AssertionError('let in')
    return run


def old_tls(s):
    context = ssl.create_default_context(cafile=s.folder / 'server.pem')
    context.set_ciphers('ALL:@SECLEVEL=0')
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', DeprecationWarning)
        context.minimum_version, context.maximum_version = ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1
    return context


def other_protocol(s):
    context = ssl.create_default_context(cafile=s.folder / 'server.pem')
    context.set_alpn_protocols(['spdy/3.1'])
    return context


def client_certificate(name):
    def make(s):
        context = ssl.create_default_context(cafile=s.folder / 'server.pem')
        context.load_cert_chain(s.folder / f'{name}.pem', s.folder / f'{name}.key')
        return context
    return make


def certificate_of_a_friend(s):
    sock = s.tls(context=client_certificate('friend')(s))
    sock.sendall(b'GET /size/1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    assert read_all(sock).endswith(b'\r\n\r\nx')


def no_certificate(s):
    assert s.get('/size/1') == b'x'


def alpn_prefers_h2(s):
    assert s.tls(alpn=['http/1.1', 'h2']).selected_alpn_protocol() == 'h2'
    assert s.tls(alpn=['http/1.1']).selected_alpn_protocol() == 'http/1.1'


def bad_files(s):
    for args, part in (['no.pem', 'server.key'], 'certificate no.pem'), (['server.pem', 'friend.key'], 'key friend.key'), \
                      (['server.pem', 'server.key', 'server.key'], 'CA of clients server.key'):
        done = subprocess.run([os.path.abspath(ECHO), *args], cwd=s.folder, capture_output=True, text=True)
        assert done.returncode == 1 and done.stdout.startswith(part), done


def resident_kib(s):
    status = Path(f'/proc/{s.process.pid}/status').read_text()
    return int(status.split('VmRSS:')[1].split()[0])


def idle_connections_are_small(s):
    if SAN:
        raise Skipped('memory is not measured under a sanitizer')
    before, kept = resident_kib(s), []
    for _ in range(200):
        client = s.h2()
        assert client.answer(client.ask('/size/1')).data == b'x'
        kept.append(client)
    each = (resident_kib(s) - before) / len(kept)
    assert each < 100, f'{each} KiB'
    print(f'idle HTTP/2 connection: {each:.0f} KiB')


class Skipped(Exception):
    pass


TESTS = [h1_one_connection_many_requests, h1_absent_headers_are_empty, h1_chunked_body, h1_every_byte_alone, h1_pipelined,
         h1_continue, h1_head_has_no_body, h1_retry_after, h1_watch_in_chunks, h1_answered_later_and_left, h1_longest_body,
         h1_nul_in_a_body, h1_long_path, h2_by_curl, long_bodies_by_curl, h2_500_at_once, h2_5000_watches, h2_body_in_parts,
         h2_wrong_length, h2_too_long_body, h2_cancelled, h2_head_and_no_path, h2_no_websocket, h2_nonsense,
         h1_reader_that_stops, h2_stream_that_stops, h2_connection_that_stops, h2_answers_not_fetched, gone_in_a_flood,
         ws_handshake_and_echo, ws_frames_in_fragments, ws_goodbye_of_the_server, ws_reader_that_stops, ws_ping_flood,
         no_tls, alpn_prefers_h2, bad_files, idle_connections_are_small]


def main():
    only = sys.argv[1:]
    plain = [(test.__name__, test) for test in TESTS]
    plain += [(f'refused: {name}', refused(data, code)) for name, data, code in REFUSED]
    plain += [(f'websocket: {name}', ws_wrong(*row)) for name, *row in WRONG]
    plain += [('an old TLS', tls_refuses(old_tls)), ('another protocol', tls_refuses(other_protocol))]
    with_ca = [('certificate of a friend', certificate_of_a_friend), ('no certificate', no_certificate),
               ('certificate of a stranger', tls_refuses(client_certificate('stranger')))]
    counts = {'passed': 0, 'failed': 0, 'skipped': 0}
    with tempfile.TemporaryDirectory() as folder:
        make_certificates(folder)
        for tests, more in (plain, []), (with_ca, ['friends.pem']):
            for name, test in tests:
                if only and not any(part in name for part in only):
                    continue
                counts[run(name, test, Server(folder, *more))] += 1
    print(', '.join(f'{n} {word}' for word, n in counts.items()))
    return 1 if counts['failed'] else 0


def run(name, test, server):
    try:
        with server:
            test(server)
        return 'passed'
    except Skipped as why:
        print(f'{name}: skipped: {why}')
        return 'skipped'
    except Exception as error:
        print(f'{name}: {type(error).__name__}: {error}')
        return 'failed'


if __name__ == '__main__':
    sys.exit(main())
