// SPDX-License-Identifier: Apache-2.0
// States of contacts (held, free) and of slips (at rest, sliding): a mode of them makes P the
// solution of equations, linear but for slips in two directions, where Newton's method is used.
// First what does not fit is changed one by one, then all modes are tried in a fixed order.
#include "vinci/hybrid/jam_impulse.h"

#include <algorithm>
#include <cstdint>

#include <Eigen/Dense>

namespace vinci {
namespace {

constexpr std::int64_t most_modes = 4096;
constexpr int most_rounds = 20;  // of Newton's method
// A slip that turns ends where it is no longer drawn in, by so much of S_nn: a force is finite
// there.
constexpr double least_lift = 1e-8;
constexpr double same_impulses = 1e-11;

// Directions that are tried.
const Vector2 all_around[] = {{1, 0},  {2, 1},   {1, 2},   {0, 1},  {-1, 2}, {-2, 1},
                              {-1, 0}, {-2, -1}, {-1, -2}, {0, -1}, {1, -2}, {2, -1}};

enum class Now { rests, slides, slides_back };

struct Mode {
  std::vector<bool> held;  // by contact
  std::vector<Now> slips;
  bool operator==(const Mode&) const = default;
};

class Search {
 public:
  explicit Search(const JamProblem& problem) : problem_(problem) {
    fastest_ = 0.0;
    for (const JamProblem::Slip& slip : problem.slips)
      fastest_ = std::max(fastest_, now(slip).norm());
  }
  std::optional<VectorX> find();

 private:
  VectorX now(const JamProblem::Slip& slip) const {
    return problem_.rates.segment(slip.first, slip.count);
  }
  VectorX after(const JamProblem::Slip& slip) const {
    return now(slip) + problem_.mobility.middleRows(slip.first, slip.count) * impulses_;
  }
  int choices(const JamProblem::Slip& slip) const {
    return slip.never_slides ? 1 : slip.count == 2 ? 2 : 3;
  }
  // Along which it slides, of one direction: that of the slip, or of what would come to rest the
  // way it is pushed.
  double along(const JamProblem::Slip& slip, Now state) const {
    const double sign = problem_.rates[slip.first] < 0.0 ? -1.0 : 1.0;
    return state == Now::slides ? sign : -sign;
  }
  bool solve(const Mode& mode);
  bool refine(const Mode& mode);
  bool newton(const Mode& mode, const VectorX& all, const Vector2& direction);
  bool slides_across(const Mode& mode, std::size_t i) const {
    const JamProblem::Slip& slip = problem_.slips[i];
    return slip.count == 2 && mode.slips[i] != Now::rests &&
           mode.held[static_cast<std::size_t>(slip.contact)];
  }
  void rows(const Mode& mode, const VectorX& impulses, VectorX& left, MatrixX& slope) const;
  bool mend(Mode& mode) const;
  bool gives() const { return impulses_.lpNorm<Eigen::Infinity>() > 0.0 && fastest_ > 0.0; }

