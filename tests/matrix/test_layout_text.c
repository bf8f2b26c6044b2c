/* Layouts as texts, there and back. */
#include "matrix_cases.h"

static void texts_survive_there_and_back(void **state) {
  (void)state;
  for (int dims = 0; dims <= 5; dims++)
    for (int rows = 0; rows <= dims; rows++)
      for (int pair = 0; pair < 36; pair++) {
        hyla_cube cube = case_paper_cube(dims, 0);
        hyla_layout layout = {.row = case_axis(pair / 6, dims - rows, rows),
                              .col = case_axis(pair % 6, 0, dims - rows)};
        char text[100], short_text[9];
        size_t length = hyla_layout_format(&layout, text, sizeof text);
        harness_note("%s", text);
        assert_int_equal(length, strlen(text));
        assert_int_equal(hyla_layout_format(&layout, NULL, 0), length);
        assert_int_equal(hyla_layout_format(&layout, short_text, sizeof short_text), length);
        assert_memory_equal(short_text, text, sizeof short_text - 1);
        assert_int_equal(short_text[sizeof short_text - 1], 0);
        assert_int_equal(pair / 6 == pair % 6, strchr(text, ',') == NULL);
        hyla_layout back;
        assert_int_equal(hyla_layout_parse(&cube, text, &back), HYLA_OK);
        assert_true(case_same_layout(&back, &layout));
      }
}

static void any_layout_survives_as_text(void **state) {
  (void)state;
  size_t longest = 0;
  int listed = 0;
  for (int round = 0; round < 20000; round++) {
    hyla_cube cube = case_any_paper(round % 100 ? 8 : HYLA_DIMS_MAX);
    hyla_layout layout = case_layout_on(&cube), back;
    if (round % 7 == 0) layout.row.block = INT64_MAX / 20;
    char text[HYLA_LAYOUT_TEXT];
    size_t length = hyla_layout_format(&layout, text, sizeof text);
    harness_note("%s", text);
    assert_int_equal(length, strlen(text));
    assert_int_equal(hyla_layout_parse(&cube, text, &back), HYLA_OK);
    assert_true(case_same_layout(&back, &layout));
    longest = length > longest ? length : longest;
    listed += strchr(text, '[') != NULL;
  }
  assert_true(longest < HYLA_LAYOUT_TEXT && listed > 1000);
}

/* The meaning of a text, on a cube of 8 nodes. */
static void arrays_mean_what_they_say(void **state) {
  (void)state;
  static const struct {
    const char *array, *shortest;
    int row_dims, col_dims;
    uint8_t row[3], col[3];
    hyla_rest rest;
  } arrays[] = {
      {"@2x4", "@2x4", 1, 2, {2}, {0, 1}, HYLA_REPLICATED},
      {"@2x2", "@2x2", 1, 1, {1}, {0}, HYLA_REPLICATED},
      {"@1x1", "@1x1", 0, 0, {0}, {0}, HYLA_REPLICATED},
      {"@1x2:face", "@1x2:face", 0, 1, {0}, {0}, HYLA_FACE},
      {"@2x4:face", "@2x4:face", 1, 2, {2}, {0, 1}, HYLA_FACE},
      {"@[2]x[1,0]", "@2x4", 1, 2, {2}, {0, 1}, HYLA_REPLICATED},
      {"@[]x[]", "@1x1", 0, 0, {0}, {0}, HYLA_REPLICATED},
      {"@[2,1,0]x[]", "@8x1", 3, 0, {0, 1, 2}, {0}, HYLA_REPLICATED},
      {"@[0,1,2]x[]", "@[0,1,2]x[]", 3, 0, {2, 1, 0}, {0}, HYLA_REPLICATED},
      {"@[]x[2]:face", "@[]x[2]:face", 0, 1, {0}, {2}, HYLA_FACE},
      {"@[0,2]x[1]", "@[0,2]x[1]", 2, 1, {2, 0}, {1}, HYLA_REPLICATED},
  };
  hyla_cube cube = case_paper_cube(3, 0);
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
    char text[HYLA_LAYOUT_TEXT];
    snprintf(text, sizeof text, "gray/cyclic%s", arrays[i].array);
    harness_note("%s", text);
    hyla_layout layout;
    assert_int_equal(hyla_layout_parse(&cube, text, &layout), HYLA_OK);
    assert_int_equal(layout.row.dims, arrays[i].row_dims);
    assert_int_equal(layout.col.dims, arrays[i].col_dims);
    assert_memory_equal(layout.row.dim, arrays[i].row, 3);
    assert_memory_equal(layout.col.dim, arrays[i].col, 3);
    assert_int_equal(layout.rest, arrays[i].rest);
    hyla_layout_format(&layout, text, sizeof text);
    assert_string_equal(text + strlen("gray/cyclic"), arrays[i].shortest);
  }
}

