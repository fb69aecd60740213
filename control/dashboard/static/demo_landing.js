// Loads the conversion pixel as a thank-you page would.
for (const button of document.querySelectorAll("[data-pixel]")) {
  const status = document.getElementById("reported");
  button.hidden = false;
  button.addEventListener("click", () => {
    const pixel = new Image(1, 1);
    pixel.addEventListener("load", () => (status.textContent = "Reported. The conversion appears in the demo's events within a second."));
    pixel.addEventListener("error", () => (status.textContent = "The edge did not answer. Try again."));
    pixel.src = button.dataset.pixel;
  });
}
