// SPDX-License-Identifier: Apache-2.0
// Reading and writing the layouts of problem files.
#include "vinci/complementarity/problem_file.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "vinci/base/error.h"
#include "vinci/complementarity/law_moments.h"
#include "vinci/complementarity/stored_matrix.h"

namespace vinci {

namespace {

constexpr int general_version = 1;

// The numbers of the laws in files; fixed for good, whatever the order of the enumeration.
constexpr Law law_numbers[] = {Law::equality, Law::nonnegative,  Law::box,    Law::ball,
                               Law::coulomb,  Law::second_order, Law::moments};

SparseRows empty_matrix(int rows, int cols) {
  SparseRows matrix;
  matrix.reset(cols);
  for (int row = 0; row < rows; ++row) matrix.end_row();
  return matrix;
}

// Rows [begin, begin + count) of a matrix, columns unchanged.
SparseRows row_range(const SparseRows& matrix, int begin, int count) {
  SparseRows result;
  result.reset(matrix.cols);
  for (int row = begin; row < begin + count; ++row) {
    for (int k = matrix.starts[row]; k < matrix.starts[row + 1]; ++k)
      result.push(matrix.indices[k], matrix.values[k]);
    result.end_row();
  }
  return result;
}

void append_rows(SparseRows& matrix, const SparseRows& more) {
  for (int row = 0; row < more.rows; ++row) {
    for (int k = more.starts[row]; k < more.starts[row + 1]; ++k)
      matrix.push(more.indices[k], more.values[k]);
    matrix.end_row();
  }
}

VectorX joined(const VectorX& a, const VectorX& b) {
  VectorX result(a.size() + b.size());
  result << a, b;
  return result;
}

// The matrix [a b; c d] from its four parts.
SparseRows four_parts(const SparseRows& a, const SparseRows& b, const SparseRows& c,
                      const SparseRows& d) {
  SparseRows result;
  result.reset(a.cols + b.cols);
  const auto rows_of = [&](const SparseRows& left, const SparseRows& right) {
    for (int row = 0; row < left.rows; ++row) {
      for (int k = left.starts[row]; k < left.starts[row + 1]; ++k)
        result.push(left.indices[k], left.values[k]);
      for (int k = right.starts[row]; k < right.starts[row + 1]; ++k)
        result.push(a.cols + right.indices[k], right.values[k]);
      result.end_row();
    }
  };
  rows_of(a, b);
  rows_of(c, d);
  return result;
}

// ---------------------------------------------------------------------------------------- reading

// Where there is a vector mu_r the contacts have rolling resistance, and `spacedim` counts the rows
// of the moments too.
void add_contact_blocks(const Hdf5File& in, const std::string& root, int rows,
                        std::vector<Block>& blocks) {
  const int dimension = in.integer(root + "/spacedim");
  const std::string resistances = root + "/vectors/mu_r";
  const bool rolls = in.has(resistances);
  if (rolls ? dimension != 3 && dimension != 5 : dimension != 2 && dimension != 3)
    in.fail(root + "/spacedim", fmt::format("{}, expected {}", dimension,
                                            rolls ? "3 or 5, as there is vectors/mu_r"
                                                  : "2 or 3, or 5 beside vectors/mu_r"));
  const VectorX friction = in.reals(root + "/vectors/mu");
  if (friction.size() * dimension != rows)
    in.fail(root + "/vectors/mu",
            fmt::format("{} friction coefficients for {} rows of dimension {}", friction.size(),
                        rows, dimension));
  const VectorX rolling =
      rolls ? in.reals(resistances, static_cast<int>(friction.size())) : VectorX();
  for (int contact = 0; contact < friction.size(); ++contact) {
    Block block{.law = rolls ? Law::moments : Law::coulomb,
                .offset = contact * dimension,
                .size = dimension};
    block.friction = friction[contact];
    if (rolls) block.rolling = rolling[contact];
    blocks.push_back(block);
  }
}

void add_equality_block(int rows, std::vector<Block>& blocks) {
  if (rows == 0) return;
  const int offset = blocks.empty() ? 0 : blocks.back().offset + blocks.back().size;
  blocks.push_back({.law = Law::equality, .offset = offset, .size = rows});
}

// u = W r + V l + q, 0 = Vᵀ r + R l + s; V, R and s are optional.
ComplementarityProblem read_local(const Hdf5File& in, const std::string& root) {
  ComplementarityProblem problem;
  problem.b = in.reals(root + "/vectors/q");
  const int rows = problem.rows();
  problem.C = read_matrix(in, root + "/W", rows, rows);
  add_contact_blocks(in, root, rows, problem.blocks);
  if (in.has(root + "/V")) {
    const VectorX s = in.reals(root + "/vectors/s");
    const int equalities = static_cast<int>(s.size());
    const SparseRows V = read_matrix(in, root + "/V", rows, equalities);
    const SparseRows R = in.has(root + "/R") ? read_matrix(in, root + "/R", equalities, equalities)
                                             : empty_matrix(equalities, equalities);
    problem.C = four_parts(problem.C, V, V.transposed(), R);
    problem.b = joined(problem.b, s);
    add_equality_block(equalities, problem.blocks);
  }
  problem.J = empty_matrix(problem.rows(), 0);
  return problem;
}

// M v = H r + G l + f, u = Hᵀ v + w, 0 = Gᵀ v + b; G and b are optional.
ComplementarityProblem read_global(const Hdf5File& in, const std::string& root) {
  ComplementarityProblem problem;
  problem.p = in.reals(root + "/vectors/f");
  problem.b = in.reals(root + "/vectors/w");
  const int n = problem.unknowns(), rows = problem.rows();
  problem.M = read_matrix(in, root + "/M", n, n);
  problem.J = read_matrix(in, root + "/H", n, rows).transposed();
  add_contact_blocks(in, root, rows, problem.blocks);
  if (in.has(root + "/G")) {
    const VectorX b = in.reals(root + "/vectors/b");
    const int equalities = static_cast<int>(b.size());
    append_rows(problem.J, read_matrix(in, root + "/G", n, equalities).transposed());
    problem.b = joined(problem.b, b);
    add_equality_block(equalities, problem.blocks);
  }
  problem.C = empty_matrix(problem.rows(), problem.rows());
  return problem;
}

ComplementarityProblem read_lcp(const Hdf5File& in, const std::string& root) {
  ComplementarityProblem problem;
  problem.b = in.reals(root + "/q");
  const int rows = problem.rows();
  problem.C = read_matrix(in, root + "/M", rows, rows);
  problem.J = empty_matrix(rows, 0);
  for (int row = 0; row < rows; ++row)
    problem.blocks.push_back({.law = Law::nonnegative, .offset = row});
  return problem;
}

ComplementarityProblem read_mlcp(const Hdf5File& in, const std::string& root) {
  ComplementarityProblem problem = read_lcp(in, root);
  problem.blocks.clear();
  const int rows = problem.rows();
  const VectorX lower = in.reals(root + "/lb", rows), upper = in.reals(root + "/ub", rows);
  for (int row = 0; row < rows; ++row) {
    if (lower[row] == -infinity && upper[row] == infinity) {
      // One block a run of equalities: they are solved together.
      if (!problem.blocks.empty() && problem.blocks.back().law == Law::equality)
        ++problem.blocks.back().size;
      else
        problem.blocks.push_back({.law = Law::equality, .offset = row});
    } else if (lower[row] == 0.0 && upper[row] == infinity) {
      problem.blocks.push_back({.law = Law::nonnegative, .offset = row});
    } else {
      Block block{.law = Law::box, .offset = row};
      block.lower = lower[row];
      block.upper = upper[row];
      problem.blocks.push_back(block);
    }
  }
  return problem;
}

ComplementarityProblem read_general(const Hdf5File& in, const std::string& root) {
  if (const int version = in.integer(root + "/version"); version != general_version)
    in.fail(root + "/version", fmt::format("{}, expected {}", version, general_version));
  ComplementarityProblem problem;
  problem.p = in.reals(root + "/p");
  problem.b = in.reals(root + "/b");
  const int n = problem.unknowns(), rows = problem.rows();
  problem.M = read_matrix(in, root + "/M", n, n);
  problem.J = read_matrix(in, root + "/J", rows, n);
  problem.C = read_matrix(in, root + "/C", rows, rows);
  const std::vector<int> laws = in.integers(root + "/blocks/law");
  const std::vector<int> sizes = in.integers(root + "/blocks/size");
  const int count = static_cast<int>(laws.size());
  if (sizes.size() != laws.size())
    in.fail(root + "/blocks/size", fmt::format("{} numbers, expected {}", sizes.size(), count));
  const VectorX friction = in.reals(root + "/blocks/friction", count);
  const VectorX lower = in.reals(root + "/blocks/lower", count);
  const VectorX upper = in.reals(root + "/blocks/upper", count);
  // Older files, and those without moments, do without the rest.
  const auto reals = [&](const char* name) {
    const std::string path = root + "/blocks/" + name;
    return in.has(path) ? in.reals(path, count) : VectorX(VectorX::Zero(count));
  };
  const auto counts = [&](const char* name) {
    const std::string path = root + "/blocks/" + name;
    if (!in.has(path)) return std::vector<int>(static_cast<std::size_t>(count), 0);
    std::vector<int> numbers = in.integers(path);
    if (numbers.size() != laws.size())
      in.fail(path, fmt::format("{} numbers, expected {}", numbers.size(), count));
    return numbers;
  };
  const VectorX rolling = reals("rolling"), torsion = reals("torsion");
  const std::vector<int> tangents = counts("tangents"), spins = counts("spins");
  int offset = 0;
  for (int i = 0; i < count; ++i) {
    if (laws[i] < 0 || laws[i] >= static_cast<int>(std::size(law_numbers)))
      in.fail(root + "/blocks/law", fmt::format("entry {} is {}, no law", i, laws[i]));
    if (sizes[i] < 1 || sizes[i] > rows - offset)
      in.fail(root + "/blocks/size", fmt::format("entry {} is {}, beyond the rows", i, sizes[i]));
    if (tangents[i] < 0 || tangents[i] > 3 || spins[i] < 0 || spins[i] > 1)
      in.fail(root + "/blocks/tangents",
              fmt::format("entry {} is {}, beside {} spins", i, tangents[i], spins[i]));
    problem.blocks.push_back(
        {law_numbers[laws[i]], offset, sizes[i], friction[i], lower[i], upper[i], rolling[i],
         torsion[i], static_cast<std::uint8_t>(tangents[i]), static_cast<std::uint8_t>(spins[i])});
    offset += sizes[i];
  }
  return problem;
}

std::optional<Solution> read_answer(const Hdf5File& in, const std::string& group, int n, int m) {
  if (!in.has(group)) return {};
  return Solution{in.reals(group + "/u", n), in.reals(group + "/lambda", m)};
}

// FCLib keeps the parts of an answer apart: v, and the multipliers r of the contacts and l of the
// equalities.
std::optional<Solution> read_fclib_answer(const Hdf5File& in, const std::string& group,
                                          const ComplementarityProblem& problem) {
  if (!in.has(group + "/r")) return {};
  const int m = problem.rows();
  const bool equalities = !problem.blocks.empty() && problem.blocks.back().law == Law::equality;
  const int tail = equalities ? problem.blocks.back().size : 0;
  Solution answer{VectorX::Zero(problem.unknowns()), in.reals(group + "/r", m - tail)};
  if (tail > 0) answer.lambda = joined(answer.lambda, in.reals(group + "/l", tail));
  if (problem.unknowns() > 0) answer.u = in.reals(group + "/v", problem.unknowns());
  return answer;
}

// ---------------------------------------------------------------------------------------- writing

// Rows (n, t, r), as many of λ_t as of λ_r: the only ones that FCLib knows.
bool is_plain_rolling(const Block& block) {
  return block.law == Law::moments && block.spins == 0 && block.size % 2 == 1 &&
         law::moment_start(block) == 1 + (block.size - 1) / 2;
}

// Rows of a contact if the blocks are coulomb or rolling, all of one law and size, otherwise 0;
// `contacts` is how many they are, and equality blocks may follow them where `tail` is allowed.
int contact_dimension(const ComplementarityProblem& problem, bool tail, std::size_t& contacts) {
  contacts = 0;
  for (std::size_t i = 0; i < problem.blocks.size(); ++i) {
    const Block &block = problem.blocks[i], &first = problem.blocks[0];
    const bool contact = block.law == Law::coulomb || is_plain_rolling(block);
    if (contact && contacts == i && block.law == first.law && block.size == first.size)
      ++contacts;
    else if (!(tail && contacts > 0 && block.law == Law::equality))
      return 0;
  }
  return contacts > 0 ? problem.blocks[0].size : 0;
}

void write_friction(Hdf5File& out, const std::string& root, const ComplementarityProblem& problem,
                    std::size_t contacts) {
  VectorX friction(static_cast<Eigen::Index>(contacts)), rolling(friction.size());
  for (std::size_t i = 0; i < contacts; ++i) {
    friction[static_cast<Eigen::Index>(i)] = problem.blocks[i].friction;
    rolling[static_cast<Eigen::Index>(i)] = problem.blocks[i].rolling;
  }
  out.write_reals(root + "/vectors/mu", friction);
  if (problem.blocks[0].law == Law::moments) out.write_reals(root + "/vectors/mu_r", rolling);
  out.write_integer(root + "/spacedim", problem.blocks[0].size);
}

void write_info(Hdf5File& out, const std::string& root, const ProblemFile& file) {
  out.write_text(root + "/info/title", file.title);
  out.write_text(root + "/info/description", file.description);
  out.write_text(root + "/info/math_info", "");
}

void write_fclib_answer(Hdf5File& out, const std::string& group, const Solution& answer,
                        const ComplementarityProblem& problem, int contact_rows) {
  VectorX w = problem.b;
  problem.J.multiply_add(answer.u.data(), w.data());
  problem.C.multiply_add(answer.lambda.data(), w.data());
  out.write_reals(group + "/v", answer.u);
  out.write_reals(group + "/u", w.head(contact_rows));
  out.write_reals(group + "/r", answer.lambda.head(contact_rows));
  out.write_reals(group + "/l", answer.lambda.tail(answer.lambda.size() - contact_rows));
}

void write_fclib_answers(Hdf5File& out, const ProblemFile& file, int contact_rows) {
  if (file.solution)
    write_fclib_answer(out, "/solution", *file.solution, file.problem, contact_rows);
  if (file.guess) {
    out.write_integer("/guesses/number_of_guesses", 1);
    write_fclib_answer(out, "/guesses/1", *file.guess, file.problem, contact_rows);
  }
}

void write_answers(Hdf5File& out, const ProblemFile& file) {
  const auto write = [&](const std::string& group, const std::optional<Solution>& answer) {
    if (!answer) return;
    out.write_reals(group + "/u", answer->u);
    out.write_reals(group + "/lambda", answer->lambda);
  };
  write("/guess", file.guess);
  write("/solution", file.solution);
}

// Columns [begin, begin + count) of a matrix.
SparseRows column_range(const SparseRows& matrix, int begin, int count) {
  return row_range(matrix.transposed(), begin, count).transposed();
}

bool equal(const SparseRows& a, const SparseRows& b) {
  return a.starts == b.starts && a.indices == b.indices && a.values == b.values;
}

// C = [W V; Vᵀ R], the form that equalities have in the local layout.
bool has_local_equalities(const ComplementarityProblem& problem, std::size_t contacts) {
  const int rows = static_cast<int>(contacts) * problem.blocks[0].size;
  const int equalities = problem.rows() - rows;
  return equal(column_range(row_range(problem.C, 0, rows), rows, equalities).transposed(),
               column_range(row_range(problem.C, rows, equalities), 0, rows));
}

void write_local(Hdf5File& out, const ProblemFile& file, std::size_t contacts) {
  const ComplementarityProblem& problem = file.problem;
  const int rows = static_cast<int>(contacts) * problem.blocks[0].size;
  const int equalities = problem.rows() - rows;
  const SparseRows upper = row_range(problem.C, 0, rows);
  write_matrix_columns(out, "/fclib_local/W", column_range(upper, 0, rows));
  out.write_reals("/fclib_local/vectors/q", problem.b.head(rows));
  if (equalities > 0) {
    const SparseRows lower = row_range(problem.C, rows, equalities);
    write_matrix_columns(out, "/fclib_local/V", column_range(upper, rows, equalities));
    write_matrix_columns(out, "/fclib_local/R", column_range(lower, rows, equalities));
    out.write_reals("/fclib_local/vectors/s", problem.b.tail(equalities));
  }
  write_friction(out, "/fclib_local", problem, contacts);
  write_info(out, "/fclib_local", file);
  write_fclib_answers(out, file, rows);
}

void write_global(Hdf5File& out, const ProblemFile& file, std::size_t contacts) {
  const ComplementarityProblem& problem = file.problem;
  const int rows = static_cast<int>(contacts) * problem.blocks[0].size;
  const int equalities = problem.rows() - rows;
  write_matrix_columns(out, "/fclib_global/M", problem.M);
  write_matrix_columns(out, "/fclib_global/H", row_range(problem.J, 0, rows).transposed());
  if (equalities > 0) {
    write_matrix_columns(out, "/fclib_global/G",
                         row_range(problem.J, rows, equalities).transposed());
    out.write_reals("/fclib_global/vectors/b", problem.b.tail(equalities));
  }
  out.write_reals("/fclib_global/vectors/f", problem.p);
  out.write_reals("/fclib_global/vectors/w", problem.b.head(rows));
  write_friction(out, "/fclib_global", problem, contacts);
  write_info(out, "/fclib_global", file);
  write_fclib_answers(out, file, rows);
}

void write_lcp(Hdf5File& out, const ProblemFile& file) {
  write_matrix_columns(out, "/lcp/M", file.problem.C);
  out.write_reals("/lcp/q", file.problem.b);
  write_info(out, "/lcp", file);
  write_answers(out, file);
}

void write_mlcp(Hdf5File& out, const ProblemFile& file) {
  const ComplementarityProblem& problem = file.problem;
  const int rows = problem.rows();
  VectorX lower(rows), upper(rows);
  int equalities = 0;
  for (const Block& block : problem.blocks) {
    const bool equality = block.law == Law::equality;
    if (equality) equalities += block.size;
    const bool box = block.law == Law::box;
    lower.segment(block.offset, block.size)
        .setConstant(equality ? -infinity : (box ? block.lower : 0.0));
    upper.segment(block.offset, block.size).setConstant(box ? block.upper : infinity);
  }
  write_matrix_columns(out, "/mlcp/M", problem.C);
  out.write_reals("/mlcp/q", problem.b);
  out.write_reals("/mlcp/lb", lower);
  out.write_reals("/mlcp/ub", upper);
  out.write_integer("/mlcp/n_eq", equalities);
  out.write_integer("/mlcp/n_comp", rows - equalities);
  write_info(out, "/mlcp", file);
  write_answers(out, file);
}

void write_general(Hdf5File& out, const ProblemFile& file) {
  const std::string root = "/vinci_problem";
  const ComplementarityProblem& problem = file.problem;
  const auto count = static_cast<Eigen::Index>(problem.blocks.size());
  std::vector<int> laws, sizes, tangents, spins;
  VectorX friction(count), lower(count), upper(count), rolling(count), torsion(count);
  bool plain = true;  // no moments but those of rolling
  for (Eigen::Index i = 0; i < count; ++i) {
    const Block& block = problem.blocks[static_cast<std::size_t>(i)];
    laws.push_back(static_cast<int>(
        std::find(std::begin(law_numbers), std::end(law_numbers), block.law) - law_numbers));
    sizes.push_back(block.size);
    friction[i] = block.friction;
    lower[i] = block.lower;
    upper[i] = block.upper;
    rolling[i] = block.rolling;
    torsion[i] = block.torsion;
    tangents.push_back(block.tangents);
    spins.push_back(block.spins);
    plain = plain && (block.law != Law::moments || is_plain_rolling(block));
  }
  out.write_integer(root + "/version", general_version);
  write_matrix_rows(out, root + "/M", problem.M);
  write_matrix_rows(out, root + "/J", problem.J);
  write_matrix_rows(out, root + "/C", problem.C);
  out.write_reals(root + "/p", problem.p);
  out.write_reals(root + "/b", problem.b);
  out.write_integers(root + "/blocks/law", laws);
  out.write_integers(root + "/blocks/size", sizes);
  out.write_reals(root + "/blocks/friction", friction);
  out.write_reals(root + "/blocks/lower", lower);
  out.write_reals(root + "/blocks/upper", upper);
  if ((rolling.array() != 0.0).any()) out.write_reals(root + "/blocks/rolling", rolling);
  if (!plain) {
    out.write_reals(root + "/blocks/torsion", torsion);
    out.write_integers(root + "/blocks/tangents", tangents);
    out.write_integers(root + "/blocks/spins", spins);
  }
  write_info(out, root, file);
  write_answers(out, file);
}

// The layout /mlcp counts its equalities and puts them first.
bool equalities_first(const ComplementarityProblem& problem) {
  bool others = false;
  for (const Block& block : problem.blocks) {
    if (block.law == Law::equality && others) return false;
    others = others || block.law != Law::equality;
  }
  return true;
}

}  // namespace

std::string problem_class(const ComplementarityProblem& problem) {
  const bool local = problem.unknowns() == 0;
  std::size_t contacts = 0;
  if (const int dimension = contact_dimension(problem, false, contacts)) {
    if (!local && !problem.C.empty()) return "mixed";
    const bool rolls = problem.blocks[0].law == Law::moments;
    const std::string kind =
        rolls ? (dimension == 3 ? "rfc2d" : "rfc3d") : (dimension == 2 ? "fc2d" : "fc3d");
    return local ? kind : "g" + kind;
  }
  if (!local) return "mixed";
  bool lcp = true, relay = !problem.blocks.empty();
  for (const Block& block : problem.blocks) {
    if (block.law != Law::equality && block.law != Law::nonnegative && block.law != Law::box)
      return "mixed";
    lcp = lcp && block.law == Law::nonnegative;
    relay =
        relay && block.law == Law::box && std::isfinite(block.lower) && std::isfinite(block.upper);
  }
  return lcp ? "lcp" : (relay ? "relay" : "mlcp");
}

ProblemFile load_problem_file(const std::string& path) {
  const Hdf5File in(path, Hdf5File::Mode::read);
  struct Layout {
    const char* root;
    ComplementarityProblem (*read)(const Hdf5File&, const std::string&);
    bool fclib;
  };
  static constexpr Layout layouts[] = {{"/fclib_local", read_local, true},
                                       {"/fclib_global", read_global, true},
                                       {"/fclib_local_rolling", read_local, true},
                                       {"/fclib_global_rolling", read_global, true},
                                       {"/lcp", read_lcp, false},
                                       {"/mlcp", read_mlcp, false},
                                       {"/vinci_problem", read_general, false}};
  for (const Layout& layout : layouts) {
    if (!in.has(layout.root)) continue;
    ProblemFile file;
    file.problem = layout.read(in, layout.root);
    if (const std::string why = file.problem.why_invalid(); !why.empty()) in.fail(layout.root, why);
    const int n = file.problem.unknowns(), m = file.problem.rows();
    file.solution = layout.fclib ? read_fclib_answer(in, "/solution", file.problem)
                                 : read_answer(in, "/solution", n, m);
    file.guess = layout.fclib ? read_fclib_answer(in, "/guesses/1", file.problem)
                              : read_answer(in, "/guess", n, m);
    const auto text = [&](const std::string& name) { return in.has(name) ? in.text(name) : ""; };
    file.title = text(std::string(layout.root) + "/info/title");
    file.description = text(std::string(layout.root) + "/info/description");
    return file;
  }
  throw Error(
      "holds no problem; expected /fclib_local, /fclib_global, /lcp, /mlcp or /vinci_problem",
      path);
}

ComplementarityProblem load_problem(const std::string& path) {
  return load_problem_file(path).problem;
}

void save_problem_file(const std::string& path, const ProblemFile& file, ProblemLayout layout) {
  const ComplementarityProblem& problem = file.problem;
  if (const std::string why = problem.why_invalid(); !why.empty())
    throw Error("not a valid problem: " + why, path);
  for (const std::optional<Solution>* answer : {&file.guess, &file.solution})
    if (*answer &&
        ((*answer)->u.size() != problem.unknowns() || (*answer)->lambda.size() != problem.rows()))
      throw Error("the guess or solution does not fit the problem", path);
  Hdf5File out(path, Hdf5File::Mode::create);
  const std::string kind = problem_class(problem);
  std::size_t contacts = 0;
  if (layout == ProblemLayout::general)
    write_general(out, file);
  else if (kind == "lcp")
    write_lcp(out, file);
  else if ((kind == "mlcp" && equalities_first(problem)) || kind == "relay")
    write_mlcp(out, file);
  else if (contact_dimension(problem, true, contacts) == 0)
    write_general(out, file);
  else if (problem.unknowns() == 0 && has_local_equalities(problem, contacts))
    write_local(out, file, contacts);
  else if (problem.unknowns() > 0 && problem.C.empty())
    write_global(out, file, contacts);
  else
    write_general(out, file);
  out.commit();
}

void save_problem(const std::string& path, const ComplementarityProblem& problem,
                  ProblemLayout layout) {
  save_problem_file(path, {problem, {}, {}, {}, {}}, layout);
}

}  // namespace vinci
