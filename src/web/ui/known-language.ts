/**
 * A browser started without a locale may report an invalid language: Chromium reports `en-US@posix`. Code that formats
 * numbers with it throws; the plot library does so while loading, and the whole page would fail.
 */

/** The language if it is valid for numbers and dates, else English. */
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
