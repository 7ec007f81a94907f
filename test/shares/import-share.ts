import { readdirSync } from 'node:fs'
import { join, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import fc from 'fast-check'
import '../support/plain-children.js'
import { keepCompiledMetaSchema } from './compiled-meta-schema.js'

const unit = fileURLToPath(new URL('../unit/', import.meta.url))

/**
 * Files that need a process of their own: V8 keeps one stack for regular expressions, and how much of it a pattern
 * takes depends on what the process has compiled before.
 */
const alone: ReadonlySet<string> = new Set(['openrpc-json/scalars.test.ts'])

/** Files that take seconds, the slowest first: they are dealt out before the others, so that shares end together. */
const slow: readonly string[] = [
  'codegen/conformance-soundness.test.ts',
  'contract/formats.test.ts',
  'gateway/usage/usage.test.ts',
  'codegen/member-order.test.ts',
  'server/service-settings.test.ts',
  'cli/lint.test.ts',
  'codegen/random-documents.test.ts',
  'cli/conform-secrets.test.ts',
  'cli/conform-options.test.ts',
  'conformance/run/evidence.test.ts',
  'cli/conform.test.ts',
  'codegen/emit-client.test.ts',
  'client/time-and-abort.test.ts',
  'cli/conform-suite.test.ts',
  'cli/diff.test.ts',
]

const shares = 3

/**
 * Runs a share of the unit tests in this process: starting one for each of them takes longer than they do. There is one
 * share more than processors on a small machine: a quarter of the time a share waits for programs that it started.
 */
export async function importShare(number: 1 | 2 | 3): Promise<void> {
  // The same values each time: FC_SEED=… asks others.
  fc.configureGlobal({ seed: Number(process.env['FC_SEED'] ?? 20261121) })
  keepCompiledMetaSchema()
  const others = readdirSync(unit, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll(sep, '/'))
    .filter((file) => file.endsWith('.test.ts') && !alone.has(file) && !slow.includes(file))
    .sort()
  for (const [at, file] of [...slow, ...others].entries()) {
    // 1, 2, 3, 3, 2, 1, and again: the slowest goes to each in turn.
    const round = at % (2 * shares)
    const share = round < shares ? round + 1 : 2 * shares - round
    if (share === number) await import(pathToFileURL(join(unit, file)).href)
  }
}
