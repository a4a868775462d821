// SPDX-License-Identifier: Apache-2.0
// Controllers and motions written in Python, and simulations in which such code takes part.
#include "python/core/code.h"

#include <fmt/format.h>

namespace vinci::python {

std::string code_name(const py::handle& object) {
  for (const char* attribute : {"name", "__name__"})
    if (py::hasattr(object, attribute) && py::isinstance<py::str>(object.attr(attribute)))
      return object.attr(attribute).cast<std::string>();
  return py::type::handle_of(object).attr("__name__").cast<std::string>();
}

ModelHandle model_handle(const Owner& owner, const Model& model) {
  if (const std::shared_ptr<Simulation> simulation = owner->lock())
    if (&simulation->model() == &model) return {simulation->shared_model()};
  return {std::make_shared<Model>(model)};  // while the simulation is being made
}

namespace {

// Calls `object.method(...)`, or the object itself where it is a plain function.
py::object callable_of(const py::object& object, const char* method) {
  if (py::hasattr(object, method)) return object.attr(method);
  if (PyCallable_Check(object.ptr()) != 0) return object;
  throw Error(fmt::format("has no method '{}' and cannot be called", method), code_name(object));
}

py::array_t<double> array_of(const Eigen::Ref<VectorX>& numbers) {
  return py::array_t<double>(numbers.size(), numbers.data());
}

class PythonController : public Controller {
 public:
  PythonController(const py::object& object, std::string name, Owner owner)
      : object_(object),
        act_(callable_of(object, "act")),
        name_(std::move(name)),
        owner_(std::move(owner)),
        memory_size_(attribute(object, "memory_size", 0, name_)) {
    // The one of the base class adds nothing; it is not called.
    const py::object base = py::module_::import("vinci.code").attr("Controller").attr("damp");
    const py::object own = py::getattr(py::type::of(object), "damp", base);
    if (!own.is(base)) damp_.emplace(object.attr("damp"));
  }

  int memory_size() const override { return memory_size_; }

  // Forces and memory are handed over as copies and taken back: an array that Python keeps stays
  // harmless. The state is copied for the same reason, into the same memory as long as nobody keeps
  // it.
  void act(const Model& model, const State& state, double h, Eigen::Ref<VectorX> forces,
           Eigen::Ref<VectorX> memory) override {
    py::gil_scoped_acquire gil;
    keep(model, state);
    const auto given = array_of(forces), kept = array_of(memory);
    (*act_)(model_handle(owner_, model), StateHandle{state_, bodies_, false}, h, given, kept);
    if (given.size() != forces.size() || kept.size() != memory.size())
      throw Error("changed the size of its forces or memory", name_);
    forces = Eigen::Map<const VectorX>(given.data(), given.size());
    memory = Eigen::Map<const VectorX>(kept.data(), kept.size());
  }

  void damp(const Model& model, const State& state, double h,
            Eigen::Ref<VectorX> damping) override {
    if (!damp_) return;
    py::gil_scoped_acquire gil;
    keep(model, state);
    const auto given = array_of(damping);
    (**damp_)(model_handle(owner_, model), StateHandle{state_, bodies_, false}, h, given);
    if (given.size() != damping.size()) throw Error("changed the size of its damping", name_);
    damping = Eigen::Map<const VectorX>(given.data(), given.size());
  }

 private:
  void keep(const Model& model, const State& state) {
    if (!bodies_) bodies_ = body_table(model);
    if (!state_ || state_.use_count() > 1)
      state_ = std::make_shared<State>(state);
    else
      *state_ = state;
  }

  Held object_, act_;
  std::optional<Held> damp_;
  std::string name_;
  Owner owner_;
  int memory_size_ = 0;
  std::shared_ptr<State> state_;
  Bodies bodies_;
};

class PythonMotion : public Motion {
 public:
  PythonMotion(const py::object& object, std::string place)
      : at_(callable_of(object, "at")), place_(std::move(place)) {}

