#pragma once

namespace CLI {
class App;
}

/// One function a sub-command: it declares the options and, when the command was given, does the
/// work and leaves the exit status in `status` (0 done, 1 failed, 2 usage).
namespace cli {

void add_analyze(CLI::App& app, int& status);
void add_run(CLI::App& app, int& status);
void add_compare(CLI::App& app, int& status);
void add_op(CLI::App& app, int& status);

} // namespace cli
