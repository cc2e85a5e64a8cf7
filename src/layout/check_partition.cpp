#include <string>

#include <wavegrid/base/error.hpp>
#include <wavegrid/layout/check_partition.hpp>

namespace wavegrid {

namespace {

[[noreturn]] void refuse(const std::string& what) { throw bad_input("the partition does not fit the sphere: " + what); }

void require_entries(const char* name, std::size_t found, const std::string& things, int expected) {
  if (found != static_cast<std::size_t>(expected))
    refuse(std::string(name) + " has " + std::to_string(found) + " entries; the sphere has " + things +
           std::to_string(expected));
}

/// `place`: of the owner; valid places are those below `end`, and -1 where there are no plane waves.
void require_place(const std::string& thing, int waves, const char* place, int found, int end) {
  if (found >= (waves > 0 ? 0 : -1) && found < end) return;
  const std::string where = std::string(place) + " " + std::to_string(found);
  refuse(thing + " with " + std::to_string(waves) + " plane waves belongs to " +
         (found == -1 ? "no " + std::string(place) : where) + "; valid: 0 to " + std::to_string(end - 1));
}

void require_row_of_plane(const Partition& partition, const StickCounts& counts, int stick) {
  const int owner = partition.stick_owner[static_cast<std::size_t>(stick)];
  const int row = partition.plane_row[static_cast<std::size_t>(stick / counts.ny)];
  if (owner < 0 || owner / partition.shape.columns == row) return;
  refuse(stick_name(stick, counts.ny) + " belongs to part " + std::to_string(owner) + " in process row " +
         std::to_string(owner / partition.shape.columns) + ", and its plane to row " + std::to_string(row) + "; the " +
         to_string(partition.scheme) + " scheme needs the same row");
}

}  // namespace

std::string stick_name(int address, int ny) {
  return "the stick (iy, iz) = (" + std::to_string(address % ny) + ", " + std::to_string(address / ny) + ")";
}

void check_partition(const Partition& partition, const StickCounts& counts) {
  require_fit(partition.scheme, partition.shape, partition.parts);
  require_entries("stick_owner", partition.stick_owner.size(),
                  "ny * nz = " + std::to_string(counts.ny) + " * " + std::to_string(counts.nz) + " = ",
                  counts.num_sticks());
  require_entries("plane_row", partition.plane_row.size(), "nz = ", counts.nz);
  const PlaneWeights weights = plane_weights(counts);
  for (int iz = 0; iz < counts.nz; ++iz)
    require_place("the plane iz = " + std::to_string(iz), weights.per_iz[static_cast<std::size_t>(iz)], "process row",
                  partition.plane_row[static_cast<std::size_t>(iz)], partition.shape.rows);
  for (int stick = 0; stick < counts.num_sticks(); ++stick) {
    const auto at = static_cast<std::size_t>(stick);
    if (counts.count[at] == 0 && partition.stick_owner[at] == -1) continue;
    require_place(stick_name(stick, counts.ny), counts.count[at], "part", partition.stick_owner[at], partition.parts);
    if (partition.rows_are_closed()) require_row_of_plane(partition, counts, stick);
  }
}

}  // namespace wavegrid
