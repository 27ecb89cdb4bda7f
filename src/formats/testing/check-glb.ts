import { validateBytes } from 'gltf-validator';

/**
 * Errors and warnings of Khronos' validator for a GLB, one line each.
 * @see https://github.com/KhronosGroup/glTF-Validator
 */
export async function listGlbFaults(bytes: Uint8Array): Promise<string[]> {
  const { issues } = await validateBytes(bytes, { maxIssues: 20 });
  return issues.messages
    .filter(({ severity }) => severity < 2)
    .map(({ code, message, pointer }) => `${code}: ${message} ${pointer ?? ''}`);
}
