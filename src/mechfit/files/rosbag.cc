#include "mechfit/files/rosbag.h"

#include <sqlite3.h>

#include <algorithm>
#include <map>
#include <memory>

#include "mechfit/base/error.h"
#include "mechfit/files/utf.h"

namespace mechfit {
namespace {

constexpr std::string_view kMagic("SQLite format 3\0", 16);
constexpr std::size_t kHeader = 100;
constexpr std::size_t kJournalBytes[] = {18, 19};  // 1: rollback journal, 2: write-ahead log

using Database = std::unique_ptr<sqlite3, int (*)(sqlite3*)>;
using Statement = std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)>;

class Rosbag {
 public:
  Rosbag(std::string_view bytes, const std::string& name)
      : bytes_(bytes), name_(name), database_(nullptr, sqlite3_close) {}

  Recording read() {
    if (!is_sqlite(bytes_) || bytes_.size() < kHeader) fail("no SQLite database");
    expect_all_pages();
    open();
    expect_tables();
    read_topics();
    read_messages();
    sort_messages(out_);
    return std::move(out_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw InputError(name_ + ": " + what); }
  [[noreturn]] void fail_in_database() const {
    fail(std::string("the database cannot be read: ") + sqlite3_errmsg(database_.get()));
  }

  // A number of the header, highest byte first.
  std::size_t header(std::size_t at, std::size_t bytes) const {
    std::size_t value = 0;
    for (std::size_t i = 0; i < bytes; ++i)
      value = value << 8 | static_cast<unsigned char>(bytes_[at + i]);
    return value;
  }

  // The header counts the pages, where it is as new as the last change.
  void expect_all_pages() const {
    const std::size_t page = header(16, 2) == 1 ? 65536 : header(16, 2);
    const std::size_t expected = header(28, 4) * page;
    if (header(24, 4) == header(92, 4) && expected > bytes_.size())
      fail("has " + std::to_string(bytes_.size()) + " bytes, its header says " +
           std::to_string(expected) + ": it was cut off");
  }

  // The database is the bytes at hand; a write-ahead log would be another file.
  void open() {
    for (const std::size_t at : kJournalBytes)
      if (bytes_[at] == 2) bytes_[at] = 1;
    sqlite3* raw = nullptr;
    const int opened = sqlite3_open_v2(":memory:", &raw, SQLITE_OPEN_READWRITE, nullptr);
    database_.reset(raw);
    if (opened != SQLITE_OK) fail("SQLite does not start");
    // What a file says about itself is not to be trusted.
    sqlite3_db_config(raw, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(raw, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_limit(raw, SQLITE_LIMIT_LENGTH,
                  static_cast<int>(std::min<std::size_t>(bytes_.size(), 1 << 30)));
    // Nor are pages that lead back to each other. A row takes some 15 instructions, and 6 bytes.
    constexpr std::size_t kFewest = 100'000, kMost = 2'000'000'000;
    sqlite3_progress_handler(
        raw, static_cast<int>(std::clamp(16 * bytes_.size(), kFewest, kMost)),
        [](void*) { return 1; }, nullptr);
    const auto size = static_cast<sqlite3_int64>(bytes_.size());
    if (sqlite3_deserialize(raw, "main", reinterpret_cast<unsigned char*>(bytes_.data()), size,
                            size, SQLITE_DESERIALIZE_READONLY) != SQLITE_OK)
      fail_in_database();
  }

  Statement prepare(const char* sql) const {
    sqlite3_stmt* raw = nullptr;
    const int made = sqlite3_prepare_v2(database_.get(), sql, -1, &raw, nullptr);
    Statement statement(raw, sqlite3_finalize);
    if (made != SQLITE_OK) fail_in_database();
    return statement;
  }

  bool step(const Statement& statement) const {
    const int status = sqlite3_step(statement.get());
    if (status != SQLITE_ROW && status != SQLITE_DONE) fail_in_database();
    return status == SQLITE_ROW;
  }

  static std::string text(const Statement& statement, int column) {
    const auto* value = sqlite3_column_text(statement.get(), column);
    return value == nullptr ? "" : printable_name(reinterpret_cast<const char*>(value));
  }

  // Tables that were written, no views that compute something.
  void expect_tables() const {
    const Statement found = prepare(
        "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN ('topics', "
        "'messages') AND sql NOT LIKE 'create virtual%'");
    if (!step(found) || sqlite3_column_int(found.get(), 0) != 2)
      fail("no tables 'topics' and 'messages', expected a bag of rosbag2");
  }

  void read_topics() {
    const Statement row = prepare("SELECT id, name, type, serialization_format FROM topics");
    while (step(row)) {
      topic_of_[sqlite3_column_int64(row.get(), 0)] = out_.topics.size();
      out_.topics.push_back({text(row, 1), text(row, 2), text(row, 3), 0, {}});
    }
  }

  void read_messages() {
    const Statement row = prepare("SELECT topic_id, timestamp, data FROM messages");
    for (long number = 1; step(row); ++number) {
      const auto of = topic_of_.find(sqlite3_column_int64(row.get(), 0));
      if (of == topic_of_.end())
        fail("message " + std::to_string(number) + " is of a topic that is not there");
      const sqlite3_int64 time = sqlite3_column_int64(row.get(), 1);
      const auto* data = static_cast<const char*>(sqlite3_column_blob(row.get(), 2));
      const auto size = static_cast<std::size_t>(sqlite3_column_bytes(row.get(), 2));
      RecordedTopic& topic = out_.topics[of->second];
      try {
        add_message(topic, time, time,
                    size == 0 ? std::string_view() : std::string_view(data, size));
      } catch (const InputError& e) {
        fail("message " + std::to_string(topic.count) + " of " + topic.name + ": " + e.what());
      }
    }
  }

  std::string bytes_;  // a copy: SQLite wants to own what it reads
  const std::string& name_;
  Database database_;  // closed before its bytes go
  Recording out_;
  std::map<sqlite3_int64, std::size_t> topic_of_;
};

}  // namespace

bool is_sqlite(std::string_view bytes) { return bytes.starts_with(kMagic); }

Recording read_rosbag(std::string_view bytes, const std::string& name) {
  return Rosbag(bytes, name).read();
}

}  // namespace mechfit
