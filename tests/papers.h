/* The index of doc/formulas.md: every figure of the papers, where it is and what was found. */
#ifndef PAPERS_H
#define PAPERS_H 1

#include <stdio.h>

/* Writes the table from tests/data/papers.txt.  Every id of the papers has a line, in order; the
 * files and public calls that it names exist, and the rows that it refers to stand in `verified`,
 * what was written so far.  tests/test_documents.sh runs its commands. */
void papers_check_all(FILE *page, const char *verified);

#endif
