// This script is put at the end of a copy of a report, before the script of a test.
const all = (selector) => [...document.querySelectorAll(selector)];
const settled = () => new Promise((resolve) => setTimeout(resolve, 100));
const answer = (value) => parent.postMessage(JSON.stringify(value), "*");

// The contents of a chart, in drawing order.
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
    words: document.getElementById(id).ariaLabel,
  };
}

// The style that the style sheet gives to a name in the data, such as `policy-1` or `part-host`.
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

// The data of the charts, with the colour of each curve and of each part of a bar.
function data() {
  const data = JSON.parse(document.getElementById("data").textContent);
  for (const item of data.series) item.colour = colour(item.slot);
  const parts = data.runs.flatMap((run) => Object.keys({ ...run.time, ...run.programs, ...run.merges, ...run.bytes }));
  parts.push(...data.activities, "chips", "channels", "bus");
  data.parts = Object.fromEntries(parts.map((part) => [part, colour(`part-${part}`)]));
  return data;
}

// The table: a list of the values of each row.
const rows = () => all("#rows tbody tr").map((row) => [...row.cells].map((cell) => cell.dataset.value));

const charts = () => Object.fromEntries(all(".chart").map(({ id }) => [id, chart(id)]));
const seen = () => ({
  data: data(), rows: rows(), ...charts(),
  title: document.getElementById("figure-title").textContent,
  pressed: all("#series button").map((button) => button.ariaPressed),
});

async function press(selector, index = 0) {
  all(selector)[index].click();
  await settled();
}

// Chooses in the list with this title, in the section with this id.
async function choose(id, title, text) {
  const label = all(`#${id} label`).find((label) => label.firstChild.textContent.trim() === title);
  const list = label.querySelector("select");
  list.value = [...list.options].findIndex((option) => option.text === text);
  list.dispatchEvent(new Event("change"));
  await settled();
}

// Waits in real time for events that do not depend on the clock of the page, such as the decoding of pictures.
async function until(isDone) {
  for (let turn = 0; turn < 1000 && !isDone(); turn++) {
    for (let spin = 0; spin < 500_000; spin++) Math.random();
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

// The outputs of the buttons of a picture or a table: files and copies.
async function taken(selector) {
  const [files, copied] = [[], []];
  const hold = globalThis.Blob;
  globalThis.Blob = class extends hold {
    constructor(parts, options) {
      super(parts, options);
      this.parts = parts;
    }
  };
  let last;
  URL.createObjectURL = (blob) => { last = blob; return "blob:nothing"; };
  HTMLAnchorElement.prototype.click = function () {
    const text = last.parts.join("");
    const svg = new DOMParser().parseFromString(text, "image/svg+xml");
    files.push({ name: this.download, type: last.type, text, isSvg: !svg.querySelector("parsererror") });
  };
  globalThis.ClipboardItem = class { constructor(item) { this.item = item; } };
  navigator.clipboard.write = async ([{ item }]) => {
    const [[type, value]] = Object.entries(item);
    const blob = await value;
    const size = blob.parts ? null : await createImageBitmap(blob).then(({ width, height }) => [width, height]);
    copied.push({ type, size, text: blob.parts?.join("") });
  };
  for (const button of all(`${selector} .tools button`)) button.click();
  const said = document.getElementById("said");
  await until(() => said.textContent !== "");
  globalThis.Blob = hold;
  const words = said.textContent;
  said.textContent = "";
  return { files, copied, said: words };
}
