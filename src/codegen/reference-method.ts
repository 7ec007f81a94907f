import {
  arrayMember,
  type Contract,
  type ExamplePairing,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  type Method,
  stringMember,
} from '../contract/index.js'
import type { Source } from './generated-file.js'
import { anchor, codeBlock, jsonText, prose, proseLine, table } from './markdown.js'
import { isPlain, pathOf } from './member-paths.js'
import { methodWords } from './method-doc.js'
import { typeCell } from './reference-objects.js'
import { code, schemaNotes } from './schema-notes.js'
import { createTypeWriter } from './schema-type.js'
import { access } from './text.js'

/** A method's part of the page: parameters, result, errors, rules, examples. */
export function methodSection(source: Source, method: Method): string {
  return [
    `### ${proseLine(method.name)}\n`,
    methodText(source, method),
    ...method.examples.map((example) => exampleText(method, example)),
  ].join('\n')
}

/** What the contract says of a method, its examples excepted. */
export function methodText(source: Source, method: Method): string {
  const parts = [
    method.deprecated ? '**Deprecated.**\n' : '',
    methodWords(method)
      .map((text) => `${prose(text).trim()}\n`)
      .join('\n'),
    facts(source, method),
    params(source, method),
    result(source, method),
    errors(source.contract, method),
    rules(source.contract, method),
  ]
  return parts.filter((part) => part !== '').join('\n')
}

/** How the method's parameters are passed, where its function stands, and its extensions that are scalars. */
function facts({ paths }: Source, method: Method): string {
  const { params: list, paramStructure, tags, extensions } = method
  const structure = { 'by-name': 'by name', 'by-position': 'by position', either: 'by name or by position' }
  const scalars = Object.entries(extensions).filter(
    ([, value]) => typeof value !== 'object' && value !== false,
  )
  const words = [
    list.length > 0 ? `Parameters ${structure[paramStructure]}` : '',
    isPlain(paths, method) ? '' : `in clients ${code(`client${pathOf(paths, method).map(access).join('')}`)}`,
    tags.length > 0 ? `tags ${tags.map(code).join(', ')}` : '',
    ...scalars.map(
      ([name, value]) =>
        `${name.slice(2).replaceAll('-', ' ')}${value === true ? '' : ` ${code(String(value))}`}`,
    ),
  ]
  const line = words.filter((word) => word !== '').join('; ')
  return line === '' ? '' : `${line.charAt(0).toUpperCase()}${line.slice(1)}.\n`
}

function params(source: Source, method: Method): string {
  const writer = createTypeWriter(source.contract, source.names)
  const rows = method.params.map((param, at) => [
    String(at),
    code(param.name),
    typeCell(writer, param.schema),
    param.required
      ? 'yes'
      : param.default === undefined
        ? 'no'
        : `no, default ${code(JSON.stringify(param.default))}`,
    [param.description ?? param.summary ?? '', schemaNotes(param.schema.schema).join(' ')]
      .map(proseLine)
      .join(' '),
  ])
  return table(['', 'Parameter', 'Type', 'Required', 'Description'], rows)
}

function result({ contract, names }: Source, method: Method): string {
  if (!method.result) return 'A notification: it has no result.\n'
  const type = typeCell(createTypeWriter(contract, names), method.result.schema)
  const says = method.result.description ?? method.result.summary
  return `Result: ${type}${says === undefined ? '' : `. ${proseLine(says)}`}\n`
}

/** The errors that are the method's own; those that every method has are told once. */
function errors({ methods }: Contract, method: Method): string {
  const everywhere = methods.length > 1 ? errorsOfAll(methods) : []
  const own = method.errors.filter((error) => !everywhere.includes(error))
  const words = [
    ...own.map(({ key, code: number }) => `${code(key)} (${number})`),
    everywhere.length > 0 ? `[those of every method](#${anchor('Errors')})` : '',
  ].filter((text) => text !== '')
  return words.length === 0 ? '' : `Errors: ${words.join(', ')}.\n`
}

/** The errors that every method of a contract declares. */
function errorsOfAll(methods: Contract['methods']): Method['errors'] {
  const [first, ...others] = methods
  return (first?.errors ?? []).filter((error) => others.every((method) => method.errors.includes(error)))
}

function rules({ info }: Contract, { extensions }: Method): string {
  const ids = extensions['x-rules']
  if (!isArray(ids)) return ''
  const known = new Map(
    arrayMember(info, 'x-rules').flatMap((rule) =>
      isObject(rule) ? [[stringMember(rule, 'id'), rule] as const] : [],
    ),
  )
  if (ids.length === 0) return ''
  const lines = ids.map((id) => `- ${code(String(id))}${ruleText(known.get(String(id)))}\n`)
  return `Rules:\n\n${lines.join('')}`
}

/** " (section 4.1, advisory): text"; what a rule does not say is left out. */
function ruleText(rule: JsonObject | undefined): string {
  if (rule === undefined) return ''
  const section = stringMember(rule, 'section')
  const isAdvisory = stringMember(rule, 'level') === 'advisory'
  const facts = [section && `section ${section}`, isAdvisory && 'advisory'].filter(Boolean).join(', ')
  return `${facts && ` (${proseLine(facts)})`}: ${proseLine(stringMember(rule, 'text') ?? '')}`
}

/** An example as a person tries it out. */
export interface ShownExample {
  /** What it shows, in one line of Markdown. */
  readonly says: string
  readonly request: JsonValue
  /** A line for a shell, with the service's URL in `$RPC_URL`. */
  readonly curl: string
  /** Undefined for a notification. */
  readonly answer: JsonValue | undefined
}

/** An example with its whole request and answer. */
export function shownExample(method: Method, example: ExamplePairing): ShownExample {
  const id = method.result && { id: 1 }
  const request = { jsonrpc: '2.0', ...id, method: method.name, params: exampleParams(method, example) }
  const answer =
    example.error === undefined ? { result: example.result?.value ?? null } : { error: example.error }
  const body = JSON.stringify(request).replaceAll("'", "'\\''")
  return {
    says: proseLine(example.description ?? example.summary ?? example.name),
    request,
    curl: `curl -s "$RPC_URL" -H 'content-type: application/json' -d '${body}'`,
    answer: method.result ? { jsonrpc: '2.0', id: 1, ...answer } : undefined,
  }
}

function exampleText(method: Method, example: ExamplePairing): string {
  const { says, curl, answer } = shownExample(method, example)
  return [
    `Example: ${says}\n`,
    codeBlock('sh', curl),
    ...(answer === undefined ? [] : [codeBlock('json', jsonText(answer))]),
  ].join('\n')
}

function exampleParams({ paramStructure }: Method, { params: values }: ExamplePairing): JsonValue {
  if (paramStructure !== 'by-name') return values.map(({ value }) => value)
  return Object.fromEntries(values.map(({ name, value }) => [name, value]))
}
