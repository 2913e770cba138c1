'use strict';
// Shared by all figures: data from the page's tables, numbers as text, and the painters by kind.
const report = { painters: {}, tables: new Map() };

// Columns of a table as strings, and as numbers on demand; an empty cell is NaN.
report.table = (id) => {
  if (report.tables.has(id)) return report.tables.get(id);
  const rows = Array.from(document.getElementById(id).tBodies[0].rows, (row) =>
    Array.from(row.cells, (cell) => cell.textContent.trim()));
  const names = Array.from(document.getElementById(id).tHead.rows[0].cells, (cell) => cell.textContent.trim());
  const cache = new Map();
  const table = {
    names,
    length: rows.length,
    text: (column) => rows.map((row) => row[column] || ''),
    numbers: (column) => {
      if (!cache.has(column)) {
        cache.set(column, Float64Array.from(rows, (row) =>
          (row[column] ? Number(row[column]) : NaN)));
      }
      return cache.get(column);
    },
    numbersNamed: (name) => table.numbers(names.indexOf(name)),
    textNamed: (name) => table.text(names.indexOf(name)),
  };
  report.tables.set(id, table);
  return table;
};

// 0.2713, 1234, 3.1×10⁻⁵
report.format = (x) => {
  if (!Number.isFinite(x)) return '–';
  if (x === 0) return '0';
  const size = Math.abs(x);
  if (size >= 1e-3 && size < 1e6) return String(Number(x.toPrecision(4))).replace('-', '−');
  const [mantissa, exponent] = x.toExponential(2).split('e');
  return `${Number(mantissa)}×10${report.superscript(Number(exponent))}`.replace('-', '−');
};

report.superscript = (n) => String(n).replace('-', '⁻').replace(/[0-9]/g, (d) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[d]);

// Smallest interval that holds all finite numbers of the arrays.
report.extent = (arrays) => {
  let low = Infinity;
  let high = -Infinity;
  for (const array of arrays) {
    for (const x of array) {
      if (x < low) low = x;
      if (x > high) high = x;
    }
  }
  return low <= high ? [low, high] : [0, 1];
};

// The same with a margin, so that no line runs along the frame; for a logarithmic axis by ratio. A curve that is flat to a
// thousandth of its value is shown flat, not as the rounding of its numbers.
report.padded = ([low, high], log, share = 0.05) => {
  if (log) {
    if (!(low > 0)) low = high > 0 ? high * 1e-6 : 1e-6;
    if (!(high > low)) high = low * 10;
    const factor = (high / low) ** share;
    return [low / factor, high * factor];
  }
  if (high === low) return [low - 0.5, high + 0.5];
  const least = 1e-3 * Math.max(Math.abs(low), Math.abs(high));
  if (high - low < least) {
    const middle = (low + high) / 2;
    [low, high] = [middle - least / 2, middle + least / 2];
  }
  return [low - share * (high - low), high + share * (high - low)];
};

report.scale = (log) => (log ? d3.scale.log() : d3.scale.linear());

// Tick positions with their texts. A logarithmic axis labels decades, and 2 and 5 when it is short.
report.ticks = (scale, log, count) => {
  if (!log) {
    const format = scale.tickFormat(count);
    return scale.ticks(count).map((x) => [x, format(x).replace('-', '−')]);
  }
  const [low, high] = scale.domain();
  const decades = Math.log10(high / low);
  const every = Math.max(1, Math.ceil(decades / count));
  const leads = decades > 2.5 ? [1] : decades > 1.2 ? [1, 3] : [1, 2, 3, 5, 7];
  const ticks = [];
  for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); e += 1) {
    if (leads.length === 1 && e % every !== 0) continue;
    for (const lead of leads) {
      const x = Number(`${lead}e${e}`);
      if (x < low || x > high) continue;
      const plain = e >= -3 && e <= 4;
      ticks.push([x, plain ? String(x) : `${lead === 1 ? '' : `${lead}×`}10${report.superscript(e)}`]);
    }
  }
  if (ticks.length < 2) return scale.ticks().filter((x) => x >= low && x <= high).slice(0, 3).map((x) => [x, report.format(x)]);
  return ticks;
};
