"use strict";
// Ten rows are drawn; the next ten come when the table's body is scrolled to its end, after a loading mask.
(() => {
  const hosts = [
    ["北京B区", 100, "RTX 3080 Ti / 12 GB", "0 / 8", "0.98", "1.03"],
    ["北京B区", 137, "RTX 4090 / 24 GB", "5 / 8", "2.18", "2.29"],
    ["北京B区", 174, "RTX 4090 D / 24 GB", "1 / 8", "1.88", "1.98"],
    ["北京B区", 211, "RTX 5090 / 32 GB", "6 / 8", "2.78", "2.93"],
    ["北京B区", 248, "RTX PRO 6000 / 96 GB", "2 / 8", "5.98", "7.97"],
    ["北京B区", 285, "vGPU-48GB / 48 GB", "7 / 8", "2.68", "2.82"],
    ["西北B区", 322, "RTX 3080 Ti / 12 GB", "3 / 8", "0.98", "1.03"],
    ["西北B区", 359, "RTX 4090 / 24 GB", "8 / 8", "2.18", "2.29"],
    ["西北B区", 396, "RTX 4090 D / 24 GB", "4 / 8", "1.88", "1.98"],
    ["西北B区", 433, "RTX 5090 / 32 GB", "0 / 8", "2.78", "2.93"],
    ["西北B区", 470, "RTX PRO 6000 / 96 GB", "5 / 8", "5.98", "7.97"],
    ["西北B区", 507, "vGPU-48GB / 48 GB", "1 / 8", "2.68", "2.82"],
    ["重庆A区", 544, "RTX 3080 Ti / 12 GB", "6 / 8", "0.98", "1.03"],
    ["重庆A区", 581, "RTX 4090 / 24 GB", "2 / 8", "2.18", "2.29"],
    ["重庆A区", 618, "RTX 4090 D / 24 GB", "7 / 8", "1.88", "1.98"],
    ["重庆A区", 655, "RTX 5090 / 32 GB", "3 / 8", "2.78", "2.93"],
    ["重庆A区", 692, "RTX PRO 6000 / 96 GB", "8 / 8", "5.98", "7.97"],
    ["重庆A区", 729, "vGPU-48GB / 48 GB", "4 / 8", "2.68", "2.82"],
    ["内蒙B区", 766, "RTX 3080 Ti / 12 GB", "0 / 8", "0.98", "1.03"],
    ["内蒙B区", 803, "RTX 4090 / 24 GB", "5 / 8", "2.18", "2.29"],
    ["内蒙B区", 840, "RTX 4090 D / 24 GB", "1 / 8", "1.88", "1.98"],
    ["内蒙B区", 877, "RTX 5090 / 32 GB", "6 / 8", "2.78", "2.93"],
    ["内蒙B区", 914, "RTX PRO 6000 / 96 GB", "2 / 8", "5.98", "7.97"],
  ];
  const body = document.querySelector(".el-table__body-wrapper");
  const rows = document.querySelector("tbody");
  let shown = 0;
  let loading = false;
  const row = ([room, no, card, stock, now, old]) => `<tr><td>${room} / ${no}机</td><td>${card}</td><td>${stock}</td>
    <td>CPU: 16 核 内存: 62 GB</td><td>550.54 / ≤ 12.4</td><td class="price-slot"><div class="price"><span>￥${now}</span>/时 <br>
    <span style="text-decoration: line-through">￥${old}/时</span></div></td></tr>`;
  const more = () => {
    rows.insertAdjacentHTML("beforeend", hosts.slice(shown, shown + 10).map(row).join(""));
    shown += 10;
  };
  setTimeout(more, 100);
  body.addEventListener("scroll", () => {
    if (loading || shown >= hosts.length || body.scrollTop + body.clientHeight < body.scrollHeight - 2) return;
    loading = true;
    body.insertAdjacentHTML("beforeend", '<div class="el-loading-mask">加载中</div>');
    setTimeout(() => {
      body.querySelector(".el-loading-mask").remove();
      more();
      loading = false;
    }, 400);
  });
})();
