// Loaded beside the program (LD_PRELOAD): when the program exits, looks for a number in all of its writable memory but the
// stack, as text and as a double, and writes into a file how often it is there, the most memory that the program occupied
// (KiB), whether it could be dumped or read by others, and whether its limit of dumps is above zero.
#include <sys/prctl.h>
#include <sys/resource.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

// The number's text is never whole in this process but where the program put it: every byte of the variable is off by one.
char text[64];
std::size_t length = 0;
double number = 0;
void* volatile planted = nullptr;

__attribute__((constructor)) void prepare() {
  const char* shifted = std::getenv("SOTTO_SCAN_TEXT_PLUS_ONE");
  if (shifted == nullptr) return;
  for (; shifted[length] != '\0' && length + 1 < sizeof text; ++length)
    text[length] = static_cast<char>(shifted[length] - 1);
  number = std::strtod(text, nullptr);
  if (std::getenv("SOTTO_SCAN_PLANT") != nullptr) {
    planted = std::malloc(64);  // what the scan must find
    std::memcpy(planted, &number, sizeof number);
  }
}

bool own(const char* at) {
  return (at >= text && at < text + sizeof text) || at == reinterpret_cast<const char*>(&number);
}

std::size_t count(const char* begin, const char* end) {
  std::size_t found = 0;
  for (const char* at = begin; at + length <= end; ++at) {
    if (own(at)) continue;
    if (std::memcmp(at, text, length) == 0) ++found;
    if (std::memcmp(at, &number, sizeof number) == 0) ++found;
  }
  return found;
}

std::size_t count_in_memory() {
  std::FILE* maps = std::fopen("/proc/self/maps", "r");
  if (maps == nullptr || length == 0) return 0;
  static char line[4096];
  std::size_t found = 0;
  while (std::fgets(line, sizeof line, maps) != nullptr) {
    std::uintptr_t begin = 0, end = 0;
    char rights[5] = {};
    if (std::sscanf(line, "%lx-%lx %4s", &begin, &end, rights) != 3) continue;
    if (std::strncmp(rights, "rw", 2) != 0 || std::strstr(line, "[stack]") != nullptr) continue;
    found += count(reinterpret_cast<const char*>(begin), reinterpret_cast<const char*>(end));
  }
  std::fclose(maps);
  return found;
}

std::size_t peak() {
  std::FILE* status = std::fopen("/proc/self/status", "r");
  static char line[256];
  std::size_t kilobytes = 0;
  while (status != nullptr && std::fgets(line, sizeof line, status) != nullptr) {
    if (std::sscanf(line, "VmHWM: %zu", &kilobytes) == 1) break;
  }
  if (status != nullptr) std::fclose(status);
  return kilobytes;
}

__attribute__((destructor)) void scan() {
  const char* result = std::getenv("SOTTO_SCAN_RESULT");
  if (result == nullptr) return;
  const std::size_t most = peak();  // before the scan touches anything
  const std::size_t found = count_in_memory();
  std::FILE* out = std::fopen(result, "w");
  if (out == nullptr) return;
  rlimit core{};
  ::getrlimit(RLIMIT_CORE, &core);
  std::fprintf(out, "%zu %zu %d %d\n", found, most, ::prctl(PR_GET_DUMPABLE, 0, 0, 0, 0),
               core.rlim_max > 0 ? 1 : 0);
  std::fclose(out);
}

}  // namespace
