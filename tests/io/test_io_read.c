/* Reading matrix files on ranks: the entries are right, wherever the files are cut, and damaged
 * files give the same status and message on every rank and for every number of ranks. */
// ranks: 1 3 4 6 8
// sample: 1 4 6
#include "io_cases.h"
#include "io_check.h"

#include <complex.h>
#include <math.h>
#include <unistd.h>

/* Bytes that a rank reads in a round; 0: the default. */
static const int64_t chunks[] = {1, 7, 64, 0};
enum { CHUNKS = sizeof chunks / sizeof *chunks };

static void good_texts_give_their_entries(void **state) {
  (void)state;
  hyla_cube *cube = make_cube();
  char path[64];
  file_name("test_io_read", ".mtx", path);
  for (int i = 0; i < GOOD_TEXTS; i++) {
    const struct good_text *good = &good_texts[i];
    put_file(path, good->text, strlen(good->text));
    for (int c = i % 2; c < CHUNKS; c += 2) {
      hyla_layout layout;
      hyla_matrix *a = NULL;
      hyla_status status =
          hy_io_read(cube, path, make_layout(cube, c % LAYOUTS, &layout), chunks[c], &a);
      harness_note("text %d chunk %d: %s", i, (int)chunks[c], hyla_cube_message(cube));
      assert_int_equal(status, HYLA_OK);
      assert_int_equal(hyla_matrix_rows(a), good->rows);
      assert_int_equal(hyla_matrix_cols(a), good->cols);
      bool complex_file = strstr(good->text, "complex") != NULL;
      assert_int_equal(hyla_matrix_type(a), complex_file ? HYLA_DOUBLE_COMPLEX : HYLA_DOUBLE);
      assert_entries(a, good->entries);
      hyla_matrix_destroy(&a);
    }
    drop_file(path);
  }
  hyla_cube_destroy(&cube);
}

static void bad_texts_give_their_message(void **state) {
  (void)state;
  hyla_cube *cube = make_cube();
  char path[64], message[HY_MESSAGE_MAX];
  file_name("test_io_read", ".mtx", path);
  for (int i = 0; i < BAD_TEXTS; i++) {
    put_file(path, bad_texts[i].text, strlen(bad_texts[i].text));
    harness_note("text %d", i);
    snprintf(message, sizeof message, "%s:%s", path, bad_texts[i].message);
    int64_t bytes = cube->base.bytes_now;
    hyla_matrix *a = (hyla_matrix *)cube;
    int64_t chunk = chunks[i % CHUNKS];
    assert_message(cube, hy_io_read(cube, path, NULL, chunk, &a), HYLA_FORMAT, message);
    assert_null(a);
    assert_int_equal(cube->base.bytes_now, bytes);
    drop_file(path);
  }
  hyla_cube_destroy(&cube);
}

static const struct table {
  const char *text;
  int64_t rows, cols;
  double entries[12]; /* by rows */
} tables[] = {
    {"1 2 3\n4 5 6\n", 2, 3, {1, 2, 3, 4, 5, 6}},
    {"# made by savetxt\n#\n  1.5e+00\t-2.5D-01 \r\n\r\n.5 1.+2\r\n# end",
     2,
     2,
     {1.5, -.25, .5, 100}},
    {"1,2\n 3 , 4\n-5,+6", 3, 2, {1, 2, 3, 4, -5, 6}},
    {"1;2;3;4\n5;6;7;8\n\n\n", 2, 4, {1, 2, 3, 4, 5, 6, 7, 8}},
    {"\n  42", 1, 1, {42}},
    {"1\n2\n3\n", 3, 1, {1, 2, 3}},
    {"a,b\n1,2\n3,4\n", 2, 2, {1, 2, 3, 4}},
    {"# c\n \"x\"\t_y\r\n\n1\t2\n", 1, 2, {1, 2}},
    {"nan;inf\n-Infinity;0\n", 2, 2, {NAN, INFINITY, -INFINITY, 0}},
    {"nano;info\n1;2\n", 1, 2, {1, 2}},
    {"1 2 3 4 5 6 7 8 9 10 11 12", 1, 12, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}},
};
enum { TABLES = sizeof tables / sizeof *tables };

