// sotto::io: tables and schemas from files, a fit that leaves its directory, and what is written for other programs.
#pragma once

#include "sotto_io/channel_file.hpp"
#include "sotto_io/cmdstan_csv.hpp"
#include "sotto_io/fit_directory.hpp"
#include "sotto_io/schema_toml.hpp"
#include "sotto_io/table_file.hpp"
