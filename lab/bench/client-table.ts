import type { Costs } from './client-costs.js'
import type { Outcome } from './client-faults.js'
import type { PeerName } from './client-peers.js'
import type { Program } from './client-sizes.js'

const libraries = ['@concordat/node-access', 'viem', 'ethers', 'web3.js', '@open-rpc/client-js'] as const

/** A row of the comparison table: a feature, and one cell per library. */
type Row = readonly [name: string, ...cells: readonly string[]]

/** What the libraries offer for JSON-RPC, in the order of {@link libraries}. */
const features: readonly Row[] = [
  [
    'methods, parameters and results are typed',
    'from the contract',
    'Ethereum',
    'Ethereum',
    'Ethereum',
    'no',
  ],
  ['errors are typed by method, code and data', 'yes', 'no', 'no', 'no', 'no'],
  [
    'quantities',
    'hex, or `bigint` and `number`',
    '`bigint` and `number`',
    '`bigint` and `number`',
    '`bigint`',
    'hex',
  ],
  ['concurrent calls travel as a batch', 'yes', 'option', 'yes', 'no', 'no'],
  ['explicit batches', 'yes, typed', 'no', 'no', 'yes', 'yes'],
  ['retries', 'reads', 'all methods', 'after HTTP 429', 'no', 'no'],
  ['time-out of a call', 'yes', 'of the transport', 'of the provider', 'no', 'yes'],
  ['time budget of a call with its retries', 'yes', 'no', 'no', 'no', 'no'],
  ['cancellation by `AbortSignal`', 'yes', '`request` only', 'no', 'no', 'no'],
  ['quota of the service', 'yes', 'no', 'no', 'no', 'no'],
  ['middleware', 'yes', 'HTTP hooks', 'HTTP hooks', 'yes', 'no'],
  ['results validated against the contract', 'option', 'no', 'no', 'no', 'no'],
  ['keys redacted in errors', 'yes', 'user and password', 'no', 'no', 'no'],
  ['contracts by their ABI', 'by `/contracts`', 'yes', 'yes', 'yes', 'no'],
  ['signing', 'no', 'yes', 'yes', 'yes', 'no'],
]

/** The measured figures of the table. */
export interface Figures {
  readonly costs: ReadonlyMap<PeerName, Costs>
  /** In bytes. */
  readonly sizes: Readonly<Record<Program, number>>
}

/**
 * Returns the Markdown table of features, size and cost for `docs/integrator.md`. Costs are ratios to the first
 * library.
 */
export function clientTable({ costs, sizes }: Figures): string {
  const kilobytes = (program: Program) => `${(sizes[program] / 1_000).toFixed(1)} kB`
  const cost = (measure: 'sequential' | 'concurrent', names: readonly (PeerName | undefined)[]) => {
    const [first] = names
    const of = (name: PeerName | undefined) => (name && costs.get(name)?.[measure]) ?? Number.NaN
    return names.map((name) => (name === undefined ? '–' : (of(name) / of(first)).toFixed(2)))
  }
  const others = ['web3.js', '@open-rpc/client-js'] as const
  const rows: readonly Row[] = [
    ...features,
    [
      'size, all methods',
      ...(['ours, all methods', 'viem, all methods', 'ethers, all methods'] as const).map(kilobytes),
      ...(['web3.js, all methods', '@open-rpc/client-js, untyped'] as const).map(kilobytes),
    ],
    [
      'size, client of one or two methods',
      ...[
        `${kilobytes('ours, two methods')}; ${kilobytes('ours, two methods, plain')} by \`createPlainClient\``,
        kilobytes('viem, one method'),
        ...['–', '–', '–'],
      ],
    ],
    [
      'cost of a call, one after the other, default options',
      ...cost('sequential', ['ours, batching', 'viem, no batching', 'ethers, batching', ...others]),
    ],
    [
      'cost of a call, 32 concurrent, batches',
      ...cost('concurrent', ['ours, batching', 'viem, batching', 'ethers, batching', undefined, undefined]),
    ],
    [
      'cost of a call, 32 concurrent, batches, `createNodeFetch`',
      ...cost('concurrent', [
        'ours, node:http, batching',
        ...(['viem, batching', 'ethers, batching', undefined, undefined] as const),
      ]),
    ],
    [
      'cost of a call, 32 concurrent, no batches',
      ...cost('concurrent', ['ours, no batching', 'viem, no batching', 'ethers, no batching', ...others]),
    ],
    [
      'cost of a call, 32 concurrent, no batches, `createNodeFetch`',
      ...cost('concurrent', [
        'ours, node:http, no batching',
        ...(['viem, no batching', 'ethers, no batching', ...others] as const),
      ]),
    ],
  ]
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(['what', ...libraries]), line(['', ...libraries].map(() => '---')), ...rows.map(line)].join(
    '\n',
  )
}

/** Returns the Markdown table of what each client did when something failed, with a row for each scenario. */
export function outcomeTable(outcomes: readonly Outcome[]): string {
  const clients = [...new Set(outcomes.map(({ client }) => client))]
  const scenarios = [...new Set(outcomes.map(({ scenario }) => scenario))]
  const line = (...cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const cell = (scenario: string, client: string) =>
    outcomes.find((one) => one.scenario === scenario && one.client === client)?.text ?? '–'
  return [
    line('what happens', ...clients.map((name) => (name === 'ours' ? libraries[0] : name))),
    line('---', ...clients.map(() => '---')),
    ...scenarios.map((scenario) => line(scenario, ...clients.map((client) => cell(scenario, client)))),
  ].join('\n')
}
