import fc from 'fast-check'
import t from 'tap'
import { generate, literal, quote } from '../../../../src/toolkit/codegen/index.js'
import { createTypeFitter } from '../../../../src/toolkit/codegen/types/fits-type.js'
import { typeNames } from '../../../../src/toolkit/codegen/types/type-names.js'
import { createTypeWriter } from '../../../../src/toolkit/codegen/types/type-writer.js'
import {
  type Contract,
  createSchemaChecker,
  type JsonValue,
  parseContract,
} from '../../../../src/toolkit/contract/index.js'
import { runs } from '../../../support/runs.js'
import { documents } from './arbitrary-documents.js'
import { values } from './arbitrary-schemas.js'
import { inFolder, loadModules, tool, write } from './fixtures.js'
import { strictCompile, usesAny } from './strict-compile.js'

const seed = Number(process.env['FC_SEED'] ?? 20261121)
const wasHacked = () => (globalThis as { hacked?: boolean }).hacked

/** Short lists of results are tuples without `readonly`; those of a constant have it. */
const constantTypes =
  "import type { Results } from './types.js'\n" +
  'type Any = string[] | number | boolean | null\n' +
  // Values are not nested deeper; types may be without an end.
  'type Constant<T, Depth extends 0[] = []> = [Any] extends [T] ? T : Depth["length"] extends 9 ? T :' +
  ' T extends object ? { readonly [K in keyof T]: Constant<T[K], [...Depth, 0]> } : T\n'

/** Valid results as constants, for comparison with the generated types by the compiler. */
function typedValues(contract: Contract, given: readonly JsonValue[]): string {
  const check = createSchemaChecker(contract)
  const fits = createTypeFitter(createTypeWriter(contract, typeNames(contract)), check)
  const lines = contract.methods.flatMap(({ name, result }, method) => {
    if (!result) return []
    const taken = given.filter(
      (value) => check(result.schema, value).length === 0 && fits(result.schema, value),
    )
    return taken.map(
      (value, at) =>
        `const v${method}_${at} = { it: ${literal(value)} } as const\nexport const t${method}_${at} = v${method}_${at} satisfies { readonly it: Constant<Results[${quote(name)}]> }\n`,
    )
  })
  return lines.length > 0 ? `${constantTypes}${lines.join('')}` : ''
}

t.test('random documents are generated, and the generated code compiles', async (t) => {
  t.comment(`FC_SEED=${seed}`)
  const half = { numRuns: runs(20), seed }
  const all = [...fc.sample(documents(), half), ...fc.sample(documents('2020-12'), half)]
  const given = fc.sample(values(), { numRuns: 60, seed })
  let typed = 0
  await inFolder(async (dir) => {
    for (const [at, document] of all.entries()) {
      const contract = parseContract(JSON.stringify(document))
      const { files, leftOut } = generate(contract, tool)
      t.same(
        generate(parseContract(JSON.stringify(document)), tool).files,
        files,
        'the second run is identical',
      )
      t.ok(
        leftOut.every(
          ({ pointer, message }) => pointer.startsWith('#/methods/') && message.includes(' is omitted: '),
        ),
        'omissions have a place and a reason',
      )
      for (const { path, content } of files) {
        await write(dir, { path: `d${at}/${path}`, content })
        if (path.endsWith('.ts') && usesAny(content)) t.fail(`${path} contains any`)
      }
      await write(dir, { path: `d${at}/openrpc.json`, content: JSON.stringify(document, null, 1) })
      const uses = typedValues(contract, given)
      typed += uses.split('satisfies').length - 1
      if (uses !== '') await write(dir, { path: `d${at}/uses.ts`, content: uses })
      const modules = files.flatMap(({ path }) => (/(?<!\.d)\.ts$/.test(path) ? [path] : []))
      await loadModules(contract, modules)
    }
    t.equal(await strictCompile(dir), '')
    t.ok(typed > 5 * all.length, `${typed} values compared with their types`)
  })
  t.equal(wasHacked(), undefined)
})
