// SPDX-License-Identifier: Apache-2.0
// Studies: what they ask, their ledger, and the parts of running them that Python puts together
// (vinci/study.py). All of it reads or writes files, so the GIL is held but while workers run.
#include <cerrno>
#include <csignal>
#include <new>

#include <fmt/format.h>
#include <pybind11/functional.h>
#include <pybind11/stl/filesystem.h>
#include <unistd.h>

#include "python/core/core.h"
#include "vinci/base/clock.h"
#include "vinci/campaign/atomic_file.h"
#include "vinci/campaign/campaign.h"
#include "vinci/campaign/case_bytes.h"
#include "vinci/campaign/ledger_times.h"
#include "vinci/campaign/study_folder.h"
#include "vinci/campaign/worker.h"
#include "vinci/study/runner.h"
#include "vinci/study/strategies.h"
#include "vinci/study/study_columns.h"
#include "vinci/study/study_report.h"

namespace vinci::python {
namespace {

namespace fs = std::filesystem;

// Name of a measure -> function of the state at the end of a case.
using Functions = std::map<std::string, py::function>;

// By Ctrl-C, and the runner took that for the result of the case. Used while the GIL is held.
bool function_was_interrupted = false;

// "ValueError: too far", without the places of a traceback: a table is the same wherever it is
// made.
std::string words_of(const py::error_already_set& error) {
  const std::string name = py::str(error.type().attr("__name__"));
  try {
    const std::string text = py::str(error.value());
    return text.empty() ? name : name + ": " + text;
  } catch (const py::error_already_set&) {
    return name;
  }
}

StudyCode code_of(const Functions& functions) {
  StudyCode code;
  for (const auto& [name, function] : functions)
    code.measures[name] = [held = Held(function)](const Simulation& simulation) {
      const auto state = std::make_shared<State>(simulation.state());
      py::object number;
      try {
        number = (*held)(StateHandle{state, body_table(simulation.model()), false});
      } catch (const py::error_already_set& error) {
        if (error.matches(PyExc_KeyboardInterrupt)) function_was_interrupted = true;
        if (error.matches(PyExc_MemoryError)) throw std::bad_alloc();
        throw Error(words_of(error));
      }
      try {
        return number.cast<double>();
      } catch (const py::cast_error&) {
        const std::string kind = py::str(py::type::of(number).attr("__name__"));
        throw Error("a measure gave '" + kind + "'; accepted: a number");
      }
    };
  return code;
}

// Ctrl-C was pressed: then a Python exception is set.
bool is_interrupted() {
  if (!std::exchange(function_was_interrupted, false)) return PyErr_CheckSignals() != 0;
  PyErr_SetNone(PyExc_KeyboardInterrupt);
  return true;
}

std::string repeat_words(std::uint64_t number) {
  return "study.repeat(" + std::to_string(number) + ")";
}

constexpr double longest_moment = 0.25;  // s, of what Ctrl-C may lose

// What was printed, before this process is copied, or one that is killed at its end has a case.
void flush_output() {
  for (const char* name : {"stdout", "stderr"}) try {
      const py::object stream = py::module_::import("sys").attr(name);
      if (!stream.is_none()) stream.attr("flush")();
    } catch (const py::error_already_set&) {
      // Of a stream that is closed there is nothing to see.
      continue;
    }
}

// A study that is run in a folder.
class StudyRun {
 public:
  StudyRun(Study study, fs::path folder, const Functions& functions, const std::string& identities)
      : study_(std::move(study)), folder_{std::move(folder)}, functions_(functions) {
    // A study given as text has no file.
    const std::string file =
        study_.file().empty() ? std::string() : fs::absolute(study_.file()).string();
    ledger_.emplace(Ledger::to_write(
        folder_.ledger(),
        {.hash = study_.hash(), .title = study_.title(), .file = file, .functions = identities}));
    strategy_ = make_strategy(study_);
  }

  // Cases of the next round that are missing, as pairs of first number and size; None at the end.
  std::optional<std::vector<std::pair<std::uint64_t, std::uint64_t>>> next_round() {
    round_ = vinci::next_round(*strategy_, *ledger_, rounds_);
    if (!round_) return std::nullopt;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> missing;
    for (const NumberRange& range : ledger_->done().missing({round_->first, round_->size}))
      missing.emplace_back(range.first, range.size);
    return missing;
  }

