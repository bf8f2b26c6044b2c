/* Options, each once: its variable, the form of its value, and the advice of a message. */
#include "cube/cube.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How an option's value is written in its variable, and kept in hyla_options. */
enum kind {
  TEXT,    /* any text; const char * */
  FLAG,    /* 0 or 1; bool */
  COUNT,   /* an integer from 0; int */
  SECONDS, /* a number from 0; double */
  BYTES    /* a whole number, with k, M or G for powers of 1024; int64_t */
};

struct known_option {
  const char *variable, *name;
  size_t place; /* in hyla_options */
  enum kind kind;
  const char *set;  /* advice for the variable; NULL: any text will do */
  const char *give; /* advice for the option; NULL: every value will do */
};

#define OPTION(variable, name, kind, set, give)                                                    \
  { variable, #name, offsetof(hyla_options, name), kind, set, give }

static const struct known_option options_known[] = {
    OPTION("HYLA_VARIANT", variant, TEXT, NULL, NULL),
    OPTION("HYLA_COLLECTIVE", collective, TEXT, NULL, NULL),
    OPTION("HYLA_MACHINE", machine, TEXT, NULL, NULL),
    OPTION("HYLA_WISDOM", wisdom, TEXT, NULL, NULL),
    OPTION("HYLA_TRACE", trace, TEXT, NULL, NULL),
    OPTION("HYLA_CHECKPOINT", checkpoint, TEXT, NULL, NULL),
    OPTION("HYLA_NETWORK", network, TEXT, NULL, NULL),
    OPTION("HYLA_ARRAY", array, TEXT, NULL, NULL),
    OPTION("HYLA_DELIMITER", delimiter, TEXT, NULL, NULL),
    OPTION("HYLA_PRIVATE", private_memory, FLAG, "0 or 1", NULL),
    OPTION("HYLA_MEASURE", measure, FLAG, "0 or 1", NULL),
    OPTION("HYLA_CHECK_MESSAGES", check_messages, FLAG, "0 or 1", NULL),
    OPTION("HYLA_CHECK_RESULTS", check_results, FLAG, "0 or 1", NULL),
    OPTION("HYLA_REPRODUCIBLE", reproducible, FLAG, "0 or 1", NULL),
    OPTION("HYLA_LOG", log_level, COUNT, "an integer from 0", "0, 1 or 2"),
    OPTION("HYLA_THREADS", threads, COUNT, "an integer from 0", "a count, or 0 for the default"),
    OPTION("HYLA_TIMEOUT", timeout, SECONDS, "a number of seconds, 0 to wait for ever",
           "seconds, 0 to wait for ever"),
    OPTION("HYLA_CHECKPOINT_EVERY", checkpoint_every, SECONDS,
           "a number of seconds, 0 for a state after every panel",
           "seconds, or 0 for a state after every panel"),
    OPTION("HYLA_MEMORY", memory, BYTES, "a number of bytes, as in 500M, 0 for no limit",
           "bytes, or 0 for no limit"),
    OPTION("HYLA_MEMORY_KEPT", memory_kept, BYTES, "a number of bytes, as in 500M, 0 to keep none",
           "bytes, or 0 to keep none"),
};
enum { OPTIONS = sizeof options_known / sizeof *options_known };

/* Reads a number from 0 to high that fills the whole text. */
static bool read_number(const char *text, double high, double *value) {
  char *end = NULL;
  double number = strtod(text, &end);
  if (end == text || *end != '\0' || !(number >= 0 && number <= high)) return false;
  *value = number;
  return true;
}

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

/* Sets an option from its variable, unless that is unset or empty.  False if the variable's text is
 * no value of the option. */
static bool read_variable(const struct known_option *option, hyla_options *options) {
  const char *text = getenv(option->variable);
  void *value = (char *)options + option->place;
  double number = 0;
  if (text == NULL || text[0] == '\0') return true;
  switch (option->kind) {
  case TEXT: *(const char **)value = text; return true;
  case SECONDS: return read_number(text, HUGE_VAL, value);
  case BYTES: return read_bytes(text, value);
  case FLAG:
    if (!read_number(text, 1, &number) || number != floor(number)) return false;
    *(bool *)value = number == 1;
    return true;
  case COUNT:
    if (!read_number(text, INT_MAX, &number) || number != floor(number)) return false;
    *(int *)value = (int)number;
    return true;
  }
  return false;
}

void hyla_options_init(hyla_options *options) {
  if (options == NULL) return;
  *options =
      (hyla_options){.timeout = 300, .memory_kept = (int64_t)256 << 20, .checkpoint_every = 600};
  for (int i = 0; i < OPTIONS; i++) (void)read_variable(&options_known[i], options);
}

/* The value of an option that is a number. */
static double number_of(const struct known_option *option, const hyla_options *options) {
  const void *value = (const char *)options + option->place;
  if (option->kind == COUNT) return *(const int *)value;
  return option->kind == BYTES ? (double)*(const int64_t *)value : *(const double *)value;
}

char hy_delimiter(const char *text) {
  if (text == NULL || *text == '\0') return '\0';
  if (strcmp(text, "tab") == 0) return '\t';
  if (strcmp(text, "blank") == 0) return ' ';
  const bool one =
      text[1] == '\0' && (*text == '\t' || *text == ' ' || ispunct((unsigned char)*text));
  return one && strchr("+-.#%()\"'_", *text) == NULL ? *text : '\0';
}

hyla_status hy_options_check(struct hy_base *base, const hyla_options *options) {
  for (int i = 0; i < OPTIONS; i++) {
    const struct known_option *option = &options_known[i];
    hyla_options read;
    CHECK(base, read_variable(option, &read), ARGUMENT, "%s is \"%s\"; set it to %s",
          option->variable, getenv(option->variable), option->set);
    if (option->give == NULL) continue;
    const double number = number_of(option, options);
    CHECK(base, number >= 0, ARGUMENT, "the option %s is %.15g; give %s", option->name, number,
          option->give);
  }
  const char *text = options->delimiter;
  CHECK(base, text == NULL || *text == '\0' || hy_delimiter(text) != '\0', ARGUMENT,
        "the option delimiter is \"%s\"; give a character that no number has, as , ; or |, or the "
        "words tab or blank",
        text);
  CHECK(base, !options->reproducible || options->threads <= 1, ARGUMENT,
        "the option threads is %d, but reproducible is set, and the bits of BLAS depend on its "
        "threads; give 1 thread, and more ranks",
        options->threads);
  return HYLA_OK;
}

/* The log level alone may differ from rank to rank. */
uint64_t hy_options_fingerprint(const hyla_options *options) {
  static const size_t sizes[] = {[FLAG] = sizeof(bool),
                                 [COUNT] = sizeof(int),
                                 [SECONDS] = sizeof(double),
                                 [BYTES] = sizeof(int64_t)};
  uint64_t fingerprint = 0;
  for (int i = 0; i < OPTIONS; i++) {
    const struct known_option *option = &options_known[i];
    const void *value = (const char *)options + option->place;
    if (option->place == offsetof(hyla_options, log_level)) continue;
    const char *text = option->kind == TEXT ? *(const char *const *)value : NULL;
    if (option->kind != TEXT)
      fingerprint = hy_fingerprint(fingerprint, value, sizes[option->kind]);
    else
      fingerprint = hy_fingerprint(fingerprint, text != NULL ? text : "",
                                   (text != NULL ? strlen(text) : 0) + 1);
  }
  return fingerprint;
}
