import t from 'tap'
import { loadScenarios } from '../../../../src/judge/index.js'
import { folderOf } from './problems-of.js'

const full = `# a comment first
scenario: All that a file can say.
rule: [a.b, c.d]
effect: spends-quota
network: [test, main]
needs: [some-block, second-key, revoked-key]
after: group/plain
follows-head: true
alone: true
steps:
  - call: first
    params: [latest, false]
    capture: { hash: $.result.hash }
  - call: second
    params: { named: '\${hash}' }
    id: '12345678901234567890123'
    headers: { content-type: null, x-a: b }
    verb: PUT
    path: /v2/{key}
    key: second
    expect: { result: null, status: 200, headers: { x-a: b }, id: '1' }
    capture-header: { left: { name: RateLimit, pattern: 'r=(\\d+)' } }
    repeat-until: { expect: { status: 429 }, at-most: '\${left-over + 1}', every: 2 }
    tolerate:
      - expect: { error: { code: 1, message: a, data: [] } }
        reason: Old ones do so.
        depends-on: implementation
  - call: third
    share: true
    omit-params: true
  - batch:
      - call: a
      - { call: b, params: [1], id: '"x"', times: 3 }
    key: { literal: abc }
    expect: { items: [{ result: 1 }, {}, { error: {} }, { id: '7' }] }
  - raw: 'text \${hash}'
    expect: { body: { $empty: true } }
  - raw: ['{', { repeat: x, times: 2 }, { hex: fF }, { pause: 0.5 }, '']
  - raw: []
    verb: GET
    key: revoked
  - compute: keccak256
    params: ['0x']
    capture: { expected: $ }
  - skip-unless: '\${expected}'
    is: { $length: 2 }
    reason: It is too short.
  - parallel:
      - { call: a }
      - { raw: [], verb: GET, expect: { status: 405, within: 3 } }
`

t.test('a file is converted to the runner’s case', async (t) => {
  const folder = await folderOf(t, {
    'group/full.yaml': full,
    'group/plain.yaml': 'scenario: Plain.\nrule: a.b\nsteps: [{ call: x, expect: { result: 0 } }]\n',
    'fixtures/some-block.yaml':
      'fixture: A block.\nneeds: key\nanchor: true\nsteps: [{ call: x, capture: { left-over: $ } }]\nstill: [{ call: x, params: ["${left-over}"] }]\n',
  })
  const { scenarios, fixtures } = await loadScenarios(folder, { builtIn: true })
  const sending = {
    headers: {},
    verb: undefined,
    path: undefined,
    key: undefined,
    expect: undefined,
    tolerate: [],
    inconclusive: [],
    capture: {},
    captureHeader: {},
    repeatUntil: undefined,
  }
  t.strictSame(fixtures, [
    {
      name: 'some-block',
      source: { file: `${folder}/fixtures/some-block.yaml`, line: 1 },
      fixture: 'A block.',
      needs: ['key'],
      steps: [
        {
          kind: 'call',
          call: { method: 'x', params: [], id: undefined },
          ...sending,
          share: false,
          capture: { 'left-over': '$' },
        },
      ],
      still: [
        {
          kind: 'call',
          call: { method: 'x', params: ['${left-over}'], id: undefined },
          share: false,
          ...sending,
        },
      ],
      anchor: true,
      optional: false,
    },
  ])
  t.strictSame(scenarios[1], {
    id: 'group/plain',
    builtIn: true,
    origin: 'file',
    source: { file: `${folder}/group/plain.yaml`, line: 1 },
    group: 'group',
    scenario: 'Plain.',
    rules: ['a.b'],
    effect: 'read',
    networks: [],
    needs: [],
    after: [],
    followsHead: false,
    alone: false,
    steps: [
      {
        kind: 'call',
        call: { method: 'x', params: [], id: undefined },
        share: false,
        ...sending,
        expect: { result: 0 },
      },
    ],
  })
  t.strictSame(scenarios[0], {
    id: 'group/full',
    builtIn: true,
    origin: 'file',
    source: { file: `${folder}/group/full.yaml`, line: 2 },
    group: 'group',
    scenario: 'All that a file can say.',
    rules: ['a.b', 'c.d'],
    effect: 'spends-quota',
    networks: ['test', 'main'],
    needs: ['some-block', 'second-key', 'revoked-key'],
    after: ['group/plain'],
    followsHead: true,
    alone: true,
    steps: [
      {
        kind: 'call',
        call: { method: 'first', params: ['latest', false], id: undefined },
        share: false,
        ...sending,
        capture: { hash: '$.result.hash' },
      },
      {
        kind: 'call',
        call: { method: 'second', params: { named: '${hash}' }, id: '12345678901234567890123' },
        share: false,
        headers: { 'content-type': null, 'x-a': 'b' },
        verb: 'PUT',
        path: '/v2/{key}',
        key: 'second',
        expect: { result: null, status: 200, headers: { 'x-a': 'b' }, id: '1' },
        tolerate: [
          {
            dependsOn: 'implementation',
            expect: { error: { code: 1, message: 'a', data: [] } },
            reason: 'Old ones do so.',
          },
        ],
        inconclusive: [],
        capture: {},
        captureHeader: { left: { name: 'RateLimit', pattern: 'r=(\\d+)' } },
        repeatUntil: { expect: { status: 429 }, atMost: '${left-over + 1}', every: 2 },
      },
      {
        kind: 'call',
        call: { method: 'third', params: undefined, id: undefined },
        share: true,
        ...sending,
      },
      {
        kind: 'batch',
        items: [
          { method: 'a', params: [], id: undefined, times: undefined },
          { method: 'b', params: [1], id: '"x"', times: 3 },
        ],
        share: false,
        ...sending,
        key: { literal: 'abc' },
        expect: { items: [{ result: 1 }, {}, { error: {} }, { id: '7' }] },
      },
      { kind: 'raw', body: [{ text: 'text ${hash}' }], ...sending, expect: { body: { $empty: true } } },
      {
        kind: 'raw',
        body: [{ text: '{' }, { repeat: 'x', times: 2 }, { hex: 'fF' }, { pause: 0.5 }, { text: '' }],
        ...sending,
      },
      { kind: 'raw', body: [], ...sending, verb: 'GET', key: 'revoked' },
      {
        kind: 'compute',
        function: 'keccak256',
        params: ['0x'],
        expect: undefined,
        capture: { expected: '$' },
      },
      { kind: 'skip', value: '${expected}', is: { $length: 2 }, reason: 'It is too short.' },
      {
        kind: 'parallel',
        steps: [
          { kind: 'call', call: { method: 'a', params: [], id: undefined }, share: false, ...sending },
          { kind: 'raw', body: [], ...sending, verb: 'GET', expect: { status: 405, within: 3 } },
        ],
      },
    ],
  })
})
