#include "mechfit/files/mcap.h"

#include <array>
#include <bit>
#include <cstring>
#include <map>

#include "mechfit/base/error.h"
#include "mechfit/files/deflate.h"
#include "mechfit/files/number.h"
#include "mechfit/files/unpack.h"
#include "mechfit/files/utf.h"

namespace mechfit {
namespace {

static_assert(std::endian::native == std::endian::little, "MCAP has the lowest byte first");

constexpr std::string_view kMagic("\x89MCAP0\r\n", 8);

// Kinds of records, as the description of the format numbers them. Others hold no messages.
enum Record : unsigned char {
  footer = 2,
  schema,
  channel,
  message,
  chunk,
  data_end = 0x0F,
};

class Mcap {
 public:
  Mcap(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  Recording read() {
    if (!is_mcap(bytes_)) fail("no MCAP file");
    std::size_t at = kMagic.size();
    while (!ended_) {
      if (at == bytes_.size()) fail("ends without a footer" + std::string(kCutOff));
      at += read_record(bytes_.substr(at), at, false);
    }
    if (bytes_.substr(at) != kMagic) fail("does not end with the mark of an MCAP file");
    sort_messages(out_);
    return std::move(out_);
  }

 private:
  static constexpr const char* kCutOff = " (was the recording cut off? `mcap recover` mends it)";

  // Values of a record, one after the other.
  struct Fields {
    std::string_view rest;
    const Mcap& file;
    const char* record;

    std::string_view take(std::size_t size) {
      if (size > rest.size()) file.fail(std::string("a ") + record + " ends early");
      const std::string_view out = rest.substr(0, size);
      rest.remove_prefix(size);
      return out;
    }
    template <class T>
    T number() {
      T value;
      std::memcpy(&value, take(sizeof value).data(), sizeof value);
      return value;
    }
    std::string_view text() { return take(number<std::uint32_t>()); }
  };

  [[noreturn]] void fail(const std::string& what) const { throw InputError(name_ + ": " + what); }

  // Reads the record at the front of `rest`, which is at `at` of the file, and returns its size.
  std::size_t read_record(std::string_view rest, std::size_t at, bool in_chunk) {
    constexpr std::size_t kHead = 9;  // kind, size
    std::uint64_t size = 0;
    if (rest.size() >= kHead) std::memcpy(&size, rest.data() + 1, sizeof size);
    if (rest.size() < kHead || size > rest.size() - kHead) {
      if (in_chunk) fail("a chunk ends within a record");
      fail("ends within a record at byte " + std::to_string(at) + kCutOff);
    }
    const std::string_view body = rest.substr(kHead, size);
    switch (static_cast<unsigned char>(rest[0])) {
      case schema:
        read_schema({body, *this, "schema"});
        break;
      case channel:
        read_channel({body, *this, "channel"});
        break;
      case message:
        read_message({body, *this, "message"});
        break;
      case chunk:
        if (in_chunk) fail("a chunk within a chunk");
        read_chunk({body, *this, "chunk"});
        break;
      case data_end:
        if (!in_chunk) check_data({body, *this, "record of the data's end"}, at);
        break;
      case footer:
        if (!in_chunk) read_footer({body, *this, "footer"}, at + kHead);
        break;
      default:
        break;
    }
    return kHead + size;
  }

  void read_schema(Fields fields) {
    const auto id = fields.number<std::uint16_t>();
    schemas_[id] = printable_name(fields.text());
  }

  // The summary at the end repeats schemas and channels.
  void read_channel(Fields fields) {
    const auto id = fields.number<std::uint16_t>(), of = fields.number<std::uint16_t>();
    RecordedTopic topic;
    topic.name = printable_name(fields.text());
    topic.encoding = printable_name(fields.text());
    if (of != 0 && !schemas_.contains(of))
      fail("topic " + in_quotes(topic.name) + " has a schema that is not there");
    if (of != 0) topic.type = schemas_[of];
    const auto [known, is_new] =
        known_topics_.try_emplace({topic.name, topic.type, topic.encoding}, out_.topics.size());
    topic_of_[id] = known->second;
    if (is_new) out_.topics.push_back(std::move(topic));
  }

  void read_message(Fields fields) {
    const auto of = topic_of_.find(fields.number<std::uint16_t>());
    if (of == topic_of_.end()) fail("a message of a channel that is not there");
    fields.number<std::uint32_t>();  // sequence
    const auto recorded = fields.number<std::int64_t>(), published = fields.number<std::int64_t>();
    RecordedTopic& topic = out_.topics[of->second];
    try {
      add_message(topic, recorded, published != 0 ? published : recorded, fields.rest);
    } catch (const InputError& e) {
      fail("message " + std::to_string(topic.count) + " of " + topic.name + ": " + e.what());
    }
  }

  void read_chunk(Fields fields) {
    fields.number<std::uint64_t>();  // time of the first message
    fields.number<std::uint64_t>();  // and of the last one
    const auto size = fields.number<std::uint64_t>();
    const auto crc = fields.number<std::uint32_t>();
    const std::string_view method = fields.text();
    const std::string_view packed = fields.take(fields.number<std::uint64_t>());
    if (!method.empty() && method != "lz4" && method != "zstd")
      fail("a chunk is packed by " + in_quotes(method) + ", expected lz4, zstd or nothing");
    std::string unpacked;
    std::string_view records = packed;
    try {
      if (!method.empty())
        records = unpacked = method == "lz4" ? unpack_lz4(packed, size) : unpack_zstd(packed, size);
    } catch (const InputError& e) {
      fail(std::string("a chunk's ") + e.what());
    }
    if (records.size() != size)
      fail("a chunk has " + std::to_string(records.size()) + " bytes, expected " +
           std::to_string(size));
    if (crc != 0 && crc_32(records) != crc) fail("a chunk is damaged (checksum)");
    for (std::size_t at = 0; at < records.size();) at += read_record(records.substr(at), at, true);
  }

  // Checksums of 0 were not made.
  void check_data(Fields fields, std::size_t at) {
    data_ended_ = true;
    const auto crc = fields.number<std::uint32_t>();
    if (crc != 0 && crc_32(bytes_.substr(0, at)) != crc) fail("is damaged (checksum of the data)");
  }

  // The summary's checksum covers the footer up to itself.
  void read_footer(Fields fields, std::size_t body) {
    const auto begin = fields.number<std::uint64_t>();
    fields.number<std::uint64_t>();
    const std::size_t covered = body + 2 * sizeof(std::uint64_t);
    const auto crc = fields.number<std::uint32_t>();
    ended_ = true;
    if (!data_ended_) fail("a footer before the data's end");
    if (begin == 0 || crc == 0) return;
    if (begin > covered || crc_32(bytes_.substr(begin, covered - begin)) != crc)
      fail("is damaged (checksum of the summary)");
  }

  std::string_view bytes_;
  const std::string& name_;
  Recording out_;
  std::map<std::uint16_t, std::string> schemas_;
  std::map<std::uint16_t, std::size_t> topic_of_;
  std::map<std::array<std::string, 3>, std::size_t> known_topics_;  // by name, type, encoding
  bool data_ended_ = false, ended_ = false;
};

}  // namespace

bool is_mcap(std::string_view bytes) { return bytes.starts_with(kMagic); }

Recording read_mcap(std::string_view bytes, const std::string& name) {
  return Mcap(bytes, name).read();
}

}  // namespace mechfit
