/* The file that a matrix is written into: it keeps the mode and the links of the file that it
 * replaces, and files that killed processes left are removed. */
// ranks: 1 3 5
#include "io_check.h"

#include "cube/link.h"
#include "hyla_lab.h"

#include <sys/stat.h>

/* The file holds 3 x 2 ones. */
static void assert_ones(hyla_cube *cube, const char *path) {
  hyla_matrix *back = NULL;
  assert_int_equal(hyla_matrix_read(cube, path, NULL, &back), HYLA_OK);
  assert_int_equal(hyla_matrix_rows(back), 3);
  assert_int_equal(hyla_matrix_cols(back), 2);
  for (int64_t j = 0; j < back->local_cols; j++)
    for (int64_t i = 0; i < back->local_rows; i++)
      assert_true(*(const double *)hy_at(back, i, j) == 1);
  hyla_matrix_destroy(&back);
}

static unsigned mode_of(const char *path) {
  struct stat facts;
  assert_int_equal(lstat(path, &facts), 0);
  return facts.st_mode & (S_IFMT | 07777);
}

/* A file that is replaced keeps its mode, a new one gets the usual mode, and links stay links.
 * Tried with a file that has no name while it is written, and with one that has a temporary
 * name. */
static void modes_and_links_are_kept(void **state) {
  (void)state;
  hyla_cube *cube = make_cube();
  hyla_matrix *a = NULL;
  assert_int_equal(hyla_matrix_create(cube, HYLA_DOUBLE, 3, 2, NULL, &a), HYLA_OK);
  for (int64_t j = 0; j < a->local_cols; j++)
    for (int64_t i = 0; i < a->local_rows; i++) *(double *)hy_at(a, i, j) = 1;
  const bool one_host = cube->ranks.one_host;
  for (int named = 0; named < 2; named++) {
    char folder[64], path[96], link[128], loop[128];
    if (named) cube->ranks.one_host = false;
    folder_make("folder_of_io_output", folder, path, ".mtx");
    snprintf(link, sizeof link, "%s/link.mtx", folder);
    snprintf(loop, sizeof loop, "%s/loop.mtx", folder);
    if (harness_rank() == 0) {
      assert_int_equal(chmod(path, 0640), 0);
      assert_int_equal(symlink(strrchr(path, '/') + 1, link), 0);
      assert_int_equal(symlink("loop.mtx", loop), 0);
    }
    harness_barrier();
    assert_int_equal(hyla_matrix_write(cube, a, link), HYLA_OK);
    assert_ones(cube, path);
    assert_int_equal(mode_of(path), S_IFREG | 0640);
    drop_file(path); /* now the link leads nowhere */
    harness_barrier();
    assert_int_equal(hyla_matrix_write(cube, a, link), HYLA_OK);
    assert_ones(cube, path);
    assert_true(S_ISLNK(mode_of(link)));
    mode_t mask = umask(022);
    umask(mask);
    assert_int_equal(mode_of(path), S_IFREG | (0666 & ~mask));
    char message[192];
    snprintf(message, sizeof message, "cannot write %s: Too many levels of symbolic links", loop);
    assert_message(cube, hyla_matrix_write(cube, a, loop), HYLA_FILE, message);
    assert_int_equal(count_files(folder), 3);
    harness_barrier();
    drop_file(link);
    drop_file(loop);
    folder_drop(folder, path);
  }
  cube->ranks.one_host = one_host;
  hyla_matrix_destroy(&a);
  hyla_cube_destroy(&cube);
}

/* Files that a dead process has left are removed; files that a process may still write are not. */
static void what_the_dead_left_is_removed(void **state) {
  (void)state;
  hyla_cube *cube = make_cube();
  hyla_matrix *a = NULL;
  char folder[64], path[96], names[4][160];
  assert_int_equal(hyla_matrix_create(cube, HYLA_DOUBLE, 2, 2, NULL, &a), HYLA_OK);
  folder_make("folder_of_io_output", folder, path, ".npy");
  const uint64_t start = hy_start_number();
  unsigned long long host = hy_fingerprint(hy_host_number(), &start, sizeof start);
  const long nobody = 0x7ffffffe; /* larger than any process number of Linux */
  snprintf(names[0], sizeof names[0], "%s/.hyla-%llx-%ld-0.tmp", folder, host, nobody);
  snprintf(names[1], sizeof names[1], "%s/.hyla-%llx-%ld-0.tmp", folder, host + 1, nobody);
  snprintf(names[2], sizeof names[2], "%s/.hyla-%llx-%ld-7.tmp", folder, host, (long)getpid());
  snprintf(names[3], sizeof names[3], "%s/.hyla-%llx-%ld-0.tmp.npy", folder, host, nobody);
  for (int i = 0; i < 4; i++) put_file(names[i], "old", 3);
  assert_int_equal(hyla_matrix_write(cube, a, path), HYLA_OK);
  harness_barrier();
  if (harness_rank() == 0)
    for (int i = 0; i < 4; i++) {
      assert_int_equal(access(names[i], F_OK) == 0, i > 0);
      unlink(names[i]);
    }
  harness_barrier();
  folder_drop(folder, path);
  hyla_matrix_destroy(&a);
  hyla_cube_destroy(&cube);
}

