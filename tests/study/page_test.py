"""page_test.py MECHFIT: runs a small study, opens its report in headless Chromium and compares it with the CSV files.

Exit code 0: all holds; 1: says what does not; 77: there is no browser here."""
import csv
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "browser"))
import chrome  # noqa: E402

FOLDER = None  # set by main
BROWSER = None

TABLE = """
  const table = document.getElementById(arguments[0]);
  const names = Array.from(table.tHead.rows[0].cells, (cell) => cell.textContent.trim());
  return Array.from(table.tBodies[0].rows, (row) => Object.fromEntries(Array.from(row.cells, (cell, i) =>
    [names[i], cell.querySelector('data') ? cell.querySelector('data').value : cell.textContent.trim()])));"""
METHODS = {"del": "DEL", "acceleration": "acceleration", "next-state": "next-state"}


def rows(name):
    with open(os.path.join(FOLDER, "study", name), encoding="utf-8") as file:
        return list(csv.DictReader(file))


class StudyPage(unittest.TestCase):
    def setUp(self):
        BROWSER.open(os.path.join(FOLDER, "report.html"))

    def test_has_nothing_to_complain_about(self):
        self.assertEqual(BROWSER.console(), [])

    def test_draws_bars_and_trajectories(self):
        drawn = BROWSER.run("""
          const count = (figure, mark) => Array.from(figure.querySelectorAll(mark)).filter((m) => !m.closest('.legend')).length;
          return Array.from(document.querySelectorAll('figure'), (figure) =>
            [figure.id, count(figure, 'svg rect.bar'), count(figure, 'svg path.line')]);""")
        bars = [figure for figure in drawn if figure[1] > 0]
        self.assertEqual(sum(figure[1] for figure in bars), len(rows("summary.csv")), drawn)
        self.assertEqual(len(bars), 2, drawn)  # levels of noise
        self.assertTrue(any(figure[0] == "trajectories" and figure[2] >= 12 for figure in drawn), drawn)

    def test_the_summary_is_that_of_the_csv(self):
        shown, expected = BROWSER.run(TABLE, "summary-table"), rows("summary.csv")
        self.assertEqual(len(shown), len(expected))
        for row, bar in zip(shown, expected):
            self.assertEqual([row["System"], row["Noise"], row["Method"], row["Learning rate"]],
                             [bar["system"], bar["noise"], METHODS[bar["method"]], bar["learning_rate"]])
            self.assertEqual(float(row["Mean"]), float(bar["mean"]))
            self.assertEqual(float(row["Standard error"]), float(bar["standard_error"]))
            self.assertEqual(int(row["Left out"]), int(bar["left_out"]))
            self.assertEqual(row["Published"] if bar["published"] == "" else float(row["Published"]),
                             row["Published"] if bar["published"] == "" else float(bar["published"]))

    def test_the_pairs_are_those_of_the_csv(self):
        shown, expected = BROWSER.run(TABLE, "paired-table"), rows("paired.csv")
        self.assertEqual([float(row["Mean difference"]) for row in shown],
                         [float(pair["difference"]) for pair in expected])


    def middle(self, selector):
        return BROWSER.run("""
          const node = document.querySelector(arguments[0]);
          node.scrollIntoView({block: 'center', behavior: 'instant'});
          const box = node.getBoundingClientRect();
          return [box.left + box.width / 2, box.top + 0.8 * box.height, box.width];""", selector)

    def test_pointing_at_a_bar_shows_the_csvs_mean(self):
        x, y, _ = self.middle("#bars-0 .panel rect.bar")
        BROWSER.pointer(("move", x, y))
        shown = BROWSER.run("return document.querySelector('#bars-0 .tip').textContent")
        self.assertIn(BROWSER.run("return report.format(arguments[0])", float(rows("summary.csv")[0]["mean"])), shown)

    def test_dragging_over_a_trajectory_zooms(self):
        ticks = "return Array.from(document.querySelectorAll('#trajectories .axis.x text'), (t) => t.textContent)"
        before = BROWSER.run(ticks)
        x, y, width = self.middle("#trajectories .panel .frame")
        BROWSER.pointer(("move", x - 0.1 * width, y - 20), ("down",), ("move", x, y - 60), ("move", x + 0.1 * width, y - 90), ("up",))
        self.assertNotEqual(BROWSER.run(ticks), before)
        BROWSER.run("document.querySelector('#trajectories [data-tool=reset]').click()")
        self.assertEqual(BROWSER.run(ticks), before)
        self.assertEqual(BROWSER.console(), [])


def main():
    global FOLDER, BROWSER
    missing = chrome.missing()
    if missing:
        print(f"SKIPPED: no {missing} here")
        return 77
    with tempfile.TemporaryDirectory() as FOLDER:
        study, page = os.path.join(FOLDER, "study"), os.path.join(FOLDER, "report.html")
        subprocess.run([sys.argv[1], "study", "paper", "--noise", "0.1,0.4", "--learning-rates", "1e-2,1e-3", "--seeds", "3",
                        "--epochs", "2", "-o", study], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([sys.argv[1], "report", study, "-o", page], check=True, stdout=subprocess.DEVNULL)
        BROWSER = chrome.Chrome()
        try:
            result = unittest.TextTestRunner(verbosity=2).run(unittest.defaultTestLoader.loadTestsFromTestCase(StudyPage))
            return 0 if result.wasSuccessful() else 1
        finally:
            BROWSER.close()


if __name__ == "__main__":
    sys.exit(main())
