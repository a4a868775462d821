// SPDX-License-Identifier: Apache-2.0
// The rows of a step that was made, over numbers that carry derivatives; its active set is read off
// its impulses. That the rows hold at the step's own answer is checked, so that a step that did
// anything else has no map.
#include "vinci/events/step_map.h"

#include <algorithm>
#include <cmath>

#include <Eigen/QR>
#include <fmt/format.h>

#include "vinci/base/words.h"
#include "vinci/events/linear_limits.h"
#include "vinci/events/mode_memory.h"
#include "vinci/model/element.h"

namespace vinci {
namespace {

// Gaps up to here are closed for a step (docs/theory/stewart_trinkle.md), m.
constexpr double closed_gap = 1e-12;
constexpr double resting_slip = 1e-9;  // m/s
constexpr double load_share = 1e-9;    // of the largest impulse, down to which contacts bear load
constexpr double bound_share = 1e-7;   // of μ λ_n, within which friction is at its bound
constexpr double rounding = 1e-13;
constexpr double row_tolerance = 1e-6;  // of the largest term, by which rows may miss

// A spring as a step has it: its force is that of the end of the step, along its line at the start.
class ImplicitElement : public Element {
 public:
  ImplicitElement(std::shared_ptr<const Element> element, double h)
      : Element(element->place()), element_(std::move(element)), h_(h) {}
  const char* kind() const override { return element_->kind(); }
  void rows(const Model& model, const State& state, std::vector<ElementRow>& out) const override {
    element_->rows(model, state, out);
  }
  double potential(std::span<const Pose> poses) const override {
    return element_->potential(poses);
  }
  std::span<const ElementColumn> columns() const override { return element_->columns(); }
  void read(const Model& model, const State& state, double* out) const override {
    element_->read(model, state, out);
  }
  std::shared_ptr<const Element> begun_at(double distance) const override {
    return element_->begun_at(distance);
  }
  std::vector<std::pair<std::string, double>> numbers() const override {
    auto numbers = element_->numbers();
    double stiffness = 0.0;
    for (const auto& [name, value] : numbers)
      if (name == "stiffness") stiffness = value;
    for (auto& [name, value] : numbers)
      if (name == "damping") value += h_ * stiffness;
    return numbers;
  }

 private:
  std::shared_ptr<const Element> element_;
  double h_;
};

[[noreturn]] void refuse(const std::string& what) {
  throw Error("the step has no map that is known: " + what +
                  "; accepted: bodies without joints that stewart-trinkle moves (the linear system "
                  "of the model itself is known: --of model)",
              "of");
}

void check_model(const MadeStep& step) {
  const Model& model = *step.model;
  if (!model.joints.empty()) refuse("bodies hang on joints");
  for (const auto& element : model.elements) {
    double stiffness = 0.0, length = 0.0;
    for (const auto& [name, value] : element->numbers()) {
      if (name == "stiffness") stiffness = value;
      if (name == "length") length = value;
    }
    if (stiffness > 0.0 && length == 0.0)
      refuse("the spring '" + element->name() + "' has no length of its own");
  }
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const Body& body = model.bodies[b];
    for (const Support& support : body.supports)
      if (support.friction * support.load > 0.0)
        refuse("'" + body.name + "' lies on supports with friction");
    for (int k = 0; k < body.velocity_size; ++k) {
      const int entry = body.velocity_offset + k, c = model.coordinate[entry];
      const double speed =
          std::max(std::abs(step.before.velocities[entry]), std::abs(step.after.velocities[entry]));
      if (body.drives[static_cast<std::size_t>(c)].prescribed && speed > 0.0)
        refuse("'" + body.name + "' is prescribed to move");
      if (body.freedom == Freedom::spatial && c >= 3 && speed > 1e-9)
        refuse("'" + body.name + "' turns in space");
    }
  }
}

enum class Normal { free, open, closed };  // the row has ψ/h, or it has not

struct Side {
  std::vector<Normal> normals;         // per constraint
  std::vector<ContactState> friction;  // per constraint: free, sticking, sliding
  VectorX directions;
};

class Map {
 public:
  Map(const MadeStep& step, const LinearWishes& wishes);

  StepMap find();

