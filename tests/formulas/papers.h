/* The index of doc/formulas.md: every figure of the papers, where it is and what was found. */
#ifndef PAPERS_H
#define PAPERS_H 1

#include <stdio.h>

/* Writes the table from tests/data/papers.txt.  Every id of the papers must have a line, in order;
 * the files and public calls that it names must exist, and the rows that it refers to must be in
 * `verified', the text written so far.  tests/project/test_documents.sh runs its commands. */
void papers_check_all(FILE *page, const char *verified);

#endif
