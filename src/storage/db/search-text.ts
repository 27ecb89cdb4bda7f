/** How names are compared: without case, accents, ligatures and doubled spaces. */
import { type SQL, sql } from 'drizzle-orm';
import { projects } from './schema-projects.ts';

/** Letters that are no combination of a plain letter and an accent, so that Unicode does not take them apart. */
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
/** an index entry holds 2,704 bytes; what sorts the same up to here is told apart by its id */
const MAX_SORT_LENGTH = 200;

/** The form in which texts are stored for searching and in which a search is asked. */
export function normalizeForSearch(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replace(LETTER_PATTERN, (letter) => LETTERS[letter] ?? letter)
    .replace(/\s+/g, ' ')
    .trim();
}

/** The columns of `projects` that follow from its name and numbers: spread it into each insert and update. */
export function projectTexts(project: {
  name: string;
  partNumber?: string | null;
  serialNumber?: string | null;
}): { name: string; nameSort: string; searchText: string } {
  const name = normalizeForSearch(project.name);
  // A line break can't come from a search, so that nothing matches across two of the texts.
  const parts = [name, project.partNumber ?? '', project.serialNumber ?? ''];
  return {
    name: project.name,
    nameSort: name.slice(0, MAX_SORT_LENGTH),
    searchText: parts.map(normalizeForSearch).join('\n'),
  };
}

/** `search` anywhere in the text; for a walk that has the text in its hands already. */
export function textContains(search: string): SQL {
  const pattern = `%${normalizeForSearch(search).replace(/[\\%_]/g, '\\$&')}%`;
  return sql`${projects.searchText} like ${pattern}`;
}

/** The same as the index of n-grams answers it: letters and pairs exactly, longer texts by all their triples. */
export function indexedTextContains(search: string): SQL {
  const normal = normalizeForSearch(search);
  const found = hasGrams(sql`${projects.searchText}`, normal);
  return [...normal].length < 3 ? found : sql`${found} and ${textContains(search)}`;
}

/** Whether a text that has an index of n-grams holds those of `search`; that they stand in a row is to be looked at. */
export function hasGrams(text: SQL, search: string): SQL {
  const letters = [...search];
  const grams =
    letters.length < 3
      ? [letters.join('')]
      : letters.slice(2).map((_, i) => letters.slice(i, i + 3).join(''));
  return sql`ngrams(${text}) @> ${sql.param([...new Set(grams)])}::text[]`;
}
