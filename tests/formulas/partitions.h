/* Nicol and Bokhari 1994: the cost of a multiphase exchange, and its best partition. */
#ifndef PARTITIONS_H
#define PARTITIONS_H 1

#include "tests/harness/harness.h"

#include <stdio.h>

/* Checks all of it; writes a section of doc/formulas.md. */
void partitions_check_all(FILE *page);

#endif
