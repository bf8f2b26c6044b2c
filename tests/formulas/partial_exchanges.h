/* Varvarigos 1992, 3.7: exchanges of some nodes with all, compared with the paper's time and
 * bounds. */
#ifndef PARTIAL_EXCHANGES_H
#define PARTIAL_EXCHANGES_H 1

#include "tests/harness/harness.h"

#include <stdio.h>

/* Checks all of it; writes a section of doc/formulas.md. */
void partial_exchanges_check_all(FILE *page);

#endif
