# Sourced by demo.sh: the stand-in for Kubernetes. Sets kubeconfig, freeze, thaw.
start kubesim.log build/kubesim --dir "$results/kubesim" --ready-file "$results/kubesim.ready"
until [ -e "$results/kubesim.ready" ]; do
	kill -0 "${children%% *}" 2>/dev/null || { cat "$results/kubesim.log" >&2; exit 1; }
	sleep 0.05
done
kubeconfig=$results/kubesim/kubeconfig
freeze="build/kubesim ctl --dir $results/kubesim freeze"
thaw="build/kubesim ctl --dir $results/kubesim thaw"
