# What a run drew and cost, integrated anew from its tables, slowly: between any two events every node, card and task
# by itself, in exact fractions.
#   energy.py check DB SCENARIO-AS-JSON    says where the metrics and the table `energy` differ by more than was rounded
#   energy.py make SEED FOLDER POLICY      a random cluster, jobs and failures, as s.json (which is YAML, too), jobs.csv
#                                          and faults.csv; every profile has its GPUs in full use with any cores
import collections, json, random, sqlite3, sys
from fractions import Fraction as F

HOUR = 3600 * 10 ** 6


def make(seed, folder, policy):
    r = random.Random(seed)
    hours = lambda top: {str(h): round(r.random() * top, 4) for h in sorted(r.sample(range(24), r.randint(1, 5)))}
    price = lambda top: r.choice([round(r.random() * top, 4), hours(top)])
    watts = lambda top: sorted(r.randint(0, top) for _ in range(4))

    def power(top):
        w = watts(top)
        if r.random() < .5:
            return {"idle": f"{w[0]}W", "peak": f"{w[3]}W"}
        return [[u, f"{x}W"] for u, x in zip([0, .25, .7, 1], w)]

    draw = lambda top, money: {"power": power(top), "price": price(money)}
    groups = [dict(name="a", count=3, cpus=16, mem="64GiB", gpus=4, gpu_type="A", reserved={"cpus": 2}, **draw(500, 2)),
              dict(name="b", count=2, cpus=10, mem="64GiB", gpus=2, gpu_type="B", **draw(300, 1)),
              dict(name="c", count=1, cpus=32, mem="64GiB", **draw(400, 1))]
    types = {"A": draw(400, 3), "B": dict(speed=.5, **draw(90, 1))}
    scenario = {"name": "random", "cluster": {"groups": groups, "gpu_types": types},
                "prices": {"electricity": price(1), "starts_at": f"{r.randint(0, 23)}h"},
                "trace": {"format": "native", "path": "jobs.csv"}, "faults": {"trace": "faults.csv"},
                "jobs": {"preemption": {"mode": "checkpoint", "interval": "7m", "restore_cost": "3m"}},
                "profiles": {"file": "p.csv"}, "policies": [policy],
                "output": {"decisions": True, "sample_every": "1h"}}
    with open(folder + "/s.json", "w") as f:
        json.dump(scenario, f, indent=1)
    with open(folder + "/p.csv", "w") as f:
        print("model,kind,layout,util,mem_bw,slow\nm,image,1N1G,linear:0.25,1GB/s,0:1", file=f)
    with open(folder + "/jobs.csv", "w") as f:
        print("id,submit_s,duration_s,user,cpus,mem_mib,gpus,gpu_milli,tasks,gang,model", file=f)
        at = 0
        for i in range(150):
            at += r.randint(0, 1500)
            gpus = r.choice([0, 0, 1, 1, 1, 2])
            share = r.choice([250, 300, 500, 1000]) if gpus == 1 else 1000
            tasks = r.choice([1, 1, 1, 2, 3])
            print(i, at, r.randint(10, 20000), "uvw"[i % 3], r.choice([1, 2, 3, 0.5]), 100, gpus, share if gpus else "",
                  tasks, int(tasks > 1 and r.random() < .5), "m" if gpus and share == 1000 else "", sep=",", file=f)
    with open(folder + "/faults.csv", "w") as f:
        print("at_s,node,event", file=f)
        rows, names = [], [f"a-{i}" for i in range(3)] + [f"b-{i}" for i in range(2)] + ["c"]
        for n in names:
            t = 0
            for _ in range(3):
                down = t + r.randint(1000, 40000)
                t = down + r.randint(100, 9000)
                rows += [(down, n, "down"), (t, n, "up")]
        for row in sorted(rows):
            print(*row, sep=",", file=f)


def watt(text):
    return F(text[:-1]) * 1000


def curve(power, u):
    if isinstance(power, dict):
        power = [(0, power["idle"]), (1, power["peak"])]
    points = [(F(str(a)), watt(w)) for a, w in power]
    for (x0, y0), (x1, y1) in zip(points, points[1:]):
        if u <= x1:
            return y0 + (y1 - y0) * (u - x0) / (x1 - x0)


def price_at(price, hour):
    if not isinstance(price, dict):
        return F(str(price))
    known = sorted(map(int, price))
    return F(str(price[str(max([h for h in known if h <= hour], default=known[-1]))]))


