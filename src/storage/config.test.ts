import { expect, test } from 'vitest';
import { readConfig } from './config.ts';

const wrong = (environment: Record<string, string>): string => {
  try {
    readConfig(environment);
  } catch (error) {
    return (error as Error).message;
  }
  return 'accepted';
};

test('the defaults form a complete configuration', () => {
  expect(readConfig({})).toMatchObject({ host: '127.0.0.1', port: 8080, trashDays: 30, demo: true });
});

test.each([
  [{ PORT: '80x' }, /PORT="80x".*1 to 65535/],
  [{ PORT: '70000' }, /PORT="70000"/],
  [{ ADMIN_PASSWORD: 'short' }, /ADMIN_PASSWORD.*5 characters, not shown.*10 to 1024/],
  [{ S3_FOO: '1' }, /S3_FOO is not known.*S3_BUCKET/],
  [{ S3_ENDPOINT: 'https://s3.example.com' }, /S3_BUCKET is missing/],
  [{ DATABASE_URL: 'mysql://somewhere' }, /DATABASE_URL.*postgresql:\/\//],
  [{ WORKERS: '-1' }, /WORKERS="-1"/],
  [{ DEMO: 'yes' }, /DEMO="yes".*1 or 0/],
  [{ CORS_ORIGINS: 'dashboard' }, /CORS_ORIGINS/],
  [{ TRUST_PROXY: 'true' }, /TRUST_PROXY="true".*number of proxies/],
  [{ TRUST_PROXY: '17' }, /TRUST_PROXY="17"/],
  [{ TRUST_PROXY: '0.0.0.0/0' }, /TRUST_PROXY/],
  [{ TRUST_PROXY: '10.0.0.0/33' }, /TRUST_PROXY/],
  [{ TRUST_PROXY: 'proxy.example.com' }, /TRUST_PROXY/],
  [{ TRUST_PROXIES: '1' }, /TRUST_PROXIES is not known.*TRUST_PROXY/],
  [{ ALLOWED_HOSTS: 'ct.example.com:8080' }, /ALLOWED_HOSTS.*without a port/],
  [{ ALLOWED_HOSTS: 'https://ct.example.com' }, /ALLOWED_HOSTS/],
  [{ ALLOWED_HOSTS: '*' }, /ALLOWED_HOSTS="\*"/],
  [{ SMTP_URL: 'smtp://' }, /SMTP_URL.*smtp:\/\/user/],
  [{ SMTP_URL: 'mail.example.com' }, /SMTP_URL.*smtp:\/\/user/],
  [{ SMTP_URL: 'smtp://user:50%off@host' }, /SMTP_URL=\(23 characters, not shown\).*%25 for a %/],
  [{ DATABASE_URL: 'postgres://user:50%off@host/scans' }, /DATABASE_URL=\(.*%25 for a %/],
  [{ PUBLIC_URL: 'https://example.com/scans' }, /PUBLIC_URL.*without a path/],
  [{ PUBLIC_URL: 'https://user@example.com' }, /PUBLIC_URL/],
])('%j is refused in one line that states what would be valid', (environment, message) => {
  expect(wrong(environment as Record<string, string>)).toMatch(message);
  expect(wrong(environment as Record<string, string>)).not.toContain('\n');
});

test('the message about a secret does not contain it', () => {
  expect(wrong({ DATABASE_URL: 'http://user:hunter2@host' })).not.toContain('hunter2');
});

test.each([
  ['0', false],
  ['2', 2],
  ['10.0.0.0/8, fd00::/8, 192.0.2.1, loopback', ['10.0.0.0/8', 'fd00::/8', '192.0.2.1', 'loopback']],
])('TRUST_PROXY=%s is parsed as a number of proxies or their networks', (text, meaning) => {
  expect(readConfig({ TRUST_PROXY: text }).trustProxy).toEqual(meaning);
});

test('an empty variable counts as not set', () => {
  expect(readConfig({ DATABASE_URL: '', S3_BUCKET: '' })).toMatchObject({
    databaseUrl: undefined,
    s3: undefined,
  });
});
