// SPDX-License-Identifier: Apache-2.0
// `vinci certify`: does the step at a time have a solution, and is it the only one?
#include "vinci/simulation/certify.h"

#include <filesystem>

#include <fmt/format.h>

#include "apps/certify_page.h"
#include "apps/command.h"
#include "apps/text.h"

namespace vinci {
namespace {

struct CertifyFlags {
  std::string scene, at, html;
  bool overwrite = false;
  ChoiceFlags choices;
};

void print_line(const std::string& head, const std::string& text) {
  constexpr std::size_t indent = 16;
  say(stdout, "{}{}\n", padded(head, indent), wrapped(text, page_width - indent, indent));
}

std::string vector_text(const Vector3& vector) {
  const auto number = [&](double x) {
    return short_number(std::abs(x) <= 1e-12 * vector.norm() ? 0.0 : x);
  };
  return fmt::format("({}, {}, {})", number(vector.x()), number(vector.y()), number(vector.z()));
}

// "particle (0, 1, 0) m/s"; of bodies that take part.
std::string motion_text(const std::vector<Twist>& twists, const Model& model) {
  std::string text;
  for (std::size_t b = 0; b < twists.size(); ++b) {
    std::string own;
    if (!twists[b].linear.isZero(1e-12)) own += " " + vector_text(twists[b].linear) + " m/s";
    if (!twists[b].angular.isZero(1e-12))
      own += (own.empty() ? " turns " : ", turns ") + vector_text(twists[b].angular) + " rad/s";
    if (!own.empty()) text += (text.empty() ? "" : "; ") + model.bodies[b].name + own;
  }
  return text.empty() ? "nothing moves" : text;
}

// The first and the last motion of a family, of the body that changes most.
std::string family_text(const std::vector<StepSolution>& family, const Model& model) {
  std::size_t most = 0;
  double largest = 0.0;
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    double change = 0.0;
    for (const StepSolution& member : family)
      change =
          std::max(change, (member.bodies[b].linear - family[0].bodies[b].linear).norm() +
                               (member.bodies[b].angular - family[0].bodies[b].angular).norm());
    if (change > largest) largest = change, most = b;
  }
  if (largest <= 1e-12)
    return fmt::format("{} with one motion, other contact forces",
                       plural(static_cast<std::int64_t>(family.size()), "solution"));
  const auto ends = [&](const StepSolution& member) {
    return vector_text(member.bodies[most].linear) + " m/s, " +
           vector_text(member.bodies[most].angular) + " rad/s";
  };
  return fmt::format("{}, {} from {} to {}",
                     plural(static_cast<std::int64_t>(family.size()), "solution"),
                     model.bodies[most].name, ends(family.front()), ends(family.back()));
}

void print_certificate(const std::string& file, const StepCertificate& certificate,
                       const Model& model) {
  const ProblemCertificate& verdict = certificate.verdict;
  say(stdout, "{}: step {}, from {} s on, {}, {} cone\n", file, certificate.step,
      short_number(certificate.time), certificate.motion, certificate.cone);
  if (!certificate.reached)
    print_line("note", "the run ends in this step, before the time asked for");
  if (certificate.parts > 1)
    print_line("note", fmt::format("the step was made in {} parts; this is the last of them",
                                   certificate.parts));
  if (certificate.fell_back)
    print_line("note",
               "as the method states it the step has no solution; this is the step without "
               "the terms that part overlapping bodies");
  print_line("solution",
             fmt::format("{}: {}", to_string(verdict.exists), verdict.existence_reason));
  for (const BodyWrench& wrench : certificate.missing)
    print_line("missing", fmt::format("on {}: a force of {} N and a torque of {} N m",
                                      model.bodies[static_cast<std::size_t>(wrench.body)].name,
                                      vector_text(wrench.force), vector_text(wrench.torque)));
  for (const CertifiedContact& contact : certificate.contacts)
    if (contact.share != 0.0)
      print_line("proof", fmt::format("{} of it is the contact of {} and {} at {}",
                                      short_number(contact.share),
                                      model.bodies[static_cast<std::size_t>(contact.body_a)].name,
                                      model.bodies[static_cast<std::size_t>(contact.body_b)].name,
                                      vector_text(contact.point)));
  if (verdict.exists != Existence::proved) return;
  print_line("motion", fmt::format("{}: {}", to_string(verdict.motion), verdict.motion_reason));
  print_line("contact forces",
             fmt::format("{}: {}", to_string(verdict.loads), verdict.loads_reason));
  if (verdict.proposition_1)
    print_line("proposition 1", *verdict.proposition_1 ? "holds" : "fails");
  for (const FreeMotion& motion : certificate.free)
    print_line("free motion",
               motion_text(motion.bodies, model) + (motion.both_ways ? ", and back" : ", one way"));
  for (const auto& family : certificate.families) print_line("family", family_text(family, model));
  for (const StepSolution& other : certificate.others)
    print_line("another", motion_text(other.bodies, model));
}

// The page with the bodies at the end of the step.
PageResult write_ghosts(const CertifyFlags& flags, const StepCertificate& certificate,
                        const State& state, const std::shared_ptr<const Plugins>& plugins) {
  ChoiceFlags choices = flags.choices;
  choices.options["step"] = choices.options["output-interval"] = fmt::format("{}", ghost_step);
  choices.options["duration"] = fmt::format("{}", ghost_duration);
  Simulation still =
      make_simulation(load_scene(flags.scene, *plugins, choices), overrides_of(choices), plugins);
  PageOptions options;
  options.overwrite = flags.overwrite;
  options.over = true;
  return write_certificate_page(flags.html, certificate, state, still, options);
}

int run_certify(const CertifyFlags& flags, const Command& command) {
  std::error_code failed;
  if (!flags.html.empty() && !flags.overwrite && std::filesystem::exists(flags.html, failed))
    throw Error("exists already; give --overwrite to replace it", flags.html);
  const auto plugins = plugins_of(flags.choices.libraries);
  Simulation simulation = make_simulation(load_scene(flags.scene, *plugins, flags.choices),
                                          overrides_of(flags.choices), plugins);
  const double at = flags.at.empty() ? 0.0 : number_of(flags.at, "--at");
  if (at < 0.0) throw Error("the time is negative; accepted: 0 s or later", "--at");
  const StepCertificate certificate = certify_at(simulation, at);
  const int code = certificate.is_certain() ? exit_good : exit_failed;
  if (!flags.html.empty()) write_ghosts(flags, certificate, simulation.state(), plugins);
  if (command.json) {
    Json json = {{"ok", code == exit_good}, {"exit_code", code}, {"scene", flags.scene}};
    json.update(Json::parse(certificate_json(certificate, simulation.model())));
    json["page"] = flags.html.empty() ? Json() : Json(flags.html);
    print(json);
  } else {
    print_certificate(flags.scene, certificate, simulation.model());
    if (!flags.html.empty()) print_line("page", flags.html);
  }
  return code;
}

}  // namespace

void add_certify(CLI::App& app, Command& command) {
  auto flags = std::make_shared<CertifyFlags>();
  CLI::App* subcommand =
      add_subcommand(app, "certify",
                     "Prove that a step has a solution, and whether it is the only "
                     "one.");
  subcommand->add_option("scene", flags->scene, "A scene file (YAML).")->type_name("")->required();
  subcommand
      ->add_option("--at", flags->at,
                   "Time at which the step begins, in s; the scene is run up to it. [0]")
      ->type_name("NUMBER");
  subcommand
      ->add_option("--html", flags->html,
                   "Write the viewer with the bodies of the step and, as ghosts over them, those "
                   "that move along a motion that it leaves open.")
      ->type_name("FILE");
  subcommand->add_flag("--overwrite", flags->overwrite, "Replace a page that exists.");
  add_json_flag(*subcommand, command);
  add_choice_flags(*subcommand, flags->choices);
  subcommand->callback([flags, &command] {
    command.action = [flags, &command] { return run_certify(*flags, command); };
  });
}

}  // namespace vinci
