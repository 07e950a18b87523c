# Certificates and kubeconfig files.

make_pki() {
	mkdir -p "$PKI" "$STATE/kubeconfig"
	[ -f "$PKI/ca.crt" ] || make_ca
	local names=IP:127.0.0.1,IP:$CP_IP,IP:$SERVICE_IP,DNS:localhost,DNS:kubernetes,DNS:kubernetes.default
	names=$names,DNS:kubernetes.default.svc,DNS:kubernetes.default.svc.cluster.local
	make_cert apiserver /CN=kube-apiserver "$names"
	make_cert admin /O=system:masters/CN=admin
	make_cert kcm /CN=system:kube-controller-manager
	make_cert scheduler /CN=system:kube-scheduler
	make_cert proxy /CN=system:kube-proxy
	make_cert kubelet-client /O=system:masters/CN=kube-apiserver-kubelet-client

	local user
	for user in admin kcm scheduler proxy; do make_kubeconfig $user $user "https://$CP_IP:6443"; done
	make_kubeconfig host admin "https://127.0.0.1:$HOST_PORT"
}

make_ca() {
	openssl ecparam -name prime256v1 -genkey -noout -out "$PKI/ca.key"
	openssl req -x509 -new -key "$PKI/ca.key" -subj /CN=rolecall-test-ca -days 3650 -out "$PKI/ca.crt"
	openssl genrsa -out "$PKI/sa.key" 2048 2>/dev/null
	openssl rsa -in "$PKI/sa.key" -pubout -out "$PKI/sa.pub" 2>/dev/null
}

# make_cert NAME SUBJECT [ALTERNATIVE NAMES]
make_cert() {
	[ ! -f "$PKI/$1.crt" ] || return 0
	local extensions=$PKI/$1.ext
	printf '%s\n' keyUsage=digitalSignature extendedKeyUsage=clientAuth,serverAuth ${3:+"subjectAltName=$3"} >"$extensions"
	openssl ecparam -name prime256v1 -genkey -noout -out "$PKI/$1.key"
	openssl req -new -key "$PKI/$1.key" -subj "$2" |
		openssl x509 -req -CA "$PKI/ca.crt" -CAkey "$PKI/ca.key" -CAcreateserial -days 3650 -extfile "$extensions" \
			-out "$PKI/$1.crt" 2>/dev/null
}

# make_kubeconfig FILE USER SERVER
make_kubeconfig() {
	put "$STATE/kubeconfig/$1" <<-END
		apiVersion: v1
		kind: Config
		clusters: [{name: test, cluster: {server: "$3", certificate-authority: $PKI/ca.crt}}]
		users: [{name: $2, user: {client-certificate: $PKI/$2.crt, client-key: $PKI/$2.key}}]
		contexts: [{name: test, context: {cluster: test, user: $2}}]
		current-context: test
	END
}
