#!/usr/bin/env python3
"""kubesim in the same conversation as a real API server, whose answers are in conversation.json (made by
tests/live/conversation_test.py record). Where the two may differ is listed in differences.py, with reasons."""
import conversation
import differences
from client import Client
from stand import Checks, Stand
from talk import Talk, recorded

def main():
    checks = Checks()
    with Stand() as stand, Client(stand.kubeconfig) as client:
        talk = Talk(client, conversation.BASE, lambda: stand.ctl('relist'))
        conversation.run(talk)
    real = recorded()
    checks.equal('what the rules say', talk.wrong, [])
    checks.equal('the same was asked', list(talk.answers), list(real))
    used = set()
    for name, answer in talk.answers.items():
        wrong = list(differences.forbidden(name, answer, real.get(name, {}), used))
        checks.check(name, not wrong, ''.join(wrong))
    checks.equal('every difference allowed is one', [d.reason for d in differences.ALLOWED if d not in used], [])
    checks.finish()


if __name__ == '__main__':
    main()
