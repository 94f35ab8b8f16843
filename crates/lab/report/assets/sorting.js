// Sorts the table by the clicked column, first with the best on top; rows without a value stay last.
(() => {
  "use strict";
  const table = document.getElementById("rows");
  const heads = [...table.tHead.rows[0].cells];
  const key = (row, column) => row.cells[column].dataset.value;

  function compare(a, b, direction) {
    if (a === "" || b === "") return (a === "") - (b === "");
    const order = isNaN(a) || isNaN(b) ? a.localeCompare(b) : a - b;
    return direction * order;
  }

  function sort(column) {
    const head = heads[column];
    const best = head.dataset.best === "most" ? "descending" : "ascending";
    const worst = best === "ascending" ? "descending" : "ascending";
    const order = head.ariaSort === best ? worst : best;
    const body = table.tBodies[0];
    const rows = [...body.rows].sort((a, b) =>
      compare(key(a, column), key(b, column), order === "ascending" ? 1 : -1));
    body.append(...rows);
    heads.forEach((other) => { other.ariaSort = "none"; });
    head.ariaSort = order;
  }

  heads.forEach((head, column) => {
    head.firstElementChild.addEventListener("click", () => sort(column));
  });
})();
