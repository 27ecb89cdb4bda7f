/** Metadata about the file that a data object was imported from. */
import { z } from 'zod';

export const sourceFile = { sourceFileName: z.string(), sourceSha256: z.string() };

/** Metadata of a file that is stored unchanged. */
export const FileMetadata = z.object(sourceFile);
export type SourceFile = z.infer<typeof FileMetadata>;
