import {
  isArray,
  isObject,
  type JsonObject,
  member,
  objectMember,
  stringMember,
} from '../../contract/index.js'
import type { GeneratedFile } from '../generated-file.js'

/** The members of package.json that are updated after its creation. Its presence marks a package.json as ours. */
const mark = { updates: ['exports', 'typesVersions', 'files', 'dependencies'] }

/** What a new package.json states. */
export interface PackageFacts {
  readonly name: string
  readonly version: string
  readonly description: string
  /** The supported Node versions. */
  readonly node: string
  /** The version range of the compiler. */
  readonly typescript: string
}

/** What package.json derives from the generated files. */
export interface PackageParts {
  /** The names of all generated files of the folder. */
  readonly names: readonly string[]
  /** The written files. The packages that they import become dependencies. */
  readonly files: readonly GeneratedFile[]
  /** The version range of these packages. */
  readonly range: string
}

/** Creates the text of a new package.json. */
export function createPackageJson(facts: PackageFacts, parts: PackageParts): string {
  const { name, version, description, node, typescript } = facts
  return jsonText({
    name,
    version,
    description,
    type: 'module',
    engines: { node },
    sideEffects: false,
    exports: ownExports(parts.names),
    typesVersions: { '*': ownTypes(parts.names) },
    files: ['dist'],
    scripts: { build: buildScript, prepack: 'npm run build' },
    dependencies: dependenciesOf(parts),
    devDependencies: { typescript },
    concordat: mark,
  })
}

/** Compiles the folder. The compiler does not copy the validators, which are JavaScript. */
const buildScript = `tsc && node -e "for (const name of fs.readdirSync('.')) if (name.startsWith('validators.')) fs.copyFileSync(name, 'dist/' + name)"`

/** Returns the parsed package.json if `generate` created it, and undefined for any other. */
export function readPackageJson(text: string): JsonObject | undefined {
  const value: JsonObject[string] = JSON.parse(text)
  return isObject(value) && isObject(member(value, 'concordat')) ? value : undefined
}

/**
 * Returns a created package.json with current `exports`, `typesVersions`, `files` and dependency versions. Everything else stays,
 * including entries that users added to these members, and dependencies that are not version ranges.
 */
export function updatePackageJson(text: string, parsed: JsonObject, parts: PackageParts): string {
  const files = member(parsed, 'files')
  const listed = isArray(files) ? files : []
  const versions = objectMember(parsed, 'typesVersions')
  const present = objectMember(parsed, 'dependencies')
  const needed = Object.entries(dependenciesOf(parts)).filter(
    ([name]) => !(stringMember(present, name) ?? '').includes(':'),
  )
  const updated = {
    ...parsed,
    exports: withOwn(objectMember(parsed, 'exports'), ownExports(parts.names)),
    typesVersions: { ...versions, '*': withOwn(objectMember(versions, '*'), ownTypes(parts.names)) },
    files: listed.includes('dist') ? listed : [...listed, 'dist'],
    dependencies: { ...present, ...Object.fromEntries(needed) },
  }
  if (JSON.stringify(updated) === JSON.stringify(parsed)) return text
  return jsonText(updated, /^\{\r?\n([ \t]+)/.exec(text)?.[1])
}

/** The generated modules, each with an entry point of its own. */
const modules = [
  ...['client', 'contract', 'decoded', 'document', 'errors', 'examples'],
  ...['methods', 'service', 'types', 'validators', 'web-socket'],
]
const ownPaths = new Set(modules.flatMap((name) => [name, `./${name}`]))

/** Replaces the entry points of generated modules, and keeps others. */
function withOwn(present: JsonObject, own: JsonObject): JsonObject {
  const kept = Object.entries(present).filter(([path]) => !ownPaths.has(path) || path in own)
  return { ...Object.fromEntries(kept), ...own }
}

function ownModules(names: readonly string[]): readonly string[] {
  return modules.filter((name) => names.includes(`${name}.ts`) || names.includes(`${name}.js`))
}

function ownExports(names: readonly string[]): JsonObject {
  return {
    ...Object.fromEntries(
      ownModules(names).map((name) => [
        `./${name}`,
        { types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` },
      ]),
    ),
    './package.json': './package.json',
  }
}

/** The types of the entry points, for tools that do not read `exports`: TypeScript with `moduleResolution: node10`. */
function ownTypes(names: readonly string[]): JsonObject {
  return Object.fromEntries(ownModules(names).map((name) => [name, [`./dist/${name}.d.ts`]]))
}

function dependenciesOf({ files, range }: PackageParts): Readonly<Record<string, string>> {
  return Object.fromEntries(importedPackages(files).map((name) => [name, range]))
}

/** Returns the names of the packages that TypeScript files import, sorted. */
export function importedPackages(files: readonly GeneratedFile[]): readonly string[] {
  const specifiers = files
    .filter(({ path }) => path.endsWith('.ts'))
    .flatMap(({ content }) => [...content.matchAll(/^(?:import .*|\}) from '([^'.][^']*)'$/gm)])
    .map(([, specifier = '']) => specifier)
  const names = specifiers
    .filter((specifier) => !specifier.startsWith('node:'))
    .map((specifier) =>
      specifier
        .split('/')
        .slice(0, specifier.startsWith('@') ? 2 : 1)
        .join('/'),
    )
  return [...new Set(names)].sort()
}

function jsonText(value: object, indent = '  '): string {
  return `${JSON.stringify(value, null, indent)}\n`
}

/** Maximum length of a package name in npm, in characters. */
export const packageNameMost = 214

/** Names that npm reserves. */
export const reservedNames: readonly string[] = ['node_modules', 'favicon.ico']

/** Returns true for a name under which npm publishes new packages, with or without a scope. */
export function isPackageName(name: string): boolean {
  return (
    /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/.test(name) &&
    name.length <= packageNameMost &&
    !reservedNames.includes(name)
  )
}

const semver =
  /^v?(0|[1-9]\d*)(?:\.(0|[1-9]\d*))?(?:\.(0|[1-9]\d*))?((?:-(?:0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*)(?:\.(?:0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*))*)?(?:\+[\dA-Za-z-]+(?:\.[\dA-Za-z-]+)*)?)$/

/**
 * Converts the version of a contract to a version of a package (Semantic Versioning 2.0.0): `1.2` becomes `1.2.0`, and
 * a leading `v` is dropped. Returns undefined for a version that has no such form.
 */
export function packageVersion(version: string): string | undefined {
  const [, major, minor = '0', patch = '0', rest = ''] = semver.exec(version.trim()) ?? []
  return major === undefined ? undefined : `${major}.${minor}.${patch}${rest}`
}
