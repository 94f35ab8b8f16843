// The data of a page, and its elements.
const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);

function made(name, properties, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

function markOf(slot) {
  const mark = made("b", {}, glyph(slot));
  mark.style.setProperty("--colour", `var(--${slot})`);
  return mark;
}

function partLegend(id, parts) {
  for (const [part, name] of parts) {
    const swatch = made("i", { className: "swatch" });
    swatch.style.setProperty("--colour", `var(--part-${part})`);
    byId(id).append(made("span", {}, swatch, name));
  }
}
