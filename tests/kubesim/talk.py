"""A conversation with an API server, kept in a form that two servers can be compared in.

What no two servers have in common is replaced: times, ages, managedFields, generated names. Uids and versions of objects
are numbered in the order in which they come up, so that "the same version as before" is compared, too.
"""
import json
import os
import re

RECORDED = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'conversation.json')
GENERATED = re.compile(r'^gen-[bcdfghjklmnpqrstvwxz2456789]{5}$')
TIME = re.compile(r'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$')
AGE = re.compile(r'(\d+[smh])+$')
MANY = re.compile(r' is invalid: \[.*\]$', re.S)
DROPPED = {'managedFields', 'storageVersionHash'}


class Normal:
    """Numbers of one conversation."""

    def __init__(self):
        self.numbers = {}

    def number(self, kind, value):
        known = self.numbers.setdefault(kind, {})
        return f'{kind}-{known.setdefault(value, len(known) + 1)}'

    def text(self, text):
        if TIME.match(text):
            return '<time>'
        if AGE.match(text):
            return '<age>'
        for uid in self.numbers.get('uid', {}):
            text = text.replace(uid, self.number('uid', uid))
        return re.sub(r'\(\d+\)', '(<version>)', GENERATED.sub('gen-*****', text))

    def meta(self, meta):
        meta = dict(meta)
        if 'uid' in meta and 'resourceVersion' not in meta:
            meta['uid'] = '<of a dry run>'
        elif 'uid' in meta:
            meta['uid'] = self.number('uid', meta['uid'])
            meta['resourceVersion'] = self.number('version', meta['resourceVersion'])
        elif 'resourceVersion' in meta:
            meta['resourceVersion'] = '<version>'
        if meta.get('continue'):
            meta['continue'] = '<continue>'
        return meta

    def refusal(self, status):
        """The mistakes of a refusal come in any order."""
        causes = status.get('details', {}).get('causes')
        if causes:
            status['details']['causes'] = sorted(causes, key=json.dumps)
        if causes and len(causes) > 1:
            status['message'] = MANY.sub(' is invalid: <causes>', status['message'])
        if 'uid' in status.get('details', {}):
            status['details']['uid'] = self.number('uid', status['details']['uid'])
        return status

    def value(self, value):
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.value(item) for item in value]
        if not isinstance(value, dict):
            return value
        value = {key: item for key, item in value.items() if key not in DROPPED}
        if isinstance(value.get('metadata'), dict):
            value['metadata'] = self.meta(value['metadata'])
        if value.get('kind') == 'APIResourceList':
            value['resources'] = sorted(({**r, 'verbs': sorted(r['verbs'])} for r in value['resources']),
                                        key=lambda r: r['name'])
        if value.get('kind') == 'Status':
            value = self.refusal(value)
        return {key: self.value(item) for key, item in value.items()}


def recorded():
    """What a real API server has answered: by question, {"code", "answer"}."""
    with open(RECORDED) as file:
        return json.load(file)


def record(answers):
    """One question a line."""
    lines = (f'{json.dumps(name)}: {json.dumps(answer, sort_keys=True)}' for name, answer in answers.items())
    with open(RECORDED, 'w') as file:
        file.write('{\n' + ',\n'.join(lines) + '\n}\n')


def parsed(text):
    try:
        return json.loads(text)
    except ValueError:
        return text.strip()


class Talk:
    """What was asked, by name, and what came back; and whether it was as the question itself says it should be."""

    def __init__(self, client, base, compact=None):
        self.client, self.base, self.normal = client, base, Normal()
        self.compact = compact  # makes the server forget old versions; None: this one cannot be made to
        self.answers, self.wrong = {}, []

    def keep(self, name, code, answer):
        assert name not in self.answers, f'two questions are called {name}'
        self.answers[name] = {'code': code, 'answer': self.normal.value(answer)}

    def ask(self, name, method, path, body=None, *, brief=False, **options):
        """The answer as it came. BRIEF: of an answer without error only the code is kept."""
        path = path if path.startswith('/') else f'{self.base}/{path}'
        code, text = self.client.send(method, path, body, **options)
        answer = parsed(text)
        self.keep(name, code, '' if brief and code < 300 else answer)
        return answer

    def judge(self, name, want, words, *arguments, **options):
        """A question that says itself what is right: WANT "+", or "-" and a refusal with WORDS."""
        answer = self.ask(name, *arguments, brief=True, **options)
        got = '+' if self.answers[name]['code'] < 300 else '-'
        if got != want or (want == '-' and words not in json.dumps(answer)):
            self.wrong.append(f'{name}: wanted {want} "{words}", got {self.answers[name]}')

    def watch(self, name, path, count):
        code, events = self.client.watch(f'{self.base}/{path}', count)
        self.keep(name, code, events)
        return events
