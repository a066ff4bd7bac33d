"use strict";
(() => {
  const gpuPriceList = [/* PRICES */];
  const root = document.getElementById("app");
  let tab = "member";
  // Thousandths of a yuan, shown half-up with two decimals.
  const yuan = (milli) => (Math.floor(Math.round(milli) / 10 + 0.5) / 100).toFixed(2);

  function shown(gpu) {
    if (tab === "normal") return gpu.originalPrice === null ? "-.--" : yuan(gpu.originalPrice * 1000);
    if (gpu.memberPrice !== null) return yuan(gpu.memberPrice * 1000);
    return yuan(Math.floor((Math.round(gpu.originalPrice * 1000) * gpu.discount) / 100));
  }

  function card(gpu) {
    const perf = [gpu.single && `单精 ${gpu.single} TFLOPS`, gpu.half && `半精 ${gpu.half} Tensor TFLOPS`];
    const badge = tab === "member" ? `<span class="badge">会员${gpu.discount}折</span>` : "";
    return `<div class="gpu-card"><div class="gpu-title">${gpu.gpuName} / ${gpu.memory}</div>
      <div class="gpu-perf">${perf.filter(Boolean).join(" / ")}</div>
      <div class="gpu-price">￥${shown(gpu)} <span>/时</span></div>${badge}</div>`;
  }

  function tabs() {
    const one = (name, text) =>
      `<span class="tab${tab === name ? " active" : ""}" data-tab="${name}">${text}</span>`;
    return `<div class="tabs">${one("member", "炼丹会员")}${one("normal", "普通用户")}</div>`;
  }

  function ranking() {
    const rows = gpuPriceList.filter((gpu) => gpu.half).sort((a, b) => b.half - a.half);
    return `<section class="rank"><h2>GPU算力排名</h2><table>
      <thead><tr><th>排名</th><th>GPU</th><th>半精算力</th></tr></thead><tbody>${rows
        .map((gpu, i) => `<tr><td>${i + 1}</td><td>${gpu.gpuName}</td><td>${gpu.half}</td></tr>`)
        .join("")}</tbody></table></section>`;
  }

  function draw() {
    root.innerHTML = `<section class="member-price"><h2>炼丹会员及租用价格</h2>${tabs()}
      <div class="gpu-list">${gpuPriceList.map(card).join("")}</div></section>${ranking()}`;
    root.querySelectorAll(".tab").forEach((element) =>
      element.addEventListener("click", () => {
        tab = element.dataset.tab;
        draw();
      }),
    );
  }

  root.innerHTML = `<section class="member-price"><h2>炼丹会员及租用价格</h2><div class="gpu-list">
    <div class="gpu-card"><div class="gpu-price">￥-.-- <span>/时</span></div></div></div></section>`;
  setTimeout(draw, 120);
})();