static void tables_give_their_entries(void **state) {
  (void)state;
  hyla_cube *cube = make_cube();
  char path[64];
  file_name("test_io_read", ".csv", path);
  for (int t = 0; t < TABLES; t++) {
    const struct table *table = &tables[t];
    put_file(path, table->text, strlen(table->text));
    for (int c = 0; c < CHUNKS; c++) {
      hyla_layout layout;
      hyla_matrix *a = NULL;
      hyla_status status =
          hy_io_read(cube, path, make_layout(cube, (c + t) % LAYOUTS, &layout), chunks[c], &a);
      harness_note("table %d chunk %d: %s", t, (int)chunks[c], hyla_cube_message(cube));
      assert_int_equal(status, HYLA_OK);
      assert_true(hyla_matrix_rows(a) == table->rows && hyla_matrix_cols(a) == table->cols);
      assert_int_equal(hyla_matrix_type(a), HYLA_DOUBLE);
      double entries[2 * 12] = {0};
      for (int64_t k = 0; k < table->rows * table->cols; k++)
        entries[2 * (k / table->cols + k % table->cols * table->rows)] = table->entries[k];
      assert_entries(a, entries);
      hyla_matrix_destroy(&a);
    }
    drop_file(path);
  }
  hyla_cube_destroy(&cube);
}

/* Complex numbers as NumPy, MATLAB and hyla write them. */
static void tables_have_complex_numbers(void **state) {
  (void)state;
  static const char text[] = "re im\n(1+2j) 3\n (-0.5e1+-1.5e-1j)\t4j\n1-2i nan-infj\n";
  static const double entries[] = {1, 2, -5, -.15, 1, -2, 3, 0, 0, 4, NAN, -INFINITY};
  hyla_cube *cube = make_cube();
  char path[64];
  file_name("test_io_read", ".txt", path);
  put_file(path, text, strlen(text));
  for (int c = 0; c < CHUNKS; c++) {
    hyla_matrix *a = NULL;
    hyla_status status = hy_io_read(cube, path, NULL, chunks[c], &a);
    harness_note("chunk %d: %s", (int)chunks[c], hyla_cube_message(cube));
    assert_int_equal(status, HYLA_OK);
    assert_int_equal(hyla_matrix_type(a), HYLA_DOUBLE_COMPLEX);
    assert_true(hyla_matrix_rows(a) == 3 && hyla_matrix_cols(a) == 2);
    assert_entries(a, entries);
    hyla_matrix_destroy(&a);
  }
  drop_file(path);
  hyla_cube_destroy(&cube);
}

/* The option delimiter, for tables that are read and written. */
static void the_delimiter_can_be_given(void **state) {
  (void)state;
  static const struct {
    const char *delimiter, *text;
  } cases[] = {
      {"|", "1|2|3\n4| 5 |6\n"}, {"tab", "1\t2\t3\n4\t5\t6\n"}, {"blank", "1 2 3\n4  5 6\n"}};
  static const double entries[] = {1, 0, 4, 0, 2, 0, 5, 0, 3, 0, 6, 0};
  char path[64], other[64];
  file_name("test_io_read", ".csv", path);
  file_name("test_io_read", "_other.csv", other);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    hyla_options options;
    hyla_cube *cube = NULL;
    hyla_matrix *a = NULL, *b = NULL;
    hyla_options_init(&options);
    options.delimiter = cases[i].delimiter;
    assert_int_equal(hyla_cube_create(MPI_COMM_WORLD, &options, &cube), HYLA_OK);
    put_file(path, cases[i].text, strlen(cases[i].text));
    assert_int_equal(hyla_matrix_read(cube, path, NULL, &a), HYLA_OK);
    assert_entries(a, entries);
    assert_int_equal(hyla_matrix_write(cube, a, other), HYLA_OK);
    assert_int_equal(hyla_matrix_read(cube, other, NULL, &b), HYLA_OK);
    assert_entries(b, entries);
    hyla_matrix_destroy(&b);
    hyla_matrix_destroy(&a);
    hyla_cube_destroy(&cube);
    drop_file(path);
    drop_file(other);
  }
  hyla_options options;
  hyla_cube *cube = NULL;
  hyla_options_init(&options);
  options.delimiter = "e";
  assert_int_equal(hyla_cube_create(MPI_COMM_WORLD, &options, &cube), HYLA_ARGUMENT);
  assert_non_null(strstr(hyla_cube_message(cube), "the option delimiter is \"e\""));
  hyla_cube_destroy(&cube);
}