static void assert_text(const char *path, const char *text) {
  char got[64] = "";
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  got[fread(got, 1, sizeof got - 1, file)] = '\0';
  fclose(file);
  assert_string_equal(got, text);
}

static unsigned open_mode(int fd) {
  struct stat facts;
  assert_int_equal(fstat(fd, &facts), 0);
  return facts.st_mode & 07777;
}

/* A secret file belongs to its owner alone from the first moment on: without a name, under a
 * temporary name and under its own, whatever the umask and the mode of the replaced file allow. */
static void secrets_are_their_owners(void **state) {
  (void)state;
  hyla_cube *cube = make_cube();
  char folder[64], path[96];
  folder_make("folder_of_io_output", folder, path, ".state");
  if (harness_rank() == 0) {
    const mode_t mask = umask(0);
    for (int named = 0; named < 2; named++) {
      struct hy_output_file target;
      assert_int_equal(chmod(path, 0666), 0);
      assert_int_equal(hy_output_file_find(&cube->base, path, &target), HYLA_OK);
      target.secret = true;
      int fd = named ? hy_output_file_named(&target) : hy_output_file_nameless(&target);
      assert_true(fd >= 0);
      assert_int_equal(open_mode(fd), 0600);
      assert_int_equal(write(fd, "new", 3), 3);
      assert_int_equal(hy_output_file_place(&cube->base, path, fd, &target), HYLA_OK);
      assert_int_equal(mode_of(path), S_IFREG | 0600);
      assert_text(path, "new");
      close(fd);
      assert_int_equal(count_files(folder), 1);
    }
    umask(mask);
  }
  harness_barrier();
  folder_drop(folder, path);
  hyla_cube_destroy(&cube);
}

/* A file without a name is opened through its descriptor if device, inode and the drawn number
 * agree; any other file there is not even opened. */
static void files_without_names_are_met(void **state) {
  (void)state;
  hyla_cube *cube = make_cube();
  char folder[64], path[96];
  folder_make("folder_of_io_output", folder, path, ".npy");
  if (harness_rank() == 0) {
    struct hy_output_file target;
    assert_int_equal(hy_output_file_find(&cube->base, path, &target), HYLA_OK);
    int fd = hy_output_file_nameless(&target);
    assert_true(fd >= 0);
    assert_true(hy_output_file_show(&target, fd));
    int met = hy_output_file_meet(&target.at);
    assert_true(met >= 0);
    close(met);
    for (int what = 0; what < 4; what++) {
      struct hy_output_file_at other = target.at;
      other.device += what == 0;
      other.inode += what == 1;
      other.number += what == 2;
      if (what == 3) snprintf(other.name, sizeof other.name, "%s", path);
      harness_note("case %d", what);
      assert_int_equal(hy_output_file_meet(&other), -1);
    }
    assert_true(hy_output_file_hide(fd));
    assert_int_equal(hy_output_file_meet(&target.at), -1);
    assert_int_equal(lseek(fd, 0, SEEK_END), 0);
    close(fd);
    assert_text(path, "old");
  }
  harness_barrier();
  folder_drop(folder, path);
  hyla_cube_destroy(&cube);
}

/* Three lines; arg says whether memory for them was available. */
static bool write_lines(const void *arg, FILE *stream) {
  fputs("one\ntwo\nthree\n", stream);
  return *(const bool *)arg;
}

/* The text of one rank replaces the old file when it is complete, not before. */
static void texts_are_whole_or_not_there(void **state) {
  (void)state;
  hyla_cube *cube = make_cube();
  char folder[64], path[96], link[128];
  const bool yes = true, no = false;
  folder_make("folder_of_io_output", folder, path, ".txt");
  snprintf(link, sizeof link, "%s/link.txt", folder);
  if (harness_rank() == 0) {
    assert_int_equal(chmod(path, 0600), 0);
    assert_int_equal(symlink(strrchr(path, '/') + 1, link), 0);
    assert_int_equal(hyla_text_write(cube, link, write_lines, &no), HYLA_MEMORY);
    assert_text(path, "old");
    assert_int_equal(count_files(folder), 2);
    assert_int_equal(hyla_text_write(cube, link, write_lines, &yes), HYLA_OK);
    assert_text(path, "one\ntwo\nthree\n");
    assert_int_equal(mode_of(path), S_IFREG | 0600);
    assert_true(S_ISLNK(mode_of(link)));
    assert_int_equal(hyla_text_write(cube, folder, write_lines, &yes), HYLA_FILE);
    assert_int_equal(hyla_text_write(cube, NULL, write_lines, &yes), HYLA_ARGUMENT);
    assert_int_equal(hyla_text_write(cube, path, NULL, &yes), HYLA_ARGUMENT);
    assert_int_equal(count_files(folder), 2);
    unlink(link);
  }
  assert_int_equal(hyla_text_write(NULL, path, write_lines, &yes), HYLA_ARGUMENT);
  harness_barrier();
  folder_drop(folder, path);
  hyla_cube_destroy(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(modes_and_links_are_kept),
      cmocka_unit_test(what_the_dead_left_is_removed),
      cmocka_unit_test(secrets_are_their_owners),
      cmocka_unit_test(files_without_names_are_met),
      cmocka_unit_test(texts_are_whole_or_not_there),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
