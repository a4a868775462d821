// SPDX-License-Identifier: Apache-2.0
// `vinci view`: shows recordings, scenes, robots and studies in the browser, or writes a page that
// does.
#include <algorithm>
#include <cstdio>

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include "apps/browser.h"
#include "apps/command.h"
#include "apps/still.h"
#include "apps/stop_signal.h"
#include "apps/text.h"
#include "apps/view_study.h"
#include "vinci/viewing/page.h"
#include "vinci/viewing/server.h"
#include "vinci/viewing/study_page.h"
#include "vinci/viewing/viewer_page.h"

namespace vinci {
namespace {

struct ViewFlags {
  std::vector<std::string> files, allowed, libraries;
  std::string html, host = "127.0.0.1";
  int port = 0;
  double max_size = 50.0;  // MB
  std::int64_t every = 0;
  bool overwrite = false, no_browser = false, wait = false, until_input_ends = false;
};

Json to_json(const PageResult& page, const std::string& file) {
  Json runs = Json::array();
  for (const PageRun& run : page.runs)
    runs.push_back({{"name", run.name},
                    {"recorded_frames", run.recorded},
                    {"kept_frames", run.kept},
                    {"stride", run.stride}});
  return {{"ok", true}, {"file", file}, {"bytes", page.bytes}, {"runs", runs}};
}

int write_html(const ViewFlags& flags, const Stills& shown, const Command& command) {
  PageOptions options;
  options.max_bytes = static_cast<std::uint64_t>(flags.max_size * 1e6);
  options.stride = flags.every;
  options.overwrite = flags.overwrite;
  options.go_on = [] { return !stop_wanted(); };
  PageResult page;
  try {
    page = write_page(flags.html, shown.recordings(), options);
  } catch (const Error& error) {
    if (stop_wanted()) return exit_stopped();
    throw;
  }
  if (command.json) {
    print(to_json(page, flags.html));
    return exit_good;
  }
  say(stdout, "{}: {}\n", flags.html, byte_count(page.bytes));
  for (const PageRun& run : page.runs)
    if (run.stride > 1)
      say(stdout, "  {}: {} of {} frames (every {}th); --max-size or --every keep more\n", run.name,
          run.kept, run.recorded, run.stride);
  return exit_good;
}

// Whoever started this program has closed its standard input.
bool input_ended() {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  char ignored[256];
  while (poll(&input, 1, 0) > 0)
    if (read(STDIN_FILENO, ignored, sizeof ignored) <= 0) return true;
  return false;
}

void print_address(const std::string& address, const ViewFlags& flags, const Command& command) {
  if (command.json) {
    say(stdout, "{}\n", Json{{"address", address}}.dump());
  } else {
    say(stdout, "{}\nCtrl-C ends it.\n", address);
  }
  std::fflush(stdout);
  const bool local =
      flags.host == "localhost" || flags.host == "::1" || flags.host.starts_with("127.");
  if (!local)
    say(stderr,
        "warning: others in the network can reach this server; whoever has its address "
        "sees the recordings, and the traffic is not encrypted\n");
}

// Until Ctrl-C, or what the flags say.
template <class Server>
int serve(Server& server, const ViewFlags& flags, const Command& command) {
  print_address(server.address(), flags, command);
  std::unique_ptr<TemporaryFolder> leading;
  if (!flags.no_browser) leading = open_browser(server.address());
  server.serve([&] { return !stop_wanted() && !(flags.until_input_ends && input_ended()); });
  return exit_good;
}

void refuse_page_flags(const ViewFlags& flags) {
  if (flags.overwrite || flags.every != 0)
    throw Error("--overwrite and --every are for --html", "vinci view");
}

int serve_runs(const ViewFlags& flags, const Stills& shown, const Command& command) {
  refuse_page_flags(flags);
  if (!flags.wait)
    for (const auto& path : shown.recordings()) Recording{path};  // bad ones are reported at once
  ViewServer server(shown.recordings(), {flags.host, flags.port, flags.wait, nullptr});
  return serve(server, flags, command);
}

int write_study_html(const ViewFlags& flags, StudyWatch& watch, const Command& command) {
  StudyPageOptions options;
  options.overwrite = flags.overwrite;
  options.max_bytes = static_cast<std::uint64_t>(flags.max_size * 1e6);
  options.go_on = [] { return !stop_wanted(); };
  StudyPageResult page;
  try {
    page = write_study_page(flags.html, watch, options);
  } catch (const Error&) {
    if (stop_wanted()) return exit_stopped();
    throw;
  }
  if (command.json) {
    print({{"ok", true},
           {"file", flags.html},
           {"bytes", page.bytes},
           {"cases", page.cases},
           {"kept_cases", page.kept}});
    return exit_good;
  }
  say(stdout, "{}: {}, {}; it replays no cases\n", flags.html, byte_count(page.bytes),
      plural(static_cast<std::int64_t>(page.cases), "case"));
  if (page.kept < page.cases)
    say(stdout, "  {} of them are in it, drawn at random; --max-size keeps more\n", page.kept);
  return exit_good;
}

int view_study(const ViewFlags& flags, const Command& command) {
  if (flags.files.size() != 1)
    throw Error("a study is shown by itself, without other files", "vinci view");
  if (flags.wait || flags.every != 0)
    throw Error(fmt::format("{} is for recordings", flags.wait ? "--wait" : "--every"),
                "vinci view");
  StudyToView study = study_to_view(flags.files[0], flags.libraries, flags.allowed);
  if (!flags.html.empty()) return write_study_html(flags, study.watch, command);
  refuse_page_flags(flags);
  StudyServer server(std::move(study.watch), std::move(study.replay),
                     {flags.host, flags.port, false, nullptr});
  return serve(server, flags, command);
}

int run_view(const ViewFlags& flags, const Command& command) {
  required_viewer_page();
  listen_for_stop();
  if (std::any_of(flags.files.begin(), flags.files.end(), is_study_run))
    return view_study(flags, command);
  const Stills shown(flags.files, flags.allowed);
  return flags.html.empty() ? serve_runs(flags, shown, command) : write_html(flags, shown, command);
}

}  // namespace

void add_view(CLI::App& app, Command& command) {
  auto flags = std::make_shared<ViewFlags>();
  CLI::App* subcommand = add_subcommand(
      app, "view", "Show recordings and studies, also while they grow, scenes and robots.");
  subcommand
      ->add_option(
          "file", flags->files,
          "The recordings (RUN.h5); several are compared. Of scenes (.yaml) and models of "
          "robots (.urdf, .sdf, .mjcf, .xml) the start is shown. Or the folder of a study that was "
          "run, or runs (runs/NAME.study).")
      ->type_name("")
      ->required();
  subcommand
      ->add_option("--html", flags->html,
                   "Write one page that holds all, and serve nothing: it opens offline and can be "
                   "mailed.")
      ->type_name("FILE");
  subcommand->add_flag("--overwrite", flags->overwrite, "Replace a page that exists.");
  subcommand
      ->add_option("--max-size", flags->max_size,
                   "Most data in the page, in MB; larger recordings and studies are thinned. [50]")
      ->type_name("NUMBER")
      ->check(CLI::Range(0.001, 2000.0).description(""));
  subcommand
      ->add_option("--every", flags->every,
                   "Keep only every N-th frame in the page, whatever its size.")
      ->type_name("INTEGER")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000'000}).description(""));
  subcommand
      ->add_option("--allow-path", flags->allowed,
                   "Let scenes and robots read files in this folder, too; may be given several "
                   "times.")
      ->type_name("FOLDER")
      ->allow_extra_args(false)
      ->take_all();
  add_plugin_flag(*subcommand, flags->libraries);
  subcommand->add_option("--port", flags->port, "The port; 0 is any that is free. [0]")
      ->type_name("INTEGER")
      ->check(CLI::Range(0, 65535).description(""));
  subcommand
      ->add_option("--host", flags->host,
                   "The address to serve on; any but a loopback address lets other machines in. "
                   "[127.0.0.1]")
      ->type_name("ADDRESS");
  subcommand->add_flag("--no-browser", flags->no_browser, "Print the address only.");
  subcommand->add_flag("--wait", flags->wait,
                       "Show what is written from now on; recordings need not exist yet.");
  subcommand->add_flag("--until-input-ends", flags->until_input_ends,
                       "End when standard input ends, for programs that start this one.");
  add_json_flag(*subcommand, command);
  subcommand->callback([flags, &command] {
    command.action = [flags, &command] { return run_view(*flags, command); };
  });
}

}  // namespace vinci
