#include "cli/mixture_figures.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "cli/exit_status.hpp"
#include "cli/interruption.hpp"
#include "cli/paper_table.hpp"
#include "cli/progress.hpp"
#include "cli/remark.hpp"
#include "experiments/published/mixture_experiment.hpp"
#include "experiments/published/mixture_page.hpp"
#include "sotto/base/error.hpp"
#include "sotto_io/atomic_file.hpp"

namespace sotto::cli {
namespace {

TableLine line_of(const MixtureFigure& figure, const MixtureOutcome& o) {
  const MixturePanel& panel = figure.panels[o.panel];
  TableLine line = {{"mechanism", panel.mechanism}, {"level", panel.level}, {"rows", panel.rows},
                    {"epsilon", panel.epsilon},     {"delta", panel.delta}, {"algorithm", o.algorithm},
                    {"repeat", o.repeat},           {"sweeps", o.sweeps}};
  for (const std::string& measure : figure.measures) {
    const auto found = o.measured.find(measure);
    line[measure] = found == o.measured.end() ? TableLine() : TableLine(found->second);
  }
  line["seconds"] = o.seconds;
  return line;
}

}  // namespace

int run_mixture_figure(const MixtureFigureOptions& options) {
  if ((options.figure == 0) == (options.table == 0))
    throw Error(ErrorCode::usage, "mixtures takes one of --figure 1 to 14 and --table 1");
  MixtureExperiment experiment{
      .figure = options.figure != 0 ? mixture_figure(options.figure) : mixture_table(options.table),
      .epsilons = options.epsilons,
      .algorithms = options.algorithms,
      .repeats = options.repeats,
      .share = options.share,
      .seed = options.seed,
      .threads = static_cast<std::size_t>(std::max(1, options.threads))};
  check_selection(experiment);
  PaperTable table(options.out, options.json);
  note_signals();
  MixtureResult result;
  {
    Progress line;
    result = run_mixture_experiment(
        experiment, [&](const MixtureOutcome& o) { line.wipe(), table.add(line_of(experiment.figure, o)); },
        [&](double share) {
          line.update(experiment.figure.name, share);
          return !interrupted();
        });
  }
  const std::filesystem::path out = options.out;
  write_whole_file(out / "report.html", mixture_page(experiment, result));
  if (const std::string curves = mixture_curves(experiment, result); !curves.empty())
    write_whole_file(out / "curves.csv", curves);
  table.finish("mixtures");
  if (!result.ended_early) return 0;
  remark(stderr, "sotto: stopped early; kept in {}, runs: {}\n", options.out, result.outcomes.size());
  return exit_status(ErrorCode::interrupted);
}

}  // namespace sotto::cli
