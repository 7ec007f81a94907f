import type { Contract } from '../../contract/index.js'
import { oneLine } from '../../text/index.js'
import type { GeneratedFile } from '../generated-file.js'
import { codeBlock, proseLine } from '../reference/markdown.js'
import { createPackageJson, type PackageFacts, type PackageParts } from './package-json.js'

/** The inputs of a new package, apart from what the contract states. */
export interface PackageOptions extends Omit<PackageFacts, 'description'>, PackageParts {
  readonly contract: Contract
}

/** Creates the files that make a folder of generated code a package. They belong to the user afterwards. */
export function createPackage(options: PackageOptions): readonly GeneratedFile[] {
  const { contract, name, version, node, typescript } = options
  const title = oneLine(contract.title) || 'a JSON-RPC service'
  const description = `Client, types and validators of ${title}, generated from its OpenRPC contract`
  const facts = { name, version, description, node, typescript }
  return [
    { path: 'package.json', content: createPackageJson(facts, options) },
    { path: 'tsconfig.json', content: `${JSON.stringify(tsconfig, null, 2)}\n` },
    { path: 'README.md', content: readme(options) },
  ]
}

const tsconfig = {
  compilerOptions: {
    target: 'es2023',
    lib: ['es2023', 'dom'],
    module: 'nodenext',
    rootDir: '.',
    outDir: 'dist',
    declaration: true,
    strict: true,
    noEmitOnError: true,
    verbatimModuleSyntax: true,
    isolatedModules: true,
    skipLibCheck: true,
    types: [],
  },
  include: ['*.ts'],
}

/** What each entry point contains, in the order of the README. */
const entries: readonly (readonly [modules: readonly string[], contents: string])[] = [
  [['client'], 'the typed client; it loads neither validators nor server code'],
  [['web-socket'], 'the client over a WebSocket, with subscriptions'],
  [['types'], 'the types of the contract'],
  [['service', 'methods', 'errors'], 'the interface to implement, the methods to serve, the errors to throw'],
  [['validators'], 'validators of parameters, results and error data'],
  [['contract'], 'title, version, limits and rules of the contract'],
]

function readme({ contract, name, names }: PackageOptions): string {
  const rows = entries.flatMap(([modules, contents]) => {
    const present = modules.filter(
      (module) => names.includes(`${module}.ts`) || names.includes(`${module}.js`),
    )
    const shown = present.map((module) => `\`${name}/${module}\``).join(', ')
    return present.length === 0 ? [] : [`| ${shown} | ${contents} |\n`]
  })
  const example = `import { createClient } from '${name}/client'\n\nconst client = createClient('https://rpc.example.com/')`
  return `# ${name}

${proseLine(contract.title) || 'A JSON-RPC service'}: code generated from the OpenRPC contract.

${codeBlock('sh', `npm install ${name}`)}
${names.includes('client.ts') ? `${codeBlock('ts', example)}\n` : ''}| import | contents |
|---|---|
${rows.join('')}
## Publish

\`npm run build\` compiles to \`dist/\`, and \`npm publish\` publishes that folder only. \`npm version\` sets the version.

\`concordat generate\` updates the code, and \`exports\`, \`files\` and the dependency versions of package.json. Everything else, this file included, is yours. Remove the member \`concordat\` from package.json to update that file yourself.
`
}
