// The mechanism in motion: every actor in a panel of its own, the first one pale behind the others.
{
  const points = (table, frame, count) => d3.range(count).map((k) => [table.numbers(1 + 2 * k)[frame], table.numbers(2 + 2 * k)[frame]]);

  const springPath = ([x0, y0], [x1, y1], size) => {
    const length = Math.hypot(x1 - x0, y1 - y0) || 1;
    const [ux, uy] = [(x1 - x0) / length, (y1 - y0) / length];
    const turns = 15;
    const lead = Math.min(12, length * 0.12);
    const at = (along, aside) => `${(x0 + ux * along - uy * aside).toFixed(1)},${(y0 + uy * along + ux * aside).toFixed(1)}`;
    const zigzag = d3.range(turns).map((i) => at(lead + (length - 2 * lead) * (i + 0.5) / turns, i % 2 ? size : -size));
    return `M${[at(0, 0), at(lead, 0), ...zigzag, at(length - lead, 0), at(length, 0)].join('L')}`;
  };

  const drawBody = (g, kind, [x, y], size, ghost) => {
    if (kind === 'cart') g.append('rect').attr('class', 'body').attr('x', x - 2.2 * size).attr('y', y - 1.2 * size).attr('width', 4.4 * size).attr('height', 2.4 * size).attr('rx', 4);
    else if (kind === 'bob') g.append('circle').attr('class', 'body').attr('cx', x).attr('cy', y).attr('r', size);
    else if (kind === 'joint') g.append('circle').attr('class', 'body').attr('cx', x).attr('cy', y).attr('r', 0.55 * size);
    else if (!ghost) {
      g.append('path').attr('class', 'pivot').attr('d', `M${x - 13},${y - 12}h26M${x - 8},${y - 12}L${x},${y}L${x + 8},${y - 12}`);
      g.append('circle').attr('class', 'body').attr('cx', x).attr('cy', y).attr('r', 3.5);
    }
  };

  const drawActor = (figure, g, actor, panel, ghost) => {
    const { spec, frame } = figure;
    const place = ([x, y]) => [panel.x(x), panel.y(y)];
    const table = report.table(actor.table);
    if (spec.trail !== undefined && !ghost) {
      // One second of the past, paler with age.
      const [xs, ys] = [table.numbers(1 + 2 * spec.trail), table.numbers(2 + 2 * spec.trail)];
      const first = d3.bisectLeft(figure.times, figure.times[frame] - 1);
      for (let i = Math.max(first, 0); i < frame; i += 1) {
        const [a, b] = [place([xs[i], ys[i]]), place([xs[i + 1], ys[i + 1]])];
        g.append('path').attr('class', 'trail').attr('d', `M${a}L${b}`).attr('opacity', ((i - first + 1) / (frame - first + 1)) ** 1.5 * 0.7);
      }
    }
    const at = points(table, frame, spec.points).map(place);
    for (const link of spec.links) {
      const [a, b] = [at[link.from], at[link.to]];
      g.append('path').attr('class', `link ${link.kind}`).attr('stroke-width', panel.size / (link.kind === 'spring' ? 4 : 2)).attr('d', link.kind === 'spring' ? springPath(a, b, panel.size) : `M${a}L${b}`);
    }
    for (const body of spec.bodies) drawBody(g, body.kind, at[body.point], panel.size, ghost);
  };

  report.painters.animationSetup = (figure) => {
    const { spec } = figure;
    const tables = spec.actors.map((actor) => report.table(actor.table));
    figure.times = tables[0].numbers(0);
    const last = figure.times.length - 1;
    figure.extent = [1, 2].map((first) => report.extent(tables.flatMap((table) => d3.range(spec.points).map((k) => table.numbers(first + 2 * k)))));
    figure.frame = Math.min(last, d3.bisectLeft(figure.times, figure.times[0] + 1));  // a still picture with a trail
    const start = figure.times[0];
    const length = figure.times[last] - start;

    const button = figure.tools.append('button').attr('type', 'button').attr('data-tool', 'play');
    const slider = figure.tools.append('input').attr('type', 'range').attr('min', 0).attr('max', last).attr('aria-label', 'Time');
    const clock = figure.tools.append('output');
    const speed = figure.tools.append('select').attr('aria-label', 'Speed');
    [['1', 'real time'], ['0.5', 'half speed'], ['0.25', 'quarter speed']].forEach(([value, text]) => speed.append('option').attr('value', value).text(text));

    let playing = false;
    const show = () => {
      button.text(playing ? 'Pause' : 'Play');
      clock.text(`${figure.times[figure.frame].toFixed(2)} s`);
      slider.node().value = figure.frame;
    };
    const run = () => {
      let time = figure.frame >= last ? 0 : figure.times[figure.frame] - start;
      let before = performance.now();
      const step = (now) => {
        if (!playing) return;
        time += (now - before) / 1000 * Number(speed.node().value);
        before = now;
        if (time >= length) { playing = false; time = length; }
        figure.frame = Math.min(last, d3.bisectLeft(figure.times, start + time));
        figure.draw();
        show();
        if (playing) requestAnimationFrame(step);
      };
      requestAnimationFrame(step);
    };
    button.on('click', () => {
      playing = !playing;
      show();
      if (playing) run();
    });
    slider.on('input', () => {
      playing = false;
      figure.frame = Number(slider.node().value);
      show();
      figure.draw();
    });
    show();
  };

  report.painters.animation = (figure) => {
    const { spec } = figure;
    const count = spec.actors.length;
    const gap = 16;
    const head = 26;
    const width = (figure.width - gap * (count - 1)) / count;
    const margin = Math.max(16, Math.min(24, width / 14));
    const [[x0, x1], [y0, y1]] = figure.extent;
    const spanX = Math.max(x1 - x0, 1e-9);
    const spanY = Math.max(y1 - y0, 1e-9);
    const scale = Math.min((width - 2 * margin) / spanX, (Math.min(420, Math.max(220, width)) - 2 * margin) / spanY);
    const height = scale * spanY + 2 * margin;
    spec.actors.forEach((actor, i) => {
      const left = i * (width + gap);
      const panel = {
        x: (x) => left + width / 2 + scale * (x - (x0 + x1) / 2),
        y: (y) => head + margin + scale * (y1 - y),
        size: Math.max(5, Math.min(9, width / 36)),
      };
      const g = figure.svg.append('g').attr('class', 'panel scene');
      g.append('text').attr('class', 'title').attr('x', left).attr('y', 14).text(actor.name);
      g.append('rect').attr('class', 'stage-floor').attr('x', left + 0.5).attr('y', head + 0.5).attr('width', width - 1).attr('height', height - 1).attr('rx', 6);
      if (spec.rail !== undefined) g.append('path').attr('class', 'rail').attr('d', `M${left + 8},${panel.y(spec.rail) + 1.2 * panel.size}H${left + width - 8}`);
      if (i > 0) drawActor(figure, g.append('g').attr('class', 'actor ghost ink'), spec.actors[0], panel, true);
      drawActor(figure, g.append('g').attr('class', `actor ${i === 0 ? 'ink' : `c${i - 1}`}`), actor, panel, false);
    });
    return head + height + 2;
  };
}
