/* The triangular systems of Johnsson 1987, 6.4, by the library's own variants, element-cyclic, in
 * the simulator, compared with the theorems' communications. */
#ifndef TRIANGULAR_H
#define TRIANGULAR_H 1

#include <stdio.h>

/* Asserts the table's figures, and writes it. */
void triangular_check_all(FILE *page);

#endif
