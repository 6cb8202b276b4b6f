// A decoded row: what every later stage may assume about it.
#pragma once
