import { expect, test } from 'vitest';
import { usableLanguage } from './known-language.ts';

test('an invalid language becomes English, any other stays', () => {
  expect(['de-CH', 'en', 'zh-Hant-TW'].map(usableLanguage)).toEqual(['de-CH', 'en', 'zh-Hant-TW']);
  expect(['en-US@posix', 'C.UTF-8', ''].map(usableLanguage)).toEqual(['en-US', 'en-US', 'en-US']);
});
