/** All settings, read from the environment once and validated before anything listens. */
import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { z } from 'zod';

/** An invalid setting; the message is a single line with name, value and what would be valid. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

const flag = z.enum(['0', '1', 'true', 'false']).transform((text) => text === '1' || text === 'true');

const whole = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number)
    .refine((value) => value >= min && value <= max);

const address = (protocols: RegExp) =>
  z.string().refine((text) => URL.canParse(text) && protocols.test(new URL(text).protocol));

/** Whether user name and password can be percent-decoded, as clients do; a literal percent sign can't. */
function hasReadableLogin(text: string): boolean {
  const { username = '', password = '' } = URL.parse(text) ?? {};
  try {
    decodeURIComponent(username + password);
    return true;
  } catch {
    return false;
  }
}
const inPassword = 'with %25 for a % in the password, %40 for an @, %2F for a /';

/** Host names or addresses, without port. */
const hostNames = z
  .string()
  .transform((text) => text.split(',').map((name) => name.trim().toLowerCase()))
  .refine((names) =>
    names.every(
      (name) =>
        // URL parsing accepts almost any character in a host, such as the asterisk of a pattern, which is not supported here.
        /^[\w.:[\]-]+$/.test(name) &&
        URL.canParse(`http://${name}`) &&
        new URL(`http://${name}`).hostname === name,
    ),
  );

/** Formats of proxy-addr: named networks, addresses, and addresses with a prefix length. */
const networkNames = ['loopback', 'linklocal', 'uniquelocal'];

function isNetwork(text: string): boolean {
  if (networkNames.includes(text)) return true;
  const [address = '', prefix, ...rest] = text.split('/');
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  if (bits < 0 || rest.length > 0) return false;
  // Prefix length 0 would trust everyone, so that anyone could forge their address.
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) >= 1 && Number(prefix) <= bits);
}

/** Number of proxies in front of the service, or their networks. */
const proxies = z
  .string()
  .transform((text): number | string[] =>
    /^\d+$/.test(text) ? Number(text) : text.split(',').map((network) => network.trim()),
  )
  .refine((value) => (typeof value === 'number' ? value <= 16 : value.every(isNetwork)));

interface Setting {
  schema: z.ZodType<unknown, string>;
  /** completes “it must be …” */
  right: string;
  secret?: boolean;
}

