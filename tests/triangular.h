/* The triangular systems of Johnsson 1987, 6.4, by the library's own variants, element-cyclic, in
 * the simulator, against the theorems' communications. */
#ifndef TRIANGULAR_H
#define TRIANGULAR_H 1

#include <stdio.h>

/* Requires what the table says, and writes it. */
void triangular_check_all(FILE *page);

#endif
