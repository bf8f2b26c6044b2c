/* The readers of words: layouts, names of variants, numbers of the environment, command lines. */
#include "readers.h"

#include "../../tools/tool.h"
#include "registry/registry.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The bytes up to the first 0, as a text; the caller frees it. */
static char *text_of(const uint8_t *bytes, size_t size) {
  char *text = malloc(size + 1);
  reader_expect(text != NULL, "no memory", "");
  memcpy(text, bytes, size);
  text[size] = '\0';
  return text;
}

static void expect_same_layout(hyla_cube *cube, const hyla_layout *layout) {
  char text[HYLA_LAYOUT_TEXT], again[HYLA_LAYOUT_TEXT];
  hyla_layout back;
  size_t length = hyla_layout_format(layout, text, sizeof text);
  reader_expect(length < sizeof text, "a layout's text is too long", text);
  reader_expect(hyla_layout_parse(cube, text, &back) == HYLA_OK, "its own text is refused", text);
  hyla_layout_format(&back, again, sizeof again);
  reader_expect(strcmp(text, again) == 0, "another layout comes back", text);
}

void read_layout(const uint8_t *bytes, size_t size) {
  static const int dims[] = {0, 3, 10};
  char *text = text_of(bytes, size);
  for (size_t i = 0; i < sizeof dims / sizeof *dims; i++) {
    hyla_cube cube = {.dims = dims[i], .nodes = 1 << dims[i], .ranks = 1 << dims[i]};
    hyla_layout layout;
    if (hyla_layout_parse(&cube, text, &layout) == HYLA_OK)
      expect_same_layout(&cube, &layout);
    else
      reader_expect_message(cube.base.message);
  }
  free(text);
}

/* Is this one item, OPERATION:VARIANT, of the registry? */
static bool is_known(const char *item, size_t length) {
  const char *operation = NULL, *variant = NULL;
  for (int i = 0; (operation = hyla_variant_operation(i)) != NULL; i++)
    for (int v = 0; (variant = hyla_variant_name(operation, v)) != NULL; v++) {
      size_t first = strlen(operation), second = strlen(variant);
      if (length == first + 1 + second && strncmp(item, operation, first) == 0 &&
          strchr(":=", item[first]) != NULL && strncmp(item + first + 1, variant, second) == 0)
        return true;
    }
  return false;
}

void read_words(const uint8_t *bytes, size_t size) {
  char *text = text_of(bytes, size);
  for (int collectives = 0; collectives < 2; collectives++) {
    struct hy_base base = {0};
    if (hy_forced_check(&base, "variant", text, collectives) != HYLA_OK) {
      reader_expect_message(base.message);
      continue;
    }
    for (const char *item = text; *item != '\0'; item += *item == ',') {
      size_t length = strcspn(item, ",");
      reader_expect(length == 0 || is_known(item, length), "no such variant, and it passes", item);
      item += length;
    }
  }
  free(text);
}

void read_numbers(const uint8_t *bytes, size_t size) {
  static const char *const names[] = {"HYLA_TIMEOUT",    "HYLA_LOG",     "HYLA_THREADS",
                                      "HYLA_PRIVATE",    "HYLA_MEASURE", "HYLA_MEMORY",
                                      "HYLA_MEMORY_KEPT"};
  char *text = text_of(bytes, size);
  bool number = strpbrk(text, "0123456789") != NULL, endless = strpbrk(text, "iI") != NULL;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    struct hy_base base = {0};
    hyla_options options;
    setenv(names[i], text, 1);
    hyla_options_init(&options);
    if (hy_options_check(&base, &options) != HYLA_OK)
      reader_expect_message(base.message);
    else
      reader_expect(text[0] == '\0' || number || (i == 0 && endless), "no number, and it passes",
                    names[i]);
    unsetenv(names[i]);
  }
  free(text);
}

static int subcommand_count(void) {
  int count = 0;
  while (subcommand_at(count) != NULL) count++;
  return count;
}

/* The command line is parsed as on a rank that prints nothing, and all its sizes are visited. */
void read_options(const uint8_t *bytes, size_t size) {
  enum { ARGUMENTS = 12, SIZES = 20 };
  if (size == 0) return;
  const struct subcommand *subcommand = subcommand_at(bytes[0] % subcommand_count());
  char *text = text_of(bytes + 1, size - 1), name[] = "hyla";
  char *arguments[ARGUMENTS + 1] = {name};
  int count = 1;
  for (char *at = strtok(text, "\n"); at != NULL && count < ARGUMENTS; at = strtok(NULL, "\n"))
    arguments[count++] = at;
  struct options options;
  if (options_parse(subcommand->grammar, count, arguments, 1, &options)) {
    for (int i = 0; i < SIZES && options_size(&options, i); i++)
      for (int axis = 0; axis < options.size_count; axis++)
        reader_expect(options.size[axis] >= 1, "a size below 1", options.sizes);
    reader_expect(options.repeat >= 0 && options.dims >= 0 && options.ranks >= 1,
                  "a count below its least", text);
  }
  free(text);
}
