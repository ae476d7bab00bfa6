"use strict";
// Charts: values under the pointer or the arrow keys, zoom along the x axis. Without this script the charts stand as they are.
const LANG = document.documentElement.lang, SAID = document.querySelector("main").dataset;
const SVG = "http://www.w3.org/2000/svg";
const el = (name, given, parent) => {
  const made = document.createElementNS(SVG, name);
  for (const key in given) made.setAttribute(key, given[key]);
  return parent ? parent.appendChild(made) : made;
};
const html = (name, text, parent, kind) => {
  const made = document.createElement(name);
  if (text) made.textContent = text;
  if (kind) made.className = kind;
  return parent.appendChild(made);
};
const round = (value) => Number(value.toPrecision(4)).toLocaleString(LANG, {maximumSignificantDigits: 4}).replace("-", "−");
const said = (value, axis) => {
  if (axis.form === "share") return round(value * 100) + " %";
  if (axis.form === "count") return Math.round(value).toLocaleString(LANG) + (axis.unit ? " " + axis.unit : "");
  if (axis.form === "bytes") return round(value / 2 ** 30) + " GiB";
  return round(value) + (axis.unit ? " " + axis.unit : "");
};
// A clock axis names some places in the zone of the plan; the nearest one tells how far that zone is from UTC.
const clock = (value, places) => {
  const near = places.reduce((best, one) => Math.abs(one[0] - value) < Math.abs(best[0] - value) ? one : best);
  const named = /^(\d\d):(\d\d)$/.exec(near[1]);
  const offset = (named ? named[1] * 3600 + named[2] * 60 : 0) - near[0] % 86400;
  return new Date((value + offset) * 1000).toISOString().slice(5, 16).replace("T", " ");
};
const steps = (low, high) => {
  const raw = (high - low) / 5, size = 10 ** Math.floor(Math.log10(raw));
  const step = size * [1, 2, 5, 10].find((factor) => size * factor >= raw * 0.999);
  const found = [];
  for (let at = Math.ceil(low / step); at * step <= high; at++) found.push(at * step);
  return found;
};

