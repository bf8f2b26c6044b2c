/* Matrices whose blocks stay whole between arrays of different shapes and codes, on simulated
 * cubes. */
#ifndef SHAPES_H
#define SHAPES_H 1

#include <stdio.h>

/* Transposes and quarter turns from 2^r x 2^c nodes to 2^c x 2^r, and to another code.  The time of
 * PERMUTED SEND by the simulator's clock must equal its closed form, and counts the predictions.
 * Writes the section to the page. */
void shapes_check_all(FILE *page);

#endif
