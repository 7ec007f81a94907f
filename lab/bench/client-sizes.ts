import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { build, type Plugin } from 'esbuild'
import { generateFiles, parseContract } from '../../src/toolkit/codegen/index.js'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** The measured programs, by name. Each exports what an application uses. */
const programs = {
  'ours, all methods': "export { createClient, isRpcError } from '@concordat/node-access'",
  'ours, decoded': "export { createClient, isRpcError, quantities } from '@concordat/node-access'",
  'ours, contracts':
    "export { createClient, isRpcError } from '@concordat/node-access'; export * from '@concordat/node-access/contracts'",
  'ours, failover': "export { createFailoverClient } from '@concordat/node-access/failover'",
  'ours, two methods': "export { createClient, isRpcError } from 'two-methods'",
  'ours, two methods, plain': "export { createPlainClient, isRpcError } from 'two-methods'",
  'viem, all methods': "export { createPublicClient, http } from 'viem'",
  'viem, one method':
    "export { createClient, http } from 'viem'; export { getBlockNumber } from 'viem/actions'",
  'ethers, all methods': "export { JsonRpcProvider } from 'ethers'",
  'web3.js, all methods': "export { Web3 } from 'web3'",
  '@open-rpc/client-js, untyped':
    "export { Client, HTTPTransport, RequestManager } from '@open-rpc/client-js'",
} as const

/** The name of a measured program. */
export type Program = keyof typeof programs

/** The size of each program in bytes: bundled by esbuild for browsers, minified and compressed by gzip. */
export async function clientSizes(): Promise<Readonly<Record<Program, number>>> {
  const sizes = Object.keys(programs).map(async (name) => [name, await clientSize(name as Program)])
  return Object.fromEntries(await Promise.all(sizes))
}

/** The size of one program in bytes. */
export async function clientSize(program: Program): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents: programs[program], resolveDir: root, loader: 'ts' },
    tsconfig: join(root, 'tsconfig.json'),
    plugins: [twoMethods],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    write: false,
    logLevel: 'error',
  })
  const [bundle] = outputFiles
  return (await promisify(gzip)(bundle?.contents ?? '', { level: 9 })).length
}

/** Resolves the module `two-methods` to the generated client of a contract that has only two of the methods. */
const twoMethods: Plugin = {
  name: 'two-methods',
  setup({ onResolve, onLoad }) {
    const namespace = 'generated'
    onResolve({ filter: /^two-methods$/ }, ({ path }) => ({ path, namespace }))
    onLoad({ filter: /.*/, namespace }, async () => {
      const contents = await clientOf(['eth_getBlockByNumber', 'eth_getBalance'])
      return { contents, loader: 'ts', resolveDir: root }
    })
  },
}

async function clientOf(names: readonly string[]): Promise<string> {
  const document = JSON.parse(await readFile(join(root, 'openrpc.json'), 'utf8'))
  const methods = document.methods.filter(({ name }: { readonly name: string }) => names.includes(name))
  const contract = parseContract(JSON.stringify({ ...document, methods }))
  const files = generateFiles(contract, { name: 'concordat', version: '1.0.0' })
  const client = files.find(({ path }) => path === 'client.ts')
  if (client === undefined) throw new Error('no client was generated')
  return client.content
}
