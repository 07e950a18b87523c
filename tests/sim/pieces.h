/*
 * Memory for cJSON, which makes and frees its nodes and texts by the million in a run: pieces of one size are given out again and
 * again. Under AddressSanitizer, which shall see each of them, they stay malloc()'s.
 */
#pragma once

/* Before anything is parsed. What cJSON makes must then be freed by cJSON. */
void pieces_use(void);
