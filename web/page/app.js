"use strict";
const $ = (id) => document.getElementById(id);
const make = (name, attributes = {}, ...children) => {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key in element && key !== "list") element[key] = value;
    else element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
};
const words = (text) => text.split(/\s+/).filter(Boolean);
const linesOf = (text) => text.split("\n").map((line) => line.trim()).filter(Boolean);
const listOf = (text) => text.split(",").map((one) => one.trim()).filter(Boolean);

// ---- the module and its samples: in this file, or beside it

const unpacked = async (name) => {
  const inside = $("file-" + name);
  const response = inside
    ? await fetch("data:application/octet-stream;base64," + inside.textContent.trim())
    : await fetch(name);
  if (!response.ok) throw new Error(`${name}: ${response.status} ${response.statusText}`);
  return response;
};
const bytesOf = async (name) => (await unpacked(name)).arrayBuffer();

$("notices").addEventListener("click", (event) => {
  const inside = $("file-NOTICES.txt");
  if (!inside) return;
  event.preventDefault();
  open(URL.createObjectURL(new Blob([inside.textContent], { type: "text/plain" })));
});

let compiled;
const moduleOnce = () => (compiled ??= (async () => {
  const packed = (await unpacked("ssdlab.wasm.gz")).body;
  const plain = packed.pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compile(await new Response(plain).arrayBuffer());
})());

// ---- workers: one for comparisons, which can be cancelled, and one for all else

class Lab {
  #worker; #ready; #calls = new Map(); #last = 0;

