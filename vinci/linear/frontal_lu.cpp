// SPDX-License-Identifier: Apache-2.0
// Ordering, fronts, elimination.
#include "vinci/linear/frontal_lu.h"

#include <algorithm>
#include <cmath>

#include <Eigen/OrderingMethods>

namespace vinci {

namespace {

// A pivot below a few ε (rows have entries about 1) is rounding and is replaced by this.
constexpr double smallest_pivot = 1e-15;
// Fronts of one chain are joined where that stores at most this many zeros per number of use: the
// work grows by the square of 1.25 at most, and larger fronts are faster per number.
constexpr double most_zeros = 0.25;
// Numbers in a front's off-diagonal part, 16 × 16, from which blocked products pay for packing.
constexpr int least_product = 256;

using Dense = Eigen::Map<Eigen::MatrixXd, 0, Eigen::OuterStride<>>;

Dense view(double* first, int rows, int columns, int stride) {
  return {first, rows, columns, Eigen::OuterStride<>(stride)};
}

}  // namespace

// The blocks in elimination order with the blocks below them in the factor.
struct FrontalLu::Tree {
  std::vector<int> block;                   // per place in the order
  std::vector<int> parent;                  // place, −1 at a root
  std::vector<std::vector<int>> structure;  // later places, ascending
};

void FrontalLu::order(const Matrix& pattern, const std::vector<int>& starts, Tree& tree) const {
  const int count = static_cast<int>(starts.size()) - 1;
  std::vector<int> block_of(static_cast<std::size_t>(starts.back()));
  for (int b = 0; b < count; ++b)
    std::fill(block_of.begin() + starts[b], block_of.begin() + starts[b + 1], b);
  std::vector<Eigen::Triplet<double>> links;
  for (int column = 0; column < pattern.outerSize(); ++column)
    for (Matrix::InnerIterator entry(pattern, column); entry; ++entry) {
      links.emplace_back(block_of[entry.row()], block_of[column], 1.0);
      links.emplace_back(block_of[column], block_of[entry.row()], 1.0);
    }
  Matrix graph(count, count);
  graph.setFromTriplets(links.begin(), links.end());
  Eigen::AMDOrdering<int>::PermutationType permutation;
  Eigen::AMDOrdering<int>()(graph, permutation);
  std::vector<int> place(static_cast<std::size_t>(count));
  for (int k = 0; k < count; ++k) place[permutation.indices()[k]] = k;

  // Structures in this order, then places in postorder so that chains lie side by side.
  std::vector<std::vector<int>> structure(place.size()), children(place.size());
  std::vector<int> parent(place.size(), -1), mark(place.size(), -1), roots;
  for (int k = 0; k < count; ++k) {
    std::vector<int>& below = structure[k];
    mark[k] = k;
    const auto add = [&](int other) {
      if (other > k && mark[other] != k) mark[other] = k, below.push_back(other);
    };
    for (Matrix::InnerIterator entry(graph, permutation.indices()[k]); entry; ++entry)
      add(place[entry.row()]);
    for (const int child : children[k])
      for (const int other : structure[child]) add(other);
    std::sort(below.begin(), below.end());
    if (below.empty()) {
      roots.push_back(k);
    } else {
      parent[k] = below.front();
      children[parent[k]].push_back(k);
    }
  }
  std::vector<int> post(place.size()), visit(roots.rbegin(), roots.rend()), sequence;
  while (!visit.empty()) {  // parents first, then turned round
    const int k = visit.back();
    visit.pop_back();
    sequence.push_back(k);
    // The child with the largest structure comes last in postorder: it may join its parent.
    std::stable_sort(children[k].begin(), children[k].end(),
                     [&](int a, int b) { return structure[a].size() < structure[b].size(); });
    visit.insert(visit.end(), children[k].begin(), children[k].end());
  }
  std::reverse(sequence.begin(), sequence.end());
  for (int k = 0; k < count; ++k) post[sequence[k]] = k;
  tree.block.resize(place.size());
  tree.parent.resize(place.size());
  tree.structure.resize(place.size());
  for (int k = 0; k < count; ++k) {
    tree.block[post[k]] = permutation.indices()[k];
    tree.parent[post[k]] = parent[k] < 0 ? -1 : post[parent[k]];
    for (int& other : structure[k]) other = post[other];
    std::sort(structure[k].begin(), structure[k].end());
    tree.structure[post[k]] = std::move(structure[k]);
  }
}

// Chains k, k + 1 = parent of k are eliminated together where their structures are nearly nested.
void FrontalLu::make_fronts(const Tree& tree, const std::vector<int>& starts) {
  const int count = static_cast<int>(tree.block.size());
  const auto size_of = [&](int k) { return starts[tree.block[k] + 1] - starts[tree.block[k]]; };
  const auto height = [&](int k) {
    int sum = 0;
    for (const int other : tree.structure[k]) sum += size_of(other);
    return sum;
  };
  fronts_.clear();
  rows_.clear();
  front_of_.assign(static_cast<std::size_t>(starts.back()), 0);
  std::vector<int> front_of_place(tree.block.size());
  const auto push_rows = [&](int k) {
    for (int row = starts[tree.block[k]]; row < starts[tree.block[k] + 1]; ++row)
      rows_.push_back(row);
  };
  for (int first = 0, last = 0; first < count; first = last + 1) {
    int pivots = size_of(first);
    double used = pivots * (pivots + 2.0 * height(first)), zeros = 0.0;
    for (last = first; last + 1 < count && tree.parent[last] == last + 1; ++last) {
      const int own = size_of(last + 1), next = own + height(last + 1);
      const double missing = 2.0 * pivots * (next - height(last));
      const double more = own * (own + 2.0 * height(last + 1));
      if (zeros + missing > most_zeros * (used + more)) break;
      zeros += missing, used += more, pivots += own;
    }
    Front front;
    front.rows = static_cast<int>(rows_.size());
    for (int k = first; k <= last; ++k) {
      push_rows(k);
      front_of_place[k] = static_cast<int>(fronts_.size());
    }
    front.pivots = static_cast<int>(rows_.size()) - front.rows;
    for (int i = front.rows; i < front.rows + front.pivots; ++i)
      front_of_[rows_[i]] = static_cast<int>(fronts_.size());
    for (const int k : tree.structure[last]) push_rows(k);
    front.size = static_cast<int>(rows_.size()) - front.rows;
    front.first = fronts_.empty() ? 0 : fronts_.back().first + fronts_.back().pivots;
    front.parent = tree.parent[last];  // a place, until all fronts are known
    fronts_.push_back(front);
  }
  std::vector<std::vector<int>> children(fronts_.size());
  for (std::size_t f = 0; f < fronts_.size(); ++f) {
    int& parent = fronts_[f].parent;
    if (parent < 0) continue;
    parent = front_of_place[parent];
    children[parent].push_back(static_cast<int>(f));
  }
  children_.clear();
  for (std::size_t f = 0; f < fronts_.size(); ++f) {
    fronts_[f].children = static_cast<int>(children_.size());
    children_.insert(children_.end(), children[f].begin(), children[f].end());
    fronts_[f].children_end = static_cast<int>(children_.size());
  }
}

// Which entries of the matrix each front begins with, and where a child's remainder goes.
void FrontalLu::place_entries(const Matrix& pattern) {
  const int n = static_cast<int>(pattern.cols());
  std::vector<std::vector<std::pair<int, int>>> entries(fronts_.size());  // source, column
  for (int column = 0; column < n; ++column)
    for (int k = pattern.outerIndexPtr()[column]; k < pattern.outerIndexPtr()[column + 1]; ++k)
      entries[std::min(front_of_[column], front_of_[pattern.innerIndexPtr()[k]])].emplace_back(
          k, column);
  std::vector<int> local(static_cast<std::size_t>(n), -1);
  sources_.clear(), targets_.clear(), maps_.clear();
  for (std::size_t f = 0; f < fronts_.size(); ++f) {
    Front& front = fronts_[f];
    for (int i = 0; i < front.size; ++i) local[rows_[front.rows + i]] = i;
    front.entries = static_cast<int>(sources_.size());
    for (const auto& [source, column] : entries[f]) {
      sources_.push_back(source);
      targets_.push_back(local[column] * front.size + local[pattern.innerIndexPtr()[source]]);
    }
    front.entry_end = static_cast<int>(sources_.size());
  }
  for (Front& front : fronts_) {
    front.map = static_cast<int>(maps_.size());
    if (front.parent < 0) continue;
    const Front& parent = fronts_[front.parent];
    for (int i = 0; i < parent.size; ++i) local[rows_[parent.rows + i]] = i;
    for (int i = front.pivots; i < front.size; ++i) maps_.push_back(local[rows_[front.rows + i]]);
  }
}

void FrontalLu::plan_memory() {
  std::size_t factors = 0, largest = 0, waiting = 0, deepest = 0;
  std::vector<std::size_t> returned(fronts_.size(), 0);  // by the children of a front
  for (std::size_t f = 0; f < fronts_.size(); ++f) {
    Front& front = fronts_[f];
    const auto size = static_cast<std::size_t>(front.size);
    const auto pivots = static_cast<std::size_t>(front.pivots);
    front.lower = factors;
    front.upper = factors + size * pivots;
    factors = front.upper + pivots * (size - pivots);
    largest = std::max(largest, size * size);
    const std::size_t rest = (size - pivots) * (size - pivots);
    waiting -= returned[f];
    waiting += rest;
    if (front.parent >= 0) returned[front.parent] += rest;
    deepest = std::max(deepest, waiting);
  }
  factors_.resize(factors);
  front_.resize(largest);
  stack_.resize(deepest);
  swaps_.resize(front_of_.size());
}

void FrontalLu::analyse(const Matrix& pattern, const std::vector<int>& starts) {
  Tree tree;
  order(pattern, starts, tree);
  make_fronts(tree, starts);
  place_entries(pattern);
  plan_memory();
  y_.resize(pattern.cols());
}

// Eliminates the pivots of the front that lies in front_, by columns; leaves L and U there and the
// Schur complement in its last rows and columns.
bool FrontalLu::eliminate(const Front& front) {
  const int pivots = front.pivots, size = front.size, rest = size - pivots;
  const auto column = [&](int j) { return front_.data() + static_cast<std::ptrdiff_t>(j) * size; };
  // Small fronts at once; of large ones the pivot columns, then the others by products of matrices.
  const int at_once = rest * pivots < least_product ? size : pivots;
  for (int k = 0; k < pivots; ++k) {
    double* const pivot = column(k);
    int best = k;
    for (int i = k + 1; i < pivots; ++i)
      if (std::abs(pivot[i]) > std::abs(pivot[best])) best = i;
    swaps_[front.first + k] = best;
    if (best != k)
      for (int j = 0; j < size; ++j) std::swap(column(j)[k], column(j)[best]);
    if (!std::isfinite(pivot[k])) return false;
    if (std::abs(pivot[k]) < smallest_pivot)
      pivot[k] = pivot[k] < 0.0 ? -smallest_pivot : smallest_pivot;
    const Eigen::Map<VectorX> below(pivot + k + 1, size - k - 1);
    Eigen::Map<VectorX>(pivot + k + 1, size - k - 1) *= 1.0 / pivot[k];
    for (int j = k + 1; j < at_once; ++j) {
      double* const other = column(j);
      if (other[k] != 0.0) Eigen::Map<VectorX>(other + k + 1, size - k - 1) -= other[k] * below;
    }
  }
  if (at_once == size) return true;
  Dense L = view(column(0), pivots, pivots, size);
  Dense upper = view(column(pivots), pivots, rest, size);
  L.triangularView<Eigen::UnitLower>().solveInPlace(upper);
  view(column(pivots) + pivots, rest, rest, size).noalias() -=
      view(column(0) + pivots, rest, pivots, size) * upper;
  return true;
}

void FrontalLu::store(const Front& front) {
  const int pivots = front.pivots, size = front.size, rest = size - pivots;
  const double* F = front_.data();
  std::copy(F, F + static_cast<std::ptrdiff_t>(pivots) * size, &factors_[0] + front.lower);
  double* upper = factors_.data() + front.upper;
  F += static_cast<std::ptrdiff_t>(pivots) * size;
  for (int j = 0; j < rest; ++j, F += size, upper += pivots) std::copy(F, F + pivots, upper);
}

bool FrontalLu::factor(const double* values) {
  double* top = stack_.data();  // one past the remainders that wait for their parent
  for (std::size_t f = 0; f < fronts_.size(); ++f) {
    const Front& front = fronts_[f];
    const int size = front.size, rest = size - front.pivots;
    std::fill_n(front_.begin(), static_cast<std::ptrdiff_t>(size) * size, 0.0);
    for (int e = front.entries; e < front.entry_end; ++e)
      front_[targets_[e]] += values[sources_[e]];
    // Postorder: the children's remainders are the uppermost ones.
    for (int c = front.children_end - 1; c >= front.children; --c) {
      const Front& child = fronts_[children_[c]];
      const int count = child.size - child.pivots;
      top -= static_cast<std::ptrdiff_t>(count) * count;
      const int* const map = maps_.data() + child.map;
      const double* from = top;
      for (int j = 0; j < count; ++j, from += count) {
        double* const to = front_.data() + static_cast<std::ptrdiff_t>(map[j]) * size;
        for (int i = 0; i < count; ++i) to[map[i]] += from[i];
      }
    }
    if (!eliminate(front)) return false;
    store(front);
    for (int j = 0; j < rest; ++j, top += rest) {
      const double* const from =
          front_.data() + static_cast<std::ptrdiff_t>(front.pivots + j) * size + front.pivots;
      std::copy(from, from + rest, top);
    }
  }
  return true;
}

void FrontalLu::solve(VectorX& x) {
  for (const Front& front : fronts_) {
    const int* const rows = rows_.data() + front.rows;
    double* const y = y_.data() + front.first;
    for (int i = 0; i < front.pivots; ++i) y[i] = x[rows[i]];
    for (int k = 0; k < front.pivots; ++k) std::swap(y[k], y[swaps_[front.first + k]]);
    const double* L = factors_.data() + front.lower;
    for (int k = 0; k < front.pivots; ++k, L += front.size) {
      const double value = y[k];
      if (value == 0.0) continue;
      for (int i = k + 1; i < front.pivots; ++i) y[i] -= L[i] * value;
      for (int i = front.pivots; i < front.size; ++i) x[rows[i]] -= L[i] * value;
    }
  }
  for (std::size_t f = fronts_.size(); f-- > 0;) {
    const Front& front = fronts_[f];
    const int* const rows = rows_.data() + front.rows;
    double* const y = y_.data() + front.first;
    const double* U = factors_.data() + front.upper;
    for (int j = front.pivots; j < front.size; ++j, U += front.pivots)
      for (int i = 0; i < front.pivots; ++i) y[i] -= U[i] * x[rows[j]];
    for (int k = front.pivots - 1; k >= 0; --k) {
      const double* const column =
          factors_.data() + front.lower + static_cast<std::ptrdiff_t>(k) * front.size;
      y[k] /= column[k];
      for (int i = 0; i < k; ++i) y[i] -= column[i] * y[k];
    }
    for (int i = 0; i < front.pivots; ++i) x[rows[i]] = y[i];
  }
}

}  // namespace vinci
