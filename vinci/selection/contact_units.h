// SPDX-License-Identifier: Apache-2.0
// A problem of a stepper in the components of its forces: one unit per contact, support or element,
// with a normal row, where it has one, and rows along the axes of its tangent plane. Coulomb blocks
// are taken as they are; a pyramid of directions becomes one unit whose friction lies in a polygon.
#pragma once

#include <cmath>
#include <limits>
#include <numbers>
#include <span>
#include <vector>

#include "vinci/complementarity/problem.h"
#include "vinci/proofs/friction_sets.h"

namespace vinci {

struct ContactUnit {
  enum class Kind : char {
    fixed,   // w = 0, λ free
    scalar,  // lower <= λ <= upper
    cone,    // λ_n >= 0 and friction up to μ λ_n
    disk     // friction up to a known limit
  };
  Kind kind = Kind::scalar;
  int first = 0, count = 1;  // rows, the normal one first
  double limit = 0.0;        // μ, or the known limit
  double lower = 0.0, upper = std::numeric_limits<double>::infinity();
  int sides = 0;  // corners of the polygon that friction lies in; 0: a circle

  // Whether it is a contact: λ_n >= 0 along its first row.
  bool touches() const {
    return kind == Kind::cone || (kind == Kind::scalar && lower == 0.0 && std::isinf(upper));
  }
  int tangents() const { return kind == Kind::cone ? count - 1 : count; }
  int first_tangent() const { return kind == Kind::cone ? first + 1 : first; }
};

class ContactUnits {
 public:
  // Whether sets of four directions are squares around the circle that friction lies in, not within
  // it: their corners are √2 long.
  void take_boxes(bool boxes) { boxes_ = boxes; }
  // False where the problem has a law that no unit stands for. The problem is referred to.
  bool read(const ComplementarityProblem& problem);

  std::span<const ContactUnit> units() const { return units_; }
  bool has_pyramids() const { return pyramids_; }
  // The same problem with the rows of the units; its blocks are not those of polygons.
  const ComplementarityProblem& problem() const { return *form_; }
  // λ of the problem that was read, and that of the units.
  // The row that was read of a row of the units that is no tangent.
  int given_row(int row) const {
    return pyramids_ ? sources_[static_cast<std::size_t>(row)].row[0] : row;
  }
  void to_units(const VectorX& from, VectorX& to) const;
  // Per unit, the mean of numbers given per row that was read.
  void scales(const VectorX& rows, VectorX& units) const;
  // `w` and `scales` are those of the units: they give pyramids the speed of their slip.
  void from_units(const VectorX& from, const VectorX& w, const VectorX& scales, VectorX& to) const;

 private:
  struct Source {  // a row of the units from up to two rows of the problem that was read
    int count = 1;
    int row[2] = {};
    double factor[2] = {1.0, 0.0};
  };
  // Of the corners of a set's directions.
  double length(const FrictionSet& set) const {
    return boxes_ && set.count == 4 ? std::numbers::sqrt2 : 1.0;
  }
  bool add_block(const Block& block);
  void add_pyramid(const FrictionSet& set);
  void write_form();
  void write_row(const Source& source);
  void write_compliance(const Source& source);

  const ComplementarityProblem* given_ = nullptr;
  const ComplementarityProblem* form_ = nullptr;
  std::vector<ContactUnit> units_;
  std::vector<FrictionSet> sets_;
  std::vector<int> pyramid_of_;  // per unit: its set, or −1
  std::vector<Source> sources_;
  // Per row that was read: its part in rows of the units.
  struct Share {
    int count = 0;
    int row[2] = {};
    double factor[2] = {};
  };
  std::vector<Share> shares_;
  std::vector<double> sums_;
  std::vector<int> touched_;
  bool pyramids_ = false, boxes_ = false;
  ComplementarityProblem own_;
};

}  // namespace vinci
