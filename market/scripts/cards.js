"use strict";
(() => {
  const items = [/* ITEMS */];
  const names = {/* NAMES */};
  const root = document.getElementById(names.root);
  const one = (item) => `<div class="${names.item}"><h3>${item.title}</h3>${(item.lines || [])
    .map((line) => `<p>${line}</p>`)
    .join("")}<div class="${names.price}">${item.price}</div>${
    item.badge ? `<span class="${names.badge || "badge"}">${item.badge}</span>` : ""
  }</div>`;
  root.innerHTML = '<div class="loading">加载中…</div>';
  setTimeout(() => {
    root.innerHTML = `<h2>${names.heading}</h2><div class="${names.list}">${items.map(one).join("")}</div>`;
  }, 100);
})();
