import {
  arrayMember,
  type Contract,
  extensionMembers,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
  stringMember,
} from '../../contract/index.js'
import type { Source } from '../generated-file.js'
import { code } from '../types/note-text.js'
import { createTypeWriter } from '../types/type-writer.js'
import { dataText, prose, proseLine, table } from './markdown.js'
import { dataDetails } from './reference-method.js'
import { typeCell } from './reference-objects.js'

/**
 * A chapter of the reference: heading and Markdown. The Markdown is empty if the contract has no content for
 * it.
 */
export interface Chapter {
  readonly heading: string
  readonly text: string
}

/** Describes the servers of the contract and their variables. */
export function serversText({ servers: list }: Contract): string {
  const rows = list.map(({ name, url, summary, description, variables }) => [
    proseLine(name ?? ''),
    code(url),
    proseLine(description ?? summary ?? ''),
    Object.entries(variables)
      .map(([key, variable]) => variableText(key, variable))
      .join('; '),
  ])
  return table(['Name', 'URL', 'Description', 'Variables'], rows)
}

function variableText(name: string, variable: JsonValue | undefined): string {
  if (!isObject(variable)) return code(name)
  const preset = stringMember(variable, 'default')
  const description = stringMember(variable, 'description')
  const words = [description && proseLine(description), preset && `default ${code(preset)}`]
  return `${code(name)}: ${words.filter(Boolean).join(' ')}`
}

/** Describes every error of the contract and the methods that declare it. */
export function errorsText({ contract, names }: Source): string {
  const writer = createTypeWriter(contract, names)
  const hasStatus = contract.errors.some(({ httpStatus }) => httpStatus !== undefined)
  const rows = contract.errors.map((error) => [
    code(error.key),
    String(error.code),
    ...(hasStatus ? [String(error.httpStatus ?? 200)] : []),
    proseLine(error.message),
    proseLine(error.description ?? ''),
    error.data ? typeCell(writer, error.data) : '',
    used(error, contract.methods),
  ])
  const details = dataDetails(writer, contract.errors)
  const list = table(
    ['Name', 'Code', ...(hasStatus ? ['HTTP'] : []), 'Message', 'Description', 'Data', 'Methods'],
    rows,
  )
  return details === '' ? list : `${list}\n${details}`
}

function used({ key }: Contract['errors'][number], methods: Contract['methods']): string {
  const users = methods.filter(({ errors }) => errors.some((error) => error.key === key))
  if (users.length === methods.length) return 'all'
  return users.length > 6 ? `${users.length} methods` : users.map(({ name }) => code(name)).join(', ')
}

const initials = /\b(?:http|api|url|json|rpc)\b/g

/**
 * Returns one chapter for each extension of the info object, in their order, with their declared
 * descriptions.
 */
export function extensionChapters({ document, info }: Contract): readonly Chapter[] {
  return Object.entries(extensionMembers(info)).map(([name, value]) => {
    const declared = arrayMember(document, 'x-extensions').find(
      (extension) => isObject(extension) && member(extension, 'name') === name,
    )
    const says = isObject(declared)
      ? [stringMember(declared, 'summary'), stringMember(declared, 'description')].filter(Boolean).join(' ')
      : ''
    const words = name
      .slice(2)
      .replaceAll('-', ' ')
      .replaceAll(initials, (word) => word.toUpperCase())
    const heading = words.charAt(0).toUpperCase() + words.slice(1)
    const lead = says === '' ? '' : `${prose(says)}\n\n`
    return { heading, text: `${lead}${extensionText(value)}` }
  })
}

/** Returns true for a JSON Schema, which is shown as JSON. */
function isSchemaLike(value: JsonObject): boolean {
  return ['type', 'properties', '$ref', 'oneOf', 'anyOf', 'allOf'].some((word) => Object.hasOwn(value, word))
}

/**
 * Formats a sentence as prose and scalars or lists of scalars as code. Returns undefined for deeper values.
 */
function shortText(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'string' && value.includes(' ')) return proseLine(value)
  if (!isArray(value)) return isObject(value) ? undefined : code(String(value))
  const deep = value.some((item) => isArray(item) || isObject(item))
  return deep ? undefined : value.map((item) => code(String(item))).join(', ')
}

/** Formats an extension as a table, or as one section for each member if the members differ in kind. */
function extensionText(value: JsonValue): string {
  const asTable = dataText(value)
  if (!isObject(value) || !asTable.startsWith('```') || isSchemaLike(value)) return asTable
  const parts = Object.entries(value)
  const short = parts.filter(([, part]) => shortText(part) !== undefined)
  const rows = short.map(([name, part]) => [code(name), shortText(part) ?? ''])
  const others = parts.filter(([, part]) => shortText(part) === undefined)
  return [
    table(['Name', 'Value'], rows),
    ...others.map(([name, part]) => `**${code(name)}**\n\n${extensionText(part ?? null)}`),
  ]
    .filter((text) => text !== '')
    .join('\n')
}
