/* Parses the values of options (numbers, sizes, words), and reports faults in them. */
#include "options.h"

#include <complex.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct argp_option *option_at(const struct grammar *grammar, int i) {
  for (int l = 0; l < OPTION_LISTS && grammar->lists[l]; l++)
    for (const struct argp_option *o = grammar->lists[l]; o->name || o->doc; o++)
      if (i-- == 0) return o;
  return NULL;
}

static const char *name_of(const struct grammar *grammar, int key) {
  const struct argp_option *option = NULL;
  for (int i = 0; (option = option_at(grammar, i)) && option->key != key;) i++;
  return option ? option->name : "";
}

/* Rank 0 prints the fault in an option's argument. */
error_t reject(struct argp_state *state, const char *text, const char *format, ...) {
  char wanted[128];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(wanted, sizeof wanted, format, arguments);
  va_end(arguments);
  const struct parse *parse = state->input;
  argp_error(state, "--%s is `%s'; give %s", name_of(parse->grammar, parse->key), text, wanted);
  return EINVAL;
}

error_t reject_name(struct argp_state *state, const char *text, const char *const *names) {
  char list[256] = "", meant[MEANT_TEXT];
  for (int i = 0; names[i]; i++) {
    size_t length = strlen(list);
    snprintf(list + length, sizeof list - length, "%s%s", i > 0 ? ", " : "", names[i]);
  }
  const struct parse *parse = state->input;
  argp_error(state, "--%s is `%s'%s; give one of %s", name_of(parse->grammar, parse->key), text,
             meant_text(text, names, meant), list);
  return EINVAL;
}

error_t parse_whole(struct argp_state *state, const char *text, int64_t least, int64_t most,
                    int64_t *value) {
  char *end = NULL;
  errno = 0;
  long long number = strtoll(text, &end, 10);
  if (end == text || *end || errno || number < least || number > most)
    return reject(state, text, "a whole number from %lld to %lld", (long long)least,
                  (long long)most);
  *value = number;
  return 0;
}

/* Parses numbers with commas between. */
error_t parse_partition(struct argp_state *state, const char *text, hyla_collective *c) {
  const char *at = text;
  for (c->phases = 0; c->phases < HYLA_DIMS_MAX; c->phases++) {
    char *end = NULL;
    errno = 0;
    long x = strtol(at, &end, 10);
    if (end == at || errno != 0 || x < 1 || x > HYLA_DIMS_MAX) break;
    c->phase[c->phases] = (int)x;
    if (*end == '\0') return c->phases++, 0;
    if (*end != ',') break;
    at = end + 1;
  }
  return reject(state, text, "dimensions from 1 with commas between, as 2,3,1");
}

error_t parse_int(struct argp_state *state, const char *text, int least, int most, int *value) {
  int64_t number = 0;
  error_t error = parse_whole(state, text, least, most, &number);
  *value = (int)number;
  return error;
}

/* Parses "2", or "1-3" from the nearest to the farthest, of an exchange. */
error_t parse_distance(struct argp_state *state, const char *text, hyla_collective *c) {
  int end = 0;
  if (!strchr(text, '-') || *text == '-') return parse_int(state, text, 1, INT_MAX, &c->distance);
  if (sscanf(text, "%d-%d%n", &c->nearest, &c->farthest, &end) == 2 && !text[end] &&
      1 <= c->nearest && c->nearest <= c->farthest)
    return 0;
  return reject(state, text,
                "a distance from 1, or of an exchange the nearest and the farthest, "
                "as 1-3");
}

error_t parse_numbers(struct argp_state *state, const char *text, int least, int *numbers,
                      int *count) {
  const char *at = text;
  for (*count = 0; *count < NUMBERS_MOST; at++) {
    char *end = NULL;
    errno = 0;
    long x = strtol(at, &end, 10);
    if (end == at || errno != 0 || x < least || x > INT_MAX) break;
    numbers[(*count)++] = (int)x;
    at = end;
    if (*at == '\0') return 0;
    if (*at != ',') break;
  }
  return reject(state, text, "up to %d numbers from %d with commas between, as 1,2,4", NUMBERS_MOST,
                least);
}

/* Parses "5", for the first five, or "1,3,6", for these. */
error_t parse_active(struct argp_state *state, const char *text, struct options *options) {
  hyla_collective *c = &options->collective;
  c->which = strchr(text, ',') ? options->which : NULL;
  if (c->which) return parse_numbers(state, text, 0, options->which, &c->active);
  return parse_int(state, text, 1, INT_MAX, &c->active);
}

