/* Block tridiagonal systems by products (Johnsson 1987, 6.4.3), element-cyclic, in the simulator,
 * compared with theorem 6.5's communications for one block a step. */
#ifndef TRIDIAGONAL_H
#define TRIDIAGONAL_H 1

#include <stdio.h>

/* Asserts the table's figures, and writes it. */
void tridiagonal_check_all(FILE *page);

#endif
