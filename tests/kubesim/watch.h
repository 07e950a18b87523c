/*
 * Watches: each tells what the history has since the version that it is at, in the order of the history, and now and then
 * a bookmark. All of them are told after everything that is due has been done (kubesim_turn()).
 */
#pragma once

#include "form.h"

/* Takes S over. PATH is that of the request, which T was read from. */
void watch_open(struct kubesim *k, struct stream *s, const char *path, const struct form *f);
/* Tells all watches what is new; returns when one of them wants to be looked at again. */
int64_t watches_tell(struct kubesim *k);
void watch_closed(struct kubesim *k, struct watch *w);
/* As if the history were gone: every watch is told 410, and so is whoever comes with an older version. */
void watches_expire(struct kubesim *k);
void watches_release(struct kubesim *k);
