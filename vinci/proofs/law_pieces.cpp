// SPDX-License-Identifier: Apache-2.0
#include "vinci/proofs/law_pieces.h"

#include <cmath>

#include <fmt/format.h>

#include "vinci/base/error.h"

namespace vinci {

namespace {

using Conditions = std::vector<PieceCondition>;
// Of the direction of sliding in space; each has a start of Newton's method in its middle.
constexpr int sectors = 8;

PieceCondition::Term lambda(int row, double factor = 1.0) {
  return {row, false, factor};
}
PieceCondition::Term w(int row, double factor = 1.0) {
  return {row, true, factor};
}
PieceCondition zero(std::vector<PieceCondition::Term> terms, double constant = 0.0) {
  return {std::move(terms), constant, true};
}
PieceCondition positive(std::vector<PieceCondition::Term> terms, double constant = 0.0) {
  return {std::move(terms), constant, false};
}

bool has_normal(const Block& block) {
  return block.law == Law::coulomb || block.law == Law::second_order;
}
bool is_round(const Block& block) {
  if (has_normal(block)) return block.size == 3 && block.friction > 0.0;
  return block.law == Law::ball && block.size == 2 && block.upper > 0.0 &&
         std::isfinite(block.upper);
}

std::vector<LawPiece> box_pieces(int row, double low, double high) {
  if (low == high) return {{BlockMode::lower, {zero({lambda(row)}, -low)}}};
  std::vector<LawPiece> pieces;
  LawPiece inside{BlockMode::inside, {zero({w(row)})}};
  if (std::isfinite(low)) {
    pieces.push_back({BlockMode::lower, {zero({lambda(row)}, -low), positive({w(row)})}});
    inside.conditions.push_back(positive({lambda(row)}, -low));
  }
  if (std::isfinite(high)) {
    pieces.push_back({BlockMode::upper, {zero({lambda(row)}, -high), positive({w(row, -1.0)})}});
    inside.conditions.push_back(positive({lambda(row, -1.0)}, high));
  }
  pieces.push_back(inside);
  return pieces;
}

Conditions box_hull(int row, double low, double high) {
  Conditions hull;
  if (std::isfinite(low)) hull.push_back(positive({lambda(row)}, -low));
  if (std::isfinite(high)) hull.push_back(positive({lambda(row, -1.0)}, high));
  if (std::isinf(low)) hull.push_back(std::isinf(high) ? zero({w(row)}) : positive({w(row, -1.0)}));
  if (std::isinf(high) && std::isfinite(low)) hull.push_back(positive({w(row)}));
  return hull;
}

// No friction: λ_t = 0 and the normal row alone.
std::vector<LawPiece> frictionless_pieces(const Block& block) {
  Conditions off;
  for (int i = 1; i < block.size; ++i) off.push_back(zero({lambda(block.offset + i)}));
  LawPiece open{BlockMode::open, off}, closed{BlockMode::slide, off};
  open.conditions.push_back(zero({lambda(block.offset)}));
  open.conditions.push_back(positive({w(block.offset)}));
  closed.conditions.push_back(zero({w(block.offset)}));
  closed.conditions.push_back(positive({lambda(block.offset)}));
  return {open, closed};
}

std::vector<LawPiece> planar_pieces(const Block& block) {
  const int n = block.offset, t = n + 1;
  const double mu = block.friction;
  if (block.law == Law::coulomb) {
    const auto slide = [&](double sign) {
      return LawPiece{BlockMode::slide,
                      {zero({w(n)}), zero({lambda(t), lambda(n, sign * mu)}),
                       positive({w(t, sign)}), positive({lambda(n)})}};
    };
    return {{BlockMode::open, {zero({lambda(n)}), zero({lambda(t)}), positive({w(n)})}},
            {BlockMode::stick,
             {zero({w(n)}), zero({w(t)}), positive({lambda(n, mu), lambda(t)}),
              positive({lambda(n, mu), lambda(t, -1.0)})}},
            slide(1.0),
            slide(-1.0)};
  }
  // Two edges: μ λ_n ± λ_t >= 0 ⟂ w_n ± μ w_t >= 0.
  const auto edge = [&](double sign) { return std::vector{lambda(n, mu), lambda(t, sign)}; };
  const auto rate = [&](double sign) { return std::vector{w(n), w(t, sign * mu)}; };
  return {
      {BlockMode::open,
       {zero({lambda(n)}), zero({lambda(t)}), positive(rate(1.0)), positive(rate(-1.0))}},
      {BlockMode::stick, {zero({w(n)}), zero({w(t)}), positive(edge(1.0)), positive(edge(-1.0))}},
      {BlockMode::slide,
       {zero(edge(1.0)), positive(rate(1.0)), zero(rate(-1.0)), positive(edge(-1.0))}},
      {BlockMode::slide,
       {zero(edge(-1.0)), positive(rate(-1.0)), zero(rate(1.0)), positive(edge(1.0))}}};
}

// The sector of half width h about angle a: w_t and −λ_t lie in it, λ_t beyond its chord.
LawPiece sector_piece(const Block& block, int number) {
  const double half = M_PI / sectors, middle = 2.0 * half * number;
  const int t = has_normal(block) ? block.offset + 1 : block.offset;
  LawPiece piece{BlockMode::slide, {}};
  piece.is_bent = true;
  piece.direction = middle;
  for (const double side : {-1.0, 1.0}) {
    const double angle = middle + side * half, x = std::cos(angle), y = std::sin(angle);
    piece.conditions.push_back(positive({w(t, side * y), w(t + 1, -side * x)}));
    piece.conditions.push_back(positive({lambda(t, -side * y), lambda(t + 1, side * x)}));
    piece.conditions.push_back(tangent_plane(block, angle + M_PI));
  }
  const double x = std::cos(middle), y = std::sin(middle), chord = std::cos(half);
  PieceCondition beyond = positive({lambda(t, -x), lambda(t + 1, -y)});
  if (has_normal(block)) {
    const int n = block.offset;
    beyond.terms.push_back(lambda(n, -block.friction * chord));
    piece.conditions.push_back(positive({lambda(n)}));
    if (block.law == Law::coulomb) {
      piece.conditions.push_back(zero({w(n)}));
    } else {  // w_n = μ |w_t|, between the chord and the tangent
      const double mu = block.friction;
      piece.conditions.push_back(positive({w(n), w(t, -mu * x), w(t + 1, -mu * y)}));
      piece.conditions.push_back(
          positive({w(n, -1.0), w(t, mu * x / chord), w(t + 1, mu * y / chord)}));
    }
  } else {
    beyond.constant = -block.upper * chord;
  }
  piece.conditions.push_back(beyond);
  piece.conditions.push_back(tangent_plane(block, middle + M_PI));
  return piece;
}

std::vector<LawPiece> round_pieces(const Block& block) {
  std::vector<LawPiece> pieces;
  if (has_normal(block)) {
    LawPiece open{BlockMode::open, {}};
    for (int i = 0; i < 3; ++i) open.conditions.push_back(zero({lambda(block.offset + i)}));
    for (const PieceCondition& condition : law_hull(block))
      if (condition.terms.front().of_w) open.conditions.push_back(condition);
    pieces.push_back(open);
  }
  LawPiece stick{BlockMode::stick, {}};
  stick.is_round = true;
  for (int i = 0; i < block.size; ++i) stick.conditions.push_back(zero({w(block.offset + i)}));
  for (int k = 0; k < sectors; ++k)
    stick.conditions.push_back(tangent_plane(block, 2.0 * M_PI * k / sectors));
  if (has_normal(block)) stick.conditions.push_back(positive({lambda(block.offset)}));
  pieces.push_back(stick);
  for (int k = 0; k < sectors; ++k) pieces.push_back(sector_piece(block, k));
  return pieces;
}

[[noreturn]] void refuse(const Block& block) {
  throw Error(fmt::format("all solutions: the {} block at row {} has no pieces to enumerate",
                          to_string(block.law), block.offset));
}

}  // namespace

const char* to_string(BlockMode mode) {
  switch (mode) {
    case BlockMode::held:
      return "held";
    case BlockMode::open:
      return "open";
    case BlockMode::closed:
      return "closed";
    case BlockMode::lower:
      return "lower";
    case BlockMode::inside:
      return "inside";
    case BlockMode::upper:
      return "upper";
    case BlockMode::stick:
      return "stick";
    case BlockMode::slide:
      return "slide";
  }
  return "";
}

PieceCondition tangent_plane(const Block& block, double angle) {
  const int t = has_normal(block) ? block.offset + 1 : block.offset;
  PieceCondition plane = positive({lambda(t, -std::cos(angle)), lambda(t + 1, -std::sin(angle))});
  if (has_normal(block))
    plane.terms.push_back(lambda(block.offset, block.friction));
  else
    plane.constant = block.upper;
  return plane;
}

std::vector<LawPiece> law_pieces(const Block& block) {
  const int row = block.offset;
  switch (block.law) {
    case Law::equality: {
      LawPiece held{BlockMode::held, {}};
      for (int i = 0; i < block.size; ++i) held.conditions.push_back(zero({w(row + i)}));
      return {held};
    }
    case Law::nonnegative:
      return {{BlockMode::open, {zero({lambda(row)}), positive({w(row)})}},
              {BlockMode::closed, {zero({w(row)}), positive({lambda(row)})}}};
    case Law::box:
      return box_pieces(row, block.lower, block.upper);
    case Law::ball: {
      if (is_round(block)) return round_pieces(block);
      if (block.size == 1 && std::isfinite(block.upper) && block.upper > 0.0) {
        std::vector<LawPiece> pieces = box_pieces(row, -block.upper, block.upper);
        for (LawPiece& piece : pieces)
          piece.mode = piece.mode == BlockMode::inside ? BlockMode::stick : BlockMode::slide;
        return pieces;
      }
      LawPiece only{block.upper == 0.0 ? BlockMode::slide : BlockMode::stick, {}};
      for (int i = 0; i < block.size; ++i)
        only.conditions.push_back(block.upper == 0.0 ? zero({lambda(row + i)})
                                                     : zero({w(row + i)}));
      return {only};
    }
    case Law::coulomb:
    case Law::second_order:
      if (block.friction == 0.0) return frictionless_pieces(block);
      return block.size == 2 ? planar_pieces(block) : round_pieces(block);
    default:
      refuse(block);
  }
}

std::vector<PieceCondition> law_hull(const Block& block) {
  const int n = block.offset, t = n + 1;
  Conditions hull;
  switch (block.law) {
    case Law::equality:
      for (int i = 0; i < block.size; ++i) hull.push_back(zero({w(n + i)}));
      return hull;
    case Law::nonnegative:
      return {positive({lambda(n)}), positive({w(n)})};
    case Law::box:
      return box_hull(n, block.lower, block.upper);
    case Law::ball:
      if (block.size == 1) return box_hull(n, -block.upper, block.upper);
      if (std::isinf(block.upper)) return {zero({w(n)}), zero({w(t)})};
      for (int k = 0; k < sectors; ++k)
        hull.push_back(tangent_plane(block, 2.0 * M_PI * k / sectors));
      return hull;
    case Law::coulomb:
    case Law::second_order: {
      const bool relaxed = block.law == Law::second_order && block.friction > 0.0;
      const double mu = block.friction;
      hull.push_back(positive({lambda(n)}));
      hull.push_back(positive({w(n)}));
      const int planes = block.size == 2 ? 2 : sectors;
      for (int k = 0; k < planes; ++k) {
        const double x =
            block.size == 2 ? (k == 0 ? 1.0 : -1.0) : std::cos(2.0 * M_PI * k / planes);
        const double y = block.size == 2 ? 0.0 : std::sin(2.0 * M_PI * k / planes);
        PieceCondition force = positive({lambda(n, mu), lambda(t, -x)});
        PieceCondition rate = positive({w(n), w(t, -mu * x)});
        if (block.size == 3) {
          force.terms.push_back(lambda(t + 1, -y));
          rate.terms.push_back(w(t + 1, -mu * y));
        }
        hull.push_back(force);
        if (relaxed) hull.push_back(rate);
      }
      return hull;
    }
    default:
      refuse(block);
  }
}

}  // namespace vinci
