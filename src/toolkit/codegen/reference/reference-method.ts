import {
  arrayMember,
  type Contract,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  type Method,
  member,
  objectMember,
  stringMember,
} from '../../contract/index.js'
import { isPlain, pathOf } from '../emit/member-paths.js'
import { descriptorTexts, methodWords } from '../emit/method-doc.js'
import type { Source } from '../generated-file.js'
import { access } from '../text.js'
import { code } from '../types/note-text.js'
import { schemaNotes } from '../types/schema-notes.js'
import { createTypeWriter, type TypeWriter } from '../types/type-writer.js'
import { anchor, prose, proseLine, table } from './markdown.js'
import { quantityText } from './quantity-text.js'
import { exampleText } from './reference-example.js'
import { sentences, typeCell, typeDetails } from './reference-objects.js'

/** A part of a method's reference: heading and Markdown. */
export interface Part {
  readonly heading: string
  readonly text: string
}

/**
 * Returns a method's section of the page: what it does, one request with its answer, then parameters, result, errors,
 * limits, rules, links, properties, and further examples.
 */
export function methodSection(source: Source, method: Method): string {
  const { lead, parts } = methodParts(source, method)
  const [first, ...others] = method.examples.map((example) => exampleText(method, example))
  const sections = [
    { heading: 'Example', text: first ?? '' },
    ...parts,
    { heading: 'More examples', text: others.join('\n') },
  ]
  return [
    `### ${proseLine(method.name)}\n`,
    lead,
    // Bold text instead of headings: their anchors would clash with those of the chapters.
    ...sections.filter(({ text }) => text !== '').map(({ heading, text }) => `**${heading}**\n\n${text}`),
  ]
    .filter((text) => text !== '')
    .join('\n')
}

/** Returns what a method does, which may be empty, and the parts of its reference. Empty parts are dropped. */
function methodParts(
  source: Source,
  method: Method,
): { readonly lead: string; readonly parts: readonly Part[] } {
  const lead = [
    method.deprecated ? '**Deprecated.**\n' : '',
    ...methodWords(method).map((text) => `${prose(text).trim()}\n`),
  ]
  const parts = [
    { heading: 'Parameters', text: params(source, method) },
    { heading: 'Result', text: result(source, method) },
    { heading: 'Errors', text: errors(source, method) },
    { heading: 'Limits', text: limits(source.contract, method) },
    { heading: 'Rules', text: rules(source.contract, method) },
    { heading: 'Links', text: links(source.contract, method) },
    { heading: 'Properties', text: facts(source, method) },
  ]
  return { lead: joined(lead), parts: parts.filter(({ text }) => text !== '') }
}

/** Describes how parameters are passed, the property path in clients, tags and scalar extensions. */
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
        `${proseLine(name.slice(2).replaceAll('-', ' '))}${value === true ? '' : ` ${code(String(value))}`}`,
    ),
  ]
  const line = words.filter((word) => word !== '').join('; ')
  return line === '' ? '' : `${line.charAt(0).toUpperCase()}${line.slice(1)}.\n`
}

function params(source: Source, method: Method): string {
  const writer = createTypeWriter(source.contract, source.names)
  const rows = method.params.map((param, at) => [
    code(param.name),
    method.paramStructure === 'by-name' ? '' : String(at),
    typeCell(writer, param.schema),
    param.required ? 'yes' : param.default === undefined ? 'no' : `no, default ${jsonCode(param.default)}`,
    descriptorWords(param, param.default),
  ])
  return joined([
    table(['Parameter', 'Position', 'Type', 'Required', 'Description'], rows),
    typeDetails(
      writer,
      method.params.map(({ name, schema }) => [name, schema]),
    ),
  ])
}

const jsonCode = (value: JsonValue) => code(JSON.stringify(value))

/**
 * Describes a content descriptor and the constraints of its schema.
 * @param shownDefault a default that is shown elsewhere
 */
function descriptorWords(descriptor: NonNullable<Method['result']>, shownDefault?: JsonValue): string {
  const { deprecated, schema } = descriptor
  const defaultNote = shownDefault === undefined ? '' : `Default: ${jsonCode(shownDefault)}.`
  const notes = schemaNotes(schema.schema).filter((note) => note !== defaultNote)
  return sentences([deprecated ? 'Deprecated.' : '', ...descriptorTexts(descriptor), ...notes])
}

function result({ contract, names }: Source, method: Method): string {
  if (!method.result) return 'A notification: it has no result.\n'
  const writer = createTypeWriter(contract, names)
  const type = typeCell(writer, method.result.schema)
  const says = descriptorWords(method.result)
  const line = says === '' ? type : `${type}. ${says}`
  return joined([
    `${line.charAt(0).toUpperCase()}${line.slice(1)}\n`,
    typeDetails(writer, [['', method.result.schema]]),
  ])
}

