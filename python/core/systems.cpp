// SPDX-License-Identifier: Apache-2.0
// Linear systems: poles, zeros, responses, margins, root loci.
#include <fmt/format.h>

#include "python/core/code.h"
#include "vinci/simulation/linearize.h"
#include "vinci/systems/frequency.h"
#include "vinci/systems/modes.h"
#include "vinci/systems/root_locus.h"
#include "vinci/systems/time_response.h"
#include "vinci/systems/transfer_function.h"

namespace vinci::python {
namespace {

template <class Matrix>
py::array rows_of(const Matrix& given) {
  using Scalar = typename Matrix::Scalar;
  const Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows = given;
  return py::array_t<Scalar>({rows.rows(), rows.cols()}, rows.data());
}

py::array values_of(const ComplexVector& values) {
  return py::array_t<Complex>({values.size()}, values.data());
}

MatrixX matrix_of(const py::handle& object, const std::string& what) {
  const auto array = py::array_t<double, py::array::c_style | py::array::forcecast>::ensure(object);
  if (!array) {
    PyErr_Clear();
    throw Error("is not a matrix of real numbers", what);
  }
  if (array.ndim() != 2)
    throw Error(fmt::format("has {} dimensions; accepted: two", array.ndim()), what);
  return Eigen::Map<const RowMatrix>(array.data(), array.shape(0), array.shape(1));
}

using Names = std::vector<std::string>;

// One per state, input or output, or none.
void take_names(const std::optional<Names>& given, int count, const char* what, Names& names) {
  if (!given) return;
  if (static_cast<int>(given->size()) != count)
    throw Error(fmt::format("{} names; accepted: {}, or none", given->size(), count), what);
  names = *given;
}

LinearSystem made(const py::handle& a, const py::handle& b, const py::handle& c,
                  const py::handle& d, double sample, const std::optional<Names>& states,
                  const std::optional<Names>& inputs, const std::optional<Names>& outputs) {
  LinearSystem system = {matrix_of(a, "A"), matrix_of(b, "B"), matrix_of(c, "C"), matrix_of(d, "D"),
                         sample};
  check_system(system);
  take_names(states, system.state_count(), "states", system.states);
  take_names(inputs, system.input_count(), "inputs", system.inputs);
  take_names(outputs, system.output_count(), "outputs", system.outputs);
  return system;
}

int index_of(int index, int count, const char* what) {
  if (index < 0 || index >= count)
    throw Error(fmt::format("{}; accepted: 0 to {}", index, count - 1), what);
  return index;
}

py::dict transfer(const LinearSystem& system, int input, int output, double tolerance) {
  const TransferFunction function =
      transfer_function(system, index_of(input, system.input_count(), "input"),
                        index_of(output, system.output_count(), "output"), tolerance);
  return py::dict("gain"_a = function.gain, "zeros"_a = values_of(function.zeros),
                  "poles"_a = values_of(function.poles), "miss"_a = function.miss,
                  "known_up_to"_a = function.known_up_to,
                  "numerator"_a = copied(function.numerator()),
                  "denominator"_a = copied(function.denominator()));
}

py::array responses(const LinearSystem& system, const py::handle& frequencies) {
  const VectorX at = vector_of(frequencies, "frequencies");
  const std::vector<ComplexMatrix> values = frequency_response(system, at);
  py::array_t<Complex> array({static_cast<py::ssize_t>(at.size()),
                              static_cast<py::ssize_t>(system.output_count()),
                              static_cast<py::ssize_t>(system.input_count())});
  auto entries = array.mutable_unchecked<3>();
  for (py::ssize_t i = 0; i < entries.shape(0); ++i)
    for (py::ssize_t k = 0; k < entries.shape(1); ++k)
      for (py::ssize_t j = 0; j < entries.shape(2); ++j)
        entries(i, k, j) = values[static_cast<std::size_t>(i)](k, j);
  return array;
}

py::dict margins_of(const LinearSystem& loop) {
  const Margins found = margins(loop);
  const auto crossings = [](const std::vector<Crossing>& list) {
    MatrixX rows(list.size(), 2);
    for (std::size_t i = 0; i < list.size(); ++i)
      rows.row(static_cast<Eigen::Index>(i)) << list[i].frequency, list[i].margin;
    return rows_of(rows);
  };
  return py::dict("stable"_a = found.is_stable(), "stability"_a = to_string(found.stability),
                  "gain_margin"_a = found.gain_margin, "phase_margin"_a = found.phase_margin,
                  "delay_margin"_a = found.delay_margin, "modulus_margin"_a = found.modulus_margin,
                  "gain_crossings"_a = crossings(found.gain),
                  "phase_crossings"_a = crossings(found.phase));
}

py::tuple over_time(const TimeResponse& response) {
  return py::make_tuple(copied(response.times), rows_of(response.outputs));
}

void add_analyses(py::class_<LinearSystem>& type) {
  type.def(
          "poles", [](const LinearSystem& s) { return values_of(poles(s)); },
          "Eigenvalues of A, sorted.")
      .def(
          "zeros",
          [](const LinearSystem& s, double tolerance) {
            return values_of(invariant_zeros(s, tolerance).values);
          },
          "tolerance"_a = rank_tolerance, "Invariant zeros, those of hidden parts among them.")
      .def("is_stable", &is_stable,
           "Whether all poles are inside the half plane, or the circle, beyond rounding.")
      .def_property_readonly(
          "stability", [](const LinearSystem& s) { return to_string(stability(s)); },
          "'stable', 'unstable', or 'marginal': rounding decides on which side a pole is.")
      .def(
          "minimal",
          [](const LinearSystem& s, double tolerance) { return minimal_part(s, tolerance).system; },
          "tolerance"_a = rank_tolerance, "The part that inputs reach and outputs show.")
      .def(
          "hidden_poles",
          [](const LinearSystem& s, double tolerance) {
            const MinimalPart part = minimal_part(s, tolerance);
            return py::make_tuple(values_of(part.unreached), values_of(part.unseen));
          },
          "tolerance"_a = rank_tolerance,
          "Poles that no input moves, and of the rest those that no output shows.")
      .def(
          "mode_distances",
          [](const LinearSystem& s) {
            const ModeDistances found = mode_distances(s);
            return py::make_tuple(values_of(found.poles), copied(found.reached),
                                  copied(found.seen));
          },
          "Poles, and how far each is from being out of reach and out of sight (0: it is).")
      .def(
          "damping",
          [](const LinearSystem& s) {
            const ComplexVector all = poles(s);
            VectorX frequencies(all.size()), ratios(all.size());
            for (Eigen::Index i = 0; i < all.size(); ++i) {
              frequencies[i] = natural_frequency(all[i], s.sample);
              ratios[i] = damping_ratio(all[i], s.sample);
            }
            return py::make_tuple(values_of(all), copied(frequencies), copied(ratios));
          },
          "Poles, their natural frequencies (rad/s) and their damping ratios.")
      .def("transfer_function", &transfer, "input"_a = 0, "output"_a = 0,
           "tolerance"_a = rank_tolerance,
           "Gain, zeros, poles, numerator and denominator (highest power first) of a channel; "
           "`miss`, "
           "its largest relative distance from the response; `known_up_to`, the |s| beyond which "
           "rounding of A, B and C decides what comes through.")
      .def("response", &responses, "frequencies"_a,
           "Values at frequencies in rad/s: an array of frequencies x outputs x inputs.")
      .def(
          "frequencies",
          [](const LinearSystem& s, int count) {
            return copied(frequencies_of_interest(s, std::max(2, count)));
          },
          "count"_a = 200,
          "Frequencies (rad/s) about the poles and zeros, evenly in the logarithm.")
      .def("margins", &margins_of,
           "Crossings, gain, phase, delay and modulus margin of the loop that u = −y closes.")
      .def(
          "root_locus",
          [](const LinearSystem& s, const py::handle& gains, double sign) {
            const RootLocus locus = root_locus(s, vector_of(gains, "gains"), sign);
            return py::make_tuple(copied(locus.gains), rows_of(locus.poles));
          },
          "gains"_a, "sign"_a = -1.0,
          "Gains k, more than were given where branches turn, and the poles of u = sign k y, a "
          "column per branch.");
}

void add_responses(py::class_<LinearSystem>& type) {
  const auto duration = [](const LinearSystem& s, const py::object& given) {
    return given.is_none() ? duration_of_interest(s) : given.cast<double>();
  };
  type.def(
          "step",
          [=](const LinearSystem& s, int input, const py::object& time, int count) {
            return over_time(step_response(s, input, duration(s, time), count));
          },
          "input"_a = 0, "duration"_a = py::none(), "count"_a = 501,
          "Times and outputs after a unit step.")
      .def(
          "impulse",
          [=](const LinearSystem& s, int input, const py::object& time, int count) {
            return over_time(impulse_response(s, input, duration(s, time), count));
          },
          "input"_a = 0, "duration"_a = py::none(), "count"_a = 501,
          "Times and outputs after a unit impulse.")
      .def(
          "free",
          [=](const LinearSystem& s, const py::object& start, const py::object& time, int count) {
            return over_time(free_response(s, vector_of(start, "start"), duration(s, time), count));
          },
          "start"_a, "duration"_a = py::none(), "count"_a = 501,
          "Times and outputs from a state, without input.")
      .def("series", &in_series, "second"_a, "The second system after this one.")
      .def("parallel", &in_parallel, "second"_a, "The sum of both.")
      .def("feedback", &closed_loop, "feedback"_a, "sign"_a = -1.0,
           "The loop u = w + sign K y around this system, from w to y.")
      .def("sampled", &sampled_with_hold, "sample"_a,
           "With a hold of zero order before it and a sampler behind it: exact at the samples.")
      .def(
          "channel",
          [](const LinearSystem& s, const std::vector<int>& inputs,
             const std::vector<int>& outputs) {
            for (const int input : inputs) index_of(input, s.input_count(), "inputs");
            for (const int output : outputs) index_of(output, s.output_count(), "outputs");
            return channel(s, inputs, outputs);
          },
          "inputs"_a, "outputs"_a, "The part from some inputs to some outputs.");
}

LinearizeOptions linearize_options(const py::dict& how) {
  LinearizeOptions options;
  options.at = how["at"].cast<double>();
  options.open_loop = how["open_loop"].cast<bool>();
  options.wishes.inputs = how["inputs"].cast<Names>();
  options.wishes.outputs = how["outputs"].cast<Names>();
  options.wishes.mode = how["mode"].cast<Names>();
  options.wishes.equilibrium = how["equilibrium"].cast<bool>();
  options.wishes.eliminate = how["eliminate"].cast<bool>();
  const auto of = how["of"].cast<std::string>();
  if (of == "model")
    options.of = LinearizeOptions::Of::model;
  else if (of == "step")
    options.of = LinearizeOptions::Of::step;
  else if (!of.empty())
    throw Error("unknown value '" + of + "'; accepted: model, step", "of");
  return options;
}

// The answer as JSON, which python/vinci/linear_scene.py turns into an object, and the systems.
py::tuple linearized(const Scene& scene, const std::map<std::string, std::string>& choices,
                     const std::map<std::string, double>& parameters, const py::dict& how) {
  const LinearizeOptions options = linearize_options(how);
  RunOverrides overrides;
  overrides.parameters = parameters;
  sort_options(choices, overrides);
  const auto plugins = known_plugins();
  Linearization found;
  std::string json;
  {
    py::gil_scoped_release release;
    Simulation simulation(scene, overrides, plugins);
    simulation.stop_when([] {
      check_signals();
      return false;
    });
    found = linearize_at(simulation, options);
    json = linearization_json(found);
  }
  py::object other = py::none();
  if (found.other) other = py::cast(*found.other);
  return py::make_tuple(json, found.system, other, rows_of(found.basis));
}

}  // namespace

void add_systems(py::module_& module) {
  py::class_<LinearSystem> type(module, "System",
                                R"(A linear system x' = A x + B u, y = C x + D u, or sampled.

`sample` is the time between samples in s; 0: continuous time. `states`, `inputs` and `outputs` are
names, one for each.)");
  type.def(py::init(&made), "A"_a, "B"_a, "C"_a, "D"_a, "sample"_a = 0.0, "states"_a = py::none(),
           "inputs"_a = py::none(), "outputs"_a = py::none())
      .def_property_readonly(
          "states", [](const LinearSystem& s) { return s.states; },
          "Names of the states, with units; or none.")
      .def_property_readonly(
          "inputs", [](const LinearSystem& s) { return s.inputs; },
          "Names of the inputs, with units; or none.")
      .def_property_readonly(
          "outputs", [](const LinearSystem& s) { return s.outputs; },
          "Names of the outputs, with units; or none.")
      .def_property_readonly(
          "A", [](const LinearSystem& s) { return rows_of(s.a); }, "States into states.")
      .def_property_readonly(
          "B", [](const LinearSystem& s) { return rows_of(s.b); }, "Inputs into states.")
      .def_property_readonly(
          "C", [](const LinearSystem& s) { return rows_of(s.c); }, "States into outputs.")
      .def_property_readonly(
          "D", [](const LinearSystem& s) { return rows_of(s.d); }, "Inputs into outputs.")
      .def_property_readonly(
          "sample", [](const LinearSystem& s) { return s.sample; },
          "Seconds between samples; 0: continuous time.")
      .def("__repr__", [](const LinearSystem& s) {
        const std::string time =
            s.is_sampled() ? fmt::format("sampled every {:g} s", s.sample) : "continuous";
        return fmt::format("<vinci.control.System: {} states, {} inputs, {} outputs, {}>",
                           s.state_count(), s.input_count(), s.output_count(), time);
      });
  add_analyses(type);
  add_responses(type);
  module.def(
      "transfer_system",
      [](const py::object& numerator, const py::object& denominator, double sample) {
        LinearSystem system = system_of(vector_of(numerator, "numerator"),
                                        vector_of(denominator, "denominator"), sample);
        check_system(system);
        return system;
      },
      "numerator"_a, "denominator"_a, "sample"_a = 0.0,
      "The system with a transfer function, coefficients from the highest power on.");
  module.def("_linearize", &linearized, "scene"_a, "options"_a, "parameters"_a, "how"_a);
}

}  // namespace vinci::python
