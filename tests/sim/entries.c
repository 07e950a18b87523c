#include "sim.h"

size_t book_queue_length(const struct member *m)
{
	return m && m->state_detail ? m->state_detail->pending_notify_cmds_count : 0;
}

const struct queue_entry *book_find_entry(const struct member *m, int64_t id, size_t *ret_place)
{
	for (size_t i = 0; i < book_queue_length(m); i++) {
		if (m->state_detail->pending_notify_cmds[i].id == id) {
			if (ret_place)
				*ret_place = i;
			return &m->state_detail->pending_notify_cmds[i];
		}
	}
	return NULL;
}

/* The entries of a member as it was: each stands still or is gone. */
static void for_old_entries(struct sim *sim, const struct role_status *role, const struct member *m,
                            void (*check)(struct sim *sim, const struct entry_change *c))
{
	const struct member *now = book_find(sim->book.is, m->pod, NULL);

	for (size_t q = 0; q < book_queue_length(m); q++) {
		struct entry_change c = {.role = role, .was_in = m, .is_in = now, .was_place = q};

		c.was = &m->state_detail->pending_notify_cmds[q];
		c.is = book_find_entry(now, c.was->id, &c.is_place);
		check(sim, &c);
	}
}

/* Those of a member as it is that were not there before. */
static void for_new_entries(struct sim *sim, const struct role_status *role, const struct member *m,
                            void (*check)(struct sim *sim, const struct entry_change *c))
{
	const struct member *before = book_find(sim->book.was, m->pod, NULL);

	for (size_t q = 0; q < book_queue_length(m); q++) {
		struct entry_change c = {.role = role, .was_in = before, .is_in = m, .is_place = q};

		c.is = &m->state_detail->pending_notify_cmds[q];
		if (!book_find_entry(before, c.is->id, NULL))
			check(sim, &c);
	}
}

void book_each_entry(struct sim *sim, void (*check)(struct sim *sim, const struct entry_change *c))
{
	const struct cluster *versions[] = {sim->book.was, sim->book.is};

	for (int v = 0; v < 2; v++) {
		const struct cluster_status *s = versions[v] ? versions[v]->status : NULL;

		for (size_t r = 0; s && r < s->roles_count; r++) {
			const struct role_status *role = &s->roles[r];

			for (size_t i = 0; i < role->members_count; i++)
				(v ? for_new_entries : for_old_entries)(sim, role, &role->members[i], check);
		}
	}
}
