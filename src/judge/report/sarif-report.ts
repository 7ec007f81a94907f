import { sarifLog, sarifPlace } from '../../toolkit/report-formats/index.js'
import { printableJson } from '../../toolkit/text/index.js'
import { completenessText } from './completeness.js'
import type { Report } from './report.js'
import type { ReportOptions } from './report-options.js'
import { type BrokenRule, brokenRule } from './text/broken-rule.js'
import { smallestCall } from './text/failing-call.js'
import { expiredIn, type FailureGroup, failureGroups, waitingFor } from './text/failure-groups.js'
import { idsOf, idsText } from './text/ids-text.js'
import { notTestedText } from './text/not-tested-text.js'
import { numbered } from './text/words.js'

/**
 * Renders the failures of a report as a log of SARIF 2.1.0, one result for each cause. A result has its rule, its line in
 * the contract or in the case file, and the commands that repeat it. Known failures are suppressed results.
 */
export function sarifReport(report: Report, options: ReportOptions): string {
  const known = report.cases.filter(({ verdict }) => verdict === 'known-fail')
  const groups = [
    ...failureGroups(report.cases),
    ...failureGroups(known.map((result) => ({ ...result, verdict: 'fail' }))),
  ]
  const unsound = report.cases.filter(({ verdict }) => Object.hasOwn(UNSOUND, verdict))
  const found = [
    ...groups.map((group) => causeResult(group, report, options)),
    ...unsound.map((result) => ({
      rule: { id: result.verdict, text: UNSOUND[result.verdict] ?? '', section: '', pointer: undefined },
      result: { level: 'error', message: { text: `${result.id}: ${result.reason ?? ''}` } },
    })),
  ]
  const rules = [...new Map(found.map(({ rule }) => [rule.id, rule])).values()]
  const { started, milliseconds, tool } = report
  const log = sarifLog({
    version: tool.version,
    rules: rules.map(ruleObject),
    results: found.map(({ rule, result }) => ({
      ruleId: rule.id,
      ruleIndex: rules.findIndex(({ id }) => id === rule.id),
      ...result,
    })),
    more: {
      properties: { notTested: notTestedText(report), completeness: completenessText(report) },
      invocations: [
        {
          executionSuccessful: report.counts['harness-error'] + report.counts['gave-up'] === 0,
          startTimeUtc: started,
          endTimeUtc: new Date(Date.parse(started) + milliseconds).toISOString(),
        },
      ],
    },
  })
  return `${printableJson(JSON.stringify(log, null, 2))}\n`
}

/** Verdicts about the run itself, with the rule of each. */
const UNSOUND: Readonly<Record<string, string>> = {
  stale: 'A known failure still fails.',
  'harness-error': 'Every case can be judged.',
}

function ruleObject({ id, text, section, pointer }: BrokenRule) {
  return {
    id,
    shortDescription: { text: text || id },
    ...(section !== '' && { help: { text: `Section ${section} of the specification.` } }),
    ...(pointer !== undefined && { properties: { pointer } }),
  }
}

/** A result for the failures of one cause. */
function causeResult(
  { rules, first, others }: FailureGroup,
  report: Report,
  { again, placeOf, difference }: ReportOptions,
) {
  const rule = brokenRule(first, report, rules)
  const all = [first, ...others]
  const place = placeOf?.(first, rule)
  const followUps = waitingFor(all, report)
  const call = smallestCall(first)
  const curl = first.evidence.at(-1)?.curl
  const old = new Set(difference?.still.map(({ id }) => id))
  const isKnown = report.cases.some(({ id, verdict }) => id === first.id && verdict === 'known-fail')
  const lines = [
    rule.text === first.scenario ? first.scenario : `${rule.text} ${first.scenario}`,
    ...first.findings.map(({ where, expected, got }) => `${where}: expected ${expected}, received ${got}`),
    ...(first.findings.length === 0 ? [first.reason ?? ''] : []),
    ...(call === undefined ? [] : [`Call: ${call}`]),
    ...expiredIn(all),
    ...(others.length === 0
      ? []
      : [`${numbered(all.length, 'case')} with this cause: ${idsText(idsOf(all))}`]),
    ...(followUps.length === 0 ? [] : [`Did not run because of it: ${idsText(idsOf(followUps))}`]),
    `Again: ${again(first)}`,
  ]
  return {
    rule,
    result: {
      level: 'error',
      message: { text: lines.join('\n') },
      locations: [
        {
          ...(place && sarifPlace(place.file, { startLine: place.line })),
          logicalLocations: [
            { fullyQualifiedName: first.id, kind: 'case' },
            ...(rule.pointer === undefined ? [] : [{ fullyQualifiedName: rule.pointer, kind: 'rule' }]),
          ],
        },
      ],
      ...(first.cause !== undefined && { partialFingerprints: { 'cause/v1': first.cause } }),
      ...(difference !== undefined && {
        baselineState: all.every(({ id }) => old.has(id)) ? 'unchanged' : 'new',
      }),
      ...(isKnown && { suppressions: [{ kind: 'external', justification: first.reason ?? '' }] }),
      properties: {
        cases: idsOf(all),
        followUps: idsOf(followUps),
        findings: first.findings,
        ...(call !== undefined && { call }),
        ...(curl !== undefined && { curl }),
        again: again(first),
      },
    },
  }
}
