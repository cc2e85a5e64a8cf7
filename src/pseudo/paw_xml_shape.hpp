// The shape functions of a PAW XML file: a formula or numbers.
#pragma once

#include <wavegrid/pseudo/augmented_dataset.hpp>
#include <wavegrid/pseudo/paw_xml_mesh.hpp>
#include <wavegrid/pseudo/radial_quadrature.hpp>
#include <wavegrid/pseudo/xml_element.hpp>

namespace wavegrid {

/// Those of L up to `largest`, on meshes.r(). Throws bad_input for an unknown type, parameters that make no sense, a
/// missing L, and functions of single pairs of states.
[[nodiscard]] ShapeFunctions read_paw_xml_shapes(const XmlElement& dataset, const PawXmlMeshes& meshes,
                                                 const RadialQuadrature& quadrature, int largest);

}  // namespace wavegrid
