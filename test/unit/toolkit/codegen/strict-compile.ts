import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { tsc } from '../../../support/tsc.js'
import { write } from './fixtures.js'

const root = fileURLToPath(new URL('../../../../', import.meta.url))

const compilerOptions = {
  target: 'es2023',
  lib: ['es2023'],
  module: 'nodenext',
  moduleResolution: 'nodenext',
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  noImplicitOverride: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  erasableSyntaxOnly: true,
  noEmit: true,
  typeRoots: [join(root, 'node_modules/@types')],
  types: ['node'],
  paths: {
    '@concordat/client': [join(root, 'src/runtime/client/index.ts')],
    '@concordat/client/web-socket': [join(root, 'src/runtime/client/web-socket/index.ts')],
    '@concordat/rpc': [join(root, 'src/runtime/rpc/index.ts')],
    '@concordat/server': [join(root, 'src/runtime/server/index.ts')],
  },
}

/**
 * The compiler errors of the TypeScript files one folder down, in the strictest mode; empty when there are none.
 * @param more further options of the compiler
 */
export async function strictCompile(
  dir: string,
  more: Readonly<Record<string, boolean>> = {},
): Promise<string> {
  await write(dir, { path: 'package.json', content: '{"type":"module"}' })
  await write(dir, {
    path: 'tsconfig.json',
    content: JSON.stringify({ compilerOptions: { ...compilerOptions, ...more }, include: ['*/*.ts'] }),
  })
  return tsc(['-p', dir])
}

/** True when TypeScript code uses the type `any`. A member or an export may have that name. */
export function usesAny(code: string): boolean {
  const bare = code.replaceAll(/\/\*\*.*?\*\/|\/\/[^\n]*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/gs, '')
  return /[:<|&,(=[]\s*any\b(?!\s*\??:)|\bas any\b(?!,\n)|\bany\[\]/.test(bare)
}
