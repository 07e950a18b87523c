"""Clusters as the operator writes them."""
import copy


def member(pod, node, state='configured', queue=(), upgrade=None, **detail):
    m = {'pod': pod, 'nodeID': node, 'state': state,
         'stateDetail': {'lastSetupGeneration': 1, 'lastConfiguredContainer': f'containerd://{node}',
                         'lastKnownContainerState': 'running', **detail}}
    if queue:
        m['stateDetail']['pendingNotifyCmds'] = list(queue)
    if upgrade:
        m['podUpgradeStatus'] = upgrade
    return m


def cluster(name, app='shop-v1', namespace='default', **status):
    return {
        'apiVersion': 'rolecall.dev/v1alpha1', 'kind': 'Cluster',
        'metadata': {'name': name, 'namespace': namespace, 'uid': f'uid-{name}', 'generation': 1,
                     'creationTimestamp': '2026-01-01T00:00:00Z', 'managedFields': [{'manager': 'kubectl'}]},
        'spec': {'app': app, 'roles': [{'id': 'front', 'members': 2}, {'id': 'db', 'members': 2}], 'upgrade': {'maxUnavailable': 1}},
        'status': {'state': 'configured', 'app': app, 'readyMembers': '4/4', 'pendingNotifies': 0, **status},
    }


def quiet(name='shop', **more):
    """All is well."""
    return cluster(
        name, **more,
        roles=[{'id': 'front', 'statefulSet': f'{name}-front-1a2b3',
                'members': [member(f'{name}-front-1a2b3-{i}', i + 1) for i in range(2)]},
               {'id': 'db', 'statefulSet': f'{name}-db-9c8d7',
                'members': [member(f'{name}-db-9c8d7-{i}', i + 3) for i in range(2)]}],
        lastPlans=[{'id': 1, 'kind': 'create', 'phase': 'Done', 'outcome': 'Succeeded', 'toApp': 'shop-v1',
                    'startedAt': '2026-01-01T00:00:00Z', 'completedAt': '2026-01-01T00:01:00Z',
                    'steps': [{'name': 'plan-completed', 'status': 'Done'}]}],
        conditions=[{'type': 'Ready', 'status': 'True', 'reason': 'AllMembersReady', 'message': '4 of 4 members serve'},
                    {'type': 'Progressing', 'status': 'True', 'reason': 'PlanCompleted', 'message': 'create: Succeeded'}])


def upgrading():
    """An upgrade that a member in config error and one that is down hold up."""
    c = quiet()
    c['spec']['app'] = 'shop-v2'
    s = c['status']
    s.update(state='updating', app='shop-v2', readyMembers='2/4', pendingNotifies=4,
             upgradeInfo={'prevApp': 'shop-v1', 'toApp': 'shop-v2', 'startedAt': '2026-01-02T00:00:00Z'},
             plan={'id': 2, 'kind': 'upgrade', 'phase': 'Stalled', 'fromApp': 'shop-v1', 'toApp': 'shop-v2',
                   'startedAt': '2026-01-02T00:00:00Z',
                   'steps': [{'name': 'role front', 'status': 'Done', 'startedAt': '2026-01-02T00:00:00Z',
                              'completedAt': '2026-01-02T00:01:00Z'},
                             {'name': 'role db', 'status': 'Running', 'startedAt': '2026-01-02T00:01:00Z'},
                             {'name': 'notify', 'status': 'Pending'}, {'name': 'plan-completed', 'status': 'Pending'}],
                   'warnings': [{'step': 'role db', 'time': '2026-01-02T00:02:00Z', 'count': 5,
                                 'message': 'shop-db-9c8d7-1: pod_upgraded ended with exit code 1'}]},
             conditions=[{'type': 'Progressing', 'status': 'False', 'reason': 'ProgressDeadlineExceeded',
                          'lastTransitionTime': '2026-01-02T00:12:00Z',
                          'message': 'upgrade: waiting for shop-db-9c8d7-1 (config error)'},
                         {'type': 'Degraded', 'status': 'True', 'reason': 'ConfigError',
                          'lastTransitionTime': '2026-01-02T00:03:00Z',
                          'message': 'shop-db-9c8d7-1 (pod_upgraded failed 5 times)'}])
    front, db = s['roles']
    front.update(roleUpgradeStatus='upgraded', members=[
        member('shop-front-1a2b3-0', 1, upgrade='upgraded'),
        member('shop-front-1a2b3-1', 2, upgrade='upgraded', downSince='2026-01-02T00:01:30Z',
               downReason='there is no pod', lastKnownContainerState='absent',
               queue=[{'id': 11, 'event': 'configure'}, {'id': 9, 'event': 'role_upgraded'}])])
    db.update(roleUpgradeStatus='upgrading', waitingFor='MaxUnavailable: shop-db-9c8d7-0: 1 of 1 is not serving', members=[
        member('shop-db-9c8d7-0', 3),
        member('shop-db-9c8d7-1', 4, state='config error', upgrade='upgrading',
               configErrorDetail='pod_upgraded failed 5 times',
               queue=[{'id': 8, 'event': 'pod_upgraded', 'attempts': 5, 'lastExitCode': 1,
                       'lastError': 'cannot migrate:\n\x1b[31mdisk full'},
                      {'id': 10, 'event': 'cluster_upgraded'}])])
    return c


def changed(c, **spec):
    c = copy.deepcopy(c)
    c['spec'].update(spec)
    return c
