/** The part of Khronos' glTF validator that is used; the package has no types. */
declare module 'gltf-validator' {
  export interface Issues {
    numErrors: number;
    numWarnings: number;
    messages: { code: string; message: string; pointer?: string; severity: number }[];
  }
  export function validateBytes(
    bytes: Uint8Array,
    options?: { maxIssues?: number },
  ): Promise<{ issues: Issues }>;
}
