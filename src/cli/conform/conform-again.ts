import { shellWord } from '../../judge/index.js'
import { type CaseResult, invariantGroup } from '../../judge/report/index.js'
import type { ConformOptions } from './conform-options.js'

/**
 * Creates a function that returns the shell command to run one case again. Invariants, and tolerances whose cause varies,
 * need all answers of a run, so their commands run everything again. URLs become shell variables, and header values are
 * omitted.
 */
export function againCommand(options: ConformOptions): (result: CaseResult) => string {
  const given: readonly (readonly [string, string | undefined])[] = [
    ['--contract', options.contract],
    ...options.scenarios.map((folder) => ['--scenarios', folder] as const),
    ['--network', options.network],
    ['--profile', options.profile],
    ...options.assumeRead.map((pattern) => ['--assume-read', pattern] as const),
    ...options.known.map((file) => ['--known', file] as const),
    ...Object.keys(options.headers).map((name) => ['--header', `${name}: …`] as const),
  ]
  const words = given.flatMap(([name, value]) => (value === undefined ? [] : [name, shellWord(value)]))
  if (options.allowRemote) words.push('--allow-remote')
  if (options.secondKey !== undefined) words.push('--second-key', '"$SECOND_KEY_URL"')
  if (options.revokedKey !== undefined) words.push('--revoked-key', '"$REVOKED_KEY_URL"')
  for (const name of Object.keys(options.keys)) {
    words.push('--key', `${name}="$${name.replaceAll('-', '_').toUpperCase()}_KEY_URL"`)
  }
  if (options.ioDir !== undefined) words.push('--io-dir', shellWord(options.ioDir))
  if (options.listedMembers) words.push('--members', 'listed')
  const allowed = [...options.allow].filter((effect) => effect !== 'read')
  if (allowed.length > 0) words.push('--allow', allowed.join(','))
  const selected = options.only.flatMap((pattern) => ['--only', shellWord(pattern)])
  return ({ id, group, deviations }) =>
    [
      'npx concordat conform "$RPC_URL"',
      ...words,
      ...(group === invariantGroup || deviations !== undefined ? selected : ['--replay', shellWord(id)]),
    ].join(' ')
}
