// SPDX-License-Identifier: Apache-2.0
// C++ memory as NumPy arrays, and back.
#include "python/core/core.h"
#include "vinci/recording/recording.h"

namespace vinci::python {

RowType& RowType::field(const char* name, const char* format, std::ptrdiff_t offset) {
  names_.append(name);
  formats_.append(py::dtype::from_args(py::str(format)));
  offsets_.append(offset);
  return *this;
}

py::dtype RowType::dtype() const {
  return py::dtype(names_, formats_, offsets_, static_cast<py::ssize_t>(size_));
}

py::array view(const py::dtype& type, std::vector<py::ssize_t> shape, const void* data,
               py::handle base, bool writable) {
  py::array array(type, std::move(shape), {}, data, base);
  if (!writable)
    py::detail::array_proxy(array.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return array;
}

py::array view(const VectorX& vector, py::handle base, bool writable) {
  return view(py::dtype::of<double>(), {vector.size()}, vector.data(), base, writable);
}

py::array copied(const VectorX& vector) {
  return py::array_t<double>(vector.size(), vector.data());
}

py::array copied(const Vector3& vector) {
  return py::array_t<double>(3, vector.data());
}

py::array copied(const Quaternion& rotation) {
  const double numbers[] = {rotation.w(), rotation.x(), rotation.y(), rotation.z()};
  return py::array_t<double>(4, numbers);
}

VectorX vector_of(const py::handle& object, const std::string& what) {
  using Doubles = py::array_t<double, py::array::c_style | py::array::forcecast>;
  const auto given = py::array::ensure(object);
  if (!given) PyErr_Clear();
  if (!given || std::string("biuf").find(given.dtype().kind()) == std::string::npos)
    throw Error("is not an array of real numbers", what);
  const auto array = Doubles::ensure(given);
  if (array.ndim() != 1)
    throw Error("has " + std::to_string(array.ndim()) + " dimensions; accepted: one", what);
  return Eigen::Map<const VectorX>(array.data(), array.size());
}

namespace {

// The fields of a contact in the order in which every table of contacts has them.
struct ContactFields {
  std::ptrdiff_t kind, key, bodies, point_a, point_b, normal, tangent_1, tangent_2, impulse,
      velocity, gap, friction, friction_2, patch_point, moment, turning;
};

py::dtype contact_type(std::size_t size, const ContactFields& at) {
  return RowType(size)
      .field("kind", "u4", at.kind)
      .field("key", "(4,)u4", at.key)
      .field("bodies", "(2,)i4", at.bodies)
      .field("point_a", "(3,)f8", at.point_a)
      .field("point_b", "(3,)f8", at.point_b)
      .field("normal", "(3,)f8", at.normal)
      .field("tangent_1", "(3,)f8", at.tangent_1)
      .field("tangent_2", "(3,)f8", at.tangent_2)
      .field("impulse", "(3,)f8", at.impulse)
      .field("velocity", "(3,)f8", at.velocity)
      .field("gap", "f8", at.gap)
      .field("friction", "f8", at.friction)
      .field("friction_2", "f8", at.friction_2)
      .field("patch_point", "i4", at.patch_point)
      .field("moment", "(3,)f8", at.moment)
      .field("turning", "(3,)f8", at.turning)
      .dtype();
}

}  // namespace

// The types live as long as the process: their arrays may outlive the module.
const py::dtype& solved_contact_type() {
  static const py::dtype* const type = [] {
    const SolvedContact s{};
    const auto at = [&](const auto& member) { return offset_in(s, member); };
    static_assert(sizeof(EntityKey) == 20 && sizeof(Vector3) == 24);
    return new py::dtype(contact_type(
        sizeof s,
        {at(s.contact.key.kind), at(s.contact.key.ids), at(s.contact.body_a), at(s.contact.point_a),
         at(s.contact.point_b), at(s.contact.normal), at(s.tangent_1), at(s.tangent_2),
         at(s.impulse), at(s.velocity), at(s.contact.gap), at(s.friction), at(s.friction_2),
         at(s.contact.patch_point), at(s.moment), at(s.turning)}));
  }();
  return *type;
}

const py::dtype& contact_row_type() {
  static const py::dtype* const type = [] {
    const ContactRow r{};
    const auto at = [&](const auto& member) { return offset_in(r, member); };
    return new py::dtype(contact_type(
        sizeof r,
        {at(r.key.kind), at(r.key.ids), at(r.body_a), at(r.point_a), at(r.point_b), at(r.normal),
         at(r.tangent_1), at(r.tangent_2), at(r.impulse), at(r.velocity), at(r.gap), at(r.friction),
         at(r.friction_2), at(r.patch_point), at(r.moment), at(r.turning)}));
  }();
  return *type;
}

}  // namespace vinci::python
