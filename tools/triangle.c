/* Makes whole matrices from one triangle, to check products with. */
#include "operation.h"

#include <string.h>

hyla_status matrix_operated(hyla_cube *cube, const hyla_matrix *x, hyla_operation op,
                            hyla_scalar alpha, hyla_matrix **made) {
  int64_t rows = hyla_matrix_rows(x), cols = hyla_matrix_cols(x);
  bool transposed = op != HYLA_NONE;
  hyla_status status = hyla_matrix_create(cube, hyla_matrix_type(x), transposed ? cols : rows,
                                          transposed ? rows : cols, hyla_matrix_layout(x), made);
  const hyla_transfer transfer = {.op = op, .alpha = alpha, .from = x, .to = *made};
  return status ? status : hyla_redistribute(cube, 1, &transfer);
}

/* A Hermitian matrix has a real diagonal: the imaginary half of its entries is 0. */
static void put_triangle(const hyla_matrix *x, hyla_triangle triangle, bool hermitian,
                         hyla_matrix *whole) {
  void *from = NULL, *to = NULL;
  int64_t rows = 0, cols = 0, ld_from = 0, ld_to = 0;
  size_t size = type_size(hyla_matrix_type(x));
  hyla_matrix_local(x, &from, &rows, &cols, &ld_from);
  hyla_matrix_local(whole, &to, NULL, NULL, &ld_to);
  for (int64_t m = 0; m < cols; m++)
    for (int64_t l = 0; l < rows; l++) {
      int64_t row = hyla_matrix_row(x, l), col = hyla_matrix_col(x, m);
      if (triangle == HYLA_LOWER ? row < col : row > col) continue;
      char *entry = (char *)to + (size_t)(l + m * ld_to) * size;
      memcpy(entry, (const char *)from + (size_t)(l + m * ld_from) * size, size);
      if (hermitian && row == col && type_complex(hyla_matrix_type(x)))
        memset(entry + size / 2, 0, size / 2);
    }
}

hyla_status triangle_complete(hyla_cube *cube, const hyla_matrix *x, hyla_triangle triangle,
                              hyla_operation image, hyla_matrix **whole) {
  hyla_status status = HYLA_OK;
  if (image == HYLA_NONE)
    status = hyla_matrix_create(cube, hyla_matrix_type(x), hyla_matrix_rows(x), hyla_matrix_cols(x),
                                hyla_matrix_layout(x), whole);
  else
    status = matrix_operated(cube, x, image, 1, whole);
  if (!status) put_triangle(x, triangle, image == HYLA_CONJUGATE, *whole);
  return status;
}

void triangle_put_ones(hyla_matrix *whole) {
  const float single[] = {1, 0}; /* for complex types too */
  const double exact[] = {1, 0};
  hyla_type type = hyla_matrix_type(whole);
  void *local = NULL;
  int64_t rows = 0, cols = 0, ld = 0;
  size_t size = type_size(type);
  hyla_matrix_local(whole, &local, &rows, &cols, &ld);
  for (int64_t m = 0; m < cols; m++)
    for (int64_t l = 0; l < rows; l++)
      if (hyla_matrix_row(whole, l) == hyla_matrix_col(whole, m))
        memcpy((char *)local + (size_t)(l + m * ld) * size,
               type == HYLA_FLOAT || type == HYLA_COMPLEX ? (const void *)single : exact, size);
}
