"""The few requests that the demo makes, and a watch that saves what it sees. Python's standard library and PyYAML."""
import base64
import http.client
import json
import os
import queue
import ssl
import tempfile
import threading
import urllib.parse

import yaml

API = '/apis/rolecall.dev/v1alpha1/namespaces/'


class Refused(Exception):
    """The API server said no; the text is what it said."""


class Server:
    """The server of a kubeconfig's current context, by token or client certificate."""

    def __init__(self, kubeconfig):
        with open(kubeconfig) as file:
            config = yaml.safe_load(file)
        context = self._named(config['contexts'], config['current-context'])['context']
        cluster = self._named(config['clusters'], context['cluster'])['cluster']
        user = self._named(config['users'], context['user'])['user']
        folder = os.path.dirname(os.path.abspath(kubeconfig))
        self.address = urllib.parse.urlsplit(cluster['server'])
        self.headers = {'Authorization': 'Bearer ' + user['token']} if 'token' in user else {}
        self.tls = ssl.create_default_context(cadata=self._pem(cluster, 'certificate-authority', folder))
        if 'client-certificate' in user or 'client-certificate-data' in user:
            self._load_certificate(user, folder)

    @staticmethod
    def _named(entries, name):
        return next(entry for entry in entries if entry['name'] == name)

    @staticmethod
    def _pem(entry, key, folder):
        if key + '-data' in entry:
            return base64.b64decode(entry[key + '-data']).decode()
        with open(os.path.join(folder, entry[key])) as file:
            return file.read()

    def _load_certificate(self, user, folder):
        with tempfile.NamedTemporaryFile('w', suffix='.pem') as file:  # ssl reads certificates from files only
            file.write(self._pem(user, 'client-certificate', folder) + '\n' + self._pem(user, 'client-key', folder))
            file.flush()
            self.tls.load_cert_chain(file.name)

    def connect(self, timeout=30):
        return http.client.HTTPSConnection(self.address.hostname, self.address.port, timeout=timeout, context=self.tls)

    def ask(self, method, path, body=None, kind='application/json'):
        connection = self.connect()
        try:
            connection.request(method, self.address.path.rstrip('/') + path, body and json.dumps(body),
                               {**self.headers, 'Content-Type': kind, 'Accept': 'application/json'})
            answer = connection.getresponse()
            text = answer.read().decode()
        finally:
            connection.close()
        if answer.status >= 300:
            try:
                text = json.loads(text)['message']
            except (ValueError, KeyError):
                pass
            raise Refused(f'{answer.status}: {text.strip()}')
        return json.loads(text)

    def create(self, namespace, plural, item):
        return self.ask('POST', f'{API}{namespace}/{plural}', item)

    def patch(self, namespace, plural, name, change):
        return self.ask('PATCH', f'{API}{namespace}/{plural}/{name}', change, 'application/merge-patch+json')

    def delete(self, namespace, plural, name):
        return self.ask('DELETE', f'{API}{namespace}/{plural}/{name}')


class Watch:
    """Events of one kind in one namespace, as a queue of (type, object); None when the watch ended."""

    def __init__(self, server, path, save_as=None):
        self.events = queue.SimpleQueue()
        self.connection = server.connect(timeout=None)
        self.connection.request('GET', server.address.path.rstrip('/') + path + '?watch=1', headers=server.headers)
        self.answer = self.connection.getresponse()
        self.file = open(save_as, 'w') if save_as else None
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        try:
            for line in self.answer:
                if self.file:
                    self.file.write(line.decode())
                    self.file.flush()
                event = json.loads(line)
                self.events.put((event['type'], event['object']))
        except (OSError, ValueError, http.client.HTTPException):
            pass
        self.events.put(None)
