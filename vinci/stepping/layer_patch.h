// SPDX-License-Identifier: Apache-2.0
// The patches in which two bodies touch through layers, and what the layers hold.
//
// A patch is what two bodies have in common where their contacts face one way. Stiffness belongs to
// it, not to its points: a massless plate on springs, with the layer's stiffness k against being
// pressed in, k_t along the surface, and k ρ² against tilting, ρ² the mean square distance of the
// ends of the patch from its middle. Points are where the plate bears on the body, so their number
// does not matter. With several points for a contact (PatchPoints) each of them has a spring of its
// own instead, a share of the patch.
//
// In space the ends are the corners of the hull of its points (layer_axes.h). The plate has two
// tilts, along the principal axes of the ends, with k ρ₁² and k ρ₂², and a twist about its normal
// with k_t (ρ₁² + ρ₂²). In the plane axis 1 is the tangent, and there is nothing along axis 2.
//
// What the layers hold never comes from nothing: a patch may take over what its records in the
// memory hold, what the points hold that its pair of bodies has left, and what the step has taken
// out of its bodies (docs/theory/song_pang_kumar.md).
#pragma once

#include <span>
#include <vector>

#include "vinci/collision/contact.h"
#include "vinci/stepping/compliance.h"
#include "vinci/stepping/layer_axes.h"

namespace vinci {

// How far points of a patch may be open, over their distance from its deepest one.
inline constexpr double max_patch_slope = 0.05;

// Deformation of a layer: that of a plate, along its normal and axes.
struct Plate {
  Vector3 shift = Vector3::Zero();  // pressed in, along axis 1 and axis 2, m
  Vector3 turn = Vector3::Zero();   // twist about the normal, tilt along axis 1 and axis 2, rad

  Plate& operator+=(const Plate& other) {
    shift += other.shift;
    turn += other.turn;
    return *this;
  }
  Plate& operator*=(double factor) {
    shift *= factor;
    turn *= factor;
    return *this;
  }
};
struct LayerNode {
  Plate a, b;
};

// A contact, or one of the points that stand for it.
struct PatchSite {
  Contact contact;  // in space its points are moved by `lift`
  // Along the line between both surfaces, to where forces act: in one plane with those of the other
  // points of the patch. A body that tilts in its layer would else slip at points that lie deeper.
  Vector3 lift = Vector3::Zero();
  int patch = 0;
  bool implied = false;  // by its neighbours in the patch: it lies between them, and no deeper
  Vector2 place = Vector2::Zero();         // m along the axes from the middle of the patch
  Matrix2 tangents = Matrix2::Identity();  // to its tangents, from the axes of the patch
  double share = 0.0;                      // of the stiffness
  Vector3 impulse = Vector3::Zero();       // N s, of the last step
  double sliding = 0.0;                    // as ImpulseMemory has it
  int row = -1;                            // its contact in the set of the step; −1: it has none
};

struct LayerPatch {
  int body_a = 0, body_b = 0;
  int payer = 0;                     // of these one that moves
  EntityKey key;                     // of its deepest contact
  std::optional<Layer> a, b;         // means over the shares
  Vector2 spread = Vector2::Zero();  // ρ² along the axes, m²; 0: it cannot tilt
  double polar = 0.0;                // in space: their sum; 0: it cannot twist
  double share = 1.0;                // of a contact with points of its own
  int first = 0, count = 0;          // its members
  int node = 0, nodes = 1;           // its deformations
  Vector3 middle = Vector3::Zero();  // world
  ContactFrame frame;                // world: its normal and axes
  double energy = 0.0;               // J, that its records in the memory hold
  bool known = false;                // it has records

  const std::optional<Layer>& layer(int side) const { return side == 0 ? a : b; }
};

// The layers of a patch in a step.
struct PatchYield {
  LayerStep a, b;
  Matrix2 block = Matrix2::Zero();  // of both, m/s for each N s
  Vector2 tilt = Vector2::Zero();   // the same against being tilted along the axes
  double twist = 0.0;               // and twisted
};

// Of the springs on b: along normal and axes, N, and the moments of Plate::turn, N m.
struct PatchForce {
  Vector3 force = Vector3::Zero(), moment = Vector3::Zero();
};

// The layers of a pair of materials.
struct LayerPair {
  const std::optional<Layer>*a, *b;
  bool rigid() const { return !*a && !*b; }
};
LayerPair layers_of(const Model& model, const EntityKey& key);
bool is_soft(const Model& model, const EntityKey& key);
// How far the layers of a contact can be pressed in, m.
double layer_depth(const Model& model, const EntityKey& key);

class LayerPatches {
 public:
  explicit LayerPatches(const PatchPoints& points) : points_(points) {}