  // Runs cases of the round here, in this process, for a moment: the first ones of those asked for.
  py::bytes answer(std::uint64_t first, std::uint64_t count) {
    if (!runner_) {
      runner_.emplace(study_, code_of(functions_));
      runner_->stop_when(is_interrupted);
    }
    ByteWriter bytes;
    const Stopwatch since;
    try {
      for (std::uint64_t number = first; number < first + count; ++number) {
        if (number > first && since.seconds() > longest_moment) break;
        const CaseAnswer answer = runner_->run(round_->at(number));
        if (is_interrupted()) throw CaseRunner::Stopped();
        write(bytes, answer.result);
        write(bytes, answer.cpu_seconds);
      }
    } catch (const CaseRunner::Stopped&) {
      throw py::error_already_set();
    }
    return bytes.take();
  }

  void add(const py::bytes& bytes) {
    const std::string text = bytes;
    ByteReader from(text);
    std::vector<CaseAnswer> answers;
    while (!from.at_end()) {
      CaseAnswer answer;
      answer.result = read_result(from);
      answer.cpu_seconds = read_seconds(from);
      answers.push_back(std::move(answer));
    }
    ledger_->add(answers);
  }

  // All that is missing, by worker processes that the command starts. False if it was interrupted:
  // then a Python exception is set.
  // Without a command they are copies of this process, which have the functions.
  void run_crew(const std::vector<std::string>& command, int workers,
                const std::function<void(std::uint64_t, std::optional<std::uint64_t>)>& progress) {
    CampaignSettings settings;
    settings.crew.command = {command, study_.limits().bytes};
    if (command.empty())
      settings.crew.command.fork = [this](const WorkerEnds& ends) { return fork_worker(ends); };
    settings.crew.hash = study_.hash();
    settings.crew.workers = workers;
    settings.crew.case_seconds = study_.limits().seconds;
    settings.crew.lost = [this](std::uint64_t number, CaseStatus status, std::string message) {
      return lost_case(study_, number, status, std::move(message));
    };
    settings.go_on = [] {
      py::gil_scoped_acquire gil;
      return !is_interrupted();
    };
    settings.progress = [&](const CampaignProgress& now) {
      py::gil_scoped_acquire gil;
      progress(now.tally.done, now.expected);
    };
    bool complete = false;
    {
      py::gil_scoped_release release;
      complete = run_campaign(*strategy_, *ledger_, settings);
    }
    if (!complete) throw py::error_already_set();
  }

  std::uint64_t done() const { return ledger_->tally().done; }
  std::optional<std::uint64_t> expected() const { return strategy_->expected(); }

  // The table and the report beside the ledger.
  void finish() {
    const LedgerResults results(*ledger_);
    AtomicFile table(folder_.table());
    write_table(study_, results, [&](std::string_view text) { table.write(text); });
    table.publish();
    AtomicFile report(folder_.report());
    report.write(report_json(make_report(study_, results, LedgerTimes(*ledger_), repeat_words)));
    report.publish();
  }
  void close() {
    ledger_.reset();
    strategy_.reset();
  }

 private:
  pid_t fork_worker(const WorkerEnds& ends) const {
    py::gil_scoped_acquire gil;
    flush_output();
    // Ctrl-C is for this process: the other one passes over it, from its first moment on.
    sigset_t interrupt, before;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    pthread_sigmask(SIG_BLOCK, &interrupt, &before);
    PyOS_BeforeFork();
    const pid_t process = fork();
    const int reason = errno;
    if (process == 0) {
      PyOS_AfterFork_Child();
      live_as_worker(ends, before);
    }
    PyOS_AfterFork_Parent();
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    errno = reason;
    return process;
  }

