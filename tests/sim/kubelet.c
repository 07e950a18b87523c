#include "sim.h"

#include <stdio.h>
#include <string.h>

#include "crd/base/time.h"

#define HELD_RETRY_MS 200

/* One pod's life as the kubelet sees it; over when the seat has another pod. */
struct life {
	struct seat *seat;
	const char *uid;
	struct box *box;   /* whose step is due; NULL before there is one */
};

static struct object *pod_of(struct sim *sim, const struct life *life)
{
	if (!life->seat->uid || strcmp(life->seat->uid, life->uid) != 0)
		return NULL;
	return etcd_get(&sim->etcd, KIND_POD, life->seat->namespace, life->seat->pod);
}

static void later(struct sim *sim, const struct life *life, int64_t low, int64_t high,
                  void (*step)(struct sim *sim, void *arg))
{
	struct life *copy = arena_alloc(&sim->arena, sizeof(*copy));

	*copy = *life;
	clock_in(&sim->clock, rng_between(&sim->rng_kube, low, high), step, copy);
}

static const char *truth_of(bool value)
{
	return value ? "True" : "False";
}

/* STATE is the JSON of containerStatuses[0].state. */
static void write_status(struct sim *sim, struct object *pod, const struct seat *seat, const char *state)
{
	const struct box *box = seat->box;
	bool ready = box && box->ready, running = box && box->alive;

	tree_put(pod->tree, "status", tree_parsef(
		"{\"phase\":\"%s\",\"conditions\":["
		"{\"type\":\"PodScheduled\",\"status\":\"True\"},{\"type\":\"Initialized\",\"status\":\"True\"},"
		"{\"type\":\"ContainersReady\",\"status\":\"%s\"},{\"type\":\"Ready\",\"status\":\"%s\"}],"
		"\"containerStatuses\":[{\"name\":\"app\",\"containerID\":\"%s\",\"restartCount\":%d,\"ready\":%s,"
		"\"state\":%s}]}",
		running || seat->restarts ? "Running" : "Pending", truth_of(ready), truth_of(ready), box ? box->id : "",
		seat->restarts, ready ? "true" : "false", state));
	etcd_commit(sim, pod);
}

static const char *running_state(struct sim *sim, const struct box *box)
{
	char at[TIME_TEXT_MAX];

	time_format(box->started_at / 1000 * 1000, at);
	return arena_printf(&sim->arena, "{\"running\":{\"startedAt\":\"%s\"}}", at);
}

static void gets_ready(struct sim *sim, void *arg)
{
	struct life *life = arg;
	struct object *pod = pod_of(sim, life);

	if (!pod || life->seat->box != life->box || !life->box->alive || etcd_is_ending(pod))
		return;
	life->box->ready = true;
	life->box->ready_at = sim->clock.now;
	trace(sim, "pod %s: Ready", pod->name);
	write_status(sim, pod, life->seat, running_state(sim, life->box));
}

static const char *image_of(const struct object *pod)
{
	const cJSON *containers = json_get(json_get(pod->tree, "spec"), "containers");
	const char *image = containers && containers->child ? json_str(containers->child, "image") : NULL;

	return image ? image : "";
}

static struct box *new_box(struct sim *sim, struct seat *seat, const struct object *pod)
{
	struct box *box = arena_alloc(&sim->arena, sizeof(*box));
	const char *hash = tree_label(pod->tree, "rolecall.dev/hash");

	*box = (struct box){
		.seat = seat, .pod_uid = pod->uid, .alive = true, .started_at = sim->clock.now,
		.id = arena_printf(&sim->arena, "containerd://%064x", ++sim->kube.box_count),
		.image = arena_strdup(&sim->arena, image_of(pod)),
		.hash = arena_strdup(&sim->arena, hash ? hash : ""),
		.older = seat->boxes,
	};
	seat->boxes = box;
	return box;
}

static void starts(struct sim *sim, void *arg)
{
	struct life *life = arg;
	struct seat *seat = life->seat;
	struct object *pod = pod_of(sim, life);

	if (!pod || etcd_is_ending(pod))
		return;
	if (faults_hold_container(sim, seat)) {
		later(sim, life, HELD_RETRY_MS, HELD_RETRY_MS, starts);
		return;
	}
	if (strstr(image_of(pod), "bad")) {
		write_status(sim, pod, seat, "{\"waiting\":{\"reason\":\"ImagePullBackOff\","
		                             "\"message\":\"Back-off pulling image\"}}");
		return;
	}
	seat->box = life->box = new_box(sim, seat, pod);
	trace(sim, "pod %s: container running (%s)", pod->name, seat->box->image);
	write_status(sim, pod, seat, running_state(sim, seat->box));
	later(sim, life, 50, 2000, gets_ready);
}

