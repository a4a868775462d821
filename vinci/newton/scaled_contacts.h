// SPDX-License-Identifier: Apache-2.0
// A problem of contacts between bodies in units of its own, laid out for the methods that touch all
// of it in every iteration: velocities in which M = 1, and per contact x and w in which the
// friction cone is the self-dual one and the mean diagonal of W is 1,
//
//   x = √s (μ λ_n, λ_t),  w = (w_n/μ, w_t)/√s,  v = Lᵀu with M = L Lᵀ.
//
// Rows of equalities are contacts of one row each, and so are normal rows without friction.
#pragma once

#include <cstdint>
#include <vector>

#include "vinci/complementarity/residual.h"
#include "vinci/linear/frontal_cholesky.h"

namespace vinci {

class ScaledContacts {
 public:
  enum class Kind : char { cone, ray, free };  // second-order cone, x >= 0, w = 0
  static constexpr int largest = 3;            // rows of a contact
  struct Contact {
    Kind kind = Kind::ray;
    int rows = 1;                  // of x and w that are kept
    int first = 0;                 // of them, in x
    int row = 0;                   // of the problem
    int piece = 0, piece_end = 0;  // in pieces()
    int panel = 0, width = 0;      // in the rows: rows × width
    int link = 0;                  // first of its links: (1, 0), (2, 0), (2, 1), ... of its pieces
    double friction = 0.0, root = 1.0;  // μ, √s
    double cosine = 1.0;                // of the cone's half angle
    double unit(int i) const { return kind == Kind::cone && i == 0 ? friction * root : root; }
  };

  // False where it has other laws, a C that couples rows, or a mass matrix that is not symmetric,
  // positive and by blocks. The judge is prepared for the problem.
  bool read(const ComplementarityProblem& problem, const Judge& judge);

  const std::vector<Contact>& contacts() const { return contacts_; }
  int rows() const { return row_count_; }
  int unknowns() const { return starts_.back(); }
  int cones() const { return cones_; }                       // contacts that are not free
  const VectorX& free_velocity() const { return free_; }     // of p alone
  const VectorX& bias() const { return bias_; }              // b
  const VectorX& compliance() const { return compliance_; }  // diagonal of C
  double compliance_unit(const Contact& contact, int i) const {
    return 1.0 / (contact.unit(i) * contact.unit(i));
  }

  void velocities(const VectorX& v, VectorX& w) const;    // w = J v
  void add_impulses(const VectorX& x, VectorX& v) const;  // v += Jᵀ x
  // 1 + Jᵀ E J, E symmetric and given contact after contact; factored. False where that fails.
  bool factor(const std::vector<double>& E);
  void solve(VectorX& v) { matrix_.solve(v.data()); }

  void load(const VectorX& lambda, VectorX& x) const;
  void store(const VectorX& x, VectorX& lambda) const;
  // √Σ of the squares of the judge's natural map, in the unit of w of the problem.
  double distance(const VectorX& x, const VectorX& w) const;

 private:
  struct Piece {
    int body = 0, first = 0, size = 0;  // its velocities
  };
  void find_bodies(const ComplementarityProblem& problem, const MassFactor& mass);
  bool read_mass(const ComplementarityProblem& problem, const Judge& judge);
  bool read_block(const ComplementarityProblem& problem, const Judge& judge, const Block& block);
  bool add_contact(const ComplementarityProblem& problem, Contact contact);
  void gather_panel(const ComplementarityProblem& problem, const Contact& contact);
  void find_links();

  std::vector<Contact> contacts_;
  std::vector<Piece> pieces_;
  std::vector<int> starts_, links_, body_, place_;  // per body; contact; unknown
  std::vector<std::uint64_t> signature_;
  std::vector<double> panel_, roots_, product_;
  std::vector<int> root_starts_, seen_;
  std::vector<FrontalCholesky::Link> pairs_, graph_;
  VectorX free_, bias_, compliance_;
  int row_count_ = 0, cones_ = 0;
  FrontalCholesky matrix_;
};

}  // namespace vinci