/* A row that is longer than a chunk, and longer than the blocks of the first pass. */
static void long_rows_are_read(void **state) {
  (void)state;
  enum { ROWS = 3, COLS = 200001, WIDTH = 8 };
  hyla_cube *cube = make_cube();
  hyla_matrix *a = NULL;
  char path[64], *text = malloc(ROWS * COLS * WIDTH + 1);
  assert_non_null(text);
  file_name("test_io_read", ".txt", path);
  char *at = text;
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < COLS; j++)
      at += sprintf(at, "%*d%c", WIDTH - 1, (7 * i + 3 * j) % 1000, j == COLS - 1 ? '\n' : ',');
  put_file(path, text, (size_t)(at - text));
  free(text);
  hyla_status status = hyla_matrix_read(cube, path, NULL, &a);
  harness_note("%s", hyla_cube_message(cube));
  assert_int_equal(status, HYLA_OK);
  assert_true(hyla_matrix_rows(a) == ROWS && hyla_matrix_cols(a) == COLS);
  int64_t wrong = 0;
  for (int64_t m = 0; m < a->local_cols; m++)
    for (int64_t l = 0; l < a->local_rows; l++)
      wrong += *(const double *)hy_at(a, l, m) !=
               (double)((7 * hyla_matrix_row(a, l) + 3 * hyla_matrix_col(a, m)) % 1000);
  assert_int_equal(wrong, 0);
  hyla_matrix_destroy(&a);
  drop_file(path);
  hyla_cube_destroy(&cube);
}

/* Message: the text after "PATH". */
static void what_is_no_table_is_told(void **state) {
  (void)state;
  static const struct {
    const char *text;
    size_t length; /* 0: of the text */
    size_t zeros;  /* behind it */
    const char *message;
  } bad[] = {
      {"x,1\n1,2\n", 0, 0, ":1: column 1: expected a number, found 'x'"},
      {"2x,y\n1,2\n", 0, 0, ":1: column 1: expected a number, found '2x'"},
      {",y\n1,2\n", 0, 0, ":1: column 1: expected a number, found nothing"},
      {"x,y\nz,w\n1,2\n", 0, 0, ":2: column 1: expected a number, found 'z'"},
      {"x,y\n", 0, 0, ": expected rows of numbers, found only names"},
      {"x,y\n\n1,2\n3\n", 0, 0, ":4: expected 2 numbers as in the first row, found 1"},
      {"1+2j 3\n4 5k\n", 0, 0, ":2: column 2: expected a complex number as 1+2j, found '5k'"},
      {"1+2j\n1e999j\n", 0, 0, ":2: column 1: expected a complex number as 1+2j, found '1e999j'"},
      {"1\n1+2j\n", 0, 0, ":2: column 1: expected a number, found '1+2j'"},
      {"1,2\n3,x\n", 0, 0, ":2: column 2: expected a number, found 'x'"},
      {"1,2\n3,\n", 0, 0, ":2: column 2: expected a number, found nothing"},
      {"1,2\n3,4 5\n", 0, 0, ":2: column 2: expected one number, found '5' after it"},
      {"1,5;2,5\n", 0, 0, ":1: column 1: expected a number, found '1,5'"},
      {"# c\n1 2 3\n\n4 5\n", 0, 0, ":4: expected 3 numbers as in the first row, found 2"},
      {"1 2\n3 4 5\n", 0, 0, ":2: expected 2 numbers as in the first row, found more"},
      {"1 2\n# B\n3 4\n", 0, 0,
       ":3: expected one table in a file, found a row behind a comment that stands behind rows"},
      {"1 2\n3 1e999\n", 0, 0, ":2: column 2: expected a number below 1.8e308, found '1e999'"},
      {"1 (2,3)\n", 0, 0, ":1: column 1: expected one number, found '(2' after it"},
      {"\"1\",2\n", 0, 0, ":1: column 1: expected a number, found '\"1\"'"},
      {"# nothing\n\n", 0, 0, ": expected rows of numbers, found none"},
      {"\0\0\0\0\2\0\0\0\2\0\0\0\0\0\0\0\2\0\0\0A\0", 22, 31,
       ": at byte 22: expected 32 bytes, found the end of the file"},
      {"MATLAB 5.0 MAT-file", 0, 0, ": at byte 0: expected 128 bytes, found the end of the file"},
  };
  hyla_cube *cube = make_cube();
  char path[64], bytes[128], message[HY_MESSAGE_MAX];
  file_name("test_io_read", ".csv", path);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    hyla_matrix *a = NULL;
    memset(bytes, 0, sizeof bytes);
    size_t length = bad[i].length > 0 ? bad[i].length : strlen(bad[i].text);
    memcpy(bytes, bad[i].text, length);
    put_file(path, bytes, length + bad[i].zeros);
    harness_note("table %d", (int)i);
    snprintf(message, sizeof message, "%s%s", path, bad[i].message);
    assert_message(cube, hy_io_read(cube, path, NULL, chunks[i % CHUNKS], &a), HYLA_FORMAT,
                   message);
    assert_null(a);
    drop_file(path);
  }
  hyla_cube_destroy(&cube);
}

