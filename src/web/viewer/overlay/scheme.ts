import { type Inks, onDark, onLight } from '#kernels/overlay/paint.ts';

/** Inks for an element's own colours: it knows whether it stands in the dark or the light scheme. */
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
