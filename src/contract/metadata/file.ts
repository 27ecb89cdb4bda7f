/** Metadata about the file that a data object was imported from. */
import { z } from 'zod';

export const sourceFile = {
  sourceFileName: z.string().meta({ description: 'name of the uploaded file' }),
  sourceSha256: z.string().meta({ description: 'SHA-256 of the uploaded file, in hex' }),
};

/** Metadata of a file that is stored unchanged. */
export const FileMetadata = z.object(sourceFile);
export type SourceFile = z.infer<typeof FileMetadata>;
