// Loads the conversion pixel as a thank-you page would.
for (const button of document.querySelectorAll("[data-pixel]")) {
  const status = document.getElementById("reported");
  button.hidden = false;
  button.addEventListener("click", () => {
    const pixel = new Image(1, 1);
    pixel.addEventListener("load", () => (status.textContent = button.dataset.reported));
    pixel.addEventListener("error", () => (status.textContent = button.dataset.failed));
    pixel.src = button.dataset.pixel;
  });
}