  const JamProblem& problem_;
  VectorX impulses_;
  double fastest_ = 0.0;
};

// What has to be zero, and how it changes with the impulses.
void Search::rows(const Mode& mode, const VectorX& impulses, VectorX& left, MatrixX& slope) const {
  const MatrixX& S = problem_.mobility;
  left = impulses;
  slope.setIdentity(S.rows(), S.cols());
  for (std::size_t c = 0; c < problem_.normals.size(); ++c) {
    if (!mode.held[c]) continue;
    const int row = problem_.normals[c];
    slope.row(row) = S.row(row);
    left[row] = S.row(row).dot(impulses);
  }
  for (std::size_t i = 0; i < problem_.slips.size(); ++i) {
    const JamProblem::Slip& slip = problem_.slips[i];
    const int normal = problem_.normals[static_cast<std::size_t>(slip.contact)];
    if (!mode.held[static_cast<std::size_t>(slip.contact)]) continue;
    const MatrixX own = S.middleRows(slip.first, slip.count);
    const VectorX rate = now(slip) + own * impulses;
    if (mode.slips[i] == Now::rests) {
      slope.middleRows(slip.first, slip.count) = own;
      left.segment(slip.first, slip.count) = rate;
    } else if (slip.count == 1) {
      const double share = slip.friction * along(slip, mode.slips[i]);
      slope(slip.first, normal) = share;
      left[slip.first] += share * impulses[normal];
    }
  }
}

// The impulses of a mode; false where it asks for what cannot be had together.
bool Search::solve(const Mode& mode) {
  const auto size = problem_.mobility.rows();
  Mode start = mode;
  bool curved = false;
  for (std::size_t i = 0; i < problem_.slips.size(); ++i)
    if (slides_across(mode, i)) {
      start.slips[i] = Now::rests;
      curved = true;
    }
  VectorX left;
  MatrixX slope;
  rows(start, VectorX::Zero(size), left, slope);
  Eigen::CompleteOrthogonalDecomposition<MatrixX> factors(slope);
  factors.setThreshold(same_impulses);
  impulses_ = -factors.solve(left);
  if (curved) return refine(mode);
  const VectorX missed = slope * impulses_ + left;
  return missed.lpNorm<Eigen::Infinity>() <= problem_.negligible * left.lpNorm<Eigen::Infinity>();
}

// Slips in two directions, from what rubs along directions all around.
bool Search::refine(const Mode& mode) {
  const VectorX all = impulses_;
  for (const Vector2& direction : all_around)
    if (newton(mode, all, direction.normalized())) return true;
  return false;
}

// Beside P the unknowns of a slip that slides in two directions are d and σ of
//   Pₜ + μ Pₙ d = 0,   s⁺ − σ d = 0,   d·d = 1.
bool Search::newton(const Mode& mode, const VectorX& all, const Vector2& direction) {
  const auto size = all.size();
  const double most = all.lpNorm<Eigen::Infinity>();
  std::vector<std::size_t> curved;
  for (std::size_t i = 0; i < problem_.slips.size(); ++i)
    if (slides_across(mode, i)) curved.push_back(i);
  const auto more = 3 * static_cast<Eigen::Index>(curved.size());
  VectorX unknowns(size + more), left(size + more);
  unknowns.head(size) = all;
  for (std::size_t k = 0; k < curved.size(); ++k) {
    const JamProblem::Slip& slip = problem_.slips[curved[k]];
    const int normal = problem_.normals[static_cast<std::size_t>(slip.contact)];
    unknowns[normal] = std::abs(all[normal]);
    unknowns.segment<2>(slip.first) = -slip.friction * unknowns[normal] * direction;
    unknowns.segment<2>(size + 3 * static_cast<Eigen::Index>(k)) = direction;
    unknowns[size + 3 * static_cast<Eigen::Index>(k) + 2] = now(slip).norm();
  }
  MatrixX slope(size + more, size + more);
  for (int round = 0; round < most_rounds; ++round) {
    VectorX plain;
    MatrixX own;
    rows(mode, unknowns.head(size), plain, own);
    slope.setZero();
    slope.topLeftCorner(size, size) = own;
    left.head(size) = plain;
    for (const std::size_t i : curved) {
      const int normal = problem_.normals[static_cast<std::size_t>(problem_.slips[i].contact)];
      const double lift = least_lift * problem_.mobility(normal, normal);
      slope(normal, normal) -= lift;
      left[normal] -= lift * unknowns[normal];
    }
    for (std::size_t k = 0; k < curved.size(); ++k) {
      const JamProblem::Slip& slip = problem_.slips[curved[k]];
      const int normal = problem_.normals[static_cast<std::size_t>(slip.contact)];
      const Eigen::Index at = size + 3 * static_cast<Eigen::Index>(k);
      const Vector2 d = unknowns.segment<2>(at);
      const double push = slip.friction * unknowns[normal], speed = unknowns[at + 2];
      left.segment<2>(slip.first) = unknowns.segment<2>(slip.first) + push * d;
      slope.block<2, 1>(slip.first, normal) = slip.friction * d;
      slope.block<2, 2>(slip.first, at).diagonal().setConstant(push);
      left.segment<2>(at) =
          now(slip) + problem_.mobility.middleRows(slip.first, 2) * unknowns.head(size) - speed * d;
      slope.block(at, 0, 2, size) = problem_.mobility.middleRows(slip.first, 2);
      slope.block<2, 2>(at, at).diagonal().setConstant(-speed);
      slope.block<2, 1>(at, at + 2) = -d;
      left[at + 2] = d.squaredNorm() - 1.0;
      slope.block<1, 2>(at + 2, at) = 2.0 * d.transpose();
    }
    const VectorX change = -Eigen::FullPivLU<MatrixX>(slope).solve(left);
    if (!change.allFinite()) return false;
    unknowns += change;
    if (change.lpNorm<Eigen::Infinity>() > same_impulses * unknowns.lpNorm<Eigen::Infinity>())
      continue;
    impulses_ = unknowns.head(size);
    if (left.lpNorm<Eigen::Infinity>() > problem_.negligible * (most + fastest_)) return false;
    Mode same = mode;
    return impulses_.lpNorm<Eigen::Infinity>() > problem_.negligible * most && !mend(same);
  }
  return false;
}

// Changes the first that does not fit; false where all do.
bool Search::mend(Mode& mode) const {
  const double rounding = problem_.negligible * impulses_.lpNorm<Eigen::Infinity>();
  const VectorX changes = problem_.mobility * impulses_;
  for (std::size_t c = 0; c < problem_.normals.size(); ++c) {
    const int row = problem_.normals[c];
    const double least =
        -problem_.negligible * problem_.mobility.row(row).cwiseAbs().dot(impulses_.cwiseAbs());
    if (mode.held[c] ? impulses_[row] >= -rounding : changes[row] >= least) continue;
    mode.held[c] = !mode.held[c];
    return true;
  }
  for (std::size_t i = 0; i < problem_.slips.size(); ++i) {
    const JamProblem::Slip& slip = problem_.slips[i];
    if (slip.never_slides || !mode.held[static_cast<std::size_t>(slip.contact)]) continue;
    const VectorX rub = impulses_.segment(slip.first, slip.count);
    const double normal = impulses_[problem_.normals[static_cast<std::size_t>(slip.contact)]];
    if (mode.slips[i] == Now::rests) {
      if (rub.norm() <= slip.friction * normal + rounding) continue;
      mode.slips[i] = slip.count == 2 || rub[0] * along(slip, Now::slides) < 0.0 ? Now::slides
                                                                                 : Now::slides_back;
      return true;
    }
    // It slides the way that it is rubbed against.
    const VectorX rate = after(slip);
    const double way = slip.count == 2 ? -rub.dot(rate) : rate[0] * along(slip, mode.slips[i]);
    if (way >= -problem_.negligible * (slip.count == 2 ? rub.norm() : 1.0) * fastest_) continue;
    mode.slips[i] = Now::rests;
    return true;
  }
  return false;
}

std::optional<VectorX> Search::find() {
  Mode mode{std::vector<bool>(problem_.normals.size(), true),
            std::vector<Now>(problem_.slips.size(), Now::rests)};
  std::vector<Mode> visited;
  while (std::find(visited.begin(), visited.end(), mode) == visited.end()) {
    visited.push_back(mode);
    if (!solve(mode)) break;
    if (!mend(mode)) {
      if (gives()) return impulses_;
      break;
    }
  }
  std::int64_t modes = 1;
  for (std::size_t c = 0; c < problem_.normals.size(); ++c) modes = std::min(most_modes, 2 * modes);
  for (const JamProblem::Slip& slip : problem_.slips)
    modes = std::min(most_modes, choices(slip) * modes);
  for (std::int64_t number = 0; number < modes; ++number) {
    std::int64_t rest = number;
    for (std::size_t i = 0; i < problem_.slips.size(); ++i) {
      mode.slips[i] = static_cast<Now>(rest % choices(problem_.slips[i]));
      rest /= choices(problem_.slips[i]);
    }
    for (std::size_t c = 0; c < problem_.normals.size(); ++c) {
      mode.held[c] = rest % 2 == 0;
      rest /= 2;
    }
    if (Mode same = mode; solve(mode) && !mend(same) && gives()) return impulses_;
  }
  return {};
}

}  // namespace

std::optional<VectorX> jam_impulse(const JamProblem& problem) {
  if (problem.normals.empty()) return {};
  return Search(problem).find();
}

}  // namespace vinci
