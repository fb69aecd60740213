// <input type=checkbox data-select-all="NAME">: checks or clears every box of that name in its form.
for (const all of document.querySelectorAll("[data-select-all]")) {
  const boxes = () => [...all.form.elements].filter((one) => one.name === all.dataset.selectAll);
  all.hidden = false;
  all.addEventListener("change", () => boxes().forEach((one) => (one.checked = all.checked)));
  all.form.addEventListener("change", () => {
    const checked = boxes().filter((one) => one.checked).length;
    all.checked = checked > 0 && checked === boxes().length;
    all.indeterminate = checked > 0 && !all.checked;
  });
}