 private:
  void find_contacts();
  void read_answer();
  void find_sides();
  void check_rows();
  template <class T>
  void write(const SystemFrame<T>& frame, const Side& side, VectorOf<T>& rows) const;
  LinearSystem side_of(const Side& side, const OutputRows& outputs);
  bool is_paired(int i) const {
    return i + 1 < m_ && system_->constraints()[static_cast<std::size_t>(i + 1)].second;
  }

  const MadeStep& step_;
  const LinearWishes& wishes_;
  Model model_;  // with elements as the step has them
  std::vector<ContactPair> pairs_;
  std::vector<Vector3> impulses_;  // of pairs_, N s
  std::unique_ptr<ModelSystem> system_;
  std::vector<LinearInput> inputs_;
  std::vector<LinearOutput> outputs_;
  int n_ = 0, m_ = 0;
  VectorX values_, q_, v_, next_, forces_;  // of the inputs; at the start; v⁺; λ, N
  Side first_, second_;
  std::vector<std::string> limits_;
};

Map::Map(const MadeStep& step, const LinearWishes& wishes)
    : step_(step), wishes_(wishes), model_(*step.model) {
  check_model(step);
  for (auto& element : model_.elements)
    element = std::make_shared<ImplicitElement>(element, step.h);
  inputs_ = find_inputs(model_, {}, wishes.inputs);
  find_contacts();
  ModelSystem::Parts parts;
  parts.model = &model_;
  parts.state = step.before;
  parts.contacts = pairs_;
  parts.held_forces = step.held_forces;
  parts.standard = settling_in(1.0);
  values_ = VectorX::Zero(static_cast<Eigen::Index>(inputs_.size()));
  for (const LinearInput& input : inputs_) {
    parts.inputs.push_back(*input.force);
    if (input.value != 0.0)
      throw Error("the step was made without it; accepted: an input without a value", "inputs");
  }
  State moved = step.before;
  moved.velocities = step.after.velocities;
  ModelSystem::Parts ahead = parts;
  ahead.state = moved;
  system_ = std::make_unique<ModelSystem>(std::move(parts));
  outputs_ = find_outputs(*system_, wishes.outputs);
  n_ = system_->coordinate_count();
  m_ = static_cast<int>(system_->constraints().size());
  q_ = system_->positions();
  v_ = system_->velocities();
  next_ = ModelSystem(std::move(ahead)).velocities();
  read_answer();
  find_sides();
  check_rows();
}

// The contacts of the step that are known as functions, and are not far away.
void Map::find_contacts() {
  for (const SolvedContact& solved : step_.contacts) {
    std::string why;
    auto pair = contact_pair(model_, step_.before.poses, solved.contact, why);
    if (!pair && solved.impulse.isZero(0.0)) continue;
    if (!pair) refuse(why.empty() ? "a contact with features that are not known" : why);
    if (!solved.moment.isZero(0.0)) refuse("contacts with moments");
    pairs_.push_back(std::move(*pair));
    impulses_.push_back(solved.impulse);
  }
}

void Map::read_answer() {
  forces_ = VectorX::Zero(m_);
  for (int i = 0; i < m_; ++i) {
    const ConstraintSource& source = system_->sources()[static_cast<std::size_t>(i)];
    if (source.pair < 0) refuse("constraints of the scene");
    forces_[i] =
        impulses_[static_cast<std::size_t>(source.pair)][static_cast<int>(source.row)] / step_.h;
  }
}

void Map::find_sides() {
  SystemFrame<double> frame = make_frame<double>(*system_);
  frame.time = step_.before.time;
  frame.positions = q_;
  frame.velocities = next_;
  system_->evaluate(frame);
  const auto& constraints = system_->constraints();
  const double largest = m_ > 0 ? forces_.lpNorm<Eigen::Infinity>() : 0.0;
  const double fastest = std::max(n_ > 0 ? next_.lpNorm<Eigen::Infinity>() : 0.0, 1e-6);
  first_.normals.assign(constraints.size(), Normal::free);
  first_.friction.assign(constraints.size(), ContactState::free);
  first_.directions = VectorX::Zero(m_);
  second_ = first_;
  for (int i = 0; i < m_; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const Constraint& constraint = constraints[at];
    if (constraint.kind == ConstraintKind::contact) {
      const double gap = frame.gaps[i].value;
      const bool touches = std::abs(gap) <= closed_gap;
      const bool has_gap = step_.overlaps_in_velocity || gap > closed_gap;
      const double left = (has_gap ? gap / step_.h : 0.0) + frame.gaps[i].first;
      const bool loaded = forces_[i] > load_share * largest;
      if (!loaded && left > 1e-9 * fastest) continue;
      first_.normals[at] =
          step_.overlaps_in_velocity || gap >= -closed_gap ? Normal::open : Normal::closed;
      second_.normals[at] = first_.normals[at];
      if (!loaded) {
        limits_.push_back(constraint.name + " touches without force");
        second_.normals[at] = Normal::free;
      } else if (touches && !step_.overlaps_in_velocity) {
        limits_.push_back(constraint.name +
                          " has gap 0: a gap that opens is closed by the next step, an overlap "
                          "leaves positions");
        second_.normals[at] = Normal::closed;
      }
      continue;
    }
    if (constraint.second) continue;
    const auto normal = static_cast<std::size_t>(constraint.with);
    if (first_.normals[normal] == Normal::free) continue;
    const int count = is_paired(i) ? 2 : 1;
    double slip = 0.0, force = 0.0;
    for (int k = 0; k < count; ++k) {
      slip = std::hypot(slip, frame.gaps[i + k].first);
      force = std::hypot(force, forces_[i + k]);
    }
    const double bound = constraint.coefficient * forces_[constraint.with];
    const auto take = [&](Side& side, ContactState state) {
      if (side.normals[normal] == Normal::free) state = ContactState::free;
      for (int k = 0; k < count; ++k) {
        side.friction[static_cast<std::size_t>(i + k)] = state;
        const double along = slip > resting_slip ? frame.gaps[i + k].first / slip
                             : force > 0.0       ? -forces_[i + k] / force
                                                 : 0.0;
        side.directions[i + k] = along;
      }
    };
    if (slip > resting_slip) {
      take(first_, ContactState::sliding);
      take(second_, ContactState::sliding);
    } else if (force < bound * (1.0 - bound_share) || bound == 0.0) {
      take(first_, ContactState::sticking);
      take(second_, ContactState::sticking);
    } else {
      limits_.push_back(constraint.name + " is at its bound, but does not slide");
      take(first_, ContactState::sticking);
      take(second_, ContactState::sliding);
    }
  }
}

// Rows of the balance, N s, then of contacts, m/s or N s.
template <class T>
void Map::write(const SystemFrame<T>& frame, const Side& side, VectorOf<T>& rows) const {
  const double h = step_.h;
  for (int i = 0; i < n_; ++i) rows[i] = h * frame.balance[i];
  for (int i = 0; i < m_; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const Constraint& constraint = system_->constraints()[at];
    T& row = rows[n_ + i];
    if (constraint.kind == ConstraintKind::contact) {
      switch (side.normals[at]) {
        case Normal::free:
          row = h * frame.multipliers[i];
          break;
        case Normal::open:
          row = frame.gaps[i].value / T(h) + frame.gaps[i].first;
          break;
        case Normal::closed:
          row = frame.gaps[i].first;
          break;
      }
      continue;
    }
    if (side.friction[at] == ContactState::free) {
      row = h * frame.multipliers[i];
    } else if (side.friction[at] == ContactState::sticking) {
      row = frame.gaps[i].first;
    } else {
      const T bound = constraint.coefficient * frame.multipliers[constraint.with];
      const int head = constraint.second ? i - 1 : i;
      T along(side.directions[i]);
      if (constraint.second || is_paired(i)) {
        using std::sqrt;
        const T &a = frame.gaps[head].first, &b = frame.gaps[head + 1].first;
        const T speed = sqrt(a * a + b * b);
        if (speed > T(resting_slip)) along = frame.gaps[i].first / speed;
      }
      row = h * (frame.multipliers[i] + bound * along);
    }
  }
}

void Map::check_rows() {
  SystemFrame<double> frame = make_frame<double>(*system_);
  frame.time = step_.before.time;
  frame.positions = q_;
  frame.velocities = next_;
  frame.accelerations = (next_ - v_) / step_.h;
  frame.multipliers = forces_;
  frame.inputs = values_;
  system_->evaluate(frame);
  VectorX rows(n_ + m_);
  // Gaps are closed for a step long before they are 0 for numbers.
  for (int i = 0; i < m_; ++i)
    if (std::abs(frame.gaps[i].value) <= closed_gap) frame.gaps[i].value = 0.0;
  write<double>(frame, first_, rows);
  double momentum = 1e-9, speed = 1e-6;
  for (int i = 0; i < m_; ++i) momentum = std::max(momentum, step_.h * std::abs(forces_[i]));
  if (n_ > 0)
    speed = std::max({speed, v_.lpNorm<Eigen::Infinity>(), next_.lpNorm<Eigen::Infinity>()});
  for (const Body& body : model_.bodies)
    if (body.velocity_size > 0)
      momentum = std::max(momentum, body.mass.mass * (speed + step_.h * model_.gravity.norm()));
  for (int i = 0; i < n_ + m_; ++i) {
    const bool balance = i < n_;
    const double scale = balance ? momentum : std::max(momentum, speed);
    if (std::abs(rows[i]) <= row_tolerance * scale) continue;
    refuse(fmt::format(
        "{} misses its row by {}, by something besides inertia, forces and contact",
        balance ? system_->coordinate_names()[static_cast<std::size_t>(i)]
                : "'" + system_->constraints()[static_cast<std::size_t>(i - n_)].name + "'",
        short_number(rows[i])));
  }
}

LinearSystem Map::side_of(const Side& side, const OutputRows& outputs) {
  const double h = step_.h;
  const int in = static_cast<int>(inputs_.size());
  SystemFrame<Dual<double>> frame = make_frame<Dual<double>>(*system_);
  frame.time = step_.before.time;
  const auto copy = [](const VectorX& values, VectorOf<Dual<double>>& result) {
    for (Eigen::Index i = 0; i < values.size(); ++i) result[i] = Dual<double>(values[i]);
  };
  copy(q_, frame.positions);
  copy(next_, frame.velocities);
  copy((next_ - v_) / h, frame.accelerations);
  copy(forces_, frame.multipliers);
  copy(values_, frame.inputs);
  VectorOf<Dual<double>> rows(n_ + m_);
  const auto slope = [&](Eigen::Ref<VectorX> column) {
    system_->evaluate(frame);
    write<Dual<double>>(frame, side, rows);
    for (int i = 0; i < n_ + m_; ++i) column[i] = rows[i].slope;
  };
  MatrixX own(n_ + m_, n_ + m_), others(n_ + m_, 2 * n_ + in);
  for (int j = 0; j < n_; ++j) {
    frame.velocities[j].slope = 1.0;
    frame.accelerations[j].slope = 1.0 / h;
    slope(own.col(j));
    frame.velocities[j].slope = 0.0;
    frame.accelerations[j].slope = -1.0 / h;
    slope(others.col(n_ + j));
    frame.accelerations[j].slope = 0.0;
    frame.positions[j].slope = 1.0;
    slope(others.col(j));
    frame.positions[j].slope = 0.0;
  }
  // By impulses, which are of the size of momenta.
  for (int j = 0; j < m_; ++j) {
    frame.multipliers[j].slope = 1.0 / h;
    slope(own.col(n_ + j));
    frame.multipliers[j].slope = 0.0;
  }
  for (int j = 0; j < in; ++j) {
    frame.inputs[j].slope = 1.0;
    slope(others.col(2 * n_ + j));
    frame.inputs[j].slope = 0.0;
  }
  const MatrixX inverse = own.completeOrthogonalDecomposition().pseudoInverse();
  MatrixX change = -inverse * others;
  // What is left of numbers that cancel is nothing: residuals are as small as the terms in them,
  // and the inverse carries them on.
  const MatrixX terms =
      inverse.cwiseAbs() * (own.cwiseAbs() * change.cwiseAbs() + others.cwiseAbs());
  change = (change.array().abs() <= rounding * terms.array()).select(0.0, change);
  LinearSystem system;
  system.sample = h;
  const auto next = change.topRows(n_);
  system.a = MatrixX::Zero(2 * n_, 2 * n_);
  system.a.topLeftCorner(n_, n_).setIdentity();
  system.a.topRows(n_) += h * next.leftCols(2 * n_);
  system.a.bottomRows(n_) = next.leftCols(2 * n_);
  system.b = MatrixX::Zero(2 * n_, in);
  system.b.topRows(n_) = h * next.rightCols(in);
  system.b.bottomRows(n_) = next.rightCols(in);
  system.c = outputs.slopes.leftCols(2 * n_);
  system.d = MatrixX::Zero(static_cast<Eigen::Index>(outputs_.size()), in);
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    if (outputs_[i].kind != LinearOutput::Kind::force) continue;
    const auto row = static_cast<Eigen::Index>(i);
    system.c.row(row) = change.row(n_ + outputs_[i].index).leftCols(2 * n_) / h;
    system.d.row(row) = change.row(n_ + outputs_[i].index).rightCols(in) / h;
  }
  system.states = system_->coordinate_names();
  const auto rates = system_->rate_names();
  system.states.insert(system.states.end(), rates.begin(), rates.end());
  for (const LinearInput& input : inputs_) system.inputs.push_back(input.name);
  for (const LinearOutput& output : outputs_) system.outputs.push_back(output.name);
  return system;
}

