// SPDX-License-Identifier: Apache-2.0
// The solvers of Siconos numerics as contenders. Problem and options are made anew, outside the
// timing, for every solve, since several of its solvers keep factors in them.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <FrictionContactProblem.h>
#include <GlobalFrictionContactProblem.h>
#include <LinearComplementarityProblem.h>
#include <MLCP_Solvers.h>
#include <MixedLinearComplementarityProblem.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <NumericsSparseMatrix.h>
#include <NumericsVerbose.h>
#include <RelayProblem.h>
#include <SolverOptions.h>
#include <SparseBlockMatrix.h>
#include <fmt/format.h>
#include <lcp_cst.h>

#include "solvers/contender.h"
#include "solvers/local_form.h"
#include "solvers/siconos_recipes.h"

namespace vinci {
namespace {

enum class Storage { dense, sparse, blocks };
constexpr int largest_dense = 8000;  // rows: half a gigabyte

using Columns = Eigen::SparseMatrix<double>;

double* copy_of(const VectorX& vector) {
  auto* data = static_cast<double*>(std::malloc(sizeof(double) * std::max(1L, vector.size())));
  std::copy(vector.begin(), vector.end(), data);
  return data;
}

NumericsMatrix* sparse_matrix(const Columns& matrix) {
  NumericsMatrix* made =
      NM_create(NM_SPARSE, static_cast<int>(matrix.rows()), static_cast<int>(matrix.cols()));
  NM_triplet_alloc(made, matrix.nonZeros());
  made->matrix2->origin = NSM_TRIPLET;
  for (int column = 0; column < matrix.outerSize(); ++column)
    for (Columns::InnerIterator entry(matrix, column); entry; ++entry)
      NM_entry(made, static_cast<int>(entry.row()), column, entry.value());
  NM_csc(made);  // its solvers want either form; conversions are not timed
  return made;
}

NumericsMatrix* dense_matrix(const Columns& matrix) {
  NumericsMatrix* made =
      NM_create(NM_DENSE, static_cast<int>(matrix.rows()), static_cast<int>(matrix.cols()));
  Eigen::Map<MatrixX>(made->matrix0, matrix.rows(), matrix.cols()) = matrix;
  return made;
}

NumericsMatrix* block_matrix(const Columns& matrix, int size) {
  NumericsMatrix* entries = sparse_matrix(matrix);
  SparseBlockStructuredMatrix* blocks = SBM_new();
  SBM_from_csparse(size, NM_csc(entries), blocks);
  NM_clear(entries);
  std::free(entries);
  return NM_new_SBM(static_cast<int>(matrix.rows()), static_cast<int>(matrix.cols()), blocks);
}

NumericsMatrix* stored(const Columns& matrix, Storage storage, int block) {
  if (storage == Storage::dense) return dense_matrix(matrix);
  if (storage == Storage::sparse) return sparse_matrix(matrix);
  return block_matrix(matrix, block);
}

const char* name_of(Storage storage) {
  if (storage == Storage::dense) return "dense";
  return storage == Storage::sparse ? "sparse" : "blocks";
}

SolverOptions* make_options(const SiconosRecipe& recipe, double tolerance) {
  SolverOptions* options = solver_options_create(recipe.solver);
  if (recipe.inner != 0) solver_options_update_internal(options, 0, recipe.inner);
  options->iparam[SICONOS_IPARAM_MAX_ITER] = recipe.iterations;
  options->dparam[SICONOS_DPARAM_TOL] = tolerance;
  for (const auto& [slot, value] : recipe.integers) options->iparam[slot] = value;
  for (const auto& [slot, value] : recipe.reals) options->dparam[slot] = value;
  options->filterOn = false;  // its own check after the solve decides nothing here
  return options;
}

class SiconosContender : public Contender {
 public:
  SiconosContender(SiconosRecipe recipe, std::string label, int unknowns, int rows)
      : recipe_(std::move(recipe)), label_(std::move(label)) {
    solution_.u.setZero(unknowns);
    solution_.lambda.setZero(rows);
  }
  ~SiconosContender() override {
    if (options_) solver_options_delete(options_);
    std::free(options_);
  }
  std::string name() const override { return label_; }
  std::string family() const override { return label_.substr(0, label_.find(',')); }
  std::vector<double> ladder(double asked) const override {
    if (recipe_.direct) return {1e-12};
    std::vector<double> tolerances;
    for (double t = 1e3 * asked; t > 0.5e-14; t *= std::sqrt(0.1)) tolerances.push_back(t);
    return tolerances;
  }
  void prepare(double tolerance) override {
    numerics_set_verbose(0);
    release();
    if (options_) {
      solver_options_delete(options_);
      std::free(options_);
    }
    options_ = make_options(recipe_, tolerance);
    solution_.lambda.setZero();
    w_.setZero(solution_.lambda.size());
    build();
  }
  void solve() override { info_ = drive(); }
  const Solution& solution() const override { return solution_; }
  std::string status() const override { return fmt::format("info {}", info_); }

