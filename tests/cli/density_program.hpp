// Runs of `sotto density` that are short, or long enough for chains to mix.
#pragma once

#include <string>

#include "cli/program.hpp"

namespace sotto {

class DensityProgram : public Program {
 protected:
  const std::string quick_ = " --chains 2 --warmup 100 --draws 100 --thin 1 --grid 51 ";
  const std::string mixed_ = " --chains 2 --warmup 1000 --draws 500 --thin 2 --grid 51 ";
};

}  // namespace sotto
