// Curves and clouds of points in panels.
{
  const margin = { top: 24, right: 14, bottom: 40, left: 60 };
  const gap = 18;

  // Columns of a table may differ in length: without the empty cells at the end.
  const filled = (xs) => {
    let end = xs.length;
    while (end > 0 && Number.isNaN(xs[end - 1])) end -= 1;
    return xs.subarray(0, end);
  };

  // A panel of the drawing: its data, scales and place.
  const preparePanel = (figure, spec, index) => {
    const table = report.table(spec.table);
    const shown = spec.series.filter((series) => !figure.hidden.has(series.name)).map((series) => ({
      ...series,
      xs: filled(table.numbers(series.x)),
      ys: table.numbers(series.y),
      lows: 'low' in series ? table.numbers(series.low) : null,
      highs: 'high' in series ? table.numbers(series.high) : null,
      bands: [['low', 'high'], ['inner_low', 'inner_high']].filter(([low]) => low in series)
        .map(([low, high]) => [table.numbers(series[low]), table.numbers(series[high])]),
    }));
    return { spec, index, shown, key: figure.spec.zoom === 'x' ? `x${spec.group === undefined ? 0 : spec.group}` : `p${index}` };
  };

  const domainsOf = (figure, panel) => {
    const { spec, shown } = panel;
    const zoomed = figure.domains && figure.domains[panel.key];
    const corners = (spec.boxes || []).map((box) => box.x);
    let x = report.extent([...shown.map((s) => s.xs), ...corners]);
    if (spec.identity) {
      const both = report.padded(report.extent(shown.flatMap((s) => [s.xs, s.ys])), false);
      return zoomed || { x: both, y: both };
    }
    const points = figure.spec.zoom !== 'x' && shown.some((s) => s.style === 'points');
    x = spec.xlog || points ? report.padded(x, spec.xlog, 0.02) : x;
    if (zoomed && zoomed.x) x = zoomed.x;
    if (zoomed && zoomed.y) return { x, y: zoomed.y };
    const visible = (names) => shown.flatMap((s) => names.map((name) => s[name]).filter(Boolean).map((ys) =>
      ys.filter((y, i) => s.xs[i] >= x[0] && s.xs[i] <= x[1] && (!spec.ylog || y > 0))));
    const curves = report.extent([...visible(['ys']), ...(spec.boxes || []).map((box) => box.y), ...(spec.zero ? [[0]] : [])]);
    let y = report.extent([curves, ...visible(['lows', 'highs'])]);
    // A band that runs away must not flatten the curves: it takes at most their height again on either side.
    const height = curves[1] - curves[0];
    if (!spec.ylog && height > 0) y = [Math.max(y[0], curves[0] - height), Math.min(y[1], curves[1] + height)];
    return { x, y: report.padded(y, spec.ylog) };
  };

  const drawAxes = (g, panel) => {
    const { x, y, width, height, spec } = panel;
    const xAxis = g.append('g').attr('class', 'axis x').attr('transform', `translate(0,${height})`);
    let taken = -Infinity;
    for (const [value, text] of report.ticks(x, spec.xlog, Math.max(3, width / 90))) {
      xAxis.append('line').attr('x1', x(value)).attr('x2', x(value)).attr('y2', -height).attr('class', 'grid');
      if (x(value) < taken) continue;
      const tick = xAxis.append('text').attr('x', x(value)).attr('y', 16).text(text);
      taken = x(value) + tick.node().getComputedTextLength() + 6;
    }
    xAxis.append('text').attr('class', 'label').attr('x', width).attr('y', 33).attr('text-anchor', 'end').text(spec.x);
    const yAxis = g.append('g').attr('class', 'axis y');
    for (const [value, text] of report.ticks(y, spec.ylog, Math.max(3, height / 45))) {
      yAxis.append('line').attr('x2', width).attr('y1', y(value)).attr('y2', y(value)).attr('class', 'grid');
      yAxis.append('text').attr('x', -8).attr('y', y(value) + 4).text(text);
    }
    yAxis.append('text').attr('class', 'label').attr('x', -margin.left + 2).attr('y', -10).attr('text-anchor', 'start').text(spec.y);
    g.append('path').attr('class', 'frame').attr('d', `M0,${height}H${width}`);
  };

  const drawSeries = (g, panel) => {
    const { x, y, spec } = panel;
    const good = (v) => Number.isFinite(v) && (!spec.ylog || v > 0);
    for (const series of panel.shown) {
      const layer = g.append('g').attr('class', `series ${series.color}`);
      const at = d3.range(series.xs.length);
      const floor = (v) => (spec.ylog && !(v > 0) ? y.domain()[0] : v);
      for (const [lows, highs] of series.bands) {
        layer.append('path').attr('class', 'band').attr('d', d3.svg.area()
          .defined((i) => good(series.ys[i]) && Number.isFinite(lows[i]) && Number.isFinite(highs[i]))
          .x((i) => x(series.xs[i])).y0((i) => y(floor(lows[i]))).y1((i) => y(floor(highs[i])))(at));
      }
      if (series.style === 'points') {
        // One path for all: round dots of zero length, so that thousands stay light.
        layer.append('path').attr('class', 'dots').attr('d', at
          .filter((i) => good(series.ys[i]) && Number.isFinite(series.xs[i]))
          .map((i) => `M${x(series.xs[i]).toFixed(1)},${y(series.ys[i]).toFixed(1)}h0`).join(''));
        continue;
      }
      layer.append('path').attr('class', `line ${series.style}`).attr('d', d3.svg.line()
        .defined((i) => good(series.ys[i]) && Number.isFinite(series.xs[i]))
        .x((i) => x(series.xs[i]).toFixed(2)).y((i) => y(series.ys[i]).toFixed(2))(at));
      if (series.markers) {
        at.filter((i) => good(series.ys[i])).forEach((i) =>
          layer.append('circle').attr('class', 'point').attr('cx', x(series.xs[i])).attr('cy', y(series.ys[i])).attr('r', 3));
      }
    }
  };

  const drawPanel = (figure, panel) => {
    const { spec, width, height } = panel;
    const domains = domainsOf(figure, panel);
    panel.x = report.scale(spec.xlog).domain(domains.x).range([0, width]);
    panel.y = report.scale(spec.ylog).domain(domains.y).range([height, 0]);
    const g = figure.svg.append('g').attr('class', 'panel').attr('transform', `translate(${panel.left},${panel.top})`);
    panel.g = g;
    drawAxes(g, panel);
    const clip = `${figure.spec.id}-clip-${panel.index}`;
    g.append('clipPath').attr('id', clip).append('rect').attr('x', -1).attr('y', -6).attr('width', width + 5).attr('height', height + 7);
    const inside = g.append('g').attr('clip-path', `url(#${clip})`);
    if (spec.identity) {
      const [a, b] = panel.x.domain();
      inside.append('line').attr('class', 'identity').attr('x1', panel.x(a)).attr('y1', panel.y(a)).attr('x2', panel.x(b)).attr('y2', panel.y(b));
    }
    for (const box of spec.boxes || []) {
      inside.append('rect').attr('class', 'region').attr('x', panel.x(box.x[0])).attr('width', panel.x(box.x[1]) - panel.x(box.x[0]))
        .attr('y', panel.y(box.y[1])).attr('height', panel.y(box.y[0]) - panel.y(box.y[1]));
    }
    drawSeries(inside, panel);
    for (const mark of spec.marks || []) {
      const x = panel.x(mark.x);
      if (!(x >= 0 && x <= width)) continue;
      inside.append('line').attr('class', 'mark').attr('x1', x).attr('x2', x).attr('y2', height);
      const end = x > width - 60;
      inside.append('text').attr('class', 'mark').attr('x', x + (end ? -5 : 5)).attr('y', 10).attr('text-anchor', end ? 'end' : 'start').text(mark.text);
    }
  };

  const panelAt = (panels, x, y) => panels.find((p) => x >= p.left - 4 && x <= p.left + p.width + 4 && y >= p.top - 4 && y <= p.top + p.height + 4);

  const nearestPoint = (panel, x, y) => {
    let best = null;
    for (const series of panel.shown) {
      for (let i = 0; i < series.xs.length; i += 1) {
        const d = Math.hypot(panel.x(series.xs[i]) - x, panel.y(series.ys[i]) - y);
        if (d < (best ? best.d : 24)) best = { d, series, i };
      }
    }
    return best;
  };

  // Values under the pointer: of every curve at the nearest x, or of the nearest point of a cloud.
  const hover = (panels) => (px, py) => {
    const panel = panelAt(panels, px, py);
    panels.forEach((p) => p.g.selectAll('.cursor').remove());
    if (!panel || !panel.shown.length) return null;
    const x = px - panel.left;
    const y = py - panel.top;
    const dot = (series, i) => panel.g.append('circle').attr('class', `cursor ${series.color}`)
      .attr('cx', panel.x(series.xs[i])).attr('cy', panel.y(series.ys[i])).attr('r', 4);
    if (panel.spec.identity || panel.spec.cloud) {
      const best = nearestPoint(panel, x, y);
      if (!best) return null;
      const { series, i } = best;
      dot(series, i);
      return { x: px, y: py, html: report.tipHtml(series.name, [[panel.spec.x, report.format(series.xs[i])], [panel.spec.y, report.format(series.ys[i]), series.color]]) };
    }
    const at = panel.x.invert(x);
    const rows = [];
    let where = null;
    for (const series of panel.shown) {
      const right = d3.bisectLeft(series.xs, at);
      const nearer = right > 0 && (right === series.xs.length || at - series.xs[right - 1] < series.xs[right] - at) ? right - 1 : right;
      const value = series.ys[nearer];
      if (where === null) where = series.xs[nearer];
      if (!Number.isFinite(value)) { rows.push([series.name, '–', series.color]); continue; }
      const band = series.lows ? ` (${report.format(series.lows[nearer])} … ${report.format(series.highs[nearer])})` : '';
      rows.push([series.name, report.format(value) + band, series.color]);
      if (!panel.spec.ylog || value > 0) dot(series, nearer);
    }
    panel.g.append('line').attr('class', 'cursor').attr('x1', panel.x(where)).attr('x2', panel.x(where)).attr('y2', panel.height);
    return { x: panel.left + panel.x(where), y: py, html: report.tipHtml(`${panel.spec.x}: ${report.format(where)}`, rows) };
  };

  // Drag to look closer: over x in linked panels, over a box in the others.
  const zoom = (figure, panels) => {
    const both = figure.spec.zoom === 'xy';
    const set = (panel, x, y) => {
      figure.domains = { ...(figure.domains || {}), [panel.key]: both ? { x, y } : { x } };
    };
    const clampX = (panel, x) => Math.max(0, Math.min(panel.width, x - panel.left));
    const clampY = (panel, y) => Math.max(0, Math.min(panel.height, y - panel.top));
    return {
      begin: (x, y) => {
        const panel = panelAt(panels, x, y);
        return panel ? { panel, x: clampX(panel, x), y: clampY(panel, y) } : null;
      },
      drag: (start, px, py) => {
        const { panel } = start;
        const x = clampX(panel, px);
        const y = clampY(panel, py);
        panel.g.selectAll('.select').remove();
        if (Math.abs(x - start.x) < 6) return;
        panel.g.append('rect').attr('class', 'select')
          .attr('x', Math.min(x, start.x)).attr('width', Math.abs(x - start.x))
          .attr('y', both ? Math.min(y, start.y) : 0).attr('height', both ? Math.abs(y - start.y) : panel.height);
      },
      end: (start, px, py) => {
        const { panel } = start;
        const x = clampX(panel, px);
        const y = clampY(panel, py);
        panel.g.selectAll('.select').remove();
        if (Math.abs(x - start.x) < 6 || (both && Math.abs(y - start.y) < 6)) return false;
        const sorted = (a, b) => [Math.min(a, b), Math.max(a, b)];
        set(panel, sorted(panel.x.invert(x), panel.x.invert(start.x)), sorted(panel.y.invert(y), panel.y.invert(start.y)));
        return true;
      },
      by: (px, py, factor) => {
        const panel = panelAt(panels, px, py);
        if (!panel) return false;
        const [x, y] = [clampX(panel, px), clampY(panel, py)];
        set(panel, [panel.x.invert(x * (1 - factor)), panel.x.invert(x + (panel.width - x) * factor)],
          [panel.y.invert(y + (panel.height - y) * factor), panel.y.invert(y * (1 - factor))]);
        return true;
      },
    };
  };

  report.painters.plot = (figure) => {
    const view = figure.spec.views[figure.view];
    const panels = view.panels.map((spec, index) => preparePanel(figure, spec, index));
    const entries = new Map();
    for (const panel of view.panels) {
      for (const series of panel.series) {
        if (!entries.has(series.name)) entries.set(series.name, { name: series.name, color: series.color, style: series.style, band: 'low' in series });
      }
    }
    let top = figure.spec.legend === false ? 0 : figure.legend([...entries.values()]) + 8;
    const columns = figure.width < 560 ? 1 : Math.min(figure.spec.columns, panels.length);
    const cell = (figure.width - gap * (columns - 1)) / columns;
    const width = cell - margin.left - margin.right;
    const square = view.panels.some((panel) => panel.identity);
    const rows = Math.ceil(panels.length / columns);
    const height = square ? Math.min(width, 420) : rows > 1 ? 170 : Math.min(320, 0.6 * width + 60);
    panels.forEach((panel, i) => {
      panel.width = width;
      panel.height = height;
      panel.left = (i % columns) * (cell + gap) + margin.left;
      panel.top = top + Math.floor(i / columns) * (height + margin.top + margin.bottom) + margin.top;
      drawPanel(figure, panel);
    });
    figure.hover = hover(panels);
    figure.zoom = zoom(figure, panels);
    return top + rows * (height + margin.top + margin.bottom);
  };
}
