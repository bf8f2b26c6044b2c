/* Transposing dense columns and rows (V46): the plan's counts against those of the partial exchange
 * and the partial gather that it consists of. */
#ifndef DENSE_LINES_H
#define DENSE_LINES_H 1

#include <stdio.h>

/* Asserts the table's figures, and writes it. */
void dense_lines_check_all(FILE *page);

#endif