 protected:
  virtual void build() = 0;
  virtual void release() = 0;
  virtual int drive() = 0;

  SiconosRecipe recipe_;
  std::string label_;
  SolverOptions* options_ = nullptr;
  Solution solution_;
  VectorX w_;
  int info_ = -1;
};

class LocalContender : public SiconosContender {
 public:
  LocalContender(std::shared_ptr<const LocalForm> form, Storage storage,
                 const SiconosRecipe& recipe, std::string label, int unknowns)
      : SiconosContender(recipe, std::move(label), unknowns, static_cast<int>(form->q.size())),
        form_(std::move(form)),
        storage_(storage) {}
  bool condensed() const override { return solution_.u.size() > 0; }

 protected:
  int rows() const { return static_cast<int>(form_->q.size()); }
  double* z() { return solution_.lambda.data(); }
  NumericsMatrix* matrix(int block) const { return stored(form_->W, storage_, block); }

  std::shared_ptr<const LocalForm> form_;
  Storage storage_;
};

class LcpContender : public LocalContender {
 public:
  using LocalContender::LocalContender;
  ~LcpContender() override { LcpContender::release(); }

 protected:
  void build() override {
    problem_ = newLCP();
    problem_->size = rows();
    problem_->M = matrix(1);
    problem_->q = copy_of(form_->q);
  }
  void release() override {
    if (problem_) freeLinearComplementarityProblem(problem_);
    problem_ = nullptr;
  }
  int drive() override { return linearComplementarity_driver(problem_, z(), w_.data(), options_); }

 private:
  LinearComplementarityProblem* problem_ = nullptr;
};

class MlcpContender : public LocalContender {
 public:
  using LocalContender::LocalContender;
  ~MlcpContender() override { MlcpContender::release(); }

 protected:
  void build() override {
    problem_ = mixedLinearComplementarity_new();
    problem_->isStorageType1 = 1;
    problem_->isStorageType2 = 0;
    problem_->n = form_->equalities;
    problem_->m = rows() - form_->equalities;
    problem_->blocksRows = static_cast<int*>(std::malloc(3 * sizeof(int)));
    problem_->blocksIsComp = static_cast<int*>(std::malloc(3 * sizeof(int)));
    const int starts[] = {0, problem_->n, rows()};
    std::copy(starts, starts + 3, problem_->blocksRows);
    problem_->blocksIsComp[0] = 0;
    problem_->blocksIsComp[1] = 1;
    problem_->M = matrix(1);
    problem_->q = copy_of(form_->q);
    fill_parts();
    mlcp_driver_init(problem_, options_);
  }
  void release() override {
    if (!problem_) return;
    mlcp_driver_reset(problem_, options_);
    problem_ = nullptr;  // its own function frees parts that it does not own: a small leak instead
  }
  int drive() override { return mlcp_driver(problem_, z(), w_.data(), options_); }

 private:
  // The same matrix as [A C; D B], which its Gauss-Seidel solvers read.
  void fill_parts() {
    const MatrixX M = form_->W;
    const int n = problem_->n, m = problem_->m;
    const auto copy = [](const MatrixX& part) { return copy_of(VectorX(part.reshaped())); };
    problem_->A = copy(M.topLeftCorner(n, n));
    problem_->C = copy(M.topRightCorner(n, m));
    problem_->D = copy(M.bottomLeftCorner(m, n));
    problem_->B = copy(M.bottomRightCorner(m, m));
    problem_->a = copy_of(form_->q.head(n));
    problem_->b = copy_of(form_->q.tail(m));
    problem_->isStorageType2 = 1;
  }

  MixedLinearComplementarityProblem* problem_ = nullptr;
};

class RelayContender : public LocalContender {
 public:
  using LocalContender::LocalContender;
  ~RelayContender() override { RelayContender::release(); }

 protected:
  void build() override {
    problem_ = relayProblem_new();
    problem_->size = rows();
    problem_->M = matrix(1);
    problem_->q = copy_of(form_->q);
    problem_->lb = copy_of(form_->lower);
    problem_->ub = copy_of(form_->upper);
  }
  void release() override {
    if (problem_) freeRelay_problem(problem_);
    problem_ = nullptr;
  }
  int drive() override { return relay_driver(problem_, z(), w_.data(), options_); }

