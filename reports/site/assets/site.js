/* Filters, tables and charts of the site. Data and words come from the page: nothing is fetched. */
(function () {
  "use strict";
  var S = window.SUANJIA || {};
  var root = document.documentElement;
  var L = root.lang === "en" ? 1 : 0;
  var words = JSON.parse(document.getElementById("words").textContent);

  function text(key, filling) {
    return words[key].replace(/\{(\w+)\}/g, function (_, name) { return filling[name]; });
  }
  function escape(value) {
    return String(value).replace(/[&<>"']/g, function (c) { return "&#" + c.charCodeAt(0) + ";"; });
  }
  function thousands(digits) { return digits.replace(/\B(?=(\d{3})+$)/g, ","); }
  /* A whole number of hundredths or tenths as it is printed in the issue: no float ever holds it. */
  function fixed(whole, places) {
    var sign = whole < 0 ? "-" : "", digits = String(Math.abs(whole)).padStart(places + 1, "0");
    var cut = digits.length - places;
    return sign + thousands(digits.slice(0, cut)) + (places ? "." + digits.slice(cut) : "");
  }
  function language() {
    return {
      search: words["table.search"], emptyTable: words["table.empty"], zeroRecords: words["table.zero"],
      info: words["table.info"], infoEmpty: words["table.info_empty"], infoFiltered: words["table.filtered"],
      lengthMenu: words["table.length"], thousands: ",", decimal: ".",
      paginate: { first: "«", previous: "‹", next: "›", last: "»" },
      aria: {
        paginate: { first: words["table.first"], previous: words["table.previous"], next: words["table.next"],
          last: words["table.last"] },
        orderable: words["table.sort"], orderableReverse: words["table.sort"], orderableRemove: words["table.sort"]
      }
    };
  }
  /* A select for a column of names: what is chosen must be equal, not merely contained. */
  function filterBy(table, id, column, names, used) {
    var select = document.getElementById(id);
    if (!select) return;
    var order = names.map(function (name, place) { return [name, place]; }).filter(function (pair) { return used.has(pair[1]); });
    order.sort(function (a, b) { return a[0].localeCompare(b[0], root.lang); });
    order.forEach(function (pair) {
      var option = document.createElement("option");
      option.value = pair[1];
      option.textContent = pair[0];
      select.appendChild(option);
    });
    select.addEventListener("change", function () {
      var wanted = select.value;
      table.search.fixed(id, wanted === "" ? null : function (_, row) { return String(row[column]) === wanted; });
      table.draw();
    });
  }
  function used(rows, column) { return new Set(rows.map(function (row) { return row[column]; })); }
  function name(values, place) { var value = values[place]; return Array.isArray(value) ? value[L] : value; }
  function names(values) { return values.map(function (_, place) { return name(values, place); }); }
  function named(values) { return function (place) { return escape(name(values, place)); }; }
  function shown(render) { return function (value, type, row) { return type === "display" ? render(value, row) : value; }; }
  function byName(values) {
    return function (place, type) { return type === "display" ? named(values)(place) : name(values, place); };
  }

  function offers(data) {
    var marks = words["offers.marks_list"];
    function marked(bits, age) {
      return marks.filter(function (_, bit) { return bits & (1 << bit); })
        .map(function (mark) { return mark.replace("{days}", Math.floor(age / 24)); });
    }
    var table = new DataTable("#offers", {
      data: data.rows, language: language(), pageLength: 50, lengthMenu: [25, 50, 100, 500], deferRender: true,
      order: [[1, "asc"]], autoWidth: false,
      columns: [
        { data: 0, render: byName(data.cards) },
        { data: 6, type: "num", render: shown(function (fen) { return "¥" + fixed(fen, 2); }) },
        { data: 2, render: byName(data.providers) },
        { data: 3, render: byName(data.places) },
        { data: 4, render: function (place, type, row) {
          var mode = name(data.modes, place), kind = name(data.kinds, row[5]);
          return type === "display" ? escape(mode) + (row[5] ? '<span class="under">' + escape(kind) + "</span>" : "") : mode + " " + kind;
        } },
        { data: 1, type: "num" },
        { data: 7, type: "num", render: function (stock, type) {
          if (type !== "display") return stock === null ? -2 : stock;
          return stock === null ? "" : stock === -1 ? escape(words["offers.in_stock"]) : thousands(String(stock));
        } },
        { data: 8, type: "num", render: shown(function (hours) { return escape(text("offers.hours", { n: hours })); }) },
        { data: 9, render: function (bits, type, row) { return escape(marked(bits, row[8]).join(" · ")); } },
        { data: 10, orderable: false, render: function (place, type, row) {
          if (type !== "display") return "";
          if (place < 0) return escape(words["offers.sheet"]);
          return '<a href="' + escape(data.urls[place][0]) + '" rel="noreferrer nofollow" title="offer:' + escape(row[11]) + '">'
            + escape(words[data.urls[place][1] ? "offers.machine" : "offers.link"]) + "</a>";
        } }
      ]
    });
    filterBy(table, "f-card", 0, names(data.cards), used(data.rows, 0));
    filterBy(table, "f-region", 3, names(data.places), used(data.rows, 3));
    filterBy(table, "f-mode", 4, names(data.modes), used(data.rows, 4));
    filterBy(table, "f-provider", 2, names(data.providers), used(data.rows, 2));
    return table;
  }

  function cells(data) {
    var first = Date.parse(data.first + "T00:00:00Z") / 1000, week = 7 * 86400;
    var xs = Array.from({ length: data.weeks }, function (_, n) { return first + n * week; });
    var current = null, plot = null;
    function css(variable) { return getComputedStyle(root).getPropertyValue(variable).trim(); }
    function day(seconds) { return new Date(seconds * 1000).toISOString().slice(0, 10); }
    function title(row) {
      return text("cells.chart", { place: name(data.regions, row[0]), card: name(data.cards, row[1]), mode: name(data.modes, row[2]) });
    }
    function draw(row) {
      var figure = document.getElementById("history"), box = document.getElementById("chart");
      current = row;
      figure.hidden = false;
      document.getElementById("chart-title").textContent = title(row);
      box.setAttribute("aria-label", title(row));
      if (plot) plot.destroy();
      /* From the first two weeks in a row on: single old weeks would only stretch the line away. */
      function known(n) { return row[3][n] !== null || row[4][n] !== null; }
      var from = row[3].findIndex(function (_, n) { return known(n) && n + 1 < row[3].length && known(n + 1); });
      from = from < 0 ? Math.max(0, row[3].findIndex(function (_, n) { return known(n); })) : from;
      function scaled(values, by) { return values.slice(from).map(function (v) { return v === null ? null : v / by; }); }
      var grid = { stroke: css("--rule"), width: 1 };
      function axis(more) {
        return Object.assign({ stroke: css("--grey"), grid: grid, ticks: { show: false }, font: "12px sans-serif" }, more);
      }
      function around(least) {
        return function (_, low, high) {
          if (low === null) return [0, 1];
          var pad = Math.max((high - low) * 0.1, least * Math.max(Math.abs(high), 1));
          return [low - pad, high + pad];
        };
      }
      /* As many Mondays as there is room for, the newest always. */
      var shownWeeks = xs.slice(from), room = Math.max(2, Math.floor((box.clientWidth - 110) / 72));
      var step = Math.ceil(shownWeeks.length / room);
      function mondays() { return shownWeeks.filter(function (_, n) { return (shownWeeks.length - 1 - n) % step === 0; }); }
      function label(t) { return shownWeeks.length > 40 ? day(t).slice(0, 7) : day(t).slice(5); }
      plot = new uPlot({
        width: Math.max(280, box.clientWidth), height: 300, legend: { live: true },
        cursor: { drag: { x: false, y: false } },
        hooks: { setCursor: [function (u) { if (u.cursor.idx === null) u.setLegend({ idx: shownWeeks.length - 1 }); }] },
        scales: { x: { time: true }, i: { range: around(0.02) }, p: { range: around(0.05) } },
        axes: [
          axis({ splits: mondays, values: function (_, ticks) { return ticks.map(label); }, grid: { show: false }, gap: 8, size: 40 }),
          axis({ scale: "i", size: 48 }),
          axis({ scale: "p", side: 1, grid: { show: false }, size: 56, values: function (_, ticks) { return ticks.map(function (t) { return "¥" + t; }); } })
        ],
        series: [
          { label: words["cells.weeks"], value: function (_, t) { return t === null ? "" : day(t); } },
          { label: words["cells.index"], scale: "i", stroke: css("--line1"), width: 2, spanGaps: false, points: { show: row[3].length - from < 40 },
            value: function (_, v) { return v === null || v === undefined ? "—" : v.toFixed(1); } },
          { label: words["cells.level"], scale: "p", stroke: css("--line2"), width: 1.5, dash: [6, 4], spanGaps: false, points: { show: false },
            value: function (_, v) { return v === null || v === undefined ? "—" : "¥" + v.toFixed(2); } }
        ]
      }, [xs.slice(from), scaled(row[3], 10), scaled(row[4], 100)], box);
      plot.setLegend({ idx: shownWeeks.length - 1 });
      var body = document.querySelector("#numbers tbody");
      body.textContent = "";
      for (var n = xs.length - 1; n >= from; n--) {
        var line = body.insertRow();
        [day(xs[n]), row[3][n] === null ? "—" : fixed(row[3][n], 1), row[4][n] === null ? "—" : "¥" + fixed(row[4][n], 2)]
          .forEach(function (value, place) { var cell = line.insertCell(); cell.textContent = value; if (place) cell.className = "right"; });
      }
    }
    function last(values) { return values[values.length - 1]; }
    function number(values, places, sign) {
      return function (history, type) {
        var value = last(history);
        if (type !== "display") return value === null ? -1 : value;
        return value === null ? "—" : sign + fixed(value, places);
      };
    }
    var table = new DataTable("#cells", {
      data: data.rows, language: language(), pageLength: 25, lengthMenu: [25, 50, 100, 500], deferRender: true,
      order: [], autoWidth: false,
      columns: [
        { data: 1, render: function (place, type, row) {
          var card = name(data.cards, place);
          return type === "display" ? '<button type="button" class="plain" aria-label="' + escape(words["cells.show"] + " " + title(row)) + '">' + escape(card) + "</button>" : card;
        } },
        { data: 0, render: byName(data.regions) },
        { data: 2, render: byName(data.modes) },
        { data: 3, type: "num", render: number(3, 1, "") },
        { data: 6, type: "num", render: function (change, type) {
          if (type !== "display") return change === null ? 0 : change[2];
          if (change === null) return "—";
          return '<span class="' + (change[0] === "flat" ? "muted" : change[0]) + '">' + escape(change[1] || words["word.flat"]) + "</span>";
        } },
        { data: 5, render: function (grade) { return grade === null ? "—" : (grade === "C" ? "○ C" : grade); } },
        { data: 4, type: "num", render: number(4, 2, "¥") },
        { data: 7, type: "num" },
        { data: 8, type: "num" }
      ],
      createdRow: function (line, row) { line.dataset.key = [row[0], row[1], row[2]].join("/"); }
    });
    table.on("click", "tbody tr", function () {
      var line = table.row(this);
      if (!line.data()) return;
      document.querySelectorAll("#cells tr.chosen").forEach(function (one) { one.classList.remove("chosen"); });
      this.classList.add("chosen");
      draw(line.data());
      document.getElementById("history").scrollIntoView({ block: "nearest" });
    });
    filterBy(table, "f-card", 1, names(data.cards), used(data.rows, 1));
    filterBy(table, "f-region", 0, names(data.regions), used(data.rows, 0));
    filterBy(table, "f-mode", 2, names(data.modes), used(data.rows, 2));
    if (data.rows.length) draw(data.rows[0]);
    window.addEventListener("resize", function () {
      if (plot) plot.setSize({ width: Math.max(280, document.getElementById("chart").clientWidth), height: 300 });
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", function () { if (current) draw(current); });
    return table;
  }

  if (document.getElementById("offers") && S.offers) S.offersTable = offers(S.offers);
  if (document.getElementById("cells") && S.cells) S.cellsTable = cells(S.cells);
  if (document.getElementById("providers")) {
    S.providersTable = new DataTable("#providers", { language: language(), paging: false, order: [], info: false, autoWidth: false });
  }
}());
