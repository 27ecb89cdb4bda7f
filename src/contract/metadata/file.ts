/** What is known of the file that a data object was imported from. */
import { z } from 'zod';

export const sourceFile = { sourceFileName: z.string(), sourceSha256: z.string() };

/** Of a file that is kept as it is. */
export const FileMetadata = z.object(sourceFile);
export type SourceFile = z.infer<typeof FileMetadata>;
