"use strict";
(() => {
  const hashrate = [/* ITEMS */];
  const root = document.getElementById("root");
  // Some cells print the number alone: the unit stands in the heading.
  const price = (row, i) => (i % 3 === 2 ? row.price : `<b>${row.price}</b> 元/时`);
  const line = (row, i) =>
    `<tr><td>${row.name}</td><td>${row.memory}</td><td>${row.stock}</td><td class="price">${price(row, i)}</td></tr>`;
  root.innerHTML = '<div class="ant-spin">加载中</div>';
  setTimeout(() => {
    root.innerHTML = `<h1>算力市场</h1><table class="hashrate-table"><thead><tr><th>显卡</th><th>显存</th><th>库存</th>
      <th>价格（元/时）</th></tr></thead><tbody>${hashrate.map(line).join("")}</tbody></table>`;
  }, 100);
})();
