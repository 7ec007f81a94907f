import { isAlias, isMap, isNode, isScalar, parseDocument as parseYaml, visit } from 'yaml'
import { ContractError, contractError } from '../contract-error.js'
import { isArray, isObject, type JsonValue } from '../json.js'
import { joinPointer } from '../json-pointer.js'
import { mostNested, readJsonSource } from './json-source.js'
import { lineFinder } from './source-position.js'

/** How often aliases of a YAML document may be used, each counted with what it stands for. */
const aliasesMost = 1000

/**
 * A document from its text: JSON, or YAML 1.2 where the name says so or the text is no JSON.
 * @param name the file's name, for its ending
 * @throws ContractError with line and column where it is neither, or holds what JSON cannot say
 */
export function parseDocument(text: string, name: string): JsonValue {
  const content = text.replace(/^\uFEFF/, '')
  if (/^\s*$/.test(content)) throw contractError('', 'is empty')
  if (/^\s*</.test(content)) throw contractError('', 'is HTML or XML, and no JSON or YAML')
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
    throw notReadable(content, fault?.offset, `is no JSON: ${fault?.message ?? reason}`, cause)
  }
}

function parsedYaml(content: string): JsonValue {
  const document = parseYaml(content, { version: '1.2', merge: true, uniqueKeys: true, prettyErrors: false })
  const [error] = document.errors
  if (error) {
    const isSeveral = error.code === 'MULTIPLE_DOCS'
    const message = isSeveral ? 'holds several documents: keep one' : `is no YAML: ${error.message}`
    throw notReadable(content, error.pos[0], message, error)
  }
  const problem = noJson(document)
  if (problem) throw notReadable(content, problem.offset, problem.message)
  try {
    return document.toJS({ maxAliasCount: aliasesMost }) as JsonValue
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw contractError('', `is no YAML that can be used: ${reason}`, { cause })
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

/** What JSON has no word for: keys that are no text, numbers that are none. */
function noJson(
  document: ReturnType<typeof parseYaml>,
): { readonly message: string; readonly offset: number | undefined } | undefined {
  let problem: ReturnType<typeof noJson>
  visit(document, {
    Pair: (_, { key }) => {
      if (isScalar(key) ? typeof key.value === 'object' : isMap(key) || isAlias(key)) {
        problem = { message: 'has a key that is no text', offset: isNode(key) ? key.range?.[0] : undefined }
        return visit.BREAK
      }
      return undefined
    },
    Scalar: (_, { value, range }) => {
      if (typeof value !== 'number' || Number.isFinite(value)) return undefined
      problem = { message: `has the number ${value}, which JSON cannot say`, offset: range?.[0] }
      return visit.BREAK
    },
  })
  return problem
}

/** A value and the way to it. */
interface Step {
  readonly value: JsonValue | undefined
  readonly depth: number
  readonly token: string | number
  readonly parent: Step | undefined
}

/** Numbers that became infinite, and depths that nobody writes by hand: a YAML alias may stand for what holds it. */
function checkValues(root: JsonValue): void {
  const waiting: Step[] = [{ value: root, depth: 0, token: '', parent: undefined }]
  for (let step = waiting.pop(); step; step = waiting.pop()) {
    const { value, depth } = step
    if (depth > mostNested) {
      const start = pointerTo(step).split('/').slice(0, 4).join('/')
      throw refused(
        start,
        `has more than ${mostNested} objects and lists inside each other, or refers to itself`,
      )
    }
    if (typeof value === 'number' && !Number.isFinite(value)) {
      throw refused(pointerTo(step), 'is a number that is too large: no program could read it back')
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
