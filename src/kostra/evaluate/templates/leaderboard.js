// Sorts a table by the heading that was pressed: numbers from the highest, names from A; once more turns it round.
// Rows without a number stay at the end. The rows about people are a body of their own and are sorted by themselves.
document.documentElement.classList.add("scripted");
for (const table of document.querySelectorAll("table.sortable")) {
  const headings = [...table.tHead.rows[0].cells];
  const key = (row, column) => {
    const cell = row.cells[column];
    return column === 0 ? cell.textContent.trim() : cell.dataset.value === undefined ? null : Number(cell.dataset.value);
  };
  headings.forEach((heading, column) => {
    heading.querySelector("button").addEventListener("click", () => {
      const before = heading.getAttribute("aria-sort");
      const first = column === 0 ? "ascending" : "descending";
      const other = column === 0 ? "descending" : "ascending";
      const now = before === first ? other : first;
      headings.forEach((one) => one.removeAttribute("aria-sort"));
      heading.setAttribute("aria-sort", now);
      const turn = now === "ascending" ? 1 : -1;
      for (const body of table.tBodies) {
        const rows = [...body.rows].sort((one, two) => {
          const [a, b] = [key(one, column), key(two, column)];
          if (a === null || b === null) return (a === null) - (b === null);
          return turn * (typeof a === "string" ? a.localeCompare(b) : a - b);
        });
        body.append(...rows);
      }
    });
  });
}
