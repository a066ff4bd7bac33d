"use strict";
(() => {
  const hosts = [
    { room: "北京B区", no: 876, card: "RTX 4090D", gb: 24, idle: 1, total: 8, hour: 1.98, member: 1.88, day: 42, badge: "长租特惠" },
    { room: "北京B区", no: 286, card: "RTX 4090", gb: 24, idle: 3, total: 8, hour: 2.29, member: 2.18, day: 49, badge: "" },
    { room: "重庆A区", no: 63, card: "RTX 5090", gb: 32, idle: 0, total: 8, hour: 2.93, member: 2.78, day: 62, badge: "" },
  ];
  const root = document.getElementById("market");
  let tab = "hour";
  const card = (h) => `<div class="host-card"><p class="where">${h.room} / ${h.no}机</p><p class="name">${h.card} / ${h.gb} GB</p>
    <p class="stock">空闲/总量 ${h.idle} / ${h.total}</p><p class="price"><span>¥</span><span>${h[tab]}</span><span>${
    tab === "hour" ? "/时" : "/天"
  }</span></p><p class="member">${tab === "hour" ? `会员最低享9.5折 ¥${h.member}/时` : ""}</p>
    <button>${h.idle ? h.idle + "卡可租" : "已租完"}</button><i>${h.badge}</i></div>`;
  const draw = () => {
    root.innerHTML = `<div class="tabs"><span data-tab="hour">按量计费</span><span data-tab="day">包日</span></div>${hosts
      .map(card)
      .join("")}`;
    root.querySelectorAll("[data-tab]").forEach((t) =>
      t.addEventListener("click", () => {
        tab = t.dataset.tab;
        draw();
      }),
    );
  };
  root.innerHTML = '<div class="host-card"><p class="price">￥-.--/时</p></div>';
  setTimeout(draw, 100);
})();