  // The patches of these contacts, among which may be rigid ones.
  void arrange(const Model& model, std::span<const Pose> poses, const ContactSet& contacts);
  // Their deformations as the memory has them. `turned`, of bodies in space: by how much they have
  // turned since it was written, rotation vectors; none: not at all.
  void recall(const Model& model, const Memory& memory, std::span<const Vector3> turned = {});
  // Takes back what patches have more than their records hold.
  void hold();
  // Presses patches that are not known in as far as their bodies overlap; not where these are
  // deeper in each other than their layers are.
  void press_in(const Model& model);
  // Brings the deformations of loaded patches in line with the overlaps where bodies are now. What
  // they need more than they have is taken from the `budget` of their bodies, J per body.
  void settle(std::span<double> budget);
  // One step of h seconds with the impulses of the sites; what implicit steps lose of the energy of
  // layers is added to the `lost` of a body.
  void deform(double h, std::span<double> lost);
  // Replaces what the memory knows of layers and of impulses at soft contacts.
  void store(const Model& model, double h, Memory& memory);

  std::span<const LayerPatch> patches() const { return patches_; }
  std::span<PatchSite> sites() { return sites_; }  // by key and point
  std::span<const PatchSite> sites() const { return sites_; }
  std::span<const int> members(const LayerPatch& patch) const {  // sites of a patch
    return std::span(members_).subspan(static_cast<std::size_t>(patch.first),
                                       static_cast<std::size_t>(patch.count));
  }
  // The site of a contact of the set, or −1.
  int find(const Contact& contact) const;
  // Deformation of a layer (0: a, 1: b) at a site: along normal, tangent 1 and tangent 2, m.
  Vector3 at(const PatchSite& site, int side) const;
  // Sum of both layers along the normal, m.
  double pressed(const PatchSite& site) const;
  // What the springs of a layer bear.
  PatchForce spring_force(const LayerPatch& patch, int side) const;
  // What a patch holds, J.
  double energy(const LayerPatch& patch) const;
  // How its sites yield in a step of h seconds.
  PatchYield yield(const LayerPatch& patch, double h) const;
  // Of site i to an impulse at site j, m/s for each N s.
  Matrix3 compliance(const LayerPatch& patch, const PatchYield& yield, int i, int j) const;
  // How fast a site recovers by itself, m/s.
  Vector3 recovery(const PatchYield& yield, const PatchSite& site) const;
  bool couples(const LayerPatch& patch) const { return patch.nodes == 1 || points_.coupled(); }

 private:
  using Nodes = std::vector<LayerNode>;
  struct Range {
    int first = 0, count = 0;
  };
  void add_sites(const Model& model, std::span<const Pose> poses, const ContactSet& contacts);
  double nearness(const ContactFrame& frame, const ContactSet& contacts,
                  const Contact& other) const;
  void add_plate(const Model& model, const ContactSet& contacts);
  void share_row(const Model& model, const LayerPatch& patch);
  void share_hull(const Model& model, const LayerPatch& patch);
  void imply_within(const Model& model, std::span<const int> all, std::span<const int> corners);
  bool alike(const Model& model, int i, int j) const;
  void turn_to_principal_axes(LayerPatch& patch);
  void level(const LayerPatch& patch, const Contact& leader);
  void imply(const Model& model, std::span<const int> row);
  void add_points(const Model& model, const ContactSet& contacts);
  LayerPatch& new_patch(const Model& model, const Contact& leader);
  void recall_patch(const Memory& memory, LayerPatch& patch);
  Plate plate_of(const LayerMemory& record, int side, const LayerPatch& patch,
                 const Vector2& place) const;
  LayerMemory record_of(const LayerPatch& patch, const PatchSite& site) const;
  double energy(const LayerPatch& patch, const Nodes& nodes) const;
  double bilinear(const LayerPatch& patch, const Nodes& x, const Nodes& y) const;
  void admit(LayerPatch& patch, double most);
  bool correction(const LayerPatch& patch, Nodes& change) const;
  double take_left(const LayerPatch& patch);
  LayerNode inherited(const LayerPatch& patch) const;
  void press(const LayerPatch& patch, int side, const LayerStep& step, const PatchSite& site);
  bool lives(const LayerPatch& patch) const;
  void store_patch(const LayerPatch& patch, Memory& memory) const;

  const PatchPoints& points_;
  std::vector<PatchSite> sites_;
  std::vector<LayerPatch> patches_;  // by bodies
  std::vector<int> members_;
  Nodes nodes_;
  struct Left {  // a record of a contact that is not there any more
    LayerMemory record;
    int body_a = 0, body_b = 0;
    bool loaded = false;
  };
  std::vector<Left> left_;
  World world_ = World::planar;

  // Workspace.
  std::vector<int> order_, group_;  // of contacts
  std::vector<int> hull_;           // of sites
  std::vector<double> near_;        // parallel to group_
  std::vector<char> taken_;         // per contact; then per record of the memory
  std::vector<Range> sites_of_;     // per contact
  Nodes change_, sum_;
  std::vector<Left> gone_;            // of a pair of bodies: what its patches may take over
  std::vector<LayerMemory> records_;  // of the memory, carried along with the bodies
  std::vector<Vector2> places_;       // of the members of a patch
  std::vector<double> shares_;
  PatchEnds ends_;
  ContactSet expanded_;
};

}  // namespace vinci
