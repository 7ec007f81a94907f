import { shellWord } from '../../judge/index.js'
import { type GeneratedFile, importedPackages } from '../../toolkit/codegen/index.js'
import { configName } from '../config/project-config.js'
import type { ToolVersions } from '../package-file.js'
import { contractFolder } from './copied-files.js'
import type { ReadDocument } from './read-document.js'

/** The output folder of `concordat generate`, which is the contract's package. */
export const generatedFolder = `${contractFolder}/generated`

/** What the packages of a project depend on. */
export interface WorkspaceOptions {
  /** The name of the service's package. */
  readonly name: string
  /** The name of the contract's package. */
  readonly contract: string
  readonly document: ReadDocument
  readonly versions: ToolVersions
  /** Returns the path of the archive or folder of this package or of one of its siblings; undefined for the registry. */
  readonly localSpecifier: (name: string) => string | undefined
  /** True for a contract with subscriptions or calls to clients, which need WebSockets. */
  readonly isConnected: boolean
}

/** Creates package.json, .gitignore and the configuration of the workspace. */
export function workspaceFiles({
  document,
  versions,
  localSpecifier,
}: WorkspaceOptions): readonly GeneratedFile[] {
  const remote = document.isRemote ? ' --allow-remote' : ''
  const manifest = {
    private: true,
    workspaces: [generatedFolder, 'service'],
    scripts: {
      build: `npm run build --workspace ${generatedFolder} && npm run build --workspace service`,
      start: 'npm run --silent build && node service/dist/server.js',
      test: 'npm run --silent build && npm test --workspace service',
      conform: `concordat conform --contract ${shellWord(document.path)}${remote} --allow write`,
      generate: `concordat generate${remote}`,
      lint: `concordat lint${remote}`,
    },
    devDependencies: {
      ...localSiblings(localSpecifier),
      '@types/node': versions.nodeTypes,
      concordat: localSpecifier('concordat') ?? `^${versions.version}`,
      typescript: versions.typescript,
    },
  }
  return [
    { path: 'package.json', content: json(manifest) },
    { path: '.gitignore', content: 'node_modules/\ndist/\n' },
    { path: configName, content: configText(document.path) },
  ]
}

/** Paths are JSON strings, which YAML reads, too. */
function configText(document: string): string {
  return `# yaml-language-server: $schema=node_modules/concordat/docs/concordat.config.schema.json
document: ${JSON.stringify(document)}
generate:
  out: ${generatedFolder}
# lint:
#   rules:
#     - { rule: method-without-example, severity: error, reason: examples are our tests }
# diff:
#   accepted:
#     - { version: 2.0.0, kind: method-removed, at: "#/methods/old", reason: no client calls it }
`
}

/**
 * Returns the siblings of this package that are archives or folders. The workspace names them, because npm looks up the
 * version ranges of its packages, and those of an archive, in the registry otherwise. Only this package.json has paths:
 * those of a published package would not exist for those who install it.
 */
function localSiblings(localSpecifier: WorkspaceOptions['localSpecifier']): Readonly<Record<string, string>> {
  const siblings = ['@concordat/client', '@concordat/rpc', '@concordat/server']
  return Object.fromEntries(
    siblings.flatMap((name) => {
      const specifier = localSpecifier(name)
      return specifier === undefined ? [] : [[name, specifier]]
    }),
  )
}

/**
 * Creates package.json and tsconfig.json of the service.
 * @param sources the files of the service; the packages that they import become dependencies
 */
export function serviceFiles(
  { name, contract, versions, isConnected }: WorkspaceOptions,
  sources: readonly GeneratedFile[],
): readonly GeneratedFile[] {
  const imported = importedPackages(sources).map((used) => [
    used,
    used === contract ? '*' : `^${versions.version}`,
  ])
  const manifest = {
    name,
    version: '0.1.0',
    private: true,
    type: 'module',
    engines: { node: versions.node },
    scripts: {
      build: `node -e "fs.rmSync('dist',{recursive:true,force:true})" && tsc`,
      start: 'node dist/server.js',
      test: 'node --test dist/service.test.js',
    },
    dependencies: { ...Object.fromEntries(imported), ...(isConnected ? { ws: versions.ws } : {}) },
  }
  return [
    { path: 'service/package.json', content: json(manifest) },
    { path: 'service/tsconfig.json', content: json(tsconfig) },
  ]
}

const tsconfig = {
  compilerOptions: {
    target: 'es2023',
    lib: ['es2023'],
    module: 'nodenext',
    rootDir: 'src',
    outDir: 'dist',
    strict: true,
    noEmitOnError: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    verbatimModuleSyntax: true,
    isolatedModules: true,
    skipLibCheck: true,
    types: ['node'],
  },
  include: ['src'],
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