/* The same on arrays of nodes: 2 x 3 has dimensions 0 and 1 for the columns and 2 for the rows. */
static void sides_mean_what_they_say(void **state) {
  (void)state;
  static const struct {
    int rows, cols;
    const char *array, *shortest;
    int row_parts, col_parts;
    int first, second; /* nodes that hold rows 0 and 1 of column 0 */
  } arrays[] = {
      {2, 3, "", "@2x3", 2, 3, 0, 3},
      {2, 3, "@2x3", "@2x3", 2, 3, 0, 3},
      {2, 3, "@2x1:face", "@[2]x[]:face", 2, 1, 0, 3},
      {2, 3, "@1x3", "@1x3", 1, 3, 0, 0},
      {2, 3, "@3x1", "@3x1", 3, 1, 0, 1},
      {2, 3, "@6x1", "@6x1", 6, 1, 0, 1},
      {2, 3, "@1x6", "@1x6", 1, 6, 0, 0},
      {2, 3, "@[1,0]x[2]", "@[1,0]x[2]", 3, 2, 0, 1},
      {2, 3, "@[]x[]", "@1x1", 1, 1, 0, 0},
      {3, 2, "@3x2", "@3x2", 3, 2, 0, 2},
      {3, 3, "@[3,2]x[]", "@[3,2]x[]", 3, 1, 0, 3},
      {3, 3, "@3x1", "@3x1", 3, 1, 0, 1},
      {3, 3, "@9x1", "@9x1", 9, 1, 0, 1},
      {1, 5, "@5x1", "@5x1", 5, 1, 0, 1},
      {5, 1, "@5x1", "@5x1", 5, 1, 0, 1},
      {3, 4, "@3x2", "@[3,2]x[0]", 3, 2, 0, 4},
  };
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
    hyla_cube cube = case_paper_array(arrays[i].rows, arrays[i].cols, 0);
    char text[HYLA_LAYOUT_TEXT];
    snprintf(text, sizeof text, "binary/cyclic%s", arrays[i].array);
    harness_note("%s on %d x %d", text, arrays[i].rows, arrays[i].cols);
    hyla_layout layout, again;
    assert_int_equal(hyla_layout_parse(&cube, text, &layout), HYLA_OK);
    assert_int_equal(hy_axis_parts(&layout.row), arrays[i].row_parts);
    assert_int_equal(hy_axis_parts(&layout.col), arrays[i].col_parts);
    assert_int_equal(hyla_layout_owner(&layout, 2, 2, 0, 0), arrays[i].first);
    assert_int_equal(hyla_layout_owner(&layout, 2, 2, 1, 0), arrays[i].second);
    hyla_layout_format(&layout, text, sizeof text);
    assert_string_equal(text + strlen("binary/cyclic"), arrays[i].shortest);
    assert_int_equal(hyla_layout_parse(&cube, text, &again), HYLA_OK);
    assert_true(case_same_layout(&layout, &again));
  }
}

