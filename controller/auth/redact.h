/*
 * Makes the complaints of another program fit for a log: one line, and without what looks like a secret. A program that
 * cannot log in likes to print what it tried.
 */
#pragma once

#include <stddef.h>

/* A word of this length with letters and digits in it is taken for a token, a key or a part of one. */
#define REDACT_WORD_MAX 20

/*
 * Writes TEXT to OUT: white space and control characters become single blanks, "***" stands in place of long words, of
 * what follows "token:", "password=" and the like, and of what follows "Bearer" and "Basic". Paths stay.
 */
void redact(const char *text, char *out, size_t size);
