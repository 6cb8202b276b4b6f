// From a configuration to a posterior.
#pragma once
