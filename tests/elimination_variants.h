/* The library's variants that eliminate element by element: their schedules, verified. */
#ifndef ELIMINATION_VARIANTS_H
#define ELIMINATION_VARIANTS_H 1

#include <stdio.h>

/* Of q 2^k equations with r 2^k right-hand sides on 2^k x 2^k nodes: steps as the page says. */
void elimination_variants_check(int k, int q, int r);
/* Ragged sizes on all arrays, under both codes. */
void elimination_variants_check_arrays(void);
/* Their rows of the page, for what was checked. */
void elimination_variants_print(FILE *page, int k_most, int q_most, int r_most);

#endif