  #start() {
    const script = new Blob([$("worker").textContent], { type: "text/javascript" });
    const address = URL.createObjectURL(script);
    const worker = new Worker(address);
    this.#worker = worker;
    this.#ready = new Promise((ready, refused) => {
      worker.onerror = (event) => refused(new Error(event.message || "the worker did not start"));
      worker.onmessage = ({ data }) => (data.ready ? ready() : this.#take(data));
      moduleOnce().then((module) => worker.postMessage({ module }), refused);
    });
    this.#ready.then(() => URL.revokeObjectURL(address), () => {});
  }

  #take({ id, told, answer, failed }) {
    const call = this.#calls.get(id);
    if (!call) return;
    if (told !== undefined) {
      const said = JSON.parse(told);
      if (said.panic) call.panic = said.panic;
      else call.told?.(said);
      return;
    }
    this.#calls.delete(id);
    if (failed !== undefined) {
      // its memory is not to be trusted any more
      this.stop();
      const memory = /memory|unreachable/.test(failed) && !call.panic;
      call.refused(new Error(call.panic ?? (memory ? "the simulation ran out of memory: take a smaller device or fewer requests" : failed)));
      return;
    }
    const { answer: is, error } = JSON.parse(answer);
    if (error === undefined) call.done(is);
    else call.refused(new Error(error));
  }

  async ask(question, { file, told } = {}) {
    if (!this.#worker) this.#start();
    const worker = this.#worker;
    await this.#ready;
    return new Promise((done, refused) => {
      const id = ++this.#last;
      this.#calls.set(id, { done, refused, told });
      worker.postMessage({ id, question, file });
    });
  }

  // Ends what it does; the next question starts anew.
  stop() {
    this.#worker?.terminate();
    this.#worker = undefined;
    for (const call of this.#calls.values()) call.refused(new Error("cancelled"));
    this.#calls.clear();
  }
}
const runs = new Lab();
const lab = new Lab();

// ---- addresses: #part?key=value&…

const parsed = () => {
  const [part, query = ""] = location.hash.replace(/^#/, "").split("?");
  const known = ["try", "see", "life"].includes(part) ? part : "try";
  return [known, new URLSearchParams(query)];
};
const address = (part, given) => {
  const query = new URLSearchParams();
  for (const [key, value] of given) {
    if (value !== "" && value !== undefined && value !== null) query.append(key, value);
  }
  const text = query.toString().replaceAll("%2C", ",").replaceAll("%3A", ":").replaceAll("%2F", "/");
  return "#" + part + (text ? "?" + text : "");
};
const keep = (to) => {
  if (location.hash !== to) history.replaceState(null, "", to);
  for (const link of document.querySelectorAll("nav a")) {
    if (to.startsWith("#" + link.dataset.part)) link.href = to;
  }
};
const copied = async (text, button) => {
  const before = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = make("textarea", { value: text });
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  button.textContent = "Copied";
  setTimeout(() => (button.textContent = before), 1200);
};
const linesList = (pairs) => make("dl", { className: "lines" }, ...pairs.flatMap(([label, value]) => [make("dt", {}, label), make("dd", {}, value)]));
const fail = (box, error) => {
  box.hidden = false;
  box.textContent = error.message;
};

// ---- Try

const form = $("asked");
const SAMPLES = JSON.parse($("samples").textContent);
let catalogue;
let dropped;

const chips = (box, entries, name) => {
  box.replaceChildren(...entries.map((entry) =>
    make("label", { title: entry.rule }, make("input", { type: "checkbox", name, value: entry.name }), make("span", {}, entry.name))));
};
const chosen = (name) => [...form.querySelectorAll(`[name=${name}]:checked`)].map((box) => box.value);

const asked = () => {
  const field = (name) => form.elements[name].value.trim();
  const question = {
    buffer: chosen("buffer"), size: listOf(field("size")), ftl: chosen("ftl"),
    set: linesOf(field("set")).map((line) => line.replace(/\s*=\s*/, "=")), vary: linesOf(field("vary")).map((line) => line.replace(/\s*=\s*/, "=")),
    "no-bounds": !form.elements.bounds.checked, "no-advice": !form.elements.advice.checked,
    settled: form.elements.settled.checked, wrap: form.elements.wrap.checked, compact: form.elements.compact.checked,
  };
  for (const [key, name] of [["preset", "preset"], ["scale-to", "scale"], ["by", "by"], ["baseline", "baseline"]]) {
    if (field(name)) question[key] = field(name);
  }
  if (field("loops")) {
    const loops = Number(field("loops"));
    if (!Number.isInteger(loops) || loops < 1 || loops > 100000) throw new Error(`Replays: ${field("loops")}: must be a whole number from 1 to 100000`);
    question.loops = loops;
  }
  const source = form.elements.source.value;
  if (source === "generate") {
    question.workload = [field("kind"), field("more"), "--requests", field("requests") || "100000", "--capacity", field("capacity") || "1GiB", "--seed", field("seed") || "1"].filter(Boolean).join(" ");
  } else if (source === "sample") {
    question.file = field("sample");
  } else {
    question.file = dropped?.name ?? "trace.csv";
    question.read = words(field("read"));
  }
  return question;
};

// The settings that differ from those of a page without an address.
const FIELDS = ["sample", "kind", "requests", "seed", "capacity", "more", "read", "preset", "set", "scale", "size", "vary", "by", "baseline", "loops"];
const BOXES = ["bounds", "advice", "settled", "wrap", "compact"];
const settings = (ran) => {
  const source = form.elements.source.value;
  const of = { generate: ["kind", "requests", "seed", "capacity", "more"], sample: ["sample"], file: ["read"] };
  const given = [["source", source]];
  for (const name of FIELDS) {
    const owner = Object.keys(of).find((key) => of[key].includes(name));
    if (!owner || owner === source) given.push([name, form.elements[name].value.trim()]);
  }
  given.push(["buffer", chosen("buffer").join(",")], ["ftl", chosen("ftl").join(",")]);
  for (const name of BOXES) {
    const box = form.elements[name];
    if (box.checked !== box.defaultChecked) given.push([name, box.checked ? "yes" : "no"]);
  }
  if (ran && source !== "file") given.push(["run", "1"]);
  return given;
};
const restore = (query) => {
  if (![...query.keys()].length) {
    query = new URLSearchParams("source=sample&preset=bplru-2008&buffer=lru,cflru,fab,bplru,cbb&size=1MiB,4MiB,16MiB&advice=no");
  }
  form.reset();
  const source = query.get("source") ?? "sample";
  for (const radio of form.elements.source) radio.checked = radio.value === source;
  for (const name of FIELDS) if (query.has(name)) form.elements[name].value = query.get(name);
  for (const name of ["buffer", "ftl"]) {
    const names = listOf(query.get(name) ?? "");
    for (const box of form.querySelectorAll(`[name=${name}]`)) box.checked = names.includes(box.value);
  }
  for (const name of BOXES) if (query.has(name)) form.elements[name].checked = query.get(name) === "yes";
};

let saying = 0;
const changed = async (ran = false) => {
  const source = form.elements.source.value;
  for (const box of form.querySelectorAll("[data-source]")) box.hidden = box.dataset.source !== source;
  const find = (list, name) => list.find((one) => one.name === name);
  const sample = find(SAMPLES, form.elements.sample.value);
  $("about-sample").textContent = sample?.about ?? "";
  const kind = catalogue.workloads.find(([name]) => name === form.elements.kind.value);
  $("about-kind").textContent = kind?.[1] ?? "";
  const preset = find(catalogue.presets, form.elements.preset.value);
  $("about-preset").textContent = preset ? `${preset.about}. ${preset.source}` : `Without a preset or a key of the device: ${catalogue.today}, a drive of today, as small as the workload and aged by it.`;
  if (parsed()[0] === "try") keep(address("try", settings(ran)));
  const turn = ++saying;
  try {
    const said = await lab.ask({ call: "said", ...asked() });
    if (turn === saying) {
      $("command").textContent = said.command;
      $("python").textContent = said.python;
    }
  } catch (error) {
    if (turn === saying) $("command").textContent = $("python").textContent = error.message;
  }
};

const count = (number) => number.toLocaleString("en");
let running = false;
const run = async () => {
  if (running) return;
  $("error").hidden = true;
  let question, file;
  try {
    question = asked();
    const source = form.elements.source.value;
    if (source === "file") {
      if (!dropped) throw new Error("Your trace: no file yet; drop one, or choose one");
      file = await dropped.arrayBuffer();
    } else if (source === "sample") {
      file = await bytesOf(question.file);
    }
  } catch (error) {
    return fail($("error"), error);
  }
  running = true;
  changed(true);
  $("run").disabled = true;
  $("cancel").hidden = $("progress").hidden = false;
  $("answer").replaceChildren();
  $("live").replaceChildren();
  $("bar").value = 0;
  $("doing").textContent = "Reading the workload";
  const began = performance.now();
  let done = 0, all = 1, rows = 0;
  const told = (said) => {
    if (said.runs) [done, all] = said.runs;
    if (said.row) {
      rows += 1;
      const figures = said.row.figures.map(([name, value]) => `${value ?? "-"} ${name === "WAF" ? "WAF" : ""}`.trim());
      $("live").append(make("li", {}, make("b", {}, said.row.label), make("span", {}, figures.join(" · "))));
    }
    const part = said.passed ? said.passed[0] / said.passed[1] : 0;
    $("bar").value = Math.min(1, (done + part) / all);
    if (said.runs || said.passed) $("doing").textContent = all > 1 || done ? `Run ${Math.min(done + 1, all)} of ${all}` : "Reading the workload";
  };
  try {
    const answer = await runs.ask({ call: "compare", ...question }, { file, told });
    const seconds = (performance.now() - began) / 1000;
    show(answer, seconds, rows);
  } catch (error) {
    if (error.message !== "cancelled") fail($("error"), error);
    else $("answer").replaceChildren(make("div", { className: "card empty" }, make("p", {}, "Cancelled. Nothing was kept.")));
  } finally {
    running = false;
    $("run").disabled = false;
    $("cancel").hidden = $("progress").hidden = true;
  }
};

const show = (answer, seconds, rows) => {
  const cell = ([text, look], index, title) => {
    const [value, ...difference] = index > 1 && title !== "" ? text.split(" ") : [text];
    const made = make(index ? "td" : "th", { className: look, scope: index ? undefined : "row" }, value);
    if (difference.length) made.append(" ", make("small", {}, difference.join(" ")));
    return made;
  };
  const table = make("table", {},
    make("thead", {}, make("tr", {}, ...answer.header.map((title) => make("th", { scope: "col" }, title)))),
    make("tbody", {}, ...answer.rows.map((row) => make("tr", { className: row.some(([, look]) => look === "winner") ? "best" : "" },
      ...row.map((one, index) => { const made = cell(one, index, answer.header[index]); return index ? made : make("td", { className: made.className }, ...made.childNodes); })))));
  const images = answer.charts.map((svg) => make("img", { alt: "Chart of the table above", src: "data:image/svg+xml;charset=utf-8," + encodeURIComponent(svg) }));
  const save = (name, format, type) => make("button", { type: "button", onclick: async (event) => {
    const button = event.currentTarget;
    button.disabled = true;
    try {
      const text = await runs.ask({ call: "saved", as_file: format });
      const link = make("a", { href: URL.createObjectURL(new Blob([text], { type })), download: "ssdlab." + format });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    } catch (error) {
      fail($("error"), error);
    }
    button.disabled = false;
  } }, name);
  const cards = [
    make("div", { className: "card" }, make("p", { className: "sentence", id: "sentence" }, answer.sentence),
      make("p", { className: "hint" }, `${answer.device}. ${count(rows)} runs in ${seconds.toFixed(1)} s.`)),
    ...(answer.warnings.length ? [make("div", { className: "card" }, make("h3", {}, "To know"), make("ul", { className: "warnings" }, ...answer.warnings.map((text) => make("li", {}, text))))] : []),
    make("div", { className: "card" }, make("div", { className: "scroll", tabIndex: 0 }, table),
      make("p", { className: "hint" }, "Small figures are differences from the baseline at the same size. Bounds do not compete."),
      make("div", { className: "go" }, save("CSV", "csv", "text/csv"), save("JSON", "json", "application/json"))),
    ...(images.length ? [make("div", { className: "card charts" }, ...images)] : []),
    ...(answer.helps.length ? [make("div", { className: "card" }, make("h3", {}, "What would help"), linesList(answer.helps))] : []),
    make("div", { className: "card" }, linesList([...answer.how, ...answer.trace.filter(([label]) => !answer.how.some(([known]) => known === label))])),
  ];
  $("answer").replaceChildren(...cards);
};

const take = (file) => {
  if (!file) return;
  dropped = file;
  $("file-name").textContent = `${file.name}, ${count(file.size)} bytes`;
  for (const radio of form.elements.source) radio.checked = radio.value === "file";
  changed();
};

const prepareTry = () => {
  const options = (select, pairs) => select.append(...pairs.map(([value, text]) => make("option", { value }, text)));
  options(form.elements.sample, SAMPLES.map((sample) => [sample.name, sample.title]));
  options(form.elements.kind, catalogue.workloads.map(([name]) => [name, name]));
  form.elements.kind.value = "zipf";
  form.elements.kind.querySelector("[value=zipf]").defaultSelected = true;
  options(form.elements.preset, [["", "none"], ...catalogue.presets.map((preset) => [preset.name, preset.name])]);
  options(form.elements.by, catalogue.figures.filter((figure) => figure.ranks).map((figure) => [figure.name, figure.title]));
  chips($("buffers"), catalogue.buffers.filter((one) => !["unbounded", "clairvoyant"].includes(one.name)), "buffer");
  chips($("ftls"), catalogue.ftls.filter((one) => one.name !== "ideal"), "ftl");
  $("keys").append(...catalogue.keys.map((key) => make("option", { value: key.path }, key.about)));
  form.addEventListener("input", (event) => {
    if (event.target.id !== "key" && event.target.type !== "file") changed();
  });
  form.elements.file.addEventListener("change", (event) => take(event.target.files[0]));
  $("key").addEventListener("input", () => {
    const key = catalogue.keys.find((key) => key.path === $("key").value.trim());
    $("about-key").textContent = key ? `${key.about}; ${key.legal}${key.default ? `; default ${key.default}` : ""}` : "";
  });
  $("key").addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    const key = catalogue.keys.find((key) => key.path === $("key").value.trim());
    if (!key) return;
    const area = form.elements.set;
    area.value = [...linesOf(area.value), `${key.path}=${(key.default ?? "").replaceAll('"', "")}`].join("\n");
    $("key").value = "";
    area.focus();
    changed();
  });
  form.addEventListener("submit", (event) => { event.preventDefault(); run(); });
  $("cancel").addEventListener("click", () => runs.stop());
  $("link").addEventListener("click", (event) => {
    keep(address("try", settings(true)));
    copied(location.href, event.currentTarget);
  });
  for (const button of document.querySelectorAll("[data-copy]")) {
    button.addEventListener("click", () => copied($(button.dataset.copy).textContent, button));
  }
};

