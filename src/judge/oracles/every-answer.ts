import { arrayMember, type Contract, objectMember, stringMember } from '../../toolkit/contract/index.js'
import { findingText } from '../record/finding-text.js'
import {
  type CaseResult,
  type Evidence,
  type Finding,
  invariantGroup,
  type Verdict,
  withoutRequests,
} from '../report/index.js'
import { isConnectionUrl } from '../send/connection-url.js'
import { hasPassed } from './has-passed.js'
import type { SecretLeaks } from './secret-leaks.js'

/** Checks the headers of an answer against one rule. Returns undefined when they comply. */
type HeaderCheck = (
  answer: Evidence & { readonly response: NonNullable<Evidence['response']> },
) => Finding | undefined

/** An answer whose headers violate a rule. */
interface Deviation {
  readonly id: string
  readonly answer: Evidence
  readonly finding: Finding
}

/** Cases with these verdicts are ignored: their answers may come from a proxy. */
const undecided: ReadonlySet<Verdict> = new Set(['inconclusive', 'not-run', 'gave-up', 'harness-error'])

/**
 * Checks the headers of every answer in a run against `x-http.rules`. A violation may occur in a case about
 * another rule. If no case about the violated rule failed, the first one that passed is changed to `fail`.
 */
export function judgeHeaders(contract: Contract, cases: readonly CaseResult[]): readonly CaseResult[] {
  return headerChecks(contract).reduce<readonly CaseResult[]>(
    (judged, { rule, check }) => charged(judged, rule, headerDeviations(check, judged)),
    cases,
  )
}

/**
 * Checks every answer in a run for secrets. A leak fails the case about the rule `x-http.rules.secrets`. Without such a
 * case, it adds a failed result.
 */
export function judgeSecrets(
  { info }: Contract,
  cases: readonly CaseResult[],
  leaks: Pick<SecretLeaks, 'of' | 'elsewhere'>,
): readonly CaseResult[] {
  const found = (id: string, answers: readonly Evidence[]): Deviation[] =>
    answers.flatMap((answer) => {
      const finding = leaks.of(answer)
      return finding === undefined ? [] : [{ id, answer, finding }]
    })
  const deviations = [
    ...cases.flatMap(({ id, evidence }) => found(id, evidence)),
    ...found('a search', leaks.elsewhere()),
  ]
  const rule = stringMember(objectMember(objectMember(info, 'x-http'), 'rules'), 'secrets')
  const judged = charged(cases, rule, deviations)
  if (deviations.length === 0 || judged !== cases || isFailed(cases, rule)) return judged
  return [...cases, failed({ ...ofSecrets, rules: rule === undefined ? [] : [rule] }, deviations)]
}

/** The result for leaked secrets if no case is about them. */
const ofSecrets: CaseResult = {
  id: `${invariantGroup}/no-secrets`,
  group: invariantGroup,
  scenario: 'No answer contains a key, a token or another secret of its caller.',
  rules: [],
  effect: 'read',
  verdict: 'pass',
  ...withoutRequests,
}

/** Changes the first passed case about a rule to `fail`, unless a case about the rule has already failed. */
function charged(
  cases: readonly CaseResult[],
  rule: string | undefined,
  deviations: readonly Deviation[],
): readonly CaseResult[] {
  const chosen = about(cases, rule).find(hasPassed)
  if (deviations.length === 0 || chosen === undefined || isFailed(cases, rule)) return cases
  return cases.map((result) => (result === chosen ? failed(result, deviations) : result))
}

function about(cases: readonly CaseResult[], rule: string | undefined): readonly CaseResult[] {
  return cases.filter(({ rules }) => rule !== undefined && rules.includes(rule))
}

function isFailed(cases: readonly CaseResult[], rule: string | undefined): boolean {
  return about(cases, rule).some(({ verdict }) => verdict === 'fail')
}

function headerDeviations(check: HeaderCheck, cases: readonly CaseResult[]): readonly Deviation[] {
  return cases
    .filter(({ verdict }) => !undecided.has(verdict))
    .flatMap(({ id, evidence }) =>
      evidence.flatMap((answer) => {
        const { response, shared } = answer
        if (response === undefined || shared === true || isConnectionUrl(answer.request.url)) return []
        const finding = check({ ...answer, response })
        return finding === undefined ? [] : [{ id, answer, finding }]
      }),
    )
}

function failed(result: CaseResult, [first, ...more]: readonly Deviation[]): CaseResult {
  if (first === undefined) return result
  const { id, answer, finding } = first
  const others = more.length === 0 ? '' : `, and in ${more.length} more answers of the run`
  return {
    ...result,
    verdict: 'fail',
    reason: `step ${answer.step} of ${id}: ${findingText([finding])}${others}`,
    cause: `${result.rules[0] ?? result.id} ${finding.where}`,
    findings: [{ ...finding, got: `${finding.got} in step ${answer.step} of ${id}${others}` }],
    evidence: [...result.evidence, { ...answer, shared: true }],
  }
}

function headerChecks({ info }: Contract): readonly { readonly rule: string; readonly check: HeaderCheck }[] {
  const http = objectMember(info, 'x-http')
  const rules = objectMember(http, 'rules')
  const cors = objectMember(http, 'cors')
  const contentType = stringMember(http, 'contentType')
  const origin = stringMember(cors, 'allowOrigin')
  const exposed = arrayMember(cors, 'exposeHeaders').map(String)
  const checks = {
    contentType: contentType === undefined ? undefined : checkContentType(contentType),
    cors: origin === undefined ? undefined : checkCors(origin, exposed),
  }
  return Object.entries(checks).flatMap(([name, check]) => {
    const rule = stringMember(rules, name)
    return rule === undefined || check === undefined ? [] : [{ rule, check }]
  })
}

const checkContentType =
  (type: string): HeaderCheck =>
  ({ response: { headers, body } }) => {
    const got = headers['content-type']
    const isRight = got?.split(';', 1)[0]?.trim().toLowerCase() === type
    return body === '' || isRight
      ? undefined
      : { where: 'header content-type', expected: type, got: got ?? 'absent' }
  }

/** Checks CORS headers (Fetch standard, CORS protocol). A preflight needs no exposed headers. */
const checkCors =
  (origin: string, exposed: readonly string[]): HeaderCheck =>
  ({ request, response: { headers } }) => {
    const allowed = headers['access-control-allow-origin']
    if (allowed === undefined || ![origin, request.headers['origin']].includes(allowed)) {
      return { where: 'header access-control-allow-origin', expected: origin, got: allowed ?? 'absent' }
    }
    const got = headers['access-control-expose-headers'] ?? 'absent'
    const names = got.toLowerCase().split(/\s*,\s*/)
    const missing = exposed.filter((name) => !names.includes(name.toLowerCase()))
    if (request.verb === 'OPTIONS' || missing.length === 0) return undefined
    return { where: 'header access-control-expose-headers', expected: exposed.join(', '), got }
  }
