// Shows the figures of one paper, of one verdict, or both. Without this script all are shown.
"use strict";

const wanted = { paper: "", verdict: "" };
const buttons = [...document.querySelectorAll("#filter button")];
const rows = [...document.querySelectorAll("[data-paper]")];
const fits = (row, by) => !wanted[by] || row.dataset[by] === undefined || row.dataset[by] === wanted[by];

function show() {
  for (const row of rows) row.hidden = !(fits(row, "paper") && fits(row, "verdict"));
  for (const button of buttons) {
    button.setAttribute("aria-pressed", String(wanted[button.dataset.by] === button.dataset.value));
  }
  const tiles = rows.filter((row) => row.matches(".tile"));
  const seen = tiles.filter((tile) => !tile.hidden).length;
  document.getElementById("count").textContent = seen === tiles.length ? "" : `${seen} of ${tiles.length} shown`;
}

for (const button of buttons) {
  button.addEventListener("click", () => {
    wanted[button.dataset.by] = button.dataset.value;
    show();
  });
}
document.getElementById("filter").hidden = false;
show();
