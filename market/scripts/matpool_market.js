"use strict";
(async () => {
  const root = document.getElementById("__next");
  const rows = [];
  for (let page = 1, pages = 1; page <= pages; page++) {
    const answer = await fetch(`/api/machine_pools?machine_category=0&page=${page}&per_page=100`);
    const data = await answer.json();
    rows.push(...data.pools);
    pages = data.pagination.num_pages;
  }
  const card = (pool) => {
    const hardware = pool.machine.hardware;
    const price = (hardware.discountPriceMillicent ?? hardware.priceMillicent) / 100000;
    return `<div class="market-card"><h3>${pool.gpu_model}</h3>
      <span class="region">${pool.domain === 0 ? "1区" : pool.domain + "区"}</span>
      <span class="units">剩余 ${pool.max_available_units} 份</span>
      <span class="price">¥${price.toFixed(2)}/小时</span></div>`;
  };
  root.innerHTML = rows.map(card).join("");
})();
