// A fixed team of threads that runs the blocks of one loop at a time.
#pragma once

#include <atomic>
#include <barrier>
#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

namespace sotto::mixture {

/// `run(blocks, task)` calls task(0..blocks-1), each once, on any thread, and returns when all are done.
/// Which thread takes which block is not determined: a task's result may depend on its block only. Tasks must
/// not throw.
class ThreadPool {
 public:
  /// `threads` >= 1, the caller's included.
  explicit ThreadPool(std::size_t threads) : gate_(static_cast<std::ptrdiff_t>(threads)) {
    for (std::size_t t = 1; t < threads; ++t)
      workers_.emplace_back([this] {
        for (;;) {
          gate_.arrive_and_wait();
          if (stop_) return;
          work();
          gate_.arrive_and_wait();
        }
      });
  }
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ~ThreadPool() {
    stop_ = true;
    if (!workers_.empty()) gate_.arrive_and_wait();
  }

  template <class Task>
  void run(std::size_t blocks, Task&& task) {
    if (workers_.empty() || blocks < 2) {
      for (std::size_t block = 0; block < blocks; ++block) task(block);
      return;
    }
    task_ = std::ref(task);
    blocks_ = blocks;
    next_ = 0;
    gate_.arrive_and_wait();
    work();
    gate_.arrive_and_wait();
  }

 private:
  void work() {
    for (std::size_t block = next_++; block < blocks_; block = next_++) task_(block);
  }

  std::barrier<> gate_;
  std::function<void(std::size_t)> task_;  ///< holds a reference: no allocation
  std::size_t blocks_ = 0;
  std::atomic<std::size_t> next_ = 0;
  bool stop_ = false;
  std::vector<std::jthread> workers_;  ///< last: joined before what they use goes
};

}  // namespace sotto::mixture
