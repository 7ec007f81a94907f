import { readdir, readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { isArray, isObject, type JsonValue, member } from '../../toolkit/contract/index.js'
import { containsTest } from '../expect/matcher.js'
import type { Effect } from '../report/index.js'
import type { RawStep, Scenario } from '../scenario/scenario.js'
import { ScenarioError, type ScenarioProblem } from '../scenario/scenario-error.js'

/** A request and its response, as written in a file. */
interface Exchange {
  readonly request: string
  readonly answer: string
}

/** The content of a file. */
interface IoFile {
  /** The comment at the start of the file. */
  readonly comment: string
  /** Only the form of values is compared. */
  readonly specOnly: boolean
  readonly exchanges: readonly Exchange[]
}

/**
 * Loads the tests in `.io` files of a folder: lines `// why`, `>> request` and `<< answer`. Each becomes a
 * case `io/<folder>/<name>` that sends the requests byte for byte. Responses are compared as in hive's
 * rpc-compat: all JSON except error messages. After a comment `speconly:`, only the members and types of a
 * result are compared.
 *
 * @param effectOf returns the effect that the contract declares for a method
 * @throws ScenarioError with every line that cannot be read, or if the folder has no such file
 */
export async function loadIo(
  folder: string,
  effectOf: (method: string) => Effect,
): Promise<readonly Scenario[]> {
  const files = await ioFiles(folder)
  const problems: ScenarioProblem[] = []
  const scenarios: Scenario[] = []
  for (const file of files) {
    const read = readIo(await readFile(file, 'utf8'), file)
    if ('problems' in read) problems.push(...read.problems)
    else scenarios.push(scenarioOf(read, file, folder, effectOf))
  }
  if (files.length === 0) {
    problems.push({
      file: folder,
      line: 1,
      column: 1,
      message: 'this folder has no file whose name ends in .io',
    })
  }
  if (problems.length > 0) throw new ScenarioError(problems)
  return scenarios
}

async function ioFiles(folder: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true })
    return entries
      .filter((entry) => entry.isFile() && entry.name.endsWith('.io'))
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause)
    const message = `this folder cannot be read (${code}); use a folder with .io files`
    throw new ScenarioError([{ file: folder, line: 1, column: 1, message }])
  }
}

function readIo(text: string, file: string): IoFile | { readonly problems: readonly ScenarioProblem[] } {
  const problems: ScenarioProblem[] = []
  const comment: string[] = []
  const exchanges: Exchange[] = []
  let request: { readonly text: string; readonly line: number } | undefined
  const lines = text.split(/\r?\n/)
  for (const [index, line] of lines.entries()) {
    const problem = (message: string) => {
      const column = line.length - line.trimStart().length + 1
      problems.push({ file, line: index + 1, column, message })
    }
    const [, mark, content = ''] = /^\s*(\/\/|>>|<<)\s*(.*?)\s*$/.exec(line) ?? []
    if (mark === undefined) {
      if (line.trim() !== '') problem('a line begins with //, >> or <<')
    } else if (mark === '//') {
      if (exchanges.length === 0 && request === undefined) comment.push(content)
    } else if (!isJson(content)) problem(`the text after ${mark} is not JSON`)
    else if (mark === '>>') {
      if (request !== undefined) problem(`the request of line ${request.line} has no answer before this one`)
      request = { text: content, line: index + 1 }
    } else if (request === undefined) problem('an answer comes before its request')
    else {
      exchanges.push({ request: request.text, answer: content })
      request = undefined
    }
  }
  if (problems.length === 0 && (request !== undefined || exchanges.length === 0)) {
    const message = request === undefined ? 'this file has no request' : 'this request has no answer'
    problems.push({ file, line: request?.line ?? 1, column: 1, message })
  }
  if (problems.length > 0) return { problems }
  return { comment: comment.join(' '), specOnly: comment.some((line) => /^speconly:/.test(line)), exchanges }
}

function scenarioOf(
  { comment, specOnly, exchanges }: IoFile,
  file: string,
  folder: string,
  effectOf: (method: string) => Effect,
): Scenario {
  const name = relative(folder, file).split(sep).join('/').replace(/\.io$/, '')
  const methods = exchanges.flatMap(({ request }) => methodsOf(JSON.parse(request) as JsonValue))
  return {
    id: `io/${name}`,
    group: 'io',
    scenario: comment.replace(/^speconly:\s*/, '') || `${name} returns the recorded answer.`,
    rules: [],
    effect: methods.map(effectOf).find((effect) => effect !== 'read') ?? 'read',
    networks: [],
    needs: [],
    after: [],
    followsHead: false,
    alone: false,
    builtIn: false,
    origin: 'file',
    steps: exchanges.map((exchange) => stepOf(exchange, specOnly)),
    source: { file, line: 1 },
  }
}

function stepOf({ request, answer }: Exchange, specOnly: boolean): RawStep {
  const expected = JSON.parse(answer) as JsonValue
  const result = isObject(expected) ? member(expected, 'result') : undefined
  const body =
    specOnly && isObject(expected) && result !== undefined
      ? { $has: { ...(literal(withoutResult(expected)) as object), result: formOf(result) } }
      : literal(expected)
  return {
    kind: 'raw',
    body: [{ text: escaped(request) }],
    headers: {},
    verb: undefined,
    path: undefined,
    key: undefined,
    expect: { body },
    tolerate: [],
    inconclusive: [],
    capture: {},
    captureHeader: {},
    repeatUntil: undefined,
  }
}

function withoutResult(answer: JsonValue): JsonValue {
  return Object.fromEntries(Object.entries(answer ?? {}).filter(([name]) => name !== 'result'))
}

/**
 * Returns a literal expectation in which error messages can be any string, because they differ between node
 * implementations.
 */
function literal(value: JsonValue): JsonValue {
  if (containsTest(value)) return { $is: escapedAll(value) }
  if (isArray(value)) return value.map(literal)
  if (!isObject(value)) return escapedAll(value)
  return Object.fromEntries(
    Object.entries(value).map(([name, item = null]) => [
      escaped(name),
      name === 'error' && isObject(item) && typeof item['message'] === 'string'
        ? { ...(literal(item) as object), message: { $type: 'string' } }
        : literal(item),
    ]),
  )
}

/**
 * Returns an expectation of a value's members and types. Null stands for an absent member, which may be
 * present now.
 */
function formOf(value: JsonValue): JsonValue {
  if (value === null) return { $not: { $absent: true } }
  if (isArray(value)) {
    const [first] = value
    return first === undefined ? { $type: 'array' } : { $type: 'array', $each: formOf(first) }
  }
  if (!isObject(value)) return { $type: typeof value }
  const members = Object.entries(value).map(([name, item = null]) => [escaped(name), formOf(item)])
  return members.length === 0 ? { $type: 'object' } : { $has: Object.fromEntries(members) as JsonValue }
}

function escapedAll(value: JsonValue): JsonValue {
  if (typeof value === 'string') return escaped(value)
  if (isArray(value)) return value.map(escapedAll)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item = null]) => [escaped(name), escapedAll(item)]),
  )
}

/** Escapes `$`, because these files have no variables. */
function escaped(text: string): string {
  return text.replaceAll('${', () => '$${')
}

function methodsOf(request: JsonValue): readonly string[] {
  if (isArray(request)) return request.flatMap(methodsOf)
  const method = isObject(request) ? member(request, 'method') : undefined
  return typeof method === 'string' ? [method] : []
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
