#include "python/bindings.hpp"
#include "sotto/base/version.hpp"

NB_MODULE(_sotto, module) {
  module.attr("version") = sotto::version();
  sotto::python::add_errors(module);
  sotto::python::add_tables(module);
  sotto::python::add_account(module);
  sotto::python::add_fit(module);
  sotto::python::add_plan(module);
  sotto::python::add_predict(module);
  sotto::python::add_privatise(module);
  sotto::python::add_density(module);
  sotto::python::add_ledger(module);
  sotto::python::add_run(module);
}
