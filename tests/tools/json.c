/* json KEY...: reads one JSON object from standard input and prints the values of the keys, one a
 * line; "absent" for a missing key.  phases.solve is the key solve of the object phases.  Exit
 * status 1 if the input is anything else.  For scripts that test --json. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

static const json_t *find(const json_t *object, const char *key) {
  const char *dot = strchr(key, '.');
  char outer[64];
  if (dot == NULL || dot - key >= (int)sizeof outer) return json_object_get(object, key);
  snprintf(outer, sizeof outer, "%.*s", (int)(dot - key), key);
  return find(json_object_get(object, outer), dot + 1);
}

static void print_value(const json_t *value) {
  if (!value)
    puts("absent");
  else if (json_is_string(value))
    puts(json_string_value(value));
  else {
    json_dumpf(value, stdout, JSON_ENCODE_ANY | JSON_COMPACT);
    putchar('\n');
  }
}

int main(int argc, char **argv) {
  json_error_t error = {.text = "not an object"};
  json_t *object = json_loadf(stdin, JSON_REJECT_DUPLICATES, &error);
  if (!json_is_object(object)) {
    fprintf(stderr, "json: line %d: %s\n", error.line, error.text);
    json_decref(object);
    return 1;
  }
  for (int i = 1; i < argc; i++) print_value(find(object, argv[i]));
  json_decref(object);
  return 0;
}