  Jet at(double time) const override {
    py::gil_scoped_acquire gil;
    const py::object given = (*at_)(time);
    if (!py::isinstance<py::sequence>(given) || py::len(given) != 3)
      throw Error(fmt::format("the motion gave {}; accepted: (position, velocity, acceleration)",
                              py::repr(given).cast<std::string>()),
                  place_);
    const auto number = [&](int i) {
      try {
        return given[py::int_(i)].cast<double>();
      } catch (const py::cast_error&) {
        throw Error(fmt::format("the motion gave {}; accepted: three real numbers",
                                py::repr(given).cast<std::string>()),
                    place_);
      }
    };
    return {number(0), number(1), number(2)};
  }

 private:
  Held at_;
  std::string place_;
};

// The plugins with one more: what the caller's object is called by.
template <class Interface, class Make>
void add_code(Registry<Interface>& registry, std::map<std::string, std::string>& options,
              const py::object& object, const OptionTable& table, Make make) {
  const std::string name = code_name(object);
  if (registry.find(name))
    throw Error(fmt::format("a {} of this name exists already; give the class another `name`",
                            registry.kind()),
                name);
  registry.add({.name = name,
                .text = "Written in Python.",
                .reference = "",
                .options = table,
                .make = make,
                .is_code = true});
  options[registry.kind()] = name;
}

}  // namespace

void sort_options(const std::map<std::string, std::string>& options, RunOverrides& overrides) {
  for (const auto& [name, text] : options) {
    const std::size_t dot = name.find('.');
    if (dot == std::string::npos)
      overrides.options[name] = text;
    else
      overrides.plugin_options[{name.substr(0, dot), name.substr(dot + 1)}] = text;
  }
}

std::unique_ptr<SimulationHandle> make_simulation(
    const Scene& scene, const std::map<std::string, std::string>& options,
    const std::map<std::string, double>& parameters,
    const std::vector<std::pair<std::string, py::object>>& controllers,
    const std::map<std::pair<std::string, std::string>, py::object>& motions,
    const py::object& solver, const py::object& stepper, const py::object& impact_law) {
  const auto owner = std::make_shared<std::weak_ptr<Simulation>>();
  std::map<std::string, std::string> chosen = options;
  std::shared_ptr<const Plugins> plugins = known_plugins();
  if (!solver.is_none() || !stepper.is_none() || !impact_law.is_none()) {
    auto extended = std::make_shared<Plugins>(*plugins);
    if (!solver.is_none())
      add_code(extended->solvers, chosen, solver, {},
               [held = Held(solver), name = code_name(solver)](const OptionValues&) {
                 return python_solver(held, name);
               });
    if (!stepper.is_none())
      add_code(extended->steppers, chosen, stepper, plugins->steppers.at(inner_stepper).options,
               [held = Held(stepper), owner](const OptionValues& values) {
                 return python_stepper(held, owner, values);
               });
    if (!impact_law.is_none())
      add_code(extended->impact_laws, chosen, impact_law, {},
               [held = Held(impact_law), name = code_name(impact_law)](const OptionValues&) {
                 return python_impact_law(held, name);
               });
    plugins = extended;
  }
  RunOverrides overrides;
  overrides.parameters = parameters;
  sort_options(chosen, overrides);
  for (const auto& [name, object] : controllers) {
    // One that is compiled acts by itself.
    std::shared_ptr<Controller> own;
    if (py::isinstance<Controller>(object))
      own = object.cast<std::shared_ptr<Controller>>();
    else
      own = std::make_shared<PythonController>(object, name, owner);
    overrides.code.controllers.push_back({name, own});
  }
  for (const auto& [place, object] : motions)
    overrides.code.motions[place] =
        std::make_shared<PythonMotion>(object, place.first + "." + place.second);
  std::shared_ptr<Simulation> simulation;
  {
    py::gil_scoped_release release;
    simulation = std::make_shared<Simulation>(scene, overrides, plugins);
  }
  *owner = simulation;
  return std::make_unique<SimulationHandle>(std::move(simulation));
}

}  // namespace vinci::python
