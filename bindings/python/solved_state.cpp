#include "solved_state.hpp"

#include <nanobind/stl/array.h>

#include <complex>
#include <cstdint>

#include "arrays.hpp"

namespace nb = nanobind;
using namespace wavegrid;

namespace {

nb::object triples(const std::vector<Int3>& given) {
  std::vector<std::int32_t> values;
  values.reserve(3 * given.size());
  for (const Int3& triple : given) values.insert(values.end(), triple.begin(), triple.end());
  return make_array(std::move(values), {given.size(), 3});
}

nb::object components(const SpinFields& fields, std::size_t points) {
  std::vector<double> values;
  for (const FieldValues& field : fields) values.insert(values.end(), field.begin(), field.end());
  return make_array(std::move(values), {fields.size(), points});
}

}  // namespace

nb::dict session_fields(Session& session) {
  SolvedFields fields;
  {
    const nb::gil_scoped_release release;
    fields = session.fields();
  }
  nb::dict d;
  d["counts"] = nb::cast(fields.counts);
  d["points"] = triples(fields.points);
  d["density"] = components(fields.density, fields.points.size());
  d["kinetic_density"] = components(fields.kinetic_density, fields.points.size());
  d["potential"] = components(fields.potential, fields.points.size());
  return d;
}

nb::list session_bands(Session& session) {
  std::vector<SolvedBands> all;
  {
    const nb::gil_scoped_release release;
    all = session.bands();
  }
  nb::list list;
  for (SolvedBands& bands : all) {
    nb::dict d;
    d["k"] = bands.k;
    d["spin"] = bands.spin;
    d["kpoint"] = nb::cast(bands.kpoint);
    const std::size_t count = bands.eigenvalues.size();
    d["eigenvalues"] = make_array(std::move(bands.eigenvalues), {count});
    d["occupations"] = make_array(std::move(bands.occupations), {count});
    d["rows"] = triples(bands.rows);
    d["weights"] = make_array(std::move(bands.weights), {bands.rows.size()});
    d["coefficients"] = make_array(std::move(bands.coefficients), {count, bands.rows.size()});
    list.append(d);
  }
  return list;
}
