"""Headless Chromium through ChromeDriver's HTTP interface (W3C WebDriver), with the standard library only."""
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.request


def missing():
    """The name of the first program that is not there, or None."""
    return next((name for name in ("chromium", "chromedriver") if not shutil.which(name)), None)


class Chrome:
    FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars",
             "--disable-background-networking", "--disable-component-update", "--disable-sync"]

    def __init__(self, width=1400, height=1000):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.base = f"http://127.0.0.1:{port}"
        self.profile = tempfile.mkdtemp(prefix="mechfit-chrome-")
        self.driver = subprocess.Popen(["chromedriver", f"--port={port}"], stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL, start_new_session=True)
        self.session = None
        try:
            self._wait_until_ready()
            flags = self.FLAGS + [f"--user-data-dir={self.profile}", f"--window-size={width},{height}"]
            answer = self._call("POST", "/session", {"capabilities": {"alwaysMatch": {
                "browserName": "chrome",
                "goog:chromeOptions": {"binary": shutil.which("chromium"), "args": flags},
                "goog:loggingPrefs": {"browser": "ALL"}}}})
            self.session = answer["sessionId"]
        except BaseException:
            self.close()
            raise

    def _wait_until_ready(self):
        deadline = time.monotonic() + 30
        while True:
            try:
                if self._call("GET", "/status")["ready"]:
                    return
            except OSError:
                if time.monotonic() > deadline:
                    raise
            time.sleep(0.1)

    def _call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{method} {path}: {error.read().decode()[:2000]}") from error

    def call(self, method, path, body=None):
        return self._call(method, f"/session/{self.session}{path}", body)

    def open(self, path):
        self.call("POST", "/url", {"url": "file://" + os.path.abspath(path)})

    def run(self, script, *arguments):
        """The value of a JavaScript function body."""
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def command(self, name, **parameters):
        """A command of the DevTools protocol."""
        return self.call("POST", "/goog/cdp/execute", {"cmd": name, "params": parameters})

    def console(self):
        """What the console said since the last call, without debug messages."""
        return [entry for entry in self.call("POST", "/se/log", {"type": "browser"})
                if entry["level"] in ("WARNING", "SEVERE")]

    def pointer(self, *steps):
        """Mouse actions: ("move", x, y), ("down",), ("up",), in pixels of the window."""
        kinds = {"move": "pointerMove", "down": "pointerDown", "up": "pointerUp"}
        actions = []
        for kind, *place in steps:
            action = {"type": kinds[kind]}
            if place:
                action.update(x=int(place[0]), y=int(place[1]), duration=20, origin="viewport")
            else:
                action["button"] = 0
            actions.append(action)
        self.call("POST", "/actions", {"actions": [
            {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": actions}]})

    def close(self):
        try:
            if self.session:
                self.call("DELETE", "")
        finally:
            os.killpg(self.driver.pid, signal.SIGTERM)
            self.driver.wait()
            shutil.rmtree(self.profile, ignore_errors=True)
