// The frame around a drawing: buttons, legend, hover box, saving, redrawing when the width changes.
// A painter is called as paint(figure) and draws into figure.svg (a D3 selection) of figure.width
// pixels; it returns the height. It may set figure.hover(x, y) -> {x, y, html} | null and
// figure.zoom = {...} (plot.js).
report.Figure = class {
  constructor(spec) {
    this.spec = spec;
    this.element = document.getElementById(spec.id);
    this.box = this.element.querySelector('.drawing');
    this.view = 0;
    this.hidden = new Set();
    this.options = {};
    this.tools = d3.select(this.box).append('div').attr('class', 'tools');
    this.holder = d3.select(this.box).append('div').attr('class', 'holder');
    this.svg = this.holder.append('svg').attr('role', 'img').attr('aria-label', spec.label);
    this.tip = this.holder.append('div').attr('class', 'tip').attr('hidden', '');
    this.addViews();
    this.paint = report.painters[spec.kind];
    this.setup = report.painters[`${spec.kind}Setup`];
    if (this.setup) this.setup(this);
    this.resetButton = this.button('Reset zoom', () => this.resetZoom(), 'reset', this.holder).attr('hidden', '');
    this.button('Save as SVG', () => report.save(this), 'save', d3.select(this.element).select('.foot'));
    this.listen();
    this.draw();
  }

  button(text, action, name, where = this.tools) {
    return where.append('button').attr('type', 'button').attr('data-tool', name).text(text)
      .on('click', () => { action(); this.draw(); });
  }

  // A button that stays pressed and sets options[name].
  toggle(text, name) {
    const button = this.button(text, () => {
      this.options[name] = !this.options[name];
      button.attr('aria-pressed', String(this.options[name]));
    }, name).attr('aria-pressed', String(Boolean(this.options[name])));
  }

  addViews() {
    const views = this.spec.views || [];
    if (views.length < 2) return;
    const shown = d3.select(this.box).insert('p', '.holder').attr('class', 'shown').text(views[0].name);  // for print
    const select = this.tools.append('select').attr('aria-label', 'Shown');
    views.forEach((view, i) => select.append('option').attr('value', i).text(view.name));
    select.on('change', () => {
      this.view = Number(select.node().value);
      shown.text(views[this.view].name);
      this.domains = null;
      this.draw();
    });
  }

  resetZoom() { this.domains = null; }

  draw(width) {
    this.width = width || this.holder.node().clientWidth || 640;
    this.hideTip();
    this.hover = null;
    this.zoom = null;
    this.svg.selectAll('*').remove();
    const height = Math.ceil(this.paint(this));
    this.svg.attr('viewBox', `0 0 ${this.width} ${height}`).attr('width', this.width).attr('height', height);
    this.resetButton.attr('hidden', this.domains ? null : '');
  }

  // Names with their keys in rows; returns the height used. A click hides or shows a series.
  legend(entries) {
    const g = this.svg.append('g').attr('class', 'legend');
    let x = 0;
    let y = 12;
    for (const entry of entries) {
      const item = g.append('g').attr('class', `entry ${entry.color}`).attr('tabindex', 0).attr('role', 'button')
        .classed('off', this.hidden.has(entry.name));
      report.key(item, entry);
      const text = item.append('text').attr('x', 28).attr('y', 4).text(entry.name);
      const size = 28 + text.node().getComputedTextLength() + 20;
      if (x > 0 && x + size - 20 > this.width) { x = 0; y += 20; }
      item.attr('transform', `translate(${x},${y})`);
      item.insert('rect', ':first-child').attr('class', 'touch').attr('x', -4).attr('y', -10).attr('width', size - 8).attr('height', 20);
      x += size;
      const flip = () => {
        if (!this.hidden.delete(entry.name)) this.hidden.add(entry.name);
        this.draw();
      };
      item.on('click', flip).on('keydown', () => {
        if (d3.event.key === 'Enter' || d3.event.key === ' ') { d3.event.preventDefault(); flip(); }
      });
    }
    return entries.length ? y + 14 : 0;
  }

  place(event) {
    const rect = this.svg.node().getBoundingClientRect();
    const scale = this.width / rect.width;
    return [(event.clientX - rect.left) * scale, (event.clientY - rect.top) * scale];
  }

  listen() {
    const node = this.svg.node();
    let start = null;
    node.addEventListener('pointerdown', (event) => {
      if (!this.zoom || event.button !== 0 || event.target.closest('.legend')) return;
      start = this.zoom.begin(...this.place(event));
      if (start && event.pointerType !== 'touch') node.setPointerCapture(event.pointerId);
    });
    node.addEventListener('pointermove', (event) => {
      const [x, y] = this.place(event);
      if (start) this.zoom.drag(start, x, y);
      this.showTip(x, y);
    });
    node.addEventListener('pointerup', (event) => {
      if (start && this.zoom.end(start, ...this.place(event))) this.draw();
      start = null;
    });
    node.addEventListener('pointercancel', () => { start = null; this.svg.selectAll('.select').remove(); });
    node.addEventListener('pointerleave', () => { if (!start) this.hideTip(); });
    node.addEventListener('dblclick', () => { this.resetZoom(); this.draw(); });
    node.addEventListener('wheel', (event) => {
      if (!this.zoom || !event.ctrlKey) return;  // a plain wheel scrolls the page
      event.preventDefault();
      const [x, y] = this.place(event);
      if (this.zoom.by(x, y, Math.exp(event.deltaY * 0.01))) this.draw();
    }, { passive: false });
  }

  showTip(x, y) {
    const found = this.hover && this.hover(x, y);
    if (!found) { this.hideTip(); return; }
    this.tip.attr('hidden', null).html(found.html);
    const box = this.tip.node();
    const ratio = this.svg.node().getBoundingClientRect().width / this.width;
    const left = found.x * ratio + 14;
    const fits = left + box.offsetWidth <= this.holder.node().clientWidth;
    box.style.left = `${fits ? left : Math.max(0, found.x * ratio - 14 - box.offsetWidth)}px`;
    box.style.top = `${Math.max(0, found.y * ratio - box.offsetHeight / 2)}px`;
  }

  hideTip() {
    this.tip.attr('hidden', '');
    this.svg.selectAll('.cursor').remove();
  }
};

