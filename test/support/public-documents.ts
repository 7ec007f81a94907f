import { existsSync, readdirSync } from 'node:fs'
import { cp, mkdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** OpenRPC documents of other authors. */
export interface PublicDocuments {
  /** Paths of documents in installed packages, present on every machine. */
  readonly installed: readonly string[]
  /** Paths of larger documents beside the repository, where present. Some are incomplete. */
  readonly beside: readonly string[]
}

const folderBeside = fileURLToPath(new URL('../../../shared/corpus', import.meta.url))

/**
 * Copies public documents into a writable folder: those of @open-rpc/examples, a dependency of the mock server, and its
 * own.
 * @param folder an empty folder
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
  // Some documents reference another one by its place in the original project.
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
