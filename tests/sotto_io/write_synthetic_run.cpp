// Writes a made-up run into a directory, for tests in other languages.
#include <cstdio>

#include "sotto_io/run_directory.hpp"
#include "support/synthetic_run.hpp"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: write_synthetic_run DIR\n", stderr);
    return 64;
  }
  sotto::write_run(argv[1], sotto::synthetic_run(301, 0.6));
  return 0;
}
