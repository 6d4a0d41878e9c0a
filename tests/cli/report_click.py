"""The report in a headless Chromium: click, type, drag, and read what the page then says.

usage: report_click.py CHROMIUM HAND.html DEMO.html KUBE.html [FOLDER for screenshots]

Speaks the DevTools protocol over a websocket with the standard library alone.
Prints a line 'ok - ...' or 'not ok - ...' a case.  HAND.html is made by
test_report.sh from jobs worked out by hand; DEMO.html is the demo's,
KUBE.html that of kube-fine, in which a pod fails.
"""
import base64, json, os, shutil, socket, struct, subprocess, sys, tempfile, time, urllib.request


class Browser:
    def __init__(self, program):
        self.profile = tempfile.mkdtemp()
        args = [program, "--headless", "--disable-gpu", "--no-first-run", "--hide-scrollbars", "--force-device-scale-factor=1",
                "--disable-dev-shm-usage", "--remote-debugging-port=0", "--user-data-dir=" + self.profile, "about:blank"]
        if os.getuid() == 0:
            args.insert(1, "--no-sandbox")
        self.child = subprocess.Popen(args, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        port = self.wait_for_port()
        pages = json.load(urllib.request.urlopen("http://127.0.0.1:%d/json/list" % port, timeout=20))
        self.connect(port, [p for p in pages if p["type"] == "page"][0]["webSocketDebuggerUrl"])
        self.n = 0
        self.events = []
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")

    def wait_for_port(self):
        path = os.path.join(self.profile, "DevToolsActivePort")
        for _ in range(300):
            if os.path.exists(path) and open(path).read().strip():
                return int(open(path).read().split()[0])
            time.sleep(0.1)
        raise RuntimeError("the browser did not start")

    def connect(self, port, url):
        self.sock = socket.create_connection(("127.0.0.1", port), timeout=60)
        path = "/" + url.split("/", 3)[3]
        key = base64.b64encode(os.urandom(16)).decode()
        self.sock.sendall(("GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                           "Sec-WebSocket-Key: %s\r\nSec-WebSocket-Version: 13\r\n\r\n" % (path, port, key)).encode())
        answer = b""
        while b"\r\n\r\n" not in answer:
            answer += self.sock.recv(1)
        assert b" 101 " in answer.split(b"\r\n")[0], answer

    def send(self, text):
        data = text.encode()
        n = len(data)
        head = bytes([0x81]) + (bytes([0x80 | n]) if n < 126 else bytes([0x80 | 126]) + struct.pack(">H", n) if n < 65536
                                else bytes([0x80 | 127]) + struct.pack(">Q", n))
        mask = os.urandom(4)
        self.sock.sendall(head + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(data)))

    def exactly(self, n):
        out = b""
        while len(out) < n:
            part = self.sock.recv(n - len(out))
            if not part:
                raise RuntimeError("the browser went away")
            out += part
        return out

    def receive(self):
        text = b""
        while True:
            a, b = self.exactly(2)
            n = b & 127
            n = struct.unpack(">H", self.exactly(2))[0] if n == 126 else struct.unpack(">Q", self.exactly(8))[0] if n == 127 else n
            data = self.exactly(n)
            if a & 15 in (0, 1):
                text += data
                if a & 128:
                    return json.loads(text)

    def call(self, method, **params):
        self.n += 1
        self.send(json.dumps({"id": self.n, "method": method, "params": params}))
        while True:
            m = self.receive()
            if m.get("id") == self.n:
                if "error" in m:
                    raise RuntimeError(method + ": " + m["error"]["message"])
                return m["result"]
            self.events.append(m)

    def js(self, text):
        r = self.call("Runtime.evaluate", expression=text, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in r:
            raise RuntimeError(text + ": " + json.dumps(r["exceptionDetails"])[:400])
        return r["result"].get("value")

    def open(self, path, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.events = []
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        for _ in range(200):
            if self.js("document.readyState === 'complete' && location.protocol === 'file:'"):
                break
            time.sleep(0.05)
        self.js("document.documentElement.style.scrollBehavior = 'auto'")
        time.sleep(0.2)

    def mouse(self, kind, x, y, buttons=0):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left" if kind != "mouseMoved" else "none", buttons=buttons,
                  clickCount=1 if kind != "mouseMoved" else 0)

    def place(self, element):
        """The middle of an element (a JS expression), scrolled into view."""
        return self.js("(() => { const e = %s; e.scrollIntoView({block: 'center'}); const r = e.getBoundingClientRect();"
                       " return [r.left + r.width / 2, r.top + r.height / 2]; })()" % element)

    def click(self, element):
        self.click_at(*self.place(element))

    def click_at(self, x, y):
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y, 1)
        self.mouse("mouseReleased", x, y)

    def key(self, key, text=None):
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, **({"text": text} if text else {}))
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def shot(self, folder, name):
        if folder:
            data = self.call("Page.captureScreenshot")["data"]
            open(os.path.join(folder, name + ".png"), "wb").write(base64.b64decode(data))

    def close(self):
        self.child.kill()
        self.child.wait()
        shutil.rmtree(self.profile, ignore_errors=True)


bad = False


def check(claim, found, expected=True):
    global bad
    if found == expected:
        print("ok - " + claim)
    else:
        bad = True
        print("not ok - %s\n# found:    %r\n# expected: %r" % (claim, found, expected))


TL = "document.querySelector('.timeline')"
WINDOW = TL + ".querySelector('.tl-window').textContent"
DETAIL = TL + ".querySelector('.tl-detail').textContent"


def choose(b, cls, value):
    b.js("(() => { const e = %s.querySelector('%s'); e.value = '%s'; e.dispatchEvent(new Event('change', {bubbles: true})); })()" % (TL, cls, value))


def on_canvas(b, seconds, row):
    """Where a time and a row are on the screen."""
    return b.js("(() => { const t = %s.timeline; t.canvas.scrollIntoView({block: 'center'}); const r = t.canvas.getBoundingClientRect();"
                " return [r.left + t.x(%d * 1000), r.top + 84 + (%g + 0.5) * t.rowHeight]; })()" % (TL, seconds, row))


def clean(b):
    """What went wrong in the page, and what it asked of the network."""
    b.js("1")
    wrong = [e for e in b.events if e.get("method") == "Runtime.exceptionThrown"
             or (e.get("method") == "Log.entryAdded" and e["params"]["entry"]["level"] == "error")]
    asked = [e["params"]["request"]["url"] for e in b.events if e.get("method") == "Network.requestWillBeSent"]
    return [json.dumps(e)[:300] for e in wrong], [u for u in asked if not u.startswith("file:")]


CONTRAST = """(() => {
  const part = (c) => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  const light = (c) => { const [r, g, b] = c.match(/[\\d.]+/g).map(Number); return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b); };
  const ground = (e) => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor; if (c !== 'rgba(0, 0, 0, 0)') return c; } return 'rgb(255, 255, 255)'; };
  const texts = [...document.body.querySelectorAll('*')].filter((e) => !e.closest('svg, script, template, noscript') && e.checkVisibility() && [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim()));
  return [texts.length > 50, texts.filter((e) => { const [x, y] = [light(getComputedStyle(e).color), light(ground(e))].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05) < 4.5; }).map((e) => e.tagName + '.' + e.className)];
})()"""


def plain(b, where):
    """What a keyboard and a screen reader need, as far as it can be seen without axe-core: texts with a contrast of 4.5,
    headings in order, folds and boxes that scroll within reach."""
    check("every text is legible in " + where, b.js(CONTRAST), [True, []])
    levels = b.js("[...document.querySelectorAll('h1, h2, h3, h4')].map((h) => Number(h.tagName[1]))")
    check("headings of %s begin with one h1 and leave no level out" % where,
          levels[0] == 1 and levels.count(1) == 1 and all(y <= x + 1 for x, y in zip(levels, levels[1:])))
    check("every box of %s that scrolls can be reached by keyboard" % where,
          b.js("[...document.querySelectorAll('.scroll, pre')].filter((e) => e.checkVisibility() && (e.scrollWidth > e.clientWidth || e.scrollHeight > e.clientHeight) !== (e.tabIndex === 0)).length"), 0)


def axe(b, where):
    """What axe-core finds wrong: rule and element, of the page as it stands."""
    if not os.environ.get("AXE"):
        return
    b.call("Runtime.evaluate", expression=open(os.environ["AXE"], encoding="utf-8").read())
    found = b.js("axe.run().then((r) => r.violations.flatMap((v) => v.nodes.map((n) => v.id + ' ' + n.target.join(' ') + ': '"
                 " + n.failureSummary.replace(/\\s+/g, ' ').slice(0, 200))).concat(r.passes.length > 20 ? [] : ['it looked at nothing']))")
    check("axe-core has nothing to say against " + where, found, [])


def sorting(b):
    head = "[...document.querySelectorAll('#k0means thead th')].find((h) => h.textContent.startsWith('jct_mean'))"
    values = "[...document.querySelectorAll('#k0means tbody tr')].map((r) => Number(r.cells[[...r.parentNode.parentNode.tHead.rows[0].cells].indexOf(%s)].dataset.v))" % head
    before = b.js(values)
    b.click(head + ".querySelector('button')")
    check("a click on a heading sorts by it", b.js(values), sorted(before))
    check("and says so to a screen reader", b.js(head + ".getAttribute('aria-sort')"), "ascending")
    b.click(head + ".querySelector('button')")
    check("another click turns it round", b.js(values), sorted(before, reverse=True))
    b.click("document.querySelector('#k0means thead th button')")
    check("the first column gives back the order of the runs", b.js(values), before)


def hand(b, path, shots):
    b.open(path, 1280, 900)
    check("text of users is shown as it is", b.js("document.querySelector('h2').textContent"), "Is <b>srtf</b> & \"co\" worth it?")
    check("in tables, too", b.js("[...document.querySelectorAll('#k0p0 tbody th')].filter((h) => h.textContent === '</script><b><!--<script>').length"), 1)
    check("and is never markup", b.js("document.querySelectorAll('main script:not([type]), main b b, h2 b, option i, img').length"), 0)
    check("the contents lead to every part", b.js("[...document.querySelectorAll('nav a')].map((a) => document.querySelector(a.getAttribute('href')).textContent).join()"),
          "Policies side by side,Charts,Timeline,Policy by policy,The trace,Where it comes from")
    check("without samples the page says that there are no curves", b.js(TL + ".timeline.runs[0].gpu_util.length"), 0)
    choose(b, ".tl-run", "0")
    b.click_at(*on_canvas(b, 10, 0))
    check("a click on a bar tells its job", b.js(DETAIL), "a of <i>ann</i>, on n GPU 0\u20131, from 00:00:00 to 00:00:20 (20 s), preempted; started 2 times here")
    b.click_at(*on_canvas(b, 25, 1))
    check("another bar, another job", b.js(DETAIL), "b of bo, on n GPU 0\u20131, from 00:00:20 to 00:00:30 (10 s), done")
    b.click_at(*on_canvas(b, 135, -0.3))
    check("of those that share a card the one above", b.js(DETAIL), "e of bo, on n GPU 0 (40 % of it), from 00:02:11 to 00:02:20 (9 s), done")
    b.click_at(*on_canvas(b, 135, 0.4))
    check("and the one below", b.js(DETAIL), "d of <i>ann</i>, on n GPU 0 (40 % of it), from 00:02:10 to 00:02:30 (20 s), done")
    b.click_at(*on_canvas(b, 135, 1))
    check("where nothing is nothing is told", b.js(DETAIL), "Select a bar to see its job.")
    check("the window is the whole run", b.js(WINDOW).split(";")[0], "Window: 00:00:00 to 00:02:30 (2 m 30 s of 2 m 30 s)")
    b.click(TL + ".querySelector('.tl-in')")
    check("plus halves it about its middle", b.js(WINDOW).split(";")[0], "Window: 00:00:37 to 00:01:52 (1 m 15 s of 2 m 30 s)")
    b.click(TL + ".querySelector('.tl-right')")
    check("an arrow moves it by a third", b.js(WINDOW).split(";")[0], "Window: 00:01:00 to 00:02:15 (1 m 15 s of 2 m 30 s)")
    x, y = on_canvas(b, 90, 0)
    before = b.js(TL + ".timeline.from")
    b.mouse("mousePressed", x, y, 1)
    for i in range(1, 6):
        b.mouse("mouseMoved", x + 20 * i, y, 1)
    b.mouse("mouseReleased", x + 100, y)
    moved = b.js("%s.timeline.from - %r + 100 / (%s.timeline.width - 100) * 75000" % (TL, before, TL))
    check("dragging moves it with the mouse", abs(moved) < 1, True)
    b.key("0", "0")
    check("0 shows all again", b.js(WINDOW).split(";")[0], "Window: 00:00:00 to 00:02:30 (2 m 30 s of 2 m 30 s)")
    b.key("n", "n")
    check("n steps to the first job", b.js(DETAIL).split(",")[0], "a of <i>ann</i>")
    b.key("Escape")
    b.click(TL + ".querySelector('.tl-find')")
    b.call("Input.insertText", text="e")
    check("a job is found by its id", b.js(DETAIL).split(",")[0], "e of bo")
    check("and the window goes to it", b.js(TL + ".timeline.from > 120000 && " + TL + ".timeline.to <= 150000"))
    b.call("Input.insertText", text="xx")
    check("one that is not there is said to be", b.js(DETAIL), "No job 'exx' held a GPU on the nodes shown.")
    b.click(TL + ".querySelector('.tl-all')")
    choose(b, ".tl-view", "nodes")
    b.mouse("mouseMoved", *on_canvas(b, 10.2, 0))
    check("the nodes view tells how full", b.js(DETAIL).endswith(": 100 % of the GPUs held"))
    b.mouse("mouseMoved", *on_canvas(b, 145, 0))
    check("also in part: 400 of 2000 thousandths", b.js(DETAIL).endswith(": 20 % of the GPUs held"))
    choose(b, ".tl-run", "1")
    choose(b, ".tl-view", "gpus")
    b.click_at(*on_canvas(b, 90, 0))
    check("another policy, another story", b.js(DETAIL), "a of <i>ann</i>, on n GPU 0\u20131, from 00:00:00 to 00:01:40 (1 m 40 s), done")
    b.click("document.querySelector('#k0means tbody a')")
    time.sleep(0.2)
    check("a policy's name leads to its section and opens it", b.js("document.querySelector('#k0p0').open && document.querySelector('#k0p1').open === false"))
    check("the page failed in nothing and asked the network for nothing", clean(b), ([], []))


def demo(b, path, shots):
    b.open(path, 1280, 900)
    b.shot(shots, "wide")
    sorting(b)
    check("numbers round as they do in C", b.js("[fixed(10460.5, 0), fixed(10461.5, 0), fixed(0.125, 2), fixed(-2.5, 0), fixed(2.675, 2), digits(1234.5), digits(12.5), digits(7)].join()"), "10460,10462,0.12,-2,2.67,0,2,0")
    check("and durations", b.js("[0, 7, 450000, 3250000, 61e6, 100800e6, 86400e6].map(duration).join()"), "0 s,7 us,450 ms,3.250 s,1m 1s,1d 4h,1d")
    check("the timeline says how much of the runs it shows", b.js("document.querySelector('#k0shown').textContent").split("GPUs")[1].split(" (")[0], " has every attempt on 40 of 40 nodes with ")
    check("every chart is drawn inside the page", b.js("document.querySelectorAll('figure.chart svg').length"), 6)
    check("the comparison is there in words, a statement a policy", b.js("[...document.querySelectorAll('.words li')].map((l) => l.textContent.split(/ (finishes|lets|slows) /)[0]).join()"), "FIFO skip,SJF,SRTF,EASY,LAS,DRF")
    check("above all numbers stands the conclusion", b.js("[...document.querySelector('#k0').children].slice(0, 2).map((e) => e.textContent).join().split(': it ')[0]"),
          "Seven policies on a mixed cluster,Of 6 policies that are not told true durations, SJF does best by completion times")
    check("then what became of the jobs", b.js("document.querySelector('#k0').children[2].textContent"),
          "FIFO, FIFO skip, SRTF, LAS and DRF: all 5000 jobs done; SJF and EASY: all 5000 jobs done, 500 without limit.")
    check("every metric compared is explained below the table", b.js("[...document.querySelectorAll('#k0means thead button')].slice(2).filter((h) => !(h.title && document.getElementById(h.getAttribute('aria-describedby')).textContent.startsWith(h.title))).length"), 0)
    check("which says what wait is meant", b.js("document.getElementById('k0is-wait_mean').textContent"), "Time from the submission of a job to its first start; later interruptions are not in it; mean over jobs")
    check("every metric of a policy is explained in its row", b.js("[...document.querySelectorAll('#k0p0 th .meaning')].length === page.cases[0].policies[0].metrics.rows.length"))
    check("jobs without a limit are listed with how many there are", b.js("[...document.querySelectorAll('#k0p2 caption')].map((c) => c.textContent)[0]"), "Jobs without a limit, of which the policy has no estimate, first seed: the first 8 of 500.")
    heads = b.js("[...document.querySelectorAll('#k0p5 table')].map((t) => [...t.tHead.rows[0].cells].slice(4, 7).map((c) => c.textContent).join())[0]")
    check("so does the table of the jobs that waited longest", heads, "waited for first start,not running,done after")
    check("no id stands twice", b.js("(() => { const all = [...document.querySelectorAll('[id]')].map((e) => e.id); return all.length - new Set(all).size; })()"), 0)
    check("every reference inside a chart finds its target", b.js("[...document.querySelectorAll('figure use')].filter((u) => !document.querySelector(u.getAttribute('xlink:href') || u.getAttribute('href'))).length"), 0)
    check("every table has a caption and headings with a scope", b.js("[...document.querySelectorAll('table')].filter((t) => !t.caption || t.querySelector('thead th:not([scope])')).length"), 0)
    check("every control has a name", b.js("[...document.querySelectorAll('button, select, input, canvas:not([aria-hidden]), svg[role]')].filter((e) => !(e.textContent.trim() || e.title || e.getAttribute('aria-label') || e.labels && e.labels.length)).length"), 0)
    check("the curves have samples", b.js(TL + ".timeline.runs.every((r) => r.gpu_util.length > 200 && r.tasks_waiting.length > 200)"))
    drawn = b.js("(() => { const c = %s.timeline, d = c.ctx.getImageData(0, 84, c.canvas.width, 400).data, s = new Set(); for (let i = 0; i < d.length; i += 4) s.add(d[i] << 16 | d[i+1] << 8 | d[i+2]); return s.size; })()" % TL)
    check("the timeline is drawn in many colours", drawn > 8)
    b.place(TL)
    b.shot(shots, "timeline")
    users = b.js("[...document.querySelectorAll('.tl-legend li')].map((i) => i.textContent)")
    check("its legend names six users and the others", (len(users), users[-1]), (7, "others"))
    samples = b.js("[...document.querySelectorAll('.tl-legend canvas')].map((c) => { const d = c.getContext('2d').getImageData(4, 4, 36, 16).data, s = []; for (let i = 0; i < d.length; i += 4) s.push(Math.round(0.3 * d[i] + 0.59 * d[i+1] + 0.11 * d[i+2])); return s; })")
    differ = [sum(abs(x - y) for x, y in zip(p, q)) / len(p) for i, p in enumerate(samples) for q in samples[:i]]
    check("whose fills no grey print takes for one another", min(differ) > 25)
    for _ in range(3):
        b.click(TL + ".querySelector('.tl-in')")
    choose(b, ".tl-run", "2")
    b.click_at(*b.place("document.querySelector('.tl-canvas')"))
    b.shot(shots, "zoomed")
    choose(b, ".tl-colour", "outcome")
    b.shot(shots, "outcome")
    choose(b, ".tl-view", "nodes")
    b.click(TL + ".querySelector('.tl-all')")
    b.shot(shots, "nodes")
    b.js("document.querySelectorAll('details:not(.policy), #k0p2').forEach((e) => { e.open = true; })")     # others are alike
    time.sleep(0.2)
    plain(b, "the unfolded page")
    axe(b, "the unfolded page")
    b.place("document.querySelector('#k0p2')")
    b.shot(shots, "policy")
    b.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    b.place(TL)
    light = b.js("getComputedStyle(document.body).backgroundColor")
    check("in the dark the page is dark", light, "rgb(20, 24, 30)")
    plain(b, "the dark page")
    axe(b, "the dark page")
    b.shot(shots, "dark")
    b.call("Emulation.setEmulatedMedia", features=[])
    for width in (1280, 700, 360):
        b.open(path, width, 900)
        check("at %d pixels nothing sticks out" % width, b.js("document.documentElement.scrollWidth <= innerWidth"))
        b.place(TL)
        b.shot(shots, "narrow-%d" % width)
    check("the page failed in nothing and asked the network for nothing, either", clean(b), ([], []))
    b.js("addEventListener('beforeprint', () => { window.inPrint = document.querySelectorAll('details:not([open])').length; })")
    data = b.call("Page.printToPDF", printBackground=True)["data"]
    check("print opens what is folded", b.js("window.inPrint"), 0)
    check("and folds it again", b.js("document.querySelectorAll('details[open]').length"), 0)
    if shots:
        open(os.path.join(shots, "print.pdf"), "wb").write(base64.b64decode(data))


def kube(b, path, shots):
    b.open(path, 1280, 900)
    check("the page shows how many jobs failed", b.js("[...document.querySelectorAll('#k0means tbody tr')].map((r) => r.cells[[...r.parentNode.parentNode.tHead.rows[0].cells].findIndex((h) => h.textContent === 'failed')].textContent).includes('1')"), True)
    choose(b, ".tl-run", "0")
    choose(b, ".tl-colour", "outcome")
    b.click_at(*on_canvas(b, 15, 1))
    check("a pod on a card that lacks what it asks", b.js(DETAIL), "lab/test3 of lab, on gpu0 GPU 1, from 00:00:00 to 00:00:30 (30 s), failed on cards without the memory or cores it asks")
    b.click_at(*on_canvas(b, 15, 3))
    check("one that is cut off with the run", b.js(DETAIL), "lab/test4 of lab, on gpu1 GPU 1, from 00:00:00 to 01:00:00 (1 h), cut off with the run")
    b.shot(shots, "kube")
    check("the jobs that did not end as they should are listed", b.js("[...document.querySelectorAll('#k0p0 table')].filter((t) => t.caption.textContent.startsWith('Jobs that did not end')).map((t) => [...t.tBodies[0].rows].map((r) => r.cells[0].textContent + ': ' + r.cells[4].textContent).join())[0]"),
          "lab/test1: unfinished when the run ended,lab/test2: unfinished when the run ended,lab/test3: failed,lab/test4: unfinished when the run ended")
    check("the page of pods failed in nothing", clean(b), ([], []))


browser = Browser(sys.argv[1])
try:
    folder = sys.argv[5] if len(sys.argv) > 5 else None
    hand(browser, sys.argv[2], folder)
    demo(browser, sys.argv[3], folder)
    kube(browser, sys.argv[4], folder)
finally:
    browser.close()
sys.exit(1 if bad else 0)
