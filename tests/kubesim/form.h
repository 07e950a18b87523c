/*
 * The shape in which an object goes out: as it is stored, as a row of a Table
 * (https://kubernetes.io/docs/reference/using-api/api-concepts/#receiving-resources-as-tables), or an Event of core/v1 as
 * one of events.k8s.io/v1, which is the same Event with other names.
 */
#pragma once

#include "kubesim.h"

struct form {
	bool is_table;
	bool is_new_event;
	const char *include;  /* includeObject of the query: "Metadata", "Object" or "None" */
};

/* Asked for by ACCEPT, QUERY and the group that the events were asked from; T->kind becomes that which is stored. */
struct form form_of(struct kubesim *k, const char *accept, struct api_target *t);
/* An object by itself. */
void form_add_object(struct kubesim *k, const struct form *f, enum kind kind, const char *text, size_t len,
                     struct strbuf *b);
struct reply form_list(struct kubesim *k, const struct form *f, const struct api_target *t, const struct api_page *page);
/* An answer that is an object, or a Status. */
struct reply form_reply(struct kubesim *k, const struct form *f, enum kind kind, const struct reply *reply);

/* A body for events.k8s.io/v1 as core/v1 has it, and back. */
void form_event_to_core(cJSON *event);
void form_event_from_core(cJSON *event);

/* Tables (table.c). */
void table_add_head(struct kubesim *k, enum kind kind, const struct api_page *page, struct strbuf *b);
void table_add_row(struct kubesim *k, const struct form *f, enum kind kind, const cJSON *object, struct strbuf *b);

/* Cells of Kubernetes' own kinds (columns.c). */
struct column {
	const char *name;
	int priority;              /* 1: only with -o wide */
	const char *path, *absent; /* JSONPath of a string, and what stands for it where there is none; or */
	void (*add)(struct kubesim *k, const cJSON *object, struct strbuf *b); /* the cell as JSON */
};
/* Ends with a column without a name. */
const struct column *columns_of(enum kind kind);
/* "5m", as kubectl shows an age; TIME: RFC 3339 or NULL. */
const char *columns_age(struct kubesim *k, const char *time);
