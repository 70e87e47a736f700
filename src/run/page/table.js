/* Tables wider than the page: a hint for scrolling, and scrolling by keyboard. */
'use strict';
{
  function watch(wide) {
    const over = wide.scrollWidth > wide.clientWidth + 1;
    const end = wide.scrollLeft + wide.clientWidth > wide.scrollWidth - 2;
    const name = wide.querySelector('caption').textContent;
    wide.previousElementSibling.hidden = !over;
    wide.classList.toggle('more', over && !end);
    for (const [key, value] of [['tabindex', 0], ['role', 'region'], ['aria-label', name]]) {
      if (over) wide.setAttribute(key, value);
      else wide.removeAttribute(key);
    }
  }

  const sizes = new ResizeObserver((entries) => entries.forEach(({target}) => watch(target)));
  for (const wide of document.querySelectorAll('.wide')) {
    const hint = document.createElement('p');
    hint.className = 'hint';
    hint.textContent = 'scroll for more columns \u2192';
    wide.before(hint);
    wide.addEventListener('scroll', () => watch(wide), {passive: true});
    sizes.observe(wide);
  }
}