/* On 2 x 3 nodes. */
static void bad_sides_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *text, *words;
    hyla_status status;
  } cases[] = {
      {"gray/cyclic",
       "3 parts of the columns are no power of two, so there is no Gray code; use binary",
       HYLA_UNSUPPORTED},
      {"binary/cyclic,gray/cyclic:4@2x3", "3 parts of the columns are no power of two",
       HYLA_UNSUPPORTED},
      {"gray/cyclic@6x1", "6 parts of the rows are no power of two", HYLA_UNSUPPORTED},
      {"binary/cyclic@3x2", "\"@3x2\" does not lie on the array of 2 x 3 nodes; give @2x3",
       HYLA_ARGUMENT},
      {"binary/cyclic@4x1", "\"@4x1\" does not lie on the array of 2 x 3 nodes", HYLA_ARGUMENT},
      {"binary/cyclic@1x2", "\"@1x2\" does not lie on the array of 2 x 3 nodes", HYLA_ARGUMENT},
      {"binary/cyclic@[0]x[2]",
       "the rows lie on some dimensions of a side of 3 nodes; give all or none", HYLA_ARGUMENT},
      {"binary/cyclic@[2]x[1]", "the columns lie on some dimensions of a side of 3 nodes",
       HYLA_ARGUMENT},
      {"binary/cyclic@[0,1]x[2]", "must follow each other", HYLA_ARGUMENT},
      {"binary/cyclic@[3]x[]", "\"3\" at character 16 is no dimension of the cube", HYLA_ARGUMENT},
  };
  hyla_cube cube = case_paper_array(2, 3, 0);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    hyla_layout layout;
    harness_note("%s", cases[i].text);
    assert_int_equal(hyla_layout_parse(&cube, cases[i].text, &layout), cases[i].status);
    if (strstr(cube.base.message, cases[i].words) == NULL)
      fail_msg("\"%s\" does not contain \"%s\"", cube.base.message, cases[i].words);
  }
  /* A layout of another array. */
  const hyla_cube other = case_paper_array(3, 2, 0);
  hyla_layout theirs;
  assert_int_equal(hyla_layout_default(&other, 9, 9, &theirs), HYLA_OK);
  assert_int_equal(hy_layout_check(&cube, &theirs), HYLA_ARGUMENT);
  hyla_layout gray;
  assert_int_equal(hyla_layout_parse(&cube, "gray/cyclic,binary/cyclic", &gray), HYLA_OK);
}

static void short_texts_take_the_default_array(void **state) {
  (void)state;
  hyla_cube cube = case_paper_cube(5, 0);
  hyla_layout layout, standard;
  assert_int_equal(hyla_layout_default(&cube, 32, 4096, &standard), HYLA_OK);
  assert_int_equal(hyla_layout_parse(&cube, "binary/cyclic:4,binary/cyclic:64", &layout), HYLA_OK);
  assert_true(case_same_layout(&layout, &standard));
  assert_int_equal(hyla_layout_parse(&cube, "gray/consecutive,binary/cyclic:7", &layout), HYLA_OK);
  char text[80];
  hyla_layout_format(&layout, text, sizeof text);
  assert_string_equal(text, "gray/consecutive,binary/cyclic:7@4x8");
}

