import { join } from 'node:path'
import type { Validator } from '@concordat/rpc'
import type { Test } from 'tap'
import { exampleGiven, sentParams } from '../../../../src/toolkit/cases/index.js'
import {
  applyPlan,
  type Generated,
  generate,
  isStale,
  planWrite,
} from '../../../../src/toolkit/codegen/index.js'
import { type Contract, loadContract } from '../../../../src/toolkit/contract/index.js'
import { type LintFinding, lintContract } from '../../../../src/toolkit/lint/index.js'
import { fileOf, generatedOf, tool } from './fixtures.js'
import { usesAny } from './strict-compile.js'

/** A document, and the name of its output folder. */
export interface Source {
  readonly name: string
  readonly path: string
  readonly contract: Contract
}

/**
 * Lints a document and generates its code twice. The second run writes nothing, no code uses `any`, and every example
 * is valid or reported.
 * @returns the findings of lint
 */
export async function judgeDocument(
  t: Test,
  dir: string,
  { name, path, contract }: Source,
): Promise<readonly LintFinding[]> {
  const { files, leftOut } = generatedOf(contract)
  await applyPlan(await planWrite(join(dir, name), files, tool.name))
  const again = generate(await loadContract(path), tool).files
  t.notOk(isStale(await planWrite(join(dir, name), again, tool.name)), `${name}: nothing is left to write`)
  const loose = files.filter(({ path, content }) => path.endsWith('.ts') && usesAny(content))
  t.same(
    loose.map((file) => file.path),
    [],
    `${name}: no code uses any`,
  )
  const found = await lintContract(path)
  t.same(await untoldExamples({ contract, files, leftOut, found }), [], `${name}: every example is reported`)
  return found
}

type Validators = Readonly<Record<string, { readonly params: Validator; readonly result: Validator }>>

interface Judged extends Generated {
  readonly contract: Contract
  readonly found: readonly LintFinding[]
}

/** Examples on which validators, lint and generator disagree. */
async function untoldExamples({ contract, files, leftOut, found }: Judged): Promise<readonly string[]> {
  const code = Buffer.from(fileOf(files, 'validators.js')).toString('base64')
  const { validators } = (await import(`data:text/javascript;base64,${code}`)) as { validators: Validators }
  return contract.methods.flatMap((method) =>
    method.examples.flatMap((example) => {
      const within = ({ pointer }: { readonly pointer: string }) =>
        `${pointer}/`.startsWith(`${example.pointer}/`) ||
        example.params.some((value) => `${pointer}/`.startsWith(`${value.pointer}/`))
      if (leftOut.some(within)) return []
      const own = validators[method.name]
      const params = own?.params(sentParams(method, exampleGiven(method, example)))
      const problems = {
        'no validators': own ? [] : ['of this method'],
        'an error to lint': found.filter((problem) => problem.severity === 'error' && within(problem)),
        parameters: example.error === undefined ? (params ?? []) : [],
        result: (example.result && method.result && own?.result(example.result.value)) || [],
      }
      return Object.entries(problems).flatMap(([what, told]) =>
        told.length > 0 ? [`${example.pointer}: ${what}: ${JSON.stringify(told)}`] : [],
      )
    }),
  )
}
