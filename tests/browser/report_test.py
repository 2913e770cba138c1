"""report_test.py WRITE_PAGES [FOLDER]: opens the sample pages in headless Chromium and uses them as a reader would.

Exit code 0: all holds; 1: says what does not; 77: there is no browser here. With FOLDER the pages and their
screenshots (wide, narrow, dark) stay there to be looked at."""
import base64
import json
import math
import os
import subprocess
import sys
import tempfile
import unittest

import chrome

PAGES = {"fit": 10, "study": 4, "beyond": 4, "cart": 1, "spring": 1, "chain": 1}  # with the number of their figures
FOLDER = None  # set by main
BROWSER = None

TABLE = """
  const rows = document.getElementById(arguments[0]).tBodies[0].rows;
  return Array.from(rows, (row) => Array.from(row.cells, (cell) =>
    cell.querySelector('data') ? cell.querySelector('data').value : cell.textContent.trim()));"""


def document(name):
    with open(os.path.join(FOLDER, name + ".json"), encoding="utf-8") as file:
        return json.load(file)


def load(name):
    BROWSER.open(os.path.join(FOLDER, name + ".html"))


def place(selector, fx=0.5, fy=0.5, index=0):
    """A point of the window inside an element, after scrolling it into the middle."""
    return BROWSER.run("""
      const node = document.querySelectorAll(arguments[0])[arguments[3]];
      node.scrollIntoView({block: 'center', behavior: 'instant'});
      const box = node.getBoundingClientRect();
      return [box.left + arguments[1] * box.width, box.top + arguments[2] * box.height];""", selector, fx, fy, index)


def tip(figure):
    return BROWSER.run("""
      const tip = document.querySelector(arguments[0] + ' .tip');
      return tip.hidden || !tip.offsetWidth ? null : tip.textContent;""", figure)


def ticks(figure):
    return BROWSER.run("return Array.from(document.querySelectorAll(arguments[0] + ' .axis.x text'), (t) => t.textContent)",
                       figure)