/* On a cube of 8 nodes. */
static const struct {
  const char *text, *word;
} bad_texts[] = {
    {"", "\"\" at character 1"},
    {"grey/cyclic", "\"grey\" at character 1"},
    {"Gray/cyclic", "\"Gray\" at character 1"},
    {" gray/cyclic", "\" \" at character 1"},
    {"gray", "\"\" at character 5"},
    {"gray:cyclic", "\":\" at character 5"},
    {"gray/block", "\"block\" at character 6"},
    {"gray/cyclical", "\"cyclical\" at character 6"},
    {"gray/", "\"\" at character 6"},
    {"gray/cyclic:", "\"\" at character 13"},
    {"gray/cyclic:0", "\"0\" at character 13"},
    {"gray/cyclic:-4", "\"-4\" at character 13"},
    {"gray/cyclic:4.5", "\".5\" at character 14"},
    {"gray/cyclic:99999999999999999999", "is too large"},
    {"gray/consecutive:4", "\":\" at character 17"},
    {"gray/cyclic,", "\"\" at character 13"},
    {"gray/cyclic,gray", "\"\" at character 17"},
    {"gray/cyclic,gray/cyclic,gray/cyclic", "\",\" at character 24"},
    {"gray/cyclic ", "\" \" at character 12"},
    {"binary-gray/cyclic", "\"/\" at character 12 stands where : and a number"},
    {"binary-gray:/cyclic", "\"/\" at character 13 is no number from 1"},
    {"binary-gray:21/cyclic", "\"21\" at character 13 is more than a cube's dimensions"},
    {"gray:2/cyclic", "\":\" at character 5"},
    {"gray/cyclic@", "\"\" at character 13"},
    {"gray/cyclic@3x4", "is no power of two, as a cube's sides are; the option array takes others"},
    {"gray/cyclic@2", "\"\" at character 14"},
    {"gray/cyclic@2x", "\"\" at character 15"},
    {"gray/cyclic@8x8", "\"@8x8\" has 64 nodes; the cube has 8 (character 15)"},
    {"gray/cyclic@16x1", "is more than the cube's nodes"},
    {"gray/cyclic@2x4x1", "\"x1\" at character 16"},
    {"gray/cyclic@0x8", "is no number from 1"},
    {"gray/cyclic@2x4:", "\"\" at character 17"},
    {"gray/cyclic@2x4:faces", "\"faces\" at character 17"},
    {"gray/cyclic:face", "\"face\" at character 13"},
    {"gray/cyclic@2x[1]", "\"[\" at character 15"},
    {"gray/cyclic@[", "\"\" at character 14"},
    {"gray/cyclic@[3]x[]", "\"3\" at character 14 is no dimension of the cube"},
    {"gray/cyclic@[-1]x[]", "\"-1\" at character 14"},
    {"gray/cyclic@[100]x[]", "\"100\" at character 14"},
    {"gray/cyclic@[1 0]x[]", "\" \" at character 15"},
    {"gray/cyclic@[1,]x[]", "\"]\" at character 16"},
    {"gray/cyclic@[,1]x[]", "\",\" at character 14"},
    {"gray/cyclic@[1,1]x[]", "\"1\" at character 16 is a dimension that is taken already"},
    {"gray/cyclic@[1]x[2,1]", "\"1\" at character 20 is a dimension that is taken already"},
    {"gray/cyclic@[1][2]", "\"[\" at character 16"},
    {"gray/cyclic@[1]x2", "\"2\" at character 17"},
    {"gray/cyclic@[1]x[2]x[0]", "\"x\" at character 20"},
};

static void bad_texts_are_refused_at_the_word(void **state) {
  (void)state;
  hyla_cube cube = case_paper_cube(3, 0);
  for (size_t i = 0; i < sizeof bad_texts / sizeof *bad_texts; i++) {
    harness_note("\"%s\"", bad_texts[i].text);
    hyla_layout layout, before;
    memset(&before, 7, sizeof before);
    memcpy(&layout, &before, sizeof layout);
    assert_int_equal(hyla_layout_parse(&cube, bad_texts[i].text, &layout), HYLA_ARGUMENT);
    assert_memory_equal(&layout, &before, sizeof layout);
    if (strstr(cube.base.message, bad_texts[i].word) == NULL)
      fail_msg("\"%s\" does not contain \"%s\"", cube.base.message, bad_texts[i].word);
  }
  hyla_layout layout;
  assert_int_equal(hyla_layout_parse(NULL, "gray/cyclic", &layout), HYLA_ARGUMENT);
  assert_int_equal(hyla_layout_parse(&cube, NULL, &layout), HYLA_ARGUMENT);
  assert_int_equal(hyla_layout_parse(&cube, "gray/cyclic", NULL), HYLA_ARGUMENT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(texts_survive_there_and_back),
      cmocka_unit_test(any_layout_survives_as_text),
      cmocka_unit_test(arrays_mean_what_they_say),
      cmocka_unit_test(sides_mean_what_they_say),
      cmocka_unit_test(bad_sides_are_refused),
      cmocka_unit_test(short_texts_take_the_default_array),
      cmocka_unit_test(bad_texts_are_refused_at_the_word),
  };
  return harness_run_serial(tests, sizeof tests / sizeof *tests);
}
