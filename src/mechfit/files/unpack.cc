#include "mechfit/files/unpack.h"

#include <lz4frame.h>
#include <zstd.h>

#include <algorithm>
#include <memory>
#include <span>

#include "mechfit/base/error.h"

namespace mechfit {
namespace {

// Calls step(from, to, used, made) with room for more until it says that all is done. It returns
// whether there is more to come.
template <class Step>
std::string unpack(std::string_view packed, std::size_t limit, const char* method, Step step) {
  constexpr std::size_t kFirst = 1 << 14;
  limit = std::min(limit, std::string().max_size() / 2);  // what a file claims may be anything
  std::string out;
  std::size_t filled = 0;
  for (bool more = true; more;) {
    if (filled == out.size()) {
      if (filled > limit)
        throw InputError(std::string(method) + " data hold more than " + std::to_string(limit) +
                         " bytes");
      out.resize(std::min(limit + 1, std::max(kFirst, 2 * filled)));
    }
    std::size_t used = 0, made = 0;
    more = step(packed, std::span<char>(out).subspan(filled), used, made);
    packed.remove_prefix(used);
    filled += made;
    if (more && used == 0 && made == 0) throw InputError(std::string(method) + " data end early");
  }
  if (filled > limit)
    throw InputError(std::string(method) + " data hold more than " + std::to_string(limit) +
                     " bytes");
  out.resize(filled);
  return out;
}

[[noreturn]] void damaged(const char* method, const char* why) {
  throw InputError(std::string(method) + " data are damaged (" + why + ")");
}

}  // namespace

bool is_zstd(std::string_view bytes) { return bytes.starts_with("\x28\xB5\x2F\xFD"); }

// Frames may follow each other.
std::string unpack_zstd(std::string_view packed, std::size_t limit) {
  const std::unique_ptr<ZSTD_DStream, size_t (*)(ZSTD_DStream*)> stream(ZSTD_createDStream(),
                                                                        ZSTD_freeDStream);
  MECHFIT_CHECK(stream != nullptr);
  return unpack(
      packed, limit, "zstd",
      [&](std::string_view from, std::span<char> to, std::size_t& used, std::size_t& made) {
        ZSTD_inBuffer in{from.data(), from.size(), 0};
        ZSTD_outBuffer out{to.data(), to.size(), 0};
        const std::size_t status = ZSTD_decompressStream(stream.get(), &out, &in);
        if (ZSTD_isError(status)) damaged("zstd", ZSTD_getErrorName(status));
        used = in.pos;
        made = out.pos;
        return status != 0 || in.pos < in.size;
      });
}

std::string unpack_lz4(std::string_view packed, std::size_t limit) {
  LZ4F_dctx* context = nullptr;
  const std::size_t made_context = LZ4F_createDecompressionContext(&context, LZ4F_VERSION);
  MECHFIT_CHECK(!LZ4F_isError(made_context));
  const std::unique_ptr<LZ4F_dctx, LZ4F_errorCode_t (*)(LZ4F_dctx*)> keep(
      context, LZ4F_freeDecompressionContext);
  return unpack(
      packed, limit, "LZ4",
      [&](std::string_view from, std::span<char> to, std::size_t& used, std::size_t& made) {
        used = from.size();
        made = to.size();
        const std::size_t status =
            LZ4F_decompress(context, to.data(), &made, from.data(), &used, nullptr);
        if (LZ4F_isError(status)) damaged("LZ4", LZ4F_getErrorName(status));
        return status != 0 || used < from.size();
      });
}

}  // namespace mechfit
