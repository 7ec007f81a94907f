import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import { main } from '../../../src/cli/main.js'
import { temporaryFolder } from '../../support/temporary-folder.js'
import { startDeployment } from '../../unit/judge/run/deployment.js'
import { library } from '../../unit/judge/run/library.js'
import { libraryContract } from '../../unit/judge/run/library-contract.js'

/** Scenarios about a library that are wrong of it: each must fail, with the output that lies beside them. */
const scenarios = fileURLToPath(new URL('./scenarios/', import.meta.url))
export const outputs = fileURLToPath(new URL('./outputs/', import.meta.url))

/** Ids of the scenarios. */
export async function mustFailIds(): Promise<readonly string[]> {
  const files = await readdir(scenarios, { recursive: true })
  return files
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => file.slice(0, -5))
    .sort()
}

/** Runs one scenario alone, and gives its exit code and what it printed of the failure; times and paths are left out. */
export async function runMustFail(
  t: Test,
  id: string,
): Promise<{ readonly code: number; readonly text: string }> {
  const contract = join(await temporaryFolder(t), 'library.json')
  await writeFile(contract, JSON.stringify(libraryContract))
  const answers = {
    book: ({ params: [number] }: { readonly params: readonly unknown[] }) => {
      if (number === 13) return { error: { code: -32002, message: 'Closed' } }
      return { result: number === 1 ? { title: 'Emma', shelf: 2 } : null }
    },
  }
  const { url } = await startDeployment(t, library(answers))
  const out: string[] = []
  const io = { out: (line: string) => out.push(line), err: (line: string) => out.push(line), env: {} }
  const code = await main(
    ['conform', url, '--contract', contract, '--scenarios', scenarios, '--replay', id],
    io,
  )
  // The output around the failure is the same for every run.
  const text = (/^ {2}✗ [\s\S]*?\n\n/m.exec(out.join('\n'))?.[0] ?? out.join('\n'))
    .replaceAll(contract, 'CONTRACT')
    .replaceAll(scenarios, 'SCENARIOS/')
    .replaceAll(/\d+ (?:ms|s)\b/g, 'TIME')
  return { code, text: `${text.trimEnd()}\n` }
}

/** The output that a scenario must print. */
export function expectedOutput(id: string): Promise<string> {
  return readFile(join(outputs, `${id.replace('/', '--')}.txt`), 'utf8')
}
