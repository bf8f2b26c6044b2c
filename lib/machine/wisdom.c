/* Wisdom: for each problem, the variant that was the fastest when measured.
 *
 * The file is a JSON object {"hyla wisdom": 1, "plans": {KEY: {"variant": NAME, "seconds": S},
 * ...}}.  Other runs may write the same file, so it is read again before it is written, and their
 * additions stay. */
#include "machine/machine.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

enum { VERSION = 1 };
static const char TITLE[] = "hyla wisdom";

struct hy_wisdom {
  json_t *plans;
  char *path; /* NULL: the wisdom has no file */
};

/* NULL, or the fault of a damaged file. */
static const char *fault_of(const json_t *root) {
  const json_t *version = json_object_get(root, TITLE);
  const json_t *plans = json_object_get(root, "plans");
  if (!json_is_object(root) || !json_is_integer(version)) return "it is not a wisdom file";
  if (json_integer_value(version) != VERSION) return "it is of another version";
  if (!json_is_object(plans)) return "it has no plans";
  const char *key;
  json_t *plan;
  json_object_foreach((json_t *)(uintptr_t)plans, key, plan) {
    if (!json_is_string(json_object_get(plan, "variant"))) return "a plan names no variant";
    if (!json_is_number(json_object_get(plan, "seconds"))) return "a plan has no seconds";
  }
  return NULL;
}

/* Adds the plans of the file.  missing: the file need not exist. */
static hyla_status read_plans(struct hy_base *base, const char *path, bool missing, json_t *plans) {
  FILE *file = NULL;
  const char *why = hy_file_open(path, &file);
  if (why != NULL && errno == ENOENT && missing) return HYLA_OK;
  CHECK(base, why == NULL, FILE, "cannot read wisdom %s: %s; measuring plans makes it",
        hy_path_shown(path), why);
  json_error_t error;
  json_t *root = json_loadf(file, JSON_REJECT_DUPLICATES, &error);
  fclose(file);
  CHECK(base, root != NULL, FORMAT, "wisdom %s:%d: %s; remove the file", hy_path_shown(path),
        error.line, error.text);
  const char *fault = fault_of(root);
  int failed = fault == NULL ? json_object_update(plans, json_object_get(root, "plans")) : 0;
  json_decref(root);
  CHECK(base, fault == NULL, FORMAT, "wisdom %s: %s; remove the file", hy_path_shown(path), fault);
  CHECK(base, failed == 0, MEMORY, "out of memory: no room for the wisdom of %s",
        hy_path_shown(path));
  return HYLA_OK;
}

hyla_status hy_wisdom_create(struct hy_base *base, const char *path, bool missing,
                             struct hy_wisdom **wisdom) {
  struct hy_wisdom *made = NULL;
  TRY(hy_alloc(base, 1, sizeof *made, wisdom));
  made = *wisdom;
  made->plans = json_object();
  CHECK(base, made->plans != NULL, MEMORY, "out of memory: no room for wisdom");
  if (path == NULL || path[0] == '\0') return HYLA_OK;
  size_t size = strlen(path) + 1;
  TRY(hy_alloc_for(base, made, (int64_t)size, 1, &made->path));
  memcpy(made->path, path, size);
  return read_plans(base, path, missing, made->plans);
}

void hy_wisdom_destroy(struct hy_base *base, struct hy_wisdom **wisdom) {
  if (*wisdom == NULL) return;
  json_decref((*wisdom)->plans);
  hy_free(base, wisdom);
}

const char *hy_wisdom_find(const struct hy_wisdom *wisdom, const char *key, double *seconds) {
  const json_t *plan = json_object_get(wisdom->plans, key);
  *seconds = json_number_value(json_object_get(plan, "seconds"));
  return json_string_value(json_object_get(plan, "variant"));
}

static hyla_status write_plans(struct hy_base *base, struct hy_wisdom *wisdom) {
  json_t *root = json_pack("{s:i, s:O}", TITLE, VERSION, "plans", wisdom->plans);
  CHECK(base, root != NULL, MEMORY, "out of memory: no room for wisdom");
  struct hy_text_file *file = NULL;
  hyla_status status = hy_text_open(base, wisdom->path, &file);
  bool whole = status == HYLA_OK &&
               json_dumpf(root, file->stream, JSON_INDENT(1) | JSON_SORT_KEYS) == 0 &&
               fputc('\n', file->stream) != EOF;
  if (status == HYLA_OK && !whole) {
    bool full = ferror(file->stream) != 0;
    status = full ? hy_fail_to_write(base, wisdom->path)
                  : hy_fail(base, HYLA_MEMORY, "out of memory: no room to write wisdom");
  }
  json_decref(root);
  hyla_status closed = hy_text_close(base, whole, &file);
  return status != HYLA_OK ? status : closed;
}

hyla_status hy_wisdom_note(struct hy_base *base, struct hy_wisdom *wisdom, const char *key,
                           const char *variant, double seconds) {
  json_t *plan = json_pack("{s:s, s:f}", "variant", variant, "seconds", seconds);
  if (wisdom->path != NULL) {
    hyla_status status = read_plans(base, wisdom->path, true, wisdom->plans);
    if (status != HYLA_OK) json_decref(plan);
    TRY(status);
  }
  CHECK(base, json_object_set_new(wisdom->plans, key, plan) == 0, MEMORY,
        "out of memory: no room for wisdom");
  return wisdom->path != NULL ? write_plans(base, wisdom) : HYLA_OK;
}
