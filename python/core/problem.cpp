// SPDX-License-Identifier: Apache-2.0
// Complementarity problems from and to NumPy and SciPy.
#include <filesystem>

#include <fmt/format.h>
#include <pybind11/stl/filesystem.h>

#include "python/core/core.h"
#include "vinci/complementarity/problem_file.h"

namespace vinci::python {
namespace {

constexpr const char* law_names[] = {"equality", "nonnegative",  "box",    "ball",
                                     "coulomb",  "second-order", "moments"};

Law law_of(const std::string& name) {
  if (name == "rolling") return Law::moments;  // its name while it had no other moment
  for (int i = 0; i < static_cast<int>(std::size(law_names)); ++i)
    if (name == law_names[i]) return static_cast<Law>(i);
  throw Error(fmt::format("unknown law '{}'; accepted: {}", name, fmt::join(law_names, ", ")),
              "law");
}

std::string text_of(const Block& block) {
  std::string text =
      fmt::format("vinci.Block('{}', {}", law_names[static_cast<int>(block.law)], block.size);
  const bool frictional = block.law >= Law::coulomb;
  if (frictional) text += fmt::format(", friction={}", block.friction);
  if (block.law == Law::moments)
    text += fmt::format(", rolling={}, torsion={}, tangents={}, spins={}", block.rolling,
                        block.torsion, block.tangents, block.spins);
  if (block.law == Law::box) text += fmt::format(", lower={}, upper={}", block.lower, block.upper);
  if (block.law == Law::ball) text += fmt::format(", upper={}", block.upper);
  return text + ")";
}

// Any matrix by vinci/matrices.py; None: nothing in it.
SparseRows rows_of(const py::object& matrix, const char* name, int rows, int columns) {
  SparseRows result;
  result.cols = columns;
  if (matrix.is_none()) {
    result.rows = rows;
    result.starts.assign(static_cast<std::size_t>(rows) + 1, 0);
    return result;
  }
  const py::tuple parts = py::module_::import("vinci.matrices").attr("rows")(matrix, name);
  result.starts = parts[0].cast<std::vector<int>>();
  result.indices = parts[1].cast<std::vector<int>>();
  result.values = parts[2].cast<std::vector<double>>();
  result.rows = parts[3].cast<int>();
  result.cols = parts[4].cast<int>();
  if (result.rows != rows || (columns >= 0 && result.cols != columns))
    throw Error(
        fmt::format("is {} x {}; accepted: {} x {}", result.rows, result.cols, rows, columns),
        name);
  return result;
}

ProblemHandle checked(ComplementarityProblem problem) {
  if (const std::string reason = problem.why_invalid(); !reason.empty())
    throw Error(reason, "problem");
  return {std::make_shared<ComplementarityProblem>(std::move(problem))};
}

void place_blocks(ComplementarityProblem& problem, std::vector<Block> blocks) {
  int offset = 0;
  for (Block& block : blocks) {
    block.offset = offset;
    offset += block.size;
  }
  if (offset != problem.rows())
    throw Error(fmt::format("they cover {} rows; b has {}", offset, problem.rows()), "blocks");
  problem.blocks = std::move(blocks);
}

ProblemHandle make_problem(const py::object& M, const py::object& J, const py::object& C,
                           const py::object& p, const py::object& b,
                           const std::vector<Block>& blocks) {
  ComplementarityProblem problem;
  problem.b = vector_of(b, "b");
  int unknowns = 0;
  if (!p.is_none()) {
    problem.p = vector_of(p, "p");
    unknowns = static_cast<int>(problem.p.size());
  } else if (!M.is_none()) {
    unknowns = static_cast<int>(py::hasattr(M, "shape") ? M.attr("shape")[py::int_(0)].cast<long>()
                                                        : static_cast<long>(py::len(M)));
    problem.p = VectorX::Zero(unknowns);
  }
  problem.M = rows_of(M, "M", unknowns, unknowns);
  problem.J = rows_of(J, "J", problem.rows(), unknowns);
  problem.C = rows_of(C, "C", problem.rows(), problem.rows());
  place_blocks(problem, blocks);
  return checked(std::move(problem));
}

// A problem without u: w = C λ + b.
ProblemHandle local_problem(const py::object& matrix, const py::object& vector, const char* name,
                            const std::vector<Block>& blocks) {
  ComplementarityProblem problem;
  problem.b = vector_of(vector, "q");
  problem.M.cols = 0;
  problem.J = rows_of(py::none(), "J", problem.rows(), 0);
  problem.C = rows_of(matrix, name, problem.rows(), problem.rows());
  place_blocks(problem, blocks);
  return checked(std::move(problem));
}

// One bound per row; a single number holds for all rows.
VectorX bounds_of(const py::object& bound, const char* name, Eigen::Index rows) {
  if (PyNumber_Check(bound.ptr()) != 0 && py::hasattr(bound, "__float__") &&
      !py::isinstance<py::array>(bound))
    return VectorX::Constant(rows, bound.cast<double>());
  const VectorX numbers = vector_of(bound, name);
  if (numbers.size() != rows)
    throw Error(fmt::format("has {} numbers; accepted: {}", numbers.size(), rows), name);
  return numbers;
}

ProblemHandle mixed_problem(const py::object& M, const py::object& q, const py::object& lower,
                            const py::object& upper) {
  const Eigen::Index rows = vector_of(q, "q").size();
  const VectorX low = bounds_of(lower, "lower", rows), high = bounds_of(upper, "upper", rows);
  std::vector<Block> blocks(static_cast<std::size_t>(rows));
  for (Eigen::Index i = 0; i < rows; ++i) {
    Block& block = blocks[static_cast<std::size_t>(i)];
    block.lower = low[i];
    block.upper = high[i];
    const bool free = low[i] == -infinity && high[i] == infinity;
    const bool usual = low[i] == 0.0 && high[i] == infinity;
    block.law = free ? Law::equality : usual ? Law::nonnegative : Law::box;
  }
  return local_problem(M, q, "M", blocks);
}

ProblemHandle friction_problem(const py::object& W, const py::object& q, const py::object& mu,
                               int dimension) {
  if (dimension != 2 && dimension != 3)
    throw Error(fmt::format("is {}; accepted: 2 or 3", dimension), "dimension");
  const Eigen::Index rows = vector_of(q, "q").size();
  if (rows % dimension != 0)
    throw Error(fmt::format("has {} numbers; accepted: a multiple of {}", rows, dimension), "q");
  const VectorX friction = bounds_of(mu, "mu", rows / dimension);
  std::vector<Block> blocks;
  for (const double number : friction)
    blocks.push_back({.law = Law::coulomb, .size = dimension, .friction = number});
  return local_problem(W, q, "W", blocks);
}

// The SciPy matrix of our own memory, read-only; the problem stays alive with it.
py::object sparse(const py::object& self, const SparseRows& rows) {
  const auto part = [&](const auto& vector, const py::dtype& type) {
    return view(type, {static_cast<py::ssize_t>(vector.size())}, vector.data(), self, false);
  };
  return py::module_::import("scipy.sparse")
      .attr("csr_matrix")(py::make_tuple(part(rows.values, py::dtype::of<double>()),
                                         part(rows.indices, py::dtype::of<int>()),
                                         part(rows.starts, py::dtype::of<int>())),
                          "shape"_a = py::make_tuple(rows.rows, rows.cols), "copy"_a = false);
}

void save_problem(const ProblemHandle& handle, const std::filesystem::path& path,
                  const std::string& title, const std::string& description) {
  save_problem_file(path.string(), {*handle.problem, {}, {}, title, description});
}

py::tuple pickled_problem(const ProblemHandle& handle) {
  const ComplementarityProblem& p = *handle.problem;
  const auto rows = [](const SparseRows& m) {
    return py::make_tuple(m.starts, m.indices, m.values, m.rows, m.cols);
  };
  py::list blocks;
  for (const Block& b : p.blocks)
    blocks.append(py::make_tuple(static_cast<int>(b.law), b.offset, b.size, b.friction, b.lower,
                                 b.upper, b.rolling, b.torsion, b.tangents, b.spins));
  return py::make_tuple(2, rows(p.M), rows(p.J), rows(p.C), copied(p.p), copied(p.b), blocks);
}

ProblemHandle unpickled_problem(const py::tuple& state) {
  if (state.size() != 7 || state[0].cast<int>() != 2)
    throw Error("was pickled by another version of vinci", "Problem");
  const auto rows = [](const py::tuple& m) {
    return SparseRows{m[3].cast<int>(), m[4].cast<int>(), m[0].cast<std::vector<int>>(),
                      m[1].cast<std::vector<int>>(), m[2].cast<std::vector<double>>()};
  };
  ComplementarityProblem problem{rows(state[1]),           rows(state[2]),           rows(state[3]),
                                 vector_of(state[4], "p"), vector_of(state[5], "b"), {}};
  for (const py::handle item : state[6].cast<py::list>()) {
    const auto b = item.cast<py::tuple>();
    problem.blocks.push_back({static_cast<Law>(b[0].cast<int>()), b[1].cast<int>(),
                              b[2].cast<int>(), b[3].cast<double>(), b[4].cast<double>(),
                              b[5].cast<double>(), b[6].cast<double>(), b[7].cast<double>(),
                              b[8].cast<std::uint8_t>(), b[9].cast<std::uint8_t>()});
  }
  return checked(std::move(problem));
}

void add_block(py::module_& module) {
  py::class_<Block> block(module, "Block", R"(The law of some rows of a problem.

'equality' (w = 0), 'nonnegative' (0 <= impulse, w, one of them 0), 'box' (lower <= impulse <=
upper), 'ball' (|impulse| <= upper), 'coulomb' (normal row first, then one or two tangents),
'second-order' (its convex relaxation), 'moments' (coulomb with up to three tangents, then the rows
of rolling, then that of torsion: `tangents` and `spins` say how many; 0 tangents: as many as rows of
rolling).

>>> vinci.Block("coulomb", 3, friction=0.5)
vinci.Block('coulomb', 3, friction=0.5))");
  block.def(py::init([](const std::string& law, int size, double friction, double lower,
                        double upper, double rolling, double torsion, int tangents, int spins) {
              if (size < 1) throw Error(fmt::format("is {}; accepted: at least 1", size), "size");
              if (tangents < 0 || tangents > 3)
                throw Error(fmt::format("is {}; accepted: 0 to 3", tangents), "tangents");
              if (spins < 0 || spins > 1)
                throw Error(fmt::format("is {}; accepted: 0 or 1", spins), "spins");
              return Block{law_of(law),
                           0,
                           size,
                           friction,
                           lower,
                           upper,
                           rolling,
                           torsion,
                           static_cast<std::uint8_t>(tangents),
                           static_cast<std::uint8_t>(spins)};
            }),
            "law"_a, "size"_a = 1, py::kw_only(), "friction"_a = 0.0, "lower"_a = 0.0,
            "upper"_a = std::numeric_limits<double>::infinity(), "rolling"_a = 0.0,
            "torsion"_a = 0.0, "tangents"_a = 0, "spins"_a = 0);
  block.def_property_readonly("law",
                              [](const Block& b) { return law_names[static_cast<int>(b.law)]; });
  block.def_readonly("offset", &Block::offset, "Its first row.");
  block.def_readonly("size", &Block::size, "Number of rows.");
  block.def_readonly("friction", &Block::friction, "Coefficient of friction.");
  block.def_readonly("lower", &Block::lower, "Lower bound of a box.");
  block.def_readonly("upper", &Block::upper, "Upper bound of a box, radius of a ball.");
  block.def_readonly("rolling", &Block::rolling, "Coefficient of rolling resistance, m.");
  block.def_readonly("torsion", &Block::torsion, "Coefficient of torsional friction, m.");
  block.def_readonly("tangents", &Block::tangents, "Rows of friction; 0: as many as of rolling.");
  block.def_readonly("spins", &Block::spins, "Rows of torsion, 0 or 1.");
  block.def("__repr__", &text_of);
}

void add_factories(py::class_<ProblemHandle>& problem) {
  problem.def_static(
      "lcp",
      [](const py::object& M, const py::object& q) {
        const auto rows = static_cast<std::size_t>(vector_of(q, "q").size());
        return local_problem(M, q, "M", std::vector<Block>(rows));
      },
      "M"_a, "q"_a, R"(The linear complementarity problem 0 <= z, M z + q >= 0, z (M z + q) = 0.

>>> vinci.solve(vinci.Problem.lcp([[2, 1], [1, 2]], [-5, -6])).impulse.round(6).tolist()
[1.333333, 2.333333])");
  problem.def_static("mixed_lcp", &mixed_problem, "M"_a, "q"_a, "lower"_a, "upper"_a,
                     R"(M z + q under bounds of z, any of which may be infinite.

>>> inf = float("inf")
>>> vinci.solve(vinci.Problem.mixed_lcp([[1]], [-3], -inf, inf)).impulse.tolist()
[3.0])");
  problem.def_static("relay", &mixed_problem, "M"_a, "q"_a, "lower"_a = py::float_(-1.0),
                     "upper"_a = py::float_(1.0),
                     R"(M z + q with -1 <= z <= 1: each z at the end that its row pushes it to.

>>> vinci.solve(vinci.Problem.relay([[1]], [-3])).impulse.tolist()
[1.0])");
  problem.def_static("friction", &friction_problem, "W"_a, "q"_a, "mu"_a, "dimension"_a = 3,
                     R"(Contacts with Coulomb friction: w = W impulse + q.

W is the Delassus matrix (1/kg), q the free velocity (m/s), `dimension` the rows of a contact:
normal, then one or two tangents. `mu` is one number, or one per contact.

>>> problem = vinci.Problem.friction(np.eye(3), [-1, 0.2, 0], 0.5)
>>> vinci.solve(problem).impulse.round(6).tolist()
[1.0, -0.2, 0.0])");
  problem.def_static(
      "load",
      [](const std::filesystem::path& path) { return checked(load_problem(path.string())); },
      "path"_a, R"(Reads a problem file (HDF5): FCLib, /lcp, /mlcp or vinci's own layout.

>>> vinci.Problem.load(problems / "stack_planar.h5").kind
'gfc2d')");
}

}  // namespace

void add_problem(py::module_& module) {
  add_block(module);
  py::class_<ProblemHandle> problem(module, "Problem", R"(The one form of problem:

    0 = M u - J' impulse - p,    w = J u + C impulse + b,    each block obeys its law.

Immutable. Matrices are NumPy arrays or SciPy sparse matrices; one that is None is zero. In a step
of a simulation u are velocities (m/s, rad/s), impulses in N s.

>>> problem = vinci.Problem(M=np.eye(1), J=[[1.0]], p=[-1.0], b=[0.0],
...                         blocks=[vinci.Block("nonnegative")])
>>> answer = vinci.solve(problem)
>>> answer.u.tolist(), answer.impulse.tolist()
([0.0], [1.0]))");
  problem.def(py::init(&make_problem), py::kw_only(), "M"_a = py::none(), "J"_a = py::none(),
              "C"_a = py::none(), "p"_a = py::none(), "b"_a, "blocks"_a);
  add_factories(problem);
  const auto self_problem = [](const py::object& self) -> const ComplementarityProblem& {
    return *self.cast<const ProblemHandle&>().problem;
  };
  problem.def_property_readonly(
      "M", [=](const py::object& s) { return sparse(s, self_problem(s).M); },
      "unknowns x unknowns, SciPy csr without a copy, read-only; inertia in a step (kg, kg m^2).");
  problem.def_property_readonly(
      "J", [=](const py::object& s) { return sparse(s, self_problem(s).J); },
      "rows x unknowns, SciPy csr without a copy, read-only.");
  problem.def_property_readonly(
      "C", [=](const py::object& s) { return sparse(s, self_problem(s).C); },
      "rows x rows, SciPy csr without a copy, read-only.");
  problem.def_property_readonly(
      "p", [=](const py::object& s) { return view(self_problem(s).p, s, false); },
      "One number per unknown; momentum in a step (N s, N m s).");
  problem.def_property_readonly(
      "b", [=](const py::object& s) { return view(self_problem(s).b, s, false); },
      "One number per row; m/s in a step.");
  problem.def_property_readonly(
      "blocks", [](const ProblemHandle& s) { return s.problem->blocks; }, "Laws of the rows.");
  problem.def_property_readonly("rows", [](const ProblemHandle& s) { return s.problem->rows(); });
  problem.def_property_readonly("unknowns",
                                [](const ProblemHandle& s) { return s.problem->unknowns(); });
  problem.def_property_readonly(
      "kind", [](const ProblemHandle& s) { return problem_class(*s.problem); },
      "'lcp', 'mlcp', 'relay', 'fc2d', 'fc3d', 'gfc2d', 'gfc3d', ..., or 'mixed'.");
  problem.def("save", &save_problem, "path"_a, "title"_a = "", "description"_a = "",
              R"(Writes a problem file, in FCLib's layout where the problem fits it.

>>> vinci.Problem.lcp([[1]], [-1]).save(tmp / "one.h5")
>>> vinci.Problem.load(tmp / "one.h5").kind
'lcp')");
  problem.def("__repr__", [](const ProblemHandle& s) {
    return fmt::format("<vinci.Problem {}: {} rows in {} blocks, {} unknowns>",
                       problem_class(*s.problem), s.problem->rows(), s.problem->blocks.size(),
                       s.problem->unknowns());
  });
  problem.def(py::pickle(&pickled_problem, &unpickled_problem));
}

}  // namespace vinci::python
