/* A matrix by a vector, counted. */
#ifndef GEMV_COUNTS_H
#define GEMV_COUNTS_H 1

#include <stdio.h>

/* Simulates the variants of hyla_gemv with vectors where they want them; writes a row each. */
void gemv_counts_check_all(FILE *page);

#endif
