"use strict";
(() => {
  const root = document.getElementById("root");
  const state = { page: 1 };
  const price = (item) =>
    item.hour_price === null ? "暂无价格" : `<b>${(item.hour_price / item.gpu_num).toFixed(2)}</b> 元/时`;
  const stock = (item) =>
    item.status === "offline" ? "已下线" : item.gpu_idle === 0 ? "已售罄" : `可租 ${item.gpu_idle}/${item.gpu_total}`;
  const card = (item) =>
    `<div class="compute-card"><h3>${item.name}</h3><p>${item.gpu_model} × ${item.gpu_num}</p>
     <span class="stock">${stock(item)}</span><span class="price">${price(item)}</span></div>`;
  async function draw() {
    const answer = await fetch(`/api/base/market/products?page=${state.page}`);
    const data = await answer.json();
    const pages = Math.ceil(data.total / data.size);
    root.innerHTML = `<h1>算力市场</h1><div class="compute-list">${data.items.map(card).join("")}</div>
      <ul class="pagination">${Array.from(
        { length: pages },
        (_, i) => `<li data-page="${i + 1}"${i + 1 === state.page ? ' class="active"' : ""}>${i + 1}</li>`,
      ).join("")}</ul>`;
    root.querySelectorAll("[data-page]").forEach((li) =>
      li.addEventListener("click", () => {
        state.page = Number(li.dataset.page);
        draw();
      }),
    );
  }
  draw();
})();
