/* Every variant of every collective against the closed form that the library prints for it. */
#ifndef CLOSED_FORMS_H
#define CLOSED_FORMS_H 1

#include "collective/variant.h"

#include <stdio.h>

/* Verifies the rows of the families from `first' to `last' for whole cubes, and writes a table row
 * for each. */
void closed_forms_check(FILE *page, enum hy_task first, enum hy_task last);

#endif
