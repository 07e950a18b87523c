"""What a Cluster's status says, as sentences (what changed) and as a table (how it is). Reads status only."""


def members(status):
    """(role, member) in the order of the status."""
    return [(role, member) for role in status.get('roles', []) for member in role.get('members', [])]


def queue(member):
    entries = member.get('stateDetail', {}).get('pendingNotifyCmds', [])
    return [f"{entry['event']}#{entry['id']}" for entry in entries]


def down(member):
    detail = member.get('stateDetail', {})
    return detail.get('downReason', 'down') if detail.get('downSince') else ''


def _member_changes(name, old, new):
    if old.get('state') != new.get('state'):
        yield f"{name} is {new.get('state')}"
    if old.get('podUpgradeStatus') != new.get('podUpgradeStatus') and new.get('podUpgradeStatus'):
        yield f"{name} is {new['podUpgradeStatus']}"
    if down(old) != down(new):
        yield f'{name} cannot be told anything: {down(new)}' if down(new) else f'{name} answers again'
    was, now = queue(old), queue(new)
    told, due = [e for e in was if e not in now], [e for e in now if e not in was]
    if told:
        yield f"{name} has digested {', '.join(told)}"
    if due:
        yield f"{name} shall hear {', '.join(due)}"


def changes(old, new):
    """A sentence for everything that differs between two statuses."""
    if old.get('state') != new.get('state'):
        yield f"the cluster is {new.get('state')}"
    if not old.get('upgradeInfo') and new.get('upgradeInfo'):
        yield f"upgradeInfo is there: the way from {new['upgradeInfo']['prevApp']} has begun"
    before = {member['pod']: member for _, member in members(old)}
    roles = {role['id']: role for role in old.get('roles', [])}
    for role in new.get('roles', []):
        status = role.get('roleUpgradeStatus')
        if status and status != roles.get(role['id'], {}).get('roleUpgradeStatus'):
            yield f"role {role['id']} is {status}"
    for role, member in members(new):
        yield from _member_changes(short(member['pod'], role), before.get(member['pod'], {}), member)
    if old.get('upgradeInfo') and not new.get('upgradeInfo'):
        yield 'upgradeInfo is gone: everybody has heard everything'


def short(pod, role):
    return f"{role['id']}-{pod.rsplit('-', 1)[1]}"


def pod_text(pod):
    """"ready 2.0" and the like: how its pod is, and the version of its image."""
    if not pod:
        return 'no pod'
    version = pod['spec']['containers'][0]['image'].rsplit(':', 1)[1]
    status = pod.get('status', {})
    if pod['metadata'].get('deletionTimestamp'):
        return f'ending {version}'
    if any(c['type'] == 'Ready' and c['status'] == 'True' for c in status.get('conditions', [])):
        return f'ready {version}'
    return f"{status.get('phase', 'Pending').lower()} {version}"


def table(status, pods):
    """Rows of texts; the first is the heading. PODS: by name."""
    rows = [('ROLE', 'MEMBER', 'POD', 'STATE', 'UPGRADE', 'QUEUE')]
    for role, member in members(status):
        rows.append((role['id'], short(member['pod'], role), pod_text(pods.get(member['pod'])),
                     'cannot be told' if down(member) else member.get('state', ''),
                     member.get('podUpgradeStatus', ''), ' '.join(queue(member))))
    return rows


def headline(status):
    info = status.get('upgradeInfo')
    way = f"{info['prevApp']} -> {info.get('toApp', '?')}" if info else status.get('app', '')
    return f"state {status.get('state', '-')}   app {way}   pending {status.get('pendingNotifies', 0)}   " \
           f"upgradeInfo {'there' if info else 'none'}"
