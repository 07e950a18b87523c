#!/usr/bin/env python3
"""The conversation of tests/kubesim with a real API server: it must answer as tests/kubesim/conversation.json says, which
kubesim is then compared with where no cluster is. conversation_test.py record: writes that file anew."""
import json
import os
import sys

from lib import KUBECONFIG, ROOT, Checks, Refused, kubectl, run

sys.path.insert(0, os.path.join(ROOT, 'tests', 'kubesim'))
import conversation
from client import Client
from talk import Talk, record, recorded

ETCD = 'http://127.0.0.1:2379/v3/kv/'


def etcd(call, **body):
    return json.loads(run(f'{ROOT}/hack/kube.sh', 'node', 'cp', 'curl', '-sf', ETCD + call, '-d', json.dumps(body)))


def compact():
    """Makes etcd forget all versions but the newest."""
    revision = etcd('range', key='Lw==')['header']['revision']
    etcd('compaction', revision=revision, physical=True)


def may_compact():
    """Only of our own Kubernetes: another's etcd is not ours to touch."""
    try:
        return 'KUBECONFIG_LIVE' not in os.environ and bool(etcd('range', key='Lw=='))
    except (Refused, ValueError):
        return False


def main():
    checks = Checks()
    with Client(KUBECONFIG) as client:
        talk = Talk(client, conversation.BASE, compact if may_compact() else None)
        try:
            conversation.run(talk)
        finally:
            kubectl('delete', 'namespace', conversation.NAMESPACE, '--ignore-not-found')
    if sys.argv[1:] == ['record']:
        record(talk.answers)
    known = recorded()
    checks.equal('what the rules say', talk.wrong, [])
    for name, answer in talk.answers.items():
        checks.equal(name, answer, known.get(name))
    unasked = [name for name in known if name not in talk.answers]
    if unasked and not talk.compact:
        checks.skipped = len(unasked)
        checks.say(f'skipped: etcd of this Kubernetes is not ours to compact: {", ".join(unasked)}')
    else:
        checks.equal('nothing is recorded that was not asked', unasked, [])
    checks.finish()


if __name__ == '__main__':
    main()
