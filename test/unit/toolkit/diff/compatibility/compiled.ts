import { relative } from 'node:path'
import { tsc } from '../../../../support/tsc.js'
import { write } from '../../codegen/fixtures.js'
import type { Generated } from './proof.js'
import type { Row } from './rows.js'

/**
 * Returns TypeScript that compiles only if code for the old contract works with the generated code of the new one. It
 * has parameters and results with the same types, and the code of the row.
 */
function clientFile({ contract: { methods } }: Generated, code: string | undefined): string {
  const uses = methods.map(
    ({ name, result }) => `
export const ${name}Params: New['${name}'] = null as unknown as Old['${name}']
${result ? `export const ${name}Result: OldResults['${name}'] = null as unknown as NewResults['${name}']` : ''}`,
  )
  return `import type { Client } from './new/client.js'
import type { Params as New, Results as NewResults } from './new/types.js'
import type { Params as Old, Results as OldResults } from './old/types.js'

export declare const client: Client
${uses.join('\n')}
${code === undefined ? '' : useOf(code)}`
}

function useOf(code: string): string {
  return `export async function use() {\n  return ${code}\n}\n`
}

/** Returns TypeScript that compiles only if handlers for the old contract implement the new one. */
function serverFile({ contract: { methods }, methodErrors }: Generated): string {
  const members = methods.map(({ name, params }) => {
    const names = params.map((param) => param.name).join(', ')
    return `  ${name}: ({ ${names} }, ...more) => old.${name}({ ${names} }, ...more),`
  })
  const thrown = Object.entries(methodErrors ?? {}).flatMap(([method, errors]) =>
    Object.keys(errors).map((name) => `methodErrors.${method}.${name}()`),
  )
  return `import type { Handlers as Old } from './old/service.js'
import type { Handlers as New } from './new/service.js'
${thrown.length > 0 ? "import { methodErrors } from './new/errors.js'" : ''}

declare const old: Old
export const handlers: New = {
${members.join('\n')}
}
export const thrown = [${thrown.join(', ')}]
`
}

/**
 * Writes uses of the generated code of a row, for the compiler.
 * @param folder the folder of the row, with the generated code in `old/` and `new/`
 */
export async function writeUses(folder: string, row: Row, old: Generated): Promise<void> {
  await write(folder, { path: 'client.ts', content: clientFile(old, row.clientCode) })
  await write(folder, { path: 'server.ts', content: serverFile(old) })
  if (row.newClientCode === undefined) return
  for (const [path, side] of [
    ['server-lacks.ts', 'old'],
    ['new-client.ts', 'new'],
  ] as const) {
    const content = `import type { Client } from './${side}/client.js'\n\ndeclare const client: Client\n${useOf(row.newClientCode)}`
    await write(folder, { path, content })
  }
}

/** Compiles a folder, and returns the relative paths of files with errors. */
export async function filesWithErrors(folder: string, config: string): Promise<ReadonlyMap<string, string>> {
  await write(folder, {
    path: 'tsconfig.json',
    content: JSON.stringify({
      extends: config,
      compilerOptions: {
        exactOptionalPropertyTypes: false,
        skipLibCheck: true,
        types: [],
        lib: ['es2023', 'dom'],
      },
      include: ['**/*.ts'],
      exclude: [],
    }),
  })
  const output = await tsc(['-p', folder, '--pretty', 'false'])
  const found = new Map<string, string>()
  for (const line of output.split('\n')) {
    const [, file, message] = /^(\S+)\(\d+,\d+\): error (.*)$/.exec(line) ?? []
    if (file === undefined || message === undefined) continue
    const path = relative(folder, file.startsWith('/') ? file : `${process.cwd()}/${file}`)
    if (!found.has(path)) found.set(path, message)
  }
  return found
}
