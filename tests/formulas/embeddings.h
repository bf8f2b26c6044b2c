/* Loops, meshes and trees on the cube, counted. */
#ifndef EMBEDDINGS_H
#define EMBEDDINGS_H 1

#include <stdio.h>

/* Compares dilation, expansion and congestion of all embeddings of a range with Johnsson 1987, 3.1
 * to 3.4; writes a row each. */
void embeddings_check_all(FILE *page);

#endif
