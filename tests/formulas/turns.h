/* Turns of a matrix on simulated cubes, compared with Stout and Wagar 1990, section 10. */
#ifndef TURNS_H
#define TURNS_H 1

#include <stdio.h>

/* Half and quarter turns of N x N matrices in submatrices in both codes, and by rows.  The time of
 * the library's own plan, by the simulator's clock, must equal the closed form; the distance that a
 * block travels is counted.  Writes the section to the page. */
void turns_check_all(FILE *page);

#endif
