/** Normalization of names for search and sorting: ignores case, accents, ligatures and repeated spaces. */
import { type SQL, sql } from 'drizzle-orm';
import { projects } from './schema-projects.ts';

/** Letters that Unicode does not decompose into a plain letter and an accent. */
const LETTERS: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ħ: 'h',
  ı: 'i',
};
const LETTER_PATTERN = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'g');
/** limited because an index entry holds 2,704 bytes; equal prefixes are ordered by id */
const MAX_SORT_LENGTH = 200;

/** Normalizes stored text and search text in the same way. */
export function normalizeForSearch(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replace(LETTER_PATTERN, (letter) => LETTERS[letter] ?? letter)
    .replace(/\s+/g, ' ')
    .trim();
}

/** Columns of `projects` derived from its name and numbers; spread into every insert and update. */
export function projectTexts(project: {
  name: string;
  partNumber?: string | null;
  serialNumber?: string | null;
}): { name: string; nameSort: string; searchText: string } {
  const name = normalizeForSearch(project.name);
  // Joined by line breaks, which a search can't contain, so that no match spans two texts.
  const parts = [name, project.partNumber ?? '', project.serialNumber ?? ''];
  return {
    name: project.name,
    nameSort: name.slice(0, MAX_SORT_LENGTH),
    searchText: parts.map(normalizeForSearch).join('\n'),
  };
}

/** `search` anywhere in the text, for an index walk that has already fetched the text. */
export function textContains(search: string): SQL {
  const pattern = `%${normalizeForSearch(search).replace(/[\\%_]/g, '\\$&')}%`;
  return sql`${projects.searchText} like ${pattern}`;
}

/** The same using the n-gram index: exact for one or two letters, by all triples for longer text. */
export function indexedTextContains(search: string): SQL {
  const normal = normalizeForSearch(search);
  const found = hasGrams(sql`${projects.searchText}`, normal);
  return [...normal].length < 3 ? found : sql`${found} and ${textContains(search)}`;
}

/** Whether an n-gram-indexed text contains the n-grams of `search`; their adjacency must still be checked. */
export function hasGrams(text: SQL, search: string): SQL {
  const letters = [...search];
  const grams =
    letters.length < 3
      ? [letters.join('')]
      : letters.slice(2).map((_, i) => letters.slice(i, i + 3).join(''));
  return sql`ngrams(${text}) @> ${sql.param([...new Set(grams)])}::text[]`;
}
