import { readFile, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml'
import { type LintFinding, lintRules } from '../../contract/index.js'
import { UsageError } from '../io.js'
import { printable } from '../printable.js'
import { coverageRules } from './lint-coverage.js'

/** The file of exceptions that is looked for beside a document. */
export const lintConfigName = 'concordat-lint.yaml'

/** A rule that is turned off, everywhere or at a place, and why. */
export interface Exception {
  readonly rule: string
  /** A JSON pointer, with the file's name in front where it is another one; undefined for everywhere. */
  readonly at: string | undefined
  readonly reason: string
}

/** True where an exception covers a problem: its rule, at its place or inside it. */
export function isExcepted({ rule, pointer }: LintFinding, exception: Exception): boolean {
  if (rule !== exception.rule) return false
  const { at } = exception
  return at === undefined || pointer === at || pointer.startsWith(`${at}/`)
}

/**
 * The exceptions of a configuration file.
 * @param path as it was given; undefined for the one beside the document, where there is one
 * @throws UsageError where it cannot be read, names an unknown rule, or gives no reason
 */
export async function readLintConfig(
  path: string | undefined,
  source: string,
): Promise<readonly Exception[]> {
  const beside = join(await folderOf(source), lintConfigName)
  const text = await readFile(path ?? beside, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    if (path === undefined && cause.code === 'ENOENT') return undefined
    throw new UsageError(`${path ?? beside}: cannot be read (${cause.code})`, { cause })
  })
  return text === undefined ? [] : exceptionsOf(text, path ?? lintConfigName)
}

/** The folder that a document lies in. */
export async function folderOf(source: string): Promise<string> {
  if (source === '-') return process.cwd()
  const path = resolve(source)
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
  return isFolder ? path : dirname(path)
}

function exceptionsOf(text: string, file: string): readonly Exception[] {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines })
  const refuse = (offset: number | undefined, message: string): never => {
    const { line, col } = lines.linePos(offset ?? 0)
    throw new UsageError(`${file}:${Math.max(line, 1)}:${Math.max(col, 1)}: ${printable(message)}`)
  }
  const [error] = document.errors
  if (error) refuse(error.pos[0], error.message.split('\n')[0] ?? '')
  const off = document.get('off', true)
  if (!isMap(document.contents) || !isSeq(off)) {
    return refuse(0, 'a list "off" of {rule, at, reason} is expected')
  }
  return off.items.map((item) => {
    const start = (item as { range?: readonly number[] }).range?.[0]
    if (!isMap(item)) return refuse(start, 'an object {rule, at, reason} is expected')
    const text = (name: string): string | undefined => {
      const value = item.get(name)
      return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
    }
    for (const { key } of item.items) {
      const name = isScalar(key) ? String(key.value) : ''
      if (!['rule', 'at', 'reason'].includes(name))
        refuse(start, `"${name}" is not known: rule, at and reason are`)
    }
    const rule = text('rule')
    const reason = text('reason')
    if (rule === undefined) return refuse(start, 'the member "rule" is missing')
    if (![...lintRules, ...coverageRules].some(({ name }) => name === rule)) {
      return refuse(start, `there is no rule "${rule}"; "concordat lint --rules" lists them`)
    }
    if (reason === undefined) return refuse(start, `why is "${rule}" off? The member "reason" is missing`)
    return { rule, at: text('at'), reason }
  })
}
