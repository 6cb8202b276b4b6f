// Mixture samplers: bookkeeping, threads, refusals, adaptation.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "sotto/channel/laplace.hpp"
#include "sotto/mixture/algorithm/algorithm_choice.hpp"
#include "sotto/mixture/algorithm/conditional.hpp"
#include "sotto/mixture/algorithm/neal3.hpp"
#include "sotto/mixture/algorithm/neal5.hpp"
#include "sotto/mixture/algorithm/neal8.hpp"
#include "sotto/mixture/kernel/normal_kernel.hpp"
#include "sotto/mixture/measure.hpp"
#include "sotto/mixture/prior/dirichlet_process.hpp"
#include "sotto/mixture/prior/finite_mixture.hpp"
#include "sotto/mixture/prior/pitman_yor.hpp"

namespace {
std::atomic<std::size_t> allocations = 0;
}

// Counts what the tests below allocate. Not inlined, or the compiler takes malloc and delete for a mismatch.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace sotto::mixture {
namespace {

using Release = LocalRelease<LaplaceChannel, double>;

Release release(std::size_t n, double epsilon) {
  ChainRng rng(1);
  const LaplaceChannel channel({-10, 10}, Epsilon(epsilon));
  Release all{channel, {}};
  for (std::size_t i = 0; i < n; ++i)
    all.z.push_back(channel.simulate(i % 2 == 0 ? -4 + rng.normal() : 4 + rng.normal(), rng));
  return all;
}

void expect_consistent(const Partition& partition) {
  std::vector<int> sizes(partition.data() + 1, 0);
  for (const int slot : partition.allocation()) ++sizes[static_cast<std::size_t>(slot)];
  std::size_t occupied = 0;
  for (std::size_t slot = 0; slot < sizes.size(); ++slot) {
    EXPECT_EQ(sizes[slot], partition.size(static_cast<int>(slot)));
    occupied += sizes[slot] > 0 ? 1 : 0;
  }
  EXPECT_EQ(occupied, partition.clusters());
  for (const int slot : partition.active()) EXPECT_GT(partition.size(slot), 0);
}

TEST(Partition, random_moves_keep_the_books) {
  ChainRng rng(2);
  Partition partition(12);
  std::vector<std::size_t> owner(
      13, 99);  // what a caller keeps per slot: here the smallest member when last compacted
  for (int step = 0; step < 5000; ++step) {
    const std::size_t i = rng.below(12);
    const bool fresh = rng.below(3) == 0;
    partition.move(i, fresh ? partition.next_slot() : partition.active()[rng.below(partition.clusters())]);
    expect_consistent(partition);
    if (step % 7 != 0) continue;
    for (const int slot : partition.active())
      for (std::size_t j = 12; j-- > 0;)
        if (partition.slot(j) == slot) owner[static_cast<std::size_t>(slot)] = j;
    partition.compact([&](int from, int to) {
      owner[static_cast<std::size_t>(to)] = owner[static_cast<std::size_t>(from)];
    });
    expect_consistent(partition);
    for (std::size_t j = 0; j < 12; ++j) {
      EXPECT_LT(static_cast<std::size_t>(partition.slot(j)), partition.clusters());
      EXPECT_EQ(partition.slot(owner[static_cast<std::size_t>(partition.slot(j))]), partition.slot(j));
    }
  }
}

// A partition's prior probabilities sum to one: over the partitions of 3 data by size.
template <class Mixing>
void expect_normalised(Mixing mixing) {
  mixing.reserve(3);
  const std::vector<int> one = {3};
  const std::vector<int> two = {1, 2};
  const std::vector<int> three = {1, 1, 1};
  EXPECT_NEAR(
      std::exp(mixing.log_eppf(one)) + 3 * std::exp(mixing.log_eppf(two)) + std::exp(mixing.log_eppf(three)),
      1, 1e-12);
  // The rule for a further datum is the ratio of these.
  const double ratio = std::exp(mixing.log_eppf(three) - mixing.log_eppf(two));
  EXPECT_NEAR(mixing.new_weight(2) / (1 + mixing.size_shift()), ratio, 1e-10 * ratio);
}

TEST(Mixing, partition_probabilities_sum_to_one) {
  expect_normalised(DirichletProcess(0.7));
  expect_normalised(PitmanYor(0.7, 0.3));
  expect_normalised(FiniteMixture(0.7, 3));
}

TEST(Conditional, threads_do_not_change_the_chain) {
  const Release data = release(3000, 5);
  std::vector<std::vector<int>> allocations;
  for (const std::size_t threads : {1, 3}) {
    ChainRng rng(3);
    Conditional sampler(NormalKernel({}), DirichletProcess(1), data, std::vector<double>(3000, 0.0),
                        {.threads = threads}, rng);
    for (int sweep = 0; sweep < 20; ++sweep) sampler.sweep(rng);
    const auto found = sampler.state().partition.allocation();
    allocations.emplace_back(found.begin(), found.end());
  }
  EXPECT_EQ(allocations[0], allocations[1]);
}

TEST(Samplers, a_seed_reproduces_the_chain_and_one_datum_is_enough) {
  for (const std::size_t n : {1, 40}) {
    const Release data = release(n, 2);
    std::vector<double> means;
    for (int repeat = 0; repeat < 2; ++repeat) {
      ChainRng rng(4);
      Neal5 five(NormalKernel({}), DirichletProcess(1, ConcentrationPrior{}), data,
                 std::vector<double>(n, 0.0), {}, rng);
      Neal8 eight(NormalKernel({}), PitmanYor(1, 0.2), data, {}, rng);
      for (int sweep = 0; sweep < 50; ++sweep) five.sweep(rng), eight.sweep(rng);
      means.push_back(five.state().atom(0).mean + eight.state().atom(0).mean);
      EXPECT_EQ(five.state().draw().clusters(), five.state().draw().sizes.size());
    }
    EXPECT_EQ(means[0], means[1]);
  }
}

TEST(Samplers, impossible_settings_are_refused) {
  const Release data = release(5, 2);
  ChainRng rng(5);
  EXPECT_THROW(Neal5(NormalKernel({}), DirichletProcess(1), data, std::vector<double>(4, 0.0), {}, rng),
               Error);
  EXPECT_THROW(Neal5(NormalKernel({}), DirichletProcess(1), data, std::vector<double>(5, 0.0),
                     {.imputations = 0}, rng),
               Error);
  EXPECT_THROW(
      Neal5(NormalKernel({}), DirichletProcess(1), Confidential<double>{{1, 2}}, {}, {.imputations = 2}, rng),
      Error);
  EXPECT_THROW(Conditional(NormalKernel({}), PitmanYor(1, 0.5), data, std::vector<double>(5, 0.0),
                           {.truncation = Truncation::tolerance}, rng),
               Error);
  EXPECT_THROW(Neal8(NormalKernel({}), DirichletProcess(1), release(5, 700), {}, rng), Error);
  EXPECT_THROW(Neal8(NormalKernel({}), DirichletProcess(1), Confidential<double>{}, {}, rng), Error);
  EXPECT_THROW(DirichletProcess(0), Error);
  EXPECT_THROW(PitmanYor(-0.5, 0.3), Error);
  EXPECT_THROW(FiniteMixture(1, 0), Error);
}

TEST(Measure, weights_sum_to_one_and_keep_the_occupied_atoms_first) {
  const Release data = release(40, 5);
  ChainRng rng(6);
  Neal5 sampler(NormalKernel({}), FiniteMixture(1, 3), data, std::vector<double>(40, 0.0), {}, rng);
  MixingMeasure<NormalParameter> measure;
  for (int sweep = 0; sweep < 100; ++sweep) {
    sampler.sweep(rng);
    const auto draw = sampler.state().draw();
    draw_measure(draw, sampler.state().kernel, sampler.state().mixing, rng, measure);
    double total = 0;
    for (const double weight : measure.weights) total += weight;
    EXPECT_NEAR(total, 1, 1e-12);
    EXPECT_EQ(measure.weights.size(), measure.atoms.size());
    for (std::size_t h = 0; h < draw.clusters(); ++h) EXPECT_EQ(measure.atoms[h].mean, draw.atoms[h].mean);
  }
}

template <class Sampler>
std::size_t allocations_in_sweeps(Sampler& sampler, ChainRng& rng) {
  for (int sweep = 0; sweep < 5000; ++sweep) sampler.sweep(rng);
  const std::size_t before = allocations;
  for (int sweep = 0; sweep < 200; ++sweep) sampler.sweep(rng);
  return allocations - before;
}

// Once a chain has met its usual number of clusters, a sweep allocates nothing.
TEST(Samplers, sweeps_do_not_allocate) {
  const Release data = release(60, 5);
  const std::vector<double> start(60, 0.0);
  const NormalKernel kernel({});
  const DirichletProcess mixing(1, ConcentrationPrior{});
  ChainRng rng(7);
  Neal5 five(kernel, mixing, data, start, {.imputations = 3, .atom_update = AtomUpdate::selected}, rng);
  EXPECT_EQ(allocations_in_sweeps(five, rng), 0U);
  Conditional slice(kernel, mixing, data, start, {}, rng);
  EXPECT_EQ(allocations_in_sweeps(slice, rng), 0U);
  Neal8 eight(kernel, mixing, data, {}, rng);
  EXPECT_EQ(allocations_in_sweeps(eight, rng), 0U);
  Neal3 three(kernel, mixing, data, start, {.split_merge_moves = 1}, rng);
  EXPECT_EQ(allocations_in_sweeps(three, rng), 0U);
}

TEST(AlgorithmChoice, follows_the_channel) {
  EXPECT_EQ(choose_algorithm({.epsilon = 2}), Algorithm::neal5);
  EXPECT_EQ(choose_algorithm({.epsilon = 2, .closed_form = true}), Algorithm::metropolis);
  EXPECT_EQ(choose_algorithm({.epsilon = 20, .closed_form = true}), Algorithm::metropolis);
  EXPECT_EQ(choose_algorithm({.epsilon = 20}), Algorithm::slice);
  EXPECT_EQ(choose_algorithm({.epsilon = 2, .closed_form = true, .light_tail = false}), Algorithm::neal5);
  EXPECT_EQ(choose_algorithm({.epsilon = 50, .closed_form = true}), Algorithm::slice);
  EXPECT_EQ(choose_algorithm({.epsilon = 50, .closed_form = true, .few_values = true}),
            Algorithm::metropolis);
  EXPECT_EQ(choose_algorithm({.epsilon = 50, .closed_form = true, .light_tail = false}), Algorithm::neal8);
  EXPECT_EQ(choose_algorithm({.epsilon = 50, .light_tail = false}), Algorithm::neal5);
  EXPECT_EQ(choose_algorithm({.epsilon = 50, .local = false}), Algorithm::neal5);
}

}  // namespace
}  // namespace sotto::mixture
