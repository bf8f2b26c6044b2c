/* The conversions of storage of Johnsson 1987, 3.1.3 and 3.3, element by element. */
#ifndef CONVERSIONS_H
#define CONVERSIONS_H 1

#include "tests/harness/harness.h"

#include <stdio.h>

/* Checks all of them; writes a section of doc/formulas.md. */
void conversions_check_all(FILE *page);

#endif
