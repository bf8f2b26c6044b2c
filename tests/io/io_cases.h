/* Matrix files for the tests of reading: good ones with their entries, bad ones with their complete
 * messages. */
#ifndef IO_CASES_H
#define IO_CASES_H 1

#include <stddef.h>
#include <stdint.h>

#define ARRAY "%%MatrixMarket matrix array "
#define COORDINATE "%%MatrixMarket matrix coordinate "

/* A Matrix Market text and the entries it stands for, by columns, real and
 * imaginary part (the latter 0 in real files). */
struct good_text {
  const char *text;
  int64_t rows;
  int64_t cols;
  double entries[24];
};

static const struct good_text good_texts[] = {
    {ARRAY "real general\n2 3\n1\n2\n3\n4\n5\n6\n", 2, 3, {1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0}},
    /* Upper case, comments of any length, CRLF, blank lines, tabs, no last line end. */
    {"%%matrixmarket MATRIX Array Real GENERAL\r\n% a\r\n%\r\n\r\n\t2   1 \r\n\r\n -1.5e0\t\r\n"
     "% between\r\n  .25",
     2,
     1,
     {-1.5, 0, .25, 0}},
    {ARRAY "integer general\n1 2\n-3\n+4\n", 1, 2, {-3, 0, 4, 0}},
    {ARRAY "complex general\n2 1\n1 2\n3 -4\n", 2, 1, {1, 2, 3, -4}},
    {ARRAY "real symmetric\n3 3\n1\n2\n3\n4\n5\n6\n",
     3,
     3,
     {1, 0, 2, 0, 3, 0, 2, 0, 4, 0, 5, 0, 3, 0, 5, 0, 6, 0}},
    {ARRAY "real skew-symmetric\n3 3\n1\n2\n3\n",
     3,
     3,
     {0, 0, 1, 0, 2, 0, -1, 0, 0, 0, 3, 0, -2, 0, -3, 0, 0, 0}},
    {ARRAY "complex hermitian\n2 2\n1 0\n2 3\n4 -0.0\n", 2, 2, {1, 0, 2, 3, 2, -3, 4, -0.0}},
    {ARRAY "complex symmetric\n2 2\n1 5\n2 3\n4 6\n", 2, 2, {1, 5, 2, 3, 2, 3, 4, 6}},
    {ARRAY "complex skew-symmetric\n2 2\n2 3\n", 2, 2, {0, 0, 2, 3, -2, -3, 0, 0}},
    {ARRAY "real general\n0 5\n", 0, 5, {0}},
    {ARRAY "real general\n0 0", 0, 0, {0}},
    {ARRAY "real skew-symmetric\n1 1\n", 1, 1, {0, 0}},
    {COORDINATE "real general\n2 2 3\n1 1 1\n2 2 4\n2 1 2.5\n", 2, 2, {1, 0, 2.5, 0, 0, 0, 4, 0}},
    /* Duplicates are added in the order of the file: (1e16 + 1) + -1e16 = 0. */
    {COORDINATE "real general\n1 1 3\n1 1 1e16\n1 1 1\n1 1 -1e16\n", 1, 1, {0, 0}},
    {COORDINATE "real general\n1 1 3\n1 1 1e16\n1 1 -1e16\n1 1 1\n", 1, 1, {1, 0}},
    {COORDINATE "pattern symmetric\n2 2 2\n1 1\n2 1\n", 2, 2, {1, 0, 1, 0, 1, 0, 0, 0}},
    {COORDINATE "integer skew-symmetric\n2 2 2\n2 1 7\n2 2 0\n", 2, 2, {0, 0, 7, 0, -7, 0, 0, 0}},
    {COORDINATE "complex hermitian\n2 2 2\n2 1 1 1\n2 2 3 0\n", 2, 2, {0, 0, 1, 1, 1, -1, 3, 0}},
    {COORDINATE "complex general\n1 2 2\n1 2 1 1\n1 2 0 1\n", 1, 2, {0, 0, 1, 2}},
    {COORDINATE "pattern general\n2 1 0\n", 2, 1, {0, 0, 0, 0}},
    /* Exponents in Fortran's notation. */
    {ARRAY "real general\n4 1\n1d0\n-2.5D+01\n.5d-1 \n0D-999", 4, 1, {1, 0, -25, 0, .05, 0, 0, 0}},
    {ARRAY "complex general\n1 1\n1D0 2d1\n", 1, 1, {1, 20}},
    /* The same if an exponent of three digits leaves out the letter. */
    {ARRAY "real general\n5 1\n1.5+100\n0.1-99\n-.25+002 \n 4.-1\n0.0-300",
     5,
     1,
     {1.5e100, 0, .1e-99, 0, -25, 0, .4, 0, 0, 0}},
    {COORDINATE "complex general\n1 1 1\n1 1 1.+1 -2.5-001\n", 1, 1, {10, -.25}},
    {ARRAY "unsigned-integer general\n3 1\n3\n+4\n18446744073709551615\n",
     3,
     1,
     {3, 0, 4, 0, 0x1p64, 0}},
    {COORDINATE "Unsigned-Integer symmetric\n2 2 2\n1 1 7\n2 1 5\n",
     2,
     2,
     {7, 0, 5, 0, 5, 0, 0, 0}},
};
enum { GOOD_TEXTS = sizeof good_texts / sizeof *good_texts };

