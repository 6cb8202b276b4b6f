// Included by every header that sees rows, books charges or draws noise: only who links sotto::curator may read it on.
#pragma once

#ifndef SOTTO_CURATOR_SIDE
#error "this header is the curator's: link sotto::curator, or ask through sotto/release/query.hpp"
#endif