/** Describes the errors specific to the method. Errors of every method are described in one place. */
function errors({ contract, names }: Source, method: Method): string {
  const writer = createTypeWriter(contract, names)
  const everywhere = contract.methods.length > 1 ? errorsOfAll(contract.methods) : []
  const own = method.errors.filter((error) => !declares(everywhere, error))
  const rows = own.map(({ key, code: number, message, data, description }) => [
    code(key),
    String(number),
    proseLine(message),
    data ? typeCell(writer, data) : '',
    proseLine(description ?? ''),
  ])
  const common = `hose of every method](#${anchor('Errors')}).\n`
  return joined([
    table(['Error', 'Code', 'Message', 'Data', 'Description'], rows),
    dataDetails(writer, own),
    everywhere.length === 0 ? '' : own.length === 0 ? `[T${common}` : `And [t${common}`,
  ])
}

/** Shows the types of error data that are too long for a table. */
export function dataDetails(writer: TypeWriter, errors: Method['errors']): string {
  return typeDetails(
    writer,
    errors.flatMap(({ key, data }) => (data ? [[key, data] as const] : [])),
  )
}

/** Joins non-empty Markdown blocks. */
const joined = (blocks: readonly string[]) => blocks.filter((text) => text !== '').join('\n')

/** Describes the links of a method: target and parameters. */
function links({ methods }: Contract, { links: list }: Method): string {
  const lines = list.map(({ name, summary, description, method, params: values }) => {
    const isThere = methods.some((each) => each.name === method)
    const says = description ?? summary
    const target = isThere ? `[${code(method)}](#${anchor(method)})` : code(method)
    const given = Object.keys(values).length === 0 ? '' : ` with ${jsonCode(values)}`
    return `- ${code(name)}: ${says === undefined ? '' : `${sentence(proseLine(says))} `}Calls ${target}${given}.\n`
  })
  return lines.join('')
}

const sentence = (text: string) => (/[.!?:]$/.test(text) ? text : `${text}.`)

/** Returns the errors that every method declares. */
function errorsOfAll(methods: Contract['methods']): Method['errors'] {
  const [first, ...others] = methods
  return (first?.errors ?? []).filter((error) => others.every((method) => declares(method.errors, error)))
}

function declares(errors: Method['errors'], { key }: Method['errors'][number]): boolean {
  return errors.some((error) => error.key === key)
}

/** Lists the limits (`x-limits`) that the words or the rules of a method name. */
function limits({ info }: Contract, method: Method): string {
  const texts = [
    ...methodWords(method),
    ...rulesOf(info, method).map(({ rule }) => stringMember(rule ?? {}, 'text')),
  ]
  const rows = Object.entries(objectMember(info, 'x-limits')).flatMap(([name, limit]) => {
    const value = isObject(limit) ? member(limit, 'value') : undefined
    if (!isObject(limit) || typeof value !== 'number') return []
    if (!texts.some((text) => text?.includes(`\`${name}\``))) return []
    const unit = stringMember(limit, 'unit') ?? ''
    return [
      [
        code(name),
        proseLine(quantityText({ value, unit })),
        proseLine(stringMember(limit, 'description') ?? ''),
      ],
    ]
  })
  return table(['Limit', 'Value', 'Description'], rows)
}

function rules({ info }: Contract, method: Method): string {
  return rulesOf(info, method)
    .map(({ id, rule }) => `- ${code(id)}${ruleText(rule)}\n`)
    .join('')
}

/** Returns the rules that a method names in `x-rules`; a rule is undefined if the contract does not state it. */
function rulesOf(
  info: JsonObject,
  { extensions }: Method,
): readonly { readonly id: string; readonly rule: JsonObject | undefined }[] {
  const ids = extensions['x-rules']
  if (!isArray(ids)) return []
  const known = new Map(
    arrayMember(info, 'x-rules').flatMap((rule) =>
      isObject(rule) ? [[stringMember(rule, 'id'), rule] as const] : [],
    ),
  )
  return ids.map((id) => ({ id: String(id), rule: known.get(String(id)) }))
}

/** Formats a rule as " (section 4.1, advisory): text". Missing facts are left out. */
function ruleText(rule: JsonObject | undefined): string {
  if (rule === undefined) return ''
  const section = stringMember(rule, 'section')
  const isAdvisory = stringMember(rule, 'level') === 'advisory'
  const facts = [section && `section ${section}`, isAdvisory && 'advisory'].filter(Boolean).join(', ')
  return `${facts && ` (${proseLine(facts)})`}: ${proseLine(stringMember(rule, 'text') ?? '')}`
}
