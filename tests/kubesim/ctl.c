#include "ctl.h"

#include "watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_MAX 5

const char ctl_help[] =
	"  down POD             its container dies and does not start until \"up\"\n"
	"  up POD               ends down and lose\n"
	"  freeze POD           its container runs and answers no exec, until \"thaw\"\n"
	"  thaw POD\n"
	"  kill POD             its container dies; another one starts\n"
	"  lose POD             it goes with its node, and no other node takes it until \"up\"\n"
	"  fail POD CODE [EVENT]    from now on its handler ends with CODE, on every event or on this one; 0: no longer\n"
	"  slow POD MS          its handler takes so long; 0: as everywhere\n"
	"  quota on|off         pods cannot be made\n"
	"  deny TEXT CODE [N]   the next N requests (1) with TEXT in \"METHOD PATH\" are answered with this HTTP code\n"
	"  relist               all watches end with 410, and so do older versions\n"
	"POD is NAMESPACE/POD, or a pod in the namespace default.\n";

struct words {
	const char *word[WORDS_MAX];
	size_t count;
};

static const char *word(const struct words *w, size_t i)
{
	return i < w->count ? w->word[i] : "";
}

static struct seat *seat_of(struct kubesim *k, const char *pod)
{
	const char *slash = strchr(pod, '/');

	if (!slash)
		return seat_in(&k->sim, "default", pod);
	return seat_in(&k->sim, arena_strndup(&k->scratch, pod, (size_t)(slash - pod)), slash + 1);
}

/* A member need not be there yet to be steered, but to be touched. */
static struct seat *living(struct kubesim *k, const struct words *w)
{
	struct seat *seat = seat_of(k, word(w, 1));

	return seat && seat->uid && seat->box && seat->box->alive ? seat : NULL;
}

static const char *down(struct kubesim *k, const struct words *w)
{
	struct seat *seat = living(k, w);

	switches_steer(&k->switches, word(w, 1))->is_down = true;
	if (seat)
		kubelet_restart(&k->sim, seat);
	return NULL;
}

static const char *up(struct kubesim *k, const struct words *w)
{
	struct steer *steer = switches_steer(&k->switches, word(w, 1));

	steer->is_down = steer->is_lost = false;
	return NULL;
}

static const char *freeze(struct kubesim *k, const struct words *w)
{
	struct seat *seat = living(k, w);

	if (seat)
		box_freeze(&k->sim, seat->box);
	return seat ? NULL : "no such container runs";
}

static const char *thaw(struct kubesim *k, const struct words *w)
{
	struct seat *seat = living(k, w);

	if (seat)
		box_thaw(&k->sim, seat->box);
	return seat ? NULL : "no such container runs";
}

static const char *kill_container(struct kubesim *k, const struct words *w)
{
	struct seat *seat = living(k, w);

	if (seat)
		kubelet_restart(&k->sim, seat);
	return seat ? NULL : "no such container runs";
}

static const char *lose(struct kubesim *k, const struct words *w)
{
	struct seat *seat = seat_of(k, word(w, 1));

	switches_steer(&k->switches, word(w, 1))->is_lost = true;
	if (seat)
		kubelet_lose(&k->sim, seat);
	return NULL;
}

static const char *fail(struct kubesim *k, const struct words *w)
{
	enum event_kind event = event_kind_parse(w->count > 3 ? word(w, 3) : NULL);
	struct steer *steer = switches_steer(&k->switches, word(w, 1));

	if (w->count < 3 || (w->count > 3 && event == EVENT_KIND_NONE))
		return "fail POD CODE [EVENT]";
	steer->exit_code = (int)strtol(word(w, 2), NULL, 10);
	steer->fails_on = event;
	return NULL;
}

static const char *slow(struct kubesim *k, const struct words *w)
{
	switches_steer(&k->switches, word(w, 1))->handler_ms = strtoll(word(w, 2), NULL, 10);
	return NULL;
}

static const char *quota(struct kubesim *k, const struct words *w)
{
	k->switches.no_quota = strcmp(word(w, 1), "on") == 0;
	return NULL;
}

static const char *deny(struct kubesim *k, const struct words *w)
{
	if (w->count < 3 || strlen(word(w, 1)) >= SWITCHES_DENY_MAX)
		return "deny TEXT CODE [N]";
	snprintf(k->switches.deny, sizeof(k->switches.deny), "%s", word(w, 1));
	k->switches.deny_code = (int)strtol(word(w, 2), NULL, 10);
	k->switches.deny_count = w->count > 3 ? strtoll(word(w, 3), NULL, 10) : 1;
	return NULL;
}

static const char *relist(struct kubesim *k, const struct words *w)
{
	(void)w;
	watches_expire(k);
	return NULL;
}

static const struct {
	const char *name;
	bool has_pod;
	const char *(*run)(struct kubesim *k, const struct words *w); /* NULL, or what is wrong */
} commands[] = {
	{"down", true, down}, {"up", true, up}, {"freeze", true, freeze}, {"thaw", true, thaw},
	{"kill", true, kill_container}, {"lose", true, lose}, {"fail", true, fail}, {"slow", true, slow},
	{"quota", false, quota}, {"deny", false, deny}, {"relist", false, relist},
};

static struct words split(struct kubesim *k, const char *line)
{
	struct words w = {0};

	while (*line && w.count < WORDS_MAX) {
		size_t len = strcspn(line, "\n");

		w.word[w.count++] = arena_strndup(&k->scratch, line, len);
		line += len + (line[len] == '\n');
	}
	return w;
}

struct reply ctl_request(struct kubesim *k, const char *line)
{
	struct words w = split(k, line);
	const char *wrong = "no such command; they are\n";

	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (strcmp(word(&w, 0), commands[i].name) != 0)
			continue;
		wrong = commands[i].has_pod && w.count < 2 ? "which POD?" : commands[i].run(k, &w);
		break;
	}
	if (!wrong)
		return (struct reply){.http = 200, .body = "", .len = 0};
	wrong = arena_printf(&k->scratch, "%s\n%s", wrong, ctl_help);
	return (struct reply){.http = 400, .body = wrong, .len = strlen(wrong)};
}
