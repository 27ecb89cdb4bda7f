/** The part of JSON Schema that our Zod schemas become, with our own keywords. */
export interface JsonSchema {
  $ref?: string;
  $defs?: Record<string, JsonSchema>;
  type?: string | string[];
  title?: string;
  description?: string;
  default?: unknown;
  enum?: unknown[];
  const?: unknown;
  examples?: unknown[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema | false;
  prefixItems?: JsonSchema[];
  minItems?: number;
  maxItems?: number;
  'x-unit'?: string;
  'x-advanced'?: boolean;
  'x-words'?: Record<string, string>;
  'x-extension'?: boolean;
  /** the parameter applies only while another parameter has one of these values */
  'x-only-when'?: { parameter: string; values: string[] };
}