/* If a place has many summands, their sum is, to the bit, that of adding them one after the
 * other. */
static void duplicates_add_in_file_order(void **state) {
  (void)state;
  enum { N = 5, ENTRIES = 400 };
  hyla_cube *cube = make_cube();
  char path[64], text[ENTRIES * 40];
  file_name("test_io_read", ".mtx", path);
  double sums[2 * N * N] = {0};
  int length = sprintf(text, "%s%d %d %d\n", COORDINATE "real symmetric\n", N, N, ENTRIES);
  for (int e = 0; e < ENTRIES; e++) {
    int j = (int)harness_draw(0, N - 1), i = (int)harness_draw(j, N - 1);
    double x = (double)harness_draw(-1000000, 1000000) * (harness_draw(0, 1) ? 1e-9 : 0.3);
    length += sprintf(text + length, "%d %d %.17g\n", i + 1, j + 1, x);
    sums[2 * (i + j * N)] += x;
    if (i != j) sums[2 * (j + i * N)] += x;
  }
  put_file(path, text, (size_t)length);
  for (int64_t chunk = 0; chunk <= 400; chunk += 100) {
    hyla_matrix *a = NULL;
    hyla_status status = hy_io_read(cube, path, NULL, chunk, &a);
    harness_note("chunk %d: %s", (int)chunk, hyla_cube_message(cube));
    assert_int_equal(status, HYLA_OK);
    assert_entries(a, sums);
    hyla_matrix_destroy(&a);
  }
  drop_file(path);
  hyla_cube_destroy(&cube);
}

/* Files like those of collections: size, type, and the sum of the entries, which is exact. */
static void collected_files_are_read(void **state) {
  (void)state;
  static const struct {
    const char *name;
    int64_t rows, cols;
    hyla_type type;
    double sum[2];
  } files[] = {
      {"frame.mtx", 6, 6, HYLA_DOUBLE, {3, 0}},
      {"circuit.mtx", 7, 7, HYLA_DOUBLE, {-1.375, 0}},
      {"ring.mtx", 5, 5, HYLA_DOUBLE_COMPLEX, {-3, 0}},
      {"graph.mtx", 10, 10, HYLA_DOUBLE, {30, 0}},
      {"rotation.mtx", 4, 4, HYLA_DOUBLE, {0, 0}},
      {"loads.mtx", 6, 2, HYLA_DOUBLE, {5, 0}},
  };
  hyla_cube *cube = make_cube();
  for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", TEST_DATA, files[f].name);
    hyla_matrix *a = NULL;
    hyla_status status = hyla_matrix_read(cube, path, NULL, &a);
    harness_note("%s: %s", files[f].name, hyla_cube_message(cube));
    assert_int_equal(status, HYLA_OK);
    assert_int_equal(hyla_matrix_rows(a), files[f].rows);
    assert_int_equal(hyla_matrix_cols(a), files[f].cols);
    assert_int_equal(hyla_matrix_type(a), files[f].type);
    double mine[2] = {0, 0}, sum[2], parts[2];
    for (int64_t m = 0; m < a->local_cols; m++) {
      for (int64_t l = 0; l < a->local_rows; l++) {
        local_entry(a, l, m, parts);
        mine[0] += parts[0];
        mine[1] += parts[1];
      }
    }
    harness_allreduce(mine, sum, 2, MPI_DOUBLE, MPI_SUM);
    assert_true(sum[0] == files[f].sum[0] && sum[1] == files[f].sum[1]);
    hyla_matrix_destroy(&a);
  }
  hyla_cube_destroy(&cube);
}

