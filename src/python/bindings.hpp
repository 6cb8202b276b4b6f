// The parts of the extension module `_sotto`, on which the Python package `sotto` stands.
#pragma once

#include <nanobind/nanobind.h>

namespace sotto::python {

/// Errors become the exceptions of sotto/errors.py, and the statuses that the program would end with.
void add_errors(nanobind::module_& module);
/// Schemas as the library knows them, and how well a table fits one.
void add_tables(nanobind::module_& module);
void add_fit(nanobind::module_& module);
/// What a finished fit says of new rows.
void add_predict(nanobind::module_& module);
void add_plan(nanobind::module_& module);
/// Events and what they cost.
void add_account(nanobind::module_& module);
/// Columns privatised once, and what their release says of the density.
void add_privatise(nanobind::module_& module);
void add_density(nanobind::module_& module);
/// What runs promised and spent.
void add_ledger(nanobind::module_& module);
/// An output directory, read back.
void add_run(nanobind::module_& module);

}  // namespace sotto::python
