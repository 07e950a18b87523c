#include "lines.h"

void lines_hear(struct lines *l, long port, int64_t now_ms)
{
	size_t i = 0;

	while (i < LINES_MAX && l->at[i].port != port)
		i++;
	if (i == LINES_MAX)
		i = l->next++ % LINES_MAX;
	l->at[i] = (struct line){ port, now_ms };
}

bool lines_is_silent(const struct lines *l, long port, int64_t since_ms)
{
	for (size_t i = 0; i < LINES_MAX; i++)
		if (l->at[i].port == port)
			return l->at[i].heard_ms < since_ms;
	return true;
}
