// SPDX-License-Identifier: Apache-2.0
// The public face of a scene.
#include "vinci/scene/scene.h"

#include <cmath>

#include <fmt/format.h>

#include "vinci/scene/scene_load.h"

namespace vinci {

std::string Diagnostic::text() const {
  std::string result = file;
  if (line > 0) result += fmt::format(":{}", line);
  if (!result.empty()) result += ": ";
  if (!key.empty()) result += key + ": ";
  return result + message;
}

namespace {

std::string joined(const std::vector<Diagnostic>& diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics)
    text += (text.empty() ? "" : "\n") + diagnostic.text();
  return text;
}

}  // namespace

SceneError::SceneError(std::vector<Diagnostic> diagnostics)
    : Error(joined(diagnostics)), diagnostics_(std::move(diagnostics)) {}

Scene Scene::load(const std::filesystem::path& file, const RunCheck& check,
                  const std::vector<std::filesystem::path>& allowed) {
  return Scene(read_scene_file(file, check, allowed));
}

Scene Scene::parse(std::string_view yaml, const std::string& name) {
  return Scene(read_scene_text(yaml, name));
}

const std::string& Scene::title() const {
  return data_->title;
}
const std::string& Scene::source() const {
  return data_->source;
}
const std::vector<std::string>& Scene::notes() const {
  return data_->notes;
}
const std::map<std::string, double>& Scene::parameters() const {
  return data_->defaults;
}
const std::vector<ParameterChange>& Scene::changes() const {
  return data_->changes;
}
const RunChoices& Scene::run() const {
  return data_->run;
}

RunChoices Scene::run(const std::map<std::string, double>& overrides) const {
  if (!data_->run.has_parameters || overrides.empty()) return data_->run;
  Mistakes mistakes(*data_);
  RunChoices choices;
  try {
    choices = read_choices(*data_, *data_->root.find("run"), Numbers(*data_, overrides, mistakes),
                           mistakes);
  } catch (const TooManyMistakes&) {
  }
  if (!mistakes.none()) throw SceneError(mistakes.take());
  return choices;
}

std::shared_ptr<const Model> Scene::compile(const std::map<std::string, double>& overrides) const {
  Mistakes mistakes(*data_);
  std::vector<std::string> known;
  for (const auto& [name, value] : data_->defaults) known.push_back(name);
  std::shared_ptr<const Model> model;
  try {
    for (const auto& [name, value] : overrides) {
      std::string problem;
      if (data_->defaults.count(name) == 0)
        problem = fmt::format("there is no such parameter{}; accepted: {}", suggestion(name, known),
                              known.empty() ? "none" : listed(known));
      else if (!std::isfinite(value))
        problem = "the value is not a finite number";
      if (!problem.empty()) mistakes.add({data_->files[0], 0, "parameters." + name, problem});
    }
    if (mistakes.none())
      model = compile_model(*data_, Numbers(*data_, overrides, mistakes), mistakes);
  } catch (const TooManyMistakes&) {
  }
  if (!mistakes.none()) throw SceneError(mistakes.take());
  return model;
}

}  // namespace vinci
