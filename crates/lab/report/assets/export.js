// Export of pictures and tables.
const PICTURE_WIDTH = 960;

// Quotes text with commas, quotes or line breaks, as RFC 4180 demands.
const csvField = (value) => {
  const text = String(value ?? "");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
const csvOf = (rows) => rows.map((row) => `${row.map(csvField).join(",")}\r\n`).join("");
const tabbed = (rows) => rows.map((row) => row.map((value) => String(value ?? "")).join("\t")).join("\n");

// The picture with its title and legend, drawn again.
function svgOf(picture) {
  const about = { title: picture.title(), below: [data.name + data.interrupted, picture.below()].filter(Boolean).join(", "), parts: picture.parts };
  const height = (picture.height() ?? 430) + 110;
  const chart = echarts.init(null, null, { renderer: "svg", ssr: true, width: PICTURE_WIDTH, height });
  const option = picture.option({ narrow: false, picture: about });
  chart.setOption(option);
  spreadLabels(chart, option);
  const svg = chart.renderToSVGString();
  chart.dispose();
  return { svg, height };
}

async function pngOf(picture) {
  const { svg, height } = svgOf(picture);
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = made("canvas", { width: 2 * PICTURE_WIDTH, height: 2 * height });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => { canvas.toBlob(resolve, "image/png"); });
}

// The cells of a table as numbers, in the order of the screen.
const cellsOf = (table) => [...table.rows].map((row) =>
  [...row.cells].map((cell) => cell.dataset.value ?? headingOf(cell)));

function headingOf(cell) {
  const unit = cell.querySelector("small")?.textContent;
  const text = cell.querySelector("button")?.firstChild.textContent ?? cell.textContent;
  return unit ? `${text} (${unit})` : text;
}

function download(name, type, text) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  made("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

const fileName = (title, end) =>
  `${data.name.replace(/\.(zst|gz)$/, "")}-${title}`.replace(/[^\w.-]+/g, "-").toLowerCase() + end;

function say(text) {
  byId("said").textContent = text;
  setTimeout(() => { byId("said").textContent = ""; }, 2500);
}

const copy = (item) => navigator.clipboard.write([new ClipboardItem(item)])
  .then(() => say("Copied"), () => say("This browser does not let the page copy"));

function tools(place, title, actions) {
  const buttons = Object.entries(actions).map(([name, act]) => {
    const button = made("button", { type: "button", title: `${name}: ${title()}` }, name);
    button.ariaLabel = `${name}: ${title()}`;
    button.addEventListener("click", act);
    return button;
  });
  place.append(made("span", { className: "tools" }, ...buttons));
}

function pictureTools(place, picture) {
  tools(place, picture.title, {
    Copy: () => copy({ "image/png": pngOf(picture) }),
    SVG: () => download(fileName(picture.title(), ".svg"), "image/svg+xml", svgOf(picture).svg),
    CSV: () => download(fileName(picture.title(), ".csv"), "text/csv", csvOf(picture.table())),
  });
}

function tableTools(place, table, title) {
  const text = () => new Blob([tabbed(cellsOf(table))], { type: "text/plain" });
  tools(place, () => title, {
    Copy: () => copy({ "text/plain": text() }),
    CSV: () => download(fileName(title, ".csv"), "text/csv", csvOf(cellsOf(table))),
  });
}
