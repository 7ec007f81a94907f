import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml'
import { type LintFinding, lintRules } from '../../contract/index.js'
import { folderOf } from '../document-argument.js'
import { UsageError } from '../io.js'
import { printable } from '../printable.js'
import { coverageRules } from './lint-coverage.js'

/** Name of the configuration file that is read next to a document. */
export const lintConfigName = 'concordat-lint.yaml'

/** A rule that is turned off, everywhere or at one place, with a reason. */
export interface Exception {
  readonly rule: string
  /** A JSON pointer, prefixed with the file name for other files. Undefined means everywhere. */
  readonly at: string | undefined
  readonly reason: string
}

/** Returns true if an exception covers a finding: the same rule, at its place or inside it. */
export function isExcepted({ rule, pointer }: LintFinding, exception: Exception): boolean {
  if (rule !== exception.rule) return false
  const { at } = exception
  return at === undefined || pointer === at || pointer.startsWith(`${at}/`)
}

/**
 * Reads the exceptions of a configuration file.
 * @param path the given file; undefined reads the one next to the document, if any
 * @param source the document
 * @throws UsageError when the file cannot be read, or an exception has an unknown rule or no reason
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
    return refuse(0, 'expected a list "off" of {rule, at, reason}')
  }
  return off.items.map((item) => {
    const start = (item as { range?: readonly number[] }).range?.[0]
    if (!isMap(item)) return refuse(start, 'expected an object {rule, at, reason}')
    const text = (name: string): string | undefined => {
      const value = item.get(name)
      return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
    }
    for (const { key } of item.items) {
      const name = isScalar(key) ? String(key.value) : ''
      if (!['rule', 'at', 'reason'].includes(name))
        refuse(start, `unknown member "${name}": use rule, at and reason`)
    }
    const rule = text('rule')
    const reason = text('reason')
    if (rule === undefined) return refuse(start, 'the member "rule" is missing')
    if (![...lintRules, ...coverageRules].some(({ name }) => name === rule)) {
      return refuse(start, `unknown rule "${rule}": "concordat lint --rules" lists all rules`)
    }
    if (reason === undefined) return refuse(start, `the exception for "${rule}" has no "reason": add it`)
    return { rule, at: text('at'), reason }
  })
}
