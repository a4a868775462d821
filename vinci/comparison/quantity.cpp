// SPDX-License-Identifier: Apache-2.0
#include "vinci/comparison/quantity.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "vinci/base/expression_check.h"
#include "vinci/comparison/words.h"
#include "vinci/model/joint_columns.h"

namespace vinci {
namespace {

using Kind = QuantityTerm::Kind;
struct Word {
  const char* name;
  Kind kind;
};

constexpr std::array of_body{
    Word{"x", Kind::x},   Word{"y", Kind::y},   Word{"z", Kind::z},   Word{"angle", Kind::angle},
    Word{"vx", Kind::vx}, Word{"vy", Kind::vy}, Word{"vz", Kind::vz}, Word{"speed", Kind::speed},
    Word{"wx", Kind::wx}, Word{"wy", Kind::wy}, Word{"wz", Kind::wz}};
constexpr std::array of_pair{Word{"impulse", Kind::impulse}, Word{"force", Kind::force},
                             Word{"friction", Kind::friction}};
constexpr std::array of_scene{Word{"energy", Kind::energy}, Word{"kinetic", Kind::kinetic},
                              Word{"potential", Kind::potential},
                              Word{"penetration", Kind::penetration}, Word{"t", Kind::time}};

bool is_word_letter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::string word_at(const std::string& text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_word_letter(text[end])) ++end;
  return text.substr(at, end - at);
}

// Turns names of bodies and of numbers into variables, so that the rest is an expression.
class Reader {
 public:
  Reader(const std::string& text, const Model& model) : text_(text), model_(model) {}

  std::string rewritten;
  std::vector<QuantityTerm> terms;

  void read() {
    for (at_ = 0; at_ < text_.size();) {
      const bool begins = at_ == 0 || !(is_word_letter(text_[at_ - 1]) || text_[at_ - 1] == '.');
      if (begins &&
          (read_joint() || read_body() || read_pair() || read_scene() || read_parameter()))
        continue;
      rewritten += text_[at_++];
    }
  }

 private:
  [[noreturn]] void refuse(const std::string& message) const { throw Error(message, text_); }

  void add(QuantityTerm term, std::size_t length) {
    rewritten += fmt::format("quantity_{}_", terms.size());
    terms.push_back(term);
    at_ += length;
  }

  // The longest name of a column of joints, without its unit.
  bool read_joint() {
    if (columns_.empty() && !model_.joints.empty())
      for (const std::string& column : joint_columns(model_))
        columns_.push_back(column.substr(0, column.find(' ')));
    int found = -1;
    std::size_t length = 0;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::size_t size = columns_[i].size();
      const bool ends = at_ + size >= text_.size() || !is_word_letter(text_[at_ + size]);
      if (size > length && ends && text_.compare(at_, size, columns_[i]) == 0)
        found = static_cast<int>(i), length = size;
    }
    if (found >= 0) add({Kind::joint, found}, length);
    return found >= 0;
  }

  // The longest name of a body that a dot follows.
  bool read_body() {
    int found = -1;
    std::size_t length = 0;
    for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
      const std::string& name = model_.bodies[i].name;
      if (name.size() > length && text_.compare(at_, name.size() + 1, name + ".") == 0)
        found = static_cast<int>(i), length = name.size();
    }
    if (found < 0) return unknown_body();
    const std::string attribute = word_at(text_, at_ + length + 1);
    for (const Word& word : of_body)
      if (attribute == word.name) {
        check_attribute(word.kind, found, attribute);
        add({word.kind, found, found}, length + 1 + attribute.size());
        return true;
      }
    std::vector<std::string> names;
    for (const Word& word : of_body) names.emplace_back(word.name);
    refuse(fmt::format("a body has no '{}'; accepted: {}", attribute, fmt::join(names, ", ")));
  }

  void check_attribute(Kind kind, int body, const std::string& attribute) const {
    const Freedom freedom = model_.bodies[static_cast<std::size_t>(body)].freedom;
    if (kind == Kind::angle && freedom == Freedom::spatial)
      refuse("a spatial body has no single angle; take " + attribute +
             " of a planar one, or wx, wy, wz");
  }

  bool unknown_body() const {
    const std::string word = word_at(text_, at_);
    const std::size_t end = at_ + word.size();
    const bool named = !word.empty() && std::isalpha(static_cast<unsigned char>(word[0])) != 0 &&
                       end + 1 < text_.size() && text_[end] == '.' &&
                       std::isalpha(static_cast<unsigned char>(text_[end + 1])) != 0;
    if (named) refuse(no_body(word));
    return false;
  }

  std::string no_body(const std::string& name) const {
    std::vector<std::string> names;
    for (const Body& body : model_.bodies) names.push_back(body.name);
    const std::string guess = nearest(name, names);
    return fmt::format("there is no body '{}'{}; accepted: {}", name,
                       guess.empty() ? "" : " (did you mean '" + guess + "'?)",
                       fmt::join(names, ", "));
  }

  bool read_pair() {
    for (const Word& word : of_pair) {
      const std::string opening = std::string(word.name) + "(";
      if (text_.compare(at_, opening.size(), opening) != 0) continue;
      const std::size_t comma = text_.find(',', at_), close = text_.find(')', at_);
      if (close == std::string::npos || comma == std::string::npos || comma > close)
        refuse(fmt::format("accepted: {}(one body, another body)", word.name));
      const std::size_t begin = at_ + opening.size();
      QuantityTerm term{word.kind, body(text_.substr(begin, comma - begin)),
                        body(text_.substr(comma + 1, close - comma - 1))};
      if (term.a == term.b) refuse("a body does not touch itself");
      add(term, close + 1 - at_);
      return true;
    }
    return false;
  }

  int body(const std::string& text) const {
    const int found = model_.find_body(trimmed(text));
    if (found < 0) refuse(no_body(trimmed(text)));
    return found;
  }

  bool read_scene() {
    const std::string word = word_at(text_, at_);
    for (const Word& known : of_scene)
      if (word == known.name) {
        add({known.kind}, word.size());
        return true;
      }
    return false;
  }

  bool read_parameter() {
    const std::string word = word_at(text_, at_);
    if (word.empty() || !model_.parameters.contains(word)) return false;
    add({Kind::parameter, -1, -1, word}, word.size());
    return true;
  }

  const std::string& text_;
  const Model& model_;
  std::vector<std::string> columns_;  // of joints
  std::size_t at_ = 0;
};

}  // namespace

