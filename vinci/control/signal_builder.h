// SPDX-License-Identifier: Apache-2.0
// Makes a network (signal_network.h) of signals that name each other: finds what is meant by a
// name, how long lists are, the order in which signals follow each other, and loops that have none.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "vinci/control/signal_network.h"

namespace vinci {

struct Model;

// A text at a place that the caller knows by a number.
struct PlacedText {
  std::string text;
  int place = 0;
};

// What a signal is made from. Names in expressions: t, parameters, coordinates and rates
// (model/signal.h), signals; of a list `r` all of it, entry by entry, or one as `r_0`.
struct SignalPort {
  std::vector<PlacedText> entries;  // one expression, or one for each entry of a list
  int size = 0;                     // numbers that the block needs; 0: as many as the signal has
  bool spreads = false;             // one number may stand for all of `size`
};

struct SignalSpec {
  enum class Kind {
    expression,  // one port
    sum,
    product,
    block,
    trajectory,  // its positions; further its rates and accelerations
    input        // from outside
  };
  std::string name;
  int place = 0;
  Kind kind = Kind::expression;
  std::vector<SignalPort> ports = {};
  // A block: how many numbers it gives, or 0: as many as its ports have. It is made for that many.
  int outputs = 0;
  // Behind them it gives lists under names of their own: ".position" of NAME.position, and lengths.
  std::vector<std::pair<std::string, int>> further = {};
  std::function<std::shared_ptr<const SignalBlock>(int size)> make = {};
  std::shared_ptr<const Trajectory> trajectory = {};
  std::vector<double> values = {};      // of an input
  std::vector<PlacedText> drives = {};  // one per entry: names of forces (model/signal.h)
};

struct SignalMistake {
  int place = 0;
  std::string message;
};

class SignalBuilder {
 public:
  SignalBuilder(const Model& model, std::map<std::string, double> parameters);
  void add(SignalSpec spec) { specs_.push_back(std::move(spec)); }
  // Null after a mistake.
  std::shared_ptr<const SignalNetwork> build(std::vector<SignalMistake>& mistakes);

 private:
  // What a name stands for.
  struct Meaning {
    enum class Kind { none, time, parameter, read, list } kind = Kind::none;
    int index = 0;    // of the parameter, of the read, or of the signal
    int further = 0;  // 0: what has the name of the signal, then what it gives besides
    int entry = -1;   // of a list; −1: all of it
  };
  // An expression whose names have been found.
  struct Formula {
    std::string text;
    int place = 0;
    std::vector<std::pair<Meaning, std::string>> names;  // and their variables
  };

  void read_names(std::vector<SignalMistake>& mistakes);
  Meaning meaning(const std::string& name);
  bool is_known(const std::string& name) const;
  Meaning list_of(const std::string& name) const;
  std::vector<std::string> known_names() const;
  Formula formula(const PlacedText& entry);
  int length_of(const Meaning& meaning) const;
  std::string name_of(const Meaning& meaning) const;
  int length_of(const Formula& formula) const;
  int length_of(std::size_t spec) const;
  int port_length(std::size_t spec, std::size_t port) const;
  void find_lengths();
  void check_lengths(std::vector<SignalMistake>& mistakes) const;
  void check_port(std::size_t spec, std::size_t port, std::vector<SignalMistake>& mistakes) const;
  int slot_of(const Meaning& meaning, int entry) const;
  Expression expression(const Formula& formula, int entry) const;
  void number_slots();
  void make_parts(std::vector<SignalMistake>& mistakes);
  void make_ports(std::size_t spec, std::vector<SignalMistake>& mistakes);
  void make_part(std::size_t spec, std::vector<SignalMistake>& mistakes);
  void add_formulas(const std::vector<Formula>& formulas, SignalNetwork::Part& part,
                    std::vector<SignalMistake>& mistakes);
  void make_drives(std::vector<SignalMistake>& mistakes);
  void sort_parts(std::vector<SignalMistake>& mistakes);

  const Model& model_;
  std::vector<std::string> parameter_names_;
  std::vector<double> parameter_values_;
  std::map<std::string, int>
      coordinates_;  // by name: number of the read, or −1 of one not read yet
  std::vector<SignalSpec> specs_;
  std::map<std::string, Meaning> lists_;
  std::vector<std::vector<std::vector<Formula>>> formulas_;  // per signal, port and entry
  std::vector<int> lengths_;                                 // per signal; 0: not known yet
  std::vector<int> first_slot_;                              // per signal
  std::vector<std::vector<int>> port_slots_;                 // per signal and port
  // Per part: its signal, and the slots that it follows at once.
  struct Origin {
    int spec = 0;
    std::vector<int> follows;
  };
  std::vector<Origin> origins_;
  std::shared_ptr<SignalNetwork> network_;
};

}  // namespace vinci
