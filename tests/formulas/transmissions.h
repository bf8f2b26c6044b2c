/* The number of times that each message of an exchange in phases is sent. */
#ifndef TRANSMISSIONS_H
#define TRANSMISSIONS_H 1

#include <stdio.h>

/* Adds its row to a table of the page. */
void transmissions_check_all(FILE *page);

#endif
