"""Raw HTTPS requests to an API server, as its kubeconfig says: one connection, one request at a time."""
import base64
import http.client
import json
import os
import ssl
import tempfile
import time
import urllib.parse

import yaml

JSON = 'application/json'
IDLE_S = 20  # an API server closes a connection on which nothing happened for a while (Go: 90 s): ours goes before
TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json'
PATCHES = {'merge': 'application/merge-patch+json', 'json': 'application/json-patch+json',
           'apply': 'application/apply-patch+yaml', 'strategic': 'application/strategic-merge-patch+json'}


class Client:
    """One that may be used as a context manager."""

    def __init__(self, kubeconfig, token=None):
        with open(kubeconfig) as file:
            config = yaml.safe_load(file)
        cluster, user = config['clusters'][0]['cluster'], config['users'][0]['user']
        self.token = token or user.get('token')
        self.address = urllib.parse.urlsplit(cluster['server'])
        self.folder = os.path.dirname(os.path.abspath(kubeconfig))
        self.context = ssl.create_default_context(cafile=self._file(cluster, 'certificate-authority'))
        if 'client-certificate' in user or 'client-certificate-data' in user:
            self.context.load_cert_chain(self._file(user, 'client-certificate'), self._file(user, 'client-key'))
        self.connection, self.used_at = self.connect(), time.monotonic()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()

    def connect(self):
        return http.client.HTTPSConnection(self.address.hostname, self.address.port, context=self.context, timeout=30)

    def _file(self, entry, key):
        if key in entry:
            return os.path.join(self.folder, entry[key])
        with tempfile.NamedTemporaryFile(delete=False) as file:
            file.write(base64.b64decode(entry[key + '-data']))
        return file.name

    def headers(self, accept, content_type=None):
        headers = {'Accept': accept}
        if content_type:
            headers['Content-Type'] = content_type
        if self.token:
            headers['Authorization'] = 'Bearer ' + self.token
        return headers

    def send(self, method, path, body=None, content_type=JSON, accept=JSON):
        """(code, text)"""
        text = body if body is None or isinstance(body, str) else json.dumps(body)
        if time.monotonic() - self.used_at > IDLE_S:
            self.connection.close()  # the request opens it again
        self.connection.request(method, path, text, self.headers(accept, content_type if text is not None else None))
        answer = self.connection.getresponse()
        text = answer.read().decode()
        self.used_at = time.monotonic()
        return answer.status, text

    def call(self, *arguments, **options):
        """(code, the answer as JSON)"""
        code, text = self.send(*arguments, **options)
        return code, json.loads(text)

    def until(self, path, condition):
        """Watches one object until the condition holds; returns it, or None when it is deleted. 30 s of silence: an error."""
        connection = self.connect()
        connection.request('GET', path + ('&' if '?' in path else '?') + 'watch=1', headers=self.headers(JSON))
        for line in connection.getresponse():
            event = json.loads(line)
            tree = None if event['type'] == 'DELETED' else event['object']
            if tree is None or condition(tree):
                break
        connection.close()
        return tree

    def watch(self, path, count):
        """The code and the first COUNT events of a watch, on a connection of its own; fewer if it ends before."""
        connection = self.connect()
        connection.request('GET', path, headers=self.headers(JSON))
        answer = connection.getresponse()
        if answer.status != 200:
            events = [json.loads(answer.read())]
        else:
            lines = (answer.readline() for _ in range(count))
            events = [json.loads(line) for line in lines if line]
        connection.close()
        return answer.status, events
