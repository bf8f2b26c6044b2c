/* Options: defaults, environment variables, ranges. */
#include "cube/cube.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double default_timeout = 300;
static const double default_checkpoint_every = 600;
static const int64_t default_memory_kept = (int64_t)256 << 20;

/* The value of a variable; NULL if it is unset or empty. */
static const char *environment(const char *name) {
  const char *text = getenv(name);
  return text != NULL && text[0] != '\0' ? text : NULL;
}

/* Reads a number from low to high that fills the whole text. */
static bool read_number(const char *text, double low, double high, double *value) {
  char *end = NULL;
  double number = strtod(text, &end);
  if (end == text || *end != '\0' || !(number >= low && number <= high)) return false;
  *value = number;
  return true;
}

static bool read_integer(const char *text, int high, int *value) {
  double number = 0;
  if (!read_number(text, 0, high, &number) || number != floor(number)) return false;
  *value = (int)number;
  return true;
}

/* Reads a number of bytes: a whole number, with k, M or G for powers of 1024. */
static bool read_bytes(const char *text, int64_t *value) {
  static const char units[] = "kMG";
  char *end = NULL;
  double number = strtod(text, &end);
  const char *unit = end != text && *end != '\0' ? strchr(units, *end) : NULL;
  if (unit != NULL) {
    number *= (double)(INT64_C(1024) << 10 * (unit - units));
    end++;
  }
  if (end == text || *end != '\0' || !(number >= 0 && number < 0x1p62)) return false;
  *value = (int64_t)number;
  return (double)*value == number;
}

/* Variables that are set to 0 or 1, in the order of `flags' below. */
enum { FLAGS = 5 };
static const char *const flag_names[FLAGS] = {"HYLA_PRIVATE", "HYLA_MEASURE", "HYLA_CHECK_MESSAGES",
                                              "HYLA_CHECK_RESULTS", "HYLA_REPRODUCIBLE"};

void hyla_options_init(hyla_options *options) {
  if (options == NULL) return;
  *options = (hyla_options){.timeout = default_timeout,
                            .memory_kept = default_memory_kept,
                            .checkpoint_every = default_checkpoint_every};
  options->variant = environment("HYLA_VARIANT");
  options->collective = environment("HYLA_COLLECTIVE");
  options->machine = environment("HYLA_MACHINE");
  options->wisdom = environment("HYLA_WISDOM");
  options->trace = environment("HYLA_TRACE");
  options->checkpoint = environment("HYLA_CHECKPOINT");
  const char *text = environment("HYLA_TIMEOUT");
  if (text != NULL) (void)read_number(text, 0, HUGE_VAL, &options->timeout);
  text = environment("HYLA_CHECKPOINT_EVERY");
  if (text != NULL) (void)read_number(text, 0, HUGE_VAL, &options->checkpoint_every);
  text = environment("HYLA_LOG");
  if (text != NULL) (void)read_integer(text, INT_MAX, &options->log_level);
  text = environment("HYLA_THREADS");
  if (text != NULL) (void)read_integer(text, INT_MAX, &options->threads);
  bool *const flags[] = {&options->private_memory, &options->measure, &options->check_messages,
                         &options->check_results, &options->reproducible};
  for (int i = 0; i < FLAGS; i++) {
    int flag = 0;
    text = environment(flag_names[i]);
    if (text != NULL && read_integer(text, 1, &flag)) *flags[i] = flag == 1;
  }
  text = environment("HYLA_MEMORY");
  if (text != NULL) (void)read_bytes(text, &options->memory);
  text = environment("HYLA_MEMORY_KEPT");
  if (text != NULL) (void)read_bytes(text, &options->memory_kept);
}

hyla_status hy_options_check(struct hy_base *base, const hyla_options *options) {
  double number = 0;
  const char *text = environment("HYLA_TIMEOUT");
  CHECK(base, text == NULL || read_number(text, 0, HUGE_VAL, &number), ARGUMENT,
        "HYLA_TIMEOUT is \"%s\"; set it to a number of seconds, 0 to wait for ever", text);
  text = environment("HYLA_CHECKPOINT_EVERY");
  CHECK(base, text == NULL || read_number(text, 0, HUGE_VAL, &number), ARGUMENT,
        "HYLA_CHECKPOINT_EVERY is \"%s\"; set it to a number of seconds, 0 for a state "
        "after every panel",
        text);
  CHECK(base, options->checkpoint_every >= 0, ARGUMENT,
        "the option checkpoint_every is %g; give seconds, or 0 for a state after every panel",
        options->checkpoint_every);
  static const char *const counts[] = {"HYLA_LOG", "HYLA_THREADS"};
  for (int i = 0; i < 2; i++) {
    int value = 0;
    text = environment(counts[i]);
    CHECK(base, text == NULL || read_integer(text, INT_MAX, &value), ARGUMENT,
          "%s is \"%s\"; set it to an integer from 0", counts[i], text);
  }
  for (int i = 0; i < FLAGS; i++) {
    int flag = 0;
    text = environment(flag_names[i]);
    CHECK(base, text == NULL || read_integer(text, 1, &flag), ARGUMENT,
          "%s is \"%s\"; set it to 0 or 1", flag_names[i], text);
  }
  text = environment("HYLA_MEMORY");
  int64_t bytes = 0;
  CHECK(base, text == NULL || read_bytes(text, &bytes), ARGUMENT,
        "HYLA_MEMORY is \"%s\"; set it to a number of bytes, as in 500M, 0 for no limit", text);
  CHECK(base, options->memory >= 0, ARGUMENT,
        "the option memory is %lld; give bytes, or 0 for no limit", (long long)options->memory);
  text = environment("HYLA_MEMORY_KEPT");
  CHECK(base, text == NULL || read_bytes(text, &bytes), ARGUMENT,
        "HYLA_MEMORY_KEPT is \"%s\"; set it to a number of bytes, as in 500M, 0 to keep none",
        text);
  CHECK(base, options->memory_kept >= 0, ARGUMENT,
        "the option memory_kept is %lld; give bytes, or 0 to keep none",
        (long long)options->memory_kept);
  CHECK(base, options->timeout >= 0, ARGUMENT,
        "the option timeout is %g; give seconds, 0 to wait for ever", options->timeout);
  CHECK(base, options->log_level >= 0, ARGUMENT, "the option log_level is %d; give 0, 1 or 2",
        options->log_level);
  CHECK(base, options->threads >= 0, ARGUMENT,
        "the option threads is %d; give a count, or 0 for the default", options->threads);
  CHECK(base, !options->reproducible || options->threads <= 1, ARGUMENT,
        "the option threads is %d, but reproducible is set, and the bits of BLAS depend on its "
        "threads; give 1 thread, and more ranks",
        options->threads);
  return HYLA_OK;
}