// a file dropped anywhere goes to the part that is open
let hovers = 0;
addEventListener("dragenter", (event) => { event.preventDefault(); hovers += 1; $("drop").classList.add("over"); });
addEventListener("dragleave", () => { hovers -= 1; if (hovers <= 0) $("drop").classList.remove("over"); });
addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", async (event) => {
  event.preventDefault();
  hovers = 0;
  $("drop").classList.remove("over");
  const file = event.dataTransfer?.files[0];
  if (!file || !catalogue) return;
  if (parsed()[0] === "life") {
    $("life-asked").elements.log.value = await file.text();
    life();
  } else {
    if (parsed()[0] !== "try") location.hash = "#try";
    take(file);
  }
});

// ---- See

let walk, at = 0, timer;
const EXPLAINED = ["buffer.policy", "ftl.kind", "ftl.cleaning"];

const explain = (set) => {
  const value = (path) => set.map((line) => line.split("=").map((part) => part.trim())).filter(([key]) => key === path).at(-1)?.[1];
  const families = { "buffer.policy": catalogue.buffers, "ftl.kind": catalogue.ftls, "ftl.cleaning": catalogue.cleanings };
  const cards = EXPLAINED.flatMap((path) => {
    const name = (value(path) ?? (path === "ftl.cleaning" && value("ftl.kind") === "page" ? "greedy" : "")).replaceAll('"', "");
    const entry = families[path].find((one) => one.name === name);
    if (!entry || name === "none") return [];
    // words between backticks are code
    const marked = (text) => text.split("`").map((part, index) => (index % 2 ? make("code", {}, part) : part));
    return [make("h3", {}, `${entry.name}: ${entry.rule}`), make("ol", {}, ...entry.lines.map((line) => make("li", {}, ...marked(line)))),
      ...(entry.wins ? [make("p", {}, make("b", {}, "Does well: "), ...marked(entry.wins))] : []), ...(entry.loses ? [make("p", {}, make("b", {}, "Does badly: "), ...marked(entry.loses))] : []),
      make("p", { className: "hint" }, entry.source)];
  });
  $("explained").replaceChildren(...(cards.length ? cards : [make("p", { className: "hint" }, "No write buffer stands before the FTL.")]));
};

