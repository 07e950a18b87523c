#!/usr/bin/env python3
"""What net_test.c talks to: an API server that speaks HTTP/1.1 only and says what it was asked, and three kinds of proxy.

usage: server.py DIR    writes certificates into DIR, prints "TLS TLS6 HTTP HTTPS SOCKS" (ports, 0: cannot be had), serves
until its standard input ends.

The proxies alone know the host api.test: whoever gets through to it went by way of one of them.
"""
import http.server
import json
import os
import select
import socket
import ssl
import subprocess
import sys
import threading

DIR = sys.argv[1]
KNOWN_HOST = b"api.test"


def path(name):
    return os.path.join(DIR, name)


def openssl(*args):
    subprocess.run(("openssl",) + args, check=True, capture_output=True)


def make_ca(name):
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30", "-subj",
            f"/CN={name}", "-keyout", path(f"{name}.key"), "-out", path(f"{name}.crt"))


def make_cert(name, ca, alt, days=30):
    with open(path(f"{name}.ext"), "w", encoding="ascii") as f:
        f.write(f"subjectAltName={alt}\n")
    openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", f"/CN={name}",
            "-keyout", path(f"{name}.key"), "-out", path(f"{name}.csr"))
    openssl("x509", "-req", "-in", path(f"{name}.csr"), "-CA", path(f"{ca}.crt"), "-CAkey", path(f"{ca}.key"), "-days",
            str(days), "-extfile", path(f"{name}.ext"), "-out", path(f"{name}.crt"))


def context(name, ask=False):
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.load_cert_chain(path(f"{name}.crt"), path(f"{name}.key"))
    if ask:
        made.verify_mode = ssl.CERT_OPTIONAL
        made.load_verify_locations(path("ca.crt"))
    return made


def make_context():
    """Chooses a certificate by the name that is asked for, and keeps the name."""
    main = context("server", ask=True)
    expired = context("expired", ask=True)
    modern = context("server", ask=True)
    modern.minimum_version = ssl.TLSVersion.TLSv1_3

    def on_name(sock, name, _context):
        sock.asked_name = name
        if name == "expired.test":
            sock.context = expired
        if name == "modern.test":
            sock.context = modern

    main.sni_callback = on_name
    return main


class Socket(ssl.SSLSocket):
    asked_name = None


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    refused = 0

    def log_message(self, *_args):
        pass

    def answer(self, code, body):
        text = json.dumps(body).encode()
        self.send_response(code)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def what_was_asked(self):
        peer = self.connection.getpeercert() or {}
        names = [value for part in peer.get("subject", ()) for key, value in part if key == "commonName"]
        said = [f"{key}: {value}" for key, value in self.headers.items() if key.startswith(("Auth", "Imp", "Host"))]
        return " | ".join([self.path.split("?")[0], f"name={self.connection.asked_name}", f"peer={names}"] + sorted(said))

    def watch(self):
        """The head, then nothing until the other side has gone."""
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.wfile.flush()
        select.select([self.connection], [], [])
        self.close_connection = True

    def do_GET(self):  # noqa: N802, the name is the library's
        parts = self.path.split("?")[0].split("/")
        if parts[1] == "watch":
            self.watch()
        elif parts[1] == "only" and parts[2] not in self.what_was_asked().split(" | ", 1)[1]:
            Handler.refused += 1
            self.answer(401, {"kind": "Status", "message": "no"})
        elif parts[1] == "refused":
            self.answer(200, {"refused": Handler.refused})
        elif "exec" in parts:
            self.answer(403, {"kind": "Status", "message": self.what_was_asked()})
        else:
            self.answer(200, {"asked": self.what_was_asked()})

    def do_POST(self):  # noqa: N802, the name is the library's
        self.rfile.read(int(self.headers["Content-Length"]))
        self.do_GET()


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    request_queue_size = 64

    def finish_request(self, request, client_address):
        try:
            super().finish_request(CONTEXT.wrap_socket(request, server_side=True), client_address)
        except OSError:
            request.close()


class Server6(Server):
    address_family = socket.AF_INET6


def copy_both_ways(one, other):
    pairs = {one: other, other: one}
    while True:
        ready = [s for s in pairs if isinstance(s, ssl.SSLSocket) and s.pending()]
        for sock in ready or select.select(list(pairs), [], [])[0]:
            data = sock.recv(65536)
            if not data:
                return
            pairs[sock].sendall(data)


def connect(host, port):
    if host != KNOWN_HOST:
        raise OSError("unknown host")
    return socket.create_connection(("127.0.0.1", port))


def read_exactly(sock, count):
    data = b""
    while len(data) < count:
        part = sock.recv(count - len(data))
        if not part:
            raise OSError("short")
        data += part
    return data


def serve_connect(sock):
    head = b""
    while b"\r\n\r\n" not in head:
        head += read_exactly(sock, 1)
    method, target, _ = head.split(b" ", 2)
    host, port = target.rsplit(b":", 1)
    if method != b"CONNECT" or b"uthorization" in head:
        sock.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
        return
    try:
        other = connect(host, int(port))
    except OSError:
        sock.sendall(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")
        return
    sock.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
    copy_both_ways(sock, other)


def serve_tls_connect(sock):
    serve_connect(context("server").wrap_socket(sock, server_side=True))


def serve_socks(sock):
    """RFC 1928, by name only."""
    read_exactly(sock, read_exactly(sock, 2)[1])
    sock.sendall(b"\x05\x00")
    if read_exactly(sock, 4)[3] != 3:
        sock.sendall(b"\x05\x08\x00\x01" + bytes(6))
        return
    host = read_exactly(sock, read_exactly(sock, 1)[0])
    other = connect(host, int.from_bytes(read_exactly(sock, 2), "big"))
    sock.sendall(b"\x05\x00\x00\x01" + bytes(6))
    copy_both_ways(sock, other)


def serve_each(listener, serve):
    def run(sock):
        try:
            serve(sock)
        except OSError:
            pass
        finally:
            sock.close()

    while True:
        sock, _ = listener.accept()
        threading.Thread(target=run, args=(sock,), daemon=True).start()


def start_proxy(serve):
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)
    threading.Thread(target=serve_each, args=(listener, serve), daemon=True).start()
    return listener.getsockname()[1]


def start_server(kind, address):
    try:
        server = kind((address, 0), Handler)
    except OSError:
        return 0
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


make_ca("ca")
make_ca("other-ca")
make_cert("server", "ca", "DNS:localhost,DNS:api.test,DNS:kube.test,DNS:modern.test,IP:127.0.0.1,IP:::1")
make_cert("expired", "ca", "DNS:expired.test", days=-1)
make_cert("jane", "ca", "DNS:jane")
make_cert("joe", "ca", "DNS:joe")
ssl.SSLContext.sslsocket_class = Socket
CONTEXT = make_context()
print(start_server(Server, "127.0.0.1"), start_server(Server6, "::1"), start_proxy(serve_connect),
      start_proxy(serve_tls_connect), start_proxy(serve_socks), flush=True)
sys.stdin.read()
