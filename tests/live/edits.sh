#!/bin/bash
# edits.sh: what the API server itself accepts and refuses, as a table: + accepted, - refused with a message that holds
# WORDS. Needs kubectl and KUBECONFIG, and the CRDs applied. No operator: status is written here, as an operator would.
set -u
cd "$(dirname "$0")" || exit 2
NS=rolecall-edits
CRD=../../crd/cluster.yaml
passed=0 failed=0

k() { kubectl -n $NS "$@"; }

try() { # try +|- WORDS WHAT COMMAND...
	local want=$1 words=$2 what=$3 out got=-
	shift 3
	out=$("$@" 2>&1) && got=+
	if [ $got = "$want" ] && [[ $out == *"$words"* ]]; then
		passed=$((passed + 1))
		printf 'ok   %s %s\n' "$want" "$what"
	else
		failed=$((failed + 1))
		printf 'FAIL wanted %s "%s": %s\n%s\n' "$want" "$words" "$what" "$out"
	fi
}

app() { # app NAME: an App with a pod template
	printf '%s\n' "apiVersion: rolecall.dev/v1alpha1" "kind: App" "metadata: {name: $1}" "spec:" \
		"  {label: {name: edits}, distroID: test/edits, version: '1.0', configSchemaVersion: 8, upgradable: true," \
		"  defaultImageRepoTag: 'a:1', config: {selectedRoles: [w]}, roles: [{id: w, cardinality: 1+, handler: {exec: {command: [h]}}," \
		"  podTemplate: {spec: {terminationGracePeriodSeconds: 1, containers: [{name: app}]}}}]}"
}
cluster() { # cluster SPEC: a new Cluster "a"
	k delete rcl a --ignore-not-found >/dev/null 2>&1
	printf '{"apiVersion": "rolecall.dev/v1alpha1", "kind": "Cluster", "metadata": {"name": "a"}, "spec": %s}\n' "$1"
}
spec() { k patch rcl a --type merge -p "{\"spec\":$1}"; }
status() { k patch rcl a --subresource status --type merge -p "{\"status\":$1}"; }
json() { k patch "$1" "$2" --type json -p "[$3]"; }
queue() { printf '[{"id":"w","members":[{"pod":"a-w-0","stateDetail":{"pendingNotifyCmds":%s}}]}]' "$1"; }

examples() {
	try + "" "manifests/examples" k apply --dry-run=server -k ../../manifests/examples
}

an_app() {
	try + "" "an App" k apply -f - < <(app v1)
	try + "" "App: a label" k label rapp v1 colour=red
	local change
	while IFS='|' read -r what change; do
		try - "an App is immutable" "App: $what" json rapp v1 "$change"
	done <<-'END'
		version|{"op":"replace","path":"/spec/version","value":"1.1"}
		a new field|{"op":"add","path":"/spec/defaultEventList","value":["configure"]}
		a field removed|{"op":"remove","path":"/spec/upgradable"}
		handler|{"op":"replace","path":"/spec/roles/0/handler/timeoutSeconds","value":7}
		podTemplate, a value deep inside|{"op":"replace","path":"/spec/roles/0/podTemplate/spec/containers/0/name","value":"b"}
		podTemplate, another key in its spec|{"op":"replace","path":"/spec/roles/0/podTemplate/spec","value":{"nodeName":"n","containers":[]}}
		podTemplate, metadata added|{"op":"add","path":"/spec/roles/0/podTemplate/metadata","value":{"labels":{"a":"b"}}}
		podTemplate removed|{"op":"remove","path":"/spec/roles/0/podTemplate"}
	END
	try - "podTemplate" "App: podTemplate with other keys" json rapp v1 \
		'{"op":"replace","path":"/spec/roles/0/podTemplate","value":{"metadate":{}}}'
	try - "selectedRoles" "App: a selected role that is not there" k apply -f - < <(app bad | sed 's/selectedRoles: .w./selectedRoles: [x]/')
	try - "imageRepoTag" "App: no image at all" k apply -f - < <(app bad | sed "s/defaultImageRepoTag: 'a:1',//")

	try + "" "App: in use" k patch rapp v1 --subresource status --type merge -p '{"status":{"usedBy":["shop","blog"]}}'
	try - "in use by: shop, blog" "App: deletion in use" k delete rapp v1
	try - "in use by: shop, blog" "App: deletion of all in use" k delete rapp --all
	try + "" "App: no longer in use" k patch rapp v1 --subresource status --type merge -p '{"status":{"usedBy":[]}}'
	try + "" "App: deletion" k delete rapp v1
}