const settings = {
  HOST: {
    schema: z.string().regex(/^[\w.:-]+$/),
    right: 'a host name or address, such as 127.0.0.1 or 0.0.0.0',
  },
  PORT: { schema: whole(0, 65_535), right: 'a port from 1 to 65535 (0 = any free one)' },
  DATA_DIR: { schema: z.string(), right: 'a folder' },
  ADMIN_EMAIL: {
    schema: z
      .string()
      .regex(/^[^\s@]+@[^\s@]+$/)
      .max(320),
    right: 'an email address',
  },
  ADMIN_PASSWORD: { schema: z.string().min(10).max(1024), right: '10 to 1024 characters long', secret: true },
  DEMO: { schema: flag, right: '1 or 0' },
  DATABASE_URL: {
    schema: address(/^postgres(ql)?:$/).refine(hasReadableLogin),
    right: `an address such as postgresql://user:password@host:5432/database, ${inPassword}`,
    secret: true,
  },
  S3_ENDPOINT: { schema: address(/^https?:$/), right: 'an address such as https://s3.example.com' },
  S3_BUCKET: {
    schema: z.string().regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/),
    right: 'the name of a bucket',
  },
  S3_REGION: { schema: z.string(), right: 'a region such as eu-central-1' },
  S3_ACCESS_KEY_ID: { schema: z.string(), right: 'an access key id' },
  S3_SECRET_ACCESS_KEY: { schema: z.string(), right: 'a secret access key', secret: true },
  S3_FORCE_PATH_STYLE: { schema: flag, right: '1 or 0' },
  WORKERS: { schema: whole(0, 1024), right: 'a number of compute threads from 0 to 1024' },
  SMTP_URL: {
    schema: address(/^smtps?:$/).refine(
      (text) => Boolean(URL.parse(text)?.hostname) && hasReadableLogin(text),
    ),
    right: `an address such as smtp://user:password@host:587, ${inPassword}`,
    secret: true,
  },
  MAIL_FROM: { schema: z.email().max(320), right: 'the email address that mail comes from' },
  PUBLIC_URL: {
    // The dashboard is served at the root of its host, so a path is not allowed.
    schema: address(/^https?:$/).refine((text) => {
      const url = URL.parse(text);
      return url?.pathname === '/' && `${url.username}${url.search}${url.hash}` === '';
    }),
    right: 'an address without a path, such as https://scans.example.com',
  },
  CORS_ORIGINS: {
    schema: z
      .string()
      .transform((text) => text.split(',').map((origin) => origin.trim()))
      .refine((origins) =>
        origins.every((origin) => URL.canParse(origin) && new URL(origin).origin === origin),
      ),
    right: 'origins such as https://dashboard.example.com, separated by commas',
  },
  ALLOWED_HOSTS: {
    schema: hostNames,
    right: 'names of hosts without a port, such as ct.example.com, separated by commas',
  },
  TRUST_PROXY: {
    schema: proxies,
    right:
      'the number of proxies in front (0 to 16), or their networks, such as 10.0.0.0/8, separated by commas',
  },
  TOKEN_LIFETIME_HOURS: { schema: whole(1, 8760), right: 'hours from 1 to 8760' },
  TRASH_DAYS: { schema: whole(0, 3650), right: 'days from 0 to 3650' },
  UPLOAD_DAYS: { schema: whole(1, 365), right: 'days from 1 to 365' },
  UPLOAD_IDLE_SECONDS: { schema: whole(1, 86_400), right: 'seconds from 1 to 86400' },
  REQUEST_TIMEOUT_SECONDS: { schema: whole(1, 3600), right: 'seconds from 1 to 3600' },
  MAX_UPLOAD_BYTES: { schema: whole(1, 999_999_999_999_999), right: 'a number of bytes' },
  LOG_LEVEL: {
    schema: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
    right: 'fatal, error, warn, info, debug, trace or silent',
  },
} as const satisfies Record<string, Setting>;

type SettingName = keyof typeof settings;

/** Unknown variables with one of our prefixes are treated as typing mistakes. */
const ownPrefixes = ['S3_', 'ADMIN_', 'TOKEN_', 'TRASH_', 'SMTP_', 'CORS_', 'TRUST_', 'ALLOWED_'];

export interface S3Settings {
  /** such as https://s3.example.org; undefined: Amazon's for the region */
  endpoint: string | undefined;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** bucket in the path instead of the host name; required by most stores other than Amazon's */
  forcePathStyle: boolean;
}

export interface Config {
  host: string;
  port: number;
  /** absolute path of everything that this installation stores on disk */
  dataDir: string;
  adminEmail: string;
  adminPassword: string | undefined;
  demo: boolean;
  databaseUrl: string | undefined;
  s3: S3Settings | undefined;
  /** compute threads of the worker; 0: this host computes nothing */
  workers: number;
  smtpUrl: string | undefined;
  mailFrom: string | undefined;
  /** without a trailing slash; undefined: derived from the request */
  publicUrl: string | undefined;
  corsOrigins: string[];
  /** hosts accepted in URLs without PUBLIC_URL, in addition to those of this machine */
  allowedHosts: string[];
  /** number of proxies in front of the service, or their networks; false without any */
  trustProxy: false | number | string[];
  tokenLifetimeHours: number;
  trashDays: number;
  uploadDays: number;
  /** time limit for a request's headers, and for its body unless it is an upload */
  requestTimeoutSeconds: number;
  /** an upload idle for this long is disconnected, and can be resumed */
  uploadIdleSeconds: number;
  maxUploadBytes: number;
  logLevel: string;
}

