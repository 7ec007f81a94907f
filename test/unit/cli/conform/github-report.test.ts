import { join } from 'node:path'
import t from 'tap'
import { createPlaceOf } from '../../../../src/cli/conform/place-of.js'
import type { CaseResult, Scenario } from '../../../../src/judge/index.js'
import { jsonRpcScenarios, renderReport } from '../../../../src/judge/index.js'
import { parseContract } from '../../../../src/toolkit/contract/index.js'
import { failure, report, result } from '../../judge/report/sample-report.js'
import { documentOf, methodOf } from '../../toolkit/codegen/fixtures.js'

const hostile = '100% a:b,c\r\n::error::x\u2028'

t.test('properties and messages are escaped as GitHub requires', (t) => {
  const text = renderReport(
    'github',
    report([
      result(hostile, 'fail', {
        ...failure,
        scenario: hostile,
        findings: [{ where: '/x', expected: '%', got: hostile }],
      }),
      result('b/stale', 'stale', { reason: 'it passes' }),
    ]),
    {
      again: () => 'again',
      placeOf: ({ id }) => (id === hostile ? { file: 'cases/a,b:c%.yaml', line: 7 } : undefined),
      difference: undefined,
      baseline: undefined,
    },
  )
  const message = String.raw`100%25 a:b,c\u000d\u000a::error::x\u2028`
  const title = String.raw`logs.block-hash-excludes-range%3A 100%25 a%3Ab%2Cc\u000d\u000a%3A%3Aerror%3A%3Ax\u2028`
  t.same(text.split('\n'), [
    `::error file=cases/a%2Cb%3Ac%25.yaml,line=7,title=${title}::\`blockHash\` excludes \`fromBlock\`.%0A${message}%0A/x: expected %25, received ${message}%0Aagain`,
    '::error title=b/stale::it passes',
    '',
  ])
  t.end()
})

t.test('a place is the case file or the line of the contract, and never in a package', (t) => {
  const source = { file: join(process.cwd(), 'conformance/known/anvil.yaml'), line: 3 }
  const scenario = (file = source.file, origin: 'file' | 'derived' = 'file') =>
    ({ id: 'a/one', origin, source: { ...source, file } }) as unknown as Scenario
  const place = (
    scenarios: readonly Scenario[],
    more: Partial<CaseResult> = {},
    contract = 'own/openrpc.json',
  ) =>
    createPlaceOf({ scenarios, placeIn: () => ({ file: join(process.cwd(), contract), line: 8 }) })(
      result('a/one', 'fail', more),
      { pointer: '#/methods/0' },
    )
  const inCase = { file: join('conformance', 'known', 'anvil.yaml'), line: 3 }
  const inContract = { file: join('own', 'openrpc.json'), line: 8 }
  t.same(place([scenario()]), inCase)
  t.same(place([scenario(inCase.file)]), inCase)
  const violated = { id: 'answer.result', text: 'The result fits its schema.', isAlone: true }
  t.same(place([scenario()], { violated }), inContract, 'the expectation of the case did not fail')
  t.same(place([scenario(source.file, 'derived')]), inContract)
  t.same(place([]), inContract)
  for (const file of ['/elsewhere/one.yaml', 'web/node_modules/concordat/conformance/one.yaml']) {
    t.same(place([scenario(file)]), inContract)
    t.equal(place([scenario(file)], {}, 'web/node_modules/concordat/openrpc.json'), undefined)
  }
  const document = documentOf({ methods: [methodOf([], {})] })
  const scenarios = jsonRpcScenarios(parseContract(JSON.stringify(document)))
  const ofJsonRpc = createPlaceOf({ scenarios, placeIn: undefined })
  for (const { id } of scenarios) {
    t.equal(ofJsonRpc(result(id, 'fail'), { pointer: undefined }), undefined, `${id} is in no file`)
  }
  t.end()
})
