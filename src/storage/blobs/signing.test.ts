import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { contentDisposition, signFile, verifyFile } from './signing.ts';

const secret = randomBytes(32);
const file = { subject: 'dataObjectFile/1', fileName: 'wall "thin".csv' };
const expiresAt = new Date('2030-01-01T00:00:00Z');
const signed = signFile(secret, { ...file, expiresAt });
const before = new Date('2029-12-31T23:59:59Z');

describe('a signed address', () => {
  it('is valid until it expires', () => {
    expect(verifyFile(secret, { ...file, ...signed }, before)).toBe('valid');
    expect(verifyFile(secret, { ...file, ...signed }, expiresAt)).toBe('expired');
  });

  it.each([
    ['another file', { subject: 'dataObjectFile/2' }],
    ['another name', { fileName: 'wall.csv' }],
    ['a part moved from one value to the next', { subject: 'dataObjectFile/1w', fileName: 'all "thin".csv' }],
    ['a later end', { expires: String(Number(signed.expires) + 1) }],
    ['a changed signature', { signature: `A${signed.signature.slice(1)}`.replace(/^AA/, 'BA') }],
    ['a shortened signature', { signature: signed.signature.slice(0, 10) }],
    ['no signature', { signature: '' }],
  ])('is invalid with %s', (_, change) => {
    const changed = { ...file, ...signed, ...change };
    if (changed.signature === signed.signature && 'signature' in change)
      changed.signature = `B${signed.signature.slice(1)}`;
    expect(verifyFile(secret, changed, before)).toBe('invalid');
  });

  it('is invalid with the secret of another installation', () => {
    expect(verifyFile(randomBytes(32), { ...file, ...signed }, before)).toBe('invalid');
  });
});

describe('the file name of a download', () => {
  it('cannot terminate the header or add another one', () => {
    const header = contentDisposition('a"\r\nSet-Cookie: x=1.txt');
    expect(header).not.toMatch(/[\r\n]/);
    expect(header.match(/"/g)).toHaveLength(2);
  });

  it('contains no direction controls, with which an .exe could look like a picture', () => {
    expect(contentDisposition('part\u202egnp.exe')).toBe('attachment; filename="partgnp.exe"');
  });
});
