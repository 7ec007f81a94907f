import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type Scalar,
  type YAMLMap,
} from 'yaml'
import { type JsonValue, joinPointer } from '../../toolkit/contract/index.js'
import { yamlErrors } from './yaml-errors.js'

/** A position in a text. Line and column start at 1. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** Returns the position of a member's value or name, by its JSON pointer in fragment form. */
export type Locate = (pointer: string, part?: 'name' | 'value') => Position

/** The content of a YAML text as JSON. `problems` is empty if all of it could be read. */
export interface YamlText {
  readonly value: JsonValue | undefined
  readonly locate: Locate
  readonly problems: readonly (Position & { readonly message: string })[]
}

/**
 * Maximum number of values in a file, with aliases expanded: anchors could turn a few lines into billions of
 * values.
 */
const MOST_VALUES = 20_000

/**
 * Parses a YAML 1.2 text with one document as JSON. Values whose JSON form would differ from their appearance
 * are rejected.
 */
export function readYaml(text: string): YamlText {
  const lines = new LineCounter()
  const position = (offset: number): Position => {
    const { line, col } = lines.linePos(offset)
    return { line: Math.max(line, 1), column: Math.max(col, 1) }
  }
  const source = text.startsWith('\uFEFF') ? text.slice(1) : text
  const document = parseDocument(source, {
    lineCounter: lines,
    prettyErrors: false,
    stringKeys: true,
    intAsBigInt: true,
    resolveKnownTags: false,
    logLevel: 'error',
  })
  const errors = yamlErrors(document, source)
  if (errors.length > 0) {
    const problems = errors.map(({ offset, message }) => ({ ...position(offset), message }))
    return { value: undefined, locate: () => position(0), problems }
  }
  const reading = readValues(document)
  return {
    value: reading.problems.length > 0 ? undefined : reading.value,
    locate: (pointer, part = 'value') => position(offsetOf(reading.places, pointer, part)),
    problems: reading.problems.map(({ offset, message }) => ({ ...position(offset), message })),
  }
}

interface Place {
  readonly name: number
  readonly value: number
}

/** Returns the offset of a pointer. A missing member has the offset of its closest existing container. */
function offsetOf(places: ReadonlyMap<string, Place>, pointer: string, part: 'name' | 'value'): number {
  for (let at = pointer; ; at = at.slice(0, at.lastIndexOf('/'))) {
    const place = places.get(at)
    if (place !== undefined) return at === pointer ? place[part] : place.name
    if (!at.includes('/')) return 0
  }
}

interface Reading {
  readonly document: Document
  readonly places: Map<string, Place>
  readonly problems: { readonly offset: number; readonly message: string }[]
  /** Anchored nodes that are being read. A node inside itself would never end. */
  readonly open: Set<Node>
  values: number
}

function readValues(document: Document) {
  const reading: Reading = { document, places: new Map(), problems: [], open: new Set(), values: 0 }
  const value = readNode(document.contents, '#', { reading, start: 0, name: 0 })
  return { value, places: reading.places, problems: reading.problems }
}

interface Reader {
  readonly reading: Reading
  /** Offset of the value, for nodes without a position. */
  readonly start: number
  /** Offset of the name. */
  readonly name: number
}

function readNode(node: Node | null, pointer: string, { reading, start, name }: Reader): JsonValue {
  const { problems } = reading
  const offset = node?.range?.[0] ?? start
  if (!reading.places.has(pointer)) reading.places.set(pointer, { name, value: offset })
  reading.values++
  if (reading.values > MOST_VALUES) {
    if (reading.values === MOST_VALUES + 1) {
      problems.push({ offset, message: `more than ${MOST_VALUES} values, aliases included; make it smaller` })
    }
    return null
  }
  if (isAlias(node)) return readAlias(node, pointer, { reading, start: offset, name })
  if (isMap(node)) return readMap(node, pointer, reading)
  if (isSeq<Node>(node)) {
    return node.items.map((item, at) => {
      const place = item.range?.[0] ?? offset
      return readNode(item, joinPointer(pointer, at), { reading, start: place, name: place })
    })
  }
  return isScalar(node) ? readScalar(node, offset, problems) : null
}

function readAlias(alias: Alias, pointer: string, reader: Reader): JsonValue {
  const { reading, start } = reader
  const target = alias.resolve(reading.document)
  if (target === undefined || reading.open.has(target)) {
    const why = target === undefined ? 'there is no earlier anchor of that name' : 'it refers to itself'
    reading.problems.push({ offset: start, message: `"*${alias.source}" has no target: ${why}` })
    return null
  }
  reading.open.add(target)
  const value = readNode(target, pointer, reader)
  reading.open.delete(target)
  return value
}

function readMap(map: YAMLMap, pointer: string, reading: Reading): JsonValue {
  const anchored = map.anchor !== undefined
  if (anchored) reading.open.add(map)
  const members = map.items.map(({ key, value }) => {
    const name = isScalar(key) ? String(key.value) : ''
    const offset = isScalar(key) ? (key.range?.[0] ?? 0) : 0
    const place = joinPointer(pointer, name)
    const reader = { reading, start: offset, name: offset }
    const node = value as Node | null
    if (node === null || (isScalar(node) && node.value === null && node.source === '')) {
      const message = `"${name}" has no value; write null if null is intended`
      reading.problems.push({ offset, message })
    }
    return [name, readNode(node, place, reader)] as const
  })
  if (anchored) reading.open.delete(map)
  return Object.fromEntries(members)
}

function readScalar(
  scalar: Scalar,
  offset: number,
  problems: { readonly offset: number; readonly message: string }[],
): JsonValue {
  const { value, source = '' } = scalar
  if (value === null || typeof value === 'string') return value
  const refuse = (message: string) => {
    problems.push({ offset, message })
    return null
  }
  if (typeof value === 'boolean') {
    return /^(true|false)$/i.test(source)
      ? value
      : refuse(`write true or false, or '${source}' for the string`)
  }
  const number = Number(value)
  if (!/^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(source) || !Number.isFinite(number)) {
    return refuse(
      `${source} is not a JSON number, but YAML reads it as one: write '${source}' for the string`,
    )
  }
  if (Number.isInteger(number) && !Number.isSafeInteger(number)) {
    return refuse(`${source} is beyond 2^53 - 1, where numbers lose digits: write '${source}' for the string`)
  }
  return number
}