function chart(figure) {
  const plot = JSON.parse(figure.querySelector("script").textContent), img = figure.querySelector("img"), box = img.parentNode;
  const whole = plot.x.range, [width, height] = plot.size;
  let [low, high] = whole, start = null, cursor = null;
  for (const panel of plot.panels) for (const line of panel.lines) {
    let sum = 0;
    line.x = line.x.map((step) => sum += step);
  }
  const inner = html("div", "", box, "plot");
  inner.appendChild(img);
  const layer = el("svg", {viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true"}, inner);
  const zoomed = el("g", {}, layer), marks = el("g", {}, layer), note = html("div", "", inner, "read");
  const spoken = html("p", "", box, "spoken");
  spoken.setAttribute("role", "status");
  const px = (panel, x) => panel.box[0] + (x - low) / (high - low) * panel.box[2];
  const py = (panel, y) => {
    let [from, to] = panel.y.range;
    if (panel.y.log) [y, from, to] = [y, from, to].map(Math.log10);
    return panel.box[1] + (1 - Math.min(Math.max((y - from) / (to - from), 0), 1)) * panel.box[3];
  };
  const xSaid = (x) => plot.x.places.length ? clock(x, plot.x.places) : said(x, plot.x);

  function draw() {
    zoomed.replaceChildren();
    marks.replaceChildren();
    note.textContent = "";
    if (low === whole[0] && high === whole[1]) return;
    plot.panels.forEach((panel, i) => {
      const [left, top, across, up] = panel.box, id = `${figure.id}-clip${i}`;
      el("rect", {x: left, y: top, width: across, height: up, class: "paper"}, zoomed);
      el("rect", {x: left, y: top, width: across, height: up}, el("clipPath", {id}, zoomed));
      for (const [from, to, tone] of panel.bands) {
        const [a, b] = [Math.max(from, low), Math.min(to, high)];
        if (b > a) el("rect", {x: px(panel, a), y: top, width: px(panel, b) - px(panel, a), height: up, class: tone + " band"}, zoomed);
      }
      for (const [value, label, tone] of panel.levels) {
        const y = py(panel, value);
        el("path", {d: `M${left} ${y}h${across}`, class: tone + " level"}, zoomed);
        el("text", {x: left + 1, y: y - top < 4 ? y + 3 : y - 0.8, class: tone}, zoomed).textContent = label;
      }
      for (const line of panel.lines) {
        let d = "", pen = "M";
        line.x.forEach((x, k) => {
          if (line.y[k] === null) pen = "M";
          else { d += `${pen}${px(panel, x).toFixed(2)} ${py(panel, line.y[k]).toFixed(2)}`; pen = "L"; }
        });
        el("path", {d, class: line.tone, "clip-path": `url(#${id})`}, zoomed);
      }
      el("path", {d: `M${left} ${top}v${up}h${across}`, class: "second"}, zoomed);
      if (!panel.foot) return;
      el("rect", {x: left - 1.5, y: top + up + 0.2, width, height: 4.8, class: "paper"}, zoomed);
      const ticks = plot.x.places.length ? plot.x.places.map((one) => one[0]).filter((x) => x >= low && x <= high) : steps(low, high);
      for (const x of ticks.length > 1 ? ticks : [low, high]) {
        const at = px(panel, x);
        el("text", {x: at, y: top + up + 4, class: "quiet", "text-anchor": at > left + across - 8 ? "end" : at < left + 8 ? "start" : "middle"}, zoomed).textContent = xSaid(x);
      }
    });
  }

  const nearest = (line, x) => line.x.reduce((best, at, k) =>
    line.y[k] !== null && (best < 0 || Math.abs(at - x) < Math.abs(line.x[best] - x)) ? k : best, -1);

  function show(wanted, one) {
    marks.replaceChildren();
    cursor = wanted;
    const lead = (one || plot.panels[0]).lines[0], on = lead ? nearest(lead, wanted) : -1;
    const x = on >= 0 && lead.x[on] >= low && lead.x[on] <= high ? lead.x[on] : wanted;
    const rows = [];
    for (const panel of plot.stacked ? plot.panels : [one || plot.panels[0]]) {
      const found = panel.lines.map((line) => [line, nearest(line, x)]).filter(([line, k]) => k >= 0 && line.x[k] >= low && line.x[k] <= high);
      el("path", {d: `M${px(panel, x)} ${panel.box[1]}v${panel.box[3]}`, class: "quiet level"}, marks);
      for (const [line, k] of found) {
        el("circle", {cx: px(panel, line.x[k]), cy: py(panel, line.y[k]), r: 0.9, class: line.tone}, marks);
        const named = found.length > 1 ? line.label : "";
        rows.push(`${[panel.title, named].filter(Boolean).join(", ") || line.label}: ${said(line.y[k], panel.y)}`);
      }
    }
    note.replaceChildren();
    html("b", xSaid(x), note);
    for (const row of rows) html("span", row, note);
    const part = px(one || plot.panels[0], x) / width;
    note.style.left = part < 0.5 ? `calc(${part * 100}% + 10px)` : "auto";
    note.style.right = part < 0.5 ? "auto" : `calc(${(1 - part) * 100}% + 10px)`;
    return rows;
  }
  const hide = () => { marks.replaceChildren(); note.textContent = ""; };
  const place = (event) => {
    const area = layer.getBoundingClientRect();
    const x = (event.clientX - area.left) / area.width * width, y = (event.clientY - area.top) / area.height * height;
    const inside = plot.panels.filter((panel) => x >= panel.box[0] - 2 && x <= panel.box[0] + panel.box[2] + 2);
    const panel = inside.find((one) => y <= one.box[1] + one.box[3] + 5) || inside[0];
    if (!panel) return [null, null];
    return [panel, Math.min(Math.max(low + (x - panel.box[0]) / panel.box[2] * (high - low), low), high)];
  };
  const zoom = (from, to) => {
    if (to - from < (whole[1] - whole[0]) / 200) return;
    [low, high] = [Math.max(from, whole[0]), Math.min(to, whole[1])];
    draw();
    back.hidden = low === whole[0] && high === whole[1];
  };
  const closer = (factor) => {
    const middle = cursor !== null && cursor > low && cursor < high ? cursor : (low + high) / 2, half = (high - low) * factor / 2;
    zoom(middle - half, middle + half);
  };

  layer.addEventListener("pointermove", (event) => {
    const [panel, x] = place(event);
    if (!panel) return hide();
    show(x, panel);
    if (start !== null) {
      const [left, right] = [px(panel, start), px(panel, x)].sort((a, b) => a - b);
      el("rect", {x: left, y: panel.box[1], width: right - left, height: panel.box[3], class: "chosen"}, marks);
    }
  });
  layer.addEventListener("pointerdown", (event) => {
    const [panel, x] = place(event);
    if (event.pointerType === "mouse") start = x;
    else if (panel) show(x, panel);
  });
  layer.addEventListener("pointerup", (event) => {
    const x = place(event)[1];
    if (start !== null && x !== null) zoom(Math.min(start, x), Math.max(start, x));
    start = null;
  });
  layer.addEventListener("pointerleave", (event) => {
    start = null;
    if (event.pointerType === "mouse") hide();
  });
  layer.addEventListener("dblclick", () => zoom(...whole));
  box.addEventListener("keydown", (event) => {
    const move = {ArrowLeft: -1, ArrowRight: 1}[event.key];
    if (move) {
      const x = Math.min(Math.max((cursor === null ? low : cursor) + move * (high - low) / 50, low), high);
      spoken.textContent = `${xSaid(x)}. ${show(x, null).join(". ")}`;
    } else if (event.key === "+") closer(0.5);
    else if (event.key === "-") closer(2);
    else if (event.key === "Escape") zoom(...whole);
    else return;
    event.preventDefault();
  });

  const tools = document.createElement("p");
  tools.className = "tools";
  const button = (text, run) => { const made = html("button", text, tools); made.type = "button"; made.addEventListener("click", run); return made; };
  button(SAID.closer, () => closer(0.5));
  const back = button(SAID.whole, () => zoom(...whole));
  back.hidden = true;
  const save = html("a", SAID.save, tools);
  save.href = img.src;
  save.download = figure.id + ".svg";
  box.after(tools);
}
for (const figure of document.querySelectorAll("figure:has(> script)")) chart(figure);

// Findings by severity, which the sign tells in any language, and by confidence.
const filter = document.querySelector(".filter");
if (filter) {
  const items = [...document.querySelectorAll("#findings .card, #findings tr[id]")].map((item) => ({
    item,
    severity: "○●▲■".indexOf(item.querySelector(".sign").textContent.trim()),
    confidence: Number(item.dataset.confidence),
  }));
  const [severity, confidence] = filter.querySelectorAll("select");
  const apply = () => {
    let shown = 0;
    for (const one of items) {
      one.item.hidden = one.severity < Number(severity.value) || one.confidence < Number(confidence.value);
      shown += !one.item.hidden;
    }
    filter.querySelector("output").textContent = filter.dataset.shown.replace("{n}", shown).replace("{all}", items.length);
  };
  filter.hidden = false;
  filter.addEventListener("change", apply);
  apply();
}

// A link to a finding, such as #TR101, opens what it is folded into and shows what is filtered out.
function reveal() {
  const name = decodeURIComponent(location.hash.slice(1));
  if (!name) return;
  const row = /^TR\d{3}$/.test(name) && [...document.querySelectorAll("#findings tr[id]")].find((one) => one.textContent.includes(name));
  const target = document.getElementById(name) || row;
  if (!target) return;
  if (filter && target.closest("[hidden]")) { filter.reset(); filter.dispatchEvent(new Event("change")); }
  for (let fold = target.closest("details"); fold; fold = fold.parentNode.closest("details")) fold.open = true;
  target.scrollIntoView();
}
addEventListener("hashchange", reveal);
reveal();
