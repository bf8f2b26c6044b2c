/* Lower bounds of the collectives. */
#ifndef BOUNDS_H
#define BOUNDS_H 1

#include <stdio.h>

/* No variant is below its bound; which ones reach it.  Writes a row for each collective and
 * machine. */
void bounds_check_all(FILE *page);

#endif