/* Entry (i, j) of the .npy files below: small, so that every type can represent it. */
static int element(int64_t i, int64_t j) { return (int)((7 * i + 3 * j) % 120); }

/* A whole number from 0 to 2047 in half precision. */
static uint16_t half_of(int number) {
  int exponent = 0;
  const double fraction = frexp(number, &exponent); /* .5 to 1 */
  return number == 0 ? 0 : (uint16_t)((exponent + 14) * 1024 + (int)(fraction * 2048) - 1024);
}

/* Writes an element in the bytes of a type; returns its length. */
static int64_t put_element(const struct hy_npy_element *e, int value, char *bytes) {
  bool complex_type = e->kind == 'c', floating = e->kind != 'i' && e->kind != 'u';
  int size = complex_type ? e->size / 2 : e->size;
  for (int part = 0; part <= complex_type; part++) {
    int number = part == 0 ? value : -value;
    char plain[8] = {(char)number};
    if (floating && size == 2) memcpy(plain, &(uint16_t){half_of(number)}, 2);
    if (floating && size == 4) memcpy(plain, &(float){(float)number}, 4);
    if (floating && size == 8) memcpy(plain, &(double){number}, 8);
    bool turn = floating ? e->big != hy_npy_machine_is_big() : e->big;
    for (int b = 0; b < size; b++) bytes[part * size + b] = plain[turn ? size - 1 - b : b];
  }
  return e->size;
}

static size_t make_npy(const struct hy_npy_element *e, bool by_columns, int64_t rows, int64_t cols,
                       char *bytes) {
  char dictionary[128];
  int length = sprintf(dictionary, "{'descr': '%c%c%d', 'fortran_order': %s, 'shape': (%d, %d)}\n",
                       e->big ? '>' : '<', e->kind, e->size, by_columns ? "True" : "False",
                       (int)rows, (int)cols);
  const char preamble[] = {'\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0, (char)length, 0};
  memcpy(bytes, preamble, sizeof preamble);
  memcpy(bytes + sizeof preamble, dictionary, (size_t)length);
  char *at = bytes + sizeof preamble + length;
  for (int64_t k = 0; k < rows * cols; k++) {
    int64_t i = by_columns ? k % rows : k / cols, j = by_columns ? k / rows : k % cols;
    at += put_element(e, element(i, j), at);
  }
  return (size_t)(at - bytes);
}

static void assert_elements(const hyla_matrix *a) {
  for (int64_t m = 0; m < a->local_cols; m++) {
    for (int64_t l = 0; l < a->local_rows; l++) {
      double parts[2], wanted = element(hyla_matrix_row(a, l), hyla_matrix_col(a, m));
      local_entry(a, l, m, parts);
      assert_true(parts[0] == wanted && parts[1] == (a->k->complex_type ? -wanted : 0));
    }
  }
}

static void npy_files_of_all_types_are_read(void **state) {
  (void)state;
  static const struct hy_npy_element elements[] = {
      {'f', 4, 0}, {'f', 8, 0}, {'c', 8, 0}, {'c', 16, 0}, {'i', 1, 0}, {'i', 2, 1},
      {'i', 4, 0}, {'i', 8, 1}, {'u', 1, 0}, {'u', 2, 0},  {'u', 4, 1}, {'u', 8, 0},
      {'f', 4, 1}, {'f', 8, 1}, {'c', 8, 1}, {'c', 16, 1}, {'f', 2, 0}, {'f', 2, 1}};
  static const int64_t sizes[][2] = {{0, 3},  {1, 1},    {5, 7},   {30, 1},
                                     {1, 31}, {3001, 2}, {2, 3001}};
  hyla_cube *cube = make_cube();
  char path[64], *bytes = malloc(1 << 17);
  assert_non_null(bytes);
  file_name("test_io_read", ".npy", path);
  for (size_t t = 0; t < sizeof elements / sizeof *elements; t++) {
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
      int64_t rows = sizes[s][0], cols = sizes[s][1];
      bool by_columns = (s + t) % 2;
      put_file(path, bytes, make_npy(&elements[t], by_columns, rows, cols, bytes));
      hyla_layout layout;
      hyla_matrix *a = NULL;
      int which = (int)((2 * s + t) % LAYOUTS);
      hyla_status status = hyla_matrix_read(cube, path, make_layout(cube, which, &layout), &a);
      harness_note("type %d size %d layout %d: %s", (int)t, (int)s, which, hyla_cube_message(cube));
      assert_int_equal(status, HYLA_OK);
      assert_int_equal(hyla_matrix_type(a), hy_npy_type(&elements[t]));
      assert_elements(a);
      hyla_matrix_destroy(&a);
      drop_file(path);
    }
  }
  free(bytes);
  hyla_cube_destroy(&cube);
}

