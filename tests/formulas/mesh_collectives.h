/* Varvarigos 1992, chapter 3 on arrays and tori, and section 7.4 on folded cubes: figures, bounds
 * and claims beside the schedules that are verified for whole networks. */
#ifndef MESH_COLLECTIVES_H
#define MESH_COLLECTIVES_H 1

#include "tests/harness/harness.h"

#include <stdio.h>

/* Checks all of it; writes a section of doc/formulas.md. */
void mesh_collectives_check_all(FILE *page);

#endif
