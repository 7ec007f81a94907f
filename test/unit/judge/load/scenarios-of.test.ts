import { readFileSync } from 'node:fs'
import t from 'tap'
import { ScenarioError, scenariosOf } from '../../../../src/judge/index.js'
import type { JsonValue } from '../../../../src/runtime/rpc/index.js'

const derived = (members: object) => ({
  id: 'derived/m/one',
  scenario: 'It holds.',
  steps: [{ call: 'm' }],
  ...members,
})

t.test('derived cases are accepted, also without expectations of their own', async (t) => {
  const document = {
    generator: 'text',
    scenarios: [
      derived({ rule: 'a.b', network: 'test', effect: 'write' }),
      derived({ id: 'derived/m/two', after: 'derived/m/one' }),
    ],
  }
  const [one, two] = scenariosOf(document, 'cases.json')
  t.match(one, {
    id: 'derived/m/one',
    group: 'derived',
    rules: ['a.b'],
    networks: ['test'],
    effect: 'write',
    builtIn: false,
    origin: 'derived',
    source: { file: 'cases.json', line: 1 },
  })
  t.match(two, { id: 'derived/m/two', after: ['derived/m/one'] })
})

const refused: readonly [document: JsonValue, problems: readonly string[]][] = [
  [null, ['#: the list "scenarios" is missing; run `concordat generate` again']],
  [{ scenarios: {} }, ['#: the list "scenarios" is missing; run `concordat generate` again']],
  [
    { scenarios: [1] },
    ['#/scenarios/0: a derived case is an object with an id such as "derived/method/case"'],
  ],
  [
    { scenarios: [derived({ id: 'one' })] },
    ['#/scenarios/0: a derived case is an object with an id such as "derived/method/case"'],
  ],
  [{ scenarios: [derived({}), derived({})] }, ['#/scenarios/1/id: the id "derived/m/one" is not unique']],
  [
    { scenarios: [derived({ steps: [{ call: 'm', params: ['${a}', '${b'], capture: { c: 'd' } }] })] },
    [
      `#/scenarios/0/steps/0/capture/c: "d" is not a JSONPath (RFC 9535): expected '$', found 'd' ('d':0); write for example "$.result.hash"`,
      '#/scenarios/0/steps/0/params/1: "${" is not closed; write "$${" for a literal "${"',
      '#/scenarios/0/steps/0/params/0: no variable "a" is known here: nothing is captured before; capture it in an earlier step, or add its fixture to `needs`',
    ],
  ],
  [
    { scenarios: [derived({ needs: 'some-block' })] },
    [
      '#/scenarios/0/needs: "some-block" is neither a fact of the target nor a fixture; there are key, second-key, revoked-key, funded-key, token, patience',
    ],
  ],
  [
    { scenarios: [derived({ each: [{ case: 'a', number: 1 }] })] },
    ['#/scenarios/0/each: a derived case is no table; list each case with its own id'],
  ],
  [
    { scenarios: [derived({ more: 1 })] },
    [
      '#/scenarios/0/more: "more" is not known here; known are scenario, rule, effect, network, needs, after, follows-head, alone, each, steps',
    ],
  ],
]

t.test('an invalid document is refused with the places', async (t) => {
  for (const [document, problems] of refused) {
    try {
      scenariosOf(document, 'cases.json')
      t.fail(JSON.stringify(document))
    } catch (error) {
      if (!(error instanceof ScenarioError)) throw error
      t.strictSame(
        error.problems.map(({ message }) => message),
        problems,
      )
      t.ok(
        error.problems.every(({ file, line, column }) => file === 'cases.json' && line === 1 && column === 1),
      )
    }
  }
})

t.test('the generated cases of this package can be loaded', async (t) => {
  const file = new URL('../../../../generated/conformance.json', import.meta.url)
  const document = JSON.parse(readFileSync(file, 'utf8')) as { scenarios: JsonValue[] }
  t.equal(scenariosOf(document, 'generated/conformance.json').length, document.scenarios.length)
})
