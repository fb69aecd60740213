// <input type=checkbox data-select-all="NAME">: checks or clears every box of that name in its form. The form's buttons
// are disabled while no box is checked.
for (const all of document.querySelectorAll("[data-select-all]")) {
  const boxes = () => [...all.form.elements].filter((one) => one.name === all.dataset.selectAll);
  const allow = () => {
    const isNone = !boxes().some((one) => one.checked);
    for (const one of all.form.querySelectorAll("button[name=act]")) one.disabled = isNone;
    for (const one of all.form.querySelectorAll("details.confirm")) {
      one.querySelector("summary").inert = isNone;
      if (isNone) one.open = false;
    }
  };
  all.hidden = false;
  allow();
  all.addEventListener("change", () => boxes().forEach((one) => (one.checked = all.checked)));
  all.form.addEventListener("change", () => {
    const checked = boxes().filter((one) => one.checked).length;
    all.checked = checked > 0 && checked === boxes().length;
    all.indeterminate = checked > 0 && !all.checked;
    allow();
  });
}
