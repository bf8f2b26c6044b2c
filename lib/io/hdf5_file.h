/* Private to the files that call HDF5: calls of it that say nothing and leave nothing open.
 *
 * HDF5 is called without MPI: each rank opens the file for itself and reads what is its own, and of
 * a file that is written node 0 makes the frame, into which all put their entries.  So any build of
 * HDF5 serves with any MPI, and no call waits for another rank.  What it allocates is in no rank's
 * books. */
#ifndef HY_HDF5_FILE_H
#define HY_HDF5_FILE_H 1

#include "io/io.h"

#include <hdf5.h>

/* An open file as HDF5's driver sees it. */
struct hy_hdf5_driver {
  H5FD_t file; /* HDF5's own */
  int fd;
  haddr_t allocated;
  haddr_t end; /* of the file */
  int error;   /* errno of the first write that failed; 0: none */
};
/* Properties by which HDF5 opens the descriptor; < 0 on failure.  kind: of driver, or < 0; the
 * caller gives both back, the driver must live until then. */
hid_t hy_hdf5_driver_make(struct hy_hdf5_driver *driver, int fd, hid_t *kind);

/* A file, and a dataset of it. */
struct hy_hdf5 {
  const struct hy_io_file *file;
  const char *dataset; /* its name */
  struct hy_hdf5_driver driver;
  hid_t kind;      /* of driver; < 0: none */
  hid_t in;        /* the file; < 0: not open */
  hid_t set;       /* the dataset; the same */
  bool elsewhere;  /* a link to another file was met, and not followed */
  H5E_auto2_t say; /* what the program wants with HDF5's errors */
  void *say_to;
  char reason[HY_MESSAGE_MAX / 2]; /* of a failure after which something was closed */
};

/* Between the two HDF5 prints nothing; the second closes what is open.  begin: MEMORY. */
hyla_status hy_hdf5_begin(struct hy_hdf5 *h, const struct hy_io_file *file);
void hy_hdf5_end(struct hy_hdf5 *h);

/* Keeps HDF5's reason for a failure, which its next call, such as of closing, takes away; gives the
 * result of the call back. */
int64_t hy_hdf5_keep(struct hy_hdf5 *h, int64_t result);
/* Fails with HDF5's own reason, the innermost; doing: "read", "write". */
hyla_status hy_hdf5_fail(const struct hy_hdf5 *h, const char *doing);
/* Returns from this function when a call of HDF5 has failed. */
#define HDF5_TRY(h, doing, call)                                                                   \
  do {                                                                                             \
    if ((call) < 0) return hy_hdf5_fail((h), (doing));                                             \
  } while (0)
/* FORMAT, with the dataset's name in front. */
#define HDF5_CHECK(h, condition, format, ...)                                                      \
  CHECK((h)->file->base, condition, FORMAT, "%s:%s: " format, hy_path_shown((h)->file->path),      \
        hy_path_shown((h)->dataset), __VA_ARGS__)

/* Opens, or makes in an empty one, what is in a file that is open.  fd: of the file; doing: "read",
 * "write".  FILE. */
hyla_status hy_hdf5_open(struct hy_hdf5 *h, int fd, const char *doing);
hyla_status hy_hdf5_create(struct hy_hdf5 *h, int fd);
/* FILE where another program has the file open for writing, as HDF5's locks tell. */
hyla_status hy_hdf5_lock(const struct hy_io_file *file);
/* What has the name: HY_HDF5_NOTHING also behind a link that leads nowhere.  Links to other files
 * are not followed: those that a stranger's file names are none of its reader's business. */
enum hy_hdf5_kind { HY_HDF5_NOTHING, HY_HDF5_DATASET, HY_HDF5_GROUP, HY_HDF5_OTHER };
enum hy_hdf5_kind hy_hdf5_kind_of(struct hy_hdf5 *h, const char *name);
/* Opens h->dataset; chunk: bytes that are kept unpacked, 0: the library's default.  FILE. */
hyla_status hy_hdf5_open_dataset(struct hy_hdf5 *h, int64_t chunk);

/* The names of datasets in a file, of not more than HY_HDF5_NAMES; which can be read is not known.
 */
enum { HY_HDF5_NAMES = 64 };
struct hy_hdf5_names {
  int count;
  bool more;
  const char *name[HY_HDF5_NAMES + 1]; /* and NULL */
  char text[HY_HDF5_NAMES][HY_HDF5_NAME];
};
void hy_hdf5_list(struct hy_hdf5 *h, struct hy_hdf5_names *names);
/* FORMAT: says that the dataset is not there, and what is. */
hyla_status hy_hdf5_missing(struct hy_hdf5 *h);
/* h->dataset := the name that the path tells, else the only one's, kept in `own`.  FORMAT, MEMORY.
 */
hyla_status hy_hdf5_choose(struct hy_hdf5 *h, char own[HY_HDF5_NAME]);

/* The element that a datatype is; false when entries of a matrix cannot be made of it.  Complex
 * numbers are pairs (r, i) as h5py has them, (real, imag) as MATLAB has, or (re, im). */
bool hy_hdf5_element(hid_t type, struct hy_npy_element *element);
/* The datatype of a matrix' entries; < 0 on failure.  The caller closes it. */
hid_t hy_hdf5_type(const struct hy_kernels *k, bool matlab);
/* What a datatype is called, for a message. */
const char *hy_hdf5_class_name(hid_t type);

/* MATLAB's marks on a dataset (its version 7.3 and later): is it a variable of MATLAB's; its class
 * (text: 64, "" when there is none); an empty one's size stands in its place. */
bool hy_matlab_class(hid_t set, char text[64]);
bool hy_matlab_empty(hid_t set, hsize_t size[2]);
/* Marks a dataset; < 0 on failure.  empty: what is in it are its rows and columns. */
herr_t hy_matlab_mark(hid_t set, const struct hy_kernels *k, bool empty);
/* What stands before HDF5's own bytes in a file of MATLAB's. */
enum { HY_MATLAB_HEAD = 512 };
void hy_matlab_head(char head[HY_MATLAB_HEAD]);

/* Octave's marks (save -hdf5): is the group a variable of Octave's?  kind: its kind, such as
 * "complex matrix". */
enum { HY_OCTAVE_KIND = 64 };
bool hy_octave_kind(struct hy_hdf5 *h, const char *group, char kind[HY_OCTAVE_KIND]);
/* Where h->dataset is such a variable, it becomes the dataset of the variable's value, its name
 * kept in `own'.  FORMAT of a kind that is no full matrix. */
hyla_status hy_octave_enter(struct hy_hdf5 *h, char own[HY_HDF5_NAME]);
/* What the marks say of the dataset that is open.  FORMAT likewise. */
struct hy_octave {
  bool marked;
  bool empty;                    /* then the dataset holds rows and columns: */
  hsize_t size[2];               /* these */
  struct hy_npy_element element; /* what an empty one's entries would be */
};
hyla_status hy_octave_find(struct hy_hdf5 *h, struct hy_octave *octave);

#endif
