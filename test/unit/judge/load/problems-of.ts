import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { loadScenarios, ScenarioError } from '../../../../src/judge/index.js'
import { temporaryFolder } from '../../../support/temporary-folder.js'

type Teardown = Parameters<typeof temporaryFolder>[0]

/** A new folder with these files. */
export async function folderOf(
  t: Teardown,
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<string> {
  const folder = await temporaryFolder(t)
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
  return folder
}

/** The problems of files as `file:line:column: message`; empty when they load. */
export async function problemsOf(
  t: Teardown,
  files: Readonly<Record<string, string | Uint8Array>>,
  builtIn = false,
): Promise<readonly string[]> {
  const folder = await folderOf(t, files)
  try {
    await loadScenarios(folder, { builtIn })
    return []
  } catch (error) {
    if (!(error instanceof ScenarioError)) throw error
    return error.problems.map(({ file, line, column, message }) => {
      const name = file.replace(`${folder}/`, '').replace(folder, '.')
      return `${name}:${line}:${column}: ${message.replaceAll(folder, '.')}`
    })
  }
}

/** A case that can fail. The test adds lines to its step. */
export function caseWith(lines: string): string {
  const indented = lines.split('\n').map((line) => `    ${line}\n`)
  return `scenario: It holds.\nsteps:\n  - call: first\n    expect: { result: null }\n  - call: second\n${indented.join('')}`
}