/* Parses the numbers from text up to `end', in rising order; there may be none. */
static bool read_rising(const char *text, const char *end, int64_t numbers[NUMBERS_MOST],
                        int *count) {
  for (*count = 0; text < end && *count < NUMBERS_MOST; text++) {
    char *behind = NULL;
    errno = 0;
    const long x = strtol(text, &behind, 10);
    if (behind == text || errno != 0 || x < 0 || x > INT_MAX) return false;
    if (*count > 0 && x <= numbers[*count - 1]) return false;
    numbers[(*count)++] = x;
    text = behind;
    if (text == end) return true;
    if (*text != ',') return false;
  }
  return text == end && *count == 0;
}

/* Parses "3,9/1": columns and rows. */
error_t parse_dense(struct argp_state *state, const char *text, struct options *options) {
  const char *end = text + strlen(text), *slash = strchr(text, '/');
  if (slash != NULL && read_rising(text, slash, options->dense, &options->dense_columns) &&
      read_rising(slash + 1, end, options->dense_row, &options->dense_rows) &&
      options->dense_columns + options->dense_rows > 0)
    return 0;
  return reject(state, text, "columns/rows from 0 in rising order, as 3,9/1; up to %d of each",
                NUMBERS_MOST);
}

/* Parses "0-1,5-7", links by their two nodes. */
error_t parse_lost(struct argp_state *state, const char *text, struct options *options) {
  hyla_collective *c = &options->collective;
  const char *at = text;
  c->lost = options->lost;
  for (c->lost_count = 0; c->lost_count < NUMBERS_MOST; at++) {
    hyla_lost_link *lost = &options->lost[c->lost_count++];
    int end = 0;
    if (sscanf(at, "%9d-%9d%n", &lost->node, &lost->peer, &end) != 2 || lost->node < 0 ||
        lost->peer < 0)
      break;
    at += end;
    if (*at == '\0') return 0;
    if (*at != ',') break;
  }
  return reject(state, text, "links by their two nodes, with commas between, as 0-1,5-7");
}

/* Parses "64G", with k, M, G or T for powers of 1024. */
error_t parse_bytes(struct argp_state *state, const char *text, int64_t *bytes) {
  static const char units[] = "kMGT";
  char *end = NULL;
  double number = strtod(text, &end);
  const char *unit = end != text && *end ? strchr(units, *end) : NULL;
  if (unit) {
    number = ldexp(number, 10 * (int)(unit - units + 1));
    end++;
  }
  if (end == text || *end || !(number >= 1 && number < 0x1p62))
    return reject(state, text, "a number of bytes, as in 64G or 500M");
  *bytes = (int64_t)number;
  return 0;
}

/* I:J, or LO:HI; one of the two may be missing. */
error_t parse_spectrum(struct argp_state *state, const char *text, bool by_index,
                       hyla_eigen_options *eigen) {
  char *end = NULL, *last = NULL;
  const char *colon = strchr(text, ':');
  if (eigen->range != HYLA_EIGEN_ALL) {
    argp_error(state, "give one of --range and --interval, once");
    return EINVAL;
  }
  eigen->range = by_index ? HYLA_EIGEN_INDEX : HYLA_EIGEN_INTERVAL;
  errno = 0;
  if (colon && by_index) {
    eigen->first = strtoll(text, &end, 10);
    eigen->last = strtoll(colon + 1, &last, 10);
    if (end == colon && last != colon + 1 && !*last && !errno && eigen->first >= 0 &&
        eigen->first <= eigen->last)
      return 0;
  } else if (colon) {
    eigen->low = colon == text ? -INFINITY : strtod(text, &end);
    eigen->high = colon[1] == 0 ? INFINITY : strtod(colon + 1, &last);
    if ((colon == text || end == colon) && (colon[1] == 0 || !*last) && eigen->low < eigen->high)
      return 0;
  }
  argp_error(state,
             by_index ? "--range takes I:J, two numbers from 0, not `%s'"
                      : "--interval takes LO:HI, two numbers, not `%s'",
             text);
  return EINVAL;
}

error_t parse_time(struct argp_state *state, const char *text, double *value) {
  char *end = NULL;
  *value = strtod(text, &end);
  if (end != text && *end == 0 && *value >= 0 && isfinite(*value)) return 0;
  return reject(state, text, "a time from 0 on, as in 1.5e-6");
}

error_t parse_positive(struct argp_state *state, const char *text, double *value) {
  char *end = NULL;
  *value = strtod(text, &end);
  if (end != text && *end == 0 && *value > 0 && isfinite(*value)) return 0;
  return reject(state, text, "a number above 0, as 0.3");
}

error_t parse_tolerance(struct argp_state *state, const char *text, double *value) {
  char *end = NULL;
  *value = strtod(text, &end);
  if (end != text && *end == 0 && *value > 0 && *value < 1) return 0;
  return reject(state, text, "a number between 0 and 1, as 1e-10");
}

