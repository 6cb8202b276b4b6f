// Everything that a program of one's own needs, the reading of files apart (sotto_io/sotto_io.hpp). These headers and what they
// reach are what is installed; each library's users may include theirs alone.
#pragma once

// sotto::base: what both sides may know.
#include "sotto/accountant/account.hpp"
#include "sotto/accountant/calibrate.hpp"
#include "sotto/accountant/curve.hpp"
#include "sotto/accountant/filter/concentrated_filter.hpp"
#include "sotto/accountant/filter/renyi_filter.hpp"
#include "sotto/accountant/zcdp/concentrated.hpp"
#include "sotto/accountant/zcdp/gaussian.hpp"
#include "sotto/channel/column.hpp"
#include "sotto/event/event.hpp"

// sotto::curator: rows, and what is released from them.
#include "sotto/data/schema.hpp"
#include "sotto/data/table.hpp"
#include "sotto/entropy/entropy.hpp"
#include "sotto/ledger/budget.hpp"
#include "sotto/model/auto_gradient.hpp"
#include "sotto/model/per_array.hpp"
#include "sotto/model/per_row.hpp"
#include "sotto/model/slope_bound.hpp"
#include "sotto/owner/data_owner.hpp"

// sotto::analyst: what is computed from releases.
#include "sotto/chain/lockstep.hpp"
#include "sotto/kernel/barker.hpp"
#include "sotto/kernel/hmc.hpp"
#include "sotto/kernel/langevin.hpp"
#include "sotto/kernel/penalty.hpp"
#include "sotto/report/text_table.hpp"

// sotto::run: a whole fit, and a model of one's own in it.
#include "sotto/run/fit.hpp"
#include "sotto/run/own_model.hpp"
