"""A water molecule in local orbitals, with ScaLAPACK on a 1 x P grid: 23 orbitals, and blocks so
small that each process of four has one, without which GPAW's own calls break off."""
from ase import Atoms
from gpaw import GPAW, LCAO
from gpaw.mpi import world

water = Atoms("OHH", [(3, 3, 3), (3.757, 3.586, 3), (2.243, 3.586, 3)], cell=(6, 6, 6))
grid = (1, world.size, min(8, 16 // world.size))
water.calc = GPAW(
    mode=LCAO(), basis="dzp", xc="PBE", h=0.25, txt=None, parallel={"sl_default": grid}
)
energy = water.get_potential_energy()
if world.rank == 0:
    print(f"energy {energy:.6f} eV")
