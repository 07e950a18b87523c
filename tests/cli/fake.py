"""A stand-in for the API server, as small as the command line's error paths need: TLS, Clusters in memory, and faults.

It knows lists in pages, single objects, merge patches with a resourceVersion, watches and /version. What a test wants to go
wrong it puts into .faults; what was asked is in .requests. An operator can be imitated: .operator acts on annotations.
"""
import copy
import http.server
import json
import os
import re
import ssl
import subprocess
import threading
import urllib.parse

GROUP = '/apis/rolecall.dev/v1alpha1'


def certificate(folder):
    """A self-signed certificate for 127.0.0.1; its files' names."""
    crt, key = os.path.join(folder, 'tls.crt'), os.path.join(folder, 'tls.key')
    subprocess.run(['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes',
                    '-keyout', key, '-out', crt, '-days', '2', '-subj', '/CN=fake', '-addext',
                    'subjectAltName=IP:127.0.0.1'], check=True, capture_output=True)
    return crt, key


def status(code, reason, message, **details):
    return code, {'kind': 'Status', 'apiVersion': 'v1', 'status': 'Failure', 'code': code, 'reason': reason,
                  'message': message, 'details': details}


def merge(target, patch):
    """RFC 7396."""
    if not isinstance(patch, dict):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merge(result.get(key), value)
    return result


class Fake:
    def __init__(self, folder):
        self.crt, self.key = certificate(folder)
        self.lock = threading.Condition()
        self.ended = False
        fake = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = 'HTTP/1.1'
            disable_nagle_algorithm = True

            def do(self):
                fake.handle(self)

            do_GET = do_PATCH = do_POST = do_PUT = do_DELETE = do

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        self.server.daemon_threads = True
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.crt, self.key)
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True, do_handshake_on_connect=False)
        self.url = f'https://127.0.0.1:{self.server.server_address[1]}'
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()
        self.reset()

    def reset(self, *clusters):
        """Forgets everything but these Clusters."""
        with self.lock:
            self.version = 100
            self.page = 250
            self.faults = []     # functions of (method, path) that return an answer (code, body) or None
            self.requests = []   # (method, path, body)
            self.operator = None # function of a Cluster that changes it after a patch
            self.events = []     # (version, type, object)
            self.clusters = {}
            for cluster in clusters:
                self.put(copy.deepcopy(cluster))

    def close(self):
        with self.lock:
            self.ended = True
            self.lock.notify_all()
        self.server.shutdown()
        self.server.server_close()

    def put(self, cluster, event='MODIFIED'):
        """Stores a Cluster under a new version, and tells those who watch."""
        with self.lock:
            meta = cluster['metadata']
            self.version += 1
            meta['resourceVersion'] = str(self.version)
            if event == 'DELETED':
                self.clusters.pop((meta['namespace'], meta['name']), None)
            else:
                self.clusters[meta['namespace'], meta['name']] = cluster
            self.events.append((self.version, event, cluster))
            self.lock.notify_all()

    def sent(self, method):
        """The paths and bodies of the requests of this kind."""
        with self.lock:
            return [(path, body) for m, path, body in self.requests if m == method]

    def handle(self, handler):
        length = int(handler.headers.get('Content-Length') or 0)
        body = json.loads(handler.rfile.read(length)) if length else None
        with self.lock:
            self.requests.append((handler.command, handler.path, body))
            faults = list(self.faults)
            self.lock.notify_all()
        url = urllib.parse.urlsplit(handler.path)
        query = dict(urllib.parse.parse_qsl(url.query))
        for fault in faults:
            answer = fault(handler.command, handler.path)
            if answer:
                self.answer(handler, *answer)
                return
        if query.get('watch'):
            self.watch(handler, int(query['resourceVersion']))
            return
        with self.lock:
            answer = self.respond(handler.command, url.path, query, body)
        self.answer(handler, *answer)

    def answer(self, handler, code, body, headers=()):
        text = body if isinstance(body, bytes) else json.dumps(body).encode()
        try:
            handler.send_response(code)
            handler.send_header('Content-Length', str(len(text)))
            for name, value in headers:
                handler.send_header(name, value)
            handler.end_headers()
            handler.wfile.write(text)
        except OSError:
            handler.close_connection = True

    def respond(self, method, path, query, body):
        if path == '/version':
            return 200, {'major': '1', 'minor': '36', 'gitVersion': 'v1.36.3'}
        match = re.fullmatch(GROUP + r'(?:/namespaces/([^/]+))?/clusters(?:/([^/]+))?', path)
        if not match:
            return 404, b'404 page not found\n'
        namespace, name = match[1], match[2] and urllib.parse.unquote(match[2])
        if not name:
            return self.list(namespace, query)
        cluster = self.clusters.get((namespace, name))
        if not cluster:
            return status(404, 'NotFound', f'clusters.rolecall.dev "{name}" not found', name=name, kind='clusters')
        if method == 'PATCH':
            return self.patch(cluster, body)
        return 200, cluster

    def list(self, namespace, query):
        found = [c for (ns, _), c in sorted(self.clusters.items()) if namespace in (None, ns)]
        start = int(query.get('continue', 0))
        page = found[start:start + self.page]
        meta = {'resourceVersion': str(self.version)}
        if start + self.page < len(found):
            meta['continue'] = str(start + self.page)
        return 200, {'apiVersion': 'rolecall.dev/v1alpha1', 'kind': 'ClusterList', 'metadata': meta, 'items': page}

    def patch(self, cluster, body):
        version = body.get('metadata', {}).get('resourceVersion')
        if version != cluster['metadata']['resourceVersion']:
            return status(409, 'Conflict', 'the object has been modified')
        changed = merge(cluster, body)
        self.put(changed)
        if self.operator:
            acted = copy.deepcopy(changed)
            self.operator(acted)
            self.put(acted)
        return 200, changed

    def watch(self, handler, version):
        """Sends what happened after VERSION, as it happens, until the client or the fake ends."""
        handler.send_response(200)
        handler.send_header('Connection', 'close')
        handler.end_headers()
        handler.close_connection = True
        while True:
            with self.lock:
                self.lock.wait_for(lambda: self.ended or self.version > version)
                news = [e for e in self.events if e[0] > version]
                version = self.version
                if self.ended:
                    return
            try:
                for _, kind, cluster in news:
                    handler.wfile.write(json.dumps({'type': kind, 'object': cluster}).encode() + b'\n')
            except OSError:
                return
