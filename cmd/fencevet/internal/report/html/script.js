'use strict';
(() => {
  document.documentElement.classList.add('scripted');
  const table = document.getElementById('table');
  const byId = (id) => document.getElementById(id);

  // The manuals open where a link leads to one, and so do the stories.
  function follow() {
    const id = decodeURIComponent(location.hash.slice(1));
    const target = id && byId(id);
    if (!target) return;
    if (target.tagName === 'DETAILS') target.open = true;
    if (target.tagName === 'TBODY') {
      if (target.hidden) reset();
      open(target, true);
      target.querySelector('button.open').focus({preventScroll: true});
    }
    target.scrollIntoView({block: 'start'});
  }
  addEventListener('hashchange', follow);
  document.addEventListener('click', (event) => {
    // A second click on the same link changes no hash.
    const link = event.target.closest('a[href^="#"]');
    if (link && link.hash === location.hash) setTimeout(follow);
  });
  if (!table) {
    follow();
    return;
  }

  const rows = [...table.tBodies];
  const form = byId('filters');
  const search = byId('search');
  const boxes = [...form.elements.verdict];
  const selects = [...form.querySelectorAll('select')];
  const heads = [...table.tHead.querySelectorAll('button')];
  const texts = new Map();

  function open(row, yes) {
    row.classList.toggle('opened', yes);
    row.querySelector('button.open').setAttribute('aria-expanded', String(yes));
  }

  function textOf(row) {
    let text = texts.get(row);
    if (text === undefined) {
      text = (row.rows[0].textContent + ' ' + row.dataset.search).toLowerCase();
      texts.set(row, text);
    }
    return text;
  }

  function filter() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const verdicts = new Set(boxes.filter((b) => b.checked).map((b) => b.value));
    const every = verdicts.size === boxes.length;
    const chosen = selects.filter((s) => s.value !== '');
    let shown = 0, locks = 0;
    for (const row of rows) {
      const data = row.dataset;
      const yes = (every || verdicts.has(data.verdict)) &&
        chosen.every((s) => data[s.dataset.filter].split('\n').includes(s.value)) &&
        (words.length === 0 || words.every((w) => textOf(row).includes(w)));
      if (row.hidden === yes) row.hidden = !yes;
      if (yes) shown++;
      if (yes && data.verdict !== 'wrapper') locks++;
    }
    const wrappers = shown - locks;
    byId('status').textContent = (shown < rows.length ? `${shown} of ${rows.length} shown: ` : '') +
      `${locks} ${locks === 1 ? 'lock' : 'locks'}` +
      (wrappers > 0 ? ` and ${wrappers} ${wrappers === 1 ? 'wrapper' : 'wrappers'}` : '');
    byId('empty').hidden = shown > 0;
  }

  function reset() {
    form.reset();
    filter();
  }

  const collator = new Intl.Collator('en', {numeric: true});
  const orders = {
    place: (a, b) => collator.compare(a.sortPlace, b.sortPlace) || a.line - b.line,
    key: (a, b) => collator.compare(a.sortKey, b.sortKey),
    library: (a, b) => collator.compare(a.sortLibrary, b.sortLibrary),
    lease: (a, b) => a.sortLease - b.sortLease,
    class: () => 0, // the page is in this order
    verdict: (a, b) => a.sortVerdict - b.sortVerdict,
  };

  function sort(button) {
    const head = button.closest('th');
    const down = head.getAttribute('aria-sort') === 'ascending';
    for (const b of heads) b.closest('th').setAttribute('aria-sort', 'none');
    head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
    const order = orders[button.dataset.sort];
    const sign = down ? -1 : 1;
    rows.sort((a, b) => sign * (order(a.dataset, b.dataset) || a.dataset.index - b.dataset.index));
    table.append(...rows);
    button.focus();
  }

  table.addEventListener('click', (event) => {
    const button = event.target.closest('button');
    if (button && button.dataset.sort) return sort(button);
    const row = event.target.closest('tr.row');
    // Who selects text does not want it to jump.
    if (row && (button || String(getSelection()) === '')) {
      open(row.parentElement, !row.parentElement.classList.contains('opened'));
    }
  });
  document.addEventListener('click', (event) => {
    const pick = event.target.closest('button.pick');
    if (!pick) return;
    const select = selects.find((s) => s.dataset.filter === pick.dataset.filter);
    if (!select) return;
    form.reset();
    select.value = pick.dataset.value;
    filter();
    byId('locks').scrollIntoView();
    select.focus({preventScroll: true});
  });
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target.matches('input, select');
    if (event.key === '/' && !typing) {
      event.preventDefault();
      search.focus();
      return;
    }
    if (!event.target.matches('button.open') || event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    const shown = rows.filter((r) => !r.hidden);
    const next = shown[shown.indexOf(event.target.closest('tbody')) + (event.key === 'ArrowDown' ? 1 : -1)];
    if (next) {
      event.preventDefault();
      next.querySelector('button.open').focus();
    }
  });
  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('input', filter);
  byId('clear').addEventListener('click', reset);
  byId('clear-empty').addEventListener('click', reset);
  byId('open-all').addEventListener('click', () => rows.forEach((r) => r.hidden || open(r, true)));
  byId('close-all').addEventListener('click', () => rows.forEach((r) => open(r, false)));
  filter();
  follow();
})();
