import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Contract } from '../../src/toolkit/contract/index.js'
import { filesOf, write } from '../unit/toolkit/codegen/fixtures.js'
import { compiler } from './tsc.js'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** A version of the TypeScript compiler, as major and minor number, and the command that runs it. */
export interface Compiler {
  readonly version: readonly [major: number, minor: number]
  readonly command: readonly [program: string, ...args: string[]]
}

/** The newest compiler, which is installed with the project. */
export const newestCompiler: Compiler = { version: [7, 0], command: [compiler, '--singleThreaded'] }

/** How modules are found: by Node.js, or by a bundler. */
const resolutions = {
  nodenext: { module: 'nodenext', moduleResolution: 'nodenext' },
  bundler: { module: 'esnext', moduleResolution: 'bundler' },
} as const

/** The flags that generated code compiles under, with the version that brought each. */
const flags: Readonly<Record<string, readonly [major: number, minor: number]>> = {
  exactOptionalPropertyTypes: [4, 4],
  noUncheckedIndexedAccess: [4, 1],
  verbatimModuleSyntax: [5, 0],
  isolatedDeclarations: [5, 5],
  erasableSyntaxOnly: [5, 8],
}

/** The flags that a compiler knows. */
export function flagsOf({ version: [major, minor] }: Compiler): readonly string[] {
  return Object.entries(flags).flatMap(([flag, [since, point]]) =>
    major > since || (major === since && minor >= point) ? [flag] : [],
  )
}

/** A project of a user: generated code that finds the packages of this repository as installed packages. */
export interface UserProject {
  readonly folder: string
  /** Compiles all files, declarations of packages included, and returns the errors; `''` when there are none. */
  readonly errors: (
    compiler: Compiler,
    resolution: keyof typeof resolutions,
    flags: readonly string[],
  ) => Promise<string>
  readonly remove: () => Promise<void>
}

/**
 * Writes generated code of contracts, a folder each. The project lies inside the repository, whose node_modules links the
 * built packages.
 */
export async function createUserProject(contracts: ReadonlyMap<string, Contract>): Promise<UserProject> {
  const folder = await mkdtemp(join(root, '.tap', 'user-'))
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  for (const [name, contract] of contracts)
    for (const { path, content } of filesOf(contract))
      await write(folder, { path: `${name}/${path}`, content })
  return {
    folder,
    errors: async ({ version, command }, resolution, chosen) => {
      const compilerOptions = {
        ...{ target: 'es2022', lib: ['es2022'], types: ['node'], strict: true, noEmit: true },
        ...resolutions[resolution],
        ...Object.fromEntries(chosen.map((flag) => [flag, true])),
        ...(chosen.includes('isolatedDeclarations') && { declaration: true }),
      }
      const config = `tsconfig-${version.join('.')}-${resolution}-${chosen.join('-')}.json`
      await writeFile(join(folder, config), JSON.stringify({ compilerOptions, include: ['*/*.ts'] }))
      const [program, ...args] = [...command, '-p', join(folder, config)]
      return promisify(execFile)(program, args, { cwd: folder, maxBuffer: 50_000_000 }).then(
        () => '',
        ({ stdout, stderr, message }: Error & { readonly stdout?: string; readonly stderr?: string }) =>
          `${stdout ?? ''}${stderr ?? ''}` || message,
      )
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}
