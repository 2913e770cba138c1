#pragma once

#include <string>
#include <string_view>

#include "mechfit/files/recording.h"

namespace mechfit {

// rosbag2's SQLite container (.db3): tables `topics` (id, name, type, serialization_format) and
// `messages` (topic_id, timestamp, data). `name` is the file's name in messages; InputError for
// what is not such a file, is damaged or ends early.
Recording read_rosbag(std::string_view bytes, const std::string& name);

bool is_sqlite(std::string_view bytes);

}  // namespace mechfit
