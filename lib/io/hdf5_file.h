/* Private to the files that call HDF5: calls that print nothing and leave nothing open.
 *
 * HDF5 is called without MPI.  To read, each rank opens the file for itself and reads its own part.
 * To write, node 0 makes the frame, and all nodes write their entries into it without HDF5.  So any
 * build of HDF5 works with any MPI, and no call waits for another rank.  HDF5's own allocations are
 * not counted in the rank's books. */
#ifndef HY_HDF5_FILE_H
#define HY_HDF5_FILE_H 1

#include "io/hdf5_library.h"
#include "io/io.h"

/* An open file as HDF5's driver sees it. */
struct hy_hdf5_driver {
  H5FD_t file; /* HDF5's part, which must come first */
  int fd;
  haddr_t allocated;
  haddr_t end; /* of the file */
  int error;   /* errno of the first write that failed; 0: none */
};

/* A file and one of its datasets. */
struct hy_hdf5 {
  struct hy_hdf5_library lib;
  const struct hy_io_file *file;
  const char *dataset; /* its name */
  struct hy_hdf5_driver driver;
  hid_t kind;      /* number of the driver; < 0: none */
  hid_t in;        /* the file; < 0: not open */
  hid_t set;       /* the dataset; < 0: not open */
  bool elsewhere;  /* a link to another file was found and not followed */
  H5E_auto2_t say; /* the program's own setting for HDF5's errors */
  void *say_to;
  char reason[HY_MESSAGE_MAX / 2]; /* HDF5's reason, kept before something was closed */
};

/* Closes an object of HDF5's of any kind; < 0: there is none. */
static inline void hy_hdf5_close(const struct hy_hdf5_library *lib, hid_t object) {
  if (object >= 0) (void)lib->H5Idec_ref(object);
}

/* Between begin and end HDF5 prints nothing.  end closes everything open.  begin: FILE if
 * HDF5 is not there, MEMORY. */
hyla_status hy_hdf5_begin(struct hy_hdf5 *h, const struct hy_io_file *file);
void hy_hdf5_end(struct hy_hdf5 *h);

/* Keeps HDF5's reason for a failure, which the next call of HDF5 (such as closing) would delete;
 * returns `result', which is the failed call's. */
int64_t hy_hdf5_keep(struct hy_hdf5 *h, int64_t result);
/* Fails with HDF5's innermost reason; doing: "read" or "write". */
hyla_status hy_hdf5_fail(const struct hy_hdf5 *h, const char *doing);
/* Returns from the calling function if a call of HDF5 has failed. */
#define HDF5_TRY(h, doing, call)                                                                   \
  do {                                                                                             \
    if ((call) < 0) return hy_hdf5_fail((h), (doing));                                             \
  } while (0)
/* Fails with FORMAT; the message begins with the dataset's name. */
#define HDF5_CHECK(h, condition, format, ...)                                                      \
  CHECK((h)->file->base, condition, FORMAT, "%s:%s: " format, hy_path_shown((h)->file->path),      \
        hy_path_shown((h)->dataset), __VA_ARGS__)

/* Opens the HDF5 file in an open file, or makes one in an empty file.  fd: of the file.  FILE. */
enum hy_hdf5_mode { HY_HDF5_READ, HY_HDF5_CHANGE, HY_HDF5_CREATE };
hyla_status hy_hdf5_open(struct hy_hdf5 *h, int fd, enum hy_hdf5_mode mode);
/* FILE if another program has the file open for writing, according to HDF5's locks. */
hyla_status hy_hdf5_lock(const struct hy_io_file *file);
/* The kind of object that has the name; HY_HDF5_NOTHING also for a link that leads nowhere.  Links
 * to other files are not followed: a stranger's file must not make hyla open others. */
enum hy_hdf5_kind { HY_HDF5_NOTHING, HY_HDF5_DATASET, HY_HDF5_GROUP, HY_HDF5_OTHER };
enum hy_hdf5_kind hy_hdf5_kind_of(struct hy_hdf5 *h, const char *name);
/* Opens h->dataset; chunk: bytes that are kept unpacked, 0: HDF5's default.  FILE. */
hyla_status hy_hdf5_open_dataset(struct hy_hdf5 *h, int64_t chunk);