class EveryPage(unittest.TestCase):
    def each_page(self):
        for name in PAGES:
            with self.subTest(page=name):
                load(name)
                yield name

    def test_has_nothing_to_complain_about(self):
        load("fit")
        BROWSER.run("console.error('heard')")
        self.assertEqual(len(BROWSER.console()), 1)  # else silence would prove nothing
        for _ in self.each_page():
            BROWSER.run("report.figures.forEach((figure) => figure.draw(390))")
            self.assertEqual(BROWSER.console(), [])

    def test_draws_every_figure(self):
        for name in self.each_page():
            figures = BROWSER.run("""
              return Array.from(document.querySelectorAll('figure'), (figure) => {
                const marks = Array.from(figure.querySelectorAll(
                  'svg path.line, svg path.dots, svg rect.bar, svg path.link')).filter((m) => !m.closest('.legend'));
                return {id: figure.id, panels: figure.querySelectorAll('svg .panel').length, marks: marks.length,
                  drawn: marks.filter((m) => m.getBBox().width + m.getBBox().height > 5).length,
                  broken: figure.querySelector('svg').outerHTML.includes('NaN'),
                  width: figure.querySelector('svg').getBoundingClientRect().width};
              });""")
            self.assertEqual(len(figures), PAGES[name])
            for figure in figures:
                self.assertGreater(figure["panels"], 0, figure)
                self.assertGreater(figure["marks"], 0, figure)
                self.assertEqual(figure["drawn"], figure["marks"], figure)
                self.assertFalse(figure["broken"], figure)
                self.assertGreater(figure["width"], 300, figure)

    def test_fits_a_phone(self):
        for name in self.each_page():
            try:
                BROWSER.command("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=2, mobile=True)
                load(name)
                self.assertEqual(BROWSER.run("return document.documentElement.scrollWidth"), 390)
                self.assertTrue(BROWSER.run("""return Array.from(document.querySelectorAll('svg'),
                  (svg) => svg.getBoundingClientRect().right).every((right) => right <= 390)"""))
            finally:
                BROWSER.command("Emulation.clearDeviceMetricsOverride")

    def test_draws_every_view(self):
        for _ in self.each_page():
            self.assertTrue(BROWSER.run("""
              return report.figures.every((figure) => (figure.spec.views || []).every((view, i) => {
                figure.view = i;
                figure.draw();
                return figure.svg.node().querySelectorAll('.series path').length >= view.panels.length;
              }))"""))
            self.assertEqual(BROWSER.console(), [])

    def test_saves_figures_that_stand_alone(self):
        for _ in self.each_page():
            for text in BROWSER.run("return report.figures.map(report.svgText)"):
                answer = BROWSER.run("""
                  const svg = new DOMParser().parseFromString(arguments[0], 'image/svg+xml');
                  return [svg.documentElement.nodeName, svg.querySelectorAll('parsererror, [class]').length,
                          arguments[0].includes('var(')];""", text)
                self.assertEqual(answer, ["svg", 0, False])


class FitPage(unittest.TestCase):
    def setUp(self):
        load("fit")

    def test_score_tables_equal_the_document(self):
        scores = document("fit")["scores"]
        for row, expected in zip(BROWSER.run(TABLE, "score-acceleration"), scores["acceleration"], strict=True):
            self.assertEqual(row[0], expected["name"])
            self.assertEqual([float(x) for x in row[1:]], [expected["mse"]] + expected["joints"])
        self.assertEqual([float(x) for x in BROWSER.run(TABLE, "score-rollout")[1][1:]], scores["rollout"]["rows"][1]["rmse"])

    def test_figures_hold_the_data_of_the_document(self):
        rollout = document("fit")["rollouts"][0]
        numbers = BROWSER.run("return [1, 2, 3].map((i) => Array.from(report.table('rollouts-data-0-1').numbers(i)))")
        expected = rollout["joints"][1]
        for found, wanted in zip(numbers, (expected["observed"], expected["measured"], expected["predicted"]["y"]), strict=True):
            self.assertEqual(len(found), len(wanted))
            self.assertTrue(all(math.isclose(a, b, rel_tol=1e-5, abs_tol=1e-9) for a, b in zip(found, wanted)))

    def test_pointing_at_a_curve_shows_its_values(self):
        self.assertIsNone(tip("#rollouts"))
        BROWSER.pointer(("move", *place("#rollouts .panel .frame", 0.5, -20)))
        text = tip("#rollouts")
        t = BROWSER.run("return Array.from(report.table('rollouts-data-0-0').numbers(0))")
        middle = min(range(len(t)), key=lambda i: abs(t[i] - 1.5))
        for column in (1, 2, 3):
            value = BROWSER.run("return report.format(report.table('rollouts-data-0-0').numbers(arguments[0])[arguments[1]])",
                                column, middle)
            self.assertIn(value, text)
        BROWSER.pointer(("move", 3, 3))
        self.assertIsNone(tip("#rollouts"))

    def test_pointing_at_a_cloud_shows_one_point(self):
        BROWSER.pointer(("move", *place("#calibration .identity")))
        self.assertIn("share promised", tip("#calibration"))
        error, velocity = BROWSER.run("return [report.table('errors-data-0').numbers(1)[70], report.table('errors-data-0').numbers(2)[70]]")
        BROWSER.pointer(("move", *BROWSER.run("""
          const panel = document.querySelectorAll('#errors .panel')[1];
          panel.scrollIntoView({block: 'center', behavior: 'instant'});
          const dots = panel.querySelector('.dots');
          const [x, y] = dots.getAttribute('d').split('M')[71].split('h')[0].split(',').map(Number);
          const at = new DOMPoint(x, y).matrixTransform(dots.getScreenCTM());
          return [at.x, at.y];""")))
        text = tip("#errors")
        for value in (error, velocity):
            self.assertIn(BROWSER.run("return report.format(arguments[0])", value), text)

    def test_the_verdict_is_on_the_first_screen(self):
        BROWSER.run("window.scrollTo(0, 0)")
        bottom = BROWSER.run("return document.querySelector('.headlines').getBoundingClientRect().bottom")
        self.assertLess(bottom, 900)
        self.assertIn("usable up to 0.5 s", BROWSER.run("return document.querySelector('.opinion').innerText"))

    def test_bands_do_not_flatten_the_curves(self):
        height = "return document.querySelector('#rollouts .panel .ink path.line').getBBox().height"
        before = BROWSER.run(height)
        BROWSER.run("""
          report.table('rollouts-data-0-0').numbers(5).fill(1e6, 100);
          report.figures.find((figure) => figure.spec.id === 'rollouts').draw();""")
        self.assertGreater(BROWSER.run(height), 0.3 * before)

    def test_the_region_is_a_box_around_the_states(self):
        boxes = BROWSER.run("return Array.from(document.querySelectorAll('#region rect.region'), (r) => r.getBBox().width)")
        self.assertEqual(len(boxes), 2)
        self.assertTrue(all(width > 100 for width in boxes))

    def test_dragging_zooms_and_the_button_returns(self):
        for figure, panel in (("#rollouts", "#rollouts .panel .frame"), ("#error-growth", "#error-growth .panel .frame")):
            before = ticks(figure)
            self.assertTrue(BROWSER.run("return document.querySelector(arguments[0] + ' [data-tool=reset]').hidden", figure))
            x0, y0 = place(panel, 0.4)
            x1, _ = place(panel, 0.6)
            BROWSER.pointer(("move", x0, y0 - 20), ("down",), ("move", x1 - 5, y0 - 60), ("move", x1, y0 - 90), ("up",))
            zoomed = ticks(figure)
            self.assertNotEqual(zoomed, before)
            self.assertFalse(BROWSER.run("return document.querySelector(arguments[0] + ' [data-tool=reset]').hidden", figure))
            BROWSER.run("document.querySelector(arguments[0] + ' [data-tool=reset]').click()", figure)
            self.assertEqual(ticks(figure), before)

    def test_a_legend_entry_hides_its_curve(self):
        count = "return document.querySelectorAll('#error-growth .series').length"
        self.assertEqual(BROWSER.run(count), 3)
        BROWSER.run("document.querySelector('#error-growth .legend .entry').dispatchEvent(new MouseEvent('click'))")
        self.assertEqual(BROWSER.run(count), 2)

    def test_the_mechanism_moves(self):
        pose = "return document.querySelectorAll('#animation .link')[1].getAttribute('d')"
        still = BROWSER.run(pose)
        BROWSER.run("const s = document.querySelector('#animation input'); s.value = 200; s.dispatchEvent(new Event('input'))")
        moved = BROWSER.run(pose)
        self.assertNotEqual(moved, still)
        self.assertEqual(BROWSER.run("return document.querySelector('#animation output').textContent"), "4.00 s")
        BROWSER.run("document.querySelector('#animation [data-tool=play]').click()")
        self.assertTrue(BROWSER.call("POST", "/execute/async", {"args": [moved], "script": """
          const done = arguments[1];
          const wait = (left) => {
            if (document.querySelectorAll('#animation .link')[1].getAttribute('d') !== arguments[0]) done(true);
            else if (left === 0) done(false);
            else setTimeout(wait, 50, left - 1);
          };
          wait(200);"""}))
        BROWSER.run("document.querySelector('#animation [data-tool=play]').click()")
        self.assertEqual(BROWSER.run("return document.querySelector('#animation [data-tool=play]').textContent"), "Play")


class StudyPage(unittest.TestCase):
    def setUp(self):
        load("study")

    def test_summary_equals_the_document(self):
        bars = document("study")["bars"]
        for row, bar in zip(BROWSER.run(TABLE, "summary-table"), bars, strict=True):
            self.assertEqual([row[0], float(row[1]), row[2], row[3]], [bar["system"], bar["noise"], bar["method"], bar["rate"]])
            self.assertEqual([float(x) for x in row[4:6]], [bar["mean"], bar["error"]])
            self.assertEqual([int(x) for x in row[6:9]], [bar["runs"], bar["left_out"], bar["failed"]])
            self.assertEqual(None if row[9] == "–" else float(row[9]), bar.get("published"))

    def test_bars_are_as_high_as_their_means(self):
        bars = [bar for bar in document("study")["bars"] if bar["noise"] == 0.1 and bar["system"] == "undamped"]
        heights = BROWSER.run("""return Array.from(document.querySelector('#bars-1 .panel').querySelectorAll('rect.bar'),
                                               (bar) => bar.getBBox().height)""")
        self.assertEqual(len(heights), len(bars))
        for height, bar in zip(heights, bars):
            self.assertAlmostEqual(height / heights[0], bar["mean"] / bars[0]["mean"], places=3)

    def test_pointing_at_a_bar_shows_mean_error_and_published_value(self):
        bar = next(bar for bar in document("study")["bars"] if bar["noise"] == 0.1)
        BROWSER.pointer(("move", *place("#bars-1 .panel rect.bar", 0.5, 0.8)))
        text = tip("#bars-1")
        self.assertIn(bar["method"], text)
        self.assertIn(BROWSER.run("return report.format(arguments[0])", bar["mean"]), text)
        self.assertIn(BROWSER.run("return report.format(arguments[0])", bar["published"]), text)

    def test_seeds_are_shown_on_demand(self):
        count = "return document.querySelectorAll('#bars-0 .seed').length"
        self.assertEqual(BROWSER.run(count), 0)
        BROWSER.run("document.querySelector('#bars-0 [data-tool=seeds]').click()")
        bars = [bar for bar in document("study")["bars"] if bar["noise"] == 0.05]
        shown = sum(value is not None and value <= 1000 for bar in bars for value in bar["values"])
        self.assertEqual(BROWSER.run(count), shown)
        BROWSER.run("document.querySelector('#bars-0 [data-tool=log]').click()")
        self.assertEqual(BROWSER.run(count), shown)
        self.assertEqual(BROWSER.console(), [])


class WithoutScript(unittest.TestCase):
    def test_tables_and_a_note_are_there(self):
        BROWSER.command("Emulation.setScriptExecutionDisabled", value=True)
        try:
            load("fit")
            self.assertEqual(BROWSER.run("return document.querySelectorAll('svg').length"), 0)
            self.assertIn("Without JavaScript", BROWSER.run("return document.body.innerText"))
            self.assertTrue(BROWSER.run("""return Array.from(document.querySelectorAll('figure'),
              (figure) => figure.querySelectorAll('details table td').length).every((cells) => cells > 10)"""))
        finally:
            BROWSER.command("Emulation.setScriptExecutionDisabled", value=False)


def screenshots():
    for name in PAGES:
        for look, width, scheme in (("wide", 1400, "light"), ("dark", 1400, "dark"), ("narrow", 390, "light")):
            BROWSER.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
            BROWSER.command("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 500)
            load(name)
            height = BROWSER.run("return document.documentElement.scrollHeight")
            image = BROWSER.command("Page.captureScreenshot", captureBeyondViewport=True,
                                    clip={"x": 0, "y": 0, "width": width, "height": height, "scale": 1})
            with open(os.path.join(FOLDER, f"{name}-{look}.png"), "wb") as file:
                file.write(base64.b64decode(image["data"]))


def main():
    global FOLDER, BROWSER
    if chrome.missing():
        print(f"skipped: {chrome.missing()} is not installed (scripts/setup --test installs it)")
        return 77
    with tempfile.TemporaryDirectory(prefix="mechfit-pages-") as scratch:
        FOLDER = sys.argv[2] if len(sys.argv) > 2 else scratch
        os.makedirs(FOLDER, exist_ok=True)
        subprocess.run([sys.argv[1], FOLDER], check=True)
        BROWSER = chrome.Chrome()
        try:
            result = unittest.TextTestRunner(verbosity=2).run(unittest.defaultTestLoader.loadTestsFromModule(sys.modules[__name__]))
            if len(sys.argv) > 2:
                screenshots()
        finally:
            BROWSER.close()
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