const see = async (query) => {
  $("see-error").hidden = true;
  stopPlay();
  const own = query.has("pages");
  const question = own
    ? { call: "see", set: linesOf(query.get("set") ?? ""), pages: query.get("pages") }
    : { call: "see", example: query.get("example") ?? "table-1-lru" };
  try {
    walk = await lab.ask(question);
  } catch (error) {
    return fail($("see-error"), error);
  }
  const select = $("example");
  if (!select.options.length) {
    select.append(...walk.examples.map((example) => make("option", { value: example.name }, example.title)), make("option", { value: "" }, "your own"));
  }
  const example = walk.about;
  select.value = own ? "" : example.name;
  $("about-example").textContent = own ? "" : example.about;
  $("pages").value = own ? question.pages : example.pages;
  $("see-set").value = (own ? question.set : example.set).join("\n");
  if (own) $("own").open = true;
  $("see-device").textContent = walk.device;
  explain(own ? question.set : example.set);
  $("at").max = walk.frames.length - 1;
  await go(Number(query.get("at") ?? 0));
};

let drawing = 0;
const go = async (to) => {
  if (!walk) return;
  at = Math.max(0, Math.min(walk.frames.length - 1, Math.round(to) || 0));
  $("at").value = at;
  const { step, says } = walk.frames[at];
  const view = walk.steps[step];
  const last = (walk.steps[step + 1]?.first ?? walk.frames.length) - view.first;
  $("where").textContent = (view.number ? `request ${view.number}` : "the end") + (last > 1 ? `, ${at - view.first + 1}/${last}` : "");
  const lines = view.rows.map((row, index) => make("p", { className: index ? row[0]?.[1] ?? "" : "head" }, row.map(([text]) => text).join("").trim()));
  if (says) lines.push(make("p", { className: "now" }, "Shown: " + says));
  $("told").replaceChildren(...lines);
  $("back").disabled = $("first").disabled = at === 0;
  $("next").disabled = $("request").disabled = at === walk.frames.length - 1;
  const query = $("example").value
    ? [["example", $("example").value]]
    : [["pages", $("pages").value.trim()], ["set", $("see-set").value.trim()]];
  if (parsed()[0] === "see") keep(address("see", [...query, ["at", at || ""]]));
  const turn = ++drawing;
  const width = Math.max(260, $("drawn").clientWidth || 700);
  const svg = await lab.ask({ call: "draw", step: at, width });
  if (turn === drawing) $("drawn").innerHTML = svg;
};
const nextRequest = () => walk?.steps[walk.frames[at].step + 1]?.first ?? at;
const stopPlay = () => { clearInterval(timer); timer = undefined; $("play").textContent = "Play"; };

