import { createRequire } from 'node:module'
import { _ } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { sampleText } from './sample-file.js'
import { formats } from './setting-formats.js'
import type { SettingSchema } from './setting-schema.js'
import { allSettings, membersOf, reloadableHelp, type Setting } from './setting-tree.js'
import { settingsSchema } from './settings-schema.js'

/** ajv's standalone module is CommonJS whose default export is not typed for ES modules. */
const standalone = createRequire(import.meta.url)('ajv/dist/standalone') as (
  ajv: Ajv2020,
  exported: Readonly<Record<string, string>>,
) => string

/** The files generated from the settings schema, by their paths in the repository. */
export function settingsArtifacts(): Readonly<Record<string, string>> {
  return {
    'src/service/gateway/app/config/settings-validator.ts': validatorText(),
    'deploy/concordat.schema.json': `${JSON.stringify(forEditors(settingsSchema), null, 2)}\n`,
    'deploy/concordat.yaml': sampleText(),
    'docs/settings.md': documentText(),
  }
}

/** The validator as code, so that the service compiles no schema at run time. */
function validatorText(): string {
  const ajv = new Ajv2020({
    allErrors: true,
    useDefaults: true,
    formats,
    code: { source: true, esm: true, formats: _`formats` },
  })
  ajv.addVocabulary(['x-unit', 'x-variable', 'x-text', 'x-none', 'x-reload', 'x-sample', 'x-temporary'])
  ajv.addSchema(settingsSchema, 'settings')
  const code = standalone(ajv, { validateSettings: 'settings' })
    .replace('"use strict";', '')
    .replaceAll('require("ajv/dist/runtime/ucs2length").default', '(text) => [...text].length')
  return `// Generated from settings-schema.ts by \`npm run generate\`. Do not edit.
// @ts-nocheck
import { formats } from './setting-formats.js'

${code.trim()}
`
}

/** The schema for editors, with the contract's networks, and the short forms of values. */
function forEditors(schema: SettingSchema): object {
  const { items, properties, additionalProperties, propertyNames, ...rest } = schema
  const { 'x-text': text, 'x-none': none, 'x-sample': sample, 'x-temporary': temporary, ...said } = rest
  const members = membersOf(schema).map(([name, member]) => [name, forEditors(member)] as const)
  const isClosed = members.length > 0
  const own = {
    ...said,
    ...(items === undefined ? {} : { items: forEditors(items) }),
    ...(isClosed ? { properties: Object.fromEntries(members), additionalProperties: false } : {}),
    ...(isClosed || !additionalProperties ? {} : { additionalProperties: forEditors(additionalProperties) }),
  }
  const isFree = schema.type === 'string' && schema.enum === undefined && schema.minLength === undefined
  if (isFree || (schema.type === 'object' && text === undefined)) return own
  // Short forms: a list as text with commas, a node as its URL, any value as `${NAME}`.
  const { description, ...form } = own
  const isText = schema.type === 'array' || schema.type === 'object'
  return { description, anyOf: [form, { type: 'string', ...(isText ? {} : { pattern: '\\$\\{\\w+\\}' }) }] }
}

const shown = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
const code = (value: unknown) => (value === undefined ? '' : `\`${shown(value)}\``)

/** The values that a setting accepts. */
function valuesOf({ type, enum: words, 'x-unit': unit, ...schema }: SettingSchema): string {
  if (words !== undefined) return words.map(code).join(', ')
  if (type === 'array') return 'list'
  if (type === 'object') return 'object'
  if (type === 'string')
    return schema.minLength === undefined ? 'text' : `text, ${schema.minLength} characters or more`
  return `${schema.minimum} to ${schema.maximum} ${unit}`
}

const defaultOf = ({ default: usual }: SettingSchema) => (Array.isArray(usual) ? '' : code(usual))

function row(names: readonly string[], schema: SettingSchema): string {
  const cells = [...names.map(code), valuesOf(schema), defaultOf(schema), code(schema.examples?.[0])]
  return `| ${[...cells, schema.description].join(' | ')} |`
}

const columns = (first: string) => `| ${first} | values | default | example | description |`

/** Every setting, by groups. */
function documentText(): string {
  const groups = new Map<string, Setting[]>()
  for (const setting of allSettings) {
    const group = setting.path.length > 1 ? (setting.path[0] ?? '') : ''
    groups.set(group, [...(groups.get(group) ?? []), setting])
  }
  const tables = [...groups].map(([group, settings]) => {
    const { description } = group === '' ? { description: '' } : groupSchema(group)
    const rows = settings.map(({ path, variable, schema }) => row([path.join('.'), variable], schema))
    return [
      ...(group === '' ? [] : [`## ${group}`, '', description, '']),
      columns('setting | variable'),
      '|---|---|---|---|---|---|',
      ...rows,
    ].join('\n')
  })
  const node = settingsSchema.properties.nodes.additionalProperties.items
  const ofNode = membersOf(node).map(([name, schema]) => row([name], schema))
  return `<!-- Generated from src/service/gateway/app/config/settings-schema.ts by \`npm run generate\`. Do not edit. -->
# Settings

\`concordat serve --config FILE\` reads a YAML or JSON file, and every command of the service reads the environment.

- **Order**: an option of the command line wins over the environment, and the environment over the file. An empty variable is not set.
- **Names**: \`CONCORDAT_\` and the name in the file in upper case is the variable, except where the table shows another one. Lists are separated by commas there.
- **Secrets**: \`\${NAME}\` in the file is replaced by the variable \`NAME\`. Problems and logs never repeat the values of secrets.
- **Mistakes**: the service lists every problem of its settings in one message and does not start.
- **SIGHUP** reads the file again: ${reloadableHelp(code)}.
- **Editors** check and complete the file with the first line \`# yaml-language-server: $schema=./concordat.schema.json\`. The schema is \`deploy/concordat.schema.json\`.

${tables.join('\n\n')}

## A node

In the file, a node is its URL or an object:

${columns('member')}
|---|---|---|---|---|
${ofNode.join('\n')}
`
}

const groupSchema = (name: string): SettingSchema =>
  (settingsSchema.properties as Readonly<Record<string, SettingSchema>>)[name] ?? settingsSchema
