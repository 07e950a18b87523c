# The binaries: one program that is every Kubernetes daemon, kubectl and etcd, with a link for each; and CoreDNS.

has_binaries() { [ -x "$BIN/kube-apiserver" ] && [ -x "$BIN/kubelet" ] && [ -x "$BIN/etcd" ] && [ -x "$BIN/kubectl" ]; }

build_binaries() {
	command -v go >/dev/null || cannot "no Go to build Kubernetes with"
	say "building Kubernetes $KUBE_VERSION and etcd $ETCD_VERSION (about 7 minutes, once)"
	export GOTOOLCHAIN=auto GOFLAGS="-buildvcs=false -mod=mod"
	build_folder=$(mktemp -d)
	trap 'rm -rf "$build_folder"' EXIT
	# Beside the cache and moved there at the end, so that a build that was cut is not taken for a whole one.
	mkdir -p "$(dirname "$CACHE")" "$build_folder/bin"
	(build_hyper)
	(build_coredns)
	rm -rf "$CACHE.new" "$CACHE"
	cp -a "$build_folder/bin" "$CACHE.new"
	mv "$CACHE.new" "$CACHE"
	say "built into $CACHE"
}

# k8s.io/kubernetes requires its staging modules at v0.0.0; each is published as v0.MINOR.PATCH.
write_hyper_modules() {
	local upstream
	upstream=$(go mod download -json "k8s.io/kubernetes@v$KUBE_VERSION" |
		python3 -c 'import json, sys; print(json.load(sys.stdin)["GoMod"])')
	printf 'module rolecall.test/hyper\n\n'
	grep '^go ' "$upstream"
	echo "require k8s.io/kubernetes v$KUBE_VERSION"
	echo "require go.etcd.io/etcd/server/v3 v$ETCD_VERSION"
	grep -oE '=> ./staging/src/[^ ]+' "$upstream" | sed 's,.*src/,,' | sort -u |
		sed "s,.*,replace & => & v0.${KUBE_VERSION#1.},"
}

build_hyper() {
	mkdir "$build_folder/hyper"
	cd "$build_folder/hyper" || return
	write_hyper_source >main.go
	printf 'module rolecall.test/hyper\n\ngo 1.24\n' >go.mod
	write_hyper_modules >go.mod.new
	mv go.mod.new go.mod
	go mod tidy 2>&1 | tail -1
	local version=k8s.io/component-base/version minor
	minor=$(cut -d. -f2 <<<"$KUBE_VERSION")
	go build -trimpath -o "$build_folder/bin/hyper" -ldflags="-s -w -X $version.gitVersion=v$KUBE_VERSION \
		-X $version.gitMajor=1 -X $version.gitMinor=$minor"
	local name
	for name in etcd kube-apiserver kube-controller-manager kube-scheduler kubelet kube-proxy kubectl; do
		ln -s hyper "$build_folder/bin/$name"
	done
}

write_hyper_source() {
	cat <<'END'
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	_ "time/tzdata"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/etcdmain"
	_ "k8s.io/client-go/plugin/pkg/client/auth"
	"k8s.io/component-base/cli"
	"k8s.io/component-base/logs"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	kubectl "k8s.io/kubectl/pkg/cmd"
	kubectlutil "k8s.io/kubectl/pkg/cmd/util"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	kcm "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	proxy "k8s.io/kubernetes/cmd/kube-proxy/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"
)

func main() {
	var command *cobra.Command
	switch name := filepath.Base(os.Args[0]); name {
	case "etcd":
		etcdmain.Main(os.Args)
		return
	case "kubectl":
		logs.GlogSetter(kubectl.GetLogVerbosity(os.Args))
		if err := cli.RunNoErrOutput(kubectl.NewDefaultKubectlCommand()); err != nil {
			kubectlutil.CheckErr(err)
		}
		return
	case "kube-apiserver":
		command = apiserver.NewAPIServerCommand()
	case "kube-controller-manager":
		command = kcm.NewControllerManagerCommand()
	case "kube-scheduler":
		command = scheduler.NewSchedulerCommand()
	case "kube-proxy":
		command = proxy.NewProxyCommand()
	case "kubelet":
		command = kubelet.NewKubeletCommand(context.Background())
	default:
		fmt.Fprintln(os.Stderr, "no such program:", name)
		os.Exit(2)
	}
	os.Exit(cli.Run(command))
}
END
}

build_coredns() {
	mkdir "$build_folder/coredns"
	cd "$build_folder/coredns" || return
	write_coredns_source >main.go
	printf 'module rolecall.test/coredns\n\ngo 1.24\n' >go.mod
	go get "github.com/coredns/coredns@v$DNS_VERSION" 2>&1 | tail -1
	go mod tidy 2>&1 | tail -1
	go build -trimpath -ldflags="-s -w" -o "$build_folder/bin/coredns"
}

# Only the plugins that a cluster needs.
write_coredns_source() {
	cat <<'END'
package main

import (
	_ "github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/coremain"
	_ "github.com/coredns/coredns/plugin/cache"
	_ "github.com/coredns/coredns/plugin/errors"
	_ "github.com/coredns/coredns/plugin/kubernetes"
	_ "github.com/coredns/coredns/plugin/loadbalance"
	_ "github.com/coredns/coredns/plugin/template"
)

func main() { coremain.Run() }
END
}
