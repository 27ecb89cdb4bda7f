import { type Inks, onDark, onLight } from '#kernels/overlay/paint.ts';

/** Colours for canvas text and lines, according to the element's own colour scheme (dark or light). */
export function chooseInks(element: Element): Inks {
  const [r = 0, g = 0, b = 0] = (getComputedStyle(element).color.match(/[\d.]+/g) ?? []).map(Number);
  return r + g + b > 384 ? onDark : onLight;
}

/** Calls back when the page changes between light and dark, by its own switch or the system's. */
export function watchScheme(onChange: () => void): () => void {
  const observer = new MutationObserver(onChange);
  observer.observe(document.documentElement, {
    attributes: true,
    attributeFilter: ['data-mantine-color-scheme', 'class', 'style'],
  });
  const system = window.matchMedia('(prefers-color-scheme: dark)');
  system.addEventListener('change', onChange);
  return () => {
    observer.disconnect();
    system.removeEventListener('change', onChange);
  };
}
