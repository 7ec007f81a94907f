import { existsSync, readdirSync } from 'node:fs'
import { cp, mkdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** OpenRPC documents that others have written. */
export interface PublicDocuments {
  /** Paths of those that came with packages which are installed for other tests: on every machine. */
  readonly installed: readonly string[]
  /** Paths of larger ones, which are not ours to keep: where they lie beside the repository. Some are not whole. */
  readonly beside: readonly string[]
}

const folderBeside = fileURLToPath(new URL('../../../shared/corpus', import.meta.url))

/**
 * Copies public documents to where tests may write beside them: those of @open-rpc/examples, which the mock server
 * depends on, and its own.
 * @param folder that is empty
 */
export async function copyPublicDocuments(folder: string): Promise<PublicDocuments> {
  const ofTools = join(folder, 'of-tools')
  await mkdir(ofTools, { recursive: true })
  const installed = installedDocuments().map(({ name, path }) => ({ path, copy: join(ofTools, name) }))
  for (const { path, copy } of installed) await cp(path, copy)
  return { installed: installed.map(({ copy }) => copy), beside: await copyBeside(join(folder, 'beside')) }
}

async function copyBeside(folder: string): Promise<readonly string[]> {
  if (!existsSync(folderBeside)) return []
  await cp(folderBeside, folder, { recursive: true })
  // Some refer to another one as it lies in its own project.
  await cp(folderBeside, join(folder, 'api'), { recursive: true })
  return readdirSync(folderBeside)
    .filter((name) => name.endsWith('.json'))
    .map((name) => join(folder, name))
}

function installedDocuments(): readonly { readonly name: string; readonly path: string }[] {
  const { resolve } = createRequire(import.meta.url)
  const mockServer = resolve('@open-rpc/mock-server/package.json')
  const examples = createRequire(mockServer).resolve('@open-rpc/examples/package.json')
  const folder = join(dirname(examples), 'build/service-descriptions')
  return [
    ...readdirSync(folder).map((name) => ({ name, path: join(folder, name) })),
    { name: 'service-mode.json', path: join(dirname(mockServer), 'build/service-mode-openrpc.json') },
  ]
}