static void write_unschedulable(struct sim *sim, struct object *pod)
{
	tree_put(pod->tree, "status", tree_parsef(
		"{\"phase\":\"Pending\",\"conditions\":[{\"type\":\"PodScheduled\",\"status\":\"False\","
		"\"reason\":\"Unschedulable\",\"message\":\"0/2 nodes are available\"}]}"));
	etcd_commit(sim, pod);
}

static void scheduled(struct sim *sim, void *arg)
{
	struct life *life = arg;
	struct object *pod = pod_of(sim, life);

	if (!pod || etcd_is_ending(pod))
		return;
	if (faults_lost_for_good(sim, life->seat)) {
		if (!json_get(json_get(pod->tree, "status"), "conditions"))
			write_unschedulable(sim, pod);
		later(sim, life, 5000, 5000, scheduled);
		return;
	}
	tree_put_str(tree_object(pod->tree, "spec"), "nodeName", rng_chance(&sim->rng_kube, 500) ? "node-1" : "node-2");
	write_status(sim, pod, life->seat, "{\"waiting\":{\"reason\":\"ContainerCreating\"}}");
	later(sim, life, 50, 1500, starts);
}

void kubelet_pod_added(struct sim *sim, const struct object *pod)
{
	const char *role = tree_label(pod->tree, "rolecall.dev/role");
	struct seat *seat = seat_get(sim, pod->namespace, pod->name, role ? role : "");

	seat->uid = pod->uid;
	seat->box = NULL;
	seat->restarts = 0;
	seat->ending = false;
	later(sim, &(struct life){.seat = seat, .uid = pod->uid}, 2, 150, scheduled);
}

static void gone(struct sim *sim, void *arg)
{
	struct life *life = arg;
	struct object *pod = pod_of(sim, life);

	if (!pod)
		return;
	trace(sim, "pod %s: gone", pod->name);
	etcd_remove(sim, pod);
}

void kubelet_pod_gone(struct sim *sim, const struct object *pod)
{
	struct seat *seat = seat_in(sim, pod->namespace, pod->name);

	if (!seat || !seat->uid || strcmp(seat->uid, pod->uid) != 0)
		return;
	box_kill(sim, seat->box);
	seat->uid = NULL;
}

static void stops(struct sim *sim, void *arg)
{
	struct life *life = arg;
	struct object *pod = pod_of(sim, life);

	if (!pod)
		return;
	if (life->seat->box && life->seat->box->alive) {
		box_kill(sim, life->seat->box);
		write_status(sim, pod, life->seat, "{\"terminated\":{\"exitCode\":143,\"reason\":\"Error\"}}");
	}
	later(sim, life, 5, 100, gone);
}

void kubelet_pod_ending(struct sim *sim, const struct object *pod)
{
	struct seat *seat = seat_in(sim, pod->namespace, pod->name);

	if (!seat || seat->ending)
		return;
	seat->ending = true;
	later(sim, &(struct life){.seat = seat, .uid = pod->uid}, 30, 1500, stops);
}

void kubelet_restart(struct sim *sim, struct seat *seat)
{
	struct life life = {.seat = seat, .uid = seat->uid};
	struct object *pod = seat->uid ? pod_of(sim, &life) : NULL;

	if (!pod || !seat->box || !seat->box->alive || seat->ending)
		return;
	trace(sim, "pod %s: container dies", seat->pod);
	box_kill(sim, seat->box);
	seat->restarts++;
	write_status(sim, pod, seat, "{\"terminated\":{\"exitCode\":137,\"reason\":\"OOMKilled\"}}");
	later(sim, &life, 100, 5000, starts);
}

void kubelet_lose(struct sim *sim, struct seat *seat)
{
	struct life life = {.seat = seat, .uid = seat->uid};

	if (!seat->uid)
		return;
	trace(sim, "pod %s: lost with its node", seat->pod);
	gone(sim, &life);
}