/* How a dataset's chunks are packed: places of the filters in the pipeline, -1: not there. */
struct hy_hdf5_packing {
  int shuffle, deflate;
  int64_t width;   /* bytes of an element that is shuffled */
  int64_t side[2]; /* of a chunk: lines, and entries along them */
  int dims;        /* of the dataset, 1 or 2 */
};
/* A chunk as it is in the file. */
struct hy_hdf5_packed {
  const char *at;
  int64_t bytes;
  uint32_t mask; /* filters that are not applied */
};
/* packing_of: false if there are no chunks, or others than hy_hdf5_unpack knows.  take_chunk:
 * brings the chunk that begins at line and entry `at' to `room'; false if it is not in the file,
 * longer than `most', or cannot be read.  unpack: for any thread; `bytes' elements' bytes, in
 * `room', which has as many for each filter, or where they are; NULL if they are damaged. */
bool hy_hdf5_packing_of(const struct hy_hdf5_library *lib, hid_t set,
                        struct hy_hdf5_packing *packing);
bool hy_hdf5_take_chunk(const struct hy_hdf5_library *lib, hid_t set,
                        const struct hy_hdf5_packing *packing, const int64_t at[2], char *room,
                        int64_t most, struct hy_hdf5_packed *chunk);
const char *hy_hdf5_unpack(const struct hy_hdf5_packing *packing,
                           const struct hy_hdf5_packed *chunk, int64_t bytes, char *room);

/* The element that a datatype is; false if entries of a matrix cannot be made of it.  Complex
 * numbers are pairs named (r, i) by h5py, (real, imag) by MATLAB, or (re, im). */
bool hy_hdf5_element(const struct hy_hdf5_library *lib, hid_t type, struct hy_npy_element *element);
/* The datatype of a matrix' entries; < 0 on failure.  The caller closes it. */
hid_t hy_hdf5_type(const struct hy_hdf5_library *lib, const struct hy_kernels *k, bool matlab);
/* The name of a datatype's class, for a message. */
const char *hy_hdf5_class_name(const struct hy_hdf5_library *lib, hid_t type);

/* MATLAB's marks on a dataset (version 7.3 and later).  class: is it a variable of MATLAB's?  text
 * (64 characters) receives its class, or "".  empty: is the dataset the size of an
 * empty variable? */
bool hy_matlab_class(const struct hy_hdf5_library *lib, hid_t set, char text[64]);
bool hy_matlab_empty(const struct hy_hdf5_library *lib, hid_t set, hsize_t size[2]);
/* Marks a dataset; < 0 on failure.  empty: the dataset holds the variable's rows and columns. */
herr_t hy_matlab_mark(const struct hy_hdf5_library *lib, hid_t set, const struct hy_kernels *k,
                      bool empty);
/* The bytes of a MATLAB file in front of HDF5's own. */
enum { HY_MATLAB_HEAD = 512 };
void hy_matlab_head(char head[HY_MATLAB_HEAD]);

/* Octave's marks (save -hdf5): is the group a variable of Octave's?  kind: its kind, as "complex
 * matrix". */
enum { HY_OCTAVE_KIND = 64 };
bool hy_octave_kind(struct hy_hdf5 *h, const char *group, char kind[HY_OCTAVE_KIND]);
/* If h->dataset is such a variable, sets it to the dataset of the variable's value, whose name is
 * kept in `own'.  FORMAT if the variable is no full matrix. */
hyla_status hy_octave_enter(struct hy_hdf5 *h, char own[HY_IO_NAME]);
/* Reads the marks of the open dataset.  FORMAT likewise. */
struct hy_octave {
  bool marked;
  bool empty;                    /* the dataset holds not entries but rows and columns: */
  hsize_t size[2];               /* these */
  struct hy_npy_element element; /* the type that an empty variable's entries would have */
};
hyla_status hy_octave_find(struct hy_hdf5 *h, struct hy_octave *octave);

#endif
