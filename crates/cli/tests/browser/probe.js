// Put at the end of a copy of a report, before what a test asks.
const all = (selector) => [...document.querySelectorAll(selector)];
const settled = () => new Promise((resolve) => setTimeout(resolve, 100));
const answer = (value) => parent.postMessage(JSON.stringify(value), "*");

// What a chart shows, in the order in which it is drawn.
function chart(id) {
  const drawn = `#${id} svg > g`;
  const curve = (path) => ({
    colour: path.getAttribute("stroke"),
    points: [...path.getAttribute("d").matchAll(/[ML](\S+) ([^ML]+)/g)].map(([, x, y]) => [Number(x), Number(y)]),
  });
  const bar = (path) => {
    const [, width] = /^M\S+ \S+l(\S+) 0l0 /.exec(path.getAttribute("d")) ?? [];
    return width ? [{ colour: path.getAttribute("fill"), width: Number(width) }] : [];
  };
  return {
    curves: all(`${drawn} > g[clip-path] > path`).map(curve),
    bars: all(`${drawn} > path:not([transform])`).flatMap(bar),
    texts: all(`${drawn} > text`).map((text) => ({ text: text.textContent, colour: text.getAttribute("fill") })),
  };
}

// What the style sheet makes of a name that the data holds, as `policy-1` or `part-host`.
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

// The data of the charts, with the colour of each curve and of each part of a bar.
function data() {
  const data = JSON.parse(document.getElementById("data").textContent);
  for (const item of [...data.curves, ...data.largest]) item.colour = colour(item.slot);
  const parts = data.largest.flatMap((row) => Object.keys({ ...row.seconds, ...row.merges }));
  data.parts = Object.fromEntries(parts.map((part) => [part, colour(`part-${part}`)]));
  return data;
}

// The table: a list of the values of each row.
const rows = () => all("#rows tbody tr").map((row) => [...row.cells].map((cell) => cell.dataset.value));

const charts = () => Object.fromEntries(all(".chart").map(({ id }) => [id, chart(id)]));
const seen = () => ({ data: data(), rows: rows(), ...charts() });
