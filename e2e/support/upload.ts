/** An upload by the tus protocol using only fetch, for journeys and benchmarks. */

const base64 = (text: string) => Buffer.from(text, 'utf8').toString('base64');

export interface UploadedFile {
  /** absolute address of the upload */
  location: string;
}

/** Creates the upload and sends all bytes in one PATCH. */
export async function uploadBytes(
  url: string,
  token: string,
  bytes: Uint8Array,
  metadata: Record<string, string>,
): Promise<UploadedFile> {
  const headers = { Authorization: `Token ${token}`, 'Tus-Resumable': '1.0.0' };
  const created = await fetch(`${url}/api/v2/uploads`, {
    method: 'POST',
    headers: {
      ...headers,
      'Upload-Length': String(bytes.byteLength),
      'Upload-Metadata': Object.entries(metadata)
        .map(([key, value]) => `${key} ${base64(value)}`)
        .join(','),
    },
  });
  if (created.status !== 201)
    throw new Error(`upload not created: ${created.status} ${await created.text()}`);
  const location = new URL(created.headers.get('Location') ?? '', url).href;
  const sent = await fetch(location, {
    method: 'PATCH',
    headers: { ...headers, 'Upload-Offset': '0', 'Content-Type': 'application/offset+octet-stream' },
    body: new Uint8Array(bytes),
  });
  if (sent.status !== 204) throw new Error(`upload not taken: ${sent.status} ${await sent.text()}`);
  return { location };
}
