// SPDX-License-Identifier: Apache-2.0
// Ordering and fronts.
#include "vinci/linear/front_tree.h"

#include <algorithm>

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>

namespace vinci {

namespace {

// Fronts of one chain are joined where that stores at most this many zeros per number of use: the
// work grows by the square of 1.25 at most, and larger fronts are faster per number.
constexpr double most_zeros = 0.25;

using Graph = Eigen::SparseMatrix<double>;

// Symmetric, each link once.
Graph graph_of(const std::vector<std::pair<int, int>>& links, int count) {
  std::vector<int> starts(static_cast<std::size_t>(count) + 1, 0), ends;
  for (const auto& [a, b] : links) ++starts[a + 1], ++starts[b + 1];
  for (int i = 0; i < count; ++i) starts[i + 1] += starts[i];
  ends = starts;
  std::vector<int> neighbours(2 * links.size());
  for (const auto& [a, b] : links) neighbours[ends[a]++] = b, neighbours[ends[b]++] = a;
  Graph graph(count, count);
  graph.resizeNonZeros(static_cast<Eigen::Index>(neighbours.size()));
  int size = 0;
  for (int i = 0; i < count; ++i) {
    graph.outerIndexPtr()[i] = size;
    const auto first = neighbours.begin() + starts[i], last = neighbours.begin() + starts[i + 1];
    std::sort(first, last);
    size = static_cast<int>(std::unique_copy(first, last, graph.innerIndexPtr() + size) -
                            graph.innerIndexPtr());
  }
  graph.outerIndexPtr()[count] = size;
  graph.resizeNonZeros(size);
  std::fill(graph.valuePtr(), graph.valuePtr() + size, 1.0);
  return graph;
}

}  // namespace

// The blocks in elimination order with the blocks below them in the factor.
struct FrontTree::Places {
  std::vector<int> block;                   // per place in the order
  std::vector<int> parent;                  // place, −1 at a root
  std::vector<std::vector<int>> structure;  // later places, ascending
};

void FrontTree::order(const std::vector<std::pair<int, int>>& links, int count,
                      Places& tree) const {
  const Graph graph = graph_of(links, count);
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
    for (Graph::InnerIterator entry(graph, permutation.indices()[k]); entry; ++entry)
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
void FrontTree::make_fronts(const Places& tree, const std::vector<int>& starts) {
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
  join_fronts(front_of_place);
}

// Who is whose parent, and where the rows that a front leaves lie in it.
void FrontTree::join_fronts(const std::vector<int>& front_of_place) {
  std::vector<int> count(fronts_.size() + 1, 0);
  for (Front& front : fronts_) {
    if (front.parent < 0) continue;
    front.parent = front_of_place[front.parent];
    ++count[static_cast<std::size_t>(front.parent) + 1];
  }
  for (std::size_t f = 0; f < fronts_.size(); ++f) {
    count[f + 1] += count[f];
    fronts_[f].children = fronts_[f].children_end = count[f];
  }
  children_.resize(static_cast<std::size_t>(count.back()));
  for (std::size_t f = 0; f < fronts_.size(); ++f)
    if (fronts_[f].parent >= 0)
      children_[fronts_[fronts_[f].parent].children_end++] = static_cast<int>(f);
  std::vector<int> local(front_of_.size(), -1);
  maps_.clear();
  for (std::size_t p = 0; p < fronts_.size(); ++p) {
    const Front& parent = fronts_[p];
    for (int i = 0; i < parent.size; ++i) local[rows_[parent.rows + i]] = i;
    for (int c = parent.children; c < parent.children_end; ++c) {
      Front& child = fronts_[children_[c]];
      child.map = static_cast<int>(maps_.size());
      for (int i = child.pivots; i < child.size; ++i) maps_.push_back(local[rows_[child.rows + i]]);
    }
  }
}

void FrontTree::plan_memory() {
  largest_ = deepest_ = 0;
  std::size_t waiting = 0;
  std::vector<std::size_t> returned(fronts_.size(), 0);  // by the children of a front
  for (std::size_t f = 0; f < fronts_.size(); ++f) {
    const Front& front = fronts_[f];
    const auto size = static_cast<std::size_t>(front.size);
    const auto left = size - static_cast<std::size_t>(front.pivots);
    largest_ = std::max(largest_, size * size);
    waiting += left * left;
    waiting -= returned[f];
    if (front.parent >= 0) returned[front.parent] += left * left;
    deepest_ = std::max(deepest_, waiting);
  }
}

void FrontTree::analyse(const std::vector<std::pair<int, int>>& links,
                        const std::vector<int>& starts) {
  Places places;
  order(links, static_cast<int>(starts.size()) - 1, places);
  make_fronts(places, starts);
  plan_memory();
}

}  // namespace vinci
