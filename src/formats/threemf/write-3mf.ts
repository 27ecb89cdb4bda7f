import type { TriangleMesh } from '#kernels/mesh/mesh.ts';
import { writeZip } from '../zip/write-zip.ts';

const contentTypes = `<?xml version="1.0" encoding="UTF-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="model" ContentType="application/vnd.ms-package.3dmanufacturing-3dmodel+xml"/></Types>
`;
const relationships = `<?xml version="1.0" encoding="UTF-8"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Target="/3D/3dmodel.model" Id="rel0" Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"/></Relationships>
`;
const linesAtOnce = 8192;

async function* modelXml({ positions, indices }: TriangleMesh): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  yield encoder.encode(
    '<?xml version="1.0" encoding="UTF-8"?>\n<model unit="millimeter" xml:lang="en-US" xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02">\n' +
      '<metadata name="Application">Scanwright</metadata>\n<resources>\n<object id="1" type="model">\n<mesh>\n<vertices>\n',
  );
  for (let v = 0; v < positions.length; v += 3 * linesAtOnce) {
    let text = '';
    for (let i = v; i < Math.min(positions.length, v + 3 * linesAtOnce); i += 3) {
      text += `<vertex x="${positions[i]}" y="${positions[i + 1]}" z="${positions[i + 2]}"/>\n`;
    }
    yield encoder.encode(text);
  }
  yield encoder.encode('</vertices>\n<triangles>\n');
  for (let t = 0; t < indices.length; t += 3 * linesAtOnce) {
    let text = '';
    for (let i = t; i < Math.min(indices.length, t + 3 * linesAtOnce); i += 3) {
      text += `<triangle v1="${indices[i]}" v2="${indices[i + 1]}" v3="${indices[i + 2]}"/>\n`;
    }
    yield encoder.encode(text);
  }
  yield encoder.encode(
    '</triangles>\n</mesh>\n</object>\n</resources>\n<build>\n<item objectid="1"/>\n</build>\n</model>\n',
  );
}

/**
 * A mesh as 3MF in mm, piece by piece. Coordinates have all digits of their 32-bit floats, so they are read back
 * exactly. Deterministic: the same mesh always gives the same bytes.
 *
 * @see https://github.com/3MFConsortium/spec_core
 */
export async function* write3mf(mesh: TriangleMesh, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  const text = (content: string) => new TextEncoder().encode(content);
  const packed = { compress: true, modified: new Date(0) };
  yield* writeZip(
    [
      { path: '[Content_Types].xml', data: text(contentTypes), ...packed },
      { path: '_rels/.rels', data: text(relationships), ...packed },
      { path: '3D/3dmodel.model', data: modelXml(mesh), ...packed },
    ],
    signal,
  );
}

export const threemfWriter = (
  mesh: TriangleMesh,
  _name: string,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> => write3mf(mesh, signal);