/* Files that are read in many pieces, by several threads of a rank: this covers every path of
 * npy_read.c. */
static void large_npy_files_are_read_by_threads(void **state) {
  (void)state;
  static const struct {
    struct hy_npy_element element;
    bool by_columns;
    int64_t rows, cols;
  } files[] = {{{'i', 1, false}, false, 5003, 211}, {{'u', 1, false}, false, 19, 70001},
               {{'f', 8, false}, false, 71, 5003},  {{'f', 8, true}, false, 517, 701},
               {{'c', 16, false}, false, 331, 643}, {{'f', 4, false}, false, 129, 9001},
               {{'c', 8, true}, false, 257, 1021},  {{'f', 8, false}, true, 5003, 67},
               {{'f', 8, true}, true, 67, 5003},    {{'c', 16, false}, true, 211, 997}};
  hyla_options options;
  hyla_options_init(&options);
  options.threads = 3;
  hyla_cube *cube = NULL;
  assert_int_equal(hyla_cube_create(MPI_COMM_WORLD, &options, &cube), HYLA_OK);
  char path[64], *bytes = malloc(1 << 23);
  assert_non_null(bytes);
  file_name("test_io_read", ".npy", path);
  for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
    hyla_layout layout;
    hyla_matrix *a = NULL;
    put_file(path, bytes,
             make_npy(&files[f].element, files[f].by_columns, files[f].rows, files[f].cols, bytes));
    const hyla_layout *wanted = f < 2 ? NULL : make_layout(cube, (int)f % LAYOUTS, &layout);
    hyla_status status = hyla_matrix_read(cube, path, wanted, &a);
    harness_note("file %d: %s", (int)f, hyla_cube_message(cube));
    assert_int_equal(status, HYLA_OK);
    assert_elements(a);
    hyla_matrix_destroy(&a);
    drop_file(path);
  }
  free(bytes);
  hyla_cube_destroy(&cube);
}

/* Another program cuts a file while it is open: no signal comes, and every rank that misses entries
 * has a message that says where the first missing one would be. */
static void files_cut_short_while_they_are_read_are_told(void **state) {
  (void)state;
  enum { ROWS = 512, COLS = 512, CUT = 1000003 };
  const struct hy_npy_element real = {'f', 8, false};
  hyla_options options;
  hyla_options_init(&options);
  options.threads = 3;
  hyla_cube *cube = NULL;
  assert_int_equal(hyla_cube_create(MPI_COMM_WORLD, &options, &cube), HYLA_OK);
  char path[64], message[160], *bytes = malloc(1 << 22);
  assert_non_null(bytes);
  file_name("test_io_read", ".npy", path);
  for (int by_columns = 0; by_columns < 2; by_columns++) {
    struct hy_io_file file;
    struct hy_npy_header header;
    hyla_matrix *a = NULL;
    put_file(path, bytes, make_npy(&real, by_columns, ROWS, COLS, bytes));
    assert_int_equal(hyla_matrix_create(cube, HYLA_DOUBLE, ROWS, COLS, NULL, &a), HYLA_OK);
    assert_int_equal(hy_io_open(&cube->base, path, &file), HYLA_OK);
    assert_int_equal(hy_npy_read_header(&file, &header), HYLA_OK);
    harness_barrier();
    if (harness_rank() == 0) assert_int_equal(truncate(path, CUT), 0);
    harness_barrier();
    int64_t held = cube->base.bytes_now;
    hyla_status status = hy_npy_read_body(&file, &header, a);
    assert_int_equal(cube->base.bytes_now, held);
    snprintf(message, sizeof message,
             "cannot read %s: it ends at byte %d; it was longer when it was opened", path, CUT);
    if (cube->nodes == 1) assert_string_equal(cube->base.message, message);
    if (status == HYLA_FILE) assert_non_null(strstr(cube->base.message, "it was longer"));
    double last = status == HYLA_FILE, any;
    harness_allreduce(&last, &any, 1, MPI_DOUBLE, MPI_MAX);
    assert_true(any == 1 && (status == HYLA_FILE || status == HYLA_OK));
    hy_io_close(&file);
    hyla_matrix_destroy(&a);
    drop_file(path);
  }
  free(bytes);
  hyla_cube_destroy(&cube);
}

