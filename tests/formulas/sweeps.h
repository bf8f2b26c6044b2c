/* Sweeps of Jacobi's method (Mantharam and Eberlein 1993), in the simulator, compared with their
 * formulas. */
#ifndef SWEEPS_H
#define SWEEPS_H 1

#include <stdio.h>

/* Asserts the table's figures, and writes it. */
void sweeps_check_all(FILE *page);

#endif
