import { execFile } from 'node:child_process'
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { deadTargets, withPackedTargets } from './packed-links.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const run = promisify(execFile)
const outputBytes = 50_000_000

/** A packed package. */
export interface PackedPackage {
  readonly name: string
  readonly version: string
  /** Path of the archive. */
  readonly archive: string
  /** Size of the archive, in bytes. */
  readonly packedBytes: number
  /** Size of its files, in bytes. */
  readonly unpackedBytes: number
  readonly files: readonly string[]
}

/** What the build reads, and what is published as it is. */
const copied = [
  'bin',
  'conformance',
  'deploy',
  'docs',
  'examples/ci',
  'generated',
  'lab/faults',
  'src',
  'CHANGELOG.md',
  'LICENSE',
  'README.md',
  'SECURITY.md',
  'SUPPORT.md',
  'openrpc.json',
  'package.json',
  'tsconfig.build.json',
  'tsconfig.json',
]

/** Options of {@link packPackages}. */
export interface PackOptions {
  /**
   * True right after `npm run build`: the packages are compiled from its state, which takes a third of the time. False by
   * default, which compiles everything.
   */
  readonly isBuilt?: boolean
}

/**
 * Builds all packages in a copy of this project, without source maps, and packs them. The project's own build stays
 * unchanged.
 * @param destination an existing folder for the archives
 * @returns the packages, those without dependencies first
 */
export async function packPackages(
  destination: string,
  { isBuilt = false }: PackOptions = {},
): Promise<readonly PackedPackage[]> {
  const copy = await mkdtemp(join(tmpdir(), 'concordat-pack-'))
  try {
    const left = isBuilt ? /[\\/]node_modules$|\.map$/ : /[\\/](?:dist|node_modules)$/
    const options = { recursive: true, preserveTimestamps: true, filter: (path: string) => !left.test(path) }
    for (const path of isBuilt ? [...copied, 'dist'] : copied) {
      await cp(join(root, path), join(copy, path), options)
    }
    await symlink(join(root, 'node_modules'), join(copy, 'node_modules'))
    if (isBuilt) await keepBuildState(copy)
    const { workspaces } = await readManifest(copy)
    for (const folder of workspaces) {
      await cp(join(root, 'LICENSE'), join(copy, folder, 'LICENSE'))
      await stateEntries(join(copy, folder, 'package.json'))
    }
    const compiler = join(root, 'node_modules/typescript/bin/tsc')
    await inFolder(copy, process.execPath, [compiler, '-b', 'tsconfig.build.json', '--sourceMap', 'false'])
    await inFolder(copy, process.execPath, ['bin/copy-assets.js'])
    const folders = new Map<string, string>()
    for (const folder of ['.', ...workspaces])
      folders.set((await readManifest(join(copy, folder))).name, join(copy, folder))
    for (const { name, files } of await npmPack(copy, '--dry-run'))
      await rewriteTargets(
        folders.get(name) ?? copy,
        files.map(({ path }) => path),
      )
    const packed = await npmPack(copy, '--pack-destination', destination)
    return packed.map(({ name, version, filename, size, unpackedSize, files }) => ({
      name,
      version,
      archive: join(destination, filename.replace('@', '').replace('/', '-')),
      packedBytes: size,
      unpackedBytes: unpackedSize,
      files: files.map(({ path }) => path),
    }))
  } finally {
    await rm(copy, { recursive: true, force: true })
  }
}

/**
 * Keeps the compiler's state in a copy of this project valid. The state has the paths of packages relative to the project;
 * following the copy's links would change them, and everything would be compiled again.
 * @param copy the folder of the copy, with `dist/` and links to the installed packages
 */
export async function keepBuildState(copy: string): Promise<void> {
  const path = join(copy, 'tsconfig.json')
  const { compilerOptions, ...rest } = JSON.parse(await readFile(path, 'utf8'))
  const changed = { ...rest, compilerOptions: { ...compilerOptions, preserveSymlinks: true } }
  await writeFile(path, JSON.stringify(changed))
}

interface Entries {
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>
}

/**
 * Adds the entries of a package for tools that do not read `exports`: TypeScript with `moduleResolution: node10`, and
 * bundlers of that age.
 * @param path of its package.json
 */