error_t parse_probability(struct argp_state *state, const char *text, double *value) {
  char *end = NULL;
  *value = strtod(text, &end);
  if (end != text && *end == 0 && *value > 0 && *value <= 1) return 0;
  return reject(state, text, "a probability above 0, up to 1");
}

error_t parse_pattern(struct argp_state *state, const char *text, hyla_traffic_pattern *value) {
  *value = strcmp(text, "opposite") == 0 ? HYLA_TRAFFIC_OPPOSITE : HYLA_TRAFFIC_UNIFORM;
  if (*value == HYLA_TRAFFIC_OPPOSITE || strcmp(text, "uniform") == 0) return 0;
  return reject(state, text, "uniform or opposite");
}

/* Parses a number of buffers, or "inf" for any number. */
error_t parse_buffers(struct argp_state *state, const char *text, int *value) {
  *value = HYLA_TRAFFIC_ENDLESS;
  return strcmp(text, "inf") == 0 ? 0 : parse_int(state, text, 0, 1 << 20, value);
}

error_t parse_ports(struct argp_state *state, const char *text, struct options *options) {
  options->ports = strcmp(text, "one") == 0 ? HYLA_ONE_PORT : HYLA_ALL_PORTS;
  options->ports_given = true;
  if (strcmp(text, "one") == 0 || strcmp(text, "all") == 0) return 0;
  return reject(state, text, "one or all");
}

/* Reads "8000" or "8e3", a whole number from 1; 0 if it is not one. */
static int64_t read_number(const char **at) {
  char *end = NULL;
  if (**at < '1' || **at > '9') return 0;
  double number = strtod(*at, &end);
  *at = end;
  return number < 0x1p53 && number == floor(number) ? (int64_t)number : 0;
}

/* Reads up to `most' numbers joined by a mark; returns how many, 0 if something is wrong. */
static int read_numbers(const char **at, char mark, int most, int64_t number[SIZE_MOST]) {
  for (int count = 0; count < most;) {
    number[count] = read_number(at);
    if (number[count++] == 0) return 0;
    if (**at != mark) return count;
    (*at)++;
  }
  return 0;
}

/* Reads one item of a list, "16x16" or "1000:8000:1000", and takes its size number `skip`, from 0,
 * if it has one.  Returns its number of sizes, 0 if it is wrong. */
static int64_t read_item(const char **at, int64_t skip, int64_t size[SIZE_MOST], int *count) {
  const char *begin = *at;
  int64_t number[SIZE_MOST] = {0};
  int numbers = read_numbers(at, ':', 3, number);
  if (numbers == 3) {
    if (skip <= (number[1] - number[0]) / number[2]) size[0] = number[0] + skip * number[2];
    *count = 1;
    return number[1] < number[0] ? 0 : (number[1] - number[0]) / number[2] + 1;
  }
  *at = begin;
  numbers = read_numbers(at, 'x', SIZE_MOST, number);
  if (skip == 0) memcpy(size, number, sizeof number);
  if (skip == 0) *count = numbers;
  return numbers > 0;
}

/* Walks through a list of sizes to number i.  Returns the number of sizes up to there, -1 if
 * something is wrong. */
static int64_t walk_sizes(const char *text, int64_t i, int64_t size[SIZE_MOST], int *count) {
  int64_t before = 0;
  for (const char *at = text;; at++) {
    int64_t here = read_item(&at, i - before, size, count);
    if (here == 0 || (*at != 0 && *at != ',')) return -1;
    before += here;
    if (before > i || *at == 0) return before;
  }
}

bool options_size(struct options *options, int i) {
  if (!options->sizes) return false;
  return walk_sizes(options->sizes, i, options->size, &options->size_count) > i;
}

bool options_length(struct options *options, int i) {
  int64_t size[SIZE_MOST] = {0};
  int count = 0;
  if (!options->lengths || walk_sizes(options->lengths, i, size, &count) <= i) return false;
  options->collective.words = size[0];
  return true;
}

/* Parses a whole number from 0 or, for some subcommands, lists and ranges of numbers from 1. */
error_t parse_lengths(struct argp_state *state, char *text, struct options *options) {
  const bool several = ((const struct parse *)state->input)->grammar->lengths;
  const int64_t most = 10000;
  options->lengths = NULL;
  if (!several || !text[strcspn(text, ",:")])
    return parse_whole(state, text, 0, INT64_MAX / 8, &options->collective.words);
  int64_t length[SIZE_MOST] = {0};
  int numbers = 0;
  int64_t count = strchr(text, 'x') ? -1 : walk_sizes(text, most, length, &numbers);
  options->lengths = text;
  if (count >= 1 && count <= most && options_length(options, 0)) return 0;
  return reject(state, text,
                "a whole number, lists of those from 1 as in 1,8,64, or FIRST:LAST:STEP");
}

