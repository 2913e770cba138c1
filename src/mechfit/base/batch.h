#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace mechfit {

// Samples of one block, side by side in SIMD lanes. A panel is a feature-major array
// [rows][kBlock]; every kernel works on panels, whatever the width of the machine's registers.
inline constexpr int kBlock = 32;

// Work is cut into chunks of about so many blocks, and the chunks' results are added in their
// order, so the number of threads does not change a bit.
inline constexpr int kBlocksPerChunk = 8;
inline constexpr int kChunk = kBlock * kBlocksPerChunk;

inline constexpr std::size_t kAlignment = 64;

// Panels of a page or more begin with a page. A processor that loads k[i] just after it stored
// out[j] takes them for the same while their addresses agree in the last twelve bits, and waits. Of
// two panels that both begin with a page k[i] and out[i] agree, and a kernel is done with k[i] when
// it stores out[i].
inline constexpr std::size_t kPage = 4096;

template <class T>
struct AlignedAllocator {
  using value_type = T;
  AlignedAllocator() = default;
  template <class U>
  AlignedAllocator(const AlignedAllocator<U>&) {}
  T* allocate(std::size_t n) {
    return static_cast<T*>(::operator new(n * sizeof(T), alignment(n)));
  }
  void deallocate(T* p, std::size_t n) { ::operator delete(p, alignment(n)); }
  static std::align_val_t alignment(std::size_t n) {
    return std::align_val_t(n * sizeof(T) < kPage ? kAlignment : kPage);
  }
  friend bool operator==(const AlignedAllocator&, const AlignedAllocator&) { return true; }
};

// Storage of panels and weights, aligned for the widest registers.
using AlignedVector = std::vector<double, AlignedAllocator<double>>;

inline AlignedVector make_panel(int rows) {
  return AlignedVector(static_cast<std::size_t>(rows) * kBlock, 0.0);
}

}  // namespace mechfit
