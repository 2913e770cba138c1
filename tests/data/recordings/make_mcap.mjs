// Writes the MCAP files of this folder with Foxglove's packages, which are not ours:
//   npm install @mcap/core @foxglove/rosmsg @foxglove/rosmsg2-serialization @foxglove/wasm-zstd; apt-get install lz4
//   node make_mcap.mjs FOLDER        in the folder of these packages; FOLDER has motion.csv, which make_rosbags writes
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

const require = createRequire(path.join(process.cwd(), "package.json")); // the packages of the folder where this runs
const { McapWriter } = require("@mcap/core");
const { parse } = require("@foxglove/rosmsg");
const { MessageWriter } = require("@foxglove/rosmsg2-serialization");
const zstd = require("@foxglove/wasm-zstd");
const folder = process.argv[2];

const definitions = {
  "sensor_msgs/msg/JointState": `std_msgs/Header header
string[] name
float64[] position
float64[] velocity
float64[] effort
================================================================================
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
================================================================================
MSG: builtin_interfaces/Time
int32 sec
uint32 nanosec`,
  "std_msgs/msg/Float64MultiArray": `std_msgs/MultiArrayLayout layout
float64[] data
================================================================================
MSG: std_msgs/MultiArrayLayout
std_msgs/MultiArrayDimension[] dim
uint32 data_offset
================================================================================
MSG: std_msgs/MultiArrayDimension
string label
uint32 size
uint32 stride`,
  "std_msgs/msg/String": "string data",
};

const lines = readFileSync(path.join(folder, "motion.csv"), "utf8").trim().split("\n");
const motion = lines.slice(1).map((line) => {
  const [sec, nanosec, a, b, va, vb, ea, eb] = line.split(",").map(Number);
  const stamp = { sec, nanosec };
  return { stamp, name: ["shoulder", "elbow"], position: [a, b], velocity: [va, vb], effort: [ea, eb] };
});
const state = ({ stamp, ...rest }) => ({ header: { stamp, frame_id: "base" }, ...rest });
// Receipt is 3 ms late, and up to 5 ms later.
const received = ({ stamp }, k) => BigInt(stamp.sec) * 1000000000n + BigInt(stamp.nanosec) + 3000000n + BigInt((k * 7919) % 5) * 1000000n;

class Memory {
  parts = [];
  size = 0n;
  async write(bytes) {
    this.parts.push(Buffer.from(bytes));
    this.size += BigInt(bytes.byteLength);
  }
  position() {
    return this.size;
  }
}

class Recorder {
  static async make(options) {
    const out = new Recorder();
    out.memory = new Memory();
    out.writer = new McapWriter({ writable: out.memory, ...options });
    out.channels = new Map();
    await out.writer.start({ profile: "ros2", library: "make_mcap" });
    return out;
  }
  async add(topic, type, message, time) {
    if (!this.channels.has(topic)) {
      const data = new TextEncoder().encode(definitions[type]);
      const schemaId = await this.writer.registerSchema({ name: type, encoding: "ros2msg", data });
      const id = await this.writer.registerChannel({ schemaId, topic, messageEncoding: "cdr", metadata: new Map() });
      this.channels.set(topic, { id, write: new MessageWriter(parse(definitions[type], { ros2: true })) });
    }
    const { id, write } = this.channels.get(topic);
    const data = write.writeMessage(message);
    await this.writer.addMessage({ channelId: id, sequence: 0, publishTime: time, logTime: time, data });
  }
  async addStates(messages, topic = "/joint_states") {
    for (const [k, m] of messages.entries()) await this.add(topic, "sensor_msgs/msg/JointState", state(m), received(m, k));
  }
  async save(name) {
    await this.writer.end();
    writeFileSync(path.join(folder, name), Buffer.concat(this.memory.parts));
  }
}

await zstd.isLoaded;
const packed = (compression, compress) => ({
  chunkSize: 1500,
  compressChunk: (chunk) => ({ compression, compressedData: compress(chunk) }),
});
const withLz4 = packed("lz4", (chunk) => execFileSync("lz4", ["-9", "-c", "-"], { input: chunk }));
const withZstd = packed("zstd", (chunk) => zstd.compress(chunk, 19));

// Other topics beside the one that is wanted, and messages that do not come in the order of their time
let file = await Recorder.make(withLz4);
for (const k of [0, 2, 1]) await file.add("/rosout", "std_msgs/msg/String", { data: `line ${k}` }, received(motion[0], k));
await file.addStates(motion.slice(0, 3).reverse(), "/desired/joint_states");
await file.addStates(motion.slice(0, 10));
await file.addStates(motion.slice(10).reverse());
await file.save("chunks_lz4.mcap");

file = await Recorder.make(withZstd);
await file.addStates(motion);
await file.save("chunks_zstd.mcap");

file = await Recorder.make({ useChunks: false });
await file.addStates(motion);
await file.save("no_chunks.mcap");

// One recording in two files, the second one with its joints in another order
file = await Recorder.make(withZstd);
await file.addStates(motion.slice(0, 16));
await file.save("split_0.mcap");
const turned = (m) => ({ ...m, name: [...m.name].reverse(), position: [...m.position].reverse(), velocity: [...m.velocity].reverse(), effort: [...m.effort].reverse() });
file = await Recorder.make(withZstd);
await file.addStates(motion.slice(16).map((m, k) => (k % 3 ? m : turned(m))));
await file.save("split_1.mcap");

file = await Recorder.make(withZstd);
await file.addStates(motion.slice(0, 8).map((m, k) => (k == 4 ? { ...m, name: ["shoulder", "gripper"] } : m)));
await file.save("other_joints.mcap");

// No clock in the headers; efforts that are not measured, as ROS's controllers write them
file = await Recorder.make(withZstd);
for (const m of motion)
  await file.add("/joint_states", "sensor_msgs/msg/JointState", state({ ...m, stamp: { sec: 0, nanosec: 0 }, velocity: [], effort: [NaN, NaN] }), received(m, 0));
await file.save("no_stamps.mcap");

file = await Recorder.make(withZstd);
for (const m of motion)
  await file.add("/log", "std_msgs/msg/Float64MultiArray", { layout: { dim: [{ label: "x", size: 3, stride: 3 }], data_offset: 0 }, data: [...m.position, m.effort[1]] }, received(m, 0));
await file.save("numbers.mcap");

file = await Recorder.make(withZstd);
await file.addStates(motion.slice(0, 4), "/left/joint_states");
await file.addStates(motion.slice(0, 4), "/right/joint_states");
await file.save("two_arms.mcap");

file = await Recorder.make(withZstd);
const schemaId = await file.writer.registerSchema({ name: "sensor_msgs/JointState", encoding: "jsonschema", data: new TextEncoder().encode('{"type":"object"}') });
const channelId = await file.writer.registerChannel({ schemaId, topic: "/joint_states", messageEncoding: "json", metadata: new Map() });
for (const [k, m] of motion.slice(0, 3).entries())
  await file.writer.addMessage({ channelId, sequence: k, publishTime: received(m, k), logTime: received(m, k), data: new TextEncoder().encode(JSON.stringify(state(m))) });
await file.save("json.mcap");
