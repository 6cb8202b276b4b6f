// A program of someone else's: reads a table under its schema.
#include <cstdio>

#include "sotto/sotto.hpp"
#include "sotto_io/sotto_io.hpp"

int main(int, char** arguments) {
  const sotto::Schema schema = sotto::read_schema(arguments[2]);
  const sotto::Table table = sotto::read_table(arguments[1], schema);
  if (!(sotto::gaussian_epsilon(sotto::Rho(0.01), sotto::Delta(1e-6)).value() > 0)) return 1;
  std::printf("%zu rows of %zu columns\n", table.rows(), schema.columns.size());
}
