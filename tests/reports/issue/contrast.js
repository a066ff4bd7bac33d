// The lowest contrast of any visible text of the page with its ground, and whose it is.
() => {
  const rgb = (text) => text.match(/[\d.]+/g).map(Number);
  const part = (v) => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
  const light = (c) => 0.2126 * part(c[0]) + 0.7152 * part(c[1]) + 0.0722 * part(c[2]);
  const ground = (e) => {
    for (; e; e = e.parentElement) {
      const c = rgb(getComputedStyle(e).backgroundColor);
      if (c.length === 3 || c[3] > 0) return c;
    }
    return [255, 255, 255];
  };
  let worst = [99, ""];
  for (const e of document.querySelectorAll("body *")) {
    if (!e.offsetParent || e.disabled || e.closest(".disabled, .dt-column-order, canvas, .skip")) continue;
    if (![...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim())) continue;
    const a = light(rgb(getComputedStyle(e).color));
    const b = light(ground(e));
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < worst[0]) worst = [ratio, e.textContent.trim().slice(0, 40), getComputedStyle(e).color];
  }
  return worst;
}