def check(path, scenario_path):
    s = json.load(open(scenario_path))
    db = sqlite3.connect(path)
    db.row_factory = sqlite3.Row
    rows = lambda q: db.execute(q).fetchall()
    group = {}
    for g in s["cluster"]["groups"]:
        for i in range(g.get("count", 1)):
            group[f"{g['name']}-{i}" if g.get("count", 1) > 1 else g["name"]] = g
    nodes = rows("SELECT * FROM node ORDER BY node")
    user = {x["ordinal"]: x["user"] for x in rows("SELECT * FROM job")}
    request = collections.defaultdict(list)
    for x in rows("SELECT * FROM request ORDER BY ordinal, task0"):
        request[x["ordinal"]].append(x)
    phases = collections.defaultdict(list)
    for x in rows("SELECT * FROM phase ORDER BY seq"):
        phases[x["ordinal"], x["task"]].append((x["at_us"], x["phase"]))
    cores = collections.defaultdict(list)
    for x in rows("SELECT * FROM cores ORDER BY seq"):
        cores[x["ordinal"], x["task"], x["attempt"]].append((x["at_us"], x["cpu_milli"]))
    attempts = rows("SELECT * FROM attempt WHERE end_us > start_us")
    outages = rows("SELECT * FROM outage")
    end = max([x["end_us"] for x in rows("SELECT * FROM job")] + [x["at_us"] for x in rows("SELECT * FROM series")])
    times = {0, end}
    for a in attempts:
        times |= {a["start_us"], a["end_us"]}
    for p in list(phases.values()) + list(cores.values()):
        times |= {x[0] for x in p}
    for o in outages:
        times |= {o["down_us"], o["up_us"]}
    starts = int(s["prices"]["starts_at"][:-1])
    times |= {h * HOUR for h in range(end // HOUR + 1)}
    times = sorted(t for t in times if 0 <= t <= end)
    last = lambda xs, t, default: next((x for at, x in reversed(xs) if at <= t), default)
    drawn, cost, by_job = F(0), F(0), collections.defaultdict(lambda: [F(0), F(0)])
    rounded, rounded_of = F(0), collections.defaultdict(F)      # by how many kWh at most
    for t, until in zip(times, times[1:]):
        hour, dt = (starts + t // HOUR) % 24, F(until - t, HOUR)
        kwh_price = price_at(s["prices"]["electricity"], hour)
        for n in nodes:
            if any(o["node"] == n["node"] and o["down_us"] <= t and not 0 <= o["up_us"] <= t for o in outages):
                continue
            g = group[n["name"]]
            kind = s["cluster"]["gpu_types"].get(n["gpu_type"])
            offers = (F(g["cpus"]) - g.get("reserved", {}).get("cpus", 0)) * 1000
            here = []
            for a in attempts:
                if a["node"] != n["node"] or not a["start_us"] <= t < a["end_us"]:
                    continue
                q = [x for x in request[a["ordinal"]] if x["task0"] <= a["task"]][-1]
                lead = 0 if q["gang"] else a["task"]
                turned = [x for x in phases[a["ordinal"], lead] if x[0] >= a["start_us"]]
                cards = [k for k in range(n["n_gpu"]) if a["cards"] >> k & 1]
                cpu = last(cores[a["ordinal"], a["task"], a["attempt"]], t, q["cpu_milli"])
                computes = last(turned, t, "compute") == "compute"
                here.append((a["ordinal"], cpu, cards, F(q["gpu_milli"], 1000), computes))
            used = sum(x[1] for x in here)
            idle, now = curve(g["power"], F(0)), curve(g["power"], used / offers)
            watts, rent = now, price_at(g["price"], hour)
            busy = [sum(x[3] for x in here if k in x[2] and x[4]) for k in range(n["n_gpu"])]
            of_card = [curve(kind["power"], b) for b in busy] if kind else []
            watts += sum(of_card)
            rent += n["n_gpu"] * price_at(kind["price"], hour) if kind else 0
            for job, cpu, cards, share, computes in here:
                w = idle * cpu / offers + (now - idle) * cpu / used
                r = price_at(g["price"], hour) * cpu / offers
                rounded_of[job] += (2 + 3 * len(cards)) * dt / 10 ** 6
                for k in cards:
                    low = curve(kind["power"], F(0))
                    w += low * share + ((of_card[k] - low) * share / busy[k] if computes else 0)
                    r += price_at(kind["price"], hour) * share
                by_job[job][0] += w * dt / 10 ** 6
                by_job[job][1] += w * dt / 10 ** 6 * kwh_price + r * dt
            rounded += (1 + n["n_gpu"]) * dt / 10 ** 6
            drawn += watts * dt / 10 ** 6
            cost += watts * dt / 10 ** 6 * kwh_price + rent * dt
    wrong = 0

    def near(what, found, expected, within):
        nonlocal wrong
        if abs(F(found) - expected) > within + F(1, 10 ** 9):
            wrong = 1
            print(what, found, float(expected), float(within))

    metric = {(x["name"], x["scope"]): x["value"] for x in rows("SELECT * FROM metric")}
    everyone = sum(rounded_of.values())
    for i, name, whole in ((0, "energy", drawn), (1, "cost", cost)):        # prices of a kWh are at most 1 here
        near(name, metric[name, "all"], whole, rounded)
        idle = whole - sum(x[i] for x in by_job.values())
        near(name + "_idle", metric[name + "_idle", "all"], idle, rounded + everyone)
        for u in sorted(set(user.values())):
            mine = [j for j in by_job if user[j] == u]
            total = sum(by_job[j][i] for j in mine)
            near(f"{name} of {u}", metric[name, "user=" + u], total, sum(rounded_of[j] for j in mine))
    found = rows("SELECT * FROM energy")
    for x in found:
        near(f"kwh of job {x['ordinal']}", x["kwh"], by_job[x["ordinal"]][0], rounded_of[x["ordinal"]])
        near(f"cost of job {x['ordinal']}", x["cost"], by_job[x["ordinal"]][1], rounded_of[x["ordinal"]])
    if len(found) != len(user) or drawn == 0:
        sys.exit(f"{len(found)} rows of {len(user)} jobs, {float(drawn)} kWh")
    sys.exit(wrong)


if sys.argv[1] == "make":
    make(int(sys.argv[2]), sys.argv[3], sys.argv[4])
else:
    check(sys.argv[2], sys.argv[3])