async function stateEntries(path: string): Promise<void> {
  const manifest: Entries = JSON.parse(await readFile(path, 'utf8'))
  const entries = Object.entries(manifest.exports).flatMap(([name, entry]) =>
    typeof entry === 'string' ? [] : [{ name, ...entry }],
  )
  const main = entries.find(({ name }) => name === '.')
  const types = Object.fromEntries(
    entries.filter((entry) => entry !== main).map((entry) => [entry.name.slice('./'.length), [entry.types]]),
  )
  const older = {
    ...(main && { main: main.default, types: main.types }),
    ...(Object.keys(types).length > 0 && { typesVersions: { '*': types } }),
  }
  await writeFile(path, `${JSON.stringify({ ...manifest, ...older }, null, 2)}\n`)
}

/** Makes the relative targets in the files of a package those of its archive. */
async function rewriteTargets(folder: string, files: readonly string[]): Promise<void> {
  for (const path of files) {
    const content = await readFile(join(folder, path), 'utf8')
    const packed = withPackedTargets(path, content, files)
    if (packed !== content) await writeFile(join(folder, path), packed)
  }
}

/** Packs all packages of a folder. */
async function npmPack(folder: string, ...more: readonly string[]): Promise<readonly NpmPacked[]> {
  const options = ['--workspaces', '--include-workspace-root', '--ignore-scripts', '--json', ...more]
  return Object.values(JSON.parse(await inFolder(folder, 'npm', ['pack', ...options])))
}

/** The output of `npm pack --json` for a package. */
interface NpmPacked {
  readonly name: string
  readonly version: string
  readonly filename: string
  readonly size: number
  readonly unpackedSize: number
  readonly files: readonly { readonly path: string }[]
}

/** The members of package.json that packing and installing read. */
export interface Manifest {
  readonly name: string
  readonly version: string
  readonly workspaces: readonly string[]
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

/** Reads package.json of a folder. */
export async function readManifest(folder: string = root): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest
}

/**
 * Returns the archives of a package and of those of this project that it depends on.
 * @param packed all packages of this project
 */
export async function archivesOf(name: string, packed: readonly PackedPackage[]): Promise<readonly string[]> {
  const { workspaces } = await readManifest()
  const manifests = await Promise.all(['.', ...workspaces].map((folder) => readManifest(join(root, folder))))
  const wanted = new Set<string>()
  const add = (wantedName: string): void => {
    if (wanted.has(wantedName)) return
    const manifest = manifests.find((one) => one.name === wantedName)
    if (manifest === undefined) return
    wanted.add(wantedName)
    for (const dependency of Object.keys(manifest.dependencies ?? {})) add(dependency)
  }
  add(name)
  return packed.filter((one) => wanted.has(one.name)).map(({ archive }) => archive)
}

/** Files of an archive with the same content as another one, source maps without their source, and dead links. */
export async function archiveProblems({ archive, name, files }: PackedPackage): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'concordat-unpacked-'))
  try {
    await run('tar', ['xzf', archive, '-C', folder])
    const entries = await readdir(folder, { recursive: true, withFileTypes: true })
    const problems: string[] = []
    const seen = new Map<string, string>()
    for (const entry of entries.filter((one) => one.isFile())) {
      const path = join(entry.parentPath, entry.name)
      const inPackage = path.slice(folder.length + '/package/'.length)
      const shown = `${name}: ${inPackage}`
      const content = await readFile(path, 'latin1')
      const same = seen.get(content)
      if (same !== undefined && content.length > minimumBytes)
        problems.push(`${shown} has the content of ${same}`)
      seen.set(content, shown)
      if (/^\/\/# sourceMappingURL=/m.test(content)) problems.push(`${shown} names a source map`)
      for (const target of deadTargets(inPackage, content, files))
        problems.push(`${shown} links to ${target}, which the archive lacks`)
      if (entry.name.endsWith('.map')) problems.push(`${shown} is a source map`)
    }
    return problems
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Equal files below this size are no waste, such as modules that only export others. */
const minimumBytes = 500

async function inFolder(cwd: string, command: string, args: readonly string[]): Promise<string> {
  const { stdout } = await run(command, args, { cwd, maxBuffer: outputBytes }).catch(
    (error: Error & { readonly stdout?: string; readonly stderr?: string }) => {
      throw new Error(`${command} ${args.join(' ')} failed:\n${error.stdout}${error.stderr}`, {
        cause: error,
      })
    },
  )
  return stdout
}
