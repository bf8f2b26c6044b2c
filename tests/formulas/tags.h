/* Varvarigos 1992: isotropic tasks, exchanges between neighbourhoods, packing. */
#ifndef TAGS_H
#define TAGS_H 1

#include "tests/harness/harness.h"

#include <stdio.h>

/* Checks all of it; writes rows of doc/formulas.md's first table. */
void tags_check_all(FILE *page);

#endif
