# The set "cp": etcd, API server, controller-manager, scheduler, DNS, and the machine's way in.

start_control_plane() {
	mkdir -p "$STATE/etcd"
	if make_set cp; then
		in_set cp bash -ec "ip link add node0 type bridge; ip addr add $CP_IP/24 dev node0; ip link set node0 up
			ip route add default dev node0"
	fi
	start_etcd
	start_apiserver
	wait_for 60 apiserver_ready || ended cp kube-apiserver
	say "API server is ready"
	start_controllers
	start_dns
	start_entrance
}

start_etcd() {
	# Tests need no durability; without fsync they are faster.
	start cp etcd "$BIN/etcd" --name e --data-dir "$STATE/etcd" --log-level warn --unsafe-no-fsync \
		--listen-client-urls http://127.0.0.1:2379 --advertise-client-urls http://127.0.0.1:2379 \
		--listen-peer-urls http://127.0.0.1:2380 --initial-advertise-peer-urls http://127.0.0.1:2380 \
		--initial-cluster e=http://127.0.0.1:2380
}

start_apiserver() {
	start cp kube-apiserver "$BIN/kube-apiserver" --etcd-servers=http://127.0.0.1:2379 \
		--secure-port=6443 --bind-address=0.0.0.0 --advertise-address=$CP_IP \
		--client-ca-file="$PKI/ca.crt" --tls-cert-file="$PKI/apiserver.crt" --tls-private-key-file="$PKI/apiserver.key" \
		--service-account-issuer=https://kubernetes.default.svc.cluster.local \
		--service-account-key-file="$PKI/sa.pub" --service-account-signing-key-file="$PKI/sa.key" \
		--service-cluster-ip-range=$SERVICE_CIDR --authorization-mode=Node,RBAC \
		--enable-admission-plugins=NodeRestriction --allow-privileged=true --enable-aggregator-routing=true \
		--kubelet-certificate-authority="$PKI/ca.crt" --kubelet-client-certificate="$PKI/kubelet-client.crt" \
		--kubelet-client-key="$PKI/kubelet-client.key" --kubelet-preferred-address-types=InternalIP \
		--endpoint-reconciler-type=lease
}

apiserver_ready() {
	alive cp kube-apiserver || ended cp kube-apiserver
	[ "$(in_set cp curl -s --cacert "$PKI/ca.crt" https://127.0.0.1:6443/readyz 2>/dev/null)" = ok ]
}

start_controllers() {
	local config=$STATE/kubeconfig
	start cp kube-controller-manager "$BIN/kube-controller-manager" --kubeconfig="$config/kcm" \
		--authentication-kubeconfig="$config/kcm" --authorization-kubeconfig="$config/kcm" \
		--service-account-private-key-file="$PKI/sa.key" --root-ca-file="$PKI/ca.crt" --client-ca-file="$PKI/ca.crt" \
		--cluster-signing-cert-file="$PKI/ca.crt" --cluster-signing-key-file="$PKI/ca.key" \
		--use-service-account-credentials=true --bind-address=127.0.0.1 --leader-elect=false \
		--node-monitor-period=2s --node-monitor-grace-period=40s
	start cp kube-scheduler "$BIN/kube-scheduler" --kubeconfig="$config/scheduler" \
		--authentication-kubeconfig="$config/scheduler" --authorization-kubeconfig="$config/scheduler" \
		--bind-address=127.0.0.1 --leader-elect=false
}

start_dns() {
	[ -x "$BIN/coredns" ] || return 0 # pods then have no names; no test of ours resolves any
	put "$STATE/Corefile" <<-END
		cluster.local:53 in-addr.arpa:53 {
		 errors
		 kubernetes cluster.local in-addr.arpa {
		  kubeconfig $STATE/kubeconfig/admin
		  pods insecure
		  ttl 5
		 }
		 cache 5
		 loadbalance
		}
		.:53 {
		 template ANY ANY {
		  rcode NXDOMAIN
		 }
		}
	END
	start cp coredns "$BIN/coredns" -conf "$STATE/Corefile"
}

# The net namespaces have no link to the machine's: 127.0.0.1:HOST_PORT -> unix socket -> 127.0.0.1:6443 inside.
start_entrance() {
	start cp entrance socat UNIX-LISTEN:"$STATE/api.sock",fork,unlink-early,mode=600 TCP:127.0.0.1:6443
	entrance_alive && return 0
	setsid socat "TCP-LISTEN:$HOST_PORT,bind=127.0.0.1,fork,reuseaddr" UNIX-CONNECT:"$STATE/api.sock" \
		</dev/null >"$STATE/cp/log/entrance-host.log" 2>&1 &
	echo $! >"$STATE/entrance.pid"
	wait_for 10 entrance_open || die "127.0.0.1:$HOST_PORT does not answer: $(cat "$STATE/cp/log/entrance-host.log")"
}

entrance_alive() {
	local pid
	pid=$(cat "$STATE/entrance.pid" 2>/dev/null) && [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = socat ]
}

entrance_open() {
	entrance_alive && curl -s --cacert "$PKI/ca.crt" "https://127.0.0.1:$HOST_PORT/readyz" >/dev/null 2>&1
}

stop_entrance() {
	! entrance_alive || kill "$(cat "$STATE/entrance.pid")"
	rm -f "$STATE/entrance.pid" "$STATE/api.sock"
}

kubectl_inside() { in_set cp env KUBECONFIG="$STATE/kubeconfig/admin" HOME=/run "$BIN/kubectl" "$@"; }

# Pods of the default namespace are refused until the controller-manager has made its service account.
wait_default_account() { wait_for 30 default_account || die "no default service account"; }
default_account() { kubectl_inside get sa default >/dev/null 2>&1; }