const prepareSee = () => {
  $("first").onclick = () => go(0);
  $("back").onclick = () => go(at - 1);
  $("next").onclick = () => go(at + 1);
  $("request").onclick = () => go(nextRequest());
  $("at").oninput = () => go(Number($("at").value));
  $("play").onclick = () => {
    if (timer) return stopPlay();
    $("play").textContent = "Pause";
    timer = setInterval(() => (at < walk.frames.length - 1 ? go(at + 1) : stopPlay()), 900);
  };
  $("example").onchange = () => see(new URLSearchParams($("example").value ? { example: $("example").value } : { pages: $("pages").value, set: $("see-set").value }));
  $("see-asked").onsubmit = (event) => {
    event.preventDefault();
    see(new URLSearchParams({ pages: $("pages").value, set: $("see-set").value }));
  };
  addEventListener("keydown", (event) => {
    if (parsed()[0] !== "see" || event.target.matches("input:not([type=range]), textarea, select")) return;
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: Infinity, PageDown: nextRequest() }[event.key];
    if (to === undefined || !walk) return;
    event.preventDefault();
    go(Math.min(to, walk.frames.length - 1));
  });
  let resized;
  addEventListener("resize", () => { clearTimeout(resized); resized = setTimeout(() => parsed()[0] === "see" && go(at), 150); });
};

