// SPDX-License-Identifier: Apache-2.0
// The settings of a plugin bound to its options, each once: the member of the struct gives the type
// and the default of the option, and takes its value.
//
//   SettingsTable<Settings>{{&Settings::tolerance, "tolerance", "Asked of the judge.", "", 0, 1}}
#pragma once

#include <functional>
#include <initializer_list>
#include <type_traits>
#include <utility>

#include "vinci/base/registry.h"

namespace vinci {

// Names of the values of an enumeration, or of false and true, in their order.
struct Choices {
  std::vector<std::string> names;
};

template <class Settings>
struct Setting {
  static constexpr double any = std::numeric_limits<double>::infinity();

  // A double, an int or a bool.
  template <class Member>
  Setting(Member Settings::*member, std::string name, std::string text, std::string unit = {},
          double lower = -any, double upper = any)
      : spec{.name = std::move(name),
             .text = std::move(text),
             .fallback = value_of(Settings{}.*member),
             .unit = std::move(unit),
             .lower = lower,
             .upper = upper},
        read([member, option = spec.name](const OptionValues& values, Settings& settings) {
          const OptionValue& value = values.value(option);
          if constexpr (std::is_same_v<Member, int>)
            settings.*member = static_cast<int>(std::get<long>(value));
          else
            settings.*member = std::get<Member>(value);
        }) {}

  template <class Member>
  Setting(Member Settings::*member, std::string name, std::string text, Choices choices)
      : spec{.name = std::move(name),
             .text = std::move(text),
             .fallback = choices.names[static_cast<std::size_t>(Settings{}.*member)],
             .choices = choices.names},
        read([member, option = spec.name, choices](const OptionValues& values, Settings& settings) {
          std::size_t place = 0;
          while (choices.names[place] != values.text(option)) ++place;
          settings.*member = static_cast<Member>(place);
        }) {}

  OptionSpec spec;
  std::function<void(const OptionValues&, Settings&)> read;

 private:
  static OptionValue value_of(double value) { return value; }
  static OptionValue value_of(int value) { return long{value}; }
  static OptionValue value_of(bool value) { return value; }
};

template <class Settings>
class SettingsTable {
 public:
  SettingsTable(std::initializer_list<Setting<Settings>> settings) : settings_(settings) {}

  OptionTable options() const {
    std::vector<OptionSpec> specs;
    for (const Setting<Settings>& setting : settings_) specs.push_back(setting.spec);
    return OptionTable(std::move(specs));
  }
  Settings read(const OptionValues& values) const {
    Settings settings;
    for (const Setting<Settings>& setting : settings_) setting.read(values, settings);
    return settings;
  }

 private:
  std::vector<Setting<Settings>> settings_;
};

// The entry of a plugin that is made of its Settings.
template <class Interface, class Plugin>
typename Registry<Interface>::Entry entry_of(std::string name, std::string text,
                                             std::string reference,
                                             SettingsTable<typename Plugin::Settings> settings) {
  OptionTable options = settings.options();
  return {std::move(name), std::move(text), std::move(reference), std::move(options),
          [settings = std::move(settings)](const OptionValues& values) {
            return std::make_unique<Plugin>(settings.read(values));
          }};
}

}  // namespace vinci
