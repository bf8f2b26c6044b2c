/* Counts of a matrix by a vector. */
#ifndef GEMV_COUNTS_H
#define GEMV_COUNTS_H 1

#include <stdio.h>

/* Simulates the variants of hyla_gemv with vectors in their layouts; writes a row for each. */
void gemv_counts_check_all(FILE *page);

#endif
