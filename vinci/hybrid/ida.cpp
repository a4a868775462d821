// SPDX-License-Identifier: Apache-2.0
// IDA of SUNDIALS [Hindmarsh 2005] with dense exact Jacobians.
#include "vinci/hybrid/ida.h"

#include <algorithm>
#include <array>
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

constexpr double no_tolerance = 1e100;  // anything passes
constexpr int most_steps = 100'000;     // of a part
// Steps that are longer, as a share of the part, are looked into; so often a part is begun anew
// within one at most.
constexpr double long_step = 1.0 / 128.0;
constexpr int most_returns = 100;

std::string words_of(int flag) {
  switch (flag) {
    case IDA_TOO_MUCH_WORK:
      return fmt::format("it needs more than {} steps between two events", most_steps);
    case IDA_ERR_FAIL:
      return "no step is short enough to be as exact as asked for";
    case IDA_CONV_FAIL:
    case IDA_LSETUP_FAIL:
    case IDA_LSOLVE_FAIL:
      return "Newton's method finds no next state, however short the step";
    case IDA_REP_RES_ERR:
    case IDA_RES_FAIL:
    case IDA_FIRST_RES_FAIL:
      return "the equations have no finite numbers there";
    default:
      break;
  }
  const std::unique_ptr<char, decltype(&std::free)> name(IDAGetReturnFlagName(flag), &std::free);
  return name.get();
}

// A step of the integrator from within: IDA sees changes of sign between the ends of a step alone,
// and where nothing curves the motion but the functions that are watched, its steps are long. They
// are taken at a few times, and where parabolas through those come near zero.
class StepInside {
 public:
  StepInside(void* memory, Bridge& bridge, N_Vector scratch)
      : memory_(memory), bridge_(bridge), scratch_(scratch) {}

  // The first time found before which a function has changed its sign, unseen from `from` and `to`;
  // infinity: none. What is told at `to` has been seen.
  double unseen(double from, const VectorX& start, double to, const std::vector<int>& told) {
    times_[0] = from;
    if (!look(from, start, values_[0])) return infinity;
    for (std::size_t i = 1; i < times_.size(); ++i) {
      times_[i] = i + 1 < times_.size() ? from + shares[i] * (to - from) : to;
      if (!look(times_[i], values_[i])) return infinity;
    }
    double first = infinity;
    for (Eigen::Index w = 0; w < values_[0].size(); ++w)
      first = std::min(first, unseen(w, told[static_cast<std::size_t>(w)] != 0));
    return first - from > 1e-9 * (to - from) ? first : infinity;
  }

 private:
  static constexpr std::array<double, 5> shares = {0.0, 0.23, 0.48, 0.74, 1.0};

  bool look(double time, VectorX& values) {
    return IDAGetDky(memory_, time, 0, scratch_) == 0 &&
           look(time, Bridge::taken(scratch_), values);
  }

  bool look(double time, const VectorX& y, VectorX& values) {
    const std::string thrown = bridge_.thrown;
    values.resize(bridge_.values.size());
    const int failed = bridge_.guarded([&] {
      bridge_.system.watches(time, y, values);
      return values.allFinite();
    });
    bridge_.thrown = thrown;
    return failed == 0;
  }

  bool crosses(Eigen::Index w, double before, double after) const {
    const int direction = bridge_.system.watch_direction(static_cast<int>(w));
    return (before > 0.0 && after < 0.0 && direction <= 0) ||
           (before < 0.0 && after > 0.0 && direction >= 0);
  }

  double unseen(Eigen::Index w, bool told) {
    const std::size_t last = times_.size() - 1;
    for (std::size_t i = 1; i <= last; ++i) {
      const double before = values_[i - 1][w];
      if ((told && i == last) || !crosses(w, before, values_[i][w])) continue;
      // It has to be on the side that it comes from where a step ends.
      if (i > 1 && !(before * values_[0][w] > 0.0)) return times_[i - 1];
      return i < last ? times_[i] : infinity;
    }
    for (std::size_t i = 1; i < last; ++i)
      if (const double time = dip(w, i); time < infinity) return time;
    return infinity;
  }

  // Where the parabola through three times comes near zero, if the function is beyond it there.
  double dip(Eigen::Index w, std::size_t i) {
    const double a = values_[i - 1][w], b = values_[i][w], c = values_[i + 1][w];
    if (!(a * b > 0.0) || !(b * c > 0.0)) return infinity;
    const double left = times_[i - 1] - times_[i], right = times_[i + 1] - times_[i];
    const double to_left = (a - b) / left, to_right = (c - b) / right;
    const double bend = (to_right - to_left) / (right - left);
    const double slope = to_left - bend * left;
    const double way = -slope / (2.0 * bend);
    if (!(bend * b > 0.0) || !(way > left) || !(way < right)) return infinity;
    if ((b + 0.5 * slope * way) * b > 0.1 * b * b) return infinity;
    const double time = times_[i] + way;
    return look(time, between_) && between_[w] * b < 0.0 ? time : infinity;
  }

  void* memory_;
  Bridge& bridge_;
  N_Vector scratch_;
  std::array<double, 5> times_ = {};
  std::array<VectorX, 5> values_;
  VectorX between_;
};

}  // namespace

