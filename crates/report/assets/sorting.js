// Sorts the table by the column whose heading is clicked; rows without a value stay last.
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
    const ascending = heads[column].ariaSort !== "ascending";
    const body = table.tBodies[0];
    const rows = [...body.rows].sort((a, b) =>
      compare(key(a, column), key(b, column), ascending ? 1 : -1));
    body.append(...rows);
    heads.forEach((head) => { head.ariaSort = "none"; });
    heads[column].ariaSort = ascending ? "ascending" : "descending";
  }

  heads.forEach((head, column) => {
    head.firstElementChild.addEventListener("click", () => sort(column));
  });
})();
