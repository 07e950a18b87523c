# Sourced by demo.sh: a real Kubernetes on this machine. Sets kubeconfig, freeze, thaw, began_kube.
if ! hack/kube.sh env >/dev/null 2>&1; then
	began_kube=yes
	hack/kube.sh up >"$results/kube.log" 2>&1 || { tail -n 1 "$results/kube.log" >&2; exit 1; }
fi
eval "$(hack/kube.sh env)"
kubeconfig=$KUBECONFIG
{
	tests/live/images.sh
	kubectl apply -k manifests/install
	kubectl wait --for=condition=Established crd/apps.rolecall.dev crd/clusters.rolecall.dev --timeout=30s
	kubectl delete clusters.rolecall.dev,apps.rolecall.dev --all --wait=false
} >>"$results/kube.log" 2>&1
freeze="python3 hack/demo/hold.py freeze"
thaw="python3 hack/demo/hold.py thaw"