ImplicitPart integrate(ImplicitSystem& system, double accuracy, double time, double end, VectorX& y,
                       VectorX& slopes, Interruption* interruption) {
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
  const Owned<N_Vector, N_VDestroy> tolerances(N_VNew_Serial(size, context.handle));
  const Owned<SUNMatrix, SUNMatDestroy> matrix(SUNDenseMatrix(size, size, context.handle));
  const Owned<SUNLinearSolver, SUNLinSolFree> solver(
      SUNLinSol_Dense(state.get(), matrix.get(), context.handle));
  const std::unique_ptr<void, FreeMemory> memory(IDACreate(context.handle));
  if (!state || !rates || !kinds || !tolerances || !matrix || !solver || !memory)
    throw Failure("not enough memory for the integrator");
  Bridge::give(y, state.get());
  Bridge::give(slopes, rates.get());
  // What does not count in the errors of a step must not count in Newton's method either: of heavy
  // bodies the rounding of a sum is larger than any tolerance of positions.
  const double tolerance = std::max(accuracy / 2000.0, 1e-14);
  for (int i = 0; i < size; ++i) {
    const bool counts = system.is_differential(i);
    NV_Ith_S(kinds.get(), i) = counts ? 1.0 : 0.0;
    NV_Ith_S(tolerances.get(), i) = counts ? tolerance : no_tolerance;
  }

  must(IDAInit(memory.get(), residual_of, time, state.get(), rates.get()), "the start");
  must(IDASetErrHandlerFn(memory.get(), say_nothing, nullptr), "a handler");
  must(IDASetUserData(memory.get(), &bridge), "its data");
  must(IDASVtolerances(memory.get(), tolerance, tolerances.get()), "the tolerances");
  must(IDASetLinearSolver(memory.get(), solver.get(), matrix.get()), "the linear solver");
  must(IDASetJacFn(memory.get(), jacobian_of), "the Jacobian");
  must(IDASetId(memory.get(), kinds.get()), "the kinds of variables");
  must(IDASetSuppressAlg(memory.get(), SUNTRUE), "algebraic variables");
  must(IDASetMaxNumSteps(memory.get(), most_steps), "the number of steps");
  must(IDASetStopTime(memory.get(), end), "the end");
  if (system.watch_count() > 0) {
    must(IDARootInit(memory.get(), system.watch_count(), watches_of), "what is watched");
    std::vector<int> directions;
    for (int i = 0; i < system.watch_count(); ++i) directions.push_back(system.watch_direction(i));
    must(IDASetRootDirection(memory.get(), directions.data()), "directions");
    must(IDASetNoInactiveRootWarn(memory.get()), "what is watched");
  }

  const Owned<N_Vector, N_VDestroy> scratch(N_VNew_Serial(size, context.handle));
  if (!scratch) throw Failure("not enough memory for the integrator");
  StepInside inside(memory.get(), bridge, scratch.get());
  ImplicitPart part;
  part.time = time;
  std::vector<int> found(static_cast<std::size_t>(system.watch_count()));
  std::int64_t steps_before = 0, evaluations_before = 0;
  const auto count = [&] {
    long steps = 0, evaluations = 0;
    IDAGetNumSteps(memory.get(), &steps);
    IDAGetNumResEvals(memory.get(), &evaluations);
    part.steps = steps_before + steps;
    part.evaluations = evaluations_before + evaluations;
  };
  int flag = IDA_SUCCESS;
  int returns = 0;
  for (double stop = end; flag != IDA_ROOT_RETURN && part.time < end;) {
    if (interruption != nullptr) interruption->ask();
    const double before = part.time;
    const VectorX y_before = Bridge::taken(state.get()), slopes_before = Bridge::taken(rates.get());
    flag = IDASolve(memory.get(), stop, &part.time, state.get(), rates.get(), IDA_ONE_STEP);
    count();
    if (flag >= 0 && part.steps > most_steps) flag = IDA_TOO_MUCH_WORK;
    if (flag < 0) break;
    std::fill(found.begin(), found.end(), 0);
    if (flag == IDA_ROOT_RETURN) IDAGetRootInfo(memory.get(), found.data());
    if (part.time - before > long_step * (end - time) && !found.empty() && returns < most_returns) {
      if (const double unseen = inside.unseen(before, y_before, part.time, found);
          unseen < part.time) {
        ++returns;
        steps_before = part.steps;
        evaluations_before = part.evaluations;
        Bridge::give(y_before, state.get());
        Bridge::give(slopes_before, rates.get());
        must(IDAReInit(memory.get(), before, state.get(), rates.get()), "to go back");
        stop = unseen;
        part.time = before;
        flag = IDA_SUCCESS;
        must(IDASetStopTime(memory.get(), stop), "the end");
        continue;
      }
    }
    system.reached(part.time, Bridge::taken(state.get()));
    if (flag == IDA_TSTOP_RETURN && stop < end) {
      stop = end;
      must(IDASetStopTime(memory.get(), stop), "the end");
    }
  }
  if (flag < 0) {
    part.why = bridge.thrown.empty() ? words_of(flag) : bridge.thrown;
    if (part.steps == 0) return part;
    if (IDAGetEstLocalErrors(memory.get(), scratch.get()) == 0 &&
        IDAGetErrWeights(memory.get(), tolerances.get()) == 0)
      Bridge::taken(scratch.get())
          .cwiseProduct(Bridge::taken(tolerances.get()))
          .cwiseAbs()
          .maxCoeff(&part.worst);
  }
  y = Bridge::taken(state.get());
  slopes = Bridge::taken(rates.get());
  if (flag == IDA_ROOT_RETURN) {
    for (std::size_t i = 0; i < found.size(); ++i)
      if (found[i] != 0) part.watches.push_back(static_cast<int>(i));
  } else if (part.why.empty()) {
    part.time = end;
  }
  return part;
}

}  // namespace vinci