const shown = (name: SettingName, value: string): string =>
  'secret' in settings[name] ? `(${value.length} characters, not shown)` : JSON.stringify(value);

type Values = { [Name in SettingName]?: z.output<(typeof settings)[Name]['schema']> };

function parseAll(environment: NodeJS.ProcessEnv): Values {
  const values: Record<string, unknown> = {};
  for (const name of Object.keys(settings) as SettingName[]) {
    const text = environment[name];
    if (text === undefined || text === '') continue;
    const parsed = settings[name].schema.safeParse(text);
    if (!parsed.success) {
      throw new ConfigError(
        `the setting ${name}=${shown(name, text)} can't be used: it must be ${settings[name].right}`,
      );
    }
    values[name] = parsed.data;
  }
  return values as Values;
}

function refuseUnknown(environment: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(environment)) {
    const prefix = ownPrefixes.find((start) => name.startsWith(start));
    if (prefix === undefined || name in settings) continue;
    const known = Object.keys(settings).filter((other) => other.startsWith(prefix));
    throw new ConfigError(
      `the setting ${name} is not known: those that start with ${prefix} are ${known.join(', ')}`,
    );
  }
}

function readS3(values: Values): S3Settings | undefined {
  const given = (Object.keys(settings) as SettingName[]).filter(
    (name) => name.startsWith('S3_') && values[name] !== undefined,
  );
  if (given.length === 0) return undefined;
  for (const name of ['S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const) {
    if (values[name] === undefined)
      throw new ConfigError(
        `the setting ${name} is missing: ${given[0]} is set, so it must be ${settings[name].right}`,
      );
  }
  return {
    endpoint: values.S3_ENDPOINT,
    bucket: values.S3_BUCKET as string,
    region: values.S3_REGION ?? 'us-east-1',
    accessKeyId: values.S3_ACCESS_KEY_ID as string,
    secretAccessKey: values.S3_SECRET_ACCESS_KEY as string,
    forcePathStyle: values.S3_FORCE_PATH_STYLE ?? true,
  };
}

/**
 * Reads the settings of this process.
 *
 * @throws ConfigError stating the setting, its value and what would be valid
 */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  refuseUnknown(environment);
  const values = parseAll(environment);
  return {
    host: values.HOST ?? '127.0.0.1',
    port: values.PORT ?? 8080,
    dataDir: path.resolve(values.DATA_DIR ?? '.data'),
    adminEmail: values.ADMIN_EMAIL ?? 'admin@localhost',
    adminPassword: values.ADMIN_PASSWORD,
    demo: values.DEMO ?? true,
    databaseUrl: values.DATABASE_URL,
    s3: readS3(values),
    workers: values.WORKERS ?? availableParallelism(),
    smtpUrl: values.SMTP_URL,
    mailFrom: values.MAIL_FROM,
    publicUrl: values.PUBLIC_URL?.replace(/\/+$/, ''),
    corsOrigins: values.CORS_ORIGINS ?? [],
    allowedHosts: values.ALLOWED_HOSTS ?? [],
    trustProxy: values.TRUST_PROXY || false,
    tokenLifetimeHours: values.TOKEN_LIFETIME_HOURS ?? 24,
    trashDays: values.TRASH_DAYS ?? 30,
    uploadDays: values.UPLOAD_DAYS ?? 7,
    uploadIdleSeconds: values.UPLOAD_IDLE_SECONDS ?? 60,
    requestTimeoutSeconds: values.REQUEST_TIMEOUT_SECONDS ?? 30,
    maxUploadBytes: values.MAX_UPLOAD_BYTES ?? 1_099_511_627_776,
    logLevel: values.LOG_LEVEL ?? 'info',
  };
}