/* Message: the text after "PATH:". */
struct bad_text {
  const char *text;
  const char *message;
};

#define TEN "          "
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
#define TOO_MANY HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED

static const struct bad_text bad_texts[] = {
    /* The banner. */
    {"%%MatrixMarketX matrix array real general\n1 1\n1\n",
     "1: expected %%MatrixMarket, found '%%MatrixMarketX'"},
    {"%%MatrixMarket vector array real general\n1 1\n1\n",
     "1: expected matrix in the banner, found 'vector'"},
    {"%%MatrixMarket matrix list real general\n1 1\n1\n",
     "1: expected array or coordinate in the banner, found 'list'"},
    {ARRAY "quaternion general\n1 1\n1\n",
     "1: expected real, integer, complex, pattern or unsigned-integer in the banner, found "
     "'quaternion'"},
    {ARRAY "real\n1 1\n1\n", "1: expected general, symmetric, skew-symmetric or hermitian in the "
                             "banner, found the end of the line"},
    {ARRAY "real general dense\n1 1\n1\n",
     "1: expected a banner of five words, found 'dense' after it"},
    {ARRAY "pattern general\n1 1\n1\n", "1: array cannot be pattern"},
    {COORDINATE "pattern hermitian\n1 1 0\n", "1: pattern cannot be hermitian"},
    {COORDINATE "pattern skew-symmetric\n1 1 0\n", "1: pattern cannot be skew-symmetric"},
    {ARRAY "real hermitian\n1 1\n1\n", "1: real cannot be hermitian, only complex can"},
    {"%%MatrixMarket" TOO_MANY TEN "matrix array real general\n1 1\n1\n",
     "1: expected lines of at most 1024 characters"},
    /* The size line. */
    {ARRAY "real general", "1: expected a size line, found the end of the file"},
    {ARRAY "real general\n% 2 2\n\n", "3: expected a size line, found the end of the file"},
    {ARRAY "real general\n2\n1\n", "2: expected the number of columns, found the end of the line"},
    {ARRAY "real general\n2 x\n1\n", "2: expected the number of columns, found 'x'"},
    {ARRAY "real general\n2.0 1\n1\n", "2: expected the number of rows, found '2.0'"},
    {ARRAY "real general\n% c\n1 1 1\n1\n", "3: expected rows, columns, found '1' after it"},
    {COORDINATE "real general\n1 1\n1 1 1\n",
     "2: expected the number of entries, found the end of the line"},
    {COORDINATE "real general\n1 1 1 1\n1 1 1\n",
     "2: expected rows, columns, entries, found '1' after it"},
    {ARRAY "real general\n-1 1\n1\n", "2: expected a size, found -1 x 1"},
    {COORDINATE "real general\n1 1 -1\n", "2: expected a number of entries, found -1"},
    {ARRAY "real general\n99999999999999999999 1\n1\n",
     "2: expected the number of rows, found '99999999999999999999'"},
    {COORDINATE "real general\n5000000000 5000000000 1\n1 1 1\n",
     "2: a matrix of 5000000000 x 5000000000 has more entries than can be counted"},
    {COORDINATE "real symmetric\n2 3 1\n1 1 1\n",
     "2: expected a square matrix because it is symmetric, found 2 x 3"},
    {ARRAY "real skew-symmetric\n3 2\n1\n",
     "2: expected a square matrix because it is skew-symmetric, found 3 x 2"},
    {ARRAY "real general\n1000000 1000000\n1\n2\n", "2: expected 1000000000000 entries as the "
                                                    "size line says, found only 4 bytes behind it"},
    /* Wrong numbers of entries. */
    {ARRAY "real general\n2 2\n1.5\n2.5\n3.5\n",
     "5: expected 4 entries, found the end of the file after 3"},
    {ARRAY "real general\n2 1\n1\n2\n\n3\n",
     "6: expected the end of the file after 2 entries, found another line"},
    {ARRAY "complex symmetric\n2 2\n1.0 0\n2.0 0\n\n",
     "5: expected 3 entries, found the end of the file after 2"},
    {COORDINATE "real general\n2 2 2\n1 1 1\n",
     "3: expected 2 entries, found the end of the file after 1"},
    {COORDINATE "real general\n2 2 1\n1 1 1\n% c\n2 2 1\n",
     "5: expected the end of the file after 1 entries, found another line"},
    {COORDINATE "pattern general\n0 3 1\n1 1\n", "3: expected a row index from 1 to 0, found 1"},
    /* Wrong lines of data. */
    {ARRAY "real general\n2 1\n1\n2,5\n", "4: expected a number, found '2,5'"},
    {ARRAY "real general\n2 1\n1\n2 ,5\n", "4: expected one number, found ',5' after it"},
    {ARRAY "real general\n2 1\n1 2\n3\n", "3: expected one number, found '2' after it"},
    {ARRAY "real general\n1 1\n1d\n", "3: expected a number, found '1d'"},
    {ARRAY "real general\n1 1\n1d0x\n", "3: expected a number, found '1d0x'"},
    {ARRAY "real general\n1 1\n1e0d0\n", "3: expected a number, found '1e0d0'"},
    {ARRAY "real general\n1 1\nd0\n", "3: expected a number, found 'd0'"},
    {ARRAY "integer general\n1 1\n1d0\n", "3: expected an integer, found '1d0'"},
    {ARRAY "real general\n2 1\n1\n-0x10\n", "4: expected a decimal number, found '-0x10'"},
    {ARRAY "real general\n1 1\n1e-400\n",
     "3: expected 0 or a number above 4.9e-324, found '1e-400'"},
    {ARRAY "real general\n1 1\n-.01D-400\n",
     "3: expected 0 or a number above 4.9e-324, found '-.01D-400'"},
    {ARRAY "real general\n1 1\n1+2\n", "3: expected a number, found '1+2'"},
    {ARRAY "real general\n1 1\n1.5+2i\n", "3: expected a number, found '1.5+2i'"},
    {ARRAY "real general\n1 1\n1.5+\n", "3: expected a number, found '1.5+'"},
    {ARRAY "real general\n1 1\n1.5e1+2\n", "3: expected a number, found '1.5e1+2'"},
    {ARRAY "real general\n1 1\n1.5+999\n", "3: expected a number below 1.8e308, found '1.5+999'"},
    {ARRAY "real general\n1 1\n1.5-999\n",
     "3: expected 0 or a number above 4.9e-324, found '1.5-999'"},
    {ARRAY "integer general\n1 1\n1.5+3\n", "3: expected an integer, found '1.5+3'"},
    {ARRAY "unsigned-integer general\n1 1\n-1\n",
     "3: expected an integer without a sign, found '-1'"},
    {COORDINATE "unsigned-integer general\n1 1 1\n1 1 1 1\n",
     "3: expected row, column, integer, found '1' after it"},
    {ARRAY "unsigned-integer hermitian\n1 1\n1\n",
     "1: unsigned-integer cannot be hermitian, only complex can"},
    {ARRAY "real general\n1 1\n1D999\n", "3: expected a number below 1.8e308, found '1D999'"},
    {ARRAY "real general\r1 1\r1\r",
     "1: expected lines that end in LF, found CR alone; convert the file, as by tr '\\r' '\\n'"},
    {ARRAY "real general\n1 1\n1e999\n", "3: expected a number below 1.8e308, found '1e999'"},
    {ARRAY "real general\n2 1\n1\n-1e999\n", "4: expected a number below 1.8e308, found '-1e999'"},
    {ARRAY "real general\n2 1\n\v1\n2\n", "3: expected a number, found '?1'"},
    {ARRAY "real general\n2 1\n\r\r\n2\n3\n", "3: expected a number, found '?'"},
    {ARRAY "real general\n2 1\n1\r2\n3\n", "3: expected a number, found '1?2'"},
    {ARRAY "integer general\n1 1\n1.5\n", "3: expected an integer, found '1.5'"},
    {ARRAY "integer general\n1 1\nnan\n", "3: expected an integer, found 'nan'"},
    {ARRAY "complex general\n1 2\n1.0\n2 2\n", "3: expected a number, found the end of the line"},
    {ARRAY "complex general\n1 1\n1 2 3\n", "3: expected two numbers, found '3' after it"},
    {ARRAY "real general\n1 1\n" TOO_MANY TEN TEN TEN "1\n",
     "3: expected lines of at most 1024 characters"},
    {ARRAY "real general\n1 1\n12345678901234567890123456789012345678901234567890x\n",
     "3: expected a number, found '1234567890123456789012345678901234567890...'"},
    {COORDINATE "real general\n2 2 1\n1 1\n", "3: expected a number, found the end of the line"},
    {COORDINATE "real general\n2 2 1\n1\n",
     "3: expected a column index, found the end of the line"},
    {COORDINATE "real general\n2 2 1\n1 1 1 1\n",
     "3: expected row, column, number, found '1' after it"},
    {COORDINATE "pattern general\n2 2 1\n1 1 1\n", "3: expected row, column, found '1' after it"},
    {COORDINATE "integer general\n2 2 1\n1 1 1 1\n",
     "3: expected row, column, integer, found '1' after it"},
    {COORDINATE "complex general\n2 2 1\n1 1 1 1 1\n",
     "3: expected row, column, two numbers, found '1' after it"},
    {COORDINATE "real general\n2 2 1\n1.0 1 1\n", "3: expected a row index, found '1.0'"},
    {COORDINATE "real general\n2 2 1\n0 1 1\n", "3: expected a row index from 1 to 2, found 0"},
    {COORDINATE "real general\n2 2 1\n-1 1 1\n", "3: expected a row index from 1 to 2, found -1"},
    {COORDINATE "real general\n2 2 1\n3 1 1\n", "3: expected a row index from 1 to 2, found 3"},
    {COORDINATE "real general\n2 2 1\n1 0 1\n", "3: expected a column index from 1 to 2, found 0"},
    {COORDINATE "real general\n2 2 1\n1 3 1\n", "3: expected a column index from 1 to 2, found 3"},
    {COORDINATE "real symmetric\n2 2 2\n1 1 1\n1 2 1\n",
     "4: expected entries on or below the diagonal because of symmetry, found (1, 2)"},
    {COORDINATE "real skew-symmetric\n2 2 1\n2 2 1\n",
     "3: expected zero on the diagonal of a skew-symmetric matrix, found (1, 0)"},
    {COORDINATE "complex hermitian\n2 2 1\n2 2 1 1\n",
     "3: expected a real diagonal in a hermitian matrix, found imaginary part 1"},
    {ARRAY "complex hermitian\n2 2\n1 0\n2 1\n3 0.5\n",
     "5: expected a real diagonal in a hermitian matrix, found imaginary part 0.5"},
    {ARRAY "complex hermitian\n1 1\n1 nan\n",
     "3: expected a real diagonal in a hermitian matrix, found imaginary part nan"},
    /* The message is about the first wrong line. */
    {COORDINATE "real general\n2 2 3\n1 1 1\n1 x 1\n9 1 1\n",
     "4: expected a column index, found 'x'"},
    {ARRAY "real general\n2 1\nx\n2\n3\n", "3: expected a number, found 'x'"},
};
enum { BAD_TEXTS = sizeof bad_texts / sizeof *bad_texts };

#endif
