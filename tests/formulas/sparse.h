/* Sparse graphs and blocks on the cube. */
#ifndef SPARSE_H
#define SPARSE_H 1

#include <stdio.h>

/* Embeds a range of graphs and blocks; writes a row for each. */
void sparse_check_all(FILE *page);

#endif
