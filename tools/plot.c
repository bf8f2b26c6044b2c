/* hyla plot of a matrix: the largest magnitude in each block of its entries, as characters in 80
 * columns of a terminal, and as a picture.  (Records are drawn by the script of the same name.)
 *
 * Each rank passes once over its own entries.  Magnitudes are compared across ranks as integers:
 * the bits of numbers that are not negative are in the order of the numbers, infinity is above all
 * of them, and NaN above infinity. */
#include "layout.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct grammar plot_grammar = {
    .usage = "A.mtx",
    .text = "Draw the magnitudes of a matrix by blocks."
            "\vEach character is a block of entries and shows its largest magnitude, by powers of "
            "ten below the largest of all.  With --output=FILE.svg a picture is written too.",
    .lists = {options_of_plot, options_of_input, options_of_progress},
    .least = 1,
    .most = 1,
};

/* WIDE, HIGH: characters of the drawing.  LEVELS: powers of ten that are told apart. */
enum { WIDE = 76, HIGH = 38, LEVELS = 9 };
static const char marks[LEVELS + 1] = "@%#*+=-:."; /* from the largest on */

/* down x across blocks, by rows. */
struct drawing {
  const char *name;
  int64_t rows, cols;
  const char *type;
  int down, across;
  double most; /* the largest finite magnitude */
  int64_t bits[HIGH * WIDE];
};

static double magnitude_of(const struct drawing *d, int p, int q) {
  double value;
  memcpy(&value, &d->bits[p * d->across + q], sizeof value);
  return value;
}

/* A character is twice as high as it is wide. */
static void choose_blocks(struct drawing *d) {
  const double rows = (double)d->rows, cols = (double)d->cols;
  double across = fmin(WIDE, cols), down = fmin(rows, ceil(across * rows / (2 * cols)));
  if (down > HIGH) {
    across = fmin(cols, fmax(1, floor(across * HIGH / down)));
    down = HIGH;
  }
  d->across = (int)across;
  d->down = (int)down;
}

/* The magnitude of entry number `at' of an array. */
static double magnitude(hyla_type type, const void *array, int64_t at) {
  const float *single = array;
  const double *number = array;
  switch (type) {
  case HYLA_FLOAT: return fabs((double)single[at]);
  case HYLA_DOUBLE: return fabs(number[at]);
  case HYLA_COMPLEX: return hypot((double)single[2 * at], (double)single[2 * at + 1]);
  default: return hypot(number[2 * at], number[2 * at + 1]);
  }
}

/* Finds the largest magnitudes of this rank's entries. */
static void look(struct drawing *d, const hyla_matrix *a) {
  void *local = NULL;
  int64_t rows = 0, cols = 0, ld = 0;
  if (hyla_matrix_local(a, &local, &rows, &cols, &ld) != HYLA_OK) return;
  for (int64_t m = 0; m < cols; m++) {
    const int64_t q = hyla_matrix_col(a, m) * d->across / d->cols;
    for (int64_t l = 0; l < rows; l++) {
      const int64_t p = hyla_matrix_row(a, l) * d->down / d->rows;
      const double value = magnitude(hyla_matrix_type(a), local, l + m * ld);
      int64_t bits, *most = &d->bits[p * d->across + q];
      memcpy(&bits, &value, sizeof bits);
      if (bits > *most) *most = bits;
    }
  }
}

/* How many powers of ten below the largest magnitude; LEVELS: more, or 0; -1: not finite. */
static int level_of(const struct drawing *d, int p, int q) {
  const double value = magnitude_of(d, p, q);
  if (!isfinite(value)) return -1;
  if (value == 0) return LEVELS;
  return (int)fmin(LEVELS, floor(log10(d->most) - log10(value)));
}

static char mark_of(const struct drawing *d, int p, int q) {
  const int level = level_of(d, p, q);
  if (level < 0) return isnan(magnitude_of(d, p, q)) ? 'n' : 'i';
  return level < LEVELS ? marks[level] : ' ';
}

static void describe(const struct drawing *d, char text[200]) {
  snprintf(text, 200, "%s, %lld x %lld %s, the largest magnitude %.3g", d->name, (long long)d->rows,
           (long long)d->cols, d->type, d->most);
}

static void print_text(const struct drawing *d) {
  char title[200];
  describe(d, title);
  printf("plot      %s\n", title);
  for (int p = -1; p <= d->down; p++) {
    const bool frame = p < 0 || p == d->down;
    printf(frame ? "+" : "|");
    for (int q = 0; q < d->across; q++) putchar(frame ? '-' : mark_of(d, p, q));
    printf(frame ? "+\n" : "|\n");
  }
  printf("each mark a power of ten below the last: %s; n is NaN, i infinite\n", marks);
}

/* From dark to light through one hue, so that grey printers keep the order. */
static void colour_of(int level, char text[8]) {
  const int from[] = {8, 48, 107}, to[] = {247, 251, 255};
  int part[3];
  if (level < 0) {
    strcpy(text, "#d7301f");
    return;
  }
  for (int i = 0; i < 3; i++) part[i] = from[i] + (to[i] - from[i]) * level / LEVELS;
  snprintf(text, 8, "#%02x%02x%02x", (unsigned)part[0] & 255, (unsigned)part[1] & 255,
           (unsigned)part[2] & 255);
}

