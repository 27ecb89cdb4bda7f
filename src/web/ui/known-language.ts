/**
 * A browser that was started without a locale may name a language that is none: Chromium says `en-US@posix`. What
 * writes numbers with it, as the library of the plots does while it is loaded, would take the whole page down.
 */

/** The language as it is when it can be used for numbers and dates, else English. */
export function usableLanguage(language: string): string {
  try {
    Intl.getCanonicalLocales(language);
    return language;
  } catch {
    return 'en-US';
  }
}

if (typeof navigator !== 'undefined' && usableLanguage(navigator.language) !== navigator.language)
  Object.defineProperty(navigator, 'language', { value: usableLanguage(navigator.language) });
