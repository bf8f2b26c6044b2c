/* The index of doc/formulas.md; see papers.h. */
#include "papers.h"

#include "tests/harness/harness.h"

#include <stdlib.h>
#include <string.h>

/* A line of the list, split in place. */
enum { ID, WHAT, PLACE, SHOWN, RANGE, RESULT, ROWS, FIELDS };
enum { LINE = 600 };

static const char *source_folder(void) {
  const char *source = getenv("srcdir");
  return source != NULL ? source : "..";
}

static FILE *open_source(const char *name) {
  char path[1000];
  snprintf(path, sizeof path, "%s/%s", source_folder(), name);
  FILE *file = fopen(path, "r");
  if (file == NULL) fail_msg("%s is not there", path);
  return file;
}

static void split(char *line, char *fields[FIELDS]) {
  line[strcspn(line, "\n")] = '\0';
  for (int i = 0; i < FIELDS; i++) fields[i] = line;
  for (int i = 0; i < FIELDS; i++) {
    fields[i] = line;
    char *end = i < FIELDS - 1 ? strstr(line, " | ") : NULL;
    if (end == NULL) {
      assert_int_equal(i, FIELDS - 1);
      return;
    }
    *end = '\0';
    line = end + 3;
  }
}

/* Does the list of exported names have a line with this name? */
static bool is_exported(const char *name) {
  char line[LINE];
  bool found = false;
  FILE *file = open_source("lib/hyla.symbols");
  while (!found && fgets(line, sizeof line, file) != NULL) {
    line[strcspn(line, "\n")] = '\0';
    found = strcmp(line, name) == 0;
  }
  fclose(file);
  return found;
}

/* The sections of the papers, in order; "" ends a list. */
static const struct {
  const char *paper;
  const char *sections[20];
} SECTIONS[] = {
    {"stout-wagar-1990",
     {"1.1", "1.2", "1.3", "1.4", "2", "3", "4", "5", "6", "7", "7.1", "7.2", "8", "9", "10", ""}},
    {"nicol-bokhari-1994", {"1", "2", "2.1", "2.2", "2.3", "2.4", "3", "4", "5", ""}},
    {"bertsekas-1991", {"1", "2", "3", "4", "5", ""}},
};

static bool has_section(const char *const *sections, const char *text) {
  size_t length = strspn(text, "0123456789.");
  if (length > 0 && text[length - 1] == '.') length--; /* the end of a sentence */
  while (**sections != '\0')
    if (strlen(*sections) == length && strncmp(*sections, text, length) == 0)
      return true;
    else
      sections++;
  return false;
}

/* Asserts that the places that the page names exist in the papers, by their own numbers; in
 * varvarigos-1992 theorems begin anew in each chapter. */
static void check_places(const char *page) {
  static const char theorem[] = "varvarigos-1992, theorem", section[] = ", section ";
  if (strstr(page, theorem) != NULL) fail_msg("%s without a chapter", theorem);
  for (size_t i = 0; i < sizeof SECTIONS / sizeof *SECTIONS; i++) {
    const char *paper = SECTIONS[i].paper;
    for (const char *at = page; (at = strstr(at, paper)) != NULL;) {
      at += strlen(paper);
      if (strncmp(at, section, strlen(section)) == 0 &&
          !has_section(SECTIONS[i].sections, at + strlen(section)))
        fail_msg("%s has no such place: %.30s", paper, at);
      if (strncmp(at, ", ", 2) == 0 && '0' <= at[2] && at[2] <= '9')
        fail_msg("%s: say what %.20s is", paper, at + 2);
    }
  }
}

/* Asserts that every row begins a line of the page. */
static void check_rows(char *rows, const char *verified) {
  while (rows != NULL) {
    char *next = strstr(rows, " && "), start[LINE + 2];
    if (next != NULL) *next = '\0';
    snprintf(start, sizeof start, "\n%s", rows);
    if (strstr(verified, start) == NULL) fail_msg("no row begins with `%s'", rows);
    rows = next != NULL ? next + 4 : NULL;
  }
}

static void check_entry(char *fields[FIELDS], const char *verified) {
  bool missing = strstr(fields[RESULT], "missing") != NULL;
  harness_note("%s, %s", fields[ID], fields[WHAT]);
  assert_true(strncmp(fields[PLACE], "lib/", 4) == 0);
  fclose(open_source(fields[PLACE]));
  if (strncmp(fields[SHOWN], "hyla_", 5) == 0)
    assert_true(is_exported(fields[SHOWN]));
  else if (strcmp(fields[SHOWN], "none") == 0)
    assert_true(missing);
  else
    assert_true(strncmp(fields[SHOWN], "hyla ", 5) == 0);
  if (strcmp(fields[ROWS], "-") == 0)
    assert_true(missing);
  else
    check_rows(fields[ROWS], verified);
}

/* Steps to the next id: J1 ... J44, SW1 ... SW27 and so on; the id must be that one. */
static void check_order(const char *id, int *paper, int *number) {
  static const struct {
    const char *letters;
    int count;
  } papers[] = {{"J", 44}, {"SW", 27}, {"B", 14}, {"N", 11}, {"V", 50}, {"", 0}};
  char wanted[20];
  snprintf(wanted, sizeof wanted, "%s%d", papers[*paper].letters, *number);
  assert_string_equal(id, wanted);
  if (++*number <= papers[*paper].count) return;
  ++*paper;
  *number = papers[*paper].count > 0 ? 1 : 0;
}

void papers_check_all(FILE *page, const char *verified) {
  char line[LINE], *fields[FIELDS];
  int paper = 0, number = 1;
  fprintf(
      page,
      "\n## Every figure of the papers\n\n"
      "J: johnsson-1987; SW: stout-wagar-1990; B: bertsekas-1991; N: nicol-bokhari-1994; V:\n"
      "varvarigos-1992.  The test finds each file, each public call and, above, the rows\n"
      "that were verified in the same run; tests/project/test_documents.sh runs each command.\n\n"
      "| id | what | file | shown by | range | result |\n|---|---|---|---|---|---|\n");
  check_places(verified);
  FILE *file = open_source("tests/data/papers.txt");
  while (fgets(line, sizeof line, file) != NULL) {
    if (line[0] == '#') continue;
    split(line, fields);
    check_order(fields[ID], &paper, &number);
    check_entry(fields, verified);
    bool shown = strcmp(fields[SHOWN], "none") != 0;
    fprintf(page, "| %s | %s | %s | %s%s%s | %s | %s |\n", fields[ID], fields[WHAT], fields[PLACE],
            shown ? "`" : "", fields[SHOWN], shown ? "`" : "", fields[RANGE], fields[RESULT]);
  }
  fclose(file);
  assert_int_equal(number, 0);
}