bool is_same(const MatrixX& a, const MatrixX& b) {
  return (a - b).lpNorm<Eigen::Infinity>() <= 1e-9 * (1.0 + a.lpNorm<Eigen::Infinity>());
}

StepMap Map::find() {
  StepMap map;
  HybridState start = HybridState::at(step_.before.time, q_, v_,
                                      std::vector<ContactState>(static_cast<std::size_t>(m_)));
  start.extras = system_->extras();
  map.kinks = law_kinks(*system_, start, values_);
  const OutputRows outputs = output_rows(*system_, start, values_, outputs_);
  map.system = side_of(first_, outputs);
  if (!limits_.empty()) {
    LinearSystem other = side_of(second_, outputs);
    // What other contacts bear as well is at its limit in name alone.
    if (!is_same(map.system.a, other.a) || !is_same(map.system.b, other.b)) {
      map.other = std::move(other);
      map.limits = limits_;
    }
  }
  SystemFrame<double> frame = make_frame<double>(*system_);
  frame.time = step_.before.time;
  frame.positions = q_;
  frame.velocities = next_;
  system_->evaluate(frame);
  for (int i = 0; i < m_; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const Constraint& constraint = system_->constraints()[at];
    const bool contact = constraint.kind == ConstraintKind::contact;
    const ContactState state = !contact                             ? first_.friction[at]
                               : first_.normals[at] == Normal::free ? ContactState::free
                                                                    : ContactState::contact;
    map.constraints.push_back({constraint.name, constraint.kind, state, false,
                               contact ? frame.gaps[i].value : frame.gaps[i].first, forces_[i]});
  }
  const auto numbers = [](const std::vector<std::string>& names, const VectorX& values) {
    std::vector<NamedNumber> list;
    for (std::size_t i = 0; i < names.size(); ++i)
      list.push_back({names[i], values[static_cast<Eigen::Index>(i)]});
    return list;
  };
  map.coordinates = numbers(system_->coordinate_names(), q_);
  map.rates = numbers(system_->rate_names(), v_);
  map.inputs = numbers(map.system.inputs, values_);
  VectorX values = outputs.values;
  for (std::size_t i = 0; i < outputs_.size(); ++i)
    if (outputs_[i].kind == LinearOutput::Kind::force)
      values[static_cast<Eigen::Index>(i)] = forces_[outputs_[i].index];
  map.outputs = numbers(map.system.outputs, values);
  return map;
}

ModelSystem without_contacts(const MadeStep& step, const VectorX* velocities) {
  ModelSystem::Parts parts;
  parts.model = step.model;
  parts.state = step.before;
  if (velocities) parts.state.velocities = *velocities;
  parts.standard = settling_in(1.0);
  return ModelSystem(std::move(parts));
}

}  // namespace

State deviating(const MadeStep& step, const VectorX& deviation) {
  const ModelSystem system = without_contacts(step, nullptr);
  const int n = system.coordinate_count();
  HybridState hybrid = hybrid_state(system, 0.0);
  hybrid.positions += deviation.head(n);
  hybrid.velocities += deviation.tail(n);
  State state = step.before;
  system.store(hybrid, state);
  return state;
}

VectorX rates_of(const MadeStep& step, const State& state) {
  return without_contacts(step, &state.velocities).velocities();
}

StepMap step_map(const MadeStep& step, const LinearWishes& wishes) {
  return Map(step, wishes).find();
}

}  // namespace vinci
