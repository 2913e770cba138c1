// Grouped bars with standard errors, one panel per system; published values as diamonds.
{
  const margin = { top: 26, right: 8, left: 50 };
  const gap = 22;

  const readBars = (figure) => {
    const table = report.table(figure.spec.table);
    const columns = ['System', 'Method', 'Learning rate'].map((name) => table.textNamed(name));  // '' where there is no such column
    const numbers = ['Mean', 'Standard error', 'Runs', 'Left out', 'Failed', 'Published'].map((name) => table.numbersNamed(name));
    const seeds = figure.spec.seeds ? report.table(figure.spec.seeds) : null;
    return d3.range(table.length).map((i) => ({
      system: columns[0][i], method: columns[1][i], rate: columns[2][i],
      mean: numbers[0][i], error: numbers[1][i] || 0, runs: numbers[2][i], leftOut: numbers[3][i], failed: numbers[4][i],
      published: numbers[5][i], color: `c${figure.spec.methods.indexOf(columns[1][i]) % 8}`,
      values: seeds ? Array.from(seeds.numbers(i + 1)) : [],
    }));
  };

  // Bars of one learning rate stand together; a method without a rate stands alone under its name.
  const groupsOf = (bars) => {
    const groups = new Map();
    for (const bar of bars) {
      const name = bar.rate || bar.method;
      if (!groups.has(name)) groups.set(name, { name, bars: [], rate: Boolean(bar.rate) });
      groups.get(name).bars.push(bar);
    }
    return [...groups.values()];
  };

  const within = (figure, value) => Number.isFinite(value) && !(value > figure.spec.limit);

  const domainOf = (figure, bars) => {
    const ends = [];
    for (const bar of bars) {
      ends.push(bar.mean + bar.error, bar.published);
      if (figure.options.log) ends.push(bar.mean, bar.mean - bar.error);
      if (figure.options.seeds) ends.push(...bar.values.filter((value) => within(figure, value)));
    }
    if (!figure.options.log) return [0, 1.06 * report.extent([ends])[1]];
    const [low, high] = report.extent([ends.filter((x) => x > 0)]);
    return [low / 1.5, high * 1.3];
  };

  // A number in [-1, 1] that is the same at every drawing, to spread points of one bar.
  const spread = (i) => 2 * ((0.5 + i * 0.618034) % 1) - 1;

  const drawBar = (figure, g, bar, x, width, y, height) => {
    const layer = g.append('g').attr('class', `series ${bar.color}`);
    const middle = x + width / 2;
    if (Number.isFinite(bar.mean)) {
      layer.append('rect').attr('class', 'bar').attr('x', x).attr('width', width).attr('y', y(bar.mean)).attr('height', height - y(bar.mean)).attr('rx', Math.min(2, width / 4));
    }
    if (figure.options.seeds) {
      bar.values.forEach((value, i) => {
        if (!within(figure, value) || (figure.options.log && !(value > 0))) return;
        layer.append('circle').attr('class', 'seed').attr('cx', middle + spread(i) * width * 0.32).attr('cy', y(value)).attr('r', Math.min(2.5, width / 6));
      });
    }
    if (bar.error > 0) {
      const low = figure.options.log ? Math.max(bar.mean - bar.error, y.domain()[0]) : Math.max(0, bar.mean - bar.error);
      const cap = Math.min(5, width / 4);
      layer.append('path').attr('class', 'whisker').attr('d', `M${middle},${y(low)}V${y(bar.mean + bar.error)}M${middle - cap},${y(bar.mean + bar.error)}h${2 * cap}M${middle - cap},${y(low)}h${2 * cap}`);
    }
    if (Number.isFinite(bar.published)) {
      const r = Math.max(3.5, Math.min(6, width / 4));
      layer.append('path').attr('class', 'diamond').attr('d', `M${middle + width * 0.25},${y(bar.published) - r}l${r},${r}l${-r},${r}l${-r},${-r}Z`);
    }
  };

  const tip = (bar) => {
    const rows = [['mean', `${report.format(bar.mean)} ± ${report.format(bar.error)}`, bar.color]];
    if (Number.isFinite(bar.published)) rows.push(['published', report.format(bar.published)]);
    rows.push(['runs', String(bar.runs)]);
    if (bar.leftOut) rows.push(['left out', String(bar.leftOut)]);
    if (bar.failed) rows.push(['failed', String(bar.failed)]);
    return report.tipHtml(`${bar.method}${bar.rate ? `, learning rate ${bar.rate}` : ''}`, rows);
  };

  const drawPanel = (figure, panel) => {
    const { left, top, width, height, groups, log } = panel;
    const y = report.scale(log).domain(panel.domain).range([height, 0]);
    const g = figure.svg.append('g').attr('class', 'panel').attr('transform', `translate(${left},${top})`);
    const axis = g.append('g').attr('class', 'axis y');
    for (const [value, text] of report.ticks(y, log, 5)) {
      axis.append('line').attr('class', 'grid').attr('x2', width).attr('y1', y(value)).attr('y2', y(value));
      axis.append('text').attr('x', -8).attr('y', y(value) + 4).text(text);
    }
    g.append('text').attr('class', 'title').attr('x', -margin.left + 2).attr('y', -12).text(`${panel.name}`)
      .append('tspan').attr('class', 'label').attr('dx', 8).text(figure.spec.y);
    const slots = groups.reduce((sum, group) => sum + group.bars.length + 0.7, 0);
    const slot = width / slots;
    let x = 0.35 * slot;
    panel.hits = [];
    const labels = g.append('g').attr('class', 'axis x');
    for (const group of groups) {
      const size = slot * group.bars.length;
      for (const bar of group.bars) {
        const wide = Math.min(slot * 0.86, 64);
        drawBar(figure, g, bar, x + (slot - wide) / 2, wide, y, height);
        panel.hits.push({ bar, x, y: y(bar.mean) });
        x += slot;
      }
      const label = labels.append('text').attr('class', 'group').attr('x', x - size / 2).attr('y', height + 18).text(group.name);
      if (panel.slant) label.attr('transform', `rotate(-32 ${x - size / 2} ${height + 14})`).attr('text-anchor', 'end').attr('y', height + 16).classed('slant', true);
      x += 0.7 * slot;
    }
    if (groups.some((group) => group.rate)) {
      labels.append('text').attr('class', 'label').attr('x', width).attr('text-anchor', 'end').attr('y', height + (panel.slant ? panel.foot - 4 : 36)).text('learning rate');
    }
    g.append('path').attr('class', 'frame').attr('d', `M0,${height}H${width}`);
    panel.slot = slot;
  };

  report.painters.barsSetup = (figure) => {
    figure.bars = readBars(figure);
    const means = figure.bars.map((bar) => bar.mean).filter((x) => x > 0);
    figure.options.log = Math.max(...means) > 30 * Math.min(...means);
    if (figure.spec.seeds) figure.toggle('Every seed', 'seeds');
    figure.toggle('Log axis', 'log');
  };

  report.painters.bars = (figure) => {
    const shown = figure.bars.filter((bar) => !figure.hidden.has(bar.method));
    const grouped = figure.bars.some((bar) => bar.rate);
    const entries = grouped ? figure.spec.methods.filter((name) => figure.bars.some((bar) => bar.method === name))
      .map((name) => ({ name, style: 'bar', color: `c${figure.spec.methods.indexOf(name) % 8}` })) : [];
    if (figure.bars.some((bar) => Number.isFinite(bar.published))) entries.push({ name: 'published', style: 'diamond', color: 'ink' });
    const top = figure.legend(entries) + 6;
    if (figure.hidden.has('published')) shown.forEach((bar, i) => { shown[i] = { ...bar, published: NaN }; });
    const systems = [...new Set(shown.map((bar) => bar.system))];
    const columns = figure.width < 560 ? 1 : Math.min(2, systems.length);
    const cell = (figure.width - gap * (columns - 1)) / columns;
    const width = cell - margin.left - margin.right;
    const height = 230;
    const longest = Math.max(0, ...shown.map((bar) => (bar.rate || bar.method).length));
    const groupCount = Math.max(1, ...systems.map((system) => groupsOf(shown.filter((bar) => bar.system === system)).length));
    const slant = longest * 7 > width / groupCount;
    const foot = slant ? 26 + longest * 3.9 : 46;
    const panels = systems.map((name, i) => {
      const bars = shown.filter((bar) => bar.system === name);
      return {
        name, groups: groupsOf(bars), domain: domainOf(figure, figure.options.log ? shown : bars), width, height, slant, foot, log: Boolean(figure.options.log),
        left: (i % columns) * (cell + gap) + margin.left,
        top: top + Math.floor(i / columns) * (height + margin.top + foot) + margin.top,
      };
    });
    panels.forEach((panel) => drawPanel(figure, panel));
    figure.hover = (px, py) => {
      for (const panel of panels) {
        const x = px - panel.left;
        const y = py - panel.top;
        if (y < -10 || y > panel.height + 20) continue;
        const hit = panel.hits.find((h) => x >= h.x && x <= h.x + panel.slot);
        if (hit) return { x: panel.left + hit.x + panel.slot, y: py, html: tip(hit.bar) };
      }
      return null;
    };
    return top + Math.ceil(systems.length / columns) * (height + margin.top + foot);
  };
}
