import { Button, Group } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { type NumberRow, numbersCsv, numbersFileName, numbersJson } from './number-files.ts';
import { saveFile } from './save-file.ts';

interface NumberDownloadsProps {
  /** the kind of result: “wall thickness” */
  what: string;
  /** parts of the file name: part number, kind, day */
  nameParts: readonly (string | null)[];
  rows: () => NumberRow[];
  whole: () => unknown;
}

const save = (text: string, fileName: string, mediaType: string): void =>
  saveFile(new Blob([text], { type: `${mediaType};charset=utf-8` }), fileName);

/** Buttons to download all numbers of a result with their provenance, as CSV and as JSON. */
export function NumberDownloads({ what, nameParts, rows, whole }: NumberDownloadsProps) {
  const files = [
    { ending: 'csv', mediaType: 'text/csv', text: () => numbersCsv(rows()) },
    { ending: 'json', mediaType: 'application/json', text: () => numbersJson(whole()) },
  ] as const;
  return (
    <Group gap={6} wrap="nowrap">
      {files.map(({ ending, mediaType, text }) => (
        <Button
          key={ending}
          variant="default"
          size="compact-xs"
          leftSection={<IconDownload size={12} aria-hidden />}
          onClick={() => save(text(), numbersFileName(nameParts, ending), mediaType)}
          aria-label={`Numbers of ${what} as ${ending.toUpperCase()}`}
        >
          {ending.toUpperCase()}
        </Button>
      ))}
    </Group>
  );
}
