"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const plots = [...document.querySelectorAll(".plot > svg")];
  const near = 6; // pixels

  const create = (parent, name, cls, text) => {
    const e = document.createElement(name);
    if (cls) e.className = cls;
    if (text !== undefined) e.textContent = text;
    parent.append(e);
    return e;
  };
  const tip = create(document.body, "div", "off");
  tip.id = "tip";
  const crosses = plots.map((plot) => {
    // The tip has the text of the marks; without their titles the browser shows no second one.
    plot.querySelectorAll("title").forEach((t) => t.remove());
    const cross = document.createElementNS("http://www.w3.org/2000/svg", "line");
    cross.setAttribute("y2", "100%");
    cross.setAttribute("class", "cross off");
    plot.append(cross);
    return cross;
  });

  const digits = (v) => {
    const a = Math.abs(v);
    if (a >= 1e6 || (a < 1e-4 && a > 0)) return v.toExponential(2);
    return String(a >= 100 ? Math.round(v) : Number(v.toPrecision(3)));
  };
  const scaled = (v, prefixes) => {
    const a = Math.abs(v);
    const [size, name] = prefixes.find(([size]) => a >= size) || prefixes.at(-1);
    return digits(v / size) + name;
  };
  const times = [[172800, " d", 86400], [7200, " h", 3600], [120, " min", 60], [1, " s", 1], [1e-3, " ms", 1e-3], [0, " µs", 1e-6]];
  const number = (v, unit) => {
    if (v === 0) return "0";
    switch (unit) {
      case "%": return digits(v) + "%";
      case "ratio": return digits(v * 100) + "%";
      case "s": {
        const [, name, size] = times.find(([from]) => Math.abs(v) >= from);
        return digits(v / size) + name;
      }
      case "bytes": return scaled(v, [[2 ** 40, " TiB"], [2 ** 30, " GiB"], [2 ** 20, " MiB"], [2 ** 10, " KiB"], [1, " B"]]);
      default: return Math.abs(v) < 1e5 ? digits(v) : scaled(v, [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]]);
    }
  };
  const clock = (x, panel) => {
    const unit = panel.to - panel.from < 30 ? 1000 : 1;
    if (panel.unix) {
      const at = new Date(Math.round(x * unit) / unit * 1000);
      return at.toISOString().replace("T", " ").replace(/(\.000)?Z$/, " UTC");
    }
    const all = Math.round(Math.abs(x) * unit) / unit;
    const seconds = Math.floor(all % 60);
    const minutes = Math.floor(all / 60) % 60;
    const hours = Math.floor(all / 3600) % 24;
    const days = Math.floor(all / 86400);
    const two = (n) => String(n).padStart(2, "0");
    const part = unit > 1 ? (all % 1).toFixed(3).slice(1).replace(/\.?0+$/, "") : "";
    return (x < 0 ? "-" : "") + (days ? days + "d " : "") +
      (hours || days ? hours + ":" + two(minutes) : minutes) + ":" + two(seconds) + part;
  };

  // after is the index of the first x greater than at.
  const after = (xs, at) => {
    let low = 0, high = xs.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (xs[middle] > at) high = middle; else low = middle + 1;
    }
    return low;
  };
  // valueAt is what the list has for a series at a time, with a tilde where it lies between
  // points, undefined where nothing is known. A list is the values of a series or its low edges.
  const valueAt = (series, list, at, reach, panel) => {
    const xs = data.xs[series.x];
    const right = after(xs, at), left = right - 1;
    const known = (i) => i >= 0 && i < xs.length && list[i] !== null;
    const text = (i) => known(i) ? number(list[i], panel.unit) : undefined;
    if (series.between === "held") return right === xs.length && at > xs[left] + reach ? undefined : text(left);
    const distance = (i) => known(i) ? Math.abs(xs[i] - at) : Infinity;
    const nearest = distance(left) <= distance(right) ? left : right;
    if (distance(nearest) <= reach) return text(nearest);
    if (series.between !== "joined" || !known(left) || !known(right)) return undefined;
    const [from, to] = [list[left], list[right]], part = (at - xs[left]) / (xs[right] - xs[left]);
    return "~" + number(panel.log ? from * (to / from) ** part : from + (to - from) * part, panel.unit);
  };
  // snap moves a time to the nearest mark of the panel, else to its nearest point, if one is near.
  const snap = (panel, at, reach) => {
    let best = at, distance = reach;
    const offer = (x) => {
      if (Math.abs(x - at) < distance) [best, distance] = [x, Math.abs(x - at)];
    };
    panel.marks.forEach((mark) => offer(mark.x));
    if (distance < reach) return best;
    for (const series of panel.series) {
      const xs = data.xs[series.x], next = after(xs, at);
      if (next > 0) offer(xs[next - 1]);
      if (next < xs.length) offer(xs[next]);
    }
    return best;
  };

  const fill = (panel, at, reach) => {
    tip.replaceChildren();
    create(tip, "b", "", clock(panel.from + at, panel));
    const table = create(tip, "table");
    for (const series of panel.series) {
      const row = create(table, "tr");
      create(create(row, "td"), "i", series.class);
      create(row, "td", "", series.name);
      const high = valueAt(series, series.y, at, reach, panel);
      const low = series.low && valueAt(series, series.low, at, reach, panel);
      const text = high === undefined ? "–" : low === undefined ? high : low + " to " + high;
      create(row, "td", "", text);
    }
    const marks = panel.marks.filter((m) => Math.abs(m.x - at) <= reach);
    marks.sort((a, b) => Math.abs(a.x - at) - Math.abs(b.x - at));
    for (const mark of marks.slice(0, 4)) {
      const p = create(tip, "p", mark.class);
      create(p, "b", "", clock(panel.from + mark.x, panel) + (mark.label ? " " + mark.label : ""));
      if (mark.text) create(p, "span", "", " " + mark.text);
    }
    if (marks.length > 4) create(tip, "p", "muted", marks.length - 4 + " more");
  };
  const place = (event) => {
    const gap = 14, box = tip.getBoundingClientRect();
    let left = event.clientX + gap;
    if (left + box.width > innerWidth - 4) left = event.clientX - gap - box.width;
    tip.style.left = Math.max(4, left) + "px";
    tip.style.top = Math.max(4, Math.min(event.clientY + gap, innerHeight - box.height - 4)) + "px";
  };

  const hide = () => {
    tip.className = "off";
    crosses.forEach((c) => c.classList.add("off"));
  };
  plots.forEach((plot, i) => {
    const panel = data.panels[i], length = panel.to - panel.from;
    plot.addEventListener("pointermove", (event) => {
      const box = plot.getBoundingClientRect();
      const reach = near / box.width * length;
      const raw = Math.min(Math.max((event.clientX - box.left) / box.width, 0), 1) * length;
      const at = snap(panel, raw, reach);
      crosses.forEach((cross, j) => {
        cross.classList.toggle("off", data.panels[j].unix !== panel.unix);
        cross.setAttribute("x1", at / length * 100 + "%");
        cross.setAttribute("x2", at / length * 100 + "%");
      });
      fill(panel, at, reach);
      tip.className = "";
      place(event);
    });
    plot.addEventListener("pointerleave", hide);
  });
})();
