/** Renders the OpenAPI document; plain DOM, so that the page needs nothing but this file. */

const element = (name, attributes = {}, ...children) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
};

/** A schema as short text: names of shapes, fields with their types. */
function describe(schema, schemas, depth = 0, seen = []) {
  if (!schema) return '';
  const indent = '  '.repeat(depth);
  if (schema.$ref) {
    const name = schema.$ref.split('/').at(-1);
    if (depth > 5 || seen.includes(name)) return name;
    return describe(schemas[name], schemas, depth, [...seen, name]);
  }
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return options.map((option) => describe(option, schemas, depth, seen)).join(' | ');
  if (schema.allOf) return schema.allOf.map((part) => describe(part, schemas, depth, seen)).join(' & ');
  if (schema.prefixItems)
    return `[${schema.prefixItems.map((item) => describe(item, schemas, depth, seen)).join(', ')}]`;
  if (schema.type === 'array') return `array of ${describe(schema.items, schemas, depth, seen)}`;
  if (schema.properties) {
    const required = schema.required ?? [];
    const lines = Object.entries(schema.properties).map(([name, field]) => {
      const mark = required.includes(name) ? '' : '?';
      const unit = field['x-unit'] ? ` ${field['x-unit']}` : '';
      const preset = field.default === undefined ? '' : `  = ${JSON.stringify(field.default)}`;
      const words = field.description ? `  // ${field.description}` : '';
      return `${indent}  ${name}${mark}: ${describe(field, schemas, depth + 1, seen)}${unit}${preset}${words}`;
    });
    return `{\n${lines.join('\n')}\n${indent}}`;
  }
  const type = Array.isArray(schema.type) ? schema.type.join(' | ') : (schema.type ?? 'any');
  return schema.format ? `${type} (${schema.format})` : type;
}

function parametersTable(parameters, schemas) {
  const rows = parameters.map((parameter) =>
    element(
      'tr',
      {},
      element('td', {}, element('code', {}, parameter.name)),
      element('td', {}, parameter.in),
      element('td', {}, element('code', {}, describe(parameter.schema, schemas))),
      element(
        'td',
        {},
        parameter.schema.default === undefined ? '' : `= ${JSON.stringify(parameter.schema.default)}`,
      ),
      element('td', {}, parameter.description ?? ''),
    ),
  );
  const head = element(
    'tr',
    {},
    ...['Name', 'In', 'Type', 'Default', ''].map((text) => element('th', {}, text)),
  );
  return element('table', {}, element('thead', {}, head), element('tbody', {}, ...rows));
}

function accessWords(access) {
  if (access.kind === 'workspace') return `${access.role} of the workspace of the ${access.of}`;
  if (access.kind === 'organization') return `${access.role} of the organization`;
  return {
    public: 'everybody',
    signedIn: 'signed in',
    signedAddress: 'who has the address',
    own: 'own things',
  }[access.kind];
}

function fill(inside, operation, schemas) {
  inside.append(
    element('p', { class: 'about' }, `${operation.operationId} · ${accessWords(operation['x-access'])}`),
  );
  if (operation.parameters)
    inside.append(element('h3', {}, 'Parameters'), parametersTable(operation.parameters, schemas));
  for (const [type, { schema }] of Object.entries(operation.requestBody?.content ?? {}))
    inside.append(element('h3', {}, `Body: ${type}`), element('pre', {}, describe(schema, schemas)));
  inside.append(element('h3', {}, 'Answers'));
  for (const [status, response] of Object.entries(operation.responses)) {
    inside.append(element('p', {}, element('strong', {}, status), ` ${response.description}`));
    if (status.startsWith('2'))
      for (const { schema } of Object.values(response.content ?? {}))
        inside.append(element('pre', {}, describe(schema, schemas)));
  }
}

function card(path, method, operation, schemas) {
  const summary = element(
    'summary',
    {},
    element('span', { class: 'method' }, method.toUpperCase()),
    element('code', {}, path),
    element('span', { class: 'about' }, operation.summary),
  );
  if (operation['x-extension']) summary.append(element('span', { class: 'badge' }, 'extension'));
  const inside = element('div', { class: 'inside' });
  const made = element('details', { class: 'operation', id: operation.operationId }, summary, inside);
  made.addEventListener('toggle', () => {
    if (made.open && inside.childElementCount === 0) fill(inside, operation, schemas);
  });
  const fields = describe({ ...operation.requestBody?.content?.['application/json']?.schema }, schemas);
  const names = (operation.parameters ?? []).map(({ name }) => name).join(' ');
  made.dataset.text =
    `${path} ${method} ${operation.operationId} ${operation.summary} ${names} ${fields}`.toLowerCase();
  return made;
}

const answer = await fetch('/api/openapi.json');
const openapi = await answer.json();
const schemas = openapi.components.schemas;
document.querySelector('#about').textContent = `Version ${openapi.info.version}. ${openapi.info.description}`;
const main = document.querySelector('#operations');
const byTag = new Map();
for (const [path, methods] of Object.entries(openapi.paths)) {
  for (const [method, operation] of Object.entries(methods)) {
    const tag = operation.tags[0];
    if (!byTag.has(tag)) byTag.set(tag, element('section', {}, element('h2', {}, tag)));
    byTag.get(tag).append(card(path, method, operation, schemas));
  }
}
main.append(...byTag.values());

const search = document.querySelector('#search');
const show = () => {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const section of main.children) {
    let some = false;
    for (const operation of section.querySelectorAll('.operation')) {
      operation.hidden = !words.every((word) => operation.dataset.text.includes(word));
      if (!operation.hidden) count += 1;
      some ||= !operation.hidden;
    }
    section.hidden = !some;
  }
  document.querySelector('#count').textContent = `${count} operations`;
};
search.addEventListener('input', show);
show();
if (location.hash) document.getElementById(location.hash.slice(1))?.setAttribute('open', '');
