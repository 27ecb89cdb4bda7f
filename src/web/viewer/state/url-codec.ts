import type { ViewState } from '#contract/shapes/view-state.ts';
import { canonicalise } from './view-state.ts';

/** Encodes a view state as text for an address: JSON, deflated, base64url. About 300–500 characters. */
export async function encodeViewState(state: ViewState): Promise<string> {
  const json = new TextEncoder().encode(JSON.stringify(canonicalise(state)));
  return toBase64Url(await convert(json, new CompressionStream('deflate-raw')));
}

/**
 * The view state in an address, or null if it is missing or unreadable: a link may have been truncated in an email, and
 * the page then opens with the default view instead of failing.
 */
export async function decodeViewState(text: string): Promise<ViewState | null> {
  try {
    const bytes = await convert(fromBase64Url(text), new DecompressionStream('deflate-raw'));
    return canonicalise(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    return null;
  }
}

async function convert(
  bytes: Uint8Array<ArrayBuffer>,
  transform: CompressionStream | DecompressionStream,
): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([bytes]).stream().pipeThrough(transform);
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function toBase64Url(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}
