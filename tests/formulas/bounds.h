/* Lower bounds of the collectives. */
#ifndef BOUNDS_H
#define BOUNDS_H 1

#include <stdio.h>

/* Checks that no variant is below its bound, and finds those that reach it.  Writes a row for each
 * collective and machine. */
void bounds_check_all(FILE *page);

#endif
