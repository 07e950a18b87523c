#include "switches.h"

#include "controller/mem.h"
#include "tests/sim/etcd.h"

#include <stdio.h>

void switches_release(struct switches *w)
{
	struct strmap_iter it = {0};

	while (strmap_next(&w->steers, &it))
		free(it.value);
	strmap_release(&w->steers);
}

const struct steer *switches_of(const struct switches *w, const char *namespace, const char *pod)
{
	char key[OBJECT_KEY_MAX];

	snprintf(key, sizeof(key), "%s/%s", namespace, pod);
	return strmap_get(&w->steers, key);
}

struct steer *switches_steer(struct switches *w, const char *pod)
{
	char key[OBJECT_KEY_MAX];
	struct steer *steer;

	snprintf(key, sizeof(key), "%s%s", strchr(pod, '/') ? "" : "default/", pod);
	steer = strmap_get(&w->steers, key);
	if (!steer) {
		steer = mem_new(sizeof(*steer));
		strmap_set(&w->steers, key, steer);
	}
	return steer;
}

int switches_deny(struct switches *w, const char *method, const char *path)
{
	char line[OBJECT_KEY_MAX];

	if (w->deny_count == 0)
		return 0;
	snprintf(line, sizeof(line), "%s %s", method, path);
	if (!strstr(line, w->deny))
		return 0;
	w->deny_count--;
	return w->deny_code;
}
