// SPDX-License-Identifier: Apache-2.0
// `vinci grasp`: does a grasp hold, how well, and with which forces? Of a recorded body, or of
// contacts in a file.
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "apps/command.h"
#include "apps/table.h"
#include "apps/text.h"
#include "vinci/grasp/grasp_answer.h"
#include "vinci/viewing/page.h"

namespace vinci {
namespace {

struct GraspFlags {
  std::string file, object, at, length, wrench, tolerance, html;
  std::vector<std::string> by;
  int directions = 16;
  bool overwrite = false;
};

bool is_planar(const Grasp& grasp) {
  return grasp.world == World::planar;
}

// "0.2, -0.1, -2.9, 0, 0, 0.003": forces, then torques.
Vector6 wrench_of_text(const std::string& text, const Grasp& grasp) {
  std::vector<double> values;
  std::string word;
  for (const char c : text + ",")
    if (c != ',') {
      word += c;
    } else {
      values.push_back(number_of(word, "--wrench"));
      word.clear();
    }
  const std::size_t size = is_planar(grasp) ? 3 : 6;
  if (values.size() != size)
    throw Error(fmt::format("has {} numbers; accepted: {}, forces and then {}", values.size(), size,
                            is_planar(grasp) ? "the torque" : "torques"),
                "--wrench");
  Vector6 wrench = Vector6::Zero();
  for (std::size_t i = 0; i < size; ++i)
    wrench[size == 3 && i == 2 ? 5 : static_cast<Eigen::Index>(i)] = values[i];
  return wrench;
}

bool names_recording(const std::string& file) {
  const std::string extension = std::filesystem::path(file).extension().string();
  return extension != ".yaml" && extension != ".yml" && extension != ".json";
}

NamedGrasp grasp_of_flags(const GraspFlags& flags) {
  if (!names_recording(flags.file)) {
    for (const auto& [given, name] :
         {std::pair(!flags.object.empty(), "--object"), std::pair(!flags.at.empty(), "--at"),
          std::pair(!flags.by.empty(), "--by")})
      if (given)
        throw Error("is for recordings; a file of contacts has neither bodies nor times", name);
    return read_grasp(flags.file);
  }
  const Recording recording(flags.file);
  if (flags.object.empty()) {
    std::string names;
    for (std::size_t i = 0; i < std::min<std::size_t>(recording.body_names().size(), 20); ++i)
      names += (i ? ", " : "") + recording.body_names()[i];
    throw Error("is missing; accepted: the body that is held, of " + names, "--object");
  }
  std::int64_t frame = recording.frames() - 1;
  if (!flags.at.empty()) {
    const double at = number_of(flags.at, "--at"), last = recording.info(frame).time;
    if (at < 0.0 || at > last * (1.0 + 1e-9) + 1e-9)
      throw Error(fmt::format("{} s is not in the recording; accepted: 0 to {} s", short_number(at),
                              short_number(last)),
                  "--at");
    frame = frame_at(recording, at);
  }
  return recorded_grasp(recording, frame, flags.object, flags.by);
}

void say_line(const std::string& head, const std::string& text) {
  constexpr std::size_t indent = 18;
  say(stdout, "  {}{}\n", padded(head, indent - 2), wrapped(text, page_width - indent, indent));
}

std::string wrench_text(const Grasp& grasp, const Vector6& wrench) {
  const auto number = [&](double x, double size) {
    return short_number(std::abs(x) <= 1e-9 * size ? 0.0 : x);
  };
  const double size = wrench.head<3>().norm() + wrench.tail<3>().norm() / length_of(grasp);
  const double turn = size * length_of(grasp);
  if (is_planar(grasp))
    return fmt::format("force ({}, {}) N, torque {} N m", number(wrench[0], size),
                       number(wrench[1], size), number(wrench[5], turn));
  return fmt::format("force ({}, {}, {}) N, torque ({}, {}, {}) N m", number(wrench[0], size),
                     number(wrench[1], size), number(wrench[2], size), number(wrench[3], turn),
                     number(wrench[4], turn), number(wrench[5], turn));
}

std::string interval_text(const Quality& quality) {
  return fmt::format("{:.5g} to {:.5g} N{}", quality.lower, quality.upper,
                     quality.settled ? "" : ", not as narrow as asked for");
}

void print_contacts(const NamedGrasp& named, const GraspAnswer& answer) {
  const HeldWrench& least = answer.held[0];
  const bool holds = answer.wrench && least.status == HeldWrench::Status::held;
  std::vector<Column> table = {
      {"contact", "", {}, true}, {"x", "[m]"}, {"y", "[m]"}, {"z", "[m]"}, {"friction", ""}};
  const bool soft = std::any_of(named.grasp.contacts.begin(), named.grasp.contacts.end(),
                                [](const GraspContact& c) { return c.moments.any(); });
  if (soft) table.push_back({"moments", "[mm]"});
  if (holds) {
    table.push_back({"normal", "[N]"});
    table.push_back({"tangential", "[N]"});
  }
  for (std::size_t i = 0; i < named.grasp.contacts.size(); ++i) {
    const GraspContact& contact = named.grasp.contacts[i];
    std::size_t column = 0;
    table[column++].rows.push_back(named.by[i].empty() ? fmt::format("{}", i)
                                                       : shortened(named.by[i], 20));
    for (const double x : contact.position)
      table[column++].rows.push_back(fmt::format("{:.5g}", std::abs(x) < 1e-12 ? 0.0 : x));
    table[column++].rows.push_back(short_number(contact.friction));
    const ContactMoments& m = contact.moments;
    if (soft)
      table[column++].rows.push_back(
          short_number(1e3 * std::max({m.rolling, m.torsion, m.radius})));
    if (!holds) continue;
    const Vector3& force = least.loads[i].force;
    table[column++].rows.push_back(fmt::format("{:.4g}", force[0]));
    table[column++].rows.push_back(fmt::format("{:.4g}", std::hypot(force[1], force[2])));
  }
  say(stdout, "\n");
  print_heads(table);
  for (std::size_t i = 0; i < named.grasp.contacts.size(); ++i) print_row(table, i);
}

void print_holding(const Grasp& grasp, const GraspAnswer& answer) {
  if (!answer.wrench) return;
  say_line("against", wrench_text(grasp, *answer.wrench));
  const HeldWrench& first = answer.held[0];
  if (first.status != HeldWrench::Status::held) {
    if (first.status == HeldWrench::Status::impossible)
      say_line("", "cannot be held: no contact pushes along " +
                       wrench_text(grasp, first.direction) + ", against which it acts");
    else
      say_line("", "undecided: it lies on the edge of what the contacts balance");
    return;
  }
  constexpr const char* names[] = {"least squares", "least sum", "least largest"};
  for (std::size_t i = 0; i < hold_objectives.size(); ++i) {
    const HeldWrench& held = answer.held[i];
    double sum = 0.0, largest = 0.0;
    for (const ContactLoad& load : held.loads) {
      sum += load.force[0];
      largest = std::max(largest, load.force[0]);
    }
    say_line(names[i],
             held.status == HeldWrench::Status::held
                 ? fmt::format("normal forces {:.5g} N in all, {:.5g} N at most", sum, largest)
                 : "undecided");
  }
}

void print_grasp(const NamedGrasp& named, const GraspAnswer& answer, const GraspFlags& flags) {
  const Grasp& grasp = named.grasp;
  const ClosureProof& proof = answer.proof;
  std::string head = flags.file;
  if (named.frame >= 0)
    head += fmt::format(": '{}' at {} s", named.object, short_number(named.time));
  say(stdout, "{}, {}\n", head,
      plural(static_cast<std::int64_t>(grasp.contacts.size()), "contact"));
  if (proof.closed)
    say_line("force closure",
             fmt::format("yes, proved by forces that balance with a margin of {:.5g} N per N of "
                         "normal force",
                         proof.margin));
  else if (proof.proved)
    say_line("force closure",
             "no, proved: nothing pushes along " + wrench_text(grasp, proof.direction));
  else
    say_line(
        "force closure",
        "undecided, which counts as open: the grasp is too near to the boundary, or its numbers "
        "are too different in size, for a proof");
  say_line("friction needed", std::isfinite(answer.friction_required)
                                  ? short_number(answer.friction_required)
                                  : "no friction closes it");
  if (proof.closed) {
    say_line("quality, sum", interval_text(answer.sum) + " (normal forces of 1 N in all)");
    say_line("quality, each", interval_text(answer.each) + " (1 N at each contact)");
    say_line("weakest against", wrench_text(grasp, -answer.sum.weakest));
  }
  if (answer.inside && !answer.inside->flat)
    say_line("volume", fmt::format("{:.4g} to {:.4g}, {} directions", answer.inside->volume,
                                   answer.outside->volume, flags.directions));
  else if (!answer.inside)
    say_line("volume", "not computed: the pyramids have too many corners; fewer --directions");
  const auto place = [](double x) { return std::abs(x) < 1e-12 ? 0.0 : x; };
  say_line("torques", fmt::format("divided by {} m, about ({:.5g}, {:.5g}, {:.5g}) m",
                                  short_number(length_of(grasp)), place(grasp.center.x()),
                                  place(grasp.center.y()), place(grasp.center.z())));
  print_holding(grasp, answer);
  if (!grasp.contacts.empty()) print_contacts(named, answer);
}

GraspQuestion question_of(const GraspFlags& flags, const Grasp& grasp) {
  GraspQuestion question;
  question.directions = flags.directions;
  if (!flags.tolerance.empty())
    question.quality.tolerance = number_of(flags.tolerance, "--tolerance");
  if (!flags.wrench.empty()) question.wrench = wrench_of_text(flags.wrench, grasp);
  return question;
}

// A page with the recording and this answer in it.
void write_html(const GraspFlags& flags, const NamedGrasp& named, const std::string& answer) {
  PageOptions options;
  options.overwrite = flags.overwrite;
  options.grasps = {answer};
  options.through = named.frame;
  const std::filesystem::path recording = flags.file;
  write_page(flags.html, {&recording, 1}, options);
}

int run_grasp(const GraspFlags& flags, const Command& command, const CLI::App& subcommand) {
  return with_flags(subcommand, [&] {
    if (flags.overwrite && flags.html.empty()) throw Error("is for --html", "--overwrite");
    if (!flags.html.empty() && !names_recording(flags.file))
      throw Error("is for recordings; a file of contacts has no bodies to draw", "--html");
    NamedGrasp named = grasp_of_flags(flags);
    if (!flags.length.empty()) {
      named.grasp.length = number_of(flags.length, "--length");
      if (!(named.grasp.length > 0.0)) throw Error("accepted: more than 0 m", "--length");
    }
    if (named.grasp.contacts.size() > most_grasp_contacts)
      throw Error(fmt::format("the body has {} loaded contacts; accepted: up to {}, chosen by --by",
                              named.grasp.contacts.size(), most_grasp_contacts),
                  flags.file);
    const GraspQuestion question = question_of(flags, named.grasp);
    const GraspAnswer answer = answer_grasp(named, question);
    const std::string text = grasp_answer_json(named, answer, question);
    if (!flags.html.empty()) write_html(flags, named, text);
    const int code = answer.proof.closed ? exit_good : exit_failed;
    if (command.json) {
      Json json = {{"ok", code == exit_good}, {"exit_code", code}, {"file", flags.file}};
      json.update(Json::parse(text));
      if (!flags.html.empty()) json["html"] = flags.html;
      print(json);
    } else {
      print_grasp(named, answer, flags);
      if (!flags.html.empty()) say(stdout, "\n{}\n", flags.html);
    }
    return code;
  });
}

}  // namespace

void add_grasp(CLI::App& app, Command& command) {
  auto flags = std::make_shared<GraspFlags>();
  CLI::App* subcommand = add_subcommand(
      app, "grasp", "Tell whether contacts hold a body against every force, how well, and how.");
  subcommand->add_option("file", flags->file, "A recording (RUN.h5), or contacts (YAML or JSON).")
      ->type_name("")
      ->required();
  subcommand->add_option("--object", flags->object, "The body that is held, of a recording.")
      ->type_name("NAME");
  subcommand
      ->add_option("--at", flags->at,
                   "Time in s; the frame nearest to it is looked at. [the last frame]")
      ->type_name("NUMBER");
  subcommand
      ->add_option("--by", flags->by,
                   "Count only contacts with this body; may be given several times. [all bodies]")
      ->type_name("NAME")
      ->allow_extra_args(false)
      ->take_all();
  subcommand
      ->add_option("--wrench", flags->wrench,
                   "What is to be held, from outside: 'Fx,Fy,Fz,Tx,Ty,Tz' about the centre, in N "
                   "and N m; 'Fx,Fy,T' in the plane. [the file's, or the body's weight]")
      ->type_name("NUMBERS");
  subcommand
      ->add_option("--length", flags->length,
                   "What torques are divided by, in m. [the largest distance of a contact from the "
                   "centre]")
      ->type_name("NUMBER");
  subcommand
      ->add_option("--directions", flags->directions,
                   "Of the pyramids that the volume is computed with. [16]")
      ->type_name("INTEGER");
  subcommand
      ->add_option("--tolerance", flags->tolerance,
                   "Relative width of the intervals of quality. [0.001]")
      ->type_name("NUMBER");
  subcommand
      ->add_option("--html", flags->html,
                   "Write a page that shows the recording with this grasp in it: cones, forces and "
                   "the weakest direction.")
      ->type_name("FILE");
  subcommand->add_flag("--overwrite", flags->overwrite, "Replace a page that exists.");
  add_json_flag(*subcommand, command);
  subcommand->callback([flags, &command, subcommand] {
    command.action = [flags, &command, subcommand] {
      return run_grasp(*flags, command, *subcommand);
    };
  });
}

}  // namespace vinci
