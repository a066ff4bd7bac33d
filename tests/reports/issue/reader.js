// What a screen reader would stumble over.
() => {
  const bad = [];
  const every = (selector, good, words) => {
    for (const e of document.querySelectorAll(selector)) if (!good(e)) bad.push(words + " " + e.outerHTML.slice(0, 80));
  };
  if (!/^(zh-CN|en)$/.test(document.documentElement.lang)) bad.push("lang");
  if (document.querySelectorAll("h1").length !== 1) bad.push("h1");
  if (!document.querySelector("nav[aria-label] [aria-current=page]")) bad.push("aria-current");
  every("select, input", (e) => e.labels && e.labels.length, "no label");
  every("img", (e) => e.alt, "no alt");
  every("a, button", (e) => e.textContent.trim() || e.ariaLabel, "no name");
  every("thead th", (e) => e.scope || e.closest(".u-legend"), "no scope");
  every("[role=img]", (e) => e.closest("[hidden]") || e.ariaLabel, "no aria-label");
  return bad;
}