Quantity Quantity::parse(const std::string& text, const Model& model) {
  Reader reader(text, model);
  reader.read();
  if (reader.terms.empty())
    throw Error(
        "names nothing of the scene; accepted: body.x, body.angle, body.vx, energy, "
        "penetration, impulse(a, b), force(a, b), and expressions of them",
        text);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < reader.terms.size(); ++i)
    names.push_back(fmt::format("quantity_{}_", i));
  Quantity quantity;
  quantity.text_ = text;
  quantity.terms_ = std::move(reader.terms);
  try {
    quantity.expression_ = Expression::parse(reader.rewritten, names);
  } catch (const Error& error) {
    throw Error(error.message(), text);
  }
  if (has_no_value(quantity.expression_))
    throw Error("is no finite number: something is divided by zero", text);
  return quantity;
}

QuantityReader::QuantityReader(const Quantity& quantity, const Simulation& simulation)
    : quantity_(quantity), values_(quantity.terms().size(), 0.0) {
  for (std::size_t i = 0; i < values_.size(); ++i)
    if (quantity.terms()[i].kind == Kind::angle)
      values_[i] = planar_angle(
          simulation.state().poses[static_cast<std::size_t>(quantity.terms()[i].a)].rotation);
    else
      reads_joints_ |= quantity.terms()[i].kind == Kind::joint;
}

double QuantityReader::read(const Simulation& simulation) {
  if (reads_joints_) simulation.read_joints(joints_);
  for (std::size_t i = 0; i < values_.size(); ++i) values_[i] = term(i, simulation);
  return quantity_.value(values_);
}

double QuantityReader::term(std::size_t i, const Simulation& simulation) {
  const QuantityTerm& it = quantity_.terms()[i];
  const State& state = simulation.state();
  const auto pose = [&]() -> const Pose& { return state.poses[static_cast<std::size_t>(it.a)]; };
  const auto twist = [&] { return body_twist(simulation.model(), state.velocities, it.a); };
  const auto pressed = [&](bool tangential) {
    Vector3 sum = Vector3::Zero();
    double normal = 0.0;
    for (const SolvedContact& contact : simulation.contacts()) {
      const auto [a, b] = std::minmax(contact.contact.body_a, contact.contact.body_b);
      if (a != std::min(it.a, it.b) || b != std::max(it.a, it.b)) continue;
      normal += contact.impulse[0];
      sum += contact.impulse[1] * contact.tangent_1 + contact.impulse[2] * contact.tangent_2;
    }
    return tangential ? sum.norm() : normal;
  };
  switch (it.kind) {
    case Kind::x:
      return pose().position.x();
    case Kind::y:
      return pose().position.y();
    case Kind::z:
      return pose().position.z();
    case Kind::angle:  // the way from the last one that is shorter than half a turn
      return values_[i] + std::remainder(planar_angle(pose().rotation) - values_[i], 2.0 * M_PI);
    case Kind::vx:
      return twist().linear.x();
    case Kind::vy:
      return twist().linear.y();
    case Kind::vz:
      return twist().linear.z();
    case Kind::speed:
      return twist().linear.norm();
    case Kind::wx:
      return twist().angular.x();
    case Kind::wy:
      return twist().angular.y();
    case Kind::wz:
      return twist().angular.z();
    case Kind::energy:
      return energy(simulation.model(), state).total();
    case Kind::kinetic:
      return energy(simulation.model(), state).kinetic;
    case Kind::potential:
      return energy(simulation.model(), state).potential;
    case Kind::penetration:
      return simulation.report().penetration;
    case Kind::impulse:
      return values_[i] + pressed(false);
    case Kind::force:
      return pressed(false) / simulation.step_size();
    case Kind::friction:
      return pressed(true) / simulation.step_size();
    case Kind::joint:
      return joints_[it.a];
    case Kind::parameter:
      return simulation.parameters().at(it.name);
    case Kind::time:
      break;
  }
  return state.time;
}

}  // namespace vinci
