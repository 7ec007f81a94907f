import { isAlias, isMap, isNode, isScalar, parseDocument as parseYaml, visit } from 'yaml'
import { ContractError, contractError } from '../contract-error.js'
import { isArray, isObject, type JsonValue } from '../json.js'
import { joinPointer } from '../json-pointer.js'
import { mostNested, readJsonSource } from './json-source.js'
import { lineFinder } from './source-positions.js'

/** Maximum number of YAML aliases, counted after expansion. */
const aliasesMost = 1000

/**
 * Parses a document in JSON or YAML 1.2.
 * @param text the content of the file
 * @param name the file name; its extension selects the format
 * @throws ContractError with line and column when the text is invalid or contains values that JSON does not
 *   support
 */
export function parseDocument(text: string, name: string): JsonValue {
  const content = text.replace(/^\uFEFF/, '')
  if (/^\s*$/.test(content)) throw contractError('', 'is empty')
  if (/^\s*</.test(content)) throw contractError('', 'is HTML or XML, not JSON or YAML')
  const value = parsed(content, name)
  checkValues(value)
  return value
}

function parsed(content: string, name: string): JsonValue {
  if (/\.ya?ml$/i.test(name)) return parsedYaml(content)
  try {
    return JSON.parse(content) as JsonValue
  } catch (cause) {
    if (!/\.json$/i.test(name) && !/^\s*[[{]/.test(content)) return parsedYaml(content)
    const { fault } = readJsonSource(content)
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw notReadable(content, fault?.offset, `is not valid JSON: ${fault?.message ?? reason}`, cause)
  }
}

function parsedYaml(content: string): JsonValue {
  const document = parseYaml(content, { version: '1.2', merge: true, uniqueKeys: true, prettyErrors: false })
  const [error] = document.errors
  if (error) {
    const isSeveral = error.code === 'MULTIPLE_DOCS'
    const message = isSeveral
      ? 'contains several YAML documents: keep one'
      : `is not valid YAML: ${error.message}`
    throw notReadable(content, error.pos[0], message, error)
  }
  const problem = noJson(document)
  if (problem) throw notReadable(content, problem.offset, problem.message)
  try {
    return document.toJS({ maxAliasCount: aliasesMost }) as JsonValue
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw contractError('', `is not usable YAML: ${reason}`, { cause })
  }
}

function notReadable(
  content: string,
  offset: number | undefined,
  message: string,
  cause?: unknown,
): ContractError {
  const position = offset === undefined ? {} : { position: lineFinder(content)(offset) }
  return new ContractError([{ pointer: '', message, ...position }], { cause })
}

/** Finds YAML values that JSON does not support, such as keys that are not strings. */
function noJson(
  document: ReturnType<typeof parseYaml>,
): { readonly message: string; readonly offset: number | undefined } | undefined {
  let problem: ReturnType<typeof noJson>
  visit(document, {
    Pair: (_, { key }) => {
      if (isScalar(key) ? typeof key.value === 'object' : isMap(key) || isAlias(key)) {
        problem = {
          message: 'has a key that is not a string',
          offset: isNode(key) ? key.range?.[0] : undefined,
        }
        return visit.BREAK
      }
      return undefined
    },
    Scalar: (_, { value, range }) => {
      if (typeof value !== 'number' || Number.isFinite(value)) return undefined
      problem = { message: `contains the number ${value}, which JSON does not support`, offset: range?.[0] }
      return visit.BREAK
    },
  })
  return problem
}

/** A value and the path to it. */
interface Step {
  readonly value: JsonValue | undefined
  readonly depth: number
  readonly token: string | number
  readonly parent: Step | undefined
}

/** Rejects infinite numbers and extreme nesting. A YAML alias may contain itself. */
function checkValues(root: JsonValue): void {
  const waiting: Step[] = [{ value: root, depth: 0, token: '', parent: undefined }]
  for (let step = waiting.pop(); step; step = waiting.pop()) {
    const { value, depth } = step
    if (depth > mostNested) {
      const start = pointerTo(step).split('/').slice(0, 4).join('/')
      throw refused(start, `is nested more than ${mostNested} levels deep, or contains itself`)
    }
    if (typeof value === 'number' && !Number.isFinite(value)) {
      throw refused(pointerTo(step), 'is too large a number: no program can read it back')
    }
    if (!isArray(value) && !isObject(value)) continue
    for (const [token, inner] of Object.entries(value)) {
      if (typeof inner === 'object' || typeof inner === 'number') {
        waiting.push({ value: inner, depth: depth + 1, token, parent: step })
      }
    }
  }
}

function refused(pointer: string, message: string): ContractError {
  return new ContractError([{ pointer, message, rule: 'not-readable' }])
}

function pointerTo(step: Step): string {
  const tokens: (string | number)[] = []
  for (let here = step; here.parent; here = here.parent) tokens.push(here.token)
  return joinPointer('#', ...tokens.reverse())
}