// ---- How long will my SSD live?

const LIFE = ["drive", "capacity", "written", "used", "rate", "since", "kind", "use"];
const life = async () => {
  const fields = $("life-asked").elements;
  $("life-error").hidden = true;
  const question = { call: "life", now: Math.floor(Date.now() / 1000) };
  for (const name of LIFE) question[name] = fields[name].value;
  keep(address("life", LIFE.map((name) => [name, fields[name].value.trim()])));
  try {
    const found = await lab.ask(question, { file: new TextEncoder().encode(fields.log.value).buffer });
    const [first, ...rest] = found.text.trim().split("\n");
    const lines = [];
    for (const line of rest) {
      const [, label, text] = line.match(/^\s*(?:([a-z]+):)?\s+(.*)$/) ?? [, , line];
      if (label || !lines.length) lines.push([label ?? "", text]);
      else lines.at(-1)[1] += "\n" + text;
    }
    $("life-answer").replaceChildren(make("p", { className: "sentence" }, first), linesList(lines));
  } catch (error) {
    fail($("life-error"), error);
  }
};
const prepareLife = () => {
  $("life-asked").onsubmit = (event) => { event.preventDefault(); life(); };
  $("life-link").onclick = (event) => {
    keep(address("life", LIFE.map((name) => [name, $("life-asked").elements[name].value.trim()])));
    copied(location.href, event.currentTarget);
  };
};

// ---- the parts

const shown = {};
const open = async () => {
  const [part, query] = parsed();
  for (const section of document.querySelectorAll("[data-is]")) section.hidden = section.dataset.is !== part;
  for (const link of document.querySelectorAll("nav a")) {
    if (link.dataset.part === part) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  if (!catalogue) return;
  const known = shown[part] === location.hash;
  shown[part] = location.hash;
  if (part === "try" && !known) {
    restore(query);
    await changed();
    if (query.has("run")) run();
  } else if (part === "see") {
    await see(query);
  } else if (part === "life") {
    for (const name of LIFE) if (query.has(name)) $("life-asked").elements[name].value = query.get(name);
    if ([...query.keys()].length) await life();
  }
};
addEventListener("hashchange", open);

(async () => {
  open();
  try {
    catalogue = await lab.ask({ call: "catalogue" });
  } catch (error) {
    document.body.dataset.state = "failed";
    return fail($("error"), new Error(`The simulator did not start: ${error.message}`));
  }
  $("version").textContent = catalogue.version;
  prepareTry();
  prepareSee();
  prepareLife();
  await open();
  document.body.dataset.state = "ready";
})();
