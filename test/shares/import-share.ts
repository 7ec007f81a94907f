import { readdirSync } from 'node:fs'
import { basename, join, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import fc from 'fast-check'
import '../support/plain-children.js'

const unit = fileURLToPath(new URL('../unit/', import.meta.url))

/**
 * Files that need a process of their own: V8 keeps one stack for regular expressions, and how much of it a pattern
 * takes depends on what the process has compiled before.
 */
const alone: ReadonlySet<string> = new Set(['openrpc-json/scalars.test.ts'])

/** Files that take seconds, by name, the slowest first: they are dealt out before the others, so that shares end together. */
const slow: readonly string[] = [
  'rules',
  'refusals',
  'generate-command',
  'evidence',
  'plan-package',
  'extremes',
  'own-contract',
  'reference-html',
  'random-schemas',
  'lease-source',
  'sessions',
].map((name) => `${name}.test.ts`)

function slowness(file: string): number {
  const at = slow.indexOf(basename(file))
  return at < 0 ? slow.length : at
}

const shares = 3

/**
 * Runs a share of the unit tests in this process: starting one for each of them takes longer than they do. There is one
 * share more than processors on a small machine: a quarter of the time a share waits for programs that it started.
 */
export async function importShare(number: 1 | 2 | 3): Promise<void> {
  // The same values each time: FC_SEED=… asks others.
  fc.configureGlobal({ seed: Number(process.env['FC_SEED'] ?? 20261121) })
  const files = readdirSync(unit, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll(sep, '/'))
    .filter((file) => file.endsWith('.test.ts') && !file.endsWith('.process.test.ts') && !alone.has(file))
    .sort((one, other) => slowness(one) - slowness(other) || (one < other ? -1 : 1))
  for (const [at, file] of files.entries()) {
    // 1, 2, 3, 3, 2, 1, and again: the slowest goes to each in turn.
    const round = at % (2 * shares)
    const share = round < shares ? round + 1 : 2 * shares - round
    if (share === number) await import(pathToFileURL(join(unit, file)).href)
  }
}
