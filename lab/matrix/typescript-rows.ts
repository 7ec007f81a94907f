import { readFileSync } from 'node:fs'
import type { Expectation, Row } from './row.js'

/** Supported versions of the TypeScript compiler, the newest last. */
export const typescriptVersions = ['5.4', '5.5', '5.6', '5.7', '5.8', '5.9', '6.0', '7.0'] as const

/** The newest one, which is a dependency of the project. */
export const newestTypescript = typescriptVersions[7]

/** The package of each version, under a name of its own. */
export const typescriptPackages: readonly string[] = typescriptVersions.map(
  (version) => `typescript-${version}@npm:typescript@~${version}.2`,
)

/** Its types are those of the contract, which an error of the compiler proves. */
const calls = `const client = createClient(process.env['RPC_URL'] ?? '', { fetch: createNodeFetch() })
// @ts-expect-error: the contract has no such method
const unknown = () => client.eth_nothing()
void unknown
const abi = [{ type: 'function', name: 'number', stateMutability: 'view', inputs: [], outputs: [{ type: 'uint256' }] }] as const
const seed = { abi, address: '0x5fbdb2315678afecb367f032d93f642f64180aa3' } as const
// @ts-expect-error: the ABI has no such function
void (() => readContract(client, { ...seed, functionName: 'nothing' }))
const value: Promise<bigint> = readContract(client, { ...seed, functionName: 'number' })
const block: Promise<Block | null> = client.eth_getBlockByNumber('0x925', false)
Promise.all([block, value]).then(([one, found]) => console.log(\`block \${Number(one?.number)}, \${found}\`))
`

const importing = `import { createClient } from '@concordat/node-access'
import { readContract } from '@concordat/node-access/contracts'
import { createNodeFetch } from '@concordat/node-access/node'
import type { Block } from '@concordat/node-access-contract/types'
${calls}`

const requiring = `import nodeAccess = require('@concordat/node-access')
import node = require('@concordat/node-access/node')
import contracts = require('@concordat/node-access/contracts')
import contract = require('@concordat/node-access-contract/types')
type Block = contract.Block
const { createClient } = nodeAccess
const { createNodeFetch } = node
const { readContract } = contracts
${calls}`

/** What a CommonJS file needs where the compiler refuses to require ES modules. */
const mode = "with { 'resolution-mode': 'import' }"
const awaiting = `import type { Block } from '@concordat/node-access-contract/types' ${mode}
async function main() {
const { createClient } = await import('@concordat/node-access')
const { createNodeFetch } = await import('@concordat/node-access/node')
const { readContract } = await import('@concordat/node-access/contracts')
${calls}}
main()
`

const typeTest = (name: string) =>
  readFileSync(new URL(`../../test/types/${name}.ts`, import.meta.url), 'utf8').replace(
    'expect.js',
    'expect.mjs',
  )
/** The test of the types of contracts, as ES modules. */
const typeTests = { 'contracts.mts': typeTest('contracts'), 'expect.mts': typeTest('expect') }

const works: Expectation = { kind: 'works', output: 'block 2341, 7' }

const refusesRequire: Expectation = {
  kind: 'cannot',
  reason: 'the compiler refuses to `require` an ES module (TS1479)',
  output: 'TS1479',
  instead: 'use `await import(…)`, as in the next row, or `module: nodenext` from 5.8',
}

const withoutNodeModules: Expectation = {
  kind: 'cannot',
  reason: 'it does not look into node_modules',
  output: "Cannot find module '@concordat/node-access'",
  instead: 'use another `moduleResolution`',
}

/** A way to resolve modules, and what becomes of a file. */
interface Way {
  readonly moduleResolution: string
  readonly module: string
  readonly file: 'use.mts' | 'use.cts'
  /** What the form says of the file. */
  readonly shown: string
  readonly text: string
  /** The versions that have it; all by default. */
  readonly from?: number
  readonly to?: number
  readonly expected: (version: number) => Expectation
}

const es = { file: 'use.mts', shown: 'ES module', text: importing, expected: () => works } as const
const commonJs = { file: 'use.cts', shown: 'CommonJS file', text: importing, expected: () => works } as const
const dynamic = { file: 'use.cts', shown: 'CommonJS file with `await import(…)`', text: awaiting } as const

const ways: readonly Way[] = [
  { ...es, module: 'esnext', moduleResolution: 'classic', to: 6, expected: () => withoutNodeModules },
  { ...es, module: 'esnext', moduleResolution: 'node10', to: 6 },
  { ...commonJs, module: 'commonjs', moduleResolution: 'node10', to: 6 },
  { ...es, module: 'node16', moduleResolution: 'node16' },
  { ...commonJs, module: 'node16', moduleResolution: 'node16', expected: () => refusesRequire },
  { ...dynamic, module: 'node16', moduleResolution: 'node16', expected: () => works },
  { ...es, module: 'nodenext', moduleResolution: 'nodenext' },
  {
    ...{ ...commonJs, module: 'nodenext', moduleResolution: 'nodenext' },
    expected: (version) => (version < 5.8 ? refusesRequire : works),
  },
  { ...dynamic, module: 'nodenext', moduleResolution: 'nodenext', to: 5.7, expected: () => works },
  { ...es, module: 'esnext', moduleResolution: 'bundler' },
  {
    ...{ ...commonJs, module: 'preserve', moduleResolution: 'bundler' },
    ...{ shown: 'CommonJS file with `import … = require(…)`', text: requiring },
  },
  { ...commonJs, module: 'commonjs', moduleResolution: 'bundler', from: 6 },
]

/** Every way to resolve modules that a version of the compiler has. */
export const typescriptRows: readonly Row[] = typescriptVersions.flatMap((version) => {
  const number = Number(version)
  const known = ways.filter(({ from = 0, to = Number.POSITIVE_INFINITY }) => from <= number && number <= to)
  return known.map(({ module, moduleResolution, file, shown, text, expected }): Row => {
    const isDeprecated = number === 6 && ['classic', 'node10'].includes(moduleResolution)
    const compilerOptions = {
      ...{ target: 'es2022', strict: true, types: ['node'], rootDir: '.', outDir: 'out' },
      ...{ module, moduleResolution, ...(isDeprecated && { ignoreDeprecations: '6.0' }) },
    }
    const tests = file === 'use.mts' ? typeTests : {}
    const files = [file, ...Object.keys(tests)]
    return {
      ...{ tool: 'TypeScript', version, install: ['@types/node@20', 'ox@^0.14.67', ...typescriptPackages] },
      form: `\`${moduleResolution}\` with \`module: ${module}\`, ${shown}`,
      files: { [file]: text, ...tests, 'tsconfig.json': JSON.stringify({ compilerOptions, files }) },
      command: `node ../node_modules/typescript-${version}/bin/tsc -p . && node out/${file.replace('ts', 'js')}`,
      expected: expected(number),
    }
  })
})
