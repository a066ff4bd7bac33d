var $ = { parseJSON: JSON.parse };
function getPrice(goods, service, period) {
  var names = { 1: "元/月", 3: "元/季", 6: "元/半年", 12: "元/年", 24: "元/2年" };
  if (goods.pricedes) return "<span>" + goods.pricedes + "</span>";
  var prices = goods.cprice.split(","), cycles = goods.cycle.split(","), out = [];
  for (var i = 0; i < prices.length; i++) {
    if (prices[i] === "0") continue;
    out.push("<span>" + prices[i] + "</span>" + names[cycles[i]]);
  }
  return out.join("<br>");
}