// A series' sign in a legend or hover box: line, dashes, dots or a patch.
report.key = (g, entry) => {
  if (entry.style === 'points') {
    g.append('circle').attr('class', 'point').attr('cx', 11).attr('r', 3);
  } else if (entry.style === 'bar') {
    g.append('rect').attr('class', 'bar').attr('x', 4).attr('y', -6).attr('width', 14).attr('height', 12).attr('rx', 2);
  } else if (entry.style === 'diamond') {
    g.append('path').attr('class', 'diamond').attr('d', 'M11,-6L16,0L11,6L6,0Z');
  } else {
    if (entry.band) g.append('rect').attr('class', 'band').attr('y', -6).attr('width', 22).attr('height', 12);
    g.append('path').attr('class', `line ${entry.style}`).attr('d', 'M0,0H22');
  }
};

// Text of the hover box: a heading and rows of [name, value, colour class].
report.tipHtml = (heading, rows) => {
  const clean = (text) => String(text).replace(/[&<>]/g, (c) => `&#${c.charCodeAt(0)};`);
  return `<b>${clean(heading)}</b>${rows.map(([name, value, color]) =>
    `<span class="${clean(color || '')}"><i></i>${clean(name)}</span><span>${clean(value)}</span>`).join('')}`;
};

// The drawing as a file of its own: light colours, all styles written into the elements.
report.svgText = (figure) => {
  const wanted = ['fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-dasharray', 'stroke-linecap', 'stroke-linejoin',
    'opacity', 'font-family', 'font-size', 'font-weight', 'text-anchor'];
  const stage = document.createElement('div');
  stage.className = 'light stage';
  const copy = figure.svg.node().cloneNode(true);
  stage.appendChild(copy);
  document.body.appendChild(stage);
  copy.querySelectorAll('.cursor, .select, .touch').forEach((node) => node.remove());
  for (const node of [copy, ...copy.querySelectorAll('*')]) {
    const style = getComputedStyle(node);
    for (const name of wanted) node.setAttribute(name, style.getPropertyValue(name));
  }
  for (const node of [copy, ...copy.querySelectorAll('*')]) {
    for (const name of ['class', 'style', 'tabindex', 'role']) node.removeAttribute(name);
  }
  stage.remove();
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  return new XMLSerializer().serializeToString(copy);
};

report.save = (figure) => {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([report.svgText(figure)], { type: 'image/svg+xml' }));
  link.download = `${figure.spec.id}.svg`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
};

report.start = () => {
  document.documentElement.classList.add('scripted');
  const figures = JSON.parse(document.getElementById('drawings').textContent).map((spec) => new report.Figure(spec));
  report.figures = figures;
  let width = window.innerWidth;
  window.addEventListener('resize', () => {
    if (window.innerWidth === width) return;
    width = window.innerWidth;
    figures.forEach((figure) => figure.draw());
  });
  window.addEventListener('beforeprint', () => figures.forEach((figure) => figure.draw(720)));
  window.addEventListener('afterprint', () => figures.forEach((figure) => figure.draw()));
};
document.addEventListener('DOMContentLoaded', report.start);
