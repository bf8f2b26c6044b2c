# What hyla needs, and where it is.  What is missing is collected, so that one
# line names it all.

# HYLA_MISSING(PACKAGE, WHAT)
AC_DEFUN([HYLA_MISSING], [
  hyla_missing="$hyla_missing, $2"
  AS_CASE([" $hyla_packages "], [*" $1 "*], [], [hyla_packages="$hyla_packages $1"])
])

# Stops with the line that installs what is missing.
AC_DEFUN([HYLA_STOP_IF_MISSING], [
  AS_IF([test -n "$hyla_packages"], [
    hyla_missing=`AS_ECHO(["$hyla_missing"]) | sed 's/^, //'`
    AC_MSG_ERROR([missing: $hyla_missing

On Debian and its relatives:

  apt-get install$hyla_packages
])])
])

# The MPI compiler, and what belongs to it: mpicc.openmpi goes with mpiexec.openmpi and
# mpifort.openmpi, /opt/mpi/bin/mpicc with what is beside it.  Debian packages that pull Open MPI
# in make its mpicc the first one, without headers: MPICH's own name comes before.
AC_DEFUN([HYLA_PROG_MPICC], [
  AC_ARG_VAR([MPIEXEC], [launcher of MPI programs])
  AC_CHECK_PROGS([hyla_cc], [gcc cc clang])
  AC_CHECK_PROGS([hyla_mpicc], [mpicc.mpich mpicc mpicc.openmpi])
  AS_IF([test -z "$CC$hyla_cc"], [HYLA_MISSING([gcc], [a C compiler])])
  AS_IF([test -z "$CC$hyla_mpicc"], [HYLA_MISSING([mpich libmpich-dev], [the MPI compiler mpicc])])
  dnl AC_PROG_CC would stop before the rest is known.
  AS_IF([test -z "$CC$hyla_cc"], [HYLA_LIBRARIES_UNCOMPILED
    HYLA_STOP_IF_MISSING])
  AC_PROG_CC([mpicc.mpich mpicc mpicc.openmpi gcc cc clang])
  hyla_suffix=
  hyla_place=
  for hyla_word in $CC; do
    AS_CASE([$hyla_word], [*mpicc*],
      [hyla_suffix=`AS_ECHO(["$hyla_word"]) | sed 's/.*mpicc//'`
       AS_CASE([$hyla_word], [*/*], [hyla_place=`AS_DIRNAME(["$hyla_word"])`/])])
  done
  AS_IF([test -z "$MPIEXEC" && test -n "$hyla_place" && test -x "${hyla_place}mpiexec$hyla_suffix"],
    [MPIEXEC=${hyla_place}mpiexec$hyla_suffix])
  AC_CHECK_PROGS([MPIEXEC], [mpiexec$hyla_suffix mpirun$hyla_suffix mpiexec.mpich mpiexec mpirun])
  AS_IF([test -z "$MPIEXEC"], [HYLA_MISSING([mpich], [the MPI launcher mpiexec])])
])

# hyla_mpi_kind: whose mpi.h it is, in the word that Debian's packages are named by.
AC_DEFUN([HYLA_MPI_KIND], [
  AC_MSG_CHECKING([whose MPI it is])
  hyla_mpi_kind=other
  AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>
      #ifndef OPEN_MPI
      #error "not Open MPI"
      #endif]])], [hyla_mpi_kind=openmpi],
    [AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>
      #ifndef MPICH_VERSION
      #error "not MPICH"
      #endif]])], [hyla_mpi_kind=mpich])])
  AC_MSG_RESULT([$hyla_mpi_kind])
  AC_SUBST([MPI_KIND], [$hyla_mpi_kind])
])

# Libraries of several MPIs in one folder, as distributions have them: libhyla-mpich.so.0.
AC_DEFUN([HYLA_WITH_FLAVOUR], [
  AC_ARG_WITH([flavour], [AS_HELP_STRING([--with-flavour=NAME],
    [a name in those of the shared libraries, libhyla-NAME.so.0: for packages of several MPIs])], [],
    [with_flavour=])
  AS_CASE([$with_flavour], [yes | no], [with_flavour=])
  HYLA_FLAVOUR=$with_flavour
  HYLA_RELEASE=
  AS_IF([test -n "$HYLA_FLAVOUR"], [HYLA_RELEASE="-release $HYLA_FLAVOUR"])
  AC_SUBST([HYLA_FLAVOUR])
  AC_SUBST([HYLA_RELEASE])
])

# Without a compiler only pkg-config and the file system can be asked.
AC_DEFUN([HYLA_LIBRARIES_UNCOMPILED], [
  AS_IF([pkg-config --exists openblas 2>/dev/null], [], [HYLA_MISSING([libopenblas-dev], [OpenBLAS])])
  AS_IF([pkg-config --exists lapacke 2>/dev/null], [], [HYLA_MISSING([liblapacke-dev], [LAPACKE])])
  AS_IF([pkg-config --exists jansson 2>/dev/null], [], [HYLA_MISSING([libjansson-dev], [jansson])])
  AS_IF([pkg-config --exists zlib 2>/dev/null], [], [HYLA_MISSING([zlib1g-dev], [zlib])])
  AS_IF([test -f /usr/include/Random123/philox.h], [],
    [HYLA_MISSING([librandom123-dev], [Random123])])
])

AC_DEFUN([HYLA_C11], [
  AC_MSG_CHECKING([whether $CC takes C11])
  hyla_save=$CFLAGS
  CFLAGS="$CFLAGS -std=c11"
  AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include <complex.h>
      #include <stdlib.h>
      _Static_assert(sizeof(double _Complex) == 16, "two doubles");]],
      [[double _Complex z = 1.0 + 2.0 * I; free(aligned_alloc(64, 64)); return creal(z) > 2.0;]])],
    [AC_MSG_RESULT([yes])],
    [AC_MSG_RESULT([no])
     AC_MSG_ERROR([$CC does not compile C11 with complex numbers; set CC to one that does])])
  CFLAGS=$hyla_save
])

AC_DEFUN([HYLA_MPI], [
  AC_MSG_CHECKING([for MPI 3 or newer])
  AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>
      #if MPI_VERSION < 3
      #error "older than MPI 3"
      #endif]], [[MPI_Comm c; MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0,
      MPI_INFO_NULL, &c);]])],
    [hyla_mpi=yes], [hyla_mpi=no])
  AC_MSG_RESULT([$hyla_mpi])
  AS_IF([test $hyla_mpi = no], [HYLA_MISSING([mpich libmpich-dev], [MPI 3 (with CC=$CC)])])
])

# HYLA_LIBRARY(VARIABLE, MODULE, HEADER, FUNCTION, WHAT, IF-NOT)
# pkg-config's word, or the user's VARIABLE_CFLAGS and VARIABLE_LIBS, then a link.
AC_DEFUN([HYLA_LIBRARY], [
  PKG_CHECK_MODULES([$1], [$2], [
    hyla_save_cflags=$CFLAGS
    hyla_save_libs=$LIBS
    CFLAGS="$CFLAGS $[]$1_CFLAGS"
    LIBS="$[]$1_LIBS $LIBS"
    AC_MSG_CHECKING([for $4 in $5])
    AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <stdarg.h>
        #include <stddef.h>
        #include <setjmp.h>
        #include <stdint.h>
        #include <$3>]], [[void (*volatile f)(void) = (void (*)(void))$4; return f == 0;]])],
      [AC_MSG_RESULT([yes])],
      [AC_MSG_RESULT([no])
       $6])
    CFLAGS=$hyla_save_cflags
    LIBS=$hyla_save_libs
  ], [$6])
])

# hyla gives BLAS and LAPACK integers of 32 bits; builds for those of 64 bits may have the same names.
# The headers tell without a run; where programs run here, OpenBLAS tells how it was built.
AC_DEFUN([HYLA_INTEGERS], [
  hyla_save_cflags=$CFLAGS
  hyla_save_libs=$LIBS
  CFLAGS="$CFLAGS $OPENBLAS_CFLAGS $LAPACKE_CFLAGS"
  LIBS="$OPENBLAS_LIBS $LIBS"
  hyla_wide=
  AC_MSG_CHECKING([for the size of BLAS and LAPACK integers])
  AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include <cblas.h>]],
      [[return _Generic(&cblas_dscal, void (*)(int, double, double *, int): 0);]])],
    [], [hyla_wide="cblas.h (OPENBLAS_CFLAGS)"])
  AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include <lapacke.h>]],
      [[static char narrow[sizeof(lapack_int) == sizeof(int) ? 1 : -1]; return narrow[0];]])],
    [], [hyla_wide="lapacke.h (LAPACKE_CFLAGS)"])
  AS_IF([test -z "$hyla_wide"], [
    AC_RUN_IFELSE([AC_LANG_PROGRAM([[#include <string.h>
        char *openblas_get_config(void);]],
        [[return strstr(openblas_get_config(), "USE64BITINT") ? 64 : 0;]])],
      [], [AS_IF([test $? = 64], [hyla_wide="OpenBLAS (OPENBLAS_LIBS=$OPENBLAS_LIBS)"])], [:])
  ])
  AS_IF([test -n "$hyla_wide"], [
    AC_MSG_RESULT([64 bits])
    AC_MSG_ERROR([$hyla_wide is built for integers of 64 bits, hyla for those of 32; name another one
by OPENBLAS_CFLAGS, OPENBLAS_LIBS, LAPACKE_CFLAGS and LAPACKE_LIBS, on Debian that of libopenblas-dev
and liblapacke-dev])
  ])
  AC_MSG_RESULT([32 bits])
  CFLAGS=$hyla_save_cflags
  LIBS=$hyla_save_libs
])

AC_DEFUN([HYLA_LIBRARIES], [
  PKG_PROG_PKG_CONFIG
  AS_IF([test -z "$PKG_CONFIG"], [HYLA_MISSING([pkg-config], [pkg-config])])
  HYLA_LIBRARY([OPENBLAS], [openblas], [cblas.h], [openblas_get_config], [OpenBLAS],
    [HYLA_MISSING([libopenblas-dev], [OpenBLAS])])
  HYLA_LIBRARY([LAPACKE], [lapacke], [lapacke.h], [LAPACKE_zgetrf_work], [LAPACKE],
    [HYLA_MISSING([liblapacke-dev], [LAPACKE])])
  AS_IF([test -z "$hyla_packages"], [HYLA_INTEGERS])
  HYLA_LIBRARY([JANSSON], [jansson], [jansson.h], [json_dumps], [jansson],
    [HYLA_MISSING([libjansson-dev], [jansson])])
  HYLA_LIBRARY([ZLIB], [zlib], [zlib.h], [gzdopen], [zlib], [HYLA_MISSING([zlib1g-dev], [zlib])])
  AC_CHECK_HEADER([Random123/philox.h], [],
    [HYLA_MISSING([librandom123-dev], [Random123])])
  have_cmocka=yes
  HYLA_LIBRARY([CMOCKA], [cmocka], [cmocka.h], [_cmocka_run_group_tests], [CMocka],
    [have_cmocka=no])
  AS_IF([test $have_cmocka = yes], [tests_say="make check"],
    [tests_say="none: CMocka is missing (apt-get install libcmocka-dev)"])
])

# HDF5 files, optional.  hyla makes no call of HDF5 that takes MPI, so that any build of it serves;
# Debian's serial one first, which several threads may call.  The shared library is loaded when the
# first file is opened (HDF5_FILE); only tests are linked with it (HDF5_LIBS).
AC_DEFUN([HYLA_HDF5], [
  AC_ARG_WITH([hdf5], [AS_HELP_STRING([--with-hdf5],
    [read and write HDF5 files: yes, no, or auto (where there is HDF5 1.10.1 or newer)])], [],
    [with_hdf5=auto])
  have_hdf5=no
  AS_IF([test "$with_hdf5" = no], [hdf5_say="none: --without-hdf5"], [
    hyla_module=hdf5
    for hyla_word in hdf5-serial hdf5 hdf5-$hyla_mpi_kind; do
      AS_IF([test -n "$PKG_CONFIG" && $PKG_CONFIG --exists $hyla_word],
        [hyla_module=$hyla_word
         break])
    done
    have_hdf5=yes
    HYLA_LIBRARY([HDF5], [$hyla_module], [hdf5.h], [H5Pset_file_space_strategy], [HDF5], [have_hdf5=no])
    hdf5_say="none: no HDF5 1.10.1 or newer (apt-get install libhdf5-dev)"
    AS_IF([test $have_hdf5 = yes], [
      hyla_save_libs=$LIBS
      HDF5_FILE=
      LIBS="$HDF5_LIBS $LIBS"
      HYLA_SONAME([H5open], [hdf5], [HDF5_FILE])
      LIBS=$hyla_save_libs
      AC_SEARCH_LIBS([dlopen], [dl], [], [HDF5_FILE=])
      AS_CASE([$ac_cv_search_dlopen], [-l*], [DL_LIBS=$ac_cv_search_dlopen])
      LIBS=$hyla_save_libs
      AS_IF([test -n "$HDF5_FILE"],
        [hdf5_say="$HDF5_FILE, loaded when a file is opened"],
        [have_hdf5=no
         hdf5_say="none: it is no shared library that programs can load"])
    ])
    AS_IF([test $have_hdf5 = no], [
      HDF5_CFLAGS=
      HDF5_LIBS=
      AS_IF([test "$with_hdf5" = yes], [HYLA_MISSING([libhdf5-dev], [HDF5 1.10.1 or newer])])
    ])
  ])
  AC_SUBST([HDF5_FILE])
  AC_SUBST([DL_LIBS])
])

# ScaLAPACK over the same MPI, for benchmarks/peers alone.
AC_DEFUN([HYLA_PEERS], [
  AC_ARG_VAR([SCALAPACK_LIBS], [ScaLAPACK over the same MPI, for benchmarks/peers])
  AS_IF([test -z "$SCALAPACK_LIBS"], [SCALAPACK_LIBS=-lscalapack-$hyla_mpi_kind])
  hyla_save_libs=$LIBS
  LIBS="$SCALAPACK_LIBS $OPENBLAS_LIBS $LIBS"
  AC_CHECK_FUNC([pdgemr2d_], [have_scalapack=yes], [have_scalapack=no])
  SCALAPACK_FILE=libscalapack-$hyla_mpi_kind.so
  AS_IF([test $have_scalapack = yes], [HYLA_SONAME([pdgemr2d_], [scalapack], [SCALAPACK_FILE])])
  AC_SUBST([SCALAPACK_FILE])
  LIBS=$hyla_save_libs
])

# HYLA_SONAME(FUNCTION, WORD, VARIABLE): the name under which programs load the shared library with
# this word in its name that has the function; VARIABLE stays as it is if there is none.
AC_DEFUN([HYLA_SONAME], [
  AC_LINK_IFELSE([AC_LANG_CALL([], [$1])],
    [hyla_word=`${OBJDUMP:-objdump} -p conftest$EXEEXT 2>/dev/null |
       sed -n 's/^ *NEEDED  *\(.*$2.*\)/\1/p' | head -n 1`
     AS_IF([test -n "$hyla_word"], [$3=$hyla_word])])
])

# The drop-in for ScaLAPACK finds the library that it stands before when it runs: a shared one.
AC_DEFUN([HYLA_DROPIN], [
  have_dropin=no
  AS_IF([test $have_scalapack = no],
      [dropin_say="none: not found (apt-get install libscalapack-$hyla_mpi_kind-dev, or SCALAPACK_LIBS)"],
    [test "$enable_shared" = no], [dropin_say="none: libhyla_scalapack is a shared library"],
    [have_dropin=yes
     dropin_say="libhyla_scalapack.so, before $SCALAPACK_LIBS"])
  DROPIN_FILE=
  AS_IF([test $have_dropin = yes],
    [DROPIN_FILE=libhyla_scalapack${HYLA_FLAVOUR:+-$HYLA_FLAVOUR}.so.0])
  AC_SUBST([DROPIN_FILE])
  AM_CONDITIONAL([HAVE_DROPIN], [test $have_dropin = yes])
])

# Has FC, the Fortran compiler of CC's MPI, the modules mpi and mpi_f08?  Optional.
AC_DEFUN([HYLA_FORTRAN], [
  have_fortran=no
  fortran_say="none: no Fortran compiler for $CC's MPI (apt-get install gfortran)"
  AS_IF([test -n "$FC"], [
    AC_LANG_PUSH([Fortran])
    hyla_save_ext=$ac_ext
    ac_ext=f90
    AC_MSG_CHECKING([whether $FC has modules mpi and mpi_f08 and takes class(*)])
    AC_LINK_IFELSE([AC_LANG_SOURCE([[
program probe
  use, intrinsic :: iso_c_binding
  use mpi, only: MPI_COMM_WORLD
  use mpi_f08, only: MPI_Comm
  implicit none
  type(MPI_Comm) :: comm
  comm%mpi_val = MPI_COMM_WORLD
  call look([0.0_c_double])
contains
  subroutine look(array)
    class(*), intent(in), target, contiguous :: array(:)
    select type (array)
    type is (real(c_double))
      if (.not. c_associated(c_loc(array))) stop 1
    end select
  end subroutine
end program]])], [have_fortran=yes
      fortran_say="$FC $FCFLAGS"],
      [fortran_say="none: $FC does not compile a program with mpi_f08 (config.log says why)"])
    AC_MSG_RESULT([$have_fortran])
    ac_ext=$hyla_save_ext
    AC_LANG_POP([Fortran])
  ])
])

# What a program of Fortran needs besides, for hyla.pc: its modules' folder, which is none that
# pkg-config leaves out, and the library, which programs that use nothing of it are not linked with.
AC_DEFUN([HYLA_FORTRAN_FLAGS], [
  FORTRAN_CFLAGS=
  FORTRAN_LIBS=
  AS_IF([test $have_fortran = yes], [
    FORTRAN_CFLAGS="-I\${includedir}/hyla${HYLA_FLAVOUR:+-$HYLA_FLAVOUR}"
    AC_MSG_CHECKING([whether the linker leaves out single libraries that are not used])
    hyla_save_ldflags=$LDFLAGS
    LDFLAGS="$LDFLAGS -Wl,--push-state,--as-needed -lm -Wl,--pop-state"
    AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])],
      [FORTRAN_LIBS="-Wl,--push-state,--as-needed -lhyla_fortran -Wl,--pop-state"
       AC_MSG_RESULT([yes])],
      [AC_MSG_RESULT([no: programs of Fortran add -lhyla_fortran])])
    LDFLAGS=$hyla_save_ldflags
  ])
  AC_SUBST([FORTRAN_CFLAGS])
  AC_SUBST([FORTRAN_LIBS])
])

# A Python with NumPy, for package hyla, which loads the shared library; optional.
AC_DEFUN([HYLA_PYTHON], [
  have_python=no
  AC_MSG_CHECKING([for a Python with NumPy])
  for hyla_python in $PYTHON python3 /usr/bin/python3; do
    AS_IF([$hyla_python -c 'import numpy, sys; sys.exit(sys.version_info < (3, 9))' 2>&AS_MESSAGE_LOG_FD],
      [have_python=yes
       PYTHON=$hyla_python
       break])
  done
  AC_MSG_RESULT([$have_python])
  AM_PATH_PYTHON([3.9], [], [:])
  python_say=$PYTHON
  AS_IF([test $have_python = no], [python_say="none: NumPy is missing (apt-get install python3-numpy)"],
    [test "$enable_shared" = no], [have_python=no
      python_say="none: it needs the shared library"])
])

# Do compiler and launcher belong together?  A launcher of another MPI starts two
# programs that each see one rank.  Open MPI's asks whether root may, and whether ranks may
# outnumber cores: both are common in containers.
AC_DEFUN([HYLA_MPI_PROBE], [
  AC_ARG_ENABLE([probe], [AS_HELP_STRING([--disable-probe],
    [do not run a program on 2 ranks (on machines whose front end cannot)])], [],
    [enable_probe=yes])
  hyla_mpi_name="version unknown"
  hyla_probe="not tried"
  AS_IF([test "$cross_compiling" = yes || test "$enable_probe" = no], [], [
    AC_MSG_CHECKING([whether $MPIEXEC -n 2 starts 2 ranks])
    AC_LANG_CONFTEST([AC_LANG_SOURCE([[#include <mpi.h>
#include <stdio.h>
#include <string.h>
int main(void) {
  int size = 0, rank = 0, length = 0;
  char name[MPI_MAX_LIBRARY_VERSION_STRING];
  MPI_Init(0, 0);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Get_library_version(name, &length);
  for (char *c = name; *c; c++) if (strchr("\t,", *c)) *c = ' ';
  if (rank == 0) printf("size=%d %.*s\n", size, (int)strcspn(name, "\n"), name);
  return MPI_Finalize();
}]])])
    AS_IF([$CC $CFLAGS $CPPFLAGS $LDFLAGS conftest.c -o conftest.probe $LIBS >&AS_MESSAGE_LOG_FD 2>&1],
      [OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
        MPIEXEC_TIMEOUT=60 $MPIEXEC -n 2 ./conftest.probe >conftest.out 2>&AS_MESSAGE_LOG_FD </dev/null])
    hyla_sizes=`sed -n 's/^size=\([[0-9]]*\).*/\1/p' conftest.out 2>/dev/null | tr '\n' ' '`
    hyla_mpi_name=`sed -n 's/^size=[[0-9]]* *//p' conftest.out 2>/dev/null | sed -n 's/  */ /g; s/ *$//; 1p'`
    rm -f conftest.c conftest.probe conftest.out
    AS_CASE([$hyla_sizes],
      ["2 "], [AC_MSG_RESULT([yes])
               hyla_probe="starts 2 ranks"],
      ["1 1 "], [AC_MSG_RESULT([no])
        AC_MSG_ERROR([$MPIEXEC started two programs of one rank each: it is not the launcher of
$CC's MPI.  Set MPIEXEC, or CC, so that they belong together.])],
      [AC_MSG_RESULT([no])
        AC_MSG_ERROR([$MPIEXEC -n 2 did not run a program of 2 ranks; config.log has its words.
Where MPI programs cannot be started here, configure with --disable-probe.])])
  ])
])

# What a plain compiler needs for a program that includes hyla.h: for hyla.pc.
AC_DEFUN([HYLA_MPI_FLAGS], [
  MPI_CFLAGS=
  MPI_LIBS=
  for hyla_word in `$CC -show 2>/dev/null | sed -n 1p`; do
    AS_CASE([$hyla_word],
      [-I*|-D*], [MPI_CFLAGS="$MPI_CFLAGS $hyla_word"],
      [-L*|-l*|-Wl,*|-pthread], [MPI_LIBS="$MPI_LIBS $hyla_word"])
  done
  AC_SUBST([MPI_CFLAGS])
  AC_SUBST([MPI_LIBS])
])

# Automake's config.status has make begin a file of dependencies for each object, by three processes a
# file.  Those that are there it leaves alone: here they all begin at once.
AC_DEFUN([HYLA_DEPFILES], [
  AC_CONFIG_COMMANDS([depfiles-at-once], [
    sed -n 's,^include \(.*\)\$(DEPDIR)\(/.*\) # am--include-marker$,\1.deps\2,p' Makefile >conf.depfiles
    test ! -s conf.depfiles || mkdir -p `sed 's,/@<:@^/@:>@*$,,' conf.depfiles | sort -u`
    while read -r hyla_file; do
      test -f "$hyla_file" || echo '# dummy' >"$hyla_file"
    done <conf.depfiles
    rm -f conf.depfiles])
])

# hyla_wrapper and hyla_compiler: MPI's compiler, and the one that it starts with a few options more.
# A script as well, it takes an eighth of a build.  Both are empty where it starts something else.
AC_DEFUN([HYLA_COMPILER], [
  hyla_wrapper=$CC
  hyla_compiler=
  for hyla_word in `$CC -show -c hyla_file.c 2>/dev/null | sed -n 1p`; do
    AS_CASE([$hyla_word],
      [-c | hyla_file.c], [],
      [-I* | -D* | -pthread], [hyla_compiler="$hyla_compiler $hyla_word"],
      [[[a-z0-9/]]*], [AS_IF([test -z "$hyla_compiler"], [hyla_compiler=$hyla_word], [hyla_wrapper=])],
      [hyla_wrapper=])
  done
  AS_CASE([$hyla_wrapper], [*\ *], [hyla_wrapper=])
  AS_IF([test -z "$hyla_compiler" || ! $hyla_compiler --version >/dev/null 2>&1], [hyla_wrapper=])
  AS_IF([test -z "$hyla_wrapper"], [hyla_compiler=])
])

# Where libtool's objects are made in the usual way, m4/libtool-compile makes them: libtool's script
# takes a fifth of a build.
AC_DEFUN([HYLA_LIBTOOL_COMPILE], [
  AC_REQUIRE([HYLA_COMPILER])
  AS_CASE([$enable_shared:$lt_cv_prog_compiler_pic:$objdir],
    [yes:-fPIC*-DPIC:.libs], [hyla_objects=pic],
    [no:*:.libs], [hyla_objects=plain],
    [hyla_objects=])
  AS_IF([test -n "$hyla_objects"],
    [LIBTOOL='$(SHELL) $(top_srcdir)/m4/libtool-compile '"$hyla_objects '$hyla_wrapper' '$hyla_compiler'"' $(top_builddir)/libtool'])
])
