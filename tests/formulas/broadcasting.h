/* Varvarigos 1992, chapter 4: broadcasts one after the other. */
#ifndef BROADCASTING_H
#define BROADCASTING_H 1

#include <stdio.h>

/* Checks all of it; writes a section of doc/formulas.md. */
void broadcasting_check_all(FILE *page);

#endif