a_cluster() {
	local r='{"id":"w","members":2,"resources":{"limits":{"cpu":1}}}'
	try - "at most 1000 members" "1001 members" k apply -f - \
		< <(cluster '{"app":"v1","roles":[{"id":"w","members":600},{"id":"x","members":401}]}')
	try + "" "a Cluster" k apply -f - < <(cluster "{\"app\":\"v1\",\"roles\":[$r,{\"id\":\"x\"}]}")
	try - "not changeable yet: roles cannot be added" "idle: add a role" spec "{\"roles\":[$r,{\"id\":\"x\"},{\"id\":\"y\"}]}"
	try - "not changeable yet: roles cannot be added" "idle: remove a role" spec "{\"roles\":[$r]}"
	try + "" "idle: roles in another order" spec "{\"roles\":[{\"id\":\"x\"},$r]}"
	try - "changed alone" "idle: app and roles in one edit" spec "{\"app\":\"v2\",\"roles\":[{\"id\":\"w\",\"members\":3},{\"id\":\"x\"}]}"
	try + "" "status: running v1, id 7" status '{"app":"v1","lastNotifyID":7,"state":"configured"}'
	try + "" "app v1 -> v2" spec '{"app":"v2"}'
	try - "an upgrade is in progress" "taken up not yet: roleOrder" spec '{"upgrade":{"roleOrder":["x"]}}'
	try - "an upgrade from v1 is asked for" "taken up not yet: app v3" spec '{"app":"v3"}'
	try + "" "taken up not yet: app back" spec '{"app":"v1"}'
	try + "" "app v1 -> v2 again" spec '{"app":"v2"}'
	try + "" "status: upgradeInfo, queue of one" status \
		"{\"app\":\"v2\",\"upgradeInfo\":{\"prevApp\":\"v1\"},\"lastNotifyID\":8,\"roles\":$(queue '[{"id":8,"event":"role_upgraded"}]')}"
	try - "an upgrade from v1 is in progress" "upgrading: app v3" spec '{"app":"v3"}'
	try - "an upgrade is in progress" "upgrading: maxUnavailable" spec '{"upgrade":{"maxUnavailable":9}}'
	try + "" "upgrading: pause and deadline" spec '{"upgrade":{"paused":true,"progressDeadlineSeconds":60}}'
	try + "" "upgrading: a label" k label rcl a k=v --overwrite
	try - "U1" "status: upgradeInfo away with a queue" status '{"upgradeInfo":null}'
	try - "U1" "status: upgradeInfo away with a longer queue" status \
		"{\"upgradeInfo\":null,\"roles\":$(queue '[{"id":8,"event":"role_upgraded"},{"id":9,"event":"cluster_upgraded"}]')}"
	try - "U1" "status: upgradeInfo away with all roles" status '{"upgradeInfo":null,"roles":null}'
	try - "N1" "status: lastNotifyID back" status '{"lastNotifyID":7}'
	try - "N1" "status: lastNotifyID away" status '{"lastNotifyID":null}'
	try + "" "rollback: app v1" spec '{"app":"v1"}'
	try + "" "status: rolling back" status '{"app":"v1","upgradeInfo":{"prevApp":"v1","isRollingBack":true}}'
	try - "upgrade from v1" "rolling back: app v2" spec '{"app":"v2"}'
	try + "" "status: queue empty, upgradeInfo away, in one write" status "{\"upgradeInfo\":null,\"roles\":$(queue '[]')}"
	try + "" "idle again: app v2" spec '{"app":"v2"}'
}

# What may be edited, field by field; fields come from the schema, so that a new one is tried without being named here.
expected_idle() {
	case $1 in
	app | upgrade | upgrade.* | roles\[\].members) echo + ;;
	*) echo - ;;
	esac
}
expected_locked() {
	case $1 in
	upgrade.paused | upgrade.progressDeadlineSeconds | upgrade.onFailure) echo + ;;
	*) echo - ;;
	esac
}

every_field() { # every_field STATE WORDS STATUS: tries each edit on a Cluster in STATE, storing none
	local state=$1 words=$2 base field what patch want
	for base in full minimal; do
		cluster "$(python3 spec_edits.py $CRD base $base)" | k apply -f - >/dev/null || exit 2
		status "$3" >/dev/null || exit 2
		[ "$state" != untaken ] || spec '{"app":"b"}' >/dev/null || exit 2
		while IFS=$'\t' read -r _ field what patch; do
			want=$(expected_locked "$field")
			[ "$state" != idle ] || want=$(expected_idle "$field")
			[ "$state $field" != "untaken app" ] || continue # it is edited already
			try "$want" "$([ "$want" = + ] || echo "$words")" "$state: $field: $what" \
				k patch rcl a --type json --dry-run=server -p "$patch"
		done < <(python3 spec_edits.py $CRD edits | grep "^$base")
	done
}

kubectl create ns $NS >/dev/null 2>&1
trap 'kubectl delete ns $NS >/dev/null' EXIT
examples
an_app
a_cluster
every_field idle "not changeable yet" '{"app":"a"}'
every_field untaken "an upgrade is in progress" '{"app":"a"}'
every_field upgrading "an upgrade " '{"app":"a","upgradeInfo":{"prevApp":"z"}}'
echo "$passed passed, $failed failed, 0 skipped"
[ $failed = 0 ]
