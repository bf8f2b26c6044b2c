/* Turns of a matrix on simulated cubes, beside Stout and Wagar 1990, section 10. */
#ifndef TURNS_H
#define TURNS_H 1

#include <stdio.h>

/* Half and quarter turns of N x N matrices in submatrices under both codes, and by rows: the time
 * of the library's own plan, by the simulator's clock, equals the closed form; what a block travels
 * is counted.  Writes the section to the page. */
void turns_check_all(FILE *page);

#endif
