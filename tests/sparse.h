/* Sparse graphs and blocks on the cube. */
#ifndef SPARSE_H
#define SPARSE_H 1

#include <stdio.h>

/* Embeds graphs and blocks of a range; writes a row each. */
void sparse_check_all(FILE *page);

#endif
