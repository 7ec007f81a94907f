import type { GeneratedFile } from '../../codegen/index.js'
import { shellWord } from '../../conformance/index.js'
import type { ReadDocument } from './read-document.js'
import type { Tools } from './tools.js'

/** Creates package.json, tsconfig.json and .gitignore. */
export function configFiles(name: string, document: ReadDocument, tools: Tools): readonly GeneratedFile[] {
  return [
    { path: 'package.json', content: json(packageJson(name, document, tools)) },
    { path: 'tsconfig.json', content: json(tsconfig) },
    { path: '.gitignore', content: 'node_modules/\n' },
  ]
}

function packageJson(name: string, { path, isJson, isRemote }: ReadDocument, tools: Tools): object {
  const document = `${shellWord(path)}${isRemote ? ' --allow-remote' : ''}`
  // By default, `generated` is placed next to the document. Keep it in the project's root.
  const out = path.includes('/') ? ' --out generated' : ''
  return {
    name,
    version: '0.1.0',
    private: true,
    type: 'module',
    engines: { node: tools.node },
    scripts: {
      start: 'node --import tsx src/server.ts',
      test: 'tsc && node --import tsx --test test/service.test.ts',
      conform: `concordat conform --contract ${document} --allow write`,
      generate: `concordat generate ${document}${out}`,
      lint: `concordat lint ${document}`,
    },
    dependencies: { concordat: tools.specifier, ...(isJson ? {} : { yaml: tools.yaml }) },
    devDependencies: tools.development,
  }
}

const tsconfig = {
  compilerOptions: {
    target: 'es2023',
    lib: ['es2023'],
    module: 'nodenext',
    noEmit: true,
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    verbatimModuleSyntax: true,
    isolatedModules: true,
    skipLibCheck: true,
    types: ['node'],
  },
  include: ['src', 'generated', 'test'],
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
