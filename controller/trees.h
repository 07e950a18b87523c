/*
 * Where the nodes of JSON trees come from. A tree lives while one answer or event is read; what is kept of it is a packed
 * struct. If both came from the heap, each struct would stay behind between the thousand nodes of a tree that is gone, on a
 * page of its own. So the nodes get an arena, which is emptied whenever no node is left.
 */
#pragma once

/* From now on, for the whole process. Call it before the first tree is made. */
void trees_use_arena(void);
/* Frees what the arena holds in store while there is no tree. */
void trees_give_back(void);
