// Sorts, filters and pages the table of all rows. Without it, the first rows are there as markup.
(() => {
  "use strict";
  const data = JSON.parse(document.getElementById("data").textContent);
  const table = document.getElementById("rows");
  const PAGE = 100;
  let page = 0;
  let order = Array.from({ length: data.rows }, (_, row) => row);
  let found = order;
  const filters = data.columns.map(() => null);

  const text = (column, row) => {
    if (column.words) return column.words[column.codes[row]];
    const value = column.numbers[row];
    if (value === null) return "–";
    const digits = { minimumFractionDigits: column.decimals, maximumFractionDigits: column.decimals };
    return Math.abs(value) < 1e15 ? value.toLocaleString("en", digits) : value.toExponential(2);
  };
  const command = (row) => data.commands[row].map((word) => data.words[word]).join(" ");

  function cell(value, name) {
    const td = document.createElement("td");
    td.textContent = value;
    if (name) td.className = name;
    return td;
  }

  function line(row) {
    const tr = document.createElement("tr");
    for (const column of data.columns) tr.append(cell(text(column, row), column.words ? "word" : ""));
    const last = cell("", "command");
    const words = command(row);
    if (words) {
      const details = document.createElement("details");
      const summary = document.createElement("summary");
      const code = document.createElement("code");
      summary.textContent = "show";
      code.textContent = words;
      details.append(summary, code);
      last.append(details);
    }
    tr.append(last);
    return tr;
  }

  function show() {
    const pages = Math.max(1, Math.ceil(found.length / PAGE));
    page = Math.min(page, pages - 1);
    const rows = found.slice(page * PAGE, (page + 1) * PAGE);
    table.tBodies[0].replaceChildren(...rows.map(line));
    const first = rows.length ? page * PAGE + 1 : 0;
    const count = (number) => number.toLocaleString("en");
    document.getElementById("shown").textContent =
      `${count(first)}–${count(page * PAGE + rows.length)} of ${count(found.length)} rows`;
    document.getElementById("back").disabled = page === 0;
    document.getElementById("on").disabled = page >= pages - 1;
  }

  // `>2`, `<=5` and `=3` compare numbers; other texts are parts of cells.
  function filter(column, wanted) {
    const [, sign, number] = wanted.match(/^(<=|>=|<|>|=)\s*(-?[\d.]+(?:e-?\d+)?)$/i) ?? [];
    if (sign && column.numbers) {
      const limit = Number(number);
      const tests = { "<": (v) => v < limit, ">": (v) => v > limit, "<=": (v) => v <= limit, ">=": (v) => v >= limit, "=": (v) => v === limit };
      return (row) => column.numbers[row] !== null && tests[sign](column.numbers[row]);
    }
    const part = wanted.toLowerCase();
    if (!column.words) return (row) => text(column, row).toLowerCase().includes(part);
    const hits = column.words.map((word) => word.toLowerCase().includes(part));
    return (row) => hits[column.codes[row]];
  }

  function choose() {
    const active = filters.filter(Boolean);
    found = order.filter((row) => active.every((test) => test(row)));
    page = 0;
    show();
  }

  function sort(column, head) {
    const first = column.more ? "descending" : "ascending";
    const other = first === "ascending" ? "descending" : "ascending";
    const wanted = head.ariaSort === first ? other : first;
    const sign = wanted === "ascending" ? 1 : -1;
    // words are in their order already, but for those of doubts
    const keys = column.numbers ?? (column.ordered ? column.codes : column.codes.map((code) => column.words[code]));
    order.sort((a, b) => {
      const [x, y] = [keys[a], keys[b]];
      if (x === null || y === null) return (x === null) - (y === null) || a - b;
      return sign * (x < y ? -1 : x > y ? 1 : 0) || a - b;
    });
    for (const each of head.parentElement.cells) each.ariaSort = "none";
    head.ariaSort = wanted;
    choose();
  }

  const heads = table.tHead.rows[0].cells;
  const fields = document.createElement("tr");
  data.columns.forEach((column, place) => {
    heads[place].firstElementChild.addEventListener("click", () => sort(column, heads[place]));
    const th = document.createElement("th");
    const input = document.createElement("input");
    input.type = "search";
    input.setAttribute("aria-label", `Filter ${column.title}`);
    input.addEventListener("input", () => {
      filters[place] = input.value.trim() ? filter(column, input.value.trim()) : null;
      choose();
    });
    th.append(input);
    fields.append(th);
  });
  fields.append(document.createElement("th"));
  table.tHead.append(fields);
  document.getElementById("pages").hidden = false;
  document.getElementById("back").addEventListener("click", () => { page -= 1; show(); });
  document.getElementById("on").addEventListener("click", () => { page += 1; show(); });
  show();
})();
