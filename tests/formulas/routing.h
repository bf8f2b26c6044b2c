/* Varvarigos 1992, chapters 5 and 6: traffic that arrives at random. */
#ifndef ROUTING_H
#define ROUTING_H 1

#include <stdio.h>

/* Checks all of it; writes a section of doc/formulas.md. */
void routing_check_all(FILE *page);

#endif