/* The most numbers in a size of a list. */
static int longest_size(const char *text) {
  int most = 1;
  for (int here = 1; *text; text++) {
    here = *text == ',' ? 1 : here + (*text == 'x');
    most = here > most ? here : most;
  }
  return most;
}

/* Parses "16x16": up to SIZE_MOST numbers from 1, joined by x; for some subcommands also lists and
 * ranges of them. */
error_t parse_size(struct argp_state *state, const char *text, struct options *options) {
  const struct grammar *grammar = ((const struct parse *)state->input)->grammar;
  const bool several = grammar->sizes, fits = grammar->sides || longest_size(text) <= 3;
  const int64_t most = 10000;
  int64_t count = walk_sizes(text, most, options->size, &options->size_count);
  options->sizes = text;
  if (fits && count >= 1 && count <= (several ? most : 1) && options_size(options, 0)) return 0;
  return reject(state, text, "numbers from 1 joined by x, as in 16x16%s",
                several ? ", lists as in 500,1e3, or FIRST:LAST:STEP" : "");
}

error_t parse_array(struct argp_state *state, const char *text, const char **array) {
  int rows = 0, cols = 0, end = 0;
  const bool sides = sscanf(text, "%7dx%7d%n", &rows, &cols, &end) == 2 && text[end] == '\0';
  *array = text;
  if ((sides && rows > 0 && cols > 0) || strcmp(text, "auto") == 0 || strcmp(text, "cube") == 0)
    return 0;
  return reject(state, text, "rows x columns of nodes, as 2x3, auto or cube");
}

error_t parse_type(struct argp_state *state, const char *text, hyla_type *type) {
  static const char names[] = "sdcz"; /* in the order of hyla_type */
  const char *place = strlen(text) == 1 ? strchr(names, *text) : NULL;
  if (!place) return reject(state, text, "s, d, c or z");
  *type = (hyla_type)(place - names);
  return 0;
}

/* Parses "fold", "mesh:5x9x3", "graph:FILE", "blocks:8,4,4": a kind, perhaps with its argument.
 * Rejects an unknown kind with the list of names. */
error_t parse_embedding(struct argp_state *state, const char *text, struct options *options) {
  enum { KINDS = 32, OTHERS = 4 };
  static const char *const others[OTHERS] = {"mesh", "graph", "blocks", "paths"};
  static const int numbers[OTHERS] = {HYLA_MESH_NAIVE, EMBED_GRAPH, EMBED_BLOCKS, EMBED_PATHS};
  const char *names[KINDS + OTHERS + 1] = {NULL}, *name = NULL;
  const char *of = strchr(text, ':');
  const size_t length = of ? (size_t)(of - text) : strlen(text);
  int count = 0, kind = -1;
  while (count < KINDS && (name = hyla_embedding_name(count))) names[count++] = name;
  for (int i = 0; i < OTHERS; i++) names[count + i] = others[i];
  for (int i = 0; names[i] && kind < 0; i++)
    if (strlen(names[i]) == length && strncmp(names[i], text, length) == 0)
      kind = i < count ? i : numbers[i - count];
  if (kind < 0) return reject_name(state, text, names);
  options->embedding = kind;
  options->embedded = of ? of + 1 : NULL;
  if (kind < EMBED_GRAPH) return of ? parse_size(state, of + 1, options) : 0;
  static const char *const forms[] = {[EMBED_GRAPH] = "graph:FILE",
                                      [EMBED_BLOCKS] = "the blocks' nodes, as blocks:8,4,4",
                                      [EMBED_PATHS] = "two nodes, as paths:0,6"};
  if (!of || !of[1]) return reject(state, text, "%s", forms[kind]);
  if (kind == EMBED_GRAPH) return 0;
  const int least = kind == EMBED_BLOCKS ? 1 : 0;
  return parse_numbers(state, of + 1, least, options->which, &options->blocks);
}

/* Parses "-2" or "0.5,1": real and imaginary part. */
error_t parse_factor(struct argp_state *state, const char *text, hyla_scalar *factor) {
  char *end = NULL;
  double real = strtod(text, &end), imaginary = 0;
  bool good = end != text;
  if (good && *end == ',') {
    const char *second = end + 1;
    imaginary = strtod(second, &end);
    good = end != second;
  }
  *factor = real + imaginary * I;
  if (good && *end == 0 && isfinite(real) && isfinite(imaginary)) return 0;
  return reject(state, text, "a number, as in -2, or real and imaginary part, as in 0.5,1");
}
