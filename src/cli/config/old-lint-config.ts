import { readFile } from 'node:fs/promises'
import { parse } from 'yaml'
import { UsageError } from '../io.js'
import { printable } from '../printable.js'
import type { RuleSetting } from './config-content.js'

/** The file that `concordat.config.yaml` replaces. The next version will not read it. */
export const oldConfigName = 'concordat-lint.yaml'

/**
 * Reads the severities of a `concordat-lint.yaml` next to a document.
 * @param path the file
 * @param warn reports how to move the entries
 * @throws UsageError when the file is not a list "off" of {rule, at, reason}
 */
export async function readOldLintConfig(
  path: string,
  warn: (line: string) => void,
): Promise<readonly RuleSetting[] | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  warn(
    `${oldConfigName} is deprecated: move its entries to lint.rules in concordat.config.yaml, with severity: off`,
  )
  const refuse = (reason: string, cause?: unknown): never => {
    throw new UsageError(`${oldConfigName}: ${printable(reason)}`, { cause })
  }
  const entries: unknown = (() => {
    try {
      return (parse(text) as { readonly off?: unknown } | null)?.off
    } catch (cause) {
      return refuse(cause instanceof Error ? (cause.message.split('\n')[0] ?? '') : String(cause), cause)
    }
  })()
  if (!Array.isArray(entries) || !entries.every(isEntry))
    return refuse('expected a list "off" of {rule, at, reason}')
  return entries.map((entry) => ({ ...entry, severity: 'off' }))
}

function isEntry(value: unknown): value is Omit<RuleSetting, 'severity'> {
  if (typeof value !== 'object' || value === null) return false
  const { rule, reason, at = '', ...others } = value as Readonly<Record<string, unknown>>
  const isText = (text: unknown) => typeof text === 'string' && text.trim() !== ''
  return isText(rule) && isText(reason) && typeof at === 'string' && Object.keys(others).length === 0
}
