// Samplers of every fourth kernel, compiled by themselves.
#include "sotto/mixture/fit/column_fit.hpp"

template struct sotto::KernelShare<3>;