  // Nothing of what this process has a copy of is tidied at the end.
  [[noreturn]] void live_as_worker(const WorkerEnds& ends, const sigset_t& signals) const {
    try {
      serve_cases(
          [&] {
            pthread_sigmask(SIG_SETMASK, &signals, nullptr);
            auto runner = std::make_shared<CaseRunner>(study_, code_of(functions_));
            return CaseRun{study_.hash(), [runner](const StudyCase& item) {
                             CaseAnswer answer = runner->run(item);
                             flush_output();
                             return answer;
                           }};
          },
          ends);
    } catch (...) {
      _exit(1);
    }
    _exit(0);
  }

  Study study_;
  StudyFolder folder_;
  Functions functions_;
  std::optional<Ledger> ledger_;
  std::unique_ptr<Strategy> strategy_;
  std::uint64_t rounds_ = 0;
  std::optional<Round> round_;
  std::optional<CaseRunner> runner_;
};

// Takes away what an earlier run left. Throws Failure while another process writes it.
void clear(const fs::path& path) {
  const StudyFolder folder{path};
  const WriterLock lock(folder.lock());
  for (const char* ending : {"", "-wal", "-shm", "-journal"})
    fs::remove(folder.ledger().string() + ending);
  fs::remove(folder.table());
  fs::remove(folder.report());
  fs::remove_all(folder.parts());
}

Ledger ledger_of(const Study& study, const fs::path& folder) {
  Ledger ledger = Ledger::to_read(StudyFolder{folder}.ledger());
  if (ledger.head().hash != study.hash())
    throw Error("holds what another study gave, or this one before it was changed",
                folder.string());
  return ledger;
}

// The results in a folder are those of this study, and of these functions.
void check(const Study& study, const fs::path& folder, const std::string& identities) {
  ledger_of(study, folder).need_functions(identities);
}

py::dict columns(const Study& study, const fs::path& folder) {
  const Ledger ledger = ledger_of(study, folder);
  const StudyColumns all = columns_of(study, LedgerResults(ledger));
  const auto array = [](const auto& values) {
    using Value = std::decay_t<decltype(values[0])>;
    return py::array_t<Value>(static_cast<py::ssize_t>(values.size()), values.data());
  };
  py::list parameters, measures;
  for (const VectorX& column : all.parameters) parameters.append(array(column));
  for (const VectorX& column : all.measures) measures.append(array(column));
  return py::dict("number"_a = array(all.number), "design"_a = array(all.design),
                  "sample"_a = array(all.sample), "parameters"_a = parameters,
                  "measures"_a = measures, "status"_a = array(all.status),
                  "verdict"_a = array(all.verdict), "level"_a = array(all.level),
                  "message"_a = all.message);
}

// In the order of the numbers that columns() gives.
std::vector<std::string> statuses() {
  std::vector<std::string> names;
  for (int i = 0; i < case_status_count; ++i)
    names.push_back(to_string(static_cast<CaseStatus>(i)));
  return names;
}

std::string report(const Study& study, const fs::path& folder) {
  const Ledger ledger = ledger_of(study, folder);
  return report_json(make_report(study, LedgerResults(ledger), LedgerTimes(ledger), repeat_words));
}

void export_csv(const Study& study, const fs::path& folder, const fs::path& path) {
  const Ledger ledger = ledger_of(study, folder);
  AtomicFile file(path);
  write_table(study, LedgerResults(ledger), [&](std::string_view text) { file.write(text); });
  file.publish();
}

void export_hdf5(const Study& study, const fs::path& folder, const fs::path& path) {
  const Ledger ledger = ledger_of(study, folder);
  write_columns(study, columns_of(study, LedgerResults(ledger)), path);
}

py::dict repeat(const Study& study, const std::optional<fs::path>& folder, std::uint64_t number,
                const std::optional<fs::path>& path, bool overwrite, const Functions& functions) {
  std::optional<Ledger> ledger;
  if (folder) ledger.emplace(ledger_of(study, *folder));
  std::optional<StudyCases> cases;
  if (ledger)
    cases.emplace(study, LedgerResults(*ledger));
  else
    cases.emplace(study, StoredResults());
  const StudyCase item = cases->at(number);
  CaseRunner runner(study, code_of(functions));
  runner.stop_when(is_interrupted);
  CaseResult result;
  try {
    result = (path ? runner.record(item, *path, overwrite) : runner.run(item)).result;
  } catch (const CaseRunner::Stopped&) {
    throw py::error_already_set();
  }
  py::object same = py::none();
  if (ledger)
    ledger->read({number, 1}, [&](const CaseResult& before) {
      ByteWriter a, b;
      write(a, before);
      write(b, result);
      same = py::bool_(a.bytes() == b.bytes());
    });
  return py::dict("number"_a = item.number, "design"_a = item.design, "sample"_a = item.sample,
                  "values"_a = item.values, "status"_a = to_string(result.status),
                  "verdict"_a = to_string(result.verdict), "measures"_a = result.measures,
                  "message"_a = result.message, "same"_a = same);
}

// The life of a worker that run_crew has started.
void work(const Study& study) {
  serve_cases([&] {
    auto runner = std::make_shared<CaseRunner>(study);
    return CaseRun{study.hash(), [runner](const StudyCase& item) { return runner->run(item); }};
  });
}

std::vector<py::tuple> parameters_of(const Study& study) {
  std::vector<py::tuple> list;
  for (const StudyParameter& it : study.parameters())
    list.push_back(py::make_tuple(
        it.name, it.kind == StudyParameter::Kind::design ? "design" : "uncertain", it.text));
  return list;
}

std::vector<py::tuple> measures_of(const Study& study) {
  std::vector<py::tuple> list;
  for (const StudyMeasure& it : study.measures())
    list.push_back(py::make_tuple(it.name, it.is_code, it.text));
  return list;
}

}  // namespace

void add_study(py::module_& module) {
  py::class_<Study> study(module, "_Study");
  study.def_static(
      "load",
      [](const fs::path& path, const std::vector<fs::path>& allowed) {
        return Study::load(path, {nullptr, allowed});
      },
      "path"_a, "allow_paths"_a);
  study.def_static(
      "parse",
      [](const std::string& text, const fs::path& folder, const std::string& name,
         const std::vector<fs::path>& allowed) {
        return Study::parse(text, folder, name, {nullptr, allowed});
      },
      "text"_a, "folder"_a, "name"_a, "allow_paths"_a);
  study.def_property_readonly("title", &Study::title);
  study.def_property_readonly("hash", &Study::hash);
  study.def_property_readonly("file", &Study::file);
  study.def_property_readonly("source", &Study::source);
  study.def_property_readonly("kind", [](const Study& self) { return to_string(self.kind()); });
  study.def_property_readonly("parameters", &parameters_of);
  study.def_property_readonly("measures", &measures_of);
  // Of time or memory: what only those can watch who are another process.
  study.def_property_readonly("has_limits", [](const Study& self) {
    return self.limits().seconds > 0.0 || self.limits().bytes > 0;
  });
  py::class_<StudyRun> run(module, "_StudyRun");
  run.def(py::init<Study, fs::path, const Functions&, const std::string&>(), "study"_a, "folder"_a,
          "functions"_a, "identities"_a);
  run.def("next_round", &StudyRun::next_round);
  run.def("answer", &StudyRun::answer, "first"_a, "count"_a);
  run.def("add", &StudyRun::add, "answers"_a);
  run.def("run_crew", &StudyRun::run_crew, "command"_a, "workers"_a, "progress"_a);
  run.def("finish", &StudyRun::finish);
  run.def("close", &StudyRun::close);
  run.def_property_readonly("done", &StudyRun::done);
  run.def_property_readonly("expected", &StudyRun::expected);
  module.def("_study_clear", &clear, "folder"_a);
  module.def("_study_check", &check, "study"_a, "folder"_a, "identities"_a);
  module.def("_study_statuses", &statuses);
  module.def("_study_columns", &columns, "study"_a, "folder"_a);
  module.def("_study_report", &report, "study"_a, "folder"_a);
  module.def("_study_csv", &export_csv, "study"_a, "folder"_a, "path"_a);
  module.def("_study_hdf5", &export_hdf5, "study"_a, "folder"_a, "path"_a);
  module.def("_study_repeat", &repeat, "study"_a, "folder"_a, "number"_a, "path"_a, "overwrite"_a,
             "functions"_a);
  module.def("_study_work", &work, "study"_a);
}

}  // namespace vinci::python