 private:
  RelayProblem* problem_ = nullptr;
};

class FrictionContender : public LocalContender {
 public:
  using LocalContender::LocalContender;
  ~FrictionContender() override { FrictionContender::release(); }

 protected:
  void build() override {
    const int dimension = form_->kind == "fc2d" ? 2 : 3;
    problem_ =
        frictionContactProblem_new_with_data(dimension, rows() / dimension, matrix(dimension),
                                             copy_of(form_->q), copy_of(form_->friction));
  }
  void release() override {
    if (problem_) frictionContactProblem_free(problem_);
    problem_ = nullptr;
  }
  int drive() override {
    return problem_->dimension == 2 ? fc2d_driver(problem_, z(), w_.data(), options_)
                                    : fc3d_driver(problem_, z(), w_.data(), options_);
  }

 private:
  FrictionContactProblem* problem_ = nullptr;
};

class GlobalContender : public SiconosContender {
 public:
  GlobalContender(const ComplementarityProblem& problem, const SiconosRecipe& recipe,
                  std::string label)
      : SiconosContender(recipe, std::move(label), problem.unknowns(), problem.rows()),
        M_(problem.M.view()),
        H_(problem.J.view().transpose()),
        q_(problem.p),
        b_(problem.b),
        friction_(static_cast<long>(problem.blocks.size())) {
    for (long i = 0; i < friction_.size(); ++i)
      friction_[i] = problem.blocks[static_cast<std::size_t>(i)].friction;
  }
  ~GlobalContender() override { GlobalContender::release(); }

 protected:
  void build() override {
    problem_ = globalFrictionContactProblem_new();
    problem_->dimension = 3;
    problem_->numberOfContacts = static_cast<int>(friction_.size());
    problem_->M = sparse_matrix(M_);
    problem_->H = sparse_matrix(H_);
    problem_->q = copy_of(q_);
    problem_->b = copy_of(b_);
    problem_->mu = copy_of(friction_);
    velocity_.setZero(q_.size());
  }
  void release() override {
    if (problem_) globalFrictionContact_free(problem_);
    problem_ = nullptr;
  }
  int drive() override {
    return gfc3d_driver(problem_, solution_.lambda.data(), w_.data(), velocity_.data(), options_);
  }

 private:
  Columns M_, H_;
  VectorX q_, b_, friction_, velocity_;
  GlobalFrictionContactProblem* problem_ = nullptr;
};

std::vector<Storage> storages(const std::string& kind, const SiconosRecipe& recipe, int rows) {
  if (recipe.solver == SICONOS_LCP_NSGS_SBM) return {Storage::blocks};
  const bool contact = kind == "fc2d" || kind == "fc3d";
  if (contact && rows > 300) return {Storage::blocks, Storage::sparse};
  if (contact) return {Storage::blocks, Storage::dense, Storage::sparse};
  if (kind == "lcp" && !recipe.direct && rows > 300) return {Storage::sparse, Storage::dense};
  return rows <= largest_dense ? std::vector{Storage::dense} : std::vector<Storage>{};
}

std::unique_ptr<Contender> local_contender(const std::shared_ptr<const LocalForm>& form,
                                           Storage storage, const SiconosRecipe& recipe,
                                           const std::string& label, int unknowns) {
  if (form->kind == "lcp")
    return std::make_unique<LcpContender>(form, storage, recipe, label, unknowns);
  if (form->kind == "mlcp")
    return std::make_unique<MlcpContender>(form, storage, recipe, label, unknowns);
  if (form->kind == "relay")
    return std::make_unique<RelayContender>(form, storage, recipe, label, unknowns);
  return std::make_unique<FrictionContender>(form, storage, recipe, label, unknowns);
}

}  // namespace

Contenders siconos_contenders(const ComplementarityProblem& problem) {
  Contenders contenders;
  const std::optional<LocalForm> form = local_form(problem);
  if (!form) return contenders;
  const auto shared = std::make_shared<const LocalForm>(*form);
  const int rows = problem.rows();
  const bool global = problem.unknowns() > 0;
  for (const SiconosRecipe& recipe : siconos_recipes(form->kind, rows))
    for (const Storage storage : storages(form->kind, recipe, rows))
      contenders.push_back(local_contender(
          shared, storage, recipe,
          fmt::format("{}{}, {}", global ? "W given: " : "", recipe.name, name_of(storage)),
          problem.unknowns()));
  if (global && form->kind == "fc3d" && problem.C.empty())
    for (const SiconosRecipe& recipe : siconos_recipes("gfc3d", rows))
      contenders.push_back(
          std::make_unique<GlobalContender>(problem, recipe, "global: " + recipe.name));
  return contenders;
}

}  // namespace vinci
