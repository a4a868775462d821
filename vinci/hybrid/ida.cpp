// SPDX-License-Identifier: Apache-2.0
// IDA of SUNDIALS [Hindmarsh 2005] with dense exact Jacobians.
#include "vinci/hybrid/ida.h"

#include <algorithm>
#include <cstdlib>
#include <memory>

#include <fmt/format.h>
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "vinci/base/error.h"

namespace vinci {
namespace {

// What IDA calls back with: copies into vectors of ours.
struct Bridge {
  ImplicitSystem& system;
  VectorX y, slopes, rows, values;
  MatrixX matrix;
  std::string thrown = {};

  static VectorX taken(N_Vector vector) {
    return Eigen::Map<const VectorX>(NV_DATA_S(vector), NV_LENGTH_S(vector));
  }
  static void give(const VectorX& values, N_Vector vector) {
    Eigen::Map<VectorX>(NV_DATA_S(vector), NV_LENGTH_S(vector)) = values;
  }
  // Exceptions must not pass through C: a positive number asks for a shorter step.
  template <class Work>
  int guarded(const Work& work) {
    try {
      return work() ? 0 : 1;
    } catch (const Failure& failure) {
      thrown = failure.what();  // a shorter step may lead to what is known
      return 1;
    } catch (const std::exception& error) {
      thrown = error.what();
      return -1;
    }
  }
};

int residual_of(realtype time, N_Vector y, N_Vector slopes, N_Vector rows, void* data) {
  Bridge& bridge = *static_cast<Bridge*>(data);
  return bridge.guarded([&] {
    bridge.y = Bridge::taken(y);
    bridge.slopes = Bridge::taken(slopes);
    bridge.system.residual(time, bridge.y, bridge.slopes, bridge.rows);
    Bridge::give(bridge.rows, rows);
    return bridge.rows.allFinite();
  });
}

int jacobian_of(realtype time, realtype factor, N_Vector y, N_Vector slopes, N_Vector,
                SUNMatrix matrix, void* data, N_Vector, N_Vector, N_Vector) {
  Bridge& bridge = *static_cast<Bridge*>(data);
  return bridge.guarded([&] {
    bridge.y = Bridge::taken(y);
    bridge.slopes = Bridge::taken(slopes);
    bridge.system.jacobian(time, factor, bridge.y, bridge.slopes, bridge.matrix);
    Eigen::Map<MatrixX>(SM_DATA_D(matrix), SM_ROWS_D(matrix), SM_COLUMNS_D(matrix)) = bridge.matrix;
    return bridge.matrix.allFinite();
  });
}

int watches_of(realtype time, N_Vector y, N_Vector, realtype* values, void* data) {
  Bridge& bridge = *static_cast<Bridge*>(data);
  return bridge.guarded([&] {
    bridge.y = Bridge::taken(y);
    bridge.system.watches(time, bridge.y, bridge.values);
    Eigen::Map<VectorX>(values, bridge.values.size()) = bridge.values;
    return true;
  });
}

void say_nothing(int, const char*, const char*, char*, void*) {}

// Things of SUNDIALS that free themselves, those made last first.
struct Context {
  SUNContext handle = nullptr;
  Context() {
    if (SUNContext_Create(nullptr, &handle) != 0) throw Failure("SUNDIALS does not start");
  }
  ~Context() { SUNContext_Free(&handle); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
};
struct FreeMemory {
  void operator()(void* memory) const { IDAFree(&memory); }
};
template <class Handle, auto release>
struct Release {
  using pointer = Handle;
  void operator()(Handle handle) const { release(handle); }
};
template <class Handle, auto release>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Release<Handle, release>>;

void must(int flag, const char* what) {
  if (flag < 0) throw Failure(fmt::format("IDA refuses {} ({})", what, flag));
}

}  // namespace

ImplicitPart integrate(ImplicitSystem& system, double accuracy, double time, double end, VectorX& y,
                       VectorX& slopes) {
  const int size = system.size();
  Bridge bridge{system,
                y,
                slopes,
                VectorX::Zero(size),
                VectorX::Zero(system.watch_count()),
                MatrixX::Zero(size, size)};
  const Context context;
  const Owned<N_Vector, N_VDestroy> state(N_VNew_Serial(size, context.handle));
  const Owned<N_Vector, N_VDestroy> rates(N_VNew_Serial(size, context.handle));
  const Owned<N_Vector, N_VDestroy> kinds(N_VNew_Serial(size, context.handle));
  const Owned<SUNMatrix, SUNMatDestroy> matrix(SUNDenseMatrix(size, size, context.handle));
  const Owned<SUNLinearSolver, SUNLinSolFree> solver(
      SUNLinSol_Dense(state.get(), matrix.get(), context.handle));
  const std::unique_ptr<void, FreeMemory> memory(IDACreate(context.handle));
  if (!state || !rates || !kinds || !matrix || !solver || !memory)
    throw Failure("not enough memory for the integrator");
  Bridge::give(y, state.get());
  Bridge::give(slopes, rates.get());
  for (int i = 0; i < size; ++i) NV_Ith_S(kinds.get(), i) = system.is_differential(i) ? 1.0 : 0.0;
  const double tolerance = std::max(accuracy / 2000.0, 1e-14);

  must(IDAInit(memory.get(), residual_of, time, state.get(), rates.get()), "the start");
  must(IDASetErrHandlerFn(memory.get(), say_nothing, nullptr), "a handler");
  must(IDASetUserData(memory.get(), &bridge), "its data");
  must(IDASStolerances(memory.get(), tolerance, tolerance), "the tolerances");
  must(IDASetLinearSolver(memory.get(), solver.get(), matrix.get()), "the linear solver");
  must(IDASetJacFn(memory.get(), jacobian_of), "the Jacobian");
  must(IDASetId(memory.get(), kinds.get()), "the kinds of variables");
  must(IDASetSuppressAlg(memory.get(), SUNTRUE), "algebraic variables");
  must(IDASetMaxNumSteps(memory.get(), 100'000), "the number of steps");
  must(IDASetStopTime(memory.get(), end), "the end");
  if (system.watch_count() > 0) {
    must(IDARootInit(memory.get(), system.watch_count(), watches_of), "what is watched");
    std::vector<int> directions;
    for (int i = 0; i < system.watch_count(); ++i) directions.push_back(system.watch_direction(i));
    must(IDASetRootDirection(memory.get(), directions.data()), "directions");
    must(IDASetNoInactiveRootWarn(memory.get()), "what is watched");
  }

  ImplicitPart part;
  part.time = time;
  const int flag = IDASolve(memory.get(), end, &part.time, state.get(), rates.get(), IDA_NORMAL);
  long steps = 0, evaluations = 0;
  IDAGetNumSteps(memory.get(), &steps);
  IDAGetNumResEvals(memory.get(), &evaluations);
  part.steps = steps;
  part.evaluations = evaluations;
  if (flag < 0) {
    const std::unique_ptr<char, decltype(&std::free)> name(IDAGetReturnFlagName(flag), &std::free);
    part.why = bridge.thrown.empty() ? name.get() : bridge.thrown;
    if (part.steps == 0) return part;
  }
  y = Bridge::taken(state.get());
  slopes = Bridge::taken(rates.get());
  if (flag == IDA_ROOT_RETURN) {
    std::vector<int> found(static_cast<std::size_t>(system.watch_count()));
    IDAGetRootInfo(memory.get(), found.data());
    for (std::size_t i = 0; i < found.size(); ++i)
      if (found[i] != 0) part.watches.push_back(static_cast<int>(i));
  } else if (part.why.empty()) {
    part.time = end;
  }
  return part;
}

}  // namespace vinci
