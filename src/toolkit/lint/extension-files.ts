import { defaultFailures } from '@concordat/server'
import { getExtendedMetaSchema } from '@open-rpc/schema-utils-js'
import { isArray, isObject, type JsonObject, type JsonValue, objectMember } from '../contract/index.js'
import { type OwnExtension, ownExtensions } from './own-extensions.js'

/** Section titles of the guide by object kind, in order. */
const places: Readonly<Record<string, string>> = {
  infoObject: 'Info',
  methodObject: 'Methods',
  errorObject: 'Errors',
  examplePairingObject: 'Examples',
  schemaObject: 'Schemas',
}

/** Generates the extension guide and the editor schema. Keys are paths from the repository root. */
export function extensionFiles(): Readonly<Record<string, string>> {
  return {
    'docs/extensions.md': extensionGuide(),
    'docs/openrpc.schema.json': `${JSON.stringify(editorSchema(), null, 2)}\n`,
  }
}

function extensionGuide(): string {
  const sections = Object.entries(places).map(([kind, title]) => {
    const own = ownExtensions
      .filter(({ kinds }) => kinds.includes(kind))
      .toSorted((one, other) => one.name.localeCompare(other.name))
    return `## ${title}\n\n${own.map(extensionText).join('\n')}`
  })
  return `# Extensions

<!-- Written by \`npm run generate\` from src/toolkit/lint/own-extensions.ts. -->

OpenRPC lets a document have members that begin with \`x-\`. Concordat reads those on this page without a declaration in \`x-extensions\`. \`lint\` checks their form and their place, and finds names that are nearly theirs.

Editors know them by the schema in the package: add \`"$schema": "./node_modules/concordat/docs/openrpc.schema.json"\` to the document.

An extension of your own has any other name. [Declare it](backend.md#look-after-a-contract) in \`x-extensions\`, so that \`lint\` checks its values.

${sections.join('\n')}`
}

function extensionText({ name, words, does, example }: OwnExtension): string {
  return `### ${name}

${does} Form: ${words.replaceAll(/[<>|]/g, '\\$&')}.

\`\`\`json
${JSON.stringify({ [name]: example }, null, 1).replaceAll(/\n\s*/g, ' ')}
\`\`\`
${name === 'x-failures' ? `\n${failureTable()}` : ''}`
}

/** Table of the server's failures with their default code, status and message. */
function failureTable(): string {
  const rows = Object.entries(defaultFailures).map(
    ([name, { code, httpStatus, message }]) => `| \`${name}\` | ${code} | ${httpStatus} | ${message} |`,
  )
  return `The server finds these failures, and answers them so if the document does not name them. Placeholders such as {limit} are filled:

| name | code | HTTP status | message |
|---|---|---|---|
${rows.join('\n')}
`
}

/**
 * Returns the JSON Schema of OpenRPC documents with the built-in extensions and their descriptions. Its only external
 * reference is the draft-07 meta-schema, which editors bundle.
 */
function editorSchema(): JsonObject {
  const meta = withoutFetches(getExtendedMetaSchema() as unknown as JsonObject) as JsonObject
  const definitions = Object.entries(objectMember(meta, 'definitions')).map(([kind, definition]) => {
    if (!isObject(definition)) return [kind, definition]
    const own = ownExtensions.filter(({ kinds }) => kinds.includes(kind))
    const members = own.map(({ name, schema, does, example }) => [
      name,
      { ...(plain(schema) as JsonObject), description: does, examples: [example] },
    ])
    if (members.length === 0) return [kind, definition]
    const properties = { ...objectMember(definition, 'properties'), ...Object.fromEntries(members) }
    return [kind, { ...definition, properties }]
  })
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    ...meta,
    title: 'An OpenRPC document, with the extensions of Concordat',
    definitions: Object.fromEntries(definitions),
  }
}

/** Replaces external references by references to the draft-07 meta-schema. */
function withoutFetches(value: JsonValue): JsonValue {
  if (isArray(value)) return value.map(withoutFetches)
  if (!isObject(value)) return value
  const { $ref } = value
  if (typeof $ref === 'string' && $ref.startsWith('https://meta.json-schema.tools')) {
    const isReference = $ref.endsWith('/properties/$ref')
    return isReference
      ? { type: 'string', format: 'uri-reference' }
      : { $ref: 'http://json-schema.org/draft-07/schema#' }
  }
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withoutFetches(item ?? null)]))
}

/** Removes `x-refers-to`, which only `lint` evaluates. */
function plain(value: JsonValue): JsonValue {
  if (isArray(value)) return value.map(plain)
  if (!isObject(value)) return value
  const { 'x-refers-to': _, ...others } = value
  return Object.fromEntries(Object.entries(others).map(([name, item]) => [name, plain(item ?? null)]))
}