/* Bytes of good files are changed: all ranks agree on the result, and no matrix has another shape
 * than its file. */
static void damage_is_refused_alike(void **state) {
  (void)state;
  hyla_cube *cube = make_cube();
  char path[64], text[4096];
  file_name("test_io_read", ".dat", path);
  int64_t held = cube->base.bytes_now;
  for (int trial = 0; trial < 60; trial++) {
    size_t length;
    if (trial % 3 == 0) {
      const struct hy_npy_element real = {'f', 8, false};
      length = make_npy(&real, trial % 2, 4, 3, text);
    } else {
      const char *from = good_texts[harness_draw(0, GOOD_TEXTS - 1)].text;
      length = strlen(from);
      memcpy(text, from, length);
    }
    for (int64_t changes = harness_draw(1, 3); changes > 0; changes--) {
      size_t at = (size_t)harness_draw(0, (int64_t)length - 1);
      int64_t how = harness_draw(0, 2);
      if (how == 0) length = at + 1;
      if (how == 1) text[at] = (char)harness_draw(0, 255);
      if (how == 2) text[at] = "0123456789 \n.-,e"[harness_draw(0, 15)];
    }
    put_file(path, text, length);
    hyla_matrix *a = NULL;
    hyla_status status = hy_io_read(cube, path, NULL, harness_draw(1, 40), &a);
    harness_note("trial %d: %s", trial, hyla_cube_message(cube));
    assert_common(cube, status);
    assert_true(status == HYLA_OK || status == HYLA_FORMAT || status == HYLA_MEMORY ||
                status == HYLA_ARGUMENT);
    assert_int_equal(a != NULL, status == HYLA_OK);
    hyla_matrix_destroy(&a);
    assert_int_equal(cube->base.bytes_now, held);
    drop_file(path);
  }
  hyla_cube_destroy(&cube);
}

static void unreadable_files_are_named(void **state) {
  (void)state;
  hyla_cube *cube = make_cube();
  hyla_matrix *a = NULL;
  assert_message(cube, hyla_matrix_read(cube, "no/such.mtx", NULL, &a), HYLA_FILE,
                 "cannot read no/such.mtx: No such file or directory");
  assert_message(cube, hyla_matrix_read(cube, "/", NULL, &a), HYLA_FILE,
                 "cannot read /: Is a directory");
  char path[64], message[192];
  file_name("test_io_read", ".mtx", path);
  static const struct {
    const char *text, *found;
  } files[] = {{"% Matrix", "'% Matr'"},
               {"\x93NUM", "'?NUM'"},
               {"\xef\xbb%%", "'??%%'"},
               {"\xef\xbb\xbf%%", "a byte order mark; save the file without it, as plain ASCII"},
               {"\xff\xfe%", "UTF-16 text; save the file as plain ASCII"}};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    put_file(path, files[i].text, strlen(files[i].text));
    snprintf(
        message, sizeof message,
        "%s:1: expected %%%%MatrixMarket, the magic number of .npy, or rows of numbers, found %s",
        path, files[i].found);
    assert_message(cube, hyla_matrix_read(cube, path, NULL, &a), HYLA_FORMAT, message);
    drop_file(path);
  }
  put_file(path, "", 0);
  snprintf(message, sizeof message,
           "%s is empty; expected %%%%MatrixMarket, the magic number of .npy, or rows of numbers",
           path);
  assert_message(cube, hyla_matrix_read(cube, path, NULL, &a), HYLA_FORMAT, message);
  drop_file(path);
  static const char huge[] = COORDINATE "real general\n2000000 2000000 1\n1 1 1\n";
  put_file(path, huge, strlen(huge));
  hyla_status status = hyla_matrix_read(cube, path, NULL, &a);
  assert_common(cube, status);
  assert_int_equal(status, HYLA_MEMORY);
  drop_file(path);
  hyla_cube_destroy(&cube);
}