static void draw_legend(const struct drawing *d, double x, FILE *file) {
  char colour[8], text[32];
  for (int level = -1; level <= LEVELS; level++) {
    const double y = 60 + 18 * (level + 1);
    colour_of(level, colour);
    snprintf(text, sizeof text, "to %.2g", d->most * pow(10, -level));
    fprintf(file, "<rect x=\"%.1f\" y=\"%.1f\" width=\"14\" height=\"14\" fill=\"%s\"/>\n", x, y,
            colour);
    layout_label(file, x + 20, y + 11, 11, "start", "#111",
                 level < 0         ? "not finite"
                 : level == LEVELS ? "below, or 0"
                                   : text);
  }
}

static bool draw(const void *drawing, FILE *file) {
  enum { LEFT = 24, TOP = 60, LONG = 560, KEYS = 130, BOTTOM = 24, KEY_HEIGHT = 200 };
  const struct drawing *d = drawing;
  const double cell = LONG / fmax((double)d->across, 2.0 * d->down);
  const double right = LEFT + d->across * cell, low = TOP + 2 * d->down * cell;
  const double width = fmax(right + KEYS, 620), height = fmax(low, TOP + KEY_HEIGHT) + BOTTOM;
  char title[200], colour[8];
  describe(d, title);
  fprintf(file,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
          "viewBox=\"0 0 %.0f %.0f\" font-family=\"Helvetica, Arial, sans-serif\">\n"
          "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
          width, height, width, height);
  layout_label(file, LEFT, 32, 14, "start", "#111", title);
  for (int p = 0; p < d->down; p++)
    for (int q = 0; q < d->across; q++) {
      colour_of(level_of(d, p, q), colour);
      fprintf(file, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\"/>\n",
              LEFT + q * cell, TOP + 2 * p * cell, cell, 2 * cell, colour);
    }
  fprintf(file,
          "<rect x=\"%d\" y=\"%d\" width=\"%.2f\" height=\"%.2f\" fill=\"none\" "
          "stroke=\"#555\"/>\n",
          LEFT, TOP, right - LEFT, low - TOP);
  draw_legend(d, right + 20, file);
  fprintf(file, "</svg>\n");
  return !ferror(file);
}

static void print_json(const struct run *run, const struct drawing *d) {
  json_t *blocks = json_array();
  for (int p = 0; p < d->down; p++) {
    json_t *row = json_array();
    for (int q = 0; q < d->across; q++)
      json_array_append_new(row, number_json(magnitude_of(d, p, q)));
    json_array_append_new(blocks, row);
  }
  json_line(json_pack("{s:s, s:s, s:I, s:I, s:s, s:i, s:o, s:o}", "op", "plot", "matrix",
                      run->options.paths[0], "m", (json_int_t)d->rows, "n", (json_int_t)d->cols,
                      "type", d->type, "ranks", run->ranks, "largest", number_json(d->most),
                      "blocks", blocks));
}

static bool ends_in_svg(const char *path) {
  const size_t length = strlen(path);
  return length > 4 && strcmp(path + length - 4, ".svg") == 0;
}

static hyla_status find_blocks(struct run *run, struct drawing *d, struct result *result) {
  hyla_matrix *a = NULL;
  hyla_type type = HYLA_DOUBLE;
  const char *path = run->options.paths[0];
  hyla_status status = hyla_matrix_probe(run->cube, path, &type, &d->rows, &d->cols);
  if (!status && (d->rows == 0 || d->cols == 0))
    status = result_refuse(result, "%s has no entries to draw", path);
  const struct extent matrix = {d->rows, d->cols};
  if (!status) status = tool_afford(run, type, 1, &matrix);
  if (!status) status = tool_read(run, path, NULL, &a);
  if (status) return status;
  d->name = path;
  d->type = type_name(type);
  choose_blocks(d);
  look(d, a);
  hyla_matrix_destroy(&a);
  return hyla_cube_max(run->cube, d->bits, d->down * d->across);
}

static void find_largest(struct drawing *d) {
  for (int p = 0; p < d->down; p++)
    for (int q = 0; q < d->across; q++)
      if (isfinite(magnitude_of(d, p, q))) d->most = fmax(d->most, magnitude_of(d, p, q));
}

int tool_plot(struct run *run) {
  struct result result;
  struct drawing *d = memset(memory_take(sizeof *d), 0, sizeof *d);
  const char *picture = run->options.output;
  run->options.output = NULL; /* it is no matrix that would be written in the end */
  result_init(&result, "plot");
  hyla_status status = HYLA_OK;
  if (picture && !ends_in_svg(picture))
    status = result_refuse(&result, "--output is `%s'; the name must end in .svg", picture);
  if (!status) status = find_blocks(run, d, &result);
  result_finish(run, &result, status, NULL);
  ticker_stop(&run->ticker);
  if (!result.status) find_largest(d);
  if (run->rank == 0 && !result.status && picture)
    result.exit_code = write_whole(run, picture, draw, d);
  if (run->rank == 0 && !result.status && result.exit_code == EXIT_DONE) {
    if (run->options.json)
      print_json(run, d);
    else
      print_text(d);
  }
  if (run->rank == 0 && *result.message) tell(run, "%s", result.message);
  free(d);
  result_free(&result);
  return result.exit_code;
}
