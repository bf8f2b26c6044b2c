/* The library's variants of Johnsson 1987, section 5, compared with the theorems. */
#ifndef GEMM_ELEMENTS_H
#define GEMM_ELEMENTS_H 1

#include <stdio.h>

/* Simulates each on matrices in element-cyclic storage and writes the table. */
void gemm_elements_check_all(FILE *page);

#endif