static void bad_arguments_are_refused(void **state) {
  (void)state;
  hyla_cube *cube = make_cube();
  hyla_matrix *a = NULL;
  char path[64];
  file_name("test_io_read", ".mtx", path);
  put_file(path, good_texts[0].text, strlen(good_texts[0].text));
  assert_int_equal(hyla_matrix_read(NULL, path, NULL, &a), HYLA_ARGUMENT);
  for (int bad = -1; bad < harness_ranks(); bad++) { /* -1: all ranks */
    harness_note("bad rank %d", bad);
    bool here = bad < 0 || bad == harness_rank();
    hyla_status status = hyla_matrix_read(cube, here ? NULL : path, NULL, &a);
    assert_common(cube, status);
    assert_int_equal(status, HYLA_ARGUMENT);
    status = hyla_matrix_read(cube, path, NULL, here ? NULL : &a);
    assert_common(cube, status);
    assert_int_equal(status, HYLA_ARGUMENT);
    hyla_layout layout;
    assert_int_equal(hyla_layout_default(cube, 9, 9, &layout), HYLA_OK);
    if (here) layout.row.block = -1;
    status = hyla_matrix_read(cube, path, &layout, &a);
    assert_common(cube, status);
    assert_int_equal(status, HYLA_ARGUMENT);
    if (bad < 0 || harness_ranks() == 1) continue;
    status = hyla_matrix_read(cube, here ? "other.mtx" : path, NULL, &a);
    assert_common(cube, status);
    assert_int_equal(status, HYLA_MISMATCH);
    if (here)
      layout.row.block = 1;
    else
      layout.row.block = 2;
    status = hyla_matrix_read(cube, path, &layout, &a);
    assert_common(cube, status);
    assert_int_equal(status, HYLA_MISMATCH);
  }
  assert_null(a);
  drop_file(path);
  hyla_cube_destroy(&cube);
}

/* The n-th allocation fails on one rank, for every n: all ranks learn of it. */
static void lack_of_memory_is_agreed_upon(void **state) {
  (void)state;
  hyla_cube *cube = make_cube();
  char path[64], bytes[1024];
  file_name("test_io_read", ".dat", path);
  const struct hy_npy_element real = {'f', 8, false};
  for (int npy = 0; npy < 2; npy++) {
    size_t length = make_npy(&real, true, 4, 3, bytes);
    if (!npy) length = (size_t)sprintf(bytes, "%s", good_texts[4].text);
    put_file(path, bytes, length);
    for (int bad = 0; bad < harness_ranks(); bad += 1 + bad) { /* 0, 1, 3, 7 */
      int64_t held = cube->base.bytes_now;
      hyla_status status = HYLA_MEMORY;
      for (int n = 1; status != HYLA_OK; n++) {
        hyla_matrix *a = NULL;
        harness_note("allocation %d on rank %d: %s", n, bad, hyla_cube_message(cube));
        assert_in_range(n, 1, 100);
        cube->base.fail_at = harness_rank() == bad ? cube->base.allocations + n : 0;
        status = hyla_matrix_read(cube, path, NULL, &a);
        assert_common(cube, status);
        assert_true(status == HYLA_OK || status == HYLA_MEMORY);
        assert_int_equal(a != NULL, status == HYLA_OK);
        hyla_matrix_destroy(&a);
        assert_int_equal(cube->base.bytes_now, held);
      }
      cube->base.fail_at = 0;
    }
    drop_file(path);
  }
  hyla_cube_destroy(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(good_texts_give_their_entries),
      cmocka_unit_test(bad_texts_give_their_message),
      cmocka_unit_test(tables_give_their_entries),
      cmocka_unit_test(tables_have_complex_numbers),
      cmocka_unit_test(the_delimiter_can_be_given),
      cmocka_unit_test(long_rows_are_read),
      cmocka_unit_test(what_is_no_table_is_told),
      cmocka_unit_test(duplicates_add_in_file_order),
      cmocka_unit_test(collected_files_are_read),
      cmocka_unit_test(npy_files_of_all_types_are_read),
      cmocka_unit_test(large_npy_files_are_read_by_threads),
      cmocka_unit_test(files_cut_short_while_they_are_read_are_told),
      cmocka_unit_test(damage_is_refused_alike),
      cmocka_unit_test(unreadable_files_are_named),
      cmocka_unit_test(bad_arguments_are_refused),
      cmocka_unit_test(lack_of_memory_is_agreed_upon),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
