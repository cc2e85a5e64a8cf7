// The group /mf_header of a checkpoint: the header in the format of BerkeleyGW's wfn.h5, in Rydberg.
//
// Layout of wfn.h5: J. Deslippe et al., Comput. Phys. Commun. 183, 1269 (2012), 10.1016/j.cpc.2011.12.006, and the
// specification of that program's manual.
#pragma once

#include <span>
#include <vector>

#include <wavegrid/checkpoint/checkpoint_header.hpp>
#include <wavegrid/checkpoint/table.hpp>

namespace wavegrid {

/// All tables of /mf_header but gspace/components. `waves`: G-vectors of each k-point as they are stored. Pure.
[[nodiscard]] std::vector<Table> berkeleygw_tables(const CheckpointHeader& header, std::span<const Index> waves);

}  // namespace wavegrid
