/* The facts that Bertsekas et al. 1991 rest on, apart from their closed forms. */
#ifndef BERTSEKAS_H
#define BERTSEKAS_H 1

#include <stdio.h>

/* Checks replication (B2), orders (B3), trees (B6), the exchange's slots against queues (B9), its
 * invariant (B10), and that d does not divide 2^d - 1 (B11); of Nicol and Bokhari 1994 the
 * transmissions of each message (N10) and a machine's parameters (N9).  Writes a row for each. */
void bertsekas_check_all(FILE *page);

#endif
