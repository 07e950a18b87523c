"""hold.py freeze|thaw POD: stops all processes of a pod's container on a real node, or lets them go on."""
import json
import os
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
TASK = {'freeze': 'pause', 'thaw': 'resume'}


def main():
    word, name = sys.argv[1:]
    pod = json.loads(subprocess.run(['kubectl', '-n', 'default', 'get', 'pod', name, '-o', 'json'], check=True,
                                    stdout=subprocess.PIPE).stdout)
    container = pod['status']['containerStatuses'][0]['containerID'].split('//')[1]
    subprocess.run([f'{ROOT}/hack/kube.sh', 'node', pod['spec']['nodeName'], 'ctr', '-a',
                    '/run/containerd/containerd.sock', '-n', 'k8s.io', 'task', TASK[word], container], check=True)


if __name__ == '__main__':
    main()
